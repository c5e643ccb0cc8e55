/* file.h: reads whole files, and writes files under a temporary name that is renamed at the end. */
#ifndef MUS_IO_FILE_H
#define MUS_IO_FILE_H

#include "muslin/status.h"

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file's bytes, followed by one zero byte that is not counted. The readers of text write zeros into it. */
typedef struct mus_file {
    const char *path; /* the caller's, for messages */
    char *data;
    int64_t size;
} mus_file;

/* NOT_FOUND or IO with the system's reason. */
mus_status mus_file_read(const char *path, mus_file *file);
/* The same of a path that a file has named, not the user: its last part must be no symbolic link. */
mus_status mus_file_read_no_link(const char *path, mus_file *file);
void mus_file_free(mus_file *file);

/* "obj" for "a/B.OBJ"; "" without one. */
const char *mus_file_extension(const char *path);

/* A file being written. The first error is stored, so only the end needs a check. */
typedef struct mus_writer {
    const char *path; /* the caller's; must live as long */
    char *temporary, *buffer;
    size_t used;
    int fd, error; /* errno of the first failure */
    int folder;    /* opened by a host; -1: the folder of the path */
    bool durable;  /* flush the bytes and the name to the disk at the end */
} mus_writer;

mus_status mus_writer_open(mus_writer *writer, const char *path);
void mus_writer_bytes(mus_writer *writer, const void *data, size_t size);
void mus_writer_text(mus_writer *writer, const char *text);
void mus_writer_integer(mus_writer *writer, int64_t value);
void mus_writer_number(mus_writer *writer, double value); /* 17 significant digits, like %.17g */
void mus_writer_le32(mus_writer *writer, uint32_t bits);
void mus_writer_le64(mus_writer *writer, uint64_t bits);
/* Replaces bytes that have been written, e.g. of a header. */
void mus_writer_patch(mus_writer *writer, int64_t place, const void *data, size_t size);
/* status OK: writes the rest and renames. In any other case, and on failure, the temporary file is removed and an
 * earlier file under the name is unchanged. Returns the first failure. */
mus_status mus_writer_close(mus_writer *writer, mus_status status);

/* Numbers are written and read with a decimal point in every locale. */
typedef struct mus_c_locale {
    locale_t ours, before;
} mus_c_locale;
mus_c_locale mus_c_locale_enter(void);
void mus_c_locale_leave(mus_c_locale locale);

/* Four bytes, the least significant first. */
static inline uint32_t mus_read_le32(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#endif
