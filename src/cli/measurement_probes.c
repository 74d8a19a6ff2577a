#include "cli/measurement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double budget_alone_s = 25, budget_quick_s = 4, budget_thorough_s = 600;

static int choose_probes(const struct measurement *run, const struct probe **chosen, size_t *count,
                         struct error *error)
{
    const struct invocation *invocation = run->invocation;
    *count = 0;
    if (invocation->probe) {
        chosen[(*count)++] = invocation->probe;
        if (invocation->operand_count)
            return error_set(
                error, ERROR_USAGE,
                "%s takes no operand like '%s': leave it out, or name an option; see --help",
                invocation->probe->name, invocation->operands[0]);
        return 0;
    }
    const int named = run->only_used ? 0 : invocation->operand_count;
    for (int i = 0; i < named; i++)
        if (!probe_by_name(invocation->operands[i]))
            return error_set(error, ERROR_USAGE, "unknown probe '%s'; 'fathom list' shows them",
                             invocation->operands[i]);
    for (size_t p = 0; probes[p]; p++) {
        bool asked = named == 0;
        if (asked && settings_has(&invocation->settings, "quick"))
            asked = probes[p]->quick;
        asked = asked && probes[p]->weight > 0;
        for (int i = 0; i < named; i++)
            asked = asked || strcmp(invocation->operands[i], probes[p]->name) == 0;
        if (asked)
            chosen[(*count)++] = probes[p];
    }
    return 0;
}

/* The settings of one probe: its own options and the common ones, as far as they were given. */
static int copy_settings(struct settings *to, const struct settings *from,
                         const struct probe *probe, uint64_t seed, struct error *error)
{
    int code = settings_add(to, probe->options, error);
    if (code == 0)
        code = settings_add(to, probe_common_options, error);
    for (size_t i = 0; code == 0 && i < to->count; i++) {
        const struct option_spec *spec = settings_spec(to, i);
        if (settings_given(from, spec->name))
            code = settings_set(to, spec->name, settings_text(from, spec->name), error);
    }
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    return code == 0 ? settings_set(to, "seed", text, error) : code;
}

/* What is there to say of a probe that a whole run leaves out. */
static struct probe_result skipped_for(const struct probe *probe, const char *reason)
{
    return (struct probe_result){.name = probe->name,
                                 .title = probe->title,
                                 .about = probe->about,
                                 .status = PROBE_SKIPPED,
                                 .reason = reason};
}

int measurement_plan_probes(struct measurement *run, struct error *error)
{
    const struct probe *chosen[64];
    const bool named =
        run->invocation->probe || (!run->only_used && run->invocation->operand_count > 0);
    int code = choose_probes(run, chosen, &run->task_count, error);
    if (code < 0)
        return code;
    run->tasks = calloc(run->task_count, sizeof *run->tasks);
    run->settings = calloc(run->task_count, sizeof *run->settings);
    struct pool *pool = &run->document.pool;
    run->document.probes = pool_alloc(pool, run->task_count, sizeof *run->document.probes);
    if (!run->tasks || !run->settings || !run->document.probes)
        return error_out_of_memory(error);
    for (size_t i = 0; i < run->task_count && code == 0; i++) {
        code = copy_settings(&run->settings[i], &run->invocation->settings, chosen[i], run->seed,
                             error);
        run->tasks[i].named = named;
        if (code == 0)
            code = probe_prepare(&run->tasks[i], chosen[i], &run->settings[i], &run->machine, pool,
                                 &run->document.probes[i], error);
        if (code == 0 && !named && (chosen[i]->needs & WANTS_TWO_NODES) &&
            run->machine.facts.node_count < 2)
            run->document.probes[i] = skipped_for(chosen[i], "this machine has a single NUMA node");
    }
    return code;
}

/* As it planned; else as its table says; else it is one that is only measured when named. */
static double weight_of(const struct probe_task *task)
{
    return task->weight_s > 0        ? task->weight_s
           : task->probe->weight > 0 ? task->probe->weight
                                     : budget_alone_s;
}

static double weight_from(const struct measurement *run, size_t first)
{
    double weight = 0;
    for (size_t i = first; i < run->task_count; i++)
        if (run->document.probes[i].status != PROBE_SKIPPED)
            weight += weight_of(&run->tasks[i]);
    return weight;
}

/* A whole run takes what its probes weigh; one that is named alone has more time. */
double measurement_budget(const struct measurement *run)
{
    const struct settings *settings = &run->invocation->settings;
    if (settings_has(settings, "budget"))
        return settings_number(settings, "budget");
    if (settings_has(settings, "quick") || settings_has(settings, "thorough"))
        return settings_has(settings, "quick") ? budget_quick_s : budget_thorough_s;
    double weight = weight_from(run, 0);
    return run->invocation->probe || run->invocation->operand_count == 1
               ? fmax(weight, budget_alone_s)
               : weight;
}

double measurement_share(const struct measurement *run, size_t task)
{
    return weight_of(&run->tasks[task]) / weight_from(run, task);
}
