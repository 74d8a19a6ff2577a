/*
 * Several documents side by side: every finding of each, what differences_find() says of it beside
 * the first document, the points that have changed, and why to be careful.
 */
#include "views/differences.h"
#include "views/figure.h"
#include "views/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINT_ROWS_MAX = 200, REMARKS_MAX = 20 };

/* A document beside the first. */
struct beside {
    struct differences found;
    const struct difference **findings; /* those of `found` that are of findings */
    size_t finding_count, next;         /* where the last one was */
};

struct comparing {
    FILE *out;
    const struct document *const *documents;
    size_t count;
    struct beside *beside; /* [0] is not used */
};

/* Documents that have nothing in common have remarks alone. */
static bool find_all(struct comparing *comparing, double threshold)
{
    for (size_t i = 1; i < comparing->count; i++) {
        struct beside *beside = &comparing->beside[i];
        struct differences *found = &beside->found;
        struct error error;
        if (differences_find(found, comparing->documents[0], comparing->documents[i], threshold,
                             &error) == ERROR_SYSTEM)
            return false;
        beside->findings = calloc(found->count + 1, sizeof(const struct difference *));
        if (!beside->findings)
            return false;
        for (size_t d = 0; d < found->count; d++)
            if (found->list[d].finding_a)
                beside->findings[beside->finding_count++] = &found->list[d];
    }
    return true;
}

static void free_all(struct comparing *comparing)
{
    for (size_t i = 1; comparing->beside && i < comparing->count; i++) {
        differences_free(&comparing->beside[i].found);
        free(comparing->beside[i].findings);
    }
    free(comparing->beside);
}

/* What became of a finding of the first document; both have the findings in the same order. */
static const struct difference *difference_of(struct beside *beside, const struct finding *finding)
{
    for (size_t step = 0; step < beside->finding_count; step++) {
        size_t i = (beside->next + step) % beside->finding_count;
        if (beside->findings[i]->finding_a == finding) {
            beside->next = i + 1;
            return beside->findings[i];
        }
    }
    return NULL;
}

static bool is_group(const struct finding *finding)
{
    return strncmp(finding->name, "cluster", strlen("cluster")) == 0;
}

/* Whether an earlier document, or this one further up, has had a line for it. */
static bool is_told(const struct comparing *comparing, size_t index, const struct finding *finding)
{
    for (size_t i = 0; i < index; i++)
        if (document_finding(comparing->documents[i], finding->name))
            return true;
    return document_finding(comparing->documents[index], finding->name) != finding;
}

static void put_change(FILE *out, double ratio, enum verdict verdict)
{
    static const char *const words[VERDICTS] = {"", " uncertain", " <b>changed</b>",
                                                " (condition)"};
    double change = ratio - 1;
    fputs(verdict == CHANGED ? "<td class=changed>" : "<td>", out);
    if (!isfinite(change))
        return;
    if (fabs(change) >= 9.995)
        fprintf(out, "× %.3g", ratio);
    else
        fprintf(out, "%s%.1f %%", change < 0 ? "−" : "+", fabs(change) * 100);
    fputs(words[verdict], out);
}

static void put_finding(struct comparing *comparing, const char *name)
{
    FILE *out = comparing->out;
    const struct finding *base = document_finding(comparing->documents[0], name);
    fputs("\n<tr><th scope=row>", out);
    html_text(out, name);
    for (size_t i = 0; i < comparing->count; i++) {
        const struct finding *finding = document_finding(comparing->documents[i], name);
        fputs("<td>", out);
        if (finding)
            html_finding_value(out, finding);
        if (i == 0)
            continue;
        const struct difference *difference =
            base ? difference_of(&comparing->beside[i], base) : NULL;
        if (difference)
            put_change(out, difference->ratio, difference->verdict);
        else if (finding && base) /* of a pair in ns and cycles the other one is judged */
            put_change(out,
                       finding->value > 0 && base->value > 0 ? finding->value / base->value : NAN,
                       SAME);
        else
            fputs(base ? "<td>missing here" : "<td>", out);
    }
}

static void put_value(FILE *out, double value, const struct difference *difference)
{
    char figure[UNIT_TEXT];
    const char *unit = difference_unit(difference);
    html_text(out, figure_valued(value, unit, figure));
    if (*unit && strcmp(unit, "B") != 0 && !*figure_scale(unit).unit) {
        fputc(' ', out);
        html_text(out, unit);
    }
}

