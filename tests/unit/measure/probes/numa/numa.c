/* The probe of NUMA nodes on machines that do not exist, from the plan to the findings: where the
 * memory is bound, who measures it, and what is made of it, with a model in place of the memory. */
#include "../modelled.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/chase.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../../machines/tree.h"

extern const struct probe numa_probe;

enum { BINDINGS_MOST = 64, NODES = 9 };
enum { LATENCY, BANDWIDTH }; /* the series */

/* One arena's node, who touched it, and how often trials were prepared in it. */
struct binding {
    int node, touch_cpu;
    enum yields yields;
};

struct bench {
    struct modelled on;
    struct tree tree;
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
    const struct cpu_place *place = machine_cpu(&bench->on.machine, cpu);
    double ns = latency_ns(bench, place->node < 0 ? 0 : place->node, bench->node);
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
    return count * 500;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    *state = &bench;
    return modelled_begin(&bench.on,
                          (struct timing_model){&bench, prepared, work, additions, NULL});
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    modelled_end(&bench->on);
    if (*bench->tree.root)
        tree_remove(&bench->tree);
    return 0;
}

/* A machine by its description, or one that was recorded. */
static struct modelled *be(struct bench *bench, const char *synthetic, const char *name)
{
    struct modelled *on = &bench->on;
    struct machine_source source = {.synthetic = synthetic};
    modelled_forget(on);
    bench->binding_count = 0;
    if (name) {
        if (*bench->tree.root)
            tree_remove(&bench->tree);
        assert_true(tree_unpack(&bench->tree, name));
        source.root = bench->tree.root;
    }
    if (machine_read(&on->machine, &source, &on->error) < 0)
        fail_msg("%s", on->error.text);
    on->machine.memory_available_bytes = UINT64_C(1) << 30;
    /* Small caches: the model's rings are built in real memory. */
    for (size_t i = 0; i < on->machine.facts.cache_count; i++)
        if (on->machine.facts.caches[i].size_bytes > 1 << 20)
            on->machine.facts.caches[i].size_bytes = 1 << 20;
    return on;
}

static int plan(struct modelled *on, ...)
{
    va_list options;
    va_start(options, on);
    const int code = modelled_plan(on, &numa_probe, options);
    va_end(options);
    return code;
}

static void measure(struct bench *bench)
{
    bench->on.result.finding_count = 0;
    modelled_measure(&bench->on, &numa_probe, NULL);
}

static const struct point *cell(const struct bench *bench, int which, int from, int to)
{
    const struct series *series = &bench->on.result.series[which];
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from == from && series->points[i].to == to)
            return &series->points[i];
    fail_msg("no cell from %d to %d", from, to);
    return NULL;
}

static size_t disagreements(const struct bench *bench)
{
    size_t count = 0;
    for (size_t i = 0; i < bench->on.result.finding_count; i++)
        count += strncmp(bench->on.result.findings[i].name, "numa.disagreement", 17) == 0;
    return count;
}

/* Every pair of nodes, on memory that was bound to each node in turn, twice. */
static void assert_whole(const struct bench *bench, int nodes, int readers)
{
    assert_int_equal(bench->on.result.status, PROBE_OK);
    assert_int_equal(bench->binding_count, 2 * nodes);
    for (int i = 0; i < 2 * nodes; i++) {
        const struct binding *binding = &bench->bindings[i];
        assert_int_equal(binding->node, i / 2);
        assert_int_equal(binding->yields, i % 2 ? OPERATIONS_PER_SECOND : TIME_PER_OPERATION);
        assert_int_equal(machine_cpu(&bench->on.machine, binding->touch_cpu)->node, i / 2);
    }
    for (int i = 0; i < nodes * nodes; i++) {
        const struct point *latency = cell(bench, LATENCY, i / nodes, i % nodes),
                           *bandwidth = cell(bench, BANDWIDTH, i / nodes, i % nodes);
        const double ns = latency_ns(bench, i / nodes, i % nodes);
        assert_true(fabs((double)latency->y.median / ns - 1) < 0.001);
        assert_true(fabs((double)bandwidth->y.median / (readers * 256e10 / ns) - 1) < 0.001);
        assert_true(latency->flags & FLAG_BIT(FLAG_MODELLED));
        assert_false(latency->flags & FLAG_BIT(FLAG_MISPLACED));
        assert_true(latency->y.n >= 6 && bandwidth->y.n >= 6);
    }
    assert_int_equal(bench->on.result.series[LATENCY].point_count, nodes * nodes);
    assert_int_equal(bench->on.result.series[BANDWIDTH].point_count, nodes * nodes);
}

