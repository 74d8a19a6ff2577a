#include "engine/device.h"

#include "engine/repeats.h"
#include "engine/visit.h"

struct tries {
    struct visit *visit;
    struct error *error;
};

static int run_once(void *self, uint64_t repeats, double *took_ns)
{
    const struct tries *tries = self;
    const struct visit *visit = tries->visit;
    const struct device *device = visit->plan->device;
    struct batch batch = {0};
    int code = device->measure(device->self, &visit->trials[0], repeats, &batch, tries->error);
    *took_ns = batch.ns;
    return code;
}

/* How many repeats fill a batch, to begin with; each device rounds up what is too few for it.
 * Others may have it meanwhile. A call costs more than a leg on a CPU: so there are fewer tries. */
static int find_repeats(struct visit *visit, struct error *error)
{
    struct tries tries = {visit, error};
    const struct repeats_search search = {visit->plan->batch_ns, 4, run_once, &tries};
    return repeats_find(&search, &visit->repeats);
}

static int measure_trial(struct visit *visit, struct trial *trial, struct team *team,
                         struct error *error)
{
    const struct device *device = visit->plan->device;
    int code = device->prepare(device->self, trial, &visit->failure);
    if (code == 0 && visit->repeats == 0)
        code = find_repeats(visit, &visit->failure);
    for (unsigned i = 0; code == 0 && i < visit->plan->batches; i++) {
        /* A signal is not the device's failure. */
        int stopped = team_pause(team, 0, error);
        if (stopped < 0)
            return stopped;
        if (visit->batch_count && visit_now_ns(visit) > visit->deadline_ns)
            break;
        code = device->measure(device->self, trial, visit->repeats,
                               &visit->batches[visit->batch_count], &visit->failure);
        visit->batch_count += code == 0;
    }
    if (code < 0)
        visit->end = VISIT_FAILED;
    return 0;
}

int device_visit(struct visit *visit, struct team *team, struct error *error)
{
    visit->redone = visit->interrupted = visit->clock_moved = visit->batch_count = 0;
    visit->end = VISIT_DONE;
    int code = 0;
    unsigned ready = 0;
    while (ready < visit->trial_count && visit->end == VISIT_DONE && code == 0 &&
           (ready == 0 || visit_now_ns(visit) <= visit->deadline_ns))
        code = measure_trial(visit, &visit->trials[ready++], team, error);
    visit->trial_count = ready;
    return code;
}
