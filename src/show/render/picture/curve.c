/*
 * Curves over one pair of axes: each a line with the band of its interval behind it; where x
 * numbers things, points with a bar each. Lines across mark capacities that were found (whole) and
 * declared (broken); the values of the levels stand at their plateaus.
 */
#include "base/quantity.h"
#include "base/sort.h"
#include "conclude/registry/registry.h"
#include "show/render/picture/picture.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 58,
    RIGHT = 22,
    BOTTOM = 44,
    MARK_ROW = 15,
    MARK_ROWS = 2,
    LEGEND_ROW = 19,
    TEXT = 12,
    TICKS_MAX = 24,
    DOTS_MAX = 40, /* with more points, a line has no dots */
};

/* One axis: its values from low to high. */
struct span {
    double low, high;
    bool logarithms;
    const char *unit;
};

struct plot {
    const struct canvas *canvas;
    const struct chart *chart;
    double left, top, width, height; /* of the area that holds the lines */
    struct span x, y;
    bool cycles, apart;
};

static double share_of(const struct span *span, double value)
{
    if (span->logarithms)
        return log(value / span->low) / log(span->high / span->low);
    return (value - span->low) / (span->high - span->low);
}

static double across(const struct plot *plot, double x)
{
    return plot->left + plot->width * share_of(&plot->x, x);
}

/* What lies beyond the axis ends at its edge. */
static double up(const struct plot *plot, double y)
{
    return plot->top + plot->height * (1 - fmin(fmax(share_of(&plot->y, y), 0), 1));
}

/* --- points --- */

/* A point in the unit that is drawn. */
static struct estimate estimate_of(const struct plot *plot, const struct point *point)
{
    return plot->cycles ? point->cycles
                        : (struct estimate){point->y.median, point->y.low, point->y.high};
}

static bool is_drawn(const struct span *span, double value)
{
    return isfinite(value) && fabs(value) < 1e30 && (!span->logarithms || value > 0);
}

static bool point_is_drawn(const struct plot *plot, const struct point *point)
{
    return is_drawn(&plot->x, point->x) &&
           is_drawn(&plot->y, (double)estimate_of(plot, point).median);
}

static int by_x(const void *a, const void *b)
{
    const struct point *const *left = a, *const *right = b;
    return ((*left)->x > (*right)->x) - ((*left)->x < (*right)->x);
}

/* --- axes --- */

/* Extends the span by a value; a logarithmic axis shows more where all values are positive and far
 * apart. */
static void span_add(struct span *span, double value)
{
    if (!isfinite(value) || fabs(value) >= 1e30)
        return;
    span->low = fmin(span->low, value);
    span->high = fmax(span->high, value);
}

static void span_close(struct span *span, double ratio, double margin)
{
    if (!(span->low <= span->high))
        span->low = 0, span->high = 1;
    span->logarithms = span->low > 0 && span->high / span->low >= ratio;
    if (span->logarithms) {
        const double factor = pow(span->high / span->low, margin);
        span->low /= factor;
        span->high *= factor;
        return;
    }
    const double reach = span->high - span->low;
    const double pad = reach > 0 ? reach * margin : fmax(fabs(span->low) / 10, 1e-12);
    /* Zero belongs to the picture where it is not far. */
    const bool zero = margin > 0 && span->low >= 0 && span->low < span->high / 2;
    span->low = zero ? 0 : span->low - pad;
    span->high += pad;
}

