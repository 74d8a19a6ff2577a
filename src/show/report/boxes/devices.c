/* What was measured in each box; and the boxes of devices: memory, in it the caches that all
 * multiprocessors share, in these a multiprocessor with what is its own. */
#include "base/text.h"
#include "conclude/registry/device.h"
#include "show/report/boxes/parts.h"
#include "show/report/figure.h"

#include <math.h>
#include <string.h>

static const char *kernel_of(const struct finding *finding)
{
    for (size_t i = 0; i < finding->factor_count; i++)
        if (text_same(finding->factors[i].name, "kernel"))
            return finding->factors[i].text;
    return NULL;
}

static bool is_at(const struct road *road, const char *place, size_t length)
{
    return road->length == length && strncmp(road->place, place, length) == 0;
}

/* Of several kernels that a place was measured with the first one counts. */
static void take_road(struct measured *measured, const struct catalogue_entry *entry)
{
    static const char dram[] = "DRAM";
    const struct finding_meaning *meaning = &entry->meaning;
    struct finding_place named;
    const bool memory = meaning->role == ROLE_WIDTH;
    struct road road = {.place = memory ? dram : meaning->subject,
                        .kernel = kernel_of(entry->finding),
                        .length = memory ? strlen(dram) : meaning->subject_length};
    if (meaning->device >= 0) {
        if (!finding_place(entry->finding, entry->twin, &named) || !named.is_rate)
            return;
        road.place = named.name;
        road.length = strlen(named.name);
    }
    size_t i = 0;
    while (i < measured->road_count && !is_at(&measured->roads[i], road.place, road.length))
        i++;
    if (i == BOXES_ROADS_MAX)
        return;
    if (i == measured->road_count)
        measured->roads[measured->road_count++] = road;
    struct road *kept = &measured->roads[i];
    const struct finding **place = meaning->fact == FACT_ONE ? &kept->one : &kept->all;
    if (!*place && text_same(kept->kernel, road.kernel))
        *place = entry->finding;
}

/* Whether it is of that document and device, and its name alone says what was measured. */
static bool is_wanted(const struct measured *measured, const struct catalogue_entry *entry,
                      enum dimension dimension)
{
    return entry->document == measured->index && entry->meaning.device == measured->device &&
           !entry->experiment && quantity_is(entry->finding->unit, dimension) &&
           isfinite(entry->finding->value);
}

void measured_collect(struct measured *measured, const struct catalogue *catalogue, size_t document,
                      int device)
{
    measured->catalogue = catalogue;
    measured->document = catalogue->documents[document];
    measured->index = document;
    measured->device = device;
    measured->road_count = 0;
    levels_collect(&measured->levels, catalogue, document, device);
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if ((entry->meaning.fact == FACT_ONE || entry->meaning.fact == FACT_ALL) &&
            is_wanted(measured, entry, DIMENSION_BANDWIDTH))
            take_road(measured, entry);
    }
}

const struct finding *measured_first(const struct measured *measured, enum finding_fact fact,
                                     enum dimension dimension)
{
    for (size_t i = 0; i < measured->catalogue->count; i++) {
        const struct catalogue_entry *entry = &measured->catalogue->list[i];
        if (entry->meaning.fact == fact && is_wanted(measured, entry, dimension))
            return entry->finding;
    }
    return NULL;
}

/* The experiment that a name stands for is that of the fastest kind of core; another kind is what
 * its finding is said to differ in. */
static bool is_of_kind(const struct level *level, const char *kind)
{
    const struct finding *example = level->example;
    if (!kind || level->experiment == 0)
        return !kind && level->experiment == 0;
    return example->deviations == 1 && text_same(example->factors[0].name, "core") &&
           text_same(example->factors[0].text, kind);
}

const struct level *measured_level(const struct measured *measured, const char *name,
                                   const char *kind)
{
    for (size_t i = 0; i < measured->levels.count; i++)
        if (strcmp(measured->levels.list[i].name, name) == 0 &&
            is_of_kind(&measured->levels.list[i], kind))
            return &measured->levels.list[i];
    return NULL;
}

