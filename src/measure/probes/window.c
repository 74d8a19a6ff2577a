/*
 * How many instructions the processor looks ahead of a load that waits for memory: loads of two
 * independent chases alternate, with a number of filler instructions between them. While both loads
 * fit the window of instructions in flight, a pair takes the time of one miss; when the second no
 * longer fits, it takes the time of two.
 *
 * The method is Henry Wong's ("Measuring Reorder Buffer Capacity", 2013). Nops show the window
 * itself; additions may run out of physical registers first, and loads out of load-queue entries.
 */
#include "measure/kernels/window.h"
#include "base/units.h"
#include "document/flag.h"
#include "measure/probes/chase/chain_ring.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/trial_values.h"
#include "measure/probes/kit/build.h"
#include "stats/curve.h"
#include "stats/order.h"

#include <math.h>

enum {
    LEAST_FILLERS = 32,
    AROUND = 24,      /* the fewest counts measured on each side of the coarse step */
    RING_PARTS = 256, /* each point of a round goes through another part of the ring */
};
/* The step is unknown if its interval is wider than this share of it. */
static const double widest = 0.05;
/* If a smaller share of the trials saw a step, those trials were disturbed. */
static const double noticed = 0.25;

static const struct {
    const char *name, *finding, *text;
    unsigned own; /* instructions of the loop, both loads included, that use the same resource as
                     the fillers */
} fillers[WINDOW_FILLERS] = {
#include "window.texts.h"
};
enum { COARSE, FINE };
static const char *const looks[] = {"coarse", "around the step"};

enum {
    WINDOW_TRIALS = 11,
    WINDOW_LEAST_VOTERS = 3, /* fewer can't outvote a disturbed trial */
};

struct window_steps {
    struct summary at; /* fillers up to which both misses overlap, of the trials that saw a step */
    unsigned voted, saw;
};

struct window_state {
    const struct seat *seat;
    struct chain_ring ring;
    struct trial_values values;
    int coarse[WINDOW_FILLERS], fine[WINDOW_FILLERS]; /* series; -1: none */
    struct window_steps seen[WINDOW_FILLERS];         /* by the coarse series */
    double most;
    bool refined; /* the second stage was planned */
};

struct window_options {
    struct setting filler, to, pages, cpu;
};

#include "window.help.h"

/* --- votes: each trial votes for the step that it saw, or for none --- */

enum {
    FLOOR_POINTS = 3, /* the points with the fewest fillers show the least time of a pair */
    POINTS_MOST = 96,
};
/* Relative speed of a pair halfway between one miss's time and two. */
static const double step_level = 1 / 1.5;
/* A curve that rises to less than this multiple has no window step: something else took the
 * time. */
static const double least_top = 1.6;

struct curve {
    double x[POINTS_MOST], time[POINTS_MOST];
    size_t n;
};

/* Fills the trial's curve; false if it has too few values. */
static bool fill_curve(const struct trial_values *values, const struct plan *plan, int series,
                       unsigned trial, struct curve *curve)
{
    size_t known = 0;
    curve->n = 0;
    for (size_t i = 0; i < plan->point_count && curve->n < POINTS_MOST; i++) {
        if ((int)plan->points[i].series != series)
            continue;
        const double time = trial_value(values, i, trial);
        if (isnan(time) && curve->n < FLOOR_POINTS)
            return false;
        known += isnan(time) ? 0 : 1;
        curve->x[curve->n] = plan->points[i].x;
        curve->time[curve->n++] = time;
    }
    return curve->n > FLOOR_POINTS && 2 * known > curve->n;
}

/* Reads a series (-1: none) of the plan. Its points have ascending x, and the first ones show the
 * least time of a pair. A trial votes if it has these and most of the others. */
