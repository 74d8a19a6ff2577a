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
    return remark_add(inspection, REMARK_KNOW, "system files",
                      "/sys can't be read: caches, cores, clock policy and huge pages are unknown",
                      "mount it (mount -t sysfs sysfs /sys) or run outside of the sandbox");
}

int check_hypervisor(struct inspection *inspection)
{
    const char *name = inspection->machine->facts.hypervisor;
    if (!inspection->has_files)
        return 0;
    if (!name)
        return remark_add(inspection, REMARK_FINE, "virtual machine", "no hypervisor noticed",
                          NULL);
    if (inspection->machine->emulated)
        return remark_add(inspection, REMARK_SPOILS, "virtual machine",
                          pool_printf(inspection->pool,
                                      "%s: an emulator does what a processor would, so the times "
                                      "tell nothing of any hardware",
                                      name),
                          "measure on the hardware, or in a virtual machine with KVM (qemu "
                          "-accel kvm)");
    return remark_add(
        inspection, REMARK_KNOW, "virtual machine",
        pool_printf(inspection->pool,
                    "a virtual machine (%s): where its CPUs sit and who shares its "
                    "caches is unknown",
                    name),
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
                   ? remark_add(inspection, REMARK_FINE, "stolen time",
                                pool_printf(inspection->pool,
                                            "the hypervisor took %.2f %% of CPU time since boot",
                                            100 * share),
                                NULL)
                   : 0;
    return remark_add(inspection, REMARK_SPOILS, "stolen time",
                      pool_printf(inspection->pool,
                                  "the hypervisor took %.1f %% of CPU time since boot",
                                  100 * share),
                      "use a dedicated instance, or a host with fewer guests");
}

int check_affinity(struct inspection *inspection)
{
    const struct machine *machine = inspection->machine;
    const char *list = cpulist_pooled(inspection->pool, &machine->allowed);
    inspection->conditions->affinity = list;
    if (!list)
        return ERROR_SYSTEM;
    if (machine->allowed.count == machine->cpu_count)
        return remark_add(inspection, REMARK_FINE, "affinity",
                          pool_printf(inspection->pool, "all %zu CPUs may be used (%s)",
                                      machine->cpu_count, list),
                          NULL);
    return remark_add(inspection, REMARK_KNOW, "affinity",
                      pool_printf(inspection->pool, "only %zu of %zu CPUs may be used (%s)",
                                  machine->allowed.count, machine->cpu_count, list),
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
        return remark_add(inspection, REMARK_FINE, "CPU quota", state, NULL);
    return remark_add(
        inspection, REMARK_SPOILS, "CPU quota", state,
        "raise cpu.max (docker --cpus, CPUQuota=): threads over the quota are stopped "
        "for tens of milliseconds");
}

int check_memory(struct inspection *inspection)
{
    uint64_t available = inspection->machine->memory_available_bytes;
    uint64_t free_bytes = inspection->has_files ? limits_memory_free(inspection->root) : 0;
    /* A tenth of slack, because free memory changes from one reading to the next. */
    if (available >= free_bytes - free_bytes / 10)
        return 0;
    return remark_add(
        inspection, REMARK_KNOW, "memory limit",
        pool_printf(inspection->pool, "a control group allows %.1f of the %.1f GiB that are free",
                    (double)available * 0x1p-30, (double)free_bytes * 0x1p-30),
        "raise memory.max (docker --memory, MemoryMax=) to measure larger working sets");
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
        return remark_add(inspection, REMARK_FINE, "load", state, NULL);
    return remark_add(inspection, load < 0.25 * (double)count ? REMARK_KNOW : REMARK_SPOILS, "load",
                      state, "stop other work, or wait until it has ended");
}
