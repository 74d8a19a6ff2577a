#include "machine/conditions.h"

#include "base/units.h"
#include "machine/clock.h"
#include "machine/files.h"
#include "machine/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_ROOT "/sys/devices/system/cpu/"
#define THP_ROOT "/sys/kernel/mm/transparent_hugepage/"

/* What each check gets. Checks run in a step of the pool, which holds all their text. */
struct look {
    const struct machine *machine;
    const char *root;
    bool has_files; /* false for a synthetic machine: the host's files describe another machine */
    struct pool *pool;
    struct conditions *conditions;
    struct checks *checks;
    const struct check *check; /* that looks */
};

/* What a check is about; and why what it finds matters, and what to do, unless it says otherwise.
 */
struct check {
    void (*look)(const struct look *);
    bool without_files; /* uses only what is already known of the machine */
    const char *subject, *why, *remedy;
};

static struct checked *add(const struct look *look, enum remark_weight weight, const char *what)
{
    struct checks *checks = look->checks;
    struct checked *checked =
        pool_append(look->pool, (void **)&checks->list, &checks->count, sizeof *checked);
    *checked = (struct checked){weight, look->check->subject, .remark.what = what};
    if (weight != REMARK_FINE) {
        checked->remark.why = look->check->why;
        checked->remark.remedy = look->check->remedy;
    }
    return checked;
}

/* --- other programs and guests, and how much of the machine this process may use --- */

static const double stolen_share_noticed = 0.005; /* share of all CPU time since boot */
static const double load_noticed = 0.5;           /* one other task was runnable half of the time */

static void check_system_files(const struct look *look)
{
    char **names;
    const char *os = look->machine->facts.os;
    if ((!os || strcmp(os, "Linux") == 0) &&
        !files_names(look->pool, &names, look->root, "/sys/devices/system/cpu"))
        add(look, REMARK_KNOW, "/sys can't be read");
}

static void check_hypervisor(const struct look *look)
{
    const char *name = look->machine->facts.hypervisor;
    if (!name)
        add(look, REMARK_FINE, "no hypervisor noticed");
    else if (look->machine->emulated)
        add(look, REMARK_SPOILS, name)->remark = (struct remark){
            name,
            "an emulator does what a processor would, so the times say nothing about any hardware",
            "measure on the hardware, or in a virtual machine with KVM (qemu -accel kvm)"};
    else
        add(look, REMARK_KNOW, pool_printf(look->pool, "a virtual machine (%s)", name));
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice": user time includes guest
 * time. */
static void check_stolen(const struct look *look)
{
    char *text = files_text(look->root, "/proc/stat");
    double field[8] = {0}, total = 0;
    int fields = text ? sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &field[0], &field[1],
                               &field[2], &field[3], &field[4], &field[5], &field[6], &field[7])
                      : 0;
    free(text);
    for (int i = 0; i < 8; i++)
        total += field[i];
    if (fields != 8 || !(total > 0) || !isfinite(total) || !(field[7] >= 0))
        return;
    double share = field[7] / total;
    if (share < stolen_share_noticed && !look->machine->facts.hypervisor)
        return;
    const bool much = share >= stolen_share_noticed;
    const char *state =
        pool_printf(look->pool, "the hypervisor took %.*f %% of CPU time since boot", much ? 1 : 2,
                    100 * share);
    add(look, much ? REMARK_SPOILS : REMARK_FINE, state)->past = true;
}

/* The CPUs that are isolated (isolcpus) and outside of this process's mask, as a list; NULL if
 * there are none. The default mask lacks isolated CPUs, but a mask that names them is allowed. */
static const char *isolated_cpus(const struct look *look)
{
    const struct machine *machine = look->machine;
    struct cpulist isolated,
        outside = {pool_alloc(look->pool, machine->cpu_count, sizeof *outside.ids), 0};
    if (!look->has_files || !files_cpulist(look->pool, &isolated, look->root, CPU_ROOT "isolated"))
        return NULL;
    for (size_t i = 0; i < isolated.count; i++)
        if (machine_cpu(machine, isolated.ids[i]) &&
            !cpulist_has(&machine->allowed, isolated.ids[i]))
            outside.ids[outside.count++] = isolated.ids[i];
    return outside.count ? cpulist_pooled(look->pool, &outside) : NULL;
}

static void check_affinity(const struct look *look)
{
    const struct machine *machine = look->machine;
    struct pool *pool = look->pool;
    const char *list = cpulist_pooled(pool, &machine->allowed);
    look->conditions->affinity = list;
    if (machine->allowed.count == machine->cpu_count) {
        add(look, REMARK_FINE,
            pool_printf(pool, "all %zu CPUs may be used (%s)", machine->cpu_count, list));
        return;
    }
    const char *isolated = isolated_cpus(look);
    const char *state = pool_printf(pool, "only %zu of %zu CPUs may be used (%s)",
                                    machine->allowed.count, machine->cpu_count, list);
    struct remark *remark = &add(look, REMARK_KNOW, state)->remark;
    if (isolated) {
        remark->why = pool_printf(pool, "%s are isolated (isolcpus)", isolated);
        remark->remedy =
            pool_printf(pool, "to measure those start fathom by taskset -c %s", isolated);
    }
}

