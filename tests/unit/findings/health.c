#include "findings/health.h"

#include "../result/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct document base, now;
    struct health_check check;
};

static int set_up(void **state)
{
    static struct bench bench;
    sample_document(&bench.base, 2, 1);
    sample_document(&bench.now, 2, 1);
    bench.check = (struct health_check){0};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    health_check_free(&bench->check);
    document_free(&bench->base);
    document_free(&bench->now);
    return 0;
}

static void check(struct bench *bench)
{
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, 0.05, NULL), 0);
}

static void scale(const struct document *document, const char *name, double factor)
{
    struct probe_result *probe = &document->probes[0];
    for (size_t i = 0; i < probe->finding_count; i++)
        if (strcmp(probe->findings[i].name, name) == 0) {
            probe->findings[i].value *= factor;
            probe->findings[i].low *= factor;
            probe->findings[i].high *= factor;
        }
}

static void the_same_machine_is_healthy(void **state)
{
    struct bench *bench = *state;
    check(bench);
    assert_int_equal(bench->check.count, 0);
    assert_true(bench->check.checked >= 5);
}

static void a_slower_level_is_worse(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L2.latency", 1.3);
    scale(&bench->now, "L2.latency_ns", 1.3);
    check(bench);
    assert_int_equal(bench->check.worse, 1);
    assert_string_equal(bench->check.ailments[0].should->name, "L2.latency");
    assert_true(fabs(bench->check.ailments[0].bound - 16.02 * 1.0505) < 0.01);
}

static void a_faster_level_is_healthy(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L2.latency", 0.5);
    scale(&bench->now, "L2.latency_ns", 0.5);
    check(bench);
    assert_int_equal(bench->check.count, 0);
}

/* More cycles in the same time are a faster clock, not a worse memory. */
static void what_only_the_clock_explains_is_healthy(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "DRAM.latency", 1.4);
    check(bench);
    assert_int_equal(bench->check.count, 0);
}

/* It is flagged unconverged in the sample, and 6 % wide. */
static void a_doubtful_value_is_worse_only_far_beyond_its_interval(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L3.latency", 1.25);
    scale(&bench->now, "L3.latency_ns", 1.25);
    check(bench);
    assert_int_equal(bench->check.worse, 0);
    assert_int_equal(bench->check.count, 1);
    assert_int_equal(bench->check.ailments[0].health, DOUBTFUL);
    health_check_free(&bench->check);
    scale(&bench->now, "L3.latency", 1.25);
    scale(&bench->now, "L3.latency_ns", 1.25);
    check(bench);
    assert_int_equal(bench->check.worse, 1);
}

/* Of a single trial a run flags that it did not converge: nobody knows how far off it is. */
static void a_doubtful_value_without_a_width_is_never_worse(void **state)
{
    struct bench *bench = *state;
    struct finding *findings = bench->now.probes[0].findings;
    for (int i = 0; i < 2; i++) {
        findings[i].value *= 2;
        findings[i].low = findings[i].high = findings[i].value;
        findings[i].flags = FLAG_BIT(FLAG_UNCONVERGED);
    }
    check(bench);
    assert_int_equal(bench->check.worse, 0);
    assert_int_equal(bench->check.count, 1);
    assert_int_equal(bench->check.ailments[0].health, DOUBTFUL);
}

static void the_side_without_common_probes_is_named(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->now.probes[0].name = "access";
    bench->now.probe_count = 1;
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, 0.05, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "checked (access) has no probe in common"));
    assert_non_null(strstr(error.text, "with the baseline (latency, "));
    assert_null(strstr(error.text, "..."));
}

static void names_left_out_of_a_long_list_leave_a_sign(void **state)
{
    struct bench *bench = *state;
    struct error error;
    struct probe_result probes[20] = {{0}};
    const struct document many = {
        .machine = bench->base.machine, .probes = probes, .probe_count = 20};
    for (size_t i = 0; i < 20; i++)
        probes[i].name = "of-another-version";
    assert_int_equal(health_check(&bench->check, &bench->base, &many, 0.05, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "of-another-version, ...) has no probe in common"));
}

