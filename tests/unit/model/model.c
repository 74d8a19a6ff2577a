#include "model.h"

#include "machines.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/ring.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 1 << 20, KIB = 1024 };

/* 1 GHz, so that a cycle is a nanosecond: 4 KiB in 2 ns, 64 KiB in 10 ns, DRAM in 100 ns, or 60
 * where the row is open. */
static struct model_machine plain_machine(void)
{
    return (struct model_machine){
        .line_bytes = 64,
        .level_count = 2,
        .caches = {{.bytes = 4 * KIB, .ways = 4, .cycles = 2},
                   {.bytes = 64 * KIB, .ways = 8, .cycles = 10, .physical = true}},
        .tlbs = {{{16, 0, 0}, {64, 4, 7}}, {{8, 4, 0}, {32, 8, 7}}},
        .walk_cycles = {30, 20},
        .huge_pages = true,
        .core_hz = 1e9,
        .row_hit_ns = 60,
        .row_miss_ns = 100,
        .row_bytes = 1024,
        .banks = 16,
        .forward_cycles = 4,
    };
}

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

static void random_machines_make_sense_and_differ(void **state)
{
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

#define BED_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BED_TEST(a_ring_takes_what_its_level_takes),
        BED_TEST(short_batches_and_long_ones_agree),
        BED_TEST(the_position_moves_as_the_kernel_would_move_it),
        BED_TEST(what_the_model_does_not_know_ends_the_program),
        BED_TEST(random_machines_make_sense_and_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
