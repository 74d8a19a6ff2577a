/* Gathers a document's findings by the level of memory that they describe. */
#pragma once

#include "conclude/levels/level.h"
#include "conclude/registry/catalogue.h"

/* Fills in the levels of a device, or of the CPUs (-1), in a document: the nearest first, and for
 * each level the standard experiment first. A declared capacity is the finding's, else that of the
 * facts of the machine or of the device. */
void levels_collect(struct levels *, const struct catalogue *, size_t document, int device);
/* The levels of a document's CPUs. The document must outlive them. ERROR_SYSTEM: out of memory. */
int levels_of_document(struct levels *, const struct document *, struct error *);
/* Which fact of a level or of a device's memory the finding is, and in `name` that level without
 * its device ("L2" of "gpu0.L2.capacity"); FACT_NONE: it is no such fact. */
enum finding_fact level_fact(const struct catalogue_entry *, char name[LEVEL_NAME_BYTES]);
/* What the last level that was reached is called where nothing proves it to be memory, by what lies
 * before it: "beyond L3"; "last" where nothing does. */
void level_name_reached(const struct document *, int device, char name[LEVEL_NAME_BYTES]);
