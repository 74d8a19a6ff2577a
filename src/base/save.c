#include "base/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct error *error, const char *path, const char *why)
{
    return error_set(error, ERROR_USAGE, "%s: %s: choose another file or folder to write to", path,
                     why);
}

/* Opens a new file in the folder of `path`, whose name does not grow with the target's so that it
 * can't be too long. O_EXCL with 0666 leaves the mode to the umask, which mkstemp() would not. */
static int open_beside(const char *path, char **name, struct error *error)
{
    const char *slash = strrchr(path, '/');
    int folder_length = slash ? (int)(slash - path) + 1 : 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        if (asprintf(name, "%.*s.fathom-%ld-%d.tmp", folder_length, path, (long)getpid(), attempt) <
            0) {
            *name = NULL;
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", path);
        }
        int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0)
            return file;
        int reason = errno;
        free(*name);
        *name = NULL;
        if (reason != EEXIST)
            return refuse(error, path, strerror(reason));
    }
    return refuse(error, path, "too many temporary files lie beside it");
}

/* Takes over the open file and closes it. An error's text names `path`. */
static int write_and_close(save_function *write, const void *content, int file, const char *path,
                           struct error *error)
{
    struct error reason = {0};
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        close(file);
        return error_set(error, ERROR_SYSTEM, "%s: out of memory", path);
    }
    int code = write(content, stream, &reason);
    if (code == 0 && ferror(stream))
        code = error_set(&reason, ERROR_SYSTEM, "%s", strerror(errno));
    /* The file must be on the disk before the rename, or a power cut could leave neither the old
     * nor the new one. fsync() fails with EINVAL or the like on what is no file on a disk, which
     * needs none. */
    if (code == 0 && (fflush(stream) == EOF ||
                      (fsync(file) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))))
        code = error_set(&reason, ERROR_SYSTEM, "%s", strerror(errno));
    if (fclose(stream) == EOF && code == 0)
        code = error_set(&reason, ERROR_SYSTEM, "%s", strerror(errno));
    return code < 0 ? refuse(error, path, reason.text) : 0;
}

static int replace(save_function *write, const void *content, const char *path,
                   const struct stat *old, struct error *error)
{
    char *name;
    int file = open_beside(path, &name, error);
    if (file < 0)
        return file;
    int code;
    /* A file that its owner has closed to others stays closed. */
    if (old && fchmod(file, old->st_mode & 0777) < 0) {
        code = refuse(error, path, strerror(errno));
        close(file);
    } else {
        code = write_and_close(write, content, file, path, error);
    }
    if (code == 0 && rename(name, path) < 0)
        code = refuse(error, path, strerror(errno));
    if (code < 0)
        unlink(name);
    free(name);
    return code;
}

/* Reads what stands at the path. *real becomes the path of the regular file to replace, which the
 * caller frees; it stays NULL where there is no file yet, or where the path is written to
 * directly. */
static int look(const char *path, struct stat *status, char **real, struct error *error)
{
    *real = NULL;
    if (stat(path, status) < 0) {
        if (errno != ENOENT || !*path)
            return refuse(error, path, strerror(errno));
        if (lstat(path, status) == 0)
            return refuse(error, path, "it is a link to a file that is not there");
        status->st_mode = 0;
        return 0;
    }
    if (S_ISDIR(status->st_mode))
        return refuse(error, path, "it is a directory");
    if (!S_ISREG(status->st_mode))
        return 0;
    /* Through a symbolic link the file it names is replaced, not the link. A rename would replace
     * even a file that its owner has protected from writing. */
    *real = realpath(path, NULL);
    return !*real || access(*real, W_OK) < 0 ? refuse(error, path, strerror(errno)) : 0;
}

int save_file(const char *path, save_function *write, const void *content, struct error *error)
{
    struct stat status;
    char *real;
    int code = look(path, &status, &real, error);
    if (code == 0 && !status.st_mode) {
        code = replace(write, content, path, NULL, error);
    } else if (code == 0 && real) {
        code = replace(write, content, real, &status, error);
    } else if (code == 0) {
        int file = open(path, O_WRONLY | O_CLOEXEC);
        code = file < 0 ? refuse(error, path, strerror(errno))
                        : write_and_close(write, content, file, path, error);
    }
    free(real);
    return code;
}

int save_possible(const char *path, struct error *error)
{
    struct stat status;
    char *real, *name;
    int code = look(path, &status, &real, error);
    if (code == 0 && status.st_mode && !real) {
        code = access(path, W_OK) < 0 ? refuse(error, path, strerror(errno)) : 0;
    } else if (code == 0) {
        const int file = open_beside(real ? real : path, &name, error);
        code = file < 0 ? file : 0;
        if (file >= 0) {
            close(file);
            unlink(name);
            free(name);
        }
    }
    free(real);
    return code;
}
