/* Pages as this system grants or refuses them. */
#include "machine/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void mappings_are_aligned_and_writable(void **state)
{
    (void)state;
    static const enum pages_kind kinds[] = {PAGES_OF_4K, PAGES_OF_THP, PAGES_SHARED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t page = pages_bytes(kinds[i]);
        unsigned char *memory = page ? pages_map(3 * page, kinds[i], page) : NULL;
        if (!page)
            continue;
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % page, 0);
        memory[0] = memory[3 * page - 1] = 5;
        assert_true(pages_unmap(memory, 3 * page));
    }
}

static void what_can_not_be_had_is_refused(void **state)
{
    (void)state;
    /* seven eighths of all addresses */
    const size_t page = pages_bytes(PAGES_OF_4K), most = (SIZE_MAX / 8 + 1) * 7;
    for (int kind = 0; kind < PAGES_KINDS; kind++)
        assert_null(pages_map(most, (enum pages_kind)kind, page));
    assert_false(pages_populate((unsigned char *)page + 1, most));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mappings_are_aligned_and_writable),
        cmocka_unit_test(what_can_not_be_had_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
