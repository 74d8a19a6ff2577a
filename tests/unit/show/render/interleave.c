#include "capture.h"

/* The sample's probe `cores`, made to be nodes. */
static void the_kernel_s_table_is_set_and_the_others_are_reported(void **state)
{
    (void)state;
    static const float rates[2][2] = {{60e9f, 20e9f}, {20e9f, 60e9f}};
    struct document document;
    sample_document(&document, 2, 1);
    struct probe_result *probe = &document.probes[1];
    struct series *series = &probe->series[0];
    struct point points[4];
    for (int i = 0; i < 4; i++) {
        points[i] = series->points[0];
        points[i].from = i / 2;
        points[i].to = i % 2;
        points[i].quiet = quiet_unknown();
        points[i].flags = 0;
        points[i].y = (struct summary){.median = rates[i / 2][i % 2], .n = 6};
    }
    probe->name = "numa";
    sample_finding(&document, probe, "numa.bandwidth.remote", "B/s", 20e9, 0);
    series->matrix = true;
    series->y = (struct axis){"bandwidth", "B/s"};
    series->points = points;
    series->point_count = 4;
    struct declared_weight weights[] = {{0, 1}, {1, 2}};
    document.machine.declared.weights = weights;
    document.machine.declared.weight_count = 2;
    char *text = capture_output("interleave", &document);
    assert_non_null(strstr(text,
                           "# weights for CPUs of node 0: 3 1; they read 60.0, 20.0 GB/s from "
                           "nodes 0, 1; the kernel has 1 2\n"
                           "echo 3 >/sys/kernel/mm/mempolicy/weighted_interleave/node0\n"
                           "echo 1 >/sys/kernel/mm/mempolicy/weighted_interleave/node1\n"
                           "# weights for CPUs of node 1: 1 3;"));
    assert_non_null(strstr(text, "\n# echo 3 >"));
    free(text);
    document_free(&document);
}

static void a_document_without_nodes_is_refused(void **state)
{
    (void)state;
    struct document document;
    struct error error;
    sample_document(&document, 2, 1);
    const struct output *output = output_by_name("interleave");
    assert_non_null(output);
    assert_int_equal(output_possible(output, &document, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "fathom numa"));
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_s_table_is_set_and_the_others_are_reported),
        cmocka_unit_test(a_document_without_nodes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
