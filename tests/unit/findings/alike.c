/* What of two documents makes a difference no change of the machine. */
#include "findings/alike.h"

#include "../result/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LATENCY, DRAM, DRAM_NS, ONE, ALL, FINDINGS };
static const struct {
    const char *name, *unit;
    double value;
} told[FINDINGS] = {{"L2.latency", "cycles", 14},
                    {"DRAM.latency", "cycles", 600},
                    {"DRAM.latency_ns", "ns", 160},
                    {"bandwidth.read.1", "B/s", 40e9},
                    {"bandwidth.read.all", "B/s", 70e9}};

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

/* Its memory answers later and gives less: others may have used it, if there were any. */
static void a_crowded_memory_is_later_and_narrower(void **state)
{
    static const struct {
        double others, dram, one;
        bool crowded;
    } cases[] = {{1, 1.2, 0.7, true},  {1, 1.2, 1, false},   {1, 1, 0.7, false},
                 {0, 1.2, 0.7, false}, {1, NAN, 0.7, true},  {1, 1.2, NAN, true},
                 {1, 0.9, 0.7, false}, {1, 1.02, 0.7, false}};
    struct bench *bench = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finding *now = bench->probes[1].findings;
        bench->documents[1].conditions.others_cpus = cases[i].others;
        now[DRAM].value = told[DRAM].value * cases[i].dram;
        now[DRAM_NS].value = told[DRAM_NS].value * cases[i].dram;
        now[ONE].value = told[ONE].value * cases[i].one;
        const struct alike alike = of(bench);
        assert_int_equal(alike.crowded[1], cases[i].crowded);
        assert_false(alike.crowded[0]);
        assert_int_equal(alike_is_of_others(&alike, finding(bench, DRAM), 1), cases[i].crowded);
        assert_int_equal(alike_is_of_others(&alike, finding(bench, ONE), 1), cases[i].crowded);
        assert_false(alike_is_of_others(&alike, finding(bench, DRAM), 0));
        assert_false(alike_is_of_others(&alike, finding(bench, LATENCY), 1)); /* a core's own */
    }
}

/* Whoever uses a CPU has a part of what all of them give. */
static void all_cpus_together_give_less_beside_others(void **state)
{
    struct bench *bench = *state;
    bench->documents[1].conditions.others_cpus = 1;
    const struct alike alike = of(bench);
    assert_true(alike_is_of_others(&alike, finding(bench, ALL), 1));
    assert_false(alike_is_of_others(&alike, finding(bench, ALL), 0));
    assert_false(alike_is_of_others(&alike, finding(bench, ONE), 1));
}

static void what_is_shared_is_as_found_beside_others(void **state)
{
    struct bench *bench = *state;
    for (int others = 0; others < 2; others++) {
        bench->documents[1].conditions.others_cpus = others;
        const struct alike alike = of(bench);
        assert_int_equal(alike_is_beside_others(&alike, finding(bench, DRAM)), others);
        assert_int_equal(alike_is_beside_others(&alike, finding(bench, ONE)), others);
        assert_false(alike_is_beside_others(&alike, finding(bench, LATENCY)));
    }
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
    bench->documents[0].run.joined = "baseline";
    const struct alike alike = of(bench);
    assert_false(alike_is_doubtful(&alike, finding(bench, ALL)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_crowded_memory_is_later_and_narrower),
        TEST(all_cpus_together_give_less_beside_others),
        TEST(what_is_shared_is_as_found_beside_others),
        TEST(what_a_guest_has_of_its_host_proves_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
