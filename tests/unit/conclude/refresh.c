/* Refresh found in loads of made-up memories, and in nothing else. */
#include "conclude/refresh.h"

#include "stats/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Where nothing is to be found, a millisecond of each trial is enough: no more is searched. */
enum { TRIALS = 8, LOADS = 16000, FEW_LOADS = 3000 };

/* What happens to a memory, in ns. */
struct memory {
    double refi, rfc;            /* 0: no refresh */
    double other;                /* a second refresh between two of these takes so long */
    double step;                 /* of the counter */
    double load, slack;          /* a load, and the loop around it: at least, and at most more */
    double bump;                 /* one of twenty loads takes up to so much longer */
    double every, lasts, delays; /* another program's pulses: every load in them is delayed */
    bool one;                    /* only the first load of each pulse */
};

static double share(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

static struct refresh_trial trial_of(const struct memory *memory, struct random *random,
                                     struct pool *pool, size_t count)
{
    struct refresh_load *loads = pool_alloc(pool, count, sizeof *loads);
    const double phase = share(random) * 1e6;
    double now = 0, pulse = -1;
    for (size_t i = 0; i < count; i++) {
        now += 100 + memory->slack * share(random);
        double ns = memory->load + 10 * share(random) + 10 * share(random);
        if (share(random) < 0.05)
            ns += memory->bump * share(random);
        if (memory->refi > 0) {
            const double into = fmod(now + phase, memory->refi);
            const double between = fmod(now + phase + memory->refi / 2, memory->refi);
            ns += fmax(0, memory->rfc - into) + fmax(0, memory->other - between);
        }
        if (memory->every > 0 && fmod(now + phase, memory->every) < memory->lasts) {
            const double which = floor((now + phase) / memory->every);
            ns += memory->one && which == pulse ? 0 : memory->delays;
            pulse = which;
        }
        now += ns;
        ns = memory->step > 0 ? floor(ns / memory->step) * memory->step : ns;
        loads[i] = (struct refresh_load){now, ns};
    }
    return refresh_take(loads, count, pool);
}

static struct refresh find_in(const struct memory *memories, size_t kinds, uint64_t seed,
                              size_t loads)
{
    struct random random = {random_mix(seed)};
    struct refresh_trial trials[TRIALS];
    struct pool pool = {0};
    for (size_t i = 0; i < TRIALS; i++)
        trials[i] = trial_of(&memories[i % kinds], &random, &pool, loads);
    const struct refresh found = refresh_find(trials, TRIALS, &pool);
    pool_free(&pool);
    return found;
}

static bool about(float value, double wanted)
{
    return fabs((double)value / wanted - 1) < 0.02;
}

/* JEDEC's periods and times of 195 ns (DDR5 of 16 Gbit, same bank) to 410 ns (32 Gbit, all banks),
 * in memories that are near and far, quiet and not. */
static void refresh_is_found(void **state)
{
    static const double refi[] = {1950, 3900, 7800}, rfc[] = {195, 260, 295, 350, 410};
    static const struct memory around[] = {{.load = 90, .slack = 250, .bump = 20},
                                           {.load = 140, .slack = 300, .bump = 60},
                                           {.load = 250, .slack = 400, .bump = 120}};
    for (unsigned number = 0; number < sample_seeds(45); number++) {
        const unsigned of = number * 7 % 45; /* the first few differ in everything */
        const size_t i = of % 3, k = of % 5, a = of / 15;
        struct memory memory = around[a];
        memory.refi = refi[i];
        memory.rfc = rfc[k];
        const struct refresh found = find_in(&memory, 1, 100 * i + 10 * k + a, LOADS);
        if (found.answer != REFRESH_FOUND || !about(found.period_ns.median, refi[i]) ||
            !about(found.cost_ns.median, rfc[k]))
            fail_msg("refresh of %g ns each %g ns in memory %zu: answer %d, %g ns each %g", rfc[k],
                     refi[i], a, (int)found.answer, (double)found.cost_ns.median,
                     (double)found.period_ns.median);
        assert_true(found.period_ns.n == TRIALS && found.cost_ns.low <= found.cost_ns.high);
    }
}

/* Some with pulses, because slow loads that come together are not independent. */
static void none_is_found_where_there_is_none(void **state)
{
    for (uint64_t seed = 0; seed < sample_seeds(200); seed++) {
        struct random random = {seed};
        struct memory memory = {.load = 80 + 200 * share(&random),
                                .slack = 10 + 400 * share(&random),
                                .bump = 200 * share(&random)};
        if (seed % 2) {
            memory.every = 20e3 + 1e6 * share(&random);
            memory.lasts = memory.every * 0.2 * share(&random);
            memory.delays = 50 + 300 * share(&random);
        }
        const struct refresh found = find_in(&memory, 1, seed + 1000, FEW_LOADS);
        if (found.answer == REFRESH_FOUND)
            fail_msg("memory %u: a refresh of %g ns each %g ns", (unsigned)seed,
                     (double)found.cost_ns.median, (double)found.period_ns.median);
    }
}

/* As exact as no program is: all harmonics are in the range. */
static void pulses_of_programs_are_no_refresh(void **state)
{
    static const double every[] = {200e3, 250e3, 1e6, 1.024e6, 4e6, 10e6},
                        lasts[] = {400, 2e3, 5e3, 20e3};
    for (unsigned number = 0; number < sample_seeds(48); number++) {
        const unsigned of = number * 7 % 48;
        const size_t i = of % 6, k = of / 6 % 4;
        const struct memory memory = {.load = 140,
                                      .slack = 200,
                                      .bump = 5,
                                      .every = every[i],
                                      .lasts = lasts[k],
                                      .delays = 200,
                                      .one = of >= 24};
        const struct refresh found = find_in(&memory, 1, 10 * i + k, FEW_LOADS);
        if (found.answer == REFRESH_FOUND)
            fail_msg("pulses of %g ns each %g ns are a refresh each %g ns", lasts[k], every[i],
                     (double)found.period_ns.median);
    }
}

/* Pulses beside a refresh do not hide it. */
static void refresh_is_found_beside_pulses(void **state)
{
    const struct memory memory = {.refi = 3900,
                                  .rfc = 295,
                                  .load = 140,
                                  .slack = 200,
                                  .bump = 40,
                                  .every = 1e6,
                                  .lasts = 20e3,
                                  .delays = 200};
    const struct refresh found = find_in(&memory, 1, 7, LOADS);
    assert_int_equal(found.answer, REFRESH_FOUND);
    assert_true(about(found.period_ns.median, 3900) && about(found.cost_ns.median, 295));
}

/* Loads that are further apart meet few of the periods, and half of them a second refresh that lies
 * between two: of another rank of the channel. A counter's steps hide neither. Where both take
 * about the same time, they look like one of half the period. */
static void refresh_is_found_by_few_loads_of_it(void **state)
{
    static const double others[] = {120, 190, 225, 250};
    struct memory memory = {.rfc = 250, .load = 120, .slack = 1800, .bump = 200, .step = 10};
    for (uint64_t seed = 0; seed < sample_seeds(20); seed++) {
        memory.refi = seed % 4 == 0 ? 1950 : seed % 3 ? 3900 : 7800;
        memory.other = others[seed % 4];
        const struct refresh found = find_in(&memory, 1, seed + 500, LOADS);
        assert_int_equal(found.answer, REFRESH_FOUND);
        if (!about(found.period_ns.median, memory.refi) &&
            (seed % 4 == 0 || !about(2 * found.period_ns.median, memory.refi)))
            fail_msg("%g and %g ns in turn each %g ns: %g ns", memory.rfc, memory.other,
                     memory.refi, (double)found.period_ns.median);
        assert_true(seed % 4 < 3 || about(2 * found.period_ns.median, memory.refi));
    }
}

static void halves_have_to_agree(void **state)
{
    const struct memory quiet = {.load = 140, .slack = 200, .bump = 40};
    struct memory halves[2] = {quiet, quiet};
    halves[0].refi = 1950;
    halves[0].rfc = 195;
    assert_int_equal(find_in(halves, 2, 3, LOADS).answer, REFRESH_APART);
    halves[1].refi = 2050;
    halves[1].rfc = 195;
    assert_int_equal(find_in(halves, 2, 3, LOADS).answer, REFRESH_APART);
    halves[1].refi = 1950;
    assert_int_equal(find_in(halves, 2, 3, LOADS).answer, REFRESH_FOUND);
}

static void too_few_loads_answer_nothing(void **state)
{
    const struct memory memory = {.refi = 1950, .rfc = 195, .load = 140, .slack = 200, .bump = 40};
    struct random random = {1};
    struct refresh_trial trials[4];
    struct pool pool = {0};
    assert_int_equal(refresh_find(NULL, 0, &pool).answer, REFRESH_TOO_FEW);
    for (size_t i = 0; i < 4; i++)
        trials[i] = trial_of(&memory, &random, &pool, i == 3 ? 0 : LOADS);
    assert_int_equal(refresh_find(trials, 3, &pool).answer, REFRESH_TOO_FEW);
    assert_int_equal(refresh_find(trials, 4, &pool).answer, REFRESH_TOO_FEW);
    trials[3] = trial_of(&memory, &random, &pool, 100);
    assert_int_equal(refresh_find(trials, 4, &pool).answer, REFRESH_TOO_FEW);
    trials[3] = trial_of(&memory, &random, &pool, LOADS);
    assert_int_equal(refresh_find(trials, 4, &pool).answer, REFRESH_FOUND);
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refresh_is_found),
        cmocka_unit_test(none_is_found_where_there_is_none),
        cmocka_unit_test(pulses_of_programs_are_no_refresh),
        cmocka_unit_test(refresh_is_found_beside_pulses),
        cmocka_unit_test(refresh_is_found_by_few_loads_of_it),
        cmocka_unit_test(halves_have_to_agree),
        cmocka_unit_test(too_few_loads_answer_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
