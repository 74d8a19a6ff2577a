#include "base/save.h"

#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 1000, NAME_BYTES = 255 };

static int out_of_memory(const char *path, struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", path);
}

static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Creates a new file. O_EXCL refuses an existing name and follows no link. */
static int create(const char *name, mode_t mode)
{
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* Gives the new file the owner and the mode of the file that it will replace. */
static int be_like(int file, const struct stat *old, const char *path, struct error *error)
{
    struct stat now;
    if (fstat(file, &now) < 0)
        return target_refuse(path, strerror(errno), error);
    if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
        fchown(file, old->st_uid, old->st_gid) < 0)
        return target_refuse(
            path, "it belongs to another user or group, which a new file in its place could not",
            error);
    return fchmod(file, old->st_mode & 0777) < 0 ? target_refuse(path, strerror(errno), error) : 0;
}

static void give_up(char *temporary)
{
    unlink(temporary);
    free(temporary);
}

/* Creates a temporary file in the folder of `path`; the caller frees *name. The name does not
 * contain the target's, so that it can't be too long. O_EXCL with 0666 leaves the mode to the
 * umask, which mkstemp() would not. A file that replaces `old` (NULL for none) never grants more
 * access than `old`. Errors name `typed`. */
static int open_beside(const char *path, const struct stat *old, char **name, const char *typed,
                       struct error *error)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        if (asprintf(name, "%.*s.fathom-%ld-%d.tmp", folder_length(path), path, (long)getpid(),
                     attempt) < 0)
            return out_of_memory(typed, error);
        const int file = create(*name, old ? old->st_mode & 0600 : 0666), reason = errno;
        const int code = file >= 0 && old ? be_like(file, old, typed, error) : 0;
        if (file >= 0 && code == 0)
            return file;
        if (code < 0) {
            close(file);
            give_up(*name);
            return code;
        }
        free(*name);
        if (reason != EEXIST)
            return target_refuse(typed, strerror(reason), error);
    }
    return target_refuse(typed, "too many temporary files lie beside it", error);
}

/* Closes the stream. `code` and `reason` are the result of the writing before; errors name
 * `path`. */
static int close_written(FILE *stream, int code, struct error *reason, const char *path,
                         struct error *error)
{
    if (code == 0 && ferror(stream))
        code = error_set(reason, ERROR_SYSTEM, "%s", strerror(errno));
    /* The file must be on the disk before the rename, or a power cut could leave neither the old
     * nor the new one. fsync() fails with EINVAL or the like on pipes and devices, which need
     * none. */
    if (code == 0 &&
        (fflush(stream) == EOF ||
         (fsync(fileno(stream)) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))))
        code = error_set(reason, ERROR_SYSTEM, "%s", strerror(errno));
    if (fclose(stream) == EOF && code == 0)
        code = error_set(reason, ERROR_SYSTEM, "%s", strerror(errno));
    return code < 0 ? target_refuse(path, reason->text, error) : 0;
}

/* Takes ownership of the open file. */
static int stream_of(int file, FILE **stream, const char *path, struct error *error)
{
    *stream = fdopen(file, "w");
    if (*stream)
        return 0;
    close(file);
    return out_of_memory(path, error);
}

/* Takes ownership of the open file and closes it. */
static int write_and_close(save_function *write, const void *content, int file, const char *path,
                           struct error *error)
{
    struct error reason = {0};
    FILE *stream;
    const int code = stream_of(file, &stream, path, error);
    return code < 0 ? code
                    : close_written(stream, write(content, stream, &reason), &reason, path, error);
}

/* Writes a temporary file in the folder of `path`; the caller frees *name. */
static int write_beside(const char *path, const struct stat *old, save_function *write,
                        const void *content, const char *typed, char **name, struct error *error)
{
    const int file = open_beside(path, old, name, typed, error);
    if (file < 0)
        return file;
    const int code = write_and_close(write, content, file, typed, error);
    if (code < 0)
        give_up(*name);
    return code;
}

/* Renames the temporary file to `path`, or removes it after an error, and frees its name. */
static int rename_to(char *temporary, const char *path, const char *typed, struct error *error)
{
    int code = 0;
    if (rename(temporary, path) < 0) {
        code = target_refuse(typed, strerror(errno), error);
        unlink(temporary);
    }
    free(temporary);
    return code;
}

/* `patient`: waits for a pipe's reader. The opened file must be the one that target_look() saw,
 * because a pipe may have replaced a device since. */
