/* Blocks of a report as HTML: tables, facts, headings, notes, and every point of a chart. */
#include "document/flag.h"
#include "show/render/page/page.h"

#include <math.h>

static void put_remark(FILE *out, const char *class, const char *text)
{
    if (text)
        html_print(out, " <small class=%s>%s</small>", class, text);
}

/* The number of a note. */
static void put_number(FILE *out, unsigned note)
{
    if (note)
        fprintf(out, " <b class=note>[%u]</b>", note);
}

/* --- tables --- */

/* A cell: its figure and unit, and for a finding also its doubt and interval. */
static void put_cell(FILE *out, const struct cell *cell)
{
    char text[CELL_TEXT];
    html_text(out, cell_text(cell, text));
    if (!cell->finding)
        return;
    if (cell_half(cell) > 0)
        fprintf(out, " <small>±%s&nbsp;%%</small>",
                figure_percent(cell->value, cell->low, cell->high, text));
}

static void put_row(FILE *out, const struct table *table, const struct row *row, bool sentences,
                    const bool *filled)
{
    fputs(table->columns[0].words ? "\n<tr><th scope=row>" : "\n<tr><th scope=row class=figures>",
          out);
    for (size_t i = 0; i < row->depth; i++)
        fputs("&emsp;", out);
    fputs(row->line ? "<details class=meaning><summary>" : "", out);
    put_cell(out, &row->cells[0]);
    put_number(out, row->note);
    put_remark(out, "experiment", row->words);
    if (row->line) /* the explanation is folded, to keep the table short */
        html_print(out, "</summary><p>%s%s%s<p>%s</details>", row->line->meaning,
                   row->line->moves ? " " : "", row->line->moves, row->line->advice);
    for (size_t i = 1; i < table->column_count; i++) {
        if (!filled[i])
            continue;
        fputs(row->cells[i].stands_out  ? "<td class=changed>"
              : table->columns[i].words ? "<td class=words>"
                                        : "<td>",
              out);
        if (table->columns[i].flags)
            html_flags(out, row->flags);
        else
            put_cell(out, &row->cells[i]);
    }
    if (!sentences)
        return;
    fputs("<td class=words>", out);
    html_sentence(out, row->sentence);
    fputs(row->sentence && row->flags ? " · " : "", out);
    html_flags(out, row->flags);
}

static void put_more(FILE *out, const char *more)
{
    if (more)
        html_print(out, "<p class=more>%s</p>\n", more);
}

void html_table(FILE *out, const struct table *table, const char *class, const char *title)
{
    /* Sentences about rows, with the names of their flags, have a column of their own. */
    bool sentences = false;
    const size_t columns =
        table->column_count < HTML_COLUMNS_MAX ? table->column_count : HTML_COLUMNS_MAX;
    bool filled[HTML_COLUMNS_MAX];
    struct table shown = *table;
    shown.column_count = columns;
    for (size_t i = 0; i < table->row_count; i++)
        sentences = sentences || table->rows[i].sentence;
    html_print(out, "<div class=scroll tabindex=0 role=region aria-label=\"%s\"><table class=%s>",
               title, class);
    html_print(out, table->caption ? "<caption><b>%s</b>: %s</caption>" : "<caption>%s</caption>",
               title, table->caption);
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < columns; i++) {
        filled[i] = table->columns[i].kept;
        for (size_t r = 0; r < table->row_count && !filled[i]; r++)
            filled[i] = !cell_is_empty(&table->rows[r].cells[i]);
        if (i && !filled[i])
            continue;
        fputs(table->columns[i].words ? "<th scope=col class=words>" : "<th scope=col>", out);
        html_name(out, table->columns[i].flags ? "remarks" : table->columns[i].name);
        put_remark(out, "remark", table->columns[i].remark);
    }
    fputs(sentences ? "<th scope=col class=words>in words<tbody>" : "<tbody>", out);
    for (size_t i = 0; i < table->row_count && i < HTML_ROWS_MAX; i++)
        put_row(out, &shown, &table->rows[i], sentences, filled);
    fputs("</table></div>\n", out);
    if (table->row_count > HTML_ROWS_MAX)
        fprintf(out, "<p class=more>%zu more are in the document.</p>\n",
                table->row_count - HTML_ROWS_MAX);
    put_more(out, table->more);
}

