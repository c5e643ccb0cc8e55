/* npz.c: point caches in NumPy's .npz: a zip archive with an .npy file for each array. minizip reads the archive. */
#include "base/memory.h"
#include "io/vertex_sequence.h"

#include <minizip/unzip.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME = 256,      /* longest name of an array, with its end */
    HEADER = 65548,  /* longest header of an .npy that is read */
    DEFLATED = 1032, /* bytes that one compressed byte stands for at most */
};

/* ---- The archive's bytes in memory, for minizip ------------------------------------------------------------------ */

typedef struct memory_stream {
    const mus_file *file;
    int64_t at;
} memory_stream;

static voidpf open_stream(voidpf opaque, const void *name, int mode) {
    (void)name, (void)mode;
    return opaque;
}

static uLong read_stream(voidpf opaque, voidpf stream, void *out, uLong size) {
    (void)opaque;
    memory_stream *s = stream;
    int64_t left = s->file->size - s->at;
    uLong count = (uint64_t)left < size ? (uLong)left : size;
    memcpy(out, s->file->data + s->at, count);
    s->at += (int64_t)count;
    return count;
}

static ZPOS64_T stream_position(voidpf opaque, voidpf stream) {
    (void)opaque;
    return (ZPOS64_T)((memory_stream *)stream)->at;
}

static long seek_stream(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin) {
    (void)opaque;
    memory_stream *s = stream;
    uint64_t size = (uint64_t)s->file->size;
    uint64_t base = origin == ZLIB_FILEFUNC_SEEK_END ? size : origin == ZLIB_FILEFUNC_SEEK_CUR ? (uint64_t)s->at : 0;
    if (offset > size - base) return -1;
    s->at = (int64_t)(base + offset);
    return 0;
}

static int close_stream(voidpf opaque, voidpf stream) {
    (void)opaque, (void)stream;
    return 0;
}

/* ---- Members ----------------------------------------------------------------------------------------------------- */

/* The name of the current member's array: "verts" for verts.npy; false if it is no array. */
static bool array_name(unzFile zip, char name[NAME]) {
    if (unzGetCurrentFileInfo64(zip, NULL, name, NAME, NULL, 0, NULL, 0) != UNZ_OK) return false;
    name[NAME - 1] = 0;
    size_t length = strlen(name);
    if (length < 5 || strcmp(name + length - 4, ".npy") != 0) return false;
    name[length - 4] = 0;
    return true;
}

/* Reads the first bytes of the current member of the file into `member`, up to `most`. */
static mus_status read_member(const mus_file *file, unzFile zip, int64_t most, mus_file *member) {
    unz_file_info64 info;
    bool good = unzGetCurrentFileInfo64(zip, &info, NULL, 0, NULL, 0, NULL, 0) == UNZ_OK &&
                info.compressed_size <= (uint64_t)file->size &&
                info.uncompressed_size <= DEFLATED * info.compressed_size;
    member->data = NULL;
    member->size = 0;
    if (good) {
        int64_t size = (int64_t)info.uncompressed_size < most ? (int64_t)info.uncompressed_size : most;
        member->data = mus_resize(NULL, (size_t)size + 1);
        if (!member->data) return MUS_STATUS_NO_MEMORY;
        good = unzOpenCurrentFile(zip) == UNZ_OK;
        while (good && member->size < size) {
            int64_t left = size - member->size;
            unsigned wanted = left < 1 << 20 ? (unsigned)left : 1 << 20;
            int count = unzReadCurrentFile(zip, member->data + member->size, wanted);
            good = count > 0;
            if (good) member->size += count;
        }
        member->data[member->size] = 0;
        if (unzCloseCurrentFile(zip) != UNZ_OK) good = false; /* the checksum, when all has been read */
    }
    return good ? MUS_STATUS_OK
                : mus_fail(MUS_STATUS_FORMAT, "%s: is damaged: it does not unpack, or has another checksum",
                           member->path);
}

/* Arrays of an archive, by their names. */
typedef struct array_list {
    char names[160]; /* "'a', 'b'", cut short */
    int count;
} array_list;

