/* The second half of differences.c: not for use outside of it. */
#ifndef FATHOM_FINDINGS_WEIGH_H
#define FATHOM_FINDINGS_WEIGH_H

#include "findings/differences.h"

/* Puts changes down to uncertain that so many comparisons would show by chance, and single points
 * of curves; counts what is left. ERROR_SYSTEM without memory. */
int differences_weigh(struct differences *);

#endif
