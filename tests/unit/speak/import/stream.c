#include "desk.h"

#define RATES                                                                                      \
    "Copy: 40000.0 0.1 0.1 0.1\nScale: 1 1 1 1\nAdd: 1 1 1 1\nTriad: 43000.0 0.1 0.1 0.1\n"

static void the_best_rates_are_read_with_their_threads(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &stream_format, "tools/stream.txt");
    assert_true(value_of(desk, "bandwidth.copy.all") == 40e9);
    assert_true(value_of(desk, "bandwidth.triad.all") == 43e9);
    assert_string_equal(factor_of(desk, "bandwidth.triad.all", "threads"), "8");
    assert_string_equal(factor_of(desk, "bandwidth.triad.all", "pass"), "best");
    assert_int_equal(read_text(desk, &stream_format, RATES), 0);
    assert_true(value_of(desk, "bandwidth.triad.1") == 43e9);
    assert_string_equal(factor_of(desk, "bandwidth.triad.1", "threads"), "");
}

static void several_runs_are_trials(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &stream_format, RATES RATES "Triad: 44000.0 1 1 1"), 0);
    assert_int_equal(desk->document.probes[0].finding_count, 4);
    assert_true(value_of(desk, "bandwidth.triad.1") == (double)43e9f);
    assert_int_equal(
        read_text(desk, &stream_format,
                  "STREAM version $Revision: 5.10 $\nNumber of Threads counted = 4\n" RATES
                  "STREAM version $Revision: 5.10 $\n" RATES),
        0);
    assert_int_equal(desk->document.probes[0].finding_count, 8); /* of four threads, and of one */
}

static void bad_lines_are_refused_by_number(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &stream_format, "", "holds no rate");
    assert_refused(desk, &stream_format, "\nTriad:\n", "line 2: the best rate in MB/s ''");
    assert_refused(desk, &stream_format, "Triad: 0\n", "line 1: the best rate in MB/s '0'");
    assert_refused(desk, &stream_format, "Triad: 43000,5 1 1 1\n", "has a decimal comma");
}

static void long_texts_are_read(void **state)
{
    struct desk *desk = *state;
    char *text = long_text("", "Triad: 4300%zu.5 1 1 1\n", 200000);
    assert_int_equal(read_text(desk, &stream_format, text), 0);
    free(text);
    assert_int_equal(desk->document.probes[0].finding_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(the_best_rates_are_read_with_their_threads),
        DESK_TEST(several_runs_are_trials),
        DESK_TEST(bad_lines_are_refused_by_number),
        DESK_TEST(long_texts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
