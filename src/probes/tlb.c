/*
 * Address translation: chains of the same number of lines, spread one a page and packed into few
 * pages. What the spread one takes longer is translation; where that begins, a TLB is full.
 *
 * Saavedra and Smith, "Measuring cache and TLB performance and their effect on benchmark run
 * times", IEEE Trans. Computers 44(10), 1995, read TLBs off strided sweeps; here the packed chain
 * takes the caches out, so that a cache's end can't be told as a TLB's. Both orders are random, and
 * both chains fall alike on the sets of a cache (tlb_chain.c).
 *
 * First a ladder of sizes, then every number of pages around the first level's end and a grid
 * around the second's. Each trial says by itself how many pages it found translated, and the trials
 * vote: a busy sibling thread, which shares the TLB, makes them differ, and then there is no
 * number.
 */
#include "findings/tlb.h"
#include "kernels/chase.h"
#include "probes/chases.h"
#include "probes/probes.h"
#include "probes/tlb_chain.h"
#include "probes/trial_values.h"
#include "result/flag.h"
#include "stats/quantile.h"
#include "stats/step.h"

#include <math.h>
#include <stdio.h>

enum {
    PAGES_LEAST = 4,
    PAGES_MOST = 8192,
    HUGE_MOST = 128,
    SPARSE_MOST = 512,
    LADDER_TRIALS = 9,
    STEP_TRIALS = 11,
    STAGE_POINTS = 100, /* most sizes in a stage that refines */
    BRACKET_MARGIN = 8,
    SHARED_MOST = 8,
};
/* Arenas above it take too long to touch anew for every round. */
static const uint64_t arena_most = 256 << 20;
/* Cycles that a miss costs at least; no first level is backed by one that is nearer. */
static const double least_cost = 0.75;

static const char *const layout_names[TLB_LAYOUTS] = {"packed", "spread", "sparse"};

/* The stages of each page size. */
enum look { LADDER, FIRST, SECOND };

/* What one page size came to. */
struct size_state {
    uint64_t page_bytes;
    enum page_policy policy;
    char name[16];
    double most; /* pages */
    const char *unavailable;
    int ladder[TLB_LAYOUTS]; /* series; -1: none */
    int fine[2];             /* series by level: the spread chain around the level's end */
    int votes[2];            /* series; -1: no end in sight */
    enum tlb_layout spread;  /* what is refined: spread, or sparse */
    unsigned shared;
};
enum { SIZES_MAX = 2 };

struct tlb_state {
    const struct seat *seat;
    size_t line_bytes;
    struct size_state sizes[SIZES_MAX];
    size_t size_count, at;
    enum look look;
    double step; /* pages from one point to the next while refining */
    struct trial_values values;
};

static const char *const page_choices[] = {"all", "small", "huge", "huge1g", NULL};
enum page_choice { CHOICE_ALL, CHOICE_SMALL, CHOICE_HUGE, CHOICE_HUGE1G };

