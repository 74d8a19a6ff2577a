#include "matrix.h"

/* --- pairs --- */

static const size_t pairs[] = {2, 0};

/* Far cells that scatter by a third do not hide near pairs. */
static void pairs_of_a_small_and_noisy_matrix(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        static const double ns[] = {45, 280};
        struct matrix matrix = matrix_nested(8, pairs, ns, 0.15, seed);
        for (size_t a = 0; a < 8; a++)
            for (size_t b = 0; b < 8; b++)
                if (a / 2 == b / 2)
                    matrix.latency[a * 8 + b] = 45;
        assert_found(matrix, "(0-1)(2-3)(4-5)(6-7)");
    }
}

static void pairs_of_a_coarse_clock(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        static const double ns[] = {11, 32};
        struct matrix matrix = matrix_nested(12, pairs, ns, 0.1, seed);
        for (size_t i = 0; i < 144; i++)
            matrix.latency[i] = 5 * rint(matrix.latency[i] / 5);
        assert_found(matrix, "(0-1)(2-3)(4-5)(6-7)(8-9)(10-11)");
    }
}

/* A step from 9 to 10 may be one from 9.45 to 9.55. */
static void whole_numbers_make_no_groups(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(5); seed++) {
        static const double ns[] = {9.45, 9.55};
        struct matrix matrix = matrix_nested(16, pairs, ns, 0.001, seed);
        for (size_t i = 0; i < 256; i++)
            matrix.latency[i] = rint(matrix.latency[i]);
        assert_found(matrix, "");
    }
}

/* Two performance cores with threads beside eight others. */
static void a_few_pairs_that_are_very_near(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        static const double ns[] = {4.5, 35};
        struct matrix matrix = matrix_nested(12, pairs, ns, 0.25, seed);
        struct random random = {seed + 1000};
        for (size_t a = 4; a < 12; a += 2) {
            double far = 35 * exp(0.25 * sample_normal(&random));
            matrix.latency[a * 12 + a + 1] = matrix.latency[(a + 1) * 12 + a] = far;
        }
        assert_found(matrix, "(0-1)(2-3)");
    }
}

/* Pairs that stand out less are accepted if there are many; then a few exceptions are allowed. */
static void many_pairs_that_stand_out_little(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        static const double ns[] = {30, 44};
        char *text = found(matrix_nested(32, pairs, ns, 0.08, seed), NULL);
        size_t groups = 0;
        for (const char *c = text; *c; c++)
            groups += *c == '(';
        if (groups < 12 || groups > 16)
            fail_msg("seed %llu: %s", (unsigned long long)seed, text);
        free(text);
    }
}

/* A gap no larger than the known noise is none. */
static void known_noise_may_explain_a_gap(void **state)
{
    (void)state;
    static const double ns[] = {20, 30};
    double noise[64];
    for (size_t i = 0; i < 64; i++)
        noise[i] = 0.5;
    char *text = found(matrix_nested(8, pairs, ns, 0.01, 1), noise);
    assert_string_equal(text, "(0-1)(2-3)(4-5)(6-7)");
    free(text);
    for (size_t i = 0; i < 64; i++)
        noise[i] = 15;
    text = found(matrix_nested(8, pairs, ns, 0.01, 1), noise);
    assert_string_equal(text, "");
    free(text);
}

/* A core's threads i and i + 32 differ as much as groups do, because second threads are slower: no
 * group may hold one without the other. */
static void no_group_parts_a_pair(void **state)
{
    (void)state;
    enum { N = 64 };
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_new(N);
        struct random random = {seed};
        for (size_t a = 0; a < N; a++)
            for (size_t b = 0; b < N; b++) {
                size_t one = a % 32, other = b % 32;
                /* Complexes of eight cores; latencies between second threads of the last ones are
                 * longer. */
                double value = one == other ? 10 : one / 8 == other / 8 ? 25 : 110;
                if (value > 100 && a >= 48 && b >= 48)
                    value = 130;
                if (value > 100 && (a >= 48) != (b >= 48))
                    value = 122;
                matrix.latency[a * N + b] = value * exp(0.01 * sample_normal(&random));
            }
        char *text = found(matrix, NULL);
        assert_non_null(strstr(text, "(0-7,32-39(0,32)"));
        assert_non_null(strstr(text, "(24-31,56-63(24,56)"));
        assert_null(strstr(text, "(48"));
        assert_null(strstr(text, "(56"));
        free(text);
    }
}

/* --- plain groups --- */

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
        cmocka_unit_test(pairs_of_a_small_and_noisy_matrix),
        cmocka_unit_test(pairs_of_a_coarse_clock),
        cmocka_unit_test(whole_numbers_make_no_groups),
        cmocka_unit_test(a_few_pairs_that_are_very_near),
        cmocka_unit_test(many_pairs_that_stand_out_little),
        cmocka_unit_test(known_noise_may_explain_a_gap),
        cmocka_unit_test(no_group_parts_a_pair),
        cmocka_unit_test(halves_of_a_small_and_noisy_matrix),
        cmocka_unit_test(complexes_of_three),
        cmocka_unit_test(complexes_of_cores_with_threads),
        cmocka_unit_test(what_slow_cores_leave_is_no_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
