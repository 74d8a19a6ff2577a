#include "measure/probes/drive.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/chase.h"
#include "measure/probes/chase/trial_values.h"

extern const struct probe geometry_probe;

/* The machine that the tests are on. */
static struct {
    unsigned ways[2], way_stride[2], line[2];
    bool inclusive, hashed;
    double noise, spoiled; /* scatter; share of those that vote, which something disturbs */
    double busy;           /* share of all trials of the sweeps that a neighbour disturbs */
} built;

static void set_up(unsigned ways1, unsigned stride1, unsigned ways2, unsigned stride2)
{
    built.ways[0] = ways1;
    built.ways[1] = ways2;
    built.way_stride[0] = stride1;
    built.way_stride[1] = stride2;
    built.line[0] = built.line[1] = 64;
    built.inclusive = true;
    built.hashed = false;
    built.noise = built.spoiled = built.busy = 0;
}

/* Whether that many lines, a stride apart, contend for more than a level's sets hold. */
static bool overflows(int level, double stride, double lines)
{
    double sets = fmax(1, built.way_stride[level] / stride);
    return !(level == 1 && built.hashed) && lines > sets * built.ways[level];
}

static double factor_of(const struct series *series, const char *name)
{
    const struct factor *factor = series_factor(series, name);
    return factor ? factor->number : NAN;
}

static double cycles(const struct probe_task *task, const struct plan_point *point, unsigned trial)
{
    static const double latency[] = {5, 15, 60, 200};
    const struct series *series = &task->plan.series[point->series];
    struct random random = {random_mix(point->series * 1000003u + (uint64_t)point->x) + trial};
    double value = NAN;
    if (strcmp(series->name, "conflicts") == 0) {
        double stride = factor_of(series, "stride");
        bool first = overflows(0, stride, point->x), second = overflows(1, stride, point->x);
        value = latency[first + (first && second)];
        const unsigned votes = task->values->trials;
        const unsigned voter = trial % votes;
        if (voter < built.spoiled * votes && point->x > 3 + voter)
            value += 10;
        if (random_unit(&random) < built.busy && point->x > 3)
            value += 10;
    } else if (strcmp(series->name, "pairs") == 0) {
        int level = (int)factor_of(series, "level") - 1;
        double second = point->x < built.line[0] ? latency[0] : latency[1];
        if (level == 1 && point->x >= built.line[1])
            second = latency[2];
        value = (latency[level + 1] + second) / 2;
    } else if (strcmp(series->name, "hot lines") == 0) {
        double others = built.ways[1] * 1.5;
        bool lost = built.inclusive && point->x > 0;
        value = (latency[2] + latency[0]) / 2;
        value += lost ? 2 * 1.5 * (latency[2] - latency[0]) / (2 * others) : 0;
    }
    return value * (1 + built.noise * (random_unit(&random) - 0.5));
}

static double value(const struct bench *bench, const char *name)
{
    return bench_finding(bench, name)->value;
}

static void geometry_is_exact(void **state)
{
    static const unsigned shapes[][4] = {
        {8, 4096, 16, 65536}, {12, 4096, 16, 131072}, {4, 16384, 16, 32768},
        {2, 8192, 16, 65536}, {6, 4096, 20, 65536},   {3, 4096, 5, 262144},
    };
    struct bench *bench = *state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int noisy = 0; noisy < 2; noisy++) {
            const unsigned *shape = shapes[i];
            set_up(shape[0], shape[1], shape[2], shape[3]);
            built.noise = noisy * 0.01;
            drive(bench, &geometry_probe, 0, cycles);
            assert_true(value(bench, "L1.ways") == shape[0]);
            assert_true(value(bench, "L1.way_stride") == shape[1]);
            assert_true(value(bench, "L2.ways") == shape[2]);
            assert_true(value(bench, "L2.way_stride") == shape[3]);
            assert_true(value(bench, "L1.line") == 64);
            assert_true(value(bench, "L2.line") == 64);
            assert_true(value(bench, "L2.inclusive") == 1);
            assert_true(bench_finding(bench, "L1.ways")->declared == 8);
        }
}

static void a_level_that_keeps_its_lines_is_not_inclusive_of(void **state)
{
    struct bench *bench = *state;
    set_up(12, 4096, 16, 131072);
    built.inclusive = false;
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L2.inclusive") == 0);
}

static void a_first_level_with_as_many_ways_hides_the_second(void **state)
{
    static const unsigned ways[] = {4, 8};
    struct bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        set_up(8, 4096, ways[i], 65536);
        drive(bench, &geometry_probe, 0, cycles);
        assert_true(value(bench, "L1.ways") == 8);
        assert_true(isnan(value(bench, "L2.ways")));
        assert_non_null(strstr(bench_finding(bench, "L2.ways")->text, "that level's"));
    }
}

