#include "probes/probe.h"

#include "base/units.h"
#include "engine/executor.h"
#include "findings/experiment.h"
#include "findings/finding.h"
#include "result/flag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct option_spec probe_common_options[] = {
    {"cpus", 'c', OPTION_CPUS, "LIST", NULL, 0, 0, NULL,
     "CPUs to use, like 0-7,16-31:2 (default: all that this process may use)"},
    {"precision", 'p', OPTION_REAL, "PCT", NULL, 0.01, 100, NULL,
     "a point is done when its interval is within this many percent of its median (default: 1, "
     "or what the probe says)"},
    {"budget", 'b', OPTION_REAL, "S", NULL, 0.1, 1e6, NULL,
     "seconds to spend at most (default: what the probes need, at least 25 for one alone; 4 with "
     "--quick, 600 with --thorough)"},
    {"quick", 'q', OPTION_FLAG, NULL, NULL, 0, 0, NULL, "fewer points, a few seconds"},
    {"thorough", 't', OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "as many trials as the precision needs, up to ten minutes"},
    {"seed", 's', OPTION_INTEGER, "N", NULL, 0, 9007199254740991.0, NULL,
     "seed of all random orders, to repeat a run (default: fresh, and recorded)"},
    {"executor", 0, OPTION_CHOICE, "NAME", NULL, 0, 0, executor_names,
     "what carries out the measurement (default: the first of them that can)"},
    {.name = NULL},
};

static const double default_precision = 0.01;
enum { LONG_BATCHES = 5, TRIALS_MIN = 6, TRIALS_MAX = 25, TRIALS_MAX_THOROUGH = 400 };

struct finding *probe_add_finding(struct probe_task *task, const char *name, const char *unit)
{
    return finding_add(task->result, task->pool, name, unit);
}

struct finding *probe_add_summary(struct probe_task *task, const char *name, const char *unit,
                                  const struct summary *summary, unsigned flags)
{
    return finding_add_summary(task->result, task->pool, name, unit, summary, flags);
}

/* The CPUs to use: all that are allowed, or the list asked for, each checked. */
static int choose_cpus(struct probe_task *task, struct error *error)
{
    const struct machine *machine = task->machine;
    if (!settings_has(task->settings, "cpus"))
        return cpulist_copy(&task->cpus, &machine->allowed) < 0 ? error_out_of_memory(error) : 0;
    const struct cpulist *asked = settings_cpus(task->settings, "cpus");
    char usable[128];
    cpulist_format(&machine->allowed, usable, sizeof usable);
    for (size_t i = 0; i < asked->count; i++) {
        if (!machine_cpu(machine, asked->ids[i]))
            return error_set(error, ERROR_USAGE,
                             "--cpus: there is no CPU %d online here; choose from %s",
                             asked->ids[i], usable);
        if (!cpulist_has(&machine->allowed, asked->ids[i]))
            return error_set(error, ERROR_USAGE,
                             "--cpus: CPU %d is outside this process's CPU mask or cpuset; "
                             "choose from %s",
                             asked->ids[i], usable);
    }
    return cpulist_copy(&task->cpus, asked) < 0 ? error_out_of_memory(error) : 0;
}

struct factor *probe_add_parameter(struct probe_task *task, const char *name)
{
    struct probe_result *result = task->result;
    struct factor *factor = pool_append(task->pool, (void **)&result->parameters,
                                        &result->parameter_count, sizeof *factor);
    if (factor)
        factor->name = name;
    return factor;
}

/* The parameters of the document: every option that has a value. */
static int note_parameters(struct probe_task *task, struct error *error)
{
    const struct option_spec *spec;
    for (size_t i = 0; (spec = settings_spec(task->settings, i)); i++) {
        /* The seed is left out because the run's facts hold it with all its digits, and names of
         * files because they say nothing of what was measured and may tell much about their owner.
         */
        if (!settings_has(task->settings, spec->name) || strcmp(spec->name, "seed") == 0 ||
            option_names_file(spec))
            continue;
        struct factor *factor = probe_add_parameter(task, spec->name);
        if (!factor)
            return error_out_of_memory(error);
        if (spec->type == OPTION_INTEGER || spec->type == OPTION_REAL)
            factor->number = settings_number(task->settings, spec->name);
        else if (spec->type == OPTION_SIZE)
            factor->number = (double)settings_size(task->settings, spec->name);
        else
            factor->text = pool_strdup(task->pool, settings_text(task->settings, spec->name));
    }
    return 0;
}

