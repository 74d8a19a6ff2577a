#include "conclude/ways.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* --- ways --- */

/* Matrices by what they mean, whatever the probes are called. */

static void a_matrix_is_found_by_its_findings(void **state)
{
    struct series series[] = {
        {.name = "a", .y = {"latency", "ns"}},
        {.name = "b", .matrix = true, .y = {"latency", "ns"}},
        {.name = "c", .matrix = true, .y = {"bandwidth", "B/s"}},
    };
    struct finding remote = {.name = "numa.bandwidth.local", .unit = "B/s"};
    struct finding handoff = {.name = "cluster", .unit = "ns"};
    struct probe_result probes[] = {
        {.name = "x", .series = series, .series_count = 3},
        {.name = "y", .series = series, .series_count = 3, .findings = &remote, .finding_count = 1},
    };
    struct document document = {.probes = probes, .probe_count = 2};
    assert_ptr_equal(ways_between_nodes(&document, DIMENSION_TIME), &series[1]);
    assert_ptr_equal(ways_between_nodes(&document, DIMENSION_BANDWIDTH), &series[2]);
    assert_null(ways_between_cpus(&document));
    probes[1].findings = &handoff;
    assert_ptr_equal(ways_between_cpus(&document), &series[1]);
    assert_null(ways_between_nodes(&document, DIMENSION_TIME));
}

/* --- interleave --- */

/* Weights of rates that are known, and of documents. */

static void weights_are_the_smallest_that_tell_the_rates(void **state)
{
    unsigned weights[3];
    interleave_weights((const double[]){50, 50, 50}, 3, 0.05, weights);
    assert_true(weights[0] == 1 && weights[1] == 1 && weights[2] == 1);
    interleave_weights((const double[]){300e9, 100e9}, 2, 0.05, weights);
    assert_true(weights[0] == 3 && weights[1] == 1);
    interleave_weights((const double[]){102e9, 50e9, 49e9}, 3, 0.05, weights);
    assert_true(weights[0] == 2 && weights[1] == 1 && weights[2] == 1);
    interleave_weights((const double[]){110e9, 50e9, 30e9}, 3, 0.01, weights);
    assert_true(weights[0] == 11 && weights[1] == 5 && weights[2] == 3);
    /* Further apart than the kernel's weights reach. */
    interleave_weights((const double[]){1000, 1}, 2, 0.05, weights);
    assert_true(weights[0] == INTERLEAVE_WEIGHT_MAX && weights[1] == 1);
}

enum { NODES = 2, CELLS = 6 };
struct bench {
    struct point points[CELLS];
    struct series series;
    struct finding remote;
    struct probe_result probe;
    struct document document;
    struct pool pool;
};

/* From nodes 0 and 1, which have CPUs, to nodes 0, 1 and 2. */
static struct interleave read_of(struct bench *bench)
{
    static const float rates[NODES][3] = {{60e9f, 30e9f, 20e9f}, {30e9f, 60e9f, 20e9f}};
    struct interleave found;
    for (int i = 0; i < CELLS; i++) {
        struct point *point = &bench->points[i];
        point->from = i / 3;
        point->to = i % 3;
        if (!point->failed)
            point->y = (struct summary){.median = rates[i / 3][i % 3], .n = 6};
    }
    bench->series = (struct series){.name = "numa",
                                    .matrix = true,
                                    .y = {"bandwidth", "B/s"},
                                    .points = bench->points,
                                    .point_count = CELLS};
    bench->remote = (struct finding){.name = "numa.bandwidth.remote", .unit = "B/s"};
    bench->probe = (struct probe_result){.name = "numa",
                                         .series = &bench->series,
                                         .series_count = 1,
                                         .findings = &bench->remote,
                                         .finding_count = 1};
    bench->document = (struct document){.probes = &bench->probe, .probe_count = 1};
    interleave_read(&found, &bench->document, &bench->pool);
    return found;
}

/* Those of all nodes that the row reads from, or none of them. */
static void the_kernel_s_weights_stand_beside(void **state)
{
    struct bench bench = {0};
    struct declared_weight weights[] = {{2, 7}, {0, 255}, {1, 256}};
    struct interleave found = read_of(&bench);
    assert_false(interleave_kernel_known(&found.rows[0]));
    bench.document.machine.declared.weights = weights;
    bench.document.machine.declared.weight_count = 3;
    interleave_read(&found, &bench.document, &bench.pool);
    assert_int_equal(found.rows[0].kernel[0], 255);
    assert_int_equal(found.rows[0].kernel[2], 7);
    assert_false(interleave_kernel_known(&found.rows[0])); /* the kernel has none of 256 */
    weights[2].weight = 1;
    interleave_read(&found, &bench.document, &bench.pool);
    assert_true(interleave_kernel_known(&found.rows[0]));
    pool_free(&bench.pool);
}

static void each_node_with_cpus_has_its_row(void **state)
{
    struct bench bench = {0};
    const struct interleave found = read_of(&bench);
    assert_int_equal(found.row_count, 2);
    assert_int_equal(found.rows[0].from, 0);
    assert_int_equal(found.rows[0].count, 3);
    assert_memory_equal(found.rows[0].weights, ((const unsigned[]){6, 3, 2}), 3 * sizeof(unsigned));
    assert_memory_equal(found.rows[1].weights, ((const unsigned[]){3, 6, 2}), 3 * sizeof(unsigned));
    pool_free(&bench.pool);
}

static void a_row_that_lacks_a_node_is_left_out(void **state)
{
    struct bench bench = {0};
    bench.points[2].failed = "no memory";
    bench.points[4].flags = FLAG_BIT(FLAG_MISPLACED);
    const struct interleave found = read_of(&bench);
    assert_int_equal(found.row_count, 0);
    pool_free(&bench.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_is_found_by_its_findings),
        cmocka_unit_test(weights_are_the_smallest_that_tell_the_rates),
        cmocka_unit_test(each_node_with_cpus_has_its_row),
        cmocka_unit_test(the_kernel_s_weights_stand_beside),
        cmocka_unit_test(a_row_that_lacks_a_node_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
