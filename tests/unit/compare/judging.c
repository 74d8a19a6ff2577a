#include "compare/judging.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* --- judging --- */

/* When a level has changed: by the sizes that two curves have in common, and by what each run
 * found. */

/* A level of memory, found `times` as far away, each within `half`. */
struct level {
    struct finding before, after;
    struct shared_plateau shared;
};

static struct finding found(double value, double half)
{
    return (struct finding){.name = "DRAM.latency",
                            .unit = "cycles",
                            .value = value,
                            .low = value * (1 - half),
                            .high = value * (1 + half),
                            .declared = NAN};
}

static void make(struct level *level, double times, double half)
{
    const struct comparison moved = {times, times * 0.99, times * 1.01, 1e-9};
    *level = (struct level){.before = found(600, half), .after = found(600 * times, half)};
    level->shared = (struct shared_plateau){.before = &level->before,
                                            .after = &level->after,
                                            .a = 600,
                                            .b = 600 * times,
                                            .time = moved,
                                            .cycles = moved,
                                            .has_cycles = true,
                                            .sizes = 4};
}

static enum verdict judged(const struct level *level)
{
    struct difference difference = {.verdict = SAME};
    judge_level(&difference, &level->shared, 0.03);
    return difference.verdict;
}

static void what_sizes_and_runs_say_has_changed(void **state)
{
    struct level level;
    (void)state;
    make(&level, 1.1, 0.02);
    assert_int_equal(judged(&level), CHANGED);
    make(&level, 1 / 1.1, 0.02);
    assert_int_equal(judged(&level), CHANGED);
    make(&level, 1, 0.02);
    assert_int_equal(judged(&level), SAME);
}

/* Another part of a cache below moves the sizes next to it. */
static void what_sizes_alone_say_is_uncertain(void **state)
{
    struct level level;
    (void)state;
    for (int slower = 0; slower < 2; slower++) {
        const double times = slower ? 1.1 : 1 / 1.1;
        make(&level, times, 0.08);
        assert_int_equal(judged(&level), UNCERTAIN);
        make(&level, times, 0.02);
        level.after.value = level.before.value;
        assert_int_equal(judged(&level), UNCERTAIN);
        make(&level, times, 0.02);
        level.after.low = level.after.high = NAN;
        assert_int_equal(judged(&level), UNCERTAIN);
    }
}

/* Their scatter says it all, whatever one disturbed size made of a run's own interval. */
static void many_sizes_suffice(void **state)
{
    struct level level;
    (void)state;
    make(&level, 1.1, 0.08);
    level.shared.sizes = 6;
    level.shared.many = true;
    assert_int_equal(judged(&level), CHANGED);
    level.after.flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_int_equal(judged(&level), UNCERTAIN);
}

static void a_level_in_doubt_has_not_changed(void **state)
{
    struct level level;
    (void)state;
    make(&level, 1.3, 0.001);
    level.before.flags = FLAG_BIT(FLAG_MISPLACED);
    assert_int_equal(judged(&level), UNCERTAIN);
    make(&level, 1.3, 0.001);
    level.before.flags = FLAG_BIT(FLAG_UNSTABLE); /* of the trials */
    assert_int_equal(judged(&level), CHANGED);
    level.after.flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_int_equal(judged(&level), UNCERTAIN);
    level.after.flags = FLAG_BIT(FLAG_CLOCK_DRIFT); /* no doubt */
    assert_int_equal(judged(&level), CHANGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_sizes_and_runs_say_has_changed),
        cmocka_unit_test(what_sizes_alone_say_is_uncertain),
        cmocka_unit_test(many_sizes_suffice),
        cmocka_unit_test(a_level_in_doubt_has_not_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
