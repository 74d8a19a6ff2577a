#include "compare/health.h"

#include "document/sample.h"

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

static size_t count_bad(const struct bench *bench)
{
    return bench->check.values[DOUBTFUL].count + bench->check.values[WORSE].count;
}

static size_t count_worse(const struct bench *bench)
{
    return bench->check.values[WORSE].count;
}

/* Worse values come first. */
static const struct health_value *bad(const struct bench *bench, size_t i)
{
    const struct health_values *values = bench->check.values;
    return i < values[WORSE].count ? &values[WORSE].list[i]
                                   : &values[DOUBTFUL].list[i - values[WORSE].count];
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
    assert_int_equal(count_bad(bench), 0);
    assert_true(bench->check.compared >= 4);
}

/* Where the hypervisor runs a guest's CPUs is its own choice in every run. */
static void slower_hand_offs_of_a_guest_are_uncertain(void **state)
{
    struct bench *bench = *state;
    bench->now.probes[1].findings[0].value *= 4;
    bench->now.probes[1].findings[0].low *= 4;
    bench->now.probes[1].findings[0].high *= 4;
    for (int guest = 0; guest < 2; guest++) {
        bench->base.machine.hypervisor = bench->now.machine.hypervisor = guest ? "KVM" : NULL;
        check(bench);
        assert_int_equal(count_worse(bench), !guest);
        assert_int_equal(count_bad(bench), 1);
        health_check_free(&bench->check);
    }
}

static void a_slower_level_is_worse(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L2.latency", 1.3);
    scale(&bench->now, "L2.latency_ns", 1.3);
    check(bench);
    assert_int_equal(count_worse(bench), 1);
    assert_string_equal(bad(bench, 0)->should->name, "L2.latency");
    assert_true(fabs(bad(bench, 0)->bound - 16.02 * 1.0505) < 0.01);
}

/* Who uses the memory makes it answer later and leaves less of it; who does not has a part of a
 * shared cache all the same. */
static void what_others_did_is_uncertain(void **state)
{
    struct bench *bench = *state;
    bench->base.machine.hypervisor = bench->now.machine.hypervisor = NULL;
    bench->now.conditions.others_cpus = 1;
    scale(&bench->now, "DRAM.latency", 1.3);
    scale(&bench->now, "DRAM.latency_ns", 1.3);
    for (int d = 0; d < 2; d++) {
        struct document *document = d ? &bench->now : &bench->base;
        sample_finding(document, &document->probes[0], "bandwidth.read.1", "B/s", 40e9, 0.01);
    }
    check(bench);
    assert_int_equal(count_worse(bench), 1); /* one CPU gets as much as before */
    assert_string_equal(bad(bench, 0)->should->name, "DRAM.latency");
    health_check_free(&bench->check);
    scale(&bench->now, "bandwidth.read.1", 0.45);
    check(bench);
    assert_int_equal(count_worse(bench), 0);
    assert_int_equal(count_bad(bench), 2);
    health_check_free(&bench->check);
    bench->now.conditions.others_cpus = 0;
    check(bench);
    assert_int_equal(count_worse(bench), 2);
}

static void a_slower_shared_cache_beside_others_is_uncertain(void **state)
{
    struct bench *bench = *state;
    for (int others = 0; others < 2; others++) {
        bench->now.conditions.others_cpus = others;
        scale(&bench->now, "L3.latency", others ? 1 : 2);
        scale(&bench->now, "L3.latency_ns", others ? 1 : 2);
        check(bench);
        assert_int_equal(count_worse(bench), !others);
        assert_int_equal(count_bad(bench), 1);
        health_check_free(&bench->check);
    }
}

static void a_faster_level_is_healthy(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L2.latency", 0.5);
    scale(&bench->now, "L2.latency_ns", 0.5);
    check(bench);
    assert_int_equal(count_bad(bench), 0);
}

/* More cycles in the same time mean a faster clock, not a slower memory. */
static void what_only_the_clock_explains_is_healthy(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "DRAM.latency", 1.4);
    check(bench);
    assert_int_equal(count_bad(bench), 0);
}

/* It is flagged unconverged in the sample, and 6 % wide. */
static void a_doubtful_value_is_worse_only_far_beyond_its_interval(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L3.latency", 1.25);
    scale(&bench->now, "L3.latency_ns", 1.25);
    check(bench);
    assert_int_equal(count_worse(bench), 0);
    assert_int_equal(count_bad(bench), 1);
    assert_int_equal(bad(bench, 0)->health, DOUBTFUL);
    health_check_free(&bench->check);
    scale(&bench->now, "L3.latency", 1.25);
    scale(&bench->now, "L3.latency_ns", 1.25);
    check(bench);
    assert_int_equal(count_worse(bench), 1);
}

