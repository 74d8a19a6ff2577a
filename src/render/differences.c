/* What changed between two documents, as text, CSV and JSON. */
#include "render/differences.h"
#include "base/clean.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

enum { UNCERTAIN_MAX = 12, REMARKS_MAX = 12, CHANGED_MAX = 60 };

void line_add_difference(struct line *line, const struct difference *difference)
{
    char figure[UNIT_TEXT];
    const struct series *series = difference->series;
    if (difference->finding_a) {
        const struct finding *finding = difference->finding_a;
        struct line experiment = {0};
        line_add_clean(line, finding->name);
        line_add_factors(&experiment, finding->factors, finding->deviations);
        if (experiment.length)
            line_add(line, " (%s)", experiment.text);
        if (finding->cpus) {
            line_add(line, " (CPUs ");
            line_add_clean(line, finding->cpus);
            line_add(line, ")");
        }
        return;
    }
    const struct point *point = difference->point_a;
    line_add_clean(line, series->name ? series->name : difference->probe->name);
    if (series->matrix)
        line_add(line, " from %d to %d", point->from, point->to);
    else
        line_add(line, " at %s", figure_valued(point->x, series->x.unit, figure));
    struct line factors = {0};
    for (size_t i = 0; i < series->factor_count; i++)
        if (!device_factor_is_named(series, &series->factors[i]))
            line_add_factors(&factors, &series->factors[i], 1);
    if (factors.length)
        line_add(line, " (%s)", factors.text);
}

const char *difference_unit(const struct difference *difference)
{
    const char *unit =
        difference->finding_a ? difference->finding_a->unit : difference->series->y.unit;
    return unit ? unit : "";
}

static void add_value(struct line *line, double value, const char *unit)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s", figure_valued(value, unit, figure));
}

static void add_percent(struct line *line, double ratio)
{
    double percent = (ratio - 1) * 100;
    line_add(line, fabs(percent) < 9.95 ? "%+.1f" : "%+.0f", percent);
}

static void print_difference(FILE *out, const struct difference *difference,
                             const struct view_style *style)
{
    struct line line = {0};
    static const char marks[VERDICTS] = {[UNCERTAIN] = '?', [CHANGED] = '!', [CONDITION] = '-'};
    bool changed = difference->verdict == CHANGED;
    const char *unit = difference_unit(difference);
    line_add_difference(&line, difference);
    line_add(&line, ": ");
    add_value(&line, difference->a, unit);
    line_add(&line, " -> ");
    add_value(&line, difference->b, unit);
    if (!quantity_is(unit, DIMENSION_SIZE) && !*figure_scale(unit).unit && *unit) {
        line_add(&line, " ");
        line_add_clean(&line, unit);
    }
    line_add(&line, ", ");
    add_percent(&line, difference->ratio);
    line_add(&line, " %%");
    if (isfinite(difference->low) && isfinite(difference->high)) {
        line_add(&line, " (");
        add_percent(&line, difference->low);
        line_add(&line, " to ");
        add_percent(&line, difference->high);
        line_add(&line, " %%)");
    } else {
        line_add(&line, " (no interval)");
    }
    fprintf(out, "  %s%c%s ", changed ? ink(style, INK_WARN) : "", marks[difference->verdict],
            changed ? ink(style, INK_PLAIN) : "");
    line_print_wrapped(out, style, 4, &line);
}

static void print_verdict(FILE *out, const struct differences *differences, enum verdict verdict,
                          const char *title, size_t most, const struct view_style *style)
{
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < differences->count; i++)
        all += differences->list[i].verdict == verdict;
    if (!all)
        return;
    fprintf(out, "\n%s%s%s\n", ink(style, INK_BOLD), title, ink(style, INK_PLAIN));
    for (size_t i = 0; i < differences->count && shown < most; i++)
        if (differences->list[i].verdict == verdict) {
            print_difference(out, &differences->list[i], style);
            shown++;
        }
    if (all > shown)
        fprintf(out, "    and %zu more; --format csv has them all\n", all - shown);
}

