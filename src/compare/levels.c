#include "compare/levels.h"

#include "base/quantity.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"
#include "stats/order.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A foreign document may have any number of levels: beyond this they pair by number. */
enum { LEVELS_MOST = 32 };

/* The number of memory, which lies behind all caches and pairs by its role. */
static const int memory = INT_MAX;

/* The number of the level that a curve shows; 0: the finding is none of a curve. */
static int number_of(const struct finding_meaning *meaning)
{
    const bool shown = meaning->device < 0 && meaning->role == ROLE_LEVEL &&
                       (meaning->fact == FACT_LATENCY || meaning->fact == FACT_LATENCY_NS ||
                        meaning->fact == FACT_CAPACITY);
    if (shown && meaning->level == LEVEL_CACHE && meaning->number > 0)
        return meaning->number;
    return shown && meaning->level == LEVEL_MEMORY ? memory : 0;
}

static int by_level(const void *a, const void *b)
{
    const struct level_link *left = a, *right = b;
    const int order = experiment_order(left->like, right->like);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static double either(double a, double b)
{
    return isnan(a) ? b : a;
}

struct level_links level_links_of(struct pool *pool, const struct document *document)
{
    struct level_link *list = NULL;
    size_t all = 0, n = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            const int number = number_of(&meaning);
            if (!number)
                continue;
            const double value = finding->value > 0 ? finding->value : NAN;
            const bool cycles = quantity_is(finding->unit, DIMENSION_CYCLES),
                       size = meaning.fact == FACT_CAPACITY;
            struct level_link *link = pool_append(pool, (void **)&list, &all, sizeof *link);
            *link = (struct level_link){.like = finding,
                                        .number = number,
                                        .partner = number,
                                        .bytes = size ? value : NAN,
                                        .cycles = cycles ? value : NAN,
                                        .ns = size || cycles ? NAN : value};
        }
    if (all)
        qsort(list, all, sizeof *list, by_level);
    for (size_t i = 0; i < all; i++) {
        struct level_link *last = n ? &list[n - 1] : NULL;
        if (!last || by_level(last, &list[i]) != 0) {
            list[n++] = list[i];
            continue;
        }
        last->bytes = either(last->bytes, list[i].bytes);
        last->cycles = either(last->cycles, list[i].cycles);
        last->ns = either(last->ns, list[i].ns);
    }
    return (struct level_links){list, n, document->tool.analysed != NULL};
}

struct level_links *level_links_of_all(struct pool *pool, const struct document *documents,
                                       size_t count)
{
    struct level_links *all = pool_alloc(pool, count, sizeof *all);
    for (size_t d = 0; d < count; d++)
        all[d] = level_links_of(pool, &documents[d]);
    return all;
}

/* The caches of one experiment. */
struct curve {
    struct level_link *levels;
    size_t count;
    bool memory; /* it goes on to memory */
};

static struct curve curve_at(const struct level_links *links, size_t from)
{
    struct curve curve = {.levels = &links->list[from]};
    for (; from < links->count && experiment_order(curve.levels->like, links->list[from].like) == 0;
         from++) {
        if (links->list[from].number == memory)
            curve.memory = true;
        else
            curve.count++;
    }
    return curve;
}

/* How far it is from level to level, on the scale of logarithms. */
typedef double step_between(const struct level_link *, const struct level_link *);

/* The distance of two values, as a logarithm; 0 where one of them is unknown. */
static double away(double a, double b)
{
    const double ratio = fabs(log(a / b));
    return isnan(ratio) ? 0 : ratio;
}

static double step_of_size(const struct level_link *a, const struct level_link *b)
{
    return away(a->bytes, b->bytes);
}

static double step_of_latency(const struct level_link *a, const struct level_link *b)
{
    return isfinite(a->cycles + b->cycles) ? away(a->cycles, b->cycles) : away(a->ns, b->ns);
}

static double distance(const struct level_link *a, const struct level_link *b)
{
    return step_of_size(a, b) + step_of_latency(a, b);
}

/* The least distance to a neighbour: INFINITY without one, or where it is not known. */
static double to_neighbour(const struct curve *curve, size_t i, step_between *step)
{
    const struct level_link *at = &curve->levels[i];
    const double before = i ? step(at, at - 1) : 0,
                 next = i + 1 < curve->count ? step(at, at + 1) : 0;
    return fmin(before > 0 ? before : INFINITY, next > 0 ? next : INFINITY);
}

/* What it costs to leave a level without a partner. */
static double alone(const struct curve *curve, size_t i)
{
    return to_neighbour(curve, i, distance) / 4;
}

static void link_levels(struct level_link *a, struct level_link *b)
{
    a->partner = b->number;
    b->partner = a->number;
}

/* Whether two levels that lie far from each other may be one that changed: in size or in latency
 * they are nearer than half of the distance between levels. A level that is another one in both is
 * a level of its own, such as memory, which a short curve shows as its last level. */
static bool may_be_one(const struct curve *a, size_t i, const struct curve *b, size_t j)
{
    static step_between *const steps[] = {step_of_size, step_of_latency};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        if (steps[s](&a->levels[i], &b->levels[j]) <=
            fmin(to_neighbour(a, i, steps[s]), to_neighbour(b, j, steps[s])) / 2)
            return true;
    return false;
}

/* Levels of both, none of which has a partner: in order, if there are as many. */
static void link_between(struct curve *a, size_t from_a, size_t to_a, struct curve *b,
                         size_t from_b, size_t to_b)
{
    for (size_t i = 0; i < to_a - from_a && to_a - from_a == to_b - from_b; i++)
        if (may_be_one(a, from_a + i, b, from_b + i))
            link_levels(&a->levels[from_a + i], &b->levels[from_b + i]);
}

