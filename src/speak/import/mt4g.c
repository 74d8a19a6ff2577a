/*
 * mt4g (github.com/caps-tum/mt4g): a JSON document of a GPU's memories. Each entry of "memory" has
 * a "latency" in cycles, of loads that were timed one by one ("p-chase"); a "size", measured, or
 * with only a "value" declared by the driver; a "lineSize", a "fetchGranularity", the "segmentSize"
 * of a cache in parts, a "missPenalty" and a bandwidth. A size with confidence 0 is ignored.
 * Declared values go to the machine's facts.
 */
#include "base/quantity.h"
#include "speak/import/json_values.h"

#include <math.h>
#include <string.h>

/* mt4g's memories and fathom's names for them. */
static const struct {
    const char *path, *name;
} memories[] = {
#include "mt4g.texts.h"
};
enum { MEMORIES = sizeof memories / sizeof *memories };

enum fact { LATENCY, PENALTY, SIZE, LINE, FETCH, SEGMENT, READ, WRITE, FACTS };
static const struct {
    const char *key, *ending, *unit;
} facts[FACTS] = {
    [LATENCY] = {"latency", "latency", "cycles"},
    [PENALTY] = {"missPenalty", "miss_penalty", "cycles"},
    [SIZE] = {"size", "capacity", "B"},
    [LINE] = {"lineSize", "line", "B"},
    [FETCH] = {"fetchGranularity", "fetch", "B"},
    [SEGMENT] = {"segmentSize", "segment", "B"},
    [READ] = {"readBandwidth", "bandwidth.read", "B/s"},
    [WRITE] = {"writeBandwidth", "bandwidth.write", "B/s"},
};

/* The values of an object; NAN: not given. */
struct value {
    double measured, declared, mean, confidence;
    double scale; /* of its unit; NAN: unknown or not given */
};

struct mt4g {
    struct value values[MEMORIES][FACTS];
    double major, minor; /* of the compute capability */
    struct gpu_facts *gpu;
};

/* The scale of a unit as mt4g writes it. */
static double scale_of(const char *text, enum fact fact)
{
    static const struct {
        const char *word, *unit;
        double scale;
    } words[] = {{"cycles", "cycles", 1}, {"bytes", "B", 1},        {"KiB", "B", 0x1p10},
                 {"MiB", "B", 0x1p20},    {"GiB/s", "B/s", 0x1p30}, {"GB/s", "B/s", 1e9},
                 {"MiB/s", "B/s", 0x1p20}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (quantity_same(words[i].unit, facts[fact].unit) && strcmp(words[i].word, text) == 0)
            return words[i].scale;
    return NAN;
}

static void note_value(struct value *value, enum fact fact, const struct json_found *found)
{
    const char *key = json_key(found);
    const bool rate = fact == READ || fact == WRITE;
    const bool penalty = fact == PENALTY && strcmp(key, "value") == 0;
    if (found->text && strcmp(key, "unit") == 0)
        value->scale = scale_of(found->text, fact);
    if (found->text)
        return;
    if (strcmp(key, "p50") == 0 || strcmp(key, "size") == 0 || penalty ||
        (rate && strcmp(key, "value") == 0))
        value->measured = found->number;
    else if (strcmp(key, "value") == 0)
        value->declared = found->number;
    else if (strcmp(key, "mean") == 0)
        value->mean = found->number;
    else if (strcmp(key, "confidence") == 0)
        value->confidence = found->number;
}

static void note_machine(struct reading *reading, const struct json_found *found)
{
    struct mt4g *mt4g = reading->state;
    struct gpu_facts *gpu = mt4g->gpu;
    const double number = found->number > 0 && found->number < 0x1p62 ? found->number : 0;
    const struct {
        const char *path;
        double *number;
        uint64_t *bytes;
        unsigned *count;
        double scale;
    } places[] = {
        {"general/computeCapability/major", &mt4g->major, NULL, NULL, 1},
        {"general/computeCapability/minor", &mt4g->minor, NULL, NULL, 1},
        {"general/clockRate/value", &gpu->clock_hz, NULL, NULL, 1e3}, /* in kHz */
        {"memory/main/memoryClockRate/value", &gpu->memory_clock_hz, NULL, NULL, 1e3},
        {"memory/main/memoryBusWidth/value", NULL, NULL, &gpu->memory_bus_bits, 1},
        {"memory/main/totalGlobalMem/value", NULL, &gpu->memory_bytes, NULL, 1},
        {"memory/shared/sharedMemPerMultiProcessor/value", NULL, &gpu->scratchpad_bytes, NULL, 1},
        {"memory/constant/totalConstMem/value", NULL, &gpu->constant_bytes, NULL, 1},
        {"compute/multiProcessorCount", NULL, NULL, &gpu->multiprocessors, 1},
    };
    if (found->text) {
        if (json_found_at(found, "general/name"))
            gpu->name = pool_strdup(reading->pool, found->text);
        else if (json_found_at(found, "meta/hostCpu"))
            reading->document->machine.cpu_model = pool_strdup(reading->pool, found->text);
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!json_found_at(found, places[i].path))
            continue;
        if (places[i].number)
            *places[i].number = number * places[i].scale;
        else if (places[i].bytes)
            *places[i].bytes = (uint64_t)number;
        else
            *places[i].count = (unsigned)fmin(number, 1e6);
        return;
    }
    const char *key = json_key(found);
    if (json_found_at(found, "memory/...") &&
        (strcmp(key, "size") == 0 || strcmp(key, "mean") == 0 || strcmp(key, "value") == 0))
        json_unread(reading->text, found);
}

