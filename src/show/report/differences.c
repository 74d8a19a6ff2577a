#include "show/report/differences.h"

#include "base/quantity.h"
#include "base/sort.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/figure.h"
#include "show/report/names.h"
#include "show/report/why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGED_MAX = 60, UNCERTAIN_MAX = 12, FOLDED_MAX = 3, REMARKS_MAX = 12 };

void line_add_difference(struct line *line, const struct difference *difference)
{
    char figure[UNIT_TEXT];
    const struct series *series = difference->series;
    if (difference->finding) {
        const struct finding *finding = difference->finding;
        line_add_clean(line, finding->name);
        line_add_in_brackets(line, finding);
        if (finding->cpus)
            line_add_between(line, " (CPUs ", finding->cpus, ")");
        return;
    }
    const struct point *point = difference->point;
    line_add_clean(line, series->name ? series->name : difference->probe->name);
    if (series->matrix)
        line_add(line, " from %d to %d", point->from, point->to);
    else
        line_add(line, " at %s", figure_valued(point->x, series->x.unit, figure));
    struct line factors = {0};
    for (size_t i = 0; i < series->factor_count; i++)
        if (!device_factor_is_named(series, &series->factors[i]))
            line_add_factors(&factors, &series->factors[i], 1);
    if (factors.length)
        line_add(line, " (%s)", factors.text);
}

const char *difference_unit(const struct difference *difference)
{
    const char *unit = difference->finding ? difference->finding->unit : difference->series->y.unit;
    return unit ? unit : "";
}

/* Headline findings, then other findings, then points; of each the largest change first. */
static int by_weight(const void *a, const void *b)
{
    const struct difference *left = *(const struct difference *const *)a;
    const struct difference *right = *(const struct difference *const *)b;
    const double one = fabs(log(left->compared.ratio)), other = fabs(log(right->compared.ratio));
    const int order = ORDER_BY({right->headline, left->headline}, {!left->finding, !right->finding},
                               {other, one});
    return order ? order : (left > right) - (left < right);
}

/* Of those that can't be told, the ones that look changed come first. */
static int by_doubt(const void *a, const void *b)
{
    const struct difference *left = *(const struct difference *const *)a;
    const struct difference *right = *(const struct difference *const *)b;
    const bool one = comparison_is_beyond(&left->compared),
               other = comparison_is_beyond(&right->compared);
    return one != other ? (one ? -1 : 1) : by_weight(a, b);
}

/* The differences with that answer, in order. */
struct answered {
    const struct difference **list;
    size_t count, findings; /* all, and those that are no points */
};

static struct answered answered(struct report *report, const struct differences *differences,
                                enum answer answer)
{
    struct answered of = {.list =
                              pool_alloc(report->pool, differences->count + 1, sizeof *of.list)};
    for (size_t i = 0; i < differences->count; i++) {
        const struct comparison *compared = &differences->list[i].compared;
        if (compared->answer != answer || (answer == CONDITION && !comparison_is_beyond(compared)))
            continue;
        of.list[of.count++] = &differences->list[i];
        of.findings += differences->list[i].finding != NULL;
    }
    qsort(of.list, of.count, sizeof *of.list, answer == CANT_TELL ? by_doubt : by_weight);
    return of;
}

/* The values of one answer, at most `most`; nothing if there are none. */
static void add_values(struct report *report, const struct differences *differences,
                       enum answer answer, const char *title, size_t most, enum listed listed)
{
    struct differences_block block = {.answer = answer};
    const struct answered of = answered(report, differences, answer);
    const size_t count = listed ? of.count : of.findings;
    for (size_t i = 0; i < count && i < most; i++) {
        const struct difference *difference = of.list[i];
        const struct comparison *compared = &difference->compared;
        const char *unit = difference_unit(difference);
        struct line what = {0}, why = {0};
        struct changed_value *value =
            pool_append(report->pool, (void **)&block.list, &block.count, sizeof *block.list);
        line_add_difference(&what, difference);
        line_add_why(&why, compared);
        *value = (struct changed_value){
            .what = report_line(report, &what),
            .before = cell_of_value(difference->a, unit, FORM_VALUE),
            .after = cell_of_value(difference->b, unit, FORM_VALUE),
            .ratio = compared->ratio,
            .low = compared->low,
            .high = compared->high,
            .why = listed == LISTED_WITH_REASONS ? report_line(report, &why) : NULL};
    }
    if (!of.count)
        return;
    if (of.count > block.count)
        block.more = report_text(
            report, count == of.count ? "%zu more; --format csv has all of them" : "%zu %s",
            of.count - block.count, block.count ? "more, pairs among them: -v" : "pairs: -v");
    report_add_heading(report, SECTION_DIFFERENCES, 0, NULL, 2, title);
    report_add(report, BLOCK_DIFFERENCES, SECTION_DIFFERENCES, 0, NULL)->differences = block;
}

