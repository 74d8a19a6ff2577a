/* Grades the families of a document, and says so in words. */
#include "conclude/verdict.h"

#include "base/clean.h"
#include "base/cpulist.h"
#include "base/pool.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The load average covers a minute, so a part of it may be fathom's own work before the run. From a
 * load of busy_surely for each CPU on, other programs were surely running; from busy_if_seen on, if
 * a value shows them. */
static const double busy_surely = 1, busy_if_seen = 0.25;
/* If known, the share of CPUs that other programs used is better evidence. This threshold allows
 * for the few percent by which the system's ticks and this program's own times differ. */
static const double busy_share = 0.1;
/* Flags that other programs cause. */
static const unsigned by_others =
    FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) | FLAG_BIT(FLAG_OCCUPIED);

const char *const grade_names[GRADES] = {
    [GRADE_GOOD] = "good", [GRADE_AS_FOUND] = "as found", [GRADE_NOT_MEASURED] = "not measured"};

/* --- grades --- */

/* An interval is narrow if a reader would do the same at both of its ends: half of its width as a
 * share of the value, by role. The names are those of the families; roles without one belong to the
 * family of their probe. */
static const struct {
    const char *name;
    double narrow;
} families[] = {
    /* Neighbouring levels, and the same level of two generations, differ by a fifth and more. */
    [ROLE_LEVEL] = {NULL, 0.1},
    /* Where the costs begin lies between two numbers of pages that were measured. */
    [ROLE_TRANSLATION] = {"TLB", 0.25},
    [ROLE_WIDTH] = {"bandwidth", 0.1},
    [ROLE_FLIGHT] = {"in-flight", 0.1},
    /* Pairs that differ in what they share differ by a half and more. */
    [ROLE_HANDOFF] = {"hand-offs", 0.2},
    [ROLE_CLUSTER] = {"hand-offs", 0.2},
    /* Costs of the system, which are compared by factors. */
    [ROLE_CONTENTION] = {"contention", 0.25},
    [ROLE_PROPERTY] = {NULL, 0.25},
    [ROLE_PLAIN] = {NULL, 0.25},
    [ROLE_CONDITION] = {NULL, 0.25},
    [ROLE_DISAGREEMENT] = {NULL, INFINITY},
    [ROLE_NOTE] = {NULL, INFINITY},
};

static double width_of(const struct finding *finding)
{
    const double width = fabs((finding->high - finding->low) / 2 / finding->value);
    return isfinite(width) ? width : 0;
}

enum grade finding_grade(const struct finding *finding, enum finding_role role)
{
    const char *kind = finding_kind(finding);
    if (!kind || kind == finding_too_few)
        return GRADE_NOT_MEASURED;
    return kind == finding_good && width_of(finding) <= families[role].narrow ? GRADE_GOOD
                                                                              : GRADE_AS_FOUND;
}

/* A point as a figure. */
static struct finding figure_of(const struct series *series, const struct point *point)
{
    const struct interval value = estimate_interval(finding_time_of(point));
    return (struct finding){.name = series->name,
                            .unit = series->y.unit,
                            .value = value.value,
                            .low = value.low,
                            .high = value.high,
                            .disturbance = point->disturbance,
                            .flags = point->flags};
}

enum grade point_grade(const struct series *series, const struct point *point)
{
    const struct finding figure = figure_of(series, point);
    const enum grade grade = finding_grade(&figure, ROLE_PLAIN);
    return grade == GRADE_GOOD && flag_doubts(point->flags) ? GRADE_AS_FOUND : grade;
}

/* The doubt that a narrow interval does not show: "unstable"; NULL: none. */
static const char *doubt_of(const struct finding *figure)
{
    const unsigned doubts = flag_doubts(figure->flags);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (doubts & FLAG_BIT(flag) && finding_grade(figure, ROLE_PLAIN) == GRADE_GOOD)
            return flag_texts[flag].name;
    return NULL;
}

/* --- families --- */

/* The order of families: levels, then those with a word of their own, probes, devices. */
enum { ORDER_WORDS = 1000, ORDER_PROBES = 2000, ORDER_DEVICES = 3000 };

struct place {
    char name[FAMILY_NAME_BYTES];
    size_t order;
};

static struct place place_named(const char *name, size_t order)
{
    struct place place = {.order = order};
    clean_text(name, place.name, sizeof place.name);
    return place;
}

/* A probe's family is named after the first of its registry's findings that has a place on the
 * screen, also if the document has no such finding; without one it has the probe's name. */
