/*
 * Arm's ASCT (System Characterization Tool) writes two files. In report.json "memory" has a table
 * for each benchmark, column by column: {"Peak BW [GB/s]": {"0": 169.6}}; matrices between nodes
 * are {"Node 0": {"Node 1": 120.5}}, the memory's node and then the CPUs'.
 * latency-sweep.ubench.json has the whole curve. GB are 10^9 bytes. c2c-latency.csv has a row for
 * each pair of cores and each node that the memory may lie on; those with the memory near to the
 * first core are read.
 */
#include "speak/import/json_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 256, TEXT_BYTES = 48 };

struct asct {
    /* A row's values, from several columns: traffic or level, size in bytes, latency. */
    char labels[ROWS_MOST][TEXT_BYTES];
    double sizes[ROWS_MOST], latency[ROWS_MOST];
};

static const struct {
    const char *traffic, *finding;
} mixes[] = {{"All Reads", "bandwidth.read.all"},
             {"3:1 Reads-Writes", "bandwidth.reads3-writes1.all"},
             {"2:1 Reads-Writes", "bandwidth.reads2-writes1.all"},
             {"1:1 Reads-Writes", "bandwidth.reads1-writes1.all"}};

static void add_value(struct reading *reading, const char *probe, const char *finding,
                      const char *unit, double value)
{
    const struct table_kind kind = {
        .probe = probe, .title = "ASCT, imported", .finding = finding, .unit = unit};
    tables_add_value(&reading->tables, &kind, value);
}

/* The number in "Node 3". */
static int node_of(const char *key)
{
    return strncmp(key, "Node ", 5) == 0 ? atoi(key + 5) : -1;
}

static void add_node(struct reading *reading, const struct json_found *found, bool times)
{
    const struct table_kind kind = {.probe = "numa",
                                    .title = "Latency and bandwidth between nodes, imported",
                                    .series = times ? &table_node_latency : &table_node_bandwidth};
    const int from = node_of(found->keys[found->depth - 1]),
              to = node_of(found->keys[found->depth - 2]);
    if (from < 0 || to < 0)
        json_unread(reading->text, found);
    else if (found->number > 0)
        tables_add_cell(&reading->tables, &kind, from, to, found->number * (times ? 1 : 1e9));
}

static void add_peak(struct reading *reading, const char *traffic, double rate)
{
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        if (strcmp(mixes[i].traffic, traffic) == 0) {
            add_value(reading, "bandwidth", mixes[i].finding, "B/s", rate);
            return;
        }
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "ASCT, imported",
                              .finding = "bandwidth.mix.all",
                              .unit = "B/s"};
    kind_add_text(&kind, "test", traffic);
    tables_add_value(&reading->tables, &kind, rate);
}

/* The level that a row describes, by fathom's name. */
static const char *level_of(struct reading *reading, const char *label, const char *what)
{
    return pool_printf(reading->pool, "%s.%s", strcmp(label, "LLC") == 0 ? "L3" : label, what);
}

/* Whether the value is in that column of a benchmark's table. Column names may contain a slash. */
static bool is_column(const struct json_found *found, const char *benchmark, const char *column)
{
    return found->depth == 4 && strcmp(found->keys[0], "memory") == 0 &&
           strcmp(found->keys[1], benchmark) == 0 && strcmp(found->keys[2], column) == 0;
}

