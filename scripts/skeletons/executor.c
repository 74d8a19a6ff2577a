/*
 * Carries out plans whose points have one worker each, in the calling thread, on whichever CPU the
 * system runs that. This is what scripts/new begins an executor with: it is taken when it is named
 * (FATHOM_EXECUTOR). docs/adding.md tells how to go on.
 */
#include "measure/engine/executor.h"

#include "document/flag.h"
#include "measure/engine/burst.h"
#include "measure/engine/engine.h"
#include "measure/engine/visit.h"

static bool serves(const struct engine *engine, const struct plan *plan)
{
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].seat_count != 1)
            return false;
    return !engine->model && !plan->device && !plan->kernel_timed;
}

static int open_own(struct executor *executor, struct error *error)
{
    executor->shortest_batch_ns = clock_shortest_batch_ns(executor->engine->clock);
    executor->flags = FLAG_BIT(FLAG_MISPLACED); /* nothing is pinned */
    return 0;
}

static uint64_t now_ns(const struct executor *executor)
{
    return os_raw_ns();
}

static int pause_until(struct executor *executor, uint64_t until_ns, struct error *error)
{
    return team_pause(executor->engine->team, until_ns, error);
}

static int map(struct executor *executor, struct arena *arena, size_t bytes, struct error *error)
{
    return arena_map(arena, bytes, executor->plan->pages, executor->plan->node, error);
}

static int touch(struct executor *executor, struct arena *arena, size_t from, uint64_t give_up_ns,
                 struct error *error)
{
    arena_touch_part(arena, from, arena->bytes);
    return 1;
}

static int run_visits(struct executor *executor, struct visit *const *visits, size_t count,
                      struct error *error)
{
    for (size_t i = 0; i < count; i++)
        visits[i]->end = visit_lead(visits[i]) == 0 ? VISIT_DONE : VISIT_STARVED;
    return team_pause(executor->engine->team, 0, error); /* which tells whether to stop */
}

static void prepare(struct visit *visit, struct trial *trial)
{
    visit->work->prepare(trial);
}

static double time_ns(const struct visit *visit, kernel_function *run, void *state,
                      uint64_t repeats)
{
    const struct clock *clock = visit->executor->engine->clock;
    const uint64_t start = clock_ticks(clock);
    run(state, repeats);
    return clock_ns(clock, clock_ticks(clock) - start);
}

/* By additions: the thread may go on on a core whose multiplications take longer. */
static double read_hz(struct visit *visit)
{
    return burst_hz(visit->executor->engine->clock, 0);
}

static int measure(struct visit *visit, const struct batch_run *run, struct batch *batches,
                   struct seat_share *shares)
{
    const struct trial *trial = &visit->trials[run->trial];
    const struct worker *worker = &trial->workers[0];
    (void)shares; /* one worker has no windows with others */
    if (run->first && trial->warm_repeats)
        worker->run(worker->state, trial->warm_repeats);
    for (unsigned i = 0; i < run->batches; i++)
        batches[i].ns = time_ns(visit, worker->run, worker->state, run->repeats);
    return 0;
}

const struct executor_kind skeleton_executor = {
    .name = "skeleton",
    .place = 0,
    .serves = serves,
    .open = open_own,
    .now_ns = now_ns,
    .pause = pause_until,
    .map = map,
    .touch = touch,
    .run = run_visits,
    .prepare = prepare,
    .burst_hz = read_hz,
    .measure = measure,
};