/* A run flags a single trial as unconverged, because it may be far off. */
static void a_doubtful_value_without_a_width_is_never_worse(void **state)
{
    struct bench *bench = *state;
    struct finding *findings = bench->now.probes[0].findings;
    for (int i = 0; i < 2; i++) {
        findings[i].value *= 2;
        findings[i].low = findings[i].high = findings[i].value;
        findings[i].flags = FLAG_BIT(FLAG_TOO_FEW);
    }
    check(bench);
    assert_int_equal(count_worse(bench), 0);
    assert_int_equal(count_bad(bench), 1);
    assert_int_equal(bad(bench, 0)->health, DOUBTFUL);
}

/* A single trial of the baseline may have been far off itself. */
static void a_doubtful_baseline_without_an_interval_proves_nothing(void **state)
{
    struct bench *bench = *state;
    struct probe_result *probe = &bench->base.probes[0];
    scale(&bench->now, "L3.latency", 2);
    scale(&bench->now, "L3.latency_ns", 2);
    for (size_t i = 0; i < probe->finding_count; i++)
        if (strncmp(probe->findings[i].name, "L3.latency", strlen("L3.latency")) == 0) {
            probe->findings[i].low = probe->findings[i].high = NAN;
            probe->findings[i].flags = FLAG_BIT(FLAG_TOO_FEW);
        }
    check(bench);
    assert_int_equal(count_worse(bench), 0);
    assert_int_equal(count_bad(bench), 1);
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

static void worse_ones_are_distinguished_from_uncertain_ones(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L3.latency", 1.25);
    scale(&bench->now, "L3.latency_ns", 1.25);
    scale(&bench->now, "DRAM.latency", 1.4);
    scale(&bench->now, "DRAM.latency_ns", 1.4);
    check(bench);
    assert_int_equal(count_bad(bench), 2);
    assert_int_equal(count_worse(bench), 1);
    assert_string_equal(bad(bench, 0)->should->name, "DRAM.latency");
}

static void a_missing_value_is_reported(void **state)
{
    struct bench *bench = *state;
    bench->now.probes[0].findings[0].name = "elsewhere";
    check(bench);
    assert_int_equal(count_bad(bench), 1);
    assert_null(bad(bench, 0)->now);
}

/* A baseline of a whole run can also check fewer probes. */
static void a_probe_that_did_not_run_is_not_missed(void **state)
{
    struct bench *bench = *state;
    bench->now.probe_count = 1;
    check(bench);
    assert_int_equal(count_bad(bench), 0);
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
    assert_int_equal(count_worse(bench), 1);
    assert_true(bad(bench, 0)->bound < 1e10 && bad(bench, 0)->bound > 9e9);
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
    assert_int_equal(count_bad(bench), 0);
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
    assert_int_equal(count_bad(bench), 0);
    health_check_free(&bench->check);
    scale(&bench->now, "gpu0.L2.latency_ns", 1.3);
    scale(&bench->now, "gpu0.bandwidth.read", 0.7);
    check(bench);
    assert_int_equal(count_worse(bench), 2);
    assert_string_equal(bad(bench, 0)->should->name, "gpu0.L2.latency");
    assert_string_equal(bad(bench, 1)->should->name, "gpu0.bandwidth.read");
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

/* Asserts the number of values in the gap of that probe and reason. */
static void assert_gap(const struct bench *bench, const char *probe, const char *reason,
                       size_t count)
{
    for (size_t i = 0; i < bench->check.gap_count; i++)
        if (strcmp(bench->check.gaps[i].probe, probe) == 0 &&
            strstr(bench->check.gaps[i].reason, reason)) {
            assert_int_equal(bench->check.gaps[i].count, count);
            return;
        }
    fail_msg("%s was not said to be %s", probe, reason);
}

/* A guest can't control its clock. */
static void a_clock_is_reported_and_never_judged(void **state)
{
    struct bench *bench = *state;
    sample_finding(&bench->base, &bench->base.probes[0], "core.clock", "Hz", 3e9, 0.01);
    sample_finding(&bench->now, &bench->now.probes[0], "core.clock", "Hz", 3e9, 0.01);
    scale(&bench->now, "core.clock", 0.9);
    check(bench);
    assert_int_equal(bench->check.health, HEALTHY);
    assert_int_equal(bench->check.conditions.count, 1);
    assert_string_equal(bench->check.conditions.list[0].should->name, "core.clock");
    health_check_free(&bench->check);
    scale(&bench->now, "core.clock", 1 / 0.9);
    check(bench);
    assert_int_equal(bench->check.conditions.count, 0);
}

static void what_a_probe_did_not_measure_is_counted(void **state)
{
    struct bench *bench = *state;
    struct probe_result *cores = &bench->base.probes[1];
    const size_t all = cores->finding_count;
    sample_finding(&bench->base, cores, "cores.cas.mean", "ns", 50, 0.01);
    const char *quick[] = {"fathom", "run", "-q"}, *named[] = {"fathom", "run", "latency"};
    bench->now.probe_count = 1;
    bench->now.run.command = quick;
    bench->now.run.command_count = 3;
    check(bench);
    assert_int_equal(bench->check.health, HEALTHY);
    assert_gap(bench, "cores", "not measured (quick)", bench->check.not_compared);
    assert_true(bench->check.not_compared > 0 && bench->check.not_compared <= all + 1);
    health_check_free(&bench->check);
    bench->now.run.command = named;
    check(bench);
    assert_gap(bench, "cores", "not measured (not asked for)", bench->check.not_compared);
    health_check_free(&bench->check);
    bench->now.run.complete = false;
    check(bench);
    assert_gap(bench, "cores", "the run did not end", bench->check.not_compared);
}

static void a_probe_that_failed_makes_it_uncertain_and_a_skipped_one_does_not(void **state)
{
    struct bench *bench = *state;
    sample_finding(&bench->base, &bench->base.probes[1], "cores.cas.mean", "ns", 50, 0.01);
    bench->now.probes[1].status = PROBE_SKIPPED;
    bench->now.probes[1].reason = "needs two CPUs";
    bench->now.probes[1].finding_count = 0;
    check(bench);
    assert_int_equal(bench->check.health, HEALTHY);
    assert_gap(bench, "cores", "skipped: needs two CPUs", bench->check.not_compared);
    health_check_free(&bench->check);
    bench->now.probes[1].status = PROBE_FAILED;
    check(bench);
    assert_int_equal(bench->check.health, DOUBTFUL);
    assert_ptr_equal(bad(bench, 0)->failed, &bench->now.probes[1]);
    assert_int_equal(count_bad(bench), 1);
}

static void another_experiment_is_held_against_nothing(void **state)
{
    struct bench *bench = *state;
    static struct factor forward = {.name = "order", .text = "forward"};
    struct probe_result *now = &bench->now.probes[0];
    for (size_t i = 0; i < now->finding_count; i++)
        if (strcmp(now->findings[i].name, "core.clock") != 0) {
            now->findings[i].factors = &forward;
            now->findings[i].factor_count = now->findings[i].deviations = 1;
        }
    bench->base.probe_count = 1;
    check(bench);
    assert_int_equal(bench->check.compared, 0);
    assert_int_equal(bench->check.health, DOUBTFUL); /* no OK where nothing was compared */
    assert_gap(bench, "latency", "another experiment (now, order forward)",
               bench->check.not_compared);
}

static void a_unit_that_nobody_knows_is_not_compared(void **state)
{
    struct bench *bench = *state;
    sample_finding(&bench->base, &bench->base.probes[0], "depth", "fathoms", 6, 0.01);
    sample_finding(&bench->now, &bench->now.probes[0], "depth", "fathoms", 60, 0.01);
    sample_finding(&bench->base, &bench->base.probes[0], "breadth", "ns", 6, 0.01);
    sample_finding(&bench->now, &bench->now.probes[0], "breadth", "cycles", 60, 0.01);
    check(bench);
    assert_int_equal(bench->check.health, HEALTHY);
    assert_gap(bench, "latency", "units that fathom does not know", 1);
    assert_gap(bench, "latency", "in other units (ns, now cycles)", 1);
}

/* Every unit of the table that has a worse side is judged by it. */
static void rates_and_misses_have_a_side(void **state)
{
    struct bench *bench = *state;
    static const char *const units[] = {"op/s", "1/s", "misses", "B/s", "ns", "cycles"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *name = pool_printf(&bench->base.pool, "thing.%zu", i);
        sample_finding(&bench->base, &bench->base.probes[0], name, units[i], 100, 0.01);
        sample_finding(&bench->now, &bench->now.probes[0], name, units[i], i < 4 ? 10 : 1000, 0.01);
    }
    check(bench);
    assert_int_equal(bench->check.health, WORSE);
    assert_int_equal(count_worse(bench), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(bad(bench, i)->more_is_worse, i >= 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_machine_is_healthy),
        TEST(slower_hand_offs_of_a_guest_are_uncertain),
        TEST(a_slower_level_is_worse),
        TEST(what_others_did_is_uncertain),
        TEST(a_slower_shared_cache_beside_others_is_uncertain),
        TEST(a_faster_level_is_healthy),
        TEST(what_only_the_clock_explains_is_healthy),
        TEST(a_doubtful_value_is_worse_only_far_beyond_its_interval),
        TEST(a_doubtful_value_without_a_width_is_never_worse),
        TEST(a_doubtful_baseline_without_an_interval_proves_nothing),
        TEST(the_side_without_common_probes_is_named),
        TEST(names_left_out_of_a_long_list_leave_a_sign),
        TEST(worse_ones_are_distinguished_from_uncertain_ones),
        TEST(a_missing_value_is_reported),
        TEST(a_probe_that_did_not_run_is_not_missed),
        TEST(a_slower_road_is_worse),
        TEST(another_processor_is_refused),
        TEST(another_device_is_refused),
        TEST(a_device_is_checked_as_a_processor_is),
        TEST(a_baseline_without_values_is_refused),
        TEST(a_clock_is_reported_and_never_judged),
        TEST(what_a_probe_did_not_measure_is_counted),
        TEST(a_probe_that_failed_makes_it_uncertain_and_a_skipped_one_does_not),
        TEST(another_experiment_is_held_against_nothing),
        TEST(a_unit_that_nobody_knows_is_not_compared),
        TEST(rates_and_misses_have_a_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