/* --- facts, headings, notes --- */

void html_note(FILE *out, const struct note *note)
{
    static const char *const classes[] = {
        [NOTE_DISAGREEMENT] = "disagreement", [NOTE_DOUBT] = "doubtful", [NOTE_REMARK] = "remark"};
    const bool whole = !note->whom && !note->why && !note->remedy;
    fprintf(out, "<li class=%s>", classes[note->kind]);
    if (note->number)
        fprintf(out, "[%u] ", note->number);
    fputs(whole ? "" : "<strong>", out);
    html_sentence(out, note->what);
    fputs(whole ? "" : "</strong>", out);
    const char *const parts[][2] = {
        {"whom", note->whom}, {"reason", note->why}, {"remedy", note->remedy}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i][1]) {
            fprintf(out, " <span class=%s>", parts[i][0]);
            html_sentence(out, parts[i][1]);
            fputs("</span>", out);
        }
    fputs("\n", out);
}

void html_use(FILE *out, const struct report *report, size_t index)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct block *block = &report->list[i];
        if (block->document != index || block->section != SECTION_USE)
            continue;
        fprintf(out,
                "<section class=\"know use\" aria-labelledby=use-%zu><h3 id=use-%zu>Use it</h3>\n"
                "<ul>\n",
                index, index);
        for (size_t f = 0; f < block->facts.count; f++)
            html_print(out, "<li>%s\n", block->facts.list[f].text);
        fputs("</ul></section>\n", out);
    }
}

void html_notes(FILE *out, const struct report *report, size_t index)
{
    enum { NOTES_FIRST = 3 };
    size_t count = 0, all = 0;
    for (size_t i = 0; i < report->count; i++)
        all += report->list[i].document == index && report->list[i].kind == BLOCK_NOTE;
    if (!all)
        return;
    fprintf(out,
            "<section class=know aria-labelledby=know-%zu><h3 id=know-%zu>To know</h3> "
            "<small class=legend><b>!</b> a doubt, <b>*</b> other than declared, – a remark</small>"
            "\n<ul>\n",
            index, index);
    for (size_t i = 0; i < report->count; i++) {
        if (report->list[i].document != index || report->list[i].kind != BLOCK_NOTE)
            continue;
        if (count++ == NOTES_FIRST)
            fprintf(out, "</ul><details><summary>%zu more</summary><ul>\n", all - NOTES_FIRST);
        html_note(out, &report->list[i].note);
    }
    fputs(all > NOTES_FIRST ? "</ul></details></section>\n" : "</ul></section>\n", out);
}

const struct verdict_block *html_verdict(const struct report *report, size_t index)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->list[i].document == index && report->list[i].kind == BLOCK_VERDICT)
            return &report->list[i].verdict;
    return NULL;
}

