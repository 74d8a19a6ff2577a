/*
 * macOS-memory-benchmark (github.com/timoheimonen/macOS-memory-benchmark): a JSON document. Under
 * "main_memory" and "cache", "bandwidth" has "read_gb_s" and others in 10^9 bytes and "latency" has
 * times in ns, each with its loops' "values", which are trials; "patterns" has bandwidth by the
 * order of accesses. If "configuration" has "latency_tlb_locality_kb", its latency chase stays in a
 * window of some KiB at a time; this is no latency of DRAM by fathom's definition, so the window
 * becomes a factor. "tlb_analysis" has latency by that window.
 */
#include "base/quantity.h"
#include "base/units.h"
#include "speak/import/json_values.h"

#include <string.h>

struct macos {
    double threads, stride, window, custom; /* 0: unknown */
    double sweep;                           /* of tlb_analysis: the current window */
};

static void note_configuration(struct reading *reading, const struct json_found *found)
{
    struct macos *macos = reading->state;
    if (found->text && json_found_at(found, "configuration/cpu_name"))
        reading->document->machine.cpu_model = pool_strdup(reading->pool, found->text);
    else if (json_found_at(found, "configuration/total_threads"))
        macos->threads = found->number;
    else if (json_found_at(found, "configuration/latency_stride_bytes"))
        macos->stride = found->number;
    else if (json_found_at(found, "configuration/latency_tlb_locality_bytes"))
        macos->window = found->number;
    else if (json_found_at(found, "configuration/custom_buffer_size_bytes"))
        macos->custom = found->number;
}

/* Paths of values, and the findings that they become. */
static const struct place {
    const char *path, *finding, *unit;
    double scale;
    enum {
        PLAIN,
        BY_THREADS,
        BY_PATTERN,
        CUSTOM,
        NO_WINDOW,
        CONFIGURED_WINDOW,
        NATIVE_WINDOW
    } factors;
} places[] = {
    {"main_memory/bandwidth/read_gb_s/values", "bandwidth.read.all", "B/s", 1e9, BY_THREADS},
    {"main_memory/bandwidth/write_gb_s/values", "bandwidth.write.all", "B/s", 1e9, BY_THREADS},
    {"main_memory/bandwidth/copy_gb_s/values", "bandwidth.copy.all", "B/s", 1e9, BY_THREADS},
    {"patterns/*/bandwidth/read_gb_s/values", "bandwidth.read.all", "B/s", 1e9, BY_PATTERN},
    {"patterns/*/bandwidth/write_gb_s/values", "bandwidth.write.all", "B/s", 1e9, BY_PATTERN},
    {"patterns/*/bandwidth/copy_gb_s/values", "bandwidth.copy.all", "B/s", 1e9, BY_PATTERN},
    {"cache/custom/bandwidth/read_gb_s/values", "bandwidth.read.1", "B/s", 1e9, CUSTOM},
    {"cache/custom/bandwidth/write_gb_s/values", "bandwidth.write.1", "B/s", 1e9, CUSTOM},
    {"cache/custom/bandwidth/copy_gb_s/values", "bandwidth.copy.1", "B/s", 1e9, CUSTOM},
    {"cache/custom/latency/average_ns/values", "latency_ns", "ns", 1, CUSTOM},
    {"cache/custom/latency/headline_ns/values", "latency_ns", "ns", 1, CUSTOM},
    {"cache/l1/bandwidth/read_gb_s/values", "L1.bandwidth.read", "B/s", 1e9, PLAIN},
    {"cache/l1/bandwidth/write_gb_s/values", "L1.bandwidth.write", "B/s", 1e9, PLAIN},
    {"cache/l1/bandwidth/copy_gb_s/values", "L1.bandwidth.copy", "B/s", 1e9, PLAIN},
    {"cache/l2/bandwidth/read_gb_s/values", "L2.bandwidth.read", "B/s", 1e9, PLAIN},
    {"cache/l2/bandwidth/write_gb_s/values", "L2.bandwidth.write", "B/s", 1e9, PLAIN},
    {"cache/l2/bandwidth/copy_gb_s/values", "L2.bandwidth.copy", "B/s", 1e9, PLAIN},
    {"cache/l1/latency/average_ns/values", "L1.latency_ns", "ns", 1, NO_WINDOW},
    {"cache/l1/latency/headline_ns/values", "L1.latency_ns", "ns", 1, NO_WINDOW},
    {"cache/l2/latency/average_ns/values", "L2.latency_ns", "ns", 1, CONFIGURED_WINDOW},
    {"cache/l2/latency/headline_ns/values", "L2.latency_ns", "ns", 1, CONFIGURED_WINDOW},
    {"main_memory/latency/average_ns/values", "DRAM.latency_ns", "ns", 1, CONFIGURED_WINDOW},
    {"main_memory/latency/headline_ns/values", "DRAM.latency_ns", "ns", 1, CONFIGURED_WINDOW},
    {"main_memory/latency/auto_tlb_breakdown/tlb_miss_ns/values", "DRAM.latency_ns", "ns", 1,
     NO_WINDOW},
    {"main_memory/latency/auto_tlb_breakdown/tlb_hit_ns/values", "DRAM.latency_ns", "ns", 1,
     NATIVE_WINDOW},
    {"main_memory/latency/automatic_locality_comparison/global_random_latency_ns/values",
     "DRAM.latency_ns", "ns", 1, NO_WINDOW},
    {"main_memory/latency/automatic_locality_comparison/locality_16k_latency_ns/values",
     "DRAM.latency_ns", "ns", 1, NATIVE_WINDOW},
};

