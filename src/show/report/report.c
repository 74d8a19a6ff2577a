/* Whole reports: the first screen of a document, all of it, or one probe in full. */
#include "base/clean.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/verdict.h"
#include "show/report/figure.h"
#include "show/report/names.h"
#include "show/report/parts.h"
#include "show/report/series.h"

#include <math.h>
#include <string.h>

/* --- the verdict (conclude/verdict.h), after the title --- */

/* What a value and its interval are; NULL: nothing to say. */
static const char *meaning_of(struct report *report, const struct document *document,
                              const struct document_verdict *verdict)
{
    if (document_is_pooled(document))
        return "Every value is the median over the documents; the interval beside it holds the "
               "middle 80 % of them.";
    const char *found = "~: as found. >: at least.";
    if (document_is_imported(document) || verdict->fewest == 0)
        return NULL;
    if (verdict->fewest == 1)
        return report_text(report,
                           "Every value is the median of its trials, disturbed batches left out. "
                           "Some points have a single trial and therefore no interval. %s",
                           found);
    return report_text(report,
                       "Every value is the median of %u or more independent trials, disturbed "
                       "batches left out; the interval "
                       "beside it holds the true median with a probability of %.0f %% or more. %s",
                       verdict->fewest, floor((double)verdict->coverage * 100), found);
}

/* --- the first screen --- */

/* The machine, and how reliable the document is. */
enum { MACHINE_BLOCKS = 2 };
static void add_machine(struct report *report, const struct document *document, size_t index)
{
    const struct document_verdict *verdict = &report->graded[index].verdict;
    struct line sentence = {0};
    struct line machine = {0}, joined = {0};
    struct line version = {0};
    char elapsed[UNIT_TEXT], number[16], time[DOCUMENT_TIME];
    line_add(&version, "fathom %s", clean_text(document->tool.version, number, sizeof number));
    line_trim(&version);
    line_add_machine(&machine, &document->machine);
    line_add_joined(&joined, &document->run);
    struct heading *heading =
        report_add_heading(report, SECTION_MACHINE, index, NULL, 1, report_line(report, &version));
    heading->text = report_line(report, &machine);
    heading->below = report_line(report, &joined);
    if (document->run.elapsed_s >= 0 && document->run.elapsed_s < 1e9)
        heading->aside = report_text(report, "%s%s%s", document_time(document->run.started, time),
                                     document->run.started ? ", " : "",
                                     duration_format(document->run.elapsed_s, elapsed));
    line_add_verdict(&sentence, document, verdict);
    report_add(report, BLOCK_VERDICT, SECTION_MACHINE, index, NULL)->verdict =
        (struct verdict_block){.good = verdict_count(verdict, GRADE_GOOD) == verdict->family_count,
                               .sentence = report_line(report, &sentence),
                               .grades = verdict,
                               .reserve = verdict_reserve(verdict, document),
                               .meaning = meaning_of(report, document, verdict)};
}

/* The heading above a series. `brief`: first the factors that distinguish it from others, then as
 * many more as fit. `like`: the series, or the first of those that share a table with it. */
static void add_series_heading(struct report *report, size_t index,
                               const struct probe_result *probe, const struct series *series,
                               const struct series *like, bool brief)
{
    const bool of_device = device_has_series(series);
    const struct factor *ordered[FACTORS_SEEN];
    struct line line = {0};
    line_add_clean(&line, probe->title && !of_device ? probe->title : series->name);
    if (probe->title && !of_device &&
        (matrix_is_repeated(probe, series) ||
         (!brief && series->name && series_needs_name(probe, like))))
        line_add_between(&line, ": ", series->name, "");
    if (series->matrix && *figure_unit(series->y.unit)) {
        line_add_between(&line, ", ", figure_unit(series->y.unit), " from ");
        line_add_clean(&line, of_device && series->x.name ? series->x.name : "row to column");
    }
    struct heading *heading =
        report_add_heading(report, SECTION_RESULTS, index, probe, 2, probe->name);
    heading->text = report_line(report, &line);
    heading->factor_count = series_order_factors(probe, series, ordered, &heading->telling, brief);
    heading->factors = pool_alloc(report->pool, heading->factor_count + 1, sizeof *ordered);
    memcpy(heading->factors, ordered, heading->factor_count * sizeof *ordered);
    if (!brief)
        return;
    heading->factor_count = heading->telling; /* an answer names only what distinguishes it */
    const char *y = figure_unit(series->y.unit);
    const char *unit =
        quantity_is(series->x.unit, DIMENSION_SIZE) ? "" : figure_unit(series->x.unit);
    if (!series->matrix && !of_device)
        heading->text =
            report_text(report, "%s by %s%s%s", *y || !series->y.name ? y : series->y.name,
                        series->x.name ? series->x.name : "x", *unit ? " in " : "", unit);
}

