#include "desk.h"

#include "measure/probes/kit/probe.h"

static const struct series *series_named(const struct desk *desk, const char *name)
{
    for (size_t i = 0; i < desk->document.probes[0].series_count; i++)
        if (strcmp(desk->document.probes[0].series[i].name, name) == 0)
            return &desk->document.probes[0].series[i];
    fail_msg("no series %s", name);
    return NULL;
}

static void titles_name_devices_and_factors(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &gpu_latency_format,
                               "# gpu0 latency, path l1, order random, stride 128\nMHz B KB CPI\n"
                               "1500 1024 1 30.0\n1500 2048 2 30.5\n\n"
                               "# gpu1 latency, path l2, order forward, stride 64\nMHz B KB CPI\n"
                               "1000 1024 1 200.0"),
                     0);
    const struct series *first = series_named(desk, "gpu0 latency"),
                        *second = series_named(desk, "gpu1 latency");
    assert_true(first->point_count == 2 && second->point_count == 1);
    assert_string_equal(series_factor(first, "path")->text, "l1");
    assert_true(series_factor(second, "stride")->number == 64);
    assert_string_equal(series_factor(second, "order")->text, "forward");
    assert_true(second->points[0].y.median == 200);
    assert_int_equal(desk->document.machine.gpu_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(titles_name_devices_and_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