static struct place place_of_probe(const struct document *document,
                                   const struct probe_result *probe)
{
    const struct finding_table *table = finding_table_of(probe->name);
    for (size_t i = 0; table && table->lines && table->lines[i].patterns; i++) {
        const enum finding_role role = table->lines[i].role;
        if (role < ROLE_CONDITION && families[role].name)
            return place_named(families[role].name, ORDER_WORDS + (size_t)role);
    }
    return place_named(probe->name, ORDER_PROBES + (size_t)(probe - document->probes));
}

static struct place place_of(const struct document_verdict *verdict,
                             const struct document *document, const struct probe_result *probe,
                             const struct finding_meaning *meaning)
{
    const char *word = families[meaning->role].name;
    char name[FAMILY_NAME_BYTES];
    if (meaning->device >= 0) {
        snprintf(name, sizeof name, "gpu%d", meaning->device);
        return place_named(name, ORDER_DEVICES + (size_t)meaning->device);
    }
    if (word)
        return place_named(word, ORDER_WORDS + (size_t)meaning->role);
    if (meaning->role != ROLE_LEVEL)
        return place_of_probe(document, probe);
    snprintf(name, sizeof name, "%.*s", (int)meaning->subject_length, meaning->subject);
    return place_named(strcmp(name, level_reached) == 0 ? verdict->reached : name,
                       finding_level_rank(meaning->subject, meaning->subject_length));
}

static int find(const struct document_verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->family_count; i++)
        if (strcmp(verdict->families[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* NULL: there is no room. */
static struct family *family_at(struct document_verdict *verdict, const struct place *place)
{
    const int at = find(verdict, place->name);
    if (at >= 0)
        return &verdict->families[at];
    if (verdict->family_count == FAMILIES_MAX)
        return NULL;
    struct family *family = &verdict->families[verdict->family_count++];
    *family = (struct family){.order = place->order};
    strcpy(family->name, place->name);
    return family;
}

int verdict_family(const struct document_verdict *verdict, const struct document *document,
                   const struct probe_result *probe, const struct finding *finding)
{
    const struct finding_meaning meaning =
        finding ? finding_meaning(finding) : (struct finding_meaning){.role = ROLE_PLAIN};
    const struct place place =
        finding ? place_of(verdict, document, probe, &meaning) : place_of_probe(document, probe);
    return find(verdict, place.name);
}

/* Counts a figure with its grade. `doubt`: what a doubtful point contributed to the grade; NULL: no
 * point is doubtful. */
static void tally(struct family_tally *tally, const struct finding *finding, enum grade grade,
                  const char *doubt)
{
    const double width = doubt ? 0 : width_of(finding);
    tally->figures++;
    tally->good += grade == GRADE_GOOD;
    tally->usable += grade != GRADE_NOT_MEASURED;
    if (grade == GRADE_AS_FOUND && (!tally->worst || width > tally->width)) {
        tally->worst = finding->name;
        tally->why = finding_kind(finding) == finding_good ? doubt : finding_beside_others;
        tally->width = width;
    }
}

static void count(struct document_verdict *verdict, const struct finding *figure)
{
    verdict->values++;
    verdict->disturbed += finding_is_disturbed(figure);
    verdict->flags |= figure->flags;
    verdict->modelled = verdict->modelled && figure->flags & FLAG_BIT(FLAG_MODELLED);
}

/* What of a level was not found is named, because its row may have others of its figures. A level
 * without a latency lacks its ways, too, and for that reason. */
static void note_missing(struct family *family, const struct document *document,
                         const struct finding *finding, const struct finding_meaning *meaning)
{
    static const char begins[] = "not found: ";
    const bool level = meaning->role == ROLE_LEVEL;
    const bool latency = meaning->fact == FACT_WAYS && document_probe(document, "latency");
    const char *figure = latency ? "latency" : meaning->subject + meaning->subject_length + 1;
    const struct finding *gaps = latency ? document_finding(document, "levels.gaps") : NULL;
    const char *text = gaps ? gaps->text : latency ? "" : finding->text;
    if (text && level && strncmp(text, begins, strlen(begins)) == 0)
        text += strlen(begins);
    if (text && !*family->why)
        snprintf(family->why, sizeof family->why, "%.*s%s%s%s",
                 level ? (int)strcspn(figure, "_") : 0, figure, level ? " not found" : "",
                 level && *text ? ": " : "", text);
}

/* Without a value there is nothing to grade, but a figure that was looked for makes a family.
 * `conditions`: the probe found nothing but conditions, so these are what it was to measure. */
static void add_finding(struct document_verdict *verdict, const struct document *document,
                        const struct probe_result *probe, const struct finding *finding,
                        bool conditions)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    if (conditions ? meaning.role != ROLE_CONDITION : meaning.role >= ROLE_CONDITION)
        return;
    const struct place place = place_of(verdict, document, probe, &meaning);
    struct family *family = family_at(verdict, &place);
    if (!family)
        return;
    if (!isfinite(finding->value)) {
        note_missing(family, document, finding, &meaning);
        return;
    }
    count(verdict, finding);
    /* The interval of a cluster is the range of its pairs. */
    if (meaning.role != ROLE_CLUSTER)
        tally(&family->all, finding, finding_grade(finding, meaning.role), NULL);
    /* An efficiency is the ratio of two figures that count themselves. */
    if (meaning.fact != FACT_NONE && meaning.fact != FACT_EFFICIENCY && !finding->deviations)
        tally(&family->headline, finding, finding_grade(finding, meaning.role), NULL);
}

/* Whether the probe has none of its headline figures, not even one that was not found. */
static bool lacks_headlines(const struct probe_result *probe)
{
    const struct finding_table *table = finding_table_of(probe->name);
    bool has = false;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding_meaning meaning = finding_meaning(&probe->findings[i]);
        if (meaning.fact != FACT_NONE && meaning.role < ROLE_CONDITION)
            return false;
    }
    for (size_t i = 0; table && table->lines && table->lines[i].patterns && !has; i++)
        has = table->lines[i].fact != FACT_NONE && table->lines[i].role < ROLE_CONDITION;
    return (has && !table->of_devices) || !probe->finding_count;
}

static void add_points(struct document_verdict *verdict, const struct document *document,
                       const struct probe_result *probe)
{
    const struct place place = place_of_probe(document, probe);
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++) {
            const struct series *series = &probe->series[s];
            const struct finding figure = figure_of(series, &series->points[i]);
            struct family *family = isfinite(figure.value) ? family_at(verdict, &place) : NULL;
            if (!family)
                continue;
            count(verdict, &figure);
            tally(&family->all, &figure, point_grade(series, &series->points[i]),
                  doubt_of(&figure));
        }
}

