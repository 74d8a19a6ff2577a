#include "probes/probe.h"

#include "base/units.h"
#include "result/flag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct option_spec probe_common_options[] = {
    {"cpus", 'c', OPTION_CPUS, "LIST", NULL, 0, 0, NULL,
     "CPUs to use, like 0-7,16-31:2 (default: all that this process may use)"},
    {"precision", 'p', OPTION_REAL, "PCT", NULL, 0.01, 100, NULL,
     "a point is done when its interval is within this many percent of its median (default: 1, "
     "or what the probe says)"},
    {"budget", 'b', OPTION_REAL, "S", NULL, 0.1, 1e6, NULL,
     "seconds to spend at most (default: 25; 4 with --quick, 600 with --thorough)"},
    {"quick", 'q', OPTION_FLAG, NULL, NULL, 0, 0, NULL, "fewer points, a few seconds"},
    {"thorough", 't', OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "as many trials as the precision needs, up to ten minutes"},
    {"seed", 's', OPTION_INTEGER, "N", NULL, 0, 9007199254740991.0, NULL,
     "seed of all random orders, to repeat a run (default: fresh, and recorded)"},
    {.name = NULL},
};

static const double default_precision = 0.01;
enum { TRIALS_MIN = 6, TRIALS_MAX = 25, TRIALS_MAX_THOROUGH = 400 };

struct finding *probe_add_finding(struct probe_task *task, const char *name, const char *unit)
{
    struct probe_result *result = task->result;
    struct finding *finding = pool_append(task->pool, (void **)&result->findings,
                                          &result->finding_count, sizeof *finding);
    if (finding)
        *finding = (struct finding){.name = pool_strdup(task->pool, name),
                                    .unit = pool_strdup(task->pool, unit),
                                    .value = NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .declared = NAN};
    return finding && finding->name && finding->unit ? finding : NULL;
}

struct finding *probe_add_summary(struct probe_task *task, const char *name, const char *unit,
                                  const struct summary *summary, unsigned flags)
{
    struct finding *finding = probe_add_finding(task, name, unit);
    if (finding) {
        finding->value = summary->median;
        finding->low = summary->coverage > 0 ? summary->low : NAN; /* one trial is no interval */
        finding->high = summary->coverage > 0 ? summary->high : NAN;
        finding->flags = flags;
    }
    return finding;
}

/* The CPUs to use: all that are allowed, or the list asked for, each checked. */
static int choose_cpus(struct probe_task *task, struct error *error)
{
    const struct machine *machine = task->machine;
    if (!settings_has(task->settings, "cpus"))
        return cpulist_copy(&task->cpus, &machine->allowed) < 0
                   ? error_set(error, ERROR_SYSTEM, "out of memory")
                   : 0;
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
    return cpulist_copy(&task->cpus, asked) < 0 ? error_set(error, ERROR_SYSTEM, "out of memory")
                                                : 0;
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
        /* The seed is a fact of the run, which holds all its digits. */
        if (!settings_has(task->settings, spec->name) || strcmp(spec->name, "seed") == 0)
            continue;
        struct factor *factor = probe_add_parameter(task, spec->name);
        if (!factor)
            return error_set(error, ERROR_SYSTEM, "out of memory");
        if (spec->type == OPTION_INTEGER || spec->type == OPTION_REAL)
            factor->number = settings_number(task->settings, spec->name);
        else if (spec->type == OPTION_SIZE)
            factor->number = (double)settings_size(task->settings, spec->name);
        else
            factor->text = pool_strdup(task->pool, settings_text(task->settings, spec->name));
    }
    return 0;
}

static void plan_common(struct probe_task *task)
{
    bool quick = settings_has(task->settings, "quick");
    bool thorough = settings_has(task->settings, "thorough");
    task->plan = (struct plan){
        .pages = PAGES_AUTO,
        .node = -1,
        .touch_cpu = task->cpus.ids[0],
        .arena_life = ARENA_EVERY_ROUND,
        .quantity = TIME_PER_OPERATION,
        .cycles = true,
        .trials_min = TRIALS_MIN,
        .trials_max = thorough ? TRIALS_MAX_THOROUGH
                      : quick  ? 2 * TRIALS_MIN
                               : TRIALS_MAX,
        .trials_per_visit = 1,
        .batches = 5,
        .batch_ns = 200e3,
        .precision = settings_has(task->settings, "precision")
                         ? settings_number(task->settings, "precision") / 100
                         : default_precision,
        .unstable_above = INFINITY,
        .span_s = quick ? 0 : 1.5,
    };
}

