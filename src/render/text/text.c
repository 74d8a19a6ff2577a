#include "base/text.h"
#include "base/clean.h"
#include "findings/device.h"
#include "render/output.h"
#include "render/parts.h"
#include "render/text/draw.h"
#include "report/builders.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* The settings of a probe that its series do not name already, and what repeats its orders. */
static void print_parameters(FILE *out, const struct document *document,
                             const struct probe_result *probe, const struct series *series,
                             const struct view_style *style)
{
    struct line line = {0};
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (!factor_seen(series, probe->parameters[i].name) &&
            parameter_is_setting(&probe->parameters[i]))
            line_add_factors(&line, &probe->parameters[i], 1);
    /* What was imported had no random orders, and what was joined had several. */
    if (document->run.started && !document->run.joined)
        line_add(&line, "%sseed %llu", line.length ? ", " : "",
                 (unsigned long long)document->run.seed);
    if (!line.length)
        return;
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

static void print_no_memory(FILE *out)
{
    fputs("! there is no memory to show the document with\n", out);
}

void view_text_summary(FILE *out, const struct document *document, const struct view_style *wanted)
{
    const struct view_style style = view_style_sane(wanted);
    struct report report;
    if (report_build(&report, &document, 1, NULL) == 0)
        draw_report(out, &report, 0, &style);
    else
        print_no_memory(out);
    report_free(&report);
}

static void print_findings(FILE *out, const struct catalogue *catalogue,
                           const struct probe_result *probe, const struct view_style *style)
{
    const struct catalogue_entry *list = catalogue_of(catalogue, 0, probe);
    bool begun = false;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        if (catalogue_is_of_clusters(&list[i]))
            continue;
        if (!begun)
            fprintf(out, "\n%sfindings%s\n", ink(style, INK_BOLD), ink(style, INK_PLAIN));
        begun = true;
        struct line line = {0};
        char text[CLEAN_TEXT], figure[UNIT_TEXT];
        clean_text(finding->name, text, sizeof text);
        int gap = 24 - (int)clean_columns(text);
        line_add(&line, "  %s%*s", text, gap > 0 ? gap : 0, "");
        line_add(&line, " %10s ", figure_valued(finding->value, finding->unit, figure));
        if (!figure_has_unit(finding->unit))
            line_add_clean(&line, finding->unit);
        if (isfinite(finding->high - finding->low))
            line_add(&line, "  +-%s %%",
                     figure_percent(finding->value, finding->low, finding->high, figure));
        if (isfinite(finding->declared))
            line_add(&line, "  (declared %s)",
                     figure_valued(finding->declared, finding->unit, figure));
        if (finding->cpus) {
            line_add(&line, "  CPUs ");
            line_add_clean(&line, finding->cpus);
        }
        line_trim(&line);
        fprintf(out, "%s%s\n", line.text, flag_doubts(finding->flags) ? " !" : "");
        struct line words = {0};
        line_add_experiment(&words, finding);
        if (words.length) {
            fputs("      ", out);
            line_print_wrapped(out, style, 6, &words);
        }
        /* What is told in cycles and in ns has one sentence. */
        const char *before = i ? probe->findings[i - 1].text : NULL;
        if (finding->text && (!before || strcmp(before, finding->text) != 0)) {
            struct line sentence = {0};
            line_add_clean(&sentence, finding->text);
            fputs("      ", out);
            line_print_wrapped(out, style, 6, &sentence);
        }
    }
}

static void print_series_heading(FILE *out, struct report *report, const struct probe_result *probe,
                                 const struct series *series, const struct series *like,
                                 const struct view_style *style)
{
    const size_t before = report->count;
    report_add_series_heading(report, 0, probe, series, like, false);
    draw_report(out, report, before, style);
}

void view_text_probe(FILE *out, const struct document *document, const struct probe_result *probe,
                     const struct view_style *wanted)
{
    enum { CURVE_ROWS = 12 };
    struct view_style style = view_style_sane(wanted);
    struct report report;
    if (report_begin(&report, &document, 1, NULL) < 0) {
        print_no_memory(out);
        report_free(&report);
        return;
    }
    report_add_machine(&report, document, 0);
    report_add_verdict(&report, document, 0);
    if (report_is_of_devices(probe))
        report_add_devices(&report, 0);
    draw_report(out, &report, 0, &style);
    for (size_t s = 0; s < probe->series_count; s++) {
        const struct series *series = &probe->series[s];
        if (device_has_condition(series))
            continue; /* the page draws them: tables of so many temperatures hide the rest */
        const size_t grouped = table_group(series, probe->series_count - s);
        const size_t together =
            grouped > 1 ? grouped : table_sheet(series, probe->series_count - s);
        if (together > 1) {
            struct factor factors[TABLE_FACTORS_MAX];
            struct series common = *series;
            common.factors = factors;
            common.factor_count = table_common_factors(series, together, factors);
            common.matrix = false; /* the heading of a table */
            for (size_t i = 1; i < together && common.name; i++)
                if (strcmp(or_empty(series[i].name), common.name) != 0)
                    common.name = NULL; /* each one's rows begin with its own */
            print_series_heading(out, &report, probe, &common, series, &style);
            if (s == 0)
                print_parameters(out, document, probe, series, &style);
            (grouped > 1 ? table_print_group : table_print_sheet)(out, series, together, &style);
            s += together - 1;
            continue;
        }
        print_series_heading(out, &report, probe, series, series, &style);
        if (s == 0)
            print_parameters(out, document, probe, series, &style);
        if (series->matrix) {
            matrix_print(out, probe, series, &style, true);
            continue;
        }
        table_print(out, series, &style, false);
        if (style.blocks && curve_is_worth_drawing(series)) {
            fputc('\n', out);
            curve_print(out, document, series, &style, CURVE_ROWS);
        }
    }
    clusters_print(out, &report.catalogue, probe, &style, true);
    print_findings(out, &report.catalogue, probe, &style);
    const size_t before = report.count;
    report_add_notes(&report, 0, probe);
    draw_report(out, &report, before, &style);
    report_free(&report);
}

static int write_text(FILE *out, const struct output_content *content, struct error *error)
{
    (void)error;
    if (content->probe)
        view_text_probe(out, content->documents[0], content->probe, &content->style);
    else
        view_text_summary(out, content->documents[0], &content->style);
    return 0;
}

const struct output text_output = {
    .name = "text",
    .place = 10,
    .is_text = true,
    .write = write_text,
};