static const struct option_spec options[] = {
    {"pages", 0, OPTION_CHOICE, "WHICH", "all", 0, 0, page_choices,
     "page sizes to look at: small (the system's own), huge (2M on most machines), all of these, "
     "or huge1g, which must have been reserved"},
    {"to", 0, OPTION_INTEGER, "N", NULL, 16, 1 << 20, NULL,
     "most pages to touch (default: 8192 small ones, 128 huge ones, as far as memory goes)"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {.name = NULL},
};

/* --- planning --- */

static struct size_state *current(struct tlb_state *state)
{
    return &state->sizes[state->at];
}

/* Adds a curve over pages, or what trials answer where there is `room`: its index, or ERROR_SYSTEM.
 */
static int add_series(struct probe_task *task, const char *name, const struct size_state *size,
                      const char *look, size_t room, struct error *error)
{
    struct factor *factors = pool_alloc(task->pool, 2, sizeof *factors);
    if (!factors)
        return error_out_of_memory(error);
    factors[0] = (struct factor){"pages", size->name, 0};
    factors[1] = (struct factor){"look", look, 0};
    struct series series = {.name = name,
                            .factors = factors,
                            .factor_count = 2,
                            .x = {room ? "trial" : "pages", ""},
                            .y = {room ? "entries" : "latency", room ? "" : "ns"}};
    return trial_series_add(task, &series, room, error);
}

static struct tlb_chain chain_of(const struct tlb_state *state, enum tlb_layout layout,
                                 double pages)
{
    return (struct tlb_chain){.count = (size_t)pages,
                              .page_bytes = (size_t)state->sizes[state->at].page_bytes,
                              .line_bytes = state->line_bytes,
                              .layout = layout};
}

static int add_point(struct probe_task *task, int series, enum tlb_layout layout, double pages,
                     struct error *error)
{
    const struct tlb_state *state = task->state;
    struct plan *plan = &task->plan;
    struct tlb_chain chain = chain_of(state, layout, pages);
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    if (!point)
        return error_out_of_memory(error);
    point->series = (unsigned)series;
    point->x = pages;
    point->seats = state->seat;
    point->seat_count = 1;
    point->arena_bytes = tlb_chain_bytes(&chain);
    point->detail = (uint64_t)layout;
    return 0;
}

static void plan_stage(struct probe_task *task, unsigned trials)
{
    struct tlb_state *state = task->state;
    struct plan *plan = &task->plan;
    bool quick = settings_has(task->settings, "quick");
    probe_plan_afresh(task);
    plan->pages = current(state)->policy;
    plan->touch_cpu = state->seat->cpu;
    plan->trials_min = plan->trials_max = trials;
    plan->batches = 3;
    plan->batch_ns = 50e3;
    /* What a step needs to be seen; the trials are as many as vote. */
    plan->precision = fmax(plan->precision, 0.1);
    plan->span_s = quick ? 0 : 0.3;
    plan->share = 0.5; /* of the time left, as long as others may follow */
}

static int plan_ladder(struct probe_task *task, struct error *error)
{
    struct tlb_state *state = task->state;
    struct size_state *size = current(state);
    plan_stage(task, LADDER_TRIALS);
    state->look = LADDER;
    for (int layout = 0; layout < TLB_LAYOUTS; layout++) {
        /* Huge pages are never neighbours enough to share an entry. */
        if (layout == TLB_SPARSE && size->policy != PAGES_SMALL)
            continue;
        size->ladder[layout] = add_series(task, layout_names[layout], size, "ladder", 0, error);
        if (size->ladder[layout] < 0)
            return size->ladder[layout];
        double most = layout == TLB_SPARSE ? fmin(size->most / TLB_GROUP, SPARSE_MOST) : size->most;
        for (double exact = PAGES_LEAST; round(exact) <= most; exact *= M_SQRT2) {
            int code =
                add_point(task, size->ladder[layout], (enum tlb_layout)layout, round(exact), error);
            if (code < 0)
                return code;
        }
    }
    return trial_values_reserve(&state->values, &task->plan, task->pool, error);
}

static void page_name(uint64_t bytes, char *name, size_t room)
{
    char unit = bytes >> 30 ? 'G' : bytes >> 20 ? 'M' : 'K';
    unsigned shift = bytes >> 30 ? 30 : bytes >> 20 ? 20 : 10;
    snprintf(name, room, "%llu%c", (unsigned long long)(bytes >> shift), unit);
}

static void add_size(struct probe_task *task, uint64_t page_bytes, enum page_policy policy,
                     double most)
{
    struct tlb_state *state = task->state;
    struct size_state *size = &state->sizes[state->size_count++];
    uint64_t memory = machine_memory_budget(task->machine);
    *size = (struct size_state){.page_bytes = page_bytes,
                                .policy = policy,
                                .ladder = {-1, -1, -1},
                                .fine = {-1, -1},
                                .votes = {-1, -1},
                                .spread = TLB_SPREAD,
                                .shared = 1};
    page_name(page_bytes, size->name, sizeof size->name);
    bool asked = settings_has(task->settings, "to");
    if (asked)
        most = settings_number(task->settings, "to");
    if (!asked && memory > arena_most)
        memory = arena_most;
    size->most = fmin(most, (double)(memory / page_bytes));
}

static int plan_tlb(struct probe_task *task, struct error *error)
{
    struct tlb_state *state = pool_alloc(task->pool, 1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    task->state = state;
    state->line_bytes = machine_line_bytes(task->machine);
    int code = chases_seat(task, &state->seat, error);
    if (code < 0)
        return code;
    const struct machine_facts *facts = &task->machine->facts;
    uint64_t small = facts->page_size_count ? facts->page_sizes[0] : 4096;
    /* Linux's transparent huge page is one table's worth of small ones: eight bytes an entry. */
    uint64_t huge = small * (small / 8);
    int choice = settings_choice(task->settings, "pages");
    if (choice == CHOICE_ALL || choice == CHOICE_SMALL)
        add_size(task, small, PAGES_SMALL, PAGES_MOST);
    if (choice == CHOICE_ALL || choice == CHOICE_HUGE)
        add_size(task, huge, PAGES_AUTO, HUGE_MOST);
    if (choice == CHOICE_HUGE1G)
        add_size(task, UINT64_C(1) << 30, PAGES_HUGE1G, HUGE_MOST);
    if (state->sizes[0].most < 2 * PAGES_LEAST)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "there is memory for %.0f pages of %s, and a TLB holds more: free memory, "
                         "or look at smaller pages (--pages)",
                         state->sizes[0].most, state->sizes[0].name);
    return plan_ladder(task, error);
}

/* --- measuring --- */

static void prepare_tlb(struct trial *trial)
{
    const struct tlb_state *state = trial->probe_state;
    struct tlb_chain chain =
        chain_of(state, (enum tlb_layout)trial->point->detail, trial->point->x);
    chain.memory = trial->arena->memory;
    chain.seed = trial->seed;
    struct worker *worker = &trial->workers[0];
    struct chase *chase = (struct chase *)worker->room;
    chase->position = tlb_chain_build(&chain);
    /* Twice round, and TLBs and caches hold what they will. */
    chase_run(chase, 2 * chain.count / chase_steps + 1);
    worker->run = chase_run;
    worker->state = chase;
    trial->operations = chase_steps;
}

static void observe_tlb(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct tlb_state *state = task->state;
    trial_values_keep(&state->values, &task->plan, seen);
}

/* --- what comes next --- */

static const struct series *ladder(const struct probe_task *task, enum tlb_layout layout)
{
    const struct tlb_state *state = task->state;
    int index = state->sizes[state->at].ladder[layout];
    return index < 0 ? NULL : &task->plan.series[index];
}

/* Plans sizes from `from` to `to` around the end of level 0 or 1. */
static int plan_fine(struct probe_task *task, int level, double from, double to,
                     struct error *error)
{
    struct tlb_state *state = task->state;
    struct size_state *size = current(state);
    plan_stage(task, STEP_TRIALS);
    state->look = level ? SECOND : FIRST;
    to = fmin(to, size->most / (size->spread == TLB_SPARSE ? TLB_GROUP : 1));
    from = fmax(from, PAGES_LEAST);
    int most = level ? STAGE_POINTS / 2 : STAGE_POINTS;
    state->step = fmax(1, ceil((to - from) / most));
    const char *look = level ? "second level's end" : "first level's end";
    int series = add_series(task, layout_names[size->spread], size, look, 0, error);
    size->fine[level] = series;
    if (series < 0)
        return series;
    for (double pages = from; pages <= to; pages += state->step) {
        int code = add_point(task, series, size->spread, pages, error);
        if (code < 0)
            return code;
    }
    int code = trial_values_reserve(&state->values, &task->plan, task->pool, error);
    return code < 0 ? code : 1;
}

/* Whether neighbouring pages share an entry: then one page a group departs earlier, and how much is
 * a power of two. On a shared TLB or with odd sets the ladder can't tell, and nothing is claimed.
 */
static void look_for_sharing(struct probe_task *task)
{
    struct size_state *size = current(task->state);
    const struct series *spread = ladder(task, TLB_SPREAD), *sparse = ladder(task, TLB_SPARSE),
                        *packed = ladder(task, TLB_PACKED);
    if (!sparse)
        return;
    size_t alone = tlb_departure(sparse, packed, 0, least_cost);
    size_t side_by_side = tlb_departure(spread, packed, 0, least_cost);
    if (alone >= sparse->point_count || side_by_side >= spread->point_count)
        return;
    double ratio = spread->points[side_by_side].x / sparse->points[alone].x;
    for (unsigned shared = 2; shared <= SHARED_MOST; shared *= 2)
        if (fabs(log2(ratio / shared)) < 0.3) {
            size->shared = shared;
            size->spread = TLB_SPARSE;
        }
}

static int after_ladder(struct probe_task *task, struct error *error)
{
    struct tlb_state *state = task->state;
    struct size_state *size = current(state);
    const struct series *packed = ladder(task, TLB_PACKED);
    unsigned flags = 0;
    for (size_t i = 0; i < packed->point_count; i++)
        flags |= packed->points[i].flags;
    if (flags & FLAG_BIT(FLAG_SMALL_PAGES)) {
        size->unavailable = pool_printf(task->pool, "pages of %s can't be had here", size->name);
        return size->unavailable ? 0 : error_out_of_memory(error);
    }
    look_for_sharing(task);
    const struct series *spread = ladder(task, size->spread);
    size_t off = tlb_departure(spread, packed, 0, least_cost);
    if (off >= spread->point_count || off < 2)
        return 0;
    return plan_fine(task, 0, spread->points[off - 2].x, ceil(spread->points[off].x * 1.15), error);
}

static int after_first(struct probe_task *task, double entries, struct error *error)
{
    struct tlb_state *state = task->state;
    struct size_state *size = current(state);
    const struct series *spread = ladder(task, size->spread), *packed = ladder(task, TLB_PACKED);
    size_t from = 0;
    if (size->policy != PAGES_SMALL || isnan(entries))
        return 0;
    while (from < spread->point_count && spread->points[from].x < 1.4 * entries)
        from++;
    size_t off = tlb_departure(spread, packed, from, 2 * least_cost);
    if (off + 1 >= spread->point_count || off < 2)
        return 0;
    return plan_fine(task, 1, spread->points[off - 2].x, ceil(spread->points[off + 1].x * 1.15),
                     error);
}

/* Each trial's own answer: how many pages it found translated. Returns how many trials answered. */
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
        bool found = whole && step_find(costs, count, least_cost, &step, scratch);
        answers[trial] = found ? plan->points[step.last].x : NAN;
        answered += found;
    }
    return answered;
}

