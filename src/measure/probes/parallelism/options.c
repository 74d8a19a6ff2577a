/* Reads the options of `fathom parallelism` and checks them against the machine. */
#include "base/units.h"
#include "measure/kernels/chains.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/parallelism/parallelism.h"

#include <string.h>

static const unsigned few[] = {1, 2, 4, 8, 12, 16, 24, 32, 64};
static const unsigned every[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,
                                 14, 16, 20, 24, 28, 32, 40, 48, 64};
enum { FEW = sizeof few / sizeof *few, EVERY = sizeof every / sizeof *every, LINES_EACH = 2 };

const char *const parallelism_level_names[] = {"all", "L1", "L2", "L3", "L4", "DRAM", NULL};

/* Reads a list of numbers from 1 to `most`; returns their count, 0 for an invalid list. */
static size_t read_list(const char *text, int most, size_t room, unsigned *numbers)
{
    struct cpulist list = {0};
    size_t count = 0;
    bool good = cpulist_parse(text, &list, NULL) == 0 && list.count <= room;
    for (size_t i = 0; i < list.count && good; i++) {
        good = list.ids[i] >= 1 && list.ids[i] <= most;
        numbers[count++] = (unsigned)list.ids[i];
    }
    cpulist_free(&list);
    return good ? count : 0;
}

static void choose_chains(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const char *text = state->asked->chains.text;
    if (!text) {
        state->chain_count = FEW;
        memcpy(state->chains, few, sizeof few);
        return;
    }
    state->chain_count = read_list(text, CHAINS_MOST, CURVE_POINTS_MAX, state->chains);
    state->chains_named = true;
    if (!state->chain_count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--chains '%s': give numbers or ranges from 1 to %d, like 1,4-8,16", text,
                   CHAINS_MOST);
}

static void choose_levels(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const struct setting *level = &state->asked->level, *size = &state->asked->size;
    if (size->has) {
        const uint64_t bytes = size->bytes;
        probe_refuse_beside(task, size, "names the only working set",
                            (const struct setting *const[]){level, NULL});
        state->levels[0] = (struct chase_level){.name = "size", .bytes = bytes};
        state->level_count = 1;
        working_sets_check(task, "size", bytes, state->ring.line_bytes);
        return;
    }
    state->level_count = chases_levels(task, NULL, state->levels);
    state->far = state->level_count - 1;
    if (!state->level_count)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "no working set is known: nothing is declared of this machine's caches and "
                   "there is no memory for more; give one (--size)");
    if (!level->choice)
        return;
    for (size_t i = 0; i < state->level_count; i++)
        if (strcmp(state->levels[i].name, level->text) == 0) {
            state->levels[0] = state->levels[i];
            state->level_count = 1;
            state->far = 0;
            return;
        }
    pool_leave(task->pool, ERROR_USAGE,
               "--level %s: this machine has no such level, or no memory for it; leave it out, or "
               "give a working set (--size)",
               level->text);
}

/* A single amount of --work is the largest of a curve; a list names all amounts. */
static void choose_work(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const char *text = state->asked->work.text;
    if (text) {
        state->work_count = read_list(text, CHAINS_WORK_MOST, CURVE_POINTS_MAX, state->works);
        if (!state->work_count)
            pool_leave(task->pool, ERROR_USAGE,
                       "--work '%s': give cycles from 1 to %d, or several amounts like 3,6,12",
                       text, CHAINS_WORK_MOST);
        state->work_most = state->works[state->work_count - 1];
    }
    if (!state->asked->prefetch.has)
        return;
    state->ahead = (unsigned)state->asked->prefetch.number;
    const unsigned at_work = parallelism_chains_at_work(state);
    if (!state->work_most)
        pool_leave(task->pool, ERROR_USAGE,
                   "--prefetch: it is looked at beside work; give --work as well");
    if (state->ahead > at_work)
        pool_leave(task->pool, ERROR_USAGE,
                   "--prefetch %u: with %u chains an address is known at most %u steps ahead; give "
                   "at most that",
                   state->ahead, at_work, at_work);
}