static void two_four_and_eight_nodes(void **state)
{
    struct bench *bench = *state;
    for (int nodes = 2; nodes <= 8; nodes *= 2) {
        const double far = 100 + 50 * (nodes - 1);
        char synthetic[80];
        snprintf(synthetic, sizeof synthetic,
                 "pack:%d [numa(memory=1073741824)] l3:1(size=1048576) core:3 pu:2", nodes);
        struct modelled *on = be(bench, synthetic, NULL);
        measure(bench);
        assert_whole(bench, nodes, 6);
        modelled_value(on, "numa.latency.local", 100);
        modelled_value(on, "numa.latency.remote", far);
        modelled_value(on, "numa.bandwidth.local", 6 * 256e10 / 100);
        modelled_value(on, "numa.bandwidth.remote", 6 * 256e10 / far);
    }
}

static void a_node_without_cpus_is_a_column(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    measure(bench);
    assert_int_equal(on->result.series[LATENCY].point_count, 2 * 3);
    assert_true(cell(bench, LATENCY, 0, 2)->y.median == 200);
    assert_true(cell(bench, LATENCY, 1, 2)->y.median == 150);
    assert_int_equal(bench->bindings[4].node, 2);
    assert_int_equal(machine_cpu(&on->machine, bench->bindings[4].touch_cpu)->node, 0);
    assert_int_equal(plan(on, "from", "2", NULL), ERROR_USAGE);
    assert_non_null(strstr(on->error.text, "no CPU that may be used; choose from 0, 1"));
}

/* The firmware declares 110 ns of nodes 0 and 1, each from its own CPUs, and 250 ns of node 2 from
 * node 0. */
static void what_hmat_declares_stands_beside_what_was_measured(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, NULL, "amd-epyc-genoa-cxl-16cpu");
    bench->ns[0][2] = 412;
    bench->ns[1][2] = 380; /* nearer, but not declared */
    measure(bench);
    const struct finding *latency = modelled_find(on, "numa.node.2.latency");
    modelled_value(on, "numa.node.2.latency", 412);
    assert_true(latency->declared == 250);
    assert_non_null(strstr(latency->text, "from CPUs of node 0"));
    assert_true(latency->low <= 412 && latency->high >= 412);
    modelled_value(on, "numa.node.2.bandwidth", 8 * 256e10 / 412);
    assert_true(modelled_find(on, "numa.node.2.bandwidth")->declared == 25.6e9);
    modelled_value(on, "numa.node.1.latency", 100);
    assert_true(modelled_find(on, "numa.node.1.latency")->declared == 110);
    /* From any of several nodes: the nearest, and the widest. */
    on->machine.facts.declared.ways[5].from = "0-1";
    measure(bench);
    modelled_value(on, "numa.node.2.latency", 380);
    /* Of what is not declared nothing is said. */
    on->machine.facts.declared.ways[5].read_latency_ns = 0;
    on->machine.facts.declared.ways[5].from = "7,9-";
    measure(bench);
    assert_null(modelled_find(on, "numa.node.2.latency"));
    assert_null(modelled_find(on, "numa.node.2.bandwidth"));
}

/* Node 2 is declared as 17 from node 0, nearer than node 1 with 21. */
static void disagreements_with_what_is_declared_are_findings(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, NULL, "intel-xeon-2socket-smt-16cpu");
    for (int guest = 0; guest < 2; guest++) {
        on->machine.facts.hypervisor = guest ? "KVM" : NULL;
        measure(bench); /* the model says 200 and 150 ns */
        modelled_value(on, "numa.disagreement.0.2.1", 200.0 / 150);
        const char *text = modelled_find(on, "numa.disagreement.0.2.1")->text;
        assert_non_null(strstr(text, "declared nearer than node 1 (17 against 21)"));
        assert_non_null(strstr(text, "200 ns against 150 ns"));
        assert_non_null(strstr(text, guest ? "virtual machine's nodes" : "BIOS"));
        assert_int_equal(disagreements(bench), 1);
    }
    assert_string_equal(modelled_parameter(on, "declared_distances.1"), "0:21 1:10 2:28");
    bench->ns[0][2] = 140; /* as is right */
    bench->ns[1][2] = 250;
    measure(bench);
    assert_int_equal(disagreements(bench), 0);
    /* A neighbour that uses one node's memory most of the time is no distance. */
    bench->scatter = 0.01;
    bench->disturbed = 2;
    measure(bench);
    assert_true(cell(bench, LATENCY, 0, 2)->y.median < 150); /* of undisturbed batches */
    assert_int_equal(disagreements(bench), 0);
}

/* As in a guest whose nodes are one memory: all are as far, and each is declared otherwise. Of the
 * 46 comparisons some come out reversed by their own intervals. */
