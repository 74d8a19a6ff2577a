#include "document/document.h"

#include "base/cpulist.h"
#include "base/quantity.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const probe_status_names[] = {"ok", "partial", "skipped", "failed"};

bool cache_holds_data(const struct cache_facts *cache)
{
    return !text_same(cache->type, "instruction");
}

bool cache_holds_code(const struct cache_facts *cache)
{
    return !text_same(cache->type, "data");
}

bool placement_is_same(double a_ns, double b_ns)
{
    static const double same = 1.5;
    return a_ns < same * b_ns && b_ns < same * a_ns;
}

size_t facts_page_bytes(const struct machine_facts *facts)
{
    const uint64_t bytes = facts && facts->page_size_count ? facts->page_sizes[0] : 0;
    const bool plausible =
        bytes >= FACTS_PAGE_LEAST && bytes <= FACTS_PAGE_MOST && (bytes & (bytes - 1)) == 0;
    return plausible ? (size_t)bytes : FACTS_PAGE_LEAST;
}

/* Equal caches are listed once, with the CPUs of the first; hwloc's tree has those of all. With
 * size 0: whether it has a cache of that level at all. */
static bool in_tree(const struct declared_facts *declared, int level, uint64_t bytes, int cpu)
{
    char type[24];
    snprintf(type, sizeof type, "L%dCache", level);
    for (size_t i = 0; i < declared->object_count; i++) {
        const struct declared_objects *objects = &declared->objects[i];
        if (strcmp(objects->type, type) != 0 || (bytes && objects->size_bytes != bytes))
            continue;
        if (!bytes)
            return true;
        for (size_t j = 0; j < objects->cpus_count; j++)
            if (cpulist_text_has(objects->cpus[j], cpu))
                return true;
    }
    return false;
}

/* Whether a cache's first CPU is of the same kind of core. */
static bool serves_kind(const struct machine_facts *facts, const struct cache_facts *cache, int cpu)
{
    for (size_t k = 0; k < facts->kind_count && cache->shared_cpus; k++)
        if (cpulist_text_has(facts->kinds[k].cpus, cpu))
            return cpulist_text_has(facts->kinds[k].cpus, atoi(cache->shared_cpus));
    return false;
}

const struct cache_facts *cache_of_cpu(const struct machine_facts *facts, int level, int cpu)
{
    const struct cache_facts *found = NULL;
    int best = -1;
    for (size_t i = 0; i < facts->cache_count; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        if (cache->level != level || !cache_holds_data(cache))
            continue;
        const bool serves = cpulist_text_has(cache->shared_cpus, cpu) ||
                            in_tree(&facts->declared, level, cache->size_bytes, cpu);
        const int fit = serves ? 2 : serves_kind(facts, cache, cpu);
        if (fit > best || (fit == best && cache->size_bytes > found->size_bytes)) {
            best = fit;
            found = cache;
        }
    }
    /* Some kinds of core have no third level, which the others share. */
    const bool has_none = cpu >= 0 && best == 0 && in_tree(&facts->declared, level, 0, cpu);
    return has_none ? NULL : found;
}

/* Whether the word is the option: in full, abbreviated as long as it is unambiguous, or by its
 * letter. */
static bool is_option(const char *word, const char *option)
{
    enum { LEAST = 4 };
    const size_t length = strlen(word);
    return (length >= LEAST && strncmp(word, option, length) == 0) ||
           (word[0] == '-' && word[1] == option[2]);
}

bool run_was_quick(const struct run_facts *run)
{
    bool quick = run->command_count > 1 && strcmp(run->command[1], "check") == 0;
    for (size_t i = 2; i < run->command_count; i++) {
        if (is_option(run->command[i], "--thorough"))
            return false;
        quick = quick || is_option(run->command[i], "--quick");
    }
    return quick;
}

struct probe_result *document_probe(const struct document *document, const char *name)
{
    for (size_t i = 0; i < document->probe_count; i++)
        if (strcmp(document->probes[i].name, name) == 0)
            return &document->probes[i];
    return NULL;
}

struct probe_result *document_add_probe(struct document *document, struct pool *pool,
                                        const char *name, const char *title)
{
    struct probe_result *probe = document_probe(document, name);
    if (probe)
        return probe;
    probe = pool_append(pool, (void **)&document->probes, &document->probe_count, sizeof *probe);
    *probe = (struct probe_result){.name = name, .title = title, .elapsed_s = NAN};
    return probe;
}

struct probe_result *document_probe_near(const struct document *document, const char *name,
                                         size_t place)
{
    if (place < document->probe_count && strcmp(document->probes[place].name, name) == 0)
        return &document->probes[place];
    return document_probe(document, name);
}

bool document_is_imported(const struct document *document)
{
    return !document->run.started && !document->run.command_count;
}

bool document_is_pooled(const struct document *document)
{
    return document->run.joined && strcmp(document->run.joined, "merge") != 0;
}

const struct finding *document_finding(const struct document *document, const char *name)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++)
            if (!document->probes[p].findings[f].deviations &&
                strcmp(document->probes[p].findings[f].name, name) == 0)
                return &document->probes[p].findings[f];
    return NULL;
}

struct finding *probe_finding(const struct probe_result *probe, const char *name)
{
    for (size_t i = 0; probe && i < probe->finding_count; i++)
        if (strcmp(probe->findings[i].name, name) == 0)
            return &probe->findings[i];
    return NULL;
}