static void add_size(struct reading *reading, struct table_kind *kind, const char *name,
                     double bytes)
{
    char text[UNIT_TEXT];
    if (bytes >= 1 && bytes < 0x1p62)
        kind_add_text(kind, name,
                      pool_strdup(reading->pool, size_exact_format((uint64_t)bytes, text)));
}

static void add_value(struct reading *reading, const struct place *place,
                      const struct json_found *found)
{
    const struct macos *macos = reading->state;
    const bool rate = quantity_is(place->unit, DIMENSION_BANDWIDTH);
    struct table_kind kind = {.probe = rate ? "bandwidth" : "latency",
                              .title = rate ? "macOS-memory-benchmark: bandwidth, imported"
                                            : "macOS-memory-benchmark: latency, imported",
                              .finding = place->finding,
                              .unit = place->unit};
    if (!(found->number > 0))
        text_refuse(reading->text,
                    "%s: %g is not a positive number: give the document as the tool wrote it",
                    place->path, found->number);
    if (place->factors == BY_PATTERN)
        kind_add_text(&kind, "pattern", found->keys[1]);
    if (place->factors == CUSTOM)
        add_size(reading, &kind, "working set", macos->custom);
    if (place->factors == BY_THREADS || place->factors == BY_PATTERN)
        kind_add_number(&kind, "threads", macos->threads);
    if (!rate)
        kind_add_number(&kind, "stride", macos->stride);
    if (place->factors == NATIVE_WINDOW)
        add_size(reading, &kind, "window", 16384);
    else if (place->factors == CONFIGURED_WINDOW || (place->factors == CUSTOM && !rate))
        add_size(reading, &kind, "window", macos->window);
    tables_add_value(&reading->tables, &kind, found->number * place->scale);
}

static void add_sweep(struct reading *reading, double ns)
{
    static const struct series model = {.name = "latency by window",
                                        .headline = true,
                                        .x = {"window", "B"},
                                        .y = {"latency", "ns"}};
    const struct macos *macos = reading->state;
    struct table_kind kind = {
        .probe = "window",
        .title = "macOS-memory-benchmark: latency by the window that loads keep to, imported",
        .series = &model};
    kind_add_number(&kind, "stride", macos->stride);
    tables_add_point(&reading->tables, &kind, macos->sweep, ns);
}

static void take(struct reading *reading, const struct json_found *found)
{
    struct macos *macos = reading->state;
    if (found->text)
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (json_found_at(found, places[i].path)) {
            add_value(reading, &places[i], found);
            return;
        }
    if (json_found_at(found, "tlb_analysis/sweep/locality_bytes"))
        macos->sweep = found->number;
    else if (json_found_at(found, "tlb_analysis/sweep/loop_latencies_ns") && macos->sweep > 0)
        add_sweep(reading, found->number);
    else if (strcmp(json_key(found), "values") == 0 &&
             !json_found_at(found, "main_memory/latency/samples_ns/values") &&
             !json_found_at(found, "cache/*/latency/samples_ns/values"))
        json_unread(reading->text, found);
}

static void begin_macos(struct reading *reading)
{
    json_values(reading, note_configuration);
    json_values(reading, take);
}

static enum import_certainty recognise(const struct import_text *text)
{
    static const char *const words[] = {"\"configuration\"", "\"cpu_name\"", NULL};
    return json_recognise(text, words) &&
                   (text_holds(text, "\"main_memory\"") || text_holds(text, "\"tlb_analysis\"") ||
                    text_holds(text, "\"patterns\""))
               ? IMPORT_SURE
               : IMPORT_NONE;
}

const struct import_format macos_memory_benchmark_format = {
    .name = "macos-memory-benchmark",
    .place = 70,
    .summary = "macOS-memory-benchmark's JSON: bandwidth and latency",
    .state_bytes = sizeof(struct macos),
    .recognise = recognise,
    .begin = begin_macos,
    .nothing = "holds no values of bandwidth or latency of macOS-memory-benchmark's",
};
