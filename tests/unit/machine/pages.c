/* Pages as this system grants or refuses them. */
#include "machine/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void mappings_are_aligned_and_writable(void **state)
{
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

/* The mappings between `begin` and `end` that hold a whole aligned block of `block` bytes. */
static size_t mappings_with(uintptr_t begin, uintptr_t end, size_t block)
{
    char line[8192];
    size_t found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        skip();
    while (fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        if (sscanf(line, "%llx-%llx ", &from, &to) != 2 || to <= begin || from >= end)
            continue;
        from = from > begin ? from : begin;
        to = to < end ? to : end;
        found += (from + block - 1) / block * block + block <= to;
    }
    fclose(maps);
    return found;
}

/* The kernel takes the largest page that fits into a mapping: what is asked for fits, twice as much
 * does not. */
static void no_larger_page_fits_than_was_asked_for(void **state)
{
    enum { PAGES = 8 };
    /* An emulator passes no MADV_DONTDUMP on. */
    if (pages_bytes(PAGES_OF_4K) != 4096 || getenv("FATHOM_EMULATED"))
        skip();
    for (size_t page = 16384; page <= 1 << 20; page *= 2) {
        unsigned char *memory = pages_map(PAGES * page, PAGES_OF_SIZE, page);
        assert_non_null(memory);
        const uintptr_t begin = (uintptr_t)memory, end = begin + PAGES * page;
        assert_int_equal(begin % page, 0);
        assert_int_equal(mappings_with(begin, end, 2 * page), 0);
        for (uintptr_t at = begin; at < end; at += page)
            assert_int_equal(mappings_with(at, at + page, page), 1);
        assert_true(pages_unmap(memory, PAGES * page));
    }
}

static void what_can_not_be_had_is_refused(void **state)
{
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
        cmocka_unit_test(no_larger_page_fits_than_was_asked_for),
        cmocka_unit_test(what_can_not_be_had_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
