/* Watches over modelled machines: an idle hour has no change, and a neighbour that comes is seen
 * within ten seconds in 19 of 20, and so is that it has gone, and that it comes again.
 * FATHOM_EACH=N: an Nth of the hour and of the neighbours. Prints TAP. */
#include "measure.h"

#include "../unit/stats/sample.h"
#include "machines.h"
#include "measure/run/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t arena_bytes = 160 << 20;
/* A neighbour that streams through memory and takes half of a shared cache. */
static const struct model_neighbour planted = {.course = TWO_STATE,
                                               .share = 1,
                                               .busy_s = 1e9,
                                               .cpus = 2,
                                               .takes = {.room = 0.5, .traffic = 0.6}};
enum { HOURS = 1, PLANTED = 20, COMES_S = 60, GOES_S = 75, AGAIN_S = 100, WITHIN_S = 10 };

/* A machine that becomes another one, itself again and then the other one for good. */
struct turning {
    struct timing_model before, after;
    bool turns;
    double now_s;
};

static const struct timing_model *model_at(const struct turning *turning)
{
    const double at_s = turning->now_s;
    const bool there = (at_s >= COMES_S && at_s < GOES_S) || at_s >= AGAIN_S;
    return turning->turns && there ? &turning->after : &turning->before;
}

static void prepared(void *self, const struct trial *trial)
{
    const struct timing_model *model = model_at(self);
    model->prepared(model->self, trial);
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    const struct timing_model *model = model_at(self);
    return model->work(model->self, cpu, run, state, repeats);
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    const struct timing_model *model = model_at(self);
    return model->additions(model->self, cpu, count);
}

static void now(void *self, uint64_t now_ps)
{
    struct turning *turning = self;
    turning->now_s = (double)now_ps * 1e-12;
    turning->before.now(turning->before.self, now_ps);
    turning->after.now(turning->after.self, now_ps);
}

struct seen {
    unsigned changes, before, within, gone, again, ticks;
};

static bool follows(double at_s, double event_s)
{
    return at_s >= event_s && at_s < event_s + WITHIN_S;
}

static void note(void *argument, const struct watch *watch)
{
    struct seen *seen = argument;
    seen->ticks++;
    for (size_t i = 0; i < watch->level_count; i++) {
        if (!watch->levels[i].changed)
            continue;
        seen->changes++;
        const bool slower = watch->levels[i].after > watch->levels[i].before;
        seen->before += watch->at_s < COMES_S;
        seen->within += slower && follows(watch->at_s, COMES_S);
        seen->gone += !slower && follows(watch->at_s, GOES_S);
        seen->again += slower && follows(watch->at_s, AGAIN_S);
    }
}

/* Watches the machine for that time, alone or beside a neighbour that comes and goes. */
static struct seen watch_machine(uint64_t seed, double for_s, bool beside)
{
    struct model_machine machine, idle, loud;
    struct measurement quiet, taken;
    struct error error = {0};
    struct seen seen = {0};
    machine_random(&machine, seed);
    loud = idle = model_let(&machine);
    loud.cpus = idle.cpus = 2;
    loud.neighbours[0] = planted;
    if (!measurement_begin(&quiet, &idle, arena_bytes, seed) ||
        !measurement_begin(&taken, &loud, arena_bytes, seed))
        exit(1);
    struct turning turning = {
        .before = model_timing(quiet.model), .after = model_timing(taken.model), .turns = beside};
    const struct timing_model model = {
        .self = &turning, .prepared = prepared, .work = work, .additions = additions, .now = now};
    struct watch watch = {.machine = &quiet.facts,
                          .model = &model,
                          .every_s = 1,
                          .for_s = for_s,
                          .cpu = 0,
                          .seed = seed,
                          .tick = note,
                          .argument = &seen};
    if (watch_run(&watch, &error) < 0)
        printf("# seed %llu: %s\n", (unsigned long long)seed, error.text);
    if (seen.ticks < (unsigned)for_s - 1)
        printf("# seed %llu: only %u ticks\n", (unsigned long long)seed, seen.ticks);
    measurement_end(&quiet);
    measurement_end(&taken);
    return seen;
}

int main(void)
{
    unsigned alarms = 0, found = 0, early = 0, gone = 0, again = 0, ticks = 0;
    const double hour_s = 3600.0 / sample_each();
    const unsigned neighbours = sample_seeds(PLANTED);
    for (uint64_t seed = 1; seed <= HOURS; seed++) {
        const struct seen seen = watch_machine(seed, hour_s, false);
        alarms += seen.changes;
        ticks += seen.ticks;
    }
    printf("# %u alarms in %u idle ticks\n", alarms, ticks);
    printf("%sok 1 - an idle hour has no alarm\n",
           alarms || ticks < HOURS * (hour_s - 10) ? "not " : "");
    for (uint64_t seed = 1; seed <= neighbours; seed++) {
        const struct seen seen = watch_machine(seed, AGAIN_S + WITHIN_S, true);
        found += seen.within > 0;
        gone += seen.gone > 0;
        again += seen.again > 0;
        early += seen.before;
    }
    const struct seen brief = watch_machine(1, 1.5, false);
    printf("# %u of %u neighbours seen within %d s, %u alarms before they came\n", found,
           neighbours, WITHIN_S, early);
    printf("%sok 2 - a neighbour is seen within ten seconds\n",
           found * 20 < 19 * neighbours || early ? "not " : "");
    printf("%sok 3 - the first trial counts, too\n", brief.ticks == 2 ? "" : "not ");
    printf("# of %u it is seen that %u have gone, and that %u come again\n", neighbours, gone,
           again);
    const bool returns = gone * 20 >= 19 * neighbours && again * 20 >= 19 * neighbours;
    printf("%sok 4 - so is that it has gone, and that it comes again\n1..4\n",
           returns ? "" : "not ");
    return alarms || early || found * 20 < 19 * neighbours || brief.ticks != 2 || !returns;
}
