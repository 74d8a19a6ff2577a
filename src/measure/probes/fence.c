/*
 * What operations cost that order memory: atomic read-modify-writes, fences, flushes of a line and
 * stores past the caches. Alone they are quick or slow by themselves; behind accesses that are
 * still on their way they take what they wait for, and then they cost much more.
 *
 * The same loops are measured without an operation: what it costs between a store and a load is the
 * difference, and behind other accesses the ratio.
 */
#include "measure/kernels/fence.h"
#include "base/units.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"

#include <math.h>
#include <string.h>

enum { LEAST_TRIALS = 6, FENCE_TRIALS = 11, WORD_BYTES = 4096, LINE = 64, OPEN_MOST = 16 };
/* Flushes of a batch: so many that those that are still queued as it ends are few; and the lines of
 * a set for each of them, of which three in a hundred then come twice. Sets of a first cache are
 * too small. */
enum { FLUSHES = 1024, FLUSHES_LEAST = 256, LINES_A_FLUSH = 16, FLUSH_BATCHES = 16 };
/* Flushes have two stages of their own: one for a single line, in long batches, because a queue of
 * flushes outlasts a short batch; and one for each level's lines, with as many flushes as the
 * smallest set has lines. */
enum { STAGE_SHORT, STAGE_FLUSHES, STAGE_LINES };
static const double flushes_ns = 200e3;
/* Each stage's share of the time that is left when it begins, and its most seconds, so that all
 * stages end within 20 s beside other programs. */
static const struct {
    double share, lasts_s;
} shares[] = {[STAGE_SHORT] = {0.6, 9}, [STAGE_FLUSHES] = {0.4, 4.5}, [STAGE_LINES] = {1, 5}};
/* What four accesses cost lies on the line between these. */
static const double open_counts[] = {1, OPEN_MOST};

static const char *const loop_names[FENCE_LOOPS] = {[FENCE_ALONE] = "one after the other",
                                                    [FENCE_AFTER] = "between a store and a load",
                                                    [FENCE_LINES] = "each on another line",
                                                    [FENCE_LOADS] = "behind loads from memory",
                                                    [FENCE_STORES] = "behind stores to memory"};

struct fence_options {
    struct setting op, pages, cpu;
};

#include "fence.help.h"

struct fence_state {
    const struct seat *seat;
    struct chase_level levels[CHASE_LEVELS_MAX];
    size_t level_count;
    size_t arena_bytes;
    unsigned stage;
    enum fence_loop *loops; /* of each series */
};

/* --- planning --- */

static struct plan_point *add_point(struct probe_task *task, unsigned series, double x, size_t op)
{
    const struct fence_state *state = task->state;
    struct plan_point *point = build_point(task, series, x, &state->seat->cpu, 1, MEASURED);
    point->arena_bytes = state->arena_bytes;
    point->index = op;
    return point;
}

/* Which loops tell something about an operation: a fence has no line of its own, and stores wait
 * for nothing and overlap. */
static bool loop_tells(enum fence_kind kind, enum fence_loop loop)
{
    switch (loop) {
    case FENCE_ALONE:
        return kind != FENCE_NOTHING;
    case FENCE_LINES:
        return kind == FENCE_ATOMIC || kind == FENCE_FLUSH;
    default:
        return kind != FENCE_STORE;
    }
}

static void plan_loop(struct probe_task *task, size_t op, enum fence_loop loop)
{
    const struct fence_state *state = task->state;
    const bool sized = loop == FENCE_LINES, behind = loop >= FENCE_LOADS;
    const struct chase_level *last = &state->levels[state->level_count - 1];
    if (behind && !last->last)
        return;
    const unsigned series = build_series(
        task,
        (struct series){
            .name = loop_names[loop],
            .headline = sized,
            .x = sized ? (struct axis){"working set", "B"}
                       : (struct axis){"accesses before each", ""},
            .y = {loop == FENCE_ALONE || sized ? "time per operation" : "time per turn", "ns"}});
    if (fence_ops[op].kind != FENCE_NOTHING)
        build_factor_text(task, series, "op", fence_ops[op].name);
    if (behind)
        build_factor_text(task, series, "working set", size_text(task->pool, (double)last->bytes));
    for (size_t i = 0; sized && i < state->level_count; i++)
        if (state->levels[i].bytes / LINE >= task->plan.repeats * LINES_A_FLUSH)
            add_point(task, series, (double)(state->levels[i].bytes / LINE * LINE), op);
    for (size_t i = 0; behind && i < sizeof open_counts / sizeof *open_counts; i++)
        add_point(task, series, open_counts[i], op);
    if (!sized && !behind)
        add_point(task, series, loop == FENCE_AFTER, op);
}

