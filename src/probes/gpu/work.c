/*
 * From points to a device's work and back: what experiments plan with, and what the engine measures
 * by.
 */
#include "engine/visit.h"
#include "findings/device.h"
#include "probes/gpu/state.h"
#include "result/flag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- series and points --- */

struct series *gpu_add_series(struct gpu_task *here, const char *what, struct axis x, struct axis y)
{
    struct plan *plan = &here->task->plan;
    struct pool *pool = here->task->pool;
    const char *name = pool_printf(pool, "gpu%d %s", here->facts->id, what);
    struct series *series =
        name ? pool_append(pool, (void **)&plan->series, &plan->series_count, sizeof *series)
             : NULL;
    if (!series)
        return NULL;
    *series = (struct series){.name = name, .x = x, .y = y};
    int code = gpu_add_factor(here, series, "what", what, NAN, NULL);
    if (code == 0)
        code = gpu_add_factor(here, series, "gpu", NULL, here->facts->id, NULL);
    return code == 0 ? series : NULL;
}

static bool has_factor(const struct series *series, const char *name, const char *text,
                       double number)
{
    const struct factor *factor = series_factor(series, name);
    if (!factor || !text != !factor->text)
        return false;
    return text ? strcmp(text, factor->text) == 0 : !(fabs(factor->number - number) > 0);
}

int gpu_find_series(const struct gpu_task *here, const char *what, const char *factor,
                    const char *text, double number)
{
    const struct plan *plan = &here->task->plan;
    const char *rest;
    for (size_t i = 0; i < plan->series_count; i++) {
        const struct series *series = &plan->series[i];
        if (device_of_name(series->name, &rest) == here->facts->id && strcmp(rest, what) == 0 &&
            (!factor || has_factor(series, factor, text, number)))
            return (int)i;
    }
    return -1;
}

int gpu_add_factor(struct gpu_task *here, struct series *series, const char *name, const char *text,
                   double number, struct error *error)
{
    struct factor *factor = pool_append(here->task->pool, (void **)&series->factors,
                                        &series->factor_count, sizeof *factor);
    if (!factor)
        return error_out_of_memory(error);
    *factor = (struct factor){name, pool_strdup(here->task->pool, text), number};
    return text && !factor->text ? error_out_of_memory(error) : 0;
}

static struct plan_point *add_point(struct gpu_task *here, size_t index,
                                    const struct gpu_work *work)
{
    static const struct seat nobody = {-1, MEASURED};
    struct gpu_state *state = here->task->state;
    struct plan *plan = &here->task->plan;
    struct pool *pool = here->task->pool;
    struct gpu_work *own =
        pool_append(pool, (void **)&state->works, &state->work_count, sizeof *own);
    struct plan_point *point =
        own ? pool_append(pool, (void **)&plan->points, &plan->point_count, sizeof *point) : NULL;
    if (!point)
        return NULL;
    *own = *work;
    *point = (struct plan_point){.seats = &nobody,
                                 .seat_count = 1,
                                 .series = (unsigned)index,
                                 .detail = state->work_count - 1};
    return point;
}

int gpu_add_point(struct gpu_task *here, size_t index, double x, const struct gpu_work *work,
                  struct error *error)
{
    struct plan_point *point = add_point(here, index, work);
    if (!point)
        return error_out_of_memory(error);
    point->x = x;
    return 0;
}

int gpu_add_pair(struct gpu_task *here, size_t index, int from, int to, const struct gpu_work *work,
                 struct error *error)
{
    struct plan_point *point = add_point(here, index, work);
    if (!point)
        return error_out_of_memory(error);
    point->from = from;
    point->to = to;
    return 0;
}

const char *gpu_name(const struct gpu_task *here, const char *finding)
{
    return pool_printf(here->task->pool, "gpu%d.%s", here->facts->id, finding);
}

/* --- what is left out --- */

