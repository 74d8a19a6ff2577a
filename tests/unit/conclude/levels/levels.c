#include "conclude/levels/level.h"

#include "conclude/registry/home.h"
#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 69 }; /* four an octave from 1 KiB to 128 MiB */

struct desk {
    struct pool pool;
    struct probe_result result;
    struct point points[POINTS];
    struct series series;
    struct cache_facts caches[3];
    struct machine_facts facts;
};

static double step(double bytes)
{
    return bytes <= 32 << 10 ? 4 : bytes <= 512 << 10 ? 14 : bytes <= 6 << 20 ? 50 : 300;
}

static int set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){0};
    for (int i = 0; i < POINTS; i++) {
        float cycles = (float)step(1024 * exp2(i / 4.0)), ns = cycles / 4;
        desk.points[i] = (struct point){
            .x = 1024 * exp2(i / 4.0),
            .y = {.median = ns, .low = 0.99f * ns, .high = 1.01f * ns, .coverage = 0.97f, .n = 6},
            .cycles = {cycles, 0.99f * cycles, 1.01f * cycles},
            .flags = FLAG_BIT(FLAG_SMALL_PAGES)};
    }
    desk.points[3].flags |= FLAG_BIT(FLAG_STOLEN);
    desk.series = (struct series){.name = "latency",
                                  .x = {"working set", "B"},
                                  .y = {"latency", "ns"},
                                  .points = desk.points,
                                  .point_count = POINTS};
    desk.caches[0] = (struct cache_facts){1, "data", 32 << 10, 64, 8, "0"};
    desk.caches[1] = (struct cache_facts){2, "unified", 512 << 10, 64, 8, "0"};
    desk.caches[2] = (struct cache_facts){3, "unified", 24 << 20, 64, 12, "0-7"};
    desk.facts = (struct machine_facts){.caches = desk.caches, .cache_count = 3};
    *state = &desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    pool_free(&desk->pool);
    return 0;
}

static const struct finding *find(const struct desk *desk, const char *name)
{
    for (size_t i = 0; i < desk->result.finding_count; i++)
        if (strcmp(desk->result.findings[i].name, name) == 0)
            return &desk->result.findings[i];
    return NULL;
}

static void use_large_pages(struct desk *desk)
{
    for (int i = 0; i < POINTS; i++)
        desk->points[i].flags = 0;
}

static void conclude(struct desk *desk, const struct machine_facts *facts)
{
    findings_levels(&desk->result, &desk->pool, &desk->series, NULL, facts, -1, NULL, 0);
}

static void assert_value(const struct desk *desk, const char *name, double value, double relative)
{
    const struct finding *finding = find(desk, name);
    assert_non_null(finding);
    if (!(fabs(finding->value / value - 1) <= relative))
        fail_msg("%s is %g, not %g", name, finding->value, value);
    assert_true(finding->low <= finding->value && finding->high >= finding->value);
}

static void each_level_has_its_latency_and_capacity(void **state)
{
    struct desk *desk = *state;
    conclude(desk, &desk->facts);
    assert_value(desk, "L1.latency", 4, 0.01);
    assert_value(desk, "L1.latency_ns", 1, 0.01);
    assert_value(desk, "L1.capacity", 35 << 10, 0.12);
    assert_value(desk, "L2.latency", 14, 0.01);
    assert_value(desk, "L3.latency_ns", 12.5, 0.01);
    /* Pages are small, and less than what is declared was seen. */
    assert_null(find(desk, "L3.capacity"));
    assert_value(desk, "L3.begins", 6.5 * (1 << 20), 0.12);
    assert_non_null(strstr(find(desk, "L3.begins")->text, "(pages of 4 KiB)"));
    assert_true(find(desk, "L3.begins")->declared == 24 << 20);
    assert_value(desk, "DRAM.latency", 300, 0.01);
    assert_null(find(desk, "DRAM.capacity"));
    assert_null(find(desk, "levels.disagreement"));
    assert_true(find(desk, "L2.capacity")->declared == 512 << 10);
}

