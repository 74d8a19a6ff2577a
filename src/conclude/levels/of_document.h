/* Gathers a document's findings by the level of memory that they describe. */
#ifndef FATHOM_CONCLUDE_LEVELS_OF_DOCUMENT_H
#define FATHOM_CONCLUDE_LEVELS_OF_DOCUMENT_H

#include "conclude/registry/catalogue.h"

enum { LEVELS_MAX = PIVOT_ROWS, LEVEL_NAME_BYTES = PIVOT_NAME };
/* The facts that are shown of a level: LEVEL_FACTS values of enum finding_fact from this one on. */
enum { LEVEL_FACT_FIRST = FACT_LATENCY, LEVEL_FACTS = FACT_WAYS + 1 };

/* A level, as one experiment saw it. */
struct level {
    char name[LEVEL_NAME_BYTES]; /* not made inert */
    size_t experiment;           /* as in struct catalogue_entry; 0: the standard one */
    size_t rank;                 /* its place in the registry's order of levels */
    enum level_kind kind;
    int number;                               /* of a cache: 2 of "L2" */
    const struct finding *facts[LEVEL_FACTS]; /* by enum finding_fact */
    const struct finding *example;            /* any one of the facts; all have its experiment */
};

struct levels {
    struct level list[LEVELS_MAX];
    size_t count;
    size_t left_out; /* findings that there was no room for */
};

/* Fills in the levels of a device, or of the CPUs (-1), in a document: the nearest first, and for
 * each level the standard experiment first. */
void levels_collect(struct levels *, const struct catalogue *, size_t document, int device);
/* The levels of a document's CPUs. The document must outlive them. ERROR_SYSTEM: out of memory. */
int levels_of_document(struct levels *, const struct document *, struct error *);
/* Which fact of a level or of a device's memory the finding is, and in `name` that level without
 * its device ("L2" of "gpu0.L2.capacity"); FACT_NONE: it is no such fact. */
enum finding_fact level_fact(const struct catalogue_entry *, char name[LEVEL_NAME_BYTES]);
/* The declared capacity in bytes: from the finding, else from the facts of the machine (device -1)
 * or of the device. NAN: unknown. */
double level_declared_bytes(const struct document *, int device, const struct level *);

#endif
