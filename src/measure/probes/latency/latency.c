/*
 * Load-to-use latency by working-set size: one chain of dependent loads through a ring of pointers,
 * one a line, in an order that no prefetcher follows.
 *
 * The method is that of lmbench's lat_mem_rd (McVoy and Staelin, "lmbench: portable tools for
 * performance analysis", USENIX ATC 1996) and avoids its known traps: random order over the whole
 * ring, huge pages if available, fresh memory and a fresh ring for every trial, and caches in the
 * state of a long chase before the clock is read.
 */
#include "measure/probes/latency/latency.h"
#include "base/units.h"
#include "conclude/levels/level.h"
#include "document/flag.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/kit/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t MIB = 1024 * 1024, HUGE_PAGE = 2 * 1024 * 1024;
enum { PACKED, PADDED, WORD = 8, THREADS_MOST = 65536 };
enum { OWN, SHARED };
enum { READ, MODIFY };
static const char *const access_names[] = {"read", "modify", NULL};

#include "latency.help.h"

struct latency_state {
    struct chases chases; /* first */
    size_t stride;
    int node;
    bool named; /* the user named the working sets, so nothing is refined */
    bool table;
    unsigned table_stages;            /* planned so far */
    struct working_sets rest;         /* larger sets, in case the others do not reach DRAM */
    unsigned rest_tried;              /* parts of `rest` that were looked at: 0 to 2 */
    unsigned rest_stages;             /* of these, those that were measured */
    unsigned small_stages;            /* of small sets: 0 or 1 */
    unsigned chased_stages;           /* stages of the chased state of the caches: 0 or 1 */
    struct latency_variants variants; /* count = 0 without --variants */
    size_t variants_planned;
    struct working_sets sets;
};

/* --- options --- */

/* The node of --node, or -1. */
static int choose_node(const struct probe_task *task)
{
    const struct machine_facts *facts = &task->machine->facts;
    const struct setting *asked = &((const struct latency_options *)task->options)->node;
    if (!asked->has)
        return -1;
    const int node = (int)asked->number;
    char known[128] = "";
    for (size_t i = 0; i < facts->node_count; i++) {
        if (facts->nodes[i].id == node)
            return node;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %d", facts->nodes[i].id);
    }
    pool_leave(task->pool, ERROR_USAGE,
               "--node %d: there is no such NUMA node here; choose from%s, or leave it out", node,
               *known ? known : " none");
}

/* The chase: order, stride and content of an element. */
static struct chase_kind choose_kind(const struct probe_task *task, const struct chases *chases)
{
    const struct latency_options *asked = task->options;
    struct chase_kind kind = {.address = (enum address)asked->address.choice,
                              .modify = asked->access.choice == MODIFY,
                              .stride = chases->line_bytes,
                              .offset = (size_t)asked->align.bytes,
                              .chased = asked->state.choice == STATE_CHASED};
    if (asked->element.has && asked->stride.has)
        pool_leave(task->pool, ERROR_USAGE,
                   "--element %s is a stride, so --stride can't be given with it: leave one out",
                   asked->element.text);
    if (asked->element.has && asked->element.choice == PACKED)
        kind.stride = WORD;
    if (asked->stride.has)
        kind.stride = (size_t)asked->stride.bytes;
    if (asked->loads.has)
        chase_loads_parse(&kind, asked->loads.text);
    struct error *error = pool_error(task->pool);
    pool_check(task->pool, chase_order_parse(&kind, asked->order.text, error));
    pool_check(task->pool, chase_kind_check(&kind, error));
    return kind;
}

/* With several threads: the CPU of --cpu first, then the others, first threads of cores before
 * second ones. */
