/* Writes a temporary file in the same folder and then renames it, so that no reader sees half a
 * file and an older file stays until the new one is complete. Temporary files of killed processes
 * are removed when something is saved beside them; where the file system has no locks, they stay. A
 * pipe or device (/dev/stdout, /dev/fd/3, /dev/full) is written directly, once. A symbolic link
 * stays and its target is replaced. A replaced file keeps its owner and mode. base/target.h says
 * which paths are refused. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes the content; returns 0, or a negative code with the error filled in. The caller checks the
 * stream for write errors. */
typedef int save_function(const void *content, FILE *, struct error *);

/* ERROR_USAGE naming the path when it can't be written, its owner can't be kept, writing the
 * content fails, or the disk is full: the older file is then unchanged and no temporary file is
 * left. ERROR_INTERRUPTED when a signal ended the wait for a pipe's reader. */
int save_file(const char *path, save_function *, const void *content, struct error *);

/* For a run that was interrupted: writes to a pipe or device without waiting for a pipe's reader;
 * ERROR_USAGE if there is no reader. Returns 1 when written, and 0 where the path names a file or
 * nothing, which is left alone. */
int save_to_stream(const char *path, save_function *, const void *content, struct error *);

/* For programs that read documents and then replace them: no two processes do so in one folder at a
 * time, so that neither loses what the other has written. Waits ten seconds, then ERROR_USAGE; the
 * folders are free again when this process ends. */
int save_alone(const char *const *paths, size_t count, struct error *);
/* Whether files of both paths are, or would be, in one folder. */
bool save_in_one_folder(const char *one, const char *other);

/* Fails where save_file() would fail now, and leaves everything unchanged. */
int save_possible(const char *path, struct error *);

/* A file that is written repeatedly during a measurement. A new file exists from the first write
 * on. Where there was a file, the results so far are kept in PATH.partial until saving_finish(), so
 * that nothing replaces an older document before the new one is complete. Pipes and devices are
 * written by saving_finish() alone. Names are created with O_EXCL, so two runs never write to one
 * file. An existing PATH.partial, perhaps of a run that was killed, stays; PATH.2.partial is used
 * then. */
struct saving {
    char *path;   /* the final file; NULL for a pipe or device */
    char *holder; /* the file with the results so far; NULL before the first write */
    char *name;   /* the path as typed or generated */
    bool made_up; /* the name was generated, so the next free one may be used */
    bool done;    /* the holder has replaced the older file */
};

/* Refuses what save_possible() refuses, and leaves no file. Where PATH exists and is `made_up`, the
 * next free name is used, "name.json", "name-2.json" and so on: from the first write on,
 * saving.name is the name in use. The caller frees with saving_free(), also after an error. */
int saving_begin(struct saving *, const char *path, bool made_up, struct error *);
/* Writes the results so far, except to a pipe or device. Errors are those of save_file(). */
int saving_update(struct saving *, save_function *, const void *content, struct error *);
/* Writes everything and replaces the older file, which ends the saving. After an error the holder
 * stays. */
int saving_finish(struct saving *, save_function *, const void *content, struct error *);
/* The path of the holder while the older file still exists; else NULL. */
const char *saving_beside(const struct saving *);
void saving_free(struct saving *);
