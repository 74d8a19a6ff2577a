#include "compare/fleet/fleet.h"

#include "base/sort.h"
#include "compare/compare.h"
#include "compare/prior.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value and its own interval, on the scale of the comparison. */
static struct peer peer_of(const struct fleet_value *value, bool logarithms)
{
    const double at = value->value, low = value->low, high = value->high;
    const double anywhere = log(1e3); /* an interval that reaches zero allows any factor */
    struct peer peer = {.value = logarithms ? log(at) : at};
    if (!isfinite(low) || !isfinite(high))
        return peer;
    peer.below = !logarithms ? at - low : low > 0 ? log(at / low) : anywhere;
    peer.above = logarithms ? log(high / at) : high - at;
    peer.below = fmax(peer.below, 0);
    peer.above = fmax(peer.above, 0);
    return peer;
}

/* A group's values of one finding, in an array. */
struct judging {
    const struct fleet *fleet;
    struct fleet_value **members;
    struct peer *peers;
    double *scratch;
    size_t count;
};

/* Fills the array of peers, on the scale of the comparison. */
static void lay_out(struct judging *judging, bool logarithms)
{
    for (size_t i = 0; i < judging->count; i++)
        judging->peers[i] = peer_of(judging->members[i], logarithms);
}

static void fit_members(struct judging *judging, struct fleet_spread *spread)
{
    const size_t n = judging->count;
    spread->count = n;
    spread->logarithms = true;
    for (size_t i = 0; i < n; i++) {
        judging->scratch[i] = judging->members[i]->value;
        spread->logarithms = spread->logarithms && judging->scratch[i] > 0;
    }
    spread->median = median_of(judging->scratch, n);
    spread->p10 = quantile(judging->scratch, n, 0.1);
    spread->p90 = quantile(judging->scratch, n, 0.9);
    lay_out(judging, spread->logarithms);
    spread->peers = peers_fit(judging->peers, n, judging->scratch);
}

/* The value as a figure of its node, for compare(). */
static struct figure figure_at(const struct fleet *fleet, const struct fleet_finding *finding,
                               const struct fleet_value *value)
{
    const struct fleet_node *node = &fleet->nodes[value->node];
    const struct machine_facts *machine = &fleet->kinds[node->kind].facts.machine;
    const struct figure_source source = {machine, machine->hypervisor != NULL, node->busy};
    struct finding full = finding->like;
    full.value = value->value;
    full.low = value->low;
    full.high = value->high;
    return figure_of(&source, &full, &finding->meaning);
}

static void judge_members(struct judging *judging, const struct fleet_finding *finding,
                          struct fleet_spread *spread, const struct peers_prior *prior)
{
    const double least = judging->fleet->rules.least;
    lay_out(judging, spread->logarithms);
    /* Where most values are equal, as counts are, they show no scatter: that of such figures
     * between runs of one machine takes its place. */
    const struct figure figure = figure_at(judging->fleet, finding, judging->members[0]);
    const struct prior *sort = &priors[figure.sort][figure.guest][STATE_QUIET];
    spread->peers.equal = (struct variance){sort->scatter * sort->scatter, sort->freedom};
    peers_judge(judging->peers, judging->count, &spread->peers, prior);
    for (size_t i = 0; i < judging->count; i++) {
        struct fleet_value *value = judging->members[i];
        const double away = judging->peers[i].value - spread->peers.centre;
        value->distance = judging->peers[i].distance;
        value->ratio = spread->logarithms   ? expm1(away)
                       : spread->median > 0 ? value->value / spread->median - 1
                                            : NAN;
        const double share = spread->logarithms   ? fabs(away) / log1p(least)
                             : spread->median > 0 ? fabs(value->ratio) / least
                                                  : INFINITY;
        /* Where most are equal, a value without an interval or votes tells nothing. */
        const bool blind =
            spread->peers.counted && (!isfinite(value->low + value->high) || !spread->logarithms);
        value->p = share < 1 || blind ? 1 : judging->peers[i].p;
    }
}

static int by_group_of_node(const struct fleet *fleet, const struct fleet_value *value)
{
    const struct fleet_node *node = &fleet->nodes[value->node];
    return node->state == NODE_JUDGED ? (int)node->group : -1;
}

/* Fits the values of each group, or (`fitted`) judges them by that fit. */
static void go_through(struct fleet *fleet, struct judging *judging, struct fleet_finding *finding,
                       size_t *bounds, bool fitted)
{
    struct fleet_value **all = judging->members;
    /* Sorts the values by group (counting sort); bounds[g] is where group g ends. */
    memset(bounds, 0, (fleet->group_count + 1) * sizeof *bounds);
    for (size_t i = 0; i < finding->count; i++) {
        const int group = by_group_of_node(fleet, &finding->values[i]);
        if (group >= 0)
            bounds[group + 1]++;
    }
    for (size_t g = 0; g < fleet->group_count; g++)
        bounds[g + 1] += bounds[g];
    for (size_t i = 0; i < finding->count; i++) {
        const int group = by_group_of_node(fleet, &finding->values[i]);
        if (group >= 0)
            all[bounds[group]++] = &finding->values[i];
    }
    size_t from = 0;
    for (size_t g = 0; g < fleet->group_count; from = bounds[g++]) {
        judging->members = all + from;
        judging->count = bounds[g] - from;
        if (judging->count < PEERS_FEWEST)
            continue;
        if (!fitted)
            fit_members(judging, &finding->spreads[g]);
        else
            judge_members(judging, finding, &finding->spreads[g], &fleet->groups[g].prior);
        fleet->compared += fitted ? judging->count : 0;
    }
    judging->members = all;
}

