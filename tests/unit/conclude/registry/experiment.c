#include "conclude/registry/experiment.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A machine of two kinds of core, two nodes and one without CPUs. */
struct bench {
    struct pool pool;
    struct machine_facts machine;
    struct cpu_kind_facts kinds[2];
    struct numa_facts nodes[3];
    struct cache_facts cache;
    uint64_t page_sizes[2];
    struct probe_result probe;
};

static void set_up(struct bench *bench, const char *probe)
{
    *bench = (struct bench){
        .kinds = {{"efficiency", "4-7"}, {"performance", "0-3"}},
        .nodes = {{0, "0-3", 0}, {1, "4-7", 0}, {2, "", 0}},
        .cache = {1, "data", 32768, 128, 8, "0"},
        .page_sizes = {4096, 2097152},
        .probe = {.name = probe},
    };
    bench->machine = (struct machine_facts){.kinds = bench->kinds,
                                            .kind_count = 2,
                                            .nodes = bench->nodes,
                                            .node_count = 3,
                                            .caches = &bench->cache,
                                            .cache_count = 1,
                                            .page_sizes = bench->page_sizes,
                                            .page_size_count = 2};
}

static void add_parameter(struct bench *bench, const char *name, const char *text, double number)
{
    struct factor *factor = pool_append(&bench->pool, (void **)&bench->probe.parameters,
                                        &bench->probe.parameter_count, sizeof *factor);
    *factor = (struct factor){name, text, number};
}

static struct series *add_series(struct bench *bench, const char *name, bool headline)
{
    struct series *series = pool_append(&bench->pool, (void **)&bench->probe.series,
                                        &bench->probe.series_count, sizeof *series);
    *series = (struct series){.name = name, .headline = headline};
    return series;
}

static void add_factor(struct bench *bench, struct series *series, const char *name,
                       const char *text, double number)
{
    struct factor *factor =
        pool_append(&bench->pool, (void **)&series->factors, &series->factor_count, sizeof *factor);
    *factor = (struct factor){name, text, number};
}

/* The deviations of the finding of that name, as text. */
static const char *deviations(struct bench *bench, const char *name)
{
    bench->probe.findings = NULL;
    bench->probe.finding_count = 0;
    struct finding *finding = finding_add(&bench->probe, &bench->pool, name, "cycles");
    assert_non_null(finding);
    experiment_complete(&bench->probe, &bench->machine, &bench->pool);
    return experiment_text(finding, &bench->pool);
}

static struct series *add_chase(struct bench *bench, const char *order, double stride)
{
    struct series *series = add_series(bench, "latency", true);
    add_factor(bench, series, "address", "pointer", 0);
    add_factor(bench, series, "access", "read", 0);
    add_factor(bench, series, "order", order, 0);
    add_factor(bench, series, "stride", NULL, stride);
    add_factor(bench, series, "pages", "auto", 0);
    return series;
}

static void the_standard_chase_is_recognised_by_its_name(void **state)
{
    struct bench bench;
    set_up(&bench, "latency");
    add_chase(&bench, "random", 128);
    add_parameter(&bench, "cpu", NULL, 2);
    add_parameter(&bench, "node_obtained", NULL, 0);
    add_parameter(&bench, "pages_obtained", "thp (2 MiB)", 0);
    assert_string_equal(deviations(&bench, "L2.latency"), "");
    assert_int_equal(bench.probe.findings[0].factor_count,
                     7); /* node and core, besides the series' factors */
    pool_free(&bench.pool);
}

static void what_differs_is_reported(void **state)
{
    struct bench bench;
    set_up(&bench, "latency");
    add_chase(&bench, "forward", 64);
    assert_string_equal(deviations(&bench, "L2.latency"), "order forward, stride 64");
    assert_string_equal(deviations(&bench, "core.clock"),
                        ""); /* a condition of the run, not of the chase */
    assert_string_equal(deviations(&bench, "no.such"), "");
    add_parameter(&bench, "pages_obtained", "small (4 KiB)", 0);
    assert_string_equal(deviations(&bench, "L2.latency"), "order forward, pages small, stride 64");
    pool_free(&bench.pool);
}

