#include "support.h"

#include "document/flag.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/chase_index.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe latency_probe;

static void listed_sizes_are_sorted_and_each_once(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "sizes", "1M,16K,100,1M,127", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 3);
    assert_true(plan->points[0].x == 64); /* whole lines */
    assert_true(plan->points[1].x == 16 << 10);
    assert_true(plan->points[2].x == 1 << 20);
}

static void the_first_cpu_of_the_fastest_kind_measures(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    assert_int_equal(bench->task.plan.points[0].seats[0].cpu, 3);
    assert_int_equal(bench->task.plan.touch_cpu, 3);
    assert_int_equal(bench_plan(bench, &latency_probe, "cpu", "1", NULL), 0);
    assert_int_equal(bench->task.plan.points[0].seats[0].cpu, 1);
    assert_int_equal(bench_plan(bench, &latency_probe, "cpus", "0-2", NULL), 0);
    assert_int_equal(bench->task.plan.points[0].seats[0].cpu, 0);
}

static void assert_refused(struct bench *bench, const char *name, const char *value,
                           const char *said)
{
    assert_int_equal(bench_plan(bench, &latency_probe, name, value, NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, said));
}

static void what_the_machine_lacks_is_refused_by_name(void **state)
{
    struct bench *bench = *state;
    assert_refused(bench, "cpus", "0,9", "CPU 9");
    assert_refused(bench, "cpus", "5", "mask");
    assert_refused(bench, "cpu", "5", "--cpu 5");
    assert_refused(bench, "node", "3", "--node 3");
    assert_refused(bench, "to", "5G", "at most 4 GiB");
    assert_refused(bench, "sizes", "1K,5G", "--sizes 5 GiB");
    assert_refused(bench, "from", "1G", "larger than");
    assert_int_equal(bench_plan(bench, &latency_probe, "sizes", "4K", "to", "8K", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--to"));
    assert_refused(bench, "sizes", "32", "stride");
    assert_refused(bench, "stride", "65", "multiple of");
    assert_refused(bench, "order", "sideways", "sideways");
    assert_refused(bench, "order", "random-in-block:", "random-in-block:");
    assert_refused(bench, "order", "random-in-block:8", "stride");
}

static void assert_contradiction(struct bench *bench, const char *a, const char *a_value,
                                 const char *b, const char *b_value, const char *said)
{
    assert_int_equal(bench_plan(bench, &latency_probe, a, a_value, b, b_value, NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, said));
    assert_null(strchr(bench->error.text, '\n'));
}

static void contradictions_are_refused_in_one_line(void **state)
{
    struct bench *bench = *state;
    assert_contradiction(bench, "size", "4K", "count", "2", "--count");
    assert_contradiction(bench, "size", "4K", "from", "2K", "--from");
    assert_contradiction(bench, "count", "4", "sizes", "2K", "--sizes");
    assert_contradiction(bench, "element", "packed", "stride", "64", "--element packed");
    assert_contradiction(bench, "address", "index", "stride", "512", "not 512");
    assert_contradiction(bench, "access", "modify", "element", "packed", "--element padded");
    assert_contradiction(bench, "access", "modify", "address", "spilled", "--address spilled");
    assert_contradiction(bench, "table", NULL, "address", "index", "--address");
    assert_contradiction(bench, "table", NULL, "size", "4K", "--size");
    assert_contradiction(bench, "count", "1000000000000", "stride", "64", "--count");
    assert_contradiction(bench, "size", "32", "element", "padded", "smaller than the stride");
    assert_refused(bench, "align", "24", "power of two");
    assert_refused(bench, "order", "forward-in-block:8", "stride");
    assert_refused(bench, "order", "rand", "rand");
    assert_refused(bench, "order", "random:64", "random:64");
}

static void orders_are_reported_as_they_were_asked_for(void **state)
{
    struct bench *bench = *state;
    static const char *const said[][2] = {{"random", "random"},
                                          {"backward", "backward"},
                                          {"random-in-block:4K", "random-in-block:4K"},
                                          {"forward-in-block:1M", "forward-in-block:1024K"}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        assert_int_equal(bench_plan(bench, &latency_probe, "order", said[i][0], NULL), 0);
        assert_string_equal(series_factor(&bench->task.plan.series[0], "order")->text, said[i][1]);
    }
}

/* Gives the planned points the latency that `latency_ns` says, as a stage would. */
static void fill(struct bench *bench, double (*latency_ns)(double))
{
    struct probe_task *task = &bench->task;
    struct series *series = task->plan.series;
    series->points = pool_alloc(&bench->pool, task->plan.point_count, sizeof *series->points);
    series->point_count = task->plan.point_count;
    for (size_t i = 0; i < series->point_count; i++) {
        double x = task->plan.points[i].x, ns = latency_ns(x);
        series->points[i] =
            (struct point){.x = x,
                           .y = {.median = (float)ns,
                                 .low = (float)ns,
                                 .high = (float)ns,
                                 .coverage = 0.96f,
                                 .n = 6},
                           .cycles = {(float)(3 * ns), (float)(3 * ns), (float)(3 * ns)}};
    }
    task->result->series = series;
    task->result->series_count = 1;
}

static double steps(double bytes)
{
    return bytes <= 32 << 10 ? 1 : bytes <= 1 << 20 ? 5 : bytes <= 16 << 20 ? 20 : 100;
}

static void a_short_sweep_names_no_level_that_it_did_not_reach(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &latency_probe, "to", "128K", NULL), 0);
    fill(bench, steps);
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    assert_non_null(bench_find(bench, "L1.latency"));
    assert_null(bench_find(bench, "L3.latency"));
    assert_null(bench_find(bench, "DRAM.latency"));
    assert_null(bench_find(bench, "core.clock"));
}

