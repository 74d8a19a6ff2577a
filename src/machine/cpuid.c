/*
 * Caches by CPUID, for kernels that have no folder of them: guests of Firecracker, WSL2. See Intel
 * SDM vol. 2A, CPUID leaf 4, and AMD APM vol. 3, E.4.15 (8000_001DH): both have the same fields.
 */
#include "machine/os.h"
#include "machine/parts.h"

#include "arch.h"

#include <pthread.h>
#include <string.h>

enum { EAX, EBX, ECX, EDX };

static const char *const types[] = {NULL, "data", "instruction", "unified"};

/* CPUs with the same number share the cache. The leaf says for how many CPUs there is room in it:
 * numbers of CPUs are spaced by powers of two. */
static uint32_t sharing_number(const struct cpuid_leaves *cpu, size_t index)
{
    const uint32_t most = cpu->caches[index][EAX] >> 14 & 0xfff;
    unsigned bits = 0;
    while (most >> bits)
        bits++;
    return cpu->apic >> bits;
}

static bool are_shared(const struct cpuid_leaves *a, const struct cpuid_leaves *b, size_t index)
{
    return memcmp(a->caches[index], b->caches[index], sizeof a->caches[index]) == 0 &&
           sharing_number(a, index) == sharing_number(b, index);
}

/* Adds the cache at `index` of the CPU `first`, unless it is that of a CPU before it. */
static void add_cache(struct machine *machine, const struct cpuid_leaves *of_cpus, size_t count,
                      size_t index, size_t first)
{
    const uint32_t *leaf = of_cpus[first].caches[index];
    const unsigned type = leaf[EAX] & 0x1f, line = (leaf[EBX] & 0xfff) + 1,
                   partitions = (leaf[EBX] >> 12 & 0x3ff) + 1, ways = (leaf[EBX] >> 22) + 1;
    const struct cache_facts cache = (struct cache_facts){
        .level = (int)(leaf[EAX] >> 5 & 7),
        .type = type < sizeof types / sizeof *types ? types[type] : NULL,
        .size_bytes = (uint64_t)line * partitions * ways * ((uint64_t)leaf[ECX] + 1),
        .line_bytes = line,
        .ways = ways,
    };
    if (!cache.type)
        return;
    for (size_t i = 0; i < first; i++)
        if (are_shared(&of_cpus[i], &of_cpus[first], index))
            return;
    struct cpulist cpus = {pool_alloc(&machine->pool, count - first, sizeof *cpus.ids), 0};
    for (size_t i = first; i < count; i++)
        if (are_shared(&of_cpus[i], &of_cpus[first], index))
            cpus.ids[cpus.count++] = of_cpus[i].cpu;
    topology_add_cache(machine, cache, &cpus, true);
}

void cpuid_add_caches(struct machine *machine, const struct cpuid_leaves *of_cpus, size_t count)
{
    for (size_t index = 0; index < CPUID_CACHES_MAX; index++)
        for (size_t first = 0; first < count; first++)
            add_cache(machine, of_cpus, count, index, first);
    if (machine->facts.cache_count)
        machine->facts.caches_by = "CPUID";
}

/* --- on this machine --- */

static bool read_cpu(struct cpuid_leaves *cpu)
{
    uint32_t leaf[4];
    /* Topology extensions: AMD's leaf of caches (8000_0001H ECX bit 22). Elsewhere it is Intel's.
     */
    const bool extended = arch_cpuid(0x80000001u, 0, leaf) && leaf[ECX] >> 22 & 1;
    const uint32_t caches = extended ? 0x8000001du : 4;
    if (arch_cpuid(0xb, 0, leaf) && leaf[EBX])
        cpu->apic = leaf[EDX];
    else if (arch_cpuid(1, 0, leaf))
        cpu->apic = leaf[EBX] >> 24;
    for (uint32_t i = 0; i < CPUID_CACHES_MAX; i++)
        if (!arch_cpuid(caches, i, cpu->caches[i]) || !(cpu->caches[i][EAX] & 0x1f))
            return i > 0;
    return true;
}

struct visiting {
    const struct cpulist *cpus;
    struct cpuid_leaves *leaves; /* room for one of each CPU */
    size_t count;
};

static void *visit_cpus(void *with)
{
    struct visiting *visiting = with;
    for (size_t i = 0; i < visiting->cpus->count; i++) {
        struct cpuid_leaves *cpu = &visiting->leaves[visiting->count];
        *cpu = (struct cpuid_leaves){.cpu = visiting->cpus->ids[i]};
        visiting->count += os_pin_thread(cpu->cpu, NULL) == 0 && read_cpu(cpu);
    }
    return NULL;
}

/* CPUID tells of the CPU that executes it, and kinds of core differ. A thread of its own goes
 * round, so the caller's affinity stays as it is. */
void cpuid_read(struct machine *machine)
{
    const struct cpulist *cpus = &machine->allowed;
    struct visiting visiting = {
        cpus, pool_alloc(&machine->pool, cpus->count, sizeof *visiting.leaves), 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, visit_cpus, &visiting) != 0)
        return;
    pthread_join(thread, NULL);
    cpuid_add_caches(machine, visiting.leaves, visiting.count);
}
