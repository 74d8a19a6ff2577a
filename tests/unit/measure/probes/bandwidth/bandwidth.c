#include "support.h"

#include "measure/kernels/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct probe bandwidth_probe;

static const uint64_t KIB = 1 << 10, MIB = 1 << 20;

static const char *factor_of(const struct series *series, const char *name)
{
    const struct factor *factor = series_factor(series, name);
    return factor ? factor->text : NULL;
}

/* The stage that follows. */
static int next(struct bench *bench, unsigned stage)
{
    struct stage_outcome outcome = {0};
    return probe_next(&bench->task, &outcome, stage, &bench->error);
}

static size_t points_by(const struct bench *bench, const char *kernel, const char *level)
{
    const struct plan *plan = &bench->task.plan;
    size_t count = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct series *series = &plan->series[plan->points[i].series];
        const char *at = factor_of(series, "level");
        count += strcmp(factor_of(series, "kernel"), kernel) == 0 &&
                 (level ? at && strcmp(at, level) == 0 : !at);
    }
    return count;
}

static unsigned arrays_of(const struct series *series)
{
    for (enum stream_op op = 0; op < STREAM_OPS; op++)
        if (strcmp(stream_op_names[op], factor_of(series, "kernel")) == 0) {
            const struct stream_kernel *kernel = stream_find(op, STREAM_SCALAR, NULL);
            return kernel->loads + kernel->stores;
        }
    return 0;
}

static void read_by_size_comes_first(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, 1);
    assert_string_equal(factor_of(&plan->series[0], "kernel"), "read");
    assert_string_equal(plan->series[0].y.unit, "B/s");
    assert_int_equal(plan->yields, OPERATIONS_PER_SECOND);
    assert_true(plan->point_count > 20);
    for (size_t i = 0; i < plan->point_count; i++) {
        assert_int_equal(plan->points[i].seat_count, 1);
        assert_int_equal(plan->points[i].seats[0].cpu, 3); /* of the fastest kind */
        assert_true((double)plan->points[i].bytes <= plan->points[i].x);
        assert_true((double)(plan->points[i].bytes + 4 * KIB) > plan->points[i].x);
    }
    assert_true(plan->points[plan->point_count - 1].x == 64.0 * (double)MIB);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(points_by(bench, "read", NULL), 0);
    assert_true(points_by(bench, "triad", NULL) > 10);
}

static void threads_join_in_at_every_level(void **state)
{
    struct bench *bench = *state;
    static const char *const levels[] = {"L1", "L2", "L3", "DRAM"};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read,triad", NULL), 0);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(next(bench, 2), 1);
    const struct plan *plan = &bench->task.plan;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(points_by(bench, "read", levels[i]), 5);
        assert_int_equal(points_by(bench, "triad", levels[i]), 5);
    }
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        const struct series *series = &plan->series[point->series];
        const uint64_t each = point->bytes * arrays_of(series);
        const char *level = factor_of(series, "level");
        assert_int_equal(point->seat_count, (unsigned)point->x);
        for (unsigned seat = 0; seat < point->seat_count; seat++)
            assert_int_equal(point->seats[seat].role, MEASURED);
        if (strcmp(level, "L1") == 0)
            assert_true(each <= 32 * KIB);
        if (strcmp(level, "L2") == 0)
            assert_true(each > 32 * KIB && each <= MIB);
        if (strcmp(level, "L3") == 0) /* which they share */
            assert_true(each * point->seat_count <= 16 * MIB && each > MIB);
        if (strcmp(level, "DRAM") == 0)
            assert_true(each * point->seat_count >= 63 * MIB);
    }
    assert_int_equal(next(bench, 3), 0); /* one node */
}

static void caches_have_no_stores_past_them(void **state)
{
    struct bench *bench = *state;
    if (!stream_find(STREAM_WRITE_NT, STREAM_SCALAR, NULL)) {
        assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "write_nt", NULL),
                         ERROR_USAGE);
        assert_non_null(strstr(bench->error.text, "write_nt"));
        return;
    }
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "write_nt,write", NULL), 0);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(next(bench, 2), 1);
    assert_int_equal(points_by(bench, "write_nt", "L2"), 0);
    assert_int_equal(points_by(bench, "write_nt", "DRAM"), 5);
    assert_int_equal(points_by(bench, "write", "L2"), 5);
}

static void a_level_that_holds_no_block_is_left_out(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read", "access",
                                "random-block:64K", "sizes", "1M,64M", NULL),
                     0);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(points_by(bench, "read", "L2"), 5);
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->series_count; i++) {
        const char *level = factor_of(&plan->series[i], "level");
        assert_true(!level || strcmp(level, "L1") != 0);
    }
}

