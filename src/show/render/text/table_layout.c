#include "show/render/text/table_layout.h"

#include "base/clean.h"
#include "document/flag.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    UNIT_LEAST = 6, /* where units of two columns stand beside each other */
    INTERVAL = 8,
    COMPANY_RANK = 5 /* columns that go before any blank does */
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Half of the widest interval of what was measured in the row, as a share of its value; -1: none.
 */
static double widest(const struct table_layout *layout, const struct row *row)
{
    double most = -1;
    for (size_t c = 0; c < layout->count; c++) {
        const struct cell *cell = &row->cells[c];
        const double half = fabs((cell->high - cell->low) / 2 / cell->value);
        if (layout->table->columns[c].measured && cell->form != FORM_TEXT && isfinite(half))
            most = fmax(most, half);
    }
    return most;
}

const char *table_interval(const struct table_layout *layout, const struct row *row,
                           char text[CELL_TEXT])
{
    char percent[UNIT_TEXT];
    const double half = widest(layout, row);
    text[0] = '\0';
    if (half >= 0)
        snprintf(text, CELL_TEXT, "+-%s %%", figure_percent(1, 1 - half, 1 + half, percent));
    return text;
}

/* --- how wide everything is --- */

void table_split(const struct table *table, const struct row *row, size_t column,
                 char figure[CELL_TEXT], char unit[CELL_TEXT])
{
    cell_text(&row->cells[column], figure);
    unit[0] = '\0';
    char *blank = table->columns[column].measured && row->cells[column].form != FORM_TEXT
                      ? strchr(figure, ' ')
                      : NULL;
    if (!blank)
        return;
    strcpy(unit, blank + 1);
    *blank = '\0';
}

/* Of a column that is shown, without the blank before it. */
size_t table_column_width(const struct table_layout *layout, size_t column)
{
    return layout->figure[column] + (layout->unit[column] ? 1 + layout->unit[column] : 0) +
           (column == layout->last_measured && layout->interval ? 1 + layout->interval : 0);
}

/* Texts stand apart from what is beside them, unless they have asked for room. */
size_t table_column_gap(const struct table_layout *layout, size_t column)
{
    const struct column *columns = layout->table->columns;
    if (column == 0)
        return TABLE_MARGIN;
    return columns[column].words || (columns[column - 1].words && !columns[column - 1].least)
               ? 2
               : layout->gap;
}

/* Whether no line is longer than the width. */
bool table_fits(const struct table_layout *layout)
{
    size_t width = layout->wrapped < layout->count && layout->any_doubt ? TABLE_MARK : 0, most = 0;
    for (size_t c = 0; c < layout->count; c++) {
        if (!layout->left_out[c])
            width += table_column_gap(layout, c) + (c == layout->wrapped
                                                        ? smaller(layout->figure[c], TABLE_WORDS)
                                                        : table_column_width(layout, c));
        most = larger(most, width + (layout->doubted[c] ? TABLE_MARK : 0));
    }
    return most <= layout->width;
}

/* With the blanks that columns ask for, or without. */
static void measure(struct table_layout *layout, bool blanks)
{
    const struct table *table = layout->table;
    char figure[CELL_TEXT], unit[CELL_TEXT], name[CLEAN_TEXT];
    size_t measured = 0;
    for (size_t c = 0; c < layout->count; c++)
        measured += table->columns[c].measured;
    layout->interval = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        const struct row *row = &table->rows[r];
        layout->interval = larger(layout->interval, strlen(table_interval(layout, row, figure)));
        if (!flag_doubts(row->flags) || !layout->count)
            continue;
        size_t last = layout->count - 1;
        while (last && (last == layout->wrapped || !*cell_text(&row->cells[last], figure)))
            last--;
        layout->doubted[last] = layout->any_doubt = true;
    }
    layout->interval =
        blanks && layout->interval ? larger(layout->interval, INTERVAL) : layout->interval;
    for (size_t c = 0; c < layout->count; c++) {
        const struct column *column = &table->columns[c];
        layout->figure[c] = blanks ? column->least : 0;
        layout->unit[c] = blanks && column->measured && measured > 1 ? UNIT_LEAST : 0;
        if (c || !table->title)
            layout->figure[c] = larger(layout->figure[c],
                                       clean_columns(clean_text(column->name, name, sizeof name)));
        for (size_t r = 0; r < table->row_count; r++) {
            table_split(table, &table->rows[r], c, figure, unit);
            const size_t depth = c ? 0 : TABLE_DEPTH * table->rows[r].depth;
            layout->figure[c] = larger(layout->figure[c], depth + clean_columns(figure));
            layout->unit[c] = larger(layout->unit[c], clean_columns(unit));
        }
    }
}

/* Leaves out columns until all fits, the highest rank first and none below `least`. */
static void leave_out(struct table_layout *layout, int least)
{
    while (!table_fits(layout)) {
        size_t worst = layout->count;
        for (size_t c = 0; c < layout->count; c++) {
            const int rank = layout->table->columns[c].rank;
            if (!layout->left_out[c] && rank >= least &&
                (worst == layout->count || rank > layout->table->columns[worst].rank))
                worst = c;
        }
        if (worst == layout->count)
            return;
        layout->left_out[worst] = true;
    }
}

/* The last resort: a first column of long texts has lines of its own, and every other column leaves
 * room for the first one beside it. */
static void cut(struct table_layout *layout)
{
    const size_t room = layout->width - 2 * TABLE_MARGIN - TABLE_MARK, first = room * 2 / 5;
    layout->interval = smaller(layout->interval, INTERVAL);
    const size_t rest = room - first - (layout->interval ? 1 + layout->interval : 0);
    layout->stacked = layout->table->columns[0].words && layout->figure[0] > first;
    layout->figure[0] =
        layout->stacked ? TABLE_STACKED - TABLE_MARGIN : smaller(layout->figure[0], first);
    for (size_t c = 1; c < layout->count; c++) {
        layout->figure[c] = smaller(layout->figure[c], layout->unit[c] ? rest * 2 / 3 : rest);
        layout->unit[c] = smaller(layout->unit[c], rest - rest * 2 / 3 - 1);
    }
}

void table_lay_out(struct table_layout *layout, const struct table *table, size_t width)
{
    *layout = (struct table_layout){.table = table,
                                    .width = width,
                                    .last_measured = TABLE_COLUMNS_MAX,
                                    .wrapped = TABLE_COLUMNS_MAX,
                                    .count = smaller(table->column_count, TABLE_COLUMNS_MAX)};
    for (size_t c = 0; c < layout->count; c++)
        layout->last_measured = table->columns[c].measured ? c : layout->last_measured;
    if (layout->count > 1 && table->columns[layout->count - 1].words)
        layout->wrapped = layout->count - 1;
    layout->gap = 1;
    measure(layout, true);
    leave_out(layout, COMPANY_RANK);
    if (!table_fits(layout)) {
        layout->gap = 2;
        measure(layout, false);
        leave_out(layout, 1);
        layout->gap = table_fits(layout) ? 2 : 1;
    }
    if (table_fits(layout) || !layout->count)
        return;
    cut(layout);
}

size_t table_part_end(const struct table_layout *layout, size_t from)
{
    size_t width = TABLE_MARGIN + layout->figure[0] + (layout->any_doubt ? TABLE_MARK : 0),
           end = from;
    for (; end < layout->count; end++) {
        width += layout->left_out[end] || end == layout->wrapped
                     ? 0
                     : table_column_gap(layout, end) + table_column_width(layout, end);
        if (width > layout->width && end > from)
            break;
    }
    return end;
}
