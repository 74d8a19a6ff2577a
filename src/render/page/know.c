/* What has to be known to trust a document's numbers: the report's notes as a list. */
#include "render/page/page.h"
#include "report/builders.h"

static void put_note(FILE *out, const struct note *note)
{
    static const char *const classes[] = {
        [NOTE_DISAGREEMENT] = "disagreement", [NOTE_DOUBT] = "doubtful", [NOTE_REMARK] = "remark"};
    const bool whole = !note->whom && !note->remedy;
    fprintf(out, "<li class=%s>%s", classes[note->kind], whole ? "" : "<strong>");
    html_text(out, note->what);
    fputs(whole ? "" : "</strong>", out);
    if (note->whom) {
        fputs(" <span class=whom>", out);
        html_text(out, note->whom);
        fputs("</span>", out);
    }
    if (note->remedy) {
        fputs(" <span class=remedy>", out);
        html_text(out, note->remedy);
        fputs("</span>", out);
    }
    fputs("\n", out);
}

void html_know(FILE *out, const struct catalogue *catalogue, size_t index)
{
    struct report report = {.catalogue = *catalogue};
    report_add_notes(&report, index, NULL);
    for (size_t i = 0; i < report.count; i++) {
        if (report.list[i].kind == BLOCK_NOTE)
            put_note(out, &report.list[i].note);
        else
            fprintf(out,
                    "<section class=know aria-labelledby=know-%zu><h3 id=know-%zu>To know</h3>\n"
                    "<ul>\n",
                    index, index);
    }
    fputs(report.count ? "</ul></section>\n" : "", out);
    pool_free(&report.pool); /* the catalogue is the page's */
}
