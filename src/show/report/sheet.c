/*
 * The datasheet: the findings of each level, bandwidth, page size and device. A finding's meaning
 * follows from its name (conclude/registry/registry.h), so a document of any run, or of another
 * tool's table, fills as much of it as it can.
 */
#include "base/quantity.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/translation/tlb.h"
#include "show/report/figure.h"
#include "show/report/names.h"
#include "show/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "~23.0 cycles" */
static void add_measured(struct line *line, const char *sign, const struct finding *finding)
{
    const struct cell cell = cell_of_finding(finding, FORM_VALUE);
    char text[CELL_TEXT];
    cell_text(&cell, text);
    line_add(line, "%.*s%s%s", !!cell.mark, text, sign, text + !!cell.mark);
}

/* --- levels --- */

/* "at 3.24 GHz": the clock at which a level's cycles and ns are one figure, or a device's; NULL:
 * unknown. */
static const char *clock_words(struct report *report, size_t index, int device)
{
    const struct catalogue *catalogue = &report->catalogue;
    double clock_hz = NAN;
    char clock[UNIT_TEXT];
    for (size_t i = 0; i < catalogue->count && isnan(clock_hz); i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        const struct finding *finding = entry->finding;
        if (entry->document != index || entry->meaning.device != device)
            continue;
        if (device < 0 && entry->meaning.role == ROLE_LEVEL && finding->clock_hz > 0)
            clock_hz = finding->clock_hz;
        if (device >= 0 && entry->meaning.role == ROLE_CONDITION &&
            quantity_is(finding->unit, DIMENSION_FREQUENCY) && isfinite(finding->value))
            clock_hz = finding->value;
    }
    if (device < 0 && isnan(clock_hz))
        clock_hz = catalogue->documents[index]->conditions.core_hz;
    if (!(clock_hz > 0 && clock_hz < 1e12))
        return NULL;
    return report_text(report, "at %s", hertz_format(clock_hz, clock));
}

/* The columns of the table of levels. */
enum { LATENCY, TIME, HOLDS, OF, SHARE, LINE, WAYS, ONE, ALL, LEVEL_COLUMNS };

/* The bytes a second that one CPU or all read from the level. */
static const struct finding *rate_of(const struct report *report, size_t index,
                                     const struct level *level, enum finding_fact fact)
{
    return level->experiment ? NULL
           : level->kind == LEVEL_MEMORY
               ? report_find(report, index, ROLE_WIDTH, fact, "read")
               : report_find(report, index, ROLE_PROPERTY, fact, level->name);
}

static void fill_level(struct report *report, size_t index, int device, const struct level *level,
                       struct cell cells[LEVEL_COLUMNS])
{
    const struct machine_facts *machine = &report->catalogue.documents[index]->machine;
    const struct finding *holds = level->facts[FACT_CAPACITY];
    const bool memory = level->kind == LEVEL_MEMORY && device < 0;
    cells[LATENCY] = cell_of_finding(level->facts[FACT_LATENCY], FORM_VALUE);
    cells[TIME] = cell_of_finding(level->facts[FACT_LATENCY_NS], FORM_VALUE);
    if (memory && !level->reached && machine->memory_bytes)
        cells[HOLDS] = cell_of_value((double)machine->memory_bytes, "B", FORM_VALUE);
    else if (holds && isfinite(holds->value))
        cells[HOLDS] = cell_of_finding(holds, FORM_VALUE);
    if (!memory && isfinite(level->declared))
        cells[OF] = cell_of_value(level->declared, "B", FORM_VALUE);
    if (holds && holds->value > 0 && level->declared > 0 && !memory)
        cells[SHARE] = cell_of_value(fmin(1, holds->value / level->declared), NULL, FORM_SHARE);
    cells[LINE] = cell_of_finding(level->facts[FACT_LINE], FORM_VALUE);
    cells[WAYS] = cell_of_finding(level->facts[FACT_WAYS], FORM_WHOLE);
    if (device < 0) {
        cells[ONE] = cell_of_finding(rate_of(report, index, level, FACT_ONE), FORM_VALUE);
        cells[ALL] = cell_of_finding(rate_of(report, index, level, FACT_ALL), FORM_VALUE);
    }
}

