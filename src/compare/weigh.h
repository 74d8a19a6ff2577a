/* The second half of differences.c, internal to it. */
#ifndef FATHOM_COMPARE_WEIGH_H
#define FATHOM_COMPARE_WEIGH_H

#include "compare/difference.h"

/* Makes changes uncertain that may be chance, given the number of comparisons, and single points of
 * curves; counts what is left. */
void differences_weigh(struct differences *);

#endif
