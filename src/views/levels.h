/*
 * What the findings say of each level of memory, put together by their names. Not for use outside
 * of views.
 */
#ifndef FATHOM_VIEWS_LEVELS_H
#define FATHOM_VIEWS_LEVELS_H

#include "result/document.h"

enum { LEVELS_MAX = 24, LEVEL_NAME_BYTES = 24 };

/* What is told of a level, by the ending of the findings' names: "L1.latency". */
enum fact { LATENCY, LATENCY_NS, CAPACITY, LINE, WAYS, FACTS };

struct level {
    char name[LEVEL_NAME_BYTES]; /* not made inert */
    const struct finding *facts[FACTS];
};

/* Fills levels[LEVELS_MAX] with those of a device, or of the CPUs (-1), the nearest first, and
 * returns how many there are. */
size_t levels_collect(const struct document *, int device, struct level *levels);
/* The level, or memory of a device, whose fact this finding is, into `name`, without its device
 * ("L2" of "gpu0.L2.capacity"); FACTS where it is none. */
enum fact level_fact(const struct finding *, char name[LEVEL_NAME_BYTES]);
/* Capacity as the machine says of itself: in the finding, or else among its caches (-1), or those
 * of the device. NAN: unknown. */
double level_declared_bytes(const struct document *, int device, const struct level *);

#endif
