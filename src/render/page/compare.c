/*
 * Several documents side by side: every finding of each, what differences_find() says of it beside
 * the first document, the points that have changed, and why to be careful.
 */
#include "quantity/quantity.h"
#include "render/page/page.h"
#include "report/differences.h"
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINT_ROWS_MAX = 200, REMARKS_MAX = 20 };

/* A document beside the first. */
struct beside {
    struct differences found;
    const struct difference **findings; /* those of `found` that are of findings, sorted by these */
    size_t finding_count;
};

struct comparing {
    FILE *out;
    const struct catalogue *catalogue;
    const struct document *const *documents;
    size_t count;
    struct beside *beside; /* [0] is not used */
};

static int by_finding(const void *a, const void *b)
{
    const struct difference *const *left = a, *const *right = b;
    return ((*left)->finding_a > (*right)->finding_a) - ((*left)->finding_a < (*right)->finding_a);
}

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
        qsort(beside->findings, beside->finding_count, sizeof *beside->findings, by_finding);
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

/* What became of a finding of the first document. */
static const struct difference *difference_of(const struct beside *beside,
                                              const struct finding *finding)
{
    size_t low = 0, high = beside->finding_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (beside->findings[middle]->finding_a < finding)
            low = middle + 1;
        else
            high = middle;
    }
    return low < beside->finding_count && beside->findings[low]->finding_a == finding
               ? beside->findings[low]
               : NULL;
}

/* Whose findings are those of one line: the same name and experiment, in whichever documents. */
static bool is_same(const struct catalogue_entry *a, const struct catalogue_entry *b)
{
    return a->experiment == b->experiment && strcmp(a->finding->name, b->finding->name) == 0;
}

/* Groups of CPUs are shown below their matrices. */
static bool has_line(const struct catalogue_entry *entry)
{
    return !catalogue_is_of_clusters(entry);
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

static double ratio_of(const struct finding *finding, const struct finding *base)
{
    return quantity_comparable(finding->unit, base->unit) && finding->value > 0 && base->value > 0
               ? finding->value / base->value
               : NAN;
}

/* `line` are the findings of one line, in the order of the documents; those that are a document's
 * second one of that name and experiment are passed over. */
static void put_finding(const struct comparing *comparing, struct catalogue_entry *const *line,
                        size_t length)
{
    FILE *out = comparing->out;
    const struct finding *base = line[0]->document == 0 ? line[0]->finding : NULL;
    size_t next = 0;
    fputs("\n<tr><th scope=row>", out);
    html_text(out, line[0]->finding->name);
    html_experiment(out, line[0]->finding);
    for (size_t i = 0; i < comparing->count; i++) {
        while (next < length && line[next]->document < i)
            next++;
        const struct finding *finding =
            next < length && line[next]->document == i ? line[next]->finding : NULL;
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
            put_change(out, ratio_of(finding, base), SAME);
        else
            fputs(base ? "<td>missing here" : "<td>", out);
    }
}

static void put_value(FILE *out, double value, const struct difference *difference)
{
    char figure[UNIT_TEXT];
    const char *unit = difference_unit(difference);
    html_text(out, figure_valued(value, unit, figure));
    if (*unit && !figure_has_unit(unit)) {
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

/* A line of findings, and where its first one stands. */
struct same_findings {
    struct catalogue_entry *const *line;
    size_t length;
};

static int as_they_stand(const void *a, const void *b)
{
    const struct same_findings *left = a, *right = b;
    return (left->line[0] > right->line[0]) - (left->line[0] < right->line[0]);
}

/* In the order of the first document that has them; how many there was no room for. */
static size_t put_findings(const struct comparing *comparing)
{
    const struct catalogue *catalogue = comparing->catalogue;
    size_t count = 0;
    struct same_findings *rows = malloc(catalogue->count * sizeof *rows + 1);
    for (size_t i = 0; i < catalogue->count && rows;) {
        struct same_findings row = {&catalogue->by_name[i], 1};
        while (i + row.length < catalogue->count && is_same(row.line[0], row.line[row.length]))
            row.length++;
        if (has_line(row.line[0]))
            rows[count++] = row;
        i += row.length;
    }
    if (rows)
        qsort(rows, count, sizeof *rows, as_they_stand);
    for (size_t i = 0; i < count && i < HTML_ROWS_MAX; i++)
        put_finding(comparing, rows[i].line, rows[i].length);
    free(rows);
    return count > HTML_ROWS_MAX ? count - HTML_ROWS_MAX : 0;
}

static void put_table(const struct comparing *comparing)
{
    FILE *out = comparing->out;
    const struct document *const *documents = comparing->documents;
    fputs("<div class=scroll tabindex=0 role=region aria-label=Differences>"
          "<table class=differences><caption>Differences between the documents</caption>"
          "<thead><tr><th scope=col>finding",
          out);
    for (size_t i = 0; i < comparing->count; i++) {
        fputs("<th scope=col>", out);
        html_document(out, documents, comparing->count, i);
        fputs(i ? "<th scope=col>change" : "", out);
    }
    fputs("<tbody>", out);
    const size_t left_out = put_findings(comparing);
    size_t more = put_points(comparing);
    fputs("</table></div>\n", out);
    if (left_out)
        fprintf(out, "<p>%zu more findings are in the documents.</p>\n", left_out);
    if (more)
        fprintf(out,
                "<p>%zu more points have changed; <code>fathom diff</code> has them all.</p>\n",
                more);
}

bool html_differences(FILE *out, const struct catalogue *catalogue, size_t count, double threshold)
{
    struct comparing comparing = {out, catalogue, catalogue->documents, count,
                                  calloc(count, sizeof(struct beside))};
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
