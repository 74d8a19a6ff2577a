/* The roads' width: bytes a second by kernel or by memory, and what is in flight or waits. */
#include "base/text.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/report/builders.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATES_MAX = 24, RATE_COLUMNS_MAX = 4, FLIGHTS_MAX = 8, NAME_BYTES = 24 };

/* --- bandwidths --- */

/* A kernel of the CPUs or a memory of a device, as one experiment saw it. */
struct rates {
    char name[NAME_BYTES];
    size_t experiment;
    const struct finding *values[RATE_COLUMNS_MAX];
};

/* Of the CPUs one CPU and all of them; of a device what the names end in: "read", "write", "copy".
 */
struct rate_table {
    struct rates list[RATES_MAX];
    const char *columns[RATE_COLUMNS_MAX];
    size_t count, column_count, left_out;
};

/* A road of the CPUs has its kernel alone between "bandwidth" and how many CPUs: another access
 * than the sequential one has a word of its own there. */
static bool is_rate(const struct catalogue_entry *entry, char name[NAME_BYTES])
{
    const struct finding_meaning *meaning = &entry->meaning;
    struct finding_place place;
    if (!isfinite(entry->finding->value))
        return false;
    if (meaning->device >= 0) {
        if (!finding_place(entry->finding, entry->twin, &place) || !place.is_rate)
            return false;
        snprintf(name, NAME_BYTES, "%s", place.name);
        return true;
    }
    snprintf(name, NAME_BYTES, "%.*s", (int)meaning->subject_length, meaning->subject);
    return meaning->role == ROLE_WIDTH && meaning->subject_length < NAME_BYTES &&
           (meaning->fact == FACT_ONE || meaning->fact == FACT_ALL) &&
           !strchr(meaning->subject + meaning->subject_length + 1, '.');
}

static size_t column_of(struct rate_table *table, const struct catalogue_entry *entry)
{
    const char *name = entry->finding->name, *dot = strrchr(name, '.');
    const char *end = dot ? dot + 1 : name;
    size_t at = 0;
    if (entry->meaning.device < 0)
        return entry->meaning.fact == FACT_ONE ? 0 : 1;
    while (at < table->column_count && strcmp(table->columns[at], end) != 0)
        at++;
    if (at == table->column_count && at < RATE_COLUMNS_MAX)
        table->columns[table->column_count++] = end;
    return at;
}

static struct rates *rates_of(struct rate_table *table, const char *name, size_t experiment)
{
    size_t at = 0;
    while (at < table->count &&
           (table->list[at].experiment != experiment || strcmp(table->list[at].name, name) != 0))
        at++;
    if (at == RATES_MAX)
        return NULL;
    if (at == table->count) {
        table->list[table->count++] = (struct rates){.experiment = experiment};
        strcpy(table->list[at].name, name);
    }
    return &table->list[at];
}

/* In the order of the findings, the standard ones first. */
static void collect_rates(struct rate_table *table, const struct catalogue *catalogue, size_t index,
                          int device, bool standard)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        char name[NAME_BYTES];
        if (entry->document != index || entry->meaning.device != device ||
            !entry->experiment != standard || !is_rate(entry, name))
            continue;
        const size_t column = column_of(table, entry);
        struct rates *rates =
            column < RATE_COLUMNS_MAX ? rates_of(table, name, entry->experiment) : NULL;
        if (rates && !rates->values[column])
            rates->values[column] = entry->finding;
        table->left_out += !rates;
    }
}

static bool any_disturbed(const struct rate_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (size_t column = 0; column < table->column_count; column++)
            if (table->list[i].values[column] &&
                finding_is_disturbed(table->list[i].values[column]))
                return true;
    return false;
}

/* How far what was found lies below what the hardware does alone, column by column ("-5.6 %"), "-"
 * where the two agree. NULL: they agree everywhere. */
static const char *as_found(struct report *report, const struct rates *rates, size_t columns)
{
    struct line line = {0};
    bool any = false;
    for (size_t i = 0; i < columns; i++) {
        const struct finding *rate = rates->values[i];
        const bool disturbed = rate && finding_is_disturbed(rate);
        line_add(&line, i ? ", " : "");
        if (disturbed)
            line_add(&line, "%+.3g %%", 100 * (rate->value / (double)rate->quiet.value - 1));
        else
            line_add(&line, "-");
        any = any || disturbed;
    }
    return any ? report_line(report, &line) : NULL;
}

static void add_rates(struct report *report, struct table *table, const struct rates *rates,
                      size_t columns)
{
    struct row *row = table_add_row(report, table);
    struct line words = {0};
    const struct finding *example = NULL;
    if (!row)
        return;
    row->cells[0] = cell_of_text(report_text(report, "%s", rates->name));
    for (size_t i = 0; i < columns; i++) {
        const struct finding *rate = rates->values[i];
        row->cells[i + 1] = rate && finding_is_disturbed(rate) ? cell_of_quiet(rate, FORM_VALUE)
                                                               : cell_of_finding(rate, FORM_VALUE);
        row->flags |= row->cells[i + 1].flags;
        example = example ? example : rates->values[i];
    }
    if (columns + 1 < table->column_count)
        row->cells[columns + 1] = cell_of_text(as_found(report, rates, columns));
    if (example)
        line_add_experiment(&words, example);
    row->words = report_line(report, &words);
}