static void put_point(const struct comparing *comparing, size_t index,
                      const struct difference *difference)
{
    FILE *out = comparing->out;
    struct line what = {0};
    line_add_difference(&what, difference);
    fputs("\n<tr><th scope=row>", out);
    html_text(out, what.text);
    fputs("<td>", out);
    put_value(out, difference->a, difference);
    for (size_t i = 1; i < comparing->count; i++) {
        fputs("<td>", out);
        if (i != index) {
            fputs("<td>", out);
            continue;
        }
        put_value(out, difference->b, difference);
        put_change(out, difference->ratio, difference->verdict);
    }
}

/* Points that have changed; how many there was no room for. */
static size_t put_points(const struct comparing *comparing)
{
    size_t changed = 0;
    for (size_t i = 1; i < comparing->count; i++)
        for (size_t d = 0; d < comparing->beside[i].found.count; d++) {
            const struct difference *difference = &comparing->beside[i].found.list[d];
            if (difference->series && difference->verdict == CHANGED && changed++ < POINT_ROWS_MAX)
                put_point(comparing, i, difference);
        }
    return changed > POINT_ROWS_MAX ? changed - POINT_ROWS_MAX : 0;
}

static void put_remarks(const struct comparing *comparing, const char *title, size_t index,
                        const struct remark_line *lines, size_t count)
{
    FILE *out = comparing->out;
    struct line name = {0};
    if (!count)
        return;
    line_add_document(&name, comparing->documents, comparing->count, index);
    fprintf(out, "<p>%s: ", title);
    html_text(out, name.text);
    fputs("</p>\n<ul>\n", out);
    for (size_t i = 0; i < count && i < REMARKS_MAX; i++) {
        fputs("<li>", out);
        html_text(out, lines[i].text);
    }
    if (count > REMARKS_MAX)
        fprintf(out, "<li>and %zu more", count - REMARKS_MAX);
    fputs("</ul>\n", out);
}

static void put_table(struct comparing *comparing)
{
    FILE *out = comparing->out;
    const struct document *const *documents = comparing->documents;
    size_t rows = 0;
    fputs("<div class=scroll tabindex=0 role=region aria-label=Differences>"
          "<table class=differences><caption>Differences between the documents</caption>"
          "<thead><tr><th scope=col>finding",
          out);
    for (size_t i = 0; i < comparing->count; i++) {
        struct line line = {0};
        line_add_document(&line, documents, comparing->count, i);
        fputs("<th scope=col>", out);
        html_text(out, line.text);
        fputs(i ? "<th scope=col>change" : "", out);
    }
    fputs("<tbody>", out);
    for (size_t d = 0; d < comparing->count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++)
            for (size_t f = 0; f < documents[d]->probes[p].finding_count; f++) {
                const struct finding *finding = &documents[d]->probes[p].findings[f];
                if (is_group(finding) || rows >= HTML_ROWS_MAX || is_told(comparing, d, finding))
                    continue;
                put_finding(comparing, finding->name);
                rows++;
            }
    size_t more = put_points(comparing);
    fputs("</table></div>\n", out);
    if (more)
        fprintf(out,
                "<p>%zu more points have changed; <code>fathom diff</code> has them all.</p>\n",
                more);
}

bool html_differences(FILE *out, const struct document *const *documents, size_t count,
                      double threshold)
{
    struct comparing comparing = {out, documents, count, calloc(count, sizeof(struct beside))};
    bool found = comparing.beside && find_all(&comparing, threshold);
    if (found) {
        fprintf(out,
                "<section id=differences aria-labelledby=differences-title>\n"
                "<h2 id=differences-title>Differences</h2>\n"
                "<p>Every finding that the documents hold, how far it lies from the first "
                "document's, and the points that have changed. <b>changed</b>: all of the ratio's "
                "95 %% interval lies beyond %g %%, in time and in cycles, and more than chance "
                "would show among so many; uncertain: beyond it, but not beyond doubt.</p>\n",
                threshold * 100);
        put_table(&comparing);
        for (size_t i = 1; i < count; i++) {
            const struct differences *of = &comparing.beside[i].found;
            put_remarks(&comparing, "Compare with care", i, of->unfair, of->unfair_count);
            put_remarks(&comparing, "Not compared", i, of->missing, of->missing_count);
        }
        fputs("</section>\n", out);
    }
    free_all(&comparing);
    return found;
}
