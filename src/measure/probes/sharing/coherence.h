/* What the parts of the probe coherence share. */
#pragma once

#include "measure/kernels/contention.h"
#include "measure/probes/kit/build.h"

struct coherence_options {
    struct setting by, lines, sizes;
};

struct coherence_state {
    size_t line_bytes, stride, ring_bytes; /* stride and ring: of the lines of an operation */
    const int *holders;                    /* of sets of lines, for the first CPU */
    size_t holder_count;
    size_t first_held; /* the first series by size */
};

/* How near two CPUs are, in words: "cores with one L3". */
const char *nearness_text(const struct probe_task *, int cpu, int other);

/* Another core's caches by size: the first CPU loads lines of sets that another has just gone
 * through. Notes what the findings need, plans the stage (false: there is no memory for it),
 * prepares its trials, adds its findings. */
void held_note(struct probe_task *);
bool held_plan(struct probe_task *);
void held_prepare(struct trial *);
void held_analyse(struct analysis *);
