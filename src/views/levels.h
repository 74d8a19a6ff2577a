/*
 * What the findings say of each level of memory, put together by their names. Not for use outside
 * of views.
 */
#ifndef FATHOM_VIEWS_LEVELS_H
#define FATHOM_VIEWS_LEVELS_H

#include "result/document.h"

enum { LEVELS_MAX = 16, LEVEL_NAME_BYTES = 24 };

/* What is told of a level, by the ending of the findings' names: "L1.latency". */
enum fact { LATENCY, LATENCY_NS, CAPACITY, LINE, WAYS, FACTS };

struct level {
    char name[LEVEL_NAME_BYTES]; /* not made inert */
    const struct finding *facts[FACTS];
};

/* Fills levels[LEVELS_MAX], the nearest first, and returns how many there are. */
size_t levels_collect(const struct document *, struct level *levels);
/* The level whose fact this finding is, into `name`; FACTS where it is none. */
enum fact level_fact(const struct finding *, char name[LEVEL_NAME_BYTES]);
/* Capacity as the machine says of itself: in the finding, or else among its caches. NAN: unknown.
 */
double level_declared_bytes(const struct document *, const struct level *);

#endif
