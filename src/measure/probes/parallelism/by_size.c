/*
 * Time per access by working set: a curve for each number of chains, or for each amount of work
 * after an access, without and with prefetch. Every size has a ring of its own in one memory, so
 * what stands there is noted on a page before it.
 */
#include "base/units.h"
#include "measure/kernels/chains.h"
#include "measure/probes/parallelism/parallelism.h"

enum { PAGE = 4096, LINES_EACH = 2 };

static const unsigned usual_chains[] = {1, 2, 4, 8, 12, 16, 32};
enum { USUAL = sizeof usual_chains / sizeof *usual_chains };

unsigned parallelism_chains_at_work(const struct parallelism_state *state)
{
    return state->chains_named && state->chain_count == 1 ? state->chains[0]
                                                          : (unsigned)PARALLELISM_USUAL;
}

int parallelism_choose_sizes(struct probe_task *task, struct error *error)
{
    static const char *const names[] = {"sizes", "from", "to", "per-octave"};
    static const char *const others[] = {"size", "level", "threads"};
    struct parallelism_state *state = task->state;
    const struct settings *settings = task->settings;
    const char *given = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (settings_given(settings, names[i]))
            given = names[i];
    if (!given)
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (settings_given(settings, others[i]))
            return error_set(error, ERROR_USAGE,
                             "--%s asks for curves over sizes, so --%s can't be given with it: "
                             "leave one out",
                             given, others[i]);
    if (!state->chains_named) {
        state->chain_count = 0;
        for (size_t i = 0; i < USUAL; i++)
            state->chains[state->chain_count++] = usual_chains[i];
    }
    return working_sets_choose(&state->sets, task, state->ring.line_bytes, error);
}

/* --- planning --- */

static int add_series(struct probe_task *task, const char *name, unsigned chains, int work,
                      unsigned ahead, struct error *error)
{
    struct series *series = pool_append(task->pool, (void **)&task->plan.series,
                                        &task->plan.series_count, sizeof *series);
    struct factor *factors = pool_alloc(task->pool, 4, sizeof *factors);
    size_t count = 0;
    factors[count++] = (struct factor){"chains", NULL, chains};
    if (work >= 0)
        factors[count++] = (struct factor){"work", NULL, work};
    if (ahead)
        factors[count++] = (struct factor){"prefetch", NULL, ahead};
    factors[count++] = (struct factor){"pages", settings_text(task->settings, "pages"), 0};
    *series = (struct series){.name = name,
                              .factors = factors,
                              .factor_count = count,
                              .headline = true,
                              .x = {"working set", "B"},
                              .y = {"time per access", "ns"}};
    return (int)task->plan.series_count - 1;
}

/* Sizes in which each chain has two lines of its own. */
static int add_curve(struct probe_task *task, const char *name, unsigned chains, int work,
                     enum parallelism_mode mode, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const int series =
        add_series(task, name, chains, work, mode == MODE_PREFETCH ? state->ahead : 0, error);
    if (series < 0)
        return series;
    for (size_t i = 0; i < state->sets.count; i++) {
        struct chain_ring ring = state->ring;
        ring.bytes = (size_t)state->sets.bytes[i];
        if (parallelism_room(state, ring.bytes) < chains)
            continue;
        struct plan_point *point = parallelism_add_point(
            task, (unsigned)series, (double)ring.bytes,
            (struct parallelism_point){mode, chains, work > 0 ? (unsigned)work : 0}, 1);
        point->arena_bytes = PAGE + chain_ring_arena_bytes(&ring);
    }
    return 0;
}

int parallelism_plan_sizes(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    const unsigned at_work = parallelism_chains_at_work(state);
    int code = 0;
    state->ring.states = 1;
    state->ring.starts_most = CHAINS_MOST;
    for (size_t i = 0; i < state->chain_count && !state->work_count && code == 0; i++)
        code = add_curve(task, "chains by size", state->chains[i], -1, MODE_CHAINS, error);
    for (size_t i = 0; i < state->work_count && code == 0; i++) {
        code = add_curve(task, "work by size", at_work, (int)state->works[i], MODE_WORK, error);
        if (code == 0 && state->ahead)
            code = add_curve(task, "work by size, prefetched", at_work, (int)state->works[i],
                             MODE_PREFETCH, error);
    }
    if (code == 0 && !task->plan.point_count)
        code =
            error_set(error, ERROR_USAGE,
                      "--sizes: none of them has room for that many chains: give larger ones, or "
                      "fewer --chains");
    return code;
}

/* --- measuring --- */

/* Preparing may be recalled at any moment: the note is wiped before anything is changed. */
struct chain_places *parallelism_ring_of_size(struct chain_ring *ring, const struct trial *trial,
                                              struct arena *arena)
{
    struct trial behind = *trial;
    volatile size_t *noted = (volatile size_t *)trial->arena->memory;
    ring->bytes = (size_t)trial->point->x;
    *arena = *trial->arena;
    arena->memory += PAGE;
    arena->bytes -= PAGE;
    if (*noted != ring->bytes) {
        *noted = 0;
        chain_ring_forget(ring, arena);
    }
    behind.arena = arena;
    struct chain_places *places = chain_ring_places(ring, &behind);
    *noted = ring->bytes;
    return places;
}
