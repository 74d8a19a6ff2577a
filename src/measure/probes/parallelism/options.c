#include "base/units.h"
#include "measure/kernels/chains.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/parallelism/parallelism.h"

#include <stdlib.h>
#include <string.h>

static const unsigned few[] = {1, 2, 4, 8, 12, 16, 24, 32, 64};
static const unsigned every[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,
                                 14, 16, 20, 24, 28, 32, 40, 48, 64};
enum { FEW = sizeof few / sizeof *few, EVERY = sizeof every / sizeof *every, LINES_EACH = 2 };

const char *const parallelism_level_names[] = {"all", "L1", "L2", "L3", "L4", "DRAM", NULL};

static int choose_chains(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    state->chain_count = 0;
    if (!settings_has(task->settings, "chains")) {
        for (size_t i = 0; i < FEW; i++)
            state->chains[state->chain_count++] = few[i];
        return 0;
    }
    struct cpulist list = {0};
    const char *text = settings_text(task->settings, "chains");
    struct error why;
    int code = cpulist_parse(text, &list, &why);
    for (size_t i = 0; i < list.count && code == 0; i++) {
        if (list.ids[i] < 1 || list.ids[i] > CHAINS_MOST)
            code = ERROR_USAGE;
        else
            state->chains[state->chain_count++] = (unsigned)list.ids[i];
    }
    cpulist_free(&list);
    state->chains_named = true;
    return code == 0
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--chains '%s': give numbers or ranges from 1 to %d, like 1,4-8,16",
                           text, CHAINS_MOST);
}

static int choose_levels(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    const struct settings *settings = task->settings;
    const int wanted = settings_choice(settings, "level");
    if (settings_has(settings, "size")) {
        uint64_t bytes = settings_size(settings, "size");
        if (settings_given(settings, "level"))
            return error_set(error, ERROR_USAGE,
                             "--size names the only working set, so --level can't be given with "
                             "it: leave one out");
        state->levels[0] = (struct chase_level){.name = "size", .bytes = bytes};
        state->level_count = 1;
        return working_sets_check(task, "size", bytes, state->ring.line_bytes, error);
    }
    state->level_count = chases_levels(task, NULL, state->levels);
    state->far = state->level_count - 1;
    if (!state->level_count)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "no working set is known: nothing is declared of this machine's caches "
                         "and there is no memory for more; give one (--size)");
    for (size_t i = 0; wanted && i < state->level_count; i++)
        if (strcmp(state->levels[i].name, parallelism_level_names[wanted]) == 0) {
            state->levels[0] = state->levels[i];
            state->level_count = 1;
            state->far = 0;
            return 0;
        }
    return wanted ? error_set(error, ERROR_USAGE,
                              "--level %s: this machine has no such level, or no memory for it; "
                              "leave it out, or give a working set (--size)",
                              parallelism_level_names[wanted])
                  : 0;
}

static int choose_threads(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    const size_t count = task->cpus.count;
    struct cpu_place *places = pool_alloc(task->pool, count, sizeof *places);
    state->cpus = pool_alloc(task->pool, count, sizeof *state->cpus);
    machine_places(task->machine, &task->cpus, places);
    for (size_t i = 0; i < count; i++) /* the one that measures alone is the first here too */
        if (places[i].id == state->seat->cpu)
            places[i].sibling = -1;
    qsort(places, count, sizeof *places, machine_by_thread);
    for (size_t i = 0; i < count; i++)
        state->cpus[i] = places[i].id;
    state->threads = settings_has(task->settings, "threads")
                         ? (size_t)settings_number(task->settings, "threads")
                         : count;
    if (state->threads <= count)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--threads %zu: only %zu CPU%s may be used, and each holds one thread; ask for "
        "at most %zu",
        state->threads, count, count == 1 ? "" : "s", count);
}

/* One amount is the most of a curve; several are those and no others. */
static int list_work(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    const char *text = settings_text(task->settings, "work");
    struct cpulist list = {0};
    struct error why;
    int code = cpulist_parse(text, &list, &why);
    state->work_count = 0;
    for (size_t i = 0; i < list.count && code == 0; i++) {
        if (list.ids[i] < 1 || list.ids[i] > CHAINS_WORK_MOST ||
            state->work_count == CURVE_POINTS_MAX)
            code = ERROR_USAGE;
        else
            state->works[state->work_count++] = (unsigned)list.ids[i];
    }
    cpulist_free(&list);
    state->work_most = state->work_count ? state->works[state->work_count - 1] : 0;
    return code == 0 && state->work_count
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--work '%s': give cycles from 1 to %d, or several amounts like 3,6,12",
                           text, CHAINS_WORK_MOST);
}

