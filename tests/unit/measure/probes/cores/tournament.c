#include "measure/probes/cores/cores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1024 };

/* Every ordered pair once, every CPU in one pair of a round, and no core in two. */
static void assert_fair(const struct tournament *tournament, const int *cores, size_t n)
{
    unsigned char *met = calloc(n, n);
    size_t *busy = calloc(n, sizeof *busy); /* the round in which each core was busy last */
    const struct pairing *pairing = tournament->pairings;
    assert_non_null(met);
    assert_non_null(busy);
    for (size_t round = 0; round < tournament->round_count; round++) {
        assert_true(tournament->rounds[round] > 0);
        for (unsigned i = 0; i < tournament->rounds[round]; i++, pairing++) {
            size_t a = (size_t)pairing->first, b = (size_t)pairing->second;
            assert_true(a < n && b < n && a != b);
            assert_int_equal(met[a * n + b]++, 0);
            size_t core_a = cores[a] < 0 ? a : (size_t)cores[a];
            size_t core_b = cores[b] < 0 ? b : (size_t)cores[b];
            assert_true(busy[core_a] != round + 1 && busy[core_b] != round + 1);
            busy[core_a] = busy[core_b] = round + 1;
        }
    }
    assert_int_equal(pairing - tournament->pairings, n * (n - 1));
    assert_int_equal(tournament->pairing_count, n * (n - 1));
    free(met);
    free(busy);
}

/* `threads` hardware threads a core; neighbours in number are siblings, or those half the machine
 * apart, as firmware has it. */
static void play(size_t n, size_t threads, bool apart, struct tournament *tournament,
                 struct pool *pool)
{
    int cores[MOST];
    size_t count = (n + threads - 1) / threads;
    for (size_t i = 0; i < n; i++)
        cores[i] = (int)(apart ? i % count : i / threads);
    *tournament = tournament_plan(cores, n, pool);
    assert_fair(tournament, cores, n);
    size_t widest = 0;
    for (size_t round = 0; round < tournament->round_count; round++)
        widest = tournament->rounds[round] > widest ? tournament->rounds[round] : widest;
    assert_int_equal(tournament_width(cores, n, pool), widest);
}

static void all_pairs_meet_once_in_as_few_rounds_as_can_be(void **state)
{
    static const struct {
        size_t cpus, threads, rounds;
    } cases[] = {
        {2, 1, 1},
        {3, 1, 3},
        {5, 1, 5},
        {8, 1, 7},
        {511, 1, 511},
        {1023, 1, 1023},
        {1024, 1, 1023},
        {1024, 2, 1 + 511 * 4}, /* within the cores, and four for each meeting of two */
        {1024, 4, 6 + 255 * 16},
        {2, 2, 1},
        {4, 2, 1 + 4},
        {9, 2, 0}, /* cores that are not full */
        {127, 3, 0},
        {66, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int apart = 0; apart < 2; apart++) {
            struct pool pool = {0};
            struct tournament tournament;
            play(cases[i].cpus, cases[i].threads, apart, &tournament, &pool);
            assert_true(!cases[i].rounds || tournament.round_count == 2 * cases[i].rounds);
            pool_free(&pool);
        }
}

static void cores_of_different_kinds_may_mix(void **state)
{
    /* Two threads on the first eight cores, one on the other sixteen, and two of unknown place. */
    int cores[34];
    struct pool pool = {0};
    for (int i = 0; i < 32; i++)
        cores[i] = i < 16 ? i / 2 : i - 8;
    cores[32] = cores[33] = -1;
    const struct tournament tournament = tournament_plan(cores, 34, &pool);
    assert_fair(&tournament, cores, 34);
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_meet_once_in_as_few_rounds_as_can_be),
        cmocka_unit_test(cores_of_different_kinds_may_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
