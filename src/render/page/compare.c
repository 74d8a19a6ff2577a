/*
 * Several documents side by side: every finding of each, what differences_find() says of it beside
 * the first document, the points that have changed, and why to be careful.
 */
#include "quantity/quantity.h"
#include "render/page/page.h"
#include "report/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    static const char *const words[VERDICTS] = {"", " uncertain", " <b>changed</b>", " (condition)",
                                                " (neighbours)"};
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

/* --- what a document came to beside the first, as the report has it --- */

static void put_cell(FILE *out, const struct cell *cell)
{
    char text[CELL_TEXT];
    fputs("<td>", out);
    html_text(out, cell_text(cell, text));
}

static void put_changes(FILE *out, const struct differences_block *block)
{
    fputs("<div class=scroll tabindex=0 role=region aria-label=Changes><table class=changes>"
          "<caption>Before and after</caption><thead><tr><th scope=col>what<th scope=col>"
          "before<th scope=col>after<th scope=col>change<tbody>",
          out);
    for (size_t i = 0; i < block->count; i++) {
        fputs("\n<tr><th scope=row>", out);
        html_text(out, block->list[i].what);
        put_cell(out, &block->list[i].before);
        put_cell(out, &block->list[i].after);
        put_change(out, block->list[i].ratio, SAME);
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

static bool put_beside(const struct comparing *comparing, size_t index, double threshold)
{
    struct report report = {.count = 0};
    bool listed = false;
    report_add_differences(&report, &comparing->beside[index].found, threshold);
    fputs("<h3>", comparing->out);
    html_document(comparing->out, comparing->documents, comparing->count, index);
    fputs(": ", comparing->out);
    for (size_t i = 0; i < report.count; i++)
        put_block(comparing->out, &report.list[i], &listed);
    fputs(listed ? "</ul>\n" : "", comparing->out);
    const bool done = !report.no_memory;
    report_free(&report);
    return done;
}

/* --- all findings, a column a document --- */

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
    fputs("</table></div>\n", out);
    if (left_out)
        fprintf(out, "<p>%zu more findings are in the documents.</p>\n", left_out);
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
                "<p>Every finding that the documents hold, and how far it lies from the first "
                "document's; below, what changed of points too. <b>changed</b>: all of the ratio's "
                "95 %% interval lies beyond %g %%, in time and in cycles, and more than chance "
                "would show among so many; uncertain: beyond it, but not beyond doubt.</p>\n",
                threshold * 100);
        put_table(&comparing);
        for (size_t i = 1; i < count; i++)
            found = put_beside(&comparing, i, threshold) && found;
        fputs("</section>\n", out);
    }
    free_all(&comparing);
    return found;
}