static struct window_steps steps_of(const struct trial_values *values, const struct plan *plan,
                                    int series)
{
    double found[WINDOW_TRIALS];
    struct curve curve;
    struct window_steps steps = {.at = summary_of_nothing()};
    for (unsigned trial = 0; series >= 0 && trial < WINDOW_TRIALS; trial++) {
        if (!fill_curve(values, plan, series, trial, &curve))
            continue;
        /* Fillers beyond which a pair takes two misses' time; NAN where the curve has no such step.
         */
        double speed[POINTS_MOST], least[FLOOR_POINTS], top = 0;
        for (size_t i = 0; i < FLOOR_POINTS; i++)
            least[i] = curve.time[i];
        const double floor_value = median_of(least, FLOOR_POINTS);
        for (size_t i = 0; i < curve.n; i++) {
            top = fmax(top, curve.time[i] / floor_value);
            speed[i] = floor_value / curve.time[i];
        }
        const double step =
            top >= least_top ? crossing_down(curve.x, speed, curve.n, step_level) : NAN;
        steps.voted++;
        if (isfinite(step))
            found[steps.saw++] = floor(step);
    }
    if (steps.saw)
        summarize(found, steps.saw, found, &steps.at);
    return steps;
}

/* Whether enough trials voted and more than half of them saw a step. */
static bool steps_agree(const struct window_steps *steps)
{
    return steps->voted >= WINDOW_LEAST_VOTERS && 2 * steps->saw > steps->voted;
}

/* --- planning --- */

static void plan_stage(struct probe_task *task)
{
    const struct window_state *state = task->state;
    const struct window_options *asked = task->options;
    /* The precision is enough to tell one miss's time from two. */
    struct plan *plan =
        probe_plan_begin(task, state->seat->cpu, (enum page_policy)asked->pages.choice, 0.25);
    plan->trials_min = plan->trials_max = WINDOW_TRIALS;
    /* Short, so that a trial stays in its part of the ring. */
    plan->batches = 3;
    plan->batch_ns = 100e3;
    plan->span_s = task->common.quick.has ? 0 : 0.5;
    plan->share = 0.6;
}

static int add_series(struct probe_task *task, enum window_filler filler, int look)
{
    const struct window_state *state = task->state;
    const unsigned series =
        build_series(task, (struct series){.name = pool_printf(task->pool, "%s between two misses",
                                                               fillers[filler].name),
                                           .x = {"fillers", ""},
                                           .y = {"time per pair", "ns"}});
    build_factor_text(task, series, "filler", fillers[filler].name);
    build_factor_text(task, series, "look", looks[look]);
    build_factor_text(task, series, "working set",
                      size_text(task->pool, (double)state->ring.bytes));
    return (int)series;
}

static void add_point(struct probe_task *task, int series, int filler, double x)
{
    const struct window_state *state = task->state;
    struct plan_point *point =
        build_point(task, (unsigned)series, x, &state->seat->cpu, 1, MEASURED);
    point->arena_bytes = chain_ring_arena_bytes(&state->ring);
    point->index = (size_t)filler;
}

/* 4, 8, ... 32, then steps that grow with the count. */
static double next_count(double x)
{
    return x < 32 ? x + 4 : x < 128 ? x + 16 : x + 32;
}

/* --- measuring --- */

static void prepare_window(struct trial *trial)
{
    const struct window_state *state = trial->probe_state;
    const size_t part = (size_t)(trial->point - trial->plan->points) % RING_PARTS;
    const double turn =
        (double)part / (double)RING_PARTS / 2; /* the other half is the second chase's */
    struct chain_places *places = chain_ring_places(&state->ring, trial);
    struct worker *worker = &trial->workers[0];
    struct window *window = (struct window *)worker->room;
    *window = (struct window){
        {chain_ring_start(places, turn, 0, 2), chain_ring_start(places, turn, 1, 2)},
        (uint64_t)trial->point->x,
        &window->fillers};
    worker->run = window_kernels[trial->point->index];
    worker->state = window;
    trial->operations = 1;
    chain_ring_settle_once(&state->ring, trial->arena, turn, 2);
}

/* --- findings --- */

/* Series of the trials' steps by filler and look: findings are read off these and off the flags of
 * the points around the step. */
static const char concluded_name[] = "step by trial";

