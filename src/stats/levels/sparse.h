/*
 * Levels of a curve of few sizes, half an octave apart or more, as articles have them. No fit can
 * tell there what a cache does beyond its capacity, so the flats are the levels, and a capacity is
 * what lies between the last size on one and the first that is clearly off it. Internal to
 * levels_find().
 */
#ifndef FATHOM_STATS_LEVELS_SPARSE_H
#define FATHOM_STATS_LEVELS_SPARSE_H

#include "stats/levels/curve.h"

bool sparse_is(const struct curve *);
/* 0, or ERROR_SYSTEM without memory. */
int sparse_levels(struct curve *, enum level_pages, struct levels *);

#endif
