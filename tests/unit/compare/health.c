/* What several looks change, which no document shows; the rest is in tests/golden/made.json. */
#include "compare/health.h"

#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LOOKS = 5 };

struct bench {
    struct document base, now;
    struct probe_result probes[2];
    struct finding *second;
};

/* The same first level twice, far better known than to its tolerance. */
static void begin(struct bench *bench)
{
    *bench = (struct bench){.probes = {{.name = "latency"}, {.name = "latency"}}};
    bench->base.probes = &bench->probes[0];
    bench->now.probes = &bench->probes[1];
    bench->base.probe_count = bench->now.probe_count = 1;
    bench->now.run.id = "another run";
    sample_finding(&bench->base, &bench->probes[0], "L1.latency", "cycles", 4, 0.0005);
    bench->second =
        sample_finding(&bench->now, &bench->probes[1], "L1.latency", "cycles", 4, 0.0005);
}

static void end(struct bench *bench)
{
    document_free(&bench->base);
    document_free(&bench->now);
}

static enum health health(const struct bench *bench, unsigned looks, bool *open)
{
    struct health_check check;
    assert_int_equal(health_check(&check, &bench->base, &bench->now, NAN, looks, NULL), 0);
    const enum health found = check.health;
    *open = health_is_open(&check, "latency");
    assert_false(health_is_open(&check, "cores"));
    health_check_free(&check);
    return found;
}

/* How many steps the second value can lie beside the first and be as good. */
static int steps_that_are_good(unsigned looks, double step)
{
    struct bench bench;
    bool open;
    int steps = 0;
    begin(&bench);
    while (steps < 100 && health(&bench, looks, &open) == HEALTHY) {
        assert_false(open);
        steps++;
        bench.second->value = 4 * (1 + step * steps);
        bench.second->low = bench.second->value * 0.9995;
        bench.second->high = bench.second->value * 1.0005;
    }
    end(&bench);
    return steps;
}

static void more_looks_take_more_to_be_as_good(void **state)
{
    assert_int_equal(steps_that_are_good(1, -0.0002), 91);
    assert_int_equal(steps_that_are_good(LOOKS, -0.0002), 88);
    assert_int_equal(steps_that_are_good(1, 0.0002), 92);
    assert_int_equal(steps_that_are_good(LOOKS, 0.0002), 90);
}

/* From how many looks on a value of such an interval is left open. */
static unsigned looks_that_leave_it_open(double width)
{
    struct bench bench;
    bool open = false;
    unsigned looks = 0;
    begin(&bench);
    sample_finding(&bench.base, &bench.probes[0], "thing", "ns", 100, 0.01);
    sample_finding(&bench.now, &bench.probes[1], "thing", "ns", 100, width);
    while (!open && ++looks < 100)
        health(&bench, looks, &open);
    end(&bench);
    return looks;
}

static void a_wider_interval_is_open_after_fewer_looks(void **state)
{
    assert_int_equal(looks_that_leave_it_open(0.09), 78);
    assert_int_equal(looks_that_leave_it_open(0.10), 27);
    assert_int_equal(looks_that_leave_it_open(0.12), 6);
}

/* Measuring again can tell what is not known to its tolerance, but nothing of a baseline's value
 * that has no interval itself, nor does it bring back memory that is gone. */
static void what_can_be_told_is_measured_again(void **state)
{
    struct bench bench;
    bool open;
    begin(&bench);
    struct finding *first =
        sample_finding(&bench.base, &bench.probes[0], "thing", "ns", 100, 0.0005);
    sample_finding(&bench.now, &bench.probes[1], "thing", "ns", 100, NAN);
    assert_int_equal(health(&bench, LOOKS, &open), HEALTHY);
    assert_true(open);
    bench.base.machine.memory_bytes = 2 << 20;
    bench.now.machine.memory_bytes = 1 << 20;
    assert_int_equal(health(&bench, LOOKS, &open), WORSE);
    assert_false(open);
    bench.now.machine.memory_bytes = 0;
    first->low = first->high = NAN;
    health(&bench, LOOKS, &open);
    assert_false(open);
    struct finding *slower = &bench.probes[1].findings[0];
    slower->value *= 1.25;
    slower->low *= 1.25;
    slower->high *= 1.25;
    assert_int_equal(health(&bench, LOOKS, &open), WORSE);
    assert_true(open);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_looks_take_more_to_be_as_good),
        cmocka_unit_test(a_wider_interval_is_open_after_fewer_looks),
        cmocka_unit_test(what_can_be_told_is_measured_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
