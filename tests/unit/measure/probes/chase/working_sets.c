#include "measure/probes/chase/working_sets.h"

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
    (void)state;
    struct point points[POINTS];
    struct series curve = curve_of(points, 5 * MIB);
    assert_int_equal(last_level_within(&machine, &curve, 120), 8 * MIB);
    curve = curve_of(points, 1024 * MIB); /* more than is declared is not believed */
    assert_int_equal(last_level_within(&machine, &curve, 120), 260 * MIB);
}

static void a_cache_that_is_cheap_to_pass_is_passed_whole(void **state)
{
    (void)state;
    struct point points[POINTS];
    const struct series curve = curve_of(points, 5 * MIB);
    caches[1].size_bytes = 48 << 20;
    assert_int_equal(last_level_within(&machine, &curve, 120), 48 * MIB);
    caches[1].size_bytes = 260 << 20;
    machine.facts.hypervisor = "KVM"; /* and of a guest what its CPUs can have */
    assert_int_equal(last_level_within(&machine, &curve, 120), 32 * MIB);
    machine.facts.hypervisor = NULL;
}

static void without_a_curve_it_is_declared_but_not_all_of_a_guest(void **state)
{
    (void)state;
    assert_int_equal(last_level_within(&machine, NULL, NAN), 260 * MIB);
    machine.facts.hypervisor = "KVM";
    assert_int_equal(last_level_within(&machine, NULL, NAN), 32 * MIB);
    caches[1].size_bytes = 24 << 20;
    assert_int_equal(last_level_within(&machine, NULL, NAN), 24 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_that_was_found_counts),
        cmocka_unit_test(a_cache_that_is_cheap_to_pass_is_passed_whole),
        cmocka_unit_test(without_a_curve_it_is_declared_but_not_all_of_a_guest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
