/*
 * `fathom latency --variants`: several kinds of the chase, a curve each over the same sizes. A
 * variant is words joined by '+': "forward+stride:128", "index+packed+pages:small".
 */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_VARIANTS_H
#define FATHOM_MEASURE_PROBES_LATENCY_VARIANTS_H

#include "measure/probes/chase/chases.h"

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

/* Reads a list with commas, in which "article" and "mem-lat" stand for those of the two articles.
 * ERROR_USAGE. */
int latency_variants_parse(struct latency_variants *, const struct probe_task *,
                           const struct chases *, const char *list, struct error *);
/* Gives the plan's last series a first factor that names all it differs in, by which outputs show
 * the variants side by side. ERROR_SYSTEM. */
int latency_variant_name(struct probe_task *, const struct latency_variant *, struct error *);
/* ERROR_USAGE where options were given that the variants set themselves. */
int latency_variants_check(const struct probe_task *, struct error *);
/* What going forward hides of what random order costs, at the largest size, for each such pair of
 * series. */
int latency_variants_analyse(struct analysis *, struct error *);

#endif
