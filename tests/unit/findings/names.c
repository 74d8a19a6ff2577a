#include "findings/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_a_star_stands_within_one_part(void **state)
{
    (void)state;
    assert_true(finding_name_matches("L*.latency", "L1.latency"));
    assert_true(finding_name_matches("L*.latency", "L12.latency"));
    assert_true(finding_name_matches("dtlb*.*.entries", "dtlb2.4K.entries"));
    assert_true(finding_name_matches("cores.*.min", "cores.cas-llsc.min"));
    assert_true(finding_name_matches("a.*ab", "a.xabab"));
    assert_false(finding_name_matches("L*.latency", "L.latency"));
    assert_false(finding_name_matches("L*.latency", "L1.x.latency"));
    assert_false(finding_name_matches("L*.latency", "L1.latency_ns"));
    assert_false(finding_name_matches("L*.latency", "L1.latenc"));
    assert_false(finding_name_matches("L*.latency", ""));
    assert_false(finding_name_matches("a.*", "a."));
}

static void test_any_of_several_patterns_will_do(void **state)
{
    (void)state;
    assert_true(finding_name_matches("L*.latency, DRAM.latency", "DRAM.latency"));
    assert_true(finding_name_matches("L*.latency, DRAM.latency", "L3.latency"));
    assert_false(finding_name_matches("L*.latency, DRAM.latency", "DRAM"));
    assert_false(finding_name_matches("L*.latency, DRAM.latency", " DRAM.latency"));
}

static void test_names_find_their_line(void **state)
{
    (void)state;
    assert_string_equal(finding_name_find("L2.latency")->unit, "cycles");
    assert_string_equal(finding_name_find("L2.latency_ns")->unit, "ns");
    assert_string_equal(finding_name_find("prefetch.max_stride")->unit, "B");
    assert_string_equal(finding_name_find("prefetch.L2.forward")->unit, "%");
    assert_null(finding_name_find("no.such.finding"));
}

static bool is_unit(const char *unit)
{
    static const char *const units[] = {"",    "cycles", "ns",  "B", "Hz",
                                        "B/s", "op/s",   "1/s", "%", "misses"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

static void test_every_line_says_what_it_is_and_what_to_do(void **state)
{
    (void)state;
    const struct finding_name *line;
    for (size_t i = 0; (line = finding_name_at(i)); i++) {
        assert_true(strlen(line->probe) > 0);
        assert_true(is_unit(line->unit));
        assert_true(strlen(line->meaning) > 20 && line->meaning[strlen(line->meaning) - 1] == '.');
        assert_true(strlen(line->advice) > 20 && line->advice[strlen(line->advice) - 1] == '.');
    }
}

/* A name made of the pattern's own words finds this line and no earlier one. */
static void test_no_line_hides_another(void **state)
{
    (void)state;
    const struct finding_name *line;
    for (size_t i = 0; (line = finding_name_at(i)); i++) {
        char names[256];
        assert_true((size_t)snprintf(names, sizeof names, "%s", line->patterns) < sizeof names);
        for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
            for (char *star = name; (star = strchr(star, '*'));)
                *star = 'x';
            assert_ptr_equal(finding_name_find(name), line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_stands_within_one_part),
        cmocka_unit_test(test_any_of_several_patterns_will_do),
        cmocka_unit_test(test_names_find_their_line),
        cmocka_unit_test(test_every_line_says_what_it_is_and_what_to_do),
        cmocka_unit_test(test_no_line_hides_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