static void judge_findings(struct fleet *fleet, struct pool *pool)
{
    const size_t most = fleet->node_count;
    struct judging judging = {.fleet = fleet,
                              .members = pool_alloc(pool, most, sizeof(struct fleet_value *)),
                              .peers = pool_alloc(pool, most, sizeof *judging.peers),
                              .scratch = pool_alloc(pool, most, sizeof *judging.scratch)};
    size_t *bounds = pool_alloc(pool, fleet->group_count + 1, sizeof *bounds);
    for (size_t f = 0; f < fleet->finding_count; f++) {
        struct fleet_finding *finding = &fleet->findings[f];
        if (!finding->judged)
            continue;
        finding->spreads = pool_alloc(&fleet->pool, fleet->group_count, sizeof *finding->spreads);
        go_through(fleet, &judging, finding, bounds, false);
    }
    /* Finds each group's prior: what its findings tell about each other's scatter. */
    struct peers *all = pool_alloc(pool, fleet->finding_count, sizeof *all);
    double *scratch = pool_alloc(pool, fleet->finding_count, sizeof *scratch);
    for (size_t g = 0; g < fleet->group_count; g++) {
        size_t count = 0;
        for (size_t f = 0; f < fleet->finding_count; f++)
            if (fleet->findings[f].spreads && fleet->findings[f].spreads[g].count)
                all[count++] = fleet->findings[f].spreads[g].peers;
        fleet->groups[g].prior = peers_prior_of(all, count, scratch);
    }
    for (size_t f = 0; f < fleet->finding_count; f++)
        if (fleet->findings[f].judged)
            go_through(fleet, &judging, &fleet->findings[f], bounds, true);
}

/* --- which of all are odd --- */

bool fleet_compares(const struct fleet *fleet, const struct fleet_finding *finding,
                    const struct fleet_value *value)
{
    const struct fleet_node *node = &fleet->nodes[value->node];
    return finding->spreads && node->state == NODE_JUDGED && finding->spreads[node->group].count;
}

static void choose_odd(struct fleet *fleet, struct pool *pool)
{
    double *p = pool_alloc(pool, fleet->compared, sizeof *p);
    size_t count = 0;
    for (size_t f = 0; f < fleet->finding_count; f++)
        for (size_t i = 0; i < fleet->findings[f].count; i++)
            if (fleet_compares(fleet, &fleet->findings[f], &fleet->findings[f].values[i]))
                p[count++] = fleet->findings[f].values[i].p;
    const double limit = false_discovery_limit(p, count, fleet->rules.false_share);
    for (size_t f = 0; f < fleet->finding_count; f++)
        for (size_t i = 0; i < fleet->findings[f].count; i++) {
            struct fleet_value *value = &fleet->findings[f].values[i];
            struct fleet_node *node = &fleet->nodes[value->node];
            if (!fleet_compares(fleet, &fleet->findings[f], value) || value->p > limit)
                continue;
            value->odd = node->odd = true;
            node->odd_count++;
            if (!node->leads || fabs(value->distance) > fabs(node->leads->distance)) {
                node->leads = value;
                node->leading = &fleet->findings[f];
            }
        }
}

/* --- each node and itself of last time --- */

struct since {
    const struct fleet_finding *finding;
    struct fleet_node *node;
    struct comparison compared;
};

struct all_since {
    struct since *list;
    size_t count;
};

/* Compares the values of one finding with those of last time. `at` has room for a value of each
 * node. */
static void add_since(const struct fleet *fleet, const struct fleet_finding *finding,
                      const struct fleet_value **at, struct all_since *all, struct pool *pool)
{
    const bool clock = quantity_is(finding->like.unit, DIMENSION_FREQUENCY);
    if (!finding->judged || (finding->meaning.role == ROLE_CONDITION && !clock))
        return;
    memset(at, 0, fleet->node_count * sizeof *at);
    for (size_t i = 0; i < finding->count; i++)
        at[finding->values[i].node] = &finding->values[i];
    for (size_t i = 0; i < finding->count; i++) {
        const struct fleet_value *now = &finding->values[i];
        struct fleet_node *node = &fleet->nodes[now->node];
        const struct fleet_value *before = node->before ? at[node->before - fleet->nodes] : NULL;
        if (!before || !(before->value > 0 && now->value > 0))
            continue;
        const struct figure a = figure_at(fleet, finding, before),
                            b = figure_at(fleet, finding, now);
        struct since *since = pool_append(pool, (void **)&all->list, &all->count, sizeof *since);
        *since = (struct since){finding, node, compare(&a, &b, NAN)};
    }
}

