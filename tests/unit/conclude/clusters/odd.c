#include "matrix.h"

/* A core that is near to all of its complex forms no group with its nearest one. */
static void a_near_core_makes_no_group_with_another(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 16, 0};
    static const double ns[] = {10, 25, 110};
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(32, sizes, ns, 0.003, seed);
        for (size_t other = 0; other < 16; other++)
            for (size_t row = 4; row < 6; row++)
                if (other / 2 != 2)
                    matrix.latency[row * 32 + other] = matrix.latency[other * 32 + row] =
                        other / 2 == 6 ? 20.4 : 21.6;
        char *text = found(matrix, NULL);
        assert_non_null(strstr(text, "(0-15(0-1)(2-3)(4-5)(6-7)(8-9)(10-11)(12-13)(14-15))"));
        free(text);
    }
}

/* Cores of two complexes, one core twice as far away because it is slow. */
static void all_but_a_slow_core_is_no_group(void **state)
{
    (void)state;
    static const size_t none[] = {0};
    static const double ns[] = {60};
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(16, none, ns, 0.01, seed);
        add_to_row(&matrix, 4, 30);
        assert_found(matrix, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_near_core_makes_no_group_with_another),
        cmocka_unit_test(all_but_a_slow_core_is_no_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
