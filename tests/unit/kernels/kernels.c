/* What the kernels compute. That their loops are exactly what they should be is asserted from
 * their disassembly by tests/kernels/loops. */
#include "kernels/additions.h"
#include "kernels/chase.h"
#include "kernels/handoff.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_chase_goes_on_where_it_stopped(void **state)
{
    (void)state;
    enum { COUNT = 3 * 64 + 1 }; /* one more than three repeats: no repeat ends where it began */
    void *ring[COUNT];
    assert_int_equal(chase_steps, 64);
    for (size_t i = 0; i < COUNT; i++)
        ring[i] = &ring[(i + 1) % COUNT];
    struct chase chase = {&ring[0]};
    assert_int_equal(chase_run(&chase, 1), (uint64_t)(uintptr_t)&ring[64]);
    assert_ptr_equal(chase.position, &ring[64]);
    chase_run(&chase, 2);
    assert_ptr_equal(chase.position, &ring[3 * 64]);
    chase_run(&chase, 1);
    assert_ptr_equal(chase.position, &ring[63]);
}

static void additions_add_one_a_step(void **state)
{
    (void)state;
    assert_int_equal(additions_run(NULL, 1), addition_steps);
    assert_int_equal(additions_run(NULL, 1000), 1000 * addition_steps);
}

struct side {
    kernel_function *run;
    void *state;
};

/* Short turns, so that the test also passes on one CPU, where each turn waits for the scheduler. */
enum { ROUND_TRIPS = 20 };

static void *run_side(void *argument)
{
    const struct side *side = argument;
    side->run(side->state, ROUND_TRIPS);
    return NULL;
}

static void run_both(const struct side *first, struct side *second)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_side, second), 0);
    first->run(first->state, ROUND_TRIPS);
    pthread_join(thread, NULL);
}

static void both_sides_of_a_cas_take_turns(void **state)
{
    (void)state;
    uint32_t flag = 0;
    struct handoff_cas ping = {&flag, 0, 1}, pong = {&flag, 1, 0};
    struct side first = {handoff_cas_run, &ping}, second = {handoff_cas_run, &pong};
    run_both(&first, &second);
    assert_int_equal(flag, 0);
}

static void both_sides_of_a_readwrite_count_together(void **state)
{
    (void)state;
    _Alignas(128) uint32_t lines[2][HANDOFF_LINE_DISTANCE / sizeof(uint32_t)] = {0};
    struct handoff_readwrite ping = {lines[0], lines[1], 0}, pong = {lines[1], lines[0], 0};
    struct side first = {handoff_readwrite_first_run, &ping};
    struct side second = {handoff_readwrite_second_run, &pong};
    run_both(&first, &second);
    assert_int_equal(ping.last, ROUND_TRIPS);
    assert_int_equal(pong.last, ROUND_TRIPS);
    run_both(&first, &second);
    assert_int_equal(lines[0][0], 2 * ROUND_TRIPS);
    assert_int_equal(lines[1][0], 2 * ROUND_TRIPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chase_goes_on_where_it_stopped),
        cmocka_unit_test(additions_add_one_a_step),
        cmocka_unit_test(both_sides_of_a_cas_take_turns),
        cmocka_unit_test(both_sides_of_a_readwrite_count_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
