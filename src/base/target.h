/*
 * What a path names, as a place to write to: nothing yet, a file, or what is no file (a pipe, a
 * device, an open descriptor), which can be written only once.
 *
 * Links are followed here and not by the system. In a folder that anybody may write to, a link or a
 * pipe that is neither ours nor the folder's owner's may have been laid as a trap; it is refused,
 * as Linux does where fs.protected_symlinks and fs.protected_fifos are set.
 */
#ifndef FATHOM_BASE_TARGET_H
#define FATHOM_BASE_TARGET_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/stat.h>

enum target_kind { TARGET_NEW, TARGET_FILE, TARGET_STREAM };

struct target {
    enum target_kind kind;
    char *path;         /* without links */
    int channel;        /* of a stream: the open descriptor that the path names; -1: it is opened */
    struct stat status; /* of what is there, unless TARGET_NEW */
};

/* Fills the target, which the caller frees, also after an error. ERROR_USAGE naming the path where
 * it is a directory, a link to nothing, a trap, or protected from writing. */
int target_look(struct target *, const char *path, struct error *);
void target_free(struct target *);

/* The number in /dev/fd/N and the like, and of /dev/stdout and /dev/stderr; -1 for other paths. */
int target_channel(const char *path);

/* ERROR_USAGE: "PATH: WHY: choose another file or folder to write to". */
int target_refuse(const char *path, const char *why, struct error *);

#endif
