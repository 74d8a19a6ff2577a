#include "render/text/matrix.h"
#include "base/clean.h"
#include "findings/device.h"
#include "report/figure.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What all values of a matrix say together. */
struct extent {
    const struct point *nearest, *farthest;
    double mean;
    size_t count; /* of points that have a value */
};

static struct extent extent_of(const struct series *series)
{
    struct extent extent = {0};
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!isfinite(point->y.median))
            continue;
        if (!extent.nearest || point->y.median < extent.nearest->y.median)
            extent.nearest = point;
        if (!extent.farthest || point->y.median > extent.farthest->y.median)
            extent.farthest = point;
        extent.mean += (point->y.median - extent.mean) / (double)++extent.count;
    }
    return extent;
}

double values_share(const struct values *values, double value)
{
    const double low = values->low, high = values->high;
    if (!(low > 0))
        return high > low ? (value - low) / (high - low) : 0;
    return log(value / low) / fmax(log(high / low), log(1.25));
}

/* Pairs by value, so that groups (siblings, a shared cache, another socket) stand out. */
static void print_distribution(FILE *out, const struct series *series, const struct values *values,
                               const struct view_style *style)
{
    enum { BINS = 48, BINS_MIN = 8 };
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char words[] = "pairs by value";
    size_t counts[BINS] = {0}, most = 0;
    const double low = values->low, high = values->high, divisor = values->scale.divisor;
    if (!style->blocks || !(low > 0) || !(high > low))
        return;
    char least[UNIT_TEXT], greatest[UNIT_TEXT];
    const int decimals = decimals_for(high / divisor);
    snprintf(least, sizeof least, "%.*f", decimals, low / divisor);
    snprintf(greatest, sizeof greatest, "%.*f", decimals, high / divisor);
    const size_t used = 2 + strlen(least) + 1 + 1 + strlen(greatest) + 2 + strlen(words);
    const size_t room = (size_t)style->width > used ? (size_t)style->width - used : 0;
    const size_t bins = room < BINS_MIN ? BINS_MIN : room < BINS ? room : BINS;
    for (size_t i = 0; i < series->point_count; i++) {
        double share = log(series->points[i].y.median / low) / log(high / low);
        if (!(share >= 0))
            continue;
        size_t bin = share >= 1 ? bins - 1 : (size_t)(share * (double)bins);
        if (++counts[bin] > most)
            most = counts[bin];
    }
    fprintf(out, "  %s ", least);
    for (size_t bin = 0; bin < bins; bin++) {
        /* A single pair among thousands still shows. */
        double height = ceil(sqrt((double)counts[bin] / (double)most) * 8);
        ink_ramp(out, style, (double)bin / (double)(bins - 1));
        fputs(blocks[(size_t)height], out);
    }
    fprintf(out, "%s %s  %s\n", ink(style, INK_PLAIN), greatest, words);
}

static void print_list(FILE *out, const struct series *series, double divisor)
{
    char value[UNIT_TEXT];
    for (size_t i = 0; i < series->point_count; i++)
        fprintf(out, "%8d -> %-8d %10s\n", series->points[i].from, series->points[i].to,
                figure_plain(series->points[i].y.median / divisor, value));
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the trials of one pair lie apart: at the worst pair, and at the median pair. */
static void print_spread(FILE *out, const struct series *series, const struct view_style *style,
                         double divisor, int decimals, const char *unit, const char *what)
{
    const struct point *widest = NULL;
    struct line line = {0};
    double most = 0;
    size_t count = 0;
    double *spreads = malloc(series->point_count * sizeof *spreads + 1);
    for (size_t i = 0; i < series->point_count && spreads; i++) {
        const struct summary *y = &series->points[i].y;
        double spread = (y->max - y->min) / y->median;
        if (y->n < 2 || !isfinite(spread))
            continue;
        spreads[count++] = spread;
        if (!widest || spread > most) {
            widest = &series->points[i];
            most = spread;
        }
    }
    if (widest) {
        const struct summary *y = &widest->y;
        line_add(&line, "Over the %s of one pair: %.*f to %.*f %s (%d,%d)", what, decimals,
                 y->min / divisor, decimals, y->max / divisor, unit, widest->from, widest->to);
        if (isfinite(y->p25) && isfinite(y->p75))
            line_add(&line, ", half in %.*f to %.*f", decimals, y->p25 / divisor, decimals,
                     y->p75 / divisor);
        qsort(spreads, count, sizeof *spreads, compare_doubles);
        if (count > 2)
            line_add(&line, "; at a typical pair they span %.0f %%", spreads[count / 2] * 100);
        fputs("  ", out);
        line_print_wrapped(out, style, 2, &line);
    }
    free(spreads);
}

static void add_scatter(struct line *line, const struct series *series, const char *what,
                        size_t offset, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        float part;
        memcpy(&part, (const char *)&series->points[i].scatter + offset, sizeof part);
        if (isfinite(part))
            room[count++] = (double)part;
    }
    if (count == 0)
        return;
    qsort(room, count, sizeof *room, compare_doubles);
    char percent[UNIT_TEXT];
    line_add(line, "%s%s %s %%", line->length ? ", " : "", what,
             figure_plain(room[count / 2] * 100, percent));
}

