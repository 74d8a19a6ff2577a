/* The parts of the latency probe. What plans is a step of the document's pool. */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_LATENCY_H
#define FATHOM_MEASURE_PROBES_LATENCY_LATENCY_H

#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

/* --- variants.c: several kinds of the chase --- */

/* A curve of --variants, which are words joined by '+': "forward+stride:128",
 * "index+packed+pages:small". */
struct latency_variant {
    const char *name; /* as it was typed */
    struct chase_kind kind;
    enum page_policy pages;
};

struct latency_variants {
    struct latency_variant *list;
    size_t count;
    size_t stride; /* that all sizes are multiples of: the largest, which the others divide */
};

/* Reads --variants, a list with commas, in which "article" and "mem-lat" stand for those of the two
 * articles. ERROR_USAGE, also where options were given that the variants set themselves. */
struct latency_variants latency_variants_parse(const struct probe_task *, const struct chases *);
void latency_variant_series(struct probe_task *, struct chases *, const struct latency_variant *);

/* ERROR_USAGE where options were given that the table sets itself. */
void latency_table_check(const struct probe_task *);
/* Adds a series for each variant, with a point in each level, to a plan that is fresh but for who
 * measures and the pages, which are named `pages`. */
void latency_table_plan(struct probe_task *, struct chases *, const struct chase_level *,
                        size_t level_count, const char *pages);

/* --- findings.c --- */

extern const char latency_small_sets[]; /* the series of small working sets by sweeps */
void latency_analyse(struct analysis *);
extern const struct finding_line latency_lines[];
extern const struct standard latency_experiment[];

#endif