static void find_axes(struct plot *plot)
{
    enum { FAR_X = 8, FAR_Y = 4 };
    const struct chart *chart = plot->chart;
    const struct series *first = chart->blocks->curve.series;
    const struct finding_table *table = finding_table_of(chart->blocks->probe->name);
    size_t with_cycles = 0;
    plot->x = plot->y = (struct span){.low = INFINITY, .high = -INFINITY};
    plot->apart = chart->blocks->curve.apart;
    for (size_t i = 0; i < chart->count; i++) {
        const struct series *series = chart->blocks[i].curve.series;
        size_t with = 0;
        for (size_t p = 0; p < series->point_count; p++)
            with += isfinite(series->points[p].cycles.median) ? 1 : 0;
        with_cycles += with > 0;
    }
    /* Of devices alone cycles come first: their clocks move more than their caches do. */
    plot->cycles = table && table->of_devices && with_cycles == chart->count;
    for (size_t i = 0; i < chart->count; i++) {
        const struct series *series = chart->blocks[i].curve.series;
        for (size_t p = 0; p < series->point_count; p++) {
            span_add(&plot->x, series->points[p].x);
            span_add(&plot->y, (double)estimate_of(plot, &series->points[p]).median);
        }
    }
    if (plot->apart) {
        plot->x.low -= 0.5;
        plot->x.high += 0.5;
    }
    span_close(&plot->x, plot->apart ? INFINITY : FAR_X, 0);
    span_close(&plot->y, FAR_Y, 0.05);
    plot->x.unit = first->x.unit;
    plot->y.unit = plot->cycles ? "cycles" : first->y.unit;
}

/* --- ticks --- */

struct ticks {
    double list[TICKS_MAX];
    size_t count;
};

static void add_tick(struct ticks *ticks, const struct span *span, double value)
{
    const double share = share_of(span, value);
    if (share >= -1e-9 && share <= 1 + 1e-9 && ticks->count < TICKS_MAX)
        ticks->list[ticks->count++] = value;
}

static void linear_ticks(struct ticks *ticks, const struct span *span, double unit, double most)
{
    static const double steps[] = {1, 2, 5, 10};
    const double rough = (span->high - span->low) / unit / most;
    const double magnitude = pow(10, floor(log10(rough)));
    size_t i = 0;
    while (i < 3 && steps[i] * magnitude < rough * (1 - 1e-9))
        i++;
    const double step = steps[i] * magnitude * unit;
    for (double at = ceil(span->low / step - 1e-9) + 0.0; /* 0, and not -0 */
         at * step <= span->high * (1 + 1e-9) + 1e-300 && ticks->count < TICKS_MAX; at++)
        add_tick(ticks, span, at * step);
}

/* Powers of two, with the same ratio between any two of them. */
static void power_ticks(struct ticks *ticks, const struct span *span, double most)
{
    const double powers = log2(span->high) - log2(span->low) + 1;
    const double step = fmax(1, ceil(powers / most));
    for (double power = ceil(log2(span->low) / step - 1e-9) * step; ticks->count < TICKS_MAX;
         power += step) {
        if (exp2(power) > span->high * (1 + 1e-9))
            return;
        add_tick(ticks, span, exp2(power));
    }
}

/* 1, 2, 5, 10, 20 ... where there is room, else decades. */
static void decade_ticks(struct ticks *ticks, const struct span *span, double most)
{
    static const double digits[] = {1, 2, 5};
    const double decades = log10(span->high / span->low);
    const int each = decades * 3 <= most ? 3 : 1;
    const double step = fmax(1, ceil(decades / most));
    for (double power = floor(log10(span->low));
         power <= ceil(log10(span->high)) && ticks->count < TICKS_MAX; power += step)
        for (int i = 0; i < each; i++)
            add_tick(ticks, span, digits[i] * pow(10, power));
}

static struct ticks ticks_of(const struct span *span, bool of_x, double room)
{
    const bool size = quantity_is(span->unit, DIMENSION_SIZE);
    const bool count = of_x && (!span->unit || !*span->unit);
    struct ticks ticks = {.count = 0};
    if (span->logarithms && (size || count))
        power_ticks(&ticks, span, fmax(room, 2));
    else if (span->logarithms)
        decade_ticks(&ticks, span, fmax(room, 2));
    if (ticks.count >= 2)
        return ticks;
    ticks.count = 0;
    linear_ticks(&ticks, span, size ? 1024 : 1, fmax(room, 2));
    for (size_t i = 0, all = ticks.count; i < all && count; i++) { /* a count has no decimals */
        if (i == 0)
            ticks.count = 0;
        if (ticks.list[i] == floor(ticks.list[i]))
            ticks.list[ticks.count++] = ticks.list[i];
    }
    return ticks;
}

