#include "measure/run/run.h"

#include "base/random.h"
#include "conclude/verdict.h"
#include "measure/run/placement.h"
#include "measure/run/stages.h"

#include <math.h>
#include <stdlib.h>

static double elapsed_s(const struct run *run)
{
    return (double)(timing_now_ns(run->model) - run->began_ns) * 1e-9;
}

/* The system counts CPU time in ticks, and shorter runs have too few of them. */
static const double counted_least_s = 0.5;

/* CPUs that other programs kept busy; NAN where the system doesn't say. */
static double others_cpus(const struct run *run)
{
    const struct os_work *before = &run->planned_work;
    if (run->twin)
        return run->twin->document.conditions.others_cpus;
    const double took_s = (double)(os_raw_ns() - run->planned_ns) * 1e-9;
    struct os_work now;
    if (!before->all_ns || took_s < counted_least_s || !os_work(&now))
        return NAN;
    /* In containers the sums may fall. */
    if (now.all_ns < before->all_ns || now.own_ns < before->own_ns)
        return NAN;
    const double all_s = (double)(now.all_ns - before->all_ns) * 1e-9,
                 own_s = (double)(now.own_ns - before->own_ns) * 1e-9;
    return fmax(0, all_s - own_s) / took_s;
}

/* Called early and after every probe, so that a power cut loses only what was measured since. */
static int save(struct run *run, struct error *error)
{
    const struct run_listener *listener = &run->listener;
    run->document->run.elapsed_s = elapsed_s(run);
    run->document->conditions.others_cpus = others_cpus(run);
    if (!listener->save)
        return 0;
    const int code = verdict_note(run->document, error);
    return code == 0 ? listener->save(listener->argument, run->document, error) : code;
}

static const double show_every_s = 0.25;

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
    if (!run->machine->facts.hypervisor || run->twin)
        return;
    conditions->stolen_s = 0;
    for (size_t i = 0; i < run->turn_count; i++)
        conditions->stolen_s += run->turns[i].outcome.stolen_s;
}

static int end_turn(struct run *run, const struct engine *engine, int code, struct error *error)
{
    note_conditions(run, engine->clock, &run->turns[run->turn].outcome);
    const int saved = save(run, code == 0 ? error : NULL);
    return code == 0 ? saved : code;
}

static void turn_to(struct run *run, size_t turn)
{
    run->turn = turn;
    if (run->twin)
        run->twin->probe = run->turns[turn].task.probe->name;
}

static void begin_turn(struct run *run, struct engine *engine, size_t turn)
{
    turn_to(run, turn);
    engine->seed = random_mix(run->seed + turn);
}

/* --- the first look --- */

/* Looking may use this share of the budget; the rest lets the run end in time. */
static const double looking_share = 0.95;
/* A look that did not fit in its time gets the time that other looks left, in a second pass. */
enum { LOOKS = 2 };

/* What prevents a probe's look also prevents its measurement, which then says why. */
static int look_once(struct run *run, struct engine *engine, struct error *error)
{
    /* Only probes that have something to look at give time for it. */
    double others = 0, all = 0;
    for (size_t i = 0; i < run->turn_count; i++) {
        all += run_weight(run, i);
        others += run->turns[i].task.plan.look_count ? 0 : run_weight(run, i);
    }
    const double looking_s = run->budget_s * (looking_share - (all > 0 ? others / all : 0));
    for (size_t i = 0; i < run->turn_count; i++) {
        struct error why = {0};
        const double left_s = looking_s - elapsed_s(run);
        if (!stages_want_look(&run->turns[i].task) || !(left_s > 0))
            continue;
        size_t looks = 0;
        for (size_t k = i; k < run->turn_count; k++)
            looks += stages_want_look(&run->turns[k].task);
        begin_turn(run, engine, i);
        int code = stages_look(&run->turns[i].task, engine, left_s / (double)looks, &why);
        if (code == ERROR_SYSTEM || code == ERROR_INTERRUPTED)
            return error_set(error, code, "%s", why.text);
    }
    return 0;
}

/* Takes one trial of the most important points of every probe before any probe goes on, because the
 * first trial of a point tells more than all later ones. All probes have the same time for it, and
 * leave what they don't need. An interruption is reported by the first probe that is measured after
 * it. */
static int look(struct run *run, struct engine *engine, struct error *error)
{
    int code = 0;
    for (int i = 0; i < LOOKS && code == 0 && run->turn_count > 1; i++)
        code = look_once(run, engine, error);
    return code == ERROR_INTERRUPTED ? 0 : code;
}

/* --- one probe after the other --- */

/* What is left of a probe's share of the time, while `measured` has its turn: its looks have taken
 * a part of it. */
static double left_of_share_s(const struct run *run, size_t measured, size_t turn)
{
    const double share =
                     run_weight(run, turn) * run_share(run, measured) / run_weight(run, measured),
                 spent_s = run->turns[turn].task.result->elapsed_s;
    return (run->budget_s - elapsed_s(run) + spent_s) * share - spent_s;
}

/* Looks are apart by the run's time over this number. */
enum { MOMENTS = 40 };
/* A look takes at most this share of it: so looks are spread beside other programs too. */
static const double a_look = 0.25;

