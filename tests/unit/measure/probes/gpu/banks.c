#include "measure/probes/gpu/bench.h"

/* Banks, what a load takes alone, and what each further thread adds. */
static struct {
    unsigned banks;
    double alone, turn;
} truth;

static double made_up(const struct gpu_work *work)
{
    assert_true(work->action == GPU_CHASE && work->path == GPU_SHARED_WARP);
    unsigned most = 0;
    for (unsigned bank = 0; bank < truth.banks; bank++) {
        unsigned here = 0;
        for (unsigned thread = 0; thread < 32; thread++)
            here += thread * work->stride / 4 % truth.banks == bank;
        most = here > most ? here : most;
    }
    return truth.alone + truth.turn * (most - 1);
}

static void banks_and_their_turns_are_found(void **state)
{
    struct gpu_bench *bench = *state;
    static const struct {
        unsigned banks;
        double alone, turn;
    } cases[] = {{32, 24, 2}, {32, 29, 1}, {16, 30, 2}, {32, 23, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        truth.banks = cases[i].banks;
        truth.alone = cases[i].alone;
        truth.turn = cases[i].turn;
        bench->result.finding_count = 0;
        bench->task.plan.series_count = 0;
        gpu_bench_drive(bench, &gpu_banks, 0, made_up);
        gpu_bench_value_is(bench, "gpu0.shared.banks", "", cases[i].banks, 0);
        gpu_bench_value_is(bench, "gpu0.shared.conflict", "cycles", cases[i].turn, 0.02);
    }
}

static double one_missing(const struct gpu_work *work)
{
    return work->stride == 64 ? NAN : made_up(work);
}

/* No turns that could be seen; more banks than strides; a stride without a value. */
static void from_too_little_nothing_is_concluded(void **state)
{
    struct gpu_bench *bench = *state;
    truth.banks = 32;
    truth.alone = 24;
    truth.turn = 0;
    gpu_bench_drive(bench, &gpu_banks, 0, made_up);
    assert_int_equal(bench->result.finding_count, 0);
    bench->task.plan.series_count = 0;
    truth.banks = 64;
    truth.turn = 2;
    gpu_bench_drive(bench, &gpu_banks, 0, made_up);
    assert_int_equal(bench->result.finding_count, 0);
    bench->task.plan.series_count = 0;
    truth.banks = 32;
    gpu_bench_drive(bench, &gpu_banks, 0, one_missing);
    assert_int_equal(bench->result.finding_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(banks_and_their_turns_are_found),
        GPU_BENCH_TEST(from_too_little_nothing_is_concluded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
