#include "measure/run/measure.h"

#include "compare/health.h"
#include "compare/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A quick run on the twin of a document. */
struct bench {
    struct measurement measured;
    struct settings settings;
    struct error error;
};
static struct bench latency, bandwidth; /* what is compared with */
enum { BASE_RUNS = 4 };

static int begin(struct bench *bench, const char *probe, const char *seed, const char *changes)
{
    static const struct probe *named[2];
    static char path[4096];
    named[0] = probe_by_name(probe);
    snprintf(path, sizeof path, "%s/docs/examples/epyc-guest.json", getenv("FATHOM_SOURCE"));
    *bench = (struct bench){.measured = {.twin_of = path,
                                         .changes = changes,
                                         .run = {.settings = &bench->settings, .probes = named}}};
    int code = settings_add(&bench->settings, probe_common_options, &bench->error);
    if (code == 0)
        code = settings_set(&bench->settings, "seed", seed, &bench->error);
    if (code == 0)
        code = settings_set(&bench->settings, "quick", NULL, &bench->error);
    if (code == 0)
        code = measurement_plan(&bench->measured, &bench->error);
    return code == 0 ? run_measure(&bench->measured.run, &bench->error) : code;
}

static void end(struct bench *bench)
{
    measurement_free(&bench->measured);
    settings_free(&bench->settings);
}

static int measure_bases(void **state)
{
    if (!getenv("FATHOM_SOURCE"))
        return 0;
    int code = begin(&latency, "latency", "1", NULL);
    for (int i = 1; i < BASE_RUNS && code == 0; i++)
        code = measurement_again(&latency.measured, 0, NULL, &latency.error);
    if (code == 0)
        code = begin(&bandwidth, "bandwidth", "2", NULL);
    for (int i = 1; i < BASE_RUNS && code == 0; i++)
        code = measurement_again(&bandwidth.measured, 0, NULL, &bandwidth.error);
    return code;
}

static int forget_bases(void **state)
{
    if (getenv("FATHOM_SOURCE")) {
        end(&latency);
        end(&bandwidth);
    }
    return 0;
}

static void several_runs_are_one_document_with_their_spread(void **state)
{
    if (!getenv("FATHOM_SOURCE"))
        skip();
    const struct document *document = &latency.measured.document;
    const struct finding *dram = document_finding(document, "DRAM.latency_ns");
    assert_int_equal(document->run.documents, BASE_RUNS);
    assert_string_equal(document->run.joined, "repeat");
    assert_true(document->run.complete);
    assert_int_equal(dram->run_count, BASE_RUNS);
    size_t alike = 0; /* each has trials of its own */
    for (size_t i = 1; i < dram->run_count; i++)
        alike += dram->runs[i].number == dram->runs[0].number;
    assert_true(alike < dram->run_count / 2);
    assert_true(dram->low < dram->value && dram->value < dram->high);
    assert_true(document->machine.threads > 0);
    assert_int_equal(document->probe_count, 1);
    assert_true(document->probes[0].series[0].points[0].y.n == BASE_RUNS);
}

/* `worse`: four names, of which the first NULL ends the list; NULL: none. */
static enum health judge(struct bench *bench, const struct document *against,
                         const char *const *worse, size_t *runs)
{
    struct health_check check;
    assert_int_equal(measurement_settle(&bench->measured, against, NAN, 60, &check, &bench->error),
                     0);
    const enum health health = check.health;
    *runs = bench->measured.run_count ? bench->measured.run_count : 1;
    for (size_t w = 0; worse && w < 4 && worse[w]; w++) {
        bool named = false;
        for (size_t i = 0; i < check.values[WORSE].count; i++) {
            const struct finding *finding = check.values[WORSE].list[i].difference->finding;
            named = named || (finding && strcmp(finding->name, worse[w]) == 0);
        }
        if (!named)
            fail_msg("%s is not worse", worse[w]);
    }
    health_check_free(&check);
    return health;
}

