#include "compare/facts.h"

#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct document a, b;
    struct changed_facts facts;
};

static int set_up(void **state)
{
    static struct bench bench;
    sample_document(&bench.a, 4, 1);
    sample_document(&bench.b, 4, 1);
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    document_free(&bench->a);
    document_free(&bench->b);
    return 0;
}

static const struct changed_fact *find(struct bench *bench, const char *what)
{
    bench->facts = (struct changed_facts){NULL, 0};
    facts_compare(&bench->facts, &bench->a.pool, &bench->a, &bench->b);
    for (size_t i = 0; i < bench->facts.count; i++)
        if (strcmp(bench->facts.list[i].what, what) == 0)
            return &bench->facts.list[i];
    return NULL;
}

static void the_same_machine_has_no_changed_fact(void **state)
{
    struct bench *bench = *state;
    assert_null(find(bench, ""));
    assert_int_equal(bench->facts.count, 0);
    bench->b.machine.memory_bytes -=
        bench->b.machine.memory_bytes / 200; /* another kernel's share */
    assert_null(find(bench, "memory"));
}

static void less_is_worse(void **state)
{
    struct bench *bench = *state;
    struct declared_clock slow = {.max_hz = 3000000000}, fast = {.max_hz = 3700000000};
    bench->a.machine.declared.clocks = &fast;
    bench->b.machine.declared.clocks = &slow;
    bench->a.machine.declared.clock_count = bench->b.machine.declared.clock_count = 1;
    bench->b.machine.threads /= 2;
    bench->b.machine.memory_bytes /= 2;
    bench->b.machine.caches[3].ways = 11;
    static const char *const worse[] = {"CPUs", "memory", "highest clock", "declared L3 ways"};
    for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
        const struct changed_fact *fact = find(bench, worse[i]);
        assert_non_null(fact);
        assert_int_equal(fact->side, SIDE_MORE);
    }
    assert_int_equal(bench->facts.count, 4);
    assert_true(facts_have(&bench->facts, SIDE_MORE) && !facts_have(&bench->facts, SIDE_LESS));
    assert_string_equal(find(bench, "memory")->before, "24 GiB");
}

static void texts_have_no_side_and_an_unknown_one_is_not_compared(void **state)
{
    struct bench *bench = *state;
    bench->b.machine.kernel = "6.19";
    bench->b.machine.bios = "2.4";
    bench->b.conditions.thp = "never";
    assert_int_equal(find(bench, "kernel")->side, SIDE_NEITHER);
    assert_non_null(find(bench, "transparent huge pages"));
    assert_null(find(bench, "BIOS"));
    assert_false(facts_have(&bench->facts, SIDE_NEITHER));
}

static void mitigations_and_microcode_are_compared_one_by_one(void **state)
{
    struct bench *bench = *state;
    static const char *before[] = {"meltdown: Mitigation: PTI", "mds: Vulnerable"},
                      *after[] = {"mds: Vulnerable", "l1tf: Mitigation: PTE Inversion"};
    bench->a.machine.mitigations = before;
    bench->a.machine.mitigation_count = 2;
    bench->a.machine.microcode = "0x1";
    assert_null(find(bench, "mitigation of meltdown")); /* of an older document nothing is known */
    bench->b.machine.mitigations = after;
    bench->b.machine.mitigation_count = 2;
    bench->b.machine.microcode = "0x2";
    assert_string_equal(find(bench, "mitigation of meltdown")->after, "not affected");
    assert_string_equal(find(bench, "mitigation of l1tf")->after, "Mitigation: PTE Inversion");
    assert_string_equal(find(bench, "microcode")->before, "0x1");
    assert_null(find(bench, "mitigation of mds"));
}

static void the_runs_differ_apart_from_the_machine(void **state)
{
    struct bench *bench = *state;
    bench->b.tool.version = "9.9";
    bench->b.conditions.load1 = 8;
    bench->b.run.complete = false;
    static const char *const of_run[] = {"fathom", "load average", "the run"};
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        assert_true(find(bench, of_run[i])->of_run);
    assert_int_equal(bench->facts.count, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_machine_has_no_changed_fact),
        TEST(less_is_worse),
        TEST(texts_have_no_side_and_an_unknown_one_is_not_compared),
        TEST(mitigations_and_microcode_are_compared_one_by_one),
        TEST(the_runs_differ_apart_from_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
