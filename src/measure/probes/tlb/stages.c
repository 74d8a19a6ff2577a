/*
 * The stages of the TLB probe: a ladder of sizes, then every number of pages around the first
 * level's capacity and a grid around the second's, in which each trial votes.
 */
#include "base/random.h"
#include "conclude/translation/tlb.h"
#include "document/flag.h"
#include "measure/kernels/ring.h"
#include "measure/probes/kit/build.h"
#include "measure/probes/tlb/state.h"
#include "stats/curve.h"
#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>
#include <string.h>

enum { SMALL_PAGE = 4096 };

static size_t block_bytes(const struct tlb_chain *chain)
{
    return chain->layout == TLB_PACKED   ? chain->line_bytes
           : chain->layout == TLB_SPREAD ? chain->page_bytes
                                         : chain->page_bytes * TLB_GROUP;
}

/* From page to page, the line's place advances by one line and by 4 KiB. By one line, as in the
 * packed chain, so that both chains use the sets of a cache that is indexed below 4 KiB alike: at
 * the same place on every page, all lines would be in one set, and cache misses would look like TLB
 * misses. By 4 KiB, because a hypervisor may have split huge pages: at multiples of 2 MiB all
 * pieces would be in one set of the TLB. */
size_t tlb_chain_offset(const struct tlb_chain *chain, size_t i)
{
    const size_t block = i * block_bytes(chain);
    if (chain->layout == TLB_PACKED)
        return block;
    size_t lines = chain->page_bytes / chain->line_bytes;
    /* The sum of the digits: in every run of TLB_GROUP^k groups, each page of a group comes equally
     * often with each value of the k - 1 lowest digits. */
    size_t page = 0;
    for (size_t rest = chain->layout == TLB_SPARSE ? i : 0; rest; rest /= TLB_GROUP)
        page = (page + rest) % TLB_GROUP;
    size_t step = SMALL_PAGE / chain->line_bytes + 1;
    size_t line = (i * step + (size_t)(random_mix(chain->seed) % lines)) % lines;
    return block + page * chain->page_bytes + line * chain->line_bytes;
}

size_t tlb_chain_bytes(const struct tlb_chain *chain)
{
    return chain->count * block_bytes(chain);
}

void *tlb_chain_build(const struct tlb_chain *chain)
{
    const size_t block = block_bytes(chain);
    struct ring ring = {.memory = chain->memory,
                        .count = chain->count,
                        .stride = block,
                        .order = RING_RANDOM,
                        .seed = chain->seed};
    ring_build(&ring);
    /* The ring was built on the blocks' first words; this moves each link to its block's line. */
    for (size_t i = 0; i < chain->count; i++) {
        unsigned char *next;
        memcpy(&next, chain->memory + i * block, sizeof next);
        void *target =
            chain->memory + tlb_chain_offset(chain, (size_t)(next - chain->memory) / block);
        memcpy(chain->memory + tlb_chain_offset(chain, i), &target, sizeof target);
    }
    return chain->memory + tlb_chain_offset(chain, 0);
}

enum {
    SPARSE_MOST = 512,
    PIECES_MOST = 512,
    LADDER_TRIALS = 9,
    STEP_TRIALS = 11,
    SWEPT_LOADS = 1024, /* some rounds even of the largest first level */
    STAGE_POINTS = 100, /* the most sizes in a refining stage */
    BRACKET_MARGIN = 8,
};

const char *const tlb_ladder_names[TLB_LADDERS] = {"packed", "spread", "sparse", "pieces"};
const char *const tlb_looks[] = {"ladder", "first level's end", "second level's end"};
const char *const tlb_vote_names[2] = {"first level's vote", "second level's vote"};
const char *const tlb_vote_look = "entries by trial";

static struct tlb_size *current(struct tlb_state *state)
{
    return &state->sizes[state->at];
}

/* Adds a curve over pages, or with `room` > 0 a series of votes; returns its index. */
static int add_series(struct probe_task *task, const char *name, const struct tlb_size *size,
                      const char *look, size_t room)
{
    const unsigned series =
        build_series(task, (struct series){.name = name,
                                           .x = {room ? "trial" : "pages", ""},
                                           .y = {room ? "entries" : "latency", room ? "" : "ns"}});
    build_factor_text(task, series, "pages", size->name);
    build_factor_text(task, series, "look", look);
    if (room)
        task->plan.series[series].points = pool_alloc(task->pool, room, sizeof(struct point));
    return (int)series;
}

