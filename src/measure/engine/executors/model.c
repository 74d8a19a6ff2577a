/* The executor of an engine that has a model: the calling thread does the work of every seat in
 * turn, in the model's time. */
#include "measure/engine/timing_model.h"

#include "document/flag.h"
#include "measure/engine/burst.h"
#include "measure/engine/engine.h"
#include "measure/engine/executor.h"
#include "measure/engine/visit.h"

#include <stdlib.h>

struct model_state {
    uint64_t *now_ps; /* the run's, or `own_ps` */
    uint64_t own_ps;
    struct burst_core core; /* all of a model's are alike */
};

/* What a model without memory takes for what is not carried out: making a trial ready, and mapping
 * and touching a byte. */
static const uint64_t visit_ps = 200 * 1000 * 1000, byte_ps = 500;

static bool serves(const struct engine *engine, const struct plan *plan)
{
    return engine->model && !plan->device;
}

static int open_model(struct executor *executor, struct error *error)
{
    struct model_state *state = executor->own = calloc(1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    state->now_ps = executor->engine->model->clock_ps;
    if (!state->now_ps)
        state->now_ps = &state->own_ps;
    executor->flags = FLAG_BIT(FLAG_MODELLED);
    return 0;
}

static uint64_t now_ns(const struct executor *executor)
{
    return *((const struct model_state *)executor->own)->now_ps / 1000;
}

static int pause_until(struct executor *executor, uint64_t until_ns, struct error *error)
{
    struct model_state *state = executor->own;
    if (until_ns > now_ns(executor))
        *state->now_ps = until_ns * 1000;
    return 0;
}

/* Neither the plan's node nor the CPU that is to touch the memory need exist. */
static int map(struct executor *executor, struct arena *arena, size_t bytes, struct error *error)
{
    struct model_state *state = executor->own;
    if (!executor->engine->model->prepare)
        return arena_map(arena, bytes, executor->plan->pages, -1, error);
    *state->now_ps += bytes * byte_ps;
    return 0;
}

static int touch(struct executor *executor, struct arena *arena, size_t from, uint64_t give_up_ns,
                 struct error *error)
{
    arena_touch_part(arena, from, arena->bytes);
    return 1;
}

static void run_visit(struct visit *visit)
{
    const struct timing_model *model = visit->executor->engine->model;
    const char *why =
        model->lacks ? model->lacks(model->self, visit->plan, visit->trials[0].point) : NULL;
    if (why) {
        visit->end = VISIT_FAILED;
        error_set(&visit->failure, ERROR_IMPOSSIBLE, "%s", why);
        return;
    }
    visit->end = visit_lead(visit) == 0 ? VISIT_DONE : VISIT_STARVED;
}

/* One after the other, but at the same modelled time. */
static int run_visits(struct executor *executor, struct visit *const *visits, size_t count,
                      struct error *error)
{
    struct model_state *state = executor->own;
    const uint64_t began_ps = *state->now_ps;
    uint64_t ended_ps = began_ps;
    for (size_t i = 0; i < count; i++) {
        *state->now_ps = began_ps + (executor->engine->model->prepare ? visit_ps : 0);
        run_visit(visits[i]);
        ended_ps = *state->now_ps > ended_ps ? *state->now_ps : ended_ps;
    }
    *state->now_ps = ended_ps;
    return team_pause(executor->engine->team, 0, error); /* checks whether to stop */
}

static void prepare(struct visit *visit, struct trial *trial)
{
    const struct timing_model *model = visit->executor->engine->model;
    if (model->prepare)
        model->prepare(model->self, trial);
    else
        visit->work->prepare(trial);
    for (unsigned i = 0; trial->build && i < trial->point->seat_count; i++)
        trial->build(trial, i);
    for (unsigned i = 0; trial->settle && i < trial->point->seat_count; i++)
        trial->settle(trial, i);
    if (model->now)
        model->now(model->self, *((const struct model_state *)visit->executor->own)->now_ps);
    if (model->prepared)
        model->prepared(model->self, trial);
}

static double read_hz(struct visit *visit)
{
    const struct timing_model *model = visit->executor->engine->model;
    struct model_state *state = visit->executor->own;
    const uint64_t additions = BURST_CYCLES;
    const int cpu = plan_seat(visit->trials[0].point, 0).cpu;
    const uint64_t took_ps = model->additions(model->self, cpu, additions);
    *state->now_ps += took_ps;
    return (double)additions * 1e12 / (double)took_ps;
}

static double core_width(struct visit *visit, double hz)
{
    const struct timing_model *model = visit->executor->engine->model;
    struct model_state *state = visit->executor->own;
    const int cpu = plan_seat(visit->trials[0].point, 0).cpu;
    if (!model->additions_wide)
        return 0;
    const uint64_t took_ps = model->additions_wide(model->self, cpu, BURST_WIDE_ADDITIONS);
    *state->now_ps += took_ps;
    return burst_width(&state->core, (double)took_ps * 1e-3, hz, &visit->core_alone);
}

/* What other seats do before the batches: a partner all repeats of the batches, because the model
 * waits for no other seat, and a background worker one repeat. */
static uint64_t work_before(const struct visit *visit, const struct batch_run *run, size_t seat)
{
    const struct trial *trial = &visit->trials[run->trial];
    const uint64_t warm = plan_has_partner(trial->point) ? visit->plan->warm_repeats : 0;
    switch (plan_seat(trial->point, seat).role) {
    case PARTNER:
        return warm + run->batches * run->repeats;
    case BACKGROUND:
        return 1;
    case MEASURED:
        break;
    }
    return (seat == 0 ? warm : 0) + (run->first ? trial->warm_repeats : 0);
}

static uint64_t work(const struct visit *visit, unsigned trial, size_t seat, uint64_t repeats)
{
    const struct timing_model *model = visit->executor->engine->model;
    const struct worker *worker = &visit->trials[trial].workers[seat];
    const int cpu = plan_seat(visit->trials[trial].point, seat).cpu;
    return repeats ? model->work(model->self, cpu, worker->run, worker->state, repeats) : 0;
}

/* What one seat does in a window: repeats enough to show its speed, and that speed to the end. */
static struct seat_share work_in_window(const struct visit *visit, const struct batch_run *run,
                                        size_t seat)
{
    enum { ENOUGH = 16 };                           /* of a window */
    static const uint64_t most = UINT64_C(1) << 40; /* of work that takes no time */
    uint64_t repeats = 0, ps = 0;
    while ((double)ps * 1e-3 * ENOUGH < run->window_ns && repeats < most) {
        const uint64_t more = repeats ? repeats : 1;
        ps += work(visit, run->trial, seat, more);
        repeats += more;
    }
    return (struct seat_share){repeats, (double)ps * 1e-3};
}

static void measure_windows(struct visit *visit, const struct batch_run *run, struct batch *batches,
                            struct seat_share *shares)
{
    const struct plan_point *point = visit->trials[run->trial].point;
    struct model_state *state = visit->executor->own;
    for (unsigned window = 0; window < run->batches; window++, shares += point->seat_count) {
        for (size_t i = 0; i < point->seat_count; i++)
            shares[i] = work_in_window(visit, run, i);
        batches[window] = (struct batch){.ns = visit_window_ns(point, shares)};
        *state->now_ps += (uint64_t)(run->window_ns * 1e3);
    }
}

static void measure_batches(struct visit *visit, const struct batch_run *run, struct batch *batches)
{
    const struct plan_point *point = visit->trials[run->trial].point;
    struct model_state *state = visit->executor->own;
    for (unsigned batch = 0; batch < run->batches; batch++) {
        uint64_t longest_ps = 0;
        for (size_t i = 0; i < point->seat_count; i++) {
            if (plan_seat(point, i).role != MEASURED)
                continue;
            const uint64_t took_ps = work(visit, run->trial, i, run->repeats);
            longest_ps = took_ps > longest_ps ? took_ps : longest_ps;
        }
        batches[batch].ns = (double)longest_ps * 1e-3;
        *state->now_ps += longest_ps;
    }
}

static int measure(struct visit *visit, const struct batch_run *run, struct batch *batches,
                   struct seat_share *shares)
{
    const struct plan_point *point = visit->trials[run->trial].point;
    for (size_t i = 0; i < point->seat_count; i++)
        work(visit, run->trial, i, work_before(visit, run, i));
    if (run->window_ns > 0)
        measure_windows(visit, run, batches, shares);
    else
        measure_batches(visit, run, batches);
    /* Each window says for itself whether it was interrupted. */
    const struct timing_model *model = visit->executor->engine->model;
    const bool is = model->disturbed &&
                    model->disturbed(model->self, visit->trials[run->trial].workers[0].state);
    for (unsigned i = 0; i < run->batches && run->window_ns > 0; i++)
        batches[i].interrupted = is;
    return is && !(run->window_ns > 0);
}

static void placed(const struct executor *executor, struct stage_outcome *outcome)
{
    const struct timing_model *model = executor->engine->model;
    if (model->placed)
        model->placed(model->self, executor->plan, outcome);
}

const struct executor_kind executor_model = {
    .name = "model",
    .place = 20,
    .serves = serves,
    .open = open_model,
    .now_ns = now_ns,
    .pause = pause_until,
    .map = map,
    .touch = touch,
    .run = run_visits,
    .placed = placed,
    .prepare = prepare,
    .burst_hz = read_hz,
    .core_width = core_width,
    .measure = measure,
};