/* Where the scatter comes from, at the median pair: "line to line 12 %, drift 1 %". */
static void print_scatter(FILE *out, const struct series *series, const struct view_style *style)
{
    struct line parts = {0}, line = {0};
    double *room = malloc(series->point_count * sizeof *room + 1);
    if (!room)
        return;
    add_scatter(&parts, series, "from line to line", offsetof(struct scatter, line), room);
    add_scatter(&parts, series, "drift through the run", offsetof(struct scatter, drift), room);
    add_scatter(&parts, series, "residual", offsetof(struct scatter, residual), room);
    free(room);
    if (!parts.length)
        return;
    line_add(&line, "Scatter of a typical pair (standard deviation): %s", parts.text);
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

/* Only where every trial is a line of its own can the lines' share of the scatter be told. */
static bool is_over_lines(const struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (isfinite(series->points[i].scatter.line))
            return true;
    return false;
}

/* By groups of CPUs, as many as fit. */
static bool print_groups(FILE *out, const struct catalogue *catalogue,
                         const struct probe_result *probe, const struct square *square,
                         const struct values *values, const char *absent,
                         const struct view_style *style)
{
    enum { CELL_MIN = 3 }; /* columns of a number */
    size_t most = (size_t)style->width / CELL_MIN;
    bool printed = false;
    struct square groups;
    while (!printed && square_group(&groups, square, catalogue, probe, most)) {
        printed = square_print(out, &groups, values, absent, style);
        most = groups.row_count - 1;
        square_free(&groups);
    }
    return printed;
}

/* Every pair: as numbers where these fit; by groups or in colours where they don't. */
static void print_whole(FILE *out, const struct catalogue *catalogue,
                        const struct probe_result *probe, const struct square *square,
                        const struct values *values, const char *absent,
                        const struct view_style *style)
{
    static const char numbers[] = "Every number: fathom report -f csv-matrix FILE";
    if (square_print(out, square, values, absent, style))
        return;
    if (!print_groups(out, catalogue, probe, square, values, absent, style))
        square_print_heat(out, square, values, style);
    fputs("  ", out);
    text_print_wrapped(out, style, 2, numbers);
}

void matrix_print(FILE *out, const struct catalogue *catalogue, const struct probe_result *probe,
                  const struct series *series, const struct view_style *style, bool whole)
{
    enum { BRIEF_ROWS = 16 };
    static const double value_max = 1e9; /* no column is that wide */
    struct extent extent = extent_of(series);
    if (extent.count == 0) {
        fputs("  nothing was measured\n", out);
        return;
    }
    char own_unit[CLEAN_TEXT];
    struct values values = {extent.nearest->y.median, extent.farthest->y.median,
                            figure_scale(series->y.unit)};
    if (!*values.scale.unit)
        values.scale.unit = clean_text(series->y.unit, own_unit, 16);
    const double divisor = values.scale.divisor;
    const char *unit = values.scale.unit;
    const struct factor *labels = whole ? probe_parameter(probe, "cpu_labels") : NULL;
    const bool check = matrix_is_repeated(probe, series);
    const char *absent = check ? "" : "x";
    struct square square;
    const bool built = square_build(&square, probe, series, labels ? labels->text : NULL);
    if (built && whole && fmax(fabs(values.low), fabs(values.high)) / divisor < value_max)
        print_whole(out, catalogue, probe, &square, &values, absent, style);
    else if (whole)
        print_list(out, series, divisor);
    else if (!built || square.row_count > BRIEF_ROWS ||
             !square_print(out, &square, &values, absent, style))
        print_distribution(out, series, &values, style);
    const size_t missing = built ? square.missing : 0;
    square_free(&square);
    if (missing && check)
        fputs("  some of the pairs, measured once more\n", out);
    else if (missing)
        fprintf(out, "  x: %zu pair%s could not be measured\n", missing, missing == 1 ? "" : "s");
    int decimals = decimals_for(extent.farthest->y.median / divisor);
    print_spread(out, series, style, divisor, decimals, unit,
                 is_over_lines(series) ? "lines" : "trials");
    if (whole)
        print_scatter(out, series, style);
    struct line line = {0};
    line_add(&line, "Min %.*f (%d,%d)  Max %.*f (%d,%d)  Mean %.*f %s", decimals,
             extent.nearest->y.median / divisor, extent.nearest->from, extent.nearest->to, decimals,
             extent.farthest->y.median / divisor, extent.farthest->from, extent.farthest->to,
             decimals, extent.mean / divisor, unit);
    if (!whole && series == &probe->series[0])
        matrix_others_print(out, probe, style, &line);
    else
        line_print(out, style, &line);
}