/* Parameters: the levels whose lines were operated on, with their working sets in bytes; and the
 * operations, each with its kind, its text and whether it orders stores before later loads. */
enum { OPERATION_WORDS = 4 };
static const char level_sets[] = "level_sets", operations[] = "operations";
/* As findings name them. */
static const char *const kinds[] = {[FENCE_STORE] = "stores",
                                    [FENCE_ATOMIC] = "atomics",
                                    [FENCE_ORDER] = "fences",
                                    [FENCE_FLUSH] = "flushes"};

/* `chosen`: the only operation, from 1; 0: all that there are. */
static bool is_measured(size_t op, size_t chosen)
{
    const struct fence_op *what = &fence_ops[op];
    return (!chosen || chosen - 1 == op || what->kind == FENCE_NOTHING) &&
           (!what->there || what->there());
}

static void note_operations(struct probe_task *task, size_t chosen)
{
    const struct fence_state *state = task->state;
    struct factor *list = build_note_list(task, operations);
    for (size_t op = 0; op < fence_op_count; op++)
        if (is_measured(op, chosen) && fence_ops[op].kind != FENCE_NOTHING) {
            build_word(task, list, fence_ops[op].name);
            build_word(task, list, kinds[fence_ops[op].kind]);
            build_word(task, list, fence_ops[op].text);
            build_element(task, list, fence_ops[op].full);
        }
    struct factor *sets = build_note_list(task, level_sets);
    for (size_t i = 0; i < state->level_count; i++) {
        build_word(task, sets, state->levels[i].name);
        build_element(task, sets, (double)(state->levels[i].bytes / LINE * LINE));
    }
}

/* As many as the smallest set allows that is large enough. */
static uint64_t flushes_of(const struct fence_state *state)
{
    uint64_t flushes = FLUSHES;
    for (size_t i = state->level_count; i-- > 0;) {
        const uint64_t here = state->levels[i].bytes / LINE / LINES_A_FLUSH;
        flushes = here >= FLUSHES_LEAST && here < flushes ? here : flushes;
    }
    return flushes;
}

static void plan_stage(struct probe_task *task, unsigned stage)
{
    struct fence_state *state = task->state;
    const struct fence_options *asked = task->options;
    const enum page_policy pages = (enum page_policy)asked->pages.choice;
    struct plan *plan = probe_plan_begin(task, state->seat->cpu, pages, 0);
    probe_plan_short_batches(plan, PROBE_TRIAL_NS);
    plan->trials_min = LEAST_TRIALS;
    plan->trials_max = FENCE_TRIALS;
    plan->batch_ns = stage == STAGE_FLUSHES ? flushes_ns : plan->batch_ns;
    plan->batches = stage == STAGE_FLUSHES ? FLUSH_BATCHES : plan->batches;
    plan->repeats = stage == STAGE_LINES ? flushes_of(state) : 0;
    plan->share = shares[stage].share;
    plan->lasts_s = task->common.thorough.has ? 0 : shares[stage].lasts_s;
    /* Operations in the same loop follow one another, so that they share a table and a chart. */
    for (enum fence_loop loop = 0; loop < FENCE_LOOPS; loop++)
        for (size_t op = 0; op < fence_op_count; op++) {
            const size_t before = plan->series_count;
            const enum fence_kind kind = fence_ops[op].kind;
            const unsigned measured_in = kind != FENCE_FLUSH   ? STAGE_SHORT
                                         : loop == FENCE_LINES ? STAGE_LINES
                                                               : STAGE_FLUSHES;
            if (is_measured(op, (size_t)asked->op.choice) && loop_tells(kind, loop) &&
                measured_in == stage)
                plan_loop(task, op, loop);
            if (plan->series_count > before)
                state->loops[before] = loop;
        }
}

/* The next stage from that one on that has something to measure. */
static bool plan_from(struct probe_task *task, unsigned stage)
{
    struct fence_state *state = task->state;
    for (state->stage = stage; state->stage <= STAGE_LINES; state->stage++) {
        plan_stage(task, state->stage);
        if (task->plan.point_count)
            return true;
    }
    return false;
}

