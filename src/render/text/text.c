#include "base/text.h"
#include "base/clean.h"
#include "findings/device.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void print_title(FILE *out, const struct document *document, const struct view_style *style)
{
    struct line name = {0}, line = {0};
    char elapsed[UNIT_TEXT] = "", version[CLEAN_TEXT];
    line_add(&name, "fathom %s", clean_text(document->tool.version, version, 16));
    line_trim(&name);
    size_t indent = clean_columns(name.text) + 2;
    fprintf(out, "%s%s%s  ", ink(style, INK_BOLD), name.text, ink(style, INK_PLAIN));
    line_add_machine(&line, &document->machine);
    if (document->run.elapsed_s >= 0 && document->run.elapsed_s < 1e9)
        duration_format(document->run.elapsed_s, elapsed);
    int gap = style->width - (int)(indent + clean_columns(line.text) + strlen(elapsed));
    if (*elapsed && gap >= 2)
        line_add(&line, "%*s%s", gap, "", elapsed);
    else if (*elapsed)
        line_add(&line, ", %s", elapsed);
    if (gap >= 2)
        fprintf(out, "%s\n", line.text);
    else
        line_print_wrapped(out, style, indent, &line);
    struct line joined = {0};
    line_add_joined(&joined, &document->run);
    if (joined.length)
        fprintf(out, "%s\n", joined.text);
    if (!document->run.complete)
        fprintf(out, "%s! not complete: the run was stopped, and this is what it had measured%s\n",
                ink(style, INK_WARN), ink(style, INK_PLAIN));
}

/* A curve of totals and one of shares of them are of one axis and unit. A series that is named as
 * its probe is the one that the title tells of. */
static bool needs_name(const struct probe_result *probe, const struct series *series)
{
    if (text_same(probe->name, series->name))
        return false;
    for (size_t i = 0; i < probe->series_count && series->name && !series->matrix; i++)
        if (!text_same(probe->series[i].name, series->name) &&
            table_is_taken_for(&probe->series[i], series))
            return true;
    return false;
}

enum { SERIES_SEEN = 256 }; /* of a probe, when one is told from the others; ours have some sixty */

/* Whether the factor tells the series from another of its name on the first screen. */
static bool tells_apart(const struct probe_result *probe, const struct series *series,
                        const struct factor *factor)
{
    for (size_t i = 0; i < probe->series_count && i < SERIES_SEEN; i++) {
        const struct series *other = &probe->series[i];
        if (other == series || !other->headline || !text_same(other->name, series->name))
            continue;
        const struct factor *its = series_factor(other, factor->name);
        if (!its || !text_same(its->text, factor->text) ||
            (!its->text && its->number != factor->number))
            return true;
    }
    return false;
}

/* The factors of a heading, those first that tell the series from another; returns how many these
 * are. */
static size_t order_factors(const struct probe_result *probe, const struct series *series,
                            const struct factor **ordered, size_t count)
{
    size_t telling = 0, others = 0;
    for (size_t i = 0; i < count; i++)
        if (tells_apart(probe, series, &series->factors[i]))
            ordered[telling++] = &series->factors[i];
    for (size_t i = 0; i < count; i++)
        if (!tells_apart(probe, series, &series->factors[i]))
            ordered[telling + others++] = &series->factors[i];
    return telling;
}

/* "latency  Load latency by working-set size (pages huge2m, order random)"; where `brief`, with
 * only as many factors as the line has room for, but never without one that tells it from another.
 * The series' name follows where another series of the probe would have the same heading; `like` is
 * the series, or the first of those in one table.
 */
static void print_heading(FILE *out, const struct probe_result *probe, const struct series *series,
                          const struct series *like, const struct view_style *style, bool brief)
{
    struct line line = {0};
    char name[CLEAN_TEXT];
    struct scale scale = figure_scale(series->y.unit);
    clean_text(probe->name, name, 24);
    size_t indent = clean_columns(name) + 2;
    fprintf(out, "\n%s%s%s  ", ink(style, INK_BOLD), name, ink(style, INK_PLAIN));
    const bool of_device = device_has_series(series);
    line_add_clean(&line, probe->title && !of_device ? probe->title : series->name);
    if (probe->title && !of_device &&
        (matrix_is_repeated(probe, series) ||
         (!brief && series->name && needs_name(probe, like)))) {
        line_add(&line, ": ");
        line_add_clean(&line, series->name);
    }
    if (series->matrix && series->y.unit && *series->y.unit) {
        line_add(&line, ", ");
        line_add_clean(&line, *scale.unit ? scale.unit : series->y.unit);
        line_add(&line, " from ");
        line_add_clean(&line, of_device && series->x.name ? series->x.name : "row to column");
    }
    const struct factor *ordered[FACTORS_SEEN];
    const size_t seen = factors_seen(series);
    const size_t telling = brief ? order_factors(probe, series, ordered, seen) : 0;
    for (size_t count = seen; count > 0; count--) {
        struct line factors = {0};
        for (size_t i = 0; i < count; i++) {
            const struct factor *factor = brief ? ordered[i] : &series->factors[i];
            if (!device_factor_is_named(series, factor))
                line_add_factors(&factors, factor, 1);
        }
        if (!factors.length)
            break;
        size_t columns = indent + clean_columns(line.text) + clean_columns(factors.text) + 3;
        if (!brief || count <= telling || columns <= (size_t)style->width) {
            line_add(&line, " (%s)", factors.text);
            break;
        }
    }
    line_print_wrapped(out, style, indent, &line);
}

