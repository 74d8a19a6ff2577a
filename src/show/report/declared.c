/* What firmware and kernel declare of the memory, beside what was measured: facts. */
#include "base/cpulist.h"
#include "conclude/channels.h"
#include "conclude/interleave.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/report/builders.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_SHOWN = 16, ROWS_MAX = 8 };
enum { DIGITS = 4 }; /* of what is declared exactly: 204.8 */

/* --- nodes --- */

/* What a node's memory was found to be; either may be NULL. */
struct node {
    int id;
    const struct finding *latency, *bandwidth;
};

struct nodes {
    struct node list[NODES_SHOWN];
    size_t count, left_out;
};

static void collect(struct nodes *nodes, const struct catalogue *catalogue, size_t index,
                    bool standard)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document != index || (entry->experiment == 0) != standard ||
            entry->meaning.fact != FACT_NODE || !isfinite(entry->finding->value) ||
            !isfinite(entry->finding->declared))
            continue;
        size_t at = 0;
        while (at < nodes->count && nodes->list[at].id != entry->meaning.number)
            at++;
        if (at == NODES_SHOWN) {
            nodes->left_out++;
            continue;
        }
        if (at == nodes->count)
            nodes->list[nodes->count++] = (struct node){.id = entry->meaning.number};
        const struct finding **place = entry->meaning.quantity->dimension == DIMENSION_TIME
                                           ? &nodes->list[at].latency
                                           : &nodes->list[at].bandwidth;
        *place = *place ? *place : entry->finding;
    }
}

/* "CPU-less, tier 22: ", as far as it is known. */
static void add_kind(struct line *line, const struct machine_facts *machine, int node)
{
    const char *separator = "";
    for (size_t i = 0; i < machine->node_count; i++)
        if (machine->nodes[i].id == node && machine->nodes[i].cpus && !*machine->nodes[i].cpus) {
            line_add(line, "CPU-less");
            separator = ", ";
            break;
        }
    for (size_t i = 0; i < machine->declared.tier_count && i < NODES_MAX; i++)
        if (cpulist_text_has(machine->declared.tiers[i].nodes, node)) {
            line_add(line, "%stier %d", separator, machine->declared.tiers[i].id);
            break;
        }
    if (line->length)
        line_add(line, ": ");
}

/* "declared 250 ns, 25.6 GB/s; measured 412 ns, 11.0 GB/s" */
static void add_values(struct line *line, const struct node *node)
{
    char figure[UNIT_TEXT];
    const struct finding *const both[] = {node->latency, node->bandwidth};
    bool doubt = false;
    for (int measured = 0; measured < 2; measured++) {
        const char *separator = measured ? "; measured " : "declared ";
        for (size_t i = 0; i < 2; i++) {
            const struct finding *finding = both[i];
            if (!finding)
                continue;
            const double value =
                measured ? quiet_or(&finding->quiet, finding->value) : finding->declared;
            line_add(line, "%s%s", separator, figure_valued(value, finding->unit, figure));
            if (!figure_has_unit(finding->unit)) {
                line_add(line, " ");
                line_add_clean(line, finding->unit);
            }
            separator = ", ";
            doubt = doubt || flag_doubts(finding->flags);
        }
    }
    line_add_in_brackets(line, both[0] ? both[0] : both[1]);
    line_add(line, "%s", doubt ? " !" : "");
}

static void add_nodes(struct report *report, struct facts *facts, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    struct nodes nodes = {.count = 0};
    collect(&nodes, &report->catalogue, index, true);
    collect(&nodes, &report->catalogue, index, false);
    for (size_t i = 0; i < nodes.count; i++) {
        struct line line = {0};
        struct fact *fact = facts_add(report, facts);
        add_kind(&line, &document->machine, nodes.list[i].id);
        add_values(&line, &nodes.list[i]);
        fact->label = report_text(report, "node %d", nodes.list[i].id);
        fact->text = report_line(report, &line);
    }
    if (nodes.left_out)
        facts->more = report_text(report, "and more nodes, all in the document");
}

/* --- channels --- */

/* What all CPUs read, with what could be read beside it; of the standard experiment, if there is
 * one. */
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
    struct error ignored = {0};
    struct channels channels;
    struct line line = {0};
    char figure[UNIT_TEXT];
    const struct finding *read = all_read(&report->catalogue, index);
    if (channels_read(&channels, &report->catalogue.documents[index]->machine.declared,
                      &report->pool, &ignored) < 0) {
        report->no_memory = true;
        return;
    }
    if (!channels.sentence)
        return;
    if (read) {
        line_add(&line, "read %s",
                 figure_valued(quiet_or(&read->quiet, read->value), read->unit, figure));
        line_add_in_brackets(&line, read);
        line_add(&line, " of %s declared%s: ",
                 figure_format(read->declared / figure_scale(read->unit).divisor, DIGITS, figure),
                 flag_doubts(read->flags) ? " !" : "");
    }
    line_add_clean(&line, channels.sentence);
    struct fact *fact = facts_add(report, facts);
    fact->label = "DRAM";
    fact->text = report_line(report, &line);
}

/* --- weights --- */

static void add_numbers(struct line *line, const unsigned *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        line_add(line, " %u", numbers[i]);
}

/* "for CPUs of node 0: 11 5 3 (the kernel has 1 1 1)" */
static void add_weights(struct report *report, struct facts *facts, size_t index)
{
    struct interleave found;
    struct error ignored = {0};
    if (interleave_read(&found, report->catalogue.documents[index], &report->pool, &ignored) < 0) {
        report->no_memory = true;
        return;
    }
    for (size_t i = 0, said = 0; i < found.row_count && said < ROWS_MAX; i++) {
        const struct interleave_row *row = &found.rows[i];
        struct line line = {0};
        if (!interleave_kernel_known(row))
            continue;
        line_add(&line, "for CPUs of node %d:", row->from);
        add_numbers(&line, row->weights, row->count);
        line_add(&line, " (the kernel has");
        add_numbers(&line, row->kernel, row->count);
        line_add(&line, ")");
        struct fact *fact = facts_add(report, facts);
        fact->label = said++ ? NULL : "weights";
        fact->text = report_line(report, &line);
    }
}

void report_add_declared(struct report *report, size_t index)
{
    struct facts facts = {0};
    add_nodes(report, &facts, index);
    add_channels(report, &facts, index);
    add_weights(report, &facts, index);
    if (!facts.count)
        return;
    struct heading *heading = &report_add(report, BLOCK_HEADING, SECTION_WIDTH, index)->heading;
    heading->level = 2;
    heading->title = "declared";
    heading->text = "what firmware and kernel say of the memory, and what was measured";
    report_add(report, BLOCK_FACTS, SECTION_WIDTH, index)->facts = facts;
}
