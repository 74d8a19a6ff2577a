/*
 * What findings_levels() passes between its files: a curve and its levels. names.c names the
 * plateaus, remarks.c says what could not be found. Internal to findings_levels().
 */
#ifndef FATHOM_CONCLUDE_LEVELS_READING_H
#define FATHOM_CONCLUDE_LEVELS_READING_H

#include "conclude/levels/level.h"

enum { LEVEL_NAME_ROOM = 32, LEVELS_DECLARED_MOST = 8 };

struct level_reading {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    const struct level_sample *samples; /* quiet values, where they are known */
    const struct level_sample *found;   /* found values, as many; their `level` is not set */
    struct found_levels levels;
    bool quiet;   /* some point has a quiet value */
    double clock; /* cycles a nanosecond; NAN: samples are in the series' unit, not in cycles */
    double found_clock;                    /* the same for `found` */
    double smallest, largest;              /* sizes that were measured */
    double declared[LEVELS_DECLARED_MOST]; /* bytes of data caches, by level from 1 on */
    size_t declared_count,
        skipped; /* how many are declared; how many of them are smaller than `smallest` */
};

/* Fills in the declared data caches. `smallest` and `largest` must be set. */
void level_read_declared(struct level_reading *, const struct machine_facts *);
/* The level number of plateau `index`, from 1 on. */
size_t level_number(const struct level_reading *, size_t index);
bool level_is_dram(const struct level_reading *, size_t index);
/* Whether the plateau may be either memory or the next cache. */
bool level_is_unnamed(const struct level_reading *, size_t index);
void level_name(const struct level_reading *, size_t index, char name[LEVEL_NAME_ROOM]);
/* The capacity that the machine declares for plateau `index`; NAN: none. */
double level_declared(const struct level_reading *, size_t index);
/* Rounds a size down to two digits, for advice. */
double level_handy_size(double bytes);

/* Adds the findings without a value: suspected translation, sizes without a level, and more or
 * fewer caches than declared. */
void level_add_remarks(const struct level_reading *);

#endif
