/* What differs between several documents, the largest changes first. */
#include "show/render/page/page.h"
#include "show/report/differences.h"

#include <stdint.h>

/* The first `most`, which are headline findings and the largest changes. */
static void put_changes(FILE *out, const struct differences_block *block, size_t most)
{
    fputs("<div class=scroll tabindex=0 role=region aria-label=Changes><table class=changes>"
          "<thead><tr><th scope=col>what<th scope=col>"
          "before<th scope=col>after<th scope=col>change<tbody>",
          out);
    for (size_t i = 0; i < block->count && i < most; i++) {
        const struct changed_value *value = &block->list[i];
        char text[CELL_TEXT];
        html_print(out, "\n<tr><th scope=row>%s<td>", value->what);
        html_print(out, "%s<td>", cell_text(&value->before, text));
        html_print(out, "%s<td>", cell_text(&value->after, text));
        html_text(out, change_text(value->ratio, text));
    }
    fputs("</table></div>\n", out);
    if (!block->more || most < block->count)
        return;
    fputs("<p class=more>", out);
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
        put_changes(out, &block->differences, SIZE_MAX);
        break;
    case BLOCK_NOTE:
        html_note(out, &block->note);
        break;
    default:
        break;
    }
}

/* How many changed, the largest changes, and all of them folded. */
static void put_beside(FILE *out, struct report *report, const struct differences *differences,
                       size_t count, size_t index)
{
    enum { LARGEST = 8 };
    const size_t before = report->count;
    bool listed = false;
    report_add_differences(report, &differences[index], LISTED_ALL);
    fputs("<h3>", out);
    html_document(out, report->catalogue.documents, count, index);
    fputs(": ", out);
    for (size_t i = before; i < report->count; i++) {
        put_block(out, &report->list[i], &listed);
        if (report->list[i].kind != BLOCK_VERDICT)
            continue;
        for (size_t b = i; b < report->count; b++)
            if (report->list[b].kind == BLOCK_DIFFERENCES &&
                report->list[b].differences.answer == CHANGED)
                put_changes(out, &report->list[b].differences, LARGEST);
        fputs("<details><summary>All changes, and what was not compared</summary>\n", out);
    }
    fputs(listed ? "</ul></details>\n" : "</details>\n", out);
    report->count = before; /* the blocks are used only here */
}

void html_differences(FILE *out, struct report *report, size_t count, double tolerance)
{
    const struct document *const *documents = report->catalogue.documents;
    const size_t before = report->count;
    struct differences *differences = pool_alloc(report->pool, count, sizeof *differences);
    for (size_t i = 1; i < count; i++) {
        struct error *error = pool_error(report->pool);
        const int code =
            differences_find(&differences[i], documents[0], documents[i], tolerance, error);
        pool_take(report->pool, &differences[i].pool);
        if (code == ERROR_SYSTEM) /* nothing in common: remarks only */
            pool_check(report->pool, code);
    }
    fputs("<section id=differences aria-label=Differences>\n", out);
    for (size_t i = 1; i < count; i++)
        put_beside(out, report, differences, count, i);
    fputs("<details><summary>Every finding of all documents</summary>\n<p>Each with its change "
          "from the first document. <b>changed</b>: chance does not explain the ratio, after a "
          "correction for the number of comparisons, and it is beyond the tolerance; can't tell: "
          "the interval of the ratio allows for no change and for one that matters.</p>\n",
          out);
    report_add_comparison(report, differences, count);
    for (size_t i = before; i < report->count; i++)
        html_table(out, &report->list[i].table, "differences", report->list[i].table.title);
    report->count = before;
    fputs("</details></section>\n", out);
}
