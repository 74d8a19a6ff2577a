/*
 * A vote: independent trials each name a whole number (entries, ways), and it counts only where
 * most of them name the same one. A mean or a median of counts could be a number that no trial
 * found.
 */
#ifndef FATHOM_STATS_VOTE_H
#define FATHOM_STATS_VOTE_H

#include <stdbool.h>
#include <stddef.h>

struct vote {
    double value;           /* the number that most trials name */
    double low, high;       /* order-statistic interval of all votes; equal where unanimous */
    size_t voted, agreeing; /* trials that named a number, and that named this one */
};

/* Counts values[n]; NAN abstains. True where at least five trials voted, they are at least half of
 * all, and six tenths of them agree. Otherwise `value` is the most frequent number, for a message;
 * NAN where none voted. `scratch` has room for n doubles. */
bool vote_count(const double *values, size_t n, struct vote *, double *scratch);

#endif
