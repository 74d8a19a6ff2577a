/* What carries a plan out is chosen once: its device, the engine's model, or CPUs. */
#include "engine/executor.h"

#include "engine/device.h"
#include "engine/engine.h"
#include "result/flag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_chosen(const struct engine *engine, const struct plan *plan, const char *name)
{
    struct executor executor;
    assert_int_equal(executor_open(&executor, engine, plan, NULL), 0);
    assert_string_equal(executor.kind->name, name);
    executor_close(&executor);
    executor_close(&executor); /* which has nothing left to do */
}

static void a_device_comes_before_a_model_and_that_before_cpus(void **state)
{
    static const struct timing_model model;
    struct machine machine = {0};
    struct clock clock;
    struct engine engine = {.machine = &machine, .clock = &clock};
    struct device device = {0};
    struct plan plan = {0}, of_device = {.device = &device};
    (void)state;
    clock_calibrate(&clock);
    assert_chosen(&engine, &plan, "threads");
    assert_chosen(&engine, &of_device, "device");
    engine.model = &model;
    assert_chosen(&engine, &plan, "model");
    assert_chosen(&engine, &of_device, "device");
}

static void points_bear_the_flags_of_what_measures_them(void **state)
{
    static const struct timing_model model;
    struct machine machine = {0};
    struct clock clock;
    struct engine engine = {.machine = &machine, .clock = &clock};
    struct device device = {.flags = FLAG_BIT(FLAG_THROTTLED)};
    struct plan plan = {0};
    struct executor executor;
    (void)state;
    clock_calibrate(&clock);
    assert_int_equal(executor_open(&executor, &engine, &plan, NULL), 0);
    assert_int_equal(executor.flags, 0);
    assert_true(executor.shortest_batch_ns > 0); /* the clock's steps must not show */
    executor_close(&executor);
    engine.model = &model;
    assert_int_equal(executor_open(&executor, &engine, &plan, NULL), 0);
    assert_int_equal(executor.flags, FLAG_BIT(FLAG_MODELLED));
    executor_close(&executor);
    plan.device = &device;
    assert_int_equal(executor_open(&executor, &engine, &plan, NULL), 0);
    assert_int_equal(executor.flags, FLAG_BIT(FLAG_THROTTLED));
    executor_close(&executor);
}

/* A model's time does not pass by itself, and a device's beside a model neither. */
static void time_is_the_executors(void **state)
{
    static const struct timing_model model;
    struct machine machine = {0};
    struct clock clock;
    struct engine engine = {.machine = &machine, .clock = &clock, .model = &model};
    struct device device = {0};
    struct plan plan = {0};
    (void)state;
    clock_calibrate(&clock);
    for (int of_device = 0; of_device < 2; of_device++) {
        struct executor executor;
        plan.device = of_device ? &device : NULL;
        assert_int_equal(executor_open(&executor, &engine, &plan, NULL), 0);
        assert_int_equal(executor_now_ns(&executor), 0);
        assert_int_equal(executor.kind->pause(&executor, 5000, NULL), 0);
        assert_int_equal(executor_now_ns(&executor), 5000);
        assert_int_equal(executor.kind->pause(&executor, 3000, NULL), 0); /* that is over */
        assert_int_equal(executor_now_ns(&executor), 5000);
        executor_close(&executor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_comes_before_a_model_and_that_before_cpus),
        cmocka_unit_test(points_bear_the_flags_of_what_measures_them),
        cmocka_unit_test(time_is_the_executors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
