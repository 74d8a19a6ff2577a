/* How large the sets are that are gone through, and how many CPUs share one. */
#include "measure/probes/bandwidth/bandwidth.h"

static const uint64_t HUGE_PAGE = 2 << 20, GIB = 1 << 30;
/* What a CPU touches in a quick run, at most; and a cache of which nothing is declared. */
static const uint64_t quick_bytes = 256 << 20, usual_cache = 64 << 20;
enum { SMALL_PAGE = 4096, EVERY_COUNT_TO = 8, QUICK_TIMES = 4, QUICK_TIMES_LEAST = 2 };

unsigned bandwidth_arrays(const struct stream_kernel *kernel)
{
    return kernel->loads + kernel->stores;
}

static uint64_t unit_of(const struct bandwidth_state *state)
{
    return state->access.bytes ? state->access.bytes : STREAM_STEP_BYTES;
}

uint64_t bandwidth_bytes_of_array(const struct bandwidth_state *state,
                                  const struct stream_kernel *kernel, uint64_t set_bytes)
{
    const uint64_t unit = unit_of(state);
    return set_bytes / bandwidth_arrays(kernel) / unit * unit;
}

uint64_t bandwidth_least_set(const struct bandwidth_state *state)
{
    uint64_t most = 0;
    for (enum stream_op op = 0; op < STREAM_OPS; op++)
        if (state->kernels[op] && bandwidth_arrays(state->kernels[op]) > most)
            most = bandwidth_arrays(state->kernels[op]);
    return (most * unit_of(state) + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
}

size_t bandwidth_counts(const struct probe_task *task, size_t **counts)
{
    const struct bandwidth_state *state = task->state;
    const size_t all = state->cpu_count;
    size_t n = 0;
    *counts = NULL;
    for (size_t at = 1;;) {
        size_t *slot = pool_append(task->pool, (void **)counts, &n, sizeof *slot);
        if (!slot)
            return 0;
        *slot = at;
        if (at == all)
            return n;
        size_t next = state->brief ? all : at < EVERY_COUNT_TO ? at + 1 : at + at / 2;
        at = next < all ? next : all;
    }
}

/* Seat i shares the set with the fewest others in the first count that reaches it. */
double bandwidth_parts_share(const size_t *counts, size_t n)
{
    double share = 0;
    size_t seated = 0;
    for (size_t i = 0; i < n; i++) {
        share += (double)(counts[i] - seated) / (double)counts[i];
        seated = counts[i];
    }
    return share;
}

size_t bandwidth_sharing(const struct probe_task *task, int level, size_t count)
{
    const struct bandwidth_state *state = task->state;
    const struct cache_facts *cache = machine_cache(task->machine, level);
    struct cpulist cpus;
    if (!cache || !cache->shared_cpus || cpulist_parse(cache->shared_cpus, &cpus, NULL) < 0)
        return 1;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += cpulist_has(&cpus, state->cpus[i]);
    if (found == 0) /* it is another instance's: as many share each */
        found = count < cpus.count ? count : cpus.count;
    cpulist_free(&cpus);
    return found ? found : 1;
}

uint64_t bandwidth_dram_set(const struct probe_task *task, const size_t *counts, size_t n,
                            uint64_t times)
{
    const struct bandwidth_state *state = task->state;
    const uint64_t cache = last_level_in_effect(task);
    const size_t together = bandwidth_sharing(task, 0, state->cpu_count);
    const uint64_t instances = (state->cpu_count + together - 1) / together;
    const uint64_t caches = cache ? cache * instances : GIB / 4;
    const double room =
        (double)machine_memory_budget(task->machine) - (double)(state->cpu_count * 2 * HUGE_PAGE);
    const double most = room / bandwidth_parts_share(counts, n);
    const uint64_t wanted = times * caches;
    if ((double)wanted <= most)
        return wanted;
    return most >= 2 * (double)caches ? (uint64_t)most / SMALL_PAGE * SMALL_PAGE : 0;
}

/* Beside so many programs for each CPU that are at work, touching memory takes several times as
 * long: 2.5 s of a quick run's 4 s for 192 MiB at a load of 8 on 2 CPUs of a guest. */
static const double busy_load = 2;

static bool is_slow_to_touch(const struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    return state->quick && task->document &&
           task->document->conditions.load1 >= busy_load * (double)task->machine->allowed.count;
}

uint64_t bandwidth_quick_set(const struct probe_task *task, size_t count)
{
    const struct bandwidth_state *state = task->state;
    const uint64_t cache = last_level_in_effect(task);
    const size_t together = bandwidth_sharing(task, 0, state->cpu_count);
    const uint64_t instances = (count + together - 1) / together;
    const uint64_t caches = (cache ? cache : usual_cache) * instances;
    const uint64_t budget = machine_memory_budget(task->machine) / 2;
    /* Twice what the caches hold goes past them, though they still serve a tenth of it where they
     * replace at random; every byte more takes time to touch first. */
    const uint64_t most = is_slow_to_touch(task) ? QUICK_TIMES_LEAST : QUICK_TIMES;
    for (uint64_t times = most; times >= QUICK_TIMES_LEAST; times /= 2)
        if (times * caches / count <= quick_bytes && times * caches <= budget)
            return times * caches;
    return 0;
}
