/* folder.c: the folder of a run: created, locked against other runs, and checked for existing files. Files that are
 * not of a muslin run are left alone, and of an earlier run only files that this one writes again are removed. */
#include "host.h"
#include "cli/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool app_make_folder(const char *folder) {
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST && errno != EISDIR) return false;
        *slash = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
    if (app_is_folder(path)) return true;
    errno = ENOTDIR;
    return false;
}

/* ---- One run at a time ------------------------------------------------------------------------------------------- */

/* A lock belongs to an open file, so a second one in this process would wait for the first: locks are counted
 * instead. */
static struct {
    int fd, count;
    dev_t device;
    ino_t inode;
} folder_lock = {.fd = -1};

bool app_folder_lock(const char *folder) {
    struct stat status;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool known = fd >= 0 && fstat(fd, &status) == 0;
    if (known && folder_lock.count > 0 && folder_lock.device == status.st_dev && folder_lock.inode == status.st_ino) {
        close(fd);
        folder_lock.count++;
        return true;
    }
    if (known && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        mus_fail(MUS_STATUS_IO,
                 "output folder '%s': another muslin run is writing to it; wait for its end, or give "
                 "another folder with --out",
                 folder);
        return false;
    }
    /* Continues on file systems without such locks. */
    if (known && folder_lock.count == 0) {
        folder_lock.fd = fd, folder_lock.count = 1, folder_lock.device = status.st_dev,
        folder_lock.inode = status.st_ino;
    } else if (fd >= 0) {
        close(fd);
    }
    return true;
}

void app_folder_unlock(void) {
    if (folder_lock.count == 0 || --folder_lock.count > 0) return;
    close(folder_lock.fd);
    folder_lock.fd = -1;
}

/* ---- What is there ----------------------------------------------------------------------------------------------- */

static bool is_run_manifest(const json_t *manifest) {
    return json_is_string(json_object_get(manifest, "muslin")) && json_is_object(json_object_get(manifest, "exit")) &&
           json_is_object(json_object_get(manifest, "options")) && json_is_array(json_object_get(manifest, "frames"));
}

app_earlier app_folder_earlier(const char *folder) {
    char *path = app_format("%s/manifest.json", folder);
    json_error_t error = {0};
    FILE *file = path ? fopen(path, "r") : NULL;
    bool missing = path && !file && errno == ENOENT;
    int reason = errno;
    json_t *manifest = file ? json_loadf(file, 0, &error) : NULL;
    app_earlier earlier = missing ? APP_EARLIER_NONE : is_run_manifest(manifest) ? APP_EARLIER_RUN : APP_EARLIER_OTHER;
    if (earlier == APP_EARLIER_OTHER)
        mus_fail(MUS_STATUS_INVALID,
                 "output folder '%s': its manifest.json is not the manifest of a muslin run%s%s; nothing was changed: "
                 "give another folder with --out, or remove the file",
                 folder, file ? "" : ": ", file ? "" : strerror(reason));
    json_decref(manifest);
    if (file) fclose(file);
    free(path);
    return earlier;
}

bool app_frame_name(const char *name, int64_t *frame, const char **extension) {
    long long number;
    int end = 0;
    if (sscanf(name, "frame_%lld.%n", &number, &end) != 1 || end < 13 || number < 0) return false;
    if (strspn(name + 6, "0123456789") != (size_t)end - 7) return false;
    *frame = number;
    *extension = name + end;
    return true;
}

/* Whether the file is a temporary one of a muslin process that was killed before it could remove it. */
static bool left_behind(const char *name) {
    static const struct {
        const char *start, *mark; /* the process' number follows the mark */
    } ours[] = {{".muslin-", ".muslin-"},     {"frame_", ".png.tmp"}, {"frame_", ".pov.tmp"},
                {"manifest.json.", ".json."}, {"log.csv.", ".csv."},  {"report.html.", ".html."},
                {"frames.mtl.", ".mtl."},     {"picture_", ".png."},  {"picture_", ".jpg."}};
    long pid = 0;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
        const char *mark = strstr(name, ours[k].mark);
        if (strncmp(name, ours[k].start, strlen(ours[k].start)) == 0 && mark)
            pid = strtol(mark + strlen(ours[k].mark), NULL, 10);
    }
    return pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* The format of a file that a run writes, and its frame, -1 if it is of all frames; NULL for other files. */
static const char *format_of(const char *name, int64_t *frame) {
    const char *extension;
    const char *dot = strrchr(name, '.');
    *frame = -1;
    if (app_frame_name(name, frame, &extension)) return extension;
    bool object = strncmp(name, "cloth_", 6) == 0 || strncmp(name, "obstacle_", 9) == 0;
    if (object && dot && (strcmp(dot, ".pc2") == 0 || strcmp(dot, ".mdd") == 0)) return dot + 1;
    if (strcmp(name, "frames.pvd") == 0) return "vtp";
    if (strcmp(name, "frames.mtl") == 0) return "obj";
    static const char *const whole[] = {"animation.glb", "animation.usda", "animation.abc"}; /* files and formats */
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        if (strcmp(name, whole[k]) == 0) return whole[k];
    if (strcmp(name, "open_in_blender.py") == 0 || strcmp(name, "open_in_blender.obj") == 0) return "blender";
    if (strcmp(name, "film.mp4") == 0 || strcmp(name, "film.webm") == 0) return dot + 1;
    return NULL;
}

void app_folder_remove_earlier(const char *folder, int64_t last, const char *const *formats, int count,
                               const char *const *wanted, int wanted_count, bool *kept) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    if (last < 0) unlinkat(dirfd(dir), "checkpoint.muslin", 0);
    for (struct dirent *entry; (entry = readdir(dir));) {
        int64_t frame;
        const char *format = format_of(entry->d_name, &frame);
        bool ours = false;
        for (int k = 0; format && k < wanted_count; k++) ours = ours || strcmp(format, wanted[k]) == 0;
        bool later = ours && (frame < 0 ? last < 0 : frame > last);
        for (int k = 0; format && !ours && k < count; k++)
            if (strcmp(format, formats[k]) == 0) kept[k] = true;
        bool log = last < 0 && strcmp(entry->d_name, "log.csv") == 0;
        log = log || strcmp(entry->d_name, "report.html") == 0; /* of a run that is being replaced or continued */
        if (later || log || left_behind(entry->d_name)) unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
}
