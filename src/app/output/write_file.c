/* write_file.c: a whole file under a temporary name that is then renamed. */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

mus_status app_write_file(const char *path, const char *text, size_t size) {
    char *temporary = app_format("%s.%ld.tmp", path, (long)getpid());
    if (!temporary) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory to write '%s'", path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0;
    for (size_t done = 0; ok && done < size;) {
        ssize_t n = write(fd, text + done, size - done);
        if (n >= 0)
            done += (size_t)n;
        else
            ok = errno == EINTR;
    }
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(temporary, path) != 0) {
        ok = false;
        reason = errno;
    }
    mus_status status = ok ? MUS_STATUS_OK : mus_fail(MUS_STATUS_IO, "'%s': %s", path, strerror(reason));
    if (!ok && fd >= 0) unlink(temporary);
    free(temporary);
    return status;
}
