/* The probe of NUMA nodes on machines that do not exist, from the plan to the findings: where the
 * memory is bound, who measures it, and what is made of it, with a model in place of the memory. */
#include "measure/probes/numa/numa.h"
#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/chase.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/stages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../../machines/tree.h"

extern const struct probe numa_probe;

enum { BINDINGS_MOST = 64, NODES = 9 };

/* One arena's node, who touched it, and how often trials were prepared in it. */
struct binding {
    int node, touch_cpu;
    enum yields yields;
};

struct bench {
    struct tree tree;
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct timing_model model;
    struct settings settings;
    struct probe_result result;
    struct probe_task task;
    struct stage_outcome outcome;
    struct pool pool;
    struct error error;
    struct binding bindings[BINDINGS_MOST]; /* each that differs from the one before */
    size_t binding_count;
    int node;                /* of the trial's memory */
    double ns[NODES][NODES]; /* latency of the model; 0: 100, and 50 for each node between */
    int disturbed;           /* batches on this node take twice as long half of the time; 0: none */
    double scatter;          /* of each batch */
    unsigned batches;
};

static double latency_ns(const struct bench *bench, int from, int to)
{
    if (bench->ns[from][to] > 0)
        return bench->ns[from][to];
    return 100 + 50 * abs(from - to);
}

/* The seam: what was asked of the arena is seen here. */
static void prepared(void *self, const struct trial *trial)
{
    struct bench *bench = self;
    const struct binding now = {trial->arena->node, trial->plan->touch_cpu, trial->plan->yields};
    const struct binding *last =
        &bench->bindings[bench->binding_count ? bench->binding_count - 1 : 0];
    bench->node = now.node < 0 ? 0 : now.node;
    if (!bench->binding_count || last->node != now.node || last->yields != now.yields) {
        assert_true(bench->binding_count < BINDINGS_MOST);
        bench->bindings[bench->binding_count++] = now;
    }
    assert_true(trial->point->bytes * trial->point->seat_count <= trial->arena->bytes);
    assert_int_equal(trial->point->to, bench->node);
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    const struct bench *bench = self;
    const struct cpu_place *place = machine_cpu(&bench->machine, cpu);
    double ns = latency_ns(bench, place->node < 0 ? 0 : place->node, bench->node);
    (void)state;
    unsigned *batches = &((struct bench *)self)->batches;
    struct random random = {__atomic_add_fetch(batches, 1, __ATOMIC_RELAXED)};
    ns *= 1 + bench->scatter * ((double)random_below(&random, 2001) / 1000 - 1);
    if (bench->disturbed && bench->disturbed == bench->node && random_below(&random, 100) < 60)
        ns *= 2;
    if (run == chase_run)
        return (uint64_t)((double)repeats * chase_steps * ns * 1000);
    return (uint64_t)((double)repeats * ns * 100); /* reading: a step in a tenth of it */
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    (void)self, (void)cpu;
    return count * 500;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    bench.model = (struct timing_model){&bench, prepared, work, additions, NULL};
    clock_calibrate(&bench.clock);
    bench.engine = (struct engine){
        .machine = &bench.machine, .clock = &bench.clock, .seed = 5, .model = &bench.model};
    *state = &bench;
    return team_create(&bench.engine.team, NULL, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    machine_free(&bench->machine);
    pool_free(&bench->pool);
    team_free(bench->engine.team);
    if (*bench->tree.root)
        tree_remove(&bench->tree);
    return 0;
}

static void be(struct bench *bench, const char *synthetic, const char *name)
{
    struct machine_source source = {.synthetic = synthetic};
    if (name) {
        assert_true(tree_unpack(&bench->tree, name));
        source.root = bench->tree.root;
    }
    if (machine_read(&bench->machine, &source, &bench->error) < 0)
        fail_msg("%s", bench->error.text);
    bench->machine.memory_available_bytes = UINT64_C(1) << 30;
    /* Small caches: the model's rings are built in real memory. */
    for (size_t i = 0; i < bench->machine.facts.cache_count; i++)
        if (bench->machine.facts.caches[i].size_bytes > 1 << 20)
            bench->machine.facts.caches[i].size_bytes = 1 << 20;
}

static int plan(struct bench *bench, const char *option, const char *value)
{
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_add(&bench->settings, numa_probe.options, NULL), 0);
    if (option)
        assert_int_equal(settings_set(&bench->settings, option, value, &bench->error), 0);
    return probe_prepare(&bench->task, &numa_probe, &bench->settings, &bench->machine, &bench->pool,
                         &bench->result, &bench->error);
}