static double factor_of(const struct finding *finding, const char *name)
{
    for (size_t i = 0; i < finding->factor_count; i++)
        if (strcmp(finding->factors[i].name, name) == 0)
            return finding->factors[i].number;
    return NAN;
}

static const char *text_of(const struct finding *finding, const char *name)
{
    for (size_t i = 0; i < finding->factor_count; i++)
        if (strcmp(finding->factors[i].name, name) == 0 && finding->factors[i].text)
            return finding->factors[i].text;
    return "";
}

static void every_size_that_was_named_has_its_latency(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    static const double sizes[] = {4096, 262144, 134217728};
    static const char *const texts[] = {"4 KiB", "256 KiB", "128 MiB"};
    assert_int_equal(bench_plan(bench, &latency_probe, "sizes", "4K,256K,128M", NULL), 0);
    fill(bench, steps);
    bench->result.series[0].points[1].flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    for (int ns = 0; ns < 2; ns++) {
        size_t seen = 0;
        for (size_t i = 0; i < bench->result.finding_count; i++) {
            const struct finding *finding = &bench->result.findings[i];
            if (strcmp(finding->name, ns ? "latency_ns" : "latency") != 0)
                continue;
            assert_string_equal(finding->unit, ns ? "ns" : "cycles");
            assert_string_equal(text_of(finding, "working set"), texts[seen]);
            assert_true(factor_of(finding, "stride") == 64);
            assert_true(finding->value == (ns ? 1 : 3) * steps(sizes[seen]));
            assert_int_equal(finding->flags, seen == 1 ? FLAG_BIT(FLAG_TOO_FEW) : 0);
            seen++;
        }
        assert_int_equal(seen, 3);
    }
}

static void two_experiments_are_analysed_by_themselves(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    fill(bench, steps);
    struct series two[2] = {bench->result.series[0], bench->result.series[0]};
    struct factor forward = {"order", "forward", 0};
    two[1].factors = &forward;
    two[1].factor_count = 1;
    bench->result.series = two;
    bench->result.series_count = 2;
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    size_t found = 0, of_forward = 0;
    for (size_t i = 0; i < bench->result.finding_count; i++) {
        const struct finding *finding = &bench->result.findings[i];
        if (strcmp(finding->name, "L2.latency") != 0)
            continue;
        found++;
        of_forward += finding->factors[0].text && strcmp(finding->factors[0].text, "forward") == 0;
    }
    assert_true(found == 2 && of_forward == 1);
}

