/*
 * What Intel's Memory Latency Checker prints (its page and the readme that comes with it describe
 * the output; the samples in tests/data/mlc are of our own making). Sections begin with a line
 * "Measuring ...":
 *
 * - "Measuring idle latencies ... (in ns)": a matrix, rows the node of the CPUs that load and
 *   columns the node of the memory, below a line "Numa node 0 1 ...";
 * - "Measuring Memory Bandwidths between nodes": the same in MB/s, of 10^6 bytes;
 * - "Measuring Peak Injection Memory Bandwidths" (Maximum, in other modes): a line a mix of reads
 *   and writes;
 * - "Measuring Loaded Latencies": injected delay, latency in ns, bandwidth in MB/s;
 * - "Measuring cache-to-cache transfer latency (in ns)": a line each for a HIT and a HITM within a
 *   socket, and matrices for a HITM in another one, by where the line's home is.
 *
 * `mlc --idle_latency` has no heading: "Using buffer size of 2000.000MiB" and "Each iteration took
 * 186.1 core clocks ( 80.9 ns)", which is a point of the curve of latency by working set. Each
 * value is a single trial.
 */
#include "speak/import/loaded_rows.h"
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 64 };
static const double megabyte = 1e6;

enum section { NO_SECTION, LATENCIES, BANDWIDTHS, MIXES, LOADED, TRANSFERS };

static const struct heading {
    const char *begins;
    enum section section;
} headings[] = {
    {"Measuring idle latencies", LATENCIES},
    {"Measuring Memory Bandwidths between nodes", BANDWIDTHS},
    {"Measuring Peak Injection Memory Bandwidths", MIXES},
    {"Measuring Maximum Memory Bandwidths", MIXES},
    {"Measuring Loaded Latencies", LOADED},
    {"Measuring cache-to-cache transfer latency", TRANSFERS},
    {"Measuring ", NO_SECTION},
};

/* What a line of a mix is called here; bandwidth.read.all is what fathom itself names so. */
static const struct {
    const char *begins, *finding;
} mixes[] = {
    {"ALL Reads", "bandwidth.read.all"},
    {"3:1 Reads-Writes", "bandwidth.reads3-writes1.all"},
    {"2:1 Reads-Writes", "bandwidth.reads2-writes1.all"},
    {"1:1 Reads-Writes", "bandwidth.reads1-writes1.all"},
    {"Stream-triad like", "bandwidth.triad.all"},
};

struct reading {
    struct rows rows;
    struct tables tables;
    enum section section;
    size_t heading; /* its line */
    int columns[NODES_MAX];
    size_t column_count, found, sections;
    double bytes; /* of --idle_latency's buffer; NAN */
    /* "sequential", "Read-only", "data address homed in writer socket"; "" unknown */
    char access[TEXT_BYTES], traffic[TEXT_BYTES], transfer[TEXT_BYTES];
    struct loaded_rows loaded;
    struct error *error;
};

static const struct series loaded_curve = {
    .name = "latency", .headline = true, .x = {"bandwidth", "B/s"}, .y = {"latency", "ns"}};

/* What it calls read-only is what fathom measures by itself: all reads, one line after another. */
static struct table_kind loaded_kind(const struct reading *reading)
{
    struct table_kind kind = {
        .probe = "loaded",
        .title = "Latency under load, imported",
        .series = &loaded_curve,
        .factors = {{*reading->traffic ? "traffic" : NULL, reading->traffic, NAN}}};
    if (strcmp(reading->traffic, "Read-only") == 0) {
        kind.factors[0] = (struct factor){"mix", NULL, 100};
        kind.factors[1] = (struct factor){"traffic", "sequential", NAN};
    }
    return kind;
}

/* --- sections --- */

/* A matrix has a row for each column, but for nodes without CPUs; mixes are five. */
static void tell_cut(const struct reading *reading)
{
    struct import_text *text = reading->rows.source;
    const bool matrix = reading->section == LATENCIES || reading->section == BANDWIDTHS;
    const size_t whole = matrix                      ? reading->column_count
                         : reading->section == MIXES ? sizeof mixes / sizeof *mixes
                                                     : 0;
    if (reading->found < whole && !*text->cut)
        snprintf(text->cut, sizeof text->cut, "line %zu is followed by %zu of %zu rows%s",
                 reading->heading, reading->found, whole,
                 matrix ? ", unless the other nodes have no CPUs" : "");
}

