/*
 * A table as lines of text. In their columns texts are aligned left and figures right. Measured
 * values have one column for figures and one for units, and after the last of them is a column with
 * the widest interval of the row. A last column of texts takes the remaining width and is wrapped.
 */
#include "base/clean.h"
#include "show/render/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TABLE_COLUMNS_MAX = 64,
    TABLE_MARGIN = 2,
    TABLE_NOTE = 3,    /* columns of the number of a note after a row */
    TABLE_DEPTH = 2,   /* indent of a row of a tree below its parent */
    TABLE_STACKED = 4, /* indent of figures below a text on a line of its own */
    TABLE_WORDS = 12,  /* minimum width of wrapped texts */
    SENTENCE = 6,      /* indent of a sentence below a row */
    UNIT_LEAST = 6,    /* width of units if several columns have them */
    INTERVAL = 8,
    COMPANY_RANK = 5 /* columns of this rank and above are left out before blanks */
};

struct table_layout {
    const struct table *table;
    FILE *out;
    const struct text_style *style;
    size_t count, width;
    /* Widths of the figure or text and of its unit; unit 0: the figure includes it. */
    size_t figure[TABLE_COLUMNS_MAX], unit[TABLE_COLUMNS_MAX];
    bool left_out[TABLE_COLUMNS_MAX];
    size_t last_measured; /* the interval follows it; TABLE_COLUMNS_MAX: none */
    size_t interval;      /* width */
    size_t wrapped;       /* the last column, if of texts; TABLE_COLUMNS_MAX: none */
    size_t gap, note_gap; /* blanks before a column, and before the number of a note */
    bool stacked;         /* the first column is on lines of its own */
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- the shown columns and their widths --- */

/* Half of the widest interval in the row, in percent of its value; "": none. */
static const char *interval_of(const struct table_layout *layout, const struct row *row,
                               char text[CELL_TEXT])
{
    char percent[UNIT_TEXT];
    double most = -1;
    for (size_t c = 0; c < layout->count; c++)
        if (layout->table->columns[c].measured)
            most = fmax(most, cell_half(&row->cells[c]));
    text[0] = '\0';
    if (most >= 0)
        snprintf(text, CELL_TEXT, "±%s %%", figure_percent(1, 1 - most, 1 + most, percent));
    return text_in_style(layout->style, text);
}

static void split(const struct table_layout *layout, const struct row *row, size_t column,
                  char figure[CELL_TEXT], char unit[CELL_TEXT])
{
    const struct table *table = layout->table;
    text_in_style(layout->style, cell_text(&row->cells[column], figure));
    unit[0] = '\0';
    char *blank = table->columns[column].measured && row->cells[column].form != FORM_TEXT
                      ? strchr(figure, ' ')
                      : NULL;
    if (!blank)
        return;
    strcpy(unit, blank + 1);
    *blank = '\0';
}

/* The width of a shown column, without the blank before it. */
static size_t width_of(const struct table_layout *layout, size_t column)
{
    return layout->figure[column] + (layout->unit[column] ? 1 + layout->unit[column] : 0) +
           (column == layout->last_measured && layout->interval ? 1 + layout->interval : 0);
}

/* The blanks before a column: two before texts, and two after texts without a minimum width. */
static size_t gap_of(const struct table_layout *layout, size_t column)
{
    const struct column *columns = layout->table->columns;
    if (column == 0)
        return TABLE_MARGIN;
    return columns[column].words || (columns[column - 1].words && !columns[column - 1].least)
               ? 2
               : layout->gap;
}

/* The width that numbers of notes take behind the rows. */
static size_t notes_width(const struct table_layout *layout)
{
    for (size_t r = 0; r < layout->table->row_count; r++)
        if (layout->table->rows[r].note)
            return TABLE_NOTE + layout->note_gap;
    return 0;
}

/* Whether all lines fit the width. */
static bool fits(const struct table_layout *layout)
{
    size_t width = notes_width(layout), most = 0;
    for (size_t c = 0; c < layout->count; c++) {
        if (!layout->left_out[c])
            width +=
                gap_of(layout, c) + (c == layout->wrapped ? smaller(layout->figure[c], TABLE_WORDS)
                                                          : width_of(layout, c));
        most = larger(most, width);
    }
    return most <= layout->width;
}

/* Measures all columns, with or without the minimum widths that they request. */
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
        layout->interval =
            larger(layout->interval, clean_columns(interval_of(layout, row, figure)));
    }
    layout->interval =
        blanks && layout->interval ? larger(layout->interval, INTERVAL) : layout->interval;
    for (size_t c = 0; c < layout->count; c++) {
        const struct column *column = &table->columns[c];
        layout->figure[c] = blanks ? column->least : 0;
        layout->unit[c] = blanks && column->measured && measured > 1 ? UNIT_LEAST : 0;
        if (c || !table->title)
            layout->figure[c] =
                larger(layout->figure[c],
                       clean_columns(text_in_style(layout->style,
                                                   clean_text(column->name, name, sizeof name))));
        for (size_t r = 0; r < table->row_count; r++) {
            split(layout, &table->rows[r], c, figure, unit);
            const size_t depth = c ? 0 : TABLE_DEPTH * table->rows[r].depth;
            layout->figure[c] = larger(layout->figure[c], depth + clean_columns(figure));
            layout->unit[c] = larger(layout->unit[c], clean_columns(unit));
        }
    }
}