/* Chooses curves over sizes if an option for sizes is given. */
static void choose_sizes(struct probe_task *task)
{
    static const unsigned usual[] = {1, 2, 4, 8, 12, 16, 32};
    struct parallelism_state *state = task->state;
    const struct parallelism_options *asked = state->asked;
    const struct working_set_options *sets = &asked->sets;
    const struct setting *const others[] = {&asked->size, &asked->level, &asked->threads, NULL};
    const struct setting *given = sets->per_octave.has ? &sets->per_octave
                                  : sets->to.has       ? &sets->to
                                  : sets->from.has     ? &sets->from
                                                       : &sets->sizes;
    if (!given->has)
        return;
    probe_refuse_beside(task, given, "asks for curves over sizes", others);
    if (!state->chains_named) {
        state->chain_count = sizeof usual / sizeof *usual;
        memcpy(state->chains, usual, sizeof usual);
    }
    state->sets = working_sets_choose(task, sets, state->ring.line_bytes);
}

unsigned parallelism_chains_at_work(const struct parallelism_state *state)
{
    return state->chains_named && state->chain_count == 1 ? state->chains[0]
                                                          : (unsigned)PARALLELISM_USUAL;
}

/* --- room --- */

uint64_t parallelism_room(const struct parallelism_state *state, uint64_t bytes)
{
    return bytes / state->ring.line_bytes / LINES_EACH;
}

/* All CPUs together have more cache than one chain's working set has to exceed. */
uint64_t parallelism_bytes_for_threads(const struct probe_task *task,
                                       const struct chase_level *level)
{
    const struct cache_facts *last = machine_cache(task->machine, 0);
    const size_t sharers = last ? cpulist_text_count(last->shared_cpus) : 0;
    const uint64_t most = machine_memory_budget(task->machine), bytes = level->bytes;
    if (!level->last || !sharers)
        return bytes;
    const uint64_t beyond = 2 * (task->machine->cpu_count / sharers) * last_level_in_effect(task);
    return beyond <= bytes ? bytes : beyond < most / 2 ? beyond : most / 2;
}

static _Noreturn void too_small(const struct probe_task *task, const struct chase_level *level,
                                uint64_t bytes, uint64_t chains, bool of_threads)
{
    const struct parallelism_state *state = task->state;
    const char *whose = of_threads ? " of all threads" : "";
    const char *fewer = of_threads ? "--threads" : "--chains";
    char text[UNIT_TEXT], least[UNIT_TEXT];
    size_format((double)bytes, text);
    if (state->asked->size.has)
        pool_leave(task->pool, ERROR_USAGE,
                   "--size %s is too small for %llu chains%s: give at least %s, or fewer %s", text,
                   (unsigned long long)chains, whose,
                   size_format((double)(LINES_EACH * chains * state->ring.line_bytes), least),
                   fewer);
    pool_leave(task->pool, ERROR_USAGE,
               "--level %s: its working set of %s is too small for %llu chains%s; give fewer "
               "%s, or another --level",
               level->name, text, (unsigned long long)chains, whose, fewer);
}

/* Checks that the requested levels have room for the chains; in other levels, numbers of chains
 * that do not fit are left out. For threads there must be room for one chain each, or with --size
 * for the usual or requested number. */
static void check_room(const struct probe_task *task)
{
    const struct parallelism_state *state = task->state;
    const bool sized = state->asked->size.has;
    const bool asked = sized || state->asked->level.given;
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
            too_small(task, level, level->bytes, chains, false);
    }
    const struct chase_level *far = &state->levels[state->far];
    if (state->threads < 2 || !(far->last || state->asked->threads.has))
        return;
    const unsigned each = !sized ? 1 : most < PARALLELISM_USUAL ? PARALLELISM_USUAL : most;
    const uint64_t bytes = parallelism_bytes_for_threads(task, far), all = each * state->threads;
    if (parallelism_room(state, bytes) < all)
        too_small(task, far, bytes, all, true);
}

void parallelism_choose(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    choose_chains(task);
    choose_levels(task);
    state->threads = chases_threads(task, &state->asked->threads, task->cpus.count);
    choose_work(task);
    choose_sizes(task);
    if (!state->sets.count)
        check_room(task);
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