void report_add_levels(struct report *report, size_t index, int device)
{
    enum { ROWS_MAX = 6, BAR = 7, RANK_BAR = 6 };
    static const struct {
        const char *name;
        size_t least;
    } heads[LEVEL_COLUMNS] = {
        [LATENCY] = {"latency", 11}, [TIME] = {"in time", 7},   [HOLDS] = {"holds", 8},
        [OF] = {"declared", 8},      [SHARE] = {"", BAR},       [LINE] = {"line", 6},
        [WAYS] = {"ways", 5},        [ONE] = {"read 1 CPU", 8}, [ALL] = {"all CPUs", 8}};
    struct levels levels;
    bool filled[LEVEL_COLUMNS] = {false};
    levels_collect(&levels, &report->catalogue, index, device);
    if (!levels.count)
        return;
    const size_t count = levels.count < ROWS_MAX ? levels.count : ROWS_MAX;
    struct cell(*cells)[LEVEL_COLUMNS] = pool_alloc(report->pool, count, sizeof *cells);
    for (size_t i = 0; i < count; i++) {
        fill_level(report, index, device, &levels.list[i], cells[i]);
        for (int c = 0; c < LEVEL_COLUMNS; c++)
            filled[c] = filled[c] || !cell_is_empty(&cells[i][c]);
    }
    /* How a cache is built is shown where nothing else is known of it. */
    filled[LINE] = filled[LINE] && !filled[LATENCY] && !filled[HOLDS];
    filled[WAYS] = filled[WAYS] && !filled[LATENCY] && !filled[HOLDS];
    struct block *block =
        report_add(report, BLOCK_TABLE, device < 0 ? SECTION_DEPTH : SECTION_DEVICE, index, NULL);
    struct table *table = &block->table;
    block->device = device;
    table->title = "levels";
    table->caption = "how far away each level is, how much of it there is, and how fast it is read";
    const char *clock = clock_words(report, index, device);
    table_add_words(report, table, "level", device < 0 ? 6 : 13);
    for (int c = 0; c < LEVEL_COLUMNS; c++)
        if (filled[c]) {
            struct column *column = table_add_figures(report, table, heads[c].name, heads[c].least);
            if (c == TIME && clock)
                column->name = clock;
            column->rank = c == SHARE ? RANK_BAR : 0;
        }
    for (size_t i = 0; i < count; i++) {
        const struct level *level = &levels.list[i];
        struct row *row = table_add_row(report, table);
        struct cell *cell = row->cells;
        *cell++ = cell_of_text(report_text(report, "%s", level->name));
        row->words = report_experiment(report, level->example);
        if (!row->words && cells[i][ONE].finding && cell_is_empty(&cells[i][LATENCY]) &&
            cell_is_empty(&cells[i][HOLDS]))
            row->words = filled[LATENCY] ? "latency not found; bandwidth at the declared size"
                                         : "bandwidth at the declared size";
        for (int c = 0; c < LEVEL_COLUMNS; c++) {
            const unsigned note =
                report_note_of(report, index, c == LATENCY ? level->example : cells[i][c].finding);
            if (note && device < 0 && !level->experiment && (!row->note || note < row->note))
                row->note = note;
            if (filled[c]) {
                row->flags |= cells[i][c].flags;
                *cell++ = cells[i][c];
            }
        }
    }
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

static void add_rates(struct report *report, size_t index, int device)
{
    struct rate_columns columns = {{NULL}, 0};
    struct pivot rates = {.most = RATES_MAX};
    pivot_collect(&rates, &report->catalogue, index, device, place_of_rate, &columns);
    if (!rates.count)
        return;
    struct block *block = report_add(report, BLOCK_TABLE, SECTION_DEVICE, index, NULL);
    struct table *table = &block->table;
    block->device = device;
    table->title = "bandwidth";
    table->caption = "bytes a second";
    table_add_words(report, table, "memory", 13);
    for (int c = 0; c < columns.count; c++)
        table_add_figures(report, table, columns.names[c], 12);
    for (size_t i = 0; i < rates.count; i++) {
        struct row *row = table_add_row(report, table);
        row->cells[0] = cell_of_text(report_text(report, "%s", rates.rows[i].name));
        row->words = report_experiment(report, rates.rows[i].first->finding);
        for (int c = 0; c < columns.count; c++) {
            row->cells[c + 1] = cell_of_finding(rates.rows[i].values[c], FORM_VALUE);
            row->flags |= row->cells[c + 1].flags;
        }
    }
    if (rates.left_out)
        table->more = report_text(report, "%zu more are in the document", rates.left_out);
}

/* A kernel in words. */
static const char *kernel_words(const char *name)
{
    static const char *const words[][2] = {{"write_nt", "stores past the caches"},
                                           {"write", "stores"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i][0]) == 0)
            return words[i][1];
    return name;
}

