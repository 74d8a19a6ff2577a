#include "measure/probes/kit/probe.h"

#include "measure/kernels/chase.h"
#include "measure/kernels/gaps.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "probe.help.h"

static const double default_precision = 0.01;
enum { LONG_BATCHES = 5, TRIALS_MIN = 6, TRIALS_MAX = 25, TRIALS_MAX_THOROUGH = 400 };

struct factor *probe_add_parameter(struct probe_task *task, const char *name)
{
    struct probe_result *result = task->result;
    struct factor *factor = pool_append(task->pool, (void **)&result->parameters,
                                        &result->parameter_count, sizeof *factor);
    factor->name = name;
    return factor;
}

void probe_refuse_beside(const struct probe_task *task, const struct setting *asked,
                         const char *why, const struct setting *const *others)
{
    const char *other = settings_first_given(others);
    if (other)
        pool_leave(task->pool, ERROR_USAGE,
                   "--%s %s, so --%s can't be given with it: leave one out", asked->spec->name, why,
                   other);
}

void probe_plan_clear(struct probe_task *task)
{
    struct series *series = task->plan.series;
    size_t series_count = task->plan.series_count;
    const struct common_options *common = &task->common;
    const bool quick = common->quick.has, thorough = common->thorough.has;
    task->plan = (struct plan){
        .series = series,
        .series_count = series_count,
        .pages = PAGES_AUTO,
        .node = -1,
        .touch_cpu = task->cpus.ids[0],
        .executor = getenv("FATHOM_EXECUTOR"), /* for tests of an executor (docs/adding.md) */
        .arena_life = ARENA_EVERY_ROUND,
        .yields = TIME_PER_OPERATION,
        .cycles = true,
        .trials_min = TRIALS_MIN,
        .trials_max = thorough ? TRIALS_MAX_THOROUGH
                      : quick  ? 2 * TRIALS_MIN
                               : TRIALS_MAX,
        .trials_per_visit = 1,
        .batches = LONG_BATCHES,
        .batch_ns = (double)PROBE_TRIAL_NS / (double)LONG_BATCHES,
        .precision = common->precision.has ? common->precision.number / 100 : default_precision,
        .unstable_above = INFINITY,
        .span_s = quick ? 0 : 1.5,
        .share = 1,
    };
}

struct plan *probe_plan_begin(struct probe_task *task, int cpu, enum page_policy pages,
                              double precision)
{
    probe_plan_clear(task);
    task->plan.touch_cpu = cpu;
    task->plan.pages = pages;
    if (precision > 0 && !task->common.precision.has)
        task->plan.precision = precision;
    return &task->plan;
}

/* Reading the clock takes some 0.2 % of a batch of 10 us, and this cost is subtracted. */
static const double short_batch_ns = 10e3;

void probe_plan_short_batches(struct plan *plan, double trial_ns)
{
    plan->batch_ns = short_batch_ns;
    plan->batches = (unsigned)(trial_ns / short_batch_ns);
}

enum { SWEPT_TRIALS = 192, GROUP_FEWEST = 8, GROUP_MOST = 36 };
/* No first-level cache has a shorter latency. */
static const double load_least_ns = 0.8;

void probe_plan_sweeps(struct plan *plan, unsigned groups, unsigned loads)
{
    plan->sweep = SWEPT_TRIALS;
    plan->lowest = true;
    plan->batches = 1;
    plan->batch_ns = loads * load_least_ns;
    plan->repeats = (loads + chase_steps - 1) / chase_steps;
    plan->trials_min = groups * GROUP_FEWEST;
    plan->trials_max = groups * GROUP_MOST;
    plan->meant |= MEANT_STEAL; /* the kernel counts it in ticks, and a trial is far shorter */
}

void probe_count_events(struct gap_counts *counts)
{
    struct os_thread_events events;
    os_thread_events(&events);
    *counts = (struct gap_counts){events.switches, events.page_faults};
}

