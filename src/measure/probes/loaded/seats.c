#include "measure/probes/loaded/loaded.h"

#include <stdlib.h>

/* A CPU as an injector: the lowest rank is taken first. */
struct candidate {
    int cpu;
    bool own_node, own_core;
    int sibling;
};

static int by_rank(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (p->own_core != q->own_core)
        return p->own_core - q->own_core;
    if (p->own_node != q->own_node)
        return q->own_node - p->own_node;
    if (p->sibling != q->sibling)
        return (p->sibling > q->sibling) - (p->sibling < q->sibling);
    return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

/* All CPUs but the chase's, in the order in which they become injectors. */
static size_t list_candidates(const struct probe_task *task, int chase_cpu, struct candidate *list)
{
    static const struct cpu_place unknown = {-1, -1, 0, -1, -1, -1};
    const struct cpu_place *own = machine_cpu(task->machine, chase_cpu);
    own = own ? own : &unknown;
    size_t count = 0;
    for (size_t i = 0; i < task->cpus.count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, task->cpus.ids[i]);
        if (task->cpus.ids[i] == chase_cpu)
            continue;
        place = place ? place : &unknown;
        list[count++] = (struct candidate){.cpu = task->cpus.ids[i],
                                           .own_node = place->node == own->node,
                                           .own_core = place->core >= 0 && place->core == own->core,
                                           .sibling = place->sibling};
    }
    qsort(list, count, sizeof *list, by_rank);
    return count;
}

/* How many inject where nobody says: the own node's other cores, or who there is. */
static size_t usual_injectors(const struct candidate *list, size_t count)
{
    size_t own_node = 0, other_cores = 0;
    for (size_t i = 0; i < count; i++) {
        own_node += list[i].own_node && !list[i].own_core;
        other_cores += !list[i].own_core;
    }
    return own_node ? own_node : other_cores ? other_cores : count;
}

int loaded_choose_seats(struct probe_task *task, struct error *error)
{
    struct loaded_state *state = task->state;
    const struct seat *chase;
    int code = chases_seat(task, &chase, error);
    if (code < 0)
        return code;
    struct candidate *list = calloc(task->cpus.count, sizeof *list);
    struct seat *seats = pool_alloc(task->pool, task->cpus.count, sizeof *seats);
    if (!list || !seats) {
        free(list);
        return error_out_of_memory(error);
    }
    const size_t count = list_candidates(task, chase->cpu, list);
    size_t wanted = usual_injectors(list, count);
    if (settings_has(task->settings, "injectors"))
        wanted = (size_t)settings_number(task->settings, "injectors");
    if (wanted > count)
        code = error_set(error, ERROR_USAGE,
                         "--injectors %zu: beside CPU %d, which measures, only %zu may be used, "
                         "and each holds one injector; ask for at most %zu",
                         wanted, chase->cpu, count, count);
    seats[0] = *chase;
    for (size_t i = 0; i < wanted && code == 0; i++) {
        seats[i + 1] = (struct seat){list[i].cpu, BACKGROUND};
        state->shares_core = state->shares_core || list[i].own_core;
    }
    free(list);
    state->seats = seats;
    state->injectors = (unsigned)wanted;
    return code;
}
