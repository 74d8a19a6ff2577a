/* One probe in full. */
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/builders.h"
#include "show/report/details.h"
#include "show/report/machine.h"

#include <string.h>

/* The settings of a probe that its series do not name already, and what repeats its orders. */
static void add_parameters(struct report *report, size_t index, const struct probe_result *probe,
                           const struct series *series)
{
    const struct run_facts *run = &report->catalogue.documents[index]->run;
    struct line line = {0};
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (!factor_seen(series, probe->parameters[i].name) &&
            parameter_is_setting(&probe->parameters[i]))
            line_add_factors(&line, &probe->parameters[i], 1);
    /* What was imported had no random orders, and what was joined had several. */
    if (run->started && !run->joined)
        line_add(&line, "%sseed %llu", line.length ? ", " : "", (unsigned long long)run->seed);
    if (!line.length)
        return;
    const char *text = report_line(report, &line);
    struct block *block = report_add(report, BLOCK_FACTS, SECTION_RESULTS, index);
    block->probe = probe;
    facts_add(report, &block->facts)->text = text;
}

/* How many series from this one on are one table, and whether as its columns. Of conditions none:
 * the page draws them, and tables of all these temperatures hide the rest. */
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

/* Several series in one table: a heading of what they have in common. */
static void add_together(struct report *report, size_t index, const struct probe_result *probe,
                         const struct series *series, size_t count, bool sheet)
{
    struct series common = *series;
    struct factor *factors = pool_alloc(&report->pool, COMMON_FACTORS_MAX, sizeof *factors);
    common.factors = factors;
    common.factor_count = factors ? series_common_factors(series, count, factors) : 0;
    common.matrix = false; /* the heading of a table */
    for (size_t i = 1; i < count && common.name; i++)
        if (!text_same(series[i].name, common.name))
            common.name = NULL; /* each one's rows begin with its own */
    report_add_series_heading(report, index, probe, &common, series, false);
    if (series == probe->series)
        add_parameters(report, index, probe, series);
    if (sheet)
        report_add_sheet(report, index, probe, series, count);
    else
        report_add_points(report, index, probe, series, count);
}

static void add_alone(struct report *report, size_t index, const struct probe_result *probe,
                      const struct series *series)
{
    report_add_series_heading(report, index, probe, series, series, false);
    if (series == probe->series)
        add_parameters(report, index, probe, series);
    if (series->matrix) {
        report_add_matrix(report, index, probe, series, true);
        return;
    }
    report_add_points(report, index, probe, series, 1);
    if (series->point_count)
        report_add_curve(report, index, probe, series, false);
}

static void add_series(struct report *report, size_t index, const struct probe_result *probe)
{
    bool sheet;
    for (size_t s = 0, together; s < probe->series_count; s += together ? together : 1) {
        together = together_from(probe, s, &sheet);
        if (together > 1)
            add_together(report, index, probe, &probe->series[s], together, sheet);
        else if (together)
            add_alone(report, index, probe, &probe->series[s]);
    }
}

void report_add_short(struct report *report, size_t index, const struct probe_result *probe,
                      bool headlines)
{
    const size_t before = report->count;
    bool sheet;
    struct line title = {0};
    line_add_clean(&title, probe->name);
    line_add(&title, ", in short");
    struct heading heading = {.level = 2};
    heading.title = report_line(report, &title);
    report_add(report, BLOCK_HEADING, SECTION_RESULTS, index)->heading = heading;
    for (size_t s = 0, together; s < probe->series_count; s += together ? together : 1) {
        const struct series *series = &probe->series[s];
        together = together_from(probe, s, &sheet);
        together = sheet ? 1 : together;
        if (together > 1)
            add_together(report, index, probe, series, together, false);
        else if (together && series_is_on_first_screen(probe, series, headlines))
            continue;
        else if (together) {
            report_add_series_heading(report, index, probe, series, series, false);
            if (series->matrix)
                report_add_matrix(report, index, probe, series, false);
            else
                report_add_curve(report, index, probe, series, true);
        }
    }
    for (size_t i = before + 1; i < report->count; i++)
        if (report->list[i].kind == BLOCK_HEADING)
            report->list[i].heading.level = 3;
    report_add_findings(report, index, probe);
    if (report->count == before + 1)
        report->count = before;
}

int report_build_probe(struct report *report, const struct document *const *documents,
                       const struct probe_result *probe, struct error *error)
{
    const int code = report_begin(report, documents, 1, error);
    if (code < 0)
        return code;
    report_add_machine(report, documents[0], 0);
    report_add_verdict(report, documents[0], 0);
    if (probe_is_of_devices(probe))
        report_add_devices(report, 0);
    add_series(report, 0, probe);
    report_add_clusters(report, 0, probe);
    report_add_findings(report, 0, probe);
    report_add_notes(report, 0, probe);
    return report->no_memory ? error_out_of_memory(error) : 0;
}