static int end_section(struct reading *reading)
{
    const struct table_kind kind = loaded_kind(reading);
    if (reading->section != NO_SECTION && !reading->found)
        return error_set(reading->error, ERROR_USAGE,
                         "%s: line %zu: no values follow this heading: give all that mlc printed",
                         reading->rows.source->file, reading->heading);
    const bool loaded = reading->section == LOADED;
    tell_cut(reading);
    reading->section = NO_SECTION;
    return loaded ? loaded_rows_end(&reading->loaded, &reading->tables, &kind) : 0;
}

/* What stands between the two words, as far as it fits; "" where they don't stand there. */
static void note_between(const struct rows *rows, const char *first, const char *last,
                         char text[TEXT_BYTES])
{
    const char *begin = rows_behind(rows, first), *end = rows->text + rows->length;
    size_t length = 0;
    text[0] = '\0';
    if (!begin)
        return;
    while (begin + length < end && strncmp(begin + length, last, strlen(last)) != 0)
        length++;
    if (begin + length < end)
        snprintf(text, TEXT_BYTES, "%.*s", (int)length, begin);
}

static int begin_section(struct reading *reading, const struct heading *heading)
{
    int code = end_section(reading);
    reading->section = heading->section;
    reading->heading = reading->rows.number;
    reading->found = reading->column_count = 0;
    reading->traffic[0] = reading->transfer[0] = '\0';
    /* "... for sequential access (in ns)..." since version 3.9. */
    note_between(&reading->rows, " for ", " access", reading->access);
    reading->sections += heading->section != NO_SECTION;
    if (heading->section == NO_SECTION)
        rows_unread(&reading->rows);
    return code;
}

/* --- rows --- */

static const char *const transfers_title =
    "Lines that another core's cache holds, by node, imported";
static const struct series latency_matrix = {.name = "latency",
                                             .matrix = true,
                                             .headline = true,
                                             .x = {"node", ""},
                                             .y = {"latency", "ns"}},
                           bandwidth_matrix = {.name = "bandwidth",
                                               .matrix = true,
                                               .headline = true,
                                               .x = {"node", ""},
                                               .y = {"bandwidth", "B/s"}},
                           transfer_matrix = {.name = "transfer",
                                              .matrix = true,
                                              .headline = true,
                                              .x = {"node", ""},
                                              .y = {"latency", "ns"}};

/* Of a matrix: the section's series, and the factor that tells it from others. */
static struct table_kind matrix_kind(const struct reading *reading)
{
    if (reading->section == TRANSFERS)
        return (struct table_kind){
            .probe = "transfers",
            .title = transfers_title,
            .series = &transfer_matrix,
            .factors = {{"state", "modified", NAN},
                        {*reading->transfer ? "home" : NULL, reading->transfer, NAN}}};
    const bool times = reading->section == LATENCIES;
    const char *text = times ? reading->access : reading->traffic;
    return (struct table_kind){.probe = "numa",
                               .title = "Latency and bandwidth between nodes, imported",
                               .series = times ? &latency_matrix : &bandwidth_matrix,
                               .factors = {{!*text  ? NULL
                                            : times ? "access"
                                                    : "traffic",
                                            text, NAN}}};
}

/* "Numa node 0 1": words and then nothing but node numbers. The line may be a remark. */
static int read_columns(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    size_t first = 0;
    while (first < fields && field_id(&rows->fields[first]) < 0)
        first++;
    if (rows_behind(rows, "Numa ") && rows_refuse_large_ids(rows, reading->error) < 0)
        return ERROR_USAGE;
    for (size_t i = first; i < fields; i++)
        if (field_id(&rows->fields[i]) < 0 || i - first == NODES_MAX)
            return 0;
    for (size_t i = first; i < fields; i++)
        reading->columns[i - first] = field_id(&rows->fields[i]);
    if (first < fields)
        reading->column_count = fields - first;
    return 0;
}