static void chance_alone_makes_no_disagreement(void **state)
{
    struct bench *bench = *state;
    struct modelled *on =
        be(bench, "pack:5 [numa(memory=1073741824)] l3:1(size=1048576) core:1 pu:1", NULL);
    for (int i = 0; i < 25; i++) {
        bench->ns[i / 5][i % 5] = 100;
        on->machine.nodes[i / 5].distances[i % 5] = 10 + 5 * (unsigned)abs(i / 5 - i % 5);
    }
    bench->scatter = 0.04;
    measure(bench);
    assert_int_equal(disagreements(bench), 0);
    bench->ns[0][1] = 200;
    measure(bench);
    assert_int_equal(disagreements(bench), 3);
    assert_non_null(
        strstr(modelled_find(on, "numa.disagreement.0.1.4")->text, "of 46 comparisons"));
}

/* There is nothing to choose, and nothing to ask for. */
static void one_node_or_none_is_one_cell(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, NULL, "amd-epyc-milan-kvm-2cpu");
    measure(bench);
    assert_int_equal(on->result.series[LATENCY].point_count, 1);
    assert_false(on->result.series[LATENCY].headline);
    assert_int_equal(bench->bindings[0].node, -1);
    modelled_value(on, "numa.latency.local", 100);
    assert_non_null(strstr(modelled_find(on, "numa.latency.local")->text, "one NUMA node"));
    assert_null(modelled_find(on, "numa.latency.remote"));
    be(bench, NULL, "no-sys");
    on->machine.memory_available_bytes = UINT64_C(8) << 30;
    assert_int_equal(plan(on, NULL), 0);
    assert_int_equal(on->task.plan.point_count, 1);
    assert_true(on->task.plan.points[0].from == 0 && on->task.plan.points[0].to == 0);
    assert_int_equal(on->task.plan.node, -1);
}

static void options_name_one_row_or_column(void **state)
{
    struct bench *bench = *state;
    struct modelled *on =
        be(bench, "pack:4 [numa(memory=1073741824)] l3:1(size=1048576) core:2 pu:1", NULL);
    static const struct {
        const char *option, *value;
        int from, to; /* of the last cell */
    } cases[] = {{"from", "2", 2, 3}, {"to", "3", 3, 3}, {"cpus", "4-5", 2, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        modelled_measure(on, &numa_probe, cases[i].option, cases[i].value, NULL);
        assert_int_equal(on->result.series[LATENCY].point_count, 4);
        cell(bench, LATENCY, cases[i].from, cases[i].to);
    }
    assert_int_equal(plan(on, "from", "4", NULL), ERROR_USAGE);
    assert_non_null(strstr(on->error.text, "no such NUMA node here; choose from 0, 1, 2, 3"));
    assert_int_equal(plan(on, "to", "9", NULL), ERROR_USAGE);
    on->machine.facts.nodes[1].memory_bytes = 0;
    assert_int_equal(plan(on, "to", "1", NULL), ERROR_USAGE);
    assert_non_null(strstr(on->error.text, "that node has no memory"));
}

static void nodes_that_cannot_be_measured_have_cells_with_the_reason(void **state)
{
    struct bench *bench = *state;
    struct modelled *on =
        be(bench, "pack:3 [numa(memory=1073741824)] l3:1(size=1048576) core:2 pu:1", NULL);
    on->machine.nodes[0].allowed = false;
    on->machine.nodes[2].free_bytes = 1 << 20;
    measure(bench);
    assert_int_equal(on->result.status, PROBE_PARTIAL);
    assert_int_equal(bench->binding_count, 2);
    for (int from = 0; from < 3; from++) {
        assert_true(cell(bench, LATENCY, from, 1)->y.n >= 6);
        assert_int_equal(cell(bench, LATENCY, from, 0)->y.n, 0);
        assert_non_null(strstr(cell(bench, LATENCY, from, 0)->failed, "cpuset"));
        assert_non_null(strstr(cell(bench, BANDWIDTH, from, 2)->failed, "too little"));
    }
    for (int i = 0; i < 3; i++)
        on->machine.nodes[i].allowed = false;
    assert_int_equal(plan(on, NULL), 0);
    assert_int_equal(on->result.status, PROBE_SKIPPED);
    assert_non_null(on->result.reason);
}

#define NUMA_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NUMA_TEST(two_four_and_eight_nodes),
        NUMA_TEST(a_node_without_cpus_is_a_column),
        NUMA_TEST(what_hmat_declares_stands_beside_what_was_measured),
        NUMA_TEST(disagreements_with_what_is_declared_are_findings),
        NUMA_TEST(chance_alone_makes_no_disagreement),
        NUMA_TEST(one_node_or_none_is_one_cell),
        NUMA_TEST(options_name_one_row_or_column),
        NUMA_TEST(nodes_that_cannot_be_measured_have_cells_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
