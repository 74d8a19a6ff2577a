#include "compare/unfair.h"

#include "base/text.h"
#include "conclude/registry/device.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

static const char *or_unknown(const char *text)
{
    return text ? text : "unknown";
}

void differences_add_unfair(struct differences *result, const char *text)
{
    struct remark_line *line =
        pool_append(&result->pool, (void **)&result->unfair, &result->unfair_count, sizeof *line);
    line->text = text;
}

static void compare_devices(struct differences *result, const struct document *before,
                            const struct document *after)
{
    struct device_index in_a, in_b;
    device_index_fill(&in_a, &before->machine);
    device_index_fill(&in_b, &after->machine);
    for (int device = 0; device < DEVICES_MOST; device++) {
        const struct gpu_facts *a = in_a.of[device], *b = in_b.of[device];
        if (!a || !b)
            continue;
        const struct {
            const char *what, *a, *b;
        } facts[] = {
            {"device as", a->name, b->name},
            {"backend for", a->backend, b->backend},
            {"driver of", a->driver, b->driver},
        };
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
            if (!text_same(facts[f].a, facts[f].b))
                differences_add_unfair(result,
                                       pool_printf(&result->pool, "another %s gpu%d: %s, then %s",
                                                   facts[f].what, a->id, or_unknown(facts[f].a),
                                                   or_unknown(facts[f].b)));
        if (a->modelled != b->modelled)
            differences_add_unfair(
                result, pool_printf(&result->pool,
                                    "gpu%d was measured in one document; in the other a stand-in "
                                    "for its driver answered",
                                    a->id));
    }
}

void differences_find_unfair(struct differences *result, const struct document *a,
                             const struct document *b, double threshold)
{
    const struct {
        const char *what, *a, *b;
    } facts[] = {
        {"processor", a->machine.cpu_model, b->machine.cpu_model},
        {"architecture", a->machine.cpu_arch, b->machine.cpu_arch},
        {"hypervisor", a->machine.hypervisor, b->machine.hypervisor},
        {"fathom version", a->tool.version, b->tool.version},
        {"clock governor", a->conditions.governor, b->conditions.governor},
        {"turbo", a->conditions.turbo, b->conditions.turbo},
        {"SMT setting", a->conditions.smt, b->conditions.smt},
        {"setting of transparent huge pages", a->conditions.thp, b->conditions.thp},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!text_same(facts[i].a, facts[i].b))
            differences_add_unfair(result, pool_printf(&result->pool, "another %s: %s, then %s",
                                                       facts[i].what, or_unknown(facts[i].a),
                                                       or_unknown(facts[i].b)));
    compare_devices(result, a, b);
    double clock = b->conditions.core_hz / a->conditions.core_hz;
    if (fabs(clock - 1) > threshold)
        differences_add_unfair(
            result, pool_printf(&result->pool,
                                "the core clock was %.3g GHz, then %.3g GHz: a value has changed "
                                "only where time and cycles both say so",
                                a->conditions.core_hz * 1e-9, b->conditions.core_hz * 1e-9));
    const double load_a = a->conditions.load1, load_b = b->conditions.load1;
    if (fabs(load_a - load_b) >= 1) /* other programs kept at least one more CPU busy */
        differences_add_unfair(
            result,
            pool_printf(&result->pool, "the load average was %.2f, then %.2f", load_a, load_b));
    unsigned modelled = FLAG_BIT(FLAG_MODELLED);
    if ((document_headline_flags(a) ^ document_headline_flags(b)) & modelled)
        differences_add_unfair(
            result, "one document was measured, the other comes from a model of the hardware");
    if (!a->run.complete || !b->run.complete)
        differences_add_unfair(result, "a run was stopped before it was complete");
}

static const char *pages_of(const struct probe_result *probe, const char *name)
{
    const struct factor *parameter = probe_parameter(probe, name);
    return parameter ? parameter->text : NULL;
}

void differences_find_other_pages(struct differences *result, const struct probe_result *a,
                                  const struct probe_result *b)
{
    const char *first = pages_of(a, "pages_obtained"), *second = pages_of(b, "pages_obtained");
    /* Pages of later stages are compared only if both runs reached such stages. */
    if (text_same(first, second)) {
        first = pages_of(a, "other_pages_obtained");
        second = pages_of(b, "other_pages_obtained");
        if (!first || !second || text_same(first, second))
            return;
    }
    differences_add_unfair(result, pool_printf(&result->pool, "different pages in %s: %s, then %s",
                                               a->name, or_unknown(first), or_unknown(second)));
}