static int read_matrix_row(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    const int from = field_id(&rows->fields[0]);
    if (from < 0)
        return rows_refuse(rows, reading->error, "a row begins with a node's number");
    if (!reading->column_count)
        return rows_refuse(rows, reading->error,
                           "a row before the line of node numbers that mlc prints above it");
    if (fields != reading->column_count + 1)
        return rows_refuse(rows, reading->error,
                           "the line above names %zu nodes: give as many values in each row",
                           reading->column_count);
    const struct table_kind kind = matrix_kind(reading);
    int code = 0;
    for (size_t i = 1; i < fields && code == 0; i++) {
        const struct field *field = &rows->fields[i];
        struct table_number cell = {
            .x = NAN, .from = from, .to = reading->columns[i - 1], .cycles = NAN};
        if (field_is(field, "-")) /* a node without CPUs or memory */
            continue;
        code = rows_positive(rows, field, "the value", &cell.value, reading->error);
        if (reading->section == BANDWIDTHS)
            cell.value *= megabyte;
        if (code == 0)
            code = tables_add(&reading->tables, &kind, cell);
    }
    reading->found++;
    return code;
}

/* With -T there is no latency: mlc prints 0.00. */
static int read_loaded_row(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const bool whole = rows_cut(rows, 0) == 3 && field_id(&rows->fields[0]) >= 0;
    const double ns = whole ? field_number(&rows->fields[1]) : NAN;
    const double rate = whole ? field_number(&rows->fields[2]) * megabyte : NAN;
    if (!(ns >= 0) || !(rate > 0))
        return rows_refuse(rows, reading->error,
                           "mlc prints a delay, a latency in ns and a bandwidth in MB/s here, "
                           "like 00300 101.21 111587.4");
    struct table_kind kind = loaded_kind(reading);
    reading->found++;
    if (ns > 0) {
        loaded_rows_add(&reading->loaded, rate, ns, field_id(&rows->fields[0]) == 0);
        return tables_add(&reading->tables, &kind,
                          (struct table_number){.x = rate, .value = ns, .cycles = NAN});
    }
    kind.series = NULL;
    kind.finding = "loaded.bandwidth";
    kind.unit = "B/s";
    return tables_add_value(&reading->tables, &kind, rate);
}

/* The number behind the last colon. */
static int read_mix(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        if (!rows_begins(rows, mixes[i].begins))
            continue;
        const size_t fields = rows_cut(rows, ':');
        const double rate = fields > 1 ? field_number(&rows->fields[fields - 1]) : NAN;
        if (!(rate > 0))
            return rows_refuse(rows, reading->error,
                               "mlc prints a bandwidth in MB/s behind the colon, like ALL Reads "
                               ": 158844.5");
        const struct table_kind kind = {.probe = "bandwidth",
                                        .title = "Bandwidth of all CPUs, imported",
                                        .finding = mixes[i].finding,
                                        .unit = "B/s"};
        reading->found++;
        return tables_add_value(&reading->tables, &kind, rate * megabyte);
    }
    if (!rows_behind(rows, "MB/sec")) /* which says what the unit is */
        rows_unread(rows);
    return 0;
}

/* "Local Socket L2->L2 HITM latency 47.0": a cell of a matrix, of node 0 to itself, and a finding.
 */
static int read_local_transfer(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const bool modified = rows_behind(rows, "HITM");
    const size_t fields = rows_cut(rows, 0);
    struct table_number cell = {.x = NAN, .cycles = NAN};
    const struct table_kind matrix = {
        .probe = "transfers",
        .title = transfers_title,
        .series = &transfer_matrix,
        .factors = {{"state", modified ? "modified" : "clean", NAN}, {"home", "own", NAN}}};
    int code =
        rows_positive(rows, &rows->fields[fields - 1], "the latency", &cell.value, reading->error);
    reading->found++;
    return code == 0 ? tables_add(&reading->tables, &matrix, cell) : code;
}

