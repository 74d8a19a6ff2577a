/* The boxes of devices: memory, in it the caches that all multiprocessors share, in these a
 * multiprocessor with what is its own. */
#include "conclude/registry/device.h"
#include "show/report/boxes/parts.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdlib.h>

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

static bool add_place(struct boxes *boxes, struct pool *pool, const struct measured *measured,
                      const struct level *level, size_t depth)
{
    char text[UNIT_TEXT];
    struct box *box = boxes_add(boxes, pool, BOX_CACHE, depth);
    if (!box)
        return false;
    line_add(&box->name, "%s", level->name);
    measured_fill(measured, box, level->name, NULL);
    if (isfinite(box->declared_bytes))
        line_add(&box->details, "%s", figure_valued(box->declared_bytes, "B", text));
    return true;
}

static bool add_device(struct boxes *boxes, struct pool *pool, const struct measured *measured)
{
    const struct gpu_facts *gpu = device_facts(&measured->document->machine, measured->device);
    const struct levels *levels = &measured->levels;
    char text[UNIT_TEXT];
    size_t depth = 0;
    bool done = true;
    struct box *box = boxes_add(boxes, pool, BOX_MEMORY, depth);
    if (!box)
        return false;
    line_add(&box->name, "gpu%d", measured->device);
    if (gpu && gpu->name)
        line_add(&box->details, "%s", gpu->name);
    if (gpu && gpu->memory_bytes)
        line_add(&box->details, "%s%s of DRAM", box->details.length ? ", " : "",
                 figure_valued((double)gpu->memory_bytes, "B", text));
    measured_fill(measured, box, "DRAM", NULL);
    for (size_t i = levels->count; i-- > 0;)
        if (levels->list[i].experiment == 0 && is_shared_cache(&levels->list[i]))
            done = add_place(boxes, pool, measured, &levels->list[i], ++depth) && done;
    box = boxes_add(boxes, pool, BOX_CORE, ++depth);
    if (!box)
        return false;
    line_add(&box->name, "multiprocessor");
    box->count = gpu && gpu->multiprocessors ? gpu->multiprocessors : 1;
    for (size_t i = 0; i < levels->count; i++)
        if (levels->list[i].experiment == 0 && is_own(measured, &levels->list[i]))
            done = add_place(boxes, pool, measured, &levels->list[i], depth + 1) && done;
    return done;
}

bool boxes_add_devices(struct boxes *boxes, const struct catalogue *catalogue, size_t document,
                       struct pool *pool)
{
    int devices[DEVICES_MOST];
    const size_t count = device_list(catalogue->documents[document], devices, DEVICES_MOST);
    struct measured *measured = malloc(sizeof *measured);
    bool done = measured != NULL;
    for (size_t i = 0; i < count && i < BOXES_DEVICES_MAX && done; i++) {
        measured_collect(measured, catalogue, document, devices[i]);
        done = add_device(boxes, pool, measured);
    }
    boxes->left_out += count > BOXES_DEVICES_MAX ? count - BOXES_DEVICES_MAX : 0;
    free(measured);
    return done;
}