/* Fresh memory for every round takes longer than a few short batches. */
static void trials_by_threads_are_worth_their_memory(void **state)
{
    struct bench *bench = *state;
    struct document document = {.probe_count = 1};
    struct probe_result other = {.name = "other"};
    document.probes = &other;
    bench->caches[2].size_bytes = 256 * MIB;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    const unsigned usual = plan->batches;
    bench->task.document = &document;
    assert_int_equal(next(bench, 1), 1);
    assert_true(plan->batches >= 2 * usual);
    /* Where there is little to touch, rounds are as short as others. */
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read", "size", "1M", NULL), 0);
    assert_int_equal(plan->batches, usual);
}

static void beside_other_probes_it_is_brief(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, NULL), 0);
    bench->task.several = true;
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(points_by(bench, "triad", NULL), 0);
    assert_int_equal(points_by(bench, "read", "L2"), 2); /* one CPU, and all */
    assert_int_equal(points_by(bench, "triad", "DRAM"), 2);
    assert_int_equal(points_by(bench, "triad", "L2"), 0);
    assert_int_equal(points_by(bench, "copy", "DRAM"), 0);
    assert_int_equal(next(bench, 2), 0);
}

/* DRAM, read by one CPU and by all, in little memory. */
static void a_quick_run_reads_dram_alone(void **state)
{
    struct bench *bench = *state;
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, 1);
    assert_string_equal(factor_of(&plan->series[0], "kernel"), "read");
    assert_string_equal(factor_of(&plan->series[0], "level"), "DRAM");
    assert_int_equal(plan->point_count, 2);
    assert_int_equal(plan->points[0].seat_count, 1);
    assert_int_equal(plan->points[1].seat_count, 5);
    for (size_t i = 0; i < 2; i++) { /* the cache of 16 MiB is shared by all */
        assert_true(plan->points[i].bytes * plan->points[i].seat_count > 63 * MIB);
        assert_true(plan->points[i].bytes * plan->points[i].seat_count <= 64 * MIB);
        assert_true(plan->points[i].arena_bytes <= 128 * MIB);
    }
    /* Another stage may have that memory, but until one comes all trials share it. */
    assert_int_equal(plan->arena_life, ARENA_WHOLE_STAGE);
    /* Beside many others less of it, because it takes time to touch. */
    struct document document = {.conditions = {.load1 = 12}};
    const size_t alone = plan->points[0].bytes;
    bench->task.document = &document;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    assert_int_equal(plan->points[0].bytes, alone / 2);
    document.conditions.load1 = NAN;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    assert_int_equal(plan->points[0].bytes, alone);
    bench->task.document = NULL;
    assert_int_equal(plan->look_count, 2); /* both before any gets a second trial */
    assert_int_equal(next(bench, 1), 0);
    /* By name, --quick is what it was. */
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    assert_true(plan->point_count > 20);
}

static void a_quick_run_leaves_out_what_takes_long_to_touch(void **state)
{
    struct bench *bench = *state;
    static const struct {
        unsigned cache_mib, points, cpus; /* of the first point */
    } cases[] = {{128, 2, 1},             /* twice that is 256 MiB for one CPU */
                 {260, 1, 5},             /* five CPUs together still can, one can't */
                 {1024, 0, 0}};
    const struct plan *plan = &bench->task.plan;
    bench->task.named = false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench->caches[2].size_bytes = cases[i].cache_mib * MIB;
        assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
        assert_int_equal(plan->point_count, cases[i].points);
        assert_true(!cases[i].points || plan->points[0].bytes <= 256 * MIB);
        assert_true(!cases[i].points || plan->points[0].seat_count == cases[i].cpus);
    }
    assert_int_equal(next(bench, 1), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_non_null(strstr(bench->result.reason, "without --quick"));
}