static void take(struct reading *reading, const struct json_found *found)
{
    struct asct *asct = reading->state;
    const char *key = json_key(found);
    const size_t row = (size_t)strtoul(key, NULL, 10);
    if (row >= ROWS_MOST)
        return;
    const double value = found->number;
    if (json_found_at(found, "memory/idle-latency/*/*")) {
        if (!found->text)
            add_node(reading, found, true);
    } else if (json_found_at(found, "memory/cross-numa-bandwidth/*/*")) {
        if (!found->text)
            add_node(reading, found, false);
    } else if (is_column(found, "peak-bandwidth", "Traffic type") ||
               is_column(found, "bandwidth-sweep", "Level")) {
        snprintf(asct->labels[row], TEXT_BYTES, "%s", found->text ? found->text : "");
    } else if (is_column(found, "peak-bandwidth", "Peak BW [GB/s]")) {
        add_peak(reading, asct->labels[row], value * 1e9);
    } else if (is_column(found, "latency-sweep", "Latency [ns]")) {
        add_value(reading, "latency", level_of(reading, key, "latency_ns"), "ns", value);
    } else if (is_column(found, "latency-sweep", "Latency [cycle]")) {
        add_value(reading, "latency", level_of(reading, key, "latency"), "cycles", value);
    } else if (is_column(found, "bandwidth-sweep", "Bandwidth [GB/s]")) {
        add_value(reading, "bandwidth", level_of(reading, asct->labels[row], "bandwidth.read"),
                  "B/s", value * 1e9);
    } else if (is_column(found, "loaded-latency", "Loaded latency [ns]")) {
        asct->latency[row] = value;
    } else if (is_column(found, "loaded-latency", "Bandwidth [GB/s]")) {
        const struct table_kind kind = {
            .probe = "loaded", .title = "Latency under load, imported", .series = &table_loaded};
        if (asct->latency[row] > 0 && value > 0)
            tables_add_point(&reading->tables, &kind, value * 1e9, asct->latency[row]);
    } else if (json_found_at(found, "sizes/*")) {
        asct->sizes[row] = value;
    } else if (json_found_at(found, "average_latency_ns/*") && asct->sizes[row] > 0) {
        const struct table_kind kind = {.title = "ASCT: latency by working-set size",
                                        .factors = {{"statistic", "mean", NAN}},
                                        .said = true};
        tables_add_latency(&reading->tables, kind, asct->sizes[row], value, NAN);
    } else if (!found->text && json_found_at(found, "memory/...")) {
        json_unread(reading->text, found);
    }
}

static const char pairs_head[] = ",CPUA,CPUB,LATENCY,CPUA_NODE,MEMBIND_NODE";

static void read_pairs(struct reading *reading)
{
    static const struct series hand_off = {
        .name = "hand-off", .matrix = true, .x = {"cpu", ""}, .y = {"latency", "ns"}};
    static const struct table_kind kind = {
        .probe = "cores", .title = "Hand-off latency between cores, imported", .series = &hand_off};
    const struct field *fields = reading->rows.fields;
    while (rows_next_said(&reading->rows))
        if (rows_split(&reading->rows) == 6 && field_id(&fields[1]) >= 0 &&
            field_id(&fields[2]) >= 0 && field_id(&fields[4]) == field_id(&fields[5]))
            tables_add_cell(&reading->tables, &kind, field_id(&fields[1]), field_id(&fields[2]),
                            field_number(&fields[3]));
}

static void begin_asct(struct reading *reading)
{
    if (text_holds(reading->text, pairs_head))
        read_pairs(reading);
    else
        json_values(reading, take);
}

static enum import_certainty recognise(const struct import_text *text)
{
    static const char *const report[] = {"\"memory\"", "-", NULL}, *const sweep[] = {
                                                                       "\"sizes\"",
                                                                       "\"average_latency_ns\"",
                                                                       "\"repetitions\"", NULL};
    static const char *const tables[] = {"\"idle-latency\"",         "\"peak-bandwidth\"",
                                         "\"latency-sweep\"",        "\"loaded-latency\"",
                                         "\"cross-numa-bandwidth\"", "\"bandwidth-sweep\""};
    for (size_t i = 0; json_recognise(text, report) && i < sizeof tables / sizeof *tables; i++)
        if (text_holds(text, tables[i]))
            return IMPORT_SURE;
    return text_holds(text, pairs_head) || json_recognise(text, sweep) ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format asct_format = {
    .name = "asct",
    .place = 70,
    .summary = "Arm ASCT's JSON: nodes, levels, bandwidth by mix, latency under load; CSV: cores",
    .state_bytes = sizeof(struct asct),
    .recognise = recognise,
    .begin = begin_asct,
    .statistic = "the mean of its repetitions",
    .nothing = "holds no table of ASCT's below \"memory\"",
};
