/*
 * macOS-memory-benchmark (github.com/timoheimonen/macOS-memory-benchmark): a JSON document. Under
 * "main_memory" and "cache", "bandwidth" has "read_gb_s" and others in 10^9 bytes and "latency" has
 * times in ns, each with its loops' "values", which are trials; "patterns" has bandwidth by the
 * order of accesses. Its own latency keeps to a window
 * of some KiB at a time where "configuration" says so ("latency_tlb_locality_kb"), and is then
 * no latency of DRAM by fathom's definition: the window stands beside it. "tlb_analysis" has
 * latency by that window.
 */
#include "base/quantity.h"
#include "base/units.h"
#include "speak/import/json_values.h"
#include "speak/import/tables.h"

#include <math.h>
#include <string.h>

struct reading {
    struct import_text *text;
    struct tables tables;
    double threads, stride, window, custom; /* NAN: unknown */
    double sweep;                           /* of tlb_analysis: the window at hand */
    struct error *error;
};

static int note_configuration(void *context, const struct json_found *found)
{
    struct reading *reading = context;
    struct document *document = reading->tables.document;
    if (found->text && json_found_at(found, "configuration/cpu_name")) {
        document->machine.cpu_model = pool_strdup(&document->pool, found->text);
        return document->machine.cpu_model ? 0 : error_out_of_memory(reading->error);
    }
    if (json_found_at(found, "configuration/total_threads"))
        reading->threads = found->number;
    else if (json_found_at(found, "configuration/latency_stride_bytes"))
        reading->stride = found->number;
    else if (json_found_at(found, "configuration/latency_tlb_locality_bytes"))
        reading->window = found->number;
    else if (json_found_at(found, "configuration/custom_buffer_size_bytes"))
        reading->custom = found->number;
    return 0;
}

/* Where values stand, and what they are here. */
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

static int add_value(struct reading *reading, const struct place *place,
                     const struct json_found *found)
{
    const bool rate = quantity_is(place->unit, DIMENSION_BANDWIDTH);
    struct table_kind kind = {.probe = rate ? "bandwidth" : "latency",
                              .title = rate ? "macOS-memory-benchmark: bandwidth, imported"
                                            : "macOS-memory-benchmark: latency, imported",
                              .finding = place->finding,
                              .unit = place->unit};
    const double window = place->factors == NATIVE_WINDOW       ? 16384
                          : place->factors == CONFIGURED_WINDOW ? reading->window
                          : place->factors == CUSTOM && !rate   ? reading->window
                                                                : NAN;
    char size[UNIT_TEXT], custom[UNIT_TEXT];
    size_t count = 0;
    if (place->factors == BY_PATTERN)
        kind.factors[count++] = (struct factor){"pattern", found->keys[1], NAN};
    if (place->factors == CUSTOM && reading->custom >= 1 && reading->custom < 0x1p62)
        kind.factors[count++] = (struct factor){
            "working set", size_exact_format((uint64_t)reading->custom, custom), NAN};
    if ((place->factors == BY_THREADS || place->factors == BY_PATTERN) && reading->threads > 0)
        kind.factors[count++] = (struct factor){"threads", NULL, reading->threads};
    if (!rate && reading->stride > 0)
        kind.factors[count++] = (struct factor){"stride", NULL, reading->stride};
    if (window >= 1 && window < 0x1p62)
        kind.factors[count++] =
            (struct factor){"window", size_exact_format((uint64_t)window, size), NAN};
    return tables_add_value(&reading->tables, &kind, found->number * place->scale);
}

static int add_sweep(struct reading *reading, double ns)
{
    static const struct series model = {.name = "latency by window",
                                        .headline = true,
                                        .x = {"window", "B"},
                                        .y = {"latency", "ns"}};
    const struct table_kind kind = {
        .probe = "window",
        .title = "macOS-memory-benchmark: latency by the window that loads keep to, imported",
        .series = &model,
        .factors = {{reading->stride > 0 ? "stride" : NULL, NULL, reading->stride}}};
    return tables_add(&reading->tables, &kind,
                      (struct table_number){.x = reading->sweep, .value = ns, .cycles = NAN});
}

static int take(void *context, const struct json_found *found)
{
    struct reading *reading = context;
    if (found->text)
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (json_found_at(found, places[i].path))
            return found->number > 0 ? add_value(reading, &places[i], found)
                                     : table_refuse(reading->error, reading->text,
                                                    "%s: %g is none: give the document as the tool "
                                                    "wrote it",
                                                    places[i].path, found->number);
    if (json_found_at(found, "tlb_analysis/sweep/locality_bytes"))
        reading->sweep = found->number;
    else if (json_found_at(found, "tlb_analysis/sweep/loop_latencies_ns") && reading->sweep > 0)
        return add_sweep(reading, found->number);
    else if (strcmp(found->keys[found->depth - 1], "values") == 0 &&
             !json_found_at(found, "main_memory/latency/samples_ns/values") &&
             !json_found_at(found, "cache/*/latency/samples_ns/values"))
        json_unread(reading->text, found);
    return 0;
}

static int read_macos(struct import_text *text, const struct settings *settings,
                      struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {
        .text = text, .threads = NAN, .stride = NAN, .window = NAN, .sweep = NAN, .error = error};
    tables_begin(&reading.tables, document, error);
    int code = json_values(text, note_configuration, &reading, error);
    if (code == 0)
        code = json_values(text, take, &reading, error);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text,
                            "holds no values of bandwidth or latency of macOS-memory-benchmark's");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text->text[strspn(text->text, " \t\r\n")] == '{' &&
                   strstr(text->text, "\"configuration\"") && strstr(text->text, "\"cpu_name\"") &&
                   (strstr(text->text, "\"main_memory\"") ||
                    strstr(text->text, "\"tlb_analysis\"") || strstr(text->text, "\"patterns\""))
               ? IMPORT_SURE
               : IMPORT_NONE;
}

const struct import_format macos_memory_benchmark_format = {
    .name = "macos-memory-benchmark",
    .place = 70,
    .summary = "macOS-memory-benchmark's JSON: bandwidth and latency",
    .recognise = recognise,
    .read = read_macos,
};
