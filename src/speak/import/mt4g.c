/*
 * mt4g (github.com/caps-tum/mt4g): a JSON document of a GPU's memories. Under "memory" each has its
 * "latency" in cycles, of loads that were timed one by one ("p-chase"), its "size" as measured, or
 * where it has a "value" alone as the driver declares it, its "lineSize" and its bandwidth. A size
 * of confidence 0 is none. What the driver declares goes to the machine's facts.
 */
#include "speak/import/json_values.h"
#include "speak/import/tables.h"

#include <math.h>
#include <string.h>

/* Their memories and what these are called here. */
static const struct {
    const char *path, *name;
} memories[] = {
    {"memory/l1/*/*", "L1"},
    {"memory/l2/*/*", "L2"},
    {"memory/l3/*/*", "L3"},
    {"memory/main/*/*", "DRAM"},
    {"memory/shared/*/*", "shared"},
    {"memory/constant/l1/*/*", "constant1"},
    {"memory/constant/l1.5/*/*", "constant2"},
    {"memory/texture/*/*", "texture"},
    {"memory/readOnly/*/*", "readonly"},
    {"memory/scalarL1/*/*", "scalar"},
};
enum { MEMORIES = sizeof memories / sizeof *memories };

enum fact { LATENCY, SIZE, LINE, READ, WRITE, FACTS };
static const char *const fact_keys[FACTS] = {"latency", "size", "lineSize", "readBandwidth",
                                             "writeBandwidth"};

/* What an object says; NAN where it says nothing. */
struct value {
    double measured, declared, mean, confidence;
    double scale; /* of its unit; NAN: none that is known, or none given */
};

struct reading {
    struct import_text *text;
    struct tables tables;
    struct value values[MEMORIES][FACTS];
    double major, minor; /* of the compute capability */
    struct gpu_facts *gpu;
};

/* Of a unit as mt4g writes it. */
static double scale_of(const char *text, enum fact fact)
{
    static const struct {
        const char *word;
        enum fact fact;
        double scale;
    } words[] = {{"cycles", LATENCY, 1},  {"bytes", SIZE, 1},       {"bytes", LINE, 1},
                 {"GiB/s", READ, 0x1p30}, {"GiB/s", WRITE, 0x1p30}, {"GB/s", READ, 1e9},
                 {"GB/s", WRITE, 1e9},    {"MiB/s", READ, 0x1p20},  {"MiB/s", WRITE, 0x1p20}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].fact == fact && strcmp(words[i].word, text) == 0)
            return words[i].scale;
    return NAN;
}

static void note_value(struct value *value, enum fact fact, const struct json_found *found)
{
    const char *key = found->keys[found->depth - 1];
    const bool rate = fact == READ || fact == WRITE;
    if (found->text) {
        if (strcmp(key, "unit") == 0)
            value->scale = scale_of(found->text, fact);
        return;
    }
    if (strcmp(key, "p50") == 0 || strcmp(key, "size") == 0 || (rate && strcmp(key, "value") == 0))
        value->measured = found->number;
    else if (strcmp(key, "value") == 0)
        value->declared = found->number;
    else if (strcmp(key, "mean") == 0)
        value->mean = found->number;
    else if (strcmp(key, "confidence") == 0)
        value->confidence = found->number;
}

static int note_machine(struct reading *reading, const struct json_found *found)
{
    struct document *document = reading->tables.document;
    struct gpu_facts *gpu = reading->gpu;
    const double number = found->number > 0 && found->number < 0x1p62 ? found->number : 0;
    const char **text = json_found_at(found, "general/name")   ? &gpu->name
                        : json_found_at(found, "meta/hostCpu") ? &document->machine.cpu_model
                                                               : NULL;
    if (found->text && text && !(*text = pool_strdup(&document->pool, found->text)))
        return error_out_of_memory(reading->tables.error);
    if (json_found_at(found, "general/computeCapability/major"))
        reading->major = number;
    else if (json_found_at(found, "general/computeCapability/minor"))
        reading->minor = number;
    else if (json_found_at(found, "general/clockRate/value"))
        gpu->clock_hz = number * 1e3; /* they are in kHz */
    else if (json_found_at(found, "memory/main/memoryClockRate/value"))
        gpu->memory_clock_hz = number * 1e3;
    else if (json_found_at(found, "memory/main/memoryBusWidth/value"))
        gpu->memory_bus_bits = (unsigned)fmin(number, 1e6);
    else if (json_found_at(found, "memory/main/totalGlobalMem/value"))
        gpu->memory_bytes = (uint64_t)number;
    else if (json_found_at(found, "memory/shared/sharedMemPerMultiProcessor/value"))
        gpu->scratchpad_bytes = (uint64_t)number;
    else if (json_found_at(found, "memory/constant/totalConstMem/value"))
        gpu->constant_bytes = (uint64_t)number;
    else if (json_found_at(found, "compute/multiProcessorCount"))
        gpu->multiprocessors = (unsigned)fmin(number, 1e6);
    else if (json_found_at(found, "memory/...") &&
             (strcmp(found->keys[found->depth - 1], "size") == 0 ||
              strcmp(found->keys[found->depth - 1], "mean") == 0 ||
              strcmp(found->keys[found->depth - 1], "value") == 0))
        json_unread(reading->text, found);
    return 0;
}

