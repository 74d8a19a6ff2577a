#include "conclude/clusters/cluster.h"

#include "matrix.h"

/* --- machines that were measured --- */

#define I9_CLUSTERS                                                                                \
    "(0-15(0-1)(2-3)(4-5)(6-7)(8-9)(10-11)(12-13)(14-15))(16-31(16-19)(20-23)(24-27)(28-31))"

static void siblings_and_modules_of_an_i9_13980hx(void **state)
{
    assert_found(matrix_load("i9-13980hx-cas"), I9_CLUSTERS);
    assert_found(matrix_load("i9-13980hx-cas-rust"), I9_CLUSTERS);
    assert_found(matrix_load("i9-13980hx-readwrite"), I9_CLUSTERS);
    assert_found(matrix_load("i9-13980hx-readwrite-rust"), I9_CLUSTERS);
}

static void siblings_of_an_i3_2120t(void **state)
{
    assert_found(matrix_load("i3-2120t-cas"), "(0,2)(1,3)");
    assert_found(matrix_load("i3-2120t-readwrite"), "(0,2)(1,3)");
}

static void the_order_of_rows_does_not_matter(void **state)
{
    static const char *const names[] = {"i9-13980hx-cas", "i9-13980hx-cas-rust",
                                        "i9-13980hx-readwrite", "i9-13980hx-readwrite-rust"};
    struct random random = {7};
    for (int round = 0; round < 40; round++) {
        struct matrix original = matrix_load(names[round % 4]), shuffled = matrix_new(original.n);
        size_t place[32], n = original.n;
        for (size_t i = 0; i < n; i++) {
            size_t j = (size_t)random_below(&random, i + 1);
            place[i] = place[j];
            place[j] = i;
        }
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                shuffled.latency[a * n + b] = original.latency[place[a] * n + place[b]];
        struct pool pool = {0};
        struct clusters one, other;
        clusters_find(&one, &pool, original.latency, NULL, n);
        clusters_find(&other, &pool, shuffled.latency, NULL, n);
        assert_int_equal(one.count, other.count);
        for (size_t i = 0; i < one.count; i++) {
            bool seen = false;
            for (size_t j = 0; j < other.count && !seen; j++) {
                bool has[32] = {false};
                for (size_t k = 0; k < other.list[j].count; k++)
                    has[place[other.list[j].members[k]]] = true;
                seen = other.list[j].count == one.list[i].count;
                for (size_t k = 0; k < one.list[i].count; k++)
                    seen = seen && has[one.list[i].members[k]];
            }
            assert_true(seen);
        }
        pool_free(&pool);
        free(original.latency);
        free(shuffled.latency);
    }
}

/* --- made-up machines --- */

static const size_t two_sockets[] = {2, 8, 16, 0};
static const double two_sockets_ns[] = {10, 30, 100, 200};
#define TWO_SOCKETS                                                                                \
    "(0-15(0-7(0-1)(2-3)(4-5)(6-7))(8-15(8-9)(10-11)(12-13)(14-15)))"                              \
    "(16-31(16-23(16-17)(18-19)(20-21)(22-23))(24-31(24-25)(26-27)(28-29)(30-31)))"

static void sockets_complexes_and_threads_nest(void **state)
{
    static const double levels[] = {0, 0.003, 0.01, 0.03, 0.06, 0.1};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_always(32, two_sockets, two_sockets_ns, levels[i], TWO_SOCKETS);
}

static void sockets_of_cores_without_threads(void **state)
{
    static const size_t sizes[] = {8, 0};
    static const double ns[] = {60, 130};
    static const double levels[] = {0, 0.01, 0.05};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_always(16, sizes, ns, levels[i], "(0-7)(8-15)");
}

static void sockets_of_unequal_size(void **state)
{
    static const size_t sizes[] = {12, 0};
    static const double ns[] = {50, 150};
    assert_always(16, sizes, ns, 0.02, "(0-11)(12-15)");
}

