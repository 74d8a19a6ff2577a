#include "base/save.h"

#include "base/target.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { NAMES_MAX = 1000, NAME_BYTES = 255 };

static int out_of_memory(const char *path, struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", path);
}

static int folder_length(const char *path)
{
    return (int)(path_name(path) - path);
}

/* For the caller to free. NULL: out of memory. */
static char *folder_of(const char *path)
{
    return folder_length(path) ? strndup(path, (size_t)folder_length(path)) : strdup(".");
}

bool save_in_one_folder(const char *one, const char *other)
{
    struct stat a, b;
    char *first = folder_of(one), *second = folder_of(other);
    const bool same = first && second && stat(first, &a) == 0 && stat(second, &b) == 0 &&
                      a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    free(first);
    free(second);
    return same;
}

int save_alone(const char *const *paths, size_t count, struct error *error)
{
    enum { STEP_MS = 50, STEPS = 200 };
    struct stat *folders = calloc(count, sizeof *folders);
    int code = folders ? 0 : error_out_of_memory(error);
    for (size_t i = 0; i < count && code == 0; i++) {
        char *name = folder_of(paths[i]);
        const int folder = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        free(name);
        size_t before = folder >= 0 && fstat(folder, &folders[i]) == 0 ? 0 : i;
        while (before < i && (folders[before].st_dev != folders[i].st_dev ||
                              folders[before].st_ino != folders[i].st_ino))
            before++;
        if (before < i) /* a second lock of one folder would wait for the first */
            close(folder);
        for (int step = 0; before == i && code == 0 && folder >= 0; step++)
            if (flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
                break; /* no locks: as on some network mounts */
            else if (step == STEPS || poll(NULL, 0, STEP_MS) < 0)
                code = error_set(error, ERROR_USAGE,
                                 "%s: another fathom is changing a document in that folder: try "
                                 "again when it has ended",
                                 paths[i]);
    }
    free(folders);
    return code;
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

/* --- drafts --- */

/* A file that is being written, until it gets its name: a temporary file. */
struct draft {
    int file;
    char *name; /* NULL: it has its final name */
};

static void draft_end(struct draft *draft)
{
    if (draft->file >= 0)
        close(draft->file);
    if (draft->name)
        unlink(draft->name);
    free(draft->name);
}

/* Begins a draft in the folder of `path`; the caller ends it, also after an error. O_EXCL with 0666
 * leaves the mode to the umask, which mkstemp() would not. A file that replaces `old` (NULL for
 * none) never grants more access than `old`. The name does not contain the target's, so that it
 * can't be too long. Errors name `typed`. */
static int draft_begin(struct draft *draft, const char *path, const struct stat *old,
                       const char *typed, struct error *error)
{
    const mode_t mode = old ? old->st_mode & 0600 : 0666;
    *draft = (struct draft){.file = -1};
    for (int attempt = 0; attempt < 100 && draft->file < 0; attempt++) {
        char *name;
        if (asprintf(&name, "%.*s.fathom-%ld-%d.tmp", folder_length(path), path, (long)getpid(),
                     attempt) < 0)
            return out_of_memory(typed, error);
        draft->file = create(name, mode);
        if (draft->file >= 0) {
            flock(draft->file, LOCK_EX | LOCK_NB); /* for sweep() */
            draft->name = name;
            return old ? be_like(draft->file, old, typed, error) : 0;
        }
        const int reason = errno;
        free(name);
        if (reason != EEXIST)
            return target_refuse(typed, strerror(reason), error);
    }
    return target_refuse(typed, "too many temporary files lie beside it", error);
}

/* Puts the draft in the place of `path`, whatever is there. */
static int draft_replace(struct draft *draft, const char *path, const char *typed,
                         struct error *error)
{
    if (rename(draft->name, path) < 0)
        return target_refuse(typed, strerror(errno), error);
    free(draft->name);
    draft->name = NULL;
    return 0;
}

/* Removes temporary files that killed processes left in the folder of `path`: those of no process
 * here, which nobody has locked. Another machine that shares the folder may be writing one. */
static void sweep(const char *path)
{
    char *name = folder_of(path);
    DIR *folder = name ? opendir(name) : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat status;
        char left[PATH_MAX];
        int pid, number, end = 0;
        if (sscanf(entry->d_name, ".fathom-%9d-%2d.tmp%n", &pid, &number, &end) != 2 || !end ||
            entry->d_name[end] || pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH ||
            snprintf(left, sizeof left, "%s/%s", name, entry->d_name) >= PATH_MAX)
            continue;
        const int file = open(left, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0)
            unlink(left);
        if (file >= 0)
            close(file);
    }
    if (folder)
        closedir(folder);
    free(name);
}

/* --- writing --- */

/* Takes ownership of the open file and closes it. Errors name `path`. */
static int write_and_close(save_function *write, const void *content, int file, const char *path,
                           struct error *error)
{
    struct error reason = {0};
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        close(file);
        return out_of_memory(path, error);
    }
    int code = write(content, stream, &reason);
    if (code == 0 && ferror(stream))
        code = error_set(&reason, ERROR_SYSTEM, "%s", strerror(errno));
    /* The file must be on the disk before the rename, or a power cut could leave neither the old
     * nor the new one. fsync() fails with EINVAL or the like on pipes and devices, which need
     * none. */
    if (code == 0 &&
        (fflush(stream) == EOF ||
         (fsync(fileno(stream)) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))))
        code = error_set(&reason, ERROR_SYSTEM, "%s", strerror(errno));
    if (fclose(stream) == EOF && code == 0)
        code = error_set(&reason, ERROR_SYSTEM, "%s", strerror(errno));
    return code < 0 ? target_refuse(path, reason.text, error) : 0;
}

