#include "coverage.h"

#include "base/random.h"
#include "measure/kernels/additions.h"
#include "stats/order.h"
#include "stats/series.h"
#include "stats/undisturbed.h"

#include <math.h>
#include <stdlib.h>

static const double confidence = 0.95;
/* Documents hold floats. */
static const double rounding = 1e-6;
enum { TRIALS_MOST = 400, TRIALS_FEW = 30, TRIES_MOST = 10000, DRAWN_MOST = 64 };

/* --- estimators --- */

static size_t sorted_values(const struct point_trials *point, double *values)
{
    for (size_t i = 0; i < point->count; i++)
        values[i] = point->trials[i]->value_ns;
    sort_ascending(values, point->count);
    return point->count;
}

struct span interval_of_trials(const struct point_trials *point, double *scratch)
{
    struct summary summary;
    for (size_t i = 0; i < point->count; i++)
        scratch[i] = (double)(float)point->trials[i]->value_ns; /* records hold floats */
    const double worth = effective_count(scratch, point->count, scratch + point->count);
    summarize(scratch, point->count, scratch, &summary);
    for (size_t i = 0; i < point->count; i++)
        scratch[i] = (double)(float)point->trials[i]->shift;
    sort_ascending(scratch, point->count);
    summary.low *= (float)(1 - median(scratch, point->count));
    summary_widen(&summary, worth);
    return (struct span){(double)summary.low, (double)summary.high};
}

struct span interval_one_rank_in(const struct point_trials *point, double *scratch)
{
    size_t n = sorted_values(point, scratch);
    struct median_ranks ranks = median_interval(n, confidence);
    return (struct span){scratch[ranks.low], scratch[ranks.high - 2]};
}

struct span interval_of_batches(const struct point_trials *point, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < point->count; i++)
        for (unsigned batch = 0; batch < point->trials[i]->batches; batch++)
            scratch[n++] = point->trials[i]->batch_ns[batch];
    sort_ascending(scratch, n);
    struct median_ranks ranks = median_interval(n, confidence);
    return (struct span){scratch[ranks.low - 1], scratch[ranks.high - 1]};
}

static struct span (*const estimators[ESTIMATORS])(const struct point_trials *, double *) = {
    interval_of_trials, interval_one_rank_in, interval_of_batches};

/* --- the truth --- */

static double one_trial(struct measurement *measurement, struct model *model, struct trial *trial,
                        uint64_t repeats)
{
    const struct timing_model timing = model_timing(model);
    const unsigned planned = trial->plan->batches;
    const unsigned batches = planned < BATCHES_MAX ? planned : BATCHES_MAX;
    double values[BATCHES_MAX];
    measurement->probe->prepare(trial);
    timing.prepared(model, trial);
    const struct worker *worker = &trial->workers[0];
    for (unsigned i = 0; i < batches; i++) {
        uint64_t ps = timing.work(model, 0, worker->run, worker->state, repeats);
        values[i] = (double)ps * 1e-3 / (trial->operations * (double)repeats);
    }
    sort_ascending(values, batches);
    return undisturbed_of(values, batches).value;
}

double coverage_truth(struct measurement *measurement, const struct model_machine *machine,
                      const struct plan_point *point, uint64_t repeats, double from_s,
                      double lasted_s, unsigned trials, struct random *random)
{
    struct error error;
    struct arena arena;
    double *values = calloc(trials, sizeof *values);
    /* The same seed: what drifts has the same phase. */
    struct model *model = model_create(machine, measurement->arena_bytes, measurement->seed);
    if (!values || !model ||
        arena_map(&arena, measurement->arena_bytes, measurement->run.turns[0].task.plan.pages, -1,
                  &error) < 0)
        abort();
    model_scatter_moods(model, random_next(random));
    for (unsigned i = 0; i < trials; i++) {
        struct worker worker = {0};
        struct trial trial = {.plan = &measurement->run.turns[0].task.plan,
                              .point = point,
                              .arena = &arena,
                              .seed = random_next(random),
                              .operations = 1,
                              .workers = &worker,
                              .probe_state = measurement->run.turns[0].task.state};
        model_set_now_s(model, from_s + lasted_s * random_unit(random));
        values[i] = one_trial(measurement, model, &trial, repeats);
    }
    sort_ascending(values, trials);
    double truth = median(values, trials);
    arena_unmap(&arena);
    model_free(model);
    free(values);
    return truth;
}

/* --- points --- */

static const struct point *document_point(const struct measurement *measurement,
                                          const struct plan_point *planned)
{
    const struct series *series = &measurement->result.series[planned->series];
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x == planned->x)
            return &series->points[i];
    return NULL;
}

static bool same_point(const struct plan_point *a, const struct plan_point *b)
{
    return a->series == b->series && a->x == b->x;
}

static void check_point(struct coverage *coverage, struct measurement *measurement,
                        const struct plan_point *planned, unsigned trials, struct random *random)
{
    const struct kept_trial *kept[TRIALS_MOST];
    struct point_trials point = {kept, 0};
    double *scratch = calloc(TRIALS_MOST * BATCHES_MAX, sizeof *scratch);
    if (!scratch)
        abort();
    for (size_t i = 0; i < measurement->trial_count && point.count < TRIALS_MOST; i++)
        if (same_point(&measurement->trials[i].point, planned))
            kept[point.count++] = &measurement->trials[i];
    const struct kept_trial *first = point.trials[0], *last = point.trials[point.count - 1];
    const double truth = coverage_truth(measurement, measurement->machine, planned, first->repeats,
                                        first->at_s, last->at_s - first->at_s, trials, random);
    const bool few = point.count <= TRIALS_FEW;
    coverage->points++;
    coverage->few += few;
    for (unsigned i = 0; i < ESTIMATORS; i++) {
        struct span interval = estimators[i](&point, scratch);
        const bool covered =
            interval.low <= truth * (1 + rounding) && interval.high >= truth * (1 - rounding);
        coverage->covered[i] += covered;
        coverage->few_covered[i] += few && covered;
    }
    const struct point *shown = document_point(measurement, planned);
    struct span sound = interval_of_trials(&point, scratch);
    coverage->disagreements += !shown || shown->y.n != point.count ||
                               fabs((double)shown->y.low / sound.low - 1) > rounding ||
                               fabs((double)shown->y.high / sound.high - 1) > rounding;
    free(scratch);
}

void coverage_add(struct coverage *coverage, struct measurement *measurement, unsigned count,
                  unsigned trials, uint64_t bytes_most)
{
    struct random random = {random_mix(measurement->seed + 1)};
    /* Of the trials only those are taken that are their point's first, so all points have the same
     * chance. */
    size_t drawn[DRAWN_MOST];
    unsigned drawn_count = 0;
    for (unsigned tries = 0; drawn_count < count && drawn_count < DRAWN_MOST && tries < TRIES_MOST;
         tries++) {
        size_t at = (size_t)random_below(&random, measurement->trial_count);
        const struct plan_point *planned = &measurement->trials[at].point;
        bool first = true;
        for (size_t i = 0; i < at && first; i++)
            first = !same_point(&measurement->trials[i].point, planned);
        for (unsigned i = 0; i < drawn_count && first; i++)
            first = drawn[i] != at; /* a point that was drawn says nothing new */
        if (!first || planned->arena_bytes > bytes_most)
            continue;
        check_point(coverage, measurement, planned, trials, &random);
        drawn[drawn_count++] = at;
    }
}
