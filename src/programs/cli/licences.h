/* The licences of fathom and of the code that it contains; the build makes them into C
 * (scripts/licences). */
#pragma once

#include <stddef.h>

struct licence {
    const char *of; /* "hwloc" */
    const char *text;
};
extern const struct licence licences[]; /* fathom's first; ends with a NULL name */
