/* A matrix as lines of text: every pair if they fit, else groups of CPUs, else the distribution of
 * values. */
#include "base/clean.h"
#include "show/render/parts.h"

#include <math.h>
#include <string.h>

/* --- as numbers, in columns as wide as needed --- */

enum { RANGE_BYTES = 64, MARGIN = 2 };

struct layout {
    int name, label, cell, decimals; /* widths in columns; number of decimals */
    bool ranges;                     /* with ranges below the medians of groups */
};

static int widest_name(const struct square *square, bool of_columns)
{
    char text[SQUARE_NAME];
    int widest = 0;
    for (size_t i = 0; i < (of_columns ? square->column_count : square->row_count); i++) {
        const char *name =
            of_columns ? square_column_name(square, i, text) : square_row_name(square, i, text);
        widest = (int)strlen(name) > widest ? (int)strlen(name) : widest;
    }
    return widest;
}

static const char *label_of(const struct square *square, size_t row)
{
    return square->labels && square->labels[row] ? square->labels[row] : "";
}

static void format_range(const struct pair_cell *cell, double divisor, int decimals,
                         char text[RANGE_BYTES])
{
    snprintf(text, RANGE_BYTES, "%.*f-%.*f", decimals, (double)cell->least / divisor, decimals,
             (double)cell->most / divisor);
}

static int widest_range(const struct square *square, double divisor, int decimals)
{
    char text[RANGE_BYTES];
    int widest = 0;
    for (size_t i = 0; i < square->row_count * square->column_count; i++)
        if (square->cells[i].kind == PAIR_VALUE) {
            format_range(&square->cells[i], divisor, decimals, text);
            widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
        }
    return widest;
}

/* The widest layout that fits the width. */
static bool lay_out(struct layout *layout, const struct square *square, double largest,
                    double divisor, int width)
{
    const int most = square_decimals(largest), least = largest >= 100 ? 0 : most;
    /* With three digits before the point, the decimals are dropped first. */
    const struct {
        int gap, decimals;
        bool ranges;
    } choices[] = {{2, most, true},
                   {2, least, true},
                   {3, most, false},
                   {2, most, false},
                   {1, most, false},
                   {1, least, false},
                   {1, largest >= 10 ? 0 : most, false}};
    const int name = widest_name(square, true);
    const int range = square->rows ? 0 : widest_range(square, divisor, least);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (choices[i].ranges && square->rows)
            continue;
        int value = snprintf(NULL, 0, "%.*f", choices[i].decimals, largest);
        if (choices[i].ranges)
            value = choices[i].decimals == least ? range : widest_range(square, divisor, most);
        layout->ranges = choices[i].ranges;
        layout->decimals = choices[i].decimals;
        layout->cell = (value > name ? value : name) + choices[i].gap;
        const size_t columns = (size_t)layout->name + (size_t)layout->label + MARGIN +
                               square->column_count * (size_t)layout->cell;
        if (columns <= (size_t)width)
            return true;
    }
    return false;
}

static void print_cell(FILE *out, const struct pair_cell *cell, const struct values *values,
                       const struct layout *layout, const struct text_style *style)
{
    const char *instead[] = {
        [PAIR_ITSELF] = "-", [PAIR_EMPTY] = "", [PAIR_MISSING] = values->absent};
    char text[RANGE_BYTES];
    if (cell->kind != PAIR_VALUE) {
        fprintf(out, "%*s", layout->cell, instead[cell->kind]);
        return;
    }
    snprintf(text, sizeof text, "%s%.*f", cell->doubt ? "!" : "", layout->decimals,
             (double)cell->value / values->scale.divisor);
    ink_ramp_behind(out, style, square_share((double)cell->value, values->least, values->most));
    fprintf(out, "%*s%s", layout->cell, text, ink(style, INK_PLAIN));
}

static bool has_range(const struct pair_cell *cell)
{
    return cell->kind == PAIR_VALUE && cell->most > cell->least;
}

