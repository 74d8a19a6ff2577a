/*
 * Refines a curve at its knees: stage by stage it adds sizes between the last one on a plateau and
 * the first one beyond it, as bisection does.
 */
#pragma once

#include "conclude/levels/level.h"
#include "measure/probes/kit/probe.h"

/* New sizes between the two sizes around a knee: three sizes are two steps of bisection at once. */
enum { KNEES_SIZES_A_LEVEL = 3 };
enum { KNEES_SIZES_MOST = 4 * CURVE_LEVELS_MAX };
/* Enough stages to narrow an interval of a quarter octave to a percent. */
enum { KNEES_STAGES = 3 };

/* Sizes to measure next around the end of one level: ascending, multiples of `stride`, not yet in
 * `series`. Returns how many. */
size_t knees_around(const struct series *, const struct level *, uint64_t stride,
                    uint64_t sizes[KNEES_SIZES_A_LEVEL]);

/* Sizes to measure next so that the capacities in `series` (latency over bytes) become known to a
 * few percent: multiples of `stride`, not yet in `series`. Fills `sizes`, ascending, and returns
 * how many: 0 if all knees are known well enough. A step of the pool. */
size_t knees_choose(struct pool *, enum level_pages, const struct series *,
                    const struct translation_knee *, size_t knee_count, uint64_t stride,
                    uint64_t sizes[KNEES_SIZES_MOST]);

/* The working sets beyond which translation costs more on pages of `page_bytes`, from the findings
 * of the document so far ("dtlb1.4K.entries", "dtlb2.4K.hit", ...). Returns how many. */
size_t knees_of_translation(const struct document *, uint64_t page_bytes,
                            struct translation_knee[KNEES_TRANSLATION_MOST]);
