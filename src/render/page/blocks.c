/* Blocks of a report as HTML: tables, facts, headings, notes. */
#include "render/page/page.h"

static void put_remark(FILE *out, const char *class, const char *text)
{
    if (!text)
        return;
    fprintf(out, " <small class=%s>", class);
    html_text(out, text);
    fputs("</small>", out);
}

/* --- tables --- */

static void put_cell(FILE *out, const struct cell *cell)
{
    char text[CELL_TEXT];
    if (cell->finding)
        html_finding_value(out, cell->finding);
    else
        html_text(out, cell_text(cell, text));
}

static bool is_empty(const struct cell *cell)
{
    return cell->form == FORM_TEXT && !cell->text;
}

/* Whether any row has something in that column. */
static bool is_filled(const struct table *table, size_t column)
{
    for (size_t i = 0; i < table->row_count; i++)
        if (!is_empty(&table->rows[i].cells[column]))
            return true;
    return false;
}

static void put_row(FILE *out, const struct table *table, const struct row *row)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (!is_filled(table, i))
            continue;
        fputs(i > 0                     ? table->columns[i].words ? "<td class=words>" : "<td>"
              : table->columns[0].words ? "\n<tr><th scope=row>"
                                        : "\n<tr><th scope=row class=figures>",
              out);
        put_cell(out, &row->cells[i]);
        if (i == 0)
            put_remark(out, "experiment", row->words);
    }
}

static void put_more(FILE *out, const char *more)
{
    if (!more)
        return;
    fputs("<p class=more>", out);
    html_text(out, more);
    fputs("</p>\n", out);
}

/* "depth of gpu0 (DRAM): how far away each level is" */
static void add_title(struct line *line, const struct block *block)
{
    const struct table *table = &block->table;
    line_add(line, "%s", table->title ? table->title : "table");
    if (block->device >= 0)
        line_add(line, " of gpu%d", block->device);
    if (table->remark)
        line_add(line, " (%s)", table->remark);
}

static void put_table(FILE *out, const struct block *block)
{
    const struct table *table = &block->table;
    struct line title = {0};
    add_title(&title, block);
    fputs("<div class=scroll tabindex=0 role=region aria-label=\"", out);
    html_text(out, title.text);
    fputs("\"><table class=datasheet><caption><b>", out);
    html_text(out, title.text);
    fputs(table->caption ? "</b>: " : "</b>", out);
    html_text(out, table->caption);
    fputs("</caption><thead><tr>", out);
    for (size_t i = 0; i < table->column_count; i++) {
        if (!is_filled(table, i))
            continue;
        fputs(table->columns[i].words ? "<th scope=col class=words>" : "<th scope=col>", out);
        html_text(out, table->columns[i].name);
        put_remark(out, "remark", table->columns[i].remark);
    }
    fputs("<tbody>", out);
    for (size_t i = 0; i < table->row_count; i++)
        put_row(out, table, &table->rows[i]);
    fputs("</table></div>\n", out);
    put_more(out, table->more);
}

/* --- facts, headings, notes --- */

static void put_facts(FILE *out, const struct facts *facts)
{
    char text[CELL_TEXT];
    fputs("<dl class=facts>\n", out);
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        if (fact->label || i == 0) {
            fputs("<dt>", out);
            html_name(out, fact->label);
        }
        fputs("<dd>", out);
        if (fact->value.finding)
            html_finding_value(out, fact->value.finding);
        else
            html_text(out, fact->text ? fact->text : cell_text(&fact->value, text));
        put_remark(out, "experiment", fact->words);
        fputs("\n", out);
    }
    fputs("</dl>\n", out);
    put_more(out, facts->more);
}

static void put_heading(FILE *out, const struct heading *heading)
{
    fputs("<h3>", out);
    html_text(out, heading->title);
    fputs(heading->text ? ": " : "", out);
    html_text(out, heading->text);
    fputs("</h3>\n", out);
    if (!heading->warning)
        return;
    fputs("<p class=\"trust doubtful\"><strong>", out);
    html_text(out, heading->warning);
    fputs("</strong></p>\n", out);
}

void html_note(FILE *out, const struct note *note)
{
    static const char *const classes[] = {
        [NOTE_DISAGREEMENT] = "disagreement", [NOTE_DOUBT] = "doubtful", [NOTE_REMARK] = "remark"};
    const bool whole = !note->whom && !note->remedy;
    fprintf(out, "<li class=%s>%s", classes[note->kind], whole ? "" : "<strong>");
    html_sentence(out, note->what);
    fputs(whole ? "" : "</strong>", out);
    if (note->whom) {
        fputs(" <span class=whom>", out);
        html_sentence(out, note->whom);
        fputs("</span>", out);
    }
    if (note->remedy) {
        fputs(" <span class=remedy>", out);
        html_sentence(out, note->remedy);
        fputs("</span>", out);
    }
    fputs("\n", out);
}

static void put_notes(FILE *out, const struct report *report, size_t index)
{
    bool any = false;
    for (size_t i = 0; i < report->count; i++) {
        const struct block *block = &report->list[i];
        if (block->document != index || block->kind != BLOCK_NOTE)
            continue;
        if (!any)
            fprintf(out,
                    "<section class=know aria-labelledby=know-%zu><h3 id=know-%zu>To know</h3>\n"
                    "<ul>\n",
                    index, index);
        any = true;
        html_note(out, &block->note);
    }
    fputs(any ? "</ul></section>\n" : "", out);
}

const struct verdict_block *html_verdict(const struct report *report, size_t index)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->list[i].document == index && report->list[i].kind == BLOCK_VERDICT)
            return &report->list[i].verdict;
    return NULL;
}

void html_sheet(FILE *out, const struct report *report, size_t count, size_t index)
{
    const struct verdict_block *verdict = html_verdict(report, index);
    fprintf(out, "<section class=sheet%s>\n", count > 1 ? "" : " aria-label=Datasheet");
    if (count > 1) {
        fputs("<p class=host>", out);
        html_document(out, report->catalogue.documents, count, index);
        fputs("</p>\n", out);
    }
    for (size_t i = 0; i < report->count; i++) {
        const struct block *block = &report->list[i];
        if (block->document != index || block->section < SECTION_DEPTH ||
            block->section > SECTION_DEVICE)
            continue;
        if (block->kind == BLOCK_TABLE)
            put_table(out, block);
        else if (block->kind == BLOCK_FACTS)
            put_facts(out, &block->facts);
        else if (block->kind == BLOCK_HEADING)
            put_heading(out, &block->heading);
    }
    if (verdict && verdict->meaning) {
        fputs("<p class=more>", out);
        html_sentence(out, verdict->meaning);
        fputs("</p>\n", out);
    }
    put_notes(out, report, index);
    fputs("</section>\n", out);
}
