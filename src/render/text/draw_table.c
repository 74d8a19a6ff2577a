/*
 * A table as lines of text. Texts stand at the left and figures at the right of their columns; of
 * what was measured the figures and the units have a column each, and one behind them has the
 * widest of their intervals. Columns for which there is no room are left out, the highest rank
 * first.
 */
#include "base/clean.h"
#include "quantity/quantity.h"
#include "render/parts.h"
#include "render/text/draw.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 64, UNIT_LEAST = 6, INTERVAL = 8, MARGIN = 2, DEPTH = 2 };

struct layout {
    size_t count;
    size_t figure[COLUMNS_MAX], unit[COLUMNS_MAX]; /* unit 0: the figure has it */
    bool left_out[COLUMNS_MAX];
    size_t last_measured; /* the interval stands behind it; COLUMNS_MAX: there is none */
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void split(const struct cell *cell, char figure[CELL_TEXT], char unit[CELL_TEXT])
{
    cell_text(cell, figure);
    unit[0] = '\0';
    char *blank = cell->form == FORM_MEASURED ? strchr(figure, ' ') : NULL;
    if (!blank)
        return;
    strcpy(unit, blank + 1);
    *blank = '\0';
}

static size_t width_of(const struct layout *layout, size_t column)
{
    return layout->left_out[column] ? 0
                                    : 1 + layout->figure[column] +
                                          (layout->unit[column] ? 1 + layout->unit[column] : 0) +
                                          (column == layout->last_measured ? 1 + INTERVAL : 0);
}

static void leave_out(struct layout *layout, const struct table *table, size_t room)
{
    for (;;) {
        size_t width = MARGIN, worst = layout->count;
        for (size_t c = 0; c < layout->count; c++) {
            width += width_of(layout, c);
            if (!layout->left_out[c] && table->columns[c].rank > 0 &&
                (worst == layout->count || table->columns[c].rank > table->columns[worst].rank))
                worst = c;
        }
        if (width <= room + 1 || worst == layout->count)
            return;
        layout->left_out[worst] = true;
    }
}

static void lay_out(struct layout *layout, const struct table *table, size_t room)
{
    char figure[CELL_TEXT], unit[CELL_TEXT], name[CLEAN_TEXT];
    *layout = (struct layout){.last_measured = COLUMNS_MAX};
    layout->count = table->column_count < COLUMNS_MAX ? table->column_count : COLUMNS_MAX;
    for (size_t c = 0; c < layout->count; c++) {
        const struct column *column = &table->columns[c];
        layout->figure[c] = column->least;
        layout->unit[c] = column->measured ? UNIT_LEAST : 0;
        layout->last_measured = column->measured ? c : layout->last_measured;
        if (c || !table->title)
            layout->figure[c] = larger(layout->figure[c],
                                       clean_columns(clean_text(column->name, name, sizeof name)));
        for (size_t r = 0; r < table->row_count; r++) {
            split(&table->rows[r].cells[c], figure, unit);
            const size_t depth = c ? 0 : DEPTH * table->rows[r].depth;
            layout->figure[c] = larger(layout->figure[c], depth + clean_columns(figure));
            layout->unit[c] = larger(layout->unit[c], clean_columns(unit));
        }
    }
    leave_out(layout, table, room);
}

static void add_padded(struct line *line, size_t columns, const char *text, bool right)
{
    const size_t own = clean_columns(text);
    const int gap = own < columns ? (int)(columns - own) : 0;
    line_add(line, "%*s%s%*s", right ? gap : 0, "", text, right ? 0 : gap, "");
}

/* Half of the widest interval of what was measured in the row, as a share of its value. */
static double widest(const struct row *row, size_t count)
{
    double most = -1;
    for (size_t c = 0; c < count; c++) {
        const struct cell *cell = &row->cells[c];
        const double half = fabs((cell->high - cell->low) / 2 / cell->value);
        if (cell->form == FORM_MEASURED && isfinite(half))
            most = fmax(most, half);
    }
    return most;
}

static void add_interval(struct line *line, double half)
{
    char text[UNIT_TEXT], percent[UNIT_TEXT + 8] = "";
    if (half >= 0)
        snprintf(percent, sizeof percent, "+-%s %%", figure_percent(1, 1 - half, 1 + half, text));
    line_add(line, " %-*s", INTERVAL, percent);
}

/* What the row was read off, and the line's end: behind it where there is room, or else below. */
static void draw_words(FILE *out, const char *words, size_t columns, size_t indent,
                       const struct view_style *style)
{
    struct line line = {0};
    line_add_clean(&line, words);
    const bool fits = columns + 2 + clean_columns(line.text) <= (size_t)style->width;
    if (line.length && fits)
        fprintf(out, "  %s", line.text);
    fputc('\n', out);
    if (!line.length || fits)
        return;
    fprintf(out, "%*s", (int)indent, "");
    line_print_wrapped(out, style, indent, &line);
}

static void draw_row(FILE *out, const struct table *table, const struct row *row,
                     const struct layout *layout, const struct view_style *style)
{
    struct line line = {0};
    char figure[CELL_TEXT], unit[CELL_TEXT];
    line_add(&line, "%*s", MARGIN + DEPTH * (int)row->depth, "");
    for (size_t c = 0; c < layout->count; c++) {
        if (layout->left_out[c])
            continue;
        split(&row->cells[c], figure, unit);
        line_add(&line, "%s", c ? " " : "");
        add_padded(&line, layout->figure[c] - (c ? 0 : DEPTH * row->depth), figure,
                   !table->columns[c].words);
        if (layout->unit[c]) {
            line_add(&line, " ");
            add_padded(&line, layout->unit[c], unit, false);
        }
        if (c == layout->last_measured)
            add_interval(&line, widest(row, layout->count));
    }
    line_trim(&line);
    const bool doubt = flag_doubts(row->flags) != 0;
    fputs(line.text, out);
    if (doubt)
        fprintf(out, " %s!%s", ink(style, INK_WARN), ink(style, INK_PLAIN));
    draw_words(out, row->words, clean_columns(line.text) + (doubt ? 2 : 0),
               MARGIN + layout->figure[0], style);
}

/* The title takes the place of the first column's name. What follows a column's name takes the room
 * of the units and of what was measured in columns behind it. */
static void draw_head(FILE *out, const struct table *table, const struct layout *layout,
                      const char *title, const struct view_style *style)
{
    struct line line = {0};
    char name[CLEAN_TEXT], remark[CLEAN_TEXT];
    size_t end = MARGIN + layout->figure[0];
    line_add(&line, "%s", title);
    const size_t own = line.length;
    for (size_t c = 0; c < layout->count; c++) {
        const bool measured = layout->unit[c] > 0, follows = c > 1 && layout->unit[c - 1] > 0;
        if (layout->left_out[c] || (c == 0 && table->title))
            continue;
        clean_text(measured && follows ? NULL : table->columns[c].name, name, sizeof name);
        const size_t from = clean_columns(line.text), to = end + (c ? 1 + layout->figure[c] : 0);
        if (*name)
            add_padded(&line, to > from ? to - from : 0, name, !table->columns[c].words);
        if (table->columns[c].remark)
            line_add(&line, " (%s)", clean_text(table->columns[c].remark, remark, sizeof remark));
        end += c ? width_of(layout, c) : 0;
    }
    if (table->remark)
        line_add(&line, "   (%s)", clean_text(table->remark, remark, sizeof remark));
    line_trim(&line);
    const size_t blank = strspn(title, " ");
    fprintf(out, "%*s%s%.*s%s%s\n", (int)blank, "", ink(style, table->title ? INK_BOLD : INK_DIM),
            (int)(table->title ? own - blank : line.length), line.text + blank,
            ink(style, INK_PLAIN), table->title ? line.text + own : "");
}

void draw_table(FILE *out, const struct table *table, bool within, const struct view_style *style)
{
    struct layout layout;
    struct line title = {0};
    lay_out(&layout, table, (size_t)style->width);
    line_add(&title, "%s", within && table->title ? "  " : "");
    line_add_clean(&title, table->title);
    if (table->title && !within)
        fputc('\n', out);
    draw_head(out, table, &layout, title.text, style);
    for (size_t r = 0; r < table->row_count; r++)
        draw_row(out, table, &table->rows[r], &layout, style);
    draw_more(out, table->more);
}
