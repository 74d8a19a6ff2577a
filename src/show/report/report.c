/* A document as blocks: its first screen, or one probe of it in full. */
#include "base/clean.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/builders.h"
#include "show/report/charts/chapters.h"
#include "show/report/details.h"
#include "show/report/figure.h"
#include "show/report/machine.h"
#include "show/report/series.h"

#include <string.h>

void report_add_machine(struct report *report, const struct document *document, size_t index)
{
    struct line machine = {0}, joined = {0};
    struct line version = {0};
    char elapsed[UNIT_TEXT], number[16];
    line_add(&version, "fathom %s", clean_text(document->tool.version, number, sizeof number));
    line_trim(&version);
    line_add_machine(&machine, &document->machine);
    line_add_joined(&joined, &document->run);
    struct heading heading = {.level = 1};
    heading.title = report_line(report, &version);
    heading.text = report_line(report, &machine);
    heading.below = report_line(report, &joined);
    if (document->run.elapsed_s >= 0 && document->run.elapsed_s < 1e9)
        heading.aside =
            report_text(report, "%s", duration_format(document->run.elapsed_s, elapsed));
    report_add(report, BLOCK_HEADING, SECTION_MACHINE, index)->heading = heading;
}

void report_add_series_heading(struct report *report, size_t index,
                               const struct probe_result *probe, const struct series *series,
                               const struct series *like, bool brief)
{
    const bool of_device = device_has_series(series);
    struct heading heading = {.level = 2};
    const struct factor *ordered[FACTORS_SEEN];
    struct line line = {0};
    line_add_clean(&line, probe->title && !of_device ? probe->title : series->name);
    if (probe->title && !of_device &&
        (matrix_is_repeated(probe, series) ||
         (!brief && series->name && series_needs_name(probe, like)))) {
        line_add(&line, ": ");
        line_add_clean(&line, series->name);
    }
    if (series->matrix && *figure_unit(series->y.unit)) {
        line_add(&line, ", ");
        line_add_clean(&line, figure_unit(series->y.unit));
        line_add(&line, " from ");
        line_add_clean(&line, of_device && series->x.name ? series->x.name : "row to column");
    }
    heading.title = probe->name;
    heading.text = report_line(report, &line);
    heading.factor_count = series_order_factors(probe, series, ordered, &heading.telling, brief);
    heading.factors = pool_alloc(&report->pool, heading.factor_count + 1, sizeof *heading.factors);
    if (heading.factors)
        memcpy(heading.factors, ordered, heading.factor_count * sizeof *ordered);
    else
        heading.factor_count = 0;
    struct block *block = report_add(report, BLOCK_HEADING, SECTION_RESULTS, index);
    block->probe = probe;
    block->heading = heading;
}

/* Documents of before there were headlines have none: the first series of each probe are it. */
bool report_has_headlines(const struct report *report, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            if (document->probes[p].series[s].headline)
                return true;
    return false;
}

bool series_is_on_first_screen(const struct probe_result *probe, const struct series *series,
                               bool headlines)
{
    return headlines ? series->headline : series == probe->series;
}

static void add_headline(struct report *report, size_t index, const struct probe_result *probe,
                         const struct series *series)
{
    report_add_series_heading(report, index, probe, series, series, true);
    if (series->matrix) {
        report_add_matrix(report, index, probe, series, false);
        if (series == probe->series)
            report_add_cluster_notes(report, index, probe, false);
    } else
        report_add_curve(report, index, probe, series, true);
}

/* In the order of the datasheet. */
static void add_headlines(struct report *report, size_t index)
{
    const bool headlines = report_has_headlines(report, index);
    struct chapters chapters;
    if (!chapters_collect(&chapters, &report->catalogue, index, 1, &report->pool)) {
        report->no_memory = true;
        return;
    }
    for (size_t i = 0; i < chapters.count; i++)
        for (size_t p = 0; p < chapters.list[i].count; p++) {
            const struct probe_result *probe = chapters.list[i].list[p].probe;
            for (size_t s = 0; s < probe->series_count; s++)
                if (series_is_on_first_screen(probe, &probe->series[s], headlines))
                    add_headline(report, index, probe, &probe->series[s]);
        }
}

static void add_summary(struct report *report, size_t index, const struct probe_result *only)
{
    const struct document *document = report->catalogue.documents[index];
    report_add_machine(report, document, index);
    report_add_verdict(report, document, index);
    report_add_levels(report, index, -1);
    report_add_translation(report, index);
    report_add_width(report, index);
    report_add_declared(report, index);
    report_add_system(report, index);
    report_add_devices(report, index);
    add_headlines(report, index);
    report_add_notes(report, index, only);
}

int report_begin(struct report *report, const struct document *const *documents, size_t count,
                 struct error *error)
{
    *report = (struct report){.count = 0};
    report->no_memory = !catalogue_build(&report->catalogue, documents, count);
    return report->no_memory ? error_out_of_memory(error) : 0;
}

int report_build(struct report *report, const struct document *const *documents, size_t count,
                 const struct probe_result *only, struct error *error)
{
    const int code = report_begin(report, documents, count, error);
    for (size_t i = 0; i < count && code == 0; i++)
        add_summary(report, i, only);
    return report->no_memory ? error_out_of_memory(error) : 0;
}

int report_build_all(struct report *report, const struct document *const *documents,
                     struct error *error)
{
    const int code = report_build(report, documents, 1, NULL, error);
    struct chapters chapters = {0};
    report->no_memory =
        (code == 0 && !chapters_collect(&chapters, &report->catalogue, 0, 1, &report->pool)) ||
        report->no_memory;
    const bool headlines = code == 0 && report_has_headlines(report, 0);
    for (size_t i = 0; i < chapters.count; i++)
        for (size_t p = 0; p < chapters.list[i].count; p++)
            report_add_short(report, 0, chapters.list[i].list[p].probe, headlines);
    return code == 0 && report->no_memory ? error_out_of_memory(error) : code;
}
