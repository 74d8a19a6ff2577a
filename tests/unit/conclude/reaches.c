#include "conclude/reaches.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SIZES = 24, CURVES = 200 };

struct slopes {
    size_t count;
    double ns[REACHES_MAX], end[REACHES_MAX];
};

/* The mean of all lines of a set, with a scatter that is uniform. */
static double mean_ns(const struct slopes *slopes, double bytes, double scatter,
                      struct random *random)
{
    double total = 0, from = 0;
    for (size_t i = 0; i < slopes->count && from < bytes; i++) {
        const double to = i + 1 < slopes->count ? fmin(slopes->end[i], bytes) : bytes;
        total += (to - from) * slopes->ns[i];
        from = to;
    }
    return total / bytes * (1 + scatter * (2 * random_unit(random) - 1));
}

static size_t find(const struct slopes *slopes, double scatter, uint64_t seed,
                   struct reach *reaches)
{
    struct point points[SIZES] = {{.x = 0}};
    struct random random = {seed};
    struct pool pool = {0};
    for (size_t i = 0; i < SIZES; i++) {
        points[i].x = 16384 * exp2((double)i / 2);
        points[i].y = (struct summary){
            .n = 8, .median = (float)mean_ns(slopes, points[i].x, scatter, &random)};
    }
    const struct series series = {.points = points, .point_count = SIZES};
    const size_t count = reaches_find(&series, &pool, reaches);
    pool_free(&pool);
    return count;
}

static void slopes_and_where_they_meet_are_found(void **state)
{
    static const struct slopes three[] = {
        {3, {80, 130, 250}, {1e6, 8e6}}, {3, {25, 14, 110}, {5e5, 1.2e7}}, {2, {100, 155}, {2e6}}};
    unsigned right = 0, held = 0, all = 0;
    for (uint64_t seed = 0; seed < CURVES; seed++) {
        const struct slopes *slopes = &three[seed % 3];
        struct reach reaches[REACHES_MAX];
        const size_t count = find(slopes, 0.04, seed, reaches);
        bool good = count == slopes->count;
        for (size_t i = 0; i < count && good; i++) {
            good = fabs(reaches[i].ns.value / slopes->ns[i] - 1) < 0.15;
            all++;
            held += reaches[i].ns.low <= slopes->ns[i] && slopes->ns[i] <= reaches[i].ns.high;
            if (i + 1 < count)
                good = good && fabs(log2(reaches[i].end.value / slopes->end[i])) < 0.5;
        }
        right += good;
    }
    print_message("right %u of %u, intervals hold %u of %u\n", right, (unsigned)CURVES, held, all);
    assert_true(right >= CURVES * 9 / 10);
    assert_true(held >= all * 9 / 10);
}

static void scatter_alone_has_one_slope(void **state)
{
    static const struct slopes one = {1, {90}, {0}};
    unsigned more = 0;
    for (uint64_t seed = 0; seed < CURVES; seed++) {
        struct reach reaches[REACHES_MAX];
        const size_t count = find(&one, 0.1, seed, reaches);
        more += count != 1;
        assert_true(count >= 1);
    }
    print_message("more than one slope in %u of %u\n", more, (unsigned)CURVES);
    assert_true(more <= CURVES / 50);
}

static void few_sizes_have_none(void **state)
{
    struct point points[] = {{.x = 1, .y = {.n = 1, .median = 1}}, {.x = 2}, {.x = 3}};
    const struct series series = {.points = points, .point_count = 3};
    struct reach reaches[REACHES_MAX];
    struct pool pool = {0};
    assert_int_equal(reaches_find(&series, &pool, reaches), 0);
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_and_where_they_meet_are_found),
        cmocka_unit_test(scatter_alone_has_one_slope),
        cmocka_unit_test(few_sizes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
