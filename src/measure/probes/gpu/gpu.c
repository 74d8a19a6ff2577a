/*
 * GPUs: latencies, capacities and bandwidths of their memories and links. This file finds a backend
 * and its devices and runs the experiments on one device after another, each as one or more stages
 * of the plan.
 *
 * A device is started only at its turn, because a context takes device memory, and its host threads
 * would disturb measurements on CPUs.
 */
#include "measure/probes/gpu/gpu.h"

#include "conclude/registry/device.h"
#include "measure/probes/gpu/options.h"
#include "measure/probes/gpu/sensors.h"
#include "measure/probes/gpu/state.h"
#include "measure/probes/kit/build.h"

#include <string.h>

/* Levels come first, because other experiments choose their working sets by them. Bandwidth comes
 * last, because it can use all remaining time. */
const struct gpu_experiment *const gpu_experiments[] = {
    &gpu_latency,  &gpu_memories,    &gpu_sharing, &gpu_banks,     &gpu_host,
    &gpu_together, &gpu_places,      &gpu_cluster, &gpu_peers,     &gpu_fetch,
    &gpu_distance, &gpu_translation, &gpu_loaded,  &gpu_bandwidth, NULL,
};

/* --- backends --- */

/* Opens a backend; true if it has a usable device, otherwise adds the reason to `reasons`. A CPU
 * that OpenCL offers counts only if OpenCL was asked for (`named`). */
static bool try_backend(struct probe_task *task, const struct gpu_backend *backend, bool named,
                        bool **usable, const char **reasons)
{
    struct gpu_state *state = task->state;
    struct error why = {0};
    bool any = false;
    const int code = backend->open(&state->library, task->pool, &state->facts, &state->count, &why);
    if (code == ERROR_SYSTEM)
        pool_leave(task->pool, code, "%s", why.text);
    if (code == 0) {
        state->backend = backend; /* from here on release() closes it */
        *usable = pool_alloc(task->pool, state->count + 1, sizeof **usable);
        for (size_t i = 0; i < state->count; i++) {
            (*usable)[i] = named || !gpu_is_cpu(&state->facts[i]);
            any = any || (*usable)[i];
        }
        if (any)
            return true;
        backend->close(state->library);
        state->backend = NULL;
        state->library = NULL;
    }
    const char *reason = code < 0       ? why.text
                         : state->count ? "OpenCL has only a CPU (--backend opencl measures it)"
                                        : "there is no device";
    *reasons =
        pool_printf(task->pool, "%s%s%s", *reasons ? *reasons : "", *reasons ? "; " : "", reason);
    return false;
}

