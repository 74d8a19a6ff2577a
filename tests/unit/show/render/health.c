#include "show/render/health.h"
#include "capture.h"

enum { MANY = 12 };

/* A dozen latencies that doubled, with names that nobody would choose, and as many gaps. */
struct bench {
    struct finding should[MANY], now[MANY];
    struct difference differences[MANY];
    struct health_value values[MANY];
    struct health_gap gaps[MANY];
    struct health_check check;
    struct document document;
    char names[MANY][40], reasons[MANY][24];
};

static const struct probe_result probe = {.name = "probe"};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.check = {.health = WORSE, .not_compared = MANY, .gap_count = MANY}};
    for (int i = 0; i < MANY; i++) {
        snprintf(bench.names[i], sizeof bench.names[i], "a|b\n'\033=%d.latency", i);
        snprintf(bench.reasons[i], sizeof bench.reasons[i], "left out for %d", i);
        bench.should[i] = (struct finding){.name = bench.names[i], .unit = "ns", .value = 10};
        bench.now[i] = bench.should[i];
        bench.now[i].value = 20;
        bench.differences[i] = (struct difference){.compared = {.answer = CHANGED,
                                                                .side = SIDE_MORE,
                                                                .ratio = 2,
                                                                .low = 1.8,
                                                                .high = 2.2,
                                                                .p = 0.001,
                                                                .resolution = 0.12,
                                                                .tolerance = 0.2},
                                                   .probe = &probe,
                                                   .finding_a = &bench.should[i],
                                                   .finding_b = &bench.now[i],
                                                   .worse = SIDE_MORE,
                                                   .a = 10,
                                                   .b = 20};
        bench.values[i] = (struct health_value){&bench.differences[i], &bench.should[i], NULL};
        bench.gaps[i] = (struct health_gap){"probe", bench.reasons[i], 1, false};
    }
    bench.check.differences.list = bench.differences;
    bench.check.differences.count = MANY;
    bench.check.values[WORSE] = (struct health_values){bench.values, MANY};
    bench.check.gaps = bench.gaps;
    bench.check.now = &bench.document;
    *state = &bench;
    return 0;
}

static char *print(const struct health_check *check, save_function *write)
{
    struct capture capture = {0};
    assert_int_equal(write(check, capture_begin(&capture), NULL), 0);
    return capture_end(&capture);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void the_line_is_one_and_ends(void **state)
{
    struct bench *bench = *state;
    char *text = print(&bench->check, render_health_whole);
    assert_int_equal(count_of(text, "\n"), 1);
    assert_int_equal(count_of(text, "\033"), 0);
    assert_int_equal(count_of(text, "latency 20.0 ns, expected 10.0 ns (+100 %, known to +-12 %)"),
                     8);
    assert_non_null(strstr(text, "; and 4 more; 0 values as good as expected; 12 not compared: "
                                 "probe was left out for 0; "));
    assert_int_equal(count_of(text, "left out"), 8);
    assert_non_null(strstr(text, "; and more\n"));
    free(text);
}

/* A monitor's line: verdict, the worst figure, how many were compared, in 160 bytes. */
static void the_line_is_short(void **state)
{
    struct bench *bench = *state;
    bench->should[3].name = "L3.latency";
    bench->differences[3].compared.ratio = 3;
    bench->differences[3].b = 30;
    char *text = print(&bench->check, render_health_text);
    assert_string_equal(text,
                        "FAIL L3 latency 30.0 ns, expected 10.0 ns (+200 %, known to +-12 %); "
                        "12 compared: 0 as good, 12 worse; 12 not compared\n");
    free(text);
    char name[400];
    memset(name, 'x', sizeof name);
    memcpy(name + 100, "\xc3\xa4\xc3\xa4\xc3\xa4", 6);
    name[sizeof name - 1] = '\0';
    bench->should[3].name = name;
    text = print(&bench->check, render_health_text);
    assert_in_range(strlen(text), 150, 161);
    assert_non_null(strstr(text, "...; 12 compared: "));
    assert_int_equal(count_of(text, "\n"), 1);
    free(text);
    char *line = print(&bench->check, render_health_nagios);
    assert_in_range(strcspn(line, "|"), 150, 161);
    free(line);
}

static void probes_that_share_a_reason_share_its_words(void **state)
{
    struct bench *bench = *state;
    bench->gaps[0].probe = "tlb";
    bench->gaps[1] = (struct health_gap){"geometry", bench->reasons[0], 3, false};
    bench->gaps[2] = (struct health_gap){"cores", "listed one by one", 1, true};
    bench->check.gap_count = 3;
    char *text = print(&bench->check, render_health_whole);
    assert_non_null(strstr(text, "12 not compared: tlb, geometry were left out for 0\n"));
    free(text);
}

/* Of an OK only what is the same is counted, facts come first, and the rest has its resolution. */
static void what_can_not_be_told_is_named_with_its_resolution(void **state)
{
    struct bench *bench = *state;
    struct changed_fact fact = {"kernel", "6.1", "6.2", SIDE_NEITHER, false};
    bench->check.health = HEALTHY;
    bench->check.values[HEALTHY] = (struct health_values){bench->values, 2};
    bench->check.values[WORSE].count = 0;
    bench->check.untold = (struct health_values){bench->values + 2, 1};
    bench->check.differences.facts.list = &fact;
    bench->check.differences.facts.count = 1;
    bench->check.not_compared = bench->check.gap_count = 0;
    bench->should[2].name = "L3.latency";
    char *text = print(&bench->check, render_health_whole);
    assert_string_equal(text,
                        "OK 2 values as good as expected; changed: kernel: 6.1, then 6.2; of 1 "
                        "it can't be told: L3 latency to +-12 %\n");
    free(text);
}

/* Behind the bar nothing but names in quotes and numbers: seconds, and the bound. */
static void a_plugins_line_has_one_bar(void **state)
{
    struct bench *bench = *state;
    char *text = print(&bench->check, render_health_nagios);
    assert_int_equal(strncmp(text, "FATHOM CRITICAL - ", 18), 0);
    assert_int_equal(count_of(text, "|"), 1);
    const char *numbers = strchr(text, '|');
    assert_int_equal(count_of(numbers, "=2e-08s;;1.2e-08"), MANY);
    assert_int_equal(count_of(numbers, "'"), 2 * MANY);
    assert_int_equal(count_of(numbers, "\n"), 1);
    bench->differences[0].worse = SIDE_LESS;
    free(text);
    text = print(&bench->check, render_health_nagios);
    assert_int_equal(count_of(text, ";;8.33333333e-09: "), 1);
    free(text);
}

static void the_object_holds_all(void **state)
{
    struct bench *bench = *state;
    bench->should[0].name = "a\"b\\c";
    char *text = print(&bench->check, render_health_json);
    assert_int_equal(count_of(text, "\"answer\":\"changed\",\"side\":\"worse\""), MANY);
    assert_int_equal(count_of(text, "\"reason\":\"left out for "), MANY);
    assert_non_null(strstr(text, "\"what\":\"a\\\"b\\\\c\","));
    assert_non_null(strstr(text, "\"status\":\"fail\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_line_is_one_and_ends, set_up),
        cmocka_unit_test_setup(the_line_is_short, set_up),
        cmocka_unit_test_setup(probes_that_share_a_reason_share_its_words, set_up),
        cmocka_unit_test_setup(what_can_not_be_told_is_named_with_its_resolution, set_up),
        cmocka_unit_test_setup(a_plugins_line_has_one_bar, set_up),
        cmocka_unit_test_setup(the_object_holds_all, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
