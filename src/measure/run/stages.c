#include "measure/run/stages.h"

#include "base/units.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/home.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stage of this task, and its outcome. It is closed unless it may go on later. */
struct probe_stage {
    struct stage *stage; /* NULL: it was closed */
    struct stage_outcome outcome;
    enum page_policy pages;
    size_t planned; /* points */
};

void stages_close(struct probe_task *task)
{
    for (size_t i = 0; i < task->stage_count; i++)
        stage_close(task->stages[i].stage, false);
    task->stage_count = 0;
}

/* The outcomes of the stages so far, combined. */
struct stage_totals {
    struct stage_outcome *all;
    size_t planned;         /* points */
    enum page_policy asked; /* by the first stage that needed memory */
    /* Memory of later stages that asked for other pages on purpose; arena_bytes 0: no stage did. */
    struct stage_outcome other;
};

static void note_pages(struct probe_task *task, const char *name,
                       const struct stage_outcome *outcome)
{
    const struct os_placement *placement = &outcome->placement;
    const char *used = page_policy_names[outcome->pages_used];
    struct factor *pages = probe_add_parameter(task, name);
    char size[UNIT_TEXT];
    if (isnan(placement->huge_share))
        pages->text = pool_printf(task->pool, "%s (unverified)", used);
    else if (placement->page_bytes)
        pages->text = pool_printf(task->pool, "%s (%s)", used,
                                  size_format((double)placement->page_bytes, size));
    else
        pages->text =
            pool_printf(task->pool, "%s (%.0f %% huge)", used, 100 * placement->huge_share);
}

struct reporting {
    struct probe_task *task;
    struct stage_totals totals;
};

/* Notes where the host kept the CPUs. Without such a state nothing moves them. */
static void note_cpus(struct probe_task *task, const struct stage_outcome *outcome)
{
    const struct run_facts *run = task->document ? &task->document->run : NULL;
    const unsigned states = outcome->cpu_states;
    if (!run || !run->placement_count || !states)
        return;
    unsigned state = 0;
    while (!(states >> state & 1))
        state++;
    const bool one = states == 1u << state && state < run->placement_count;
    probe_add_parameter(task, parameter_placement)->text =
        one ? run->placements[state].name : "the host moved the CPUs meanwhile";
    if (one)
        probe_add_parameter(task, parameter_placement_ns)->number =
            run->placements[state].handoff_ns;
}

/* Notes the memory that was obtained, whatever was asked for. */
static int note_placement(void *with)
{
    const struct reporting *reporting = with;
    const struct stage_outcome *outcome = reporting->totals.all;
    note_cpus(reporting->task, outcome);
    if (outcome->arena_bytes && outcome->placement.node >= 0)
        probe_add_parameter(reporting->task, "node_obtained")->number = outcome->placement.node;
    if (outcome->arena_bytes)
        note_pages(reporting->task, "pages_obtained", outcome);
    if (outcome->arena_bytes && outcome->placements)
        probe_add_parameter(reporting->task, parameter_placements_met)->number =
            outcome->placements;
    if (outcome->arena_bytes && reporting->totals.other.arena_bytes)
        note_pages(reporting->task, "other_pages_obtained", &reporting->totals.other);
    return 0;
}

/* Whether it is measured on a model that knows only some points. The others are left out. */
static bool knows_part(const struct probe_task *task)
{
    return task->model && task->model->lacks;
}

/* Notes why points have no value, if any have none. */
static void note_missing(struct probe_task *task, const struct stage_outcome *outcome,
                         size_t points, int code)
{
    struct probe_result *result = task->result;
    size_t failed = knows_part(task) ? 0 : outcome->points_failed;
    size_t without = outcome->points_missing + failed;
    if (code == ERROR_INTERRUPTED) {
        result->status = PROBE_PARTIAL;
        result->reason = pool_printf(task->pool, "interrupted when %zu of %zu points had a value",
                                     points - without, points);
        return;
    }
    if (!without)
        return;
    result->status = without == points ? PROBE_FAILED : PROBE_PARTIAL;
    if (failed)
        result->reason = pool_printf(task->pool, "%zu of %zu points failed: %s", failed, points,
                                     outcome->failure);
    else
        result->reason = pool_printf(task->pool,
                                     "%zu of %zu points %s no value: the time was used up; give "
                                     "more with --budget, or stop what else runs here",
                                     without, points, without == 1 ? "has" : "have");
}

/* Adds the memory of a stage that asked for such pages. The first stages are what the probe is
 * about; a later stage that asks for other pages on purpose does not change what is reported of
 * them. */
static void merge_memory(struct stage_totals *totals, const struct stage_outcome *stage,
                         enum page_policy asked)
{
    if (!stage->arena_bytes)
        return;
    if (!totals->all->arena_bytes)
        totals->asked = asked;
    struct stage_outcome *kept = asked == totals->asked ? totals->all : &totals->other;
    kept->placements += stage->placements;
    kept->arena_bytes = stage->arena_bytes;
    kept->placement = stage->placement;
    kept->pages_used = stage->pages_used;
}

