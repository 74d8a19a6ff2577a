#include "model.h"

#include "document/flag.h"
#include "machines.h"
#include "measure.h"
#include "measure/kernels/chase_index.h"
#include "measure/kernels/ring.h"
#include "measure/probes/kit/probe.h"
#include "support.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct probe latency_probe;

enum { ROOM = 1 << 20 };

/* A ring in an arena, and a trial over it. */
struct bed {
    struct model_machine machine;
    struct model *model;
    struct timing_model timing;
    struct arena arena;
    struct plan plan;
    struct seat seat;
    struct plan_point point;
    struct worker worker;
    struct trial trial;
};

static int set_up(void **state)
{
    static struct bed bed;
    bed = (struct bed){.machine = plain_machine()};
    bed.arena = (struct arena){.memory = aligned_alloc(4096, ROOM), .bytes = ROOM};
    bed.plan = (struct plan){.trials_per_visit = 1, .trials_min = 6, .span_s = 1.5};
    bed.point = (struct plan_point){.seats = &bed.seat, .seat_count = 1};
    bed.trial = (struct trial){
        .plan = &bed.plan, .point = &bed.point, .arena = &bed.arena, .workers = &bed.worker};
    *state = &bed;
    return bed.arena.memory ? 0 : -1;
}

static int tear_down(void **state)
{
    struct bed *bed = *state;
    model_free(bed->model);
    free(bed->arena.memory);
    return 0;
}

static void build(struct bed *bed, size_t bytes, enum ring_order order)
{
    struct ring ring = {
        .memory = bed->arena.memory, .count = bytes / 64, .stride = 64, .order = order, .seed = 3};
    ring_build(&ring);
    struct chase *chase = (struct chase *)bed->worker.room;
    chase->position = bed->arena.memory;
    bed->worker.run = chase_run;
    bed->worker.state = chase;
    if (!bed->model) {
        bed->model = model_create(&bed->machine, ROOM, 1);
        bed->timing = model_timing(bed->model);
    }
    assert_non_null(bed->model);
}

static uint64_t work(struct bed *bed, uint64_t repeats)
{
    return bed->timing.work(bed->model, 0, bed->worker.run, bed->worker.state, repeats);
}

/* Nanoseconds a step of a fresh trial over `bytes`. */
static double step_ns(struct bed *bed, size_t bytes, enum ring_order order)
{
    enum { REPEATS = 1000 };
    build(bed, bytes, order);
    bed->timing.prepared(bed->model, &bed->trial);
    return (double)work(bed, REPEATS) * 1e-3 / ((double)REPEATS * (double)chase_steps);
}

static bool about(double value, double wanted)
{
    return fabs(value / wanted - 1) < 1e-3;
}

static void a_ring_takes_what_its_level_takes(void **state)
{
    struct bed *bed = *state;
    assert_true(about(step_ns(bed, 1 * KIB, RING_RANDOM), 2));
    assert_true(about(step_ns(bed, 4 * KIB, RING_RANDOM), 2));
    assert_true(about(step_ns(bed, 32 * KIB, RING_RANDOM), 10));
    assert_true(about(step_ns(bed, 64 * KIB, RING_RANDOM), 10));
    assert_true(step_ns(bed, 256 * KIB, RING_RANDOM) > 90);
    assert_true(step_ns(bed, 256 * KIB, RING_RANDOM) < 100);
}

static void short_batches_and_long_ones_agree(void **state)
{
    struct bed *bed = *state;
    build(bed, 96 * KIB, RING_RANDOM);
    bed->timing.prepared(bed->model, &bed->trial);
    double singly = 0;
    for (int i = 0; i < 48; i++)
        singly += (double)work(bed, 1) / 48;
    assert_true(about((double)work(bed, 100000) / 100000, singly));
}

static void the_position_moves_as_the_kernel_would_move_it(void **state)
{
    struct bed *bed = *state;
    build(bed, 10 * KIB, RING_RANDOM);
    bed->timing.prepared(bed->model, &bed->trial);
    struct chase real = {bed->arena.memory};
    static const uint64_t repeats[] = {1, 7, 100, 2, 12345};
    for (size_t i = 0; i < sizeof repeats / sizeof *repeats; i++) {
        chase_run(&real, repeats[i]);
        work(bed, repeats[i]);
        assert_ptr_equal(((struct chase *)bed->worker.state)->position, real.position);
    }
}