void probe_plan_afresh(struct probe_task *task)
{
    struct series *series = task->plan.series;
    size_t series_count = task->plan.series_count;
    bool quick = settings_has(task->settings, "quick");
    bool thorough = settings_has(task->settings, "thorough");
    task->plan = (struct plan){
        .series = series,
        .series_count = series_count,
        .pages = PAGES_AUTO,
        .node = -1,
        .touch_cpu = task->cpus.ids[0],
        .executor = settings_has(task->settings, "executor")
                        ? settings_text(task->settings, "executor")
                        : NULL,
        .arena_life = ARENA_EVERY_ROUND,
        .yields = TIME_PER_OPERATION,
        .cycles = true,
        .trials_min = TRIALS_MIN,
        .trials_max = thorough ? TRIALS_MAX_THOROUGH
                      : quick  ? 2 * TRIALS_MIN
                               : TRIALS_MAX,
        .trials_per_visit = 1,
        .batches = LONG_BATCHES,
        .batch_ns = (double)PROBE_TRIAL_NS / LONG_BATCHES,
        .precision = settings_has(task->settings, "precision")
                         ? settings_number(task->settings, "precision") / 100
                         : default_precision,
        .unstable_above = INFINITY,
        .span_s = quick ? 0 : 1.5,
        .share = 1,
    };
}

/* Of 10 us, reading the clock is some 0.2 %, which is taken off. */
static const double short_batch_ns = 10e3;

void probe_plan_short_batches(struct plan *plan, double trial_ns)
{
    plan->batch_ns = short_batch_ns;
    plan->batches = (unsigned)(trial_ns / short_batch_ns);
}

int probe_prepare(struct probe_task *task, const struct probe *probe,
                  const struct settings *settings, const struct machine *machine, struct pool *pool,
                  struct probe_result *result, struct error *error)
{
    *task = (struct probe_task){.probe = probe,
                                .settings = settings,
                                .machine = machine,
                                .pool = pool,
                                .result = result,
                                .named = task->named,
                                .seed = task->seed};
    *result =
        (struct probe_result){.name = probe->name, .title = probe->title, .about = probe->about};
    if (settings_has(settings, "quick") && settings_has(settings, "thorough"))
        return error_set(error, ERROR_USAGE, "--quick and --thorough contradict: leave one out");
    int code = choose_cpus(task, error);
    if (code == 0)
        code = note_parameters(task, error);
    if (code < 0)
        return code;
    probe_plan_afresh(task);
    if ((probe->needs & NEEDS_TWO_CPUS) && task->cpus.count < 2) {
        result->status = PROBE_SKIPPED;
        result->reason =
            pool_printf(pool, "needs two CPUs, and only CPU %d may be used", task->cpus.ids[0]);
        return 0;
    }
    return probe->plan(task, error);
}

/* A stage of this task, and what it came to. It is closed unless it may go on later. */
struct probe_stage {
    struct stage *stage; /* NULL: it was closed */
    struct stage_outcome outcome;
    enum page_policy pages;
    size_t planned; /* points */
};

void probe_release(struct probe_task *task)
{
    for (size_t i = 0; i < task->stage_count; i++)
        stage_close(task->stages[i].stage, false);
    task->stage_count = 0;
    if (task->probe && task->probe->release)
        task->probe->release(task);
    cpulist_free(&task->cpus);
}

/* What the stages so far came to, taken together. */
struct stage_totals {
    struct stage_outcome *all;
    size_t planned;         /* points */
    enum page_policy asked; /* by the first stage that needed memory */
    /* Memory of later stages that asked for other pages on purpose; arena_bytes is 0: none did. */
    struct stage_outcome other;
};

static int note_pages(struct probe_task *task, const char *name,
                      const struct stage_outcome *outcome, struct error *error)
{
    const struct os_placement *placement = &outcome->placement;
    const char *used = page_policy_names[outcome->pages_used];
    struct factor *pages = probe_add_parameter(task, name);
    char size[UNIT_TEXT];
    if (pages && isnan(placement->huge_share))
        pages->text = pool_printf(task->pool, "%s (unverified)", used);
    else if (pages && placement->page_bytes)
        pages->text = pool_printf(task->pool, "%s (%s)", used,
                                  size_format((double)placement->page_bytes, size));
    else if (pages)
        pages->text =
            pool_printf(task->pool, "%s (%.0f %% huge)", used, 100 * placement->huge_share);
    return pages && pages->text ? 0 : error_out_of_memory(error);
}