/* Adds the other totals; the core clock is that of the stage that measured it most often. */
static void merge_outcomes(struct stage_outcome *all, const struct stage_outcome *stage)
{
    if (stage->core_hz.n > all->core_hz.n)
        all->core_hz = stage->core_hz;
    if (stage->reference_visits) {
        all->reference_visits = stage->reference_visits;
        all->drift_least = stage->drift_least;
        all->drift_most = stage->drift_most;
    }
    all->elapsed_s += stage->elapsed_s;
    all->points_missing += stage->points_missing;
    all->points_failed += stage->points_failed;
    all->failure = stage->failure ? stage->failure : all->failure;
    all->stolen_s += stage->stolen_s;
    all->cpu_states |= stage->cpu_states;
}

/* --- stages --- */

static int open_stage(struct probe_task *task, struct engine *engine, struct error *error)
{
    const struct trial_work work = {task->probe->prepare, task->probe->observe, task, task->state};
    struct probe_stage *here =
        pool_append(task->pool, (void **)&task->stages, &task->stage_count, sizeof *here);
    if (!here)
        return error_out_of_memory(error);
    here->pages = task->plan.pages;
    here->planned = task->plan.point_count;
    return stage_open(&here->stage, engine, &task->plan, &work, task->pool, error);
}

/* Cuts the array to `kept` elements; an array of a pool must be zeroed beyond its end. */
static void forget(void *array, size_t *count, size_t kept, size_t size)
{
    if (*count > kept)
        memset((char *)array + kept * size, 0, (*count - kept) * size);
    *count = kept;
}

static void sort_curves(struct probe_task *task)
{
    for (size_t i = 0; i < task->plan.series_count; i++) {
        struct series *series = &task->plan.series[i];
        size_t kept = 0;
        for (size_t k = 0; knows_part(task) && k < series->point_count; k++)
            if (!series->points[k].failed)
                series->points[kept++] = series->points[k];
        if (knows_part(task))
            forget(series->points, &series->point_count, kept, sizeof *series->points);
        if (!series->matrix && series->point_count > 1)
            qsort(series->points, series->point_count, sizeof *series->points, point_by_x);
    }
}

/* Puts the stage's results into the series, and closes it unless it may go on. */
static void rest(struct probe_task *task, struct probe_stage *here, int code)
{
    stage_sum_up(here->stage, &here->outcome);
    if (code == 0 && task->probe->goes_on && stage_is_open(here->stage))
        return;
    stage_close(here->stage, code == ERROR_SYSTEM);
    here->stage = NULL;
}

bool stages_want_look(const struct probe_task *task)
{
    return task->result->status != PROBE_SKIPPED && task->plan.look_count &&
           !(task->stage_count && stage_was_looked_at(task->stages[0].stage));
}

/* After ERROR_SYSTEM the workers may still be running, so the stage is closed as one that lost
 * them. */
static int look_at_first(struct probe_task *task, double budget_s, struct error *error)
{
    const int code = stage_look(task->stages[0].stage, budget_s, error);
    if (code == ERROR_SYSTEM) {
        stage_close(task->stages[0].stage, true);
        task->stage_count = 0;
    }
    return code;
}

int stages_look(struct probe_task *task, struct engine *engine, double budget_s,
                struct error *error)
{
    if (!stages_want_look(task))
        return 0;
    const uint64_t began_ns = timing_now_ns(task->model);
    int code = task->stage_count ? 0 : open_stage(task, engine, error);
    if (code == 0)
        code = look_at_first(task, budget_s, error);
    else
        task->stage_count = 0; /* stages_measure() opens it again and reports the error */
    task->result->elapsed_s += (double)(timing_now_ns(task->model) - began_ns) * 1e-9;
    return code;
}

int stages_look_again(struct probe_task *task, double budget_s, struct error *error)
{
    struct stage *stage = task->stage_count == 1 ? task->stages[0].stage : NULL;
    if (!stage || !stage_looks_often(stage) || !stage_was_looked_at(stage))
        return 0;
    const uint64_t began_ns = timing_now_ns(task->model);
    const int code = look_at_first(task, budget_s, error);
    task->result->elapsed_s += (double)(timing_now_ns(task->model) - began_ns) * 1e-9;
    return code;
}

/* Seconds without the looks of other stages, which are not this probe's time. */
static double own_s(const struct engine *engine)
{
    return (double)(timing_now_ns(engine->model) - engine->looks.took_ns) * 1e-9;
}

/* Carries out the task's plan, then each plan that its probe makes from the results. */
static int run_stages(struct probe_task *task, struct engine *engine, double budget_s,
                      struct error *error)
{
    const double began_s = own_s(engine);
    int more = 1;
    for (unsigned stage = 1; more == 1; stage++) {
        int code = task->stage_count < stage ? open_stage(task, engine, error) : 0;
        if (code < 0)
            return code;
        struct probe_stage *here = &task->stages[stage - 1];
        task->plan.budget_s = (budget_s - (own_s(engine) - began_s)) * task->plan.share;
        const bool ends = task->plan.lasts_s > 0 && task->plan.lasts_s < task->plan.budget_s;
        if (ends)
            task->plan.budget_s = task->plan.lasts_s;
        code = stage_advance(here->stage, task->plan.budget_s, ends ? 1 : task->plan.share, error);
        rest(task, here, code);
        if (code < 0)
            return code;
        sort_curves(task);
        const struct stage_outcome outcome = here->outcome;
        more = probe_next(task, &outcome, stage, error);
        code = more == 1 ? engine_look_if_due(engine, error) : 0;
        if (code < 0)
            return code;
    }
    return more;
}

