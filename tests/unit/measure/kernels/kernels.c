/* What the kernels compute. That their loops are exactly what they should be is asserted from
 * their disassembly by tests/kernels/loops. */
#include "measure/kernels/additions.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/multiplications.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_chase_goes_on_where_it_stopped(void **state)
{
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
    assert_int_equal(additions_run(NULL, 1), addition_steps);
    assert_int_equal(additions_run(NULL, 1000), 1000 * addition_steps);
}

static void multiplications_multiply_once_a_step(void **state)
{
    uint64_t product = 1;
    for (unsigned i = 0; i < 1000 * multiplication_steps; i++)
        product *= UINT64_C(0x9e3779b97f4a7c15);
    assert_int_equal(multiplications_run(NULL, 1000), product);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chase_goes_on_where_it_stopped),
        cmocka_unit_test(additions_add_one_a_step),
        cmocka_unit_test(multiplications_multiply_once_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