static int open_stream(const struct target *target, const char *path, bool patient,
                       struct error *error)
{
    struct stat now;
    const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (patient ? 0 : O_NONBLOCK);
    int file = target->channel >= 0 ? fcntl(target->channel, F_DUPFD_CLOEXEC, 0)
                                    : open(target->path, flags);
    if (file < 0 && errno == ENXIO && !patient)
        return target_refuse(path, "no program reads from it", error);
    if (file < 0 && errno == EINTR)
        return error_set(error, ERROR_INTERRUPTED, "%s: interrupted while no program read from it",
                         path);
    if (file < 0)
        return target_refuse(path, strerror(errno), error);
    if (target->channel >= 0)
        return file;
    if (fstat(file, &now) == 0 && now.st_dev == target->status.st_dev &&
        now.st_ino == target->status.st_ino &&
        (patient || fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) == 0))
        return file;
    close(file);
    return target_refuse(path, "it was exchanged for something else", error);
}

/* `patient` as in open_stream(). */
static int write_stream(const struct target *target, const char *path, bool patient,
                        save_function *write, const void *content, struct error *error)
{
    const int file = open_stream(target, path, patient, error);
    return file < 0 ? file : write_and_close(write, content, file, path, error);
}

int save_file(const char *path, save_function *write, const void *content, struct error *error)
{
    struct target target;
    char *temporary;
    int code = target_look(&target, path, error);
    if (code == 0 && target.kind == TARGET_STREAM) {
        code = write_stream(&target, path, true, write, content, error);
    } else if (code == 0) {
        const struct stat *old = target.kind == TARGET_FILE ? &target.status : NULL;
        code = write_beside(target.path, old, write, content, path, &temporary, error);
        if (code == 0)
            code = rename_to(temporary, target.path, path, error);
    }
    target_free(&target);
    return code;
}

int save_to_stream(const char *path, save_function *write, const void *content, struct error *error)
{
    struct target target;
    int code = target_look(&target, path, error);
    if (code == 0 && target.kind == TARGET_STREAM) {
        code = write_stream(&target, path, false, write, content, error);
        code = code == 0 ? 1 : code;
    }
    target_free(&target);
    return code;
}

int save_possible(const char *path, struct error *error)
{
    struct saving saving;
    const int code = saving_begin(&saving, path, error);
    saving_free(&saving);
    return code;
}

/* --- while something is measured --- */

int saving_begin(struct saving *saving, const char *path, struct error *error)
{
    struct target target;
    *saving = (struct saving){.name = strdup(path)};
    int code = target_look(&target, path, error);
    if (code == 0 && !saving->name)
        code = out_of_memory(path, error);
    if (code == 0 && target.kind != TARGET_STREAM) {
        /* Test whether a new file could replace it with the same owner. */
        char *name;
        const struct stat *old = target.kind == TARGET_FILE ? &target.status : NULL;
        code = open_beside(target.path, old, &name, path, error);
        if (code >= 0) {
            close(code);
            give_up(name);
            code = 0;
        }
        saving->path = target.path;
        target.path = NULL;
    }
    target_free(&target);
    return code;
}

int saving_begin_new(struct saving *saving, const char *path, struct error *error)
{
    const int code = saving_begin(saving, path, error);
    saving->made_up = true;
    return code;
}

/* The n-th name to try after the target's own, which is taken. A name that would be too long is
 * cut. */
static char *nth_name(const struct saving *saving, int n)
{
    char *name = NULL, number[16] = "";
    const char *path = saving->path;
    const int folder = folder_length(path), most = NAME_BYTES - 16;
    int length = (int)strlen(path + folder);
    if (saving->made_up) {
        const char *dot = strrchr(path, '.');
        if (asprintf(&name, "%.*s-%d%s", (int)(dot - path), path, n + 1, dot) < 0)
            return NULL;
        return name;
    }
    if (n > 1)
        snprintf(number, sizeof number, ".%d", n);
    length = length > most ? most : length;
    return asprintf(&name, "%.*s%s.partial", folder + length, path, number) < 0 ? NULL : name;
}

/* Renames the temporary file to an unused name; -1 with errno, EEXIST where the name is taken. A
 * hard link never shows an empty file; where the file system has no hard links, an empty file
 * reserves the name until the rename. */
static int take_name(const char *temporary, const char *name)
{
    if (link(temporary, name) == 0)
        return unlink(temporary);
    if (errno == EEXIST || errno == ENOENT || errno == ENAMETOOLONG)
        return -1;
    const int file = create(name, 0600);
    if (file < 0)
        return -1;
    close(file);
    return rename(temporary, name);
}

