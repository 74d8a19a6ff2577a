/* The findings of a probe, a row each; its clusters as a tree, and where they contradict declared
 * values. */
#include "base/cpulist.h"
#include "base/quantity.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/clusters/clusters.h"
#include "conclude/registry/factors.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/home.h"
#include "show/report/figure.h"
#include "show/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- findings --- */

/* Which of the optional columns have a value in any row. */
struct filled {
    bool any, longer, declared, cpus;
};

/* `before`: the finding above it. A value in cycles and its twin in ns share one sentence; the
 * derived one of them tells its clock. */
static void add_finding(struct report *report, struct table *table,
                        const struct catalogue_entry *entry, const struct finding *before,
                        const struct filled *filled)
{
    const struct finding *finding = entry->finding;
    struct row *row = table_add_row(report, table);
    char clock[UNIT_TEXT];
    size_t at = 0;
    row->flags = finding->flags;
    row->line = entry->meaning.role == ROLE_PLAIN ? NULL : entry->meaning.line;
    row->cells[at++] = cell_of_text(finding->name);
    row->cells[at] = cell_of_finding(finding, FORM_VALUE);
    row->cells[at++].mark = '\0'; /* the kind says it */
    row->cells[at++] = cell_of_text(finding_kind(finding));
    if (filled->longer)
        row->cells[at++] = cell_of_text(disturbance_words(report, finding->disturbance));
    if (filled->declared)
        row->cells[at++] = isfinite(finding->declared)
                               ? cell_of_value(finding->declared, finding->unit, FORM_VALUE)
                               : cell_of_text(NULL);
    if (filled->cpus)
        row->cells[at] = cell_of_text(finding->cpus);
    row->words = report_experiment(report, finding);
    if (finding_is_derived(finding))
        row->sentence = report_text(report, "at %s", hertz_format(finding->clock_hz, clock));
    else if (!before || finding_is_derived(before) || !text_same(before->text, finding->text))
        row->sentence = finding->text;
}

void report_add_findings(struct report *report, size_t index, const struct probe_result *probe)
{
    const struct catalogue_entry *entries = catalogue_of(&report->catalogue, index, probe);
    struct filled filled = {false};
    for (size_t i = 0; i < probe->finding_count; i++) {
        if (catalogue_is_of_clusters(&entries[i]))
            continue;
        filled.any = true;
        filled.longer = filled.longer || finding_is_disturbed(entries[i].finding);
        filled.declared = filled.declared || isfinite(entries[i].finding->declared);
        filled.cpus = filled.cpus || entries[i].finding->cpus;
    }
    if (!filled.any)
        return;
    struct table *table = &report_add(report, BLOCK_TABLE, SECTION_FINDINGS, index, probe)->table;
    table->title = "findings";
    table_add_words(report, table, "finding", 24);
    table_add_figures(report, table, "value", 10)->measured = true;
    table_add_figures(report, table, "kind", 0)->rank = 1;
    if (filled.longer)
        table_add_figures(report, table, "longer", 8)->rank = 1;
    if (filled.declared)
        table_add_figures(report, table, "declared", 9);
    if (filled.cpus)
        table_add_words(report, table, "CPUs", 0);
    for (size_t i = 0; i < probe->finding_count; i++)
        if (!catalogue_is_of_clusters(&entries[i]))
            add_finding(report, table, &entries[i], i ? entries[i - 1].finding : NULL, &filled);
}

/* How much of an answer it is, the least first: a fact, any other figure, one of another
 * experiment, a condition of the run; BRIEF_RANKS: none. */
enum { BRIEF_RANKS = 4 };
static int brief_rank(const struct catalogue_entry *entry)
{
    return entry->twin || catalogue_is_of_clusters(entry) ||
                   (!isfinite(entry->finding->value) && !entry->finding->text)
               ? BRIEF_RANKS
           : entry->meaning.role == ROLE_CONDITION ? 3
           : entry->experiment                     ? 2
           : entry->meaning.fact == FACT_NONE      ? 1
                                                   : 0;
}

