/* Opening a file to read it. */
#pragma once

#include "base/error.h"

#include <stdio.h>
#include <sys/stat.h>

struct input {
    FILE *stream;
    const char *name;  /* for messages: the path, or "standard input" of "-" */
    struct stat begun; /* what the file was when reading began */
    /* how long several pipes were waited for so far, in all; NULL: this is the only one */
    int *steps;
};

/* ERROR_USAGE, "PATH: WHY: REMEDY", where the path can't be opened, or is a named pipe that no
 * program opens for writing within ten seconds: reading it would wait for ever. A regular file is
 * never waited for. */
int input_open(struct input *, const char *path, const char *remedy, struct error *);
/* Closes what was opened and returns `code`, the result of reading; ERROR_USAGE where the file was
 * written meanwhile, because what was read may then mix two states. */
int input_close(struct input *, int code, struct error *);
