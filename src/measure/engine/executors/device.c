/* The executor of plans that have a device. A device does one work at a time, so visits follow one
 * another, in the calling thread. */
#include "measure/engine/device.h"

#include "measure/engine/engine.h"
#include "measure/engine/executor.h"
#include "measure/engine/repeats.h"
#include "measure/engine/visit.h"

#include <math.h>
#include <stdlib.h>

/* A GPU's clock rises within tenths of a second in steps: NVIDIA's steps are 15 MHz, the last of
 * them less than 1 % of the clock. A device is up to speed when some batches of several
 * milliseconds agree. But batches at an idle clock that has not begun to rise agree, too. So a
 * clock that is unknown or well below the declared one is accepted only after half a second of
 * work: it is then locked or can't rise. */
static const double wake_batch_ns = 4e6, wake_agreement = 0.005;
static const double wake_up_to_speed = 0.9, wake_least_ns = 500e6;
enum { WAKE_BATCHES_MOST = 180, WAKE_BATCHES_ALIKE = 5 };
/* A device that other programs keep busy is never steady: waking it ends after this time. */
static const double wake_longest_ns = 2e9;

struct device_state {
    const struct trial *ready; /* the trial whose work the device holds; NULL: none */
    double measured_ns;        /* by its own clock, with pauses: now_ns() in an engine with a
                                  model */
};

static bool serves(const struct engine *engine, const struct plan *plan)
{
    return plan->device != NULL;
}

static int open_device(struct executor *executor, struct error *error)
{
    executor->flags = executor->plan->device->flags;
    executor->own = calloc(1, sizeof(struct device_state));
    return executor->own ? 0 : error_out_of_memory(error);
}

/* With a model only the device's own time counts, so that no test waits. */
static uint64_t now_ns(const struct executor *executor)
{
    const struct device_state *state = executor->own;
    return executor->engine->model ? (uint64_t)state->measured_ns : os_raw_ns();
}

static int pause_until(struct executor *executor, uint64_t until_ns, struct error *error)
{
    struct device_state *state = executor->own;
    if (!executor->engine->model)
        return team_pause(executor->engine->team, until_ns, error);
    state->measured_ns = fmax(state->measured_ns, (double)until_ns);
    return 0;
}

/* One batch; a signal ends the run before it begins. */
static int measure_batch(struct executor *executor, uint64_t repeats, struct batch *batch,
                         struct error *error)
{
    struct device *device = executor->plan->device;
    struct device_state *state = executor->own;
    struct device_time took = {NAN, NAN, NAN};
    int code = team_pause(executor->engine->team, 0, error);
    if (code == 0)
        code = device->measure(device->self, repeats, &took, error);
    *batch = (struct batch){.ns = took.ns, .core_hz = took.core_hz, .worked_ns = took.worked_ns};
    state->measured_ns += code == 0 ? batch->ns : 0;
    return code;
}

/* --- waking --- */

struct wake_try {
    struct executor *executor;
    struct error *error;
};

static int try_repeats(void *self, uint64_t repeats, double *took_ns)
{
    const struct wake_try *try = self;
    struct batch batch = {NAN, NAN};
    int code = measure_batch(try->executor, repeats, &batch, try->error);
    *took_ns = batch.ns;
    return code;
}

static int wake(struct executor *executor, struct error *error)
{
    struct device *device = executor->plan->device;
    struct wake_try try = {executor, error};
    const struct repeats_search search = {wake_batch_ns, try_repeats, &try};
    uint64_t repeats;
    double operations, last_ns = NAN, worked_ns = 0;
    bool steady = false;
    const uint64_t began_ns = executor_now_ns(executor);
    if (!device->asleep)
        return 0;
    int code = device->prepare(device->self, device->wake_work, 0, &operations, error);
    if (code == 0)
        code = repeats_find(&search, &repeats);
    for (int i = 0, alike = 0; code == 0 && i < WAKE_BATCHES_MOST && !steady; i++) {
        struct batch batch = {NAN, NAN};
        code = measure_batch(executor, repeats, &batch, error);
        alike = fabs(batch.ns / last_ns - 1) <= wake_agreement ? alike + 1 : 0;
        last_ns = batch.ns;
        worked_ns += code == 0 ? batch.ns : 0;
        const bool fast =
            device->full_hz > 0 && batch.core_hz >= wake_up_to_speed * device->full_hz;
        steady = (alike >= WAKE_BATCHES_ALIKE && (fast || worked_ns >= wake_least_ns)) ||
                 (double)(executor_now_ns(executor) - began_ns) > wake_longest_ns;
    }
    device->asleep = code < 0;
    return code;
}

/* --- visits --- */

static int run_visits(struct executor *executor, struct visit *const *visits, size_t count,
                      struct error *error)
{
    struct device_state *state = executor->own;
    for (size_t i = 0; i < count; i++) {
        state->ready = NULL;
        int code = visit_lead(visits[i]);
        if (code == ERROR_INTERRUPTED)
            return error_set(error, code, "%s", visits[i]->failure.text);
        visits[i]->end = code == 0 ? VISIT_DONE : VISIT_FAILED;
    }
    return 0;
}

/* A device holds one work at a time, so measure() makes it ready just before the trial's first
 * batch. */
static void prepare(struct visit *visit, struct trial *trial) {}

static int measure(struct visit *visit, const struct batch_run *run, struct batch *batches,
                   struct seat_share *shares)
{
    struct device *device = visit->plan->device;
    struct device_state *state = visit->executor->own;
    struct trial *trial = &visit->trials[run->trial];
    int code = 0;
    if (state->ready != trial)
        code = device->prepare(device->self, trial->point->index, trial->seed, &trial->operations,
                               &visit->failure);
    state->ready = code == 0 ? trial : NULL;
    for (unsigned i = 0; i < run->batches && code == 0; i++)
        code = measure_batch(visit->executor, run->repeats, &batches[i], &visit->failure);
    return code;
}

const struct executor_kind executor_device = {
    .name = "device",
    .place = 10,
    .serves = serves,
    .open = open_device,
    .wake = wake,
    .now_ns = now_ns,
    .pause = pause_until,
    .run = run_visits,
    .prepare = prepare,
    .measure = measure,
};