void report_add_brief_findings(struct report *report, size_t index,
                               const struct probe_result *probe)
{
    enum { ROWS = 5 };
    const struct catalogue_entry *entries = catalogue_of(&report->catalogue, index, probe);
    struct table *table = NULL;
    size_t left = 0;
    for (int rank = 0; rank < BRIEF_RANKS; rank++)
        for (size_t i = 0; i < probe->finding_count; i++) {
            if (brief_rank(&entries[i]) != rank)
                continue;
            if (!table) {
                table = &report_add(report, BLOCK_TABLE, SECTION_FINDINGS, index, probe)->table;
                table->title = "findings";
                table_add_words(report, table, "finding", 24);
                table_add_figures(report, table, "value", 10);
            } else if (table->row_count == ROWS) {
                left++;
                continue;
            }
            struct row *row = table_add_row(report, table);
            struct line name = {0};
            line_add_clean(&name, entries[i].finding->name);
            for (char *c = name.text; *c; c++)
                *c = *c == '.' ? ' ' : *c;
            row->cells[0] = cell_of_text(report_line(report, &name));
            row->cells[1] = cell_of_finding(entries[i].finding, FORM_VALUE);
            row->words = report_experiment(report, entries[i].finding);
            row->note = report_note_of(report, index, entries[i].finding);
        }
    if (left)
        table->more = report_text(report, "%zu more: -v", left);
}

/* --- clusters --- */

enum { DEPTH_MAX = 16, SIZES_MAX = 4 };

static bool is_disagreement(const struct catalogue_entry *entry)
{
    return entry->meaning.role == ROLE_DISAGREEMENT && entry->meaning.fact == FACT_CLUSTERS;
}

/* Clusters of one size, side by side, of which one sentence says the same. */
struct alike {
    const struct catalogue_entry *first; /* NULL: none */
    size_t cpus, depth, count;
    double least, most;
    struct line members; /* "0-1; 2-3" */
};

/* Adds the cluster to the row above it, which is of clusters that are alike. */
static void join_row(struct report *report, struct row *row, struct alike *alike,
                     const struct finding *finding)
{
    char least[UNIT_TEXT], most[UNIT_TEXT];
    struct line value = {0};
    alike->count++;
    alike->least = fmin(alike->least, finding->value);
    alike->most = fmax(alike->most, finding->value);
    line_add(&alike->members, "; ");
    line_add_clean(&alike->members, finding->cpus);
    figure_plain(alike->least, least);
    figure_plain(alike->most, most);
    line_add(&value, strcmp(least, most) == 0 ? "%s" : "%s to %s", least, most);
    line_add_between(&value, " ", finding->unit, "");
    row->cells[0] =
        cell_of_text(report_text(report, "%zu groups of %zu CPUs", alike->count, alike->cpus));
    row->cells[1] = cell_of_text(report_line(report, &value));
    row->sentence = report_line(report, &alike->members);
}

/* All clusters, each below the one around it: the findings are in that order. */
static void add_tree(struct report *report, struct table *table,
                     const struct catalogue_entry *entries, size_t count)
{
    struct cpulist above[DEPTH_MAX];
    struct alike alike = {.first = NULL};
    size_t depth = 0, experiment = 0;
    for (size_t i = 0; i < count; i++) {
        const struct catalogue_entry *entry = &entries[i];
        struct cpulist cpus;
        if (!cluster_read(entry, &cpus, report->pool))
            continue;
        const bool other = entry->experiment != experiment;
        while (depth &&
               (other || depth == DEPTH_MAX || !cluster_is_within(&cpus, &above[depth - 1])))
            depth--;
        if (other) { /* another experiment begins another tree */
            const char *words = report_experiment(report, entry->finding);
            table_add_row(report, table)->cells[0] =
                cell_of_text(report_text(report, "%s:", words ? words : "as standard"));
        }
        experiment = entry->experiment;
        /* Whether the next cluster lies in this one. */
        struct cpulist next;
        const bool inner = (count - i) > 1 && cluster_read(&entry[1], &next, report->pool) &&
                           cluster_is_within(&next, &cpus);
        if (!inner && (alike.first && alike.cpus == cpus.count && alike.depth == depth &&
                       alike.first->experiment == entry->experiment &&
                       quantity_same(alike.first->finding->unit, entry->finding->unit) &&
                       text_same(alike.first->finding->text, entry->finding->text))) {
            join_row(report, &table->rows[table->row_count - 1], &alike, entry->finding);
            above[depth++] = cpus;
            continue;
        }
        alike = (struct alike){.first = inner ? NULL : entry,
                               .cpus = cpus.count,
                               .depth = depth,
                               .count = 1,
                               .least = entry->finding->value,
                               .most = entry->finding->value};
        line_add_clean(&alike.members, entry->finding->cpus);
        struct row *row = table_add_row(report, table);
        row->depth = depth;
        row->cells[0] = cell_of_text(entry->finding->cpus);
        row->cells[1] = cell_of_finding(entry->finding, FORM_MEASURED);
        row->cells[1].low = row->cells[1].high = NAN; /* the range of its pairs, no interval */
        row->cells[1].flags = 0;
        row->cells[2] = cell_of_text(entry->finding->text);
        above[depth++] = cpus;
    }
}

