#include "machine/files.h"
#include "machine/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- regions of memory behind CXL: the kernel's Documentation/ABI/testing/sysfs-bus-cxl --- */

static const char bus[] = "/sys/bus/cxl/devices";

/* More devices do not share a region, nor in larger pieces (CXL 3.1, 8.2.4.20). */
enum { WAYS_MAX = 16, PIECE_MAX = 16 * 1024, NAME_MAX_BYTES = 64 };

/* "0x40000000"; 0 where it is none. */
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
static int nodes_of(struct cpulist *nodes, struct machine *machine, const char *root,
                    const char *region)
{
    char **names;
    const char *folder = pool_printf(&machine->pool, "%s/%s/dax_%s", bus, region, region);
    const size_t count = folder ? files_names(&machine->pool, &names, root, folder) : 0;
    int code = folder ? 0 : ERROR_SYSTEM;
    *nodes = (struct cpulist){0};
    for (size_t i = 0; i < count && code == 0; i++) {
        uint64_t node;
        if (files_number(&node, root, "%s/%s/target_node", folder, names[i]) && node <= CPU_ID_MAX)
            code = cpulist_add(nodes, (int)node);
    }
    return code;
}

static int add_region(struct machine *machine, const char *root, const char *name)
{
    struct declared_facts *declared = &machine->facts.declared;
    struct cpulist nodes;
    int code = nodes_of(&nodes, machine, root, name);
    struct declared_cxl *region =
        code == 0 ? machine_append(machine, &declared->cxl, &declared->cxl_count, sizeof *region)
                  : NULL;
    if (region)
        *region = (struct declared_cxl){
            .name = name,
            .mode = files_line(&machine->pool, root, "%s/%s/mode", bus, name),
            .size_bytes = hexadecimal(&machine->pool, root, name),
            .interleave_ways = count_of(root, name, "interleave_ways", WAYS_MAX),
            .interleave_bytes = count_of(root, name, "interleave_granularity", PIECE_MAX),
            .nodes = nodes.count ? cpulist_pooled(&machine->pool, &nodes) : NULL,
        };
    cpulist_free(&nodes);
    return region ? code : ERROR_SYSTEM;
}

int declared_cxl(struct machine *machine, const char *root)
{
    char **names;
    const size_t count = files_names(&machine->pool, &names, root, bus);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        if (strlen(names[i]) < NAME_MAX_BYTES && number_behind(names[i], "region") >= 0)
            code = add_region(machine, root, names[i]);
    return code;
}

/* --- between which clocks CPUs may run: cpufreq's limits, as the hardware has them and as they are
 * set, in the kernel's Documentation/admin-guide/pm/cpufreq.rst --- */

/* In kHz: 100 GHz is no core's. */
static const uint64_t most_khz = 100 * 1000 * 1000;

enum { LIMITS = 5 };

static const char *const files[LIMITS] = {"cpuinfo_min_freq", "cpuinfo_max_freq",
                                          "scaling_min_freq", "scaling_max_freq", "base_frequency"};

struct limits {
    uint64_t hz[LIMITS];
    struct cpulist cpus;
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

static bool are_equal(const struct limits *a, const struct limits *b)
{
    for (int i = 0; i < LIMITS; i++)
        if (a->hz[i] != b->hz[i])
            return false;
    return true;
}

/* Machines have a few kinds of core; where every CPU has limits of its own, the first of them will
 * do. */
enum { KINDS_MAX = 64 };

static int add_cpu(struct limits *kinds, size_t *count, const char *root, int cpu)
{
    struct limits limits = {.cpus = {0}};
    size_t at = 0;
    if (!read_limits(&limits, root, cpu))
        return 0;
    while (at < *count && !are_equal(&kinds[at], &limits))
        at++;
    if (at == KINDS_MAX)
        return 0;
    if (at == *count)
        kinds[(*count)++] = limits;
    return cpulist_add(&kinds[at].cpus, cpu);
}

static int add_clock(struct machine *machine, const struct limits *limits)
{
    struct declared_facts *declared = &machine->facts.declared;
    const char *cpus = cpulist_pooled(&machine->pool, &limits->cpus);
    struct declared_clock *clock =
        machine_append(machine, &declared->clocks, &declared->clock_count, sizeof *clock);
    if (!cpus || !clock)
        return ERROR_SYSTEM;
    const uint64_t *hz = limits->hz;
    *clock = (struct declared_clock){cpus, hz[0], hz[1], hz[2], hz[3], hz[4]};
    return 0;
}

int declared_clocks(struct machine *machine, const char *root)
{
    struct limits *kinds = calloc(KINDS_MAX, sizeof *kinds);
    size_t count = 0;
    int code = kinds ? 0 : ERROR_SYSTEM;
    for (size_t i = 0; i < machine->cpu_count && code == 0; i++)
        code = add_cpu(kinds, &count, root, machine->cpus[i].id);
    for (size_t i = 0; i < count; i++) {
        if (code == 0)
            code = add_clock(machine, &kinds[i]);
        cpulist_free(&kinds[i].cpus);
    }
    free(kinds);
    return code;
}