struct tlb_chain tlb_chain_of(const struct tlb_state *state, unsigned ladder, double pages)
{
    const bool pieces = ladder == TLB_PIECES; /* sizes[0] are the small pages */
    const struct tlb_size *size = &state->sizes[pieces ? 0 : state->at];
    return (struct tlb_chain){.count = (size_t)pages,
                              .page_bytes = (size_t)size->page_bytes,
                              .line_bytes = state->line_bytes,
                              .layout = pieces ? TLB_SPREAD : (enum tlb_layout)ladder};
}

static void add_point(struct probe_task *task, int series, unsigned ladder, double pages)
{
    const struct tlb_state *state = task->state;
    const struct tlb_chain chain = tlb_chain_of(state, ladder, pages);
    struct plan_point *point =
        build_point(task, (unsigned)series, pages, &state->seat->cpu, 1, MEASURED);
    point->arena_bytes = tlb_chain_bytes(&chain);
    point->index = ladder;
}

static const double trial_ns = 150e3;

static void plan_stage(struct probe_task *task, unsigned trials)
{
    struct tlb_state *state = task->state;
    struct plan *plan = probe_plan_begin(task, state->seat->cpu, current(state)->policy, 0);
    plan->trials_min = plan->trials_max = trials;
    probe_plan_short_batches(plan, trial_ns);
    /* Enough for a step to be seen; the number of trials is that of the votes. */
    plan->precision = fmax(plan->precision, 0.1);
    plan->span_s = task->common.quick.has ? 0 : 0.3;
    plan->share = 0.5; /* of the time left, because other stages may follow */
}

/* The most pages of a ladder; 0: the page size has no such ladder. */
static double ladder_most(const struct tlb_state *state, unsigned ladder)
{
    const struct tlb_size *size = &state->sizes[state->at];
    const bool small = size->policy == PAGES_SMALL, both = !small && state->at > 0;
    switch (ladder) {
    case TLB_SPARSE: /* huge pages do not share entries */
        return small ? fmin(size->most / (double)TLB_GROUP, SPARSE_MOST) : 0;
    case TLB_PIECES: /* compared with the same number of small pages */
        return both ? PIECES_MOST : 0;
    case TLB_PACKED:
        return both ? fmax(size->most, PIECES_MOST) : size->most;
    default:
        return size->most;
    }
}

void tlb_plan_ladder(struct probe_task *task)
{
    struct tlb_state *state = task->state;
    struct tlb_size *size = current(state);
    plan_stage(task, LADDER_TRIALS);
    state->look = TLB_LADDER;
    for (unsigned ladder = 0; ladder < TLB_LADDERS; ladder++) {
        const double most = ladder_most(state, ladder);
        if (most < (double)TLB_PAGES_LEAST)
            continue;
        size->ladder[ladder] =
            add_series(task, tlb_ladder_names[ladder], size, tlb_looks[TLB_LADDER], 0);
        for (double exact = TLB_PAGES_LEAST; round(exact) <= most; exact *= M_SQRT2)
            add_point(task, size->ladder[ladder], ladder, round(exact));
    }
    trial_values_reserve(task, &state->values, 0);
}

/* --- what comes next --- */

static const struct series *ladder(const struct probe_task *task, enum tlb_layout layout)
{
    const struct tlb_state *state = task->state;
    return tlb_ladder(task->plan.series, &state->sizes[state->at], layout);
}

/* Plans numbers of pages in [from, to] around the capacity of level 0 or 1. */
static bool plan_fine(struct probe_task *task, int level, double from, double to)
{
    struct tlb_state *state = task->state;
    struct tlb_size *size = current(state);
    plan_stage(task, STEP_TRIALS);
    if (level == 0) {
        probe_plan_sweeps(&task->plan, STEP_TRIALS, SWEPT_LOADS);
        task->plan.span_s *= 2; /* a sibling thread disturbs for several rounds */
    }
    state->look = level ? TLB_SECOND : TLB_FIRST;
    to = fmin(to, size->most / (size->spread == TLB_SPARSE ? TLB_GROUP : 1));
    from = fmax(from, TLB_PAGES_LEAST);
    int most = level ? STAGE_POINTS / 2 : STAGE_POINTS;
    state->step = fmax(1, ceil((to - from) / most));
    size->fine[level] = add_series(task, tlb_ladder_names[size->spread], size,
                                   tlb_looks[level ? TLB_SECOND : TLB_FIRST], 0);
    for (double pages = from; pages <= to; pages += state->step)
        add_point(task, size->fine[level], size->spread, pages);
    trial_values_reserve(task, &state->values, STEP_TRIALS);
    return true;
}

