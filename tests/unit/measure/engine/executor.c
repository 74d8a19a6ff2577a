/* What carries a plan out is chosen once, when its stage begins. */
#include "measure/engine/executor.h"

#include "document/flag.h"
#include "measure/engine/device.h"
#include "measure/engine/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct clock clock;
    struct machine machine;
    struct timing_model model;
    struct device device;
    struct engine engine;
    struct plan plan;
    struct executor executor;
    struct error error;
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.plan = {.node = -1}};
    clock_calibrate(&bench.clock);
    bench.engine = (struct engine){.machine = &bench.machine, .clock = &bench.clock};
    *state = &bench;
    return 0;
}

static const char *chosen(struct bench *bench)
{
    assert_int_equal(executor_open(&bench->executor, &bench->engine, &bench->plan, &bench->error),
                     0);
    const char *name = bench->executor.kind->name;
    executor_close(&bench->executor);
    return name;
}

static void the_first_that_serves_a_plan_is_taken(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(chosen(bench), "threads");
    bench->engine.model = &bench->model;
    assert_string_equal(chosen(bench), "model");
    bench->plan.device = &bench->device;
    assert_string_equal(chosen(bench), "device");
}

static void the_one_that_is_named_is_taken_where_it_serves(void **state)
{
    struct bench *bench = *state;
    bench->plan.executor = "threads";
    assert_string_equal(chosen(bench), "threads");
    bench->plan.executor = "device";
    assert_int_equal(executor_open(&bench->executor, &bench->engine, &bench->plan, &bench->error),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "FATHOM_EXECUTOR=device"));
    executor_close(&bench->executor);
    bench->plan.device = &bench->device;
    assert_string_equal(chosen(bench), "device");
    bench->plan.executor = "threads";
    assert_int_equal(executor_open(&bench->executor, &bench->engine, &bench->plan, &bench->error),
                     ERROR_USAGE);
}

static void points_bear_the_flags_of_what_measures_them(void **state)
{
    struct bench *bench = *state;
    struct executor *executor = &bench->executor;
    assert_int_equal(executor_open(executor, &bench->engine, &bench->plan, NULL), 0);
    assert_int_equal(executor->flags, 0);
    assert_true(executor->shortest_batch_ns > 0); /* the clock's steps must not show */
    executor_close(executor);
    bench->engine.model = &bench->model;
    assert_int_equal(executor_open(executor, &bench->engine, &bench->plan, NULL), 0);
    assert_int_equal(executor->flags, FLAG_BIT(FLAG_MODELLED));
    executor_close(executor);
    bench->plan.device = &bench->device;
    bench->device.flags = FLAG_BIT(FLAG_THROTTLED);
    assert_int_equal(executor_open(executor, &bench->engine, &bench->plan, NULL), 0);
    assert_int_equal(executor->flags, FLAG_BIT(FLAG_THROTTLED));
    executor_close(executor);
}

/* A model's time does not pass by itself, nor does a device's beside a model. */
static void time_is_the_executors(void **state)
{
    struct bench *bench = *state;
    struct executor *executor = &bench->executor;
    bench->engine.model = &bench->model;
    for (int of_device = 0; of_device < 2; of_device++) {
        bench->plan.device = of_device ? &bench->device : NULL;
        assert_int_equal(executor_open(executor, &bench->engine, &bench->plan, NULL), 0);
        assert_int_equal(executor_now_ns(executor), 0);
        assert_int_equal(executor->kind->pause(executor, 5000, NULL), 0);
        assert_int_equal(executor_now_ns(executor), 5000);
        assert_int_equal(executor->kind->pause(executor, 3000, NULL), 0); /* that is over */
        assert_int_equal(executor_now_ns(executor), 5000);
        executor_close(executor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_that_serves_a_plan_is_taken, set_up),
        cmocka_unit_test_setup(the_one_that_is_named_is_taken_where_it_serves, set_up),
        cmocka_unit_test_setup(points_bear_the_flags_of_what_measures_them, set_up),
        cmocka_unit_test_setup(time_is_the_executors, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
