/*
 * A figure: what one side of a comparison says of one thing, in the unit in which it is judged, and
 * how sure it is of it. The sort of a figure says how far it may differ before that matters, and
 * how it scatters between runs of one machine (compare/prior.h).
 */
#pragma once

#include "conclude/registry/registry.h"
#include "document/document.h"

enum figure_sort {
    SORT_PRIVATE,  /* latency of a core's own caches, in cycles */
    SORT_CACHE,    /* latency of caches that cores share */
    SORT_MEMORY,   /* latency of memory */
    SORT_HANDOFF,  /* from one CPU to another */
    SORT_UNPLACED, /* the same in a guest that does not know on which cores its CPUs are */
    SORT_STREAM,   /* bytes of memory, whose rate is looked at throughout a run */
    SORT_RATE,     /* other bytes, operations or misses of one CPU, or of a device */
    SORT_RATE_ALL, /* the same of all CPUs */
    SORT_ROOM,     /* capacity of the first level */
    SORT_FAR_ROOM, /* capacity of the levels beyond, which others may share, and where misses of any
                      level begin */
    SORT_SYSTEM,   /* what the system does: wake-ups, page faults */
    SORT_OTHER,    /* whatever else is measured */
    SORT_CLOCK,    /* of the cores, and their own caches' latency in ns */
    SORT_COUNT,    /* what trials vote on: ways, entries, bytes of a line */
    SORTS
};
extern const struct sort_text {
    const char *name; /* "shared caches" */
    double tolerance; /* the change that matters, relative: 0.02 */
} sorts[SORTS];

/* What holds for all figures of a document. */
struct figure_source {
    const struct machine_facts *machine;
    bool guest; /* other guests may take what is measured */
    bool busy;  /* other programs took a part of it */
};
struct figure_source figure_source_of(const struct document *);

struct figure {
    double value, low, high;   /* the ends are NAN without an interval */
    const struct factor *runs; /* its values in several runs; NULL: in one */
    size_t run_count;
    enum figure_sort sort;
    enum side worse; /* SIDE_NEITHER: no change of it is a change for the worse */
    bool guest;
    bool beside; /* others may have made it worse than it is */
};

struct figure figure_of(const struct figure_source *, const struct finding *,
                        const struct finding_meaning *);
/* A point of a matrix, which is one of the probe's figures without a name of its own. */
struct figure figure_of_point(const struct figure_source *, const struct point *, enum figure_sort,
                              enum side worse);

/* Whether a health check can't do without it. The first screen has figures of the usual experiment,
 * which weigh most; without any of these, those of other experiments. */
enum figure_weight { WEIGHT_OTHER, WEIGHT_DEVIANT, WEIGHT_HEADLINE };
enum figure_weight figure_weight(const struct finding *, const struct finding_meaning *);
