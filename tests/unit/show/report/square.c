#include "../render/capture.h"

#include "show/report/square.h"

#include <math.h>

/* A page and a terminal show the same colours because they ask here. */
static void a_share_and_its_value_agree(void **state)
{
    (void)state;
    static const double ranges[][2] = {{20, 147}, {100, 101}, {-3, 5}, {0, 1e-3}, {1e-30, 1e30}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (double share = 0; share <= 1; share += 0.125) {
            const double value = square_value(share, ranges[i][0], ranges[i][1]);
            assert_true(fabs(square_share(value, ranges[i][0], ranges[i][1]) - share) < 1e-9);
        }
    assert_true(fabs(square_share(147, 20, 147) - 1) < 1e-12);
    assert_true(square_share(101, 100, 101) < 0.05); /* a small difference stays one */
    assert_true(square_share(5, 5, 5) == 0);
    assert_true(square_share(0, 0, 0) == 0);
}

static void groups_are_found_at_every_depth_of_clusters(void **state)
{
    (void)state;
    static const char *const lists[] = {"0-7", "0-3", "4-7", "8-15"};
    struct document document;
    struct catalogue catalogue;
    struct pool pool = {0};
    const struct square *groupings[SQUARE_GROUPINGS_MAX];
    char name[SQUARE_NAME];
    sample_document(&document, 16, 1);
    struct probe_result *probe = &document.probes[1];
    const struct document *list = &document;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        sample_finding(&document, probe, "cluster", "ns", 55, 0)->cpus = lists[i];
    assert_true(catalogue_build(&catalogue, &list, 1));
    const struct square *square = square_of_series(&pool, probe, &probe->series[0]);
    assert_non_null(square);
    assert_true(square->both_ways);
    assert_int_equal(square->row_count, 16);
    assert_int_equal(square->cells[0].kind, PAIR_ITSELF);
    assert_int_equal(square_groupings(&pool, square, catalogue_of(&catalogue, 0, probe),
                                      probe->finding_count, groupings),
                     2);
    assert_int_equal(groupings[0]->row_count, 3);
    assert_string_equal(groupings[0]->labels[2], "8-15");
    assert_string_equal(square_row_name(groupings[0], 2, name), "C");
    assert_int_equal(groupings[1]->row_count, 2);
    const struct pair_cell *far = &groupings[1]->cells[1];
    assert_true(far->least <= far->value && far->value <= far->most && far->least > 100);
    catalogue_free(&catalogue);
    pool_free(&pool);
    document_free(&document);
}

static void names_of_groups_go_on_after_z(void **state)
{
    (void)state;
    const struct square square = {.rows = NULL};
    char name[SQUARE_NAME];
    assert_string_equal(square_row_name(&square, 25, name), "Z");
    assert_string_equal(square_row_name(&square, 26, name), "AA");
    assert_string_equal(square_column_name(&square, 53, name), "BB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_and_its_value_agree),
        cmocka_unit_test(groups_are_found_at_every_depth_of_clusters),
        cmocka_unit_test(names_of_groups_go_on_after_z),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
