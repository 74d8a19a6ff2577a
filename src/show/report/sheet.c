/*
 * The datasheet: the findings of each level, bandwidth, page size and device. A finding's meaning
 * follows from its name (conclude/registry/registry.h), so a document of any run, or of another
 * tool's table, fills as much of it as it can.
 */
#include "base/quantity.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/registry/finding.h"
#include "conclude/translation/tlb.h"
#include "document/flag.h"
#include "show/report/figure.h"
#include "show/report/names.h"
#include "show/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "23.0 cycles" */
static void add_measured(struct line *line, const char *sign, const struct finding *finding)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s%s ", sign, figure_plain(finding->value, figure));
    line_add_clean(line, finding->unit);
}

/* --- levels --- */

static const struct {
    const char *name;
    size_t least;
    enum form form;
} heads[LEVEL_FACTS] = {[FACT_LATENCY] = {"latency", 7, FORM_MEASURED},
                        [FACT_LATENCY_NS] = {"in time", 7, FORM_MEASURED},
                        [FACT_CAPACITY] = {"capacity", 10, FORM_VALUE},
                        [FACT_LINE] = {"line", 5, FORM_WHOLE},
                        [FACT_WAYS] = {"ways", 5, FORM_WHOLE}};

/* In cycles if there are any, because these do not depend on the clock. */
static const struct finding *latency_of(const struct level *level)
{
    return level->facts[FACT_LATENCY] ? level->facts[FACT_LATENCY] : level->facts[FACT_LATENCY_NS];
}

/* "core clock 3.24 GHz"; NULL: unknown. */
static const char *clock_words(struct report *report, size_t index, int device)
{
    const struct catalogue *catalogue = &report->catalogue;
    double clock_hz = device < 0 ? catalogue->documents[index]->conditions.core_hz : NAN;
    char clock[UNIT_TEXT];
    for (size_t i = 0; i < catalogue->count && device >= 0 && isnan(clock_hz); i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document == index && entry->meaning.device == device &&
            entry->meaning.role == ROLE_CONDITION &&
            quantity_is(entry->finding->unit, DIMENSION_FREQUENCY) &&
            isfinite(entry->finding->value))
            clock_hz = entry->finding->value;
    }
    if (!(clock_hz > 0 && clock_hz < 1e12))
        return NULL;
    return report_text(report, "%s %s", device < 0 ? "core clock" : "clock",
                       hertz_format(clock_hz, clock));
}

void report_add_levels(struct report *report, size_t index, int device)
{
    struct levels levels;
    /* Which columns any level fills, and whether interference made any batch longer. */
    bool facts[LEVEL_FACTS] = {[FACT_LATENCY] = true, [FACT_LATENCY_NS] = true}, declared = false;
    bool disturbed = false;
    levels_collect(&levels, &report->catalogue, index, device);
    if (!levels.count)
        return;
    for (size_t i = 0; i < levels.count; i++) {
        const struct finding *latency = latency_of(&levels.list[i]);
        for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++)
            facts[fact] = facts[fact] || levels.list[i].facts[fact];
        disturbed = disturbed || (latency && finding_is_disturbed(latency));
        declared = declared || isfinite(levels.list[i].declared);
    }
    struct block *block =
        report_add(report, BLOCK_TABLE, device < 0 ? SECTION_DEPTH : SECTION_DEVICE, index, NULL);
    struct table *table = &block->table;
    block->device = device;
    table->title = "depth";
    table->caption = "how far away each level is, and how much it holds";
    table_add_words(report, table, "level", device < 0 ? 6 : 13);
    for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++) {
        if (facts[fact]) {
            struct column *column =
                table_add_figures(report, table, heads[fact].name, heads[fact].least);
            column->measured = heads[fact].form == FORM_MEASURED;
            column->remark = fact == FACT_LATENCY ? clock_words(report, index, device) : NULL;
        }
        if (fact == FACT_CAPACITY && declared)
            table_add_figures(report, table, "declared", 9);
        if (fact == FACT_LATENCY_NS && disturbed)
            table_add_figures(report, table, "longer", 9);
    }
    for (size_t i = 0; i < levels.count; i++) {
        const struct level *level = &levels.list[i];
        struct row *row = table_add_row(report, table);
        struct cell *cell = row->cells;
        *cell++ = cell_of_text(report_text(report, "%s", level->name));
        row->words = report_experiment(report, level->example);
        for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++) {
            const struct finding *finding = level->facts[fact];
            const enum form form = heads[fact].form;
            row->flags |= finding ? finding->flags : 0;
            if (facts[fact])
                *cell++ = finding && (isfinite(finding->value) || form == FORM_VALUE)
                              ? cell_of_finding(finding, form)
                              : cell_of_text(NULL);
            if (fact == FACT_CAPACITY && declared)
                *cell++ = isfinite(level->declared)
                              ? cell_of_value(level->declared, "B", FORM_VALUE)
                              : cell_of_text(NULL);
            if (fact == FACT_LATENCY_NS && disturbed)
                *cell++ = cell_of_text(disturbance_words(report, latency_of(level)->disturbance));
        }
    }
    if (levels.left_out)
        table->more = report_text(
            report, "%zu more values of other experiments are in the document", levels.left_out);
}