static void plan_fence(struct probe_task *task)
{
    struct fence_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct fence_options *asked = task->options;
    const size_t chosen = (size_t)asked->op.choice;
    if (chosen && !is_measured(chosen - 1, chosen))
        return build_skip(
            task, pool_printf(task->pool, "this processor has no %s", fence_ops[chosen - 1].name));
    state->seat = chases_seat(task, &asked->cpu);
    state->level_count = chases_levels(task, state->seat->cpu, NULL, state->levels);
    if (!state->level_count)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "there is no memory for a working set: free memory");
    state->arena_bytes = WORD_BYTES + (size_t)state->levels[state->level_count - 1].bytes;
    state->loops = pool_alloc(task->pool, fence_op_count * FENCE_LOOPS, sizeof *state->loops);
    note_operations(task, chosen);
    plan_from(task, STAGE_SHORT);
}

static bool next_fence(struct probe_task *task)
{
    const struct fence_state *state = task->state;
    return plan_from(task, state->stage + 1);
}

/* --- measuring --- */

static void prepare_fence(struct trial *trial)
{
    const struct fence_state *state = trial->probe_state;
    const enum fence_loop loop = state->loops[trial->point->series];
    const size_t most = state->arena_bytes - WORD_BYTES,
                 bytes = loop == FENCE_LINES ? (size_t)trial->point->x : most;
    struct worker *worker = &trial->workers[0];
    struct fence *fence = (struct fence *)worker->room;
    *fence = (struct fence){.memory = trial->arena->memory + WORD_BYTES,
                            .word = trial->arena->memory,
                            .lines = bytes / LINE,
                            .open = loop >= FENCE_LOADS ? (uint64_t)trial->point->x : 1,
                            .random = trial->seed,
                            .brought = trial->seed};
    /* The lines are in their cache when the loop begins. */
    if (bytes < most)
        memset(fence->memory, 0, bytes);
    if (bytes < most && fence_ops[trial->point->index].kind == FENCE_FLUSH)
        trial->restore = fence_bring_run;
    worker->run = fence_ops[trial->point->index].run[loop];
    worker->state = fence;
    trial->operations = loop == FENCE_ALONE ? fence_steps : 1;
}

/* --- findings --- */

/* `op` "": without an operation. */
static const struct series *series_of(const struct analysis *analysis, enum fence_loop loop,
                                      const char *op)
{
    return analysis_series(analysis, loop_names[loop], "op", op);
}

/* The points at x of a loop with the operation and without any; false: one has no value. */
static bool both(const struct analysis *analysis, enum fence_loop loop, const char *op, double x,
                 const struct point *points[2])
{
    const char *const ops[] = {op, ""};
    for (int i = 0; i < 2; i++) {
        const struct series *series = series_of(analysis, loop, ops[i]);
        points[i] = series ? series_point(series, x) : NULL;
        if (!points[i] || !points[i]->y.n)
            return false;
    }
    return true;
}

/* Adds how many cycles more a store and a load take with the operation between them. The interval
 * combines the opposite ends of both. NULL: it was not measured. */
static struct finding *add_between(struct analysis *analysis, const char *name, const char *op)
{
    const struct point *points[2];
    if (!both(analysis, FENCE_AFTER, op, 1, points))
        return NULL;
    const struct estimate with = finding_cycles_of(points[0]),
                          without = finding_cycles_of(points[1]);
    struct finding *finding =
        analysis_add_value(analysis, name, "cycles",
                           (struct interval){(double)with.median - (double)without.median,
                                             (double)with.low - (double)without.high,
                                             (double)with.high - (double)without.low},
                           points[0]->flags | points[1]->flags);
    analysis_read_off(analysis, series_of(analysis, FENCE_AFTER, op));
    return finding;
}

/* Adds how many times as long accesses take with the operation behind them. */
static void add_behind(struct analysis *analysis, enum fence_loop loop, const char *op)
{
    const struct point *points[2];
    if (!both(analysis, loop, op, OPEN_MOST, points))
        return;
    analysis_add_value(analysis,
                       pool_printf(analysis->pool, "fence.%s.behind_%s", op,
                                   loop == FENCE_LOADS ? "loads" : "stores"),
                       "", estimate_ratio(finding_time_of(points[0]), finding_time_of(points[1])),
                       points[0]->flags | points[1]->flags);
    analysis_read_off(analysis, series_of(analysis, loop, op));
}

