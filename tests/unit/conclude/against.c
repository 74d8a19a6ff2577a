/* What another machine would make of programs whose answers to pressure are made up, by a document
 * of a machine and the same document with other latencies. */
#include "conclude/need.h"
#include "document/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double everywhere = 0, beyond_caches = 12 << 20;

static void read_machine(struct document *document)
{
    struct error error = {0};
    char path[512];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/predict/machine.json", source ? source : ".");
    if (document_read(document, path, &error) < 0)
        fail_msg("%s", error.text);
}

static void stretch(struct point *point, float times)
{
    point->y.median *= times;
    point->y.low *= times;
    point->y.high *= times;
}

/* Loads from sets of at least so many bytes take so many times as long, and nothing is known of
 * what is read in order. */
static void slow_down(struct document *document, double bytes, float times)
{
    struct probe_result *latency = document_probe(document, "latency");
    for (size_t i = 0; i < latency->series_count; i++)
        for (size_t p = 0; p < latency->series[i].point_count; p++)
            if (latency->series[i].points[p].x >= bytes)
                stretch(&latency->series[i].points[p], times);
    for (size_t i = 0; i < latency->finding_count; i++)
        if (strstr(latency->findings[i].name, ".latency_ns") &&
            (bytes <= 0 || strncmp(latency->findings[i].name, "DRAM", 4) == 0))
            latency->findings[i].value *= (double)times;
    document_probe(document, "bandwidth")->name = "left out";
}

/* Under the most traffic a load takes so many times as long as without. Returns that traffic. */
static double load(struct document *document, float times)
{
    struct series *series = (struct series *)probe_series(
        document_probe(document, "loaded"), "loaded", "shows", "latency by bandwidth");
    struct point *last = &series->points[series->point_count - 1];
    stretch(last, times * series->points[0].y.median / last->y.median);
    return last->x;
}

static int step(void *with)
{
    need_against(with);
    return 0;
}

/* The answer of a program to so much traffic; without low and high ends it is not known. */
static int compare(struct document *here, struct document *there, double traffic, double low,
                   double high, struct finding *made, struct error *error)
{
    struct finding answers[] = {
        {.name = "need.traffic", .value = (low + high) / 2, .low = low, .high = high},
        {.name = "need.traffic.beside", .value = traffic},
        {.name = "need.L3", .value = 1, .low = 0.99, .high = 1.01},
        {.name = "need.L3.held", .value = 4 << 20},
    };
    struct probe_result result = {.name = need_name};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        *(struct finding *)pool_append(&here->pool, (void **)&result.findings,
                                       &result.finding_count, sizeof *answers) = answers[i];
    struct analysis analysis = {
        .result = &result, .pool = &here->pool, .here = here, .there = there};
    const int code = pool_enter(&here->pool, step, &analysis, error);
    if (code == 0)
        *made = *probe_finding(&result, "need.against");
    return code;
}

struct machines {
    struct document here, there;
};

static int read_machines(void **state)
{
    struct machines *machines = calloc(1, sizeof *machines);
    assert_non_null(machines);
    read_machine(&machines->here);
    read_machine(&machines->there);
    *state = machines;
    return 0;
}

static int free_machines(void **state)
{
    struct machines *machines = *state;
    document_free(&machines->here);
    document_free(&machines->there);
    free(machines);
    return 0;
}

static void the_same_machine_takes_as_long(void **state)
{
    struct machines *m = *state;
    struct finding made;
    struct error error;
    assert_int_equal(compare(&m->here, &m->there, NAN, NAN, NAN, &made, &error), 0);
    assert_true(made.low < 1 && 1 < made.high);
    assert_true(made.low <= made.value && made.value <= made.high);
    assert_non_null(strstr(made.text, "on AMD EPYC: "));
    assert_non_null(strstr(made.text, "times as long: least if its loads are from "));
}

static void a_machine_of_half_the_speed_takes_twice_as_long(void **state)
{
    struct machines *m = *state;
    struct finding made;
    struct error error;
    slow_down(&m->there, everywhere, 2);
    assert_int_equal(compare(&m->here, &m->there, NAN, NAN, NAN, &made, &error), 0);
    assert_true(made.low < 2 && 2 < made.high);
    struct finding same;
    slow_down(&m->here, everywhere, 2);
    assert_int_equal(compare(&m->here, &m->there, NAN, NAN, NAN, &same, &error), 0);
    assert_true(fabs(same.high * 2 / made.high - 1) < 0.1 &&
                fabs(same.low * 2 / made.low - 1) < 0.1);
}

/* Slower memory matters to a program that traffic slows down, and not to an indifferent one. */
static void traffic_tells_what_waits_for_memory(void **state)
{
    struct machines *m = *state;
    struct finding waits, indifferent, any;
    struct error error;
    const double traffic = load(&m->here, 3);
    slow_down(&m->there, beyond_caches, 4);
    assert_int_equal(compare(&m->here, &m->there, traffic, 2.7, 2.9, &waits, &error), 0);
    assert_int_equal(compare(&m->here, &m->there, traffic, 0.99, 1.01, &indifferent, &error), 0);
    assert_int_equal(compare(&m->here, &m->there, NAN, NAN, NAN, &any, &error), 0);
    assert_true(indifferent.high < 1.6);
    assert_true(waits.high > 3.5);
    assert_true(any.low <= indifferent.low && any.high >= waits.high);
}

static void an_answer_of_no_loop_is_not_told(void **state)
{
    struct machines *m = *state;
    struct finding made;
    struct error error;
    const double traffic = load(&m->here, 2);
    assert_int_equal(compare(&m->here, &m->there, traffic, 5000, 6000, &made, &error), 0);
    assert_true(isnan(made.value) && isnan(made.low) && isnan(made.high));
    assert_string_equal(made.text, "on AMD EPYC: can't tell: no set of loads answers so");
}

static void a_missing_curve_is_named(void **state)
{
    struct machines *m = *state;
    struct finding made;
    struct error error;
    document_probe(&m->here, "loaded")->name = "left out";
    assert_int_equal(compare(&m->here, &m->there, NAN, NAN, NAN, &made, &error), ERROR_IMPOSSIBLE);
    assert_non_null(strstr(error.text, "fathom loaded"));
    document_probe(&m->there, "latency")->name = "left out as well";
    document_probe(&m->here, "left out")->name = "loaded";
    assert_int_equal(compare(&m->here, &m->there, NAN, NAN, NAN, &made, &error), ERROR_IMPOSSIBLE);
    assert_non_null(strstr(error.text, "latencies by working set: fathom latency"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define OF_MACHINES(test) cmocka_unit_test_setup_teardown(test, read_machines, free_machines)
        OF_MACHINES(the_same_machine_takes_as_long),
        OF_MACHINES(a_machine_of_half_the_speed_takes_twice_as_long),
        OF_MACHINES(traffic_tells_what_waits_for_memory),
        OF_MACHINES(an_answer_of_no_loop_is_not_told),
        OF_MACHINES(a_missing_curve_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