static void choose_threads(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const struct latency_options *asked = task->options;
    const size_t wanted = chases_threads(task, &asked->threads, 1);
    if (asked->ring.has && wanted < 2)
        pool_leave(task->pool, ERROR_USAGE,
                   "--ring says whether several CPUs share one working set: give --threads too, 2 "
                   "or more");
    if (wanted < 2)
        return;
    const int *cpus = chases_cpus(task, state->chases.seat->cpu);
    struct seat *seats = pool_alloc(task->pool, wanted, sizeof *seats);
    for (size_t i = 0; i < wanted; i++)
        seats[i] = (struct seat){cpus[i], MEASURED};
    state->chases.seat = seats;
    state->chases.threads = (unsigned)wanted;
    state->chases.shared = asked->ring.choice == SHARED;
}

/* The working set of --size or --count, else those of --sizes or of a sweep. The rings of all
 * threads take at most half of the free memory. */
static struct working_sets choose_sets(struct probe_task *task, size_t stride)
{
    const struct latency_state *state = task->state;
    const struct latency_options *asked = task->options;
    const struct setting *option = asked->size.has ? &asked->size : &asked->count;
    struct working_sets sets;
    if (option->has) {
        const struct setting *const others[] = {&asked->sets.sizes,
                                                &asked->sets.from,
                                                &asked->sets.to,
                                                &asked->sets.per_octave,
                                                asked->size.has ? &asked->count : NULL,
                                                NULL};
        probe_refuse_beside(task, option, "names the only working set", others);
        uint64_t *only = pool_alloc(task->pool, 1, sizeof *only), bytes;
        if (asked->size.has)
            bytes = asked->size.bytes;
        else if (__builtin_mul_overflow((uint64_t)asked->count.number, stride, &bytes))
            bytes = UINT64_MAX;
        working_sets_check(task, option->spec->name, bytes, stride);
        *only = bytes / stride * stride;
        sets = (struct working_sets){only, 1};
    } else {
        sets = working_sets_choose(task, &asked->sets, stride);
    }
    const uint64_t rings = state->chases.shared ? 1 : state->chases.threads;
    const uint64_t last = sets.count ? sets.bytes[sets.count - 1] : 0;
    const uint64_t largest = last < HUGE_PAGE ? HUGE_PAGE : last; /* as each is near its thread */
    if (rings > 1 && largest > machine_memory_budget(task->machine) / rings)
        pool_leave(task->pool, ERROR_USAGE,
                   "--threads %u: with a ring of %s each they need more than half of the memory "
                   "that is free; ask for smaller sizes (--to), or --ring shared",
                   state->chases.threads, size_text(task->pool, (double)largest));
    return sets;
}

/* --- the sweep --- */

/* The sweep's first stage ends here, and a further one follows only if DRAM was not reached: it
 * costs little, and on most machines one core's share of the last level is much smaller. */
static const uint64_t first_bytes = 64 * MIB;
/* Up to this multiple of first_bytes, larger sizes are not worth a separate stage. */
enum { REST_BEYOND = 2 };

/* Removes and returns the sizes that are only needed if the others do not reach DRAM; none if they
 * are few. */
static struct working_sets leave_rest(struct working_sets *sets)
{
    struct working_sets rest = {0};
    size_t first = 0;
    while (first < sets->count && sets->bytes[first] <= first_bytes)
        first++;
    if (first == 0 || first == sets->count ||
        sets->bytes[sets->count - 1] <= REST_BEYOND * first_bytes)
        return rest;
    rest = (struct working_sets){sets->bytes + first, sets->count - first};
    sets->count = first;
    return rest;
}

static void add_sets(struct probe_task *task, int series, const struct working_sets *sets)
{
    const struct latency_state *state = task->state;
    for (size_t i = 0; i < sets->count; i++)
        chases_add_point(&state->chases, task, series, (double)sets->bytes[i], sets->bytes[i]);
}

/* The settings that the plans of all stages share. */
static void plan_place(struct probe_task *task)
{
    const struct latency_state *state = task->state;
    const struct latency_options *asked = task->options;
    chases_plan_place(task, &state->chases, (enum page_policy)asked->pages.choice);
    if (asked->state.choice == STATE_CHASED)
        chases_plan_chased(&task->plan);
    task->plan.node = state->node;
}

