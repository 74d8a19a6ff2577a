/*
 * A document as Markdown, for issues and pull requests: the screen as it is, in a fence, and below
 * it the findings as tables of GitHub's dialect.
 *
 * A document may come from another person, and everybody who opens the issue sees its text rendered
 * as HTML, so no text of it may become markup, a link or the mention of a person.
 */
#include "base/clean.h"
#include "show/render/output.h"
#include "show/render/parts.h"

#include <ctype.h>
#include <math.h>
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

static void put_table(FILE *out, const struct probe_result *probe, const struct table *table)
{
    fputs("\n## ", out);
    put_text(out, probe->name);
    fputs(": ", out);
    put_text(out, table->title);
    fputs("\n\n", out);
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " " : "| ", out);
        put_text(out, table->columns[c].name);
        fputs(" |", out);
    }
    fputs("  |\n|", out);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->columns[c].words ? " :-- |" : " --: |", out);
    fputs(" :-- |\n", out);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct row *row = &table->rows[r];
        for (size_t c = 0; c < table->column_count; c++) {
            fputs(c ? " " : "| ", out);
            for (size_t i = 0; i < row->depth && c == 0; i++)
                fputs("&emsp;", out);
            put_cell(out, &row->cells[c]);
            fputs(" |", out);
        }
        fputc(' ', out);
        put_text(out, row->words);
        fputs(row->words && row->sentence ? "; " : "", out);
        put_text(out, row->sentence);
        fputs(" |\n", out);
    }
}

/* No line of the screen is as long as its fence, so none can end it. */
static void put_fence(FILE *out, int width)
{
    for (int i = 0; i <= width; i++)
        fputc('~', out);
    fputc('\n', out);
}

static void write_markdown(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct text_style style = {.width = 80, .blocks = true};
    const struct document *document = content->documents[0];
    struct report report;
    put_fence(out, style.width);
    draw_screen(out, &report, content, &style, pool);
    put_fence(out, style.width);
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        const size_t before = report.count;
        report_add_findings(&report, 0, probe);
        report_add_clusters(&report, 0, probe);
        for (size_t i = before; i < report.count; i++)
            if (report.list[i].kind == BLOCK_TABLE)
                put_table(out, probe, &report.list[i].table);
    }
}

const struct output markdown_output = {
    .name = "markdown",
    .help = "the screen and a table of findings, to be pasted into an issue",
    .place = 15,
    .write = write_markdown,
};
