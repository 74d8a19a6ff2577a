#include "conclude/geometry.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 11 };

/* Lines that fit at strides of 1 KiB, 2 KiB, ...; 0: no point. */
static struct geometry_ways ways_of(const double *lines, size_t n, size_t doubtful)
{
    struct point points[POINTS];
    struct series fitting = {.points = points};
    for (size_t i = 0; i < n; i++) {
        float here = (float)lines[i];
        if (here > 0)
            points[fitting.point_count++] = (struct point){
                .x = 1024 << i,
                .y = {.median = here, .p25 = here, .p75 = here, .max = here, .n = 9}};
        if (i == doubtful) /* others took some in more than a quarter of the trials */
            points[fitting.point_count - 1].y.p25 = here - 1;
    }
    return geometry_ways_of(&fitting, 0);
}

static void the_smallest_stride_that_doubles_for_nothing_is_the_way_stride(void **state)
{
    struct geometry_ways ways =
        ways_of((const double[]){32, 16, 8, 8, 8, 8, 8, 8, 8, 4, 2}, 11, 99);
    assert_null(ways.why);
    assert_true(ways.ways == 8 && ways.way_stride == 4096);
    ways = ways_of((const double[]){0, 0, 0, 0, 40, 20, 20, 20}, 8, 99);
    assert_true(ways.ways == 20 && ways.way_stride == 32768);
}

static void no_plateau_or_a_contradiction_is_no_number(void **state)
{
    assert_non_null(ways_of((const double[]){0}, 1, 99).why);
    assert_non_null(ways_of((const double[]){32, 16, 8}, 3, 99).why);
    assert_non_null(ways_of((const double[]){32, 12, 8, 8}, 4, 99)
                        .why); /* half the stride does not hold twice as many */
    assert_non_null(ways_of((const double[]){8, 8, 8}, 3, 99).why); /* no smaller stride */
    assert_non_null(ways_of((const double[]){32, 16, 8, 8}, 4, 1).why);
    assert_non_null(ways_of((const double[]){32, 16, 8, 8}, 4, 2).why);
    assert_non_null(ways_of((const double[]){32, 16, 0, 8, 8}, 5, 99).why); /* one is missing */
    /* 12 ways stood still, and then a TLB of 6 ways overflowed. */
    assert_non_null(ways_of((const double[]){0, 24, 0, 12, 0, 12, 6, 6}, 8, 99).why);
    assert_null(ways_of((const double[]){0, 0, 0, 0, 0, 12, 6, 6}, 8, 99).why);
    assert_true(isnan(ways_of((const double[]){32, 16, 8}, 3, 99).ways));
}

static const double distances[] = {8, 16, 32, 64, 128, 256};

static double line_of(const double *latencies)
{
    return geometry_line_of(latencies, distances, 6, 4);
}

static void a_line_ends_where_the_second_load_misses(void **state)
{
    assert_true(line_of((const double[]){8, 8, 8, 12, 12, 12}) == 64);
    assert_true(line_of((const double[]){8, 8.1, 7.9, 8.2, 12, 12}) == 128);
    assert_true(line_of((const double[]){8, 8.1, 12, 12.2, 12, 11.8}) == 32);
}

static void what_a_prefetcher_brings_is_no_line(void **state)
{
    assert_true(isnan(line_of((const double[]){8, 8, 8, 10, 12, 12})));    /* in between */
    assert_true(isnan(line_of((const double[]){32, 32, 32, 37, 37, 37}))); /* near, not missed */
    assert_true(isnan(line_of((const double[]){8, 8, 8, 8, 8, 8})));       /* never misses */
    assert_true(isnan(line_of((const double[]){8, 8, 12, 8, 12, 12}))); /* rises and falls again */
    assert_true(isnan(line_of((const double[]){8, NAN, 8, 12, 12, 12}))); /* not measured */
    assert_true(isnan(geometry_line_of(distances, distances, 2, 4)));
}

static void nothing_measured_is_nothing_claimed(void **state)
{
    struct pool pool = {0};
    struct probe_result result = {0};
    struct cache_facts caches[] = {{3, "unified", 32 << 20, 64, 16, "0"}};
    struct machine_facts facts = {.caches = caches, .cache_count = 1};
    struct geometry_evidence evidence = {.declared = &facts,
                                         .levels = {{.capacity = NAN}, {.capacity = NAN}},
                                         .nearest = NAN,
                                         .lines_most = 42,
                                         .stride_most = 1 << 20};
    findings_geometry(&result, &pool, &evidence);
    assert_true(result.finding_count >= 8);
    for (size_t i = 0; i < result.finding_count; i++) {
        assert_true(isnan(result.findings[i].value));
        assert_non_null(result.findings[i].text);
    }
    /* 42 lines 1 MiB apart fit, more than the 32 that an index without a hash has room for. */
    evidence.third_held = true;
    result = (struct probe_result){0};
    findings_geometry(&result, &pool, &evidence);
    const struct finding *third = &result.findings[result.finding_count - 1];
    assert_string_equal(third->name, "L3.ways");
    assert_non_null(strstr(third->text, "hashed"));
    assert_true(isnan(third->value) && third->declared == 16);
    /* A run that was cut short gives the time as the reason, not the cache. */
    const struct series empty = {.name = "empty"};
    evidence.levels[0] =
        (struct geometry_level){.fitting = &empty, .lines = &empty, .capacity = NAN};
    evidence.too_few_for_ways = evidence.too_few_for_lines = true;
    result = (struct probe_result){0};
    findings_geometry(&result, &pool, &evidence);
    unsigned blamed = 0;
    for (size_t i = 0; i < result.finding_count; i++)
        if (strcmp(result.findings[i].name, "L1.ways") == 0 ||
            strcmp(result.findings[i].name, "L1.line") == 0)
            blamed += strstr(result.findings[i].text, "too few rounds") != NULL;
    assert_int_equal(blamed, 2);
    pool_free(&pool);
}

