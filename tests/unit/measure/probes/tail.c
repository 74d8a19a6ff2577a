/* The tail on a machine that does not exist, from the plan to the findings: the model does the
 * kernel's loads in its own time, and every figure that it was made of has to come back. */
#include "modelled.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/single.h"

#include <stdio.h>

extern const struct probe tail_probe;

static const double ticks_a_ns = 2, readings_ns = 20;

/* What the machine does, in ns. */
struct bench {
    struct modelled on;
    double refi, rfc, other, step; /* other: a second refresh half a period later */
    double switched; /* one of so many loads is interrupted by another thread; 0: none */
    double now;
    int node; /* of the trial's memory */
    struct random random;
};

static double share(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* L1 2 ns, L2 7, memory 100 and 200 on the other node; one in 200 loads takes ten times as long. */
static double load_ns(struct bench *bench, const struct single *single)
{
    const double usual = single->flush || single->lines * single->line_bytes > 1 << 20
                             ? bench->node ? 200 : 100
                         : single->lines * single->line_bytes > 32 << 10 ? 7
                                                                         : 2;
    double ns = usual + share(&bench->random);
    if (share(&bench->random) < 0.005)
        ns += 9 * usual;
    if (usual >= 100 && bench->refi > 0) {
        const double into = fmod(bench->now, bench->refi),
                     between = fmod(bench->now + bench->refi / 2, bench->refi);
        ns += fmax(0, bench->rfc - into) + fmax(0, bench->other - between);
    }
    return ns;
}

static void prepared(void *self, const struct trial *trial)
{
    struct bench *bench = self;
    bench->node = trial->arena->node > 0;
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct bench *bench = self;
    struct single *single = state;
    assert_ptr_equal(run, single_run);
    assert_true(single->pause_bits >= 1 && single->pause_bits < 32 && single->over <= SINGLE_BINS);
    const double first = bench->now;
    single->empty = readings_ns * ticks_a_ns;
    for (uint64_t i = 0; i < repeats; i++) {
        bench->now += 50 + share(&bench->random) * (single->pause_bits > 8 ? 400 : 50);
        struct gap gap = {.at = (uint64_t)(bench->now * ticks_a_ns)};
        double ns = load_ns(bench, single) + readings_ns;
        if (bench->switched > 0 && share(&bench->random) * bench->switched < 1) {
            ns += 3e6;
            gap.switches = 1;
        }
        bench->now += ns;
        ns = bench->step > 0 ? floor(ns / bench->step) * bench->step : ns;
        gap.ticks = (uint64_t)(ns * ticks_a_ns);
        single->timed += gap.ticks;
        if (gap.ticks < single->over)
            single->bins[gap.ticks]++;
        else if (single->used < single->room)
            single->log[single->used++] = gap;
        else
            single->missed++;
    }
    single->last_ticks = (uint64_t)((bench->now - first) * ticks_a_ns);
    return (uint64_t)((bench->now - first) * 1e3);
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    return count * 500;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.random = {7}};
    *state = &bench;
    return modelled_begin(&bench.on,
                          (struct timing_model){&bench, prepared, work, additions, NULL});
}

static int tear_down(void **state)
{
    modelled_end(&((struct bench *)*state)->on);
    return 0;
}

/* Two nodes; L1 of 32 KiB and L2 of 1 MiB. */
static void be(struct bench *bench, const char *synthetic)
{
    struct modelled *on = &bench->on;
    const struct machine_source source = {.synthetic = synthetic};
    modelled_forget(on);
    if (machine_read(&on->machine, &source, &on->error) < 0)
        fail_msg("%s", on->error.text);
    on->machine.memory_available_bytes = UINT64_C(1) << 30;
}

static void measure(struct bench *bench, const char *synthetic)
{
    be(bench, synthetic);
    modelled_measure(&bench->on, &tail_probe, "quick", NULL, NULL);
}

static void about(const struct bench *bench, const char *name, double wanted, double off)
{
    const struct finding *finding = modelled_find(&bench->on, name);
    if (!finding || !(fabs(finding->value - wanted) <= off))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
}

static const char
    near[] = "pack:1 [numa(memory=1073741824)] l2:1(size=1048576) l1:1(size=32768) core:1 pu:1",
    two[] = "pack:2 [numa(memory=1073741824)] l2:1(size=1048576) l1:1(size=32768) core:1 pu:1";

