#include "engine/device.h"

#include "engine/visit.h"

#include <math.h>

/* How many repeats fill a batch, to begin with; each device rounds up what is too few for it. As on
 * a CPU (visit.c), the faster of two runs decides: others may have had the device meanwhile. */
static int find_repeats(struct visit *visit, struct error *error)
{
    const struct device *device = visit->plan->device;
    const double wanted_ns = visit->plan->batch_ns, enough_ns = wanted_ns / 8;
    for (uint64_t repeats = 1;; repeats *= 4) {
        const bool most = repeats >= UINT64_C(1) << 40;
        double took_ns = INFINITY;
        for (int run = 0; run < 2 && (run == 0 || took_ns >= enough_ns); run++) {
            struct batch batch = {0};
            int code = device->measure(device->self, &visit->trials[0], repeats, &batch, error);
            if (code < 0)
                return code;
            took_ns = fmin(took_ns, batch.ns);
        }
        if (took_ns >= enough_ns || most) {
            visit->repeats = (uint64_t)ceil((double)repeats * wanted_ns / fmax(took_ns, 1));
            return 0;
        }
    }
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
