#include "conclude/advise.h"

#include "base/cpulist.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/registry/experiment.h"
#include "conclude/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const advice_units[] = {"", "B", "choice", "cpus"};
enum { CACHES_MOST = 4, GROUPS_MOST = 1024 };

struct advising {
    const struct document *const *documents;
    size_t count;
    struct pool *pool;
    struct advices *made;
    const struct document *from;      /* has the finding that was found last */
    const struct probe_result *probe; /* of it */
    int level;                        /* of the cache that the row is about; 0: none */
    const char *pages;                /* the pages that the finding has to be of; NULL: any */
    double parts;                     /* number by which the figure is divided */
    const char *beside;               /* what was read besides the figure, for the reason */
};

/* --- figures --- */

/* The finding, of that cache if it is not 0, whose name matches: the first of the standard
 * experiment, else the first with a value, else the first. NULL: no document has one. */
static const struct finding *find(struct advising *a, const char *names, int level)
{
    const struct finding *best = NULL;
    int rank = 0;
    for (size_t d = 0; d < a->count; d++)
        for (size_t p = 0; p < a->documents[d]->probe_count; p++) {
            const struct probe_result *probe = &a->documents[d]->probes[p];
            for (size_t i = 0; i < probe->finding_count; i++) {
                const struct finding *finding = &probe->findings[i];
                const bool has = isfinite(finding->value);
                const int here = 1 + has + (has && experiment_is_standard(finding));
                const struct factor *pages = a->pages ? finding_factor(finding, "pages") : NULL;
                if ((a->pages && (!pages || !text_same(pages->text, a->pages))) || here <= rank ||
                    !finding_name_matches(names, finding->name) ||
                    (level && finding_meaning(finding).number != level))
                    continue;
                best = finding;
                rank = here;
                a->from = a->documents[d];
                a->probe = probe;
            }
        }
    return best;
}

static const char *figure(struct advising *a, double value, const char *unit)
{
    if (quantity_is(unit, DIMENSION_SIZE))
        return size_text(a->pool, value);
    return pool_printf(a->pool, value < 1000 ? "%.3g" : "%.0f", value);
}

/* "5.72 MiB (4.47 MiB to 7.36 MiB) of 32 MiB declared" */
static const char *measured(struct advising *a, const struct finding *finding)
{
    const double low = finding->low, high = finding->high, declared = finding->declared;
    const char *text = figure(a, finding->value, finding->unit);
    if (low < high)
        text = pool_printf(a->pool, "%s (%s to %s)", text, figure(a, low, finding->unit),
                           figure(a, high, finding->unit));
    if (declared > 0 && !(low <= declared && declared <= high))
        text = pool_printf(a->pool, "%s of %s declared", text, figure(a, declared, finding->unit));
    return text;
}

/* --- rules --- */

/* Advice is not to lose more to half or double of it. */
static const double loses = 1.03;

double advise_block(double bytes)
{
    /* Three tenths are left to the rest of the program: code, stack, what other threads of the core
     * use. Four steps an octave. */
    const double room = 0.7 * bytes;
    const double power = exp2(floor(log2(room)));
    return room >= 1 && room < 0x1p62 ? power * floor(room / power * 4) / 4 : 0;
}

const struct finding *advise_kept(const struct document *document, const struct finding *capacity)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s.kept", (int)strcspn(capacity->name, "."), capacity->name);
    const struct finding *kept = document_finding(document, name);
    return kept && kept->value < capacity->value ? kept : capacity;
}

/* As many partitions as the block has lines: each has a line of its own. */
static double rule_bits(double bytes)
{
    return floor(log2(advise_block(bytes)));
}

/* --- rows --- */

struct row {
    const char *name, *label;
    enum advice_kind kind;
    const char *source; /* findings, as patterns (conclude/registry/registry.h) */
    const char *command;
    const char *says, *reason;    /* behind the figure; `says` not behind a bound */
    double (*rule)(double value); /* NULL: it is the figure itself */
    bool shared;                  /* each CPU that shares the cache has a part of it */
    int caches;                   /* a row for each cache from this one on; 0: one row */
    void (*tell)(struct advising *, const struct row *, struct advice *); /* NULL: by the rule */
};

