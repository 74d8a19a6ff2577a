/* Facts next to the datasheet: declared values of the memory compared with measured ones. */
#include "base/cpulist.h"
#include "base/units.h"
#include "conclude/channels.h"
#include "conclude/registry/factors.h"
#include "conclude/ways.h"
#include "show/report/figure.h"
#include "show/report/parts.h"

#include <math.h>
#include <stdio.h>

enum { NODES_SHOWN = 16, ROWS_MAX = 8 };
enum { DIGITS = 4 }; /* digits of exactly declared values: 204.8 */

/* --- nodes --- */

enum { LATENCY, BANDWIDTH };

static int place_of_node(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    if (entry->meaning.fact != FACT_NODE || !isfinite(entry->finding->value) ||
        !isfinite(entry->finding->declared))
        return PIVOT_NONE;
    snprintf(name, PIVOT_NAME, "%d", entry->meaning.number);
    return entry->meaning.quantity->dimension == DIMENSION_TIME ? LATENCY : BANDWIDTH;
}

/* "CPU-less, tier 22: ", without what is unknown. */
static void add_kind(struct line *line, const struct machine_facts *machine, int node)
{
    for (size_t i = 0; i < machine->node_count && !line->length; i++)
        if (machine->nodes[i].id == node && machine->nodes[i].cpus && !*machine->nodes[i].cpus)
            line_add(line, "CPU-less");
    for (size_t i = 0; i < machine->declared.tier_count && i < NODES_MAX; i++)
        if (cpulist_text_has(machine->declared.tiers[i].nodes, node)) {
            line_add(line, "%stier %d", line->length ? ", " : "", machine->declared.tiers[i].id);
            break;
        }
    line_add(line, line->length ? ": " : "");
}

/* "declared 250 ns, 25.6 GB/s; measured 412 ns, 11.0 GB/s" */
static void add_values(struct line *line, const struct pivot_row *node)
{
    for (int measured = 0; measured < 2; measured++) {
        const char *separator = measured ? "; measured " : "declared ";
        for (int i = LATENCY; i <= BANDWIDTH; i++) {
            const struct finding *finding = node->values[i];
            if (!finding)
                continue;
            const struct cell cell =
                measured ? cell_of_finding(finding, FORM_VALUE)
                         : cell_of_value(finding->declared, finding->unit, FORM_VALUE);
            char text[CELL_TEXT];
            line_add(line, "%s%s", separator, cell_text(&cell, text));
            separator = ", ";
        }
    }
    line_add_in_brackets(line,
                         node->values[LATENCY] ? node->values[LATENCY] : node->values[BANDWIDTH]);
}

/* --- channels --- */

/* The read bandwidth of all CPUs, if its declared bandwidth is known; that of the standard
 * experiment if there is one. */
static const struct finding *all_read(const struct catalogue *catalogue, size_t index)
{
    const struct finding *found = NULL;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document != index || entry->meaning.role != ROLE_WIDTH ||
            entry->meaning.fact != FACT_ALL || !isfinite(entry->finding->declared) ||
            !isfinite(entry->finding->value))
            continue;
        if (!entry->experiment)
            return entry->finding;
        found = found ? found : entry->finding;
    }
    return found;
}

/* "read 69.8 GB/s of 204.8 declared: 7 of 8 channels populated, slot H is empty" */
static void add_channels(struct report *report, struct facts *facts, size_t index)
{
    struct channels channels;
    struct line line = {0};
    char figure[UNIT_TEXT];
    const struct finding *read = all_read(&report->catalogue, index);
    channels_read(&channels, &report->catalogue.documents[index]->machine.declared, report->pool);
    if (!channels.sentence)
        return;
    if (read) {
        line_add(&line, "read %s", figure_valued(read->value, read->unit, figure));
        line_add_in_brackets(&line, read);
        line_add(&line, " of %s declared: ",
                 figure_format(read->declared / figure_scale(read->unit).divisor, DIGITS, figure));
    }
    line_add_clean(&line, channels.sentence);
    *facts_add(report, facts) = (struct fact){.label = "DRAM", .text = report_line(report, &line)};
}

/* --- weights --- */

void report_add_declared(struct report *report, size_t index)
{
    const size_t before = report->count;
    struct facts facts = {0};
    const struct document *document = report->catalogue.documents[index];
    struct pivot nodes = {.most = NODES_SHOWN, .by_name_alone = true};
    pivot_collect(&nodes, &report->catalogue, index, -1, place_of_node, NULL);
    for (size_t i = 0; i < nodes.count; i++) {
        struct line line = {0};
        add_kind(&line, &document->machine, nodes.rows[i].first->meaning.number);
        add_values(&line, &nodes.rows[i]);
        *facts_add(report, &facts) =
            (struct fact){.label = report_text(report, "node %s", nodes.rows[i].name),
                          .text = report_line(report, &line)};
    }
    if (nodes.left_out)
        facts.more = "more nodes are in the document";
    add_channels(report, &facts, index);
    /* "for CPUs of node 0: 11 5 3 (the kernel has 1 1 1)" */
    struct interleave found;
    interleave_read(&found, report->catalogue.documents[index], report->pool);
    for (size_t i = 0, said = 0; i < found.row_count && said < ROWS_MAX; i++) {
        const struct interleave_row *row = &found.rows[i];
        struct line line = {0};
        if (!interleave_kernel_known(row))
            continue;
        line_add(&line, "for CPUs of node %d:", row->from);
        for (size_t n = 0; n < row->count; n++)
            line_add(&line, " %u", row->weights[n]);
        line_add(&line, " (the kernel has");
        for (size_t n = 0; n < row->count; n++)
            line_add(&line, " %u", row->kernel[n]);
        line_add(&line, ")");
        *facts_add(report, &facts) =
            (struct fact){.label = said++ ? NULL : "weights", .text = report_line(report, &line)};
    }
    report_add_facts(report, SECTION_WIDTH, index, "declared",
                     "the memory as firmware and kernel declare it, and as measured", &facts);
    report_spare(report, before, SPARE_DECLARED);
}
