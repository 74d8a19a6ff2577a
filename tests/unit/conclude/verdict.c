#include "conclude/verdict.h"
#include "document/flag.h"
#include "document/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct document document;
    struct cache_facts caches[3];
    struct probe_result probes[3];
};

/* A whole run of two CPUs that share L3: nothing in doubt, nobody else at work. */
static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    *state = bench;
    *bench = (struct bench){.caches = {{1, "data", 48 << 10, 64, 12, "0"},
                                       {2, "unified", 2 << 20, 64, 16, "0"},
                                       {3, "unified", 32 << 20, 64, 16, "0-1"}}};
    bench->document = (struct document){
        .run = {.started = "2026-11-21T04:18:25Z", .complete = true},
        .machine = {.cores = 2, .threads = 2, .caches = bench->caches, .cache_count = 3},
        .conditions = {.load1 = 0.1, .others_cpus = NAN, .affinity = "0-1"},
        .probes = bench->probes,
        .probe_count = 3};
    bench->probes[0].name = "latency";
    bench->probes[1].name = "tlb";
    bench->probes[2].name = "bandwidth";
    static const struct {
        int probe;
        const char *name, *unit;
    } findings[] = {{0, "DRAM.latency", "cycles"},
                    {0, "L3.latency", "cycles"},
                    {0, "L2.latency", "cycles"},
                    {0, "L1.latency", "cycles"},
                    {0, "L1.capacity", "B"},
                    {0, "core.clock", "Hz"},
                    {1, "dtlb1.4K.entries", ""},
                    {2, "bandwidth.read.1", "B/s"},
                    {2, "bandwidth.read.efficiency", ""}};
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        sample_finding(&bench->document, &bench->probes[findings[i].probe], findings[i].name,
                       findings[i].unit, 5, 0);
    return 0;
}

static int tear_down(void **state)
{
    document_free(&((struct bench *)*state)->document);
    free(*state);
    return 0;
}

static void assert_says(const struct bench *bench, enum verdict_state state, const char *sentence)
{
    struct document_verdict verdict;
    struct line line = {0};
    verdict_of(&verdict, &bench->document);
    line_add_verdict(&line, &bench->document, &verdict);
    assert_string_equal(line.text, sentence);
    assert_int_equal(verdict.state, state);
}

static struct finding *find(struct bench *bench, const char *name)
{
    for (size_t p = 0; p < bench->document.probe_count; p++)
        for (size_t i = 0; i < bench->probes[p].finding_count; i++)
            if (strcmp(bench->probes[p].findings[i].name, name) == 0)
                return &bench->probes[p].findings[i];
    fail_msg("%s", name);
    return NULL;
}

static void a_quiet_machine_takes_one_short_sentence(void **state)
{
    assert_says(*state, VERDICT_SOUND, "All 9 values can be relied on.");
}

static void beside_a_load_what_is_shared_is_as_found(void **state)
{
    struct bench *bench = *state;
    bench->document.conditions.load1 = 12;
    assert_says(bench, VERDICT_BUSY,
                "Busy (load 12 on 2 CPUs): rely on L1, L2, TLB; L3, DRAM and bandwidth include "
                "other programs' load. Repeat when idle, or --thorough.");
    find(bench, "L2.latency")->flags = FLAG_BIT(FLAG_TOO_FEW);
    bench->probes[2].status = PROBE_PARTIAL;
    assert_says(bench, VERDICT_BUSY,
                "Busy (load 12 on 2 CPUs): rely on L1, TLB; L3 and DRAM include other programs' "
                "load; L2 is in doubt (marked !); bandwidth is not complete. Repeat when idle, "
                "or --thorough.");
}

/* What others take is all that was asked for. */
static void noise_alone_is_no_worse_for_a_load(void **state)
{
    struct bench *bench = *state;
    bench->document.conditions.load1 = 12;
    bench->document.probe_count = 1;
    bench->probes[0].name = "noise";
    bench->probes[0].finding_count = 0;
    sample_finding(&bench->document, &bench->probes[0], "noise.share", "%", 85, 0);
    assert_says(bench, VERDICT_BUSY,
                "Busy (load 12 on 2 CPUs): it was measured, and can be relied on.");
}

/* The CPU time that others used tells what the average, which covers a minute, does not. */
static void the_time_that_others_used_decides_where_it_is_known(void **state)
{
    struct bench *bench = *state;
    bench->document.conditions.load1 = 1.6;
    bench->document.conditions.others_cpus = 0.05;
    assert_says(bench, VERDICT_SOUND, "All 9 values can be relied on.");
    bench->document.conditions.load1 = 3;
    assert_says(bench, VERDICT_SOUND, "All 9 values can be relied on.");
    bench->document.conditions.load1 = 0.3;
    bench->document.conditions.others_cpus = 0.95;
    assert_says(
        bench, VERDICT_BUSY,
        "Busy (other programs used 0.95 of 2 CPUs): rely on L1, L2, TLB; L3, DRAM and bandwidth "
        "include other programs' load. Repeat when idle, or --thorough.");
    bench->document.conditions.load1 = 12;
    assert_says(bench, VERDICT_BUSY,
                "Busy (load 12 on 2 CPUs): rely on L1, L2, TLB; L3, DRAM and bandwidth include "
                "other programs' load. Repeat when idle, or --thorough.");
}

