/* Which series share a chart, their labels there, the chart's title, and the order of probes. */
#include "base/clean.h"
#include "base/sort.h"
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/names.h"
#include "show/report/parts.h"
#include "show/report/series.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- chapters --- */

static int by_name(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int order = strcmp(left->probe->name, right->probe->name);
    order = order ? order : ORDER_BY({left->document, right->document});
    return order ? order : (left->probe > right->probe) - (left->probe < right->probe);
}

static int by_rank(const void *a, const void *b)
{
    const struct chapter *one = a, *other = b;
    const struct placed *left = one->list, *right = other->list;
    const int order = ORDER_BY({one->rank, other->rank}, {left->document, right->document});
    return order ? order : (left->probe > right->probe) - (left->probe < right->probe);
}

enum { RANK_ROLE = 64, RANK_DEVICE = RANK_ROLE * RANK_ROLE };

/* Roles and facts are declared in the order of the datasheet; findings without a fact come last in
 * their role. */
static unsigned rank_of(enum finding_role role, enum finding_fact fact, bool of_device)
{
    const unsigned below = fact == FACT_NONE ? RANK_ROLE - 1 : (unsigned)fact;
    return role == ROLE_PLAIN ? UINT_MAX
                              : (of_device ? RANK_DEVICE : 0u) + RANK_ROLE * (unsigned)role + below;
}

/* The least rank of all findings that the probe can have; for an unknown probe, of those it has. */
static unsigned rank_of_probe(const struct catalogue *catalogue, const struct placed *placed)
{
    const struct finding_table *table = finding_table_of(placed->probe->name);
    const struct catalogue_entry *list = catalogue_of(catalogue, placed->document, placed->probe);
    unsigned least = UINT_MAX;
    for (size_t i = 0; table && table->lines && table->lines[i].patterns; i++) {
        const struct finding_line *line = &table->lines[i];
        const unsigned rank = rank_of(line->role, line->fact, table->of_devices);
        least = rank < least ? rank : least;
    }
    for (size_t i = 0; i < placed->probe->finding_count && !table; i++) {
        const struct finding_meaning *meaning = &list[i].meaning;
        const unsigned rank = rank_of(meaning->role, meaning->fact, meaning->device >= 0);
        least = rank < least ? rank : least;
    }
    return least;
}

void chapters_collect(struct chapters *chapters, const struct catalogue *catalogue, size_t first,
                      size_t count, struct pool *pool)
{
    const struct document *const *documents = catalogue->documents;
    size_t all = 0, filled = 0;
    for (size_t d = first; d < first + count; d++)
        all += documents[d]->probe_count;
    struct placed *list = pool_alloc(pool, all + 1, sizeof *list);
    *chapters = (struct chapters){pool_alloc(pool, all + 1, sizeof *chapters->list), 0};
    for (size_t d = first; d < first + count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++)
            list[filled++] = (struct placed){&documents[d]->probes[p], d};
    qsort(list, filled, sizeof *list, by_name);
    for (size_t i = 0; i < filled; i++) {
        const bool more = i > 0 && strcmp(list[i - 1].probe->name, list[i].probe->name) == 0;
        if (!more)
            chapters->list[chapters->count++] =
                (struct chapter){&list[i], 0, rank_of_probe(catalogue, &list[i])};
        chapters->list[chapters->count - 1].count++;
    }
    qsort(chapters->list, chapters->count, sizeof *chapters->list, by_rank);
}

/* --- charts --- */

/* A series and its source. */
struct member {
    size_t document; /* index */
    const struct probe_result *probe;
    const struct series *series;
};

/* Curves of one probe over the same axes, from all documents; or one matrix, as each document has
 * it. */
struct chart {
    struct member *members;
    size_t member_count;
    size_t left_out; /* members beyond MEMBERS_MAX */
};
enum { CHARTS_MAX = 256, MEMBERS_MAX = 64 };

/* The state of adding charts. */
struct charting {
    struct report *report;
    size_t documents;   /* their number */
    struct chart *list; /* the charts of one chapter */
    size_t count;
    size_t room;     /* charts that may still be added */
    size_t left_out; /* series beyond CHARTS_MAX charts */
};

