/*
 * A curve as a filled area, both axes logarithmic: each column of the terminal is a bar, drawn to
 * an eighth of a row with the block elements U+2581 to U+2588.
 */
#include "base/clean.h"
#include "base/quantity.h"
#include "show/render/parts.h"
#include "show/report/series.h"

#include <math.h>
#include <string.h>

enum { LABEL_COLUMNS = 7, MARGIN = 3, COLUMNS_MAX = 240, MARKS_MAX = 8, EIGHTHS = 8 };

struct place {
    int column;
    const struct mark *mark;
};

struct drawing {
    double x_low, x_high; /* logarithms */
    double y_low, y_high;
    int columns;
    double y[COLUMNS_MAX]; /* logarithm of the value; NAN: none */
    struct place marks[MARKS_MAX];
    int mark_count;
    const struct plateau *plateaus;
    size_t plateau_count;
    double divisor; /* of shown values */
};

static int column_of(const struct drawing *curve, double x_log)
{
    double share = (x_log - curve->x_low) / (curve->x_high - curve->x_low);
    return (int)lround(share * (curve->columns - 1));
}

/* Each column has the mean of its points; one without points is interpolated from its
 * neighbours. */
static void curve_fill(struct drawing *curve, const struct series *series)
{
    size_t counts[COLUMNS_MAX] = {0};
    int last = -1;
    memset(curve->y, 0, sizeof curve->y);
    for (size_t i = 0; i < series->point_count; i++) {
        if (!curve_has_point(&series->points[i]))
            continue;
        int column = column_of(curve, log2(series->points[i].x));
        curve->y[column] += log2(series->points[i].y.median);
        counts[column]++;
    }
    for (int c = 0; c < curve->columns; c++) {
        if (counts[c] == 0) {
            curve->y[c] = NAN;
            continue;
        }
        curve->y[c] /= (double)counts[c];
        for (int gap = last + 1; last >= 0 && gap < c; gap++)
            curve->y[gap] =
                curve->y[last] + (curve->y[c] - curve->y[last]) * (gap - last) / (c - last);
        last = c;
    }
}

/* The value at the left of a row: the lowest plateau whose top lies in it; where a curve has no
 * plateaus, the value of a bar that fills the row. */
static char *row_label(const struct drawing *curve, int row, int rows, char *text)
{
    const double step = (curve->y_high - curve->y_low) / rows, rounding = 0.5 / EIGHTHS;
    const double high = curve->y_low + step * (row + 1);
    double least = INFINITY;
    for (size_t i = 0; i < curve->plateau_count; i++) {
        const double top = (log2(curve->plateaus[i].value) - curve->y_low) / step;
        const int in = (int)fmin(rows - 1, fmax(0, ceil(top - rounding) - 1));
        if (in == row)
            least = fmin(least, curve->plateaus[i].value);
    }
    if (!curve->plateau_count && (row == rows - 1 || row % 2 == 0))
        least = exp2(high);
    text[0] = '\0';
    if (isfinite(least))
        figure_plain(least / curve->divisor, text);
    return text;
}