static int choose_work(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    const struct settings *settings = task->settings;
    int code = settings_has(settings, "work") ? list_work(task, error) : 0;
    if (code < 0)
        return code;
    if (!settings_has(settings, "prefetch"))
        return 0;
    state->ahead = (unsigned)settings_number(settings, "prefetch");
    const unsigned at_work = parallelism_chains_at_work(state);
    if (!state->work_most)
        return error_set(error, ERROR_USAGE,
                         "--prefetch: it is looked at beside work; give --work as well");
    return state->ahead <= at_work
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--prefetch %u: with %d chains an address is known at most %d steps "
                           "ahead; give at most that",
                           state->ahead, (int)at_work, (int)at_work);
}

/* --- room --- */

uint64_t parallelism_room(const struct parallelism_state *state, uint64_t bytes)
{
    return bytes / state->ring.line_bytes / LINES_EACH;
}

/* The caches of all CPUs together are beyond what one chain's working set has to exceed. */
uint64_t parallelism_bytes_for_threads(const struct probe_task *task,
                                       const struct chase_level *level)
{
    const struct cache_facts *last = machine_cache(task->machine, 0);
    struct cpulist sharers = {0};
    uint64_t most = machine_memory_budget(task->machine), bytes = level->bytes;
    if (!level->last || !last || !last->shared_cpus ||
        cpulist_parse(last->shared_cpus, &sharers, NULL) < 0)
        return bytes;
    uint64_t caches = sharers.count ? task->machine->cpu_count / sharers.count : 1;
    cpulist_free(&sharers);
    const uint64_t beyond = 2 * caches * last_level_in_effect(task);
    return beyond <= bytes ? bytes : beyond < most / 2 ? beyond : most / 2;
}

static int too_small(const struct probe_task *task, const struct chase_level *level, uint64_t bytes,
                     uint64_t chains, bool of_threads, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const char *whose = of_threads ? " of all threads" : "";
    const char *fewer = of_threads ? "--threads" : "--chains";
    char text[UNIT_TEXT], least[UNIT_TEXT];
    size_format((double)bytes, text);
    if (settings_has(task->settings, "size"))
        return error_set(error, ERROR_USAGE,
                         "--size %s is too small for %llu chains%s: give at least %s, or fewer %s",
                         text, (unsigned long long)chains, whose,
                         size_format((double)(LINES_EACH * chains * state->ring.line_bytes), least),
                         fewer);
    return error_set(error, ERROR_USAGE,
                     "--level %s: its working set of %s is too small for %llu chains%s; give fewer "
                     "%s, or another --level",
                     level->name, text, (unsigned long long)chains, whose, fewer);
}

/* Of one chain's working sets those that were asked for: in the others, what does not fit is left
 * out. Threads take as many chains each as there is room for, in a level at least one. */
static int check_room(const struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const bool sized = settings_has(task->settings, "size");
    const bool asked = sized || settings_given(task->settings, "level");
    unsigned most = 1;
    for (size_t i = 0; i < state->chain_count && (sized || state->chains_named); i++)
        most = state->chains[i] > most ? state->chains[i] : most;
    const unsigned at_work = state->work_most && most < parallelism_chains_at_work(state)
                                 ? parallelism_chains_at_work(state)
                                 : most;
    for (size_t i = 0; i < state->level_count; i++) {
        const unsigned chains = i == state->far ? at_work : most;
        const struct chase_level *level = &state->levels[i];
        if ((asked || i == state->far) && parallelism_room(state, level->bytes) < chains)
            return too_small(task, level, level->bytes, chains, false, error);
    }
    const struct chase_level *far = &state->levels[state->far];
    if (state->threads < 2 || !(far->last || settings_has(task->settings, "threads")))
        return 0;
    const unsigned each = !sized ? 1 : most < PARALLELISM_USUAL ? PARALLELISM_USUAL : most;
    const uint64_t bytes = parallelism_bytes_for_threads(task, far), all = each * state->threads;
    return parallelism_room(state, bytes) >= all ? 0
                                                 : too_small(task, far, bytes, all, true, error);
}

int parallelism_choose(struct probe_task *task, struct error *error)
{
    int code = choose_chains(task, error);
    if (code == 0)
        code = choose_levels(task, error);
    if (code == 0)
        code = choose_threads(task, error);
    if (code == 0)
        code = choose_work(task, error);
    if (code == 0)
        code = parallelism_choose_sizes(task, error);
    const struct parallelism_state *state = task->state;
    return code == 0 && !state->sets.count ? check_room(task, error) : code;
}

void parallelism_list_chains(struct parallelism_state *state, bool rest)
{
    if (state->chains_named)
        return;
    state->chain_count = 0;
    for (size_t i = 0, k = 0; i < EVERY; i++) {
        while (k < FEW && few[k] < every[i])
            k++;
        if (!rest || k == FEW || few[k] != every[i])
            state->chains[state->chain_count++] = every[i];
    }
}