/* Leaves out columns until the rest fits, highest rank first, none of a rank below `least`. */
static void leave_out(struct table_layout *layout, int least)
{
    while (!fits(layout)) {
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

/* If the table does not fit the width: columns of the highest ranks are left out, then blanks
 * are removed, then columns are left out by rank, and last the first column is put on lines of
 * its own. */
static void lay_out(struct table_layout *layout, const struct table *table, FILE *out,
                    const struct text_style *style)
{
    *layout = (struct table_layout){.table = table,
                                    .out = out,
                                    .style = style,
                                    .width = (size_t)style->width,
                                    .last_measured = TABLE_COLUMNS_MAX,
                                    .wrapped = TABLE_COLUMNS_MAX,
                                    .count = smaller(table->column_count, TABLE_COLUMNS_MAX)};
    for (size_t c = 0; c < layout->count; c++)
        layout->last_measured = table->columns[c].measured ? c : layout->last_measured;
    if (layout->count > 1 && table->columns[layout->count - 1].words)
        layout->wrapped = layout->count - 1;
    layout->gap = 1;
    layout->note_gap = 2;
    measure(layout, true);
    leave_out(layout, COMPANY_RANK);
    if (!fits(layout)) {
        layout->gap = 2;
        measure(layout, false);
        leave_out(layout, 1);
        layout->gap = layout->note_gap = fits(layout) ? 2 : 1;
    }
    if (!fits(layout) && layout->count) {
        /* The last resort: a first column of long texts is put on lines of its own, and every other
         * column is limited so that it fits next to the first. */
        const size_t room = layout->width - 2 * TABLE_MARGIN - TABLE_NOTE - layout->note_gap,
                     first = room * 2 / 5;
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
}

static size_t part_end(const struct table_layout *layout, size_t from)
{
    size_t width = TABLE_MARGIN + layout->figure[0] + notes_width(layout), end = from;
    for (; end < layout->count; end++) {
        if (!layout->left_out[end])
            width += gap_of(layout, end) + (end == layout->wrapped
                                                ? smaller(layout->figure[end], TABLE_WORDS)
                                                : width_of(layout, end));
        if (width > layout->width && end > from)
            break;
    }
    return end;
}

/* --- lines --- */

/* A line being written. Blanks are written only when text follows. */
struct pen {
    FILE *out;
    const struct text_style *style;
    size_t column, blanks;
};

static void pen_move(struct pen *pen, size_t columns)
{
    pen->blanks += columns;
}

static void pen_text(struct pen *pen, enum ink colour, const char *text)
{
    if (!*text)
        return;
    fprintf(pen->out, "%*s%s%s%s", (int)pen->blanks, "",
            colour == INK_PLAIN ? "" : ink(pen->style, colour), text,
            colour == INK_PLAIN ? "" : ink(pen->style, INK_PLAIN));
    pen->column += pen->blanks + clean_columns(text);
    pen->blanks = 0;
}

/* Writes the text, padded to `columns`; a longer text is cut and ends with "...". */
static void pen_padded(struct pen *pen, enum ink colour, size_t columns, char *text, bool right)
{
    size_t own = clean_columns(text);
    if (own > columns) {
        size_t bytes = 0;
        for (size_t kept = 0; kept < columns && text[bytes]; bytes++)
            kept += ((unsigned char)text[bytes + 1] & 0xc0) != 0x80;
        text[bytes] = '\0';
        for (size_t i = 0; i < 3 && i < bytes; i++)
            text[bytes - 1 - i] = '.';
        own = clean_columns(text);
    }
    const size_t gap = own < columns ? columns - own : 0;
    pen_move(pen, right ? gap : 0);
    pen_text(pen, colour, text);
    pen_move(pen, right ? 0 : gap);
}

/* "▕█████▍  ▏": the whole width stands for 1. */
static void pen_bar(struct pen *pen, double share, size_t columns)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    enum { EIGHTHS = 8 };
    const bool blocks = pen->style->blocks;
    const size_t inside = columns > 2 ? columns - 2 : 1;
    const size_t eighths =
        share > 0 ? (size_t)lround(fmin(1, share) * (double)(inside * EIGHTHS)) : 0;
    struct line line = {0};
    line_add(&line, "%s", blocks ? "▕" : "[");
    for (size_t i = 0; i < inside; i++) {
        const size_t left = eighths > i * EIGHTHS ? eighths - i * EIGHTHS : 0;
        line_add(&line, "%s",
                 left >= EIGHTHS                  ? blocks ? "█" : "#"
                 : blocks && left                 ? parts[left]
                 : !blocks && left >= EIGHTHS / 2 ? "#"
                                                  : " ");
    }
    line_add(&line, "%s", blocks ? "▏" : "]");
    pen_text(pen, INK_PLAIN, line.text);
    pen->blanks = 0;
}

/* --- rows --- */

/* The text of the last column, at the end of the line or below it, and the end of the line. */
static void draw_words(struct pen *pen, const struct table_layout *layout, const char *words)
{
    struct line line = {0};
    line_add_clean(&line, words);
    const size_t at = pen->column + pen->blanks;
    const size_t columns = clean_columns(line.text);
    const bool below =
        at + columns > layout->width && at + smaller(columns, 2 * TABLE_WORDS) > layout->width;
    if (!line.length || below)
        fputc('\n', pen->out);
    if (!line.length)
        return;
    const size_t indent = below ? SENTENCE : at;
    fprintf(pen->out, "%*s", (int)(below ? SENTENCE : pen->blanks), "");
    text_print_wrapped(pen->out, pen->style, indent, line.text);
}

/* The row's experiment, at the end of the line if it fits, else below; then the end of the line. */
static void draw_origin(struct pen *pen, const struct table_layout *layout, const char *words)
{
    struct line line = {0};
    line_add_clean(&line, words);
    const bool behind = pen->column + 2 + clean_columns(line.text) <= layout->width;
    if (line.length && behind)
        fprintf(pen->out, "  %s", line.text);
    fputc('\n', pen->out);
    if (!line.length || behind)
        return;
    const size_t indent =
        layout->stacked ? TABLE_STACKED : smaller(TABLE_MARGIN + layout->figure[0], SENTENCE * 2);
    fprintf(pen->out, "%*s", (int)indent, "");
    text_print_wrapped(pen->out, pen->style, indent, line.text);
}

static void draw_cell(struct pen *pen, const struct table_layout *layout, const struct row *row,
                      size_t c)
{
    char figure[CELL_TEXT], unit[CELL_TEXT];
    split(layout, row, c, figure, unit);
    pen_move(pen, gap_of(layout, c));
    if (row->cells[c].form == FORM_SHARE) {
        pen_bar(pen, row->cells[c].value, layout->figure[c]);
        return;
    }
    pen_padded(pen, row->cells[c].mark ? INK_WARN : INK_PLAIN, layout->figure[c], figure,
               !layout->table->columns[c].words);
    if (layout->unit[c]) {
        pen_move(pen, 1);
        pen_padded(pen, INK_PLAIN, layout->unit[c], unit, false);
    }
    if (c == layout->last_measured && layout->interval) {
        pen_move(pen, 1);
        interval_of(layout, row, figure);
        pen_padded(pen, INK_PLAIN, layout->interval, figure, false);
    }
}

/* Draws the first column and columns `from` to `to` (exclusive). */
static void draw_row(const struct table_layout *layout, const struct row *row, size_t from,
                     size_t to)
{
    struct pen pen = {.out = layout->out, .style = layout->style};
    const bool ends = to == layout->count;
    char text[CELL_TEXT];
    const size_t depth = TABLE_DEPTH * row->depth;
    cell_text(&row->cells[0], text);
    pen_move(&pen, TABLE_MARGIN + depth);
    if (layout->stacked && *text) {
        fprintf(pen.out, "%*s", (int)pen.blanks, "");
        text_print_wrapped(pen.out, pen.style, pen.blanks, text);
    }
    if (layout->stacked)
        pen.blanks = TABLE_STACKED;
    else
        pen_padded(&pen, INK_PLAIN, layout->figure[0] > depth ? layout->figure[0] - depth : 0, text,
                   !layout->table->columns[0].words);
    for (size_t c = from; c < to; c++)
        if (!layout->left_out[c] && c != layout->wrapped)
            draw_cell(&pen, layout, row, c);
    const bool wraps = ends && layout->wrapped < to && !layout->left_out[layout->wrapped];
    if (ends && row->note) {
        char number[16];
        snprintf(number, sizeof number, "[%u]", row->note);
        pen_move(&pen, layout->note_gap);
        pen_text(&pen, INK_WARN, number);
    }
    if (wraps) {
        pen_move(&pen, 2);
        draw_words(&pen, layout, row->cells[layout->wrapped].text);
    }
    if (!wraps || row->words)
        draw_origin(&pen, layout, ends ? row->words : NULL);
    if (!row->sentence || !ends)
        return;
    fprintf(layout->out, "%*s", SENTENCE, "");
    draw_sentence(layout->out, row->sentence, SENTENCE, layout->style);
}

/* --- the names of the columns --- */

/* The title replaces the first column's name. Names that it would displace are below it. */
static void draw_head(const struct table_layout *layout, const char *title, size_t from, size_t to)
{
    const struct table *table = layout->table;
    const enum ink colour = table->title ? INK_PLAIN : INK_DIM;
    struct pen pen = {.out = layout->out, .style = layout->style};
    char text[CELL_TEXT];
    size_t at = TABLE_MARGIN + layout->figure[0];
    const size_t indent = strspn(title, " "), titled = clean_columns(title);
    const bool wraps = titled > layout->width;
    if (wraps) {
        fprintf(pen.out, "%*s%s", (int)indent, "", ink(pen.style, INK_BOLD));
        text_print_wrapped(pen.out, pen.style, indent, title + indent);
        fputs(ink(pen.style, INK_PLAIN), pen.out);
    } else if (table->title) {
        pen_move(&pen, indent);
        pen_text(&pen, INK_BOLD, title + indent);
    } else if (!layout->stacked) {
        pen_move(&pen, TABLE_MARGIN);
        pen_padded(&pen, colour, layout->figure[0],
                   clean_text(table->columns[0].name, text, CELL_TEXT), !table->columns[0].words);
    }
    for (size_t c = from; c < to; c++) {
        const struct column *column = &table->columns[c];
        if (layout->left_out[c])
            continue;
        at += gap_of(layout, c);
        const bool follows = c > 1 && column->measured && table->columns[c - 1].measured;
        text_in_style(layout->style, clean_text(follows ? NULL : column->name, text, CELL_TEXT));
        const size_t own = clean_columns(text), width = layout->figure[c];
        const size_t begin = at + (column->words || own > width ? 0 : width - own);
        if (*text) {
            if (table->title && begin <= titled && pen.column == titled) {
                fputc('\n', pen.out);
                pen.column = 0;
            }
            pen.blanks = begin > pen.column ? begin - pen.column : 1;
            pen_padded(&pen, colour, larger(width, own), text, false);
            pen.blanks = 0;
        }
        at += width_of(layout, c);
    }
    if (pen.column || !wraps)
        fputc('\n', layout->out);
}

/* --- all of it --- */

static void draw_part(const struct table_layout *layout, const char *title, size_t from, size_t to)
{
    const struct table *table = layout->table;
    if (table->legend) {
        fprintf(layout->out, "%s  ", ink(layout->style, INK_DIM));
        draw_sentence(layout->out, table->legend, 2, layout->style);
        fputs(ink(layout->style, INK_PLAIN), layout->out);
    }
    bool names = table->title;
    for (size_t c = 0; c < table->column_count; c++)
        names = names || table->columns[c].name;
    if (layout->count && names)
        draw_head(layout, title, from, to);
    for (size_t r = 0; r < table->row_count; r++)
        draw_row(layout, &table->rows[r], from, to);
}

void draw_table(FILE *out, const struct table *table, bool within, const struct text_style *style)
{
    struct table_layout layout;
    struct line title = {0};
    lay_out(&layout, table, out, style);
    line_add(&title, "%s", within && table->title ? "  " : "");
    line_add_clean(&title, table->title);
    if (table->title && !within)
        fputc('\n', out);
    /* A table that does not fit is split into parts with about equally many columns, so that the
     * last is not left with one. */
    const bool whole = fits(&layout) || layout.count < 2;
    size_t parts = 0;
    for (size_t c = 1; c < layout.count && !whole; c = part_end(&layout, c))
        parts++;
    const size_t each = parts ? (layout.count - 1 + parts - 1) / parts : 0;
    if (whole)
        draw_part(&layout, title.text, 1, layout.count);
    for (size_t from = 1, to; from < layout.count && !whole; from = to) {
        to = smaller(from + each, part_end(&layout, from));
        if (from > 1)
            fputc('\n', out);
        draw_part(&layout, title.text, from, to);
    }
    draw_more(out, table->more, style);
}