static void take(struct reading *reading, const struct json_found *found)
{
    struct mt4g *mt4g = reading->state;
    for (size_t m = 0; m < MEMORIES; m++)
        for (enum fact fact = 0; fact < FACTS; fact++)
            if (json_found_at(found, memories[m].path) &&
                strcmp(found->keys[found->depth - 2], facts[fact].key) == 0) {
                note_value(&mt4g->values[m][fact], fact, found);
                return;
            }
    note_machine(reading, found);
}

/* --- findings --- */

static void add_fact(struct reading *reading, size_t memory, enum fact fact)
{
    const struct mt4g *mt4g = reading->state;
    const struct value *value = &mt4g->values[memory][fact];
    const bool cycles = fact == LATENCY || fact == PENALTY;
    /* "gpu0.L1.latency"; the bandwidth of the device's memory has no level's name. */
    const bool own = strcmp(memories[memory].name, "DRAM") == 0 && fact >= READ;
    double number = value->measured;
    if (cycles && !(number > 0))
        number = value->mean;
    if (fact == LINE && !(number > 0))
        number = value->declared;
    if (!(number > 0) || value->confidence <= 0)
        return;
    if (!isfinite(value->scale))
        text_refuse(reading->text, "memory %s, %s: has no unit that mt4g writes",
                    memories[memory].name, facts[fact].key);
    struct table_kind kind = {.probe = "gpu",
                              .title = "GPU memory by mt4g, imported",
                              .finding = pool_printf(reading->pool, "gpu0.%s%s%s",
                                                     own ? "" : memories[memory].name,
                                                     own ? "" : ".", facts[fact].ending),
                              .unit = facts[fact].unit};
    kind_add_text(&kind, "method", fact < READ ? "each load timed" : NULL);
    tables_add_value(&reading->tables, &kind, number * value->scale);
}

static void begin_mt4g(struct reading *reading)
{
    struct mt4g *mt4g = reading->state;
    struct gpu_facts *gpu = mt4g->gpu = table_gpu(reading->document, 0);
    for (size_t m = 0; m < MEMORIES; m++)
        for (size_t fact = 0; fact < FACTS; fact++)
            mt4g->values[m][fact] = (struct value){NAN, NAN, NAN, NAN, NAN};
    json_values(reading, take);
    for (size_t m = 0; m < MEMORIES; m++)
        for (enum fact fact = 0; fact < FACTS; fact++)
            add_fact(reading, m, fact);
    const struct value *l2 = &mt4g->values[1][SIZE];
    if (l2->declared > 0 && l2->declared < 0x1p62)
        gpu->l2_bytes = (uint64_t)l2->declared;
    if (mt4g->major > 0)
        gpu->capability =
            pool_printf(reading->pool, "%.0f.%.0f", mt4g->major, fmax(0, mt4g->minor));
}

static enum import_certainty recognise(const struct import_text *text)
{
    static const char *const words[] = {"\"memory\"", "\"fetchGranularity\"",
                                        "\"multiProcessorCount\"", NULL};
    return json_recognise(text, words) ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format mt4g_format = {
    .name = "mt4g",
    .place = 70,
    .summary = "mt4g's JSON: latency, sizes and bandwidth of a GPU's memories",
    .state_bytes = sizeof(struct mt4g),
    .recognise = recognise,
    .begin = begin_mt4g,
    .statistic = "the median of its loads",
    .nothing = "holds no latency and no size of mt4g's",
};
