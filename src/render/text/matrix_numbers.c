/* A matrix as numbers, in columns as wide as they have to be. */
#include "base/clean.h"
#include "render/text/matrix.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 16, RANGE_BYTES = 64, MARGIN = 2 };

struct layout {
    int name, label, cell, decimals; /* columns, and digits behind the point */
    bool ranges;                     /* below the medians of groups */
};

int decimals_for(double largest)
{
    return fabs(largest) >= 1000 ? 0 : fabs(largest) >= 10 ? 1 : 2;
}

static int digits_of(double value, int decimals)
{
    return snprintf(NULL, 0, "%.*f", decimals, value);
}

/* A CPU's number, or a group's letter: A to Z, AA to ZZ. */
static const char *name_of(const int *ids, size_t index, char text[NAME_BYTES])
{
    enum { LETTERS = 26 };
    if (ids)
        snprintf(text, NAME_BYTES, "%d", ids[index]);
    else if (index < LETTERS)
        snprintf(text, NAME_BYTES, "%c", (int)('A' + index));
    else
        snprintf(text, NAME_BYTES, "%c%c", (int)('A' + (index / LETTERS - 1) % LETTERS),
                 (int)('A' + index % LETTERS));
    return text;
}

static int widest_name(const int *ids, size_t count)
{
    char text[NAME_BYTES];
    int widest = 0;
    for (size_t i = 0; i < count; i++) {
        const int columns = (int)strlen(name_of(ids, i, text));
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static const char *label_of(const struct square *square, size_t row)
{
    return square->labels && square->labels[row] ? square->labels[row] : "";
}

/* With a blank before it; 0 where there are none. */
static int widest_label(const struct square *square)
{
    int widest = -1;
    for (size_t i = 0; i < square->row_count && square->labels; i++) {
        const int columns = (int)clean_columns(label_of(square, i));
        widest = columns > widest ? columns : widest;
    }
    return widest + 1;
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
        if (square->cells[i].kind == CELL_VALUE) {
            format_range(&square->cells[i], divisor, decimals, text);
            widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
        }
    return widest;
}

/* The roomiest layout that fits the width. */
static bool lay_out(struct layout *layout, const struct square *square, double largest,
                    double divisor, int width)
{
    const int most = decimals_for(largest), least = largest >= 100 ? 0 : most;
    /* With three digits before the point, the one behind it is the first to go. */
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
    const int name = widest_name(square->columns, square->column_count);
    const int range = square->rows ? 0 : widest_range(square, divisor, least);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (choices[i].ranges && square->rows)
            continue;
        int value = digits_of(largest, choices[i].decimals);
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

/* Labels stand beside the rows where there is room; those of groups, which nothing else names, in
 * lines of their own where there is none. */
static bool lay_out_labels(struct layout *layout, const struct square *square, double largest,
                           double divisor, int width)
{
    if (!(largest < 1e9))
        return false;
    layout->name = widest_name(square->rows, square->row_count) + MARGIN;
    layout->label = widest_label(square);
    if (layout->label && (square->rows || layout->label <= width / 3) &&
        lay_out(layout, square, largest, divisor, width))
        return true;
    layout->label = 0;
    return lay_out(layout, square, largest, divisor, width);
}

static void print_cell(FILE *out, const struct pair_cell *cell, const struct values *values,
                       const struct layout *layout, const char *absent,
                       const struct view_style *style)
{
    const char *instead[] = {[CELL_ITSELF] = "-", [CELL_EMPTY] = "", [CELL_MISSING] = absent};
    char text[RANGE_BYTES];
    if (cell->kind != CELL_VALUE) {
        fprintf(out, "%*s", layout->cell, instead[cell->kind]);
        return;
    }
    snprintf(text, sizeof text, "%s%.*f", cell->doubt ? "!" : "", layout->decimals,
             (double)cell->value / values->scale.divisor);
    ink_ramp_behind(out, style, values_share(values, (double)cell->value));
    fprintf(out, "%*s%s", layout->cell, text, ink(style, INK_PLAIN));
}

/* How many cells of a row stand before the end of what is to be shown. */
static size_t cells_shown(const struct square *square, size_t row)
{
    size_t count = square->column_count;
    while (count && square->cells[row * square->column_count + count - 1].kind == CELL_EMPTY)
        count--;
    return count;
}

static void print_ranges(FILE *out, const struct square *square, size_t row, double divisor,
                         const struct layout *layout, const struct view_style *style)
{
    const size_t count = cells_shown(square, row);
    fprintf(out, "%s%*s", ink(style, INK_DIM), layout->name + layout->label, "");
    for (size_t c = 0; c < count; c++) {
        const struct pair_cell *cell = &square->cells[row * square->column_count + c];
        char text[RANGE_BYTES] = "";
        if (cell->kind == CELL_VALUE && cell->most > cell->least)
            format_range(cell, divisor, layout->decimals, text);
        fprintf(out, "%*s", layout->cell, text);
    }
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
}

static void print_rows(FILE *out, const struct square *square, const struct values *values,
                       const struct layout *layout, const char *absent,
                       const struct view_style *style)
{
    char name[NAME_BYTES];
    fprintf(out, "%*s%s", layout->name + layout->label, "", ink(style, INK_DIM));
    for (size_t c = 0; c < square->column_count; c++)
        fprintf(out, "%*s", layout->cell, name_of(square->columns, c, name));
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    for (size_t r = 0; r < square->row_count; r++) {
        const char *label = layout->label ? label_of(square, r) : "";
        const int gap = layout->label - (int)clean_columns(label);
        fprintf(out, "%s%*s%*s%s%*s%s", ink(style, INK_DIM), layout->name,
                name_of(square->rows, r, name), square->rows ? gap : gap > 0, "", label,
                square->rows ? 0 : gap - (gap > 0), "", ink(style, INK_PLAIN));
        const size_t count = cells_shown(square, r);
        for (size_t c = 0; c < count; c++)
            print_cell(out, &square->cells[r * square->column_count + c], values, layout, absent,
                       style);
        fputc('\n', out);
        if (layout->ranges)
            print_ranges(out, square, r, values->scale.divisor, layout, style);
    }
}

/* "  A: CPUs 0-7,16-23" */
static void print_key(FILE *out, const struct square *square, const struct view_style *style)
{
    char name[NAME_BYTES];
    for (size_t r = 0; r < square->row_count; r++) {
        const int indent = fprintf(out, "  %s: ", name_of(NULL, r, name));
        text_print_wrapped(out, style, (size_t)indent, label_of(square, r));
    }
}

/* What a number of groups is, and how far the pairs behind it lie apart where no range tells. */
static void print_meaning(FILE *out, const struct square *square, const struct layout *layout,
                          const struct scale *scale, const struct view_style *style)
{
    struct line line = {0};
    const struct pair_cell *widest = NULL;
    line_add(&line, "A number is the median of all pairs within a group or between two groups%s",
             layout->ranges ? ", a range their least and greatest value." : "");
    for (size_t i = 0; i < square->row_count * square->column_count; i++) {
        const struct pair_cell *cell = &square->cells[i];
        if (cell->kind == CELL_VALUE &&
            (!widest || cell->most - cell->least > widest->most - widest->least))
            widest = cell;
    }
    if (widest && !layout->ranges) {
        char range[RANGE_BYTES], from[NAME_BYTES], to[NAME_BYTES];
        const size_t at = (size_t)(widest - square->cells);
        format_range(widest, scale->divisor, decimals_for((double)widest->most / scale->divisor),
                     range);
        line_add(&line, "; the widest range is that of %s to %s, %s %s.",
                 name_of(NULL, at / square->column_count, from),
                 name_of(NULL, at % square->column_count, to), range, scale->unit);
    }
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

bool square_print(FILE *out, const struct square *square, const struct values *values,
                  const char *absent, const struct view_style *style)
{
    struct layout layout;
    const double divisor = values->scale.divisor;
    const double largest = fmax(fabs(values->low), fabs(values->high)) / divisor;
    if (!lay_out_labels(&layout, square, largest, divisor, style->width))
        return false;
    print_rows(out, square, values, &layout, absent, style);
    if (!square->rows && !layout.label)
        print_key(out, square, style);
    if (!square->rows)
        print_meaning(out, square, &layout, &values->scale, style);
    return true;
}