/* A plan has one kind of pages: adds the points of the next variants that use the same kind. */
static void plan_pages(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const struct latency_variants *variants = &state->variants;
    const size_t first = state->variants_planned;
    const enum page_policy pages = variants->list[first].pages;
    while (state->variants_planned < variants->count &&
           variants->list[state->variants_planned].pages == pages)
        add_sets(task, (int)state->variants_planned++, &state->sets);
    task->plan.pages = pages;
    if (variants->list[first].kind.chased)
        chases_plan_chased(&task->plan);
    task->plan.share =
        (double)(state->variants_planned - first) / (double)(variants->count - first);
}

/* --- the first look --- */

/* Trials of a quick run at the sizes of the first look: the fewest in which two can outvote one
 * that other programs disturbed, so that latencies can be compared with another run's. */
enum { QUICK_TRIALS = 3 };

static void look_at(struct probe_task *task, uint32_t **look, double bytes, double above,
                    double most)
{
    struct plan *plan = &task->plan;
    /* The point whose working set is nearest to `bytes` and within (above, most]; plan->point_count
     * if there is none. */
    size_t point = plan->point_count;
    for (size_t i = 0; i < plan->point_count; i++) {
        const double x = plan->points[i].x;
        if (x > above && x <= most &&
            (point == plan->point_count ||
             fabs(log(x / bytes)) < fabs(log(plan->points[point].x / bytes))))
            point = i;
    }
    for (size_t i = 0; i < plan->look_count; i++)
        if ((*look)[i] == point)
            return;
    if (point == plan->point_count)
        return;
    uint32_t *slot = pool_append(task->pool, (void **)look, &plan->look_count, sizeof *slot);
    *slot = (uint32_t)point;
    plan->look = *look;
}

/* An eighth and a quarter of a level's capacity are measured first, or slightly more than the
 * previous level's capacity: they lie in the level even if other programs or a hypervisor hold half
 * of it. If no size lies far beyond the last declared level, the two largest may show that less of
 * it is available. */
static void plan_look(struct probe_task *task)
{
    const struct latency_state *state = task->state;
    uint32_t *look = NULL;
    double above = 0;
    for (int level = 1; level < CHASE_LEVELS_MAX; level++) {
        const struct cache_facts *cache =
            cache_of_cpu(&task->machine->facts, level, state->chases.seat->cpu);
        if (!cache || (double)cache->size_bytes <= above)
            break;
        const double bytes = (double)cache->size_bytes;
        look_at(task, &look, fmax(bytes / 8, sqrt(2) * above), above, bytes);
        look_at(task, &look, fmax(bytes / 4, 2 * above), above, bytes);
        above = bytes;
    }
    if (task->common.quick.has)
        task->plan.look_trials = QUICK_TRIALS;
    double largest = 0;
    for (size_t i = 0; i < task->plan.point_count; i++)
        largest = fmax(largest, task->plan.points[i].x);
    above = fmin(above, largest / 2);
    look_at(task, &look, sqrt(2) * above, above, INFINITY);
    look_at(task, &look, 2 * above, above, INFINITY);
}

/* --- further stages --- */

/* The knees of translation on the obtained pages, from earlier findings. Returns their number. */
static size_t translation(const struct probe_task *task,
                          struct translation_knee knees[KNEES_TRANSLATION_MOST])
{
    return knees_of_translation(task->document, task->outcome->placement.page_bytes, knees);
}

/* The table's stages: the requested or largest available pages, then small ones if those were
 * larger. False when both are done. */
