/* The thread that asks a device is kept near to it, and may go everywhere again afterwards. */
#include "measure/probes/gpu/near.h"

#include "machine/os.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct desk {
    struct machine machine;
    struct numa_facts nodes[2];
    struct cpulist before;
    char first[16], second[16];
};

/* Two nodes: the first allowed CPU is the first one's, the last one the second's. */
static int set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){.machine = {.facts = {.node_count = 2}}};
    if (os_affinity(&desk.before, NULL) < 0 || desk.before.count == 0)
        return 0;
    desk.machine.facts.nodes = desk.nodes;
    desk.machine.allowed = desk.before;
    snprintf(desk.first, sizeof desk.first, "%d", desk.before.ids[0]);
    snprintf(desk.second, sizeof desk.second, "%d", desk.before.ids[desk.before.count - 1]);
    desk.nodes[0] = (struct numa_facts){0, desk.first, 1};
    desk.nodes[1] = (struct numa_facts){4, desk.second, 1};
    *state = &desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    if (desk)
        cpulist_free(&desk->before);
    return 0;
}

static struct desk *need(void **state)
{
    if (!*state)
        skip(); /* no port for this system */
    return *state;
}

static size_t cpus_now(int *first)
{
    struct cpulist now;
    assert_int_equal(os_affinity(&now, NULL), 0);
    const size_t count = now.count;
    *first = count ? now.ids[0] : -1;
    cpulist_free(&now);
    return count;
}

static void the_thread_is_where_the_device_is_near(void **state)
{
    struct desk *desk = need(state);
    struct gpu_near near;
    int cpu;
    gpu_near_enter(&near, &desk->machine, 4);
    if (near.moved) { /* some emulators accept no mask */
        assert_int_equal(cpus_now(&cpu), 1);
        assert_int_equal(cpu, desk->before.ids[desk->before.count - 1]);
    }
    gpu_near_leave(&near);
    assert_int_equal(cpus_now(&cpu), desk->before.count);
    gpu_near_leave(&near); /* once is enough */
    assert_int_equal(cpus_now(&cpu), desk->before.count);
}

static void an_unknown_node_moves_nobody(void **state)
{
    struct desk *desk = need(state);
    const double nodes[] = {(double)NAN, 2, -1};
    struct gpu_near near;
    int cpu;
    for (size_t i = 0; i < 3; i++) {
        gpu_near_enter(&near, &desk->machine, nodes[i]);
        assert_false(near.moved);
        assert_int_equal(cpus_now(&cpu), desk->before.count);
        gpu_near_leave(&near);
    }
    gpu_near_enter(&near, NULL, 0);
    assert_false(near.moved);
    desk->machine.allowed = (struct cpulist){0}; /* the node has none of ours */
    gpu_near_enter(&near, &desk->machine, 0);
    assert_false(near.moved);
    desk->machine.facts.node_count = 1;
    gpu_near_enter(&near, &desk->machine, 0);
    assert_false(near.moved);
}

static void a_node_keeps_16_mib_to_itself(void **state)
{
    static const uint64_t mib = UINT64_C(1) << 20;
    struct numa_facts nodes[] = {{0, "0", 1}, {4, "1", 1}};
    struct node_place places[] = {{.free_bytes = 64 * mib}, {.free_bytes = 48 * mib}};
    struct machine machine = {.facts = {.nodes = nodes, .node_count = 2}, .nodes = places};
    assert_true(gpu_near_has_room(&machine, 0, 48 * mib));
    assert_false(gpu_near_has_room(&machine, 0, 49 * mib));
    assert_true(gpu_near_has_room(&machine, 4, 32 * mib));
    assert_false(gpu_near_has_room(&machine, 4, 33 * mib));
    assert_true(gpu_near_has_room(&machine, NAN, 100 * mib));
    assert_true(gpu_near_has_room(&machine, 7, 100 * mib));
    machine.nodes = NULL;
    assert_true(gpu_near_has_room(&machine, 0, 100 * mib));
    assert_true(gpu_near_has_room(NULL, 0, 100 * mib));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_thread_is_where_the_device_is_near, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unknown_node_moves_nobody, set_up, tear_down),
        cmocka_unit_test(a_node_keeps_16_mib_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