static void check_quota(const struct look *look)
{
    double quota = look->machine->cpu_quota;
    size_t count = look->machine->allowed.count;
    if (!isfinite(quota))
        return;
    const char *state = pool_printf(
        look->pool, "a CPU quota allows %.2f CPUs' worth of time for %zu CPUs", quota, count);
    add(look, quota >= (double)count ? REMARK_FINE : REMARK_SPOILS, state);
}

static void check_memory(const struct look *look)
{
    uint64_t available = look->machine->memory_available_bytes;
    uint64_t free_bytes = limits_memory_free(look->root);
    /* A difference of up to a tenth is no limit: free memory changes between two readings. */
    if (available < free_bytes - free_bytes / 10)
        add(look, REMARK_KNOW,
            pool_printf(look->pool, "a control group allows %.1f of the %.1f GiB that are free",
                        (double)available * 0x1p-30, (double)free_bytes * 0x1p-30));
}

static void check_load(const struct look *look)
{
    const char *line = files_line(look->pool, look->root, "/proc/loadavg");
    double load;
    if (!line || sscanf(line, "%lf %*f %*f %*d/%*d", &load) != 1 || !(load >= 0 && load < 1e9))
        return;
    look->conditions->load1 = load;
    size_t count = look->machine->cpu_count;
    const char *state = pool_printf(look->pool, "load average %.2f on %zu CPUs", load, count);
    const enum remark_weight busy = load < 0.25 * (double)count ? REMARK_KNOW : REMARK_SPOILS;
    add(look, load < load_noticed ? REMARK_FINE : busy, state)->past = true;
}

/* --- what the cores do --- */

enum { GOVERNORS_MAX = 4, GOVERNOR_NAME_MAX = 32 };

struct governors {
    const char *names[GOVERNORS_MAX]; /* the different governors, in the order of the CPUs */
    size_t users[GOVERNORS_MAX], count;
};