/* Opens the first backend with a usable device; if there is none, the result has the reason. */
static bool open_backend(struct probe_task *task, const struct gpu_backend *const *backends,
                         bool **usable)
{
    const char *wanted = gpu_options_backend(task->options), *reasons = NULL;
    for (size_t i = 0; backends[i]; i++)
        if ((!wanted || strcmp(backends[i]->name, wanted) == 0) &&
            try_backend(task, backends[i], wanted != NULL, usable, &reasons))
            return true;
    /* A whole run on a machine without a GPU gives no backend's reasons. */
    build_skip(task, !task->named ? "no GPU was found; 'fathom doctor' says why"
                     : reasons    ? reasons
                                  : "this program knows no such backend");
    return false;
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

/* An experiment's weight in seconds on a device; 0 if the device can't do it. */
static double weight_on(const struct gpu_task *here, size_t experiment)
{
    const struct gpu_experiment *asked = gpu_experiments[experiment];
    if (!is_asked(here->task->state, experiment) ||
        (asked->cuda_alone && here->backend == &gpu_opencl) ||
        (asked->refuses && asked->refuses(here)))
        return 0;
    return asked->weight;
}

void gpu_plan_with(struct probe_task *task, const struct gpu_backend *const *backends)
{
    struct gpu_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    bool *usable = NULL;
    state->asked = gpu_options_what(task, task->named && !task->common.quick.has);
    gpu_options_check(task);
    if (!open_backend(task, backends, &usable))
        return;
    task->gpus = state->facts;
    task->gpu_count = state->count;
    state->devices = pool_alloc(task->pool, state->count, sizeof *state->devices);
    state->device_count =
        gpu_options_devices(task, state->facts, state->count, usable, state->devices);
    /* All invalid options are refused before anything is measured. */
    for (size_t d = 0; d < state->device_count; d++)
        for (size_t i = 0; gpu_experiments[i]; i++) {
            const struct gpu_task here = task_for(task, state->devices[d]);
            if (!is_asked(state, i))
                continue;
            task->weight_s += weight_on(&here, i);
            if (gpu_experiments[i]->check)
                gpu_experiments[i]->check(&here);
        }
}

static void plan_gpu(struct probe_task *task)
{
    gpu_plan_with(task, gpu_backends);
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

static void stop_device(struct gpu_state *state)
{
    if (state->gpu)
        state->backend->stop(state->gpu);
    state->gpu = NULL;
    gpu_near_leave(&state->near);
}

/* Starts the current device. False: it did not start; the reason is noted if it concerns this
 * device alone. */
static bool start_device(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    const unsigned index = state->devices[state->device_at];
    struct error why = {0};
    gpu_near_enter(&state->near, task->machine, state->facts[index].host_node);
    const int code = state->backend->start(state->library, index, &state->gpu, &why);
    if (code == 0) {
        gpu_device_begin(&state->device, state->backend, state->gpu, &state->facts[index]);
        return true;
    }
    state->gpu = NULL;
    gpu_near_leave(&state->near);
    if (code == ERROR_SYSTEM || code == ERROR_INTERRUPTED)
        pool_leave(task->pool, code, "%s", why.text);
    gpu_failed(task, index, why.text);
    return false;
}

/* Begins the current experiment on the current device, which is running. False: the device can't do
 * it. */
static bool begin_experiment(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    const struct gpu_experiment *experiment = gpu_experiments[state->experiment_at];
    state->task = task_for(task, state->devices[state->device_at]);
    if (state->backend->free_bytes)
        state->task.free_bytes = state->backend->free_bytes(state->gpu);
    state->stage = 0;
    const char *why = experiment->refuses ? experiment->refuses(&state->task) : NULL;
    if (why)
        gpu_not_measured(&state->task, experiment->name, why);
    state->running = !why;
    return state->running;
}

/* Adds the experiment's findings, from all that was measured. */
static void finish_experiment(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    if (!state->running)
        return;
    state->running = false;
    gpu_log_flag(&state->log, &state->task);
    gpu_experiments[state->experiment_at]->conclude(&state->task);
    gpu_log_conclude(&state->log, &state->task);
}

/* Plans the running experiment's next stage with points; false: there is none. */
static bool plan_stage(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    const struct gpu_experiment *experiment = gpu_experiments[state->experiment_at];
    while (state->running && state->stage < (experiment->stages ? experiment->stages : 1)) {
        /* Begins a plan with the settings of all GPU plans. A batch of a millisecond is a thousand
         * steps of the slowest device clock (%globaltimer has steps of 1 us on some devices). No
         * other program is expected on the device, so trials need not be spread over as much time
         * as on CPUs. */
        const struct gpu_facts *facts = &state->facts[state->devices[state->device_at]];
        /* An OpenCL device that is a CPU shares it with all programs of the machine: a launch takes
         * ten times its kernel's time, and many short points show more than few long ones. */
        const bool quick = task->common.quick.has || gpu_is_cpu(facts);
        /* A stand-in for a driver needs seconds of the host's time for a modelled millisecond. */
        const bool brief = quick || facts->modelled;
        probe_plan_clear(task);
        task->plan.device = &state->device.device;
        task->plan.batches = 3;
        task->plan.batch_ns = brief ? 250e3 : 1e6;
        task->plan.span_s = quick ? 0 : 0.3;
        task->plan.unstable_above = 0.1;
        state->task.stage = state->stage++;
        experiment->plan(&state->task);
        if (task->plan.point_count == 0)
            continue;
        /* The current experiment's share of the remaining time. */
        double left = weight_of(task, state->device_at, state->experiment_at);
        for (size_t device = state->device_at + 1; device < state->device_count; device++)
            left += weight_of(task, device, 0);
        task->plan.share *= left > 0 ? gpu_experiments[state->experiment_at]->weight / left : 1;
        gpu_log_begin(&state->log, &task->plan, task->pool);
        return true;
    }
    return false;
}

/* Begins the next experiment that was asked for, on this device or the next one. False: there is
 * none. */
static bool move_on(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    for (; state->device_at < state->device_count; state->device_at++, state->experiment_at = 0) {
        if (!state->gpu && !start_device(task))
            continue;
        for (; gpu_experiments[state->experiment_at]; state->experiment_at++)
            if (is_asked(state, state->experiment_at) && begin_experiment(task))
                return true;
        gpu_log_end(&state->log, &state->task);
        if (state->backend->read_facts)
            state->backend->read_facts(state->gpu, task->pool,
                                       &state->facts[state->devices[state->device_at]]);
        stop_device(state);
    }
    return false;
}

static bool next_gpu(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    if (task->outcome->not_woken) {
        /* Gives up a device that could not be woken, and drops the current experiment's series. */
        struct plan *plan = &task->plan;
        const size_t planned = plan->series_count - state->task.first_series;
        gpu_failed(task, state->devices[state->device_at], task->outcome->not_woken);
        memset(&plan->series[state->task.first_series], 0, planned * sizeof *plan->series);
        plan->series_count = state->task.first_series;
        state->running = false;
        stop_device(state);
        state->device_at++;
        state->experiment_at = 0;
    }
    do {
        if (plan_stage(task))
            return true;
        if (state->running) {
            finish_experiment(task);
            state->experiment_at++;
        }
    } while (move_on(task));
    return false;
}

static void observe_gpu(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct gpu_state *state = task->state;
    gpu_log_note(&state->log, state->backend, state->gpu, seen, task->pool);
}

/* --- concluding --- */

static void conclude_gpu(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    finish_experiment(task); /* one that was interrupted */
    task->result->series = task->plan.series;
    task->result->series_count = task->plan.series_count;
    gpu_log_end(&state->log, &state->task);
    gpu_tell_left_out(task);
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

/* Whether the document has a series of the device, or a matrix of several devices. */
static bool is_in_document(const struct probe_result *result, int device)
{
    for (size_t i = 0; i < result->series_count; i++)
        if ((result->series[i].matrix && device_has_series(&result->series[i])) ||
            device_of_name(result->series[i].name, NULL) == device)
            return true;
    return false;
}

/* A document may list any number of devices; with more than this nothing is computed, and its
 * findings are kept. */
enum { ANALYSED_MOST = 1024 };

/* Each experiment concludes as after a measurement, but from the series alone. */
static void analyse_gpu(struct analysis *analysis)
{
    const struct machine_facts *machine = analysis->machine;
    struct probe_task task = {.pool = analysis->pool,
                              .result = analysis->result,
                              .plan = {.series = analysis->result->series,
                                       .series_count = analysis->result->series_count}};
    const size_t count = machine ? machine->gpu_count : 0;
    if (count > ANALYSED_MOST)
        return;
    for (size_t device = 0; device < count; device++) {
        struct gpu_task here = {.task = &task,
                                .facts = &machine->gpus[device],
                                .all = machine->gpus,
                                .all_count = count,
                                .device = (unsigned)device};
        if (!is_in_document(analysis->result, here.facts->id))
            continue;
        for (size_t i = 0; gpu_experiments[i]; i++)
            gpu_experiments[i]->conclude(&here);
        analysis_keep(analysis, gpu_name(&here, "condition"),
                      "the document's series do not hold all readings of the sensors");
    }
    analysis_keep_devices(analysis, "the document says nothing of the device");
}

#include "gpu.help.h"

const struct probe gpu_probe = {
    .name = "gpu",
    .place = 140,
    .help = &help,
    .weight = 25,
    .quick = true,
    .no_twin = "a model of a document stands for processors and no device",
    .findings = {gpu_lines, gpu_experiment, .of_devices = true},
    .plan = plan_gpu,
    .observe = observe_gpu,
    .next = next_gpu,
    .conclude = conclude_gpu,
    .analyse = analyse_gpu,
    .release = release_gpu,
};