/* --- what lacks trials --- */

bool stages_lack(const struct probe_task *task)
{
    for (size_t i = 0; i < task->stage_count; i++)
        if (task->stages[i].stage)
            return true;
    return false;
}

int stages_conclude(struct probe_task *task, const struct stage_outcome *outcome,
                    struct error *error)
{
    const struct probe *probe = task->probe;
    struct machine_facts machine = task->machine->facts;
    struct analysis analysis = {.result = task->result,
                                .document = task->document,
                                .machine = &machine,
                                .pool = task->pool};
    if (task->gpu_count) { /* the document has what the probe found of GPUs */
        machine.gpus = task->gpus;
        machine.gpu_count = task->gpu_count;
    }
    int code = probe_conclude(task, outcome, error);
    if (!probe->analyse)
        return code;
    const int analysed = analysis_run(&analysis, probe->analyse, code == 0 ? error : NULL);
    return code == 0 ? analysed : code;
}

static int complete(void *with)
{
    const struct probe_task *task = with;
    experiment_complete(task->result, &task->machine->facts, task->pool);
    homes_complete(task->result, &task->machine->facts, task->pool);
    return 0;
}

/* Writes the outcome of all stages into the result, after `code`, which is then returned. */
static int report(struct probe_task *task, struct stage_outcome *outcome, int code,
                  struct error *error)
{
    struct probe_result *result = task->result;
    struct reporting reporting = {task, {.all = outcome}};
    *outcome = (struct stage_outcome){0};
    for (size_t i = 0; i < task->stage_count; i++) {
        const struct probe_stage *stage = &task->stages[i];
        reporting.totals.planned += stage->planned;
        merge_memory(&reporting.totals, &stage->outcome, stage->pages);
        merge_outcomes(outcome, &stage->outcome);
    }
    result->series = task->plan.series;
    result->series_count = task->plan.series_count;
    if (code < 0 && code != ERROR_INTERRUPTED) {
        result->status = PROBE_FAILED;
        result->reason = pool_strdup(task->pool, error ? error->text : "failed");
        return code == ERROR_SYSTEM ? code : 0;
    }
    task->interrupted = code == ERROR_INTERRUPTED;
    note_missing(task, outcome, reporting.totals.planned, code);
    int noted = pool_enter(task->pool, note_placement, &reporting, code == 0 ? error : NULL);
    code = code == 0 ? noted : code;
    if (result->status != PROBE_FAILED) {
        int concluded = stages_conclude(task, outcome, code == 0 ? error : NULL);
        if (concluded == 0)
            concluded = pool_enter(task->pool, complete, task, code == 0 ? error : NULL);
        code = code == 0 ? concluded : code;
    }
    return code;
}

int stages_measure(struct probe_task *task, struct engine *engine, double budget_s,
                   struct stage_outcome *outcome, struct error *error)
{
    struct probe_result *result = task->result;
    *outcome = (struct stage_outcome){0};
    if (result->status == PROBE_SKIPPED)
        return 0;
    const double began_s = own_s(engine);
    int code = run_stages(task, engine, budget_s, error);
    result->elapsed_s += own_s(engine) - began_s;
    task->parameters_planned = result->parameter_count;
    return report(task, outcome, code, error);
}

int stages_go_on(struct probe_task *task, double budget_s, struct stage_outcome *outcome,
                 struct error *error)
{
    struct probe_result *result = task->result;
    const uint64_t began_ns = timing_now_ns(task->model);
    forget(result->parameters, &result->parameter_count, task->parameters_planned,
           sizeof *result->parameters);
    forget(result->findings, &result->finding_count, 0, sizeof *result->findings);
    result->status = PROBE_OK;
    result->reason = NULL;
    /* The stages that can go on share the time. */
    int code = 0;
    size_t open = 0;
    for (size_t i = 0; i < task->stage_count; i++)
        open += task->stages[i].stage != NULL;
    for (size_t i = 0; i < task->stage_count && code == 0; i++) {
        struct probe_stage *here = &task->stages[i];
        if (!here->stage)
            continue;
        const double left_s = budget_s - (double)(timing_now_ns(task->model) - began_ns) * 1e-9;
        code = stage_reopen(here->stage, &task->plan, error);
        if (code == 0)
            code = stage_advance(here->stage, left_s / (double)open--, 1, error);
        rest(task, here, code);
        sort_curves(task);
    }
    result->elapsed_s += (double)(timing_now_ns(task->model) - began_ns) * 1e-9;
    return report(task, outcome, code, error);
}
