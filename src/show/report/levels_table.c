/*
 * The datasheet: what the findings say of each level, a row each. What a finding means follows from
 * its name (conclude/registry/registry.h), so a document of any run, or of any other tool's table,
 * fills as much of it as it can.
 */
#include "base/quantity.h"
#include "base/units.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/registry/finding.h"
#include "show/report/builders.h"

#include <math.h>

/* Columns of a terminal: names of the CPUs' levels are short. */
enum { NAME_LEAST = 6, DEVICE_NAME_LEAST = 13, FIGURE_LEAST = 7 };

static double clock_of(const struct report *report, size_t index, int device)
{
    if (device < 0)
        return report->catalogue.documents[index]->conditions.core_hz;
    for (size_t i = 0; i < report->catalogue.count; i++) {
        const struct catalogue_entry *entry = &report->catalogue.list[i];
        if (entry->document == index && entry->meaning.device == device &&
            entry->meaning.role == ROLE_CONDITION &&
            quantity_is(entry->finding->unit, DIMENSION_FREQUENCY) &&
            isfinite(entry->finding->value))
            return entry->finding->value;
    }
    return NAN;
}

/* "core clock 3.24 GHz" */
static const char *clock_words(struct report *report, size_t index, int device)
{
    const double clock_hz = clock_of(report, index, device);
    char clock[UNIT_TEXT];
    if (!(clock_hz > 0 && clock_hz < 1e12))
        return NULL;
    return report_text(report, "%s %s", device < 0 ? "core clock" : "clock",
                       hertz_format(clock_hz, clock));
}

/* Which columns any level fills. */
struct filled {
    bool facts[LEVEL_FACTS], declared;
    bool disturbed; /* what was found of some level is more than what the hardware does alone */
};

/* In cycles, which the clock does not move, where there are any. */
static const struct finding *latency_of(const struct level *level)
{
    return level->facts[FACT_LATENCY] ? level->facts[FACT_LATENCY] : level->facts[FACT_LATENCY_NS];
}

static struct filled filled_by(const struct levels *levels, const struct document *document,
                               int device)
{
    struct filled filled = {.facts = {[FACT_LATENCY] = true, [FACT_LATENCY_NS] = true}};
    for (size_t i = 0; i < levels->count; i++) {
        for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++)
            filled.facts[fact] = filled.facts[fact] || levels->list[i].facts[fact];
        const struct finding *latency = latency_of(&levels->list[i]);
        filled.disturbed = filled.disturbed || (latency && finding_is_disturbed(latency));
        filled.declared =
            filled.declared || isfinite(level_declared_bytes(document, device, &levels->list[i]));
    }
    return filled;
}

static struct column *add_column(struct report *report, struct table *table, const char *name,
                                 size_t least)
{
    struct column *column = table_add_column(report, table, name);
    column->least = least;
    return column;
}

static const struct {
    const char *name;
    size_t least;
    enum form form;
} heads[LEVEL_FACTS] = {[FACT_LATENCY] = {"latency", FIGURE_LEAST, FORM_MEASURED},
                        [FACT_LATENCY_NS] = {"in time", FIGURE_LEAST, FORM_MEASURED},
                        [FACT_CAPACITY] = {"capacity", 10, FORM_VALUE},
                        [FACT_LINE] = {"line", 5, FORM_WHOLE},
                        [FACT_WAYS] = {"ways", 5, FORM_WHOLE}};

static void add_columns(struct report *report, struct table *table, const struct filled *filled,
                        size_t index, int device)
{
    add_column(report, table, "level", device < 0 ? NAME_LEAST : DEVICE_NAME_LEAST)->words = true;
    for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++) {
        if (filled->facts[fact]) {
            /* Where nothing disturbed it, the quiet value is what was found. */
            const bool quiet = fact == FACT_LATENCY && filled->disturbed;
            struct column *column = add_column(
                report, table, quiet ? "latency, quiet" : heads[fact].name, heads[fact].least);
            column->measured = heads[fact].form == FORM_MEASURED;
            column->remark = fact == FACT_LATENCY ? clock_words(report, index, device) : NULL;
        }
        if (fact == FACT_CAPACITY && filled->declared)
            add_column(report, table, "declared", 9);
        if (fact == FACT_LATENCY_NS && filled->disturbed)
            add_column(report, table, "as found", 9);
    }
}

/* How far what was found lies above what the hardware does alone: "+5.6 %". NULL: not beyond
 * doubt. */
static const char *as_found(struct report *report, const struct finding *latency)
{
    return latency && finding_is_disturbed(latency)
               ? report_text(report, "%+.3g %%",
                             100 * (latency->value / (double)latency->quiet.value - 1))
               : NULL;
}

static void add_level(struct report *report, struct table *table, const struct level *level,
                      const struct filled *filled, const struct document *document, int device)
{
    struct row *row = table_add_row(report, table);
    struct line words = {0};
    const double declared = level_declared_bytes(document, device, level);
    size_t at = 0;
    if (!row)
        return;
    row->cells[at++] = cell_of_text(report_text(report, "%s", level->name));
    for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++) {
        const struct finding *finding = level->facts[fact];
        row->flags |= finding ? finding->flags : 0;
        if (filled->facts[fact])
            row->cells[at++] =
                finding && (isfinite(finding->value) || heads[fact].form == FORM_VALUE)
                    ? cell_of_quiet(finding, heads[fact].form)
                    : cell_of_text(NULL);
        if (fact == FACT_CAPACITY && filled->declared)
            row->cells[at++] =
                isfinite(declared) ? cell_of_value(declared, "B", FORM_VALUE) : cell_of_text(NULL);
        if (fact == FACT_LATENCY_NS && filled->disturbed)
            row->cells[at++] = cell_of_text(as_found(report, latency_of(level)));
    }
    line_add_experiment(&words, level_example(level));
    row->words = report_line(report, &words);
}

void report_add_levels(struct report *report, size_t index, int device)
{
    const struct document *document = report->catalogue.documents[index];
    struct levels levels;
    levels_collect(&levels, &report->catalogue, index, device);
    if (levels.count == 0)
        return;
    const struct filled filled = filled_by(&levels, document, device);
    struct block *block =
        report_add(report, BLOCK_TABLE, device < 0 ? SECTION_DEPTH : SECTION_DEVICE, index);
    struct table *table = &block->table;
    block->device = device;
    table->title = "depth";
    table->caption = "how far away each level is, and how much it holds";
    add_columns(report, table, &filled, index, device);
    for (size_t i = 0; i < levels.count; i++)
        add_level(report, table, &levels.list[i], &filled, document, device);
    if (levels.left_out)
        table->more = report_text(report,
                                  "and %zu more values of other experiments, all in the "
                                  "document",
                                  levels.left_out);
}