static void tick_text(const struct span *span, double value, char text[UNIT_TEXT])
{
    if (quantity_is(span->unit, DIMENSION_SIZE))
        figure_valued(value, span->unit, text);
    else
        snprintf(text, UNIT_TEXT, "%.6g", value / figure_scale(span->unit).divisor);
}

static void add_axis_name(struct line *line, const struct axis *axis, const char *unit)
{
    line_add_clean(line, axis->name);
    if (*figure_unit(unit) && !quantity_is(unit, DIMENSION_SIZE))
        line_add_between(line, line->length ? ", " : "", figure_unit(unit), "");
}

static void put_axes(const struct plot *plot)
{
    enum { ROOM_X = 66, ROOM_Y = 30 };
    FILE *out = plot->canvas->out;
    const struct series *first = plot->chart->blocks->curve.series;
    const double right = plot->left + plot->width, bottom = plot->top + plot->height;
    const struct ticks xs = ticks_of(&plot->x, true, floor(plot->width / ROOM_X));
    const struct ticks ys = ticks_of(&plot->y, false, floor(plot->height / ROOM_Y));
    struct line x_name = {0}, y_name = {0};
    char text[UNIT_TEXT];
    fputs("<path", out);
    svg_paint(out, SVG_NONE, SVG_RULE);
    fputs(" d=\"", out);
    for (size_t i = 0; i < xs.count; i++)
        fprintf(out, "M%.1f %.1fV%.1f", across(plot, xs.list[i]), plot->top, bottom + 4);
    for (size_t i = 0; i < ys.count; i++)
        fprintf(out, "M%.1f %.1fH%.1f", plot->left - 4, up(plot, ys.list[i]), right);
    fputs("\"/>\n", out);
    for (size_t i = 0; i < xs.count; i++) {
        tick_text(&plot->x, xs.list[i], text);
        svg_text(out, across(plot, xs.list[i]), bottom + 18, SVG_SOFT, TEXT, SVG_MIDDLE, text);
    }
    for (size_t i = 0; i < ys.count; i++) {
        tick_text(&plot->y, ys.list[i], text);
        svg_text(out, plot->left - 8, up(plot, ys.list[i]) + 4, SVG_SOFT, TEXT, SVG_END, text);
    }
    add_axis_name(&x_name, &first->x, plot->x.unit);
    add_axis_name(&y_name, &first->y, plot->y.unit);
    svg_text(out, plot->left + plot->width / 2, bottom + 36, SVG_SOFT, TEXT, SVG_MIDDLE,
             x_name.text);
    fprintf(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", plot->left - LEFT + TEXT,
            plot->top + plot->height / 2);
    svg_text(out, 0, 0, SVG_SOFT, TEXT, SVG_MIDDLE, y_name.text);
    fputs("</g>\n", out);
}

/* --- lines --- */

/* After eight colours the dashes change. */
static enum svg_ink put_dashes(FILE *out, size_t index)
{
    static const char *const dashes[] = {"", "8 4", "2 4", "12 4 2 4"};
    const char *dash = dashes[index / SVG_LINES % (sizeof dashes / sizeof *dashes)];
    if (out && *dash)
        fprintf(out, " stroke-dasharray=\"%s\"", dash);
    return (enum svg_ink)(SVG_LINE + index % SVG_LINES);
}

static bool has_interval(const struct plot *plot, const struct point *point)
{
    const struct estimate of = estimate_of(plot, point);
    return point_is_drawn(plot, point) && is_drawn(&plot->y, (double)of.low) &&
           is_drawn(&plot->y, (double)of.high) && of.high > of.low;
}