static int keep_votes(struct probe_task *task, int level, double *answers, unsigned trials,
                      struct error *error)
{
    struct size_state *size = current(task->state);
    int index = add_series(task, level ? "second level's vote" : "first level's vote", size,
                           "entries by trial", trials, error);
    size->votes[level] = index;
    if (index < 0)
        return index;
    for (unsigned i = 0; i < trials; i++)
        if (!isnan(answers[i]))
            trial_series_tell(&task->plan.series[index], i, &answers[i], 1);
    return 0;
}

/* Narrows the bracket around what the trials answered until the step is 1 (of the second level: a
 * few percent, and all of the rise stays in view); then keeps the votes. */
static int after_fine(struct probe_task *task, int level, struct error *error)
{
    struct tlb_state *state = task->state;
    double answers[STEP_TRIALS], sorted[STEP_TRIALS], entries = NAN;
    const unsigned trials = state->values.trials;
    size_t answered = poll_trials(task, answers), n = 0;
    for (unsigned i = 0; i < trials; i++)
        if (!isnan(answers[i]))
            sorted[n++] = answers[i];
    if (answered) {
        sort_ascending(sorted, n);
        entries = median(sorted, n);
    }
    double step = state->step;
    if (answered && step > (level ? fmax(1, entries / 24) : 1)) {
        /* The coarser look stays in the document. */
        double from = fmax(PAGES_LEAST, sorted[0] - step - BRACKET_MARGIN);
        return plan_fine(task, level, from, sorted[n - 1] + 2 * step + 2 * BRACKET_MARGIN, error);
    }
    int code = keep_votes(task, level, answers, trials, error);
    return code < 0 || level ? code : after_first(task, entries, error);
}

