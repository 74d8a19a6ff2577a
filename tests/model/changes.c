/*
 * Quick runs of modelled machines whose neighbours are others in every run: how often `diff` and
 * `check` say that an unchanged machine has changed, and how often they find that its second level,
 * or its DRAM, has become a tenth slower. Here the change is in the machine, and not in a document.
 *
 *     model-changes MACHINES RUNS [SECONDS [FIRST-SEED]]
 *
 * Stages share a budget by this machine's clock too, so two calls give figures that differ a
 * little: it is a benchmark (benchmarks/run BUILD changes) and no test. FATHOM_MODEL_MISSES tells
 * each false alarm.
 */
#include "compare/differences.h"
#include "compare/health.h"
#include "crowds.h"
#include "machines.h"
#include "measure.h"
#include "processes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct probe latency_probe;

enum { ARENA_MOST = 512 << 20, RUNS_MOST = 10 };

/* What has become a tenth slower. */
enum planted { NOTHING, SECOND_LEVEL, MEMORY, PLANTED };
static const char *const planted_names[PLANTED] = {"nothing changed", "a tenth on L2",
                                                   "a tenth on DRAM"};
static const double slower = 1.1, stay_most = 0.1;

struct outcome {
    unsigned measured;
    unsigned pairs[PLANTED], by_diff[PLANTED], by_check[PLANTED];
};

struct all {
    unsigned runs;
    uint64_t first_seed;
    const char *seconds;
};

static void plant(struct model_machine *machine, enum planted planted)
{
    if (planted == SECOND_LEVEL) {
        machine->caches[1].cycles *= slower;
        machine->caches[1].ns *= slower;
    } else if (planted == MEMORY) {
        machine->dram_cycles *= slower;
        machine->row_hit_ns *= slower;
        machine->row_miss_ns *= slower;
    }
}

/* The same machine beside the neighbours of another one: of other kinds, from none to 90 % of the
 * time, in stays of a tenth of the run at most. To a run, one that stays for all of it is another
 * machine. */
static void crowd(struct model_machine *machine, uint64_t seed, double run_s)
{
    struct model_machine other;
    machine_crowded(&other, seed);
    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++) {
        machine->neighbours[i] = other.neighbours[i];
        machine->neighbours[i].busy_s = fmin(machine->neighbours[i].busy_s, stay_most * run_s);
    }
}

static bool measure(struct measurement *measurement, struct model_machine *machine, uint64_t seed,
                    const char *seconds)
{
    const char *const quick[] = {"quick", "", "budget", seconds, NULL};
    if (!measurement_begin(measurement, machine, ARENA_MOST, seed))
        return false;
    measurement->document.run.complete = true;
    if (measurement_run(measurement, &latency_probe, quick) == 0)
        return true;
    if (measurement->result.status == PROBE_PARTIAL) { /* compared as any other */
        measurement->document.probe_count = 1;
        return true;
    }
    fprintf(stderr, "# machine %" PRIu64 ": %s\n", seed, measurement->error.text);
    return false;
}

static void show(const struct differences *differences, enum planted planted,
                 const struct measurement *before, const struct measurement *after)
{
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *one = &differences->list[i];
        if (one->compared.answer == CHANGED && planted == NOTHING)
            fprintf(stderr,
                    "# runs %" PRIu64 " and %" PRIu64 ": %s at %g: %g, then %g (%g to %g)\n",
                    before->seed, after->seed, one->series ? "latency" : one->finding->name,
                    one->series ? one->point->x : 0, one->a, one->b, one->compared.low,
                    one->compared.high);
    }
}

static void judge(struct outcome *outcome, enum planted planted, const struct measurement *before,
                  const struct measurement *after)
{
    struct differences differences;
    struct health_check check;
    struct error error;
    outcome->pairs[planted]++;
    if (differences_find(&differences, &before->document, &after->document, NAN, &error) == 0) {
        outcome->by_diff[planted] += differences.counts[CHANGED] > 0;
        if (getenv("FATHOM_MODEL_MISSES"))
            show(&differences, planted, before, after);
    }
    differences_free(&differences);
    if (health_check(&check, &before->document, &after->document, NAN, 1, &error) == 0)
        outcome->by_check[planted] += check.health == WORSE;
    health_check_free(&check);
}

/* The first of its runs are unchanged; then one with each change. */
static void examine(void *of_machine, unsigned number, const void *what)
{
    const struct all *all = what;
    struct outcome *outcome = of_machine;
    const uint64_t seed = all->first_seed + number;
    static struct measurement measurements[RUNS_MOST + PLANTED];
    struct model_machine machines[RUNS_MOST + PLANTED];
    bool done[RUNS_MOST + PLANTED];
    const unsigned count = all->runs + PLANTED - 1;
    for (unsigned run = 0; run < count; run++) {
        machine_crowded(&machines[run], CROWD_SHARES * seed); /* without neighbours */
        crowd(&machines[run], 1000 * seed + 37 * run + run, strtod(all->seconds, NULL));
        plant(&machines[run], run < all->runs ? NOTHING : (enum planted)(run - all->runs + 1));
        done[run] = measure(&measurements[run], &machines[run], 100 * seed + run, all->seconds);
        outcome->measured += done[run];
    }
    for (unsigned i = 0; i < all->runs; i++)
        for (unsigned j = 0; j < count; j++)
            if (i != j && done[i] && done[j])
                judge(outcome, j < all->runs ? NOTHING : (enum planted)(j - all->runs + 1),
                      &measurements[i], &measurements[j]);
    for (unsigned run = 0; run < count; run++)
        if (done[run])
            measurement_end(&measurements[run]);
}

int main(int count, char **arguments)
{
    const unsigned machines = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0;
    const unsigned runs = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 0;
    const struct all all = {runs, count > 4 ? strtoull(arguments[4], NULL, 10) : 1,
                            count > 3 ? arguments[3] : "2.5"};
    const struct outcome *outcomes = machines && runs && runs <= RUNS_MOST
                                         ? examine_all(machines, sizeof *outcomes, examine, &all)
                                         : NULL;
    struct outcome sum = {0};
    if (!outcomes) {
        fprintf(stderr, "model-changes MACHINES RUNS [SECONDS [FIRST-SEED]]: up to %d runs\n",
                RUNS_MOST);
        return 2;
    }
    for (unsigned i = 0; i < machines; i++) {
        sum.measured += outcomes[i].measured;
        for (enum planted planted = 0; planted < PLANTED; planted++) {
            sum.pairs[planted] += outcomes[i].pairs[planted];
            sum.by_diff[planted] += outcomes[i].by_diff[planted];
            sum.by_check[planted] += outcomes[i].by_check[planted];
        }
    }
    printf("%u quick runs of %u modelled machines\n", sum.measured, machines);
    for (enum planted planted = 0; planted < PLANTED; planted++)
        printf("  %-16s diff exits 1 in %u, check in %u of %u ordered pairs\n",
               planted_names[planted], sum.by_diff[planted], sum.by_check[planted],
               sum.pairs[planted]);
    return 0;
}