void measured_fill(const struct measured *measured, struct box *box, const char *name,
                   const char *kind)
{
    const struct level *level = measured_level(measured, name, kind);
    if (level) {
        box->cycles = cell_of_quiet(level->facts[FACT_LATENCY], FORM_VALUE);
        box->ns = cell_of_quiet(level->facts[FACT_LATENCY_NS], FORM_VALUE);
        box->capacity = cell_of_quiet(level->facts[FACT_CAPACITY], FORM_VALUE);
        box->declared_bytes = level_declared_bytes(measured->document, measured->device, level);
    }
    for (size_t i = 0; i < measured->road_count && !kind; i++)
        if (is_at(&measured->roads[i], name, strlen(name))) {
            box->one = cell_of_finding(measured->roads[i].one, FORM_VALUE);
            box->all = cell_of_finding(measured->roads[i].all, FORM_VALUE);
            box->kernel = measured->roads[i].kernel;
        }
}

/* --- devices --- */

static bool is_shared_cache(const struct level *level)
{
    return level->kind == LEVEL_CACHE && level->number > 1;
}

/* Only another way to memory (texture, atomics) is no place: it has no room of its own. */
static bool is_own(const struct measured *measured, const struct level *level)
{
    return !is_shared_cache(level) && level->kind != LEVEL_MEMORY &&
           (level->facts[FACT_CAPACITY] ||
            isfinite(level_declared_bytes(measured->document, measured->device, level)));
}

static void add_place(struct boxes *boxes, struct pool *pool, const struct measured *measured,
                      const struct level *level, size_t depth)
{
    char text[UNIT_TEXT];
    struct box *box = boxes_add(boxes, pool, BOX_CACHE, depth);
    line_add(&box->name, "%s", level->name);
    measured_fill(measured, box, level->name, NULL);
    if (isfinite(box->declared_bytes))
        line_add(&box->details, "%s", figure_valued(box->declared_bytes, "B", text));
}

static void add_device(struct boxes *boxes, struct pool *pool, const struct measured *measured)
{
    const struct gpu_facts *gpu = device_facts(&measured->document->machine, measured->device);
    const struct levels *levels = &measured->levels;
    char text[UNIT_TEXT];
    size_t depth = 0;
    struct box *box = boxes_add(boxes, pool, BOX_MEMORY, depth);
    line_add(&box->name, "gpu%d", measured->device);
    if (gpu && gpu->name)
        line_add(&box->details, "%s", gpu->name);
    if (gpu && gpu->memory_bytes)
        line_add(&box->details, "%s%s of DRAM", box->details.length ? ", " : "",
                 figure_valued((double)gpu->memory_bytes, "B", text));
    measured_fill(measured, box, "DRAM", NULL);
    for (size_t i = levels->count; i-- > 0;)
        if (levels->list[i].experiment == 0 && is_shared_cache(&levels->list[i]))
            add_place(boxes, pool, measured, &levels->list[i], ++depth);
    box = boxes_add(boxes, pool, BOX_CORE, ++depth);
    line_add(&box->name, "multiprocessor");
    box->count = gpu && gpu->multiprocessors ? gpu->multiprocessors : 1;
    for (size_t i = 0; i < levels->count; i++)
        if (levels->list[i].experiment == 0 && is_own(measured, &levels->list[i]))
            add_place(boxes, pool, measured, &levels->list[i], depth + 1);
}

void boxes_add_devices(struct boxes *boxes, const struct catalogue *catalogue, size_t document,
                       struct pool *pool)
{
    int devices[DEVICES_MOST];
    const size_t count = device_list(catalogue->documents[document], devices, DEVICES_MOST);
    struct measured *measured = pool_alloc(pool, 1, sizeof *measured);
    for (size_t i = 0; i < count && i < BOXES_DEVICES_MAX; i++) {
        measured_collect(measured, catalogue, document, devices[i]);
        add_device(boxes, pool, measured);
    }
    boxes->left_out += count > BOXES_DEVICES_MAX ? count - BOXES_DEVICES_MAX : 0;
}
