#include "compare/spread.h"
#include "compare/merge.h"
#include "conclude/registry/finding.h"

#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DOCUMENTS = 7 };

struct bench {
    struct document documents[DOCUMENTS], result;
    const char *left_out;
};

static int set_up(void **state)
{
    static struct bench bench;
    for (int i = 0; i < DOCUMENTS; i++)
        sample_document(&bench.documents[i], 2, 2);
    bench.result = (struct document){0};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    document_free(&bench->result);
    for (int i = 0; i < DOCUMENTS; i++)
        document_free(&bench->documents[i]);
    return 0;
}

static int build(struct bench *bench, size_t count, struct error *error)
{
    return baseline_build(&bench->result, bench->documents, count, &bench->left_out, error);
}

static int join(struct bench *bench, size_t count, struct error *error)
{
    return documents_merge(&bench->result, bench->documents, count, &bench->left_out, error);
}

static void values_are_medians_over_the_documents(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < DOCUMENTS; i++) {
        bench->documents[i].probes[0].findings[0].value = 10 + i;
        bench->documents[i].probes[0].series[0].points[2].y.median = (float)(20 + i);
    }
    bench->documents[5].probes[0].findings[0].value = 1000; /* one broken machine */
    assert_int_equal(build(bench, DOCUMENTS, NULL), 0);
    const struct finding *finding = document_finding(&bench->result, "L1.latency");
    assert_true(finding->value == 13);
    assert_true(finding->low > 10 && finding->low < 11 && finding->high < 1000);
    assert_int_equal(finding->run_count, DOCUMENTS);
    assert_true(finding->runs[0].number == 10 && finding->runs[5].number == 1000);
    const struct point *point = &bench->result.probes[0].series[0].points[2];
    assert_true(point->y.median == 23 && point->y.min == 20 && point->y.max == 26);
    assert_int_equal(point->y.n, DOCUMENTS);
    assert_true(point->y.coverage > 0.95f);
    assert_true(isnan(point->cycles.median));
    assert_null(bench->result.machine.hostname);
    assert_true(bench->result.run.complete);
}

static void what_few_have_is_left_out(void **state)
{
    struct bench *bench = *state;
    for (int i = 1; i < DOCUMENTS; i++) {
        bench->documents[i].probes[0].findings[0].name = "elsewhere";
        bench->documents[i].probes[0].series[0].point_count--;
    }
    size_t points = bench->documents[0].probes[0].series[0].point_count;
    assert_int_equal(build(bench, DOCUMENTS, NULL), 0);
    assert_null(document_finding(&bench->result, "L1.latency"));
    assert_non_null(document_finding(&bench->result, "L2.latency"));
    assert_int_equal(bench->result.probes[0].series[0].point_count, points - 1);
}

static void flags_need_half_of_the_votes(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 4; i++)
        bench->documents[i].probes[0].findings[0].flags = FLAG_BIT(FLAG_CLOCK_DRIFT);
    bench->documents[0].probes[0].findings[1].flags = FLAG_BIT(FLAG_DRIFT);
    assert_int_equal(build(bench, DOCUMENTS, NULL), 0);
    assert_int_equal(document_finding(&bench->result, "L1.latency")->flags,
                     FLAG_BIT(FLAG_CLOCK_DRIFT));
    assert_int_equal(document_finding(&bench->result, "L1.latency_ns")->flags, 0);
}

/* With six documents the spread over them covers what made single runs doubtful; with fewer the
 * doubt stays. */
static void a_spread_has_no_doubts_of_single_runs(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < DOCUMENTS; i++)
        bench->documents[i].probes[0].findings[0].flags = FLAG_BIT(FLAG_STOLEN);
    assert_int_equal(build(bench, 5, NULL), 0);
    assert_int_equal(document_finding(&bench->result, "L1.latency")->flags, FLAG_BIT(FLAG_STOLEN));
    document_free(&bench->result);
    assert_int_equal(build(bench, 6, NULL), 0);
    assert_int_equal(document_finding(&bench->result, "L1.latency")->flags, 0);
}

static void one_document_keeps_its_intervals(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(build(bench, 1, NULL), 0);
    const struct finding *before = document_finding(&bench->documents[0], "L2.latency");
    const struct finding *after = document_finding(&bench->result, "L2.latency");
    assert_true(after->value == before->value && after->low == before->low);
    assert_non_null(bench->result.machine.hostname);
}

static void other_processors_are_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->documents[3].machine.cpu_model = "Another";
    assert_int_equal(build(bench, DOCUMENTS, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "Another"));
    document_free(&bench->result);
    assert_int_equal(join(bench, DOCUMENTS, &error), ERROR_USAGE);
}

