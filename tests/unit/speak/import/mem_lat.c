#include "desk.h"

#define LINE(size, stride, ns)                                                                     \
    "Buffer size: " size " KB, stride " stride ", time 0.003942 s, latency " ns " ns\n"

static void lines_become_curves_by_stride(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &mem_lat_format, "tools/mem-lat.txt");
    const struct probe_result *probe = &desk->document.probes[0];
    assert_true(probe->series_count == 1 && probe->series[0].point_count == 14);
    assert_true(probe->series[0].points[0].x == 1024);
    assert_true(series_factor(&probe->series[0], "stride")->number == 64);
    assert_true(fabs(value_of(desk, "L1.latency_ns") - 1.2) < 0.01);
    assert_true(fabs(value_of(desk, "DRAM.latency_ns") - 80) < 1);
    assert_int_equal(desk->text.unread, 0);
    assert_int_equal(read_text(desk, &mem_lat_format,
                               "12 " LINE("4", "64", "1.5") LINE("4", "256", "3.5")
                                   LINE("4", "64", "1.7")),
                     0);
    probe = &desk->document.probes[0];
    assert_int_equal(probe->series_count, 2);
    assert_int_equal(probe->series[0].points[0].y.n, 2); /* a trial more */
    assert_int_equal(read_text(desk, &mem_lat_format,
                               "95 printf(\"Buffer size: %ld KB, stride %d, latency\");\n"
                               "1 " LINE("4", "64", "1.5")),
                     0);
    assert_int_equal(desk->text.unread, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(lines_become_curves_by_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
