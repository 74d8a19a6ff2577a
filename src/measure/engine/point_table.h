/*
 * The points of a plan while they are measured: the state of each, the records of open points, and
 * the points of the document. When a point is done, its values go to its place in the series and
 * its record serves another point, so that memory grows with the points and not with their trials.
 */
#pragma once

#include "base/pool.h"
#include "measure/engine/record.h"

struct table_entry {
    uint32_t place;  /* index in its series; POINT_SETTLED: final */
    uint32_t record; /* enum point_state, or POINT_RECORDS plus an index into `records` */
};

/* How a series grows: the number of points that it had when places were reserved, the number kept,
 * and the end of the places in use. */
struct table_series {
    size_t begin, kept, used;
};

struct point_table {
    struct plan *plan;
    struct table_entry *entries; /* one per point */
    struct record *records;
    size_t record_count;
    uint32_t *spare; /* indexes of records that no point uses */
    size_t spare_count;
    struct table_series *series; /* one per series */
    size_t missing, failed;      /* counts of settled points */
    const char *failure;         /* the reason of the failed point seen last */
    double *scratch;
    struct pool pool; /* of all these arrays */
    /* What several CPUs do together is a fact of a state of them (placement.h), so a point with
     * several seats is of trials in one state. */
    const struct placement *placement;
    unsigned states; /* of all points' trials, as bits: 1 << placement_of() */
};

/* Makes room for all points at the end of the plan's series. ERROR_SYSTEM without memory. */
int point_table_open(struct point_table *, struct plan *, struct pool *, struct error *);

/* Trials of an open point; 0 once it is done. */
unsigned point_table_trials(const struct point_table *, size_t point);
bool point_table_is_done(const struct point_table *, size_t point);
/* The record of a point that is not done; NULL without memory. Valid until the next call. */
struct record *point_table_record(struct point_table *, size_t point);
/* The point is done: stores its values or `failed` in the series, and frees its record for
 * another. */
void point_table_finish(struct point_table *, size_t point);

/* Sums up the open points as they are, and closes the gaps that points without any trial leave in
 * the series. Call point_table_reopen() before more trials come. */
void point_table_close(struct point_table *, size_t *missing, size_t *failed, const char **failure);
/* Lets the open points go on: finds their places in the series as it is now. ERROR_SYSTEM without
 * memory. */
int point_table_reopen(struct point_table *, struct pool *, struct error *);
void point_table_free(struct point_table *);