static void worse_ones_come_first(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L3.latency", 1.25);
    scale(&bench->now, "L3.latency_ns", 1.25);
    scale(&bench->now, "DRAM.latency", 1.4);
    scale(&bench->now, "DRAM.latency_ns", 1.4);
    check(bench);
    assert_int_equal(bench->check.count, 2);
    assert_int_equal(bench->check.worse, 1);
    assert_string_equal(bench->check.ailments[0].should->name, "DRAM.latency");
}

static void a_missing_value_is_told(void **state)
{
    struct bench *bench = *state;
    bench->now.probes[0].findings[0].name = "elsewhere";
    check(bench);
    assert_int_equal(bench->check.count, 1);
    assert_null(bench->check.ailments[0].now);
}

/* A baseline of a whole run serves a check of fewer probes. */
static void a_probe_that_did_not_run_is_not_missed(void **state)
{
    struct bench *bench = *state;
    bench->now.probe_count = 1;
    check(bench);
    assert_int_equal(bench->check.count, 0);
}

static void a_slower_road_is_worse(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        struct finding *finding = &(i ? &bench->now : &bench->base)->probes[1].findings[0];
        finding->unit = "B/s";
        finding->value = i ? 8e9 : 1e10;
        finding->low = finding->value * 0.99;
        finding->high = finding->value * 1.01;
    }
    check(bench);
    assert_int_equal(bench->check.worse, 1);
    assert_true(bench->check.ailments[0].bound < 1e10 && bench->check.ailments[0].bound > 9e9);
}

static void another_processor_is_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->now.machine.cpu_model = "Another";
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, 0.05, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "Another"));
}

static void another_device_is_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    struct gpu_facts was = {.id = 3, .name = "Was"}, is = {.id = 3, .name = "Is"};
    bench->base.machine.gpus = &was;
    bench->now.machine.gpus = &is;
    bench->base.machine.gpu_count = bench->now.machine.gpu_count = 1;
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, 0.05, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "another gpu3 (Was; here Is)"));
    is.name = "Was";
    check(bench);
    assert_int_equal(bench->check.count, 0);
}

static void a_device_is_checked_as_a_processor_is(void **state)
{
    struct bench *bench = *state;
    struct document *const both[] = {&bench->base, &bench->now};
    for (int i = 0; i < 2; i++) {
        sample_finding(both[i], &both[i]->probes[0], "gpu0.L2.latency", "cycles", 200, 0.01);
        sample_finding(both[i], &both[i]->probes[0], "gpu0.L2.latency_ns", "ns", 130, 0.01);
        sample_finding(both[i], &both[i]->probes[0], "gpu0.bandwidth.read", "B/s", 3e11, 0.01);
    }
    scale(&bench->now, "gpu0.L2.latency", 1.3);
    check(bench); /* by the clock alone */
    assert_int_equal(bench->check.count, 0);
    health_check_free(&bench->check);
    scale(&bench->now, "gpu0.L2.latency_ns", 1.3);
    scale(&bench->now, "gpu0.bandwidth.read", 0.7);
    check(bench);
    assert_int_equal(bench->check.worse, 2);
    assert_string_equal(bench->check.ailments[0].should->name, "gpu0.L2.latency");
    assert_string_equal(bench->check.ailments[1].should->name, "gpu0.bandwidth.read");
}

static void a_baseline_without_values_is_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->base.probe_count = 0;
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, 0.05, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "no value"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_machine_is_healthy),
        TEST(a_slower_level_is_worse),
        TEST(a_faster_level_is_healthy),
        TEST(what_only_the_clock_explains_is_healthy),
        TEST(a_doubtful_value_is_worse_only_far_beyond_its_interval),
        TEST(a_doubtful_value_without_a_width_is_never_worse),
        TEST(the_side_without_common_probes_is_named),
        TEST(names_left_out_of_a_long_list_leave_a_sign),
        TEST(worse_ones_come_first),
        TEST(a_missing_value_is_told),
        TEST(a_probe_that_did_not_run_is_not_missed),
        TEST(a_slower_road_is_worse),
        TEST(another_processor_is_refused),
        TEST(another_device_is_refused),
        TEST(a_device_is_checked_as_a_processor_is),
        TEST(a_baseline_without_values_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
