#include "machine/machine.h"

#include "machine/os.h"
#include "machine/parts.h"

#include "arch.h"

#include <stdlib.h>
#include <string.h>

const char *const page_policy_names[PAGES_COUNT + 1] = {
    [PAGES_AUTO] = "auto",     [PAGES_SMALL] = "small",   [PAGES_THP] = "thp",
    [PAGES_HUGE2M] = "huge2m", [PAGES_HUGE1G] = "huge1g", [PAGES_16K] = "16K",
    [PAGES_32K] = "32K",       [PAGES_64K] = "64K",       [PAGES_128K] = "128K",
    [PAGES_256K] = "256K",     [PAGES_512K] = "512K",     [PAGES_1M] = "1M",
};

void *machine_append(struct machine *machine, void *array_address, size_t *count, size_t size)
{
    void *array;
    memcpy(&array, array_address, sizeof array);
    void *slot = pool_append(&machine->pool, &array, count, size);
    memcpy(array_address, &array, sizeof array);
    return slot;
}

void machine_add_cpu(struct machine *machine, int id)
{
    if (machine_cpu(machine, id))
        return;
    struct cpu_place *place =
        machine_append(machine, &machine->cpus, &machine->cpu_count, sizeof *place);
    for (; place > machine->cpus && place[-1].id > id; place--)
        place[0] = place[-1];
    *place = (struct cpu_place){
        .id = id, .core = -1, .sibling = 0, .package = -1, .node = -1, .kind = -1};
}

int number_behind(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return -1;
    const char *digits = name + length;
    const size_t count = strspn(digits, "0123456789");
    return count > 0 && count < 7 && !digits[count] ? atoi(digits) : -1;
}

void machine_free(struct machine *machine)
{
    pool_free(&machine->pool);
    *machine = (struct machine){0};
}

const char *numbers_behind(struct pool *pool, char *const *names, size_t count, const char *prefix)
{
    struct cpulist list = {pool_alloc(pool, count, sizeof *list.ids), 0};
    for (size_t i = 0; i < count; i++) {
        const int number = number_behind(names[i], prefix);
        if (number >= 0)
            list.ids[list.count++] = number;
    }
    if (!list.count)
        return NULL;
    qsort(list.ids, list.count, sizeof *list.ids, cpulist_by_id);
    return cpulist_pooled(pool, &list);
}

const struct cpu_place *machine_cpu(const struct machine *machine, int id)
{
    return machine->cpu_count ? bsearch(&id, machine->cpus, machine->cpu_count,
                                        sizeof *machine->cpus, cpulist_by_id)
                              : NULL;
}

int machine_core(const struct machine *machine, int cpu)
{
    const struct cpu_place *place = machine_cpu(machine, cpu);
    return place && place->core >= 0 ? place->core : -1 - cpu;
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

/* The program itself uses 20 MiB in a whole run on two CPUs: records, trials and the document. */
static const uint64_t own_bytes = 24 << 20;

uint64_t machine_memory_budget(const struct machine *machine)
{
    const uint64_t available = machine->memory_available_bytes, half = available / 2;
    const uint64_t least = (available + 7) / 8,
                   left = available > own_bytes ? available - own_bytes : 0;
    return left > half ? half : left > least ? left : least;
}

const struct cache_facts *machine_last_cache(const struct machine *machine)
{
    const struct machine_facts *facts = &machine->facts;
    int last = 0;
    for (size_t i = 0; i < facts->cache_count; i++)
        if (cache_holds_data(&facts->caches[i]) && facts->caches[i].level > last)
            last = facts->caches[i].level;
    return cache_of_cpu(facts, last, -1);
}

unsigned machine_line_bytes(const struct machine *machine)
{
    unsigned largest = 0;
    for (size_t i = 0; i < machine->facts.cache_count; i++)
        if (machine->facts.caches[i].line_bytes > largest)
            largest = machine->facts.caches[i].line_bytes;
    return largest ? largest : ARCH_LINE_BYTES;
}