/* What the row is read from; NULL, with the reason, if there is no usable figure. */
static const struct finding *read_from(struct advising *a, const struct row *row,
                                       struct advice *advice)
{
    const struct finding *finding = find(a, row->source, a->level);
    if (!finding)
        return NULL;
    const enum grade grade = finding_grade(finding, finding_meaning(finding).role);
    const bool has = isfinite(finding->value);
    advice->source = finding->name;
    advice->experiment = experiment_text(finding, a->pool);
    advice->as_found = grade != GRADE_GOOD;
    if (!has || grade == GRADE_NOT_MEASURED)
        advice->reason = has ? "there are too few trials" : finding->text;
    return has && ((row->tell && !row->rule) || grade != GRADE_NOT_MEASURED) ? finding : NULL;
}

static void tell(struct advising *a, struct advice *advice, struct interval value, const char *text)
{
    advice->value = value;
    advice->text = text ? text : figure(a, value.value, advice_units[advice->kind]);
    advice->told = true;
}

/* Yes: the ratio and its interval are above 1. */
static void tell_choice(struct advising *a, struct advice *advice, struct interval ratio)
{
    const bool yes = ratio.value > 1;
    if (!(ratio.low <= 1 && ratio.high >= 1))
        tell(a, advice, (struct interval){yes, NAN, NAN}, yes ? "yes" : "no");
}

static double by_rule(const struct advising *a, const struct row *row, double figure)
{
    return row->rule ? row->rule(figure / a->parts) : figure;
}

/* Each CPU has a part of a cache that is declared to be shared; where no CPUs are, no part is
 * known. Returns its line. */
static double share(struct advising *a, const struct row *row, int level)
{
    const struct finding *finding = find(a, row->source, level);
    const struct cache_facts *cache =
        finding ? cache_of_cpu(&a->from->machine, level, probe_cpu(a->probe)) : NULL;
    const char *cpus = cache ? cache->shared_cpus : NULL;
    a->parts = (double)cpulist_text_count(cpus);
    a->beside = a->parts > 1   ? pool_printf(a->pool, "; CPUs %s share it, a part each", cpus)
                : a->parts > 0 ? "; it is one CPU's own"
                               : ", but which CPUs share it is not declared";
    return cache && cache->line_bytes ? cache->line_bytes : 64;
}

static void tell_by_rule(struct advising *a, const struct row *row, struct advice *advice)
{
    const struct finding *finding = read_from(a, row, advice);
    if (!finding)
        return;
    if (a->level && advice->kind == ADVICE_SIZE) {
        const struct finding *kept = advise_kept(a->from, finding);
        if (kept != finding)
            advice->as_found = finding_grade(kept, ROLE_LEVEL) != GRADE_GOOD;
        advice->source = kept->name;
        finding = kept;
    }
    if (row->shared)
        share(a, row, a->level);
    if (!(a->parts > 0)) /* no measurement tells it */
        advice->command = "";
    const struct interval value = {by_rule(a, row, finding->value), by_rule(a, row, finding->low),
                                   by_rule(a, row, finding->high)};
    const bool bound = finding_is_bound(finding);
    advice->reason = pool_printf(a->pool, "%s%s%s%s%s%s", bound ? "misses begin at " : "",
                                 measured(a, finding), bound ? "" : " ", bound ? "" : row->says,
                                 row->reason ? row->reason : "", a->beside);
    if (advice->kind == ADVICE_CHOICE)
        tell_choice(a, advice, value);
    else if (value.value >= 1 && isfinite(value.value))
        tell(a, advice, value, NULL);
}

double advise_at_once(const struct document *document, const char *level, double misses)
{
    char name[32];
    snprintf(name, sizeof name, "chains in %s", level);
    const struct series *series =
        probe_series(document_probe(document, "parallelism"), name, NULL, NULL);
    const struct point *least = NULL, *most;
    if (series)
        series_extremes(series, &least, &most);
    for (size_t i = 0; least && i < series->point_count; i++)
        if ((double)series->points[i].y.median <= loses * (double)least->y.median)
            return series->points[i].x;
    return ceil(misses);
}

static void tell_overlap(struct advising *a, const struct row *row, struct advice *advice)
{
    tell_by_rule(a, row, advice);
    if (!advice->told)
        return;
    const char *level =
        pool_printf(a->pool, "%.*s", (int)strcspn(advice->source, "."), advice->source);
    tell(a, advice,
         (struct interval){advise_at_once(a->from, level, advice->value.value), NAN, NAN}, NULL);
}

