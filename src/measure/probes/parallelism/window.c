/*
 * How far ahead of a load that waits for memory the processor sees: two independent chases, and
 * between a load of the one and the next of the other a number of instructions. While both loads
 * fit the window of instructions under way, a pair takes the time of one miss; when the second no
 * longer enters it, the time of two.
 *
 * The method is Henry Wong's ("Measuring Reorder Buffer Capacity", 2013). Instructions that do
 * nothing find the window itself; additions may run out of registers before it, and loads out of
 * places in the load queue.
 */
#include "measure/kernels/window.h"
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/chase/chain_ring.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/probe.h"
#include "measure/probes/parallelism/window_steps.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_FILLERS = 32,
    AROUND = 24,      /* counts looked at on both sides of where the step was seen, at least */
    RING_PARTS = 256, /* each point of a round goes through a part of the ring of its own */
};
/* Where the step's interval is wider than this, the step is unknown. */
static const double widest = 0.05;
/* Where a smaller share of the trials saw a step, those that saw one were disturbed. */
static const double noticed = 0.25;

static const struct {
    const char *name, *finding, *text;
    unsigned own; /* instructions of the loop that count as fillers do, with both loads */
} fillers[WINDOW_FILLERS] = {
    [WINDOW_NOP] = {"nop", "window.nop",
                    "instructions under way at once, with nops between two misses; some processors "
                    "join nops or drop them, and then this is too many",
                    2},
    [WINDOW_ADD] =
        {"add", "window.add",
         "instructions under way at once that each write a register (on x86-64 the flags "
         "as well, of which fewer may be kept): additions between two misses",
         2},
    [WINDOW_LOAD] = {"load", "window.load",
                     "loads under way at once, with loads that hit between two misses", 2},
};
enum { COARSE, FINE };
static const char *const looks[] = {"coarse", "around the step"};
static const char *const filler_names[] = {"all", "nop", "add", "load", NULL};

struct window_state {
    const struct seat *seat;
    struct chase_level level;
    struct chain_ring ring;
    struct trial_values values;
    int coarse[WINDOW_FILLERS], fine[WINDOW_FILLERS]; /* series; -1: none */
    struct window_steps seen[WINDOW_FILLERS];         /* by the coarse ones */
    double most;
    bool refined; /* the second stage was planned */
};

