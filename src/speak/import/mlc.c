/*
 * The output of Intel's Memory Latency Checker (described by its page and readme; the samples in
 * tests/data/mlc are made up). Sections begin with a line "Measuring ...":
 *
 * - "Measuring idle latencies ... (in ns)": a matrix, rows the node of the CPUs that load and
 *   columns the node of the memory, below a line "Numa node 0 1 ...";
 * - "Measuring Memory Bandwidths between nodes": the same in MB/s, of 10^6 bytes, or in GB/s where
 *   a line "Bandwidths are in GB/sec" says so;
 * - "Measuring Peak Injection Memory Bandwidths" (Peak or Maximum Memory Bandwidths, in other
 *   versions and modes): one line for each mix of reads and writes;
 * - "Measuring Loaded Latencies": injected delay, latency in ns, bandwidth in MB/s;
 * - "Measuring cache-to-cache transfer latency (in ns)": a line for a HIT and one for a HITM within
 *   a socket, and matrices for a HITM in another socket, by the line's home.
 *
 * `mlc --idle_latency` has no heading: "Using buffer size of 2000.000MiB" and "Each iteration took
 * 186.1 core clocks ( 80.9 ns)", which is a point of the curve of latency by working set. Each
 * value is a single trial.
 */
#include "speak/import/columns.h"
#include "speak/import/reading.h"
#include "stats/curve.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 64 };
static const double megabyte = 1e6, gigabyte = 1e9;

enum section { NO_SECTION, LATENCIES, BANDWIDTHS, MIXES, LOADED, TRANSFERS };

static const struct heading {
    const char *begins;
    enum section section;
} headings[] = {
    {"Measuring idle latencies", LATENCIES},
    {"Measuring Memory Bandwidths between nodes", BANDWIDTHS},
    {"Measuring Peak Injection Memory Bandwidths", MIXES},
    {"Measuring Peak Memory Bandwidths", MIXES},
    {"Measuring Maximum Memory Bandwidths", MIXES},
    {"Measuring Loaded Latencies", LOADED},
    {"Measuring cache-to-cache transfer latency", TRANSFERS},
    {"Measuring ", NO_SECTION},
};

/* The finding that a line of a mix becomes; fathom itself finds bandwidth.read.all too. */
static const struct {
    const char *begins, *finding;
} mixes[] = {
#include "mlc.texts.h"
};

/* Rows of latency under load, from which the same findings are made as from fathom's own steps. */
enum { LOADED_ROWS_MOST = 64 };

struct loaded_rows {
    double rate[LOADED_ROWS_MOST], ns[LOADED_ROWS_MOST]; /* in B/s and ns, in the order printed */
    size_t count;
    bool full; /* the first row has no pause: the greatest traffic */
};

/* Half of fathom's own steps: with fewer fathom finds no knee either. */
enum { KNEE_LEAST = 8 };

/* Adds a row; rows past LOADED_ROWS_MOST do not count for the findings. */
static void loaded_rows_add(struct loaded_rows *rows, double rate, double ns, bool no_pause)
{
    if (rows->count == LOADED_ROWS_MOST)
        return;
    rows->full = rows->full || (rows->count == 0 && no_pause);
    rows->rate[rows->count] = rate;
    rows->ns[rows->count++] = ns;
}

/* Adds loaded.saturated and loaded.bandwidth if the first row has no pause, and loaded.knee if
 * there are enough rows and they show one; then clears the rows. */
static void loaded_rows_end(struct loaded_rows *rows, struct tables *tables,
                            const struct table_kind *like)
{
    const bool full = rows->count && rows->full;
    const struct {
        const char *finding, *unit;
        double value;
    } findings[] = {
        {"loaded.saturated", "ns", full ? rows->ns[0] : NAN},
        {"loaded.bandwidth", "B/s", full ? rows->rate[0] : NAN},
        {"loaded.knee", "B/s",
         rows->count >= KNEE_LEAST ? knee_of_power(rows->rate, rows->ns, rows->count) : NAN}};
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        struct table_kind kind = *like;
        kind.series = NULL;
        kind.finding = findings[i].finding;
        kind.unit = findings[i].unit;
        if (!isnan(findings[i].value))
            tables_add_value(tables, &kind, findings[i].value);
    }
    rows->count = 0;
    rows->full = false;
}