static void add_alone(struct analysis *analysis, const struct series *alone, const char *op)
{
    struct pool *pool = analysis->pool;
    size_t count;
    const struct factor *list = analysis_list(analysis, operations, &count);
    struct finding *finding =
        finding_add_cycles_of(analysis->result, pool, pool_printf(pool, "fence.%s", op),
                              alone->points, alone->points->flags);
    for (size_t i = 0; i + 3 < count; i += OPERATION_WORDS)
        if (list[i].text && strcmp(list[i].text, op) == 0)
            finding->text = list[i + 2].text;
    analysis_read_off(analysis, alone);
}

static void add_lines(struct analysis *analysis, const char *op)
{
    size_t count;
    const struct factor *sets = analysis_list(analysis, level_sets, &count);
    const struct series *lines = series_of(analysis, FENCE_LINES, op);
    for (size_t i = 0; lines && i + 1 < count; i += 2) {
        const struct point *point = series_point(lines, sets[i + 1].number);
        if (!point || !sets[i].text)
            continue;
        analysis_add_point(analysis, pool_printf(analysis->pool, "fence.%s.%s", op, sets[i].text),
                           "ns", point, point->flags);
        analysis_read_off(analysis, lines);
    }
}

/* Whether a listed operation is of that kind (NULL: orders a store before later loads) and has a
 * figure in that loop. */
static bool counts(const struct analysis *analysis, enum fence_loop loop,
                   const struct factor listed[OPERATION_WORDS], const char *kind, double *cycles)
{
    const bool is = listed[0].text && listed[1].text &&
                    (kind ? strcmp(listed[1].text, kind) == 0 : listed[3].number > 0);
    const struct series *series = is ? series_of(analysis, loop, listed[0].text) : NULL;
    if (!series || !series->point_count || !series->points->y.n)
        return false;
    *cycles = (double)finding_cycles_of(series->points).median;
    return true;
}

/* The cheapest of these, and a text of it and the others; NULL: none was measured. */
static const char *cheapest(struct analysis *analysis, enum fence_loop loop, const char *kind,
                            const char **others)
{
    size_t count;
    const struct factor *list = analysis_list(analysis, operations, &count);
    const char *best = NULL;
    double least = INFINITY, cycles;
    for (size_t i = 0; i + 3 < count; i += OPERATION_WORDS)
        if (counts(analysis, loop, &list[i], kind, &cycles) && cycles < least) {
            least = cycles;
            best = list[i].text;
        }
    *others = best;
    for (size_t i = 0; i + 3 < count && best; i += OPERATION_WORDS)
        if (list[i].text != best && counts(analysis, loop, &list[i], kind, &cycles))
            *others = pool_printf(analysis->pool, *others == best ? "%s; %s %.3g" : "%s, %s %.3g",
                                  *others, list[i].text, cycles);
    return best;
}

/* The cheapest way to keep a later load behind an earlier store, and the cheapest of each kind. */
static void add_cheapest(struct analysis *analysis)
{
    const char *text, *best = cheapest(analysis, FENCE_AFTER, NULL, &text);
    struct finding *finding = best ? add_between(analysis, "fence.ordering", best) : NULL;
    if (finding)
        finding->text = pool_printf(analysis->pool, "by %s, the cheapest here", best);
    for (int kind = FENCE_ATOMIC; kind <= FENCE_FLUSH; kind++) {
        best = cheapest(analysis, FENCE_ALONE, kinds[kind], &text);
        if (!best)
            continue;
        const struct series *alone = series_of(analysis, FENCE_ALONE, best);
        finding_add_cycles_of(analysis->result, analysis->pool,
                              pool_printf(analysis->pool, "fence.%s", kinds[kind]), alone->points,
                              alone->points->flags)
            ->text = text;
        analysis_read_off(analysis, alone);
    }
}

static void analyse_fence(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    add_cheapest(analysis);
    for (int rest = 0; rest < 2; rest++)
        for (size_t i = 0; i < result->series_count; i++) {
            const struct series *series = &result->series[i];
            const char *op = analysis_factor(series, "op");
            if (strcmp(series->name, loop_names[FENCE_ALONE]) != 0 || !series->point_count ||
                !series->points->y.n)
                continue;
            if (!rest) {
                add_alone(analysis, series, op);
                continue;
            }
            add_between(analysis, pool_printf(analysis->pool, "fence.%s.after_store", op), op);
            add_behind(analysis, FENCE_LOADS, op);
            add_behind(analysis, FENCE_STORES, op);
            add_lines(analysis, op);
        }
}

#include "fence.findings.h"

const struct probe fence_probe = {
    .name = "fence",
    .place = 125,
    .help = &help,
    .thorough = true,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_fence,
    .next = next_fence,
    .prepare = prepare_fence,
    .analyse = analyse_fence,
};
