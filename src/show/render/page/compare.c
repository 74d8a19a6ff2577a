/* Several documents side by side, as the report has them. */
#include "show/render/page/page.h"
#include "show/report/differences.h"

static void put_changes(FILE *out, const struct differences_block *block)
{
    fputs("<div class=scroll tabindex=0 role=region aria-label=Changes><table class=changes>"
          "<caption>Before and after</caption><thead><tr><th scope=col>what<th scope=col>"
          "before<th scope=col>after<th scope=col>change<tbody>",
          out);
    for (size_t i = 0; i < block->count; i++) {
        const struct changed_value *value = &block->list[i];
        char text[CELL_TEXT];
        html_print(out, "\n<tr><th scope=row>%s<td>", value->what);
        html_print(out, "%s<td>", cell_text(&value->before, text));
        html_print(out, "%s<td>", cell_text(&value->after, text));
        html_text(out, change_text(value->ratio, text));
    }
    fputs("</table></div>\n<p class=more>", out);
    html_sentence(out, block->more);
    fputs("</p>\n", out);
}

static void put_block(FILE *out, const struct block *block, bool *listed)
{
    if (block->kind == BLOCK_NOTE && !*listed)
        fputs("<ul>\n", out);
    else if (block->kind != BLOCK_NOTE && *listed)
        fputs("</ul>\n", out);
    *listed = block->kind == BLOCK_NOTE;
    switch (block->kind) {
    case BLOCK_VERDICT:
        html_sentence(out, block->verdict.sentence);
        fputs("</h3>\n", out);
        break;
    case BLOCK_HEADING:
        fputs("<p><strong>", out);
        html_sentence(out, block->heading.title);
        fputs("</strong></p>\n", out);
        break;
    case BLOCK_DIFFERENCES:
        put_changes(out, &block->differences);
        break;
    case BLOCK_NOTE:
        html_note(out, &block->note);
        break;
    default:
        break;
    }
}

static void put_beside(FILE *out, struct report *report, const struct differences *differences,
                       size_t count, size_t index, double threshold)
{
    const size_t before = report->count;
    bool listed = false;
    report_add_differences(report, &differences[index], threshold);
    fputs("<h3>", out);
    html_document(out, report->catalogue.documents, count, index);
    fputs(": ", out);
    for (size_t i = before; i < report->count; i++)
        put_block(out, &report->list[i], &listed);
    fputs(listed ? "</ul>\n" : "", out);
    report->count = before; /* the blocks are used only here */
}

void html_differences(FILE *out, struct report *report, size_t count, double threshold)
{
    const struct document *const *documents = report->catalogue.documents;
    const size_t before = report->count;
    struct differences *differences = pool_alloc(report->pool, count, sizeof *differences);
    for (size_t i = 1; i < count; i++) {
        struct error *error = pool_error(report->pool);
        const int code =
            differences_find(&differences[i], documents[0], documents[i], threshold, error);
        pool_take(report->pool, &differences[i].pool);
        if (code == ERROR_SYSTEM) /* nothing in common: remarks only */
            pool_check(report->pool, code);
    }
    fprintf(out,
            "<section id=differences aria-labelledby=differences-title>\n<h2 "
            "id=differences-title>Differences</h2>\n<p>Every finding of the documents and its "
            "change from the first document; points that changed follow below. <b>changed</b>: the "
            "whole 95 %% interval of the ratio lies beyond %g %%, in time and in cycles, also "
            "after a correction for the number of comparisons; uncertain: the change is larger "
            "than that, but chance may explain it.</p>\n",
            threshold * 100);
    report_add_comparison(report, differences, count);
    for (size_t i = before; i < report->count; i++)
        html_table(out, &report->list[i].table, "differences", report->list[i].table.title);
    report->count = before;
    for (size_t i = 1; i < count; i++)
        put_beside(out, report, differences, count, i, threshold);
    fputs("</section>\n", out);
}