/* The bands between the ends of intervals, or a bar for each point. */
static void put_intervals(const struct plot *plot, const struct point **points, size_t count,
                          enum svg_ink ink)
{
    FILE *out = plot->canvas->out;
    bool any = false;
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        if (!has_interval(plot, points[i]))
            continue;
        if (!any) {
            fputs("<path", out);
            svg_paint(out, plot->apart ? SVG_NONE : ink, plot->apart ? ink : SVG_NONE);
            fputs(plot->apart ? " stroke-width=\"1.75\" d=\"" : " fill-opacity=\"0.2\" d=\"", out);
        }
        any = true;
        while (end < count && !plot->apart && has_interval(plot, points[end]))
            end++;
        for (size_t p = i; p < end; p++)
            fprintf(out, "%s%.1f %.1f", p == i ? "M" : "L", across(plot, points[p]->x),
                    up(plot, (double)estimate_of(plot, points[p]).high));
        for (size_t p = end; p-- > i;)
            fprintf(out, "L%.1f %.1f", across(plot, points[p]->x),
                    up(plot, (double)estimate_of(plot, points[p]).low));
        fputs(plot->apart ? "" : "Z", out);
    }
    fputs(any ? "\"/>\n" : "", out);
}

/* Without a value a point leaves a gap. */
static void put_line(const struct plot *plot, const struct point **points, size_t count,
                     size_t index)
{
    FILE *out = plot->canvas->out;
    bool joined = false;
    if (plot->apart)
        return;
    fputs("<path", out);
    svg_paint(out, SVG_NONE, put_dashes(out, index));
    fputs(" stroke-width=\"1.75\" stroke-linejoin=\"round\" d=\"", out);
    for (size_t i = 0; i < count; i++) {
        const bool drawn = point_is_drawn(plot, points[i]);
        if (drawn)
            fprintf(out, "%s%.1f %.1f", joined ? "L" : "M", across(plot, points[i]->x),
                    up(plot, (double)estimate_of(plot, points[i]).median));
        joined = drawn;
    }
    fputs("\"/>\n", out);
}

/* "stride 64: 48 KiB, 1.06 ns (1.05 to 1.07)" */
static void put_reading(const struct plot *plot, const struct point *point, const char *label)
{
    const struct estimate of = estimate_of(plot, point);
    char x[UNIT_TEXT], value[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    struct line line = {0};
    if (label)
        line_add_between(&line, "", label, ": ");
    line_add(&line, "%s", figure_place(point->x, plot->x.unit, x));
    line_add(&line, ", %s", figure_valued((double)of.median, plot->y.unit, value));
    if (plot->y.unit && *plot->y.unit && !figure_has_unit(plot->y.unit))
        line_add_between(&line, " ", plot->y.unit, "");
    if (of.high > of.low)
        line_add(&line, " (%s to %s)", figure_valued((double)of.low, plot->y.unit, low),
                 figure_valued((double)of.high, plot->y.unit, high));
    html_print(plot->canvas->out, "<title>%s</title>", line.text);
}

static void put_dots(const struct plot *plot, const struct point **points, size_t count,
                     enum svg_ink ink, const char *label)
{
    FILE *out = plot->canvas->out;
    const bool shown = plot->apart || count <= DOTS_MAX;
    if (!shown && !plot->canvas->read_out)
        return;
    fputs("<g", out);
    svg_paint(out, ink, SVG_NONE);
    fputs(shown ? ">\n" : " opacity=\"0\">\n", out);
    for (size_t i = 0; i < count; i++) {
        if (!point_is_drawn(plot, points[i]))
            continue;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"", across(plot, points[i]->x),
                up(plot, (double)estimate_of(plot, points[i]).median), plot->apart ? "3.5" : "2.5");
        fputs(plot->canvas->read_out ? ">" : "/>\n", out);
        if (plot->canvas->read_out) {
            put_reading(plot, points[i], label);
            fputs("</circle>\n", out);
        }
    }
    fputs("</g>\n", out);
}