static void documents_without_values_are_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    for (int i = 0; i < DOCUMENTS; i++)
        bench->documents[i].probe_count = 0;
    assert_int_equal(build(bench, DOCUMENTS, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "in common"));
}

/* A curve that shows a step more numbers its levels anew. */
static void levels_pair_by_their_sizes(void **state)
{
    struct bench *bench = *state;
    struct probe_result more[DOCUMENTS];
    const size_t odd = 0;
    for (size_t i = 0; i < 5; i++) {
        more[i] = (struct probe_result){.name = "latency"};
        const double sizes[] = {32, 1024, 20000, 48000}, cycles[] = {4, 16, 40, 70};
        for (int level = 0, shown = 1; level < 4; level++) {
            if (level == 2 && i != odd) /* only one document shows it */
                continue;
            struct pool *pool = &bench->documents[i].pool;
            const char *name = pool_printf(pool, "L%d.", shown++);
            finding_add_value(&more[i], pool, pool_printf(pool, "%slatency", name), "cycles",
                              (struct interval){cycles[level], NAN, NAN}, 0);
            finding_add_value(&more[i], pool, pool_printf(pool, "%scapacity", name), "B",
                              (struct interval){1024 * sizes[level], NAN, NAN}, 0);
        }
        bench->documents[i].probes = &more[i];
        bench->documents[i].probe_count = 1;
    }
    assert_int_equal(build(bench, 5, NULL), 0);
    const struct finding *last = document_finding(&bench->result, "L3.capacity");
    assert_true(last->value == 1024 * 48000.0);
    assert_int_equal(last->run_count, 5);
    assert_true(document_finding(&bench->result, "L3.latency")->value == 70);
    assert_null(document_finding(&bench->result, "L4.latency"));
    assert_non_null(strstr(bench->left_out, "L3.latency"));
}

static void the_newest_probe_is_merged(void **state)
{
    struct bench *bench = *state;
    bench->documents[0].run.started = "2026-01-02T00:00:00Z";
    bench->documents[1].run.started = "2026-01-03T00:00:00Z";
    bench->documents[2].run.started = "2026-01-01T00:00:00Z";
    bench->documents[2].probes[1].name = "another";
    for (int i = 0; i < 3; i++)
        bench->documents[i].probes[0].findings[0].value = i;
    assert_int_equal(join(bench, 3, NULL), 0);
    assert_true(document_finding(&bench->result, "L1.latency")->value == 1);
    assert_non_null(document_probe(&bench->result, "another"));
    assert_non_null(document_probe(&bench->result, "cores"));
    assert_string_equal(bench->result.run.started, "2026-01-03T00:00:00Z");
}

/* A command, a seed or a time would be that of only one of several runs. */
static void what_is_of_one_run_alone_is_left_out(void **state)
{
    struct bench *bench = *state;
    static const char *command[] = {"fathom", "cores"};
    for (int i = 0; i < 3; i++) {
        struct run_facts *run = &bench->documents[i].run;
        run->command = command;
        run->command_count = 2;
        run->seed = 7;
        run->elapsed_s = 3;
    }
    bench->documents[1].run.started = "2099-01-03T00:00:00Z";
    bench->documents[2].run.documents = 4; /* merged before */
    for (int merged = 0; merged < 2; merged++) {
        const struct run_facts *run = &bench->result.run;
        assert_int_equal(merged ? join(bench, 3, NULL) : build(bench, 3, NULL), 0);
        assert_string_equal(run->joined, merged ? "merge" : "baseline");
        assert_int_equal(run->documents, 6);
        assert_string_equal(run->started, "2099-01-03T00:00:00Z");
        assert_int_equal(run->command_count, 0);
        assert_true(run->seed == 0 && isnan(run->elapsed_s) && isnan(run->budget_s) && !run->id);
        document_free(&bench->result);
    }
    assert_int_equal(join(bench, 1, NULL), 0);
    assert_null(bench->result.run.joined);
    assert_int_equal(bench->result.run.command_count, 2);
}