static int take(void *context, const struct json_found *found)
{
    struct reading *reading = context;
    for (size_t m = 0; m < MEMORIES; m++)
        for (enum fact fact = 0; fact < FACTS; fact++)
            if (json_found_at(found, memories[m].path) &&
                strcmp(found->keys[found->depth - 2], fact_keys[fact]) == 0) {
                note_value(&reading->values[m][fact], fact, found);
                return 0;
            }
    return note_machine(reading, found);
}

/* --- findings --- */

/* What it is called: "gpu0.L1.latency", and without its name what is of the device's own memory. */
static const char *name_of(struct reading *reading, size_t memory, enum fact fact)
{
    static const char *const endings[FACTS] = {"latency", "capacity", "line", "bandwidth.read",
                                               "bandwidth.write"};
    const bool own = strcmp(memories[memory].name, "DRAM") == 0 && fact >= READ;
    return pool_printf(&reading->tables.document->pool, "gpu0.%s%s%s",
                       own ? "" : memories[memory].name, own ? "" : ".", endings[fact]);
}

static int add_fact(struct reading *reading, size_t memory, enum fact fact, struct error *error)
{
    static const char *const units[FACTS] = {"cycles", "B", "B", "B/s", "B/s"};
    const struct value *value = &reading->values[memory][fact];
    double number = value->measured;
    if (fact == LATENCY && !(number > 0))
        number = value->mean;
    if (fact == LINE && !(number > 0))
        number = value->declared;
    if (!(number > 0) || value->confidence <= 0)
        return 0;
    if (!isfinite(value->scale))
        return table_refuse(error, reading->text, "memory %s, %s: has no unit that mt4g writes",
                            memories[memory].name, fact_keys[fact]);
    const struct table_kind kind = {
        .probe = "gpu",
        .title = "GPU memory by mt4g, imported",
        .finding = name_of(reading, memory, fact),
        .unit = units[fact],
        .factors = {{fact < READ ? "method" : NULL, "each load timed", NAN}}};
    return kind.finding ? tables_add_value(&reading->tables, &kind, number * value->scale)
                        : error_out_of_memory(error);
}

static int add_findings(struct reading *reading, struct error *error)
{
    int code = 0;
    for (size_t m = 0; m < MEMORIES; m++)
        for (enum fact fact = 0; fact < FACTS && code == 0; fact++)
            code = add_fact(reading, m, fact, error);
    const struct value *l2 = &reading->values[1][SIZE];
    if (l2->declared > 0 && l2->declared < 0x1p62)
        reading->gpu->l2_bytes = (uint64_t)l2->declared;
    if (code == 0 && reading->major > 0)
        reading->gpu->capability = pool_printf(&reading->tables.document->pool, "%.0f.%.0f",
                                               reading->major, fmax(0, reading->minor));
    return code;
}

static int read_mt4g(struct import_text *text, const struct settings *settings,
                     struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.text = text, .gpu = table_gpu(document, 0)};
    if (!reading.gpu)
        return error_out_of_memory(error);
    for (size_t m = 0; m < MEMORIES; m++)
        for (size_t fact = 0; fact < FACTS; fact++)
            reading.values[m][fact] = (struct value){NAN, NAN, NAN, NAN, NAN};
    tables_begin(&reading.tables, document, error);
    int code = json_values(text, take, &reading, error);
    if (code == 0)
        code = add_findings(&reading, error);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text, "holds no latency and no size of mt4g's");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text->text[strspn(text->text, " \t\r\n")] == '{' && strstr(text->text, "\"memory\"") &&
                   strstr(text->text, "\"fetchGranularity\"") &&
                   strstr(text->text, "\"multiProcessorCount\"")
               ? IMPORT_SURE
               : IMPORT_NONE;
}

const struct import_format mt4g_format = {
    .name = "mt4g",
    .place = 70,
    .summary = "mt4g's JSON: latency, size and bandwidth of a GPU's memories",
    .recognise = recognise,
    .read = read_mt4g,
};
