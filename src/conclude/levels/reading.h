/*
 * A curve while its levels are being read: what findings_levels() passes between its files.
 * level_names.c names the plateaus, level_remarks.c says what could not be found. Internal to
 * findings_levels().
 */
#ifndef FATHOM_CONCLUDE_LEVELS_READING_H
#define FATHOM_CONCLUDE_LEVELS_READING_H

#include "conclude/levels/level.h"

enum { LEVEL_NAME_ROOM = 32, LEVELS_DECLARED_MOST = 8 };

struct level_reading {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    const struct level_sample *samples; /* without neighbours, where that is known */
    const struct level_sample *found;   /* what the run found, as many; their levels are not set */
    struct found_levels levels;
    bool quiet;   /* some point distinguishes the two */
    double clock; /* cycles a nanosecond; NAN: samples are in the series' unit, not in cycles */
    double found_clock;                    /* the same of what was found */
    double smallest, largest;              /* sizes that were measured */
    double declared[LEVELS_DECLARED_MOST]; /* bytes of data caches, by level from 1 on */
    size_t declared_count, skipped; /* declared levels; those smaller than the smallest size */
};

/* Reads the declared data caches into the reading, whose sizes are known. */
void level_read_declared(struct level_reading *, const struct machine_facts *);
/* The number of the level that plateau `index` is, counted from 1. */
size_t level_number(const struct level_reading *, size_t index);
bool level_is_dram(const struct level_reading *, size_t index);
/* Whether it can't be known if the plateau is memory or the next cache. */
bool level_is_unnamed(const struct level_reading *, size_t index);
void level_name(const struct level_reading *, size_t index, char name[LEVEL_NAME_ROOM]);
/* What the machine declares for a level that was found; NAN where nothing. */
double level_declared(const struct level_reading *, size_t index);
/* A size as advice: two digits, rounded down. */
double level_handy_size(double bytes);

/* Adds the findings without a value: suspected translation, sizes without a level, and more or
 * fewer caches than declared. */
void level_add_remarks(const struct level_reading *);

#endif