/* Other lines are headings of matrices, or those of their columns. */
static int read_transfer(struct reading *reading)
{
    if (rows_begins(&reading->rows, "Local "))
        return read_local_transfer(reading);
    if (!rows_begins(&reading->rows, "Remote "))
        return read_columns(reading);
    note_between(&reading->rows, "homed in ", " socket", reading->transfer);
    reading->column_count = 0;
    return 0;
}

/* --- --idle_latency --- */

static int read_iteration(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const double cycles = rows_number_behind(rows, "Each iteration took");
    const double ns = rows_number_behind(rows, "(");
    if (!(ns > 0))
        return rows_refuse(rows, reading->error,
                           "mlc prints clocks and then ns in brackets here, like Each iteration "
                           "took 186.1 core clocks ( 80.9 ns)");
    reading->sections++;
    /* Clocks of the time stamp counter are no core's cycles. */
    const double core = rows_behind(rows, "core clocks") && cycles > 0 ? cycles : NAN;
    if (reading->bytes > 0)
        return tables_add_latency(&reading->tables,
                                  (struct table_kind){.title = "mlc: idle latency"}, reading->bytes,
                                  ns, core);
    const struct table_kind kind = {
        .probe = "latency", .title = "mlc: idle latency", .finding = "latency_ns", .unit = "ns"};
    return tables_add_value(&reading->tables, &kind, ns);
}

static void note_buffer(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"MiB", 0x1p20}, {"KiB", 0x1p10}, {"MB", 0x1p20}, {"KB", 0x1p10}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (rows_behind(rows, units[i].unit)) {
            reading->bytes =
                round(rows_number_behind(rows, "Using buffer size of") * units[i].bytes);
            return;
        }
}

/* --- all of it --- */

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (rows_begins(rows, headings[i].begins))
            return begin_section(reading, &headings[i]);
    if (rows_begins(rows, "Each iteration took"))
        return read_iteration(reading);
    if (rows_begins(rows, "Using buffer size of"))
        return note_buffer(reading), 0;
    if (!rows->length || rows_begins(rows, "Using ") || rows_begins(rows, "Intel(R) Memory") ||
        rows_begins(rows, "Command line") || rows_begins(rows, "***")) {
        if (rows_behind(rows, " traffic type"))
            note_between(rows, "Using ", " traffic type", reading->traffic);
        return 0;
    }
    const bool row = isdigit((unsigned char)*rows->text) || *rows->text == '-';
    switch (reading->section) {
    case NO_SECTION:
        rows_unread(rows);
        return 0;
    case MIXES:
        return read_mix(reading);
    case LOADED:
        return row ? read_loaded_row(reading) : 0;
    case TRANSFERS:
        return row ? read_matrix_row(reading) : read_transfer(reading);
    case LATENCIES:
    case BANDWIDTHS:
        if (row)
            return read_matrix_row(reading);
        return read_columns(reading);
    }
    return 0;
}

static int read_mlc(struct import_text *text, const struct settings *settings,
                    struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.bytes = NAN, .error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0)
        code = end_section(&reading);
    if (code == 0 && text->length && text->text[text->length - 1] != '\n' && !*text->cut)
        snprintf(text->cut, sizeof text->cut,
                 "its last line has no end, so its last number may be a part of one");
    if (code == 0 && !reading.sections)
        code = table_refuse(error, text,
                            "holds no matrix and no latencies of Intel MLC's: give all that mlc "
                            "printed, with its lines 'Measuring ...'");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    if (text_holds(text, "Intel(R) Memory Latency Checker"))
        return IMPORT_SURE;
    for (size_t i = 0; headings[i].section != NO_SECTION; i++)
        if (text_has_line(text, headings[i].begins))
            return IMPORT_SURE;
    return text_has_line(text, "Each iteration took") && text_holds(text, "clocks") ? IMPORT_SURE
                                                                                    : IMPORT_NONE;
}

const struct import_format mlc_format = {
    .name = "mlc",
    .place = 50,
    .summary = "what Intel's Memory Latency Checker prints: nodes, idle and loaded latency, "
               "bandwidth, transfers between caches",
    .recognise = recognise,
    .read = read_mlc,
};
