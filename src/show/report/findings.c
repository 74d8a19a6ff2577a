/* The findings of a probe, a row each. */
#include "base/text.h"
#include "conclude/registry/factors.h"
#include "show/report/details.h"

#include <math.h>

/* Which of the columns on the right any finding fills. */
struct filled {
    bool any, declared, cpus;
};

static struct filled filled_by(const struct catalogue_entry *entries, size_t count)
{
    struct filled filled = {false};
    for (size_t i = 0; i < count; i++) {
        if (catalogue_is_of_clusters(&entries[i]))
            continue;
        filled.any = true;
        filled.declared = filled.declared || isfinite(entries[i].finding->declared);
        filled.cpus = filled.cpus || entries[i].finding->cpus;
    }
    return filled;
}

static void add_columns(struct report *report, struct table *table, const struct filled *filled)
{
    enum { NAME = 24, VALUE = 10, DECLARED = 9 };
    struct column *column = table_add_column(report, table, "finding");
    column->words = true;
    column->least = NAME;
    column = table_add_column(report, table, "value");
    column->measured = true;
    column->least = VALUE;
    if (filled->declared)
        table_add_column(report, table, "declared")->least = DECLARED;
    if (filled->cpus)
        table_add_column(report, table, "CPUs")->words = true;
}

/* `before`: the finding above it. What is shown in cycles and in ns has one sentence. */
static void add_finding(struct report *report, struct table *table,
                        const struct catalogue_entry *entry, const struct finding *before,
                        const struct filled *filled)
{
    const struct finding *finding = entry->finding;
    struct row *row = table_add_row(report, table);
    struct line words = {0};
    size_t at = 0;
    if (!row)
        return;
    row->flags = finding->flags;
    row->line = entry->meaning.role == ROLE_PLAIN ? NULL : entry->meaning.line;
    row->cells[at++] = cell_of_text(finding->name);
    row->cells[at++] = cell_of_finding(finding, FORM_VALUE);
    if (filled->declared)
        row->cells[at++] = isfinite(finding->declared)
                               ? cell_of_value(finding->declared, finding->unit, FORM_VALUE)
                               : cell_of_text(NULL);
    if (filled->cpus)
        row->cells[at] = cell_of_text(finding->cpus);
    line_add_experiment(&words, finding);
    row->words = report_line(report, &words);
    row->sentence = before && text_same(before->text, finding->text) ? NULL : finding->text;
}

void report_add_findings(struct report *report, size_t index, const struct probe_result *probe)
{
    const struct catalogue_entry *entries = catalogue_of(&report->catalogue, index, probe);
    const struct filled filled = filled_by(entries, probe->finding_count);
    if (!filled.any)
        return;
    struct block *block = report_add(report, BLOCK_TABLE, SECTION_FINDINGS, index);
    struct table *table = &block->table;
    block->probe = probe;
    table->title = "findings";
    add_columns(report, table, &filled);
    for (size_t i = 0; i < probe->finding_count; i++)
        if (!catalogue_is_of_clusters(&entries[i]))
            add_finding(report, table, &entries[i], i ? entries[i - 1].finding : NULL, &filled);
}