/* Curves share a chart if they share their axes; matrices if they are the same one in different
 * documents. A device's curves must also have the same name, so that they differ in factors only
 * (path, order, split), or so few points that each alone says little. Its clock, power and
 * temperature have other axes, so they have charts of their own. */
static bool belongs(const struct chart *chart, size_t document, const struct series *series)
{
    enum { FEW_POINTS = 8 };
    const struct series *first = chart->members[0].series;
    const int device = device_of_name(series->name, NULL);
    const bool same_name = text_same(first->name, series->name);
    if (first->matrix != series->matrix || !series_have_same_axes(first, series))
        return false;
    if (series->matrix)
        return chart->members[chart->member_count - 1].document < document && same_name &&
               factors_same(first, series);
    return device_of_name(first->name, NULL) == device &&
           (device < 0 || same_name ||
            (first->point_count <= FEW_POINTS && series->point_count <= FEW_POINTS));
}

static void collect(struct charting *charting, const struct placed *placed)
{
    struct pool *pool = charting->report->pool;
    for (size_t s = 0; s < placed->probe->series_count; s++) {
        const struct series *series = &placed->probe->series[s];
        size_t at = 0;
        while (at < charting->count && !belongs(&charting->list[at], placed->document, series))
            at++;
        if (at == charting->count && !charting->room) {
            charting->left_out++;
            continue;
        }
        if (at == charting->count) {
            charting->room--;
            pool_append(pool, (void **)&charting->list, &charting->count, sizeof *charting->list);
        }
        struct chart *chart = &charting->list[at];
        if (chart->member_count == MEMBERS_MAX) {
            chart->left_out++;
            continue;
        }
        struct member *member =
            pool_append(pool, (void **)&chart->members, &chart->member_count, sizeof *member);
        *member = (struct member){placed->document, placed->probe, series};
    }
}

/* --- labels and titles --- */

/* The subject of a series, its name without the device: "scratchpad"; for "gpu0 latency: clock" it
 * is "latency". Returns the subject's length. */
static size_t subject_of(const struct series *series, const char **subject)
{
    device_of_name(series->name, subject);
    return device_has_condition(series) ? (size_t)(strrchr(*subject, ':') - *subject)
                                        : strlen(*subject);
}

/* For a device's chart, its subject before a colon: "gpu0: ", "gpu0 scratchpad, texture: ". */
static void add_subject(struct line *line, const struct chart *chart)
{
    enum { NAMES_MAX = 4 };
    const struct series *first = chart->members[0].series;
    const int device = device_of_name(first->name, NULL);
    size_t named = 0;
    bool alone = !device_has_condition(first); /* the title continues with the name of y */
    if (device < 0 || first->matrix)
        return;
    line_add(line, device_has_condition(first) ? "gpu%d beside" : "gpu%d", device);
    for (size_t i = 1; i < chart->member_count; i++)
        alone = alone && text_same(chart->members[i].series->name, first->name);
    for (size_t i = 0; i < chart->member_count; i++) {
        const char *subject, *before;
        char copy[CLEAN_TEXT], clean[CLEAN_TEXT];
        const size_t length = subject_of(chart->members[i].series, &subject);
        bool repeated = alone && text_same(subject, first->y.name);
        for (size_t j = 0; j < i && !repeated; j++)
            repeated = subject_of(chart->members[j].series, &before) == length &&
                       strncmp(before, subject, length) == 0;
        if (repeated || named++ >= NAMES_MAX)
            continue;
        snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy),
                 subject);
        line_add(line, "%s%s", named > 1 ? ", " : " ", clean_text(copy, clean, sizeof clean));
    }
    if (named > NAMES_MAX)
        line_add(line, " and %zu more", named - NAMES_MAX);
    line_add(line, ": ");
}

/* "gpu0: latency by working set", "latency from row to column: hand-off, op cas" */
static const char *title_of(struct report *report, const struct chart *chart)
{
    const struct series *series = chart->members[0].series;
    struct line line = {0};
    add_subject(&line, chart);
    line_add_clean(&line, series->y.name ? series->y.name : "value");
    if (series->matrix) {
        line_add_between(
            &line, " from ",
            device_has_series(series) && series->x.name ? series->x.name : "row to column", ": ");
        line_add_clean(&line, series->name);
        for (size_t i = 0; i < series->factor_count; i++)
            if (!device_factor_is_named(series, &series->factors[i]))
                line_add_factors(&line, &series->factors[i], 1);
    } else {
        line_add_between(&line, " by ", series->x.name ? series->x.name : "x", "");
    }
    return report_line(report, &line);
}

