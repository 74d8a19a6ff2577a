/*
 * The part of the machine that this process may use: CPUs by affinity and cpuset, memory by free
 * memory and cgroup limits, CPU time by quota.
 */
#include "machine/cgroup.h"
#include "machine/files.h"
#include "machine/os.h"
#include "machine/parts.h"

#include <math.h>
#include <stdlib.h>

static void allow_all(struct machine *machine)
{
    machine->allowed.ids =
        pool_alloc(&machine->pool, machine->cpu_count, sizeof *machine->allowed.ids);
    for (size_t i = 0; i < machine->cpu_count; i++)
        machine->allowed.ids[machine->allowed.count++] = machine->cpus[i].id;
}

uint64_t limits_memory_free(const char *root)
{
    uint64_t total = UINT64_MAX, free_bytes = 0;
    char *text = files_text(root, "/proc/meminfo");
    if (text) {
        text_number(&total, text, "MemTotal");
        /* MemAvailable came with Linux 3.14. */
        if (!text_number(&free_bytes, text, "MemAvailable"))
            text_number(&free_bytes, text, "MemFree");
    }
    free(text);
    return free_bytes <= total ? free_bytes : total;
}

/* Assumed if no file and no call says how much memory there is: any machine that runs this has as
 * much. */
static const uint64_t assumed_bytes = (uint64_t)1 << 30;

void limits_read(struct machine *machine, const char *root, const struct cpulist *mask)
{
    struct pool *pool = &machine->pool;
    struct cpulist recorded = {0};
    struct cgroup_limits cgroup;
    /* A container's files may show fewer CPUs than its mask has (lxcfs numbers them anew), so the
     * mask counts: on the running machine this thread's, and on a recorded one the mask of the
     * process that recorded it. */
    for (size_t i = 0; i < mask->count; i++)
        machine_add_cpu(machine, mask->ids[i]);
    if (!machine->live) {
        char *status = files_pooled(pool, root, "/proc/self/status");
        if (status)
            text_cpulist(pool, &recorded, status, "Cpus_allowed_list");
        mask = &recorded;
    }
    allow_all(machine);
    cgroup_read(&cgroup, pool, root);
    cpulist_narrow(&machine->allowed, mask);
    cpulist_narrow(&machine->allowed, &cgroup.cpus);
    machine->cpu_quota = cgroup.cpu_quota;
    uint64_t free_bytes = limits_memory_free(root);
    if (free_bytes == 0 && machine->live)
        free_bytes = os_memory_free();
    if (free_bytes == 0)
        free_bytes = machine->facts.memory_bytes / 2; /* unknown: a careful guess */
    if (free_bytes == 0)
        free_bytes = assumed_bytes;
    machine->memory_available_bytes =
        free_bytes < cgroup.memory_bytes ? free_bytes : cgroup.memory_bytes;
}

void limits_none(struct machine *machine)
{
    machine->cpu_quota = INFINITY;
    machine->memory_available_bytes =
        machine->facts.memory_bytes ? machine->facts.memory_bytes : assumed_bytes;
    allow_all(machine);
}
