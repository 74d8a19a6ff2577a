/*
 * GPUs: latencies, capacities and bandwidths of their memories, and the ways to them. This file is
 * the frame: it finds a backend and its devices, goes through the experiments (experiments.c)
 * on one device after another, a stage of the plan each, and hands trials to the device.
 *
 * A device is started when its turn comes and not before: a context takes memory of it, and threads
 * of the host that would disturb what is measured on CPUs.
 */
#include "measure/probes/gpu/gpu.h"

#include "conclude/registry/device.h"
#include "document/flag.h"
#include "measure/probes/gpu/options.h"
#include "measure/probes/gpu/sensors.h"
#include "measure/probes/gpu/state.h"
#include "measure/probes/kit/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- backends --- */

/* A CPU that OpenCL offers is no GPU: it counts only where OpenCL was asked for. */
static bool *usable_of(const struct gpu_facts *facts, size_t count, bool named, struct pool *pool)
{
    bool *usable = pool_alloc(pool, count + 1, sizeof *usable);
    for (size_t i = 0; usable && i < count; i++)
        usable[i] = named || !gpu_is_cpu(&facts[i]);
    return usable;
}

static bool any(const bool *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (flags[i])
            return true;
    return false;
}

/* Adds to `reasons` why that backend serves nothing. */
static int note_reason(struct probe_task *task, const char **reasons, const char *reason,
                       struct error *error)
{
    *reasons =
        pool_printf(task->pool, "%s%s%s", *reasons ? *reasons : "", *reasons ? "; " : "", reason);
    return *reasons ? 0 : error_out_of_memory(error);
}

/* 1: it is open and has a device that counts; 0: it has none, and `reasons` says so. */
static int try_backend(struct probe_task *task, const struct gpu_backend *backend, bool named,
                       bool **usable, const char **reasons, struct error *error)
{
    struct gpu_state *state = task->state;
    struct error why = {0};
    int code = backend->open(&state->library, task->pool, &state->facts, &state->count, &why);
    if (code == ERROR_SYSTEM)
        return error_set(error, code, "%s", why.text);
    if (code < 0)
        return note_reason(task, reasons, why.text, error);
    state->backend = backend;
    *usable = usable_of(state->facts, state->count, named, task->pool);
    if (!*usable)
        return error_out_of_memory(error);
    if (any(*usable, state->count))
        return 1;
    backend->close(state->library);
    state->backend = NULL;
    state->library = NULL;
    return note_reason(task, reasons,
                       state->count ? "OpenCL has a CPU alone (--backend opencl takes it)"
                                    : "there is no device",
                       error);
}

/* 1, or 0 where no backend has a device: then the result says why. */
static int open_backend(struct probe_task *task, const struct gpu_backend *const *backends,
                        bool **usable, struct error *error)
{
    const char *wanted = gpu_options_backend(task->settings), *reasons = NULL;
    int code = 0;
    for (size_t i = 0; backends[i] && code == 0; i++)
        if (!wanted || strcmp(backends[i]->name, wanted) == 0)
            code = try_backend(task, backends[i], wanted != NULL, usable, &reasons, error);
    if (code == 0) {
        task->result->status = PROBE_SKIPPED;
        /* Of a whole run a person wants no GPU's story on a machine without one. */
        task->result->reason = !task->named ? "no GPU was found; 'fathom doctor' says why"
                               : reasons    ? reasons
                                            : "this program knows no such backend";
    }
    return code;
}

/* --- planning --- */

static struct gpu_task task_for(struct probe_task *task, unsigned device)
{
    const struct gpu_state *state = task->state;
    return (struct gpu_task){.task = task,
                             .backend = state->backend,
                             .gpu = state->gpu,
                             .facts = &state->facts[device],
                             .all = state->facts,
                             .all_count = state->count,
                             .device = device,
                             .first_series = task->plan.series_count};
}

static bool is_asked(const struct gpu_state *state, size_t experiment)
{
    return state->asked >> experiment & 1;
}

/* The share of time that an experiment takes on a device: none where that can't do it. */
static double weight_on(const struct gpu_task *here, size_t experiment)
{
    const struct gpu_experiment *asked = gpu_experiments[experiment];
    if (!is_asked(here->task->state, experiment) ||
        (asked->cuda_alone && here->backend == &gpu_opencl) ||
        (asked->refuses && asked->refuses(here)))
        return 0;
    return asked->weight;
}

