/* What experiments plan with: series, points and their works; and what is left out, with its
 * reason. */
#include "conclude/registry/device.h"
#include "measure/probes/gpu/state.h"

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
    *factor = (struct factor){name, pool_strdup(here->task->pool, text), number};
    return text && !factor->text ? error_out_of_memory(error) : 0;
}

static struct plan_point *add_point(struct gpu_task *here, size_t index,
                                    const struct gpu_work *work)
{
    static const struct seat nobody = {-1, MEASURED};
    struct gpu_device *device = &((struct gpu_state *)here->task->state)->device;
    struct plan *plan = &here->task->plan;
    struct pool *pool = here->task->pool;
    struct gpu_work *own =
        pool_append(pool, (void **)&device->works, &device->work_count, sizeof *own);
    struct plan_point *point =
        own ? pool_append(pool, (void **)&plan->points, &plan->point_count, sizeof *point) : NULL;
    if (!point)
        return NULL;
    *own = *work;
    *point = (struct plan_point){.seats = &nobody,
                                 .seat_count = 1,
                                 .series = (unsigned)index,
                                 .index = device->work_count - 1};
    return point;
}

int gpu_add_point(struct gpu_task *here, size_t index, double x, const struct gpu_work *work,
                  struct error *error)
{
    struct plan_point *point = add_point(here, index, work);
    point->x = x;
    return 0;
}

int gpu_add_pair(struct gpu_task *here, size_t index, int from, int to, const struct gpu_work *work,
                 struct error *error)
{
    struct plan_point *point = add_point(here, index, work);
    point->from = from;
    point->to = to;
    return 0;
}

bool gpu_is_cpu(const struct gpu_facts *facts)
{
    return facts->kind && strcmp(facts->kind, "cpu") == 0;
}

uint64_t gpu_memory(const struct gpu_task *here)
{
    const uint64_t all = here->facts->memory_bytes;
    return here->free_bytes && (!all || here->free_bytes < all) ? here->free_bytes : all;
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
    const char *reason = pool_printf(pool, "gpu%d%s%s: %s", id, *what ? " " : "", what, why);
    if (reason && *text && strstr(*text, reason))
        return 0;
    *text = reason && *text ? pool_printf(pool, "%s; %s", *text, reason) : reason;
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

/* What no device can do is no failure, and said once: as the reason. */
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
    }
    if (!state->not_measured)
        return 0;
    struct factor *parameter = probe_add_parameter(task, parameter_not_measured);
    parameter->text = state->not_measured;
    return 0;
}