static void check_governor(const struct look *look)
{
    struct pool *pool = look->pool;
    struct governors governors = {0};
    const struct cpulist *allowed = &look->machine->allowed;
    for (size_t cpu = 0; cpu < allowed->count; cpu++) {
        const char *name = files_line(look->pool, look->root,
                                      CPU_ROOT "cpu%d/cpufreq/scaling_governor", allowed->ids[cpu]);
        size_t i = 0;
        if (!name || strlen(name) >= GOVERNOR_NAME_MAX ||
            name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
            continue;
        while (i < governors.count && strcmp(governors.names[i], name) != 0)
            i++;
        if (i == GOVERNORS_MAX)
            continue;
        if (i == governors.count)
            governors.names[governors.count++] = name;
        governors.users[i]++;
    }
    if (!governors.count) {
        if (look->machine->facts.hypervisor)
            add(look, REMARK_FINE,
                "no cpufreq in this guest: its host sets the clock, which fathom "
                "measures itself");
        else
            add(look, REMARK_KNOW, "")->remark = (struct remark){
                "this system has no cpufreq", "the clock can be neither read nor fixed from here",
                "trust cycles more than ns, or load the processor's cpufreq driver"};
        return;
    }
    const char *names = "", *state = "governor";
    bool steady = true;
    for (size_t i = 0; i < governors.count; i++) {
        names = pool_printf(pool, "%s%s%s", names, i ? "," : "", governors.names[i]);
        state = pool_printf(pool, "%s%s %s on %zu of %zu CPUs", state, i ? "," : "",
                            governors.names[i], governors.users[i], look->machine->allowed.count);
        steady = steady && strcmp(governors.names[i], "performance") == 0;
    }
    look->conditions->governor = names;
    add(look, steady ? REMARK_FINE : REMARK_SPOILS, state);
}

static void check_turbo(const struct look *look)
{
    static const struct {
        const char *file;
        uint64_t on;
        const char *remedy;
    } switches[] = {
        {CPU_ROOT "intel_pstate/no_turbo", 0, "echo 1 > " CPU_ROOT "intel_pstate/no_turbo"},
        {CPU_ROOT "cpufreq/boost", 1, "echo 0 > " CPU_ROOT "cpufreq/boost"},
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        uint64_t value;
        if (!files_number(&value, look->root, "%s", switches[i].file) || value > 1)
            continue;
        look->conditions->turbo = value == switches[i].on ? "on" : "off";
        if (value == switches[i].on)
            add(look, REMARK_KNOW, "turbo is on")->remark.remedy = switches[i].remedy;
        else
            add(look, REMARK_FINE, "turbo is off");
        return;
    }
}

/* Not for a recorded machine of another architecture, which has other counters. */
static void check_counter(const struct look *look)
{
    const char *arch = look->machine->facts.cpu_arch;
    if (arch && strcmp(arch, ARCH_NAME) == 0 && clock_counter_distrusted(look->root))
        add(look, REMARK_KNOW,
            "the kernel does not trust the processor's counter (" ARCH_COUNTER_NAME ")")
            ->remark.remedy = "see what dmesg says of " ARCH_COUNTER_NAME
                              ", and whether the kernel was started with tsc= or clocksource= "
                              "(/proc/cmdline)";
}

/* "on" or "off" by the kernel's file, else by the topology; NULL: unknown. */
static const char *smt_state(const struct look *look)
{
    uint64_t active;
    if (look->has_files && files_number(&active, look->root, CPU_ROOT "smt/active") && active <= 1)
        return active ? "on" : "off";
    const struct machine_facts *facts = &look->machine->facts;
    return facts->cores == 0 ? NULL : facts->threads > facts->cores ? "on" : "off";
}

/* If a core has several hardware threads that may be used, names the first one of each core. */
static void check_smt(const struct look *look)
{
    const struct machine *machine = look->machine;
    const struct cpulist *allowed = &machine->allowed;
    struct pool *pool = look->pool;
    struct cpulist first = {pool_alloc(pool, allowed->count, sizeof *first.ids), 0};
    bool *seen = pool_alloc(pool, machine->facts.cores, sizeof *seen);
    look->conditions->smt = smt_state(look);
    for (size_t i = 0; i < allowed->count; i++) {
        const struct cpu_place *cpu = machine_cpu(machine, allowed->ids[i]);
        if (!cpu || cpu->core < 0 || !seen[cpu->core])
            first.ids[first.count++] = allowed->ids[i];
        if (cpu && cpu->core >= 0)
            seen[cpu->core] = true;
    }
    if (first.count < allowed->count)
        add(look, REMARK_KNOW, "some CPUs are hardware threads of one core")->remark.remedy =
            pool_printf(pool, "for one thread per core use --cpus %s",
                        cpulist_pooled(pool, &first));
    else if (look->conditions->smt)
        add(look, REMARK_FINE, "each CPU that may be used has a core of its own");
}

/* --- limits of clocks and shares of caches --- */

static void check_clock_limit(const struct look *look)
{
    const struct declared_facts *declared = &look->machine->facts.declared;
    for (size_t i = 0; i < declared->clock_count; i++) {
        const struct declared_clock *clock = &declared->clocks[i];
        char set[UNIT_TEXT], most[UNIT_TEXT];
        /* A limit within a percent of the hardware's results from rounding. */
        if (!clock->max_hz || clock->max_hz >= clock->hardware_max_hz / 100 * 99)
            continue;
        add(look, REMARK_KNOW,
            pool_printf(look->pool, "CPUs %s may run at up to %s, their hardware at up to %s",
                        clock->cpus, hertz_format((double)clock->max_hz, set),
                        hertz_format((double)clock->hardware_max_hz, most)));
        return;
    }
}

enum { SHARES_NAMED = 4 };

static void check_shares(const struct look *look)
{
    const struct declared_facts *declared = &look->machine->facts.declared;
    struct pool *pool = look->pool;
    const char *state = "resctrl leaves";
    size_t count = 0;
    for (size_t i = 0; i < declared->share_count; i++) {
        const struct declared_share *share = &declared->shares[i];
        const bool partial = share->of_ways ? share->ways < share->of_ways : share->percent < 100;
        if (!partial || ++count > SHARES_NAMED)
            continue;
        const char *comma = count > 1 ? "," : "";
        state = share->of_ways
                    ? pool_printf(pool, "%s%s %u of %u ways of %s %d", state, comma, share->ways,
                                  share->of_ways, share->resource, share->domain)
                    : pool_printf(pool, "%s%s %.0f %% of the bandwidth of domain %d", state, comma,
                                  share->percent, share->domain);
    }
    if (count > SHARES_NAMED)
        state = pool_printf(pool, "%s and %zu more", state, count - SHARES_NAMED);
    if (count)
        add(look, REMARK_KNOW, pool_printf(pool, "%s (group %s)", state, declared->share_group));
}

/* --- what the memory does --- */

/* The word in brackets, as in "always [madvise] never"; NULL where none of `words` is in
 * brackets. */
static const char *chosen(const struct look *look, const char *path, const char *const *words)
{
    const char *line = files_line(look->pool, look->root, "%s", path);
    for (; line && *words; words++) {
        const char *at = strchr(line, '[');
        size_t length = strlen(*words);
        if (at && strncmp(at + 1, *words, length) == 0 && at[1 + length] == ']')
            return *words;
    }
    return NULL;
}

static void check_huge_pages(const struct look *look)
{
    static const char *const enabled[] = {"always", "madvise", "never", NULL};
    static const char *const refusal[] = {"never", NULL};
    const char *thp = chosen(look, THP_ROOT "enabled", enabled);
    char **names;
    look->conditions->thp = thp;
    if (!files_names(look->pool, &names, look->root, "/sys/kernel/mm"))
        return; /* unknown; check_system_files() reports that /sys is missing */
    if (!thp && !files_names(look->pool, &names, look->root, "/sys/kernel/mm/hugepages"))
        add(look, REMARK_KNOW, "this kernel has no huge pages of any kind");
    else if (!thp)
        add(look, REMARK_KNOW, "this kernel has no transparent huge pages")->remark.remedy =
            "reserve pages (sysctl vm.nr_hugepages=600) and use --pages huge2m";
    else if (strcmp(thp, "never") == 0)
        add(look, REMARK_SPOILS, "transparent huge pages are off")->remark.remedy =
            "echo madvise > " THP_ROOT "enabled";
    else if (chosen(look, THP_ROOT "defrag", refusal))
        add(look, REMARK_KNOW, "")->remark = (struct remark){
            "the kernel gives huge pages only where memory happens not to be fragmented",
            "on small pages figures beyond the TLB's reach include page walks",
            "echo madvise > " THP_ROOT "defrag"};
    else
        add(look, REMARK_FINE, pool_printf(look->pool, "transparent huge pages: %s", thp));
}

static void check_reserved_pages(const struct look *look)
{
    uint64_t total, free_pages;
    const char *const pages = "/sys/kernel/mm/hugepages/hugepages-2048kB";
    if (!files_number(&total, look->root, "%s/nr_hugepages", pages) ||
        !files_number(&free_pages, look->root, "%s/free_hugepages", pages) || free_pages > total)
        return;
    add(look, REMARK_FINE,
        total == 0 ? "no 2 MiB pages are reserved (--pages huge2m would need them)"
                   : pool_printf(look->pool, "%llu of %llu reserved 2 MiB pages are free",
                                 (unsigned long long)free_pages, (unsigned long long)total));
}

static void check_swap(const struct look *look)
{
    char *text = files_text(look->root, "/proc/meminfo");
    uint64_t total = 0, unused = 0;
    bool known = text && text_number(&total, text, "SwapTotal") &&
                 text_number(&unused, text, "SwapFree") && unused <= total;
    free(text);
    if (known && total == unused)
        add(look, REMARK_FINE, total ? "swap is not in use" : "there is no swap");
    else if (known)
        add(look, REMARK_KNOW,
            pool_printf(look->pool, "%.0f MiB are swapped out",
                        (double)(total - unused) * 0x1p-20));
}

static void check_balancing(const struct look *look)
{
    uint64_t balancing;
    if (look->machine->facts.node_count < 2 ||
        !files_number(&balancing, look->root, "/proc/sys/kernel/numa_balancing"))
        return;
    if (balancing == 0)
        add(look, REMARK_FINE, "NUMA balancing is off");
    else
        add(look, REMARK_SPOILS, "NUMA balancing is on");
}

/* --- all of them --- */

/* In the order of their remarks in the report. Each check sets its fields of the conditions and
 * adds at most one remark. */
static const struct check checks[] = {
#include "conditions.texts.h"
};

static int inspect(void *with)
{
    struct look *look = with;
    struct conditions *conditions = look->conditions;
    for (look->check = checks; look->check < checks + sizeof checks / sizeof *checks; look->check++)
        if (look->has_files || look->check->without_files)
            look->check->look(look);
    for (size_t i = 0; i < look->checks->count; i++) {
        const struct checked *checked = &look->checks->list[i];
        if (checked->weight == REMARK_FINE || checked->past) /* a run counts what others take */
            continue;
        struct remark *remark = pool_append(look->pool, (void **)&conditions->remarks,
                                            &conditions->remark_count, sizeof *remark);
        *remark = checked->remark;
    }
    return 0;
}

int conditions_read(const struct machine *machine, const struct machine_source *source,
                    struct pool *pool, struct conditions *conditions, struct checks *found,
                    struct error *error)
{
    struct look look = {
        .machine = machine,
        .root = source->root,
        .has_files = machine->live || (source->root && !source->synthetic),
        .pool = pool,
        .conditions = conditions,
        .checks = found,
    };
    *found = (struct checks){0};
    conditions->governor = conditions->turbo = conditions->smt = conditions->thp = NULL;
    conditions->affinity = NULL;
    conditions->load1 = NAN;
    conditions->remarks = NULL;
    conditions->remark_count = 0;
    return pool_enter(pool, inspect, &look, error);
}
