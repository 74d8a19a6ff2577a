/* What levels were found, by the program and by a faulty way, beside those there are. */
#ifndef FATHOM_TESTS_MODEL_LEVELS_FOUND_H
#define FATHOM_TESTS_MODEL_LEVELS_FOUND_H

#include "measure.h"

enum { FOUND_MAX = 16 };

/* NAN: none reported; without an interval, one of no width. */
struct found_value {
    double value, low, high;
};

struct suite_level {
    struct found_value capacity; /* bytes */
    struct found_value latency_ns, cycles;
};

struct found {
    struct suite_level caches[FOUND_MAX]; /* by their numbers */
    size_t count;                         /* caches */
    bool dram;
    struct suite_level memory;
};

/* What the findings of a result tell. */
struct found found_in(const struct probe_result *);
/* The faulty way: a level ends where latency is more than a fixed share above the level's first
 * point. */
struct found found_by_threshold(const struct series *);

/* Right and wrong, counted over machines. */
struct score {
    unsigned machines, levels_right, levels_too_many;
    unsigned capacities, capacities_right, latencies, latencies_right;
    unsigned intervals, intervals_right; /* those that hold the truth, of what was found */
};

/* The same of few sizes, where many levels must not be found: what is found that is not there, and
 * how many are reported of those there are. */
struct tally {
    unsigned machines, with_false; /* machines with a level that is none of theirs */
    unsigned levels, levels_reported, levels_false;
};

/* A level is false whose latency is none of a cache's, or of memory's where it is named so, or that
 * another has already. Of a table, which knows neither pages nor clock, a level's latency may be
 * more by what translation and a slow clock add. */
void tally_add(struct tally *, const struct model_machine *, const struct probe_result *,
               bool table);

void score_add(struct score *, const struct model_machine *, const struct found *);
/* Whether that machine was wrong in anything. */
bool score_perfect(const struct score *);

#endif