static int plan_step(void *with)
{
    struct probe_task *task = with;
    const struct probe *probe = task->probe;
    /* The CPUs to use: all that are allowed, or the list asked for, each checked. */
    const struct machine *machine = task->machine;
    const struct cpulist *asked =
        task->common.cpus.has ? &task->common.cpus.cpus : &machine->allowed;
    char usable[128];
    cpulist_format(&machine->allowed, usable, sizeof usable);
    for (size_t i = 0; i < asked->count && asked != &machine->allowed; i++) {
        if (!machine_cpu(machine, asked->ids[i]))
            pool_leave(task->pool, ERROR_USAGE,
                       "--cpus: there is no CPU %d online here; choose from %s", asked->ids[i],
                       usable);
        if (!cpulist_has(&machine->allowed, asked->ids[i]))
            pool_leave(task->pool, ERROR_USAGE,
                       "--cpus: CPU %d is outside this process's CPU mask or cpuset; choose from "
                       "%s",
                       asked->ids[i], usable);
    }
    task->cpus = *asked;
    /* The parameters of the document: every option that has a value. */
    const struct setting *setting;
    for (size_t i = 0; (setting = settings_at(task->settings, i)); i++) {
        const struct option_spec *spec = setting->spec;
        /* The run's facts hold the seed with all its digits. */
        if (!setting->has || spec == task->common.seed.spec)
            continue;
        struct factor *factor = probe_add_parameter(task, spec->name);
        if (spec->type == OPTION_INTEGER || spec->type == OPTION_REAL)
            factor->number = setting->number;
        else if (spec->type == OPTION_SIZE)
            factor->number = (double)setting->bytes;
        else
            factor->text = pool_strdup(task->pool, setting->text);
    }
    probe_plan_clear(task);
    if ((probe->needs & NEEDS_TWO_CPUS) && task->cpus.count < 2) {
        task->result->status = PROBE_SKIPPED;
        task->result->reason = pool_printf(
            task->pool, "needs two CPUs, and only CPU %d may be used", task->cpus.ids[0]);
        return 0;
    }
    if (probe->help->options_bytes) {
        void *options = pool_alloc(task->pool, 1, probe->help->options_bytes);
        settings_fill(task->settings, probe->help->options, options);
        task->options = options;
    }
    probe->plan(task);
    return 0;
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
                                .document = task->document,
                                .model = task->model,
                                .named = task->named,
                                .several = task->several,
                                .seed = task->seed};
    *result = (struct probe_result){
        .name = probe->name, .title = probe->help->title, .about = probe->help->about};
    settings_fill(settings, probe_common_options, &task->common);
    if (task->common.quick.has && task->common.thorough.has)
        return error_set(error, ERROR_USAGE, "--quick and --thorough contradict: leave one out");
    struct error why = {0};
    const int code = pool_enter(pool, plan_step, task, &why);
    if (code == ERROR_IMPOSSIBLE && !task->named) {
        task->plan.series_count = task->plan.point_count = task->plan.look_count = 0;
        result->status = PROBE_SKIPPED;
        result->reason = pool_strdup(pool, why.text);
        return 0;
    }
    if (code < 0 && error)
        *error = why;
    return code;
}

static int next_step(void *with)
{
    struct probe_task *task = with;
    return task->probe->next(task);
}

int probe_next(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage,
               struct error *error)
{
    task->outcome = outcome;
    task->stage = stage;
    return task->probe->next ? pool_enter(task->pool, next_step, task, error) : 0;
}

static int conclude_step(void *with)
{
    struct probe_task *task = with;
    task->probe->conclude(task);
    return 0;
}

int probe_conclude(struct probe_task *task, const struct stage_outcome *outcome,
                   struct error *error)
{
    task->outcome = outcome;
    return task->probe->conclude ? pool_enter(task->pool, conclude_step, task, error) : 0;
}

int probe_plan_again(struct probe_task *task, struct error *error)
{
    if (!task->probe->sized_by_found || task->stage_count || task->result->status == PROBE_SKIPPED)
        return 0;
    return probe_prepare(task, task->probe, task->settings, task->machine, task->pool, task->result,
                         error);
}

void probe_release(struct probe_task *task)
{
    if (task->probe && task->probe->release)
        task->probe->release(task);
}
