#include "measure/probes/gpu/near.h"

#include "machine/os.h"

#include <math.h>

/* The CPUs of the node that this process may use; none if the node is unknown. */
static int cpus_of(const struct machine *machine, double node, struct cpulist *cpus)
{
    const struct machine_facts *facts = &machine->facts;
    const size_t at = node_index(facts, (int)node);
    const char *on = facts->node_count > 1 && at < facts->node_count ? facts->nodes[at].cpus : NULL;
    int code = 0;
    *cpus = (struct cpulist){0};
    for (size_t i = 0; i < machine->allowed.count && code == 0; i++)
        if (cpulist_text_has(on, machine->allowed.ids[i]))
            code = cpulist_add(cpus, machine->allowed.ids[i]);
    return code;
}

void gpu_near_enter(struct gpu_near *near, const struct machine *machine, double node)
{
    struct cpulist cpus = {0};
    *near = (struct gpu_near){.moved = false};
    if (!machine || !isfinite(node))
        return;
    if (cpus_of(machine, node, &cpus) == 0 && cpus.count > 0 &&
        os_affinity(&near->before, NULL) == 0) {
        near->moved = os_set_affinity(&cpus, NULL) == 0;
        if (!near->moved)
            cpulist_free(&near->before);
    }
    cpulist_free(&cpus);
}

void gpu_near_leave(struct gpu_near *near)
{
    if (near->moved)
        os_set_affinity(&near->before, NULL);
    cpulist_free(&near->before);
    *near = (struct gpu_near){.moved = false};
}

bool gpu_near_has_room(const struct machine *machine, double node, uint64_t bytes)
{
    static const uint64_t left = UINT64_C(16) << 20;
    for (size_t i = 0; machine && machine->nodes && i < machine->facts.node_count; i++)
        if ((double)machine->facts.nodes[i].id == node)
            return machine->nodes[i].free_bytes >= bytes + left;
    return true;
}
