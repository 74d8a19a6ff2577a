/*
 * Random machines: every seed is another one, within what real ones come in, but scaled so that a
 * sweep to four times the last level is soon done.
 */
#ifndef FATHOM_TESTS_MODEL_MACHINES_H
#define FATHOM_TESTS_MODEL_MACHINES_H

#include "model.h"

void machine_random(struct model_machine *, uint64_t seed);

/* --- what is true of a machine --- */

/* The most that a chase may run through without a load that goes further: the level's own size,
 * whatever lies above it. With an exclusive level too: as soon as the set is larger, some of the
 * cache's sets have one line too many, and there is room for it only while one of theirs is above.
 * What the levels hold together is where most loads have begun to go further, not where the
 * plateau ends. */
uint64_t machine_capacity(const struct model_machine *, unsigned level);
/* What a load takes that is found at that level, or (level_count) in DRAM, with the core's clock at
 * its best and nobody disturbing. */
double machine_latency_ns(const struct model_machine *, unsigned level);
/* Core cycles of the same. */
double machine_latency_cycles(const struct model_machine *, unsigned level);
/* Whether a level's capacity can be had at all: with small pages on random frames a cache that is
 * indexed by physical addresses holds no set of its own size. */
bool machine_capacity_defined(const struct model_machine *, unsigned level);

#endif