/* The average covers a minute, in which fathom itself may have run. */
static void a_small_load_counts_where_a_value_shows_it(void **state)
{
    struct bench *bench = *state;
    bench->document.conditions.load1 = 0.8;
    assert_says(bench, VERDICT_SOUND, "All 9 values can be relied on.");
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_PREEMPTED);
    assert_says(bench, VERDICT_BUSY,
                "Busy (load 0.8 on 2 CPUs): rely on L1, L2, TLB; L3 and bandwidth include other "
                "programs' load; DRAM is in doubt (marked !). Repeat when idle, or --thorough.");
    bench->document.conditions.load1 = 0;
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_STOLEN);
    assert_says(bench, VERDICT_BUSY,
                "Busy (the hypervisor took CPU time away): rely on L1, L2, TLB; L3 and bandwidth "
                "include other programs' load; DRAM is in doubt (marked !). Repeat when idle, or "
                "--thorough.");
}

static void a_second_level_of_several_cores_is_shared(void **state)
{
    struct bench *bench = *state;
    struct document_verdict verdict;
    bench->document.conditions.load1 = 12;
    bench->caches[1].shared_cpus = "0-1";
    verdict_of(&verdict, &bench->document);
    assert_string_equal(verdict.parts[1].name, "L2");
    assert_int_equal(verdict.parts[1].trust, PART_BESIDE);
    bench->document.machine.threads = 4; /* siblings of one core */
    verdict_of(&verdict, &bench->document);
    assert_int_equal(verdict.parts[1].trust, PART_RELY);
}

static void other_doubts_name_what_helps(void **state)
{
    struct bench *bench = *state;
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_says(bench, VERDICT_SHORT,
                "Too little time: rely on L1, L2, L3, TLB, bandwidth; DRAM is in doubt (marked !). "
                "Repeat with --thorough or a larger --budget.");
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_DRIFT);
    assert_says(bench, VERDICT_DOUBTFUL,
                "Rely on L1, L2, L3, TLB, bandwidth; DRAM is in doubt (marked !). What helps: let "
                "the machine settle (temperature, background work) and repeat.");
}

/* Wider than asked for is shown by the interval itself. */
static void a_wide_interval_is_no_doubt(void **state)
{
    struct bench *bench = *state;
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_UNCONVERGED);
    assert_says(bench, VERDICT_SOUND, "All 9 values can be relied on.");
}

static void what_has_no_value_or_no_trials_says_so(void **state)
{
    struct bench *bench = *state;
    struct point point = {.y = {.median = 1, .n = 1}};
    struct series series = {.name = "latency", .points = &point, .point_count = 1};
    bench->probes[0].series = &series;
    bench->probes[0].series_count = 1;
    bench->document.probe_count = 1;
    bench->document.run.started = NULL;
    assert_says(bench, VERDICT_IMPORTED,
                "Imported: the table holds no trials, so the precision of its values is unknown.");
    bench->document.run.started = "2026-11-21T04:18:25Z";
    bench->probes[0].finding_count = 0;
    assert_says(bench, VERDICT_SINGLE,
                "1 of 1 value comes from a single trial: nothing is known of how precise it is.");
    point.y.n = 2;
    assert_says(bench, VERDICT_SOUND, "The one value can be relied on.");
    point.flags = FLAG_BIT(FLAG_MODELLED);
    assert_says(bench, VERDICT_MODELLED, "Modelled: 1 value of a model, none of hardware.");
    point.y.n = 0;
    assert_says(bench, VERDICT_EMPTY, "Nothing was measured: the reason is below.");
    bench->document.run.complete = false;
    assert_says(bench, VERDICT_STOPPED,
                "Not complete: the run was stopped, and this is what it had measured.");
}

static void the_document_holds_the_same_verdict(void **state)
{
    struct bench *bench = *state;
    bench->document.conditions.load1 = 12;
    assert_int_equal(verdict_note(&bench->document, NULL), 0);
    const struct verdict_facts *facts = &bench->document.verdict;
    assert_string_equal(facts->state, "busy");
    assert_memory_equal(facts->sentence, "Busy (load 12", 13);
    assert_int_equal(facts->rely_count, 3);
    assert_string_equal(facts->rely[2], "TLB");
    assert_int_equal(facts->beside_count, 3);
    assert_string_equal(facts->beside[1], "DRAM");
    assert_int_equal(facts->doubt_count + facts->lacking_count, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_quiet_machine_takes_one_short_sentence),
        TEST(beside_a_load_what_is_shared_is_as_found),
        TEST(noise_alone_is_no_worse_for_a_load),
        TEST(the_time_that_others_used_decides_where_it_is_known),
        TEST(a_small_load_counts_where_a_value_shows_it),
        TEST(a_second_level_of_several_cores_is_shared),
        TEST(other_doubts_name_what_helps),
        TEST(a_wide_interval_is_no_doubt),
        TEST(what_has_no_value_or_no_trials_says_so),
        TEST(the_document_holds_the_same_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
