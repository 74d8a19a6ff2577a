/*
 * One curve while it is read: what findings_levels() hands from one of its files to the next.
 * level_names.c says which level each plateau is, level_remarks.c what could not be told. Internal
 * to findings_levels().
 */
#ifndef FATHOM_FINDINGS_LEVEL_READING_H
#define FATHOM_FINDINGS_LEVEL_READING_H

#include "findings/levels.h"

enum { LEVEL_NAME_ROOM = 32, LEVELS_DECLARED_MOST = 8 };

struct level_reading {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    const struct level_sample *samples;
    struct levels levels;
    double
        clock; /* of samples in cycles: how many a nanosecond; NAN: they are in the series' unit */
    double smallest, largest;              /* sizes */
    double declared[LEVELS_DECLARED_MOST]; /* bytes of data caches, by level from 1 on */
    size_t declared_count, skipped; /* declared levels; those smaller than the smallest size */
    struct error *error;
};

/* The data caches that are declared, into the reading, whose sizes are known. */
void level_read_declared(struct level_reading *, const struct machine_facts *);
/* Which level plateau `index` is, counted from 1. */
size_t level_number(const struct level_reading *, size_t index);
bool level_is_dram(const struct level_reading *, size_t index);
/* Neither memory nor the next cache, for all that is known. */
bool level_is_unnamed(const struct level_reading *, size_t index);
void level_name(const struct level_reading *, size_t index, char name[LEVEL_NAME_ROOM]);
/* What the machine declares for a level that was found; NAN where nothing. */
double level_declared(const struct level_reading *, size_t index);
/* A size to go by: two digits, rounded down. */
double level_handy_size(double bytes);

/* Adds what has no value: suspected translation, sizes of which no level is told, and caches more
 * or fewer than declared. */
int level_add_remarks(const struct level_reading *);

#endif
