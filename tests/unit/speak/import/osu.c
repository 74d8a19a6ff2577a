#include "desk.h"

static void further_columns_are_left(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &osu_format,
                               "[node] 3 ranks\r\n# OSU MPI Allreduce Latency Test v7.3\r\n"
                               "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)\r\n"
                               "4  2.5  2.0  3.0\r\n0  1.0 1.0 1.0"),
                     0);
    const struct series *series = &desk->document.probes[0].series[0];
    assert_true(series->points[0].x == 0 && series->points[1].y.median == 2500);
    assert_int_equal(desk->text.unread, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(further_columns_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
