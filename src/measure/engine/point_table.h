/*
 * The points of a plan while they are measured: what became of each, the records of those that are
 * open, and the points of the document. A point takes its place in the series when it is done, and
 * its record serves another, so that memory grows with the points and not with their trials.
 */
#ifndef FATHOM_MEASURE_ENGINE_POINT_TABLE_H
#define FATHOM_MEASURE_ENGINE_POINT_TABLE_H

#include "measure/engine/record.h"

struct table_entry {
    uint32_t place;  /* in its series; POINT_SETTLED: it is there, and nothing changes it */
    uint32_t record; /* enum point_state, or a number of the records and POINT_RECORDS more */
};

/* How a series grows: the points that it had when its places were taken, those that it keeps, and
 * how far its places are in use. */
struct table_series {
    size_t begin, kept, used;
};

struct point_table {
    struct plan *plan;
    struct table_entry *entries; /* one a point */
    struct record *records;
    uint32_t record_count, record_room;
    uint32_t *spare; /* records that no point has */
    uint32_t spare_count;
    struct table_series *series; /* one a series */
    size_t missing, failed;      /* of the points that are settled */
    const char *failure;         /* the last reason of those that failed, settled or not */
    double *scratch;
};

/* Makes room for all points at the end of the plan's series. ERROR_SYSTEM without memory. */
int point_table_open(struct point_table *, struct plan *, struct pool *, struct error *);

/* Trials that the point has. */
unsigned point_table_trials(const struct point_table *, size_t point);
bool point_table_is_done(const struct point_table *, size_t point);
/* The record of a point that is not done; NULL without memory. Good until the next call. */
struct record *point_table_record(struct point_table *, size_t point);
/* The point is done: it has its values, or `failed`, and its record goes. */
void point_table_finish(struct point_table *, size_t point);

/* Sums up what is open as it stands, and closes the gaps that points without any trial leave in the
 * series. Before more trials come, the table has to be opened again. */
void point_table_close(struct point_table *, size_t *missing, size_t *failed, const char **failure);
/* What is open goes on, wherever its points are in the series by now. ERROR_SYSTEM without memory.
 */
int point_table_reopen(struct point_table *, struct pool *, struct error *);
void point_table_free(struct point_table *);

#endif
