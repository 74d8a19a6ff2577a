#include "neighbours.h"

#include "measure/kernels/chase.h"
#include "measure/kernels/ring.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

static struct model_neighbour neighbour(enum neighbour_course course, double share)
{
    return (struct model_neighbour){.course = course,
                                    .share = share,
                                    .busy_s = course == DRIFTING ? 2 : 3e-3,
                                    .burst_s = 100e-6,
                                    .cpus = 1,
                                    .takes = {.ways = {0.5, 0.25}, .entries = 0.5}};
}

/* How much of a minute the first level's ways are taken, asked at that CPU. */
static double share_seen(const struct model_neighbour list[NEIGHBOURS_MAX], unsigned cpu)
{
    const double lasting_s = 60;
    struct neighbours neighbours;
    neighbours_begin(&neighbours, list, 2, 7);
    double now_s = 0, until_s, seen_s = 0;
    for (; now_s < lasting_s; now_s = until_s) {
        const struct taken taken = neighbours_at(&neighbours, cpu, now_s, &until_s);
        assert_true(until_s > now_s);
        seen_s += taken.ways[0] > 0 ? until_s - now_s : 0;
    }
    return seen_s / now_s;
}

static void test_neighbours_are_there_for_their_share_of_the_time(void **state)
{
    (void)state;
    static const double shares[] = {0.1, 0.5, 0.9};
    for (int course = TWO_STATE; course <= DRIFTING; course++)
        for (size_t i = 0; i < 3; i++) {
            const struct model_neighbour list[NEIGHBOURS_MAX] = {
                neighbour((enum neighbour_course)course, shares[i])};
            const double seen = share_seen(list, 0);
            assert_true(fabs(seen - shares[i]) < 0.03);
        }
}

static void test_a_core_s_own_is_taken_only_where_the_neighbour_is(void **state)
{
    (void)state;
    struct model_neighbour list[NEIGHBOURS_MAX] = {neighbour(TWO_STATE, 0.9)};
    list[0].takes.traffic = 0.5;
    list[0].takes.room = 0.4;
    assert_true(share_seen(list, 0) > 0.5);
    assert_true(share_seen(list, 1) <= 0);
    struct neighbours neighbours;
    neighbours_begin(&neighbours, list, 2, 7);
    struct taken taken = {.traffic = 1};
    double until_s = 0;
    while (!(taken.traffic > 1))
        taken = neighbours_at(&neighbours, 1, until_s, &until_s);
    /* It is on one of two CPUs. */
    assert_float_equal(taken.traffic, 1.25, 1e-12);
    assert_float_equal(taken.room, 0.2, 1e-12);
}

static void test_a_drifting_one_takes_more_and_less(void **state)
{
    (void)state;
    const struct model_neighbour list[NEIGHBOURS_MAX] = {neighbour(DRIFTING, 0.8)};
    struct neighbours neighbours;
    neighbours_begin(&neighbours, list, 1, 7);
    double least = 1, most = 0;
    for (double now_s = 0, until_s; now_s < 4; now_s = until_s) {
        const struct taken taken = neighbours_at(&neighbours, 0, now_s, &until_s);
        least = taken.ways[0] > 0 ? fmin(least, taken.ways[0]) : least;
        most = fmax(most, taken.ways[0]);
    }
    assert_float_equal(least, 0.5 / neighbour_strengths, 1e-12);
    assert_float_equal(most, 0.5, 1e-12);
}

static void test_what_was_seen_changes_nothing(void **state)
{
    (void)state;
    const struct model_neighbour list[NEIGHBOURS_MAX] = {neighbour(BURSTY, 0.5)};
    struct neighbours one, other;
    neighbours_begin(&one, list, 1, 3);
    neighbours_begin(&other, list, 1, 3);
    for (int i = 0; i < 2000; i++) {
        double until_s, again_s;
        const struct taken taken = neighbours_at(&one, 0, i * 1e-4, &until_s);
        const struct taken again = neighbours_at(&other, 0, i * 1e-4, &again_s);
        assert_float_equal(taken.ways[0], again.ways[0], 0);
        assert_float_equal(until_s, again_s, 0);
    }
}

