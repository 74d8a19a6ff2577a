#include "memory.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DEVICES = 2, TRIED = 64 };
static const uint64_t size = UINT64_C(64) << 20;

static struct memory made(void)
{
    struct memory memory;
    struct machine machine = {.devices = DEVICES, .memory = size};
    memory_create(&memory, &machine);
    return memory;
}

static void memory_can_be_used_to_its_last_byte_and_no_further(void **state)
{
    (void)state;
    struct memory memory = made();
    uint64_t address = memory_take(&memory, 0, 1000);
    const struct allocation *found = memory_find(&memory, address, 1000);
    assert_non_null(found);
    memset(found->data, 7, 1000);
    assert_ptr_equal(memory_find(&memory, address + 1023, 1), found);
    assert_null(memory_find(&memory, address + 1024, 1));
    assert_null(memory_find(&memory, address + 1000, 25));
    assert_null(memory_find(&memory, address - 1, 1));
    assert_null(memory_find(&memory, address + 8, UINT64_MAX));
    assert_null(memory_find(&memory, 0, 1));
    assert_null(memory_find(&memory, UINT64_MAX, 1));
    memory_free(&memory);
}

static void what_was_given_back_is_gone_and_given_again(void **state)
{
    (void)state;
    struct memory memory = made();
    uint64_t first = memory_take(&memory, 0, 4096), second = memory_take(&memory, 0, 4096);
    assert_true(first != second);
    assert_false(memory_drop(&memory, first + 8, HOME_DEVICE));
    assert_false(memory_drop(&memory, first, HOME_HOST));
    assert_true(memory_drop(&memory, first, HOME_DEVICE));
    assert_false(memory_drop(&memory, first, HOME_DEVICE));
    assert_null(memory_find(&memory, first, 1));
    assert_non_null(memory_find(&memory, second, 1));
    assert_int_equal(memory_take(&memory, 0, 4096), first);
    memory_free(&memory);
}

static void there_is_no_more_than_the_device_has(void **state)
{
    (void)state;
    struct memory memory = made();
    assert_int_equal(memory_take(&memory, 0, 0), 0);
    assert_int_equal(memory_take(&memory, 0, size + 1), 0);
    assert_int_equal(memory_take(&memory, 0, UINT64_MAX), 0);
    assert_int_equal(memory_take(&memory, 0, size), 0); /* the system keeps some of it */
    uint64_t all = memory_take(&memory, 0, size - memory.used[0]);
    assert_true(all != 0);
    assert_int_equal(memory_take(&memory, 0, 1), 0);
    assert_true(memory_take(&memory, 1, 1) != 0);
    assert_true(memory_drop(&memory, all, HOME_DEVICE));
    assert_true(memory_take(&memory, 0, 1) != 0);
    memory_free(&memory);
}

/* Takes and gives back at random; nothing may overlap, in addresses or in places. */
static void allocations_never_overlap(void **state)
{
    (void)state;
    struct memory memory = made();
    struct random random = {3};
    uint64_t held[TRIED] = {0};
    for (int i = 0; i < 5000; i++) {
        uint64_t *slot = &held[random_below(&random, TRIED)];
        if (*slot)
            assert_true(memory_drop(&memory, *slot, HOME_DEVICE));
        *slot = memory_take(&memory, (unsigned)random_below(&random, DEVICES),
                            1 + random_below(&random, 1u << random_below(&random, 22)));
    }
    for (size_t i = 1; i < memory.count; i++) {
        const struct allocation *a = &memory.list[i - 1], *b = &memory.list[i];
        assert_true(a->address + a->bytes <= b->address);
        assert_true(a->device != b->device || a->place + a->bytes <= b->place);
    }
    for (unsigned device = 0; device < DEVICES; device++) {
        uint64_t before = memory.used[device], held_bytes = 0;
        for (size_t i = 0; i < memory.count; i++)
            held_bytes += memory.list[i].device == device ? memory.list[i].bytes : 0;
        memory_drop_device(&memory, device);
        assert_int_equal(before - memory.used[device], held_bytes);
    }
    assert_int_equal(memory.count, 0);
    memory_free(&memory);
}

static void host_memory_has_the_address_that_the_host_uses(void **state)
{
    (void)state;
    struct memory memory = made();
    uint64_t address = memory_take_host(&memory, 8000, 0, true);
    ((unsigned char *)(uintptr_t)address)[7999] = 9;
    const struct allocation *found = memory_find(&memory, address + 7999, 1);
    assert_non_null(found);
    assert_int_equal(found->home, HOME_HOST);
    assert_int_equal(found->data[7999], 9);
    assert_int_equal(memory_take_host(&memory, 0, 0, true), 0);
    memory_drop_device(&memory, 0);
    assert_non_null(memory_find(&memory, address, 1));
    assert_true(memory_drop(&memory, address, HOME_HOST));
    memory_free(&memory);
}

/* Large allocations begin on pages of their own, and small ones where a texture may. */
static void addresses_are_aligned(void **state)
{
    (void)state;
    struct memory memory = made();
    memory_take(&memory, 0, 8);
    assert_int_equal(memory_take(&memory, 0, 8) % 512, 0);
    assert_int_equal(memory_take(&memory, 0, 5000) % 8192, 0);
    assert_int_equal(memory_take(&memory, 0, 4 << 20) % (2 << 20), 0);
    memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_can_be_used_to_its_last_byte_and_no_further),
        cmocka_unit_test(what_was_given_back_is_gone_and_given_again),
        cmocka_unit_test(there_is_no_more_than_the_device_has),
        cmocka_unit_test(allocations_never_overlap),
        cmocka_unit_test(host_memory_has_the_address_that_the_host_uses),
        cmocka_unit_test(addresses_are_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
