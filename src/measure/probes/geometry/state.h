/*
 * What the parts of the geometry probe share: its stages' points, and what their trials gave.
 */
#ifndef FATHOM_MEASURE_PROBES_GEOMETRY_STATE_H
#define FATHOM_MEASURE_PROBES_GEOMETRY_STATE_H

#include "conclude/geometry.h"
#include "measure/probes/chase/trial_values.h"
#include "measure/probes/geometry/chain.h"
#include "measure/probes/kit/probe.h"

#include <stdbool.h>

enum {
    GEOMETRY_TRIALS = 9, /* one of them may differ: see stats/interval.h */
    GEOMETRY_VOTES = 7,  /* on the line size, each by the medians of three trials */
    GEOMETRY_TRIALS_A_VOTE = 3,
    GEOMETRY_DISTANCES = 6, /* between the two loads of a pair */
    GEOMETRY_STRIDE_LEAST = 1 << 10,
    GEOMETRY_STRIDE_MOST = 1 << 20,
    GEOMETRY_STRIDES = 11,
    GEOMETRY_LINES_EACH = 24, /* every number of lines up to it, and even ones beyond: the double of
                                 ways */
    GEOMETRY_LINES_MOST = 42,
    GEOMETRY_COUNTS = GEOMETRY_LINES_EACH + (GEOMETRY_LINES_MOST - GEOMETRY_LINES_EACH) / 2,
};

struct geometry_state {
    const struct seat *seat;
    size_t line_bytes;
    struct geometry_chain *chains; /* one a point of the stage */
    size_t chain_count;
    struct trial_values values;
    int conflicts[GEOMETRY_STRIDES]; /* series, by stride */
    int fitting[GEOMETRY_LEVELS];    /* series; -1: none */
    int pairs[GEOMETRY_LEVELS], hot;
    bool small_pages;
};

/* Names of series, and of the factor that says how many whole rounds could vote. */
extern const char *const geometry_conflicts,
    *const geometry_fitting, *const geometry_lines, *const geometry_hot, *const geometry_rounds;

/* A curve over `x`, or what trials answer of `y` where there is `room`: its index. */
int geometry_add_series(struct probe_task *, const char *name, const char *factor, double value,
                        struct axis x, struct axis y, size_t room);

/* --- sets.c: what the trials answer --- */

/* How many lines the index-th number of them is. */
size_t geometry_lines_at(int index);
/* Adds the series of how many lines fit a level, by stride; `first` is NULL for the first level. */
void geometry_keep_fitting(struct probe_task *, int level, const struct geometry_ways *first);
/* The latency of `lines` lines or the next more, of one stride's conflicts; NAN where it was not
 * measured. */
double geometry_conflict(const struct series *, double lines);
/* Of the conflicts at the smallest stride, in the unit of the trials' values: cycles where there
 * are any. NAN where it was not measured. */
double geometry_nearest(const struct series *);
/* The line size of a level, as groups of trials tell it: one alone is too easily disturbed. */
void geometry_keep_lines(struct probe_task *, int level);

#endif