/* Old documents have no headlines: the first series of each probe replace them. */
static bool has_headlines(const struct report *report, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            if (document->probes[p].series[s].headline)
                return true;
    return false;
}

/* In the order of the datasheet: at most one curve and one matrix of each probe. */
static void add_headlines(struct report *report, size_t index)
{
    const bool headlines = has_headlines(report, index);
    struct chapters chapters;
    chapters_collect(&chapters, &report->catalogue, index, 1, report->pool);
    for (size_t i = 0; i < chapters.count; i++)
        for (size_t p = 0; p < chapters.list[i].count; p++) {
            const struct probe_result *probe = chapters.list[i].list[p].probe;
            bool shown[2] = {false, false};
            for (size_t s = 0; s < probe->series_count; s++) {
                const struct series *series = &probe->series[s];
                /* Whether the screen shows the series: a curve, or pairs of CPUs. A table would say
                 * little that the findings do not. */
                if ((headlines ? !series->headline : s > 0) || shown[series->matrix] ||
                    !(series->matrix ? series->point_count > 2 : curve_is_worth_drawing(series)))
                    continue;
                shown[series->matrix] = true;
                const size_t before = report->count;
                if (!series->headline || series->matrix || device_has_series(series) ||
                    !quantity_is(series->x.unit, DIMENSION_SIZE))
                    add_series_heading(report, index, probe, series, series, true);
                if (series->matrix)
                    report_add_matrix(report, index, probe, series, false);
                else
                    report_add_curve(report, index, probe, series, true);
                report_spare(report, before,
                             series->matrix              ? SPARE_MATRIX
                             : device_has_series(series) ? SPARE_DEVICE
                                                         : SPARE_CURVE);
            }
        }
}

/* --- one probe in full --- */

/* The settings of a probe that its series do not name, and the seed that repeats its random
 * orders. */
static void add_parameters(struct report *report, size_t index, const struct probe_result *probe,
                           const struct series *series)
{
    const struct run_facts *run = &report->catalogue.documents[index]->run;
    struct line line = {0};
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (!factor_seen(series, probe->parameters[i].name) &&
            parameter_is_setting(&probe->parameters[i]))
            line_add_factors(&line, &probe->parameters[i], 1);
    /* Imported documents have no random orders, and joined ones have several seeds. */
    if (run->started && !run->joined)
        line_add(&line, "%sseed %llu", line.length ? ", " : "", (unsigned long long)run->seed);
    if (!line.length)
        return;
    struct block *block = report_add(report, BLOCK_FACTS, SECTION_RESULTS, index, probe);
    facts_add(report, &block->facts)->text = report_line(report, &line);
}

/* How many series from this one on share one table, and whether as its columns; 0 for conditions:
 * the page draws them, and tables of all these temperatures would hide the rest. */
static size_t together_from(const struct probe_result *probe, size_t first, bool *sheet)
{
    const struct series *series = &probe->series[first];
    const size_t left = probe->series_count - first;
    *sheet = false;
    if (device_has_condition(series))
        return 0;
    const size_t rows = series_group(series, left);
    if (rows > 1)
        return rows;
    const size_t columns = series_sheet(series, left);
    *sheet = columns > 1;
    return columns;
}

static void add_series(struct report *report, size_t index, const struct probe_result *probe)
{
    bool sheet;
    for (size_t s = 0, together; s < probe->series_count; s += together ? together : 1) {
        const struct series *series = &probe->series[s];
        together = together_from(probe, s, &sheet);
        if (together > 1) {
            /* Several series in one table: the heading names their common factors. */
            struct series common = *series;
            common.factors = pool_alloc(report->pool, COMMON_FACTORS_MAX, sizeof *common.factors);
            common.factor_count = series_common_factors(series, together, common.factors);
            common.matrix = false; /* the heading of a table */
            for (size_t i = 1; i < together && common.name; i++)
                if (!text_same(series[i].name, common.name))
                    common.name = NULL; /* the rows begin with the names */
            add_series_heading(report, index, probe, &common, series, false);
            if (series == probe->series)
                add_parameters(report, index, probe, series);
            if (sheet)
                report_add_sheet(report, index, probe, series, together);
            else
                report_add_points(report, index, probe, series, together);
        }
        if (together != 1)
            continue;
        add_series_heading(report, index, probe, series, series, false);
        if (s == 0)
            add_parameters(report, index, probe, series);
        if (series->matrix) {
            report_add_matrix(report, index, probe, series, true);
            continue;
        }
        report_add_points(report, index, probe, series, 1);
        if (series->point_count)
            report_add_curve(report, index, probe, series, false);
    }
}

/* Every series of a probe, and its findings. */
static void add_probe(struct report *report, size_t index, const struct probe_result *probe)
{
    add_series(report, index, probe);
    report_add_clusters(report, index, probe);
    report_add_findings(report, index, probe);
}

