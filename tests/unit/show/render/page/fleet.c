#include "show/render/fleet/fleet.h"

#include "compare/fleet/nodes.h"

#include <stdlib.h>

static char *page_of(const struct fleet *fleet, const struct fleet_pages *pages)
{
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(render_fleet_page(out, fleet, pages, &error), 0);
    fclose(out);
    return text;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static void make(struct fleet *fleet, unsigned count)
{
    struct node_plan slow = ordinary;
    slow.faults[0] = (struct node_fault){"DRAM.latency_ns", 1.5};
    add_nodes(fleet, &ordinary, 0, count);
    add_nodes(fleet, &slow, 900, 1);
    judge_fleet(fleet);
}

static void each_node_is_a_dot_with_a_link(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    make(&fleet, 20);
    bool has[21];
    memset(has, 1, sizeof has);
    const struct fleet_pages pages = {"./nodes", has};
    char *text = page_of(&fleet, &pages);
    assert_int_equal(count_of(text, "<circle class=\"odd\""), 1);
    assert_int_equal(count_of(text, "<circle class=\"peer\""), 21 * NODE_FINDINGS - 1);
    assert_int_equal(count_of(text, "<svg class=strip "), NODE_FINDINGS);
    assert_int_equal(count_of(text, "<svg class=map "), 1);
    assert_non_null(strstr(text, "<th scope=row><a href=\"./nodes/n900.html\">n900</a>"));
    assert_non_null(strstr(text, "slower memory"));
    assert_null(strstr(text, "\"nan"));
    assert_int_equal(count_of(text, "<script"), 0);
    free(text);
    fleet_free(&fleet);
}

static void without_pages_there_are_no_links(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    make(&fleet, 20);
    const struct fleet_pages none = {0};
    char *text = page_of(&fleet, &none);
    assert_int_equal(count_of(text, ".html\""), 0);
    free(text);
    fleet_free(&fleet);
}

/* Of many nodes a strip is a density, and the map has room for some. */
static void many_nodes_make_no_larger_page(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    make(&fleet, 600);
    const struct fleet_pages none = {0};
    char *text = page_of(&fleet, &none);
    assert_int_equal(count_of(text, "<circle class=\"peer\""), 0);
    assert_int_equal(count_of(text, "<circle class=\"odd\""), 1);
    assert_non_null(strstr(text, "The map has 256 of 601 nodes"));
    assert_true(strlen(text) < 1000000);
    free(text);
    fleet_free(&fleet);
}

static void texts_of_documents_stay_texts(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    struct node_plan slow = ordinary;
    slow.faults[0] = (struct node_fault){"DRAM.latency", 1.5};
    slow.bios = "<b>";
    add_nodes(&fleet, &ordinary, 0, 20);
    node_document(&paper, &slow, 20);
    snprintf(paper.host, sizeof paper.host, "<script>\"'&");
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    judge_fleet(&fleet);
    bool has[21];
    memset(has, 1, sizeof has);
    const struct fleet_pages pages = {"\"><script>", has};
    char *text = page_of(&fleet, &pages);
    assert_int_equal(count_of(text, "<script"), 0);
    assert_null(strstr(text, "<b>"));
    free(text);
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_is_a_dot_with_a_link),
        cmocka_unit_test(without_pages_there_are_no_links),
        cmocka_unit_test(many_nodes_make_no_larger_page),
        cmocka_unit_test(texts_of_documents_stay_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
