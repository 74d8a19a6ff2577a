/*
 * How far a program is, as it tells itself: by the last line of a file, by lines that it writes to
 * a named pipe, or by what a command prints. A line is a number that grows; its unit is the
 * program's own. A shell reads it 20 times a second and hands it on through a pipe.
 */
#pragma once

#include "machine/child.h"

struct progress {
    const char *told; /* the file or the command */
    struct child shell;
    double value;  /* the newest number; less than 0: none yet */
    bool begun;    /* the caller's: from now on it may not go back, as from what an earlier
                      run has left in a file */
    char line[64]; /* that is not complete yet, and how much of it there is */
    unsigned length;
};

/* Of the file, or of the command if `file` is NULL. `nothing` is a descriptor that gives no input
 * and takes all output. progress_close() is due also after an error, which is child_start()'s. */
int progress_open(struct progress *, const char *file, const char *command, int nothing,
                  struct error *);
/* 1: it went on; 0: it did not, or nothing is told yet. ERROR_IMPOSSIBLE: what is told is no
 * number, or goes back. */
int progress_read(struct progress *, struct error *);
void progress_close(struct progress *);
