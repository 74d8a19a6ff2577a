#include "measured.h"

#include <math.h>
#include <string.h>

/* Both runs have the same seed, so that nothing but the change differs. */
static double ratio(const char *changes, const char *name)
{
    struct measured as_it_is, changed;
    assert_int_equal(measure_twin(&as_it_is, example("epyc-guest.json"), NULL, NULL), 0);
    assert_int_equal(measure_twin(&changed, example("epyc-guest.json"), changes, NULL), 0);
    const double result = found(&changed, name) / found(&as_it_is, name);
    forget_twin(&as_it_is);
    forget_twin(&changed);
    return result;
}

static void assert_ratio(const char *changes, const char *name, double least, double most)
{
    const double is = ratio(changes, name);
    if (!(is >= least && is <= most))
        fail_msg("%s: %s is %g times as large, not %g to %g", changes, name, is, least, most);
}

static void a_level_becomes_slower_and_the_others_stay(void **state)
{
    (void)state;
    assert_ratio("L1.latency=+5%", "L1.latency", 1.045, 1.055);
    assert_ratio("L1.latency_ns=+5%", "L1.latency", 1.045, 1.055);
    assert_ratio("L1.latency=+5%", "L2.latency", 0.99, 1.01);
    assert_ratio("L2.latency=+5%", "L2.latency", 1.04, 1.06);
    assert_ratio("DRAM.latency=+25%", "DRAM.latency", 1.2, 1.3);
    assert_ratio("DRAM.latency=+25%", "L1.latency", 0.999, 1.001);
}

static void rates_and_hand_offs_change_alone_or_all_together(void **state)
{
    (void)state;
    assert_ratio("bandwidth.read.all=-60%", "bandwidth.read.all", 0.39, 0.41);
    assert_ratio("bandwidth.read.all=-60%", "bandwidth.triad.all", 0.999, 1.001);
    assert_ratio("bandwidth=-33%,cores=x1.5", "bandwidth.triad.1", 0.66, 0.68);
    assert_ratio("bandwidth=-33%,cores=x1.5", "cores.cas.min", 1.49, 1.51);
}

static void counts_and_capacities_move(void **state)
{
    (void)state;
    assert_ratio("L1.ways=-50%", "L1.ways", 0.5, 0.5);
    assert_ratio("dtlb1.4K.entries=-50%", "dtlb1.4K.entries", 0.5, 0.5);
    assert_ratio("L1.capacity=-50%", "L1.capacity", 0.45, 0.55);
}

static void another_clock_changes_what_it_drives(void **state)
{
    (void)state;
    assert_ratio("core.clock=-10%", "core.clock", 0.89, 0.91);
    assert_ratio("core.clock=-10%", "L1.latency", 0.99, 1.01);
    assert_ratio("core.clock=-10%", "L2.latency_ns", 1.1, 1.12);
    assert_ratio("core.clock=-10%", "DRAM.latency_ns", 0.97, 1.03);
}

static void what_can_t_be_changed_is_refused_in_one_line(void **state)
{
    static const char *const wrong[] = {"",
                                        ",",
                                        "L1.latency",
                                        "=+5%",
                                        "L1.latency=",
                                        "L1.latency=5%",
                                        "L1.latency=+5",
                                        "L1.latency=+nan%",
                                        "L1.latency=xinf",
                                        "L1.latency=x0",
                                        "L1.latency=-100%",
                                        "L1.latency=x1e9",
                                        "L1.latency=+5%,",
                                        "L9.latency=+5%",
                                        "nobody=+5%",
                                        "L1.line=+5%",
                                        "noise.share=+5%",
                                        "dtlb2.4K.hit=+5%"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct twin twin;
        struct error error = {0};
        assert_int_equal(twin_open(&twin, example("epyc-guest.json"), wrong[i], &error),
                         ERROR_USAGE);
        assert_non_null(strstr(error.text, "--change"));
        assert_null(strchr(error.text, '\n'));
        twin_close(&twin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_becomes_slower_and_the_others_stay),
        cmocka_unit_test(rates_and_hand_offs_change_alone_or_all_together),
        cmocka_unit_test(counts_and_capacities_move),
        cmocka_unit_test(another_clock_changes_what_it_drives),
        cmocka_unit_test(what_can_t_be_changed_is_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
