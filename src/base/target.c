#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* Linux's limit: a longer chain is taken for a loop */

int target_refuse(const char *path, const char *why, struct error *error)
{
    return error_set(error, ERROR_USAGE, "%s: %s: choose another file or folder to write to", path,
                     why);
}

int target_channel(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *digits = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) != 0)
            continue;
        const size_t length = strspn(digits, "0123456789");
        if (length > 0 && length < 10 && !digits[length])
            return atoi(digits);
    }
    return -1;
}

/* --- following links --- */

/* Whether the link or pipe, the first `length` bytes of the path, may be another user's trap. */
static bool is_trap(const char *path, size_t length, const struct stat *link)
{
    struct stat folder;
    while (length > 0 && path[length - 1] != '/')
        length--;
    char *name = length ? strndup(path, length) : strdup(".");
    const bool open = name && stat(name, &folder) == 0 && folder.st_mode & S_IWOTH;
    free(name);
    return open && link->st_uid != geteuid() && link->st_uid != folder.st_uid;
}

/* The path with the link, its first `length` bytes, replaced by the link's target, for the caller
 * to free; NULL with errno after an error. */
static char *replace_link(const char *path, size_t length)
{
    char to[PATH_MAX], *followed = NULL;
    char *link = strndup(path, length);
    const ssize_t bytes = link ? readlink(link, to, sizeof to - 1) : -1;
    free(link);
    if (bytes < 0)
        return NULL;
    to[bytes] = '\0';
    const size_t end = length;
    while (to[0] != '/' && length > 0 && path[length - 1] != '/')
        length--;
    if (asprintf(&followed, "%.*s%s%s", to[0] == '/' ? 0 : (int)length, path, to, path + end) < 0)
        return NULL;
    return followed;
}

/* Replaces the first link in *path by its target. Returns 1 after a replacement, 0 where there is
 * no link, or an error that names `typed`. */
static int follow_one(char **path, const char *typed, struct error *error)
{
    struct stat status;
    for (size_t end = strspn(*path, "/"); (*path)[end]; end += strspn(*path + end, "/")) {
        end += strcspn(*path + end, "/");
        char *part = strndup(*path, end);
        if (!part)
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", typed);
        const int code = lstat(part, &status);
        free(part);
        if (code < 0)
            return 0; /* nothing exists here, so no link follows */
        const bool last = !(*path)[end], is_link = S_ISLNK(status.st_mode);
        if (((last && S_ISFIFO(status.st_mode)) || is_link) && is_trap(*path, end, &status))
            return target_refuse(typed,
                                 is_link ? "another user made a link there, in a folder that every "
                                           "user may write to, so it could lead to any file"
                                         : "another user made a pipe there, in a folder that every "
                                           "user may write to, so any user could read from it",
                                 error);
        if (!is_link)
            continue;
        char *followed = replace_link(*path, end);
        if (!followed)
            return target_refuse(typed, strerror(errno), error);
        free(*path);
        *path = followed;
        return 1;
    }
    return 0;
}

/* --- what is there --- */

/* *changed: another run in the same folder created or replaced the file during the check. */
static int look_once(struct target *target, const char *path, bool *changed, struct error *error)
{
    *changed = false;
    *target = (struct target){.kind = TARGET_NEW, .channel = target_channel(path)};
    if (target->channel >= 0) {
        const int flags = fcntl(target->channel, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
            return target_refuse(path, strerror(EBADF), error);
        target->kind = TARGET_STREAM;
        return 0;
    }
    const int missing = stat(path, &target->status) < 0 ? errno : 0;
    if (missing && (missing != ENOENT || !*path))
        return target_refuse(path, strerror(missing), error);
    target->path = strdup(path);
    int code = target->path ? 1 : error_set(error, ERROR_SYSTEM, "%s: out of memory", path);
    for (int links = 0; code == 1; links++)
        code = links <= LINKS_MAX ? follow_one(&target->path, path, error)
                                  : target_refuse(path, strerror(ELOOP), error);
    if (code < 0)
        return code;
    struct stat found;
    if (missing) {
        if (lstat(path, &found) < 0)
            return 0;
        *changed = !S_ISLNK(found.st_mode);
        return target_refuse(path, "it is a link to a file that is not there", error);
    }
    if (S_ISDIR(target->status.st_mode))
        return target_refuse(path, "it is a directory", error);
    target->kind = S_ISREG(target->status.st_mode) ? TARGET_FILE : TARGET_STREAM;
    /* Links in /proc can lead to something that has no path: a pipe, or a deleted file. */
    if (stat(target->path, &found) < 0 || found.st_dev != target->status.st_dev ||
        found.st_ino != target->status.st_ino) {
        if (target->kind == TARGET_FILE) {
            *changed = true;
            return target_refuse(path, strerror(ENOENT), error);
        }
        free(target->path);
        target->path = strdup(path);
    }
    /* rename() would replace even a file that its owner has protected from writing. */
    if (!target->path)
        return error_set(error, ERROR_SYSTEM, "%s: out of memory", path);
    return access(target->path, W_OK) < 0 ? target_refuse(path, strerror(errno), error) : 0;
}

int target_look(struct target *target, const char *path, struct error *error)
{
    enum { TRIES = 16 };
    bool changed = true;
    int code = 0;
    for (int i = 0; i < TRIES && changed; i++) {
        if (i)
            target_free(target);
        code = look_once(target, path, &changed, error);
    }
    return code;
}

void target_free(struct target *target)
{
    free(target->path);
    target->path = NULL;
}