/* Adds "gpu0 what: why" to a text, once. A backend's errors name the device already. */
static int tell(const char **text, struct pool *pool, int id, const char *what, const char *why,
                struct error *error)
{
    char device[24];
    snprintf(device, sizeof device, "gpu%d: ", id);
    if (strncmp(why, device, strlen(device)) == 0)
        why += strlen(device);
    const char *told = pool_printf(pool, "gpu%d%s%s: %s", id, *what ? " " : "", what, why);
    if (told && *text && strstr(*text, told))
        return 0;
    *text = told && *text ? pool_printf(pool, "%s; %s", *text, told) : told;
    return *text ? 0 : error_out_of_memory(error);
}

int gpu_not_measured(struct gpu_task *here, const char *what, const char *why, struct error *error)
{
    struct gpu_state *state = here->task->state;
    return tell(&state->not_measured, here->task->pool, here->facts->id, what, why, error);
}

int gpu_failed(struct probe_task *task, unsigned device, const char *why, struct error *error)
{
    struct gpu_state *state = task->state;
    return tell(&state->failures, task->pool, state->facts[device].id, "", why, error);
}

bool gpu_can(struct gpu_task *here, const char *what, const struct gpu_work *work)
{
    const char *why = here->backend->refuses(here->gpu, work);
    if (why)
        gpu_not_measured(here, what, why, NULL);
    return !why;
}

static size_t points_of(const struct probe_result *result)
{
    size_t points = 0;
    for (size_t i = 0; i < result->series_count; i++)
        points += result->series[i].point_count;
    return points;
}

/* What no device can do is no failure, and told once: as the reason. */
static void tell_nothing(struct gpu_state *state, struct probe_result *result)
{
    const bool lacking = !state->failures && state->not_measured;
    result->status = lacking ? PROBE_SKIPPED : PROBE_FAILED;
    result->reason = lacking           ? state->not_measured
                     : state->failures ? state->failures
                                       : "there was nothing to measure";
    if (lacking)
        state->not_measured = NULL;
}

int gpu_tell_left_out(struct probe_task *task, struct error *error)
{
    struct gpu_state *state = task->state;
    struct probe_result *result = task->result;
    if (result->status == PROBE_OK && points_of(result) == 0) {
        tell_nothing(state, result);
    } else if (state->failures) {
        result->status = PROBE_PARTIAL;
        result->reason = !result->reason
                             ? state->failures
                             : pool_printf(task->pool, "%s; %s", result->reason, state->failures);
        if (!result->reason)
            return error_out_of_memory(error);
    }
    if (!state->not_measured)
        return 0;
    struct factor *parameter = probe_add_parameter(task, parameter_not_measured);
    if (!parameter)
        return error_out_of_memory(error);
    parameter->text = state->not_measured;
    return 0;
}

/* --- trials --- */

/* What an engine's "repeat" is: whole passes of what moves bytes, some loads of a chase. So few
 * repeats are never less than what the device does at once. */
static uint64_t operations_a_repeat(const struct gpu_work *work)
{
    enum { LOADS = 64 };
    switch (work->action) {
    case GPU_CHASE:
        return LOADS;
    case GPU_STREAM:
    case GPU_TRANSFER:
        return work->bytes ? work->bytes : 1;
    case GPU_LAUNCH:
        break;
    }
    return 1;
}

static const struct gpu_work *work_of(const struct gpu_state *state, const struct trial *trial)
{
    return &state->works[trial->point->detail];
}

static int prepare_work(void *self, struct trial *trial, struct error *error)
{
    struct gpu_state *state = self;
    const struct gpu_work *work = work_of(state, trial);
    trial->operations = (double)operations_a_repeat(work);
    return state->backend->prepare(state->gpu, work, trial->seed, error);
}

/* What a backend takes as repeats for so many operations: it counts passes, not bytes. */
static uint64_t backend_repeats(const struct gpu_work *work, uint64_t operations)
{
    return work->action == GPU_CHASE ? operations : operations / operations_a_repeat(work);
}

