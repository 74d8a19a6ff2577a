/* Facts next to the datasheet: CPU time taken from programs, wake-ups, and declared values of the
 * memory compared with measured ones. */
#include "base/cpulist.h"
#include "base/units.h"
#include "conclude/channels.h"
#include "conclude/registry/factors.h"
#include "conclude/ways.h"
#include "document/flag.h"
#include "show/report/figure.h"
#include "show/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct finding *find(const struct catalogue *catalogue, size_t index,
                                  enum finding_fact fact)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document == index && !entry->experiment && entry->meaning.fact == fact &&
            isfinite(entry->finding->value))
            return entry->finding;
    }
    return NULL;
}

void report_add_system(struct report *report, size_t index)
{
    const struct catalogue *catalogue = &report->catalogue;
    const struct finding *taken = find(catalogue, index, FACT_TAKEN);
    const struct finding *wake = find(catalogue, index, FACT_WAKE);
    struct facts facts = {0};
    if (taken) {
        /* "interference takes 0.21 % of CPU time, up to 3.91 ms at a time; least on CPUs 0,3" */
        const struct finding *longest = find(catalogue, index, FACT_LONGEST);
        const struct finding *quietest = find(catalogue, index, FACT_QUIETEST);
        const char *cpus = quietest ? quietest->cpus : NULL;
        struct line line = {0};
        char figure[UNIT_TEXT];
        line_add(&line, "interference takes %s %% of CPU time", figure_plain(taken->value, figure));
        if (longest)
            line_add(&line, ", up to %s at a time", duration_format(longest->value * 1e-6, figure));
        if (cpus && taken->cpus && strcmp(cpus, taken->cpus) != 0)
            line_add_between(&line, strpbrk(cpus, ",-") ? "; least on CPUs " : "; least on CPU ",
                             cpus, "");
        *facts_add(report, &facts) =
            (struct fact){.label = "noise", .text = report_line(report, &line)};
    }
    if (wake) {
        char figure[UNIT_TEXT];
        const bool is_long = wake->value >= 1e4; /* from 10 us on, in microseconds */
        *facts_add(report, &facts) = (struct fact){
            .label = "wake-up",
            .text = report_text(report, "%s %s to wake another CPU by futex%s",
                                figure_plain(wake->value / (is_long ? 1e3 : 1), figure),
                                is_long ? "us" : "ns", flag_doubts(wake->flags) ? " !" : "")};
    }
    report_add_facts(report, SECTION_WIDTH, index, "system", NULL, &facts);
}

enum { NODES_SHOWN = 16, ROWS_MAX = 8 };
enum { DIGITS = 4 }; /* digits of exactly declared values: 204.8 */

/* --- nodes --- */

enum { LATENCY, BANDWIDTH };

static int place_of_node(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    (void)with;
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
    unsigned flags = 0;
    for (int measured = 0; measured < 2; measured++) {
        const char *separator = measured ? "; measured " : "declared ";
        for (int i = LATENCY; i <= BANDWIDTH; i++) {
            const struct finding *finding = node->values[i];
            if (!finding)
                continue;
            const double value = measured ? finding->value : finding->declared;
            line_add(line, "%s", separator);
            line_add_value(line, value, finding->unit);
            separator = ", ";
            flags |= finding->flags;
        }
    }
    line_add_in_brackets(line,
                         node->values[LATENCY] ? node->values[LATENCY] : node->values[BANDWIDTH]);
    line_add(line, "%s", flag_doubts(flags) ? " !" : "");
}

static void add_nodes(struct report *report, struct facts *facts, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    struct pivot nodes = {.most = NODES_SHOWN, .by_name_alone = true};
    pivot_collect(&nodes, &report->catalogue, index, -1, place_of_node, NULL);
    for (size_t i = 0; i < nodes.count; i++) {
        struct line line = {0};
        add_kind(&line, &document->machine, nodes.rows[i].first->meaning.number);
        add_values(&line, &nodes.rows[i]);
        *facts_add(report, facts) =
            (struct fact){.label = report_text(report, "node %s", nodes.rows[i].name),
                          .text = report_line(report, &line)};
    }
    if (nodes.left_out)
        facts->more = "more nodes are in the document";
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
        line_add(&line, " of %s declared%s: ",
                 figure_format(read->declared / figure_scale(read->unit).divisor, DIGITS, figure),
                 flag_doubts(read->flags) ? " !" : "");
    }
    line_add_clean(&line, channels.sentence);
    *facts_add(report, facts) = (struct fact){.label = "DRAM", .text = report_line(report, &line)};
}

/* --- weights --- */

/* "for CPUs of node 0: 11 5 3 (the kernel has 1 1 1)" */
static void add_weights(struct report *report, struct facts *facts, size_t index)
{
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
        *facts_add(report, facts) =
            (struct fact){.label = said++ ? NULL : "weights", .text = report_line(report, &line)};
    }
}

void report_add_declared(struct report *report, size_t index)
{
    struct facts facts = {0};
    add_nodes(report, &facts, index);
    add_channels(report, &facts, index);
    add_weights(report, &facts, index);
    report_add_facts(report, SECTION_WIDTH, index, "declared",
                     "the memory as firmware and kernel declare it, and as measured", &facts);
}