static bool plan_table(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const struct series *sweep = &task->plan.series[0];
    const struct latency_options *asked = task->options;
    const bool again = state->table_stages == 1 && !asked->pages.given &&
                       task->outcome->placement.huge_share >= 0.9;
    if (state->table_stages > 0 && !again)
        return false;
    /* The capacities that the sweep found, else the declared ones. */
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    struct probe_result found = {0};
    struct chase_level levels[CHASE_LEVELS_MAX];
    const size_t knee_count = translation(task, knees);
    findings_levels(&found, task->pool, sweep, NULL, &task->machine->facts, state->chases.seat->cpu,
                    knees, knee_count);
    found.series = task->plan.series;
    found.series_count = 1;
    size_t count = chases_levels(task, state->chases.seat->cpu, &found, levels);
    if (asked->sets.sizes.has) /* these sizes instead of one in each level */
        for (count = 0; count < sweep->point_count && count < CHASE_LEVELS_MAX; count++)
            levels[count] = (struct chase_level){.bytes = (uint64_t)sweep->points[count].x};
    plan_place(task);
    const char *pages = asked->pages.text;
    if (again) {
        task->plan.pages = PAGES_SMALL;
        pages = page_policy_names[PAGES_SMALL];
    } else if (!asked->pages.given) {
        task->plan.share = 0.5;
    }
    state->table_stages++;
    latency_table_plan(task, &state->chases, levels, count, pages);
    return task->plan.point_count > 0;
}

/* Whether each size has two trials or more: a knee between single trials is too uncertain to
 * refine. Sizes that further stages added are memory's, where no knee is. */
static bool is_swept(const struct probe_task *task)
{
    const struct latency_state *state = task->state;
    const struct series *series = &task->plan.series[0];
    const double most = state->rest_stages ? (double)first_bytes : INFINITY;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].y.n < 2 && series->points[i].x <= most)
            return false;
    return true;
}

/* Plans more sizes around the knees; false when these are known. */
static bool plan_knees(struct probe_task *task, unsigned stage)
{
    const struct latency_state *state = task->state;
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    uint64_t sizes[KNEES_SIZES_MOST];
    if (stage > KNEES_STAGES || state->named || !is_swept(task))
        return false;
    const size_t known = translation(task, knees),
                 count = knees_choose(task->pool, level_pages(&task->machine->facts, known),
                                      &task->plan.series[0], knees, known, state->stride, sizes);
    if (!count)
        return false;
    plan_place(task);
    task->plan.share = state->table ? 0.2 : stage < KNEES_STAGES ? 0.6 : 1;
    /* At a cache's end more trials do not make the value more precise. A quick run keeps its time
     * for the levels. */
    if (task->common.quick.has)
        task->plan.trials_max = task->plan.trials_min;
    add_sets(task, 0, &(struct working_sets){sizes, count});
    return true;
}

static size_t declared_levels(const struct machine *machine, int cpu)
{
    size_t count = 0;
    uint64_t above = 0;
    for (int level = 1; level < CHASE_LEVELS_MAX; level++) {
        const struct cache_facts *cache = cache_of_cpu(&machine->facts, level, cpu);
        if (!cache || cache->size_bytes <= above)
            break;
        above = cache->size_bytes;
        count++;
    }
    return count;
}

/* Whether the curve's last plateau is proven to be memory, after at least as many levels as are
 * declared; and the levels. */
static bool reaches_memory(const struct probe_task *task, struct levels *levels)
{
    const struct latency_state *state = task->state;
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    const size_t count = translation(task, knees);
    levels_of_series(task->pool, level_pages(&task->machine->facts, count), &task->plan.series[0],
                     knees, count, levels);
    return levels->proven &&
           levels->count > declared_levels(task->machine, state->chases.seat->cpu);
}

/* Plans larger sizes: those that memory is read in, and then all others, unless the measured ones
 * reach memory. */
static bool plan_rest(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const struct working_sets *rest = &state->rest;
    const double end = level_memory_end((double)last_level_bytes(task->machine));
    struct levels levels;
    while (rest->count && state->rest_tried < 2) {
        const bool read = state->rest_tried++ == 0;
        if (!read && reaches_memory(task, &levels))
            break;
        plan_place(task);
        task->plan.share = 0.4;
        for (size_t i = 0; i < rest->count; i++) {
            const double bytes = (double)rest->bytes[i];
            if (read == (bytes > end / 2 && bytes <= end))
                chases_add_point(&state->chases, task, 0, bytes, rest->bytes[i]);
        }
        if (task->plan.point_count)
            return ++state->rest_stages;
    }
    return false;
}