/* What memory was obtained, whatever was asked for. */
static int note_placement(struct probe_task *task, const struct stage_totals *totals,
                          struct error *error)
{
    const struct stage_outcome *outcome = totals->all;
    if (!outcome->arena_bytes)
        return 0;
    if (outcome->placement.node >= 0) {
        struct factor *node = probe_add_parameter(task, "node_obtained");
        if (!node)
            return error_out_of_memory(error);
        node->number = outcome->placement.node;
    }
    int code = note_pages(task, "pages_obtained", outcome, error);
    if (code == 0 && totals->other.arena_bytes)
        code = note_pages(task, "other_pages_obtained", &totals->other, error);
    return code;
}

/* Says why points have no value, if any have none. */
static void note_missing(struct probe_task *task, const struct stage_outcome *outcome,
                         size_t points, int code)
{
    struct probe_result *result = task->result;
    size_t failed = outcome->points_failed, without = outcome->points_missing + failed;
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
                                     "%zu of %zu points have no value: the time was used up; give "
                                     "more with --budget, or stop what else runs here",
                                     without, points);
}

static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* The memory of a stage that asked for such pages. The first stages are what the probe is about; a
 * later one that asks for other pages on purpose does not change what is reported of them. */
static void merge_memory(struct stage_totals *totals, const struct stage_outcome *stage,
                         enum page_policy asked)
{
    if (!stage->arena_bytes)
        return;
    if (!totals->all->arena_bytes)
        totals->asked = asked;
    struct stage_outcome *kept = asked == totals->asked ? totals->all : &totals->other;
    kept->arena_bytes = stage->arena_bytes;
    kept->placement = stage->placement;
    kept->pages_used = stage->pages_used;
}

/* Adds the other totals; the core clock is taken from the stage that measured it most often. */
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

static void sort_curves(struct probe_task *task)
{
    for (size_t i = 0; i < task->plan.series_count; i++) {
        struct series *series = &task->plan.series[i];
        if (!series->matrix && series->point_count > 1)
            qsort(series->points, series->point_count, sizeof *series->points, by_x);
    }
}

/* Puts what it has into the series, and closes it unless it may go on. */
static void rest(struct probe_task *task, struct probe_stage *here, int code)
{
    stage_sum_up(here->stage, &here->outcome);
    if (code == 0 && task->probe->goes_on && stage_is_open(here->stage))
        return;
    stage_close(here->stage, code == ERROR_SYSTEM);
    here->stage = NULL;
}

bool probe_wants_look(const struct probe_task *task)
{
    return task->result->status != PROBE_SKIPPED && task->plan.look_count &&
           !(task->stage_count && stage_was_looked_at(task->stages[0].stage));
}

int probe_look(struct probe_task *task, struct engine *engine, double budget_s, struct error *error)
{
    if (!probe_wants_look(task))
        return 0;
    const uint64_t began_ns = os_raw_ns();
    int code = task->stage_count ? 0 : open_stage(task, engine, error);
    if (code == 0)
        code = stage_look(task->stages[0].stage, budget_s, error);
    else
        task->stage_count = 0; /* probe_measure() will tell */
    task->result->elapsed_s += (double)(os_raw_ns() - began_ns) * 1e-9;
    return code;
}

/* Carries out the task's plan, and what its probe plans next from what it gave. */
static int run_stages(struct probe_task *task, struct engine *engine, double budget_s,
                      struct error *error)
{
    const struct probe *probe = task->probe;
    const uint64_t began_ns = os_raw_ns();
    int more = 1;
    for (unsigned stage = 1; more == 1; stage++) {
        int code = task->stage_count < stage ? open_stage(task, engine, error) : 0;
        if (code < 0)
            return code;
        struct probe_stage *here = &task->stages[stage - 1];
        const double left_s = budget_s - (double)(os_raw_ns() - began_ns) * 1e-9;
        task->plan.budget_s = left_s * task->plan.share;
        const bool ends = task->plan.lasts_s > 0 && task->plan.lasts_s < task->plan.budget_s;
        if (ends)
            task->plan.budget_s = task->plan.lasts_s;
        code = stage_advance(here->stage, task->plan.budget_s, ends ? 1 : task->plan.share, error);
        rest(task, here, code);
        if (code < 0)
            return code;
        sort_curves(task);
        const struct stage_outcome outcome = here->outcome;
        more = probe->next ? probe->next(task, &outcome, stage, error) : 0;
    }
    return more;
}

/* --- what lacks trials --- */

bool probe_lacks(const struct probe_task *task)
{
    for (size_t i = 0; i < task->stage_count; i++)
        if (task->stages[i].stage)
            return true;
    return false;
}

