/* What can be told of two ways by two counters, from counters and ways that are known. */
#include "support.h"

#include "engine/visit.h"
#include "kernels/handoff.h"

#include <math.h>
#include <stdio.h>

enum { CPUS = 4 };

/* Ticks that each counter is ahead, and half a nanosecond a tick. */
static const int64_t ahead[CPUS] = {0, 1000, -300, 40};
static const double tick_ns = 0.5;

/* Each way takes 200 ticks, but from 0 to 1, 1 to 2 and 2 to 0 it is `longer`: what goes around in
 * a circle, no counter can account for. */
static int64_t way(int from, int to, int64_t longer)
{
    bool around = from < 3 && to < 3 && to == (from + 1) % 3;
    return 200 + (around ? longer : 0);
}

static void observe_all(struct bench *bench, int64_t longer)
{
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        int64_t there = way(point->from, point->to, longer) + ahead[point->to] - ahead[point->from];
        int64_t back = way(point->to, point->from, longer) + ahead[point->from] - ahead[point->to];
        struct handoff_one_way first = {.least = 2 * back, .last_ticks = 4000};
        struct handoff_one_way second = {.least = 2 * there};
        struct worker workers[2] = {{.state = &first}, {.state = &second}};
        struct trial trial = {.plan = plan, .point = point, .workers = workers, .operations = 2};
        struct batch batches[] = {{1000, 3e9}, {4000 * tick_ns, 3e9}};
        cores_probe.observe(&bench->task, &(struct observation){.trial = &trial,
                                                                .batches = batches,
                                                                .batch_count = 2,
                                                                .repeats = 10});
    }
}

static void conclude(struct bench *bench)
{
    struct sampled sampled = {0};
    struct plan *plan = &bench->task.plan;
    struct series *series = &plan->series[0];
    for (size_t i = 0; i < plan->point_count; i++) {
        struct point *point = pool_append(&bench->pool, (void **)&series->points,
                                          &series->point_count, sizeof *point);
        double ns = 100;
        *point = (struct point){.from = plan->points[i].from, .to = plan->points[i].to};
        summarize(&ns, 1, &ns, &point->y);
    }
    bench->result.series = series;
    bench->result.series_count = 1;
    assert_int_equal(cores_probe.conclude(&bench->task, &sampled, NULL), 0);
}

static const struct finding *find(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

static void plan_one_way(struct bench *bench, const char *cpus)
{
    const char *missing;
    if (!handoff_find(HANDOFF_ONE_WAY, &missing))
        skip();
    assert_int_equal(bench_plan(bench, &cores_probe, "op", "one-way", "cpus", cpus, NULL), 0);
}

static void offsets_alone_leave_no_asymmetry(void **state)
{
    struct bench *bench = *state;
    plan_one_way(bench, "0-3");
    observe_all(bench, 0);
    conclude(bench);
    const struct finding *difference = find(bench, "cores.one-way.difference");
    assert_true(fabs(difference->value - 2 * 1300 * tick_ns) < 1e-6);
    assert_string_equal(difference->cpus, "1,2");
    assert_non_null(strstr(difference->text, "the counter of CPU 1 is 650.0 ns ahead, or"));
    assert_true(find(bench, "cores.one-way.asymmetry")->value < 1e-6);
}

/* The circle of three adds 60 ticks to each of its ways and takes them from the way back: d is 60
 * around it, and the columns' means are untouched. */
static void what_goes_around_in_a_circle_is_in_the_ways(void **state)
{
    struct bench *bench = *state;
    plan_one_way(bench, "0-3");
    observe_all(bench, 60);
    conclude(bench);
    const struct finding *asymmetry = find(bench, "cores.one-way.asymmetry");
    assert_true(fabs(asymmetry->value - 60 * tick_ns) < 1e-6);
    assert_non_null(strstr(asymmetry->text, "no offsets of the counters"));
}

static void two_cores_alone_can_not_tell(void **state)
{
    struct bench *bench = *state;
    plan_one_way(bench, "0,1");
    observe_all(bench, 60);
    conclude(bench);
    const struct finding *difference = find(bench, "cores.one-way.difference");
    assert_true(fabs(difference->value - (2 * 1000 + 60) * tick_ns) < 1e-6);
    assert_non_null(strstr(difference->text, "the sum of both ways is certain"));
    assert_null(find(bench, "cores.one-way.asymmetry"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(offsets_alone_leave_no_asymmetry),
        BENCH_TEST(what_goes_around_in_a_circle_is_in_the_ways),
        BENCH_TEST(two_cores_alone_can_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
