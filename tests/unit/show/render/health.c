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
                                                                .decided = BY_INTERVALS,
                                                                .sort = SORT_CACHE,
                                                                .side = SIDE_MORE,
                                                                .ratio = 2,
                                                                .low = 1.8,
                                                                .high = 2.2,
                                                                .p = 0.001,
                                                                .resolution = 0.12,
                                                                .tolerance = 0.2},
                                                   .probe = &probe,
                                                   .finding = &bench.should[i],
                                                   .worse = SIDE_MORE,
                                                   .a = 10,
                                                   .b = 20};
        bench.values[i] = (struct health_value){&bench.differences[i], &bench.should[i], NULL};
        bench.gaps[i] = (struct health_gap){"probe", bench.reasons[i], 1};
    }
    bench.check.differences.list = bench.differences;
    bench.check.differences.count = bench.check.differences.figures = MANY;
    bench.check.differences.counts[CHANGED] = MANY;
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

/* What the status follows from, then each gap, the run's own verdict, and the differences; no text
 * of a document breaks a line. */
static void every_answer_has_its_reason(void **state)
{
    struct bench *bench = *state;
    char *first = print(&bench->check, render_health_text);
    char *text = print(&bench->check, render_health_whole);
    assert_int_equal(strncmp(text, first, strlen(first)), 0);
    assert_int_equal(count_of(text, "\033"), 0);
    assert_int_equal(count_of(text, "\nuncertain: "), 0);
    assert_int_equal(count_of(text, "\n1 not compared, probe: left out for "), MANY);
    assert_non_null(
        strstr(text, "\nthis run: The run was stopped before anything was measured.\n\n"));
    assert_int_equal(count_of(text, ".latency: 10.0 ns -> 20.0 ns, +100 % (+80 to +120 %)\n"),
                     MANY);
    assert_int_equal(count_of(text, "the ratio is known to +-12 %"), MANY);
    free(text);
    free(first);
}

static void what_makes_it_uncertain_is_listed_to_the_eighth(void **state)
{
    struct bench *bench = *state;
    bench->check.health = DOUBTFUL;
    bench->check.values[DOUBTFUL] = bench->check.values[WORSE];
    bench->check.values[WORSE].count = 0;
    char *text = print(&bench->check, render_health_whole);
    assert_int_equal(count_of(text, "\nuncertain: "), 9);
    assert_int_equal(
        count_of(text, "latency 20.0 ns, expected 10.0 ns (+100 %, known to +-12 %)\n"), 8);
    assert_non_null(strstr(text, "\nuncertain: 4 more\n1 not compared, probe: left out for 0\n"));
    free(text);
    const struct probe_result broken = {.name = "noise", .reason = "no\nclock"};
    bench->values[0] = (struct health_value){NULL, &bench->should[0], &broken, "noise"};
    bench->values[1].difference = NULL;
    bench->should[1].name = "L2.latency";
    bench->check.values[DOUBTFUL].count = 2;
    text = print(&bench->check, render_health_whole);
    assert_non_null(strstr(text, "\nuncertain: noise failed: no?clock\n"
                                 "uncertain: L2 latency not found, expected 10.0 ns\n1 not"));
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

static void each_gap_has_its_probe_and_reason(void **state)
{
    struct bench *bench = *state;
    bench->gaps[0].probe = "tlb";
    bench->gaps[1] = (struct health_gap){"geometry", bench->reasons[0], 3};
    bench->gaps[2] = (struct health_gap){"cores", "skipped: it\nneeds two CPUs", 1};
    bench->check.gap_count = 3;
    char *text = print(&bench->check, render_health_whole);
    assert_non_null(strstr(text, "\n1 not compared, tlb: left out for 0\n"
                                 "3 not compared, geometry: left out for 0\n"
                                 "1 not compared, cores: skipped: it?needs two CPUs\nthis run: "));
    free(text);
}

/* Of an OK, facts come first, then what can't be told and what is the same, with resolutions. */
static void what_can_not_be_told_is_named_with_its_resolution(void **state)
{
    struct bench *bench = *state;
    struct changed_fact fact = {"kernel", "6.1", "6.2", SIDE_NEITHER, false};
    struct differences *differences = &bench->check.differences;
    bench->check.health = HEALTHY;
    bench->check.values[HEALTHY] = (struct health_values){bench->values, 2};
    bench->check.values[WORSE].count = 0;
    bench->check.untold = (struct health_values){bench->values + 2, 1};
    bench->check.not_compared = bench->check.gap_count = 0;
    differences->count = differences->figures = 3;
    for (int i = 0; i < 3; i++)
        bench->differences[i].compared.answer = i < 2 ? SAME : CANT_TELL;
    differences->counts[CHANGED] = 0;
    differences->counts[SAME] = 2;
    differences->counts[CANT_TELL] = 1;
    differences->facts.list = &fact;
    differences->facts.count = 1;
    bench->should[0].name = "L1.latency";
    bench->should[1].name = "L2.latency";
    bench->should[2].name = "L3.latency";
    char *text = print(&bench->check, render_health_whole);
    static const char *const why =
        "    compared as shared caches (tolerance 20 %): the ratio is known to +-12 %,\n"
        "    because the values' own intervals are wide; chance makes one so large with p\n"
        "    = 0.001\n";
    char wanted[2048];
    snprintf(
        wanted, sizeof wanted,
        "OK L1 latency 20.0 ns, expected 10.0 ns (+100 %%, known to +-12 %%); 3 compared: 2 as "
        "good, 1 can't be told\n"
        "this run: The run was stopped before anything was measured.\n\n"
        "0 of 3 values changed, 2 are the same, 1 can't be told\n\n"
        "changed facts\n  -  kernel: 6.1, then 6.2\n\n"
        "can't be told: chance explains the change, or allows for one\n"
        "  ? L3.latency: 10.0 ns -> 20.0 ns, +100 %% (+80 to +120 %%)\n%s\n"
        "the same\n"
        "  = L1.latency: 10.0 ns -> 20.0 ns, +100 %% (+80 to +120 %%)\n%s"
        "  = L2.latency: 10.0 ns -> 20.0 ns, +100 %% (+80 to +120 %%)\n%s",
        why, why, why);
    assert_string_equal(text, wanted);
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
        cmocka_unit_test_setup(every_answer_has_its_reason, set_up),
        cmocka_unit_test_setup(what_makes_it_uncertain_is_listed_to_the_eighth, set_up),
        cmocka_unit_test_setup(the_line_is_short, set_up),
        cmocka_unit_test_setup(each_gap_has_its_probe_and_reason, set_up),
        cmocka_unit_test_setup(what_can_not_be_told_is_named_with_its_resolution, set_up),
        cmocka_unit_test_setup(a_plugins_line_has_one_bar, set_up),
        cmocka_unit_test_setup(the_object_holds_all, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
