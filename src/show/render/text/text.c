/* A document as lines of text for a terminal, or for whatever reads what a terminal would. */
#include "show/render/output.h"
#include "show/render/parts.h"
#include "show/render/text/draw.h"

static void print_report(FILE *out, struct report *report, int code, const struct text_style *style)
{
    if (code == 0)
        draw_report(out, report, 0, style);
    else
        fputs("! there is no memory to show the document with\n", out);
    report_free(report);
}

void render_text(FILE *out, const struct document *document, const struct text_style *wanted)
{
    const struct text_style style = text_style_sane(wanted);
    struct report report;
    print_report(out, &report, report_build(&report, &document, 1, NULL, NULL), &style);
}

void render_text_probe(FILE *out, const struct document *document, const struct probe_result *probe,
                       const struct text_style *wanted)
{
    const struct text_style style = text_style_sane(wanted);
    struct report report;
    print_report(out, &report, report_build_probe(&report, &document, probe, NULL), &style);
}

static int write_text(FILE *out, const struct output_content *content, struct error *error)
{
    (void)error;
    if (content->probe)
        render_text_probe(out, content->documents[0], content->probe, &content->style);
    else
        render_text(out, content->documents[0], &content->style);
    return 0;
}

const struct output text_output = {
    .name = "text",
    .place = 10,
    .is_text = true,
    .write = write_text,
};