/* A look at latencies takes an emulator ten seconds, so changes that don't touch each other share
 * their looks. */
static void a_machine_that_has_become_worse_fails_after_all_looks(void **state)
{
    static const struct {
        const char *change, *worse[4];
        const struct bench *base;
    } changes[] = {{"DRAM.latency=x2,L1.latency=+25%", {"DRAM.latency_ns", "L1.latency"}, &latency},
                   {"L1.capacity=x0.5,core.clock=-20%", {"L1.capacity", "core.clock"}, &latency},
                   {"bandwidth=x0.4", {"bandwidth.read.all"}, &bandwidth}};
    if (!getenv("FATHOM_SOURCE"))
        skip();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bench bench;
        size_t runs;
        const struct document *document = &changes[i].base->measured.document;
        assert_int_equal(begin(&bench, document->probes[0].name, "4711", changes[i].change), 0);
        assert_int_equal(judge(&bench, document, changes[i].worse, &runs), WORSE);
        assert_int_equal(runs, 5);
        end(&bench);
    }
}

/* At most one may be called otherwise: 2.5 % of them by chance. Of the latencies L3's scatters too
 * widely to be called well, so only that they are not worse is asked. */
static void an_unchanged_machine_is_well(void **state)
{
    enum { OF_BANDWIDTH = 12, ALL };
    if (!getenv("FATHOM_SOURCE"))
        skip();
    unsigned of_bandwidth[HEALTHS] = {0}, of_latency[HEALTHS] = {0};
    for (unsigned i = 0; i < ALL; i++) {
        const bool first = i < OF_BANDWIDTH;
        struct document *document =
            first ? &bandwidth.measured.document : &latency.measured.document;
        struct bench bench;
        char seed[16];
        size_t runs;
        snprintf(seed, sizeof seed, "%u", 100 + i);
        assert_int_equal(begin(&bench, document->probes[0].name, seed, NULL), 0);
        (first ? of_bandwidth : of_latency)[judge(&bench, document, NULL, &runs)]++;
        end(&bench);
    }
    assert_true(of_bandwidth[HEALTHY] >= OF_BANDWIDTH - 1);
    assert_int_equal(of_latency[WORSE], 0);
}

static void what_is_not_found_is_uncertain_after_all_looks(void **state)
{
    if (!getenv("FATHOM_SOURCE"))
        skip();
    struct bench bench;
    size_t runs;
    assert_int_equal(begin(&bench, "bandwidth", "8", NULL), 0);
    struct document *document = &bandwidth.measured.document;
    struct finding *rate = (struct finding *)document_finding(document, "bandwidth.read.all");
    const char *name = rate->name;
    rate->name = "bandwidth.write.all"; /* no such figure is found here */
    assert_int_equal(judge(&bench, document, NULL, &runs), DOUBTFUL);
    assert_true(runs == 5);
    rate->name = name;
    end(&bench);
}

/* Halved memory stays halved, however often the rest is measured. */
static void a_fact_needs_one_look(void **state)
{
    if (!getenv("FATHOM_SOURCE"))
        skip();
    struct bench bench;
    size_t runs;
    assert_int_equal(begin(&bench, "latency", "9", NULL), 0);
    bench.measured.document.machine.memory_bytes /= 2;
    assert_int_equal(judge(&bench, &latency.measured.document, NULL, &runs), WORSE);
    assert_int_equal(runs, 1);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_runs_are_one_document_with_their_spread),
        cmocka_unit_test(a_machine_that_has_become_worse_fails_after_all_looks),
        cmocka_unit_test(an_unchanged_machine_is_well),
        cmocka_unit_test(what_is_not_found_is_uncertain_after_all_looks),
        cmocka_unit_test(a_fact_needs_one_look),
    };
    return cmocka_run_group_tests(tests, measure_bases, forget_bases);
}
