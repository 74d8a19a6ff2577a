/*
 * What a path names, as a place to write to: nothing yet, a file, or a stream (a pipe, a device, an
 * open descriptor), which can be written only once.
 *
 * Links are followed here and not by the system. In a folder that every user may write to, a link
 * or a pipe that belongs neither to this user nor to the folder's owner may be a trap; it is
 * refused, as Linux does where fs.protected_symlinks and fs.protected_fifos are set.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <sys/stat.h>

enum target_kind { TARGET_NEW, TARGET_FILE, TARGET_STREAM };

struct target {
    enum target_kind kind;
    char *path;         /* with links resolved */
    int channel;        /* of a stream: the open descriptor that the path names; -1: open `path` */
    struct stat status; /* of what is there, unless TARGET_NEW */
};

/* Fills the target, which the caller frees, also after an error. ERROR_USAGE naming the path where
 * it is a directory, a link to nothing, a trap, or write-protected. */
int target_look(struct target *, const char *path, struct error *);
void target_free(struct target *);

/* The number in /dev/fd/N and the like, and of /dev/stdout and /dev/stderr; -1 for other paths. */
int target_channel(const char *path);

/* ERROR_USAGE: "PATH: WHY: choose another file or folder to write to". */
int target_refuse(const char *path, const char *why, struct error *);