/* What a load at random takes in that set, or in the largest smaller one that was measured. */
static double random_load(const struct series *curve, double bytes)
{
    size_t i = curve->point_count;
    while (i > 0 && (!curve->points[i - 1].y.n || curve->points[i - 1].x > bytes))
        i--;
    return i ? (double)curve->points[i - 1].y.median : NAN;
}

/* Of a larger set more loads miss the nearer cache, so that in most caches half a block is faster:
 * of the last cache's block half, until that gains nothing. */
static void tell_random(struct advising *a, const struct row *row, struct advice *advice)
{
    const struct finding *last = NULL;
    for (a->level = CACHES_MOST; a->level > 0 && !last; a->level--)
        last = read_from(a, row, advice);
    a->level = 0;
    const struct series *curve = last ? probe_series(a->probe, "latency", "order", "random") : NULL;
    double size = curve ? advise_block(last->value) : 0;
    while (size >= 1 && !(random_load(curve, size) <= loses * random_load(curve, size / 2)))
        size /= 2;
    if (size >= 1) {
        advice->reason = row->reason;
        tell(a, advice, (struct interval){size, NAN, NAN}, NULL);
    } else if (last) {
        advice->reason = "no size of its curve gains so little";
    }
}

/* Memory's latency on small pages over that on huge ones. Huge pages that a host keeps in small
 * ones fill as many entries of the TLB, but their walks are shorter. */
static void tell_lookups(struct advising *a, const struct row *row, struct advice *advice)
{
    const struct finding *huge = read_from(a, row, advice);
    a->pages = "small";
    const struct finding *small = huge ? find(a, row->source, 0) : NULL;
    a->pages = NULL;
    if (!small || small == huge || !isfinite(small->value))
        return;
    advice->reason = pool_printf(a->pool, "a load takes %s ns on small pages, %s on huge ones",
                                 measured(a, small), measured(a, huge));
    tell_choice(a, advice,
                (struct interval){small->value / huge->value, small->low / huge->high,
                                  small->high / huge->low});
}

/* Each partition is written through a line and a page of its own (S. Manegold, P. Boncz, M.
 * Kersten, "Optimizing main-memory join on modern hardware", IEEE TKDE 14(4), 2002). Stores that
 * miss L1 and hit L2, or the second level of the TLB, wait in the store buffer without stopping the
 * core; so the lines are to fit in L2 and the pages in that level. */
static void tell_bits(struct advising *a, const struct row *row, struct advice *advice)
{
    const double line = share(a, row, 2);
    const struct finding *tlb = find(a, "dtlb2.4K.entries", 0);
    a->parts *= line;
    a->beside = tlb && isfinite(tlb->value) ? pool_printf(a->pool, " %s", measured(a, tlb))
                                            : " entries not found";
    if (tlb)
        tell_by_rule(a, row, advice);
    if (advice->told && log2(tlb->value) < advice->value.value)
        tell(a, advice, (struct interval){floor(log2(tlb->value)), NAN, NAN}, NULL);
}

/* Two writers to one line must be at least this many times as slow as two far apart; otherwise they
 * were not seen to disturb each other (a hypervisor may run both on one CPU). */
static const double disturbs = 1.5;
/* A distance up to this many times as slow as the farthest counts as equally good: trials of two
 * writers differ by some percent from run to run. */
static const double as_good = 1.2;

