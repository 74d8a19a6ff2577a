#include "show/render/fleet/fleet.h"

#include "compare/fleet/nodes.h"

#include <stdlib.h>

static void every_node_has_its_labels(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    struct node_plan slow = ordinary;
    slow.faults[0] = (struct node_fault){"DRAM.latency", 1.5};
    add_nodes(&fleet, &ordinary, 0, 9);
    node_document(&paper, &slow, 9);
    snprintf(paper.host, sizeof paper.host, "a\"b\\c");
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    judge_fleet(&fleet);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    render_fleet_metrics(out, &fleet);
    fclose(out);
    assert_non_null(strstr(text, "\nfathom_fleet_finding_cycles{node=\"n003\",probe=\"latency\","
                                 "finding=\"DRAM.latency\"} "));
    assert_non_null(strstr(text, "\nfathom_fleet_finding_bytes_per_second{node=\"n000\""));
    assert_non_null(strstr(text, "\nfathom_fleet_node_odd{node=\"a\\\"b\\\\c\",group="));
    assert_non_null(strstr(text, "BIOS 1.2\"} 1\n"));
    assert_non_null(strstr(text, "\nfathom_fleet_documents_unusable 0\n# EOF\n"));
    /* Of one family no two samples have the same labels. */
    size_t distances = 0;
    for (const char *at = text; (at = strstr(at, "\nfathom_fleet_distance{")) != NULL; at++)
        distances++;
    assert_int_equal(distances, 10 * NODE_FINDINGS);
    free(text);
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_node_has_its_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