static void tell_steps(struct probe_task *task, int filler, int look,
                       const struct window_steps *steps)
{
    /* How many nops the loop itself has depends on the processor. */
    const double own = fillers[filler].own + (filler == WINDOW_NOP ? window_between : 0);
    struct factor *factors = pool_alloc(task->pool, 3, sizeof *factors);
    factors[0] = (struct factor){"filler", .text = fillers[filler].name};
    factors[1] = (struct factor){"look", .text = looks[look]};
    factors[2] = (struct factor){"loop's own", .number = own};
    const struct series like = {.name = concluded_name,
                                .factors = factors,
                                .factor_count = 3,
                                .x = {"trials", ""},
                                .y = {"fillers", ""}};
    trial_series_conclude(task, &like, steps->voted, &steps->at);
}

static const struct series *series_of(const struct analysis *analysis, const char *name,
                                      const char *filler, const char *look)
{
    const struct factor with[] = {{"filler", filler, NAN}, {"look", look, NAN}, {.name = NULL}};
    return series_find(analysis->result->series, analysis->result->series_count, name, with);
}

/* `concluded` is NULL if that look was not measured. */
static struct window_steps steps_concluded(const struct series *concluded)
{
    struct window_steps steps = {.at = summary_of_nothing()};
    if (concluded && concluded->point_count) {
        steps.at = concluded->points[0].y;
        steps.voted = (unsigned)analysis_count(concluded->points[0].x);
        steps.saw = steps.at.n;
    }
    return steps;
}

/* Why there is no number. "No step was seen" is a result; every other reason is a doubt. */
static void add_unknown(struct analysis *analysis, const char *name,
                        const struct window_steps *coarse, const struct window_steps *fine)
{
    const struct window_steps *last = fine ? fine : coarse;
    struct finding *finding = analysis_add(analysis, name, "");
    if (last->voted < WINDOW_LEAST_VOTERS) {
        finding->flags = FLAG_BIT(FLAG_TOO_FEW);
        finding->text = pool_printf(analysis->pool,
                                    "not found: only %u trial%s finished, and %d are needed; give "
                                    "it time (a larger --budget)",
                                    last->voted, last->voted == 1 ? "" : "s", WINDOW_LEAST_VOTERS);
    } else if (last == fine || last->saw >= noticed * last->voted) {
        finding->flags = FLAG_BIT(FLAG_UNSTABLE);
        finding->text = pool_printf(
            analysis->pool,
            "not found: a step was seen near %.0f, but the trials do not agree: %u of %u saw it",
            (double)(last->saw ? last : coarse)->at.median, last->saw, last->voted);
    } else {
        finding->text = pool_printf(analysis->pool,
                                    "not found: up to %.0f between two misses, no step from one "
                                    "miss's time to two",
                                    analysis_number(analysis, "to"));
    }
    analysis_read_off(analysis, NULL);
}

static void add_step(struct analysis *analysis, int filler)
{
    const char *name = fillers[filler].name;
    const struct series *coarse_concluded =
                            series_of(analysis, concluded_name, name, looks[COARSE]),
                        *fine_concluded = series_of(analysis, concluded_name, name, looks[FINE]),
                        *curve = series_of(analysis, NULL, name, looks[FINE]);
    if (!coarse_concluded) {
        analysis_keep(analysis, fillers[filler].finding,
                      "the document does not hold the values of the trials");
        return;
    }
    const struct window_steps coarse = steps_concluded(coarse_concluded),
                              fine = steps_concluded(fine_concluded);
    const struct factor *own = series_factor(coarse_concluded, "loop's own");
    if (!fine_concluded || !own || !steps_agree(&fine)) {
        add_unknown(analysis, fillers[filler].finding, &coarse, fine_concluded ? &fine : NULL);
        return;
    }
    /* The spread of the trials' steps shows how precise the step is. */
    const unsigned wide = FLAG_BIT(FLAG_UNCONVERGED);
    unsigned flags = series_flags(curve) & ~(wide | FLAG_BIT(FLAG_TOO_FEW));
    flags |= summary_half_width(&fine.at) > widest ? wide : 0;
    analysis_add_value(analysis, fillers[filler].finding, "",
                       (struct interval){(double)fine.at.median + own->number,
                                         (double)fine.at.low + own->number,
                                         (double)fine.at.high + own->number},
                       flags)
        ->text = fillers[filler].text;
    if (curve)
        analysis_read_off(analysis, curve);
}