/* Of a cache of 1 GiB a few MiB are there: from 12 MiB on, loads take as long as DRAM's. */
static void a_quick_run_goes_by_the_cache_that_was_found(void **state)
{
    struct bench *bench = *state;
    const struct plan *plan = &bench->task.plan;
    struct point points[4] = {{.x = 0}};
    const float ns[] = {20, 98, 101, 100};
    for (size_t i = 0; i < 4; i++) {
        points[i].x = (double)((6 * MIB) << i);
        points[i].y = (struct summary){.median = ns[i], .n = 6};
    }
    struct series curve = {.name = "latency", .headline = true, .points = points, .point_count = 4};
    struct finding dram = {.name = "DRAM.latency_ns", .value = 100};
    struct probe_result latency = {.name = "latency",
                                   .series = &curve,
                                   .series_count = 1,
                                   .findings = &dram,
                                   .finding_count = 1};
    struct document document = {.probes = &latency, .probe_count = 1};
    bench->caches[2].size_bytes = 1024 * MIB;
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    assert_int_equal(plan->point_count, 0);
    bench->task.document = &document;
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(plan->point_count, 2);
    assert_int_equal(plan->series_count, 1);
    assert_true(plan->points[0].bytes == 256 * MIB); /* a cache of 64 MiB is passed whole */
    points[2].y.median = 50; /* the curve goes down again: nothing is sure before the largest */
    bench->task.document = NULL;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    bench->task.document = &document;
    assert_int_equal(next(bench, 1), 0);
}

static void each_cpu_touches_its_own_part(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(
        bench_plan(bench, &bandwidth_probe, "kernel", "copy", "size", "30M", "threads", "3", NULL),
        0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 3);
    assert_int_equal(plan->part_count, 3);
    size_t end = 0;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(plan->parts[i].cpu, plan->points[2].seats[i].cpu);
        assert_int_equal(plan->parts[i].at, end);
        assert_int_equal(plan->parts[i].at % (2 * MIB), 0);
        end += plan->parts[i].bytes;
        assert_int_equal(plan->points[i].arena_bytes, end);
        assert_true(plan->parts[i].bytes >= 30 * MIB / (i + 1));
    }
}

static void workers_have_arrays_of_their_own(void **state)
{
    struct bench *bench = *state;
    static const char *const access[] = {"sequential", "strided", "random-block:1K",
                                         "random-block:192"};
    for (size_t way = 0; way < 4; way++) {
        assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "triad,read", "size", "600K",
                                    "access", access[way], NULL),
                         0);
        const struct plan *plan = &bench->task.plan;
        for (size_t i = 0; i < plan->point_count; i++) {
            const struct plan_point *point = &plan->points[i];
            const unsigned arrays = arrays_of(&plan->series[point->series]);
            const struct trial *trial = bench_trial(bench, point, 99 + i, 0);
            for (unsigned seat = 0; seat < point->seat_count; seat++) {
                const struct stream *stream = bench->workers[seat].state;
                const unsigned char *part = bench->arena.memory + plan->parts[seat].at;
                const unsigned char *last = arrays == 3 ? stream->with : stream->from;
                assert_true(stream->to >= part);
                assert_true(last + point->bytes <= part + plan->parts[seat].bytes);
                /* One repeat is what it is counted as. */
                assert_int_equal(trial->operations, arrays * point->seat_count *
                                                        (way == 0 || way == 2 ? STREAM_STEP_BYTES
                                                                              : STREAM_LINE_BYTES));
                bench->workers[seat].run(bench->workers[seat].state, 3);
            }
            /* Warm is twice through, as this is less than the caches hold. */
            const double through = (double)(point->bytes * arrays * point->seat_count);
            const double warm = (double)trial->warm_repeats * trial->operations;
            assert_true(warm > 1.9 * through && warm <= 2 * through);
        }
    }
}

static void refuse(struct bench *bench, const char *says, const char *a, const char *b,
                   const char *c, const char *d)
{
    bench->error = (struct error){0};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, a, b, c, d, NULL), ERROR_USAGE);
    if (!strstr(bench->error.text, says))
        fail_msg("'%s' does not say '%s'", bench->error.text, says);
}

static void contradictions_are_refused(void **state)
{
    struct bench *bench = *state;
    refuse(bench, "at most 5", "threads", "6", NULL, NULL);
    refuse(bench, "did you mean 'read'", "kernel", "reed", NULL, NULL);
    refuse(bench, "choose one of read", "kernel", "read,", NULL, NULL);
    refuse(bench, "20 KiB", "size", "16K", NULL, NULL); /* of five threads */
    refuse(bench, "at most", "size", "7G", NULL, NULL);
    refuse(bench, "too small", "sizes", "1K", NULL, NULL);
    refuse(bench, "too small", "from", "8K", "stride", "4K");
    refuse(bench, "multiple of 64", "stride", "100", NULL, NULL);
    refuse(bench, "random-block:SIZE", "access", "zigzag", NULL, NULL);
    refuse(bench, "--stride", "access", "random-block:4K", "stride", "128");
    refuse(bench, "--access: the arrays of random-block:1 GiB take at least 3 GiB", "access",
           "random-block:1G", NULL, NULL);
    refuse(bench, "--stride: the arrays of strided:64 MiB", "stride", "64M", NULL, NULL);
    refuse(bench, "--to 4 MiB: too small for the arrays", "to", "4M", "access", "random-block:2M");
    refuse(bench, "random-block:8 GiB", "access", "random-block:8G", NULL, NULL);
    refuse(bench, "--stream", "stream", NULL, "kernel", "read");
    refuse(bench, "--size", "size", "1M", "sizes", "2M");
    for (enum stream_width width = 0; width < STREAM_WIDTHS; width++)
        if (!stream_find(STREAM_READ, width, NULL))
            refuse(bench, "choose from scalar", "width", stream_width_names[width], NULL, NULL);
}

