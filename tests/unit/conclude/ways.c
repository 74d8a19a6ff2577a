/* Matrices by what they mean, whatever the probes are called. */
#include "conclude/ways.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_matrix_is_found_by_its_findings(void **state)
{
    (void)state;
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

static void a_quiet_value_counts_where_there_is_one(void **state)
{
    (void)state;
    struct point point = {.y = {.median = 5, .n = 3}, .quiet = quiet_unknown()};
    assert_true(way_value(&point) == 5);
    point.quiet = (struct quiet){4, 3, 5};
    assert_true(way_value(&point) == 4);
    point.flags = FLAG_BIT(FLAG_MISPLACED);
    assert_true(isnan(way_value(&point)));
    point.flags = 0;
    point.y.n = 0;
    assert_true(isnan(way_value(&point)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_is_found_by_its_findings),
        cmocka_unit_test(a_quiet_value_counts_where_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