/* From 2 MiB on: of 16 MiB that are there when the cache was just filled, a chase keeps 4. */
static void a_chase_that_comes_back_later_keeps_less(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    static const float ns[] = {20, 20, 80, 100, 100, 100};
    struct point points[6];
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    fill(bench, steps);
    for (size_t i = 0; i < 6; i++)
        points[i] = (struct point){
            .x = (double)((2 << 20) << i),
            .y = {.median = ns[i], .low = ns[i], .high = ns[i], .coverage = 0.96f, .n = 6}};
    struct series both[2] = {bench->result.series[0], bench->result.series[0]};
    both[1].name = "long chase";
    both[1].headline = false;
    both[1].points = points;
    both[1].point_count = 6;
    bench->result.series = both;
    bench->result.series_count = 2;
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    const struct finding *kept = bench_find(bench, "L3.kept"),
                         *chased = bench_find(bench, "L3.chased"),
                         *capacity = bench_find(bench, "L3.capacity");
    assert_true(kept && chased && capacity);
    assert_true(kept->value > 4 << 20 && kept->value < 8 << 20);
    assert_true(fabs(capacity->value / (16 << 20) - 1) < 0.2);
    assert_true(chased->value == (double)(capacity->value < 16 << 20 ? ns[2] : ns[3]));
    assert_non_null(strstr(chased->text, "just filled, a load takes 20 ns"));
    assert_non_null(strstr(capacity->text, "size buffers by that"));
}

/* Stands for the engine: the stage's series are done. */
static int go_on(struct bench *bench, double huge_share, unsigned stage)
{
    struct stage_outcome outcome = {.placement = {.huge_share = huge_share, .page_bytes = 2 << 20}};
    return probe_next(&bench->task, &outcome, stage, &bench->error);
}

/* The table's first stage, however many the levels take before it. */
static unsigned reach_table(struct bench *bench, double huge_share)
{
    unsigned stage = 1;
    const size_t before = bench->task.plan.series_count;
    fill(bench, steps);
    while (bench->task.plan.series_count == before) {
        assert_int_equal(go_on(bench, huge_share, stage), 1);
        assert_true(stage++ < 16);
    }
    return stage;
}

/* L3 is declared with 512 MiB. With the steps of a machine whose third level ends at 16 MiB DRAM
 * was reached; where the second level's latency goes on, it was not. */
static double only_two_levels(double bytes)
{
    return fmin(steps(bytes), steps(1 << 20));
}

static void sizes_that_touch_much_memory_wait_until_dram_is_not_reached(void **state)
{
    struct bench *bench = *state;
    const struct plan *plan = &bench->task.plan;
    bench->caches[2].size_bytes = 512 << 20;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    fill(bench, only_two_levels);
    assert_int_equal(go_on(bench, 1, 1), 1);
    assert_int_equal(plan->point_count, 2); /* the octave in which memory is read, in any case */
    assert_true(plan->points[0].x == 512 << 20 && plan->points[1].x < 727 << 20);
    assert_int_equal(go_on(bench, 1, 2), 1);
    assert_int_equal(plan->point_count, 4 * 2 - 2); /* two an octave above 64 MiB */
    assert_true(plan->points[0].x > 64 << 20);
    assert_true(plan->points[plan->point_count - 1].x == 1 << 30);
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    fill(bench, steps);
    for (unsigned stage = 1; go_on(bench, 1, stage) == 1; stage++) /* knees */
        for (size_t i = 0; i < plan->point_count && stage > 1; i++)
            assert_true(plan->points[i].x <= 64 << 20);
}