size_t advise_padding(const struct document *document)
{
    const struct probe_result *probe = document_probe(document, "contention");
    const struct series *series = NULL;
    for (size_t i = 0; probe && i < probe->series_count && !series; i++) {
        const struct factor *op = series_factor(&probe->series[i], "op");
        if (op && text_same(op->text, "fetch-add") &&
            text_same(probe->series[i].x.name, "distance"))
            series = &probe->series[i];
    }
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

static void tell_padding(struct advising *a, const struct row *row, struct advice *advice)
{
    tell_by_rule(a, row, advice);
    for (size_t d = 0; d < a->count; d++) {
        const size_t bytes = advise_padding(a->documents[d]);
        if (!bytes)
            continue;
        advice->source = "contention";
        advice->reason = "two writers so far apart are as fast as any, and slower nearer together";
        tell(a, advice, (struct interval){(double)bytes, NAN, NAN}, NULL);
        return;
    }
}

/* A size is advised only if stores past the caches are faster in the largest copies, too, which lie
 * beyond the caches. */
static void tell_past(struct advising *a, const struct row *row, struct advice *advice)
{
    const struct finding *from = read_from(a, row, advice), *past = find(a, "copy.nt.DRAM", 0),
                         *copy = find(a, "copy.memcpy.DRAM", 0);
    if (from)
        advice->reason = from->text;
    if (past && copy && !(past->value > copy->value)) {
        advice->reason = "in the largest copies memcpy() is as fast";
        tell(a, advice, (struct interval){INFINITY, NAN, NAN}, "never");
    } else if (past && copy && from && past->low > copy->high)
        tell(a, advice, (struct interval){from->value, from->low, from->high}, NULL);
}

/* --- CPUs --- */

/* Threads that share data belong into one of the smallest groups that were found by their
 * hand-offs, and threads that share none into different groups; without groups, threads that share
 * data belong onto the nearest pair. */
static void tell_cpus(struct advising *a, const struct row *row, struct advice *advice)
{
    const struct finding *near = read_from(a, row, advice);
    const struct finding *far = near ? find(a, "cores.cas.max, cores.max, cores.*.max", 0) : NULL;
    const char *groups = NULL, *next = NULL;
    size_t count = 0;
    if (!far || !cpulist_text_count(near->cpus))
        return;
    /* A group stands before those within it. */
    for (size_t i = a->probe->finding_count; i-- > 0 && count < GROUPS_MOST;) {
        const struct finding *group = &a->probe->findings[i];
        if (strcmp(group->name, "cluster") != 0 || !cpulist_text_count(group->cpus))
            continue;
        if (!next || !cpulist_text_has(group->cpus, atoi(next)))
            groups = pool_printf(a->pool, "%s%s%s", group->cpus, count++ ? "; " : "",
                                 groups ? groups : "");
        next = group->cpus;
    }
    const char *pairs = a->from->machine.threads == 2
                            ? "the only pair"
                            : pool_printf(a->pool, "the nearest, %s ns of the farthest",
                                          figure(a, far->value, far->unit));
    advice->reason = pool_printf(
        a->pool, "%s ns a hand-off of %s%s%s", measured(a, near), pairs,
        groups ? ": threads that share data into one group, others into different ones" : "",
        a->from->machine.hypervisor ? "; the host may move these CPUs" : "");
    tell(a, advice, (struct interval){near->value, near->low, near->high},
         groups ? groups : near->cpus);
}

/* --- all of it --- */

static const struct row rows[] = {
#include "advise.texts.h"
};

static void add(struct advising *a, const struct row *row)
{
    struct advices *made = a->made;
    struct advice *advice =
        pool_append(a->pool, (void **)&made->list, &made->count, sizeof *advice);
    const char *level = a->level ? pool_printf(a->pool, "L%d", a->level) : "";
    *advice = (struct advice){
        .name = pool_printf(a->pool, "%s%s%s", row->name, a->level ? "." : "", level),
        .label = pool_printf(a->pool, "%s%s%s", level, a->level ? " " : "", row->label),
        .kind = row->kind,
        .value = {NAN, NAN, NAN},
        .text = "can't tell",
        .reason = "not measured",
        .source = "",
        .experiment = "",
        .command = pool_printf(a->pool, "fathom %s", row->command)};
    a->parts = 1;
    a->beside = "";
    (row->tell ? row->tell : tell_by_rule)(a, row, advice);
    made->told += advice->told;
}

/* A row for each cache that is declared, or that a document has a figure of; always for the first.
 */
static int advise_all(void *with)
{
    struct advising *a = with;
    int caches = 1;
    while (caches < CACHES_MOST &&
           (cache_of_cpu(&a->documents[0]->machine, caches + 1, -1) ||
            find(a, "L<n>.latency, L<n>.capacity, L<n>.begins", caches + 1)))
        caches++;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        a->level = rows[i].caches;
        for (bool more = a->level <= caches; more; more = a->level && ++a->level <= caches)
            add(a, &rows[i]);
    }
    return 0;
}

int advise(const struct document *const *documents, size_t count, struct pool *pool,
           struct advices *made, struct error *error)
{
    struct advising a = {.documents = documents, .count = count, .pool = pool, .made = made};
    return pool_enter(pool, advise_all, &a, error);
}
