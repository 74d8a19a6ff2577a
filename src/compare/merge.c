#include "compare/merge.h"

#include "base/sort.h"
#include "compare/joined.h"
#include "compare/pairs.h"
#include "compare/series.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"
#include "conclude/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct merging {
    struct document *to;
    const struct document *documents;
    size_t count;
    struct pool *pool;
    struct level_links *levels; /* of each document, numbered as in the newest that has a curve */
    struct left_out out;        /* findings that have a value and no place in the result */
    const char *left_out;       /* the same in words; NULL: nothing */
    bool points;                /* documents_add() */
};

/* --- experiments --- */

static int by_experiment(const void *a, const void *b)
{
    return experiment_order(*(const struct finding *const *)a, *(const struct finding *const *)b);
}

/* The experiments of a result's findings, each once, sorted; conditions have none. */
static const struct finding **experiments_of(struct pool *pool, const struct probe_result *probe,
                                             size_t *count)
{
    const struct finding **list =
        pool_alloc(pool, probe->finding_count, sizeof(const struct finding *));
    size_t n = 0;
    *count = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        if (finding_meaning(&probe->findings[i]).role != ROLE_CONDITION)
            list[n++] = &probe->findings[i];
    qsort(list, n, sizeof *list, by_experiment);
    for (size_t i = 0; i < n; i++)
        if (*count == 0 || experiment_order(list[*count - 1], list[i]) != 0)
            list[(*count)++] = list[i];
    return list;
}

static int by_name_and_text(const void *a, const void *b)
{
    const struct factor *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : strcmp(left->text, right->text);
}

/* The factors that the names of a result's findings contain: kernels, operations, levels. */
struct named {
    struct factor *list; /* sorted */
    size_t count;
};

static struct named named_of(struct pool *pool, const struct probe_result *probe)
{
    size_t all = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        all += probe->findings[i].factor_count - probe->findings[i].deviations;
    struct named named = {pool_alloc(pool, all, sizeof *named.list), 0};
    for (size_t i = 0; i < probe->finding_count; i++)
        for (size_t f = probe->findings[i].deviations; f < probe->findings[i].factor_count; f++)
            if (probe->findings[i].factors[f].text)
                named.list[named.count++] = probe->findings[i].factors[f];
    qsort(named.list, named.count, sizeof *named.list, by_name_and_text);
    return named;
}

/* --- series --- */

/* Gives a list its own memory, because elements will be added to it. */
static void own(const struct merging *merging, void **list, size_t *count, size_t size)
{
    const void *from = *list;
    const size_t n = *count;
    *list = NULL;
    *count = 0;
    if (n)
        memcpy(pool_extend(merging->pool, list, count, n, size), from, n * size);
}

/* Adds the sizes that only the older run measured. */
static void add_points(const struct merging *merging, struct series *to, const struct series *from)
{
    const size_t newer = to->point_count;
    if (to->matrix)
        return;
    own(merging, (void **)&to->points, &to->point_count, sizeof *to->points);
    if (newer)
        qsort(to->points, newer, sizeof *to->points, point_by_x);
    for (size_t i = 0; i < from->point_count; i++) {
        if (newer && bsearch(&from->points[i], to->points, newer, sizeof *to->points, point_by_x))
            continue;
        struct point *point =
            pool_append(merging->pool, (void **)&to->points, &to->point_count, sizeof *point);
        *point = from->points[i];
    }
    if (to->point_count)
        qsort(to->points, to->point_count, sizeof *to->points, point_by_x);
}

static void add_series(const struct merging *merging, struct probe_result *to,
                       const struct series *from, size_t *next)
{
    const struct series *same = series_alike_find(to, from, next);
    if (same) {
        add_points(merging, &to->series[same - to->series], from);
        return;
    }
    struct series *series =
        pool_append(merging->pool, (void **)&to->series, &to->series_count, sizeof *series);
    *series = *from;
}

/* --- results --- */

/* Adds what was obtained to the factors of each series; until now only the probe's parameters hold
 * it. */
