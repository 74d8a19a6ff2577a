#include "machine/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../machines/tree.h"

#define SOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"

static void the_clock_ticks_forward_at_the_rate_it_says(void **state)
{
    struct clock clock;
    clock_calibrate_below(&clock, NULL);
    assert_true(clock.hz >= 1e5 && clock.hz < 1e11);
    /* Other programs may run between any two readings, so each clock is read between two readings
     * of the other. */
    const uint64_t first = os_raw_ns(), begin = clock_ticks(&clock), second = os_raw_ns();
    while (os_raw_ns() - second < 20 * 1000 * 1000)
        ;
    const uint64_t third = os_raw_ns(), end = clock_ticks(&clock), fourth = os_raw_ns();
    const double ns = clock_ns(&clock, end - begin);
    assert_true(ns > 0.95 * (double)(third - second));
    assert_true(ns < 1.05 * (double)(fourth - first));
}

static void a_batch_is_long_beside_step_and_reading(void **state)
{
    struct clock clock = {.hz = 1e9, .resolution_ns = 40, .reading_ns = 20};
    assert_true(clock_shortest_batch_ns(&clock) == 40e3);
    clock.resolution_ns = 1;
    assert_true(clock_shortest_batch_ns(&clock) == 5e3);
    clock_calibrate_below(&clock, NULL);
    assert_true(clock.resolution_ns > 0 && clock.reading_ns >= clock.resolution_ns);
}

static void the_counter_is_named_and_so_is_its_stand_in(void **state)
{
    struct clock clock;
    clock_calibrate_below(&clock, NULL);
    assert_string_equal(clock.name, clock.counter ? ARCH_COUNTER_NAME : "clock_gettime");
    assert_true(clock.counter || clock.hz == 1e9);
}

/* The kernel's list, and whether the counter is distrusted by it. */
static const struct {
    const char *list;
    bool against;
} words[] = {
    {"tsc hpet acpi_pm \n", false},
    {"kvm-clock tsc acpi_pm\n", false},
    {"hpet acpi_pm \n", true},
    {"hyperv_clocksource_tsc_page acpi_pm\n", true},
    {"tsc-early\n", true},
    {"\n", false},
    {"", false},
};

static void the_kernel_may_speak_against_the_counter(void **state)
{
    struct tree tree;
    struct clock clock;
    const char *const source = ARCH_CLOCK_SOURCE;
    assert_true(tree_new(&tree));
    assert_false(clock_counter_distrusted(tree.root)); /* no file: it says nothing */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_true(tree_put_text(&tree, SOURCES, words[i].list));
        assert_int_equal(clock_counter_distrusted(tree.root), source && words[i].against);
    }
    assert_true(tree_put_text(&tree, SOURCES, "hpet\n"));
    clock_calibrate_below(&clock, tree.root);
    if (source) {
        assert_false(clock.counter);
        assert_string_equal(clock.name, "clock_gettime");
        assert_true(clock.hz == 1e9 && clock.resolution_ns > 0);
    }
    tree_remove(&tree);
}

static void ticks_and_ns_are_inverse(void **state)
{
    struct clock clock = {.hz = 2.5e9};
    assert_true(clock_ns(&clock, 2500) == 1000);
    assert_int_equal(clock_ticks_of_ns(&clock, 1000), 2500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_ticks_forward_at_the_rate_it_says),
        cmocka_unit_test(a_batch_is_long_beside_step_and_reading),
        cmocka_unit_test(the_counter_is_named_and_so_is_its_stand_in),
        cmocka_unit_test(the_kernel_may_speak_against_the_counter),
        cmocka_unit_test(ticks_and_ns_are_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
