/*
 * Load-to-use latency by working-set size: one chain of dependent loads through a ring of
 * pointers, one a line, in an order that no prefetcher follows.
 *
 * The method is that of lmbench's lat_mem_rd (McVoy and Staelin, "lmbench: portable tools for
 * performance analysis", USENIX ATC 1996) with its known traps closed: random order over the whole
 * ring, huge pages where they can be had, fresh memory and a fresh ring for every trial, caches
 * left as a long chase leaves them before the clock is read.
 */
#include "conclude/levels/levels.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/probe.h"
#include "measure/probes/latency/analyse.h"
#include "measure/probes/latency/findings.h"
#include "measure/probes/latency/first.h"
#include "measure/probes/latency/options.h"
#include "measure/probes/latency/small.h"
#include "measure/probes/latency/table.h"
#include "measure/probes/latency/threads.h"
#include "measure/probes/latency/variants.h"

struct latency_state {
    struct chases chases; /* first: chases_prepare() finds it here */
    const struct seat *seat;
    size_t stride;
    int node;
    bool table;
    unsigned table_stages;    /* planned so far */
    struct working_sets rest; /* larger ones, for where DRAM is not reached by those before */
    unsigned rest_stages;     /* that measured them: 0 or 1 */
    unsigned small_stages;    /* of small sets: 0 or 1 */
    struct latency_variants variants; /* none where --variants was not given */
    size_t variants_planned;
    struct working_sets sets;
};

/* --- planning --- */

static int add_sets(struct probe_task *task, const struct working_sets *sets, struct error *error)
{
    const struct latency_state *state = task->state;
    int code = 0;
    for (size_t i = 0; i < sets->count && code >= 0; i++)
        code = chases_add_point(&state->chases, task, 0, (double)sets->bytes[i], sets->bytes[i],
                                state->seat, error);
    return code < 0 ? code : 0;
}

static int add_points(struct probe_task *task, size_t stride, struct error *error)
{
    struct latency_state *state = task->state;
    struct working_sets sets;
    int code = latency_choose_single(&sets, task, stride, error);
    if (code == 0)
        code = working_sets_choose(&sets, task, stride, error);
    if (code >= 0 && latency_threads_check(task, &state->chases, &sets, error) < 0)
        return ERROR_USAGE;
    if (code < 0)
        return code;
    if (!latency_sizes_are_named(task) && !settings_given(task->settings, "to"))
        state->rest = latency_leave_rest(&sets);
    return add_sets(task, &sets, error);
}

static size_t index_of_node(const struct machine_facts *facts, int node)
{
    size_t i = 0;
    while (i < facts->node_count && facts->nodes[i].id != node)
        i++;
    return i;
}

/* How far the firmware says the node that was asked for is from the CPU's own; 0 unknown. */
static unsigned distance_of(const struct machine *machine, int cpu, int node)
{
    const struct machine_facts *facts = &machine->facts;
    for (size_t i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].id != cpu)
            continue;
        const size_t from = index_of_node(facts, machine->cpus[i].node);
        const size_t to = index_of_node(facts, node);
        if (machine->nodes && from < facts->node_count && to < facts->node_count && from != to &&
            machine->nodes[from].distances)
            return machine->nodes[from].distances[to];
    }
    return 0;
}

static int note(struct probe_task *task, const char *name, double number, struct error *error)
{
    struct factor *parameter = probe_add_parameter(task, name);
    parameter->number = number;
    return 0;
}

/* The CPU that was chosen is a parameter, and how far the memory is that was asked for. */
static int note_place(struct probe_task *task, int cpu, int node, struct error *error)
{
    const unsigned distance = distance_of(task->machine, cpu, node);
    int code = settings_has(task->settings, "cpu") ? 0 : note(task, "cpu", cpu, error);
    return code == 0 && distance ? note(task, "node_distance", distance, error) : code;
}

/* What every stage's plan has in common. */
static void plan_place(struct probe_task *task)
{
    const struct latency_state *state = task->state;
    task->plan.node = state->node;
    task->plan.touch_cpu = state->seat->cpu;
    task->plan.pages = (enum page_policy)settings_choice(task->settings, "pages");
    task->plan.unstable_above = 0.1;
    probe_plan_short_batches(&task->plan, PROBE_TRIAL_NS);
}

/* Memory has one kind of pages at a time: the points of the next variants that take the same. */
static int plan_pages(struct probe_task *task, struct error *error)
{
    struct latency_state *state = task->state;
    const struct latency_variants *variants = &state->variants;
    const size_t first = state->variants_planned;
    const enum page_policy pages = variants->list[first].pages;
    int code = 0;
    while (state->variants_planned < variants->count && code == 0 &&
           variants->list[state->variants_planned].pages == pages) {
        const int series = (int)state->variants_planned++;
        for (size_t i = 0; i < state->sets.count && code == 0; i++)
            code = chases_add_point(&state->chases, task, series, (double)state->sets.bytes[i],
                                    state->sets.bytes[i], state->seat, error);
    }
    task->plan.pages = pages;
    task->plan.share =
        (double)(state->variants_planned - first) / (double)(variants->count - first);
    return code;
}

