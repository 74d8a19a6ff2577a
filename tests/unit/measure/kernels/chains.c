/* Every loop advances every chain by as many steps as it says, and touches no other memory. */
#include "measure/kernels/chains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ELEMENTS = 5003, REPEATS = 3, STRIDE = 7 };

static void *ring[ELEMENTS];

static void link_ring(void)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        ring[i] = &ring[(i + STRIDE) % ELEMENTS];
}

static void *after(size_t start, uint64_t steps)
{
    return &ring[(start + steps * STRIDE) % ELEMENTS];
}

static void every_number_of_chains_steps_each_of_them(void **state)
{
    link_ring();
    for (unsigned n = 1; n <= CHAINS_MOST; n++) {
        struct chains chains = {{0}};
        for (unsigned i = 0; i < n; i++)
            chains.position[i] = &ring[i * 61];
        assert_int_equal(chains_steps(n) % n, 0);
        assert_true(chains_steps(n) >= 32);
        assert_non_null(chains_kernel(n));
        assert_int_not_equal(chains_kernel(n)(&chains, REPEATS), 0);
        for (unsigned i = 0; i < n; i++)
            assert_ptr_equal(chains.position[i], after(i * 61, REPEATS * chains_steps(n) / n));
        for (unsigned i = n; i < CHAINS_MOST; i++)
            assert_null(chains.position[i]);
    }
}

static void registers_hold_the_first_chains(void **state)
{
    assert_true(chains_registers >= 8 && chains_registers < CHAINS_MOST);
}

static void check_work(kernel_function *run, uint64_t count, uint64_t work, uint64_t ahead)
{
    enum { STEPS = 10 };
    void *chains[CHAINS_MOST];
    for (size_t i = 0; i < count; i++)
        chains[i] = &ring[i * 61];
    struct chains_work all = {chains, count, 0, work, ahead};
    run(&all, STEPS);
    run(&all, STEPS);
    assert_int_equal(all.turn, 2 * STEPS % count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(chains[i],
                         after(i * 61, 2 * STEPS / count + (i < 2 * STEPS % count ? 1 : 0)));
}

static void chains_with_work_take_turns(void **state)
{
    static const uint64_t counts[] = {1, 2, 3, 16, 64}, works[] = {0, 1, 5, CHAINS_WORK_MOST};
    link_ring();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
            check_work(chains_work_run, counts[c], works[w], 0);
            check_work(chains_prefetch_run, counts[c], works[w], 1);
            check_work(chains_prefetch_run, counts[c], works[w], counts[c]);
            check_work(chains_iterations(), counts[c], works[w] + 1, 0);
            check_work(chains_iterations(), counts[c], works[w] + 1, counts[c]);
        }
}

/* The sum of the additions shows how many there were. */
static uint64_t worked(kernel_function *run, uint64_t work)
{
    static void *chain; /* its address is part of the sum */
    chain = &ring[5];
    struct chains_work one = {&chain, 1, 0, work, 1};
    return run(&one, 1) - (uint64_t)(uintptr_t)chain;
}

static void every_addition_is_done(void **state)
{
    kernel_function *const runs[] = {chains_work_run, chains_prefetch_run};
    link_ring();
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(worked(runs[i], 0), 0);
        /* Each addition adds one, or the chains' address, which is the same for every amount of
         * work. */
        for (uint64_t work = 1; work < CHAINS_WORK_MOST / 2; work *= 2)
            assert_int_equal(worked(runs[i], 3 * work / 2 + 1) - worked(runs[i], 3 * work / 2),
                             worked(runs[i], 1));
    }
}

/* The article's: x += x >> 1; y = the high half of y * x; z += y. */
static void iterations_are_the_articles(void **state)
{
    link_ring();
    for (uint64_t work = 1; work < 40; work++) {
        static void *chain;
        chain = &ring[5];
        struct chains_work one = {&chain, 1, 0, work, 0};
        const uint64_t sum = chains_iterations()(&one, 1);
        uint64_t x = (uint64_t)((char *)chain - (char *)&chain) / sizeof(void *), y = x, z = x;
        for (uint64_t n = 0; n < work; n++) {
            x += x >> 1;
            const uint64_t a = (y >> 32) * (x & UINT32_MAX), b = (y & UINT32_MAX) * (x >> 32),
                           low = (y & UINT32_MAX) * (x & UINT32_MAX),
                           carry = (low >> 32) + (a & UINT32_MAX) + (b & UINT32_MAX);
            y = (y >> 32) * (x >> 32) + (a >> 32) + (b >> 32) + (carry >> 32);
            z += y;
        }
        assert_true(sum == z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_chains_steps_each_of_them),
        cmocka_unit_test(registers_hold_the_first_chains),
        cmocka_unit_test(chains_with_work_take_turns),
        cmocka_unit_test(every_addition_is_done),
        cmocka_unit_test(iterations_are_the_articles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