static int next_tlb(struct probe_task *task, const struct sampled *sampled, unsigned stage,
                    struct error *error)
{
    (void)sampled;
    (void)stage;
    struct tlb_state *state = task->state;
    int more = state->look == LADDER  ? after_ladder(task, error)
               : state->look == FIRST ? after_fine(task, 0, error)
                                      : after_fine(task, 1, error);
    while (more == 0 && ++state->at < state->size_count) {
        struct size_state *size = current(state);
        if (size->most < 4 * PAGES_LEAST) {
            size->unavailable = pool_printf(task->pool, "there is memory for %.0f pages of %s",
                                            size->most, size->name);
            continue;
        }
        more = plan_ladder(task, error) < 0 ? ERROR_SYSTEM : 1;
    }
    return more;
}

/* --- concluding --- */

static int conclude_tlb(struct probe_task *task, const struct sampled *sampled, struct error *error)
{
    (void)sampled;
    struct tlb_state *state = task->state;
    const struct series *series = task->result->series;
    int code = 0;
    for (size_t i = 0; i < state->size_count && code == 0; i++) {
        const struct size_state *size = &state->sizes[i];
        bool measured = size->ladder[size->spread] >= 0 && size->ladder[TLB_PACKED] >= 0;
        if (!measured && !size->unavailable)
            continue; /* the time was used up before */
        struct tlb_evidence evidence = {.page = size->name,
                                        .second_level = size->policy == PAGES_SMALL,
                                        .unavailable = size->unavailable,
                                        .shared = size->shared};
        if (measured) {
            evidence.spread = &series[size->ladder[size->spread]];
            evidence.packed = &series[size->ladder[TLB_PACKED]];
        }
        if (size->votes[0] >= 0)
            evidence.first = &series[size->votes[0]];
        if (size->votes[1] >= 0) {
            evidence.second = &series[size->votes[1]];
            evidence.fine_spread = &series[size->fine[1]];
        }
        code = findings_tlb(task->result, task->pool, &evidence, error);
    }
    return code;
}

const struct probe tlb_probe = {
    .name = "tlb",
    .title = "Address translation",
    .summary = "how many pages each TLB holds, and what an access beyond it costs",
    .about =
        "A TLB remembers where pages lie in memory. The same number of cache lines is chased "
        "twice, once a line a page and once packed together: the difference is translation. "
        "The number of entries times the page size is the memory that can be reached at random "
        "without that cost. Only a number that the trials agree on is reported.\n"
        "What moves it: page size; a busy hardware thread of the same core, which shares the "
        "TLB; and a hypervisor, whose own page size counts as well: where the host uses small "
        "pages, huge ones of a guest are split. Costs are beyond those of the caches; a walk "
        "reads page tables, so the more pages, the dearer.\n"
        "The second level with huge pages is not looked for: it reaches over gigabytes.",
    .weight = 4,
    .quick = false,
    .options = options,
    .plan = plan_tlb,
    .prepare = prepare_tlb,
    .observe = observe_tlb,
    .next = next_tlb,
    .conclude = conclude_tlb,
};
