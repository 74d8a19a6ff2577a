#include "compare/pairs.h"

#include "base/cpulist.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const struct finding *finding;
    const char *name; /* by which it pairs */
    const char *cpus; /* the same, unless by their number */
    size_t place, cpu_count;
    double value; /* orders those that are alike */
};

/* 0: a pair. */
static int by_key(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int order = finding_name_order(left->name, right->name);
    order = order ? order : experiment_order(left->finding, right->finding);
    order = order ? order : strcmp(left->cpus, right->cpus);
    return order ? order
                 : (left->cpu_count > right->cpu_count) - (left->cpu_count < right->cpu_count);
}

static int by_key_and_value(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int order = by_key(a, b);
    order = order ? order : (left->value > right->value) - (left->value < right->value);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

struct pairing {
    const struct probe_result *a, *b;
    const struct level_links *of_a, *of_b;
    struct finding_pairs *pairs;
    struct pool *pool;
    struct entry *in_a, *in_b;
};

/* Collects the findings that have no partner yet; those without a value come last. */
static size_t collect(const struct pairing *pairing, struct entry *entries, bool second, bool count)
{
    const struct probe_result *probe = second ? pairing->b : pairing->a;
    const struct level_links *levels = second ? pairing->of_b : pairing->of_a;
    const struct finding **partners = second ? pairing->pairs->of_b : pairing->pairs->of_a;
    size_t n = 0;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        if (partners[i])
            continue;
        struct entry entry = {.finding = finding,
                              .name = level_name(pairing->pool, levels, finding),
                              .cpus = finding->cpus && !count ? finding->cpus : "",
                              .place = i};
        if (count) {
            entry.cpu_count = cpulist_text_count(finding->cpus);
            entry.value = isnan(finding->value) ? INFINITY : finding->value;
        }
        entries[n++] = entry;
    }
    qsort(entries, n, sizeof *entries, by_key_and_value);
    return n;
}

/* Pairs those that have no partner yet: by their CPUs, or by the number of these. */
static void pair_by(const struct pairing *pairing, bool count)
{
    struct entry *in_a = pairing->in_a, *in_b = pairing->in_b;
    const size_t n = collect(pairing, in_a, false, count);
    const size_t m = collect(pairing, in_b, true, count);
    for (size_t i = 0, j = 0; i < n && j < m;) {
        const int order = by_key(&in_a[i], &in_b[j]);
        if (order == 0) {
            pairing->pairs->of_a[in_a[i].place] = in_b[j].finding;
            pairing->pairs->of_b[in_b[j].place] = in_a[i].finding;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

void finding_pairs_find(struct finding_pairs *pairs, struct pool *pool,
                        const struct probe_result *a, const struct level_links *of_a,
                        const struct probe_result *b, const struct level_links *of_b)
{
    struct pairing pairing = {
        .a = a,
        .b = b,
        .of_a = of_a,
        .of_b = of_b,
        .pool = pool,
        .pairs = pairs,
        .in_a = pool_alloc(pool, a->finding_count, sizeof *pairing.in_a),
        .in_b = pool_alloc(pool, b->finding_count, sizeof *pairing.in_b),
    };
    pairs->of_a = pool_alloc(pool, a->finding_count, sizeof *pairs->of_a);
    pairs->of_b = pool_alloc(pool, b->finding_count, sizeof *pairs->of_b);
    pair_by(&pairing, false);
    pair_by(&pairing, true);
    pool_give_back(pool, pairing.in_a);
    pool_give_back(pool, pairing.in_b);
}