/* "can't be told: L3.latency_ns to ±20 %, DRAM.latency_ns to ±29 % and 5 more: -v" */
static void add_folded(struct report *report, const struct differences *differences)
{
    const struct answered of = answered(report, differences, CANT_TELL);
    struct line line = {0};
    if (!of.count)
        return;
    for (size_t i = 0; i < of.count && i < FOLDED_MAX; i++) {
        char percent[UNIT_TEXT];
        const double resolution = of.list[i]->compared.resolution;
        line_add(&line, "%s", i ? ", " : "");
        line_add_difference(&line, of.list[i]);
        if (isfinite(resolution))
            line_add(&line, " to %s±%s %%", resolution > KNOWN_MOST ? "no better than " : "",
                     figure_format(100 * fmin(resolution, KNOWN_MOST), 2, percent));
    }
    if (of.count > FOLDED_MAX)
        line_add(&line, " and %zu more", of.count - FOLDED_MAX);
    line_add(&line, ": -v lists them");
    report_add_heading(report, SECTION_DIFFERENCES, 0, NULL, 2, "can't be told");
    report_add_note(report, SECTION_DIFFERENCES, 0, NULL, NOTE_REMARK, report_line(report, &line));
}

static void add_remarks(struct report *report, const struct remark_line *lines, size_t count,
                        const char *title)
{
    if (count)
        report_add_heading(report, SECTION_DIFFERENCES, 0, NULL, 2, title);
    for (size_t i = 0; i < count && i <= REMARKS_MAX; i++)
        report_add_note(report, SECTION_DIFFERENCES, 0, NULL, NOTE_REMARK,
                        i < REMARKS_MAX ? lines[i].text
                                        : report_text(report, "and %zu more", count - REMARKS_MAX));
}

void line_add_fact(struct line *line, const struct changed_fact *fact)
{
    static const char *const sides[] = {
        [SIDE_NEITHER] = "", [SIDE_MORE] = " (worse)", [SIDE_LESS] = " (better)"};
    line_add_clean(line, fact->what);
    line_add_between(line, ": ", fact->before, "");
    line_add_between(line, ", then ", fact->after, sides[fact->side]);
}

void report_add_differences(struct report *report, const struct differences *differences,
                            enum listed listed)
{
    const char *sentence =
        report_text(report, "%zu of %zu values changed, %zu are the same, %zu can't be told",
                    differences->counts[CHANGED], differences->figures, differences->counts[SAME],
                    differences->counts[CANT_TELL]);
    report_add(report, BLOCK_VERDICT, SECTION_DIFFERENCES, 0, NULL)->verdict =
        (struct verdict_block){.good = !differences_exist(differences), .sentence = sentence};
    struct remark_line *lines = pool_alloc(report->pool, differences->facts.count, sizeof *lines);
    for (size_t i = 0; i < differences->facts.count; i++) {
        struct line line = {0};
        line_add_fact(&line, &differences->facts.list[i]);
        lines[i].text = report_line(report, &line);
    }
    add_remarks(report, lines, differences->facts.count, "changed facts");
    add_values(report, differences, CHANGED, "changed", CHANGED_MAX, listed);
    if (listed)
        add_values(report, differences, CANT_TELL,
                   "can't be told: chance explains the change, or allows for one", UNCERTAIN_MAX,
                   listed);
    else
        add_folded(report, differences);
    if (listed == LISTED_WITH_REASONS)
        add_values(report, differences, SAME, "the same", CHANGED_MAX, listed);
    add_values(report, differences, CONDITION, "conditions of the runs, which are not judged",
               UNCERTAIN_MAX, listed);
    add_remarks(report, differences->missing, differences->missing_count, "not compared");
}

/* --- all findings of several documents side by side: one row for a name and experiment --- */

/* Differences of findings between a document and the first one, sorted by the first one's
 * finding. */
struct pair_differences {
    const struct difference **list;
    size_t count;
};

struct comparing {
    struct report *report;
    struct table *table;
    const struct pair_differences *pairs;
    size_t count;
};

static int by_finding(const void *a, const void *b)
{
    const struct difference *const *left = a, *const *right = b;
    return ((*left)->finding > (*right)->finding) - ((*left)->finding < (*right)->finding);
}

static struct cell change_cell(struct report *report, double ratio, enum answer answer)
{
    static const char *const words[ANSWERS] = {"", " can't tell", " changed", " (condition)"};
    char change[CELL_TEXT];
    if (!*change_text(ratio, change))
        return cell_of_text(NULL);
    struct cell cell = cell_of_text(report_text(report, "%s%s", change, words[answer]));
    cell.stands_out = answer == CHANGED;
    return cell;
}