static void print_row(FILE *out, const struct drawing *curve, const struct text_style *style,
                      int row, int rows)
{
    static const char *const shades[2][EIGHTHS + 1] = {
        {" ", " ", " ", " ", "#", "#", "#", "#", "#"},
        {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};
    const char *const *blocks = shades[style->blocks];
    char label[UNIT_TEXT];
    const double scale = rows * EIGHTHS / (curve->y_high - curve->y_low);
    int blanks = LABEL_COLUMNS; /* none is written at the end of the line */
    if (*row_label(curve, row, rows, label)) {
        fprintf(out, "%*s", LABEL_COLUMNS - 1, label);
        blanks = 1;
    }
    for (int c = 0; c < curve->columns; c++) {
        const double height = (curve->y[c] - curve->y_low) * scale - row * EIGHTHS;
        const int eighths = !(height > 0)               ? 0
                            : height >= (double)EIGHTHS ? EIGHTHS
                                                        : (int)lround(height);
        bool mark = false;
        for (int m = 0; m < curve->mark_count && eighths == 0; m++)
            mark = mark || curve->marks[m].column == c;
        if (!mark && *blocks[eighths] == ' ') {
            blanks++;
            continue;
        }
        fprintf(out, "%*s", blanks, "");
        blanks = 0;
        if (mark)
            fputs(ink(style, INK_DIM), out);
        else
            ink_ramp(out, style, (curve->y[c] - curve->y_low) / (curve->y_high - curve->y_low));
        fprintf(out, "%s%s", mark ? style->blocks ? "┊" : ":" : blocks[eighths],
                ink(style, INK_PLAIN));
    }
    fputc('\n', out);
}

/* The place of a label: powers of two of sizes and counts, else 1, 2 and 5 of each decade. */
static double tick(int number, const char *unit)
{
    static const double steps[] = {1, 2, 5};
    const int decade = (int)floor(number / 3.0);
    if (quantity_is(unit, DIMENSION_SIZE) || quantity_is(unit, DIMENSION_NUMBER))
        return exp2(number);
    return steps[number - 3 * decade] * pow(10, decade) * figure_scale(unit).divisor;
}

static char *x_label(double x, const char *unit, char *text)
{
    if (quantity_is(unit, DIMENSION_SIZE))
        return figure_short_size(round(x), text);
    snprintf(text, UNIT_TEXT, "%.6g", x / figure_scale(unit).divisor);
    return text;
}

/* As many labels as fit; the two ends if fewer than two lie between them. */
static void print_x_axis(FILE *out, const struct drawing *curve, const char *unit)
{
    enum { TICKS = 256 };
    char label[UNIT_TEXT], last[UNIT_TEXT];
    int column = -LABEL_COLUMNS, first = -TICKS, end = TICKS;
    while (first < TICKS && log2(tick(first, unit)) < curve->x_low)
        first++;
    while (end > first && log2(tick(end - 1, unit)) > curve->x_high)
        end--;
    if (end - first < 2) {
        x_label(exp2(curve->x_high), unit, last);
        fprintf(out, "%*s%-*s%s\n", LABEL_COLUMNS, "", curve->columns - (int)strlen(last),
                x_label(exp2(curve->x_low), unit, label), last);
        return;
    }
    const int step = ((end - first - 1) * LABEL_COLUMNS + curve->columns - 1) / curve->columns;
    for (int number = first; number < end; number++) {
        if (number % step != 0)
            continue;
        const int length = (int)strlen(x_label(tick(number, unit), unit, label));
        const int centred = column_of(curve, log2(tick(number, unit))) - length / 2;
        if (centred > column && centred + length <= curve->columns + MARGIN)
            column += fprintf(out, "%*s%s", centred - column, "", label);
    }
    fputc('\n', out);
}

void draw_curve(FILE *out, const struct curve *block, const struct text_style *style)
{
    enum { ROWS = 12, BRIEF_ROWS = 5 };
    const struct series *series = block->series;
    const int rows = block->brief ? BRIEF_ROWS : ROWS;
    struct drawing curve = {.columns = style->width - LABEL_COLUMNS - MARGIN,
                            .plateaus = block->plateaus,
                            .plateau_count = block->plateau_count,
                            .divisor = figure_scale(series->y.unit).divisor};
    if (curve.columns > COLUMNS_MAX)
        curve.columns = COLUMNS_MAX;
    curve.x_low = curve.y_low = INFINITY;
    curve.x_high = curve.y_high = -INFINITY;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!curve_has_point(point))
            continue;
        curve.x_low = fmin(curve.x_low, log2(point->x));
        curve.x_high = fmax(curve.x_high, log2(point->x));
        curve.y_low = fmin(curve.y_low, log2(point->y.median));
        curve.y_high = fmax(curve.y_high, log2(point->y.median));
    }
    /* The lowest value is one row high; a flat curve stays flat and low. */
    curve.y_high = fmax(curve.y_high, curve.y_low + 2);
    curve.y_low -= (curve.y_high - curve.y_low) / (rows - 1);
    curve_fill(&curve, series);
    /* Declared capacities on the axis, one to a column. */
    for (size_t i = 0; i < block->mark_count && curve.mark_count < MARKS_MAX; i++) {
        const double x = log2(block->marks[i].x);
        const int column = x >= curve.x_low && x <= curve.x_high ? column_of(&curve, x) : -1;
        const int last = curve.mark_count ? curve.marks[curve.mark_count - 1].column : -1;
        if (column > last && !block->marks[i].found)
            curve.marks[curve.mark_count++] = (struct place){column, &block->marks[i]};
    }
    for (int row = rows - 1; row >= 0; row--)
        print_row(out, &curve, style, row, rows);
    print_x_axis(out, &curve, series->x.unit);
    /* The line below the axis, with the names of the marks. */
    int column = 0;
    if (!curve.mark_count)
        return;
    fprintf(out, "%*s%s", LABEL_COLUMNS, "", ink(style, INK_DIM));
    for (int i = 0; i < curve.mark_count; i++) {
        const struct place *place = &curve.marks[i];
        char label[CLEAN_TEXT + UNIT_TEXT], name[CLEAN_TEXT], size[UNIT_TEXT];
        snprintf(label, sizeof label, "%s %s", clean_text(place->mark->name, name, sizeof name),
                 figure_short_size(place->mark->x, size));
        const int length = (int)clean_columns(label);
        const int end = i + 1 < curve.mark_count ? curve.marks[i + 1].column : curve.columns + 1;
        fprintf(out, "%*s%s", place->column - column, "", style->blocks ? "┊" : ":");
        column = place->column + 1;
        if (column + length < end) {
            fputs(label, out);
            column += length;
        }
    }
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
}
