/* The second half of differences.c, internal to it. */
#ifndef FATHOM_COMPARE_WEIGH_H
#define FATHOM_COMPARE_WEIGH_H

#include "compare/difference.h"

/* Makes uncertain those changes that may be chance, given the number of comparisons, and changes of
 * single points of curves; then counts the changes and uncertain values. */
void differences_weigh(struct differences *);

#endif