void report_add_clusters(struct report *report, size_t index, const struct probe_result *probe)
{
    const struct catalogue_entry *entries = catalogue_of(&report->catalogue, index, probe);
    bool any = false;
    for (size_t i = 0; i < probe->finding_count && !any; i++)
        any = catalogue_is_of_clusters(&entries[i]);
    if (!any)
        return;
    struct table *table = &report_add(report, BLOCK_TABLE, SECTION_FINDINGS, index, probe)->table;
    table->title = "clusters";
    table_add_words(report, table, "CPUs", 18);
    table_add_figures(report, table, "hand-off", 9);
    table_add_words(report, table, "what it looks like", 0);
    add_tree(report, table, entries, probe->finding_count);
    for (size_t i = 0; i < probe->finding_count; i++) {
        struct line line = {0};
        if (!is_disagreement(&entries[i]))
            continue;
        const struct finding *finding = entries[i].finding;
        line_add_clean(&line, finding->text ? finding->text : "declared otherwise");
        line_add_in_brackets(&line, finding);
        report_add_note(report, SECTION_FINDINGS, index, probe, NOTE_DOUBT,
                        report_line(report, &line));
    }
}

/* --- clusters in one line --- */

/* Clusters of one size. */
struct size {
    size_t cpus, clusters;
    double least, most;
};

const char *report_tell_clusters(struct report *report, size_t index,
                                 const struct probe_result *probe)
{
    const struct catalogue_entry *entries = catalogue_of(&report->catalogue, index, probe);
    const struct catalogue_entry *example = NULL; /* of the first experiment, which alone counts */
    struct size sizes[SIZES_MAX];
    size_t count = 0;
    struct line line = {0};
    for (size_t i = 0; i < probe->finding_count; i++) {
        struct cpulist cpus;
        size_t at = 0;
        if ((example && entries[i].experiment != example->experiment) ||
            !cluster_read(&entries[i], &cpus, report->pool))
            continue;
        example = example ? example : &entries[i];
        while (at < count && sizes[at].cpus != cpus.count)
            at++;
        if (at == SIZES_MAX)
            continue;
        if (at == count)
            sizes[count++] = (struct size){cpus.count, 0, INFINITY, -INFINITY};
        sizes[at].clusters++;
        sizes[at].least = fmin(sizes[at].least, entries[i].finding->value);
        sizes[at].most = fmax(sizes[at].most, entries[i].finding->value);
    }
    qsort(sizes, count, sizeof *sizes, by_size);
    for (size_t i = 0; i < count; i++) {
        char least[UNIT_TEXT], most[UNIT_TEXT];
        figure_plain(sizes[i].least, least);
        figure_plain(sizes[i].most, most);
        bool one = strcmp(least, most) == 0;
        if (i == 0)
            line_add(&line, "Clusters, %s: ", figure_unit(example->finding->unit));
        line_add(&line, "%s%zu with %zu CPUs (%s%s%s)", i ? ", " : "", sizes[i].clusters,
                 sizes[i].cpus, least, one ? "" : " to ", one ? "" : most);
    }
    if (line.length)
        line_add_in_brackets(&line, example->finding);
    return report_line(report, &line);
}
