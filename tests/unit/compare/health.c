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
    bench.base.machine.hypervisor = bench.now.machine.hypervisor = NULL;
    bench.check = (struct health_check){.now = NULL};
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

static enum health health(struct bench *bench)
{
    health_check_free(&bench->check);
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, NAN, 1, NULL), 0);
    return bench->check.health;
}

static void refuses(struct bench *bench, const char *words)
{
    struct error error;
    health_check_free(&bench->check);
    assert_int_equal(health_check(&bench->check, &bench->base, &bench->now, NAN, 1, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, words));
}

/* Sure of each value, so that the sample says nothing else. */
static void be_sure(struct document *document)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++) {
            struct finding *finding = &document->probes[p].findings[i];
            finding->flags = 0;
            finding->low = finding->value * (finding->low < finding->value ? 0.999 : 1);
            finding->high = finding->value * (finding->high > finding->value ? 1.001 : 1);
        }
}

static void scale(const struct document *document, const char *name, double factor)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++) {
            struct finding *finding = &document->probes[p].findings[i];
            if (strcmp(finding->name, name) != 0)
                continue;
            finding->value *= factor;
            finding->low *= factor;
            finding->high *= factor;
        }
}

static bool has(const struct health_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->list[i].should && strcmp(values->list[i].should->name, name) == 0)
            return true;
    return false;
}

static void the_same_machine_is_healthy(void **state)
{
    struct bench *bench = *state;
    be_sure(&bench->base);
    be_sure(&bench->now);
    assert_int_equal(health(bench), HEALTHY);
    assert_true(has(&bench->check.values[HEALTHY], "L1.latency"));
    assert_false(health_is_open(&bench->check, "numa"));
}

static void a_slower_level_is_worse_and_a_faster_one_is_told(void **state)
{
    struct bench *bench = *state;
    scale(&bench->now, "L1.latency", 1.25);
    assert_int_equal(health(bench), WORSE);
    assert_true(has(&bench->check.values[WORSE], "L1.latency"));
    assert_true(health_is_open(&bench->check, "latency"));
    scale(&bench->now, "L1.latency", 1 / 1.25 / 1.25);
    assert_int_not_equal(health(bench), WORSE);
    assert_true(has(&bench->check.otherwise, "L1.latency"));
    assert_false(has(&bench->check.values[HEALTHY], "L1.latency"));
}

static void a_fact_for_the_worse_is_worse(void **state)
{
    struct bench *bench = *state;
    be_sure(&bench->base);
    be_sure(&bench->now);
    bench->now.machine.memory_bytes /= 2;
    assert_int_equal(health(bench), WORSE);
    bench->now.machine.memory_bytes *= 2;
    bench->now.machine.kernel = "6.19";
    assert_int_equal(health(bench), HEALTHY);
    assert_int_equal(bench->check.differences.facts.count, 1);
}

/* A headline figure that is not known to twice its tolerance is no OK, on neither side. */
static void a_headline_that_can_not_be_told_makes_it_uncertain(void **state)
{
    struct bench *bench = *state;
    be_sure(&bench->base);
    be_sure(&bench->now);
    for (size_t i = 0; i < bench->now.probes[0].finding_count; i++) {
        struct finding *finding = &bench->now.probes[0].findings[i];
        if (strcmp(finding->name, "L3.latency") == 0)
            finding->low = finding->value / 3;
    }
    for (int side = 0; side < 2; side++) { /* it may be faster; then it may be slower */
        assert_int_equal(health(bench), DOUBTFUL);
        assert_true(has(&bench->check.values[DOUBTFUL], "L3.latency"));
        for (size_t i = 0; i < bench->now.probes[0].finding_count; i++) {
            struct finding *base = &bench->base.probes[0].findings[i];
            bench->now.probes[0].findings[i].low = base->low;
            if (strcmp(base->name, "L3.latency") == 0)
                base->low = base->value / 3;
        }
        bench->now.run.id = "another run";
    }
}

static void a_headline_that_is_missing_makes_it_uncertain(void **state)
{
    struct bench *bench = *state;
    be_sure(&bench->base);
    be_sure(&bench->now);
    bench->now.probes[0].findings[0].name = "elsewhere";
    assert_int_equal(health(bench), DOUBTFUL);
    assert_null(bench->check.values[DOUBTFUL].list[0].difference);
    assert_null(bench->check.values[DOUBTFUL].list[0].failed);
    assert_ptr_equal(bench->check.values[DOUBTFUL].list[0].should,
                     &bench->base.probes[0].findings[0]);
    assert_string_equal(bench->check.gaps[0].reason, "measured, but this was not found");
}

/* Without any headline figure all are: "1 as good, 23 can't be told" was OK. */
static void without_headlines_every_figure_counts(void **state)
{
    struct bench *bench = *state;
    struct document *const both[] = {&bench->base, &bench->now};
    for (int i = 0; i < 2; i++) {
        be_sure(both[i]);
        for (size_t p = 0; p < both[i]->probe_count; p++)
            both[i]->probes[p].finding_count = 0;
        sample_finding(both[i], &both[i]->probes[0], "thing.sure", "ns", 100, 0.001);
        sample_finding(both[i], &both[i]->probes[0], "thing.unsure", "ns", 100, i ? 2 : 0.001);
    }
    bench->now.run.id = "another run";
    assert_int_equal(health(bench), DOUBTFUL);
    assert_true(has(&bench->check.values[HEALTHY], "thing.sure"));
    assert_true(has(&bench->check.values[DOUBTFUL], "thing.unsure"));
}