/* Small working sets are measured again by sweeps of hundreds of short trials spread over a stage:
 * near a first level's capacity, other programs disturb most trials of a millisecond. The sizes
 * reach from inside any first level to beyond it, in steps of a ninth. */
static const double small_least = 8 << 10, small_most = 192 << 10;
enum { SMALL_PER_OCTAVE = 8, SMALL_GROUPS = 11, SMALL_LOADS = 1024 };

/* Only in a run with enough time, a stride of one line and one thread. */
static bool plan_small(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const struct latency_options *asked = task->options;
    const struct chase_kind kind = state->chases.kinds[0];
    if (state->small_stages || task->common.quick.has || state->named || state->table ||
        asked->sets.to.has || !is_swept(task) || kind.stride != state->chases.line_bytes ||
        state->chases.threads > 1)
        return false;
    plan_place(task);
    task->plan.share = 0.2;
    state->small_stages = 1;
    const int series =
        chases_add_series(&state->chases, task, latency_small_sets, &kind, asked->pages.text);
    probe_plan_sweeps(&task->plan, SMALL_GROUPS, SMALL_LOADS);
    task->plan.lowest = false; /* latencies are reported, not only steps */
    for (int step = 0;; step++) {
        const double bytes = small_least * exp2((double)step / SMALL_PER_OCTAVE);
        const uint64_t whole = (uint64_t)round(bytes / (double)kind.stride) * kind.stride;
        if (bytes > small_most)
            return true;
        chases_add_point(&state->chases, task, series, (double)whole, whole);
    }
}

/* Where a core's own caches end, both states of the caches are measured: twice in an octave from
 * here on, up to twice the last level, or to four times what was found of it, beyond which both are
 * memory's. */
static const double chased_least = 2 << 20, chased_most = 256 << 20, chased_beyond = 4;
enum { CHASED_PER_OCTAVE = 2 };

/* Up to which size the two states of the caches may differ. */
static double chased_up_to(const struct probe_task *task)
{
    const struct series *curve = &task->plan.series[0];
    struct levels levels;
    const double last = 2 * (double)last_level_bytes(task->machine),
                 reached = curve->point_count ? curve->points[curve->point_count - 1].x : 0,
                 found = reaches_memory(task, &levels)
                             ? chased_beyond * levels.list[levels.count - 2].capacity.high
                             : INFINITY,
                 most = fmin(reached, fmin(chased_most, fmax(last, (double)first_bytes)));
    return found > chased_least ? fmin(most, found) : most;
}

static bool plan_chased(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const struct latency_options *asked = task->options;
    const struct chase_kind kind = state->chases.kinds[0];
    if (state->chased_stages || task->common.quick.has || state->named || state->table ||
        asked->sets.to.has || asked->state.has || !is_swept(task) || kind.order != RING_RANDOM ||
        kind.block_bytes || state->chases.threads > 1)
        return false;
    const double own = own_cache_bytes(&task->machine->facts), most = chased_up_to(task);
    if (most < chased_least || most <= own)
        return false;
    plan_place(task);
    chases_plan_chased(&task->plan);
    task->plan.share = 0.4;
    state->chased_stages = 1;
    const int series =
        chases_add_series(&state->chases, task, latency_chased, &kind, asked->pages.text);
    state->chases.kinds[series].chased = true; /* which is no factor here: the name says it */
    for (int step = 0;; step++) {
        const double bytes = chased_least * exp2((double)step / CHASED_PER_OCTAVE);
        const uint64_t whole = (uint64_t)round(bytes / (double)kind.stride) * kind.stride;
        if (bytes > most)
            return true;
        if (bytes > own)
            chases_add_point(&state->chases, task, series, (double)whole, whole);
    }
}

/* --- plan, next, conclude --- */