static void nothing_is_found_where_nothing_is(void **state)
{
    static const size_t sizes[] = {0};
    static const double ns[] = {70};
    static const size_t counts[] = {2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 48, 100};
    static const double levels[] = {0, 0.001, 0.01, 0.03, 0.1, 0.3};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            /* In three or four rows such noise looks like structure. */
            if (counts[n] <= 5 && levels[i] > 0.01)
                continue;
            assert_always(counts[n], sizes, ns, levels[i], "");
        }
}

/* On a ring the distance to a core grows with its position, so no two cores are alike. */
static void a_ring_is_no_group(void **state)
{
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_new(16);
        struct random random = {seed};
        for (int a = 0; a < 16; a++)
            for (int b = 0; b < 16; b++) {
                int way = abs(a - b);
                way = way > 8 ? 16 - way : way;
                matrix.latency[a * 16 + b] =
                    a == b ? NAN : 50 + 3 * way + 0.3 * sample_normal(&random);
            }
        assert_found(matrix, "");
    }
}

static void a_slow_core_stays_where_it_is(void **state)
{
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(32, two_sockets, two_sockets_ns, 0.01, seed);
        add_to_row(&matrix, 5, 8); /* its sibling is not slow */
        add_to_row(&matrix, 20, 25);
        add_to_row(&matrix, 21, 25);
        assert_found(matrix, TWO_SOCKETS);
    }
}

static void a_slow_core_makes_no_group_of_the_others(void **state)
{
    static const size_t complexes[] = {8, 0}, none[] = {0};
    static const double ns[] = {60, 110};
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(16, complexes, ns, 0.01, seed);
        add_to_row(&matrix, 3, 20);
        assert_found(matrix, "(0-7)(8-15)");
        matrix = matrix_nested(12, none, ns, 0.01, seed);
        add_to_row(&matrix, 4, 30);
        assert_found(matrix, "");
    }
}

static void cells_may_be_missing(void **state)
{
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(32, two_sockets, two_sockets_ns, 0.02, seed);
        struct random random = {seed};
        for (size_t a = 0; a < 32; a++)
            for (size_t b = 0; b < a; b++)
                if (a / 2 != b / 2 && random_unit(&random) < 0.2)
                    drop_cell(&matrix, a, b);
        assert_found(matrix, TWO_SOCKETS);
    }
}

static void rows_may_be_missing(void **state)
{
    struct matrix matrix = matrix_nested(16, two_sockets, two_sockets_ns, 0.01, 3);
    for (size_t other = 0; other < 16; other++)
        drop_cell(&matrix, 9, other);
    assert_found(matrix, "(0-7(0-1)(2-3)(4-5)(6-7))(8,10-15(10-11)(12-13)(14-15))");
    assert_found(matrix_new(8), "");
    assert_found(matrix_new(0), "");
}

static void values_that_are_no_latencies_are_missing(void **state)
{
    static const double odd[] = {0, -5, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct matrix matrix = matrix_nested(16, two_sockets, two_sockets_ns, 0.01, 3);
        matrix.latency[2 * 16 + 9] = matrix.latency[9 * 16 + 2] = odd[i];
        for (size_t a = 0; a < 16; a++)
            matrix.latency[a * 17] = odd[i]; /* the diagonal */
        assert_found(matrix, "(0-7(0-1)(2-3)(4-5)(6-7))(8-15(8-9)(10-11)(12-13)(14-15))");
    }
}

static void two_and_three_rows(void **state)
{
    static const size_t pairs[] = {2, 0};
    static const double ns[] = {10, 50}, near_ns[] = {50, 55};
    assert_found(matrix_nested(2, pairs, ns, 0, 1), "");
    assert_found(matrix_nested(3, pairs, ns, 0.01, 1), "(0-1)");
    assert_found(matrix_nested(3, pairs, near_ns, 0.01, 1), "");
}

/* Modules that show only in their latencies to the others: within and between modules all latencies
 * are equal. */
static void groups_that_only_the_others_tell_apart(void **state)
{
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        static const double to_first[] = {84, 88, 92};
        struct matrix matrix = matrix_new(16);
        struct random random = {seed};
        for (size_t a = 0; a < 16; a++)
            for (size_t b = 0; b < 16; b++) {
                size_t low = a < b ? a : b, high = a < b ? b : a;
                double value = high < 4 ? 95 : low < 4 ? to_first[high / 4 - 1] : 130;
                matrix.latency[a * 16 + b] = a == b ? NAN : value + 0.25 * sample_normal(&random);
            }
        assert_found(matrix, "(0-3)(4-7)(8-11)(12-15)");
    }
}

