/* Looks at the CPUs of the machine that the test runs on, as if it were a guest. */
#include "measure/run/placement.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct machine machine;
    struct cpulist cpus;
    struct clock clock;
    struct engine engine;
    struct run_facts facts;
    struct pool pool;
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.machine.facts.hypervisor = "a test"};
    bench.engine = (struct engine){.machine = &bench.machine, .clock = &bench.clock};
    clock_calibrate_below(&bench.clock, NULL);
    *state = &bench;
    if (os_affinity(&bench.cpus, NULL) < 0) /* no port for this system */
        return 0;
    return team_create(&bench.engine.team, NULL, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    placement_close(bench->engine.placement);
    team_free(bench->engine.team);
    cpulist_free(&bench->cpus);
    pool_free(&bench->pool);
    return 0;
}

static struct bench *need(void **state, size_t cpus)
{
    struct bench *bench = *state;
    if (bench->cpus.count < cpus)
        skip();
    return bench;
}

static int open_it(struct bench *bench)
{
    return placement_open(&bench->engine, &bench->cpus, 60, &bench->facts, &bench->pool, NULL);
}

/* A look tells nothing while other programs leave the CPUs no time together. */
static void a_look_names_what_the_pair_shares(void **state)
{
    struct bench *bench = need(state, 2);
    assert_int_equal(open_it(bench), 0);
    assert_non_null(bench->engine.placement);
    const struct placement *placement = bench->engine.placement;
    for (unsigned told = 0; told < 3;) {
        assert_int_equal(placement_look(bench->engine.placement, NULL), 0);
        told += placement->found[placement->look_count - 1] != PLACEMENT_MOVING;
        assert_true(placement->look_count < 200);
    }
    assert_true(bench->facts.placement_count >= 1);
    unsigned looks = 0;
    for (size_t i = 0; i < bench->facts.placement_count; i++) {
        const struct placement_facts *found = &bench->facts.placements[i];
        assert_non_null(strstr(found->name, "CPUs "));
        assert_true(strstr(found->name, ": one core") || strstr(found->name, ": one L2") ||
                    strstr(found->name, ": apart") || strstr(found->name, ": not seen"));
        looks += found->looks;
    }
    assert_int_equal(looks, 3);
}

static void nothing_moves_the_cpus_of_a_machine_without_a_hypervisor(void **state)
{
    struct bench *bench = need(state, 1);
    bench->machine.facts.hypervisor = NULL;
    assert_int_equal(open_it(bench), 0);
    assert_null(bench->engine.placement);
    bench->machine.facts.hypervisor = "a test";
    bench->cpus.count = 1;
    assert_int_equal(open_it(bench), 0);
    assert_null(bench->engine.placement);
}

static void one_handoff_takes_some_nanoseconds(void **state)
{
    struct bench *bench = need(state, 2);
    double ns = NAN;
    for (int try = 0; try < 5 && !(ns > 0); try++) /* the CPUs may get no time */
        assert_int_equal(placement_handoff(&bench->machine, bench->cpus.ids[0], bench->cpus.ids[1],
                                           NULL, &ns, NULL),
                         0);
    assert_true(ns > 1 && ns < 1e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_look_names_what_the_pair_shares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_moves_the_cpus_of_a_machine_without_a_hypervisor,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_handoff_takes_some_nanoseconds, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