static const struct option_spec options[] = {
    {"filler", 0, OPTION_CHOICE, "KIND", "all", 0, 0, filler_names,
     "what stands between two misses: nop, which does nothing; add, which takes a register each; "
     "load, which takes a place in the load queue; or all of these in turn"},
    {"to", 0, OPTION_INTEGER, "N", "1024", LEAST_FILLERS, WINDOW_FILLERS_MOST, NULL,
     "most of them between two misses"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {.name = NULL},
};

/* --- planning --- */

static void plan_stage(struct probe_task *task)
{
    const struct window_state *state = task->state;
    struct plan *plan = &task->plan;
    plan->pages = (enum page_policy)settings_choice(task->settings, "pages");
    plan->touch_cpu = state->seat->cpu;
    plan->trials_min = plan->trials_max = WINDOW_TRIALS;
    /* Short, so that a trial keeps to its part of the ring. */
    plan->batches = 3;
    plan->batch_ns = 100e3;
    plan->span_s = settings_has(task->settings, "quick") ? 0 : 0.5;
    plan->share = 0.6;
    /* Between one miss's time and two a point need not be finer. */
    if (!settings_has(task->settings, "precision"))
        plan->precision = 0.25;
}

static int add_series(struct probe_task *task, enum window_filler filler, const char *look,
                      struct error *error)
{
    struct factor *factors = pool_alloc(task->pool, 3, sizeof *factors);
    const struct window_state *state = task->state;
    char size[UNIT_TEXT];
    size_format((double)state->ring.bytes, size);
    factors[0] = (struct factor){"filler", fillers[filler].name, 0};
    factors[1] = (struct factor){"look", look, 0};
    factors[2] = (struct factor){"working set", pool_strdup(task->pool, size), 0};
    struct series series = {
        .name = pool_printf(task->pool, "%s between two misses", fillers[filler].name),
        .factors = factors,
        .factor_count = 3,
        .x = {"fillers", ""},
        .y = {"time per pair", "ns"}};
    return trial_series_add(task, &series, 0, error);
}

static int add_point(struct probe_task *task, int series, enum window_filler filler, double x,
                     struct error *error)
{
    const struct window_state *state = task->state;
    struct plan *plan = &task->plan;
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    *point = (struct plan_point){.series = (unsigned)series,
                                 .x = x,
                                 .seats = state->seat,
                                 .seat_count = 1,
                                 .arena_bytes = chain_ring_arena_bytes(&state->ring),
                                 .index = filler};
    return 0;
}

/* 4, 8, ... 32, then steps that grow with the count. */
static double next_count(double x)
{
    return x < 32 ? x + 4 : x < 128 ? x + 16 : x + 32;
}

static int plan_coarse(struct probe_task *task, struct error *error)
{
    struct window_state *state = task->state;
    const int wanted = settings_choice(task->settings, "filler");
    int code = 0;
    plan_stage(task);
    for (int filler = 0; filler < WINDOW_FILLERS && code == 0; filler++) {
        if (wanted && wanted != filler + 1)
            continue;
        int series = add_series(task, (enum window_filler)filler, looks[COARSE], error);
        state->coarse[filler] = series;
        code = series < 0 ? series : 0;
        for (double x = 4; x <= state->most && code == 0; x = next_count(x))
            code = add_point(task, series, (enum window_filler)filler, x, error);
    }
    return code < 0 ? code : trial_values_reserve(&state->values, &task->plan, task->pool, error);
}

static void plan_window(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct window_state *state = pool_alloc(task->pool, 1, sizeof *state);
    struct chase_level levels[CHASE_LEVELS_MAX];
    task->state = state;
    if (!window_kernels[WINDOW_NOP]) {
        task->result->status = PROBE_SKIPPED;
        task->result->reason = "there is no loop for this architecture yet, and a compiler's would "
                               "have other instructions in between";
        return (void)pool_check(task->pool, 0);
    }
    const struct chases chases = chases_make(task->machine);
    const size_t count = chases_levels(task, NULL, levels);
    int code = chases_seat(task, &state->seat, error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    if (!count || !levels[count - 1].last)
        return (void)pool_check(
            task->pool,
            error_set(error, ERROR_IMPOSSIBLE,
                      "there is no memory for a working set beyond the caches, and nearer misses "
                      "are over before the window is full: free memory"));
    state->level = levels[count - 1];
    state->ring = (struct chain_ring){.bytes = (size_t)state->level.bytes,
                                      .line_bytes = chases.line_bytes,
                                      .settled_bytes = chases.settled_bytes};
    state->most = settings_number(task->settings, "to");
    for (int i = 0; i < WINDOW_FILLERS; i++) {
        state->coarse[i] = state->fine[i] = -1;
    }
    return (void)pool_check(task->pool, plan_coarse(task, error));
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
    chain_ring_settle_once(&state->ring, places, turn, 2);
}

static void observe_window(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct window_state *state = task->state;
    trial_values_keep(&state->values, &task->plan, seen);
}

static bool next_window(struct probe_task *task, const struct stage_outcome *outcome,
                        unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct window_state *state = task->state;
    int code = 0;
    (void)outcome;
    if (stage > 1)
        return pool_check(task->pool, 0) > 0;
    for (int i = 0; i < WINDOW_FILLERS; i++)
        state->seen[i] = window_steps_of(&state->values, &task->plan, state->coarse[i]);
    state->refined = true;
    probe_plan_clear(task);
    plan_stage(task);
    task->plan.share = 1;
    for (int i = 0; i < WINDOW_FILLERS && code == 0; i++) {
        if (!window_steps_agree(&state->seen[i]))
            continue;
        /* Whole instructions; and as far as the points that the step was seen between. */
        const double at = floor((double)state->seen[i].at.median);
        const double around = fmax(AROUND, next_count(at) - at);
        int series = add_series(task, (enum window_filler)i, looks[FINE], error);
        state->fine[i] = series;
        code = series < 0 ? series : 0;
        const double from = fmax(16, at - around), to = fmin(state->most, at + around);
        for (double x = 4; x <= 12 && code == 0; x += 4)
            code = add_point(task, series, (enum window_filler)i, x, error);
        for (double x = from; x <= to && code == 0; x++)
            code = add_point(task, series, (enum window_filler)i, x, error);
    }
    if (code == 0)
        code = trial_values_reserve(&state->values, &task->plan, task->pool, error);
    return pool_check(task->pool, code < 0 ? code : task->plan.point_count > 0) > 0;
}

/* --- concluding --- */

/* What the trials answered of each filler, in both looks: findings are read off these and off the
 * flags of the points around the step. */
static const char concluded_name[] = "step by trial";
static int tell_steps(struct probe_task *task, enum window_filler filler, int look,
                      const struct window_steps *steps, struct error *error)
{
    struct factor *factors = pool_alloc(task->pool, 3, sizeof *factors);
    /* Nops that the loop has of its own depend on the processor. */
    const double own = fillers[filler].own + (filler == WINDOW_NOP ? window_between : 0);
    factors[0] = (struct factor){"filler", fillers[filler].name, 0};
    factors[1] = (struct factor){"look", looks[look], 0};
    factors[2] = (struct factor){"loop's own", NULL, own};
    return trial_series_conclude(task,
                                 &(struct series){.name = concluded_name,
                                                  .factors = factors,
                                                  .factor_count = 3,
                                                  .x = {"trials", ""},
                                                  .y = {"fillers", ""}},
                                 steps->voted, &steps->at, error);
}

static void conclude_window(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    const struct window_state *state = task->state;
    int code = 0;
    (void)outcome;
    for (int i = 0; i < WINDOW_FILLERS && code == 0 && state->refined; i++) {
        const struct window_steps fine =
            window_steps_of(&state->values, &task->plan, state->fine[i]);
        if (state->coarse[i] < 0)
            continue;
        code = tell_steps(task, (enum window_filler)i, COARSE, &state->seen[i], error);
        if (code == 0 && state->fine[i] >= 0)
            code = tell_steps(task, (enum window_filler)i, FINE, &fine, error);
    }
    return (void)pool_check(task->pool, code);
}

static unsigned flags_of(const struct series *series)
{
    unsigned flags = 0;
    for (size_t i = 0; series && i < series->point_count; i++)
        flags |= series->points[i].flags;
    return flags;
}

static const struct series *series_of(const struct analysis *analysis, const char *name,
                                      const char *filler, const char *look)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if ((!name || strcmp(series->name, name) == 0) &&
            strcmp(analysis_factor(series, "filler"), filler) == 0 &&
            strcmp(analysis_factor(series, "look"), look) == 0)
            return series;
    }
    return NULL;
}