static void print_ranges(FILE *out, const struct square *square, size_t row, double divisor,
                         const struct layout *layout, const struct text_style *style)
{
    const struct pair_cell *cells = &square->cells[row * square->column_count];
    size_t count = square->column_count;
    while (count && !has_range(&cells[count - 1]))
        count--;
    if (!count)
        return;
    fprintf(out, "%s%*s", ink(style, INK_DIM), layout->name + layout->label, "");
    for (size_t c = 0; c < count; c++) {
        char text[RANGE_BYTES] = "";
        if (has_range(&cells[c]))
            format_range(&cells[c], divisor, layout->decimals, text);
        fprintf(out, "%*s", layout->cell, text);
    }
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
}

static void print_rows(FILE *out, const struct square *square, const struct values *values,
                       const struct layout *layout, const struct text_style *style)
{
    char name[SQUARE_NAME];
    fprintf(out, "%*s%s", layout->name + layout->label, "", ink(style, INK_DIM));
    for (size_t c = 0; c < square->column_count; c++)
        fprintf(out, "%*s", layout->cell, square_column_name(square, c, name));
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    for (size_t r = 0; r < square->row_count; r++) {
        const char *label = layout->label ? label_of(square, r) : "";
        const int gap = layout->label - (int)clean_columns(label);
        fprintf(out, "%s%*s%*s%s%*s%s", ink(style, INK_DIM), layout->name,
                square_row_name(square, r, name), square->rows ? gap : gap > 0, "", label,
                square->rows ? 0 : gap - (gap > 0), "", ink(style, INK_PLAIN));
        /* The number of cells of a row without the empty ones at its end. */
        size_t count = square->column_count;
        while (count && square->cells[r * square->column_count + count - 1].kind == PAIR_EMPTY)
            count--;
        for (size_t c = 0; c < count; c++)
            print_cell(out, &square->cells[r * square->column_count + c], values, layout, style);
        fputc('\n', out);
        if (layout->ranges)
            print_ranges(out, square, r, values->scale.divisor, layout, style);
    }
}

/* As numbers if they fit the width; for groups with their ranges if these fit too, and with an
 * explanation. False, with nothing written: they don't fit. */
static bool print_square(FILE *out, const struct square *square, const struct values *values,
                         const struct text_style *style)
{
    struct layout layout;
    const double divisor = values->scale.divisor;
    const double largest = fmax(fabs(values->least), fabs(values->most)) / divisor;
    char name[SQUARE_NAME];
    layout.name = widest_name(square, false) + MARGIN;
    layout.label = 0; /* including the blank before it */
    for (size_t i = 0; i < square->row_count && square->labels; i++)
        layout.label = (int)fmax(layout.label, (double)clean_columns(label_of(square, i)) + 1);
    /* Labels are next to the rows if they fit. Labels of groups, which have no other names, are
     * below on lines of their own if they don't. */
    if (!layout.label || !(square->rows || layout.label <= style->width / 3) ||
        !lay_out(&layout, square, largest, divisor, style->width)) {
        layout.label = 0;
        if (!lay_out(&layout, square, largest, divisor, style->width))
            return false;
    }
    print_rows(out, square, values, &layout, style);
    if (square->rows)
        return true;
    for (size_t r = 0; r < square->row_count && !layout.label; r++) { /* "  A: CPUs 0-7,16-23" */
        const int indent = fprintf(out, "  %s: ", square_row_name(square, r, name));
        text_print_wrapped(out, style, (size_t)indent, label_of(square, r));
    }
    /* What the numbers of groups mean, and the spread of the pairs behind them if no ranges are
     * shown. */
    struct line line = {0};
    const struct pair_cell *widest = NULL;
    line_add(&line, "Medians both ways, within and between groups%s",
             layout.ranges ? ", and their least and greatest value" : "");
    for (size_t i = 0; i < square->row_count * square->column_count; i++) {
        const struct pair_cell *cell = &square->cells[i];
        if (cell->kind == PAIR_VALUE &&
            (!widest || cell->most - cell->least > widest->most - widest->least))
            widest = cell;
    }
    if (widest && !layout.ranges) {
        char range[RANGE_BYTES], from[SQUARE_NAME], to[SQUARE_NAME];
        const size_t at = (size_t)(widest - square->cells);
        format_range(widest, values->scale.divisor,
                     square_decimals((double)widest->most / values->scale.divisor), range);
        line_add(&line, "; widest %s to %s, %s %s",
                 square_row_name(square, at / square->column_count, from),
                 square_column_name(square, at % square->column_count, to), range, values->unit);
    }
    fputs("  ", out);
    text_print_wrapped(out, style, 2, line.text);
    return true;
}