static void measure(struct bench *bench, const char *option, const char *value)
{
    int code = plan(bench, option, value);
    if (code == 0)
        code = stages_measure(&bench->task, &bench->engine, 1000, NULL, &bench->outcome,
                              &bench->error);
    if (code < 0)
        fail_msg("%s", bench->error.text);
}

static const struct point *cell(const struct bench *bench, enum numa_series which, int from, int to)
{
    const struct series *series = &bench->result.series[which];
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from == from && series->points[i].to == to)
            return &series->points[i];
    fail_msg("no cell from %d to %d", from, to);
    return NULL;
}

static const struct finding *find(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

static void assert_value(const struct bench *bench, const char *name, double wanted)
{
    const struct finding *finding = find(bench, name);
    if (!finding || !(fabs(finding->value / wanted - 1) < 0.001))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
}

/* Every pair of nodes, on memory that was bound to each node in turn, twice. */
static void assert_whole(const struct bench *bench, int nodes, int readers)
{
    assert_int_equal(bench->result.status, PROBE_OK);
    assert_int_equal(bench->binding_count, 2 * nodes);
    for (int i = 0; i < 2 * nodes; i++) {
        const struct cpu_place *toucher =
            machine_cpu(&bench->machine, bench->bindings[i].touch_cpu);
        assert_int_equal(bench->bindings[i].node, i / 2);
        assert_int_equal(bench->bindings[i].yields,
                         i % 2 ? OPERATIONS_PER_SECOND : TIME_PER_OPERATION);
        assert_int_equal(toucher->node, i / 2);
    }
    for (int from = 0; from < nodes; from++)
        for (int to = 0; to < nodes; to++) {
            const struct point *latency = cell(bench, NUMA_LATENCY, from, to),
                               *bandwidth = cell(bench, NUMA_BANDWIDTH, from, to);
            double ns = latency_ns(bench, from, to);
            assert_true(fabs((double)latency->y.median / ns - 1) < 0.001);
            assert_true(fabs((double)bandwidth->y.median / (readers * 256e10 / ns) - 1) < 0.001);
            assert_true(latency->flags & FLAG_BIT(FLAG_MODELLED));
            assert_false(latency->flags & FLAG_BIT(FLAG_MISPLACED));
            assert_true(latency->y.n >= 6 && bandwidth->y.n >= 6);
        }
    assert_int_equal(bench->result.series[NUMA_LATENCY].point_count, nodes * nodes);
    assert_int_equal(bench->result.series[NUMA_BANDWIDTH].point_count, nodes * nodes);
}

static void two_four_and_eight_nodes(void **state)
{
    struct bench *bench = *state;
    for (int nodes = 2; nodes <= 8; nodes *= 2) {
        char synthetic[80];
        snprintf(synthetic, sizeof synthetic,
                 "pack:%d [numa(memory=1073741824)] l3:1(size=1048576) core:3 pu:2", nodes);
        bench->binding_count = 0;
        be(bench, synthetic, NULL);
        measure(bench, NULL, NULL);
        assert_whole(bench, nodes, 6);
        assert_value(bench, "numa.latency.local", 100);
        assert_value(bench, "numa.latency.remote", 100 + 50 * (nodes - 1));
        assert_value(bench, "numa.bandwidth.local", 6 * 256e10 / 100);
        assert_value(bench, "numa.bandwidth.remote", 6 * 256e10 / (100 + 50 * (nodes - 1)));
        machine_free(&bench->machine);
    }
}

static void a_node_without_cpus_is_a_column(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    measure(bench, NULL, NULL);
    assert_int_equal(bench->result.series[NUMA_LATENCY].point_count, 2 * 3);
    assert_true(cell(bench, NUMA_LATENCY, 0, 2)->y.median == 200);
    assert_true(cell(bench, NUMA_LATENCY, 1, 2)->y.median == 150);
    assert_int_equal(bench->bindings[4].node, 2);
    assert_int_equal(machine_cpu(&bench->machine, bench->bindings[4].touch_cpu)->node, 0);
    bench->result.finding_count = 0;
    assert_int_equal(plan(bench, "from", "2"), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "no CPU that may be used; choose from 0, 1"));
}

/* The firmware declares 110 ns of nodes 0 and 1, each from its own CPUs, and 250 ns of node 2 from
 * node 0. */