static void nodes_are_measured_from_each_to_each(void **state)
{
    struct bench *bench = *state;
    struct numa_facts nodes[] = {{0, "0-2", 1 << 30}, {1, "3-5", 1 << 30}, {2, "", 1 << 30}};
    bench->machine.facts.nodes = nodes;
    bench->machine.facts.node_count = 3;
    for (int i = 3; i < BENCH_CPUS; i++)
        bench->places[i].node = 1;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read", NULL), 0);
    assert_int_equal(next(bench, 1), 1); /* by threads: there is no other kernel by size */
    for (int to = 0; to < 3; to++) {
        const struct plan *plan = &bench->task.plan;
        assert_int_equal(next(bench, 2 + (unsigned)to), 1);
        assert_int_equal(plan->node, to);
        assert_int_equal(plan->part_count, 0);
        assert_int_equal(plan->point_count, 2); /* CPUs of two nodes, memory of three */
        for (int from = 0; from < 2; from++) {
            const struct plan_point *point = &plan->points[from];
            assert_true(plan->series[point->series].matrix);
            assert_int_equal(point->from, from);
            assert_int_equal(point->to, to);
            assert_int_equal(point->seat_count, from == 0 ? 3 : 2);
            for (unsigned seat = 0; seat < point->seat_count; seat++)
                assert_int_equal(bench->places[point->seats[seat].cpu].node, from);
        }
    }
    assert_int_equal(next(bench, 5), 0);
}

/* 64 MiB are 21 for each of three CPUs, and 32 for each of two. */
static void a_node_whose_cpus_hold_no_block_is_left_out(void **state)
{
    struct bench *bench = *state;
    struct numa_facts nodes[] = {{0, "0-2", 1 << 30}, {1, "3-5", 1 << 30}};
    bench->machine.facts.nodes = nodes;
    bench->machine.facts.node_count = 2;
    for (int i = 3; i < BENCH_CPUS; i++)
        bench->places[i].node = 1;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read", "access",
                                "random-block:24M", "sizes", "64M", NULL),
                     0);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(next(bench, 2), 1);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 1);
    assert_int_equal(plan->points[0].from, 1);
    assert_int_equal(plan->points[0].bytes, 24 * MIB);
}

/* The road holds three CPUs' worth of 1e9 a second and array. */
static double rate_of(const struct bench *bench, const struct plan_point *point)
{
    return 1e9 * arrays_of(&bench->task.plan.series[point->series]) * fmin(point->x, 3);
}

static bool is_near(double a, double b)
{
    return fabs(a / b - 1) < 1e-6;
}

static void what_threads_reach_is_reported(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read,copy", NULL), 0);
    bench_measured(bench, rate_of);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(next(bench, 2), 1);
    bench_measured(bench, rate_of);
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    assert_true(is_near(bench_finding(bench, "bandwidth.read.1")->value, 1e9));
    assert_true(is_near(bench_finding(bench, "bandwidth.read.all")->value, 3e9));
    assert_true(is_near(bench_finding(bench, "bandwidth.copy.all")->value, 6e9));
    assert_true(is_near(bench_finding(bench, "bandwidth.read.efficiency")->value, 0.6));
    assert_true(is_near(bench_finding(bench, "L2.bandwidth.copy")->value, 2e9));
    assert_true(is_near(bench_finding(bench, "L3.bandwidth.copy.all")->value, 6e9));
    const struct finding *saturated = bench_finding(bench, "bandwidth.read.saturated_by");
    assert_true(saturated->value == 3 && saturated->low == 3 && saturated->high == 5);
    assert_non_null(strstr(saturated->text, "95 %"));
    /* A copy moves three lines for two that are counted. */
    assert_non_null(strstr(bench_finding(bench, "bandwidth.copy.1")->text, " 3.00 GB/s"));
    assert_null(strstr(bench_finding(bench, "bandwidth.read.1")->text, "allocate"));
    const struct series *last = &bench->result.series[bench->result.series_count - 1];
    assert_string_equal(last->name, "bandwidth per CPU");
    assert_true(is_near((double)last->points[4].y.median, 6e9 / 5));
}

