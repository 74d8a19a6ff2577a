/*
 * A document as Markdown, for issues and pull requests: GitHub's dialect, which has tables.
 *
 * A document may come from another person, and everybody who opens the issue sees its text rendered
 * as HTML, so no text of it may become markup, a link or the mention of a person.
 */
#include "base/clean.h"
#include "document/flag.h"
#include "show/render/output.h"
#include "show/render/parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* --- texts --- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The replacement of a character of inert text; NULL: none. */
static const char *replacement(const char *text, const char *at)
{
    static const struct {
        char c;
        const char *instead;
    } always[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\\', "\\\\"},
                  {'`', "\\`"},   {'*', "\\*"},  {'_', "\\_"},  {'[', "\\["},
                  {']', "\\]"},   {'|', "\\|"},  {'~', "\\~"},  {'$', "\\$"}};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (*at == always[i].c)
            return always[i].instead;
    /* "@name" would notify that person and "#12" would link to an issue: a blank prevents both. */
    if (*at == '@' && is_word(at[1]))
        return "@ ";
    if (*at == '#' && is_word(at[1]))
        return "\\# ";
    /* Bare addresses would become links. */
    if (*at == ':' && at[1] == '/')
        return "\\:";
    if (*at == '.' && at - text >= 3 && strncasecmp(at - 3, "www", 3) == 0)
        return "\\.";
    return NULL;
}

/* Text within a line. */
static void put_text(FILE *out, const char *text)
{
    char clean[sizeof(struct line)];
    clean_text(text, clean, sizeof clean);
    for (const char *at = clean; *at; at++) {
        const char *instead = replacement(clean, at);
        if (instead)
            fputs(instead, out);
        else
            fputc(*at, out);
    }
}

static void put_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    put_text(out, text);
    fputs(after, out);
}

/* Text at the start of a line: escaped so that it begins no list, heading, rule or code. */
static void put_line(FILE *out, const char *text)
{
    text = text ? text : "";
    text += strspn(text, " ");
    const size_t digits = strspn(text, "0123456789");
    if (digits && text[digits] && strchr(".)", text[digits]) && strchr(" ", text[digits + 1])) {
        fprintf(out, "%.*s\\%c", (int)digits, text, text[digits]);
        text += digits + 1;
    } else if (*text && strchr("-+=#", *text)) {
        fprintf(out, "\\%c", *text++);
    }
    put_text(out, text);
}

static void put_paragraph(FILE *out, const char *text)
{
    if (!text)
        return;
    put_line(out, text);
    fputs("\n\n", out);
}

/* --- tables --- */

static void put_cell(FILE *out, const struct cell *cell)
{
    char text[CELL_TEXT];
    if (cell->form == FORM_TEXT) { /* of any length */
        put_text(out, cell->text);
        return;
    }
    put_text(out, cell_text(cell, text));
    if (isfinite(cell_half(cell)))
        fprintf(out, " ± %s %%", figure_percent(cell->value, cell->low, cell->high, text));
}

static void put_head(FILE *out, const struct table *table, bool words)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        fputs(c ? " " : "| ", out);
        put_text(out, column->name);
        if (column->remark)
            put_between(out, " (", column->remark, ")");
        fputs(" |", out);
    }
    fputs(words ? "  |\n|" : "\n|", out);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->columns[c].words ? " :-- |" : " --: |", out);
    fputs(words ? " :-- |\n" : "\n", out);
}

static void put_row(FILE *out, const struct table *table, const struct row *row, bool words)
{
    /* The mark of a doubt follows the last cell that is not empty. */
    size_t last = table->column_count ? table->column_count - 1 : 0;
    while (last && cell_is_empty(&row->cells[last]))
        last--;
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " " : "| ", out);
        for (size_t i = 0; i < row->depth && c == 0; i++)
            fputs("&emsp;", out);
        put_cell(out, &row->cells[c]);
        if (c == last && row->note)
            fprintf(out, " (%u)", row->note);
        fputs(" |", out);
    }
    if (words) {
        put_between(out, " ", row->words, row->words && row->sentence ? "; " : "");
        put_between(out, "", row->sentence, " |");
    }
    fputc('\n', out);
}

/* `level`: of the heading made from its title. */
static void put_table(FILE *out, const struct table *table, int level)
{
    bool words = false;
    for (size_t r = 0; r < table->row_count; r++)
        words = words || table->rows[r].words || table->rows[r].sentence;
    if (table->title) {
        fprintf(out, "%.*s ", level, "######");
        put_text(out, table->title);
        fputs("\n\n", out);
    }
    put_paragraph(out, table->legend);
    if (table->row_count) {
        put_head(out, table, words);
        for (size_t r = 0; r < table->row_count; r++)
            put_row(out, table, &table->rows[r], words);
        fputc('\n', out);
    }
    put_paragraph(out, table->more);
}

/* --- matrices --- */

enum { COLUMNS_MAX = 16 };