/* Everything that can be refused is refused before anything is measured. */
static int check_all(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    int code = 0;
    for (size_t d = 0; d < state->device_count; d++)
        for (size_t i = 0; gpu_experiments[i] && code == 0; i++) {
            const struct gpu_task here = task_for(task, state->devices[d]);
            if (!is_asked(state, i))
                continue;
            task->weight_s += weight_on(&here, i);
            if (gpu_experiments[i]->check)
                code = gpu_experiments[i]->check(&here, error);
        }
    return code;
}

int gpu_plan_with(struct probe_task *task, const struct gpu_backend *const *backends,
                  struct error *error)
{
    struct gpu_state *state = pool_alloc(task->pool, 1, sizeof *state);
    bool *usable = NULL;
    task->state = state;
    const bool all = task->named && !settings_has(task->settings, "quick");
    int code = gpu_options_what(task->settings, all, &state->asked, error);
    if (code == 0)
        code = gpu_options_check(task, error);
    if (code == 0)
        code = open_backend(task, backends, &usable, error);
    if (code <= 0)
        return code;
    task->gpus = state->facts;
    task->gpu_count = state->count;
    state->devices = pool_alloc(task->pool, state->count, sizeof *state->devices);
    code = gpu_options_devices(task->settings, state->facts, state->count, usable, state->devices,
                               error);
    if (code < 0)
        return code;
    state->device_count = (size_t)code;
    return check_all(task, error);
}

static void plan_gpu(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    return (void)pool_check(task->pool, gpu_plan_with(task, gpu_backends, error));
}

/* --- from stage to stage --- */

static double weight_of(struct probe_task *task, size_t device, size_t first)
{
    const struct gpu_state *state = task->state;
    const struct gpu_task here = task_for(task, state->devices[device]);
    double weight = 0;
    for (size_t i = first; gpu_experiments[i]; i++)
        weight += weight_on(&here, i);
    return weight;
}

/* What of the time that is left this experiment may have. */
static double share_of(struct probe_task *task)
{
    const struct gpu_state *state = task->state;
    double left = weight_of(task, state->device_at, state->experiment_at);
    for (size_t device = state->device_at + 1; device < state->device_count; device++)
        left += weight_of(task, device, 0);
    return left > 0 ? gpu_experiments[state->experiment_at]->weight / left : 1;
}

/* What all GPU plans have in common. A batch of a millisecond is a thousand ticks of the slowest
 * device clock there is (%globaltimer moves in steps of 1 us on some). Trials do not share a device
 * with anybody, so they need not be spread as far as those of CPUs. */
static void plan_afresh(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    const struct gpu_facts *facts = &state->facts[state->devices[state->device_at]];
    /* A device that is a CPU shares it with all that runs on the machine: a launch takes ten times
     * as long as it lasts, and many short points show more than few long ones. */
    const bool quick = settings_has(task->settings, "quick") || gpu_is_cpu(facts);
    /* A stand-in for a driver works seconds of the host's time for a modelled millisecond. */
    const bool brief = quick || facts->modelled;
    probe_plan_clear(task);
    task->plan.device = &state->device.device;
    task->plan.batches = 3;
    task->plan.batch_ns = brief ? 250e3 : 1e6;
    task->plan.span_s = quick ? 0 : 0.3;
    task->plan.unstable_above = 0.1;
}

static void stop_device(struct gpu_state *state)
{
    if (state->gpu)
        state->backend->stop(state->gpu);
    state->gpu = NULL;
    gpu_near_leave(&state->near);
}

/* The device whose turn it is, started. 0, or an error that concerns it alone. */
static int start_device(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    const unsigned index = state->devices[state->device_at];
    gpu_near_enter(&state->near, task->machine, state->facts[index].host_node);
    int code = state->backend->start(state->library, index, &state->gpu, error);
    if (code < 0) {
        state->gpu = NULL;
        gpu_near_leave(&state->near);
    } else {
        gpu_device_begin(&state->device, state->backend, state->gpu, &state->facts[index]);
    }
    return code;
}

/* Begins the experiment whose turn it is, on the device whose turn it is, which is running. 1, or 0
 * where it can't do that. */
