#include "machine/files.h"
#include "machine/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- regions of memory behind CXL: the kernel's Documentation/ABI/testing/sysfs-bus-cxl --- */

static const char bus[] = "/sys/bus/cxl/devices";

/* The most devices that a region is interleaved over, and the largest piece in bytes (CXL 3.1,
 * 8.2.4.20). */
enum { WAYS_MAX = 16, PIECE_MAX = 16 * 1024, NAME_MAX_BYTES = 64 };

/* A region's size in bytes, from a text like "0x40000000"; 0: unknown. */
static uint64_t hexadecimal(struct pool *pool, const char *root, const char *region)
{
    const char *text = files_line(pool, root, "%s/%s/size", bus, region);
    char *end;
    if (!text || strncmp(text, "0x", 2) != 0)
        return 0;
    errno = 0;
    const unsigned long long value = strtoull(text + 2, &end, 16);
    return errno || *end || end == text + 2 || value > INT64_MAX ? 0 : value;
}

static unsigned count_of(const char *root, const char *region, const char *name, unsigned most)
{
    uint64_t value = 0;
    return files_number(&value, root, "%s/%s/%s", bus, region, name) && value <= most
               ? (unsigned)value
               : 0;
}

/* The nodes of a region's dax devices: regionX/dax_regionX/daxX.Y/target_node. */
static const char *nodes_of(struct machine *machine, const char *root, const char *region)
{
    char **names;
    struct pool *pool = &machine->pool;
    const char *folder = pool_printf(pool, "%s/%s/dax_%s", bus, region, region);
    const size_t count = files_names(pool, &names, root, folder);
    for (size_t i = 0; i < count; i++) {
        uint64_t node = UINT64_MAX;
        files_number(&node, root, "%s/%s/target_node", folder, names[i]);
        names[i] = pool_printf(pool, "node%llu", (unsigned long long)node);
    }
    return numbers_behind(pool, names, count, "node");
}

void declared_cxl(struct machine *machine, const char *root)
{
    char **names;
    struct declared_facts *declared = &machine->facts.declared;
    const size_t count = files_names(&machine->pool, &names, root, bus);
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i];
        if (strlen(name) >= NAME_MAX_BYTES || number_behind(name, "region") < 0)
            continue;
        const struct declared_cxl region = {
            .name = name,
            .mode = files_line(&machine->pool, root, "%s/%s/mode", bus, name),
            .size_bytes = hexadecimal(&machine->pool, root, name),
            .interleave_ways = count_of(root, name, "interleave_ways", WAYS_MAX),
            .interleave_bytes = count_of(root, name, "interleave_granularity", PIECE_MAX),
            .nodes = nodes_of(machine, root, name),
        };
        struct declared_cxl *slot =
            machine_append(machine, &declared->cxl, &declared->cxl_count, sizeof *slot);
        *slot = region;
    }
}

/* --- cpufreq's limits of the core clock, the hardware's and those that are set: the kernel's
 * Documentation/admin-guide/pm/cpufreq.rst --- */

/* More than 100 GHz is garbage. */
static const uint64_t most_khz = 100 * 1000 * 1000;

enum { LIMITS = 5 };

static const char *const files[LIMITS] = {"cpuinfo_min_freq", "cpuinfo_max_freq",
                                          "scaling_min_freq", "scaling_max_freq", "base_frequency"};

struct limits {
    uint64_t hz[LIMITS];
    struct cpulist cpus; /* with room for all CPUs */
};

static bool read_limits(struct limits *limits, const char *root, int cpu)
{
    bool any = false;
    for (int i = 0; i < LIMITS; i++) {
        uint64_t khz = 0;
        if (!files_number(&khz, root, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, files[i]) ||
            khz > most_khz)
            khz = 0;
        limits->hz[i] = khz * 1000;
        any = any || khz;
    }
    return any;
}

/* Machines have a few kinds of core. If more CPUs than this have limits of their own, the further
 * ones are left out. */
enum { KINDS_MAX = 64 };

void declared_clocks(struct machine *machine, const char *root)
{
    struct declared_facts *declared = &machine->facts.declared;
    struct pool *pool = &machine->pool;
    struct limits *kinds = pool_alloc(pool, KINDS_MAX, sizeof *kinds);
    size_t count = 0;
    for (size_t i = 0; i < machine->cpu_count; i++) {
        struct limits limits = {.cpus = {0}};
        size_t at = 0;
        if (!read_limits(&limits, root, machine->cpus[i].id))
            continue;
        while (at < count && memcmp(kinds[at].hz, limits.hz, sizeof limits.hz) != 0)
            at++;
        if (at == KINDS_MAX)
            continue;
        if (at == count) {
            limits.cpus.ids = pool_alloc(pool, machine->cpu_count, sizeof *limits.cpus.ids);
            kinds[count++] = limits;
        }
        kinds[at].cpus.ids[kinds[at].cpus.count++] = machine->cpus[i].id;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t *hz = kinds[i].hz;
        struct declared_clock *clock =
            machine_append(machine, &declared->clocks, &declared->clock_count, sizeof *clock);
        *clock = (struct declared_clock){
            cpulist_pooled(pool, &kinds[i].cpus), hz[0], hz[1], hz[2], hz[3], hz[4]};
    }
}