static void rings_of_indexes_are_followed_too(void **state)
{
    struct bed *bed = *state;
    enum { COUNT = 100 };
    build(bed, 4 * KIB, RING_RANDOM);
    for (uint64_t i = 0; i < COUNT; i++)
        *(uint64_t *)(bed->arena.memory + 64 * i) = (i + 37) % COUNT;
    struct chase_index real = {bed->arena.memory, COUNT, 0};
    struct chase_index *modelled = (struct chase_index *)bed->worker.room;
    *modelled = real;
    bed->worker.run = chase_checked_64_run;
    bed->timing.prepared(bed->model, &bed->trial);
    assert_true(about((double)work(bed, 50) * 1e-3 / 50 / chase_steps, 10)); /* 6.25 KiB */
    chase_checked_64_run(&real, 50);
    assert_int_equal(modelled->index, real.index);
}

static void a_spilled_pointer_adds_the_store_buffers_time(void **state)
{
    struct bed *bed = *state;
    build(bed, 1 * KIB, RING_RANDOM);
    bed->worker.run = chase_spilled_run;
    bed->timing.prepared(bed->model, &bed->trial);
    assert_true(about((double)work(bed, 100) * 1e-3 / 100 / chase_steps, 2 + 4));
}

static void forward_order_reads_low(void **state)
{
    struct bed *bed = *state;
    bed->machine.prefetch_depth = 4;
    bed->machine.prefetch_lines = 1;
    assert_true(step_ns(bed, 512 * KIB, RING_FORWARD) < 5);
    assert_true(step_ns(bed, 512 * KIB, RING_BACKWARD) > 50);
    assert_true(step_ns(bed, 512 * KIB, RING_RANDOM) > 90);
}

static void a_page_policy_counts_only_where_the_machine_has_it(void **state)
{
    struct bed *bed = *state;
    bed->plan.pages = PAGES_SMALL;
    double small = step_ns(bed, 1024 * KIB, RING_RANDOM);
    bed->plan.pages = PAGES_AUTO;
    double huge = step_ns(bed, 1024 * KIB, RING_RANDOM);
    assert_true(small > huge + 15); /* beyond both TLBs */
    model_free(bed->model);
    bed->model = NULL;
    bed->machine.huge_pages = false;
    assert_true(step_ns(bed, 1024 * KIB, RING_RANDOM) > huge + 15);
}

static void clock_steps_show_in_the_additions(void **state)
{
    struct bed *bed = *state;
    bed->machine.noise =
        (struct model_noise){.slow_share = 0.3, .slow_ratio = 0.5, .dwell_s = 1e-3};
    unsigned slow = 0, trials = 2000;
    for (unsigned i = 0; i < trials; i++) {
        double ns = step_ns(bed, 1 * KIB, RING_RANDOM);
        double cycle_ns = (double)bed->timing.additions(bed->model, 0, 64000) * 1e-3 / 64000;
        assert_true(about(ns, 2 * cycle_ns));
        slow += cycle_ns > 1.5;
    }
    assert_true(slow >= trials * 25 / 100 && slow <= trials * 35 / 100);
}

static void rounds_are_as_far_apart_as_the_span_asks(void **state)
{
    struct bed *bed = *state;
    step_ns(bed, 1 * KIB, RING_RANDOM);
    double before = model_now_s(bed->model);
    step_ns(bed, 1 * KIB, RING_RANDOM);
    assert_true(model_now_s(bed->model) - before < 0.01);
    bed->trial.number = 1;
    step_ns(bed, 1 * KIB, RING_RANDOM);
    assert_true(model_now_s(bed->model) >= 0.25);
}

static void noise_comes_from_the_seed(void **state)
{
    struct bed *bed = *state;
    bed->machine.noise = (struct model_noise){.trial_sigma = 0.01,
                                              .batch_sigma = 0.01,
                                              .dwell_s = 0.01,
                                              .drift = 0.01,
                                              .drift_period_s = 1,
                                              .spikes_per_s = 100,
                                              .spike_ns = 1e4};
    double runs[2][20];
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < 20; i++)
            runs[run][i] = step_ns(bed, 128 * KIB, RING_RANDOM);
        model_free(bed->model);
        bed->model = NULL;
    }
    assert_memory_equal(runs[0], runs[1], sizeof runs[0]);
    assert_true(runs[0][0] != runs[0][1]);
}