/* --- bandwidths --- */

enum { RATES_MAX = 24, RATE_COLUMNS_MAX = 4 };

/* The columns: for CPUs, one CPU and all CPUs; for a device, the ends of names: "read", "write",
 * "copy". */
struct rate_columns {
    const char *names[RATE_COLUMNS_MAX];
    int count;
};

/* A row is a kernel of the CPUs or a memory of a device. The name of a CPU bandwidth has only the
 * kernel between "bandwidth" and the number of CPUs; an access that is not sequential has its own
 * word there. */
static int place_of_rate(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    struct rate_columns *columns = with;
    const struct finding_meaning *meaning = &entry->meaning;
    struct finding_place place;
    int at = 0;
    if (!isfinite(entry->finding->value))
        return PIVOT_NONE;
    if (meaning->device < 0) {
        snprintf(name, PIVOT_NAME, "%.*s", (int)meaning->subject_length, meaning->subject);
        return meaning->role == ROLE_WIDTH && meaning->subject_length < PIVOT_NAME &&
                       (meaning->fact == FACT_ONE || meaning->fact == FACT_ALL) &&
                       !strchr(meaning->subject + meaning->subject_length + 1, '.')
                   ? meaning->fact != FACT_ONE
                   : PIVOT_NONE;
    }
    if (!finding_place(entry->finding, entry->twin, &place) || !place.is_rate)
        return PIVOT_NONE;
    snprintf(name, PIVOT_NAME, "%s", place.name);
    const char *dot = strrchr(entry->finding->name, '.');
    const char *end = dot ? dot + 1 : entry->finding->name;
    while (at < columns->count && strcmp(columns->names[at], end) != 0)
        at++;
    if (at == RATE_COLUMNS_MAX)
        return PIVOT_COLUMNS;
    if (at == columns->count)
        columns->names[columns->count++] = end;
    return at;
}

/* The disturbance of values, column by column ("+5.6 %"), "-" where there is none. NULL: there is
 * none anywhere. */
static const char *rates_disturbed(struct report *report, const struct pivot_row *rates,
                                   int columns)
{
    struct line line = {0};
    bool any = false;
    for (int i = 0; i < columns; i++) {
        const struct finding *rate = rates->values[i];
        const char *words = rate ? disturbance_words(report, rate->disturbance) : NULL;
        line_add(&line, "%s%s", i ? ", " : "", words ? words : "-");
        any = any || words;
    }
    return any ? report_line(report, &line) : NULL;
}