static void what_hmat_declares_stands_beside_what_was_measured(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "amd-epyc-genoa-cxl-16cpu");
    bench->ns[0][2] = 412;
    bench->ns[1][2] = 380; /* nearer, but not declared */
    measure(bench, NULL, NULL);
    const struct finding *latency = find(bench, "numa.node.2.latency");
    const struct finding *bandwidth = find(bench, "numa.node.2.bandwidth");
    assert_value(bench, "numa.node.2.latency", 412);
    assert_true(latency->declared == 250);
    assert_non_null(strstr(latency->text, "from CPUs of node 0"));
    assert_true(latency->low <= 412 && latency->high >= 412);
    assert_value(bench, "numa.node.2.bandwidth", 8 * 256e10 / 412);
    assert_true(bandwidth->declared == 25.6e9);
    assert_value(bench, "numa.node.1.latency", 100);
    assert_true(find(bench, "numa.node.1.latency")->declared == 110);
    /* From any of several nodes: the nearest, and the widest. */
    bench->machine.facts.declared.ways[5].from = "0-1";
    measure(bench, NULL, NULL);
    assert_value(bench, "numa.node.2.latency", 380);
    /* Of what is not declared nothing is said. */
    bench->machine.facts.declared.ways[5].read_latency_ns = 0;
    bench->machine.facts.declared.ways[5].from = "7,9-";
    measure(bench, NULL, NULL);
    assert_null(find(bench, "numa.node.2.latency"));
    assert_null(find(bench, "numa.node.2.bandwidth"));
}

static void disagreements_with_what_is_declared_are_findings(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    measure(bench, NULL, NULL);
    /* Node 2 is declared as 17 from node 0, nearer than node 1 with 21; the model says 200 and 150.
     */
    const struct finding *found = find(bench, "numa.disagreement.0.2.1");
    assert_non_null(found);
    assert_true(fabs(found->value - 200.0 / 150) < 0.001);
    assert_non_null(strstr(found->text, "declared nearer than node 1 (17 against 21)"));
    assert_non_null(strstr(found->text, "200 ns against 150 ns"));
    size_t disagreements = 0;
    for (size_t i = 0; i < bench->result.finding_count; i++)
        disagreements += strncmp(bench->result.findings[i].name, "numa.disagreement", 17) == 0;
    assert_int_equal(disagreements, 1);
    bool declared = false;
    for (size_t i = 0; i < bench->result.parameter_count; i++)
        declared =
            declared || (strcmp(bench->result.parameters[i].name, "declared_distances.1") == 0 &&
                         strcmp(bench->result.parameters[i].text, "0:21 1:10 2:28") == 0);
    assert_true(declared);
}

static void where_what_is_declared_is_right_there_is_none(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    bench->ns[0][2] = 140; /* 17 against 21 */
    bench->ns[1][2] = 250; /* 28 against 21 */
    measure(bench, NULL, NULL);
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_null(strstr(bench->result.findings[i].name, "disagreement"));
}

static size_t disagreements(const struct bench *bench)
{
    size_t count = 0;
    for (size_t i = 0; i < bench->result.finding_count; i++)
        count += strncmp(bench->result.findings[i].name, "numa.disagreement", 17) == 0;
    return count;
}

/* As in a guest whose nodes are one memory: all are as far, and each is declared otherwise. Of the
 * 46 comparisons some come out reversed by their own intervals. */
static void chance_alone_makes_no_disagreement(void **state)
{
    struct bench *bench = *state;
    be(bench, "pack:5 [numa(memory=1073741824)] l3:1(size=1048576) core:1 pu:1", NULL);
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++) {
            bench->ns[from][to] = 100;
            bench->machine.nodes[from].distances[to] = 10 + 5 * (unsigned)abs(from - to);
        }
    bench->scatter = 0.04;
    measure(bench, NULL, NULL);
    assert_int_equal(disagreements(bench), 0);
    bench->ns[0][1] = 200;
    measure(bench, NULL, NULL);
    assert_int_equal(disagreements(bench), 3);
    assert_non_null(strstr(find(bench, "numa.disagreement.0.1.4")->text, "of 46 comparisons"));
}

/* A neighbour that uses one node's memory most of the time is no distance. */
static void neighbours_make_no_disagreement(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    bench->ns[0][2] = 140; /* 17 against 21, as is right */
    bench->ns[1][2] = 250;
    bench->scatter = 0.01;
    bench->disturbed = 2;
    measure(bench, NULL, NULL);
    assert_true(cell(bench, NUMA_LATENCY, 0, 2)->y.median > 150);
    assert_int_equal(disagreements(bench), 0);
}

static void the_likely_cause_is_reported(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    measure(bench, NULL, NULL);
    const char *text = find(bench, "numa.disagreement.0.2.1")->text;
    assert_non_null(strstr(text, bench->machine.facts.hypervisor ? "its configuration" : "BIOS"));
    bench->result.finding_count = 0;
    bench->machine.facts.hypervisor = "KVM";
    measure(bench, NULL, NULL);
    assert_non_null(
        strstr(find(bench, "numa.disagreement.0.2.1")->text, "virtual machine's nodes"));
}

