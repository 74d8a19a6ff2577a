#include "matrix.h"

/* Eight fast cores, with two threads each if asked for, and `slow` slow ones: latencies depend on
 * the kinds. */
static struct matrix kinds(bool threads, size_t slow, double fast_ns, double between_ns,
                           double slow_ns, double noise, uint64_t seed)
{
    size_t fast = threads ? 16 : 8, n = fast + slow;
    struct matrix matrix = matrix_new(n);
    struct random random = {seed};
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t kind = (a >= fast) + (size_t)(b >= fast);
            double ns = kind == 0 ? fast_ns : kind == 1 ? between_ns : slow_ns;
            if (threads && a / 2 == b / 2 && a < fast)
                ns = 4.5;
            matrix.latency[a * n + b] = a == b ? NAN : ns * exp(noise * sample_normal(&random));
        }
    return matrix;
}

#define PAIRS "(0-1)(2-3)(4-5)(6-7)(8-9)(10-11)(12-13)(14-15)"

static void kinds_with_and_without_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        assert_found(kinds(true, 8, 32, 35, 47, 0.02, seed), "(0-15" PAIRS ")(16-23)");
        assert_found(kinds(true, 4, 34, 41, 53, 0.02, seed), "(0-15" PAIRS ")(16-19)");
        assert_found(kinds(false, 8, 32, 38, 47, 0.02, seed), "(0-7)(8-15)");
    }
}

/* They are kinds, and not near to one another. */
static void their_basis_is_the_kind(void **state)
{
    (void)state;
    struct pool pool = {0};
    struct clusters clusters;
    struct matrix matrix = kinds(true, 8, 32, 35, 47, 0.02, 1);
    clusters_find(&clusters, &pool, matrix.latency, NULL, matrix.n);
    assert_int_equal(clusters.count, 10);
    assert_int_equal(clusters.list[0].basis, CLUSTER_KIND);
    assert_int_equal(clusters.list[1].basis, CLUSTER_NEAR);
    assert_int_equal(clusters.list[9].basis, CLUSTER_KIND);
    pool_free(&pool);
    free(matrix.latency);
}

/* The farther half of a machine whose cache line has its home in the nearer half. */
static void a_far_socket_is_no_kind(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        char *text = found(kinds(false, 8, 30, 110, 130, 0.02, seed), NULL);
        assert_string_equal(text, "(0-7)");
        free(text);
    }
}

static void some_slower_cores_are_no_kind(void **state)
{
    (void)state;
    static const size_t none[] = {0};
    static const double ns[] = {60};
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        struct matrix matrix = matrix_nested(24, none, ns, 0.003, seed);
        struct random random = {seed + 99};
        for (size_t row = 0; row < 24; row++)
            add_to_row(&matrix, row, 1.5 * fabs(sample_normal(&random)));
        assert_found(matrix, "");
    }
}

/* Two fast cores of two threads and four slow ones; some cells are far too long, as where a pair
 * was disturbed. A slow core's latencies show more of its slowness than of its distance to fast
 * cores, so no group may mix the two. */
static void no_group_mixes_kinds(void **state)
{
    (void)state;
    enum { N = 8, FAST = 4 };
    for (uint64_t seed = 1; seed <= sample_seeds(400); seed++) {
        struct matrix matrix = matrix_new(N);
        struct random random = {seed};
        struct pool pool = {0};
        struct clusters clusters;
        for (size_t a = 0; a < N; a++)
            for (size_t b = 0; b < a; b++) {
                double ns = 34 + 5 * (double)((a >= FAST) + (b >= FAST)) + 5 * (b >= FAST);
                ns = a / 2 == b / 2 && a < FAST ? 4.5 : ns * exp(0.003 * sample_normal(&random));
                if (ns > 5 && random_unit(&random) < 0.02)
                    ns *= 1.2 + 3 * random_unit(&random);
                matrix.latency[a * N + b] = matrix.latency[b * N + a] = ns;
            }
        clusters_find(&clusters, &pool, matrix.latency, NULL, N);
        for (size_t i = 0; i < clusters.count; i++) {
            const struct cluster *cluster = &clusters.list[i];
            if ((cluster->members[0] < FAST) != (cluster->members[cluster->count - 1] < FAST))
                fail_msg("seed %llu: %zu to %zu", (unsigned long long)seed, cluster->members[0],
                         cluster->members[cluster->count - 1]);
        }
        pool_free(&pool);
        free(matrix.latency);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_with_and_without_threads),
        cmocka_unit_test(their_basis_is_the_kind),
        cmocka_unit_test(a_far_socket_is_no_kind),
        cmocka_unit_test(some_slower_cores_are_no_kind),
        cmocka_unit_test(no_group_mixes_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
