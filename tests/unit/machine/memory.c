/* Memory by each page policy, as this machine grants or refuses it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "machine/os.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static const size_t page_bytes[PAGES_COUNT] = {
    [PAGES_SMALL] = 0, /* whatever the base page is */
    [PAGES_HUGE2M] = (size_t)2 * MIB,
    [PAGES_HUGE1G] = (size_t)1024 * MIB,
};

static void touch(char *memory, size_t bytes)
{
    size_t step = 4096;
    for (size_t at = 0; at < bytes; at += step)
        memory[at] = 1;
}

/* Maps or skips the test with the system's reason. */
static char *map_or_skip(size_t bytes, enum page_policy policy, int node)
{
    struct error error = {0};
    char *memory = os_map(bytes, policy, node, &error);
    if (memory) {
        assert_int_equal((uintptr_t)memory % ((size_t)2 * MIB), 0);
        return memory;
    }
    assert_int_equal(error.code, ERROR_IMPOSSIBLE);
    assert_true(strlen(error.text) > 20);
    print_message("# %s: %s\n", page_policy_names[policy], error.text);
    skip();
    return NULL;
}

static void assert_plausible(const struct os_placement *placement)
{
    if (!isnan(placement->huge_share))
        assert_true(placement->huge_share >= 0 && placement->huge_share <= 1);
    if (!isnan(placement->node_share))
        assert_true(placement->node_share >= 0 && placement->node_share <= 1);
    assert_true(placement->node >= -1);
}

static void small_pages_are_small(void **state)
{
    size_t bytes = (size_t)16 * MIB;
    struct os_placement placement;
    char *memory = map_or_skip(bytes, PAGES_SMALL, -1);
    touch(memory, bytes);
    os_verify(memory, bytes, -1, &placement);
    assert_plausible(&placement);
    if (placement.page_bytes != 0) { /* an emulator may not know */
        assert_int_equal(placement.page_bytes, sysconf(_SC_PAGESIZE));
        assert_true(placement.huge_share == 0);
    }
    assert_true(isnan(placement.node_share));
    os_unmap(memory, bytes);
}

static void transparent_huge_pages_are_seen(void **state)
{
    size_t bytes = (size_t)16 * MIB;
    struct os_placement placement;
    char *memory = map_or_skip(bytes, PAGES_THP, -1);
    touch(memory, bytes);
    os_verify(memory, bytes, -1, &placement);
    assert_plausible(&placement);
    /* What was asked for need not be obtained, but the two answers have to agree. */
    if (placement.huge_share >= 0.9)
        assert_true(placement.page_bytes > (uint64_t)sysconf(_SC_PAGESIZE));
    if (placement.huge_share <= 0.1)
        assert_int_equal(placement.page_bytes, sysconf(_SC_PAGESIZE));
    os_unmap(memory, bytes);
}

static void reserved_pages(enum page_policy policy)
{
    size_t bytes = page_bytes[policy];
    struct os_placement placement;
    char *memory = map_or_skip(bytes, policy, -1);
    touch(memory, bytes);
    os_verify(memory, bytes, -1, &placement);
    assert_plausible(&placement);
    if (placement.page_bytes != 0) {
        assert_int_equal(placement.page_bytes, page_bytes[policy]);
        assert_true(placement.huge_share == 1);
    }
    os_unmap(memory, bytes);
}

static void reserved_pages_of_2_mib(void **state)
{
    reserved_pages(PAGES_HUGE2M);
}

static void reserved_pages_of_1_gib(void **state)
{
    reserved_pages(PAGES_HUGE1G);
}

static void bound_memory_lies_on_its_node(void **state)
{
    size_t bytes = (size_t)4 * MIB;
    struct os_placement placement;
    char *memory = map_or_skip(bytes, PAGES_SMALL, 0);
    touch(memory, bytes);
    os_verify(memory, bytes, 0, &placement);
    assert_plausible(&placement);
    if (!isnan(placement.node_share)) {
        assert_true(placement.node_share == 1);
        assert_int_equal(placement.node, 0);
    }
    os_unmap(memory, bytes);
}

static void a_node_that_is_not_there_is_refused(void **state)
{
    static const int nodes[] = {1023, 65535, 65536, 1 << 30};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct error error = {0};
        assert_null(os_map((size_t)2 * MIB, PAGES_SMALL, nodes[i], &error));
        assert_int_equal(error.code, ERROR_IMPOSSIBLE);
        assert_non_null(strstr(error.text, "NUMA node"));
    }
}

static void untouched_memory_has_no_pages(void **state)
{
    size_t bytes = (size_t)64 * MIB;
    struct os_placement placement;
    char *memory = map_or_skip(bytes, PAGES_SMALL, -1);
    os_verify(memory, bytes, 0, &placement);
    assert_int_equal(placement.node, -1);
    assert_true(isnan(placement.node_share));
    os_unmap(memory, bytes);
}

static void odd_sizes_are_mapped(void **state)
{
    static const size_t sizes[] = {1, 4095, 65536, 3 * MIB + 17};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *memory = map_or_skip(sizes[i], PAGES_SMALL, -1);
        struct os_placement placement;
        memset(memory, 1, sizes[i]);
        os_verify(memory, sizes[i], -1, &placement);
        assert_plausible(&placement);
        os_unmap(memory, sizes[i]);
    }
}

static void what_cannot_be_had_is_refused_with_a_remedy(void **state)
{
    static const enum page_policy policies[] = {PAGES_SMALL, PAGES_THP, PAGES_HUGE2M, PAGES_HUGE1G,
                                                PAGES_64K};
    static const size_t sizes[] = {0, SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 16 * 15};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            struct error error = {0};
            assert_null(os_map(sizes[j], policies[i], -1, &error));
            assert_int_equal(error.code, ERROR_IMPOSSIBLE);
            assert_non_null(strchr(error.text, ':'));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pages_are_small),
        cmocka_unit_test(transparent_huge_pages_are_seen),
        cmocka_unit_test(reserved_pages_of_2_mib),
        cmocka_unit_test(reserved_pages_of_1_gib),
        cmocka_unit_test(bound_memory_lies_on_its_node),
        cmocka_unit_test(a_node_that_is_not_there_is_refused),
        cmocka_unit_test(untouched_memory_has_no_pages),
        cmocka_unit_test(odd_sizes_are_mapped),
        cmocka_unit_test(what_cannot_be_had_is_refused_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