static void one_node_is_one_cell(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "amd-epyc-milan-kvm-2cpu");
    measure(bench, NULL, NULL);
    assert_int_equal(bench->result.series[NUMA_LATENCY].point_count, 1);
    assert_false(bench->result.series[NUMA_LATENCY].headline);
    assert_int_equal(bench->bindings[0].node, -1); /* nothing to choose, nothing to ask for */
    assert_value(bench, "numa.latency.local", 100);
    assert_non_null(strstr(find(bench, "numa.latency.local")->text, "one NUMA node"));
    assert_null(find(bench, "numa.latency.remote"));
}

static void without_nodes_there_is_one_cell_too(void **state)
{
    struct bench *bench = *state;
    be(bench, NULL, "no-sys");
    bench->machine.memory_available_bytes = UINT64_C(8) << 30;
    assert_int_equal(plan(bench, NULL, NULL), 0);
    assert_int_equal(bench->task.plan.point_count, 1);
    assert_int_equal(bench->task.plan.points[0].from, 0);
    assert_int_equal(bench->task.plan.points[0].to, 0);
    assert_int_equal(bench->task.plan.node, -1);
}

static void options_name_one_row_or_column(void **state)
{
    struct bench *bench = *state;
    be(bench, "pack:4 [numa(memory=1073741824)] l3:1(size=1048576) core:2 pu:1", NULL);
    measure(bench, "from", "2");
    assert_int_equal(bench->result.series[NUMA_LATENCY].point_count, 4);
    assert_int_equal(bench->result.series[NUMA_LATENCY].points[1].from, 2);
    bench->binding_count = 0;
    measure(bench, "to", "3");
    assert_int_equal(bench->result.series[NUMA_LATENCY].point_count, 4);
    assert_int_equal(bench->binding_count, 2);
    assert_int_equal(bench->bindings[0].node, 3);
    measure(bench, "cpus", "4-5");
    assert_int_equal(bench->result.series[NUMA_LATENCY].point_count, 4);
    assert_int_equal(bench->result.series[NUMA_LATENCY].points[0].from, 2);
    assert_int_equal(plan(bench, "from", "4"), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "no such NUMA node here; choose from 0, 1, 2, 3"));
    assert_int_equal(plan(bench, "to", "9"), ERROR_USAGE);
    bench->machine.facts.nodes[1].memory_bytes = 0;
    assert_int_equal(plan(bench, "to", "1"), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "that node has no memory"));
}

static void nodes_that_cannot_be_measured_have_cells_with_the_reason(void **state)
{
    struct bench *bench = *state;
    be(bench, "pack:3 [numa(memory=1073741824)] l3:1(size=1048576) core:2 pu:1", NULL);
    bench->machine.nodes[0].allowed = false;
    bench->machine.nodes[2].free_bytes = 1 << 20;
    measure(bench, NULL, NULL);
    assert_int_equal(bench->result.status, PROBE_PARTIAL);
    assert_int_equal(bench->binding_count, 2);
    for (int from = 0; from < 3; from++) {
        assert_true(cell(bench, NUMA_LATENCY, from, 1)->y.n >= 6);
        assert_int_equal(cell(bench, NUMA_LATENCY, from, 0)->y.n, 0);
        assert_non_null(strstr(cell(bench, NUMA_LATENCY, from, 0)->failed, "cpuset"));
        assert_non_null(strstr(cell(bench, NUMA_BANDWIDTH, from, 2)->failed, "too little"));
    }
    for (int i = 0; i < 3; i++)
        bench->machine.nodes[i].allowed = false;
    assert_int_equal(plan(bench, NULL, NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_non_null(bench->result.reason);
}

#define NUMA_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NUMA_TEST(two_four_and_eight_nodes),
        NUMA_TEST(a_node_without_cpus_is_a_column),
        NUMA_TEST(what_hmat_declares_stands_beside_what_was_measured),
        NUMA_TEST(disagreements_with_what_is_declared_are_findings),
        NUMA_TEST(where_what_is_declared_is_right_there_is_none),
        NUMA_TEST(chance_alone_makes_no_disagreement),
        NUMA_TEST(neighbours_make_no_disagreement),
        NUMA_TEST(the_likely_cause_is_reported),
        NUMA_TEST(one_node_is_one_cell),
        NUMA_TEST(without_nodes_there_is_one_cell_too),
        NUMA_TEST(options_name_one_row_or_column),
        NUMA_TEST(nodes_that_cannot_be_measured_have_cells_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