static void a_hashed_index_has_no_ways(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 8, 65536);
    built.hashed = true;
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L1.ways") == 8);
    assert_true(isnan(value(bench, "L2.ways")));
    assert_true(isnan(value(bench, "L2.inclusive")));
    assert_non_null(strstr(bench_finding(bench, "L2.ways")->text, "hashed"));
}

static void pairs_of_lines_are_no_longer_lines(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 8, 65536);
    built.line[1] = 128; /* as with an adjacent-line prefetcher; 64 is declared */
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L1.line") == 64);
    assert_true(isnan(value(bench, "L2.line")));
    bench->caches[1].line_bytes = 128;
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L2.line") == 128);
}

static void ways_and_capacity_that_contradict_are_reported(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 16, 65536); /* as declared: 32 KiB and 1 MiB */
    drive(bench, &geometry_probe, 0, cycles);
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_null(strstr(bench->result.findings[i].name, "disagreement"));
    set_up(8, 4096, 16, 131072);
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L2.disagreement") == 16 * 131072);
    assert_true(bench_finding(bench, "L2.disagreement")->declared == 1 << 20);
}

static void fewer_ways_than_the_capacity_makes_are_reported_once(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 10, 65536); /* of 16 */
    drive(bench, &geometry_probe, 0, cycles);
    const struct finding *ways = bench_finding(bench, "L2.ways");
    assert_true(ways->value == 10);
    assert_int_equal(ways->flags & FLAG_BIT(FLAG_OCCUPIED), FLAG_BIT(FLAG_OCCUPIED));
    assert_non_null(strstr(ways->text, "the rest was held by"));
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_null(strstr(bench->result.findings[i].name, "disagreement"));
}

static void small_pages_tell_of_the_first_level_alone(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 16, 65536);
    drive(bench, &geometry_probe, FLAG_BIT(FLAG_SMALL_PAGES), cycles);
    assert_true(value(bench, "L1.ways") == 8);
    assert_true(isnan(value(bench, "L2.ways")));
    assert_non_null(strstr(bench_finding(bench, "L2.ways")->text, "huge pages"));
}

static void disturbed_trials_are_outvoted_or_make_no_number(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 16, 65536);
    built.spoiled = 0.2;
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L1.ways") == 8);
    built.spoiled = 0.7;
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(isnan(value(bench, "L1.ways")));
    assert_true(isnan(value(bench, "L1.way_stride")));
}

/* Of hundreds of short trials a neighbour leaves some alone. */
static void a_neighbour_that_leaves_gaps_takes_no_ways(void **state)
{
    struct bench *bench = *state;
    set_up(12, 4096, 16, 65536);
    built.busy = 0.7;
    built.noise = 0.01;
    drive(bench, &geometry_probe, 0, cycles);
    assert_true(value(bench, "L1.ways") == 12);
    assert_true(value(bench, "L2.ways") == 16);
}

static double no_time(const struct probe_task *task, const struct plan_point *point, unsigned trial)
{
    return NAN;
}

static void without_time_nothing_is_claimed(void **state)
{
    struct bench *bench = *state;
    set_up(8, 4096, 16, 65536);
    drive(bench, &geometry_probe, 0, no_time);
    for (size_t i = 0; i < bench->result.finding_count; i++) {
        assert_true(isnan(bench->result.findings[i].value));
        assert_non_null(bench->result.findings[i].text);
    }
}

static void without_memory_it_is_refused(void **state)
{
    struct bench *bench = *state;
    bench->machine.memory_available_bytes = 16 << 20;
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &geometry_probe, NULL), ERROR_IMPOSSIBLE);
    assert_non_null(strstr(bench->error.text, "42 MiB"));
}

static void a_trial_chases_its_own_chain(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &geometry_probe, NULL), 0);
    drive_rings(bench, &geometry_probe, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(geometry_is_exact),
        BENCH_TEST(a_level_that_keeps_its_lines_is_not_inclusive_of),
        BENCH_TEST(a_first_level_with_as_many_ways_hides_the_second),
        BENCH_TEST(a_hashed_index_has_no_ways),
        BENCH_TEST(pairs_of_lines_are_no_longer_lines),
        BENCH_TEST(ways_and_capacity_that_contradict_are_reported),
        BENCH_TEST(fewer_ways_than_the_capacity_makes_are_reported_once),
        BENCH_TEST(small_pages_tell_of_the_first_level_alone),
        BENCH_TEST(disturbed_trials_are_outvoted_or_make_no_number),
        BENCH_TEST(a_neighbour_that_leaves_gaps_takes_no_ways),
        BENCH_TEST(without_time_nothing_is_claimed),
        BENCH_TEST(without_memory_it_is_refused),
        BENCH_TEST(a_trial_chases_its_own_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