/* False: there are none. */
static bool add_rates(struct report *report, size_t index, int device)
{
    struct rate_columns columns = {{"1 CPU", "all CPUs"}, device < 0 ? 2 : 0};
    struct pivot rates = {.most = RATES_MAX};
    bool disturbed = false;
    pivot_collect(&rates, &report->catalogue, index, device, place_of_rate, &columns);
    if (!rates.count)
        return false;
    struct block *block =
        report_add(report, BLOCK_TABLE, device < 0 ? SECTION_WIDTH : SECTION_DEVICE, index, NULL);
    struct table *table = &block->table;
    block->device = device;
    table->title = "width";
    table->remark = device < 0 ? "DRAM" : NULL;
    table->caption = "bytes a second";
    table_add_words(report, table, device < 0 ? "kernel" : "memory", device < 0 ? 9 : 13);
    for (int c = 0; c < columns.count; c++) {
        table_add_figures(report, table, columns.names[c], 12);
        for (size_t i = 0; i < rates.count; i++) {
            const struct finding *rate = rates.rows[i].values[c];
            disturbed = disturbed || (rate && finding_is_disturbed(rate));
        }
    }
    if (disturbed)
        table_add_figures(report, table, "longer", 16);
    for (size_t i = 0; i < rates.count; i++) {
        struct row *row = table_add_row(report, table);
        row->cells[0] = cell_of_text(report_text(report, "%s", rates.rows[i].name));
        row->words = report_experiment(report, rates.rows[i].first->finding);
        for (int c = 0; c < columns.count; c++) {
            const struct finding *rate = rates.rows[i].values[c];
            row->cells[c + 1] = cell_of_finding(rate, FORM_VALUE);
            row->flags |= row->cells[c + 1].flags;
        }
        if (disturbed)
            row->cells[columns.count + 1] =
                cell_of_text(rates_disturbed(report, &rates.rows[i], columns.count));
    }
    if (rates.left_out)
        table->more = report_text(report, "%zu more are in the document", rates.left_out);
    return true;
}

/* --- misses in flight, and latency under load --- */

enum { FLIGHTS_MAX = 8 };
enum { MISSES, EACH, CALM, BUSY, RATE };

static int place_of_flight(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    const bool of_memory = entry->meaning.level == LEVEL_MEMORY;
    (void)with, (void)name;
    if (entry->meaning.role != ROLE_FLIGHT || !isfinite(entry->finding->value))
        return PIVOT_NONE;
    switch (entry->meaning.fact) {
    case FACT_MISSES:
        return of_memory ? MISSES : PIVOT_NONE;
    case FACT_MISS_TIME:
        return of_memory ? EACH : PIVOT_NONE;
    case FACT_UNLOADED:
        return CALM;
    case FACT_SATURATED:
        return BUSY;
    case FACT_TRAFFIC:
        return RATE;
    default:
        return PIVOT_NONE;
    }
}

/* "21.0 misses of DRAM in flight, 6.63 ns each; a load takes 142 ns alone, 180 ns beside 17.7 GB/s
 * of traffic" */
static void add_flight(struct line *line, const struct finding *const *values)
{
    char figure[UNIT_TEXT];
    const struct finding *misses = values[MISSES], *busy = values[BUSY], *rate = values[RATE];
    static const int doubtful[] = {MISSES, CALM, BUSY, RATE};
    unsigned flags = 0;
    if (misses)
        line_add(line, "%s misses of DRAM in flight", figure_plain(misses->value, figure));
    if (misses && values[EACH]) {
        add_measured(line, ", ", values[EACH]);
        line_add(line, " each");
    }
    if (values[CALM] && busy) {
        line_add(line, "%sa load takes", line->length ? "; " : "");
        add_measured(line, " ", values[CALM]);
        add_measured(line, " alone, ", busy);
        line_add(line, " under %s of traffic",
                 rate ? figure_valued(rate->value, rate->unit, figure) : "all");
    }
    if (!line->length)
        return;
    line_add_in_brackets(line, misses ? misses : busy);
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++)
        flags |= values[doubtful[i]] ? values[doubtful[i]]->flags : 0;
    line_add(line, "%s", flag_doubts(flags) ? " !" : "");
}

