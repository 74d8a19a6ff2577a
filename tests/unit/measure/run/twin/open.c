#include "measured.h"

#include "conclude/registry/finding.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

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

static void a_run_on_the_twin_finds_what_the_document_says(void **state)
{
    static const struct {
        const char *name;
        double least; /* share of the findings */
    } documents[] = {{"modelled-machine-4.json", 1}, {"epyc-guest.json", 0.75}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct measured bench;
        unsigned count;
        assert_int_equal(measure_twin(&bench, example(documents[i].name), NULL, NULL), 0);
        const unsigned in = within(&bench, &count);
        print_message("%s: %u of %u findings within their intervals\n", documents[i].name, in,
                      count);
        assert_true(count > 10);
        assert_true(in >= documents[i].least * count);
        forget_twin(&bench);
    }
}

static void every_value_says_that_it_is_a_model_s(void **state)
{
    struct measured bench;
    (void)state;
    assert_int_equal(measure_twin(&bench, example("epyc-guest.json"), "cores=x1.5", NULL), 0);
    assert_string_equal(bench.document.machine.model_of, "epyc-guest.json with cores=x1.5");
    for (size_t i = 0; i < bench.document.probe_count; i++)
        for (size_t j = 0; j < bench.document.probes[i].series_count; j++) {
            const struct series *series = &bench.document.probes[i].series[j];
            assert_true(!series->headline || series_flags(series) & FLAG_BIT(FLAG_MODELLED));
        }
    forget_twin(&bench);
}

static void a_seed_draws_one_twin_and_another_seed_another(void **state)
{
    double first[3];
    static const char *const seeds[] = {"1", "1", "2"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct measured bench;
        assert_int_equal(measure_twin(&bench, example("epyc-guest.json"), NULL, seeds[i]), 0);
        first[i] = found(&bench, "DRAM.latency_ns");
        assert_true(first[i] > 0);
        forget_twin(&bench);
    }
    assert_true(first[0] == first[1]);
    assert_true(first[0] != first[2]);
}

static void a_run_takes_the_time_of_the_model(void **state)
{
    struct measured bench;
    (void)state;
    const uint64_t began_ns = os_raw_ns();
    assert_int_equal(measure_twin(&bench, example("epyc-guest.json"), NULL, NULL), 0);
    const double took_s = (double)(os_raw_ns() - began_ns) * 1e-9;
    assert_true(bench.document.run.elapsed_s > 20 && bench.document.run.elapsed_s < 60);
    assert_true(took_s < bench.document.run.elapsed_s);
    forget_twin(&bench);
}

static void what_the_document_does_not_hold_is_left_out(void **state)
{
    struct measured bench;
    (void)state;
    assert_int_equal(measure_twin(&bench, example("epyc-guest.json"), NULL, NULL), 0);
    const struct probe_result *noise = document_probe(&bench.document, "noise"),
                              *latency = document_probe(&bench.document, "latency");
    assert_int_equal(noise->status, PROBE_SKIPPED);
    assert_non_null(strstr(noise->reason, "interruptions"));
    assert_int_equal(latency->status, PROBE_OK);
    for (size_t i = 0; i < latency->series_count; i++)
        for (size_t j = 0; j < latency->series[i].point_count; j++)
            assert_null(latency->series[i].points[j].failed);
    assert_null(document_probe(&bench.document, "window"));
    forget_twin(&bench);
}

static void a_document_that_is_no_machine_is_refused(void **state)
{
    static const struct {
        const char *name, *why;
    } documents[] = {{"i9-13980hx-cas.json", "another tool's table holds no trials"},
                     {"modelled-gpu-tiny.json", "it holds no figure of a processor"},
                     {"nowhere.json", "No such file"}};
    (void)state;
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