static void stamp(const struct merging *merging, struct series *series, size_t count,
                  const struct obtained *obtained)
{
    for (size_t s = 0; s < count; s++) {
        struct factor *factors =
            pool_alloc(merging->pool, series[s].factor_count + obtained->count, sizeof *factors);
        size_t n = series[s].factor_count;
        if (n)
            memcpy(factors, series[s].factors, n * sizeof *factors);
        for (size_t i = 0; i < obtained->count; i++) {
            size_t at = 0;
            while (at < n && strcmp(factors[at].name, obtained->list[i].name) != 0)
                at++;
            factors[at] = obtained->list[i];
            n += at == n;
        }
        series[s].factors = factors;
        series[s].factor_count = n;
    }
}

/* Keeps series separate that differ only in what was obtained. */
static void stamp_both(const struct merging *merging, struct probe_result *to,
                       struct probe_result *older)
{
    const struct machine_facts *machine = &merging->to->machine;
    struct obtained newest, other;
    experiment_obtained(&newest, to, machine, merging->pool);
    experiment_obtained(&other, older, machine, merging->pool);
    if (experiment_obtained_alike(&newest, &other))
        return;
    own(merging, (void **)&older->series, &older->series_count, sizeof *older->series);
    stamp(merging, to->series, to->series_count, &newest);
    stamp(merging, older->series, older->series_count, &other);
}

/* Adds the points that only the older result has to series that are of one experiment in both. */
static void add_curves(const struct merging *merging, struct probe_result *to,
                       const struct probe_result *older)
{
    struct obtained newest, other;
    experiment_obtained(&newest, to, &merging->to->machine, merging->pool);
    experiment_obtained(&other, older, &merging->to->machine, merging->pool);
    if (!experiment_obtained_alike(&newest, &other))
        return;
    own(merging, (void **)&to->series, &to->series_count, sizeof *to->series);
    for (size_t i = 0, next = 0; i < older->series_count; i++) {
        const struct series *same = series_alike_find(to, &older->series[i], &next);
        if (same)
            add_points(merging, &to->series[same - to->series], &older->series[i]);
    }
}

/* Adds from the older result, whose levels have their numbers in `to`, the findings and series of
 * experiments that `to` lacks. */
static void add_experiments(struct merging *merging, struct probe_result *to,
                            struct probe_result *older)
{
    struct pool *pool = merging->pool;
    size_t count, added = 0;
    struct finding_pairs pairs;
    const struct named named = named_of(pool, to);
    const struct finding **known = experiments_of(pool, to, &count);
    finding_pairs_find(&pairs, pool, older, NULL, to, NULL);
    for (size_t i = 0; i < older->finding_count; i++) {
        const struct finding *finding = &older->findings[i];
        if (finding_meaning(finding).role == ROLE_CONDITION || pairs.of_a[i])
            continue;
        /* The finding may be about a kernel, operation or level that the result lacks. */
        bool another = false;
        for (size_t f = finding->deviations; f < finding->factor_count && !another; f++)
            another =
                finding->factors[f].text && !bsearch(&finding->factors[f], named.list, named.count,
                                                     sizeof *named.list, by_name_and_text);
        if (bsearch(&finding, known, count, sizeof *known, by_experiment) && !another) {
            if (isfinite(finding->value))
                joined_leave_out(&merging->out, pool, finding);
            continue;
        }
        if (added++ == 0)
            own(merging, (void **)&to->findings, &to->finding_count, sizeof *to->findings);
        struct finding *slot =
            pool_append(pool, (void **)&to->findings, &to->finding_count, sizeof *slot);
        *slot = *finding;
    }
    if (!added && merging->points)
        add_curves(merging, to, older);
    if (!added)
        return;
    own(merging, (void **)&to->series, &to->series_count, sizeof *to->series);
    stamp_both(merging, to, older);
    for (size_t i = 0, next = 0; i < older->series_count; i++)
        add_series(merging, to, &older->series[i], &next);
    /* Joins the facts of two results: the worse status, and only the parameters that both have. */
    const struct probe_result newer = *to;
    const struct probe_result *const both[] = {&newer, older};
    if (older->status > to->status) { /* statuses ascend from good to bad */
        to->status = older->status;
        to->reason = older->reason;
    }
    to->elapsed_s = newer.elapsed_s + older->elapsed_s;
    to->parameters = NULL;
    to->parameter_count = 0;
    joined_parameters(to, merging->pool, both, 2);
}