static void parameters_and_conditions_are_those_of_all(void **state)
{
    struct bench *bench = *state;
    struct factor parameters[2][3] = {
        {{.name = "budget", .number = 4}, {.name = "lines", .number = 8}, {.name = "parallel"}},
        {{.name = "lines", .number = 8}, {.name = "budget", .number = 2}, {.name = "quick"}}};
    struct remark remarks[2][2] = {
        {{.what = "SMT is on", .remedy = "--cpus 0"}, {.what = "load average 1.50"}},
        {{.what = "load average 2.50"}, {.what = "SMT is on", .remedy = "--cpus 0"}}};
    for (int i = 0; i < 2; i++) {
        bench->documents[i].probes[0].parameters = parameters[i];
        bench->documents[i].probes[0].parameter_count = 3;
        bench->documents[i].conditions.remarks = remarks[i];
        bench->documents[i].conditions.remark_count = 2;
        bench->documents[i].conditions.load1 = 1.5 + i;
    }
    assert_int_equal(build(bench, 2, NULL), 0);
    const struct probe_result *probe = &bench->result.probes[0];
    assert_int_equal(probe->parameter_count, 1);
    assert_string_equal(probe->parameters[0].name, "lines");
    assert_int_equal(bench->result.conditions.remark_count, 1);
    assert_string_equal(bench->result.conditions.remarks[0].what, "SMT is on");
    assert_string_equal(bench->result.conditions.remarks[0].remedy, "--cpus 0");
    assert_true(isnan(bench->result.conditions.load1));
}

static void other_machines_are_not_merged(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->documents[1].machine.hostname = "another";
    assert_int_equal(join(bench, 2, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "another"));
}

static void other_devices_are_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    struct gpu_facts a = {.id = 0, .name = "A"}, b = {.id = 0, .name = "B"};
    bench->documents[0].machine.gpus = &a;
    bench->documents[1].machine.gpus = &b;
    bench->documents[0].machine.gpu_count = bench->documents[1].machine.gpu_count = 1;
    assert_int_equal(build(bench, 2, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "gpu0 is A and B"));
    document_free(&bench->result);
    bench->documents[1].machine.gpu_count = 0; /* the run did not look for devices */
    assert_int_equal(build(bench, 2, &error), 0);
}

