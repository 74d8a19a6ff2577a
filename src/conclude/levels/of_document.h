/* What a document's findings say of each level of memory, put together by what they mean. */
#ifndef FATHOM_CONCLUDE_LEVELS_OF_DOCUMENT_H
#define FATHOM_CONCLUDE_LEVELS_OF_DOCUMENT_H

#include "conclude/registry/catalogue.h"

enum { LEVELS_MAX = PIVOT_ROWS, LEVEL_NAME_BYTES = PIVOT_NAME };
/* What is shown of a level: enum finding_fact from the first of these to the last. */
enum { LEVEL_FACT_FIRST = FACT_LATENCY, LEVEL_FACTS = FACT_WAYS + 1 };

/* A level, as one experiment saw it. */
struct level {
    char name[LEVEL_NAME_BYTES]; /* not made inert */
    size_t experiment;           /* 0: its name alone says what was measured */
    size_t rank;                 /* its place among levels by the registry */
    enum level_kind kind;
    int number;                               /* of a cache: 2 of "L2" */
    const struct finding *facts[LEVEL_FACTS]; /* by enum finding_fact */
    const struct finding *example;            /* one of them: its experiment is that of all */
};

struct levels {
    struct level list[LEVELS_MAX];
    size_t count;
    size_t left_out; /* findings that there was no room for */
};

/* Fills in those of a device, or of the CPUs (-1), in a document: the nearest first, and of each
 * the standard experiment before others. */
void levels_collect(struct levels *, const struct catalogue *, size_t document, int device);
/* The levels of a document's CPUs, which must outlive them. ERROR_SYSTEM without memory. */
int levels_of_document(struct levels *, const struct document *, struct error *);
/* The level, or memory of a device, whose fact this finding is, into `name`, without its device
 * ("L2" of "gpu0.L2.capacity"); FACT_NONE where it is none. */
enum finding_fact level_fact(const struct catalogue_entry *, char name[LEVEL_NAME_BYTES]);
/* The declared capacity: of the finding, else of the machine's caches (-1) or of a device's caches.
 * NAN: unknown. */
double level_declared_bytes(const struct document *, int device, const struct level *);

#endif