static void put_square(FILE *out, const struct square *square, const struct matrix *matrix)
{
    char name[SQUARE_NAME];
    const struct values values = values_of(matrix);
    const int decimals = square_decimals(values.most / values.scale.divisor);
    fprintf(out, "| %s |", square->rows ? "" : "CPUs |");
    for (size_t c = 0; c < square->column_count; c++)
        fprintf(out, " %s |", square_column_name(square, c, name));
    fputs(square->rows ? "\n| --: |" : "\n| --: | :-- |", out);
    for (size_t c = 0; c < square->column_count; c++)
        fputs(" --: |", out);
    fputc('\n', out);
    for (size_t r = 0; r < square->row_count; r++) {
        fprintf(out, "| %s |", square_row_name(square, r, name));
        if (!square->rows)
            put_between(out, " ", square->labels[r], " |");
        for (size_t c = 0; c < square->column_count; c++) {
            const struct pair_cell *cell = &square->cells[r * square->column_count + c];
            if (cell->kind == PAIR_VALUE)
                fprintf(out, " %.*f%s |", decimals, (double)cell->value / values.scale.divisor,
                        cell->doubt ? " !" : "");
            else
                fprintf(out, " %s |",
                        cell->kind == PAIR_ITSELF    ? "-"
                        : cell->kind == PAIR_MISSING ? matrix->absent
                                                     : "");
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* As numbers if they are few, by groups of CPUs if there are groups, else as shades. */
static void put_matrix(FILE *out, const struct matrix *matrix, struct pool *pool)
{
    static const struct text_style plain = {.width = 80};
    const struct square *square = matrix->square;
    for (size_t i = 0; i < matrix->grouping_count && square->column_count > COLUMNS_MAX; i++)
        if (square == matrix->square || matrix->groupings[i]->column_count < square->column_count)
            square = matrix->groupings[i];
    if (!square) {
        put_table(out, &matrix->pairs, 3);
    } else if (square->column_count <= COLUMNS_MAX) {
        put_square(out, square, matrix);
    } else {
        const struct values values = values_of(matrix);
        fputs("```text\n", out);
        square_print_heat(out, matrix->square, &values, &plain, pool);
        fputs("```\n\n", out);
    }
    if (square && !square->rows)
        put_paragraph(
            out, "A number is the median of all pairs, both ways, within a group or between two.");
    put_paragraph(out, matrix->missing);
    put_paragraph(out, matrix->spread);
    put_paragraph(out, matrix->closing);
    put_paragraph(out, matrix->clusters);
}

/* --- the other blocks --- */

static void put_heading(FILE *out, const struct heading *heading)
{
    struct line factors = {0};
    fprintf(out, "%.*s ", heading->level, "######");
    put_text(out, heading->title);
    fputs("\n\n", out);
    for (size_t i = 0; i < heading->factor_count; i++)
        line_add_factors(&factors, heading->factors[i], 1);
    if (heading->text || factors.length || heading->aside) {
        put_line(out, heading->text);
        if (factors.length)
            put_between(out, heading->text ? " (" : "(", factors.text, ")");
        if (heading->aside)
            put_between(out, ", ", heading->aside, "");
        fputs("\n\n", out);
    }
    put_paragraph(out, heading->below);
    put_paragraph(out, heading->warning);
}

static void put_facts(FILE *out, const struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        /* An empty label continues the fact before. */
        fputs(fact->label && !*fact->label && i ? "  - " : "- ", out);
        if (fact->label && *fact->label) {
            put_line(out, fact->label);
            fputs(": ", out);
        }
        put_line(out, fact->text);
        if (fact->note)
            fprintf(out, " (%u)", fact->note);
        fputc('\n', out);
    }
    fputs(facts->count ? "\n" : "", out);
    put_paragraph(out, facts->more);
}

static void put_block(FILE *out, const struct report *report, size_t index)
{
    const struct block *block = &report->list[index];
    struct line line = {0};
    switch (block->kind) {
    case BLOCK_VERDICT:
        if (block->verdict.sentence)
            put_between(out, "**", block->verdict.sentence, "**\n\n");
        put_paragraph(out, block->verdict.meaning);
        break;
    case BLOCK_HEADING:
        put_heading(out, &block->heading);
        break;
    case BLOCK_FACTS:
        put_facts(out, &block->facts);
        break;
    case BLOCK_TABLE:
        put_table(out, &block->table, block->probe || block->device >= 0 ? 3 : 2);
        break;
    case BLOCK_CURVE:
        put_table(out, &block->curve.points, 3);
        break;
    case BLOCK_MATRIX:
        put_matrix(out, &block->matrix, report->pool);
        break;
    case BLOCK_NOTE:
        fputs("- ", out);
        if (block->note.number)
            fprintf(out, "(%u) ", block->note.number);
        line_add_note(&line, &block->note);
        put_line(out, line.text);
        /* Consecutive notes are one list. */
        fputs(index + 1 < report->count && block[1].kind == BLOCK_NOTE ? "\n" : "\n\n", out);
        break;
    case BLOCK_DIFFERENCES:
        break;
    }
}

static void write_markdown(FILE *out, const struct output_content *content, struct pool *pool)
{
    struct report report;
    if (content->probe)
        report_build_probe(&report, pool, content->documents, content->probe);
    else
        report_build_all(&report, pool, content->documents);
    for (size_t i = 0; i < report.count; i++)
        put_block(out, &report, i);
}

const struct output markdown_output = {
    .name = "markdown",
    .help = "the screen and short tables, to be pasted into an issue",
    .place = 15,
    .write = write_markdown,
};
