#include "measure/probes/gpu/split.h"

#include "base/error.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MOST = GPU_SPLITS_MOST };

/* The possible sizes of the scratchpad in KiB, by architecture: NVIDIA, "CUDA C++ Programming
 * Guide", the sections on shared memory of each compute capability. */
static const struct {
    const char *capability; /* "9" is 9.0, 9.1, ... */
    unsigned kib[SIZES_MOST];
    size_t count;
} known_sizes[] = {
    {"7.5", {32, 64}, 2},
    {"7", {0, 8, 16, 32, 64, 96}, 6},
    {"8.0", {0, 8, 16, 32, 64, 100, 132, 164}, 8},
    {"8.7", {0, 8, 16, 32, 64, 100, 132, 164}, 8},
    {"8", {0, 8, 16, 32, 64, 100}, 6},
    {"9", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 10},
    {"10", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 10},
    {"12", {0, 8, 16, 32, 64, 100}, 6},
};

static bool is_of(const char *capability, const char *family)
{
    const size_t length = strlen(family);
    if (!capability || strncmp(capability, family, length) != 0)
        return false;
    return capability[length] == '\0' || (capability[length] == '.' && !strchr(family, '.'));
}

/* The possible sizes of the scratchpad in bytes, ascending; for an unknown architecture, in steps
 * of a quarter. */
static size_t scratchpads(const struct gpu_facts *facts, double sizes[SIZES_MOST])
{
    enum { QUARTERS = 4 };
    size_t n = 0;
    for (size_t i = 0; i < sizeof known_sizes / sizeof *known_sizes; i++) {
        if (!is_of(facts->capability, known_sizes[i].capability))
            continue;
        for (size_t k = 0; k < known_sizes[i].count; k++) {
            const double bytes = known_sizes[i].kib[k] * 1024.0;
            if (bytes <= (double)facts->scratchpad_bytes)
                sizes[n++] = bytes;
        }
        break;
    }
    for (int i = 0; i <= QUARTERS && n == 0; i++)
        sizes[i] = (double)facts->scratchpad_bytes * i / (double)QUARTERS;
    return n ? n : QUARTERS + 1;
}

static bool is_split(const struct gpu_facts *facts)
{
    return facts->scratchpad_bytes && facts->first_level_bytes > facts->scratchpad_bytes;
}

static struct gpu_split with_scratchpad(const struct gpu_facts *facts, double bytes)
{
    return (struct gpu_split){
        .l1_bytes = facts->first_level_bytes - (uint64_t)bytes,
        .carve_out = (int)floor(100 * bytes / (double)facts->scratchpad_bytes),
    };
}

struct gpu_split gpu_split_default(const struct gpu_facts *facts)
{
    double sizes[SIZES_MOST];
    if (!is_split(facts))
        return (struct gpu_split){facts->first_level_bytes, -1};
    scratchpads(facts, sizes);
    return (struct gpu_split){with_scratchpad(facts, sizes[0]).l1_bytes, -1};
}

/* Bytes of L1, from a size or from per cent of the memory that L1 and scratchpad share. */
static double parse_wanted(const char *text, double all, struct pool *pool)
{
    uint64_t size;
    char *end;
    const double percent = strtod(text, &end);
    if (end != text && (strcmp(end, "%") == 0 || *end == '\0') && percent >= 0 && percent <= 100)
        return percent / 100 * all;
    if (size_parse(text, &size, NULL) < 0)
        pool_leave(pool, ERROR_USAGE, "--l1 '%s': give a size like 32K, per cent like 50, or sweep",
                   text);
    return (double)size;
}

void gpu_split_check(const char *text, struct pool *pool)
{
    if (strcmp(text, "sweep") != 0)
        parse_wanted(text, 0, pool);
}

size_t gpu_splits_parse(const char *text, const struct gpu_facts *facts, struct gpu_split *splits,
                        struct pool *pool)
{
    double sizes[SIZES_MOST];
    char least[UNIT_TEXT], most[UNIT_TEXT];
    if (!is_split(facts))
        pool_leave(pool, ERROR_USAGE,
                   "--l1 %s: gpu%d reports no memory that L1 and scratchpad share: leave it out",
                   text, facts->id);
    const double all = (double)facts->first_level_bytes;
    const size_t count = scratchpads(facts, sizes);
    if (strcmp(text, "sweep") == 0) {
        for (size_t i = 0; i < count; i++)
            splits[i] = with_scratchpad(facts, sizes[i]);
        return count;
    }
    /* The smallest scratchpad that leaves at most the wanted L1. */
    const double wanted = parse_wanted(text, all, pool);
    size_t chosen = 0;
    while (chosen < count && all - sizes[chosen] > wanted)
        chosen++;
    if (chosen == count || wanted > all)
        pool_leave(pool, ERROR_USAGE, "--l1 %s: L1 of gpu%d can have %s to %s", text, facts->id,
                   size_format(all - sizes[count - 1], least), size_format(all - sizes[0], most));
    splits[0] = with_scratchpad(facts, sizes[chosen]);
    return 1;
}