void html_findings(FILE *out, struct report *report, size_t index, const struct probe_result *probe)
{
    const size_t before = report->count;
    bool listed = false;
    report_add_findings(report, index, probe);
    report_add_clusters(report, index, probe);
    for (size_t i = before; i < report->count; i++) {
        const struct block *block = &report->list[i];
        if (block->kind == BLOCK_TABLE)
            html_table(out, &block->table, "findings", block->table.title);
        if (block->kind != BLOCK_NOTE)
            continue;
        fputs(listed ? "" : "<ul>\n", out);
        listed = true;
        html_note(out, &block->note);
    }
    fputs(listed ? "</ul>\n" : "", out);
    report->count = before; /* the blocks are used only here */
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
        if (block->kind == BLOCK_TABLE) {
            const struct table *table = &block->table;
            struct line title = {0}; /* "levels of gpu0" */
            line_add(&title, "%s", table->title ? table->title : "table");
            if (block->device >= 0)
                line_add(&title, " of gpu%d", block->device);
            html_table(out, &block->table, "datasheet", title.text);
        } else if (block->kind == BLOCK_FACTS) {
            fputs("<dl class=facts>\n", out);
            for (size_t f = 0; f < block->facts.count; f++) {
                const struct fact *fact = &block->facts.list[f];
                if (fact->label || f == 0) {
                    fputs("<dt>", out);
                    html_name(out, fact->label);
                }
                fputs("<dd>", out);
                html_text(out, fact->text);
                put_number(out, fact->note);
                fputs("\n", out);
            }
            fputs("</dl>\n", out);
            put_more(out, block->facts.more);
        } else if (block->kind == BLOCK_HEADING)
            html_print(out, block->heading.text ? "<h3>%s: %s</h3>\n" : "<h3>%s</h3>\n",
                       block->heading.title, block->heading.text);
        if (block->kind == BLOCK_HEADING && block->heading.warning)
            html_print(out, "<p class=\"trust doubtful\"><strong>%s</strong></p>\n",
                       block->heading.warning);
    }
    if (verdict)
        put_more(out, verdict->meaning);
    fputs("</section>\n", out);
}

/* --- the points of a chart --- */

static void put_matrix(FILE *out, const struct matrix *matrix)
{
    const struct axis *y = &matrix->series->y;
    const struct square *square = matrix->square;
    const struct pair_cell *cell = square->cells;
    const double divisor = figure_scale(y->unit).divisor;
    char text[UNIT_TEXT];
    html_print(out,
               "<div class=scroll tabindex=0 role=region aria-label=\"%s\"><table class=points>"
               "<caption>%s, %s from row to column</caption>",
               matrix->label, matrix->label, figure_unit(y->unit));
    fputs("<thead><tr><th scope=col>from \\ to", out);
    for (size_t c = 0; c < square->column_count; c++)
        fprintf(out, "<th scope=col>%d", square->columns[c]);
    fputs("<tbody>", out);
    for (size_t r = 0; r < square->row_count; r++) {
        fprintf(out, "\n<tr><th scope=row>%d", square->rows[r]);
        for (size_t c = 0; c < square->column_count; c++, cell++) {
            fputs(cell->point && flag_doubts(cell->point->flags) ? "<td>~" : "<td>", out);
            fputs(figure_plain(cell->point ? (double)cell->point->y.median / divisor : NAN, text),
                  out);
        }
    }
    fputs("</table></div>\n", out);
}

struct points {
    FILE *out;
    const struct block *block;
    struct pool pool; /* for one series at a time, because the points of all are many */
};

static int put_points(void *with)
{
    struct points *points = with;
    const struct block *block = points->block;
    const bool matrix = block->kind == BLOCK_MATRIX;
    struct report report = {.pool = &points->pool};
    report_add_points(&report, block->document, block->probe,
                      matrix ? block->matrix.series : block->curve.series, 1);
    html_table(points->out, &report.list[0].table, "points",
               matrix ? block->matrix.label : block->curve.label);
    return 0;
}

void html_points(FILE *out, const struct block *block, struct pool *pool)
{
    struct points points = {.out = out, .block = block};
    const struct square *square = block->kind == BLOCK_MATRIX ? block->matrix.square : NULL;
    if (square && square->row_count * square->column_count <= HTML_TABLE_CELLS_MAX) {
        put_matrix(out, &block->matrix);
        return;
    }
    const int code = pool_enter(&points.pool, put_points, &points, pool_error(pool));
    pool_free(&points.pool);
    pool_check(pool, code);
}

void html_experiment(FILE *out, const struct finding *finding)
{
    struct line words = {0};
    line_add_experiment(&words, finding);
    put_remark(out, "experiment", words.length ? words.text : NULL);
}