static void part(struct curve *curve, const struct curve *other)
{
    for (size_t i = 0; i < curve->count; i++) {
        curve->levels[i].partner = 0;
        curve->levels[i].reached =
            other->memory || other->levels[other->count - 1].bytes > curve->levels[i].bytes;
    }
}

static void link_curves(struct curve *a, struct curve *b)
{
    double cost[LEVELS_MOST + 1][LEVELS_MOST + 1]; /* of the levels from i and j on */
    const size_t n = a->count, m = b->count;
    if (!n || !m || n > LEVELS_MOST || m > LEVELS_MOST)
        return;
    part(a, b);
    part(b, a);
    for (size_t i = n + 1; i-- > 0;)
        for (size_t j = m + 1; j-- > 0;) {
            cost[i][j] = i == n && j == m ? 0 : INFINITY;
            if (i < n)
                cost[i][j] = alone(a, i) + cost[i + 1][j];
            if (j < m)
                cost[i][j] = fmin(cost[i][j], alone(b, j) + cost[i][j + 1]);
            if (i < n && j < m)
                cost[i][j] =
                    fmin(cost[i][j], distance(&a->levels[i], &b->levels[j]) + cost[i + 1][j + 1]);
        }
    size_t i = 0, j = 0, from_a = 0, from_b = 0;
    while (i < n && j < m) {
        if (distance(&a->levels[i], &b->levels[j]) + cost[i + 1][j + 1] <= cost[i][j]) {
            link_between(a, from_a, i, b, from_b, j);
            link_levels(&a->levels[i++], &b->levels[j++]);
            from_a = i;
            from_b = j;
        } else if (alone(a, i) + cost[i + 1][j] <= cost[i][j]) {
            i++;
        } else {
            j++;
        }
    }
    link_between(a, from_a, n, b, from_b, m);
}

static void pair(struct level_links of[2])
{
    of[0].anew = of[1].anew = of[0].anew || of[1].anew;
    for (size_t i = 0, j = 0; i < of[0].count && j < of[1].count;) {
        struct curve left = curve_at(&of[0], i), right = curve_at(&of[1], j);
        const int order = experiment_order(left.levels->like, right.levels->like);
        if (order == 0)
            link_curves(&left, &right);
        i += order <= 0 ? left.count + left.memory : 0;
        j += order >= 0 ? right.count + right.memory : 0;
    }
}

void level_links_find(struct level_links of[2], struct pool *pool, const struct document *a,
                      const struct document *b)
{
    of[0] = level_links_of(pool, a);
    of[1] = level_links_of(pool, b);
    pair(of);
}

static const struct level_link *link_of(const struct level_links *links, const struct finding *like,
                                        int number)
{
    const struct level_link key = {.like = like, .number = number};
    return links->count ? bsearch(&key, links->list, links->count, sizeof *links->list, by_level)
                        : NULL;
}

void level_links_number(struct level_links *all, size_t count, const struct level_links *as,
                        struct pool *pool)
{
    struct level_links of[2] = {*as};
    of[0].list = pool_alloc(pool, as->count, sizeof *of[0].list);
    if (as->count)
        memcpy(of[0].list, as->list, as->count * sizeof *as->list);
    for (size_t d = 0; d < count; d++) {
        of[0].anew = as->anew;
        of[1] = all[d];
        pair(of);
        all[d] = of[1];
        for (size_t i = 0; i < all[d].count; i++) {
            struct level_link *link = &all[d].list[i];
            if (!link->partner && !link_of(&of[0], link->like, link->number))
                link->partner = link->number;
        }
    }
}

const struct level_links *level_links_usual(const struct level_links *all, size_t count,
                                            struct pool *pool)
{
    double *counts = pool_alloc(pool, count, sizeof *counts);
    size_t none = 0, as = 0;
    for (size_t d = 0; d < count; d++)
        counts[d] = (double)all[d].count;
    sort_ascending(counts, count);
    while (none + 1 < count && counts[none] < 1)
        none++;
    while ((double)all[as].count < counts[(none + count) / 2] ||
           (double)all[as].count > counts[(none + count) / 2])
        as++;
    return &all[as];
}

int level_partner(const struct level_links *links, const struct finding *finding)
{
    static const struct finding standard = {.factor_count = 0};
    const struct finding_meaning meaning = finding_meaning(finding);
    if (meaning.device >= 0 || meaning.level != LEVEL_CACHE)
        return -1;
    const bool of_curve = number_of(&meaning) != 0;
    const struct level_link *link =
        of_curve || !links->anew ? link_of(links, of_curve ? finding : &standard, meaning.number)
                                 : NULL;
    return link ? link->partner : meaning.number;
}

const char *level_name(struct pool *pool, const struct level_links *links,
                       const struct finding *finding)
{
    const char *name = finding->name ? finding->name : "";
    const int partner = links ? level_partner(links, finding) : -1;
    return partner < 0 ? name : pool_printf(pool, "L%d%s", partner, name + strcspn(name, "."));
}

struct finding level_numbered(struct pool *pool, const struct level_links *links,
                              const struct finding *finding)
{
    struct finding copy = *finding;
    copy.name = level_name(pool, links, finding);
    if (copy.name == finding->name || !copy.factor_count)
        return copy;
    struct factor *factors = pool_alloc(pool, copy.factor_count, sizeof *factors);
    for (size_t i = 0; i < copy.factor_count; i++) {
        factors[i] = finding->factors[i];
        if (strcmp(factors[i].name, "level") == 0)
            factors[i].text = pool_printf(pool, "%.*s", (int)strcspn(copy.name, "."), copy.name);
    }
    copy.factors = factors;
    return copy;
}