struct mlc {
    enum section section;
    size_t heading; /* its line's number */
    double rate;    /* the unit of its bandwidths, in B/s */
    int columns[NODES_MAX];
    size_t column_count, found;
    double bytes; /* of --idle_latency's buffer; 0: unknown */
    /* "sequential", "Read-only", "data address homed in writer socket"; "" unknown */
    char access[TEXT_BYTES], traffic[TEXT_BYTES], transfer[TEXT_BYTES];
    struct loaded_rows loaded;
};

/* mlc's read-only traffic is fathom's own: only reads, of consecutive lines. */
static struct table_kind loaded_kind(const struct mlc *mlc)
{
    struct table_kind kind = {
        .probe = "loaded", .title = "Latency under load, imported", .series = &table_loaded};
    const bool reads = strcmp(mlc->traffic, "Read-only") == 0;
    kind_add_number(&kind, "mix", reads ? 100 : 0);
    kind_add_text(&kind, "traffic", reads ? "sequential" : mlc->traffic);
    return kind;
}

/* --- sections --- */

static void end_section(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    const struct table_kind kind = loaded_kind(mlc);
    if (mlc->section != NO_SECTION && !mlc->found)
        text_refuse(reading->text,
                    "line %zu: no values follow this heading: give all that mlc printed",
                    mlc->heading);
    /* Notes that a table may be cut: a matrix has a row for each column, except nodes without CPUs,
     * and there are five mixes. */
    const bool matrix = mlc->section == LATENCIES || mlc->section == BANDWIDTHS;
    const size_t whole = matrix                  ? mlc->column_count
                         : mlc->section == MIXES ? sizeof mixes / sizeof *mixes
                                                 : 0;
    if (mlc->found < whole && !*reading->text->notes)
        text_note(reading->text,
                  "the printout may have been cut: line %zu is followed by %zu of %zu rows%s",
                  mlc->heading, mlc->found, whole,
                  matrix ? ", unless the other nodes have no CPUs" : "");
    if (mlc->section == LOADED)
        loaded_rows_end(&mlc->loaded, &reading->tables, &kind);
    mlc->section = NO_SECTION;
}

/* --- rows --- */

static const char *const transfers_title =
    "Lines that another core's cache holds, by node, imported";
static const struct series transfer_matrix = {.name = "transfer",
                                              .matrix = true,
                                              .headline = true,
                                              .x = {"node", ""},
                                              .y = {"latency", "ns"}};

/* Reads "Numa node 0 1" or "Socket 0 1": words and then only node numbers. Other lines may be
 * remarks. */
static void read_columns(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    size_t first = 0;
    while (first < fields && field_id(&rows->fields[first]) < 0)
        first++;
    if (rows_behind(rows, "Numa ") || rows_begins(rows, "Socket"))
        rows_refuse_large_ids(rows);
    for (size_t i = first; i < fields; i++)
        if (field_id(&rows->fields[i]) < 0 || i - first == NODES_MAX)
            return;
    for (size_t i = first; i < fields; i++)
        mlc->columns[i - first] = field_id(&rows->fields[i]);
    if (first < fields)
        mlc->column_count = fields - first;
}

