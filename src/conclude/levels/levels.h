/*
 * Levels: caches and DRAM as a latency curve shows them, and whether the machine declares the same
 * (conclude/levels/level.h says how they are found).
 *
 * Findings, level by level: "L1.latency" in cycles where the points have cycles, "L1.latency_ns",
 * "L1.capacity" in bytes with an interval and, where it is declared, `declared`; "L2...." and so
 * on. The last plateau is "DRAM" if at least three sizes over an octave or more agree well past the
 * last cache; otherwise it is "last" if it can't be a declared cache. Three findings have a
 * sentence and no value: "levels.gaps" says at which sizes too few agree for a level,
 * "levels.translation" at which size a step is probably caused by a TLB, and "levels.disagreement"
 * that more or fewer caches were found than are declared. A level gets the flags that more than a
 * quarter of its points have.
 */
#ifndef FATHOM_CONCLUDE_LEVELS_LEVELS_H
#define FATHOM_CONCLUDE_LEVELS_LEVELS_H

#include "conclude/levels/level.h"
#include "document/document.h"

/* Adds the findings of one curve, a series of `result` or one like it, whose x is bytes and whose y
 * is ns, or cycles where its unit says so. `declared` is NULL for another tool's table: then
 * nothing is compared, and without `knees` the pages are unknown. `knees` are sizes beyond which
 * translation adds a number of cycles each; they are never reported as caches. */
void findings_levels(struct probe_result *result, struct pool *, const struct series *,
                     const struct machine_facts *declared, const struct translation_knee *knees,
                     size_t knee_count);

#endif
