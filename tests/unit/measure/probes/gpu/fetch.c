#include "measure/probes/gpu/bench.h"

/* L1 of 128 KiB and L2 of 8 MiB, with lines and what a miss brings of each. */
struct truth {
    double l1_line, l1_fetch, l2_line, l2_fetch;
};
static struct truth truth;

static double made_up(const struct gpu_work *work)
{
    const bool first = work->path == GPU_L1;
    const double stride = (double)work->stride, bytes = (double)work->bytes;
    const double hit = first ? 33 : 262, miss = first ? 262 : 660;
    const double capacity = first ? 128 << 10 : 8 << 20;
    const double line = first ? truth.l1_line : truth.l2_line;
    if (work->order == GPU_STRIDED)
        return hit + (miss - hit) * fmin(1, stride / (first ? truth.l1_fetch : truth.l2_fetch));
    return bytes * fmin(1, line / stride) <= capacity ? hit : miss;
}

static void begin(struct gpu_bench *bench, struct truth wanted)
{
    truth = wanted;
    bench->facts[0].first_level_bytes = 128 << 10;
    bench->facts[0].l2_bytes = 8 << 20;
    bench->result.finding_count = 0;
    bench->task.plan.series_count = 0;
}

static double all_alike(const struct gpu_work *work)
{
    return 300;
}

static double one_missing(const struct gpu_work *work)
{
    return work->stride == 128 ? NAN : made_up(work);
}

static void from_too_little_nothing_is_concluded(void **state)
{
    struct gpu_bench *bench = *state;
    begin(bench, (struct truth){128, 32, 128, 32});
    gpu_bench_drive(bench, &gpu_fetch, 0, all_alike);
    assert_int_equal(bench->result.finding_count, 0);
    begin(bench, (struct truth){128, 32, 128, 32});
    gpu_bench_drive(bench, &gpu_fetch, 0, one_missing);
    assert_int_equal(bench->result.finding_count, 0);
}

/* With a pointer each 128 bytes, twice as much of lines of 64 seems to fit. */
static void a_line_shorter_than_the_stride_of_latency_is_reported(void **state)
{
    struct gpu_bench *bench = *state;
    begin(bench, (struct truth){64, 64, 64, 32});
    gpu_bench_begin(bench, 0);
    static const struct {
        const char *name;
        double bytes;
    } found[] = {{"gpu0.L1.capacity", 256 << 10}, {"gpu0.L2.capacity", 16 << 20}};
    for (size_t i = 0; i < 2; i++) {
        struct finding *finding = pool_append(&bench->pool, (void **)&bench->result.findings,
                                              &bench->result.finding_count, sizeof *finding);
        *finding = (struct finding){.name = found[i].name, .unit = "B", .value = found[i].bytes};
    }
    gpu_bench_drive(bench, &gpu_fetch, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.L1.line", "B", 64, 0);
    gpu_bench_value_is(bench, "gpu0.L2.line", "B", 64, 0);
}

/* Sets by the low bits of the line's number, mixed with bits from 512 bytes on. */
static double in_half_of_the_sets(const struct gpu_work *work)
{
    const double line = work->path == GPU_L1 ? truth.l1_line : truth.l2_line;
    struct gpu_work twice = *work;
    if (work->order == GPU_RANDOM && work->stride == (size_t)(2 * line))
        twice.bytes *= 2;
    return made_up(&twice);
}

static void two_lines_do_not_look_like_one(void **state)
{
    struct gpu_bench *bench = *state;
    begin(bench, (struct truth){128, 32, 256, 32});
    gpu_bench_drive(bench, &gpu_fetch, 0, in_half_of_the_sets);
    gpu_bench_value_is(bench, "gpu0.L1.line", "B", 128, 0);
    gpu_bench_value_is(bench, "gpu0.L2.line", "B", 256, 0);
    begin(bench, (struct truth){256, 32, 128, 32});
    gpu_bench_drive(bench, &gpu_fetch, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.L1.line", "B", 256, 0);
    gpu_bench_value_is(bench, "gpu0.L2.line", "B", 128, 0);
}

static double half_way(const struct gpu_work *work)
{
    return work->stride % 3 ? in_half_of_the_sets(work) : 150;
}

static void what_can_not_be_told_is_both(void **state)
{
    struct gpu_bench *bench = *state;
    begin(bench, (struct truth){128, 32, 128, 32});
    gpu_bench_drive(bench, &gpu_fetch, 0, half_way);
    gpu_bench_value_is(bench, "gpu0.L1.line", "B", 128, 0);
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, "gpu0.L1.line") == 0) {
            assert_non_null(strstr(bench->result.findings[i].text, "128 or 256 B"));
            assert_true(bench->result.findings[i].high == 256);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(from_too_little_nothing_is_concluded),
        GPU_BENCH_TEST(what_can_not_be_told_is_both),
        GPU_BENCH_TEST(two_lines_do_not_look_like_one),
        GPU_BENCH_TEST(a_line_shorter_than_the_stride_of_latency_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
