#include "findings/health.h"

#include "findings/device.h"
#include "findings/finding.h"
#include "findings/lookup.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

/* Which way is worse, by unit and by the ending of the name. 0: neither. */
static int worse_side(const struct finding *finding)
{
    const char *unit = finding->unit ? finding->unit : "";
    static const char *const more_is_worse[] = {"ns", "us", "s", "cycles"};
    static const char *const less_is_worse[] = {"B/s", "Hz"};
    if (strcmp(finding->name, "cluster") == 0)
        return 0; /* which CPUs form one may differ from run to run */
    for (size_t i = 0; i < sizeof more_is_worse / sizeof *more_is_worse; i++)
        if (strcmp(unit, more_is_worse[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof less_is_worse / sizeof *less_is_worse; i++)
        if (strcmp(unit, less_is_worse[i]) == 0)
            return -1;
    return 0;
}

struct bounds {
    double near, far, bound; /* ends of the interval now; the worst that would do */
};

static double or_value(double end, const struct finding *finding)
{
    return isfinite(end) ? end : finding->value;
}

static struct bounds bounds_of(const struct finding *should, const struct finding *now, int side,
                               double tolerance)
{
    double margin = tolerance * fabs(should->value), is[3], may[3];
    finding_doubted_bounds(now, is);
    finding_doubted_bounds(should, may);
    if (side > 0)
        return (struct bounds){is[1], now->value, or_value(may[2], should) + margin};
    return (struct bounds){is[2], now->value, or_value(may[1], should) - margin};
}

/* Without an interval the value itself has to do, unless there is doubt. */
static enum health judge(const struct finding *should, const struct finding *now, int side,
                         double tolerance)
{
    struct bounds bounds = bounds_of(should, now, side, tolerance);
    if (side * (bounds.far - bounds.bound) <= 0)
        return HEALTHY;
    if (!isfinite(bounds.near))
        return flag_doubts(now->flags) ? DOUBTFUL : WORSE;
    return side * (bounds.near - bounds.bound) > 0 ? WORSE : DOUBTFUL;
}

static int add(struct health_check *check, struct ailment ailment, struct error *error)
{
    struct ailment *slot =
        pool_append(&check->pool, (void **)&check->ailments, &check->count, sizeof *slot);
    if (!slot)
        return error_out_of_memory(error);
    *slot = ailment;
    if (ailment.health == WORSE) { /* to the front, behind the others that are */
        *slot = check->ailments[check->worse];
        check->ailments[check->worse++] = ailment;
    }
    return 0;
}

static int check_finding(struct health_check *check, const struct finding_lookup *base,
                         const struct finding_lookup *now, const struct finding *should,
                         double tolerance, struct error *error)
{
    int side = worse_side(should);
    if (!side || !isfinite(should->value) || finding_lookup_is_twin(base, should))
        return 0;
    const struct finding *found = finding_lookup_name(now, should->name);
    check->checked++;
    if (!found || !isfinite(found->value) || worse_side(found) != side)
        return add(check, (struct ailment){DOUBTFUL, NULL, should, NAN}, error);
    enum health health = judge(should, found, side, tolerance);
    const struct finding *twin_should = finding_lookup_twin(base, should);
    const struct finding *twin = found ? finding_lookup_twin(now, found) : NULL;
    if (twin_should && twin) {
        enum health other = judge(twin_should, twin, side, tolerance);
        health = other < health ? other : health;
    }
    double bound = bounds_of(should, found, side, tolerance).bound;
    return health == HEALTHY ? 0
                             : add(check, (struct ailment){health, found, should, bound}, error);
}

enum { NAMES_BYTES = 160 }; /* as many as an error's line has room for twice */

/* "latency, cores", and "..." for those that there is no room for */
static const char *probe_names(struct pool *pool, const struct document *document)
{
    const char *names = "";
    size_t p = 0;
    for (; p < document->probe_count && names && strlen(names) < NAMES_BYTES; p++)
        names = pool_printf(pool, "%s%s%s", names, p ? ", " : "", document->probes[p].name);
    if (names && p < document->probe_count)
        names = pool_printf(pool, "%s, ...", names);
    return names && *names ? names : "none";
}

static int nothing_to_check(struct health_check *check, const struct document *base,
                            const struct document *now, bool shared, struct error *error)
{
    if (shared || !base->probe_count)
        return error_set(error, ERROR_USAGE,
                         "the baseline has no value that could be checked: make one with 'fathom "
                         "baseline' from whole runs");
    return error_set(error, ERROR_USAGE,
                     "the document checked (%s) has no probe in common with the baseline (%s): "
                     "check a run of one of those",
                     probe_names(&check->pool, now), probe_names(&check->pool, base));
}

int health_check(struct health_check *check, const struct document *base,
                 const struct document *now, double tolerance, struct error *error)
{
    *check = (struct health_check){0};
    const char *model = base->machine.cpu_model, *here = now->machine.cpu_model;
    if (model && here && strcmp(model, here) != 0)
        return error_set(error, ERROR_USAGE,
                         "the baseline is of another processor (%s; here %s): make one of machines "
                         "like this",
                         model, here);
    const int device = device_of_another_kind(&base->machine, &now->machine);
    if (device >= 0)
        return error_set(
            error, ERROR_USAGE,
            "the baseline is of another gpu%d (%s; here %s): make one of machines like "
            "this",
            device, device_facts(&base->machine, device)->name,
            device_facts(&now->machine, device)->name);
    struct finding_lookup of_base, of_now;
    int code = 0;
    if (finding_lookup_build(&of_base, &check->pool, base, NULL) < 0 ||
        finding_lookup_build(&of_now, &check->pool, now, NULL) < 0)
        code = error_out_of_memory(error);
    bool shared = false;
    /* What the probes that ran now have: a baseline of a whole run serves a quick check too. */
    for (size_t p = 0; p < base->probe_count; p++) {
        const struct probe_result *probe = &base->probes[p];
        if (!document_probe(now, probe->name))
            continue;
        shared = true;
        for (size_t f = 0; f < probe->finding_count && code == 0; f++)
            code = check_finding(check, &of_base, &of_now, &probe->findings[f], tolerance, error);
    }
    return code == 0 && !check->checked ? nothing_to_check(check, base, now, shared, error) : code;
}

void health_check_free(struct health_check *check)
{
    pool_free(&check->pool);
    *check = (struct health_check){0};
}