/* --- the memory beside them --- */

enum { BATCHES = 400, REPEATS = 50, ROOM = 64 * KIB };

/* Nanoseconds a step of each of many batches of about 10 us over a set of `bytes`. */
static void measure(const struct model_machine *machine, size_t bytes, double each_ns[BATCHES])
{
    struct model *model = model_create(machine, ROOM, 5);
    struct arena arena = {.memory = aligned_alloc(4096, ROOM), .bytes = ROOM};
    assert_non_null(model);
    assert_non_null(arena.memory);
    struct ring ring = {
        .memory = arena.memory, .count = bytes / 64, .stride = 64, .order = RING_RANDOM, .seed = 3};
    ring_build(&ring);
    const struct timing_model timing = model_timing(model);
    const struct plan plan = {.trials_per_visit = 1, .trials_min = 1};
    const struct seat seat = {0, MEASURED};
    const struct plan_point point = {.seats = &seat, .seat_count = 1};
    struct chase chase = {arena.memory};
    struct worker worker = {.run = chase_run, .state = &chase};
    const struct trial trial = {
        .plan = &plan, .point = &point, .arena = &arena, .workers = &worker};
    timing.prepared(model, &trial);
    for (int i = 0; i < BATCHES; i++)
        each_ns[i] = (double)timing.work(model, 0, chase_run, &chase, REPEATS) * 1e-3 /
                     (REPEATS * chase_steps);
    model_free(model);
    free(arena.memory);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_taken_ways_show_while_they_are_taken(void **state)
{
    (void)state;
    double each_ns[BATCHES];
    struct model_machine machine = plain_machine();
    machine.neighbours[0] = neighbour(TWO_STATE, 0.5);
    machine.neighbours[0].busy_s = 1e-3;
    measure(&machine, 4 * KIB, each_ns);
    qsort(each_ns, BATCHES, sizeof *each_ns, ascending);
    assert_float_equal(each_ns[BATCHES / 10], 2, 0.01); /* all of it fits */
    assert_true(each_ns[BATCHES * 9 / 10] > 4);
    measure(&machine, 2 * KIB, each_ns);
    qsort(each_ns, BATCHES, sizeof *each_ns, ascending);
    assert_float_equal(each_ns[BATCHES - 1], 2, 0.01); /* half is enough */
}

static void test_a_taken_cpu_lengthens_what_it_interrupts(void **state)
{
    (void)state;
    double each_ns[BATCHES];
    struct model_machine machine = plain_machine();
    machine.neighbours[0] = neighbour(TWO_STATE, 0.5);
    machine.neighbours[0].busy_s = 1e-3;
    machine.neighbours[0].takes = (struct neighbour_takes){.time = 1};
    measure(&machine, 2 * KIB, each_ns);
    qsort(each_ns, BATCHES, sizeof *each_ns, ascending);
    assert_float_equal(each_ns[BATCHES / 2], 2, 0.01); /* most batches run between its turns */
    assert_true(each_ns[BATCHES - 1] > 20);
}

static void test_without_any_it_is_the_same_machine(void **state)
{
    (void)state;
    double alone_ns[BATCHES], beside_ns[BATCHES];
    struct model_machine machine = plain_machine();
    measure(&machine, 32 * KIB, alone_ns);
    machine.neighbours[0] = neighbour(TWO_STATE, 0.5); /* on the other CPU */
    machine.neighbours[0].cpus = 2;
    machine.cpus = 2;
    measure(&machine, 32 * KIB, beside_ns);
    assert_float_equal(alone_ns[BATCHES - 1], beside_ns[BATCHES - 1], 0.2f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_are_there_for_their_share_of_the_time),
        cmocka_unit_test(test_a_core_s_own_is_taken_only_where_the_neighbour_is),
        cmocka_unit_test(test_a_drifting_one_takes_more_and_less),
        cmocka_unit_test(test_what_was_seen_changes_nothing),
        cmocka_unit_test(test_taken_ways_show_while_they_are_taken),
        cmocka_unit_test(test_a_taken_cpu_lengthens_what_it_interrupts),
        cmocka_unit_test(test_without_any_it_is_the_same_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