static void add_probe(struct document_verdict *verdict, const struct document *document,
                      size_t index)
{
    static const char *const says[] = {
        [PROBE_PARTIAL] = "not complete", [PROBE_SKIPPED] = "skipped", [PROBE_FAILED] = "failed"};
    const struct probe_result *probe = &document->probes[index];
    const size_t families_before = verdict->family_count, values_before = verdict->values;
    const bool by_points = lacks_headlines(probe);
    for (int conditions = 0; conditions < 2 && verdict->values == values_before; conditions++)
        for (size_t i = 0; i < probe->finding_count && !(by_points && conditions); i++)
            add_finding(verdict, document, probe, &probe->findings[i], conditions);
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++) {
            const struct summary *y = &probe->series[s].points[i].y;
            if (y->n && (!verdict->fewest || y->n < verdict->fewest))
                verdict->fewest = y->n;
            if (y->n && y->coverage < verdict->coverage)
                verdict->coverage = y->coverage;
        }
    if (probe->status != PROBE_OK && verdict->values == values_before &&
        verdict->family_count == families_before) {
        const struct place place = place_of_probe(document, probe);
        struct family *family = family_at(verdict, &place);
        if (family && !*family->why)
            snprintf(family->why, sizeof family->why, "%s%s%s", says[probe->status],
                     probe->reason ? ": " : "", probe->reason ? probe->reason : "");
    }
    if (by_points)
        add_points(verdict, document, probe);
}

