/* Hand-off latency between two CPUs, and how far apart two writers do not slow each other down. */
#include "programs/library/library.h"

#include "base/text.h"
#include "conclude/advise.h"
#include "machine/machine.h"
#include "machine/os.h"
#include "measure/run/placement.h"

#include <math.h>
#include <stdio.h>

/* --- distance --- */

struct pair {
    int a, b;
};

/* A hand-off is half of a round trip, which contains both directions, so the other direction's
 * value is as good. */
static double distance_in(const struct document *document, const struct pair *pair)
{
    const struct probe_result *probe = document_probe(document, "cores");
    double distance = NAN;
    for (size_t k = 0; probe && k < probe->series_count; k++) {
        const struct series *series = &probe->series[k];
        const struct factor *op = series_factor(series, "op");
        for (size_t i = 0;
             series->matrix && op && text_same(op->text, "cas") && i < series->point_count; i++) {
            const struct point *point = &series->points[i];
            const bool same = point->from == pair->a && point->to == pair->b,
                       back = point->from == pair->b && point->to == pair->a;
            if (point->y.n && (same || (back && isnan(distance))))
                distance = point->y.median;
        }
    }
    return distance;
}

static enum answered has_distance(const struct document *document, const void *asked)
{
    return distance_in(document, asked) > 0 ? ANSWERED : ANSWERED_NOT;
}

/* The host may have moved the guest's CPUs since then; a single hand-off shows that. */
static bool distance_holds(struct fathom *fathom, const struct document *document,
                           const void *asked)
{
    const struct pair *pair = asked;
    const struct machine machine = {.facts = document->machine};
    double now_ns = NAN;
    if (!machine.facts.hypervisor)
        return true;
    if (measuring_begin(NULL) < 0)
        return false;
    const int code = placement_handoff(&machine, pair->a, pair->b, &fathom->stop, &now_ns, NULL);
    measuring_end();
    return code == 0 && placement_is_same(now_ns, distance_in(document, pair));
}

static int check_cpus(int a, int b, struct error *error)
{
    struct cpulist usable;
    char text[128];
    if (a == b)
        return error_set(error, ERROR_USAGE, "CPU %d has no distance to itself: name two CPUs", a);
    int code = os_affinity(&usable, error);
    if (code < 0)
        return code;
    const int wrong = !cpulist_has(&usable, a) ? a : b;
    if (!cpulist_has(&usable, wrong))
        code =
            error_set(error, ERROR_USAGE, "CPU %d can't be used by this thread: choose two of %s",
                      wrong, cpulist_format(&usable, text, sizeof text));
    cpulist_free(&usable);
    return code;
}

int fathom_distance(struct fathom *fathom, int cpu_a, int cpu_b, double *ns, unsigned budget_ms,
                    struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct error *error = &guest.error;
    const struct pair pair = {cpu_a, cpu_b};
    const struct pair ordered = {pair.a < pair.b ? pair.a : pair.b,
                                 pair.a < pair.b ? pair.b : pair.a};
    char name[64], cpus[64];
    snprintf(name, sizeof name, "distance-%d-%d", ordered.a, ordered.b);
    snprintf(cpus, sizeof cpus, "cpus=%d,%d", ordered.a, ordered.b);
    const char *const settings[] = {"quick", cpus, NULL};
    const struct question question = {.name = name,
                                      .probe = "cores",
                                      .settings = settings,
                                      .answered = has_distance,
                                      .holds = distance_holds,
                                      .asked = &pair};
    struct document document = {0};
    int code = ns ? check_cpus(pair.a, pair.b, error)
                  : error_set(error, ERROR_USAGE, "the place for the distance is NULL");
    if (code == 0)
        code = question_answer(fathom, &question, budget_ms, &document, error);
    const struct error why = *error;
    if (code == FATHOM_DECLARED)
        code = error_set(error, ERROR_IMPOSSIBLE,
                         "no machine declares how far CPUs %d and %d are apart: %s", pair.a, pair.b,
                         *why.text ? why.text : "give 200 ms or more to measure it");
    else if (code > 0)
        *ns = distance_in(&document, &pair);
    if (code == FATHOM_CACHED && document.machine.hypervisor && budget_ms < QUESTION_LEAST_MS)
        error_set(error, 0,
                  "measured at %s in a virtual machine, whose CPUs the host may have moved since: "
                  "give 100 ms or more to have that checked",
                  document.run.started);
    document_free(&document);
    return guest_leave(&guest, code);
}

/* --- padding --- */

static enum answered has_padding(const struct document *document, const void *asked)
{
    return advise_padding(document) > 0 ? ANSWERED : ANSWERED_NOT;
}

int fathom_padding(struct fathom *fathom, size_t *bytes, unsigned budget_ms,
                   struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct error *error = &guest.error;
    static const char *const settings[] = {"quick", "writers=2", NULL};
    const struct question question = {
        .name = "padding", .probe = "contention", .settings = settings, .answered = has_padding};
    struct document document = {0};
    int code = bytes ? question_answer(fathom, &question, budget_ms, &document, error)
                     : error_set(error, ERROR_USAGE, "the place for the padding is NULL");
    if (code == FATHOM_DECLARED)
        *bytes = machine_line_bytes(&(struct machine){.facts = document.machine});
    else if (code > 0)
        *bytes = advise_padding(&document);
    document_free(&document);
    return guest_leave(&guest, code);
}