/* Between two visits and two stages of the current probe, looks again at the probes to come, in
 * their own time: interference that lasts a second then disturbs only a part of their trials. A
 * stop during this is reported by the next stage. */
static int look_again(void *of_run, struct error *error)
{
    struct run *run = of_run;
    const size_t measured = run->turn;
    int code = 0;
    for (size_t i = measured + 1; i < run->turn_count && code == 0; i++) {
        struct error why = {0};
        const double most_s = a_look * left_of_share_s(run, measured, i);
        if (!(most_s > 0))
            continue;
        turn_to(run, i);
        if (stages_look_again(&run->turns[i].task, most_s, &why) == ERROR_SYSTEM)
            code = error_set(error, ERROR_SYSTEM, "%s", why.text);
    }
    turn_to(run, measured);
    return code;
}

static int measure_turn(struct run *run, struct engine *engine, struct error *error)
{
    struct run_turn *turn = &run->turns[run->turn];
    int code = probe_plan_again(&turn->task, error);
    if (code < 0)
        return code;
    code = stages_measure(&turn->task, engine, left_of_share_s(run, run->turn, run->turn),
                          &turn->outcome, error);
    run->document->probe_count++;
    run->document->run.complete = code == 0 && run->turn + 1 == run->turn_count;
    return end_turn(run, engine, code, error);
}

/* --- what is left over --- */

/* A smaller share of the budget is not worth continuing. */
static const double least_left = 0.02;

/* Gives the time that the last probes did not need to probes that lack trials. */
static int give_back(struct run *run, struct engine *engine, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < run->turn_count && code == 0; i++) {
        struct run_turn *turn = &run->turns[i];
        double measured_s = 0, lacking = 0;
        for (size_t k = 0; k < run->turn_count; k++) {
            /* The stages' own time counts too: a model has its own clock. */
            measured_s += run->turns[k].outcome.elapsed_s;
            lacking += k >= i && stages_lack(&run->turns[k].task) ? run_weight(run, k) : 0;
        }
        const double left_s = run->budget_s - fmax(elapsed_s(run), measured_s);
        if (!stages_lack(&turn->task) || left_s < least_left * run->budget_s)
            continue;
        begin_turn(run, engine, i);
        code =
            stages_go_on(&turn->task, left_s * run_weight(run, i) / lacking, &turn->outcome, error);
        run->document->run.complete = code == 0;
        code = end_turn(run, engine, code, error);
    }
    return code;
}

/* Bytes of old memory that are kept at most, and at most which share of what may be used: much more
 * than the caches in which the placement of pages decides which sets are used, and little compared
 * with the largest working set. */
static const double attic_most = 64 << 20, attic_share = 1.0 / 16;

int run_measure(struct run *run, struct error *error)
{
    struct clock clock = {.name = "model", .hz = 1e9};
    struct engine engine = {
        .machine = run->machine,
        .clock = &clock,
        .model = run->model,
        .progress = {run->listener.progress ? show_progress : NULL, run, show_every_s},
        .attic.bytes_most =
            (size_t)fmin(attic_most, attic_share * (double)machine_memory_budget(run->machine))};
    int code = run->model ? 0 : clock_check(error);
    if (code == 0)
        code = save(run, error);
    if (code == 0 && !run->model)
        clock_calibrate_below(&clock, run->machine->root);
    if (code == 0)
        code = team_create(&engine.team, run->stop, error);
    if (code == 0 && run->listener.progress && run->turn_count) { /* before a thread is started */
        turn_to(run, 0);
        show_progress(run, 0, run->budget_s);
    }
    /* The CPUs are those of --cpus, which all probes share. Devices have no place among them. */
    bool any = false;
    for (size_t i = 0; i < run->turn_count; i++)
        any |= !run->turns[i].task.probe->findings.of_devices;
    if (code == 0 && any && !run->model)
        code = placement_open(&engine, &run->turns[0].task.cpus, run->budget_s, &run->document->run,
                              &run->document->pool, error);
    if (code == 0)
        code = placement_look(engine.placement, error);
    if (code == 0)
        code = look(run, &engine, error);
    for (size_t i = 0; code == 0 && i < run->turn_count; i++) {
        begin_turn(run, &engine, i);
        engine.looks = (struct looks){look_again, run, (uint64_t)(1e9 * run->budget_s / MOMENTS),
                                      engine.looks.ended_ns, 0};
        code = measure_turn(run, &engine, error);
    }
    engine.looks = (struct looks){0};
    if (code == 0)
        code = give_back(run, &engine, error);
    if (code == 0)
        code = placement_look(engine.placement, error);
    attic_clear(&engine.attic);
    placement_close(engine.placement);
    team_free(engine.team);
    return code;
}

void run_release(struct run *run)
{
    for (size_t i = 0; i < run->turn_count; i++) {
        stages_close(&run->turns[i].task);
        probe_release(&run->turns[i].task);
        settings_free(&run->turns[i].settings);
    }
    free(run->turns);
    run->turns = NULL;
    run->turn_count = 0;
}