/* The curve ends at 128 MiB, within what a cache may hold that the machine does not declare. */
static void without_declared_caches_a_short_curve_shows_no_memory(void **state)
{
    struct desk *desk = *state;
    const struct machine_facts guest = {.threads = 2};
    conclude(desk, &guest);
    assert_null(find(desk, "DRAM.latency"));
    assert_value(desk, "last.latency", 300, 0.01);
    desk->result.finding_count = 0;
    for (size_t i = 0; i < POINTS; i++)
        desk->points[i].x *= 4;
    conclude(desk, &guest);
    assert_value(desk, "DRAM.latency", 300, 0.01);
}

/* The clock steps from 4 to 3 GHz in a third of the points: within the core, cycles stay the same;
 * beyond it, ns do. */
static void a_level_is_reported_in_the_unit_that_holds(void **state)
{
    struct desk *desk = *state;
    for (size_t i = 0; i < POINTS; i++) {
        struct point *point = &desk->points[i];
        bool core = point->x <= 512 << 10, slow = i % 3 == 0;
        if (slow && core) {
            point->y.median *= 4 / 3.0f;
            point->y.high *= 1.5f;
        } else if (slow) {
            point->cycles.median *= 3 / 4.0f;
            point->cycles.low *= 0.6f;
        }
    }
    conclude(desk, &desk->facts);
    assert_value(desk, "L2.latency", 14, 0.001);
    assert_value(desk, "L2.latency_ns", 3.5, 0.001);
    assert_value(desk, "DRAM.latency", 300, 0.001);
    assert_value(desk, "DRAM.latency_ns", 75, 0.001);
}

static const struct finding *named(const struct desk *desk, const char *name)
{
    for (size_t i = 0; i < desk->result.finding_count; i++)
        if (strcmp(desk->result.findings[i].name, name) == 0)
            return &desk->result.findings[i];
    fail();
    return NULL;
}

/* A third level's trials that follow the core's clock, against ones that don't. */
static void a_shared_level_is_judged_in_ns_unless_it_follows_the_core(void **state)
{
    struct desk *desk = *state;
    for (int core = 0; core < 2; core++) {
        desk->result = (struct probe_result){0};
        for (int i = 0; i < POINTS; i++)
            desk->points[i].by_clock = core ? -0.8F - 0.1F * (float)(i % 4) : NAN;
        conclude(desk, &desk->facts);
        assert_int_equal(finding_is_derived(named(desk, "L3.latency")), !core);
        assert_int_equal(finding_is_derived(named(desk, "L3.latency_ns")), core);
        assert_true(finding_is_derived(named(desk, "L2.latency_ns")));
        assert_true(finding_is_derived(named(desk, "DRAM.latency")));
        assert_true(fabs(named(desk, "L2.latency_ns")->clock_hz / 4e9 - 1) < 1e-3);
    }
}

static void a_capacity_that_is_not_the_declared_one_is_reported_in_words(void **state)
{
    struct desk *desk = *state;
    use_large_pages(desk);
    conclude(desk, &desk->facts);
    assert_null(find(desk, "L1.capacity")->text);
    assert_non_null(strstr(find(desk, "L3.capacity")->text, "of 24 MiB behaved as cache"));
    desk->result.finding_count = 0;
    for (int i = 0; i < POINTS; i++)
        desk->points[i].disturbance.longer = 0.5F;
    conclude(desk, &desk->facts);
    assert_non_null(strstr(find(desk, "L3.begins")->text, "(beside others)"));
    assert_null(find(desk, "L1.begins"));
    desk->result.finding_count = 0;
    for (int i = 0; i < POINTS; i++)
        desk->points[i].disturbance.longer = 0;
    desk->facts.hypervisor = "KVM";
    conclude(desk, &desk->facts);
    assert_non_null(strstr(find(desk, "L3.begins")->text, "guest"));
}

static void a_capacity_beyond_all_that_is_declared_is_of_two_levels(void **state)
{
    struct desk *desk = *state;
    desk->caches[2].size_bytes = 5 << 20; /* with the levels before it, 5.5 MiB */
    conclude(desk, &desk->facts);
    assert_non_null(strstr(find(desk, "L3.capacity")->text, "exclusive levels"));
    desk->result.finding_count = 0;
    desk->caches[2].size_bytes = 3 << 20;
    conclude(desk, &desk->facts);
    assert_non_null(strstr(find(desk, "L3.capacity")->text, "can't be distinguished"));
}

