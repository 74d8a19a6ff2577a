/*
 * Writes a file so that nobody ever sees half of it, and so that an older one stays until the new
 * one is whole: to a temporary file beside it, then a rename.
 *
 * What is no file (a pipe, /dev/stdout, /dev/fd/3, /dev/full) is written directly, once. Through a
 * symbolic link the file that it names is replaced. A file that is replaced keeps its owner and its
 * mode. What is refused is in base/target.h.
 */
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

/* The same of what is no file, without waiting for a pipe's reader, for who was interrupted: where
 * nobody reads, that is ERROR_USAGE. 1 where it is written. 0 where the path names a file or
 * nothing, which is left alone. */
int save_to_stream(const char *path, save_function *, const void *content, struct error *);

/* Refuses what save_file() would refuse now, and leaves everything as it is. */
int save_possible(const char *path, struct error *);

/*
 * A file that is written again and again while something is measured. Where there was none, it is
 * there from the first time on. Where there was one, what is known so far stands beside it as
 * PATH.partial until saving_finish(), so that nothing takes an older document's place before it is
 * complete. What is no file is written by saving_finish() alone.
 *
 * Names are made with O_EXCL: two runs never write to one file. Where PATH.partial exists, which a
 * run may have left that was killed, it stays, and PATH.2.partial is the next.
 */
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
/* Writes all, and takes the place of what was there; it is then over. After an error the holder
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
/* Where what is known stands, while that is beside an older file: the holder; else NULL. */
const char *saving_beside(const struct saving *);
void saving_free(struct saving *);

#endif
