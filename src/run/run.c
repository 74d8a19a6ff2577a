#include "run/run.h"

#include "base/random.h"
#include "findings/verdict.h"

#include <math.h>
#include <stdlib.h>

static double elapsed_s(const struct run *run)
{
    return (double)(os_raw_ns() - run->began_ns) * 1e-9;
}

/* Early and after every probe: where the power goes, what was measured until then is kept. */
static int save(struct run *run, struct error *error)
{
    const struct run_listener *listener = &run->listener;
    run->document->run.elapsed_s = elapsed_s(run);
    if (!listener->save)
        return 0;
    const int code = verdict_note(run->document, error);
    return code == 0 ? listener->save(listener->argument, run->document, error) : code;
}

static void show_progress(void *argument, double done, double left_s)
{
    const struct run *run = argument;
    const struct probe_task *task = &run->turns[run->turn].task;
    run->listener.progress(run->listener.argument, task->probe->name, done, left_s, task->so_far);
}

static void note_conditions(struct run *run, const struct clock *clock,
                            const struct stage_outcome *outcome)
{
    struct conditions *conditions = &run->document->conditions;
    conditions->counter = clock->name;
    conditions->counter_hz = clock->hz;
    if (outcome->core_hz.n && !(conditions->core_hz > 0))
        conditions->core_hz = outcome->core_hz.median;
    if (run->machine->facts.hypervisor)
        conditions->stolen_s =
            (isnan(conditions->stolen_s) ? 0 : conditions->stolen_s) + outcome->stolen_s;
}

static int measure_turn(struct run *run, struct engine *engine, struct error *error)
{
    struct run_turn *turn = &run->turns[run->turn];
    const double budget_s = (run->budget_s - elapsed_s(run)) * run_share(run, run->turn);
    engine->seed = random_mix(run->seed + run->turn);
    int code = probe_measure(&turn->task, engine, budget_s, &turn->outcome, error);
    note_conditions(run, engine->clock, &turn->outcome);
    run->document->probe_count++;
    run->document->run.complete = code == 0 && run->turn + 1 == run->turn_count;
    const int saved = save(run, code == 0 ? error : NULL);
    return code == 0 ? saved : code;
}

int run_measure(struct run *run, struct error *error)
{
    struct clock clock = {.name = "model", .hz = 1e9};
    struct engine engine = {.machine = run->machine,
                            .clock = &clock,
                            .model = run->model,
                            .progress = {run->listener.progress ? show_progress : NULL, run}};
    int code = save(run, error);
    if (code == 0 && !run->model)
        clock_calibrate(&clock);
    if (code == 0)
        code = team_create(&engine.team, run->stop, error);
    for (run->turn = 0; code == 0 && run->turn < run->turn_count; run->turn++)
        code = measure_turn(run, &engine, error);
    team_free(engine.team);
    return code;
}

void run_release(struct run *run)
{
    for (size_t i = 0; i < run->turn_count; i++) {
        probe_release(&run->turns[i].task);
        settings_free(&run->turns[i].settings);
    }
    free(run->turns);
    run->turns = NULL;
    run->turn_count = 0;
}