/* --- whole reports --- */

void report_begin(struct report *report, struct pool *pool, const struct document *const *documents,
                  size_t count)
{
    *report = (struct report){.pool = pool};
    catalogue_build(&report->catalogue, pool, documents, count);
    report->graded = pool_alloc(pool, count, sizeof *report->graded);
    for (size_t i = 0; i < count; i++)
        verdict_of(&report->graded[i].verdict, documents[i]);
}

static void add_begin(struct report *report, size_t index, const struct probe_result *only)
{
    report_collect_notes(report, index, only);
    add_machine(report, report->catalogue.documents[index], index);
    report_add_levels(report, index, -1);
    report_add_memory(report, index);
    report_add_declared(report, index);
}

static void add_end(struct report *report, size_t index, bool all_notes)
{
    report_add_advice(report, index);
    const size_t more = report_add_notes(report, index, NULL, all_notes);
    if (!all_notes)
        report_add_rest(report, index, more);
}

/* The series that tells most of the probe: its headline, else the longest. */
static const struct series *main_series(const struct probe_result *probe)
{
    for (size_t s = 0; s < probe->series_count; s++)
        if (probe->series[s].headline && probe->series[s].point_count)
            return &probe->series[s];
    const struct series *longest = NULL;
    for (size_t s = 0; s < probe->series_count; s++)
        if (!device_has_condition(&probe->series[s]) &&
            probe->series[s].point_count > (longest ? longest->point_count : 0))
            longest = &probe->series[s];
    return longest;
}

/* The chart of a probe's main series, and of those that share a table with it. */
static void add_chart(struct report *report, const struct probe_result *probe)
{
    const struct series *series = main_series(probe);
    bool sheet;
    if (!series)
        return;
    if (!series->matrix && curve_is_worth_drawing(series)) {
        add_series_heading(report, 0, probe, series, series, true);
        report_add_curve(report, 0, probe, series, true);
        return;
    }
    for (size_t s = 0, together; s < probe->series_count; s += together) {
        together = together_from(probe, s, &sheet);
        together = together ? together : 1;
        if (series >= &probe->series[s] && series < &probe->series[s + together])
            report_add_bars(report, 0, probe, &probe->series[s], together);
    }
}

void report_build(struct report *report, struct pool *pool, const struct document *const *documents,
                  size_t count, const struct probe_result *only, bool all_notes)
{
    report_begin(report, pool, documents, count);
    for (size_t i = 0; i < count; i++) {
        const struct document *document = documents[i];
        const size_t begun = report->count;
        add_begin(report, i, only);
        add_headlines(report, i);
        report_add_system(report, i);
        report_add_devices(report, i);
        /* Where no table of the screen has its figures, each probe's are shown. */
        const bool empty = !all_notes && report->count - begun <= MACHINE_BLOCKS;
        for (size_t p = 0; empty && p < document->probe_count; p++) {
            report_add_brief_findings(report, i, &document->probes[p]);
            add_chart(report, &document->probes[p]);
        }
        add_end(report, i, all_notes);
    }
}

void report_build_answer(struct report *report, struct pool *pool,
                         const struct document *const *documents, const struct probe_result *probe)
{
    report_begin(report, pool, documents, 1);
    add_begin(report, 0, NULL);
    report_add_system(report, 0);
    report_add_devices(report, 0);
    const size_t answers = report->count;
    add_headlines(report, 0);
    const bool drawn = report->count > answers;
    bool answered = answers > 2;
    for (size_t i = answers; i < report->count; i++)
        answered = answered || report->list[i].kind == BLOCK_MATRIX;
    if (!answered) { /* figures before the curve */
        report->count = answers;
        report_add_brief_findings(report, 0, probe);
        add_headlines(report, 0);
    }
    const size_t before = report->count;
    if (!drawn)
        add_chart(report, probe);
    report_spare(report, before, SPARE_CURVE);
    add_end(report, 0, false);
}

void report_build_probe(struct report *report, struct pool *pool,
                        const struct document *const *documents, const struct probe_result *probe)
{
    report_begin(report, pool, documents, 1);
    add_machine(report, documents[0], 0);
    if (probe_is_of_devices(probe))
        report_add_devices(report, 0);
    add_probe(report, 0, probe);
    report_collect_notes(report, 0, probe);
    report_add_notes(report, 0, probe, true);
}

void report_build_all(struct report *report, struct pool *pool,
                      const struct document *const *documents)
{
    struct chapters chapters;
    report_build(report, pool, documents, 1, NULL, true);
    chapters_collect(&chapters, &report->catalogue, 0, 1, pool);
    for (size_t i = 0; i < chapters.count; i++)
        for (size_t p = 0; p < chapters.list[i].count; p++)
            add_probe(report, 0, chapters.list[i].list[p].probe);
}
