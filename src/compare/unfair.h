/*
 * Reasons why two documents should be compared with care: different machines, devices, settings or
 * programs. Internal to differences.h.
 */
#ifndef FATHOM_COMPARE_UNFAIR_H
#define FATHOM_COMPARE_UNFAIR_H

#include "compare/difference.h"

/* Adds one such line. The text must be in the differences' pool. */
void differences_add_unfair(struct differences *, const char *text);
/* Adds all such lines that follow from the two documents' facts, conditions and flags. */
void differences_find_unfair(struct differences *, const struct document *a,
                             const struct document *b, double threshold);
/* Adds a line if the probe obtained different pages in the two documents. */
void differences_find_other_pages(struct differences *, const struct probe_result *a,
                                  const struct probe_result *b);

#endif
