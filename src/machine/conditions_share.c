#include "machine/conditions_check.h"

#include "machine/files.h"
#include "machine/limits.h"
#include "machine/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double stolen_share_noticed = 0.005; /* share of all CPU time since boot */
static const double load_noticed = 0.5; /* one more task than ours was runnable half of the time */

int check_system_files(struct inspection *inspection)
{
    char **names;
    if (!inspection->has_files ||
        files_names(inspection->pool, &names, inspection->root, "/sys/devices/system/cpu"))
        return 0;
    return remark_add(inspection, REMARK_KNOW, "system files", "/sys can't be read",
                      "what it says of caches, cores, clocks and huge pages is unknown",
                      "mount it (mount -t sysfs sysfs /sys) or run outside of the sandbox");
}

int check_hypervisor(struct inspection *inspection)
{
    const char *name = inspection->machine->facts.hypervisor;
    if (!inspection->has_files)
        return 0;
    if (!name)
        return remark_fine(inspection, "virtual machine", "no hypervisor noticed");
    if (inspection->machine->emulated)
        return remark_add(inspection, REMARK_SPOILS, "virtual machine", name,
                          "an emulator does what a processor would, so the times say nothing about "
                          "any hardware",
                          "measure on the hardware, or in a virtual machine with KVM (qemu "
                          "-accel kvm)");
    return remark_add(
        inspection, REMARK_KNOW, "virtual machine",
        pool_printf(inspection->pool, "a virtual machine (%s)", name),
        "where its CPUs sit and who shares its caches is unknown",
        "for absolute values measure on the host, or on a host that runs this guest alone");
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice": guest time is counted
 * in user time already. */
int check_stolen(struct inspection *inspection)
{
    char *text = inspection->has_files ? files_text(inspection->root, "/proc/stat") : NULL;
    double field[8] = {0}, total = 0;
    int fields = text ? sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &field[0], &field[1],
                               &field[2], &field[3], &field[4], &field[5], &field[6], &field[7])
                      : 0;
    free(text);
    for (int i = 0; i < 8; i++)
        total += field[i];
    if (fields != 8 || !(total > 0) || !isfinite(total) || !(field[7] >= 0))
        return 0;
    double share = field[7] / total;
    if (share < stolen_share_noticed)
        return inspection->machine->facts.hypervisor
                   ? remark_fine(inspection, "stolen time",
                                 pool_printf(inspection->pool,
                                             "the hypervisor took %.2f %% of CPU time since boot",
                                             100 * share))
                   : 0;
    return remark_add(inspection, REMARK_SPOILS, "stolen time",
                      pool_printf(inspection->pool,
                                  "the hypervisor took %.1f %% of CPU time since boot",
                                  100 * share),
                      "programs of other guests run on these CPUs and fill their caches",
                      "use a dedicated instance, or a host with fewer guests");
}

/* The isolated ones (isolcpus) of the CPUs that may not be used, as a list; NULL where there are
 * none. A mask that names them reaches them, and by default no mask does. */
static const char *isolated_cpus(const struct inspection *inspection)
{
    struct cpulist isolated, outside = {0};
    const char *list = NULL;
    if (!files_cpulist(&isolated, inspection->root, "/sys/devices/system/cpu/isolated"))
        return NULL;
    for (size_t i = 0; i < isolated.count; i++)
        if (machine_cpu(inspection->machine, isolated.ids[i]) &&
            !cpulist_has(&inspection->machine->allowed, isolated.ids[i]) &&
            cpulist_add(&outside, isolated.ids[i]) < 0)
            break;
    if (outside.count)
        list = cpulist_pooled(inspection->pool, &outside);
    cpulist_free(&isolated);
    cpulist_free(&outside);
    return list;
}

int check_affinity(struct inspection *inspection)
{
    const struct machine *machine = inspection->machine;
    const char *list = cpulist_pooled(inspection->pool, &machine->allowed);
    inspection->conditions->affinity = list;
    if (!list)
        return ERROR_SYSTEM;
    if (machine->allowed.count == machine->cpu_count)
        return remark_fine(inspection, "affinity",
                           pool_printf(inspection->pool, "all %zu CPUs may be used (%s)",
                                       machine->cpu_count, list));
    const char *what = pool_printf(inspection->pool, "only %zu of %zu CPUs may be used (%s)",
                                   machine->allowed.count, machine->cpu_count, list);
    const char *isolated = inspection->has_files ? isolated_cpus(inspection) : NULL;
    if (isolated)
        return remark_add(inspection, REMARK_KNOW, "affinity", what,
                          pool_printf(inspection->pool, "%s are isolated (isolcpus)", isolated),
                          pool_printf(inspection->pool,
                                      "to measure those start fathom by taskset -c %s", isolated));
    return remark_add(inspection, REMARK_KNOW, "affinity", what, "the others are not measured",
                      "widen the mask (taskset, --cpuset-cpus, the batch job) to measure the rest");
}

int check_quota(struct inspection *inspection)
{
    double quota = inspection->machine->cpu_quota;
    size_t count = inspection->machine->allowed.count;
    if (!isfinite(quota))
        return 0;
    const char *state = pool_printf(
        inspection->pool, "a CPU quota allows %.2f CPUs' worth of time for %zu CPUs", quota, count);
    if (quota >= (double)count)
        return remark_fine(inspection, "CPU quota", state);
    return remark_add(inspection, REMARK_SPOILS, "CPU quota", state,
                      "threads over the quota are stopped for tens of milliseconds",
                      "raise cpu.max (docker --cpus, CPUQuota=)");
}

int check_memory(struct inspection *inspection)
{
    uint64_t available = inspection->machine->memory_available_bytes;
    uint64_t free_bytes = inspection->has_files ? limits_memory_free(inspection->root) : 0;
    /* A tenth of slack, because free memory changes from one reading to the next. */
    if (available >= free_bytes - free_bytes / 10)
        return 0;
    return remark_add(inspection, REMARK_KNOW, "memory limit",
                      pool_printf(inspection->pool,
                                  "a control group allows %.1f of the %.1f GiB that are free",
                                  (double)available * 0x1p-30, (double)free_bytes * 0x1p-30),
                      "working sets that are larger can't be measured",
                      "raise memory.max (docker --memory, MemoryMax=)");
}

int check_load(struct inspection *inspection)
{
    const char *line = inspection->has_files
                           ? files_line(inspection->pool, inspection->root, "/proc/loadavg")
                           : NULL;
    double load;
    if (!line || sscanf(line, "%lf %*f %*f %*d/%*d", &load) != 1 || !(load >= 0 && load < 1e9))
        return 0;
    inspection->conditions->load1 = load;
    size_t count = inspection->machine->cpu_count;
    const char *state = pool_printf(inspection->pool, "load average %.2f on %zu CPUs", load, count);
    if (load < load_noticed)
        return remark_fine(inspection, "load", state);
    return remark_add(inspection, load < 0.25 * (double)count ? REMARK_KNOW : REMARK_SPOILS, "load",
                      state, "other programs take time, caches and bandwidth from what is measured",
                      "stop other work, or wait until it has ended");
}