/* --- all of it --- */

/* The distribution of pairs by value, in which groups (siblings, a shared cache, another socket)
 * stand out. */
static void print_distribution(FILE *out, const struct series *series, const struct values *values,
                               const struct text_style *style)
{
    enum { BINS = 48, BINS_MIN = 8 };
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char words[] = "pairs by value";
    size_t counts[BINS] = {0}, most = 0;
    const double low = values->least, high = values->most, divisor = values->scale.divisor;
    if (!style->blocks || !(low > 0) || !(high > low))
        return;
    char least[UNIT_TEXT], greatest[UNIT_TEXT];
    const int decimals = square_decimals(high / divisor);
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
        /* Rounded up, so that a single pair among thousands still shows. */
        double height = ceil(sqrt((double)counts[bin] / (double)most) * 8);
        ink_ramp(out, style, (double)bin / (double)(bins - 1));
        fputs(blocks[(size_t)height], out);
    }
    fprintf(out, "%s %s  %s\n", ink(style, INK_PLAIN), greatest, words);
}

/* Every pair as a number if these fit, else by as many groups of CPUs as fit, else how many pairs
 * have which value. */
static void print_whole(FILE *out, const struct matrix *matrix, const struct values *values,
                        const struct text_style *style)
{
    if (print_square(out, matrix->square, values, style))
        return;
    bool grouped = false;
    for (size_t i = 0; i < matrix->grouping_count && !grouped; i++)
        grouped = print_square(out, matrix->groupings[i], values, style);
    if (!grouped)
        print_distribution(out, matrix->series, values, style);
    draw_more(out, "Every number: fathom report -f csv-matrix FILE; as a picture: -f svg", style);
}

/* Prints as much of the pairs as fits: CPUs, or groups of them, or how many pairs have which value.
 * Returns which of these, because groups that are shown need not be mentioned again. */
enum shown { SHOWN_PAIRS, SHOWN_GROUPS, SHOWN_VALUES };
static enum shown print_brief(FILE *out, const struct matrix *matrix, const struct values *values,
                              const struct text_style *style)
{
    const struct square *square = matrix->square;
    if (square && square->row_count <= matrix->rows_most &&
        print_square(out, square, values, style))
        return SHOWN_PAIRS;
    for (size_t i = 0; i < matrix->grouping_count; i++)
        if (matrix->groupings[i]->row_count <= matrix->rows_most &&
            print_square(out, matrix->groupings[i], values, style))
            return SHOWN_GROUPS;
    print_distribution(out, matrix->series, values, style);
    return SHOWN_VALUES;
}

void draw_matrix(FILE *out, const struct matrix *matrix, const struct text_style *style)
{
    struct values values = {.least = matrix->least,
                            .most = matrix->most,
                            .scale = figure_scale(matrix->series->y.unit),
                            .absent = matrix->absent};
    clean_text(figure_unit(matrix->series->y.unit), values.unit, 16);
    enum shown shown = SHOWN_VALUES;
    if (matrix->whole)
        print_whole(out, matrix, &values, style);
    else
        shown = print_brief(out, matrix, &values, style);
    draw_more(out, matrix->missing, style);
    draw_more(out, matrix->spread, style);
    draw_more(out, shown == SHOWN_VALUES ? matrix->closing : NULL, style);
    draw_more(out, shown == SHOWN_GROUPS ? NULL : matrix->clusters, style);
}
