#include "machine/conditions_check.h"

#include "machine/clock.h"
#include "machine/files.h"
#include "machine/topology.h"

#include <stdio.h>
#include <string.h>

#define CPU_ROOT "/sys/devices/system/cpu/"

enum { GOVERNORS_MAX = 4, GOVERNOR_NAME_MAX = 32 };

/* --- governor --- */

struct governors {
    const char *names[GOVERNORS_MAX]; /* the different governors, in the order of the CPUs */
    size_t users[GOVERNORS_MAX];
    size_t count, cpus; /* names; CPUs that have a governor */
};

static bool is_word(const char *text)
{
    return strlen(text) < GOVERNOR_NAME_MAX &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

static void count_governor(struct governors *governors, const char *name)
{
    governors->cpus++;
    size_t i = 0;
    while (i < governors->count && strcmp(governors->names[i], name) != 0)
        i++;
    if (i == GOVERNORS_MAX)
        return;
    if (i == governors->count)
        governors->names[governors->count++] = name;
    governors->users[i]++;
}

static struct governors find_governors(const struct inspection *inspection)
{
    struct governors governors = {0};
    const struct cpulist *allowed = &inspection->machine->allowed;
    for (size_t i = 0; i < allowed->count; i++) {
        const char *name = files_line(inspection->pool, inspection->root,
                                      CPU_ROOT "cpu%d/cpufreq/scaling_governor", allowed->ids[i]);
        if (name && is_word(name))
            count_governor(&governors, name);
    }
    return governors;
}

static int clock_unknown(struct inspection *inspection)
{
    if (inspection->machine->facts.hypervisor)
        return remark_fine(inspection, "core clock",
                           "no cpufreq in this guest: its host sets the clock, which fathom "
                           "measures itself");
    return remark_add(inspection, REMARK_KNOW, "core clock", "this system has no cpufreq",
                      "the clock can be neither read nor fixed from here",
                      "trust cycles more than ns, or load the processor's cpufreq driver");
}

int check_governor(struct inspection *inspection)
{
    if (!inspection->has_files)
        return 0;
    struct pool *pool = inspection->pool;
    struct governors governors = find_governors(inspection);
    if (governors.count == 0)
        return clock_unknown(inspection);
    const char *names = "", *state = "governor";
    bool steady = true;
    for (size_t i = 0; i < governors.count && names && state; i++) {
        names = pool_printf(pool, "%s%s%s", names, i ? "," : "", governors.names[i]);
        state =
            pool_printf(pool, "%s%s %s on %zu of %zu CPUs", state, i ? "," : "", governors.names[i],
                        governors.users[i], inspection->machine->allowed.count);
        steady = steady && strcmp(governors.names[i], "performance") == 0;
    }
    inspection->conditions->governor = names;
    if (!names)
        return ERROR_SYSTEM;
    if (steady)
        return remark_fine(inspection, "core clock", state);
    return remark_add(inspection, REMARK_SPOILS, "core clock", state,
                      "the clock rises and falls with the load, and times in ns with it",
                      "cpupower frequency-set -g performance");
}

/* --- turbo --- */

int check_turbo(struct inspection *inspection)
{
    uint64_t value;
    const char *remedy;
    bool on;
    if (!inspection->has_files)
        return 0;
    if (files_number(&value, inspection->root, CPU_ROOT "intel_pstate/no_turbo") && value <= 1) {
        on = value == 0;
        remedy = "echo 1 > " CPU_ROOT "intel_pstate/no_turbo";
    } else if (files_number(&value, inspection->root, CPU_ROOT "cpufreq/boost") && value <= 1) {
        on = value == 1;
        remedy = "echo 0 > " CPU_ROOT "cpufreq/boost";
    } else {
        return 0;
    }
    inspection->conditions->turbo = on ? "on" : "off";
    if (!on)
        return remark_fine(inspection, "turbo", "turbo is off");
    return remark_add(inspection, REMARK_KNOW, "turbo", "turbo is on",
                      "the clock changes with heat and the number of busy cores", remedy);
}

/* --- counter --- */

/* Skipped for a recorded machine of another architecture, which lists other counters. */
int check_counter(struct inspection *inspection)
{
    const char *arch = inspection->machine->facts.cpu_arch;
    if (!inspection->has_files || !arch || strcmp(arch, ARCH_NAME) != 0 ||
        !clock_counter_distrusted(inspection->root))
        return 0;
    return remark_add(inspection, REMARK_KNOW, "counter",
                      "the kernel does not trust the processor's counter (" ARCH_COUNTER_NAME ")",
                      "fathom reads the system's clock instead, which makes short batches "
                      "longer, and one-way hand-offs can't be measured",
                      "see what dmesg says of " ARCH_COUNTER_NAME
                      ", and whether the kernel was started with "
                      "tsc= or clocksource= (/proc/cmdline)");
}

/* --- SMT --- */

/* What the kernel says, or else the topology; NULL: unknown. */
static const char *smt_state(const struct inspection *inspection)
{
    uint64_t active;
    if (inspection->has_files && files_number(&active, inspection->root, CPU_ROOT "smt/active") &&
        active <= 1)
        return active ? "on" : "off";
    const struct machine_facts *facts = &inspection->machine->facts;
    return facts->cores == 0 ? NULL : facts->threads > facts->cores ? "on" : "off";
}

/* The first hardware thread of each core that may be used; *shared: some core has a second one. */
static int one_per_core(const struct inspection *inspection, struct cpulist *first, bool *shared)
{
    const struct machine *machine = inspection->machine;
    struct cpulist cores = {0};
    int result = 0;
    *first = (struct cpulist){0};
    *shared = false;
    for (size_t i = 0; result == 0 && i < machine->allowed.count; i++) {
        const struct cpu_place *cpu = machine_cpu(machine, machine->allowed.ids[i]);
        if (cpu && cpu->core >= 0 && cpulist_has(&cores, cpu->core)) {
            *shared = true;
            continue;
        }
        if (cpu && cpu->core >= 0)
            result = cpulist_add(&cores, cpu->core);
        if (result == 0)
            result = cpulist_add(first, machine->allowed.ids[i]);
    }
    cpulist_free(&cores);
    return result;
}

int check_smt(struct inspection *inspection)
{
    inspection->conditions->smt = smt_state(inspection);
    struct cpulist first;
    bool shared;
    int result = one_per_core(inspection, &first, &shared);
    if (result == 0 && shared) {
        const char *list = cpulist_pooled(inspection->pool, &first);
        const char *remedy = pool_printf(inspection->pool, "for one thread per core use --cpus %s",
                                         list ? list : "");
        result = list && remedy ? remark_add(inspection, REMARK_KNOW, "SMT",
                                             "some CPUs are hardware threads of one core",
                                             "they share its caches and its time", remedy)
                                : ERROR_SYSTEM;
    } else if (result == 0 && inspection->conditions->smt) {
        result = remark_fine(inspection, "SMT", "each CPU that may be used has a core of its own");
    }
    cpulist_free(&first);
    return result;
}