/* Renames the temporary file to the first free name, which becomes the holder's; frees
 * `temporary`. */
static int take_free_name(struct saving *saving, char *temporary, struct error *error)
{
    char *name = strdup(saving->path);
    int code = 1;
    for (int n = 1; name && n <= NAMES_MAX && code == 1; n++) {
        if (take_name(temporary, name) == 0) {
            code = 0;
        } else if (errno != EEXIST) {
            code = target_refuse(saving->name, strerror(errno), error);
        } else {
            free(name);
            name = nth_name(saving, n);
        }
    }
    if (code == 1)
        code = name ? target_refuse(saving->name, "a thousand unfinished documents lie beside it",
                                    error)
                    : out_of_memory(saving->name, error);
    if (code < 0)
        unlink(temporary);
    free(temporary);
    if (code < 0)
        free(name);
    else
        saving->holder = name;
    return code;
}

/* Makes the holder's name the final one, because a generated name has no older file to replace. */
static int adopt_name(struct saving *saving, struct error *error)
{
    char *path = strdup(saving->holder), *name = strdup(saving->holder);
    if (!path || !name) {
        free(path);
        free(name);
        return out_of_memory(saving->holder, error);
    }
    free(saving->path);
    free(saving->name);
    saving->path = path;
    saving->name = name;
    return 0;
}

/* The status of the older file, for the holder's owner and mode, filled in `status`; NULL where
 * there is no older file. */
static const struct stat *older(const struct saving *saving, struct stat *status)
{
    const bool there =
        !saving->made_up && lstat(saving->path, status) == 0 && S_ISREG(status->st_mode);
    return there ? status : NULL;
}

static int hold(struct saving *saving, save_function *write, const void *content,
                struct error *error)
{
    struct stat status;
    char *temporary;
    int code = write_beside(saving->path, older(saving, &status), write, content, saving->name,
                            &temporary, error);
    if (code < 0)
        return code;
    if (saving->holder)
        return rename_to(temporary, saving->holder, saving->name, error);
    code = take_free_name(saving, temporary, error);
    return code == 0 && saving->made_up ? adopt_name(saving, error) : code;
}

int saving_update(struct saving *saving, save_function *write, const void *content,
                  struct error *error)
{
    return saving->path ? hold(saving, write, content, error) : 0;
}

const char *saving_beside(const struct saving *saving)
{
    return saving->holder && !saving->done && strcmp(saving->holder, saving->path) != 0
               ? saving->holder
               : NULL;
}

/* Renames the holder over the older file. */
static int take_place(struct saving *saving, struct error *error)
{
    if (saving_beside(saving) && rename(saving->holder, saving->path) < 0)
        return target_refuse(saving->name, strerror(errno), error);
    saving->done = true;
    return 0;
}

int saving_finish(struct saving *saving, save_function *write, const void *content,
                  struct error *error)
{
    if (!saving->path)
        return save_file(saving->name, write, content, error);
    const int code = hold(saving, write, content, error);
    return code == 0 ? take_place(saving, error) : code;
}

/* --- rows --- */

/* Opens the pipe or device. */
static int open_channel(const struct saving *saving, struct error *error)
{
    struct target target;
    int code = target_look(&target, saving->name, error);
    if (code == 0)
        code = target.kind == TARGET_STREAM ? open_stream(&target, saving->name, true, error)
                                            : target_refuse(saving->name, strerror(ENXIO), error);
    target_free(&target);
    return code;
}

static int open_holder(struct saving *saving, struct error *error)
{
    struct stat status;
    char *temporary;
    const int file =
        open_beside(saving->path, older(saving, &status), &temporary, saving->name, error);
    const int code = file < 0 ? file : take_free_name(saving, temporary, error);
    if (file < 0 || code == 0)
        return file;
    close(file);
    return code;
}

int saving_open(struct saving *saving, FILE **stream, struct error *error)
{
    const int file = saving->path ? open_holder(saving, error) : open_channel(saving, error);
    *stream = NULL;
    return file < 0 ? file : stream_of(file, stream, saving->name, error);
}

int saving_close(struct saving *saving, FILE *stream, bool whole, struct error *error)
{
    struct error reason = {0};
    const int code = close_written(stream, 0, &reason, saving->name, error);
    return code == 0 && saving->path && whole ? take_place(saving, error) : code;
}

void saving_free(struct saving *saving)
{
    free(saving->path);
    free(saving->holder);
    free(saving->name);
    *saving = (struct saving){0};
}
