#include "measured.h"

#include <math.h>
#include <string.h>

static struct measured as_it_is;

static int measure_as_it_is(void **state)
{
    return getenv("FATHOM_SOURCE") ? measure_twin(&as_it_is, example("epyc-guest.json"), NULL, NULL)
                                   : 0;
}

static int forget_it(void **state)
{
    forget_twin(&as_it_is);
    return 0;
}

struct expected {
    const char *name;
    double least, most;    /* how many times as large as without the changes */
    const char *otherwise; /* its name where it is less than declared; NULL: the same */
};

/* Both runs have the same seed, so that nothing but the changes differs. */
static void assert_ratios(const char *changes, const struct expected *expected)
{
    struct measured changed;
    assert_int_equal(measure_twin(&changed, example("epyc-guest.json"), changes, NULL), 0);
    for (; expected->name; expected++) {
        double is = found(&changed, expected->name) / found(&as_it_is, expected->name);
        if (isnan(is) && expected->otherwise)
            is = found(&changed, expected->otherwise) / found(&as_it_is, expected->name);
        if (!(is >= expected->least && is <= expected->most))
            fail_msg("%s: %s is %g times as large, not %g to %g", changes, expected->name, is,
                     expected->least, expected->most);
    }
    forget_twin(&changed);
}

#define ASSERT_RATIOS(changes, ...)                                                                \
    assert_ratios(changes, (const struct expected[]){__VA_ARGS__, {.name = NULL}})

static void a_level_becomes_slower_and_the_others_stay(void **state)
{
    ASSERT_RATIOS("L1.latency=+5%", {"L1.latency", 1.045, 1.055}, {"L2.latency", 0.99, 1.01});
    ASSERT_RATIOS("L1.latency_ns=+5%", {"L1.latency", 1.045, 1.055});
    ASSERT_RATIOS("L2.latency=+5%", {"L2.latency", 1.04, 1.06});
    ASSERT_RATIOS("DRAM.latency=+25%", {"DRAM.latency", 1.2, 1.3}, {"L1.latency", 0.999, 1.001});
}

static void rates_and_hand_offs_change_alone_or_all_together(void **state)
{
    ASSERT_RATIOS("bandwidth.read.all=-60%", {"bandwidth.read.all", 0.39, 0.41},
                  {"bandwidth.triad.all", 0.999, 1.001});
    ASSERT_RATIOS("bandwidth=-33%,cores=x1.5", {"bandwidth.triad.1", 0.66, 0.68},
                  {"cores.cas.min", 1.49, 1.51});
}

static void counts_and_capacities_move(void **state)
{
    ASSERT_RATIOS("L1.ways=-50%", {"L1.ways", 0.5, 0.5});
    ASSERT_RATIOS("dtlb1.4K.entries=-50%", {"dtlb1.4K.entries", 0.5, 0.5});
    ASSERT_RATIOS("L1.capacity=-50%", {"L1.capacity", 0.45, 0.55, .otherwise = "L1.begins"});
}

static void another_clock_changes_what_it_drives(void **state)
{
    ASSERT_RATIOS("core.clock=-10%", {"core.clock", 0.89, 0.91}, {"L1.latency", 0.99, 1.01},
                  {"L2.latency_ns", 1.1, 1.12}, {"DRAM.latency_ns", 0.97, 1.03});
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
    return cmocka_run_group_tests(tests, measure_as_it_is, forget_it);
}