/* Both states are measured where a core's own caches end, but not in a quick run. */
static void a_long_chase_is_measured_beyond_a_cores_own_caches(void **state)
{
    struct bench *bench = *state;
    const struct plan *plan = &bench->task.plan;
    for (int quick = 0; quick < 2; quick++) {
        size_t seen = 0;
        assert_int_equal(bench_plan(bench, &latency_probe, quick ? "quick" : NULL, NULL, NULL), 0);
        fill(bench, steps);
        for (unsigned stage = 1; go_on(bench, 1, stage) == 1; stage++)
            if (strcmp(plan->series[plan->points[0].series].name, "long chase") == 0)
                for (size_t i = 0; i < plan->point_count; i++, seen++)
                    assert_true(fabs(plan->points[i].x - (2 << 20) * exp2((double)i / 2)) <= 32);
        assert_int_equal(seen, quick ? 0 : 11); /* to 64 MiB */
    }
    assert_int_equal(bench_plan(bench, &latency_probe, "state", "chased", NULL), 0);
    assert_string_equal(series_factor(&plan->series[0], "state")->text, "chased");
}

/* Two sizes in each of 32 KiB, 1 MiB and 16 MiB, and two beyond, the smallest first. */
static void two_sizes_of_each_level_are_looked_at_first(void **state)
{
    struct bench *bench = *state;
    const struct plan *plan = &bench->task.plan;
    static const double ends[] = {0, 32 << 10, 1 << 20, 16 << 20, 1 << 30};
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    assert_int_equal(plan->look_count, 8);
    for (size_t i = 0; i < plan->look_count; i++) {
        const double x = plan->points[plan->look[i]].x;
        assert_true(x > ends[i / 2] && x <= ends[i / 2 + 1]);
        assert_true(i == 0 || x > plan->points[plan->look[i - 1]].x);
    }
}

static void the_table_has_all_variants_in_every_level(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "table", NULL, NULL), 0);
    unsigned stage = reach_table(bench, 1);
    const struct plan *plan = &bench->task.plan;
    const size_t variants = plan->series_count - 1;
    assert_true(variants >= 9);
    assert_int_equal(plan->point_count, variants * 4);
    assert_int_equal(plan->pages, PAGES_AUTO);
    assert_true(plan->trials_min >= 3);
    for (size_t i = 0; i < plan->point_count; i++) {
        /* Half, half, a third, and beyond 16 MiB. */
        static const double least[] = {12 << 10, 400 << 10, 4 << 20, 32 << 20};
        static const double most[] = {20 << 10, 600 << 10, 7 << 20, 128 << 20};
        assert_in_range(plan->points[i].series, 1, variants);
        assert_true(plan->points[i].x >= least[i % 4] && plan->points[i].x <= most[i % 4]);
        assert_true(plan->points[i].x == (double)plan->points[i].bytes);
    }
    for (size_t i = 1; i <= variants; i++)
        for (size_t j = i + 1; j <= variants; j++)
            assert_string_not_equal(plan->series[i].name, plan->series[j].name);
    /* Then the same on small pages, and that is all. */
    assert_int_equal(go_on(bench, 1, stage), 1);
    assert_int_equal(plan->pages, PAGES_SMALL);
    assert_int_equal(plan->series_count, 1 + 2 * variants);
    assert_int_equal(plan->point_count, variants * 4);
    assert_int_equal(go_on(bench, 0, stage + 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(listed_sizes_are_sorted_and_each_once),
        BENCH_TEST(the_first_cpu_of_the_fastest_kind_measures),
        BENCH_TEST(what_the_machine_lacks_is_refused_by_name),
        BENCH_TEST(contradictions_are_refused_in_one_line),
        BENCH_TEST(orders_are_reported_as_they_were_asked_for),
        BENCH_TEST(two_sizes_of_each_level_are_looked_at_first),
        BENCH_TEST(sizes_that_touch_much_memory_wait_until_dram_is_not_reached),
        BENCH_TEST(a_long_chase_is_measured_beyond_a_cores_own_caches),
        BENCH_TEST(the_table_has_all_variants_in_every_level),
        BENCH_TEST(a_short_sweep_names_no_level_that_it_did_not_reach),
        BENCH_TEST(every_size_that_was_named_has_its_latency),
        BENCH_TEST(two_experiments_are_analysed_by_themselves),
        BENCH_TEST(a_chase_that_comes_back_later_keeps_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