static int begin_experiment(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    const struct gpu_experiment *experiment = gpu_experiments[state->experiment_at];
    state->task = task_for(task, state->devices[state->device_at]);
    if (state->backend->free_bytes)
        state->task.free_bytes = state->backend->free_bytes(state->gpu);
    state->stage = 0;
    const char *why = experiment->refuses ? experiment->refuses(&state->task) : NULL;
    state->running = !why;
    return why ? gpu_not_measured(&state->task, experiment->name, why, error) : 1;
}

/* Its findings, from all that was measured. */
static int finish_experiment(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    if (!state->running)
        return 0;
    state->running = false;
    gpu_log_flag(&state->log, &state->task);
    int code = gpu_experiments[state->experiment_at]->conclude(&state->task, error);
    int logged = gpu_log_conclude(&state->log, &state->task, code == 0 ? error : NULL);
    return code == 0 ? logged : code;
}

/* The next stage of the experiment that is running: 1, or 0 where it is done, or failed by itself.
 */
static int plan_stage(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    const struct gpu_experiment *experiment = gpu_experiments[state->experiment_at];
    struct error why = {0};
    plan_afresh(task);
    int code = experiment->plan(&state->task, state->stage++, &why);
    if (code < 0 && (code == ERROR_SYSTEM || code == ERROR_INTERRUPTED))
        return error_set(error, code, "%s", why.text);
    if (code < 0)
        code = gpu_not_measured(&state->task, experiment->name, why.text, error);
    if (code <= 0 || task->plan.point_count == 0)
        return code < 0 ? code : 0;
    task->plan.share *= share_of(task);
    code = gpu_log_begin(&state->log, &task->plan, task->pool, error);
    return code < 0 ? code : 1;
}

/* Moves on to the next experiment that was asked for, of this device or the next. 1, or 0 where
 * there is none. */
static int move_on(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    for (; state->device_at < state->device_count; state->device_at++, state->experiment_at = 0) {
        struct error why = {0};
        int code = state->gpu ? 0 : start_device(task, &why);
        if (code == ERROR_SYSTEM || code == ERROR_INTERRUPTED)
            return error_set(error, code, "%s", why.text);
        if (code < 0)
            code = gpu_failed(task, state->devices[state->device_at], why.text, error);
        if (code < 0)
            return code;
        for (; state->gpu && gpu_experiments[state->experiment_at]; state->experiment_at++) {
            code = is_asked(state, state->experiment_at) ? begin_experiment(task, error) : 0;
            if (code != 0)
                return code;
        }
        code = gpu_log_end(&state->log, &state->task, error);
        if (code < 0)
            return code;
        if (state->gpu && state->backend->read_facts)
            state->backend->read_facts(state->gpu, task->pool,
                                       &state->facts[state->devices[state->device_at]]);
        stop_device(state);
    }
    return 0;
}

/* A device that does nothing from the start is left, and what was planned for it with it. */
static int leave_device(struct probe_task *task, const char *why, struct error *error)
{
    struct gpu_state *state = task->state;
    struct plan *plan = &task->plan;
    const size_t planned = plan->series_count - state->task.first_series;
    int code = gpu_failed(task, state->devices[state->device_at], why, error);
    memset(&plan->series[state->task.first_series], 0, planned * sizeof *plan->series);
    plan->series_count = state->task.first_series;
    state->running = false;
    stop_device(state);
    state->device_at++;
    state->experiment_at = 0;
    return code;
}

static bool next_gpu(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct error *error = pool_error(task->pool);
    (void)stage;
    struct gpu_state *state = task->state;
    int left = outcome->not_woken ? leave_device(task, outcome->not_woken, error) : 0;
    if (left < 0)
        return pool_check(task->pool, left) > 0;
    for (;;) {
        int code = state->running ? plan_stage(task, error) : 0;
        if (code != 0)
            return pool_check(task->pool, code) > 0;
        if (state->running) {
            code = finish_experiment(task, error);
            state->experiment_at++;
        }
        if (code == 0)
            code = move_on(task, error);
        if (code <= 0)
            return pool_check(task->pool, code) > 0;
    }
}

static void observe_gpu(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct gpu_state *state = task->state;
    gpu_log_note(&state->log, state->backend, state->gpu, seen, task->pool);
}