static void plan_latency(struct probe_task *task)
{
    struct latency_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct latency_options *asked = task->options;
    state->chases = chases_make(task);
    state->table = asked->table.has;
    state->named =
        asked->sets.sizes.has || asked->size.has || asked->count.has || asked->variants.has;
    if (state->table)
        latency_table_check(task);
    const struct chase_kind kind = choose_kind(task, &state->chases);
    state->stride = kind.stride;
    state->chases.seat = chases_seat(task, &asked->cpu);
    choose_threads(task);
    state->node = choose_node(task);
    /* Notes the chosen CPU, and the declared distance of the requested memory node, as parameters.
     */
    const struct machine *machine = task->machine;
    const struct cpu_place *place = machine_cpu(machine, state->chases.seat->cpu);
    const size_t count = machine->facts.node_count, to = node_index(&machine->facts, state->node),
                 from = place ? node_index(&machine->facts, place->node) : count;
    if (!asked->cpu.has)
        build_note(task, "cpu", state->chases.seat->cpu);
    if (machine->nodes && from < count && to < count && from != to &&
        machine->nodes[from].distances && machine->nodes[from].distances[to])
        build_note(task, "node_distance", machine->nodes[from].distances[to]);
    plan_place(task);
    if (asked->variants.has) {
        state->variants = latency_variants_parse(task, &state->chases);
        state->sets = choose_sets(task, state->variants.stride);
        for (size_t i = 0; i < state->variants.count; i++)
            latency_variant_series(task, &state->chases, &state->variants.list[i]);
        plan_pages(task);
        chases_lay_out_parts(&state->chases, task);
        return;
    }
    /* The sweep's share of the time; the stages of the knees have the rest. */
    task->plan.share = state->named ? 1 : state->table ? 0.3 : 0.5;
    chases_add_series(&state->chases, task, "latency", &kind, asked->pages.text);
    task->plan.series[0].headline = true;
    struct working_sets sets = choose_sets(task, kind.stride);
    if (!state->named && !asked->sets.to.has)
        state->rest = leave_rest(&sets);
    add_sets(task, 0, &sets);
    plan_look(task);
    chases_lay_out_parts(&state->chases, task);
}

static bool plan_next(struct probe_task *task)
{
    struct latency_state *state = task->state;
    if (state->variants.count) {
        if (state->variants_planned == state->variants.count)
            return false;
        plan_place(task);
        plan_pages(task);
        return true;
    }
    if (task->stage == 1 + state->rest_stages && plan_rest(task))
        return true;
    if (plan_small(task) || plan_chased(task))
        return true;
    const unsigned stage =
        task->stage - state->rest_stages - state->small_stages - state->chased_stages;
    return (!state->table_stages && plan_knees(task, stage)) || (state->table && plan_table(task));
}

static bool next_latency(struct probe_task *task)
{
    struct latency_state *state = task->state;
    const bool more = plan_next(task);
    if (more)
        chases_lay_out_parts(&state->chases, task);
    return more;
}

/* The core's clock is measured with the trials but is in no series. Bursts follow each other at one
 * clock, so its interval is where most of them lay and not that of their median. */
static void conclude_latency(struct probe_task *task)
{
    const struct series *curve = &task->result->series[0];
    const unsigned modelled =
        curve->point_count ? curve->points[0].flags & FLAG_BIT(FLAG_MODELLED) : 0;
    struct summary hz = task->outcome->core_hz;
    hz.low = hz.p10;
    hz.high = hz.p90;
    if (hz.n)
        finding_add_summary(task->result, task->pool, "core.clock", "Hz", &hz, modelled);
}

const struct probe latency_probe = {
    .name = "latency",
    .place = 20,
    .help = &help,
    .weight = 24,
    .quick = true,
    .goes_on = true,
    .findings = {latency_lines, latency_experiment},
    .plan = plan_latency,
    .prepare = chases_prepare_alone,
    .next = next_latency,
    .conclude = conclude_latency,
    .analyse = latency_analyse,
};