/* --- documents --- */

struct dated {
    const struct document *document;
    const struct probe_result *probe;
};

/* A run that failed or skipped the probe does not replace one that measured it. */
static bool has_content(const struct probe_result *probe)
{
    return probe->finding_count || probe->series_count;
}

static int newest_first(const void *a, const void *b)
{
    const struct dated *left = a, *right = b;
    const int order = ORDER_BY({has_content(right->probe), has_content(left->probe)},
                               {joined_is_newer(right->document, left->document),
                                joined_is_newer(left->document, right->document)});
    return order ? order : (left->document > right->document) - (left->document < right->document);
}

static void add_probe(struct merging *merging, const struct joined_probe *of)
{
    struct dated *list = pool_alloc(merging->pool, merging->count, sizeof *list);
    struct probe_result *slot = pool_append(merging->pool, (void **)&merging->to->probes,
                                            &merging->to->probe_count, sizeof *slot);
    size_t n = 0;
    for (size_t d = 0; d < merging->count; d++) {
        const struct document *document = &merging->documents[d];
        const struct probe_result *probe = document_probe_near(document, of->name, of->place);
        if (probe)
            list[n++] = (struct dated){document, probe};
    }
    qsort(list, n, sizeof *list, newest_first);
    for (size_t i = 0; i < n; i++) {
        struct probe_result result = *list[i].probe;
        joined_number_levels(&result, merging->pool,
                             &merging->levels[list[i].document - merging->documents],
                             &merging->out);
        if (i)
            add_experiments(merging, slot, &result);
        else
            *slot = result;
    }
}

static int merge(void *with)
{
    struct merging *merging = with;
    const struct document *documents = merging->documents;
    struct document *to = merging->to;
    const size_t count = merging->count;
    joined_check(&to->pool, documents, count, true);
    const struct document *newest = joined_newest(documents, count), *devices = NULL;
    for (size_t d = 0; d < count; d++)
        if (documents[d].machine.gpu_count && (!devices || joined_is_newer(&documents[d], devices)))
            devices = &documents[d];
    const struct pool pool = to->pool;
    *to = *newest;
    to->pool = pool;
    to->probes = NULL;
    to->probe_count = 0;
    if (count > 1)
        to->run = joined_run("merge", documents, count);
    if (devices) { /* the newest run may not have looked for devices */
        to->machine.gpus = devices->machine.gpus;
        to->machine.gpu_count = devices->machine.gpu_count;
    }
    /* The newest curve numbers the levels of all documents. */
    struct level_links *all = level_links_of_all(merging->pool, merging->documents, merging->count);
    size_t as = 0;
    for (size_t d = 1; d < merging->count; d++)
        if (all[d].count &&
            (!all[as].count || joined_is_newer(&merging->documents[d], &merging->documents[as])))
            as = d;
    level_links_number(all, merging->count, &all[as], merging->pool);
    merging->levels = all;
    size_t names;
    const struct joined_probe *probes = joined_probes(&to->pool, documents, count, &names);
    for (size_t i = 0; i < names; i++)
        add_probe(merging, &probes[i]);
    merging->left_out = joined_left_out(&merging->out, &to->pool, "newer runs lack them");
    return verdict_note(to, pool_error(&to->pool));
}

static int join(struct merging *merging, const char **left_out, struct error *error)
{
    merging->pool = &merging->to->pool;
    const int code = pool_enter(merging->pool, merge, merging, error);
    *left_out = code < 0 ? NULL : merging->left_out;
    return code;
}

int documents_merge(struct document *to, const struct document *documents, size_t count,
                    const char **left_out, struct error *error)
{
    return join(&(struct merging){.to = to, .documents = documents, .count = count}, left_out,
                error);
}

int documents_add(struct document *to, const struct document *documents, size_t count,
                  const char **left_out, struct error *error)
{
    return join(&(struct merging){.to = to, .documents = documents, .count = count, .points = true},
                left_out, error);
}