/* --- concluding --- */

static void conclude_gpu(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    (void)outcome;
    struct gpu_state *state = task->state;
    int code = finish_experiment(task, error); /* one that was interrupted */
    task->result->series = task->plan.series;
    task->result->series_count = task->plan.series_count;
    if (code == 0)
        code = gpu_log_end(&state->log, &state->task, error);
    int noted = gpu_tell_left_out(task, code == 0 ? error : NULL);
    return (void)pool_check(task->pool, code == 0 ? noted : code);
}

static void release_gpu(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    if (!state || !state->backend)
        return;
    stop_device(state);
    state->backend->close(state->library);
    state->backend = NULL;
}

/* Whether any series is about the device, or a matrix about several. */
static bool is_in_document(const struct probe_result *result, int device)
{
    for (size_t i = 0; i < result->series_count; i++)
        if ((result->series[i].matrix && device_has_series(&result->series[i])) ||
            device_of_name(result->series[i].name, NULL) == device)
            return true;
    return false;
}

/* Each experiment concludes as it did when it was measured, on what it can recall of the series. */
static int analyse_device(struct analysis *analysis, const struct machine_facts *machine,
                          size_t device, struct error *error)
{
    struct probe_task task = {.pool = analysis->pool,
                              .result = analysis->result,
                              .plan = {.series = analysis->result->series,
                                       .series_count = analysis->result->series_count}};
    char condition[40];
    int code = 0;
    for (size_t i = 0; gpu_experiments[i] && code >= 0; i++) {
        struct gpu_task here = {.task = &task,
                                .facts = &machine->gpus[device],
                                .all = machine->gpus,
                                .all_count = machine->gpu_count,
                                .device = (unsigned)device};
        code = gpu_experiments[i]->recall(&here, error);
        if (code > 0)
            code = gpu_experiments[i]->conclude(&here, error);
    }
    snprintf(condition, sizeof condition, "gpu%d.condition", machine->gpus[device].id);
    return code < 0 ? code
                    : (analysis_keep(analysis, condition,
                                     "what was sensed all the time is in no series"),
                       0);
}

/* A document may name any number of them; then nothing is computed, and what it says is kept. */
enum { ANALYSED_MOST = 1024 };

static void analyse_gpu(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    const struct machine_facts *machine = analysis->machine;
    int code = 0;
    if (machine && machine->gpu_count > ANALYSED_MOST)
        return (void)pool_check(analysis->pool, 0);
    for (size_t i = 0; machine && i < machine->gpu_count && code == 0; i++)
        code = is_in_document(analysis->result, machine->gpus[i].id)
                   ? analyse_device(analysis, machine, i, error)
                   : 0;
    return (void)pool_check(
        analysis->pool,
        code == 0 ? (analysis_keep_devices(analysis, "the document says nothing of the device"), 0)
                  : code);
}

const struct probe gpu_probe = {
    .name = "gpu",
    .place = 140,
    .title = "GPU memory",
    .summary = "how deep, wide and far the memories of GPUs are",
    .about =
        "What a GPU's own clocks show of its memories. Latency: one thread follows a chain of "
        "dependent loads, in random order, through a working set of every size; the plateaus are "
        "L1, L2 and device memory, in cycles of the multiprocessor and in ns. The path says which "
        "caches the loads go through: l1, through all; l2, past the first; read-only, the way of "
        "constant data. Further experiments (--what) look at scratchpad, constant and texture "
        "memory, at lines of L2 near and far, at bandwidths, at the ways between host and "
        "device, at translation, and at other multiprocessors and devices.\n"
        "What moves it: the device's clock, which rises under load and falls with heat and power "
        "(clock, power and temperature stand beside each curve where the driver reports them); how "
        "L1 and scratchpad share their memory (--l1); and who else uses the device.\n"
        "NVIDIA's are reached through the driver (libcuda.so.1), others through OpenCL, both "
        "opened "
        "when they are needed. A machine without either skips this.",
    .weight = 25,
    .quick = true,
    .options = gpu_options,
    .findings = {gpu_lines, gpu_experiment, .of_devices = true},
    .plan = plan_gpu,
    .observe = observe_gpu,
    .next = next_gpu,
    .conclude = conclude_gpu,
    .analyse = analyse_gpu,
    .release = release_gpu,
};
