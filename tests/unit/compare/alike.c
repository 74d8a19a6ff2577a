/* What of two documents makes a difference no change of the machine. */
#include "compare/alike.h"

#include "document/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LATENCY, DRAM, DRAM_NS, ONE, ALL, EFFICIENCY, L3, OWN, FINDINGS };
static const struct {
    const char *name, *unit;
    double value;
} told[FINDINGS] = {{"L2.latency", "cycles", 14},        {"DRAM.latency", "cycles", 600},
                    {"DRAM.latency_ns", "ns", 160},      {"bandwidth.read.1", "B/s", 40e9},
                    {"bandwidth.read.all", "B/s", 70e9}, {"bandwidth.read.efficiency", "", 0.9},
                    {"L3.latency", "cycles", 50},        {"L2.bandwidth.read", "B/s", 90e9}};

struct bench {
    struct document documents[2];
    struct probe_result probes[2];
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    for (int d = 0; d < 2; d++) {
        struct document *document = &bench.documents[d];
        *document = (struct document){
            .run = {.started = "2026-11-21T04:18:25Z", .complete = true},
            .machine = {.cores = 2, .threads = 2},
            .conditions = {.load1 = 0.1, .others_cpus = 0, .stolen_s = NAN, .affinity = "0-1"},
            .probes = &bench.probes[d],
            .probe_count = 1};
        bench.probes[d].name = "latency";
        for (int i = 0; i < FINDINGS; i++)
            sample_finding(document, &bench.probes[d], told[i].name, told[i].unit, told[i].value,
                           0.01);
    }
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    for (int d = 0; d < 2; d++)
        document_free(&bench->documents[d]);
    return 0;
}

static struct alike of(const struct bench *bench)
{
    return alike_of(&bench->documents[0], &bench->documents[1]);
}

static const struct finding *finding(const struct bench *bench, int which)
{
    return &bench->probes[0].findings[which];
}

static void move(struct finding *finding, double times)
{
    finding->value *= times;
    finding->low *= times;
    finding->high *= times;
}

/* Its memory answers later, and gives less by as much: others may have used it, if there were any.
 */