static const char *text_of(const struct probe_result *result, const char *name)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0)
            return result->findings[i].text;
    fail_msg("no %s", name);
    return "";
}

/* Strides from 512 bytes; lines of a first level of 8 ways, 4096 bytes apart. */
static void add_fitting(struct series *series, struct point *points, size_t n, double ways)
{
    for (size_t i = 0; i < n; i++) {
        const double stride = 512 * (double)(1 << i);
        const float lines = (float)(stride < 4096 ? ways * 4096 / stride : ways);
        points[i] = (struct point){
            .x = stride,
            .y = {lines, lines, lines, 0.9F, lines, lines, lines, lines, lines, lines, 9}};
    }
    *series = (struct series){.name = "lines that fit", .points = points, .point_count = n};
}

static void ways_that_others_hold_are_reported_as_such(void **state)
{
    struct pool pool = {0};
    struct cache_facts caches[] = {{1, "data", 32 << 10, 64, 8, "0"}};
    struct machine_facts facts = {.caches = caches, .cache_count = 1};
    static const struct {
        double ways;
        const char *says;
        unsigned flags;
    } cases[] = {{8, "fit, and no more", 0}, {4, "50 % of the 8 ways", FLAG_BIT(FLAG_OCCUPIED)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct probe_result result = {0};
        struct point points[6];
        struct series fitting;
        add_fitting(&fitting, points, 6, cases[i].ways);
        struct geometry_evidence evidence = {
            .declared = &facts,
            .levels = {{.fitting = &fitting, .capacity = NAN}, {.capacity = NAN}},
            .nearest = NAN};
        findings_geometry(&result, &pool, &evidence);
        assert_non_null(strstr(text_of(&result, "L1.ways"), cases[i].says));
        for (size_t f = 0; f < result.finding_count; f++)
            if (strcmp(result.findings[f].name, "L1.ways") == 0) {
                assert_true(result.findings[f].value == cases[i].ways);
                assert_int_equal(result.findings[f].flags, cases[i].flags);
            }
    }
    pool_free(&pool);
}

static void a_first_level_within_the_page_is_not_called_hashed(void **state)
{
    struct pool pool = {0};
    struct cache_facts caches[] = {{1, "data", 32 << 10, 64, 8, "0"},
                                   {2, "unified", 1 << 20, 64, 16, "0"}};
    uint64_t page = 4096;
    struct machine_facts facts = {
        .caches = caches, .cache_count = 2, .page_sizes = &page, .page_size_count = 1};
    const struct series none = {.name = "lines that fit"};
    const struct geometry_evidence evidence = {
        .declared = &facts,
        .levels = {{.fitting = &none, .capacity = NAN}, {.fitting = &none, .capacity = NAN}},
        .nearest = NAN};
    struct probe_result result = {0};
    findings_geometry(&result, &pool, &evidence);
    assert_null(strstr(text_of(&result, "L1.ways"), "hashed"));
    assert_non_null(strstr(text_of(&result, "L2.ways"), "hashed"));
    /* Two ways of 16 KiB: more than a page. */
    caches[0].ways = 2;
    result = (struct probe_result){0};
    findings_geometry(&result, &pool, &evidence);
    assert_non_null(strstr(text_of(&result, "L1.ways"), "hashed"));
    pool_free(&pool);
}

static void who_abstained_is_counted(void **state)
{
    struct pool pool = {0};
    struct probe_result result = {0};
    struct machine_facts facts = {0};
    struct point points[5];
    for (size_t i = 0; i < 5; i++)
        points[i] = (struct point){.x = (double)i, .y = {.median = 64, .n = 1}};
    const struct series lines = {.points = points, .point_count = 5};
    struct geometry_evidence evidence = {
        .declared = &facts,
        .levels = {{.lines = &lines, .capacity = NAN}, {.capacity = NAN}},
        .nearest = NAN,
        .line_votes = 7};
    findings_geometry(&result, &pool, &evidence);
    assert_non_null(strstr(text_of(&result, "L1.line"), "5 of 7 groups of trials agree"));
    pool_free(&pool);
}

/* More time would not help. */
static void small_pages_are_blamed_and_not_the_rounds(void **state)
{
    struct pool pool = {0};
    struct probe_result result = {0};
    struct machine_facts facts = {0};
    const struct series empty = {.name = "empty"};
    struct geometry_evidence evidence = {
        .declared = &facts,
        .levels = {{.fitting = &empty, .capacity = NAN}, {.capacity = NAN}},
        .nearest = NAN,
        .small_pages = true,
        .too_few_for_ways = true};
    findings_geometry(&result, &pool, &evidence);
    assert_non_null(strstr(text_of(&result, "L1.ways"), "too few rounds"));
    assert_non_null(strstr(text_of(&result, "L2.ways"), "it takes huge pages"));
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_stride_that_doubles_for_nothing_is_the_way_stride),
        cmocka_unit_test(no_plateau_or_a_contradiction_is_no_number),
        cmocka_unit_test(a_line_ends_where_the_second_load_misses),
        cmocka_unit_test(what_a_prefetcher_brings_is_no_line),
        cmocka_unit_test(nothing_measured_is_nothing_claimed),
        cmocka_unit_test(ways_that_others_hold_are_reported_as_such),
        cmocka_unit_test(a_first_level_within_the_page_is_not_called_hashed),
        cmocka_unit_test(who_abstained_is_counted),
        cmocka_unit_test(small_pages_are_blamed_and_not_the_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