/* Does so many operations or a few more, and tells the time that so many took. */
static int run_work(const struct gpu_backend *backend, struct gpu *gpu, const struct gpu_work *work,
                    uint64_t operations, struct gpu_time *time, struct error *error)
{
    /* Where so many take no time at all, no number will. */
    enum { OPERATIONS_IN_NO_TIME = 1 << 30 };
    uint64_t did = operations;
    int code = backend->run(gpu, work, backend_repeats(work, operations), &did, time, error);
    if (code < 0)
        return code;
    if (did < operations || !isfinite(time->ns) || time->ns < 0)
        return error_set(error, ERROR_IMPOSSIBLE, "did %llu of %llu operations in %g ns",
                         (unsigned long long)did, (unsigned long long)operations, time->ns);
    if (!(time->ns > 0) && did >= OPERATIONS_IN_NO_TIME)
        return error_set(error, ERROR_IMPOSSIBLE, "its clock stands still");
    time->ns *= (double)operations / (double)did;
    time->cycles *= (double)operations / (double)did;
    return 0;
}

static int measure_work(void *self, const struct trial *trial, uint64_t repeats,
                        struct batch *batch, struct error *error)
{
    struct gpu_state *state = self;
    const struct gpu_work *work = work_of(state, trial);
    struct gpu_time time = {NAN, NAN};
    int code = run_work(state->backend, state->gpu, work, repeats * operations_a_repeat(work),
                        &time, error);
    if (code == 0)
        *batch = (struct batch){time.ns, time.ns > 0 ? time.cycles / time.ns * 1e9 : NAN};
    return code;
}

struct device gpu_device(struct gpu_state *state, bool modelled)
{
    return (struct device){.self = state,
                           .flags = modelled ? FLAG_BIT(FLAG_MODELLED) : 0,
                           .prepare = prepare_work,
                           .measure = measure_work};
}

/* --- waking --- */

/* A device that idles runs at a fraction of its clock, which comes up within tenths of a second in
 * steps: NVIDIA's by 15 MHz, the last of them below one in a hundred. Up to speed is where some
 * batches of several milliseconds agree. */
static const double wake_batch_ns = 4e6, wake_agreement = 0.005;
enum { WAKE_BATCHES_MOST = 100, WAKE_BATCHES_ALIKE = 5, WAKE_BYTES = 512 << 10 };

static int find_wake_loads(const struct gpu_backend *backend, struct gpu *gpu,
                           const struct gpu_work *work, uint64_t *loads, struct error *error)
{
    for (*loads = 1024;; *loads *= 4) {
        struct gpu_time time = {NAN, NAN};
        int code = run_work(backend, gpu, work, *loads, &time, error);
        if (code < 0)
            return code;
        if (time.ns < wake_batch_ns / 8)
            continue;
        *loads = (uint64_t)ceil((double)*loads * wake_batch_ns / time.ns);
        return 0;
    }
}

int gpu_wake(const struct gpu_backend *backend, struct gpu *gpu, struct error *error)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_L1; /* which every backend can */
    work.bytes = WAKE_BYTES;
    work.stride = 128;
    uint64_t loads;
    int code = backend->prepare(gpu, &work, 0, error);
    if (code == 0)
        code = find_wake_loads(backend, gpu, &work, &loads, error);
    double last_ns = NAN;
    for (int i = 0, alike = 0; code == 0 && i < WAKE_BATCHES_MOST && alike < WAKE_BATCHES_ALIKE;
         i++) {
        struct gpu_time time = {NAN, NAN};
        code = run_work(backend, gpu, &work, loads, &time, error);
        alike = fabs(time.ns / last_ns - 1) <= wake_agreement ? alike + 1 : 0;
        last_ns = time.ns;
    }
    return code;
}