/* The settings of a probe that its series do not name already, and what repeats its orders. */
static void print_parameters(FILE *out, const struct document *document,
                             const struct probe_result *probe, const struct series *series,
                             const struct view_style *style)
{
    struct line line = {0};
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (!factor_seen(series, probe->parameters[i].name) &&
            strcmp(probe->parameters[i].name, "cpu_labels") != 0 && /* stands beside the rows */
            strcmp(probe->parameters[i].name, "cpu_groups") != 0 && /* as do the clusters */
            strcmp(probe->parameters[i].name, "not_measured") != 0) /* stands below all */
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

/* Documents of before there were headlines have none: the first series of each probe are it. */
static bool has_headlines(const struct document *document)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            if (document->probes[p].series[s].headline)
                return true;
    return false;
}

static void print_headline(FILE *out, const struct catalogue *catalogue,
                           const struct probe_result *probe, const struct series *series,
                           const struct view_style *style)
{
    enum { CURVE_ROWS = 6 };
    print_heading(out, probe, series, series, style, true);
    if (series->matrix) {
        matrix_print(out, probe, series, style, false);
        if (series == &probe->series[0])
            clusters_print(out, catalogue, probe, style, false);
    } else if (style->blocks && curve_is_worth_drawing(series))
        curve_print(out, catalogue->documents[0], series, style, CURVE_ROWS);
    else
        table_print(out, series, style, true);
}

static void print_no_memory(FILE *out, struct catalogue *catalogue)
{
    fputs("\n! there is no memory to show the findings with\n", out);
    catalogue_free(catalogue);
}

void view_text_summary(FILE *out, const struct document *document, const struct view_style *wanted)
{
    struct view_style style = view_style_sane(wanted);
    struct catalogue catalogue;
    print_title(out, document, &style);
    if (!catalogue_build(&catalogue, &document, 1)) {
        print_no_memory(out, &catalogue);
        return;
    }
    depth_print(out, &catalogue, &style);
    width_print(out, &catalogue, &style);
    gpu_print(out, &catalogue, &style);
    const bool headlines = has_headlines(document);
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        for (size_t s = 0; s < probe->series_count; s++)
            if (headlines ? probe->series[s].headline : s == 0)
                print_headline(out, &catalogue, probe, &probe->series[s], &style);
    }
    notes_print(out, &catalogue, NULL, &style);
    catalogue_free(&catalogue);
}

static void print_findings(FILE *out, const struct catalogue *catalogue,
                           const struct probe_result *probe, const struct view_style *style)
{
    const struct catalogue_entry *list = catalogue_of(catalogue, 0, probe);
    bool begun = false;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        if (clusters_have(&list[i]))
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

/* Of GPUs a person wants to know which they are even where nothing was measured. */
static bool has_devices(const struct probe_result *probe)
{
    if (strcmp(or_empty(probe->name), "gpu") == 0)
        return true;
    for (size_t s = 0; s < probe->series_count; s++)
        if (device_has_series(&probe->series[s]))
            return true;
    return false;
}

void view_text_probe(FILE *out, const struct document *document, const struct probe_result *probe,
                     const struct view_style *wanted)
{
    enum { CURVE_ROWS = 12 };
    struct view_style style = view_style_sane(wanted);
    struct catalogue catalogue;
    print_title(out, document, &style);
    if (!catalogue_build(&catalogue, &document, 1)) {
        print_no_memory(out, &catalogue);
        return;
    }
    if (has_devices(probe))
        gpu_print(out, &catalogue, &style);
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
            print_heading(out, probe, &common, series, &style, false);
            if (s == 0)
                print_parameters(out, document, probe, series, &style);
            (grouped > 1 ? table_print_group : table_print_sheet)(out, series, together, &style);
            s += together - 1;
            continue;
        }
        print_heading(out, probe, series, series, &style, false);
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
    clusters_print(out, &catalogue, probe, &style, true);
    print_findings(out, &catalogue, probe, &style);
    notes_print(out, &catalogue, probe, &style);
    catalogue_free(&catalogue);
}