static void compare_before(struct fleet *fleet, struct pool *pool)
{
    struct all_since all = {NULL, 0};
    const struct fleet_value **at =
        pool_alloc(pool, fleet->node_count, sizeof(const struct fleet_value *));
    for (size_t f = 0; f < fleet->finding_count; f++)
        add_since(fleet, &fleet->findings[f], at, &all, pool);
    double *p = pool_alloc(pool, all.count, sizeof *p);
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (!isnan(all.list[i].compared.p))
            p[count++] = all.list[i].compared.p;
    const double limit = false_discovery_limit(p, count, fleet->rules.false_share);
    for (size_t i = 0; i < all.count; i++) {
        struct comparison *one = &all.list[i].compared;
        struct fleet_node *node = all.list[i].node;
        comparison_settle(one, limit);
        if (one->answer != CHANGED || one->side != SIDE_MORE)
            continue;
        node->odd = true;
        if (node->worse && fabs(log1p(node->since)) > fabs(log(one->ratio)))
            continue;
        node->worse = all.list[i].finding;
        node->since = one->ratio - 1;
    }
}

struct ranked {
    double rank;
    const char *name;
    size_t node;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    const int order = ORDER_BY({right->rank, left->rank});
    return order ? order : strcmp(left->name, right->name);
}

static void list_odd(struct fleet *fleet, struct pool *pool)
{
    struct ranked *ranked = pool_alloc(pool, fleet->node_count, sizeof *ranked);
    fleet->odd = pool_alloc(&fleet->pool, fleet->node_count, sizeof *fleet->odd);
    for (size_t i = 0; i < fleet->node_count; i++) {
        struct fleet_node *node = &fleet->nodes[i];
        fleet->judged += node->state == NODE_JUDGED;
        node->odd = node->odd || (node->state == NODE_JUDGED && (node->lacks || node->facts.count));
        /* Missing hardware is certain, so it comes before anything that was measured. */
        const bool certain = node->lacks || facts_have(&node->facts, SIDE_MORE);
        const double away = node->leads ? fabs(node->leads->distance) : 0;
        if (node->odd)
            ranked[fleet->odd_count++] = (struct ranked){certain ? INFINITY : away, node->name, i};
    }
    qsort(ranked, fleet->odd_count, sizeof *ranked, by_rank);
    for (size_t i = 0; i < fleet->odd_count; i++)
        fleet->odd[i] = ranked[i].node;
}

static _Noreturn void refuse_few(struct fleet *fleet)
{
    size_t hosts = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        hosts += fleet->nodes[i].state != NODE_REPLACED && fleet->nodes[i].state != NODE_BEFORE;
    if (!fleet->node_count)
        pool_leave(&fleet->pool, ERROR_USAGE,
                   "%s%s%s%s: give documents that 'fathom run' wrote, one of each node",
                   fleet->hole_count ? "none of the documents can be used: "
                                     : "there is no document",
                   fleet->hole_count ? fleet->holes[0].name : "", fleet->hole_count ? ": " : "",
                   fleet->hole_count ? fleet->holes[0].reason : "");
    pool_leave(&fleet->pool, ERROR_USAGE,
               "no %d nodes are alike (%zu document%s of %zu node%s in %zu group%s by processor, "
               "memory and BIOS): with fewer, no node can be distinguished from the others; "
               "compare two with 'fathom diff'",
               PEERS_FEWEST, fleet->node_count, fleet->node_count == 1 ? "" : "s", hosts,
               hosts == 1 ? "" : "s", fleet->group_count, fleet->group_count == 1 ? "" : "s");
}

static void judge_all(struct pool *scratch, void *with)
{
    struct fleet *fleet = with;
    fleet_number_levels(fleet, scratch);
    judge_findings(fleet, scratch);
    choose_odd(fleet, scratch);
    compare_before(fleet, scratch);
    list_odd(fleet, scratch);
    fleet_explain(fleet, scratch);
}

static int judge(void *with)
{
    struct fleet *fleet = with;
    bool any = false;
    fleet_group(fleet);
    for (size_t g = 0; g < fleet->group_count; g++)
        any = any || fleet->groups[g].judged;
    for (size_t i = 0; i < fleet->node_count; i++)
        any = any || fleet->nodes[i].before;
    if (!any)
        refuse_few(fleet);
    pool_scratch(&fleet->pool, judge_all, fleet);
    return 0;
}

int fleet_judge(struct fleet *fleet, const struct fleet_rules *rules, struct error *error)
{
    fleet->rules = *rules;
    return pool_enter(&fleet->pool, judge, fleet, error);
}
