/*
 * The points of a plan while they are measured: what became of each, the records of those that are
 * open, and the points of the document. A point takes its place in the series when it is done, and
 * its record serves another, so that memory grows with the points and not with their trials.
 */
#ifndef FATHOM_ENGINE_LEDGER_H
#define FATHOM_ENGINE_LEDGER_H

#include "engine/record.h"

struct ledger_entry {
    uint32_t place;  /* in its series */
    uint32_t record; /* enum ledger_state, or a number of the records and LEDGER_RECORDS more */
};

/* How a series grows: points that it keeps, and how far its places are in use. */
struct ledger_series {
    size_t kept, used;
};

struct ledger {
    struct plan *plan;
    struct ledger_entry *entries; /* one a point */
    struct record *records;
    uint32_t record_count, record_room;
    uint32_t *spare; /* records that no point has */
    uint32_t spare_count;
    struct ledger_series *series; /* one a series */
    double *scratch;
};

/* Makes room for all points at the end of the plan's series. ERROR_SYSTEM without memory. */
int ledger_open(struct ledger *, struct plan *, struct pool *, struct error *);

/* Trials that the point has. */
unsigned ledger_trials(const struct ledger *, size_t point);
bool ledger_is_done(const struct ledger *, size_t point);
/* The record of a point that is not done; NULL without memory. Good until the next call. */
struct record *ledger_record(struct ledger *, size_t point);
/* The point is done: it has its values, or `failed`, and its record goes. */
void ledger_finish(struct ledger *, size_t point);

/* Finishes what is open, and closes the gaps that points without any trial leave in the series. */
void ledger_close(struct ledger *, size_t *missing, size_t *failed, const char **failure);
void ledger_free(struct ledger *);

#endif