/* NULL: that look was not taken. */
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

/* Why there is no number. That no step was seen is an answer; everything else is a doubt. */
static struct finding *add_unknown(struct analysis *analysis, enum window_filler filler,
                                   const struct window_steps *coarse,
                                   const struct window_steps *fine)
{
    const struct window_steps *last = fine ? fine : coarse;
    struct finding *finding = analysis_add(analysis, fillers[filler].finding, "");
    if (!finding)
        return NULL;
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
    return finding;
}

static int add_step(struct analysis *analysis, enum window_filler filler, struct error *error)
{
    const char *name = fillers[filler].name;
    const struct series *coarse_concluded =
                            series_of(analysis, concluded_name, name, looks[COARSE]),
                        *fine_concluded = series_of(analysis, concluded_name, name, looks[FINE]),
                        *curve = series_of(analysis, NULL, name, looks[FINE]);
    if (!coarse_concluded)
        return (analysis_keep(analysis, fillers[filler].finding,
                              "the document does not hold the values of the trials"),
                0);
    const struct window_steps coarse = steps_concluded(coarse_concluded),
                              fine = steps_concluded(fine_concluded);
    const struct factor *own = series_factor(coarse_concluded, "loop's own");
    const size_t first = analysis->result->finding_count;
    struct finding *finding;
    if (!fine_concluded || !own || !window_steps_agree(&fine)) {
        finding = add_unknown(analysis, filler, &coarse, fine_concluded ? &fine : NULL);
    } else {
        /* The trials' own answers show how sure the step is. */
        const unsigned wide = FLAG_BIT(FLAG_UNCONVERGED);
        unsigned flags = flags_of(curve) & ~(wide | FLAG_BIT(FLAG_TOO_FEW));
        flags |= summary_half_width(&fine.at) > widest ? wide : 0;
        finding = finding_add_value(analysis->result, analysis->pool, fillers[filler].finding, "",
                                    (double)fine.at.median + own->number,
                                    (double)fine.at.low + own->number,
                                    (double)fine.at.high + own->number, flags);
        if (finding)
            finding->text = fillers[filler].text;
        if (curve)
            analysis_read_off(analysis, first, curve);
    }
    return finding && finding->text ? 0 : error_out_of_memory(error);
}

static void analyse_window(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    int code = 0;
    for (int i = 0; i < WINDOW_FILLERS && code == 0; i++)
        code = add_step(analysis, (enum window_filler)i, error);
    return (void)pool_check(analysis->pool, code);
}

/* What decides which experiment a finding is of, and what its name alone stands for. */
static const struct standard experiment[] = {
    {"filler", STANDARD_NAMED, NULL, 0},
    {"look", STANDARD_NAMED, NULL, 0},
    {"working set", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

static const struct finding_line finding_lines[] = {
    {.patterns = "window.*",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "How many such instructions fit between two misses that still overlap: how far "
                "past a waiting load the processor works on.",
     .moves = "A busy hardware thread of the same core may halve it. Processors that join two "
              "instructions into one place, or drop some early, show more.",
     .advice = "Bring independent misses nearer together than that, or prefetch."},
    {.patterns = NULL},
};

const struct probe window_probe = {
    .name = "window",
    .place = 130,
    .title = "Instructions under way at once",
    .summary = "how far past a load that waits the processor works on",
    .about =
        "While a load waits for memory, the processor works on what follows, as far as its window "
        "reaches (the reorder buffer). Here two loads miss, and ever more instructions stand "
        "between them: as long as the second one enters the window, both wait together and a pair "
        "takes the time of one miss; beyond that, of two. The count at the step is how many "
        "instructions the processor holds.\n"
        "Nops take a place in the window and nothing else. Additions also take a register each, "
        "and "
        "loads a place in the load queue, so their step comes earlier where these run out first.\n"
        "What moves it: a busy hardware thread of the same core, which on many processors halves "
        "the window; and how instructions are counted, because some processors join two into one "
        "place or drop nops early. So read it as what programs can count on.",
    .weight = 0,
    .quick = false,
    .options = options,
    .findings = {finding_lines, experiment},
    .plan = plan_window,
    .prepare = prepare_window,
    .observe = observe_window,
    .next = next_window,
    .conclude = conclude_window,
    .analyse = analyse_window,
};