/* --- the blocks --- */

static void add_left_out(struct report *report, const struct placed *first, size_t left_out)
{
    const char *more = report_text(report, "%zu more series are in the document.", left_out);
    report_add(report, BLOCK_FACTS, SECTION_CHARTS, first->document, first->probe)->facts.more =
        more;
}

static void add_chart(struct charting *charting, const struct chart *chart,
                      const struct placed *first)
{
    struct report *report = charting->report;
    /* What distinguishes each member from the chart's others, or the series' name if nothing does.
     */
    struct series *series = pool_alloc(report->pool, chart->member_count, sizeof *series);
    const char **labels = pool_alloc(report->pool, chart->member_count, sizeof *labels);
    bool one_name = true;
    for (size_t i = 0; i < chart->member_count; i++) {
        series[i] = *chart->members[i].series;
        one_name = one_name && text_same(series[i].name, series[0].name);
        labels[i] = series[i].name;
    }
    if (chart->member_count > 1)
        labels = series_labels(report, series, chart->member_count);
    for (size_t i = 0; i < chart->member_count && charting->documents > 1; i++) {
        const bool named = !one_name || !text_same(labels[i], series[i].name);
        struct line line = {0};
        line_add_document(&line, report->catalogue.documents, charting->documents,
                          chart->members[i].document);
        line_add(&line, "%s", named ? ": " : "");
        line_add_clean(&line, named ? labels[i] : NULL);
        labels[i] = report_line(report, &line);
    }
    const size_t at = report->count;
    report_add_heading(report, SECTION_CHARTS, first->document, first->probe, 3,
                       title_of(report, chart));
    for (size_t i = 0; i < chart->member_count; i++) {
        const struct member *member = &chart->members[i];
        const bool matrix = member->series->matrix;
        struct block *block = report_add(report, matrix ? BLOCK_MATRIX : BLOCK_CURVE,
                                         SECTION_CHARTS, member->document, member->probe);
        if (matrix) {
            block->matrix = report_matrix(report, member->probe, member->series);
            block->matrix.label = labels[i];
            matrix_add_groupings(report, member->document, &block->matrix);
            continue;
        }
        block->curve = report_curve(member->probe, member->series);
        block->curve.label = labels[i];
        if (i == 0 || member[-1].probe != member->probe)
            curve_add_marks(report, member->document, &block->curve);
        if (charting->documents == 1)
            curve_add_plateaus(report, member->document, &block->curve);
    }
    if (chart->left_out)
        add_left_out(report, first, chart->left_out);
    /* No single sentence holds for the curves of several documents. */
    const char *claim = charting->documents > 1
                            ? NULL
                            : report_claim(report, &report->list[at + 1], chart->member_count);
    struct heading *heading = &report->list[at].heading;
    if (claim) {
        heading->text = heading->title;
        heading->title = claim;
    }
}

void report_add_charts(struct report *report, size_t count)
{
    struct charting charting = {.report = report, .documents = count, .room = CHARTS_MAX};
    struct chapters chapters;
    chapters_collect(&chapters, &report->catalogue, 0, count, report->pool);
    for (size_t c = 0; c < chapters.count; c++) {
        const struct chapter *chapter = &chapters.list[c];
        const struct placed *first = chapter->list;
        const char *title = first->probe->title;
        report_add_heading(report, SECTION_CHARTS, first->document, first->probe, 2,
                           title && *title ? title : first->probe->name)
            ->chapter = chapter;
        charting.list = NULL;
        charting.count = 0;
        for (size_t i = 0; i < chapter->count; i++)
            collect(&charting, &chapter->list[i]);
        for (size_t i = 0; i < charting.count; i++)
            add_chart(&charting, &charting.list[i], first);
    }
    if (charting.left_out)
        add_left_out(report, &(struct placed){0}, charting.left_out);
}