static void assert_gap(const struct bench *bench, const char *probe, const char *reason)
{
    for (size_t i = 0; i < bench->check.gap_count; i++)
        if (strcmp(bench->check.gaps[i].probe, probe) == 0 &&
            strstr(bench->check.gaps[i].reason, reason))
            return;
    fail_msg("%s was not said to be %s", probe, reason);
}

/* The quick set leaves things out; whoever asks for single probes has to know. */
static void what_was_left_out_is_counted(void **state)
{
    struct bench *bench = *state;
    const char *quick[] = {"fathom", "run", "-q"}, *named[] = {"fathom", "run", "latency"};
    be_sure(&bench->base);
    be_sure(&bench->now);
    bench->now.probe_count = 1;
    bench->now.run.command = quick;
    bench->now.run.command_count = 3;
    assert_int_equal(health(bench), HEALTHY);
    assert_gap(bench, "cores", "not measured (quick)");
    bench->now.run.command = named;
    health(bench);
    assert_gap(bench, "cores", "not measured (not asked for)");
    bench->now.run.complete = false;
    health(bench);
    assert_gap(bench, "cores", "the run did not end");
}

/* A6: a document whose first probe failed was OK. */
static void a_probe_that_failed_makes_it_uncertain(void **state)
{
    struct bench *bench = *state;
    be_sure(&bench->base);
    be_sure(&bench->now);
    bench->now.probes[0].status = PROBE_FAILED;
    bench->now.probes[0].finding_count = 0;
    assert_int_equal(health(bench), DOUBTFUL);
    assert_ptr_equal(bench->check.values[DOUBTFUL].list[0].failed, &bench->now.probes[0]);
    assert_int_equal(bench->check.values[DOUBTFUL].count, 1);
}

static void a_device_is_checked_as_a_processor_is(void **state)
{
    struct bench *bench = *state;
    struct document *const both[] = {&bench->base, &bench->now};
    for (int i = 0; i < 2; i++) {
        sample_finding(both[i], &both[i]->probes[0], "gpu0.L1.latency", "cycles", 200, 0.001);
        sample_finding(both[i], &both[i]->probes[0], "gpu0.bandwidth.read", "B/s", 3e11, 0.001);
    }
    scale(&bench->now, "gpu0.L1.latency", 1.3);
    scale(&bench->now, "gpu0.bandwidth.read", 0.3);
    assert_int_equal(health(bench), WORSE);
    assert_int_equal(bench->check.values[WORSE].count, 2);
}

/* A6: rates at a tenth of the baseline's were OK. */
static void rates_and_misses_have_a_side(void **state)
{
    struct bench *bench = *state;
    static const char *const units[] = {"op/s", "1/s", "misses", "B/s", "ns", "cycles"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *name = pool_printf(&bench->base.pool, "thing.%zu", i);
        sample_finding(&bench->base, &bench->base.probes[0], name, units[i], 100, 0.01);
        sample_finding(&bench->now, &bench->now.probes[0], name, units[i], i < 4 ? 5 : 2000, 0.01);
    }
    assert_int_equal(health(bench), WORSE);
    assert_int_equal(bench->check.values[WORSE].count, 6);
}

static void strangers_are_refused(void **state)
{
    struct bench *bench = *state;
    struct gpu_facts was = {.id = 3, .name = "Was"}, is = {.id = 3, .name = "Is"};
    bench->base.machine.gpus = &was;
    bench->now.machine.gpus = &is;
    bench->base.machine.gpu_count = bench->now.machine.gpu_count = 1;
    refuses(bench, "another gpu3 (Was; here Is)");
    bench->base.machine.gpu_count = 0;
    bench->now.machine.cpu_model = "Another";
    refuses(bench, "Another");
    bench->now.machine.cpu_model = bench->base.machine.cpu_model;
    for (size_t p = 0; p < bench->now.probe_count; p++)
        bench->now.probes[p].name = "other";
    refuses(bench, "no probe in common with the baseline (latency, cores, numa)");
    bench->base.probe_count = 0;
    refuses(bench, "no value in common");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_machine_is_healthy),
        TEST(a_slower_level_is_worse_and_a_faster_one_is_told),
        TEST(a_fact_for_the_worse_is_worse),
        TEST(a_headline_that_can_not_be_told_makes_it_uncertain),
        TEST(a_headline_that_is_missing_makes_it_uncertain),
        TEST(without_headlines_every_figure_counts),
        TEST(what_was_left_out_is_counted),
        TEST(a_probe_that_failed_makes_it_uncertain),
        TEST(a_device_is_checked_as_a_processor_is),
        TEST(rates_and_misses_have_a_side),
        TEST(strangers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