static void read_matrix_row(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    struct rows *rows = &reading->rows;
    /* The kind of a matrix: the section's series, and the factor that distinguishes it. */
    const bool times = mlc->section == LATENCIES, transfers = mlc->section == TRANSFERS;
    struct table_kind kind = {.probe = "numa",
                              .title = "Latency and bandwidth between nodes, imported",
                              .series = times ? &table_node_latency : &table_node_bandwidth};
    if (transfers)
        kind = (struct table_kind){.probe = "transfers",
                                   .title = transfers_title,
                                   .series = &transfer_matrix,
                                   .factors = {{"state", "modified", NAN}}};
    kind_add_text(&kind,
                  transfers ? "home"
                  : times   ? "access"
                            : "traffic",
                  transfers ? mlc->transfer
                  : times   ? mlc->access
                            : mlc->traffic);
    const size_t fields = rows_cut(rows, 0);
    const int from = field_id(&rows->fields[0]);
    /* Below "Memory node" the line of node numbers may have only numbers. */
    if (!mlc->column_count && fields > 1 && from == 0 && field_id(&rows->fields[1]) == 1) {
        read_columns(reading);
        return;
    }
    if (from < 0)
        rows_refuse(rows, "a row begins with a node's number");
    if (!mlc->column_count)
        rows_refuse(rows, "a row before the line of node numbers that mlc prints above it");
    if (fields != mlc->column_count + 1)
        rows_refuse(rows, "the line above names %zu nodes: give as many values in each row",
                    mlc->column_count);
    for (size_t i = 1; i < fields; i++) {
        const struct field *field = &rows->fields[i];
        if (field_is(field, "-")) /* a node without CPUs or memory */
            continue;
        tables_add_cell(&reading->tables, &kind, from, mlc->columns[i - 1],
                        rows_positive(rows, field, "the value") *
                            (mlc->section == BANDWIDTHS ? mlc->rate : 1));
    }
    mlc->found++;
}

/* With -T mlc measures no latency and prints 0.00. */
static void read_loaded_row(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    struct rows *rows = &reading->rows;
    const bool whole = rows_cut(rows, 0) == 3 && field_id(&rows->fields[0]) >= 0;
    const double ns = whole ? field_number(&rows->fields[1]) : NAN;
    const double rate = whole ? field_number(&rows->fields[2]) * mlc->rate : NAN;
    struct table_kind kind = loaded_kind(mlc);
    if (!(ns >= 0) || !(rate > 0))
        rows_refuse(rows, "mlc prints a delay, a latency in ns and a bandwidth in MB/s here, like "
                          "00300 101.21 111587.4");
    mlc->found++;
    if (ns > 0) {
        loaded_rows_add(&mlc->loaded, rate, ns, field_id(&rows->fields[0]) == 0);
        tables_add_point(&reading->tables, &kind, rate, ns);
        return;
    }
    kind.series = NULL;
    kind.finding = "loaded.bandwidth";
    kind.unit = "B/s";
    tables_add_value(&reading->tables, &kind, rate);
}

/* Reads the number after the last colon. */
static void read_mix(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    struct rows *rows = &reading->rows;
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        if (!rows_begins(rows, mixes[i].begins))
            continue;
        const size_t fields = rows_cut(rows, ':');
        const double rate = fields > 1 ? field_number(&rows->fields[fields - 1]) : NAN;
        if (!(rate > 0))
            rows_refuse(
                rows, "mlc prints a bandwidth in MB/s after the colon, like ALL Reads : 158844.5");
        const struct table_kind kind = {.probe = "bandwidth",
                                        .title = "Bandwidth of all CPUs, imported",
                                        .finding = mixes[i].finding,
                                        .unit = "B/s"};
        mlc->found++;
        tables_add_value(&reading->tables, &kind, rate * mlc->rate);
        return;
    }
    rows_unread(rows);
}

/* "Local Socket L2->L2 HITM latency 47.0" becomes a matrix cell from node 0 to itself. Other lines
 * are headings of matrices or of their columns. */
static void read_transfer(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    struct rows *rows = &reading->rows;
    if (rows_begins(rows, "Remote ")) {
        rows_between(rows, "homed in ", " socket", mlc->transfer, TEXT_BYTES);
        mlc->column_count = 0;
        return;
    }
    if (!rows_begins(rows, "Local ")) {
        read_columns(reading);
        return;
    }
    const struct table_kind matrix = {
        .probe = "transfers",
        .title = transfers_title,
        .series = &transfer_matrix,
        .factors = {{"state", rows_behind(rows, "HITM") ? "modified" : "clean", NAN},
                    {"home", "own", NAN}}};
    const size_t fields = rows_cut(rows, 0);
    const double ns = rows_positive(rows, &rows->fields[fields - 1], "the latency");
    mlc->found++;
    tables_add_cell(&reading->tables, &matrix, 0, 0, ns);
}

