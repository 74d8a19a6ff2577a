/* What has to be known to trust a document's numbers, as the page tells it. */
#include "render/page/page.h"
#include "result/flag.h"

enum { REMARKS_MAX = 1000, WARNINGS_MAX = 50 };

static void put_names(FILE *out, const struct catalogue *catalogue, size_t index, unsigned bit)
{
    const struct document *document = catalogue->documents[index];
    struct line names = {0};
    size_t points = 0;
    const size_t named = line_add_flagged(&names, catalogue, index, NULL, bit);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            for (size_t i = 0; i < document->probes[p].series[s].point_count; i++)
                points += (document->probes[p].series[s].points[i].flags & bit) != 0;
    if (!named && !points)
        return;
    fputs(" <span class=whom>", out);
    html_text(out, names.text);
    if (points)
        fprintf(out, "%s%zu point%s", named ? "; " : "", points, points == 1 ? "" : "s");
    fputs("</span>", out);
}

static void put_flag(FILE *out, const struct catalogue *catalogue, size_t index, int flag)
{
    const struct flag_text *text = &flag_texts[flag];
    fprintf(out, "<li class=%s><strong>", text->doubt ? "doubtful" : "remark");
    html_text(out, text->meaning);
    fputs("</strong>", out);
    put_names(out, catalogue, index, FLAG_BIT(flag));
    fputs(" <span class=remedy>", out);
    html_text(out, text->remedy);
    fputs("</span>\n", out);
}

static unsigned all_flags(const struct document *document)
{
    unsigned flags = document_headline_flags(document);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            for (size_t i = 0; i < document->probes[p].series[s].point_count; i++)
                flags |= document->probes[p].series[s].points[i].flags;
    return flags;
}

/* False where there are none. `out` may be NULL: nothing is written. */
static bool put_disagreements(FILE *out, const struct catalogue *catalogue, size_t index)
{
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        struct line line = {0};
        if (catalogue->list[i].document != index || !disagreement_is(&catalogue->list[i]))
            continue;
        if (!out)
            return true;
        if (++count > REMARKS_MAX)
            continue;
        line_add_disagreement(&line, &catalogue->list[i]);
        fputs("<li class=disagreement>", out);
        html_text(out, line.text);
        fputs("\n", out);
    }
    if (count > REMARKS_MAX)
        fprintf(out, "<li class=remark>and %zu more in the document\n", count - REMARKS_MAX);
    return count > 0;
}

static void put_status(FILE *out, const struct probe_result *probe)
{
    if (probe->status == PROBE_OK)
        return;
    fprintf(out, "<li class=%s><strong>", probe->status == PROBE_SKIPPED ? "remark" : "doubtful");
    html_text(out, probe->name);
    fprintf(out, ": %s</strong> ", probe_status_names[probe->status]);
    html_text(out, probe->reason);
    fputs("\n", out);
}

/* Points that have no value, as the text tells them. */
static void put_failures(FILE *out, const struct probe_result *probe)
{
    struct failures failures;
    failures_collect(&failures, probe);
    for (size_t i = 0; i < failures.count; i++) {
        struct line line = {0};
        line_add_failure(&line, probe, &failures, i);
        fputs("<li class=doubtful>", out);
        html_text(out, line.text);
        fputs("\n", out);
    }
}

static bool has_failures(const struct probe_result *probe)
{
    struct failures failures;
    failures_collect(&failures, probe);
    return failures.count > 0;
}

void html_know(FILE *out, const struct catalogue *catalogue, size_t index)
{
    const struct document *document = catalogue->documents[index];
    const struct conditions *conditions = &document->conditions;
    unsigned flags = all_flags(document), doubts = flag_doubts(flags);
    bool ended_well = true;
    for (size_t p = 0; p < document->probe_count; p++)
        ended_well = ended_well && document->probes[p].status == PROBE_OK &&
                     !has_failures(&document->probes[p]);
    if (!flags && ended_well && !conditions->warning_count &&
        !put_disagreements(NULL, catalogue, index))
        return;
    fprintf(out,
            "<section class=know aria-labelledby=know-%zu><h3 id=know-%zu>To know</h3>\n<ul>\n",
            index, index);
    put_disagreements(out, catalogue, index);
    for (size_t p = 0; p < document->probe_count; p++)
        put_status(out, &document->probes[p]);
    for (size_t p = 0; p < document->probe_count; p++)
        put_failures(out, &document->probes[p]);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (doubts & FLAG_BIT(flag))
            put_flag(out, catalogue, index, flag);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (flags & ~doubts & FLAG_BIT(flag))
            put_flag(out, catalogue, index, flag);
    for (size_t i = 0; i < conditions->warning_count && i < WARNINGS_MAX; i++) {
        fputs("<li class=remark>", out);
        html_text(out, conditions->warnings[i]);
        fputs("\n", out);
    }
    if (conditions->warning_count > WARNINGS_MAX)
        fprintf(out, "<li class=remark>%zu more are in the document\n",
                conditions->warning_count - WARNINGS_MAX);
    fputs("</ul></section>\n", out);
}