bool report_add_rates(struct report *report, size_t index, int device)
{
    struct rate_table rates = {.columns = {"1 CPU", "all CPUs"},
                               .column_count = device < 0 ? 2 : 0};
    collect_rates(&rates, &report->catalogue, index, device, true);
    collect_rates(&rates, &report->catalogue, index, device, false);
    if (!rates.count)
        return false;
    struct block *block =
        report_add(report, BLOCK_TABLE, device < 0 ? SECTION_WIDTH : SECTION_DEVICE, index);
    struct table *table = &block->table;
    block->device = device;
    table->title = "width";
    table->remark = device < 0 ? "DRAM" : NULL;
    table->caption = "bytes a second";
    struct column *first = table_add_column(report, table, device < 0 ? "kernel" : "memory");
    first->words = true;
    first->least = device < 0 ? 9 : 13;
    for (size_t i = 0; i < rates.column_count; i++)
        table_add_column(report, table, rates.columns[i])->least = 12;
    if (any_disturbed(&rates))
        table_add_column(report, table, "as found")->least = 16;
    for (size_t i = 0; i < rates.count; i++)
        add_rates(report, table, &rates.list[i], rates.column_count);
    if (rates.left_out)
        table->more = report_text(report, "and %zu more, all in the document", rates.left_out);
    return true;
}

/* --- what is in flight --- */

/* What one experiment said of it; any may be NULL. */
struct flight {
    size_t experiment;
    const struct finding *misses, *each, *calm, *busy, *rate;
};

static const struct finding **flight_place(struct flight *flight, const struct finding_meaning *is)
{
    const bool of_memory = is->level == LEVEL_MEMORY;
    switch (is->fact) {
    case FACT_MISSES:
        return of_memory ? &flight->misses : NULL;
    case FACT_MISS_TIME:
        return of_memory ? &flight->each : NULL;
    case FACT_UNLOADED:
        return &flight->calm;
    case FACT_SATURATED:
        return &flight->busy;
    case FACT_TRAFFIC:
        return &flight->rate;
    default:
        return NULL;
    }
}

static size_t collect_flights(const struct catalogue *catalogue, size_t index,
                              struct flight *flights, bool standard, size_t count)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        struct flight none = {0};
        if (entry->document != index || !entry->experiment != standard ||
            entry->meaning.role != ROLE_FLIGHT || !isfinite(entry->finding->value) ||
            !flight_place(&none, &entry->meaning))
            continue;
        size_t at = 0;
        while (at < count && flights[at].experiment != entry->experiment)
            at++;
        if (at == FLIGHTS_MAX)
            continue;
        if (at == count)
            flights[count++] = (struct flight){.experiment = entry->experiment};
        const struct finding **place = flight_place(&flights[at], &entry->meaning);
        *place = *place ? *place : entry->finding;
    }
    return count;
}

static void add_time(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s ", figure_plain(finding->value, figure));
    line_add_clean(line, finding->unit);
}

static bool doubted(const struct finding *finding)
{
    return finding && flag_doubts(finding->flags);
}

/* "21.0 misses of DRAM in flight, 6.63 ns each; a load takes 142 ns alone, 180 ns beside 17.7 GB/s
 * of traffic" */
static void add_flight(struct line *line, const struct flight *flight)
{
    char figure[UNIT_TEXT];
    const struct finding *misses = flight->misses, *busy = flight->busy, *rate = flight->rate;
    if (misses)
        line_add(line, "%s misses of DRAM in flight", figure_plain(misses->value, figure));
    if (misses && flight->each) {
        line_add(line, ", ");
        add_time(line, flight->each);
        line_add(line, " each");
    }
    if (flight->calm && busy) {
        line_add(line, "%sa load takes ", line->length ? "; " : "");
        add_time(line, flight->calm);
        line_add(line, " alone, ");
        add_time(line, busy);
        line_add(line, " beside %s of traffic",
                 rate ? figure_valued(rate->value, rate->unit, figure) : "all");
    }
    if (!line->length)
        return;
    line_add_in_brackets(line, misses ? misses : busy);
    if (doubted(misses) || doubted(flight->calm) || doubted(busy) || doubted(rate))
        line_add(line, " !");
}

void report_add_width(struct report *report, size_t index)
{
    struct flight flights[FLIGHTS_MAX];
    struct facts facts = {0};
    const bool rates = report_add_rates(report, index, -1);
    size_t count = collect_flights(&report->catalogue, index, flights, true, 0);
    count = collect_flights(&report->catalogue, index, flights, false, count);
    for (size_t i = 0; i < count; i++) {
        struct line line = {0};
        add_flight(&line, &flights[i]);
        if (line.length)
            facts_add(report, &facts)->text = report_line(report, &line);
    }
    if (!facts.count)
        return;
    if (!rates) {
        struct heading *heading = &report_add(report, BLOCK_HEADING, SECTION_WIDTH, index)->heading;
        heading->level = 2;
        heading->title = "width";
    }
    report_add(report, BLOCK_FACTS, SECTION_WIDTH, index)->facts = facts;
}
