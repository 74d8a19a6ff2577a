/* The variants of the chase all follow the same ring, whatever an element holds. */
#include "measure/kernels/chase.h"
#include "measure/kernels/chase_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 3 * 64 + 1 }; /* one more than three repeats: no repeat ends where it began */

/* Elements of two words, each holding the address of the one after the next. */
struct element {
    struct element *next;
    void *written;
};

static void link_elements(struct element *elements)
{
    for (size_t i = 0; i < COUNT; i++)
        elements[i] = (struct element){&elements[(i + 2) % COUNT], NULL};
}

static void a_spilled_pointer_goes_on_where_it_stopped(void **state)
{
    struct element elements[COUNT];
    link_elements(elements);
    struct chase chase = {&elements[0]};
    chase_spilled_run(&chase, 1);
    assert_ptr_equal(chase.position, &elements[2 * 64]);
    assert_int_equal(chase_spilled_run(&chase, 3),
                     (uint64_t)(uintptr_t)&elements[2 * 4 * 64 % COUNT]);
    for (size_t i = 0; i < COUNT; i++)
        assert_null(elements[i].written);
}

static void a_modifying_chase_writes_beside_each_pointer_it_followed(void **state)
{
    struct element elements[COUNT];
    link_elements(elements);
    struct chase chase = {&elements[0]};
    chase_modify_run(&chase, 1);
    assert_ptr_equal(chase.position, &elements[2 * 64]);
    for (size_t i = 0; i < COUNT; i++) {
        bool followed = i % 2 == 0 && i < 2 * 64;
        assert_ptr_equal(elements[i].written, followed ? elements[i].next : NULL);
        assert_ptr_equal(elements[i].next, &elements[(i + 2) % COUNT]);
    }
}

static const size_t sizes[] = {8, 64, 128, 256};

/* `count` elements that form one ring, each holding the index of the one after the next. */
static unsigned char *index_ring(size_t element_bytes)
{
    unsigned char *memory = calloc(COUNT, element_bytes);
    assert_non_null(memory);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t next = (i + 2) % COUNT;
        memcpy(memory + i * element_bytes, &next, sizeof next);
    }
    return memory;
}

static void an_index_chase_multiplies_by_the_elements_size(void **state)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int checked = 0; checked < 2; checked++) {
            kernel_function *run = chase_index_kernel(sizes[i], checked);
            assert_non_null(run);
            unsigned char *memory = index_ring(sizes[i]);
            struct chase_index chase = {memory, COUNT, 1};
            assert_int_equal(run(&chase, 1), 1 + 2 * 64);
            run(&chase, 2);
            assert_int_equal(chase.index, (1 + 2 * 3 * 64) % COUNT);
            free(memory);
        }
    assert_ptr_not_equal(chase_index_kernel(8, true), chase_index_kernel(8, false));
    assert_null(chase_index_kernel(512, true));
    assert_null(chase_index_kernel(512, false));
}

/* Without the check it would read far beyond the elements. */
static void a_checked_chase_ends_at_an_index_out_of_bounds(void **state)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = index_ring(sizes[i]);
        const uint64_t wild = COUNT;
        memcpy(memory + 20 * sizes[i], &wild, sizeof wild);
        struct chase_index chase = {memory, COUNT, 0};
        assert_int_equal(chase_index_kernel(sizes[i], true)(&chase, 1000), wild);
        assert_int_equal(chase.index, wild);
        free(memory);
    }
}

static void pointers_may_straddle_lines_where_it_says_so(void **state)
{
    if (!chase_straddles)
        skip();
    _Alignas(128) unsigned char memory[4 * 128];
    unsigned char *at[2] = {memory + 64 - 4, memory + 256 - 4};
    for (int i = 0; i < 2; i++)
        memcpy(at[i], &at[1 - i], sizeof(void *));
    struct chase chase = {at[1]};
    chase_run(&chase, 1);
    assert_ptr_equal(chase.position, at[1]);
    memcpy(at[1], &at[1], sizeof(void *));
    chase.position = at[0];
    chase_run(&chase, 1);
    assert_ptr_equal(chase.position, at[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spilled_pointer_goes_on_where_it_stopped),
        cmocka_unit_test(a_modifying_chase_writes_beside_each_pointer_it_followed),
        cmocka_unit_test(an_index_chase_multiplies_by_the_elements_size),
        cmocka_unit_test(a_checked_chase_ends_at_an_index_out_of_bounds),
        cmocka_unit_test(pointers_may_straddle_lines_where_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
