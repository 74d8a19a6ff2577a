/* Hand-off latency between two CPUs, and how far apart two writers do not slow each other down. */
#include "programs/library/library.h"

#include "machine/machine.h"
#include "machine/os.h"
#include "measure/run/placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct series *find_series(const struct document *document, const char *name,
                                        const char *factor, const char *text, const char *x)
{
    for (size_t probe = 0; probe < document->probe_count; probe++)
        for (size_t i = 0; i < document->probes[probe].series_count; i++) {
            const struct series *series = &document->probes[probe].series[i];
            const struct factor *found = series_factor(series, factor);
            if (series->name && strcmp(series->name, name) == 0 && found && found->text &&
                strcmp(found->text, text) == 0 && series->x.name && strcmp(series->x.name, x) == 0)
                return series;
        }
    return NULL;
}

/* --- distance --- */

struct pair {
    int a, b;
};

/* A hand-off is half of a round trip, which contains both directions, so the other direction's
 * value is as good. */
static double distance_in(const struct document *document, const struct pair *pair)
{
    const struct series *series = find_series(document, "hand-off", "op", "cas", "cpu");
    double distance = NAN;
    for (size_t i = 0; series && i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const bool same = point->from == pair->a && point->to == pair->b,
                   back = point->from == pair->b && point->to == pair->a;
        if (point->y.n && (same || (back && isnan(distance))))
            distance = point->y.median;
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
                  "with 100 ms or more that is looked at",
                  document.run.started);
    document_free(&document);
    return guest_leave(&guest, code);
}

/* --- padding --- */

/* Two writers to one line must be at least this many times as slow as two far apart; otherwise they
 * were not seen to disturb each other (a hypervisor may run both on one CPU). */
static const double disturbs = 1.5;
/* A distance up to this many times as slow as the farthest counts as equally good: trials of two
 * writers differ by some percent from run to run. */
static const double as_good = 1.2;

/* The shortest distance in bytes from which on all are as good as the farthest; 0: not found. */
static size_t padding_in(const struct document *document)
{
    const struct series *series =
        find_series(document, "contention", "op", "fetch-add", "distance");
    if (!series || series->point_count < 3)
        return 0;
    const struct point *first = &series->points[0],
                       *last = &series->points[series->point_count - 1];
    if (!first->y.n || !last->y.n || !((double)first->y.median > disturbs * (double)last->y.median))
        return 0;
    double bytes = last->x;
    for (size_t i = series->point_count - 1; i > 0; i--) {
        const struct point *point = &series->points[i];
        if (!point->y.n || !((double)point->y.median <= as_good * (double)last->y.median))
            break;
        bytes = point->x;
    }
    return bytes > 0 && bytes < 1e6 ? (size_t)bytes : 0;
}

static enum answered has_padding(const struct document *document, const void *asked)
{
    return padding_in(document) > 0 ? ANSWERED : ANSWERED_NOT;
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
        *bytes = padding_in(&document);
    document_free(&document);
    return guest_leave(&guest, code);
}