/* Two performance cores with two threads each, 0-1 and 10-11, two modules of four efficiency cores,
 * whose cores are farther from one another than from all else on their die, and two cores on
 * another die, whose latencies scatter by 15 %. */
static void kinds_of_core_are_found_kind_by_kind(void **state)
{
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_new(14);
        struct random random = {seed};
        for (size_t a = 0; a < 14; a++)
            for (size_t b = 0; b < a; b++) {
                const bool fast = b < 2 || a >= 10, same = (a + 2) / 4 == (b + 2) / 4;
                const double ns = a >= 12 ? 180 * exp(0.15 * sample_normal(&random))
                                  : fast && a / 2 == b / 2 ? 5
                                  : fast && b >= 6         ? 32
                                  : fast                   ? 35
                                  : same                   ? 50
                                                           : 38;
                matrix.latency[a * 14 + b] = matrix.latency[b * 14 + a] =
                    ns * exp(0.003 * sample_normal(&random));
            }
        matrix.latency[9 * 14 + 11] = matrix.latency[11 * 14 + 9] = 37; /* a disturbed cell */
        assert_found(matrix, "(0-11(0-1,10-11(0-1)(10-11))(2-9(2-5)(6-9)))");
    }
}

/* Noise that is known to be larger than the difference of two rows. */
static void known_noise_is_believed(void **state)
{
    struct matrix matrix = matrix_load("i9-13980hx-cas"), same = matrix_load("i9-13980hx-cas");
    double *noise = malloc(matrix.n * matrix.n * sizeof *noise);
    for (size_t i = 0; i < matrix.n * matrix.n; i++)
        noise[i] = matrix.latency[i] * 0.01;
    char *text = found(matrix, noise);
    assert_non_null(strstr(text, "(14-15)"));
    free(text);
    for (size_t i = 0; i < same.n * same.n; i++)
        noise[i] = same.latency[i];
    text = found(same, noise);
    assert_null(strstr(text, "(14-15)"));
    free(text);
    free(noise);
}

static void a_thousand_rows(void **state)
{
    static const size_t sizes[] = {2, 16, 128, 512, 0}, none[] = {0};
    static const double ns[] = {10, 30, 80, 110, 250};
    struct pool pool = {0};
    struct clusters clusters;
    const bool whole = sample_each() == 1;
    const size_t rows = whole ? 1024 : 256;
    struct matrix matrix = matrix_nested(rows, sizes, ns, 0.02, 1);
    clusters_find(&clusters, &pool, matrix.latency, NULL, rows);
    assert_int_equal(clusters.count, whole ? 2 + 8 + 64 + 512 : 2 + 16 + 128);
    free(matrix.latency);
    matrix = matrix_nested(rows, none, ns, 0.02, 1);
    clusters_find(&clusters, &pool, matrix.latency, NULL, rows);
    assert_int_equal(clusters.count, 0);
    free(matrix.latency);
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_and_modules_of_an_i9_13980hx),
        cmocka_unit_test(siblings_of_an_i3_2120t),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(sockets_complexes_and_threads_nest),
        cmocka_unit_test(sockets_of_cores_without_threads),
        cmocka_unit_test(sockets_of_unequal_size),
        cmocka_unit_test(nothing_is_found_where_nothing_is),
        cmocka_unit_test(a_ring_is_no_group),
        cmocka_unit_test(a_slow_core_stays_where_it_is),
        cmocka_unit_test(a_slow_core_makes_no_group_of_the_others),
        cmocka_unit_test(cells_may_be_missing),
        cmocka_unit_test(rows_may_be_missing),
        cmocka_unit_test(values_that_are_no_latencies_are_missing),
        cmocka_unit_test(two_and_three_rows),
        cmocka_unit_test(kinds_of_core_are_found_kind_by_kind),
        cmocka_unit_test(groups_that_only_the_others_tell_apart),
        cmocka_unit_test(known_noise_is_believed),
        cmocka_unit_test(a_thousand_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