/* --- misses in flight, and latency under load --- */

enum { FLIGHTS_MAX = 8 };
enum { MISSES, EACH, CALM, BUSY };

static int place_of_flight(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    const bool of_memory = entry->meaning.level == LEVEL_MEMORY;
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
    default:
        return PIVOT_NONE;
    }
}

/* "21.0 loads overlap, 6.63 ns each", "21.0 loads overlap; 142 ns with page walks, 180 ns loaded"
 */
static void add_flight(struct line *line, const struct finding *const *values)
{
    const struct finding *misses = values[MISSES], *busy = values[BUSY];
    if (misses) {
        struct cell cell = cell_of_finding(misses, FORM_NUMBER);
        char text[CELL_TEXT];
        line_add(line, "%s loads overlap", cell_text(&cell, text));
    }
    if (misses && values[EACH] && !values[CALM]) {
        line_add(line, ", ");
        add_measured(line, "", values[EACH]);
        line_add(line, " each");
    }
    /* The latency of a level is without what translation adds. */
    if (values[CALM] && busy) {
        line_add(line, "%s", line->length ? "; " : "");
        add_measured(line, "", values[CALM]);
        line_add(line, " with page walks, ");
        add_measured(line, "", busy);
        line_add(line, " loaded");
    }
    if (!line->length)
        return;
    line_add_in_brackets(line, misses ? misses : busy);
}

/* --- address translation, a fact for each page size: reach of each TLB, cost beyond --- */

enum { NEAREST, SECOND, HIT, WALK, SPLIT, ONSET };

/* "dtlb2.4K.entries" belongs to the second level. */
static int place_in_pages(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    const struct finding_meaning *meaning = &entry->meaning;
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

/* "96 entries; up to 2048 +7.00 cycles, a walk +30.0 cycles; 98 % are in pieces of 4K"
 * if a hypervisor splits these pages: "dtlb.2M.as.4K". */
static void add_pages(struct line *line, const struct pivot_row *pages)
{
    const struct finding *const *values = pages->values, *onset = values[ONSET];
    const char *piece = values[SPLIT] ? strrchr(values[SPLIT]->name, '.') : NULL;
    if (values[NEAREST])
        line_add(line, "%.0f entries", values[NEAREST]->value);
    else if (onset)
        line_add(line, "cost begins between %.0f and %.0f", onset->low, onset->high);
    const char *separator = line->length ? "; " : "";
    if (values[SECOND])
        line_add(line, "%sup to %.0f", separator, values[SECOND]->value);
    else if (values[HIT])
        line_add(line, "%sthen", separator);
    if (values[HIT]) {
        line_add(line, " ");
        add_measured(line, "+", values[HIT]);
    }
    if (values[WALK]) {
        line_add(line, "%sa walk ", line->length ? ", " : "");
        add_measured(line, "+", values[WALK]);
    }
    if (piece) {
        line_add(line, "%s%.0f %% are in pieces of ", line->length ? "; " : "",
                 100 * fmin(1, values[SPLIT]->value));
        line_add_clean(line, piece + 1);
    }
    if (!line->length)
        return;
    line_add_in_brackets(line, pages->first->finding);
}

/* A fact for each page size. */
static void add_translation(struct report *report, size_t index, struct facts *facts)
{
    enum { EXPERIMENTS_MAX = 4 }; /* for each page size */
    struct pivot pages = {.count = 0};
    bool labelled = false;
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
            *facts_add(report, facts) = (struct fact){
                .label = labelled ? "" : "translation",
                .text = report_text(report, "%s pages: %s", tlb_pages[page].name, words.text),
                .note = labelled ? 0 : report_note_of(report, index, pages.rows[i].first->finding),
                .about = pages.rows[i].first->finding};
            labelled = true;
        }
}