/* --- capacities and plateaus --- */

/* One line is enough where the two are the same, and where documents agree. */
static bool is_said_before(const struct chart *chart, size_t block, size_t place)
{
    const struct mark *mark = &chart->blocks[block].curve.marks[place];
    for (size_t b = 0; b <= block; b++)
        for (size_t m = 0; m < chart->blocks[b].curve.mark_count; m++) {
            const struct mark *other = &chart->blocks[b].curve.marks[m];
            const bool before = b < block || m < place;
            if (before && other->found == mark->found && other->x == mark->x &&
                strcmp(other->name, mark->name) == 0)
                return true;
            if (!mark->found && other->found && b == block &&
                strcmp(other->name, mark->name) == 0 && fabs(other->x / mark->x - 1) < 0.03)
                return true;
        }
    return false;
}

static void put_mark(const struct plot *plot, const struct mark *mark, double ends[MARK_ROWS])
{
    enum { SMALL = 11 };
    FILE *out = plot->canvas->out;
    const double x = across(plot, mark->x);
    const enum svg_ink ink = mark->found ? SVG_ACCENT : SVG_SOFT;
    char size[UNIT_TEXT];
    struct line line = {0};
    line_add(&line, "%s%s %s", mark->name, mark->found ? "" : " declared",
             figure_valued(mark->x, plot->x.unit, size));
    fputs("<path", out);
    svg_paint(out, SVG_NONE, ink);
    fprintf(out, "%s stroke-opacity=\"0.8\" d=\"M%.1f %.1fV%.1f\"/>\n",
            mark->found ? "" : " stroke-dasharray=\"3 4\"", x, plot->top, plot->top + plot->height);
    const double half = svg_text_width(line.text, SMALL) / 2;
    const double at = fmin(fmax(x, plot->left + half), plot->left + plot->width - half);
    for (int row = 0; row < MARK_ROWS; row++)
        if (at - half > ends[row]) {
            svg_text(out, at, plot->top - 5 - MARK_ROW * row, ink, SMALL, SVG_MIDDLE, line.text);
            ends[row] = at + half + 6;
            return;
        }
}

static void put_marks(const struct plot *plot)
{
    const struct chart *chart = plot->chart;
    struct mark *marks = NULL;
    size_t count = 0;
    double ends[MARK_ROWS] = {-INFINITY, -INFINITY};
    for (size_t b = 0; b < chart->count; b++)
        for (size_t m = 0; m < chart->blocks[b].curve.mark_count; m++) {
            const struct mark *mark = &chart->blocks[b].curve.marks[m];
            if (mark->x >= plot->x.low && mark->x <= plot->x.high && !is_said_before(chart, b, m))
                *(struct mark *)pool_append(chart->report->pool, (void **)&marks, &count,
                                            sizeof *marks) = *mark;
        }
    if (count)
        qsort(marks, count, sizeof *marks, by_number);
    for (size_t i = 0; i < count; i++)
        put_mark(plot, &marks[i], ends);
}

/* --- the legend --- */

/* The number of columns; 0: no legend. */
static size_t legend_columns(const struct chart *chart, double width, double *each)
{
    double widest = 0;
    for (size_t i = 0; i < chart->count; i++)
        if (chart->blocks[i].curve.label)
            widest = fmax(widest, svg_text_width(chart->blocks[i].curve.label, TEXT));
    *each = fmin(widest + 44, width);
    return chart->count < 2 ? 0 : (size_t)fmin(floor(width / *each), (double)chart->count);
}