static void a_line_that_no_cache_declares_is_the_architecture_s(void **state)
{
    static const struct {
        const char *arch;
        double line;
    } cases[] = {{"ppc64le", 128}, {"x86_64", 64}, {NULL, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        set_up(&bench, "latency");
        bench.machine.cache_count = 0;
        bench.machine.cpu_arch = cases[i].arch;
        add_chase(&bench, "random", cases[i].line);
        assert_string_equal(deviations(&bench, "L2.latency"), "");
        pool_free(&bench.pool);
    }
}

static void pages_are_what_was_obtained(void **state)
{
    static const struct {
        const char *obtained, *deviations;
    } cases[] = {
        {"thp (2 MiB)", ""},
        {"thp (unverified)", ""},
        {"huge2m (2 MiB)", ""},
        {"huge1g (1 GiB)", "pages huge1g"},
        {"thp (95 % huge)", ""},
        {"thp (40 % huge)", "pages mixed"},
        {"thp (3 % huge)", "pages small"},
        {"small (4 KiB)", "pages small"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        set_up(&bench, "latency");
        add_chase(&bench, "random", 128);
        add_parameter(&bench, "pages_obtained", cases[i].obtained, 0);
        assert_string_equal(deviations(&bench, "L2.latency"), cases[i].deviations);
        bench.machine.page_size_count = 1; /* there are no other pages */
        assert_string_equal(deviations(&bench, "L2.latency"), "");
        pool_free(&bench.pool);
    }
}

static void nodes_and_cpus_are_named_by_distance_and_kind(void **state)
{
    struct bench bench;
    set_up(&bench, "latency");
    add_chase(&bench, "random", 128);
    add_parameter(&bench, "cpu", NULL, 5);
    add_parameter(&bench, "node_obtained", NULL, 1);
    assert_string_equal(deviations(&bench, "L2.latency"), "core efficiency");
    bench.probe.parameters[1].number = 0;
    add_parameter(&bench, "node_distance", NULL, 21);
    assert_string_equal(deviations(&bench, "L2.latency"),
                        "core efficiency, distance 21, node other");
    bench.probe.parameters[1].number = 2;
    assert_string_equal(deviations(&bench, "L2.latency"),
                        "core efficiency, distance 21, node without CPUs");
    pool_free(&bench.pool);
}

/* The kind of core of the CPUs that --cpus allows, where it is one. */
static void cores_of_a_list_are_named_by_their_kind(void **state)
{
    static const struct {
        const char *cpus, *deviations;
    } cases[] = {{"4-5", "core efficiency"}, {"0-3", ""}, {"3,4", ""}, {"7-3", ""}, {"9", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        set_up(&bench, "cores");
        struct series *series = add_series(&bench, "hand-off", true);
        add_factor(&bench, series, "op", "cas", 0);
        add_parameter(&bench, "cpus", cases[i].cpus, 0);
        assert_string_equal(deviations(&bench, "cores.cas.min"), cases[i].deviations);
        pool_free(&bench.pool);
    }
}

/* A finding gets the factors of the series that its name fits; of several that fit equally well,
 * those that they share. */
static void a_finding_is_of_the_series_that_its_name_says(void **state)
{
    struct bench bench;
    set_up(&bench, "loaded");
    struct series *first = add_series(&bench, "loaded", false);
    add_factor(&bench, first, "mix", NULL, 50);
    add_factor(&bench, first, "traffic", "random", 0);
    struct series *second = add_series(&bench, "loaded", false);
    add_factor(&bench, second, "mix", NULL, 50);
    add_factor(&bench, second, "traffic", "sequential", 0);
    assert_string_equal(deviations(&bench, "loaded.saturated"), "mix 50");
    pool_free(&bench.pool);

    set_up(&bench, "bandwidth");
    struct series *read = add_series(&bench, "bandwidth", true);
    add_factor(&bench, read, "kernel", "read", 0);
    add_factor(&bench, read, "stride", NULL, 256);
    struct series *copy = add_series(&bench, "bandwidth", false);
    add_factor(&bench, copy, "kernel", "copy", 0);
    assert_string_equal(deviations(&bench, "bandwidth.copy.1"), "");
    assert_string_equal(deviations(&bench, "bandwidth.read.1"), "stride 256");
    pool_free(&bench.pool);
}

/* Options that the name does not contain. */
static void options_that_decide_are_reported(void **state)
{
    struct bench bench;
    set_up(&bench, "bandwidth");
    struct series *series = add_series(&bench, "bandwidth", true);
    add_factor(&bench, series, "kernel", "read", 0);
    add_factor(&bench, series, "width", "128", 0);
    add_parameter(&bench, "width", "128", 0);
    assert_string_equal(deviations(&bench, "L1.bandwidth.read"), "");
    add_parameter(&bench, "narrowed_to", "128", 0);
    assert_string_equal(deviations(&bench, "L1.bandwidth.read"), "narrowed_to 128");
    add_parameter(&bench, "size", NULL, 16384);
    assert_string_equal(deviations(&bench, "L1.bandwidth.read"), "narrowed_to 128, size 16384");
    pool_free(&bench.pool);
    /* Without series, the options are all that is known. */
    set_up(&bench, "latency");
    add_parameter(&bench, "order", "forward", 0);
    add_parameter(&bench, "access", "read", 0);
    assert_string_equal(deviations(&bench, "L2.latency"), "order forward");
    pool_free(&bench.pool);
}

/* Where nothing could be verified, what was asked for counts as obtained. */
static void a_node_that_was_asked_for_is_shown(void **state)
{
    struct bench bench;
    set_up(&bench, "latency");
    add_chase(&bench, "random", 128);
    add_parameter(&bench, "cpu", NULL, 1);
    add_parameter(&bench, "node", NULL, 1);
    assert_string_equal(deviations(&bench, "L2.latency"), "node other");
    add_parameter(&bench, "node_obtained", NULL, 0);
    assert_string_equal(deviations(&bench, "L2.latency"), "");
    pool_free(&bench.pool);
}

/* Unknown factors of a foreign document, of any type, are deviations and are never taken for known
 * ones. */
static void what_a_document_says_stays(void **state)
{
    struct bench bench;
    struct factor factors[] = {{"phase", "of the moon", 0}, {"order", NULL, 3}};
    set_up(&bench, "latency");
    add_chase(&bench, "random", 128);
    struct finding *finding = finding_add(&bench.probe, &bench.pool, "L2.latency", "cycles");
    finding->factors = factors;
    finding->factor_count = 2;
    experiment_complete(&bench.probe, &bench.machine, &bench.pool);
    assert_int_equal(finding->deviations, 2);
    assert_string_equal(experiment_text(finding, &bench.pool), "order 3, phase of the moon");
    /* A second time nothing changes. */
    experiment_complete(&bench.probe, &bench.machine, &bench.pool);
    assert_string_equal(experiment_text(finding, &bench.pool), "order 3, phase of the moon");
    pool_free(&bench.pool);
}

static struct finding placed(struct factor *factors, const char *name, double ns)
{
    factors[0] = (struct factor){parameter_placement, name, NAN};
    factors[1] = (struct factor){parameter_placement_ns, NULL, ns};
    return (struct finding){.factors = factors, .factor_count = ns > 0 ? 2 : 1};
}

static void where_the_host_kept_the_cpus_is_no_deviation_but_compared(void **state)
{
    struct bench bench;
    set_up(&bench, "cores");
    add_parameter(&bench, parameter_placement, "CPUs 0 and 1: apart", NAN);
    add_parameter(&bench, parameter_placement_ns, NULL, 120);
    assert_string_equal(deviations(&bench, "cores.cas.min"), "");
    const struct finding *finding = &bench.probe.findings[0];
    assert_true(experiment_is_standard(finding));
    assert_int_equal(finding->factor_count, 2);

    struct factor factors[4][2];
    const struct finding near = placed(factors[0], "CPUs 0 and 1: apart", 28),
                         far = placed(factors[1], "CPUs 0 and 1: apart", 150),
                         one_core = placed(factors[2], "CPUs 0 and 1: one core", 120),
                         moved = placed(factors[3], "the host moved the CPUs meanwhile", NAN),
                         unknown = {0};
    assert_true(experiment_same_placement(finding, &far));
    assert_true(experiment_same_placement(finding, &unknown));
    assert_false(experiment_same_placement(finding, &near));
    assert_false(experiment_same_placement(finding, &one_core));
    assert_false(experiment_same_placement(finding, &moved));
    assert_false(experiment_same_placement(&moved, &moved));
    pool_free(&bench.pool);
}

static void experiments_have_an_order(void **state)
{
    struct factor forward = {"order", "forward", 0}, number = {"order", NULL, 3},
                  stride = {"stride", NULL, 8};
    const struct finding standard = {0};
    const struct finding a = {.factors = &forward, .factor_count = 1, .deviations = 1};
    const struct finding b = {.factors = &number, .factor_count = 1, .deviations = 1};
    const struct finding c = {.factors = &stride, .factor_count = 1, .deviations = 1};
    assert_true(experiment_is_standard(&standard));
    assert_false(experiment_is_standard(&a));
    assert_int_equal(experiment_order(&a, &a), 0);
    assert_true(experiment_order(&standard, &a) < 0);
    assert_true(experiment_order(&b, &a) < 0);
    assert_true(experiment_order(&a, &c) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_standard_chase_is_recognised_by_its_name),
        cmocka_unit_test(what_differs_is_reported),
        cmocka_unit_test(a_line_that_no_cache_declares_is_the_architecture_s),
        cmocka_unit_test(pages_are_what_was_obtained),
        cmocka_unit_test(nodes_and_cpus_are_named_by_distance_and_kind),
        cmocka_unit_test(cores_of_a_list_are_named_by_their_kind),
        cmocka_unit_test(a_finding_is_of_the_series_that_its_name_says),
        cmocka_unit_test(options_that_decide_are_reported),
        cmocka_unit_test(a_node_that_was_asked_for_is_shown),
        cmocka_unit_test(what_a_document_says_stays),
        cmocka_unit_test(where_the_host_kept_the_cpus_is_no_deviation_but_compared),
        cmocka_unit_test(experiments_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