/* Ends in abort() with its line on stderr, which nobody needs to see. */
static void assert_ends(void (*deed)(struct bed *), struct bed *bed)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        fclose(stderr);
        deed(bed);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static uint64_t unknown_run(void *chase, uint64_t repeats)
{
    (void)chase;
    return repeats;
}

static void prepare_unknown(struct bed *bed)
{
    bed->worker.run = unknown_run;
    bed->timing.prepared(bed->model, &bed->trial);
}

static void leave_the_arena(struct bed *bed)
{
    void *outside = &outside;
    *(void **)bed->arena.memory = &outside;
    bed->timing.prepared(bed->model, &bed->trial);
}

static void work_elsewhere(struct bed *bed)
{
    bed->timing.prepared(bed->model, &bed->trial);
    ((struct chase *)bed->worker.state)->position = bed->arena.memory + 8;
    work(bed, 1);
}

static void describe_nonsense(struct bed *bed)
{
    bed->machine.caches[0].bytes = 5000;
    model_create(&bed->machine, ROOM, 1);
}

static void what_the_model_does_not_know_ends_the_program(void **state)
{
    struct bed *bed = *state;
    build(bed, 1 * KIB, RING_RANDOM);
    assert_ends(prepare_unknown, bed);
    assert_ends(leave_the_arena, bed);
    assert_ends(work_elsewhere, bed);
    assert_ends(describe_nonsense, bed);
}

static void ideal_chases_need_no_engine(void **state)
{
    struct bed *bed = *state;
    bed->machine.noise.trial_sigma = 0.1; /* is left out */
    assert_true(about(model_ideal_ns(&bed->machine, 4 * KIB, PAGES_AUTO), 2));
    assert_true(about(model_ideal_ns(&bed->machine, 64 * KIB, PAGES_AUTO), 10));
}

static void random_machines_make_sense_and_differ(void **state)
{
    (void)state;
    struct model_machine last = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct model_machine machine;
        machine_random(&machine, seed);
        struct model *model = model_create(&machine, ROOM, seed); /* ends where it makes none */
        assert_non_null(model);
        model_free(model);
        for (unsigned level = 1; level <= machine.level_count; level++) {
            assert_true(machine_latency_ns(&machine, level) >
                        1.5 * machine_latency_ns(&machine, level - 1));
            if (level < machine.level_count)
                assert_true(machine_capacity(&machine, level) >=
                            4 * machine_capacity(&machine, level - 1));
        }
        assert_true(memcmp(&machine, &last, sizeof machine) != 0);
        last = machine;
    }
}

static void a_real_probe_runs_on_it(void **state)
{
    struct bed *bed = *state;
    static const char *const options[] = {"sizes", "2K,32K,512K", NULL};
    struct measurement measurement;
    assert_true(measurement_begin(&measurement, &bed->machine, 64 << 20, 1));
    assert_int_equal(measurement_run(&measurement, &latency_probe, options), 0);
    const struct series *series = &measurement.result.series[0];
    assert_true(series->point_count >= 3);
    assert_true(about((double)series->points[0].y.median, 2));
    assert_true(about((double)series->points[0].cycles.median, 2));
    assert_true(series->points[0].flags & FLAG_BIT(FLAG_MODELLED));
    assert_true(measurement.trial_count >= 18);
    measurement_end(&measurement);
}

#define BED_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BED_TEST(a_ring_takes_what_its_level_takes),
        BED_TEST(short_batches_and_long_ones_agree),
        BED_TEST(the_position_moves_as_the_kernel_would_move_it),
        BED_TEST(rings_of_indexes_are_followed_too),
        BED_TEST(a_spilled_pointer_adds_the_store_buffers_time),
        BED_TEST(forward_order_reads_low),
        BED_TEST(a_page_policy_counts_only_where_the_machine_has_it),
        BED_TEST(clock_steps_show_in_the_additions),
        BED_TEST(rounds_are_as_far_apart_as_the_span_asks),
        BED_TEST(noise_comes_from_the_seed),
        BED_TEST(what_the_model_does_not_know_ends_the_program),
        BED_TEST(ideal_chases_need_no_engine),
        BED_TEST(random_machines_make_sense_and_differ),
        BED_TEST(a_real_probe_runs_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
