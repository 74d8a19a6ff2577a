/*
 * Refinement where it matters: more sizes between the last one on a plateau and the first off it,
 * stage by stage, as bisection would choose them.
 */
#ifndef FATHOM_MEASURE_PROBES_CHASE_KNEES_H
#define FATHOM_MEASURE_PROBES_CHASE_KNEES_H

#include "conclude/levels/level.h"
#include "measure/probes/kit/probe.h"

/* New sizes between the two that a knee is known to lie between: two steps of bisection at once. */
enum { KNEES_SIZES_A_LEVEL = 3 };
enum { KNEES_SIZES_MOST = 4 * CURVE_LEVELS_MAX, KNEES_TRANSLATION_MOST = 2 };
/* Enough stages to take an interval of a quarter octave down to a percent. */
enum { KNEES_STAGES = 3 };

/* Sizes to measure next around where one level ends, as knees_choose() chooses them: ascending,
 * multiples of `stride`, none that `series` has. Returns how many. */
size_t knees_around(const struct series *, const struct found_level *, uint64_t stride,
                    uint64_t sizes[KNEES_SIZES_A_LEVEL]);

/* Which sizes to measure next so that the capacities in `series` (latency over bytes) become known
 * to a few percent: none smaller than `stride`, all multiples of it, none that is there already.
 * Fills `sizes`, ascending, and returns how many: 0 when all knees are narrow enough. A step of the
 * pool. */
size_t knees_choose(const struct probe_task *, const struct series *,
                    const struct translation_knee *, size_t knee_count, uint64_t stride,
                    uint64_t sizes[KNEES_SIZES_MOST]);

/* The sizes beyond which translation costs more on pages of that size, from the findings of the
 * document so far ("dtlb1.4K.entries", "dtlb2.4K.hit", ...). Returns how many. */
size_t knees_of_translation(const struct document *, uint64_t page_bytes,
                            struct translation_knee[KNEES_TRANSLATION_MOST]);

#endif