void report_add_width(struct report *report, size_t index)
{
    struct pivot flights = {.most = FLIGHTS_MAX};
    struct facts facts = {0};
    const bool rates = add_rates(report, index, -1);
    pivot_collect(&flights, &report->catalogue, index, -1, place_of_flight, NULL);
    for (size_t i = 0; i < flights.count; i++) {
        struct line line = {0};
        add_flight(&line, flights.rows[i].values);
        if (line.length)
            facts_add(report, &facts)->text = report_line(report, &line);
    }
    report_add_facts(report, SECTION_WIDTH, index, rates ? NULL : "width", NULL, &facts);
}

/* --- address translation, a fact for each page size: reach of each TLB, cost beyond --- */

enum { NEAREST, SECOND, HIT, WALK, SPLIT, ONSET };

/* "dtlb2.4K.entries" belongs to the second level. */
static int place_in_pages(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    const struct finding_meaning *meaning = &entry->meaning;
    (void)with;
    if (meaning->role != ROLE_TRANSLATION || !isfinite(entry->finding->value) ||
        meaning->subject_length >= PIVOT_NAME)
        return PIVOT_NONE;
    snprintf(name, PIVOT_NAME, "%.*s", (int)meaning->subject_length, meaning->subject);
    switch (meaning->fact) {
    case FACT_ENTRIES:
        return meaning->number == 1 ? NEAREST : meaning->number == 2 ? SECOND : PIVOT_NONE;
    case FACT_ONSET:
        return ONSET;
    case FACT_HIT:
        return HIT;
    case FACT_WALK:
        return WALK;
    case FACT_SPLIT: /* `declared` is set only for a share above noise */
        return isfinite(entry->finding->declared) ? SPLIT : PIVOT_NONE;
    default:
        return PIVOT_NONE;
    }
}

/* "96 entries; up to 2048 +7.00 cycles; a page walk +30.0 cycles; 98 % translated in pieces of 4K"
 * if a hypervisor splits these pages: "dtlb.2M.as.4K". */
static void add_pages(struct line *line, const struct pivot_row *pages)
{
    const struct finding *const *values = pages->values, *onset = values[ONSET];
    const char *piece = values[SPLIT] ? strrchr(values[SPLIT]->name, '.') : NULL;
    unsigned flags = 0;
    for (int i = NEAREST; i <= WALK; i++)
        flags |= values[i] ? values[i]->flags : 0;
    if (values[NEAREST])
        line_add(line, "%.0f entries", values[NEAREST]->value);
    else if (onset)
        line_add(line, "costs begin at %.0f to %.0f", onset->low, onset->high);
    const char *separator = line->length ? "; " : "";
    if (values[SECOND])
        line_add(line, "%sup to %.0f", separator, values[SECOND]->value);
    else if (values[HIT])
        line_add(line, "%sbeyond", separator);
    if (values[HIT])
        add_measured(line, " +", values[HIT]);
    if (values[WALK]) {
        line_add(line, "%sa page walk", line->length ? "; " : "");
        add_measured(line, " +", values[WALK]);
    }
    if (piece) {
        line_add(line, "%s%.0f %% translated in pieces of ", line->length ? "; " : "",
                 100 * fmin(1, values[SPLIT]->value));
        line_add_clean(line, piece + 1);
    }
    if (!line->length)
        return;
    line_add_in_brackets(line, pages->first->finding);
    line_add(line, "%s", flag_doubts(flags) ? " !" : "");
}

void report_add_translation(struct report *report, size_t index)
{
    enum { EXPERIMENTS_MAX = 4 }; /* for each page size */
    struct pivot pages = {.count = 0};
    struct facts facts = {0};
    pivot_collect(&pages, &report->catalogue, index, -1, place_in_pages, NULL);
    for (size_t page = 0; page < TLB_PAGES; page++)
        for (size_t i = 0, of_page = 0; i < pages.count && of_page < EXPERIMENTS_MAX; i++) {
            struct line words = {0};
            if (strcmp(pages.rows[i].name, tlb_pages[page].name) != 0)
                continue;
            of_page++;
            add_pages(&words, &pages.rows[i]);
            if (!words.length)
                continue;
            struct fact *fact = facts_add(report, &facts);
            fact->label = facts.count <= 1 ? "translation" : "";
            fact->text = report_text(report, "%s pages: %s", tlb_pages[page].name, words.text);
        }
    report_add_facts(report, SECTION_DEPTH, index, NULL, NULL, &facts);
}