static void grade(struct family *family, bool imported)
{
    const struct family_tally *tally = family->headline.figures ? &family->headline : &family->all;
    const char *worst = tally->worst;
    family->grade = !tally->usable && !(imported && tally->figures) ? GRADE_NOT_MEASURED
                    : imported || tally->good < tally->figures      ? GRADE_AS_FOUND
                                                                    : GRADE_GOOD;
    const bool told = family->grade == GRADE_AS_FOUND && !imported && worst && tally->width < 1;
    family->width = told ? tally->width : 0;
    family->others = told && tally->why == finding_beside_others;
    if (family->grade == GRADE_GOOD)
        *family->why = '\0';
    else if (imported && tally->figures)
        snprintf(family->why, sizeof family->why, "another tool's table, without trials");
    else if (worst && tally->width >= 1)
        snprintf(family->why, sizeof family->why, "%s ±100 %% or more", worst);
    else if (worst && tally->width > 0)
        snprintf(family->why, sizeof family->why,
                 tally->width < 0.0995 ? "%s %s%s±%.1f %%" : "%s %s%s±%.0f %%", worst,
                 tally->why ? tally->why : "", tally->why ? ", " : "", 100 * tally->width);
    else if (worst)
        snprintf(family->why, sizeof family->why, "%s %s", worst,
                 tally->why ? tally->why : finding_good);
    else if (family->grade == GRADE_AS_FOUND)
        snprintf(family->why, sizeof family->why, "too few trials for %zu of %zu figures",
                 tally->figures - tally->usable, tally->figures);
    else if (tally->figures && !*family->why)
        snprintf(family->why, sizeof family->why, "too few trials to rely on");
    clean_text(family->why, family->why, sizeof family->why);
}

/* --- other programs --- */

static void add_load(struct document_verdict *verdict, const struct document *document)
{
    const struct conditions *conditions = &document->conditions;
    const size_t allowed = cpulist_text_count(conditions->affinity);
    const double cpus = document->machine.threads ? document->machine.threads : (double)allowed;
    const unsigned seen = verdict->flags & by_others;
    const bool shows = seen || verdict->disturbed, known = isfinite(conditions->others_cpus),
               others = conditions->others_cpus >= busy_share * fmax(cpus, 1);
    if (document->run.joined && strcmp(document->run.joined, "repeat") != 0)
        return;
    const bool loaded =
        conditions->load1 >= (shows && !known ? busy_if_seen : busy_surely) * fmax(cpus, 1);
    if (loaded && (others || !known)) {
        line_add(&verdict->busy, "load %.3g", conditions->load1);
        if (cpus > 0)
            line_add(&verdict->busy, " on %.0f CPU%s", cpus, cpus > 1 ? "s" : "");
    } else if (others) {
        line_add(&verdict->busy,
                 conditions->others_cpus < 9.95 ? "they used %.2g" : "they used %.0f",
                 conditions->others_cpus);
        if (cpus > 0)
            line_add(&verdict->busy, " of %.0f", cpus);
        line_add(&verdict->busy, " CPUs during the run");
    } else if (seen & FLAG_BIT(FLAG_STOLEN)) {
        line_add(&verdict->busy, "the hypervisor took CPU time away");
    } else if (seen & FLAG_BIT(FLAG_PREEMPTED)) {
        line_add(&verdict->busy, "they kept interrupting");
    } else if (seen) {
        line_add(&verdict->busy, "they held a part of the caches");
    } else if (verdict->disturbed) {
        line_add(&verdict->busy, "they slowed %zu of %zu values", verdict->disturbed,
                 verdict->values);
    }
}

/* --- the verdict --- */

static int in_order(const void *a, const void *b)
{
    const struct family *left = a, *right = b;
    const int order = (left->order > right->order) - (left->order < right->order);
    return order ? order : strcmp(left->name, right->name);
}

void verdict_of(struct document_verdict *verdict, const struct document *document)
{
    *verdict = (struct document_verdict){.coverage = 1, .modelled = true};
    level_name_reached(document, -1, verdict->reached);
    for (size_t p = 0; p < document->probe_count; p++)
        add_probe(verdict, document, p);
    verdict->modelled = verdict->modelled && verdict->values;
    add_load(verdict, document);
    for (size_t i = 0; i < verdict->family_count; i++)
        grade(&verdict->families[i], document_is_imported(document));
    qsort(verdict->families, verdict->family_count, sizeof *verdict->families, in_order);
}

size_t verdict_count(const struct document_verdict *verdict, enum grade grade)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->family_count; i++)
        count += verdict->families[i].grade == grade;
    return count;
}

static const char *reason_of(const struct family *family)
{
    const bool said = family->grade == GRADE_AS_FOUND && (family->width > 0 || family->others);
    return family->grade == GRADE_GOOD || said ? "" : family->why;
}

const char *verdict_reason(const struct document_verdict *verdict, size_t i)
{
    const struct family *family = &verdict->families[i];
    const char *reason = reason_of(family);
    size_t next = i + 1;
    while (next < verdict->family_count && verdict->families[next].grade != family->grade)
        next++;
    const bool again =
        next < verdict->family_count && strcmp(reason_of(&verdict->families[next]), reason) == 0;
    return again ? "" : reason;
}