static void quantiles_and_refresh_come_back(void **state)
{
    struct bench *bench = *state;
    bench->refi = 3900;
    bench->rfc = 295;
    measure(bench, near);
    about(bench, "tail.L1.p50", 2.5, 0.5);
    about(bench, "tail.L1.p99", 3, 0.5);
    about(bench, "tail.L1.p99.9", 20.5, 1);
    about(bench, "tail.L2.p50", 7.5, 0.5);
    about(bench, "tail.DRAM.p50", 100.5, 2);
    about(bench, "tail.refresh.period", 3900, 3900 * 0.02);
    about(bench, "tail.refresh.cost", 295, 295 * 0.02);
    about(bench, "tail.refresh.share", 100 * 295.0 / 3900, 0.2);
    about(bench, "tail.interrupted", 0, 0);
    /* Quantiles rise, each with its interval, and the screen's sentence has them. */
    static const char *const rising[] = {"p50", "p90", "p99", "p99.9", "p99.99", "longest"};
    double before = 0;
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++) {
        char name[32];
        snprintf(name, sizeof name, "tail.DRAM.%s", rising[i]);
        const struct finding *finding = modelled_find(&bench->on, name);
        assert_true(finding && finding->value >= before);
        assert_true(i == 5 || (finding->low <= finding->value && finding->high >= finding->value));
        assert_true(finding->flags & FLAG_BIT(FLAG_MODELLED));
        before = finding->value;
    }
    assert_non_null(strstr(modelled_find(&bench->on, "tail.DRAM.p50")->text, "p99.99 "));
    assert_null(modelled_find(&bench->on, "tail.node1.p50"));
}

static void what_interrupts_is_taken_out(void **state)
{
    struct bench *bench = *state;
    bench->switched = 5000;
    measure(bench, near);
    about(bench, "tail.interrupted", 1e6 / 5000, 40);
    /* No system counts: no sentence says that there were no interrupts. */
    const char *text = modelled_find(&bench->on, "tail.interrupted")->text;
    assert_true(strstr(text, "other threads ") && !strstr(text, "interrupts "));
    about(bench, "tail.L1.p99.99", 21, 1);
    assert_true(modelled_find(&bench->on, "tail.DRAM.longest")->value < 2e3);
    /* No refresh: none is told, and why stands there. */
    const struct finding *period = modelled_find(&bench->on, "tail.refresh.period");
    assert_true(isnan(period->value) && strncmp(period->text, "not found: ", 11) == 0);
    assert_null(modelled_find(&bench->on, "tail.refresh.cost"));
}

static void each_node_has_its_own(void **state)
{
    struct bench *bench = *state;
    bench->refi = 7800;
    bench->rfc = 350;
    measure(bench, two);
    about(bench, "tail.DRAM.p50", 100.5, 2);
    about(bench, "tail.node1.p50", 200.5, 3);
    about(bench, "tail.node1.refresh.period", 7800, 7800 * 0.02);
    assert_null(modelled_find(&bench->on, "tail.node0.p50"));
}

/* Alike they can't be told apart, which is said; no such pair is in JEDEC's tables beyond 16 us. */
static void two_refreshes_in_turn_are_told(void **state)
{
    struct bench *bench = *state;
    bench->refi = 3900;
    bench->rfc = bench->other = 295;
    measure(bench, near);
    about(bench, "tail.refresh.period", 1950, 1950 * 0.02);
    assert_non_null(strstr(modelled_find(&bench->on, "tail.refresh.period")->text,
                           "; or two in turn, each 3.9 us"));
    bench->refi = 15600;
    bench->other = 0;
    measure(bench, near);
    about(bench, "tail.refresh.period", 15600, 15600 * 0.02);
    assert_null(strstr(modelled_find(&bench->on, "tail.refresh.period")->text, "in turn"));
}

/* A step of 10 ns or more is in the sentences, and hides no refresh that reaches beyond a step. */
static void a_coarse_counter_is_told(void **state)
{
    struct bench *bench = *state;
    bench->refi = 3900;
    bench->rfc = 295;
    bench->step = 10;
    measure(bench, near);
    assert_non_null(
        strstr(modelled_find(&bench->on, "tail.L1.p50")->text, "in the counter's steps of 10 ns"));
    about(bench, "tail.refresh.period", 3900, 3900 * 0.02);
    bench->refi = 0;
    bench->step = 320;
    measure(bench, near);
    assert_non_null(
        strstr(modelled_find(&bench->on, "tail.L1.p50")->text, "the counter's steps of "));
    assert_non_null(
        strstr(modelled_find(&bench->on, "tail.refresh.period")->text, "the counter's steps"));
}

static int plan(struct modelled *on, ...)
{
    va_list options;
    va_start(options, on);
    const int code = modelled_plan(on, &tail_probe, options);
    va_end(options);
    return code;
}

static void little_memory_is_enough_for_caches(void **state)
{
    struct bench *bench = *state;
    be(bench, near);
    bench->on.machine.memory_available_bytes = 8 << 20;
    assert_int_equal(plan(&bench->on, NULL), 0);
    assert_int_equal(bench->on.result.status, PROBE_OK);
    bench->on.machine.memory_available_bytes = 4096;
    bench->on.machine.facts.cache_count = 0;
    assert_int_equal(plan(&bench->on, NULL), 0);
    assert_int_equal(bench->on.result.status, PROBE_SKIPPED);
    assert_non_null(strstr(bench->on.result.reason, "too little memory"));
    assert_int_equal(plan(&bench->on, "cpu", "77", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->on.error.text, "--cpu 77"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(quantiles_and_refresh_come_back), TEST(what_interrupts_is_taken_out),
        TEST(each_node_has_its_own),           TEST(two_refreshes_in_turn_are_told),
        TEST(a_coarse_counter_is_told),        TEST(little_memory_is_enough_for_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
