/* The capacities along the axis of a curve: those that its probe found, and those that are
 * declared. */
#include "base/quantity.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/details.h"
#include "show/report/machine.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

/* Limits for foreign documents, so that the time stays proportional to their size: so many
 * capacities of a probe are marked, from so many of its findings, and so many caches. */
enum { FOUND_MAX = 64, FINDINGS_MAX = 4096, CACHES_MAX = 32 };

static void add_mark(struct report *report, struct curve *curve, double x, const char *name,
                     bool found)
{
    if (!isfinite(x) || !(x > 0))
        return;
    struct mark *mark =
        report_grow(report, (void **)&curve->marks, &curve->mark_count, sizeof *mark);
    if (mark)
        *mark = (struct mark){x, name, found};
}

static void add_cache(struct report *report, struct curve *curve, int level, uint64_t size_bytes,
                      unsigned stated)
{
    if (size_bytes && !(level >= 0 && level < CACHES_MAX && stated >> level & 1))
        add_mark(report, curve, (double)size_bytes, report_text(report, "L%d", level), false);
}

/* Whether the capacity belongs to that curve. */
static bool is_marked(const struct series *series, const struct finding_meaning *capacity)
{
    const struct factor *what = series_factor(series, "what");
    return !capacity->line->curve || !what || text_same(what->text, capacity->line->curve);
}

/* Returns of which caches the findings say what is declared, a bit each. */
static unsigned add_found(struct report *report, size_t index, struct curve *curve, int device)
{
    const struct probe_result *probe = curve->probe;
    const struct catalogue_entry *list = catalogue_of(&report->catalogue, index, probe);
    unsigned stated = 0;
    const size_t count = probe->finding_count < FINDINGS_MAX ? probe->finding_count : FINDINGS_MAX;
    for (size_t i = 0, found = 0; i < count && found < FOUND_MAX; i++) {
        const struct finding_meaning *meaning = &list[i].meaning;
        char name[LEVEL_NAME_BYTES];
        struct line label = {0}, bare = {0};
        if (meaning->device != device || meaning->fact != FACT_CAPACITY ||
            level_fact(&list[i], name) != FACT_CAPACITY || !is_marked(curve->series, meaning))
            continue;
        found++;
        line_add_clean(&label, name);
        line_add_clean(&bare, name);
        line_add_in_brackets(&label, list[i].finding);
        add_mark(report, curve, list[i].finding->value, report_line(report, &label), true);
        add_mark(report, curve, list[i].finding->declared, report_line(report, &bare), false);
        if (meaning->level == LEVEL_CACHE && isfinite(list[i].finding->declared) &&
            meaning->number >= 0 && meaning->number < CACHES_MAX)
            stated |= 1u << meaning->number;
    }
    return stated;
}

static int smaller_first(const void *a, const void *b)
{
    const struct mark *left = a, *right = b;
    const int order = (left->x > right->x) - (left->x < right->x);
    return order ? order : right->found - left->found;
}

void curve_add_marks(struct report *report, size_t index, struct curve *curve)
{
    const struct machine_facts *machine = &report->catalogue.documents[index]->machine;
    const int device = device_of_name(curve->series->name, NULL);
    const struct gpu_facts *gpu = device_facts(machine, device);
    if (!quantity_is(curve->series->x.unit, DIMENSION_SIZE))
        return;
    const unsigned stated = add_found(report, index, curve, device);
    if (gpu && curve->series->headline) {
        add_cache(report, curve, 1, gpu->first_level_bytes, stated);
        add_cache(report, curve, 2, gpu->l2_bytes, stated);
    }
    for (size_t i = 0; i < machine->cache_count && i < CACHES_MAX && device < 0; i++)
        if (cache_holds_data(&machine->caches[i]))
            add_cache(report, curve, machine->caches[i].level, machine->caches[i].size_bytes,
                      stated);
    if (curve->mark_count)
        qsort(curve->marks, curve->mark_count, sizeof *curve->marks, smaller_first);
}