static void put_legend(const struct plot *plot)
{
    const double top = plot->top + plot->height + BOTTOM;
    FILE *out = plot->canvas->out;
    double each;
    const size_t columns = legend_columns(plot->chart, plot->width, &each);
    for (size_t i = 0; i < plot->chart->count && columns; i++) {
        const double x = plot->left + each * (double)(i % columns);
        const double y = top + LEGEND_ROW * (double)(i / columns) + 12;
        fputs("<path", out);
        svg_paint(out, SVG_NONE, put_dashes(out, i));
        fprintf(out, " stroke-width=\"3\" d=\"M%.1f %.1fh22\"/>", x, y - 4);
        svg_text(out, x + 29, y, SVG_INK, TEXT, SVG_START, plot->chart->blocks[i].curve.label);
    }
}

/* --- all of it --- */

static double marks_height(const struct chart *chart)
{
    for (size_t i = 0; i < chart->count; i++)
        if (chart->blocks[i].curve.mark_count)
            return 6 + MARK_ROW * MARK_ROWS;
    return 8;
}

static double plot_height(double width)
{
    return round(fmin(fmax(width * 0.42, 240), 340));
}

double curves_height(const struct chart *chart, double width)
{
    double each;
    const size_t columns = legend_columns(chart, width - LEFT - RIGHT, &each);
    const size_t rows = columns ? (chart->count + columns - 1) / columns : 0;
    return marks_height(chart) + plot_height(width) + BOTTOM + LEGEND_ROW * (double)rows;
}

void curves_put(const struct canvas *canvas, const struct chart *chart, double left, double top)
{
    struct plot plot = {.canvas = canvas,
                        .chart = chart,
                        .left = left + LEFT,
                        .top = top + marks_height(chart),
                        .width = canvas->width - LEFT - RIGHT,
                        .height = plot_height(canvas->width)};
    find_axes(&plot);
    put_axes(&plot);
    for (size_t i = 0; i < chart->count; i++) {
        const struct curve *curve = &chart->blocks[i].curve;
        const struct series *series = curve->series;
        const size_t count = series->point_count;
        const struct point **points = pool_alloc(chart->report->pool, count + 1, sizeof *points);
        const enum svg_ink ink = put_dashes(NULL, i);
        for (size_t p = 0; p < count; p++)
            points[p] = &series->points[p];
        qsort(points, count, sizeof *points, by_x);
        put_intervals(&plot, points, count, ink);
        put_line(&plot, points, count, i);
        put_dots(&plot, points, count, ink, chart->count > 1 ? curve->label : NULL);
        pool_give_back(chart->report->pool, points);
    }
    put_marks(&plot);
    /* Among many lines their values would hide others. */
    enum { LINES_MOST = 4 };
    FILE *out = plot.canvas->out;
    for (size_t b = 0; b < plot.chart->count && plot.chart->count <= LINES_MOST; b++) {
        const struct curve *curve = &plot.chart->blocks[b].curve;
        for (size_t i = 0; i < curve->plateau_count; i++) {
            const struct plateau *plateau = &curve->plateaus[i];
            const char *text = plot.cycles ? plateau->cycles_text : plateau->text;
            const double half = svg_text_width(text, TEXT) / 2;
            const double middle = (across(&plot, plateau->from) + across(&plot, plateau->to)) / 2;
            const double x =
                fmin(fmax(middle, plot.left + half + 4), plot.left + plot.width - half - 4);
            const double y = up(&plot, plot.cycles ? plateau->cycles : plateau->value) - 9;
            fputs("<g font-weight=\"600\" stroke-width=\"4\" paint-order=\"stroke\" "
                  "stroke-linejoin=\"round\"",
                  out);
            svg_paint(out, SVG_NONE, SVG_PAPER);
            fputs(">", out);
            svg_text(out, x, fmax(y, plot.top + TEXT), SVG_INK, TEXT, SVG_MIDDLE, text);
            fputs("</g>\n", out);
        }
    }
    put_legend(&plot);
}