static void list_array(array_list *list, const char *name) {
    size_t used = strlen(list->names);
    snprintf(list->names + used, sizeof list->names - used, "%s'%s'", list->count > 0 ? ", " : "", name);
    list->count++;
}

/* Makes the array that can be a point cache the current member, and copies its name; fails unless there is one. */
static mus_status find_sequence(const mus_file *file, unzFile zip, char name[NAME]) {
    array_list all = {.count = 0}, good = {.count = 0};
    unz64_file_pos found = {0}, only = {0};
    char array[NAME], only_name[NAME] = "";
    for (int more = unzGoToFirstFile(zip); more == UNZ_OK; more = unzGoToNextFile(zip)) {
        if (!array_name(zip, array)) continue;
        list_array(&all, array);
        mus_file header = {.path = file->path};
        mus_status status = read_member(file, zip, HEADER, &header);
        bool sequence = status == MUS_STATUS_OK && mus_npy_is_sequence(&header);
        mus_free(header.data);
        if (status == MUS_STATUS_NO_MEMORY) return status;
        unzGetFilePos64(zip, &only);
        memcpy(only_name, array, NAME);
        if (!sequence) continue;
        list_array(&good, array);
        found = only;
        memcpy(name, array, NAME);
    }
    if (all.count == 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not an .npz file, or is truncated (it has no arrays)", file->path);
    if (good.count > 1)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: has %d arrays of the shape (frames, vertices, 3); give the name of one, array = NAME: %s",
                        file->path, good.count, good.names);
    if (good.count == 0 && all.count > 1)
        return mus_fail(MUS_STATUS_FORMAT,
                        "%s: has no array of float32 or float64 of the shape (frames, vertices, 3) in C order; its "
                        "arrays: %s",
                        file->path, all.names);
    if (good.count == 0) { /* its reader reports what is wrong */
        memcpy(name, only_name, NAME);
        found = only;
    }
    return unzGoToFilePos64(zip, &found) == UNZ_OK
               ? MUS_STATUS_OK
               : mus_fail(MUS_STATUS_FORMAT, "%s: is damaged: array '%s' cannot be found", file->path, name);
}

/* Makes the array of that name the current member. */
static mus_status find_array(const mus_file *file, unzFile zip, const char *name) {
    array_list all = {.count = 0};
    char array[NAME];
    for (int more = unzGoToFirstFile(zip); more == UNZ_OK; more = unzGoToNextFile(zip)) {
        if (!array_name(zip, array)) continue;
        if (strcmp(array, name) == 0) return MUS_STATUS_OK;
        list_array(&all, array);
    }
    if (all.count == 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not an .npz file, or is truncated (it has no arrays)", file->path);
    return mus_fail(MUS_STATUS_INVALID, "%s: has no array '%s'; its arrays: %s", file->path, name, all.names);
}

mus_status mus_npz_read(const mus_file *file, const char *array, mus_point_cache *cache) {
    memory_stream stream = {.file = file};
    zlib_filefunc64_def functions = {.zopen64_file = open_stream,
                                     .zread_file = read_stream,
                                     .ztell64_file = stream_position,
                                     .zseek64_file = seek_stream,
                                     .zclose_file = close_stream,
                                     .zerror_file = close_stream,
                                     .opaque = &stream};
    unzFile zip = unzOpen2_64(file->path, &functions);
    if (!zip)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not an .npz file, or is truncated (it is no zip archive)",
                        file->path);
    char name[NAME] = "", where[512];
    if (array) snprintf(name, sizeof name, "%s", array);
    mus_status status = array ? find_array(file, zip, array) : find_sequence(file, zip, name);
    snprintf(where, sizeof where, "%s: array '%s'", file->path, name);
    mus_file member = {.path = where};
    if (status == MUS_STATUS_OK) status = read_member(file, zip, INT64_MAX, &member);
    if (status == MUS_STATUS_OK) status = mus_npy_read(&member, cache);
    mus_free(member.data);
    unzClose(zip);
    return status;
}
