#include "compare/nearest.h"

#include "base/text.h"
#include "compare/spread.h"
#include "conclude/registry/home.h"

#include <math.h>
#include <stdlib.h>

bool nearest_counts(const struct difference *difference)
{
    return difference->finding_a && finding_meaning(difference->finding_a).role != ROLE_CONDITION;
}

/* What a level counts that only one of two machines has: as a figure twice as large. */
static const double lonely_away = 0.6931471805599453;

static bool is_level(const struct finding *finding)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    return meaning.role == ROLE_LEVEL && meaning.side != SIDE_NEITHER && isfinite(finding->value) &&
           !finding_is_derived(finding);
}

/* Fills the neighbour of a document with so many levels; its `compared` is 0 where they have no
 * figure in common. */
static int measure_away(struct neighbour *neighbour, const struct document *document, size_t lonely,
                        struct error *error)
{
    struct differences there = {.count = 0};
    struct error none = {0};
    double sum = 0;
    int code = differences_find(&there, neighbour->document, document, NAN, &none);
    for (size_t i = 0; code == 0 && i < there.count; i++) {
        const struct difference *difference = &there.list[i];
        const bool counts = nearest_counts(difference);
        sum += counts ? fabs(log(difference->compared.ratio)) : 0;
        neighbour->compared += counts;
        lonely -= counts && is_level(difference->finding_b);
    }
    for (size_t i = 0; i < there.lonely_count; i++)
        lonely += is_level(there.lonely[i].finding);
    neighbour->away = (sum + lonely_away * (double)lonely) / (double)(neighbour->compared + lonely);
    differences_free(&there);
    if (code == ERROR_USAGE)
        return 0;
    if (code < 0)
        *error = none;
    return code;
}

static int by_distance(const void *a, const void *b)
{
    const struct neighbour *left = a, *right = b;
    const int order = (left->away > right->away) - (left->away < right->away);
    return order ? order : (left->compared < right->compared) - (left->compared > right->compared);
}

static bool is_of_model(const struct machine_facts *a, const struct machine_facts *b)
{
    if (!a->cpu_model || !text_same(a->cpu_model, b->cpu_model))
        return false;
    for (int level = 1; level <= 2; level++) {
        const struct cache_facts *in_a = cache_of_cpu(a, level, -1),
                                 *in_b = cache_of_cpu(b, level, -1);
        if (in_a && in_b && in_a->size_bytes != in_b->size_bytes)
            return false;
    }
    return true;
}

/* Compares the document with the others of its model as one; itself, known too, is none of them. */
static int compare_with_model(struct nearest *nearest, const struct document *document,
                              struct error *error)
{
    struct document *const alike = nearest->alike_list;
    struct error none = {0};
    const char *left_out = NULL;
    size_t n = 0;
    for (size_t i = 0; i < nearest->count; i++)
        if (is_of_model(&nearest->list[i].document->machine, &document->machine) &&
            !differences_of_copies(nearest->list[i].document, document))
            alike[n++] = *nearest->list[i].document;
    int code = n ? baseline_build(&nearest->others, alike, n, &left_out, &none) : ERROR_USAGE;
    if (code == 0)
        code = differences_find(&nearest->differences, &nearest->others, document, NAN, &none);
    nearest->alike = code == 0 && nearest->differences.count ? n : 0;
    if (code == ERROR_USAGE)
        return 0;
    if (code < 0)
        *error = none;
    return code;
}

static int allocate(void *with)
{
    struct nearest *nearest = with;
    nearest->list = pool_alloc(&nearest->pool, nearest->count + 1, sizeof *nearest->list);
    nearest->alike_list =
        pool_alloc(&nearest->pool, nearest->count + 1, sizeof *nearest->alike_list);
    return 0;
}

/* Whether a copy of the document is in the list. */
static bool is_known(const struct nearest *nearest, const struct document *document)
{
    for (size_t i = 0; i < nearest->count; i++)
        if (differences_of_copies(nearest->list[i].document, document))
            return true;
    return false;
}

int nearest_find(struct nearest *nearest, const struct document *document,
                 const struct document *known, size_t known_count, struct error *error)
{
    *nearest = (struct nearest){.count = known_count};
    /* By findings. */
    size_t levels = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++)
            levels += is_level(&document->probes[p].findings[f]);
    int code = pool_enter(&nearest->pool, allocate, nearest, error);
    nearest->count = 0;
    for (size_t i = 0; i < known_count && code == 0; i++) {
        struct neighbour neighbour = {.document = &known[i]};
        if (is_known(nearest, &known[i]))
            continue;
        code = measure_away(&neighbour, document, levels, error);
        if (code == 0 && neighbour.compared)
            nearest->list[nearest->count++] = neighbour;
    }
    if (code == 0 && !nearest->count)
        code = error_set(error, ERROR_USAGE,
                         "no known machine has a figure in common with this document: measure "
                         "'latency' or 'cores', or name documents of other machines");
    if (code < 0)
        return code;
    qsort(nearest->list, nearest->count, sizeof *nearest->list, by_distance);
    return compare_with_model(nearest, document, error);
}

void nearest_free(struct nearest *nearest)
{
    differences_free(&nearest->differences);
    document_free(&nearest->others);
    pool_free(&nearest->pool);
    *nearest = (struct nearest){.count = 0};
}
