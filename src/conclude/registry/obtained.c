#include "conclude/registry/obtained.h"

#include "base/cpulist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares of huge pages up to nearly_none count as all small, from nearly_all on as all huge,
 * because every arena has a few odd pages. */
static const double nearly_none = 10, nearly_all = 90; /* percent */

struct obtained_reading {
    struct obtained *obtained;
    const struct probe_result *probe;
    const struct machine_facts *machine;
    const struct standard *standards;
    struct pool *pool;
};

static bool decides(const struct obtained_reading *reading, const char *factor)
{
    const struct standard *standard = standard_find(reading->standards, factor);
    return standard && standard->kind != STANDARD_NAMED;
}

static void add(struct obtained *obtained, const char *name, const char *text, double number)
{
    obtained->list[obtained->count++] = (struct factor){name, text, number};
}

/* "thp" for "thp (2 MiB)", "mixed" for "thp (43 % huge)": the share differs from run to run and is
 * no separate experiment. */
static const char *pages_obtained(struct pool *pool, const char *text)
{
    const char *open = strchr(text, '(');
    const double percent = open && strstr(open, "% huge") ? strtod(open + 1, NULL) : 100;
    if (percent < nearly_all)
        return percent > nearly_none ? "mixed" : "small";
    return pool_printf(pool, "%.*s", (int)strcspn(text, " "), text);
}

/* Describes the node that the memory was on by its distance from the CPU, never by its number. */
static void take_node(const struct obtained_reading *reading, int cpu)
{
    const struct factor *verified = probe_parameter(reading->probe, "node_obtained");
    const struct factor *obtained = verified ? verified : probe_parameter(reading->probe, "node");
    const struct machine_facts *machine = reading->machine;
    if (cpu < 0 || !obtained || obtained->text || !decides(reading, "node"))
        return;
    for (size_t i = 0; i < machine->node_count; i++) {
        const struct numa_facts *node = &machine->nodes[i];
        if (node->id != obtained->number)
            continue;
        const bool own = machine->node_count == 1 || cpulist_text_has(node->cpus, cpu);
        const bool bare = !node->cpus || !*node->cpus;
        const struct factor *distance = probe_parameter(reading->probe, "node_distance");
        add(reading->obtained, "node", own ? "own" : bare ? "without CPUs" : "other", NAN);
        if (!own && distance && !distance->text)
            add(reading->obtained, "distance", NULL, distance->number);
        return;
    }
}

/* The kind of core of all CPUs of a list; NULL: several kinds, or no list. */
static const char *kind_of_list(const struct obtained_reading *reading, const char *list)
{
    const struct machine_facts *machine = reading->machine;
    struct cpulist cpus;
    const char *kind = NULL;
    if (!list || cpulist_read(list, &cpus, reading->pool, NULL) < 0)
        return NULL;
    for (size_t k = 0; k < machine->kind_count && !kind; k++) {
        size_t in = 0;
        while (in < cpus.count && cpulist_text_has(machine->kinds[k].cpus, cpus.ids[in]))
            in++;
        kind = in == cpus.count ? machine->kinds[k].name : NULL;
    }
    return kind;
}

/* The kind of core that measured: of the measuring CPU, or of the CPUs that --cpus allowed. */
static void take_core(const struct obtained_reading *reading, int cpu)
{
    const struct machine_facts *machine = reading->machine;
    const struct factor *cpus = probe_parameter(reading->probe, "cpus");
    const char *kind = NULL;
    if (machine->kind_count < 2 || !decides(reading, "core"))
        return;
    for (size_t i = 0; i < machine->kind_count && cpu >= 0 && !kind; i++)
        kind = cpulist_text_has(machine->kinds[i].cpus, cpu) ? machine->kinds[i].name : NULL;
    if (cpu < 0 && cpus)
        kind = kind_of_list(reading, cpus->text);
    if (kind)
        add(reading->obtained, "core", kind, NAN);
}

void obtained_read(struct obtained *obtained, const struct probe_result *probe,
                   const struct machine_facts *machine, const struct standard *standards,
                   struct pool *pool)
{
    const struct obtained_reading reading = {obtained, probe, machine, standards, pool};
    const int cpu = probe_cpu(probe);
    *obtained = (struct obtained){.count = 0};
    const struct factor *pages = probe_parameter(probe, "pages_obtained");
    if (pages && pages->text && decides(&reading, "pages"))
        add(obtained, "pages", pages_obtained(pool, pages->text), NAN);
    take_node(&reading, cpu);
    take_core(&reading, cpu);
    /* Where a host kept the CPUs: never a deviation, because nobody asks for it. */
    const char *const names[] = {parameter_placement, parameter_placement_ns};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct factor *found = probe_parameter(reading.probe, names[i]);
        if (found && !found->list_count)
            add(reading.obtained, names[i], found->text, found->number);
    }
}
