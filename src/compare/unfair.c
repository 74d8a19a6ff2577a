#include "compare/unfair.h"

#include "base/text.h"
#include "conclude/registry/device.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

struct unfair {
    struct differences *result;
    const struct document *a, *b;
    double threshold;
};

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

static void add(struct unfair *unfair, const char *text)
{
    differences_add_unfair(unfair->result, text);
}

static void compare_devices(struct unfair *unfair)
{
    struct device_index in_a, in_b;
    device_index_fill(&in_a, &unfair->a->machine);
    device_index_fill(&in_b, &unfair->b->machine);
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
                add(unfair, pool_printf(&unfair->result->pool, "another %s gpu%d: %s, then %s",
                                        facts[f].what, a->id, or_unknown(facts[f].a),
                                        or_unknown(facts[f].b)));
        if (a->modelled != b->modelled)
            add(unfair, pool_printf(&unfair->result->pool,
                                    "gpu%d was measured in one document; in the other a stand-in "
                                    "for its driver answered",
                                    a->id));
    }
}

static void compare_facts(struct unfair *unfair)
{
    const struct {
        const char *what, *a, *b;
    } facts[] = {
        {"processor", unfair->a->machine.cpu_model, unfair->b->machine.cpu_model},
        {"architecture", unfair->a->machine.cpu_arch, unfair->b->machine.cpu_arch},
        {"hypervisor", unfair->a->machine.hypervisor, unfair->b->machine.hypervisor},
        {"fathom version", unfair->a->tool.version, unfair->b->tool.version},
        {"clock governor", unfair->a->conditions.governor, unfair->b->conditions.governor},
        {"turbo", unfair->a->conditions.turbo, unfair->b->conditions.turbo},
        {"SMT setting", unfair->a->conditions.smt, unfair->b->conditions.smt},
        {"setting of transparent huge pages", unfair->a->conditions.thp, unfair->b->conditions.thp},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!text_same(facts[i].a, facts[i].b))
            add(unfair, pool_printf(&unfair->result->pool, "another %s: %s, then %s", facts[i].what,
                                    or_unknown(facts[i].a), or_unknown(facts[i].b)));
    compare_devices(unfair);
    double clock = unfair->b->conditions.core_hz / unfair->a->conditions.core_hz;
    if (fabs(clock - 1) > unfair->threshold)
        add(unfair, pool_printf(&unfair->result->pool,
                                "the core clock was %.3g GHz, then %.3g GHz: a value has changed "
                                "only where time and cycles both say so",
                                unfair->a->conditions.core_hz * 1e-9,
                                unfair->b->conditions.core_hz * 1e-9));
    const double load_a = unfair->a->conditions.load1, load_b = unfair->b->conditions.load1;
    if (fabs(load_a - load_b) >= 1) /* other programs kept at least one more CPU busy */
        add(unfair, pool_printf(&unfair->result->pool, "the load average was %.2f, then %.2f",
                                load_a, load_b));
    unsigned modelled = FLAG_BIT(FLAG_MODELLED);
    if ((document_headline_flags(unfair->a) ^ document_headline_flags(unfair->b)) & modelled)
        add(unfair, "one document was measured, the other comes from a model of the hardware");
    if (!unfair->a->run.complete || !unfair->b->run.complete)
        add(unfair, "a run was stopped before it was complete");
}

void differences_find_unfair(struct differences *result, const struct document *a,
                             const struct document *b, double threshold)
{
    struct unfair unfair = {result, a, b, threshold};
    compare_facts(&unfair);
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