/* Writes a draft in the folder of `path`; the caller ends it, also after an error. */
static int write_draft(struct draft *draft, const char *path, const struct stat *old,
                       save_function *write, const void *content, const char *typed,
                       struct error *error)
{
    const int code = draft_begin(draft, path, old, typed, error);
    if (code < 0)
        return code;
    const int file = fcntl(draft->file, F_DUPFD_CLOEXEC, 0);
    return file < 0 ? target_refuse(typed, strerror(errno), error)
                    : write_and_close(write, content, file, typed, error);
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
    return target_refuse(path, "it was replaced by something else meanwhile", error);
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
    int code = target_look(&target, path, error);
    if (code == 0 && target.kind == TARGET_STREAM) {
        code = write_stream(&target, path, true, write, content, error);
    } else if (code == 0) {
        struct draft draft;
        const struct stat *old = target.kind == TARGET_FILE ? &target.status : NULL;
        sweep(target.path);
        code = write_draft(&draft, target.path, old, write, content, path, error);
        if (code == 0)
            code = draft_replace(&draft, target.path, path, error);
        draft_end(&draft);
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
    const int code = saving_begin(&saving, path, false, error);
    saving_free(&saving);
    return code;
}

/* --- while something is measured --- */

/* Tries to write no bytes: that already fails on a device that can't take anything (/dev/full). */
static int device_possible(const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISCHR(status.st_mode))
        return 0;
    const int file = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK);
    const bool taken = file >= 0 && write(file, "", 0) >= 0;
    const int why = taken ? 0 : errno;
    if (file >= 0)
        close(file);
    return why ? error_set(error, ERROR_USAGE, "%s: %s: choose another file or folder to write to",
                           path, strerror(why))
               : 0;
}

int saving_begin(struct saving *saving, const char *path, bool made_up, struct error *error)
{
    struct target target;
    *saving = (struct saving){.name = strdup(path), .made_up = made_up};
    int code = target_look(&target, path, error);
    if (code == 0 && !saving->name)
        code = out_of_memory(path, error);
    if (code == 0 && target.kind == TARGET_STREAM)
        code = device_possible(path, error);
    if (code == 0 && target.kind != TARGET_STREAM) {
        /* Test whether a new file could replace it with the same owner. */
        struct draft draft;
        const struct stat *old = target.kind == TARGET_FILE ? &target.status : NULL;
        sweep(target.path);
        code = draft_begin(&draft, target.path, old, path, error);
        draft_end(&draft);
        saving->path = target.path;
        target.path = NULL;
    }
    target_free(&target);
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

/* Gives the draft an unused name; -1 with errno, EEXIST where the name is taken. A hard link never
 * shows an empty file; where the file system has no hard links, an empty file reserves the name
 * until the rename. */
static int take_name(struct draft *draft, const char *name)
{
    if (link(draft->name, name) == 0)
        return 0;
    if (errno == EEXIST || errno == ENOENT || errno == ENAMETOOLONG)
        return -1;
    const int file = create(name, 0600);
    if (file < 0)
        return -1;
    close(file);
    return rename(draft->name, name);
}

/* Gives the draft the first free name, which becomes the holder's. */
static int take_free_name(struct saving *saving, struct draft *draft, struct error *error)
{
    char *name = strdup(saving->path);
    int code = 1;
    for (int n = 1; name && n <= NAMES_MAX && code == 1; n++) {
        if (take_name(draft, name) == 0) {
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
    struct draft draft;
    const bool first = !saving->holder;
    int code = write_draft(&draft, saving->path, older(saving, &status), write, content,
                           saving->name, error);
    if (code == 0)
        code = first ? take_free_name(saving, &draft, error)
                     : draft_replace(&draft, saving->holder, saving->name, error);
    draft_end(&draft);
    return code == 0 && first && saving->made_up ? adopt_name(saving, error) : code;
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

void saving_free(struct saving *saving)
{
    free(saving->path);
    free(saving->holder);
    free(saving->name);
    *saving = (struct saving){0};
}
