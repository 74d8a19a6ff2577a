/* Blocks of a report as HTML: tables, facts, headings, notes, and every point of a chart. */
#include "document/flag.h"
#include "show/render/page/page.h"

#include <math.h>

static void put_remark(FILE *out, const char *class, const char *text)
{
    if (!text)
        return;
    fprintf(out, " <small class=%s>", class);
    html_put(out, "", text, "</small>");
}

/* --- tables --- */

void html_cell(FILE *out, const struct cell *cell)
{
    char text[CELL_TEXT];
    html_text(out, cell_text(cell, text));
    if (!cell->finding)
        return;
    html_doubt(out, cell->flags);
    if (isfinite(cell->value) && cell->high > cell->low)
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
    html_cell(out, &row->cells[0]);
    put_remark(out, "experiment", row->words);
    if (row->line) { /* the explanation is folded, to keep the table short */
        html_put(out, "</summary><p>", row->line->meaning, row->line->moves ? " " : "");
        html_text(out, row->line->moves);
        html_put(out, "<p>", row->line->advice, "</details>");
    }
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
            html_cell(out, &row->cells[i]);
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
    if (!more)
        return;
    html_put(out, "<p class=more>", more, "</p>\n");
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
    html_put(out, "<div class=scroll tabindex=0 role=region aria-label=\"", title, "");
    fprintf(out, "\"><table class=%s><caption>%s", class, table->caption ? "<b>" : "");
    html_text(out, title);
    fputs(table->caption ? "</b>: " : "", out);
    html_put(out, "", table->caption, "</caption><thead><tr>");
    for (size_t i = 0; i < columns; i++) {
        filled[i] = table->columns[i].kept;
        for (size_t r = 0; r < table->row_count && !filled[i]; r++)
            filled[i] = table->rows[r].cells[i].form != FORM_TEXT || table->rows[r].cells[i].text;
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

static void put_facts(FILE *out, const struct facts *facts)
{
    fputs("<dl class=facts>\n", out);
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        if (fact->label || i == 0) {
            fputs("<dt>", out);
            html_name(out, fact->label);
        }
        fputs("<dd>", out);
        if (fact->text)
            html_text(out, fact->text);
        else
            html_cell(out, &fact->value);
        put_remark(out, "experiment", fact->words);
        fputs("\n", out);
    }
    fputs("</dl>\n", out);
    put_more(out, facts->more);
}

static void put_heading(FILE *out, const struct heading *heading)
{
    html_put(out, "<h3>", heading->title, "");
    fputs(heading->text ? ": " : "", out);
    html_put(out, "", heading->text, "</h3>\n");
    if (!heading->warning)
        return;
    html_put(out, "<p class=\"trust doubtful\"><strong>", heading->warning, "</strong></p>\n");
}

void html_note(FILE *out, const struct note *note)
{
    static const char *const classes[] = {
        [NOTE_DISAGREEMENT] = "disagreement", [NOTE_DOUBT] = "doubtful", [NOTE_REMARK] = "remark"};
    const bool whole = !note->whom && !note->why && !note->remedy;
    fprintf(out, "<li class=%s>%s", classes[note->kind], whole ? "" : "<strong>");
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
            struct line title = {0}; /* "depth of gpu0 (DRAM): how far away each level is" */
            line_add(&title, "%s", table->title ? table->title : "table");
            if (block->device >= 0)
                line_add(&title, " of gpu%d", block->device);
            if (table->remark)
                line_add(&title, " (%s)", table->remark);
            html_table(out, &block->table, "datasheet", title.text);
        } else if (block->kind == BLOCK_FACTS)
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

/* --- the points of a chart --- */

static void put_pairs(FILE *out, const struct series *series, double divisor)
{
    fputs("<thead><tr><th scope=col>from<th scope=col>to", out);
    const char *name = series->y.name, *unit = figure_unit(series->y.unit);
    html_put(out, "<th scope=col>", name && *name ? name : "value", *unit ? ", " : "");
    html_put(out, "", unit, "<tbody>");
    for (size_t i = 0; i < series->point_count && i < HTML_ROWS_MAX; i++) {
        fprintf(out, "\n<tr><th scope=row>%d<td>%d", series->points[i].from, series->points[i].to);
        fputs("<td>", out);
        html_figure(out, series->points[i].y.median / divisor);
    }
    if (series->point_count > HTML_ROWS_MAX)
        fprintf(out, "\n<tr><th scope=row>%zu more pairs are in the document",
                series->point_count - HTML_ROWS_MAX);
}

static void put_matrix(FILE *out, const struct matrix *matrix)
{
    const struct axis *y = &matrix->series->y;
    const struct square *square = matrix->square;
    const double divisor = figure_scale(y->unit).divisor;
    html_put(out, "<div class=scroll tabindex=0 role=region aria-label=\"", matrix->label,
             "\"><table class=points><caption>");
    html_text(out, matrix->label);
    html_put(out, ", ", figure_unit(y->unit), " from row to column</caption>");
    if (square && square->row_count * square->column_count <= HTML_TABLE_CELLS_MAX) {
        const struct pair_cell *cell = square->cells;
        fputs("<thead><tr><th scope=col>from \\ to", out);
        for (size_t c = 0; c < square->column_count; c++)
            fprintf(out, "<th scope=col>%d", square->columns[c]);
        fputs("<tbody>", out);
        for (size_t r = 0; r < square->row_count; r++) {
            fprintf(out, "\n<tr><th scope=row>%d", square->rows[r]);
            for (size_t c = 0; c < square->column_count; c++, cell++) {
                fputs(cell->point && flag_doubts(cell->point->flags) ? "<td>!" : "<td>", out);
                html_figure(out, cell->point ? cell->point->y.median / divisor : NAN);
            }
        }
    } else
        put_pairs(out, matrix->series, divisor);
    fputs("</table></div>\n", out);
}

struct points {
    FILE *out;
    const struct block *block;
    struct pool pool; /* for one curve at a time, because the points of all are many */
};

static int put_curve(void *with)
{
    struct points *points = with;
    const struct curve *curve = &points->block->curve;
    struct report report = {.pool = &points->pool};
    report_add_points(&report, points->block->document, curve->probe, curve->series, 1);
    html_table(points->out, &report.list[0].table, "points", curve->label);
    return 0;
}

void html_points(FILE *out, const struct block *block, struct pool *pool)
{
    struct points points = {.out = out, .block = block};
    if (block->kind == BLOCK_MATRIX) {
        put_matrix(out, &block->matrix);
        return;
    }
    const int code = pool_enter(&points.pool, put_curve, &points, pool_error(pool));
    pool_free(&points.pool);
    pool_check(pool, code);
}

void html_doubt(FILE *out, unsigned flags)
{
    if (flag_doubts(flags))
        fputs(" <abbr class=doubt title=\"doubtful: see To know\">!</abbr>", out);
}

void html_experiment(FILE *out, const struct finding *finding)
{
    struct line words = {0};
    line_add_experiment(&words, finding);
    if (!words.length)
        return;
    html_put(out, " <small class=experiment>", words.text, "</small>");
}