/* Those stages that can go on share the time. */
static int go_on(struct probe_task *task, double budget_s, struct error *error)
{
    const uint64_t began_ns = os_raw_ns();
    int code = 0;
    size_t open = 0;
    for (size_t i = 0; i < task->stage_count; i++)
        open += task->stages[i].stage != NULL;
    for (size_t i = 0; i < task->stage_count && code == 0; i++) {
        struct probe_stage *here = &task->stages[i];
        if (!here->stage)
            continue;
        const double left_s = budget_s - (double)(os_raw_ns() - began_ns) * 1e-9;
        code = stage_reopen(here->stage, &task->plan, error);
        if (code == 0)
            code = stage_advance(here->stage, left_s / (double)open--, 1, error);
        rest(task, here, code);
        sort_curves(task);
    }
    return code;
}

int probe_conclude(struct probe_task *task, const struct stage_outcome *outcome,
                   struct error *error)
{
    const struct probe *probe = task->probe;
    struct machine_facts machine = task->machine->facts;
    struct analysis analysis = {.result = task->result,
                                .document = task->document,
                                .machine = &machine,
                                .pool = task->pool};
    if (task->gpu_count) { /* the document's facts have them */
        machine.gpus = task->gpus;
        machine.gpu_count = task->gpu_count;
    }
    int code = probe->conclude ? probe->conclude(task, outcome, error) : 0;
    if (!probe->analyse)
        return code;
    const int analysed = analysis_run(&analysis, probe->analyse, code == 0 ? error : NULL);
    return code == 0 ? analysed : code;
}

static void total(const struct probe_task *task, struct stage_totals *totals)
{
    for (size_t i = 0; i < task->stage_count; i++) {
        const struct probe_stage *stage = &task->stages[i];
        totals->planned += stage->planned;
        merge_memory(totals, &stage->outcome, stage->pages);
        merge_outcomes(totals->all, &stage->outcome);
    }
}

/* Says in the result what all stages came to: after `code`, which is then returned. */
static int report(struct probe_task *task, struct stage_outcome *outcome, int code,
                  struct error *error)
{
    struct probe_result *result = task->result;
    struct stage_totals totals = {.all = outcome};
    *outcome = (struct stage_outcome){0};
    total(task, &totals);
    result->series = task->plan.series;
    result->series_count = task->plan.series_count;
    if (code < 0 && code != ERROR_INTERRUPTED) {
        result->status = PROBE_FAILED;
        result->reason = pool_strdup(task->pool, error ? error->text : "failed");
        return code == ERROR_SYSTEM ? code : 0;
    }
    note_missing(task, outcome, totals.planned, code);
    int noted = note_placement(task, &totals, code == 0 ? error : NULL);
    code = code == 0 ? noted : code;
    if (result->status != PROBE_FAILED) {
        int concluded = probe_conclude(task, outcome, code == 0 ? error : NULL);
        if (concluded == 0)
            concluded = experiment_complete(result, &task->machine->facts, task->pool,
                                            code == 0 ? error : NULL);
        code = code == 0 ? concluded : code;
    }
    return code;
}

int probe_measure(struct probe_task *task, struct engine *engine, double budget_s,
                  struct stage_outcome *outcome, struct error *error)
{
    struct probe_result *result = task->result;
    *outcome = (struct stage_outcome){0};
    if (result->status == PROBE_SKIPPED)
        return 0;
    const uint64_t began_ns = os_raw_ns();
    int code = run_stages(task, engine, budget_s, error);
    result->elapsed_s += (double)(os_raw_ns() - began_ns) * 1e-9;
    task->parameters_planned = result->parameter_count;
    return report(task, outcome, code, error);
}

/* Beyond its end an array of a pool is zeroed. */
static void forget(void *array, size_t *count, size_t kept, size_t size)
{
    if (*count > kept)
        memset((char *)array + kept * size, 0, (*count - kept) * size);
    *count = kept;
}

int probe_go_on(struct probe_task *task, double budget_s, struct stage_outcome *outcome,
                struct error *error)
{
    struct probe_result *result = task->result;
    const uint64_t began_ns = os_raw_ns();
    forget(result->parameters, &result->parameter_count, task->parameters_planned,
           sizeof *result->parameters);
    forget(result->findings, &result->finding_count, 0, sizeof *result->findings);
    result->status = PROBE_OK;
    result->reason = NULL;
    int code = go_on(task, budget_s, error);
    result->elapsed_s += (double)(os_raw_ns() - began_ns) * 1e-9;
    return report(task, outcome, code, error);
}