int probe_prepare(struct probe_task *task, const struct probe *probe,
                  const struct settings *settings, const struct machine *machine, struct pool *pool,
                  struct probe_result *result, struct error *error)
{
    *task = (struct probe_task){
        .probe = probe, .settings = settings, .machine = machine, .pool = pool, .result = result};
    *result = (struct probe_result){.name = probe->name, .title = probe->title};
    if (settings_has(settings, "quick") && settings_has(settings, "thorough"))
        return error_set(error, ERROR_USAGE, "--quick and --thorough contradict: leave one out");
    int code = choose_cpus(task, error);
    if (code == 0)
        code = note_parameters(task, error);
    if (code < 0)
        return code;
    plan_common(task);
    if ((probe->needs & NEEDS_TWO_CPUS) && task->cpus.count < 2) {
        result->status = PROBE_SKIPPED;
        result->reason =
            pool_printf(pool, "needs two CPUs, and only CPU %d may be used", task->cpus.ids[0]);
        return 0;
    }
    return probe->plan(task, error);
}

void probe_release(struct probe_task *task)
{
    cpulist_free(&task->cpus);
}

/* What memory was obtained, whatever was asked for. */
static int note_placement(struct probe_task *task, const struct sampled *sampled,
                          struct error *error)
{
    const struct os_placement *placement = &sampled->placement;
    if (!sampled->arena_bytes)
        return 0;
    struct factor *pages = probe_add_parameter(task, "pages_obtained");
    struct factor *node = placement->node >= 0 ? probe_add_parameter(task, "node_obtained") : NULL;
    const char *used = page_policy_names[sampled->pages_used];
    char size[UNIT_TEXT];
    if (pages && isnan(placement->huge_share))
        pages->text = pool_printf(task->pool, "%s (unverified)", used);
    else if (pages && placement->page_bytes)
        pages->text = pool_printf(task->pool, "%s (%s)", used,
                                  size_format((double)placement->page_bytes, size));
    else if (pages)
        pages->text =
            pool_printf(task->pool, "%s (%.0f %% huge)", used, 100 * placement->huge_share);
    if (node)
        node->number = placement->node;
    return pages && pages->text ? 0 : error_set(error, ERROR_SYSTEM, "out of memory");
}

/* Says why points are missing, if any are. */
static void note_missing(struct probe_task *task, const struct sampled *sampled, int code)
{
    struct probe_result *result = task->result;
    size_t points = task->plan.point_count, missing = sampled->points_missing;
    if (code == ERROR_INTERRUPTED) {
        result->status = PROBE_PARTIAL;
        result->reason = pool_printf(task->pool, "interrupted: %zu of %zu points have a value",
                                     points - missing, points);
    } else if (missing) {
        result->status = missing == points ? PROBE_FAILED : PROBE_PARTIAL;
        result->reason =
            sampled->points_starved
                ? pool_printf(task->pool,
                              "%zu of %zu points have no value: their workers got no time to run "
                              "together",
                              missing, points)
                : pool_printf(
                      task->pool,
                      "%zu of %zu points have no value: the time was used up; give more with "
                      "--budget, or stop what else runs here",
                      missing, points);
    }
}

int probe_measure(struct probe_task *task, struct engine *engine, double budget_s,
                  struct sampled *sampled, struct error *error)
{
    struct probe_result *result = task->result;
    *sampled = (struct sampled){0};
    if (result->status == PROBE_SKIPPED)
        return 0;
    struct trial_work work = {task->probe->prepare, task->state};
    uint64_t began_ns = os_raw_ns();
    task->plan.budget_s = budget_s;
    int code = sampler_run(engine, &task->plan, &work, task->pool, sampled, error);
    result->elapsed_s = (double)(os_raw_ns() - began_ns) * 1e-9;
    result->series = task->plan.series;
    result->series_count = task->plan.series_count;
    if (code < 0 && code != ERROR_INTERRUPTED) {
        result->status = PROBE_FAILED;
        result->reason = pool_strdup(task->pool, error ? error->text : "failed");
        return code == ERROR_SYSTEM ? code : 0;
    }
    note_missing(task, sampled, code);
    int noted = note_placement(task, sampled, code == 0 ? error : NULL);
    code = code == 0 ? noted : code;
    if (result->status != PROBE_FAILED) {
        int concluded = task->probe->conclude(task, sampled, code == 0 ? error : NULL);
        code = code == 0 ? concluded : code;
    }
    return code;
}
