/* What can be known of two ways by two counters, from counters and ways that are known. */
#include "support.h"

#include "measure/kernels/handoff.h"

#include <math.h>
#include <stdio.h>

extern const struct probe cores_probe;

enum { CPUS = 4 };

/* Ticks that each counter is ahead, and half a nanosecond a tick. */
static const int64_t ahead[CPUS] = {0, 1000, -300, 40};
static const double tick_ns = 0.5;

enum { LINES = 64, PASSES = 2, WAY = 200 };

/* What the ways and the counter are like. */
struct scene {
    int64_t around;  /* ticks that 0 to 1, 1 to 2 and 2 to 0 take longer: what goes around in a
                        circle, no counter can account for */
    int64_t one_way; /* that 0 to 1 alone takes longer */
    int64_t scatter; /* that a way is longer on every other line, and shorter on the others */
    uint64_t step;   /* of the counter */
    unsigned lines;  /* measured of each pair */
};

static int64_t way(const struct scene *scene, int from, int to, unsigned line)
{
    const bool around = from < 3 && to < 3 && to == (from + 1) % 3;
    /* Both directions of a pair see the same, as they are of the same line. */
    const int64_t scatter = from < to ? scene->scatter : 0;
    return WAY + (around ? scene->around : 0) + (from == 0 && to == 1 ? scene->one_way : 0) +
           (line % 2 ? scatter : -scatter);
}

static void observe(struct bench *bench, const struct scene *scene, const struct plan_point *point,
                    unsigned line, bool reference)
{
    const int i = point->from, j = point->to;
    int64_t there = way(scene, i, j, line) + ahead[j] - ahead[i];
    int64_t back = way(scene, j, i, line) + ahead[i] - ahead[j];
    const uint64_t ticks = 4000 + scene->step * (line % 2);
    /* Half ticks, and the side that wrote the stamp in the lowest bit. */
    struct handoff_one_way first = {.least = 2 * back - 1, .last_ticks = ticks};
    struct handoff_one_way second = {.least = 2 * there + 1};
    struct worker workers[2] = {{.state = &first}, {.state = &second}};
    struct trial trial = {
        .plan = &bench->task.plan, .point = point, .workers = workers, .operations = 2};
    struct batch batches[] = {{1000, 3e9}, {(double)ticks * tick_ns, 3e9}};
    cores_probe.observe(&bench->task, &(struct observation){.trial = &trial,
                                                            .batches = batches,
                                                            .batch_count = 2,
                                                            .repeats = 10,
                                                            .reference = reference});
}

static void observe_all(struct bench *bench, const struct scene *scene)
{
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i++)
        for (unsigned trial = 0; trial < PASSES * scene->lines; trial++)
            observe(bench, scene, &plan->points[i], trial % scene->lines, false);
}

static void conclude(struct bench *bench)
{
    struct stage_outcome outcome = {0};
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
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
}

static void conclude_of(struct bench *bench, const char *cpus, const struct scene *scene)
{
    const char *missing;
    char lines[16];
    if (!handoff_find(HANDOFF_ONE_WAY, &missing))
        skip();
    snprintf(lines, sizeof lines, "%u", scene->lines);
    assert_int_equal(
        bench_plan(bench, &cores_probe, "op", "one-way", "cpus", cpus, "lines", lines, NULL), 0);
    observe_all(bench, scene);
    /* The reference's lines are measured again and again, and do not count. */
    for (int i = 0; i < LINES; i++)
        observe(bench, &(struct scene){.one_way = 600, .step = 1, .lines = LINES},
                &bench->task.plan.points[0], 0, true);
    conclude(bench);
}

static bool is_near(double value, double ticks)
{
    return fabs(value - ticks * tick_ns) < 1e-6;
}

static void what_two_cores_differ_by_may_be_their_counters(void **state)
{
    struct bench *bench = *state;
    conclude_of(bench, "0-3", &(struct scene){.step = 1, .lines = LINES});
    const struct finding *difference = bench_finding(bench, "cores.one-way.difference");
    assert_true(is_near(difference->value, 2 * 1300));
    /* Nothing scatters, so one tick is all that is not certain. */
    assert_true(is_near(difference->high, 2601) && is_near(difference->low, 2599));
    assert_string_equal(difference->cpus, "1,2");
    assert_non_null(strstr(difference->text, "the counter of CPU 1 is 650.0 ns ahead, or"));
    assert_null(bench_find(bench, "cores.one-way.asymmetry"));
    /* Two cores alone can't tell. */
    conclude_of(bench, "0,1", &(struct scene){.around = 60, .step = 1, .lines = LINES});
    difference = bench_finding(bench, "cores.one-way.difference");
    assert_true(is_near(difference->value, 2 * 1000 + 60));
    assert_non_null(strstr(difference->text, "the sum of both ways is certain"));
    assert_null(bench_find(bench, "cores.one-way.asymmetry"));
    /* Counters that are 40 ticks apart: 80 there and back, which is less than a step. */
    conclude_of(bench, "0,3", &(struct scene){.step = 100, .lines = LINES});
    difference = bench_finding(bench, "cores.one-way.difference");
    assert_true(difference->low < 0);
    assert_non_null(strstr(difference->text, "no more than the lines' scatter and one step"));
}

static void what_goes_around_in_a_circle_is_in_the_ways(void **state)
{
    struct bench *bench = *state;
    conclude_of(bench, "0-3", &(struct scene){.around = 60, .step = 1, .lines = LINES});
    const struct finding *asymmetry = bench_finding(bench, "cores.one-way.asymmetry");
    assert_true(is_near(asymmetry->value, 60) && is_near(asymmetry->low, 59));
    assert_string_equal(asymmetry->cpus, "0-2");
    assert_non_null(strstr(asymmetry->text, "from CPU 0 to 1 to 2 and back to 0 stamps seem to "
                                            "take 90.0 ns longer"));
    /* Offsets of a third for CPU 0 and as much the other way for CPU 1 would leave only a third,
     * though those that fit best leave half. */
    conclude_of(bench, "0-3", &(struct scene){.one_way = 60, .step = 1, .lines = LINES});
    assert_true(is_near(bench_finding(bench, "cores.one-way.asymmetry")->value, 20));
}

static void what_scatter_or_a_step_explains_is_left_out(void **state)
{
    struct bench *bench = *state;
    static const struct {
        struct scene scene;
        bool reported;
    } cases[] = {
        {{.around = 60, .scatter = 20, .step = 1, .lines = LINES}, true},
        {{.around = 60, .scatter = 200, .step = 1, .lines = LINES}, false},
        {{.around = 60, .step = 50, .lines = LINES}, true},
        {{.around = 60, .step = 80, .lines = LINES}, false},
        {{.around = 60, .scatter = 20, .step = 1, .lines = 2}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool few = cases[i].scene.lines == 2;
        conclude_of(bench, "0-2", &cases[i].scene);
        assert_int_equal(bench_find(bench, "cores.one-way.asymmetry") != NULL, cases[i].reported);
        const struct finding *difference = bench_finding(bench, "cores.one-way.difference");
        assert_int_equal(isnan(difference->low), few);
        assert_int_equal(strstr(difference->text, "but too few lines were measured") != NULL, few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(what_two_cores_differ_by_may_be_their_counters),
        BENCH_TEST(what_goes_around_in_a_circle_is_in_the_ways),
        BENCH_TEST(what_scatter_or_a_step_explains_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