/* Whether any of its families is measured. */
static bool probe_is_usable(const struct document *document, size_t index)
{
    struct document_verdict own = {.coverage = 1};
    add_probe(&own, document, index);
    for (size_t i = 0; i < own.family_count; i++) {
        grade(&own.families[i], document_is_imported(document));
        if (own.families[i].grade != GRADE_NOT_MEASURED)
            return true;
    }
    return false;
}

enum trust document_trust(const struct document *document)
{
    bool measured = false, lacking = false;
    for (size_t i = 0; i < document->probe_count; i++) {
        const struct probe_result *probe = &document->probes[i];
        if (probe->status == PROBE_SKIPPED)
            continue;
        measured = measured || probe->status != PROBE_FAILED;
        lacking = lacking || probe->status == PROBE_FAILED || !probe_is_usable(document, i);
    }
    return !measured ? TRUST_NOTHING : lacking ? TRUST_LACKING : TRUST_USABLE;
}

/* --- in words --- */

const char *verdict_reserve(const struct document_verdict *verdict, const struct document *document)
{
    bool stopped = !document->run.complete;
    return !verdict->family_count ? stopped ? "The run was stopped before anything was measured"
                                            : "Nothing was measured"
           : stopped              ? "The run was stopped before its end"
           : verdict->modelled    ? "Modelled, not measured"
           : document_is_imported(document) ? "Imported from another tool's table"
                                            : NULL;
}

void line_add_verdict(struct line *line, const struct document *document,
                      const struct document_verdict *verdict)
{
    static const char *const begins[GRADES] = {"Good", "As found", "Not measured"};
    const char *reserve = verdict_reserve(verdict, document);
    if (reserve)
        line_add(line, "%s.", reserve);
    for (int grade = 0; grade < GRADES; grade++) {
        const char *separator = ": ";
        if (!verdict_count(verdict, (enum grade)grade))
            continue;
        line_add(line, "%s%s", line->length ? " " : "", begins[grade]);
        for (size_t i = 0; i < verdict->family_count; i++) {
            if (verdict->families[i].grade != (enum grade)grade)
                continue;
            line_add(line, "%s", separator);
            line_add_clean(line, verdict->families[i].name);
            separator = ", ";
        }
        line_add(line, ".");
    }
}

/* Whether the first one's interval is above the second's. */
static bool is_above(const struct finding *high, const struct finding *low)
{
    return high && low && high->low > (isnan(low->high) ? low->value : low->high);
}

/* One core gets no more lines a second from DRAM than all cores read from it in sequence, and no
 * load from DRAM is faster beside traffic than alone: a cache served what was, and the smaller sets
 * that the latency was read from. */
static void refuse_dram(struct document *document)
{
    const char *const why =
        is_above(document_finding(document, "DRAM.parallelism.rate"),
                 document_finding(document, "bandwidth.read.all"))
            ? "not DRAM: one core gets lines faster than all cores read from DRAM"
        : is_above(document_finding(document, "loaded.unloaded"),
                   document_finding(document, "loaded.saturated"))
            ? "not DRAM: a load takes less time beside traffic than alone"
            : NULL;
    for (size_t p = 0; why && p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++) {
            struct finding *finding = &document->probes[p].findings[i];
            if (strncmp(finding->name, "DRAM.", strlen("DRAM.")) != 0)
                continue;
            finding->name =
                pool_printf(&document->pool, "%s%s", level_reached, strchr(finding->name, '.'));
            finding->text = why;
            finding->line = NULL;
        }
}

static int note(void *with)
{
    struct document *document = with;
    struct pool *pool = &document->pool;
    struct document_verdict verdict;
    struct line line = {0};
    struct verdict_facts *facts = &document->verdict;
    refuse_dram(document);
    verdict_of(&verdict, document);
    line_add_verdict(&line, document, &verdict);
    *facts = (struct verdict_facts){.sentence = pool_strdup(pool, line.text)};
    facts->families = pool_alloc(pool, verdict.family_count + 1, sizeof *facts->families);
    for (size_t i = 0; i < verdict.family_count; i++) {
        const struct family *family = &verdict.families[i];
        facts->families[facts->family_count++] =
            (struct family_facts){.name = pool_strdup(pool, family->name),
                                  .grade = grade_names[family->grade],
                                  .why = *family->why ? pool_strdup(pool, family->why) : NULL};
    }
    return 0;
}

int verdict_note(struct document *document, struct error *error)
{
    return pool_enter(&document->pool, note, document, error);
}