static void the_newest_that_has_devices_reports_them(void **state)
{
    struct bench *bench = *state;
    struct gpu_facts older = {.id = 0, .name = "A", .driver = "1"};
    struct gpu_facts newer = {.id = 0, .name = "A", .driver = "2"};
    bench->documents[0].run.started = "2026-01-01T00:00:00Z";
    bench->documents[1].run.started = "2026-01-02T00:00:00Z";
    bench->documents[2].run.started = "2026-01-03T00:00:00Z";
    bench->documents[0].machine.gpus = &older;
    bench->documents[1].machine.gpus = &newer;
    bench->documents[0].machine.gpu_count = bench->documents[1].machine.gpu_count = 1;
    assert_int_equal(join(bench, 3, NULL), 0);
    assert_int_equal(bench->result.machine.gpu_count, 1);
    assert_string_equal(bench->result.machine.gpus[0].driver, "2");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Makes the first probe of that document another experiment, in all its findings and series. */
static void make_forward(struct document *document)
{
    static struct factor forward[] = {{"order", "forward", 0}};
    struct probe_result *probe = &document->probes[0];
    for (size_t i = 0; i < probe->finding_count; i++) {
        probe->findings[i].factors = forward;
        probe->findings[i].factor_count = probe->findings[i].deviations = 1;
    }
    for (size_t i = 0; i < probe->series_count; i++) {
        probe->series[i].factors = forward;
        probe->series[i].factor_count = 1;
    }
}

static void a_merge_keeps_both_of_two_experiments(void **state)
{
    struct bench *bench = *state;
    const struct probe_result before = bench->documents[0].probes[0];
    bench->documents[0].run.started = "2026-11-21T00:00:00Z";
    bench->documents[1].run.started = "2026-11-22T00:00:00Z";
    bench->documents[2].run.started = "2026-11-23T00:00:00Z";
    make_forward(&bench->documents[1]);
    assert_int_equal(join(bench, 3, NULL), 0);
    const struct probe_result *both = &bench->result.probes[0];
    assert_int_equal(both->finding_count, 2 * before.finding_count);
    assert_int_equal(both->series_count, 2 * before.series_count);
    size_t deviating = 0;
    for (size_t i = 0; i < both->finding_count; i++)
        deviating += both->findings[i].deviations;
    assert_int_equal(deviating, before.finding_count);
}

/* Of one experiment the newer run counts, also where the older one measured other sizes. */
static void a_newer_run_takes_the_place_of_an_older_one(void **state)
{
    struct bench *bench = *state;
    const size_t findings = bench->documents[0].probes[0].finding_count;
    bench->documents[0].run.started = "2026-11-21T00:00:00Z";
    bench->documents[1].run.started = "2026-11-22T00:00:00Z";
    bench->documents[1].probes[0].findings[0].value = 77;
    bench->documents[0].probes[0].findings[1].name = "L9.latency";
    assert_int_equal(join(bench, 2, NULL), 0);
    assert_int_equal(bench->result.probes[0].finding_count, findings);
    assert_true(bench->result.probes[0].findings[0].value == 77);
    assert_non_null(strstr(bench->left_out, "L9.latency")); /* and that is said */
}

/* A newer run of one kernel does not remove the others. */
static void a_merge_keeps_what_the_newest_run_did_not_ask_for(void **state)
{
    struct bench *bench = *state;
    static struct factor copy[] = {{"kernel", "copy", 0}}, read[] = {{"kernel", "read", 0}};
    struct probe_result *older = &bench->documents[0].probes[0];
    struct probe_result *newer = &bench->documents[1].probes[0];
    bench->documents[0].run.started = "2026-11-21T00:00:00Z";
    bench->documents[1].run.started = "2026-11-22T00:00:00Z";
    older->findings[1].name = "bandwidth.copy.1";
    older->findings[1].factors = copy;
    newer->findings[1].name = "bandwidth.read.1";
    newer->findings[1].factors = read;
    older->findings[1].factor_count = newer->findings[1].factor_count = 1;
    assert_int_equal(join(bench, 2, NULL), 0);
    assert_int_equal(bench->result.probes[0].finding_count, newer->finding_count + 1);
    assert_null(bench->left_out);
}

/* Memory on another node or on other pages gives another curve, though the factors are the same. */
static void curves_of_other_memory_stay_apart(void **state)
{
    struct bench *bench = *state;
    static struct factor thp[] = {{"pages_obtained", "thp (2 MiB)", 0}},
                         small[] = {{"pages_obtained", "small (4 KiB)", 0}};
    static struct factor pages[] = {{"pages", "small", 0}};
    const size_t series = bench->documents[0].probes[0].series_count;
    const size_t points = bench->documents[0].probes[0].series[0].point_count;
    for (int d = 0; d < 2; d++) {
        struct probe_result *probe = &bench->documents[d].probes[0];
        probe->parameters = d ? small : thp;
        probe->parameter_count = 1;
        for (size_t i = 0; i < probe->finding_count && d; i++) {
            probe->findings[i].factors = pages;
            probe->findings[i].factor_count = probe->findings[i].deviations = 1;
        }
        for (size_t i = 0; i < points && d; i++)
            probe->series[0].points[i].x += 1;
    }
    assert_int_equal(join(bench, 2, NULL), 0);
    assert_int_equal(bench->result.probes[0].series_count, 2 * series);
    assert_int_equal(bench->result.probes[0].series[0].point_count, points);
}

static void a_baseline_tells_what_it_leaves_out(void **state)
{
    struct bench *bench = *state;
    make_forward(&bench->documents[3]);
    assert_int_equal(build(bench, DOCUMENTS, NULL), 0);
    assert_non_null(bench->left_out);
    assert_non_null(strstr(bench->left_out, "L1.latency (order forward)"));
    for (size_t i = 0; i < bench->result.probes[0].finding_count; i++)
        assert_int_equal(bench->result.probes[0].findings[i].deviations, 0);
    document_free(&bench->result);
    for (int i = 0; i < 3; i++)
        make_forward(&bench->documents[i]);
    assert_int_equal(build(bench, DOCUMENTS, NULL), 0);
    size_t deviating = 0;
    for (size_t i = 0; i < bench->result.probes[0].finding_count; i++)
        deviating += bench->result.probes[0].findings[i].deviations;
    assert_true(deviating > 0); /* four of seven documents have it, though not the first one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_medians_over_the_documents),
        TEST(what_few_have_is_left_out),
        TEST(flags_need_half_of_the_votes),
        TEST(a_spread_has_no_doubts_of_single_runs),
        TEST(one_document_keeps_its_intervals),
        TEST(other_processors_are_refused),
        TEST(documents_without_values_are_refused),
        TEST(levels_pair_by_their_sizes),
        TEST(the_newest_probe_is_merged),
        TEST(a_merge_keeps_both_of_two_experiments),
        TEST(a_newer_run_takes_the_place_of_an_older_one),
        TEST(a_merge_keeps_what_the_newest_run_did_not_ask_for),
        TEST(curves_of_other_memory_stay_apart),
        TEST(a_baseline_tells_what_it_leaves_out),
        TEST(what_is_of_one_run_alone_is_left_out),
        TEST(parameters_and_conditions_are_those_of_all),
        TEST(other_machines_are_not_merged),
        TEST(other_devices_are_refused),
        TEST(the_newest_that_has_devices_reports_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