/* --- devices: what each is, its levels, memories and bandwidths, and the distance to the host and
 * to other devices. The registry's line of a finding (`place`, `words`) says where else it is
 * shown, and with which words. --- */

enum { DEVICES_MAX = 16, PLACES_MAX = 16 };

/* One line of facts: "to the device 12.0 GB/s, to the host 12.5 GB/s". */
struct place {
    const char *name;
    struct line words;
    char group[FINDING_WORDS]; /* prefix that adjacent findings share: "gpu1: " */
    bool below_levels;
};

static void add_words(struct place *place, const char *words, const struct finding *finding)
{
    const char *colon = strstr(words, ": ");
    const size_t shared = colon ? (size_t)(colon - words) + 2 : 0;
    const bool again = strlen(place->group) == shared && memcmp(place->group, words, shared) == 0;
    char text[CELL_TEXT];
    const struct cell cell = cell_of_finding(finding, FORM_VALUE);
    if (place->words.length)
        line_add(&place->words, again ? ", " : "; ");
    line_add(&place->words, "%s %s", again ? words + shared : words, cell_text(&cell, text));
    line_add_in_brackets(&place->words, finding);
    line_add(&place->words, "%s", flag_doubts(finding->flags) ? " !" : "");
    memcpy(place->group, words, shared);
    place->group[shared] = '\0';
}

static size_t collect_places(const struct catalogue *catalogue, size_t index, int device,
                             struct place *list)
{
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        struct finding_place place;
        size_t at = 0;
        if (entry->document != index || entry->meaning.device != device ||
            !isfinite(entry->finding->value) ||
            !finding_place(entry->finding, entry->twin, &place) || place.is_rate)
            continue;
        while (at < count && strcmp(list[at].name, place.name) != 0)
            at++;
        if (at == PLACES_MAX)
            continue;
        if (at == count)
            list[count++] =
                (struct place){.name = place.name, .below_levels = place.role == ROLE_LEVEL};
        add_words(&list[at], place.words, entry->finding);
    }
    return count;
}

static void add_places(struct report *report, size_t index, int device, const struct place *list,
                       size_t count, bool below_levels)
{
    struct facts facts = {0};
    for (size_t i = 0; i < count; i++) {
        if (list[i].below_levels != below_levels)
            continue;
        struct fact *fact = facts_add(report, &facts);
        fact->label = list[i].name;
        fact->text = report_line(report, &list[i].words);
    }
    report_add_facts(report, SECTION_DEVICE, index, NULL, NULL, &facts);
    if (facts.count)
        report->list[report->count - 1].device = device;
}

void report_add_devices(struct report *report, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    int devices[DEVICES_MAX];
    const size_t device_count = device_list(document, devices, DEVICES_MAX);
    for (size_t i = 0; i < device_count; i++) {
        const int device = devices[i];
        const struct gpu_facts *gpu = device_facts(&document->machine, device);
        struct place places[PLACES_MAX];
        struct line line = {0};
        const size_t count = collect_places(&report->catalogue, index, device, places);
        line_add_gpu(&line, gpu);
        struct block *block = report_add(report, BLOCK_HEADING, SECTION_DEVICE, index, NULL);
        block->device = device;
        block->heading = (struct heading){.level = 2,
                                          .title = report_text(report, "gpu%d", device),
                                          .text = report_line(report, &line),
                                          .warning = gpu ? gpu_warning(gpu) : NULL};
        report_add_levels(report, index, device);
        add_places(report, index, device, places, count, true);
        add_rates(report, index, device);
        add_places(report, index, device, places, count, false);
    }
}
