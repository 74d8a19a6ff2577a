/* Writes a file so that no reader sees half of it, and so that an older file stays until the new
 * one is whole: to a temporary file in the same folder, then a rename. A pipe or device
 * (/dev/stdout, /dev/fd/3, /dev/full) is written directly, once. Of a symbolic link the target is
 * replaced. A replaced file keeps its owner and its mode. base/target.h says what is refused. */
#ifndef FATHOM_BASE_SAVE_H
#define FATHOM_BASE_SAVE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes the content; 0, or a negative code with the error filled in. The caller checks the
 * stream. */
typedef int save_function(const void *content, FILE *, struct error *);

/* ERROR_USAGE naming the path when it can't be written, its owner can't be kept, the content can't
 * be made whole, or the disk is full: what was there is then still there, and no temporary file.
 * ERROR_INTERRUPTED when a signal ended the wait for a pipe's reader. */
int save_file(const char *path, save_function *, const void *content, struct error *);

/* Writes to a pipe or device without waiting for a pipe's reader, for a run that was interrupted;
 * ERROR_USAGE if there is no reader. 1: written. 0: the path names a file or nothing, and is left
 * alone. */
int save_to_stream(const char *path, save_function *, const void *content, struct error *);

/* Refuses what save_file() would refuse now, and leaves everything as it is. */
int save_possible(const char *path, struct error *);

/* A file that is written again and again while something is measured. Where there was no file, it
 * exists from the first write on. Where there was one, the results so far are kept in PATH.partial
 * until saving_finish(), so that nothing replaces an older document before it is complete. Pipes
 * and devices are written by saving_finish() alone. Names are made with O_EXCL: two runs never
 * write to one file. An existing PATH.partial, perhaps of a run that was killed, stays;
 * PATH.2.partial is used then. */
struct saving {
    char *path;   /* the file to be; NULL where it is none */
    char *holder; /* the file that holds what is known so far; NULL: there is none yet */
    char *name;   /* as a person typed it, or as it was made up */
    bool made_up; /* the next free name is taken */
    bool done;    /* the holder has taken the file's place */
};

/* Refuses what save_possible() refuses, and creates nothing. The caller frees by saving_free(),
 * also after an error. */
int saving_begin(struct saving *, const char *path, struct error *);
/* The same of a new file PATH whose name nobody typed: where it exists, the next free name is
 * taken, "name.json", "name-2.json" and so on. saving.name is the one that was taken, from the
 * first time that it is written. */
int saving_begin_new(struct saving *, const char *path, struct error *);
/* Writes what is known so far. Errors as save_file(). */
int saving_update(struct saving *, save_function *, const void *content, struct error *);
/* Writes everything and replaces the older file; saving is then over. After an error the holder
 * stays. */
int saving_finish(struct saving *, save_function *, const void *content, struct error *);
/*
 * In place of saving_update() and saving_finish(), for a table that has more rows than there is
 * memory: a stream that its rows are written to, from the first to the last. What is no file is
 * opened itself, which waits for a pipe's reader.
 */
int saving_open(struct saving *, FILE **, struct error *);
/* Closes the stream in any case. `whole`: it has all rows, and takes the place of what was there;
 * otherwise, and after an error, the holder stays. Where the stream has failed, errno tells why. */
int saving_close(struct saving *, FILE *, bool whole, struct error *);
/* Where the results so far are, while the older file is still there: the holder; else NULL. */
const char *saving_beside(const struct saving *);
void saving_free(struct saving *);

#endif