#include "window.findings.h"

/* --- plan, next, conclude, analyse --- */

static void plan_window(struct probe_task *task)
{
    struct window_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct window_options *asked = task->options;
    struct chase_level levels[CHASE_LEVELS_MAX];
    if (!window_kernels[WINDOW_NOP]) {
        build_skip(task, "there is no loop for this architecture yet, and a compiler's would have "
                         "other instructions in between");
        return;
    }
    const struct chases chases = chases_make(task);
    state->seat = chases_seat(task, &asked->cpu);
    const size_t count = chases_levels(task, state->seat->cpu, NULL, levels);
    if (!count || !levels[count - 1].last)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "there is no memory for a working set beyond the caches, and nearer misses are "
                   "over before the window is full: free memory");
    state->ring = (struct chain_ring){.bytes = (size_t)levels[count - 1].bytes,
                                      .line_bytes = chases.line_bytes,
                                      .settled_bytes = chases.settled_bytes};
    state->most = asked->to.number;
    plan_stage(task);
    for (int filler = 0; filler < WINDOW_FILLERS; filler++) {
        state->coarse[filler] = state->fine[filler] = -1;
        if (asked->filler.choice && asked->filler.choice != filler + 1)
            continue;
        state->coarse[filler] = add_series(task, (enum window_filler)filler, COARSE);
        for (double x = 4; x <= state->most; x = next_count(x))
            add_point(task, state->coarse[filler], filler, x);
    }
    trial_values_reserve(task, &state->values, 0);
}

/* Plans every count around the step that the coarse look saw. */
static bool next_window(struct probe_task *task)
{
    struct window_state *state = task->state;
    if (task->stage > 1)
        return false;
    for (int i = 0; i < WINDOW_FILLERS; i++)
        state->seen[i] = steps_of(&state->values, &task->plan, state->coarse[i]);
    state->refined = true;
    plan_stage(task);
    task->plan.share = 1;
    for (int i = 0; i < WINDOW_FILLERS; i++) {
        if (!steps_agree(&state->seen[i]))
            continue;
        /* Whole instructions, at least up to the coarse points that enclose the step. */
        const double at = floor((double)state->seen[i].at.median);
        const double around = fmax(AROUND, next_count(at) - at);
        state->fine[i] = add_series(task, (enum window_filler)i, FINE);
        for (double x = 4; x <= 12; x += 4)
            add_point(task, state->fine[i], i, x);
        for (double x = fmax(16, at - around); x <= fmin(state->most, at + around); x++)
            add_point(task, state->fine[i], i, x);
    }
    trial_values_reserve(task, &state->values, 0);
    return task->plan.point_count > 0;
}

static void conclude_window(struct probe_task *task)
{
    const struct window_state *state = task->state;
    for (int i = 0; i < WINDOW_FILLERS && state->refined; i++) {
        const struct window_steps fine = steps_of(&state->values, &task->plan, state->fine[i]);
        if (state->coarse[i] >= 0)
            tell_steps(task, i, COARSE, &state->seen[i]);
        if (state->coarse[i] >= 0 && state->fine[i] >= 0)
            tell_steps(task, i, FINE, &fine);
    }
}

static void analyse_window(struct analysis *analysis)
{
    for (int i = 0; i < WINDOW_FILLERS; i++)
        add_step(analysis, i);
}

const struct probe window_probe = {
    .name = "window",
    .place = 130,
    .help = &help,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_window,
    .prepare = prepare_window,
    .observe = trial_values_observe,
    .next = next_window,
    .conclude = conclude_window,
    .analyse = analyse_window,
};
