/* What the files of the latency probe share. Functions that plan are steps of the document's
 * pool. */
#pragma once

#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

struct latency_options {
    struct working_set_options sets;
    struct setting size, count, stride, element, align, address, access, pages, order, variants,
        state, loads, threads, ring, table, cpu, node;
};

/* --- variants.c: several kinds of the chase --- */

/* A curve of --variants: words joined by '+', like "forward+stride:128" or
 * "index+packed+pages:small". */
struct latency_variant {
    const char *name; /* as it was typed */
    struct chase_kind kind;
    enum page_policy pages;
};

struct latency_variants {
    struct latency_variant *list;
    size_t count;
    size_t stride; /* the largest, which all others divide; all sizes are multiples of it */
};

/* Reads --variants, a list with commas; "article" and "mem-lat" expand to the variants of two
 * articles. ERROR_USAGE for an invalid list, or options that the variants set themselves. */
struct latency_variants latency_variants_parse(const struct probe_task *, const struct chases *);
void latency_variant_series(struct probe_task *, struct chases *, const struct latency_variant *);

/* ERROR_USAGE for options that the table sets itself. */
void latency_table_check(const struct probe_task *);
/* Adds a series for each variant, with a point in each level. The plan must be empty except for its
 * CPUs and its pages, which are named `pages`. */
void latency_table_plan(struct probe_task *, struct chases *, const struct chase_level *,
                        size_t level_count, const char *pages);

/* --- findings.c --- */

/* Names of the series by sweeps, and of the one as a chase keeps the caches. */
extern const char latency_small_sets[], latency_chased[];
void latency_analyse(struct analysis *);
extern const struct finding_line latency_lines[];
extern const struct standard latency_experiment[];
