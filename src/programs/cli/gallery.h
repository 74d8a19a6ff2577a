/* The documents of gallery/, which the build puts into the program. */
#pragma once

#include <stddef.h>

struct gallery_text {
    const char *name; /* "n95" */
    const char *text; /* JSON */
};

extern const struct gallery_text gallery[]; /* ends with a NULL name */
