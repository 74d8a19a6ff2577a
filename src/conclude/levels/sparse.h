/*
 * Levels of a curve with few sizes, half an octave apart or more, as in articles. Such a curve has
 * too few sizes beyond a capacity for a fit, so the flats are the levels, and a capacity is between
 * the last size on a flat and the first that is clearly off it. Internal to levels_find().
 */
#ifndef FATHOM_CONCLUDE_LEVELS_SPARSE_H
#define FATHOM_CONCLUDE_LEVELS_SPARSE_H

#include "conclude/levels/curve.h"

bool sparse_is(const struct curve *);
void sparse_levels(struct curve *, enum level_pages, struct levels *);

#endif
