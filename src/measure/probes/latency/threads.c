#include "measure/probes/latency/threads.h"

#include "base/units.h"

#include <stdlib.h>

enum { OWN, SHARED };
const char *const latency_ring_names[] = {"own", "shared", NULL};

/* One of --cpu's choice first, then the others, cores before their second threads. */
int latency_threads_choose(struct probe_task *task, struct chases *chases, const struct seat **seat,
                           struct error *error)
{
    const size_t count = task->cpus.count;
    const size_t wanted = settings_has(task->settings, "threads")
                              ? (size_t)settings_number(task->settings, "threads")
                              : 1;
    struct cpu_place *places = pool_alloc(task->pool, count, sizeof *places);
    struct seat *seats = pool_alloc(task->pool, wanted, sizeof *seats);
    if (settings_given(task->settings, "ring") && wanted < 2)
        return error_set(error, ERROR_USAGE,
                         "--ring says whose working set it is when several CPUs chase: give "
                         "--threads too, 2 or more");
    if (wanted < 2)
        return 0;
    if (wanted > count)
        return error_set(error, ERROR_USAGE,
                         "--threads %zu: only %zu CPU%s may be used, and each holds one thread; "
                         "ask for at most %zu",
                         wanted, count, count == 1 ? "" : "s", count);
    machine_places(task->machine, &task->cpus, places);
    for (size_t i = 0; i < count; i++)
        if (places[i].id == (*seat)->cpu)
            places[i].sibling = -1;
    qsort(places, count, sizeof *places, machine_by_thread);
    for (size_t i = 0; i < wanted; i++)
        seats[i] = (struct seat){places[i].id, MEASURED};
    *seat = seats;
    chases->threads = (unsigned)wanted;
    chases->shared =
        settings_has(task->settings, "ring") && settings_choice(task->settings, "ring") == SHARED;
    return 0;
}

/* The memory of all rings is half of what is free at most. */
int latency_threads_check(const struct probe_task *task, const struct chases *chases,
                          const struct working_sets *sets, struct error *error)
{
    const uint64_t rings = chases->shared ? 1 : chases->threads;
    const uint64_t most = machine_memory_budget(task->machine);
    const uint64_t largest = sets->count ? sets->bytes[sets->count - 1] : 0;
    char text[UNIT_TEXT];
    if (chases->threads < 2 || largest <= most / rings)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--threads %u: with a ring of %s each they need more than half of the memory "
                     "that is free; ask for smaller sizes (--to), or --ring shared",
                     chases->threads, size_format((double)largest, text));
}