static bool after_ladder(struct probe_task *task)
{
    struct tlb_state *state = task->state;
    struct tlb_size *size = current(state);
    const struct series *packed = ladder(task, TLB_PACKED);
    if (series_flags(packed) & FLAG_BIT(FLAG_SMALL_PAGES)) {
        size->unavailable = pool_printf(task->pool, "pages of %s can't be had here", size->name);
        return false;
    }
    const struct series *sparse = ladder(task, TLB_SPARSE);
    if (sparse)
        size->shared = tlb_shared(ladder(task, TLB_SPREAD), sparse, packed);
    if (size->shared > 1)
        size->spread = TLB_SPARSE;
    const struct series *spread = ladder(task, size->spread);
    size_t off = tlb_departure(spread, packed, 0, tlb_least_cost);
    if (off >= spread->point_count || off < 2)
        return false;
    return plan_fine(task, 0, spread->points[off - 2].x, ceil(spread->points[off].x * 1.15));
}

static bool after_first(struct probe_task *task, double entries)
{
    struct tlb_state *state = task->state;
    struct tlb_size *size = current(state);
    const struct series *spread = ladder(task, size->spread), *packed = ladder(task, TLB_PACKED);
    size_t from = 0;
    if (size->page_bytes >= tlb_huge_least)
        return false;
    while (from < spread->point_count && spread->points[from].x < 1.4 * entries)
        from++;
    size_t off = tlb_departure(spread, packed, from, 2 * tlb_least_cost);
    if (off + 1 >= spread->point_count || off < 2)
        return false;
    return plan_fine(task, 1, spread->points[off - 2].x, ceil(spread->points[off + 1].x * 1.15));
}

/* Each trial's vote: the most pages without a TLB miss; NAN: no vote. Returns the number of
 * votes. */
static size_t poll_trials(const struct probe_task *task, double *answers)
{
    const struct tlb_state *state = task->state;
    const struct plan *plan = &task->plan;
    const struct series *packed = ladder(task, TLB_PACKED);
    const size_t count = plan->point_count;
    double costs[STAGE_POINTS + 2], scratch[2 * (STAGE_POINTS + 2)];
    size_t answered = 0;
    for (unsigned trial = 0; trial < state->values.trials; trial++) {
        struct step step;
        bool whole = true;
        for (size_t i = 0; i < count; i++) {
            costs[i] =
                trial_value(&state->values, i, trial) - tlb_packed(packed, plan->points[i].x);
            whole = whole && isfinite(costs[i]);
        }
        bool found = whole && step_find(costs, count, tlb_least_cost, &step, scratch);
        answers[trial] = found ? plan->points[step.last].x : NAN;
        answered += found;
    }
    return answered;
}

/* Narrows the range around the trials' votes until the step is 1 (in the second level a few
 * percent, so that the range keeps the whole rise); then keeps the votes. */
static bool after_fine(struct probe_task *task, int level)
{
    struct tlb_state *state = task->state;
    double answers[STEP_TRIALS], sorted[STEP_TRIALS], entries = NAN;
    const unsigned trials = state->values.trials;
    size_t answered = poll_trials(task, answers), n = 0;
    for (unsigned i = 0; i < trials; i++)
        if (!isnan(answers[i]))
            sorted[n++] = answers[i];
    if (answered) {
        entries = median_of(sorted, n);
    }
    double step = state->step;
    if (answered && step > (level ? fmax(1, entries / 24) : 1)) {
        /* The series of the coarser look stays in the document. */
        double from = fmax(TLB_PAGES_LEAST, sorted[0] - step - (double)BRACKET_MARGIN);
        return plan_fine(task, level, from, sorted[n - 1] + 2 * step + 2 * BRACKET_MARGIN);
    }
    const unsigned rounds = trial_values_rounds(&state->values);
    const int index =
        add_series(task, tlb_vote_names[level], current(state), tlb_vote_look, trials);
    build_factor(task, (unsigned)index, "trials", rounds);
    for (unsigned i = 0; i < trials; i++)
        if (!isnan(answers[i]))
            trial_series_tell(&task->plan.series[index], i, &answers[i], 1);
    /* If the trials do not agree on the first level, as findings_tlb() judges it, the second can't
     * be located. */
    double scratch[STEP_TRIALS];
    struct vote vote;
    for (size_t i = n; i < rounds; i++)
        sorted[i] = NAN;
    return level == 0 && vote_count(sorted, rounds, &vote, scratch) && after_first(task, entries);
}

bool tlb_plan_next(struct probe_task *task)
{
    const struct tlb_state *state = task->state;
    return state->look == TLB_LADDER ? after_ladder(task)
                                     : after_fine(task, state->look == TLB_SECOND);
}