static void use_points(struct desk *desk, const float (*points)[2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        desk->points[i] = (struct point){.x = 1024 * (double)points[i][0],
                                         .y = {.median = points[i][1], .low = NAN, .high = NAN},
                                         .cycles = {NAN, NAN, NAN}};
    desk->series.point_count = n;
}

static void sizes_of_which_no_two_agree_have_no_number(void **state)
{
    struct desk *desk = *state;
    static const float points[][2] = {{16, 6}, {128, 17}, {4096, 250}, {262144, 500}};
    use_points(desk, points, 4);
    conclude(desk, NULL);
    assert_int_equal(desk->result.finding_count, 1);
    assert_non_null(find(desk, "levels.gaps"));
    assert_true(isnan(find(desk, "levels.gaps")->value));
    assert_non_null(strstr(find(desk, "levels.gaps")->text, "from 16 KiB to 256 MiB"));
    assert_non_null(strstr(find(desk, "levels.gaps")->text, "--per-octave 4"));
}

static void memory_without_proof_is_the_last_level_seen(void **state)
{
    struct desk *desk = *state;
    static const float points[][2] = {{8, 1},       {16, 1},       {32, 1},
                                      {64, 5},      {128, 5},      {8192, 60},
                                      {65536, 100}, {131072, 101}, {262144, 101}};
    use_points(desk, points, 8);
    conclude(desk, NULL);
    assert_null(find(desk, "DRAM.latency_ns"));
    assert_null(find(desk, "L3.latency_ns"));
    assert_non_null(find(desk, "last.latency_ns"));
    assert_non_null(strstr(find(desk, "last.latency_ns")->text, "beyond L2, up to 128 MiB"));
    desk->result.finding_count = 0;
    use_points(desk, points, 9);
    conclude(desk, NULL);
    assert_null(find(desk, "last.latency_ns"));
    assert_non_null(find(desk, "DRAM.latency_ns"));
    /* The one size in between gives no level. */
    assert_non_null(strstr(find(desk, "levels.gaps")->text, "at 8 MiB"));
}

/* What a short run passed over is not named after its cache. */
static void the_last_level_reached_is_memory_whatever_is_declared(void **state)
{
    struct desk *desk = *state;
    static const float points[][2] = {{8, 1},   {16, 1},  {32, 1},      {64, 5},
                                      {128, 5}, {256, 5}, {32768, 150}, {65536, 150}};
    use_points(desk, points, 8);
    conclude(desk, &desk->facts); /* declares an L3 of 24 MiB */
    assert_null(find(desk, "L3.latency_ns"));
    assert_null(find(desk, "DRAM.latency_ns"));
    assert_non_null(find(desk, "last.latency_ns"));
    desk->caches[2].size_bytes = 48 << 20;
    desk->result.finding_count = 0;
    conclude(desk, &desk->facts);
    assert_null(find(desk, "L3.latency_ns"));
    assert_non_null(find(desk, "last.latency_ns"));
}

/* Even the fastest memory takes longer. */
static void what_is_faster_than_memory_is_a_cache(void **state)
{
    struct desk *desk = *state;
    static const float points[][2] = {{8, 1},   {16, 1},     {32, 1},     {64, 5},
                                      {128, 5}, {256, 5.1f}, {512, 5.1f}, {1024, 5.1f}};
    use_points(desk, points, 8);
    conclude(desk, NULL);
    assert_null(find(desk, "DRAM.latency_ns"));
    assert_non_null(find(desk, "L2.latency_ns"));
    assert_non_null(strstr(find(desk, "L2.latency_ns")->text, "no size that was measured"));
}

static void suspected_translation_is_said_and_is_no_cache(void **state)
{
    struct desk *desk = *state;
    static const float points[][2] = {{8, 1},       {16, 1},     {32, 1},     {64, 6},
                                      {128, 6},     {256, 8.6f}, {512, 8.6f}, {8192, 100},
                                      {16384, 100}, {32768, 100}};
    use_points(desk, points, 10);
    conclude(desk, NULL);
    assert_non_null(find(desk, "levels.translation"));
    assert_non_null(strstr(find(desk, "levels.translation")->text, "within L2"));
    assert_true(find(desk, "L2.latency_ns")->value == 6);
    assert_null(find(desk, "L3.latency_ns"));
    assert_non_null(find(desk, "DRAM.latency_ns"));
}

/* Sizes beyond the second declared cache belong to the third. */
static void sizes_that_pass_a_cache_over_pass_its_number_over(void **state)
{
    struct desk *desk = *state;
    static const float points[][2] = {{8, 1}, {16, 1}, {2048, 12}, {4096, 12}};
    use_points(desk, points, 4);
    conclude(desk, &desk->facts);
    assert_non_null(find(desk, "L1.latency_ns"));
    assert_null(find(desk, "L2.latency_ns"));
    assert_non_null(find(desk, "L3.latency_ns"));
}

static void flags_of_many_points_carry_over_and_of_one_do_not(void **state)
{
    struct desk *desk = *state;
    conclude(desk, &desk->facts);
    assert_int_equal(find(desk, "L1.latency")->flags, FLAG_BIT(FLAG_SMALL_PAGES));
}

static void a_cache_that_is_not_outgrown_is_no_memory(void **state)
{
    struct desk *desk = *state;
    desk->series.point_count = 45; /* to 2 MiB */
    conclude(desk, &desk->facts);
    assert_value(desk, "L3.latency", 50, 0.01);
    assert_null(find(desk, "L3.capacity"));
    assert_null(find(desk, "DRAM.latency"));
}

static void a_level_too_many_is_said(void **state)
{
    struct desk *desk = *state;
    desk->facts.cache_count = 2;
    conclude(desk, &desk->facts);
    assert_non_null(find(desk, "levels.disagreement"));
    assert_true(isnan(find(desk, "levels.disagreement")->value));
    assert_non_null(strstr(find(desk, "levels.disagreement")->text, "declares 2 caches"));
    assert_non_null(strstr(find(desk, "levels.disagreement")->text, "show 3"));
}

static void nothing_declared_is_nothing_compared(void **state)
{
    struct desk *desk = *state;
    conclude(desk, NULL);
    assert_true(isnan(find(desk, "L1.capacity")->declared));
    assert_null(find(desk, "levels.disagreement"));
    assert_value(desk, "DRAM.latency", 300, 0.01);
}

static void sizes_that_begin_beyond_a_cache_name_the_next(void **state)
{
    struct desk *desk = *state;
    desk->series.points += 24; /* from 64 KiB */
    desk->series.point_count -= 24;
    conclude(desk, &desk->facts);
    assert_null(find(desk, "L1.latency"));
    assert_value(desk, "L2.latency", 14, 0.01);
}

static void cycles_alone_will_do(void **state)
{
    struct desk *desk = *state;
    desk->series.y.unit = "cycles";
    for (int i = 0; i < POINTS; i++)
        desk->points[i].cycles = (struct estimate){NAN, NAN, NAN};
    conclude(desk, NULL);
    assert_value(desk, "L1.latency", 1, 0.01);
    assert_null(find(desk, "L1.latency_ns"));
}

int main(void)
{
#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        DESK_TEST(each_level_has_its_latency_and_capacity),
        DESK_TEST(without_declared_caches_a_short_curve_shows_no_memory),
        DESK_TEST(a_level_is_reported_in_the_unit_that_holds),
        DESK_TEST(a_shared_level_is_judged_in_ns_unless_it_follows_the_core),
        DESK_TEST(a_capacity_that_is_not_the_declared_one_is_reported_in_words),
        DESK_TEST(a_capacity_beyond_all_that_is_declared_is_of_two_levels),
        DESK_TEST(sizes_of_which_no_two_agree_have_no_number),
        DESK_TEST(memory_without_proof_is_the_last_level_seen),
        DESK_TEST(the_last_level_reached_is_memory_whatever_is_declared),
        DESK_TEST(what_is_faster_than_memory_is_a_cache),
        DESK_TEST(suspected_translation_is_said_and_is_no_cache),
        DESK_TEST(sizes_that_pass_a_cache_over_pass_its_number_over),
        DESK_TEST(flags_of_many_points_carry_over_and_of_one_do_not),
        DESK_TEST(a_cache_that_is_not_outgrown_is_no_memory),
        DESK_TEST(a_level_too_many_is_said),
        DESK_TEST(nothing_declared_is_nothing_compared),
        DESK_TEST(sizes_that_begin_beyond_a_cache_name_the_next),
        DESK_TEST(cycles_alone_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
