/*
 * Writes a file so that nobody ever sees half of it: to a temporary file beside it, then a rename.
 */
#ifndef FATHOM_BASE_SAVE_H
#define FATHOM_BASE_SAVE_H

#include "base/error.h"

#include <stdio.h>

/* Writes the content; 0, or a negative code with the error filled in. The caller checks the
 * stream. */
typedef int save_function(const void *content, FILE *, struct error *);

/* Where `path` is an existing thing that is no regular file (a pipe, /dev/stdout, /dev/full) it is
 * written directly; through a symbolic link the file it names is replaced. ERROR_USAGE naming the
 * path when it is a directory, a link to nothing, protected from writing, can't be created, or the
 * disk is full; the temporary file is then gone. */
int save_file(const char *path, save_function *, const void *content, struct error *);

/* Refuses what save_file() would refuse now, and leaves everything as it is. */
int save_possible(const char *path, struct error *);

#endif
