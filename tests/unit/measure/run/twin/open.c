#include "measured.h"

#include "conclude/registry/finding.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

/* A whole run takes an emulator ten seconds: what several tests look at is measured once. */
static struct measured as_it_is;
static double took_s;

static int measure_as_it_is(void **state)
{
    const uint64_t began_ns = os_raw_ns();
    const int code = getenv("FATHOM_SOURCE")
                         ? measure_twin(&as_it_is, example("epyc-guest.json"), NULL, NULL)
                         : 0;
    took_s = (double)(os_raw_ns() - began_ns) * 1e-9;
    return code;
}

static const struct measured *twin_as_it_is(void)
{
    example("epyc-guest.json"); /* skips where there is none */
    return &as_it_is;
}

static int forget_it(void **state)
{
    forget_twin(&as_it_is);
    return 0;
}

/* Large pages, wakes and stores past the caches are not measured without a port for the system. */
static bool is_ported(void)
{
    struct cpulist cpus;
    const bool is = os_affinity(&cpus, NULL) == 0;
    cpulist_free(&cpus);
    return is;
}

/* Findings of the twin that lie in the document's intervals; *count: those that have one there, and
 * that this build measures. A thousandth is rounding. */
static unsigned within(const struct measured *bench, unsigned *count)
{
    const struct document *document = &bench->twin.document;
    unsigned in = 0;
    *count = 0;
    for (size_t i = 0; i < document->probe_count; i++)
        for (size_t j = 0; j < document->probes[i].finding_count; j++) {
            const struct finding *there = &document->probes[i].findings[j];
            const double value = found(bench, there->name), a_little = 1e-3 * there->value;
            if (!isfinite(there->low) || probe_by_name(document->probes[i].name)->no_twin)
                continue;
            if (!isfinite(value) && !is_ported())
                continue;
            const bool is_in = value >= there->low - a_little && value <= there->high + a_little;
            if (!is_in)
                print_message("%s is %g, and %g to %g in the document\n", there->name, value,
                              there->low, there->high);
            in += is_in;
            ++*count;
        }
    return in;
}

static void assert_within(const struct measured *bench, double least)
{
    unsigned count;
    const unsigned in = within(bench, &count);
    print_message("%u of %u findings within their intervals\n", in, count);
    assert_true(count > 10);
    assert_true(in >= least * count);
}

static void a_run_on_the_twin_finds_what_the_document_says(void **state)
{
    struct measured bench;
    assert_int_equal(measure_twin(&bench, example("modelled-machine-4.json"), NULL, NULL), 0);
    assert_within(&bench, 1);
    forget_twin(&bench);
    assert_within(twin_as_it_is(), 0.75);
}

static void every_value_says_that_it_is_a_model_s(void **state)
{
    const struct measured *bench = twin_as_it_is();
    assert_string_equal(bench->document.machine.model_of, "epyc-guest.json");
    for (size_t i = 0; i < bench->document.probe_count; i++)
        for (size_t j = 0; j < bench->document.probes[i].series_count; j++) {
            const struct series *series = &bench->document.probes[i].series[j];
            assert_true(!series->headline || series_flags(series) & FLAG_BIT(FLAG_MODELLED));
        }
}

static void a_seed_draws_one_twin_and_another_seed_another(void **state)
{
    static const char *const seeds[] = {NULL, "2"};
    const double first_ns = found(twin_as_it_is(), "DRAM.latency_ns");
    assert_true(first_ns > 0);
    for (int i = 0; i < 2; i++) {
        struct measured bench;
        assert_int_equal(
            measure_twin(&bench, example("epyc-guest.json"), i ? "cores=x1.5" : NULL, seeds[i]), 0);
        assert_true((found(&bench, "DRAM.latency_ns") == first_ns) == !seeds[i]);
        assert_string_equal(bench.document.machine.model_of,
                            i ? "epyc-guest.json with cores=x1.5" : "epyc-guest.json");
        forget_twin(&bench);
    }
}

static void a_run_takes_the_time_of_the_model(void **state)
{
    const double elapsed_s = twin_as_it_is()->document.run.elapsed_s;
    assert_true(elapsed_s > 20 && elapsed_s < 60);
    assert_true(took_s < elapsed_s);
}

static void what_the_document_does_not_hold_is_left_out(void **state)
{
    const struct document *document = &twin_as_it_is()->document;
    const struct probe_result *noise = document_probe(document, "noise"),
                              *latency = document_probe(document, "latency");
    assert_int_equal(noise->status, PROBE_SKIPPED);
    assert_non_null(strstr(noise->reason, "interruptions"));
    assert_int_equal(latency->status, PROBE_OK);
    for (size_t i = 0; i < latency->series_count; i++)
        for (size_t j = 0; j < latency->series[i].point_count; j++)
            assert_null(latency->series[i].points[j].failed);
    assert_null(document_probe(document, "window"));
}

static void a_document_that_is_no_machine_is_refused(void **state)
{
    static const struct {
        const char *name, *why;
    } documents[] = {{"i9-13980hx-cas.json", "another tool's table holds no trials"},
                     {"modelled-gpu-tiny.json", "it holds no figure of a processor"},
                     {"nowhere.json", "No such file"}};
    for (size_t i = 0; i < 3; i++) {
        struct twin twin;
        struct error error = {0};
        assert_int_equal(twin_open(&twin, example(documents[i].name), NULL, &error), ERROR_USAGE);
        assert_non_null(strstr(error.text, documents[i].name));
        assert_non_null(strstr(error.text, documents[i].why));
        twin_close(&twin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_on_the_twin_finds_what_the_document_says),
        cmocka_unit_test(every_value_says_that_it_is_a_model_s),
        cmocka_unit_test(a_seed_draws_one_twin_and_another_seed_another),
        cmocka_unit_test(a_run_takes_the_time_of_the_model),
        cmocka_unit_test(what_the_document_does_not_hold_is_left_out),
        cmocka_unit_test(a_document_that_is_no_machine_is_refused),
    };
    return cmocka_run_group_tests(tests, measure_as_it_is, forget_it);
}
