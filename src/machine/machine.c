#include "machine/machine.h"

#include "machine/declared/declared.h"
#include "machine/files.h"
#include "machine/identity.h"
#include "machine/limits.h"
#include "machine/numa.h"
#include "machine/topology.h"

#include "arch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The numbers of the online CPUs where there is no topology to read: "cpu3 ..." in /proc/stat or
 * else "processor : 3" in /proc/cpuinfo. The kernel prints them in ascending order. */
static int add_bare_cpus(struct machine *machine, const char *root, const char *path,
                         const char *line_format)
{
    int result = 0, last = -1;
    char *text = files_text(root, "%s", path);
    for (const char *line = text; result == 0 && line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char digits[8], after = '\n'; /* the last line may end the text */
        if (sscanf(line, line_format, digits, &after) < 1 || !isspace((unsigned char)after) ||
            atoi(digits) <= last || atoi(digits) > CPU_ID_MAX)
            continue;
        last = atoi(digits);
        result = topology_add_cpu(machine, last);
    }
    free(text);
    return result;
}

static int find_bare_cpus(struct machine *machine, const char *root)
{
    int result = add_bare_cpus(machine, root, "/proc/stat", "cpu%7[0-9]%c");
    if (result == 0 && machine->cpu_count == 0)
        result = add_bare_cpus(machine, root, "/proc/cpuinfo", "processor : %7[0-9]%c");
    return result;
}

static int check_root(const char *root, struct error *error)
{
    struct stat status;
    if (root && (stat(root, &status) != 0 || !S_ISDIR(status.st_mode)))
        return error_set(error, ERROR_USAGE,
                         "root '%s' is not a directory: name one that holds proc/ and sys/", root);
    return 0;
}

static uint64_t node_memory(const struct machine_facts *facts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < facts->node_count; i++)
        if (__builtin_add_overflow(sum, facts->nodes[i].memory_bytes, &sum))
            return 0;
    return sum;
}

static int read_all(struct machine *machine, const struct machine_source *source,
                    struct error *error)
{
    int result = topology_read(machine, source, error);
    if (result < 0)
        return result;
    machine->facts.memory_bytes = node_memory(&machine->facts);
    result = numa_read(machine, source, error);
    if (result < 0)
        return result;
    bool has_files = machine->live || source->root;
    if (has_files && machine->cpu_count == 0 && find_bare_cpus(machine, source->root) < 0)
        return error_set(error, ERROR_SYSTEM, "out of memory while the machine was read");
    if (has_files)
        result = identity_read(machine, source->root, error);
    if (result == 0)
        result =
            has_files ? limits_read(machine, source->root, error) : limits_none(machine, error);
    if (result == 0 && has_files)
        result = declarations_read(machine, source, error);
    machine->facts.threads = (unsigned)machine->cpu_count;
    if (result == 0 && machine->allowed.count == 0)
        result = error_set(error, ERROR_IMPOSSIBLE,
                           "no CPU found%s%s: the system's files in /proc and /sys "
                           "are missing or contradict each other",
                           source->root ? " below " : "", source->root ? source->root : "");
    return result;
}

int machine_read(struct machine *machine, const struct machine_source *source, struct error *error)
{
    *machine = (struct machine){0};
    /* A synthetic machine has no files, so a root is ignored. */
    struct machine_source only = *source;
    if (only.synthetic)
        only.root = NULL;
    int result = check_root(only.root, error);
    if (result == 0)
        result = read_all(machine, &only, error);
    if (result < 0)
        machine_free(machine);
    return result;
}

void machine_free(struct machine *machine)
{
    cpulist_free(&machine->allowed);
    pool_free(&machine->pool);
    *machine = (struct machine){0};
}

const struct cpu_place *machine_cpu(const struct machine *machine, int id)
{
    size_t low = 0, high = machine->cpu_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (machine->cpus[middle].id == id)
            return &machine->cpus[middle];
        if (machine->cpus[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void machine_places(const struct machine *machine, const struct cpulist *list,
                    struct cpu_place *places)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct cpu_place *place = machine_cpu(machine, list->ids[i]);
        places[i] = place ? *place : (struct cpu_place){.id = list->ids[i]};
    }
}

int machine_by_thread(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    return x->sibling != y->sibling ? (x->sibling > y->sibling) - (x->sibling < y->sibling)
                                    : (x->id > y->id) - (x->id < y->id);
}

/* The program itself takes 20 MiB in a whole run on two CPUs: records, trials and the document. */
static const uint64_t own_bytes = 24 << 20;

uint64_t machine_memory_budget(const struct machine *machine)
{
    const uint64_t available = machine->memory_available_bytes, half = available / 2;
    const uint64_t left = available > 2 * own_bytes ? half
                          : available > own_bytes   ? available - own_bytes
                                                    : available / 8;
    return left < half ? left : half;
}

const struct cache_facts *machine_cache(const struct machine *machine, int level)
{
    const struct machine_facts *facts = &machine->facts;
    bool last = level == 0;
    for (size_t i = 0; last && i < facts->cache_count; i++)
        if (cache_holds_data(&facts->caches[i]) && facts->caches[i].level > level)
            level = facts->caches[i].level;
    const struct cache_facts *found = NULL;
    for (size_t i = 0; i < facts->cache_count; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        if (cache->level == level && cache_holds_data(cache) &&
            (!found || cache->size_bytes > found->size_bytes))
            found = cache;
    }
    return found;
}

unsigned machine_line_bytes(const struct machine *machine)
{
    unsigned largest = 0;
    for (size_t i = 0; i < machine->facts.cache_count; i++)
        if (machine->facts.caches[i].line_bytes > largest)
            largest = machine->facts.caches[i].line_bytes;
    return largest ? largest : ARCH_LINE_BYTES;
}