double probe_value(const struct probe_result *probe, const char *name)
{
    const struct finding *finding = probe_finding(probe, name);
    return finding ? finding->value : NAN;
}

size_t node_index(const struct machine_facts *facts, int id)
{
    size_t i = 0;
    while (i < facts->node_count && facts->nodes[i].id != id)
        i++;
    return i;
}

bool axis_has_ids(const struct axis *axis)
{
    static const char *const numbered[] = {"cpu",  "node",  "device", "multiprocessor",
                                           "rank", "trial", "vote"};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (text_same(axis->name, numbered[i]))
            return quantity_is(axis->unit, DIMENSION_NUMBER);
    return false;
}

int point_by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

struct factor *factor_find(struct factor *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

const struct factor *series_factor(const struct series *series, const char *name)
{
    return factor_find(series->factors, series->factor_count, name);
}

static bool has_factors(const struct series *series, const struct factor *with)
{
    for (; with->name; with++) {
        const struct factor *own = series_factor(series, with->name);
        const char *text = own && own->text ? own->text : "";
        if (with->text ? strcmp(text, with->text) != 0 : !own || own->number != with->number)
            return false;
    }
    return true;
}

struct series *series_find(struct series *list, size_t count, const char *name,
                           const struct factor *with)
{
    for (size_t i = 0; i < count; i++)
        if ((!name || strcmp(list[i].name, name) == 0) && has_factors(&list[i], with))
            return &list[i];
    return NULL;
}

const struct series *probe_series(const struct probe_result *result, const char *name,
                                  const char *factor, const char *text)
{
    const struct factor with[] = {{factor, text, NAN}, {.name = NULL}};
    return result ? series_find(result->series, result->series_count, name, with) : NULL;
}

double series_number(const struct series *series, const char *name)
{
    const struct factor *factor = series ? series_factor(series, name) : NULL;
    return factor ? factor->number : NAN;
}

unsigned series_flags(const struct series *series)
{
    unsigned flags = 0;
    for (size_t i = 0; series && i < series->point_count; i++)
        flags |= series->points[i].flags;
    return flags;
}

const struct factor *probe_parameter(const struct probe_result *probe, const char *name)
{
    return factor_find(probe->parameters, probe->parameter_count, name);
}

int probe_cpu(const struct probe_result *probe)
{
    static const char *const names[] = {"cpu", "chase_cpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct factor *of = probe_parameter(probe, names[i]);
        if (of && !of->text && of->number >= 0 && of->number <= (double)CPU_ID_MAX)
            return (int)of->number;
    }
    return -1;
}

const char parameter_not_measured[] = "not_measured", parameter_cpu_labels[] = "cpu_labels",
           parameter_cpu_groups[] = "cpu_groups", parameter_placement[] = "cpu_placement",
           parameter_placement_ns[] = "cpu_placement_ns",
           parameter_placements_met[] = "placements_met";

bool factor_same_value(const struct factor *a, const struct factor *b)
{
    if (a->list_count != b->list_count || !text_same(a->text, b->text))
        return false;
    for (size_t i = 0; i < a->list_count; i++)
        if (!factor_same_value(&a->list[i], &b->list[i]))
            return false;
    return a->text || a->list_count || a->number == b->number ||
           (isnan(a->number) && isnan(b->number));
}

bool factor_same(const struct factor *a, const struct factor *b)
{
    return a && b && strcmp(a->name, b->name) == 0 && factor_same_value(a, b);
}

bool parameter_is_setting(const struct factor *parameter)
{
    return strcmp(parameter->name, parameter_not_measured) != 0 &&
           strcmp(parameter->name, parameter_cpu_labels) != 0 &&
           strcmp(parameter->name, parameter_cpu_groups) != 0 &&
           strcmp(parameter->name, parameter_placement) != 0 &&
           strcmp(parameter->name, parameter_placement_ns) != 0 &&
           strcmp(parameter->name, parameter_placements_met) != 0 &&
           !(parameter->list_count && parameter->list->text); /* a table for conclusions */
}

const double disturbance_beside = 0.5;

struct point point_bare(void)
{
    struct point point = {.y = summary_of_nothing()};
    point_drop_details(&point);
    return point;
}

bool point_has_value(const struct point *point)
{
    return point->y.n > 0;
}

void point_drop_details(struct point *point)
{
    point->cycles = (struct estimate){NAN, NAN, NAN};
    point->scatter = (struct scatter){NAN, NAN, NAN};
    point->by_clock = NAN;
    point->disturbance = (struct disturbance){NAN, NAN};
    point->redone = 0;
}

struct point *series_point(const struct series *series, double x)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x == x && series->points[i].y.n)
            return &series->points[i];
    return NULL;
}

void series_extremes(const struct series *series, const struct point **least,
                     const struct point **most)
{
    *least = *most = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n)
            continue;
        *least = !*least || point->y.median < (*least)->y.median ? point : *least;
        *most = !*most || point->y.median > (*most)->y.median ? point : *most;
    }
}

unsigned document_headline_flags(const struct document *document)
{
    unsigned flags = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++)
            flags |= document->probes[p].findings[f].flags;
    return flags;
}

void document_free(struct document *document)
{
    pool_free(&document->pool);
    *document = (struct document){0};
}