static double rate_of_hbm(const struct bench *bench, const struct plan_point *point)
{
    return 411.5 * rate_of(bench, point);
}

static void a_terabyte_a_second_has_no_exponent(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read,copy", NULL), 0);
    assert_int_equal(next(bench, 1), 1);
    assert_int_equal(next(bench, 2), 1);
    bench_measured(bench, rate_of_hbm);
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    assert_non_null(strstr(bench_finding(bench, "bandwidth.copy.1")->text, " 1234 GB/s"));
}

static void stream_has_arrays_of_four_times_the_caches(void **state)
{
    struct bench *bench = *state;
    const struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "stream", NULL, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, 4);
    /* All CPUs in memory that is touched once, then one. */
    for (unsigned stage = 1; stage <= 2; stage++) {
        assert_int_equal(plan->point_count, 4);
        for (size_t i = 0; i < plan->point_count; i++) {
            assert_true(plan->points[i].bytes * plan->points[i].seat_count + 8 * KIB >= 64 * MIB);
            assert_int_equal(plan->points[i].seat_count == 1, stage == 2);
        }
        assert_int_equal(plan->arena_life, ARENA_WHOLE_STAGE);
        assert_true(plan->trials_min >= 10);
        bench_measured(bench, rate_of);
        assert_int_equal(next(bench, stage), stage == 1);
    }
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    assert_true(is_near(bench_finding(bench, "stream.triad.1")->value, 3e9));
    assert_true(is_near(bench_finding(bench, "stream.triad.1.best")->value, 3.75e9));
    assert_true(is_near(bench_finding(bench, "stream.copy.all")->value, 6e9));
    assert_int_equal(bench->result.finding_count, 16);
}

/* Of a whole run that is not quick: what a quick one measures first, and once. */
static void a_whole_run_looks_at_one_cpu_and_all_first(void **state)
{
    struct bench *bench = *state;
    const struct plan *plan = &bench->task.plan;
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, NULL), 0);
    const size_t kernels = stream_find(STREAM_WRITE_NT, STREAM_SCALAR, NULL) ? 3 : 2;
    assert_int_equal(plan->point_count, 2 * kernels);
    assert_int_equal(plan->look_count, 2 * kernels);
    assert_true(plan_is_spread(plan));
    assert_true(plan->share < 0.5);
    struct point measured[] = {{.x = 1}, {.x = 5}};
    for (size_t i = 0; i < plan->series_count; i++) {
        plan->series[i].points = measured;
        plan->series[i].point_count = 2;
    }
    assert_int_equal(next(bench, 1), 1);
    assert_true(plan->point_count > 20); /* by size */
    assert_int_equal(next(bench, 2), 1);
    assert_int_equal(points_by(bench, "read", "L2"), 2);
    assert_int_equal(points_by(bench, "read", "DRAM"), 0);
    assert_int_equal(points_by(bench, "triad", "DRAM"), 0);
    assert_int_equal(next(bench, 3), 0);
}

/* A person named it, unless the test says otherwise. */
static int set_up(void **state)
{
    int code = bench_set_up(state);
    if (code == 0)
        ((struct bench *)*state)->task.named = true;
    return code;
}

#define NAMED_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NAMED_TEST(read_by_size_comes_first),
        NAMED_TEST(threads_join_in_at_every_level),
        NAMED_TEST(caches_have_no_stores_past_them),
        NAMED_TEST(a_level_that_holds_no_block_is_left_out),
        NAMED_TEST(trials_by_threads_are_worth_their_memory),
        NAMED_TEST(beside_other_probes_it_is_brief),
        NAMED_TEST(a_quick_run_reads_dram_alone),
        NAMED_TEST(a_quick_run_leaves_out_what_takes_long_to_touch),
        NAMED_TEST(a_whole_run_looks_at_one_cpu_and_all_first),
        NAMED_TEST(a_quick_run_goes_by_the_cache_that_was_found),
        NAMED_TEST(each_cpu_touches_its_own_part),
        NAMED_TEST(workers_have_arrays_of_their_own),
        NAMED_TEST(contradictions_are_refused),
        NAMED_TEST(nodes_are_measured_from_each_to_each),
        NAMED_TEST(a_node_whose_cpus_hold_no_block_is_left_out),
        NAMED_TEST(what_threads_reach_is_reported),
        NAMED_TEST(a_terabyte_a_second_has_no_exponent),
        NAMED_TEST(stream_has_arrays_of_four_times_the_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
