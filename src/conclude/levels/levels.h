/*
 * Levels: what a latency curve says of the caches and of DRAM, and whether the machine declares the
 * same (conclude/levels/level.h says how they are found).
 *
 * Findings, by the order in which levels are found: "L1.latency" in cycles where the points have
 * them, "L1.latency_ns", "L1.capacity" in bytes with an interval and, where it is declared,
 * `declared`; "L2...." and so on. The last plateau is "DRAM" where at least three sizes of an
 * octave and more agree well past the last cache, and "last" where they don't and it can be no
 * declared cache. Three findings have words and no value: "levels.gaps" says where too few sizes
 * agree for a level, "levels.translation" where a step is probably a TLB's, and
 * "levels.disagreement" that more or fewer caches were found than are declared. A level has the
 * flags that over a quarter of its points have.
 */
#ifndef FATHOM_CONCLUDE_LEVELS_LEVELS_H
#define FATHOM_CONCLUDE_LEVELS_LEVELS_H

#include "conclude/levels/level.h"
#include "document/document.h"

/* Adds the findings of one curve, a series of `result` or one like it, whose x is bytes and whose y
 * is ns, or cycles where its unit says so. `declared` may be NULL, of another tool's table: then
 * nothing is compared, and without `knees` pages are unknown. `knees` are sizes beyond which
 * translation adds a number of cycles each; they are never reported as caches. */
void findings_levels(struct probe_result *result, struct pool *, const struct series *,
                     const struct machine_facts *declared, const struct translation_knee *knees,
                     size_t knee_count);

#endif
