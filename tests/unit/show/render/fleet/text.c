#include "show/render/fleet/fleet.h"

#include "compare/fleet/nodes.h"

#include <stdlib.h>

static const struct text_style plain = {.width = 80};

static char *text_of(const struct fleet *fleet)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    render_fleet_text(out, fleet, &plain);
    fclose(out);
    return text;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* However many there are, and whatever else there is to say. */
static void it_takes_ten_lines(void **state)
{
    for (unsigned odd = 0; odd < 40; odd++) {
        struct fleet fleet = {.nodes = NULL};
        struct error error = {0};
        struct node_plan slow = ordinary, other = ordinary;
        slow.faults[0] = (struct node_fault){"DRAM.latency", 1.5};
        other.model = "Xeon";
        add_nodes(&fleet, &ordinary, 100, 200);
        add_nodes(&fleet, &slow, 0, odd);
        add_nodes(&fleet, &other, 900, 2);
        assert_int_equal(fleet_add_hole(&fleet, "gone.json", "is empty", &error), 0);
        judge_fleet(&fleet);
        char *text = text_of(&fleet);
        assert_int_equal(fleet.odd_count, odd);
        assert_true(lines_of(text) <= 10);
        if (odd > 7)
            assert_non_null(strstr(text, "more: n0"));
        assert_non_null(
            strstr(text, "Not judged: 2 nodes of which fewer than 5 are alike; 1 document"));
        free(text);
        fleet_free(&fleet);
    }
}

static void names_are_made_inert(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    struct node_plan slow = ordinary;
    slow.faults[0] = (struct node_fault){"DRAM.latency", 1.5};
    add_nodes(&fleet, &ordinary, 0, 20);
    node_document(&paper, &slow, 20);
    snprintf(paper.host, sizeof paper.host, "\033[2Jevil\n");
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    judge_fleet(&fleet);
    char *text = text_of(&fleet);
    assert_null(strchr(text, '\033'));
    assert_int_equal(lines_of(text), 3);
    assert_non_null(strstr(text, "?[2Jevil?"));
    free(text);
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_takes_ten_lines),
        cmocka_unit_test(names_are_made_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