static void a_crowded_memory_is_later_and_narrower(void **state)
{
    static const struct {
        double others, dram, one;
        bool narrow, crowded;
    } cases[] = {{1, 1.2, 0.5, true, true},   {1, 1.2, 1, false, false},
                 {1, 1, 0.5, true, false},    {0, 1.2, 0.5, false, false},
                 {1, NAN, 0.5, true, true},   {1, 1.2, NAN, true, true},
                 {1, 0.9, 0.5, true, false},  {1, 1.02, 0.5, true, false},
                 {1, 1.2, 0.85, true, true},  /* as much less as it is later */
                 {1, 1.2, 0.9, false, false}, /* others would take more */
                 {1, 1.035, 0.5, true, true}, {1, NAN, 1, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tear_down(state);
        set_up(state);
        struct bench *bench = *state;
        struct finding *now = bench->probes[1].findings;
        bench->documents[1].conditions.others_cpus = cases[i].others;
        move(&now[DRAM], cases[i].dram);
        move(&now[DRAM_NS], cases[i].dram);
        move(&now[ONE], cases[i].one);
        const struct alike alike = of(bench);
        assert_int_equal(alike.others.crowded[1], cases[i].crowded);
        assert_int_equal(alike.others.narrow[1], cases[i].narrow);
        assert_false(alike.others.crowded[0] || alike.others.narrow[0]);
        assert_int_equal(alike_is_of_others(&alike, finding(bench, DRAM), 1), cases[i].narrow);
        assert_int_equal(alike_is_of_others(&alike, finding(bench, ONE), 1), cases[i].crowded);
        assert_false(alike_is_of_others(&alike, finding(bench, DRAM), 0));
        assert_false(alike_is_of_others(&alike, finding(bench, LATENCY), 1)); /* a core's own */
    }
}

/* Somebody uses the second run's memory, whose findings these are. */
static struct finding *crowd(struct bench *bench)
{
    struct finding *now = bench->probes[1].findings;
    bench->documents[1].conditions.others_cpus = 1;
    move(&now[DRAM_NS], 1.1);
    move(&now[ONE], 0.5);
    return now;
}

/* Few trials of a memory that nobody used may differ as much. */
static void a_memory_is_later_beyond_chance_or_not_crowded(void **state)
{
    struct bench *bench = *state;
    struct finding *now = crowd(bench);
    assert_true(of(bench).others.crowded[1]);
    now[DRAM_NS].low = told[DRAM_NS].value;
    assert_false(of(bench).others.crowded[1]);
    now[DRAM_NS].low = now[DRAM_NS].high = NAN; /* nothing says that it is chance */
    assert_true(of(bench).others.crowded[1]);
}

/* Where the system counted nobody, disturbed values are nobody's of this machine; who else shares a
 * guest's host it can't count. */
static void nobody_is_at_work_where_the_system_counts_nobody(void **state)
{
    struct bench *bench = *state;
    struct finding *slow = &bench->probes[1].findings[L3];
    move(slow, 1.2);
    slow->disturbance.longer = 0.2f;
    assert_false(of(bench).others.busy[1]);
    bench->documents[1].machine.hypervisor = "KVM";
    assert_true(of(bench).others.busy[1]);
    bench->documents[1].machine.hypervisor = NULL;
    bench->documents[1].machine.threads = 64; /* one of them is busy */
    bench->documents[1].conditions.others_cpus = 1;
    assert_true(of(bench).others.busy[1]);
    bench->documents[1].conditions.others_cpus = NAN;
    assert_true(of(bench).others.busy[1]);
}

/* Whoever uses a CPU has a part of what all of them give. */
static void all_cpus_together_give_less_beside_others(void **state)
{
    struct bench *bench = *state;
    bench->documents[1].conditions.others_cpus = 1;
    const struct alike alike = of(bench);
    assert_true(alike_is_of_others(&alike, finding(bench, ALL), 1));
    assert_true(alike_is_of_others(&alike, finding(bench, EFFICIENCY), 1));
    assert_true(alike_is_of_others(&alike, finding(bench, EFFICIENCY), 0)); /* one CPU had less */
    assert_true(alike_is_of_others(&alike, finding(bench, L3), 1));
    assert_false(alike_is_of_others(&alike, finding(bench, L3), 0));
    assert_false(alike_is_of_others(&alike, finding(bench, ALL), 0));
    assert_false(alike_is_of_others(&alike, finding(bench, ONE), 1));
}

static bool is_doubtful(const struct bench *bench, int which)
{
    const struct alike alike = of(bench);
    return alike_is_doubtful(&alike, finding(bench, which));
}

/* Other guests have a part of what the host's memory gives. A baseline of several runs knows how
 * much that moves. */
static void what_a_guest_has_of_its_host_proves_no_change(void **state)
{
    struct bench *bench = *state;
    for (int guests = 0; guests < 3; guests++) {
        bench->documents[0].machine.hypervisor = guests > 0 ? "KVM" : NULL;
        bench->documents[1].machine.hypervisor = guests > 1 ? "KVM" : NULL;
        const struct alike alike = of(bench);
        assert_int_equal(alike_is_doubtful(&alike, finding(bench, ALL)), guests == 2);
        assert_int_equal(alike_is_doubtful(&alike, finding(bench, EFFICIENCY)), guests == 2);
        assert_int_equal(alike_is_doubtful(&alike, finding(bench, ONE)), guests == 2);
        assert_false(alike_is_doubtful(&alike, finding(bench, DRAM)));
    }
    /* Unless one CPU and all of them say the same. */
    for (int all = -1; all <= 1; all++) {
        bench->probes[1].findings[ONE].value = told[ONE].value * 0.7;
        bench->probes[1].findings[ALL].value = told[ALL].value * (1 + 0.3 * all);
        const struct alike alike = of(bench);
        assert_int_equal(alike_is_doubtful(&alike, finding(bench, ONE)), all >= 0);
    }
    struct finding *one = &bench->probes[1].findings[ONE];
    bench->probes[1].findings[ALL].value = told[ALL].value * 0.7;
    one->value = told[ONE].value * 0.7;
    assert_false(is_doubtful(bench, ONE));
    /* Beside others by more than these take. */
    bench->documents[1].conditions.others_cpus = 1;
    assert_false(is_doubtful(bench, ONE));
    for (int most = 0; most < 2; most++) {
        const double times = most ? 0.7 : 0.8;
        one->value = told[ONE].value * times;
        bench->probes[1].findings[ALL].value = told[ALL].value * times;
        const struct alike beside = of(bench);
        assert_int_equal(alike_is_doubtful(&beside, finding(bench, ONE)), !most);
        assert_int_equal(alike_is_of_others(&beside, finding(bench, ONE), 1), !most);
        assert_false(alike_is_of_others(&beside, finding(bench, ONE), 0));
    }
    /* Who was at work in the run that got more took nothing from the other. */
    bench->documents[0].conditions.others_cpus = 1;
    bench->documents[1].conditions.others_cpus = 0;
    assert_false(is_doubtful(bench, ONE));
    bench->documents[0].conditions.others_cpus = 0;
    /* A guest of one CPU knows no other rate. */
    for (int d = 0; d < 2; d++)
        bench->probes[d].findings[ALL].value = NAN;
    for (int half = 0; half < 2; half++) {
        one->value = told[ONE].value * (half ? 0.5 : 0.8);
        assert_int_equal(is_doubtful(bench, ONE), !half);
    }
    bench->probes[0].findings[ALL].value = told[ALL].value;
    /* Who streams beside one CPU halves what it gets, and hardly what all get. */
    one->value = told[ONE].value * 0.5;
    bench->probes[1].findings[ALL].value = told[ALL].value * 0.9;
    assert_true(is_doubtful(bench, ONE));
    bench->documents[0].run.joined = "baseline";
    const struct alike alike = of(bench);
    assert_false(alike_is_doubtful(&alike, finding(bench, ALL)));
}

static void find_first_level(struct bench *bench, int in, double bytes)
{
    struct probe_result *probe = &bench->probes[in];
    sample_finding(&bench->documents[in], probe, "L1.capacity", "B", bytes, 0.01);
    probe->findings[probe->finding_count - 1].declared = 48 << 10;
}

/* Who holds a quarter of the first level is on the same core, and slows its other caches. What no
 * run finds a hypervisor declares of another machine. */
static void a_squeezed_core_is_slower(void **state)
{
    static const struct {
        double before_kib, kib;
        bool squeezed;
    } cases[] = {{47, 33, true}, {47, 47, false}, {33, 33, false}, {0, 33, true}, {47, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tear_down(state);
        set_up(state);
        struct bench *bench = *state;
        if (cases[i].before_kib > 0)
            find_first_level(bench, 0, cases[i].before_kib * 1024);
        if (cases[i].kib > 0)
            find_first_level(bench, 1, cases[i].kib * 1024);
        const struct alike alike = of(bench);
        assert_int_equal(alike_is_of_others(&alike, finding(bench, LATENCY), 1), cases[i].squeezed);
        assert_int_equal(alike_is_of_others(&alike, finding(bench, OWN), 1), cases[i].squeezed);
        assert_false(alike_is_of_others(&alike, finding(bench, LATENCY), 0));
        assert_false(alike_is_of_others(&alike, finding(bench, DRAM), 1));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_crowded_memory_is_later_and_narrower),
        TEST(all_cpus_together_give_less_beside_others),
        TEST(a_memory_is_later_beyond_chance_or_not_crowded),
        TEST(a_squeezed_core_is_slower),
        TEST(nobody_is_at_work_where_the_system_counts_nobody),
        TEST(what_a_guest_has_of_its_host_proves_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