void report_add_memory(struct report *report, size_t index)
{
    struct pivot flights = {.most = FLIGHTS_MAX};
    struct facts facts = {.apart = false};
    struct line kernels = {0};
    const bool levels = report->list[report->count - 1].kind == BLOCK_TABLE;
    /* "stores past the caches 44.7 / 44.4; triad 44.0 / 50.3 GB/s", of one CPU and of all: reading
     * is in the table of levels, if there is one. */
    enum { KERNELS_MAX = 4 };
    struct rate_columns columns = {{"1 CPU", "all CPUs"}, 2};
    struct pivot rates = {.most = RATES_MAX};
    size_t said = 0;
    const char *unit = "";
    bool has[2] = {false, false};
    pivot_collect(&rates, &report->catalogue, index, -1, place_of_rate, &columns);
    for (size_t i = 0; i < 2 * rates.count; i++)
        has[i % 2] = has[i % 2] || rates.rows[i / 2].values[i % 2];
    for (size_t i = 0; i < rates.count && said < KERNELS_MAX; i++) {
        const struct pivot_row *row = &rates.rows[i];
        const struct finding *one = row->values[0], *all = row->values[1];
        if (row->first->experiment || (levels && strcmp(row->name, "read") == 0))
            continue;
        line_add_between(&kernels, said++ ? "; " : "", kernel_words(row->name), "");
        for (int c = 0; c < 2; c++) {
            const struct cell cell = cell_of_finding(row->values[c], FORM_NUMBER);
            char text[CELL_TEXT];
            if (has[c])
                line_add(&kernels, "%s%s", c && has[0] ? " / " : " ",
                         row->values[c] ? cell_text(&cell, text) : "-");
        }
        unit = figure_unit((one ? one : all)->unit);
    }
    if (said)
        line_add(&kernels, " %s", unit);
    if (kernels.length)
        *facts_add(report, &facts) = (struct fact){
            .label = "bandwidth",
            .text = report_line(report, &kernels),
            .note = report_note_of(report, index,
                                   report_find(report, index, ROLE_WIDTH, FACT_ONE, NULL))};
    pivot_collect(&flights, &report->catalogue, index, -1, place_of_flight, NULL);
    for (size_t i = 0; i < flights.count; i++) {
        struct line line = {0};
        add_flight(&line, flights.rows[i].values);
        if (line.length)
            *facts_add(report, &facts) =
                (struct fact){.label = i ? "" : "in flight",
                              .text = report_line(report, &line),
                              .note = report_note_of(report, index, flights.rows[i].first->finding),
                              .about = flights.rows[i].first->finding};
    }
    add_translation(report, index, &facts);
    report_add_facts(report, SECTION_DEPTH, index, NULL, NULL, &facts);
}

/* --- devices: what each is, its levels, memories and bandwidths, and the distance to the host and
 * to other devices. The registry's line of a finding (`place`, `words`) says where else it is
 * shown, and with which words. --- */

/* The screen shows few places of a device, and few values of each. */
enum { DEVICES_MAX = 16, PLACES_MAX = 16, PLACES_SHOWN = 2, PLACE_WORDS_MAX = 4 };

/* One line of facts: "to the device 12.0 GB/s, to the host 12.5 GB/s". */
struct place {
    const char *name;
    struct line words;
    size_t count;              /* values of the place; the first few are shown */
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
    if (place->count++ >= PLACE_WORDS_MAX)
        return;
    if (place->words.length)
        line_add(&place->words, again ? ", " : "; ");
    line_add(&place->words, "%s %s", again ? words + shared : words, cell_text(&cell, text));
    line_add_in_brackets(&place->words, finding);
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

static void add_places(struct report *report, size_t index, struct place *list, size_t count,
                       bool below_levels)
{
    struct facts facts = {0};
    for (size_t i = 0; i < count; i++) {
        if (list[i].below_levels != below_levels)
            continue;
        if (facts.count == PLACES_SHOWN)
            break;
        struct fact *fact = facts_add(report, &facts);
        fact->label = list[i].name;
        if (list[i].count > PLACE_WORDS_MAX)
            line_add(&list[i].words, " and %zu more", list[i].count - PLACE_WORDS_MAX);
        fact->text = report_line(report, &list[i].words);
    }
    report_add_facts(report, SECTION_DEVICE, index, NULL, NULL, &facts);
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
        const size_t before = report->count;
        const size_t count = collect_places(&report->catalogue, index, device, places);
        line_add_gpu(&line, gpu);
        struct block *block = report_add(report, BLOCK_HEADING, SECTION_DEVICE, index, NULL);
        block->heading = (struct heading){.level = 2,
                                          .title = report_text(report, "gpu%d", device),
                                          .text = report_line(report, &line),
                                          .warning = gpu ? gpu_warning(gpu) : NULL};
        report_add_levels(report, index, device);
        report_spare(report, before + 1, SPARE_LEVELS);
        const size_t levels = report->count;
        add_places(report, index, places, count, true);
        add_rates(report, index, device);
        add_places(report, index, places, count, false);
        report_spare(report, levels, SPARE_RATES);
        if (i)
            for (size_t b = before; b < report->count; b++)
                report->list[b].spare = SPARE_OTHERS;
    }
}
