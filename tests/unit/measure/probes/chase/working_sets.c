#include "measure/probes/chase/working_sets.h"
#include "measure/probes/chase/chases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { POINTS = 12 };
static const uint64_t MIB = 1024 * 1024;

/* 260 MiB are declared; two CPUs. */
static struct cache_facts caches[] = {{.level = 1, .type = "data", .size_bytes = 48 << 10},
                                      {.level = 3, .type = "unified", .size_bytes = 260 << 20}};
static struct machine machine = {.facts = {.caches = caches, .cache_count = 2}, .cpu_count = 2};

/* From 1 MiB on in octaves: 30 ns up to `held`, 120 beyond. */
static struct series curve_of(struct point *points, uint64_t held)
{
    for (int i = 0; i < POINTS; i++) {
        points[i] = (struct point){.x = (double)(MIB << i)};
        points[i].y.median = (uint64_t)points[i].x <= held ? 30 : 120;
    }
    return (struct series){.points = points, .point_count = POINTS};
}

static void the_cache_that_was_found_counts(void **state)
{
    struct point points[POINTS];
    struct series curve = curve_of(points, 100 * MIB);
    struct memory_bounds bounds = memory_bounds_within(&machine, &curve, 120);
    assert_int_equal(bounds.last_level, 128 * MIB);
    assert_int_equal(bounds.least, 4 * 128 * MIB);
    curve = curve_of(points, 5 * MIB); /* a small one is not believed to end there */
    bounds = memory_bounds_within(&machine, &curve, 120);
    assert_int_equal(bounds.last_level, 64 * MIB);
    assert_int_equal(bounds.least, 2 * 64 * MIB);
    curve = curve_of(points, 256 * MIB); /* more than is declared is not, but sets are beyond it */
    bounds = memory_bounds_within(&machine, &curve, 120);
    assert_int_equal(bounds.last_level, 260 * MIB);
    assert_int_equal(bounds.least, 4 * 512 * MIB);
    curve = curve_of(points, 1024 * MIB); /* a curve that ends too early says nothing */
    bounds = memory_bounds_within(&machine, &curve, 120);
    assert_int_equal(bounds.last_level, 260 * MIB);
    assert_int_equal(bounds.least, 2 * 260 * MIB);
}

static void a_cache_that_is_cheap_to_pass_is_passed_whole(void **state)
{
    struct point points[POINTS];
    const struct series curve = curve_of(points, 5 * MIB);
    caches[1].size_bytes = 48 << 20;
    assert_int_equal(memory_bounds_within(&machine, &curve, 120).last_level, 48 * MIB);
    caches[1].size_bytes = 260 << 20;
}

/* One core may fill the whole of a large cache, also in a guest. */
static void without_a_curve_it_is_what_is_declared(void **state)
{
    machine.facts.hypervisor = "KVM";
    assert_int_equal(memory_bounds_within(&machine, NULL, NAN).last_level, 260 * MIB);
    machine.facts.hypervisor = NULL;
    caches[1].size_bytes = 24 << 20;
    assert_int_equal(memory_bounds_within(&machine, NULL, NAN).last_level, 24 * MIB);
    assert_int_equal(memory_bounds_within(&machine, NULL, NAN).least, 48 * MIB);
}

static void where_nothing_is_declared_sets_have_256_mib(void **state)
{
    struct point points[POINTS];
    const struct series curve = curve_of(points, MIB);
    machine.facts.cache_count = 0;
    assert_int_equal(memory_bounds_within(&machine, NULL, NAN).least, 256 * MIB);
    assert_int_equal(memory_bounds_within(&machine, &curve, 120).least, 256 * MIB);
    machine.facts.cache_count = 2;
}

/* Whatever the last level that was reached is called. */
static void a_declared_cache_is_not_measured_in_memorys_place(void **state)
{
    struct point points[POINTS];
    struct series curve = curve_of(points, 5 * MIB);
    struct finding memory = {.name = "last.latency_ns", .value = 120};
    const struct probe_result found = {
        .series = &curve, .series_count = 1, .findings = &memory, .finding_count = 1};
    const struct probe_task task = {.machine = &machine};
    struct chase_level levels[CHASE_LEVELS_MAX];
    caches[1] = (struct cache_facts){.level = 2, .type = "unified", .size_bytes = 260 << 20};
    machine.memory_available_bytes = (uint64_t)8 << 30;
    assert_int_equal(chases_levels(&task, 0, &found, levels), 2);
    assert_string_equal(levels[0].name, "L1");
    assert_true(levels[1].last && levels[1].bytes == 256 * MIB);
    memory.value = NAN; /* without it, all that is declared is */
    assert_int_equal(chases_levels(&task, 0, &found, levels), 3);
    assert_true(levels[2].bytes == 1024 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_that_was_found_counts),
        cmocka_unit_test(a_cache_that_is_cheap_to_pass_is_passed_whole),
        cmocka_unit_test(without_a_curve_it_is_what_is_declared),
        cmocka_unit_test(where_nothing_is_declared_sets_have_256_mib),
        cmocka_unit_test(a_declared_cache_is_not_measured_in_memorys_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
