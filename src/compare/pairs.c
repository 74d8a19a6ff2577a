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
    size_t place;
    size_t cpu_count; /* CPUs that the finding is about */
};

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static int by_what(const struct entry *a, const struct entry *b)
{
    int order = finding_name_order(a->name, b->name);
    return order ? order : experiment_order(a->finding, b->finding);
}

static int by_place(const struct entry *a, const struct entry *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int by_cpus(const struct entry *a, const struct entry *b)
{
    int order = by_what(a, b);
    return order ? order : strcmp(or_empty(a->finding->cpus), or_empty(b->finding->cpus));
}

static int by_kind(const struct entry *a, const struct entry *b)
{
    int order = by_what(a, b);
    return order ? order : (a->cpu_count > b->cpu_count) - (a->cpu_count < b->cpu_count);
}

static int sort_by_cpus(const void *a, const void *b)
{
    int order = by_cpus(a, b);
    return order ? order : by_place(a, b);
}

/* Findings without a value come last. */
static double value_of(const struct entry *entry)
{
    return isnan(entry->finding->value) ? INFINITY : entry->finding->value;
}

static int sort_by_kind(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    const double x = value_of(left), y = value_of(right);
    int order = by_kind(left, right);
    order = order ? order : (x > y) - (x < y);
    return order ? order : by_place(left, right);
}

struct pairing {
    const struct probe_result *a, *b;
    const struct level_links *of_a, *of_b;
    struct finding_pairs *pairs;
    struct pool *pool;
    struct entry *in_a, *in_b;
};

/* Collects the findings that have no partner yet. */
static size_t collect(const struct pairing *pairing, struct entry *entries, bool second, bool count)
{
    const struct probe_result *probe = second ? pairing->b : pairing->a;
    const struct level_links *levels = second ? pairing->of_b : pairing->of_a;
    const struct finding **partners = second ? pairing->pairs->of_b : pairing->pairs->of_a;
    size_t n = 0;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        if (!partners[i])
            entries[n++] = (struct entry){finding, level_name(pairing->pool, levels, finding), i,
                                          count ? cpulist_text_count(finding->cpus) : 0};
    }
    return n;
}

static void pair_by(const struct pairing *pairing, int (*sort)(const void *, const void *),
                    int (*compare)(const struct entry *, const struct entry *), bool count)
{
    struct entry *in_a = pairing->in_a, *in_b = pairing->in_b;
    const size_t n = collect(pairing, in_a, false, count);
    const size_t m = collect(pairing, in_b, true, count);
    qsort(in_a, n, sizeof *in_a, sort);
    qsort(in_b, m, sizeof *in_b, sort);
    for (size_t i = 0, j = 0; i < n && j < m;) {
        const int order = compare(&in_a[i], &in_b[j]);
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
    pair_by(&pairing, sort_by_cpus, by_cpus, false);
    pair_by(&pairing, sort_by_kind, by_kind, true);
    pool_give_back(pool, pairing.in_a);
    pool_give_back(pool, pairing.in_b);
}
