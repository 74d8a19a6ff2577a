#include "matrix.h"

/* Two complexes of four cores: eight rows are too few to estimate noise, but the order of the
 * latencies shows the groups. */
static void halves_of_a_small_and_noisy_matrix(void **state)
{
    (void)state;
    static const size_t halves[] = {4, 0};
    static const double ns[] = {40, 110};
    assert_always(8, halves, ns, 0.12, "(0-3)(4-7)");
}

static void complexes_of_three(void **state)
{
    (void)state;
    static const size_t threes[] = {3, 0};
    static const double ns[] = {40, 110};
    assert_always(12, threes, ns, 0.12, "(0-2)(3-5)(6-8)(9-11)");
}

/* With threads, whose nearness is no evidence of the complexes. */
static void complexes_of_cores_with_threads(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 6, 0};
    static const double ns[] = {12, 30, 80};
    assert_always(12, sizes, ns, 0.1, "(0-5(0-1)(2-3)(4-5))(6-11(6-7)(8-9)(10-11))");
}

/* Two slow cores leave six that are nearer to one another: one group, and no two of one size. */
static void what_slow_cores_leave_is_no_group(void **state)
{
    (void)state;
    static const size_t none[] = {0};
    static const double ns[] = {60};
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(9, none, ns, 0.02, seed);
        add_to_row(&matrix, 1, 20);
        add_to_row(&matrix, 6, 20);
        assert_found(matrix, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_a_small_and_noisy_matrix),
        cmocka_unit_test(complexes_of_three),
        cmocka_unit_test(complexes_of_cores_with_threads),
        cmocka_unit_test(what_slow_cores_leave_is_no_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