static void print_remarks(FILE *out, const struct remark_line *lines, size_t count,
                          const char *title, const struct view_style *style)
{
    if (!count)
        return;
    fprintf(out, "\n%s%s%s\n", ink(style, INK_BOLD), title, ink(style, INK_PLAIN));
    for (size_t i = 0; i < count && i < REMARKS_MAX; i++) {
        struct line line = {0};
        line_add_clean(&line, lines[i].text);
        fputs("  - ", out);
        line_print_wrapped(out, style, 4, &line);
    }
    if (count > REMARKS_MAX)
        fprintf(out, "  - and %zu more\n", count - REMARKS_MAX);
}

void view_differences_text(FILE *out, const struct differences *differences, double threshold,
                           const struct view_style *wanted)
{
    struct view_style style = view_style_sane(wanted);
    fprintf(out, "%s%zu of %zu values changed by more than %g %%%s, %zu may have\n",
            ink(&style, INK_BOLD), differences->changed, differences->count, threshold * 100,
            ink(&style, INK_PLAIN), differences->uncertain);
    print_verdict(out, differences, CHANGED, "changed", CHANGED_MAX, &style);
    print_verdict(out, differences, UNCERTAIN,
                  "uncertain: beyond the threshold, but not beyond doubt", UNCERTAIN_MAX, &style);
    print_verdict(out, differences, CONDITION, "conditions: what the runs met, no change",
                  UNCERTAIN_MAX, &style);
    print_remarks(out, differences->unfair, differences->unfair_count,
                  "with care: the two differ in more than time", &style);
    print_remarks(out, differences->missing, differences->missing_count, "not compared", &style);
}

static void put_cell(FILE *out, const struct line *line)
{
    fputc('"', out);
    if (*line->text && strchr("=+-@", *line->text)) /* a spreadsheet would run it */
        fputc('\'', out);
    for (const char *c = line->text; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputs("\",", out);
}

void view_differences_csv(FILE *out, const struct differences *differences)
{
    fputs("probe,what,unit,before,after,ratio,low,high,p,verdict\n", out);
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *difference = &differences->list[i];
        struct line what = {0}, probe = {0}, unit = {0};
        line_add_clean(&probe, difference->probe->name);
        put_cell(out, &probe);
        line_add_difference(&what, difference);
        put_cell(out, &what);
        line_add_clean(&unit, difference_unit(difference));
        put_cell(out, &unit);
        const double values[] = {difference->a,   difference->b,    difference->ratio,
                                 difference->low, difference->high, difference->p};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            fprintf(out, isfinite(values[v]) ? "%.9g," : ",", values[v]);
        fprintf(out, "%s\n", verdict_names[difference->verdict]);
    }
}

static void put_json_remarks(FILE *out, const char *key, const struct remark_line *lines,
                             size_t count)
{
    fprintf(out, ",\n\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", out);
        clean_print_json(out, lines[i].text);
    }
    fputc(']', out);
}

static void put_json_difference(FILE *out, const struct difference *difference)
{
    struct line what = {0};
    line_add_difference(&what, difference);
    fputs("{\"probe\":", out);
    clean_print_json(out, difference->probe->name);
    fputs(",\"what\":", out);
    clean_print_json(out, what.text);
    fputs(",\"unit\":", out);
    clean_print_json(out, difference_unit(difference));
    const struct {
        const char *key;
        double number;
    } numbers[] = {{"before", difference->a},    {"after", difference->b},
                   {"ratio", difference->ratio}, {"low", difference->low},
                   {"high", difference->high},   {"p", difference->p}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (isfinite(numbers[i].number))
            fprintf(out, ",\"%s\":%.9g", numbers[i].key, numbers[i].number);
    fprintf(out, ",\"verdict\":\"%s\"}", verdict_names[difference->verdict]);
}

void view_differences_json(FILE *out, const struct differences *differences, double threshold)
{
    fprintf(out,
            "{\"schema\":\"fathom-diff/1\",\n\"threshold\":%.9g,\n\"values\":%zu,\n"
            "\"changed\":%zu,\n\"uncertain\":%zu",
            threshold, differences->count, differences->changed, differences->uncertain);
    put_json_remarks(out, "unfair", differences->unfair, differences->unfair_count);
    put_json_remarks(out, "missing", differences->missing, differences->missing_count);
    fputs(",\n\"differences\":[", out);
    for (size_t i = 0; i < differences->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_json_difference(out, &differences->list[i]);
    }
    fputs("]}\n", out);
}