/* All variants' series, and the points of those that take the first one's pages. */
static int plan_variants(struct probe_task *task, struct error *error)
{
    struct latency_state *state = task->state;
    struct latency_variants *variants = &state->variants;
    int code = latency_variants_check(task, error);
    if (code == 0)
        code = latency_variants_parse(variants, task, &state->chases,
                                      settings_text(task->settings, "variants"), error);
    if (code == 0)
        code = latency_choose_single(&state->sets, task, variants->stride, error);
    if (code == 0)
        code = working_sets_choose(&state->sets, task, variants->stride, error);
    if (code >= 0)
        code = latency_threads_check(task, &state->chases, &state->sets, error);
    for (size_t i = 0; i < variants->count && code == 0; i++) {
        const struct latency_variant *variant = &variants->list[i];
        const int series = chases_add_series(&state->chases, task, "latency", &variant->kind,
                                             page_policy_names[variant->pages], error);
        code = series < 0 ? series : latency_variant_name(task, variant, error);
    }
    return code == 0 ? plan_pages(task, error) : code;
}

static void plan_latency(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct latency_state *state = pool_alloc(task->pool, 1, sizeof *state);
    struct chase_kind kind;
    task->state = state;
    state->chases = chases_make(task->machine);
    state->table = settings_has(task->settings, "table");
    int code = state->table ? latency_table_check(task, error) : 0;
    if (code == 0)
        code = latency_choose_kind(task, &state->chases, &kind, error);
    if (code == 0)
        code = chases_seat(task, &state->seat, error);
    if (code == 0)
        code = latency_threads_choose(task, &state->chases, &state->seat, error);
    if (code == 0)
        code = latency_choose_node(task, &state->node, error);
    if (code == 0)
        code = note_place(task, state->seat->cpu, state->node, error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    state->stride = kind.stride;
    plan_place(task);
    if (settings_has(task->settings, "variants"))
        return (void)pool_check(task->pool, plan_variants(task, error));
    /* Share of the time that the sweep takes; the knees' stages have the rest. */
    task->plan.share = latency_sizes_are_named(task) ? 1 : state->table ? 0.3 : 0.6;
    code = chases_add_series(&state->chases, task, "latency", &kind,
                             settings_text(task->settings, "pages"), error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    task->plan.series[0].headline = true;
    code = add_points(task, kind.stride, error);
    return (void)pool_check(task->pool, code == 0 ? latency_look(task, error) : code);
}

/* --- further stages --- */

/* What translation adds to the pages that were obtained, as it was found before. */
static size_t translation(const struct probe_task *task, const struct stage_outcome *outcome,
                          struct translation_knee knees[KNEES_TRANSLATION_MOST])
{
    return knees_of_translation(task->document, outcome->placement.page_bytes, knees);
}

/* The sizes that were named, in place of one in each level. */
static size_t levels_of_sizes(const struct probe_task *task, struct chase_level *levels)
{
    const struct series *sweep = &task->plan.series[0];
    size_t count = 0;
    for (; count < sweep->point_count && count < CHASE_LEVELS_MAX; count++)
        levels[count] = (struct chase_level){.bytes = (uint64_t)sweep->points[count].x};
    return count;
}

/* The table's stages: pages as asked for or the largest to be had, then small ones, where that is
 * a difference. Returns 1, or 0 when both are done. */
static int plan_table(struct probe_task *task, const struct stage_outcome *outcome,
                      struct error *error)
{
    struct latency_state *state = task->state;
    const bool again = state->table_stages == 1 && !settings_given(task->settings, "pages") &&
                       outcome->placement.huge_share >= 0.9;
    if (state->table_stages > 0 && !again)
        return 0;
    /* The capacities that the sweep found so far, or the declared ones where it found none. */
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    struct probe_result found = {0};
    struct chase_level levels[CHASE_LEVELS_MAX];
    int code = 0;
    findings_levels(&found, task->pool, &task->plan.series[0], &task->machine->facts, knees,
                    translation(task, outcome, knees));
    found.series = task->plan.series;
    found.series_count = 1;
    size_t count = chases_levels(task, &found, levels);
    if (settings_has(task->settings, "sizes"))
        count = levels_of_sizes(task, levels);
    probe_plan_clear(task);
    plan_place(task);
    const char *pages = settings_text(task->settings, "pages");
    if (again) {
        task->plan.pages = PAGES_SMALL;
        pages = page_policy_names[PAGES_SMALL];
    } else if (!settings_given(task->settings, "pages")) {
        task->plan.share = 0.5;
    }
    state->table_stages++;
    code = latency_table_plan(task, &state->chases, state->seat, levels, count, pages, error);
    return code < 0 ? code : task->plan.point_count > 0;
}

/* More sizes around the knees, unless all sizes were named. Returns 1, or 0 when they are known. */
static int refine_knees(struct probe_task *task, const struct stage_outcome *outcome,
                        unsigned stage, struct error *error)
{
    const struct latency_state *state = task->state;
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    uint64_t sizes[KNEES_SIZES_MOST];
    int count = stage > KNEES_STAGES || latency_sizes_are_named(task) || !latency_is_swept(task)
                    ? 0
                    : knees_choose(task, &task->plan.series[0], knees,
                                   translation(task, outcome, knees), state->stride, sizes, error);
    if (count <= 0)
        return count;
    probe_plan_clear(task);
    plan_place(task);
    task->plan.share = state->table ? 0.2 : stage < KNEES_STAGES ? 0.6 : 1;
    /* Where a cache ends, trials differ however many there are. A quick run gives its time to the
     * levels themselves. */
    if (settings_has(task->settings, "quick"))
        task->plan.trials_max = task->plan.trials_min;
    for (int i = 0; i < count; i++) {
        int code = chases_add_point(&state->chases, task, 0, (double)sizes[i], sizes[i],
                                    state->seat, error);
        if (code < 0)
            return code;
    }
    return 1;
}

/* Larger sizes, where those measured do not end in DRAM: 1, or 0. */
static int plan_rest(struct probe_task *task, const struct stage_outcome *outcome,
                     struct error *error)
{
    struct latency_state *state = task->state;
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    const size_t count = translation(task, outcome, knees);
    int reached = state->rest.count ? latency_reached_dram(task, knees, count, error) : 1;
    if (reached != 0)
        return reached < 0 ? reached : 0;
    const double share = task->plan.share;
    probe_plan_clear(task);
    plan_place(task);
    task->plan.share = share;
    state->rest_stages++;
    int code = add_sets(task, &state->rest, error);
    return code < 0 ? code : 1;
}

/* Small sets by sweeps, in a run that has the time: 1, or 0. */
static int plan_small(struct probe_task *task, struct error *error)
{
    struct latency_state *state = task->state;
    if (state->small_stages || settings_has(task->settings, "quick") ||
        latency_sizes_are_named(task) || state->table || settings_given(task->settings, "to") ||
        !latency_is_swept(task))
        return 0;
    probe_plan_clear(task);
    plan_place(task);
    task->plan.share = 0.2;
    const int more = latency_small_plan(task, &state->chases, state->seat, error);
    state->small_stages = more > 0;
    return more;
}

static bool next_latency(struct probe_task *task, const struct stage_outcome *outcome,
                         unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct latency_state *state = task->state;
    if (state->variants.count) {
        if (state->variants_planned == state->variants.count)
            return pool_check(task->pool, 0) > 0;
        probe_plan_clear(task);
        plan_place(task);
        const int code = plan_pages(task, error);
        return pool_check(task->pool, code < 0 ? code : 1) > 0;
    }
    int rest = stage == 1 ? plan_rest(task, outcome, error) : 0;
    if (rest != 0)
        return pool_check(task->pool, rest) > 0;
    stage -= state->rest_stages;
    const int small = plan_small(task, error);
    if (small != 0)
        return pool_check(task->pool, small) > 0;
    stage -= state->small_stages;
    int more = state->table_stages ? 0 : refine_knees(task, outcome, stage, error);
    return pool_check(task->pool,
                      more == 0 && state->table ? plan_table(task, outcome, error) : more) > 0;
}

/* --- concluding --- */

/* The clock is read beside the trials and stands in no series. */
static void conclude_latency(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    const struct series *curve = &task->result->series[0];
    const unsigned modelled =
        curve->point_count ? curve->points[0].flags & FLAG_BIT(FLAG_MODELLED) : 0;
    if (outcome->core_hz.n &&
        !probe_add_summary(task, "core.clock", "Hz", &outcome->core_hz, modelled))
        return (void)pool_check(task->pool, error_out_of_memory(error));
    return (void)pool_check(task->pool, 0);
}

const struct probe latency_probe = {
    .name = "latency",
    .place = 20,
    .title = "Load latency by working-set size",
    .summary = "how long a load takes, from the first-level cache to DRAM",
    .about = "Load-to-use latency: each load gives the address of the next, so nothing overlaps. "
             "The working set is what the chain runs through, one pointer a cache line, in "
             "random order. While it fits a cache, the latency is that cache's; the steps in "
             "between are soft because part of the set still fits.\n"
             "What moves it: the core clock (cycles stay, ns change), page size (with small "
             "pages, address translation adds to every size beyond the TLB's reach), neighbours "
             "in a shared cache, and the NUMA node that holds the memory. And the chase itself: an "
             "index costs a shift or an addition more than a pointer, which shows in the "
             "first-level cache; a bounds check hardly anything, because it is predicted; a "
             "pointer on the stack a store and a load, unless the processor renames memory; packed "
             "elements share lines, so part of a set beyond a cache still hits it; forward and "
             "backward orders are prefetched; lines that were modified have to be written back. "
             "--table sets all of these side by side.",
    .weight = 18,
    .quick = true,
    .goes_on = true,
    .options = latency_options,
    .findings = {latency_lines, latency_experiment},
    .plan = plan_latency,
    .prepare = chases_prepare,
    .next = next_latency,
    .conclude = conclude_latency,
    .analyse = latency_analyse,
};