/* --- --idle_latency --- */

static void read_iteration(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    const struct rows *rows = &reading->rows;
    const double cycles = rows_number_behind(rows, "Each iteration took");
    const double ns = rows_number_behind(rows, "(");
    struct table_kind kind = {.title = "mlc: idle latency"};
    if (!(ns > 0))
        rows_refuse(rows,
                    "mlc prints clocks and then ns in brackets here, like Each iteration took "
                    "186.1 core clocks ( 80.9 ns)");
    if (mlc->bytes > 0) {
        /* Only core clocks are cycles; clocks of the time stamp counter are not. */
        const double core = rows_behind(rows, "core clocks") && cycles > 0 ? cycles : NAN;
        tables_add_latency(&reading->tables, kind, mlc->bytes, ns, core);
        return;
    }
    kind.probe = "latency";
    kind.finding = "latency_ns";
    kind.unit = "ns";
    tables_add_value(&reading->tables, &kind, ns);
}

/* --- all of it --- */

static void read_line(struct reading *reading)
{
    struct mlc *mlc = reading->state;
    const struct rows *rows = &reading->rows;
    const bool row = rows->length && (isdigit((unsigned char)*rows->text) || *rows->text == '-');
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (rows_begins(rows, headings[i].begins)) {
            end_section(reading);
            mlc->section = headings[i].section;
            mlc->heading = reading->rows.number;
            mlc->rate = megabyte;
            mlc->found = mlc->column_count = 0;
            mlc->traffic[0] = mlc->transfer[0] = '\0';
            /* "... for sequential access (in ns)..." since version 3.9. */
            rows_between(&reading->rows, " for ", " access", mlc->access, TEXT_BYTES);
            if (headings[i].section == NO_SECTION)
                rows_unread(&reading->rows);
            return;
        }
    if (rows_begins(rows, "Each iteration took")) {
        read_iteration(reading);
    } else if (rows_begins(rows, "Using buffer size of")) {
        const char *behind = rows_behind(rows, "Using buffer size of");
        const struct field words = {behind, (size_t)(rows->text + rows->length - behind), 0, 0};
        const double size = rows_number_behind(rows, "Using buffer size of");
        mlc->bytes = size > 0 ? round(size * column_named(&words).unit) : 0;
    } else if (rows_behind(rows, "MB/sec") || rows_behind(rows, "GB/sec")) {
        mlc->rate = rows_behind(rows, "GB/sec") ? gigabyte : megabyte;
    } else if (!rows->length || rows_begins(rows, "Using ") || rows_begins(rows, "Will take ") ||
               rows_begins(rows, "Intel(R) Memory") || rows_begins(rows, "Command line") ||
               rows_begins(rows, "***")) {
        if (rows_behind(rows, " traffic type"))
            rows_between(rows, "Using ", " traffic type", mlc->traffic, TEXT_BYTES);
    } else if (mlc->section == NO_SECTION) {
        rows_unread(rows);
    } else if (rows->text[rows->length - 1] == '-' &&
               (mlc->section == MIXES || mlc->section == LOADED ||
                (mlc->section == TRANSFERS && !row))) {
        mlc->found++; /* 'fathom as mlc' writes "-" where there was no time for a value */
    } else if (mlc->section == MIXES) {
        read_mix(reading);
    } else if (mlc->section == LOADED) {
        if (row)
            read_loaded_row(reading);
    } else if (row) {
        read_matrix_row(reading);
    } else {
        (mlc->section == TRANSFERS ? read_transfer : read_columns)(reading);
    }
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
    .state_bytes = sizeof(struct mlc),
    .recognise = recognise,
    .line = read_line,
    .end = end_section,
    .statistic = "the mean of what mlc measured",
    .nothing =
        "holds no matrix and no latencies of Intel MLC's: give all that mlc printed, with its "
        "lines 'Measuring ...'",
};
