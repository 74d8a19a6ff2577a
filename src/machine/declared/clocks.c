/* Between which clocks CPUs may run: cpufreq's limits, as the hardware has them and as they are
 * set, in the kernel's Documentation/admin-guide/pm/cpufreq.rst. */
#include "machine/declared/parts.h"
#include "machine/files.h"
#include "machine/topology.h"

#include <stdlib.h>

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
        declared_append(machine, &declared->clocks, &declared->clock_count, sizeof *clock);
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
