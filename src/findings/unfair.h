/*
 * Why two documents should not be compared without care: they are of different machines, devices,
 * settings or programs. Part of differences.h; not for others.
 */
#ifndef FATHOM_FINDINGS_UNFAIR_H
#define FATHOM_FINDINGS_UNFAIR_H

#include "findings/differences.h"

/* Adds one such line, whose text is in the pool; ERROR_SYSTEM without memory, which a NULL text
 * tells of too. */
int differences_add_unfair(struct differences *, const char *text);
/* Adds all that the two documents' facts, conditions and flags say. ERROR_SYSTEM without memory. */
int differences_find_unfair(struct differences *, const struct document *a,
                            const struct document *b, double threshold);
/* The same for a probe that both have, where they obtained other pages. */
int differences_find_other_pages(struct differences *, const struct probe_result *a,
                                 const struct probe_result *b);

#endif