/* `base`: the first document's finding; `finding`: this document's; NULL: it has none. */
static struct cell change_of(const struct comparing *comparing, size_t document,
                             const struct finding *base, const struct finding *finding)
{
    const struct pair_differences *pairs = &comparing->pairs[document];
    const struct difference key = {.finding = base}, *const key_at = &key;
    const struct difference *const *found =
        base ? bsearch(&key_at, pairs->list, pairs->count, sizeof *pairs->list, by_finding) : NULL;
    if (found)
        return change_cell(comparing->report, (*found)->compared.ratio, (*found)->compared.answer);
    if (!finding || !base)
        return cell_of_text(base ? "missing here" : NULL);
    /* A twin in ns or cycles has no difference of its own: only the other one is judged. */
    const bool alike =
        quantity_comparable(finding->unit, base->unit) && finding->value > 0 && base->value > 0;
    return change_cell(comparing->report, alike ? finding->value / base->value : NAN, SAME);
}

/* `line`: the findings of one row, in the order of the documents. A document's second finding of
 * the same name and experiment is skipped. */
static void add_row(const struct comparing *comparing, struct catalogue_entry *const *line,
                    size_t length)
{
    struct report *report = comparing->report;
    const struct finding *base = line[0]->document == 0 ? line[0]->finding : NULL;
    struct row *row = table_add_row(report, comparing->table);
    size_t next = 0, at = 0;
    row->cells[at++] = cell_of_text(line[0]->finding->name);
    row->words = report_experiment(report, line[0]->finding);
    for (size_t i = 0; i < comparing->count; i++) {
        while (next < length && line[next]->document < i)
            next++;
        const struct finding *finding =
            next < length && line[next]->document == i ? line[next]->finding : NULL;
        row->cells[at++] = cell_of_finding(finding, FORM_VALUE);
        if (i)
            row->cells[at++] = change_of(comparing, i, base, finding);
    }
}

/* The findings of one row. */
struct same_findings {
    struct catalogue_entry *const *line;
    size_t length;
};

static int as_they_stand(const void *a, const void *b)
{
    const struct same_findings *left = a, *right = b;
    return (left->line[0] > right->line[0]) - (left->line[0] < right->line[0]);
}

/* In the order of the first document that has them. Clusters are shown below their matrices
 * instead. */
static void add_rows(const struct comparing *comparing)
{
    struct report *report = comparing->report;
    const struct catalogue *catalogue = &report->catalogue;
    size_t count = 0;
    struct same_findings *rows = pool_alloc(report->pool, catalogue->count + 1, sizeof *rows);
    for (size_t i = 0; i < catalogue->count;) {
        struct same_findings row = {&catalogue->by_name[i], 1};
        while (i + row.length < catalogue->count &&
               row.line[0]->experiment == row.line[row.length]->experiment &&
               strcmp(row.line[0]->finding->name, row.line[row.length]->finding->name) == 0)
            row.length++;
        if (!catalogue_is_of_clusters(row.line[0]))
            rows[count++] = row;
        i += row.length;
    }
    qsort(rows, count, sizeof *rows, as_they_stand);
    for (size_t i = 0; i < count; i++)
        add_row(comparing, rows[i].line, rows[i].length);
}

void report_add_comparison(struct report *report, const struct differences *differences,
                           size_t count)
{
    const struct document *const *documents = report->catalogue.documents;
    struct pair_differences *pairs = pool_alloc(report->pool, count, sizeof *pairs);
    for (size_t i = 1; i < count; i++) {
        pairs[i].list = pool_alloc(report->pool, differences[i].count + 1, sizeof *pairs[i].list);
        for (size_t d = 0; d < differences[i].count; d++)
            if (differences[i].list[d].finding)
                pairs[i].list[pairs[i].count++] = &differences[i].list[d];
        qsort(pairs[i].list, pairs[i].count, sizeof *pairs[i].list, by_finding);
    }
    struct table *table = &report_add(report, BLOCK_TABLE, SECTION_DIFFERENCES, 0, NULL)->table;
    table->title = "Differences between the documents";
    table_add_words(report, table, "finding", 0);
    for (size_t i = 0; i < count; i++) {
        struct line name = {0};
        char time[DOCUMENT_TIME];
        line_add_document(&name, documents, count, i);
        struct column *column = table_add_figures(report, table, report_line(report, &name), 0);
        column->measured = column->kept = true;
        column->remark = report_text(report, "%s", document_time(documents[i]->run.started, time));
        if (i)
            table_add_figures(report, table, "change", 0);
    }
    add_rows(&(struct comparing){report, table, pairs, count});
}
