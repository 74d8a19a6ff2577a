/* What is done to a region's pages, and that the kernel counts the page faults that are meant. */
#include "measure/kernels/pages.h"

#include "machine/os.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { PAGES = 16, TRIES = 50 };

static struct pages region(enum pages_kind kind)
{
    const size_t page = pages_bytes(PAGES_OF_4K);
    if (!page)
        skip();
    return (struct pages){
        .bytes = PAGES * page, .step = page, .call_bytes = 2 * page, .kind = kind};
}

/* The sum of the first byte of each page. */
static unsigned touched(const struct pages *pages)
{
    unsigned sum = 0;
    for (uint64_t at = 0; at < pages->bytes; at += pages->step)
        sum += pages->memory[at];
    return sum;
}

static void each_page_is_touched_and_cleared(void **state)
{
    struct pages pages = region(PAGES_OF_4K);
    pages_restores[PAGES_FRESH](&pages, 1);
    assert_non_null(pages.memory);
    pages_kernels[PAGES_LOOK](&pages, 1);
    assert_int_equal(touched(&pages), 0);
    pages_kernels[PAGES_TOUCH](&pages, 1);
    assert_int_equal(touched(&pages), PAGES);
    pages.memory[pages.bytes - 1] = 7;
    pages_kernels[PAGES_CLEAR](&pages, 1);
    assert_int_equal(touched(&pages), 0);
    assert_int_equal(pages.memory[pages.bytes - 1], 0);
    pages_release(&pages);
    assert_null(pages.memory);
    assert_int_equal(pages.refused, 0);
}

static void what_is_given_back_is_untouched_again(void **state)
{
    struct pages pages = region(PAGES_OF_4K);
    pages_restores[PAGES_FILLED](&pages, 1);
    assert_int_equal(touched(&pages), PAGES);
    pages_kernels[PAGES_DISCARD](&pages, 1);
    assert_int_equal(touched(&pages), 0);
    pages_restores[PAGES_FILLED](&pages, 1);
    pages_kernels[PAGES_POPULATE](&pages, 1);
    assert_int_equal(touched(&pages), 0);
    unsigned char *memory = pages.memory, seen[PAGES];
    pages_kernels[PAGES_UNMAP](&pages, 1);
    assert_null(pages.memory);
    if (!getenv("FATHOM_EMULATED")) /* an emulator's own memory may lie there */
        assert_int_equal(mincore(memory, (size_t)pages.bytes, seen), -1);
    assert_int_equal(pages.refused, 0);
    pages_kernels[PAGES_UNMAP](&pages, 1); /* there is none: nothing of others' is unmapped */
    pages_kernels[PAGES_TOUCH](&pages, 1);
    pages_release(&pages);
}

static void shared_memory_keeps_what_it_holds(void **state)
{
    struct pages pages = region(PAGES_SHARED);
    pages_restores[PAGES_DROPPED](&pages, 1);
    assert_int_equal(touched(&pages), PAGES);
    unsigned char *before = pages.memory;
    pages_restores[PAGES_DROPPED](&pages, 1);
    assert_ptr_equal(pages.memory, before);
    assert_int_equal(touched(&pages), PAGES);
    pages_release(&pages);
}

static void a_twin_lives_until_it_is_released(void **state)
{
    struct pages pages = region(PAGES_OF_4K);
    pages_restores[PAGES_TWINNED](&pages, 1);
    const int first = pages.twin;
    assert_true(first > 0);
    assert_int_equal(kill(first, 0), 0);
    pages_kernels[PAGES_TOUCH](&pages, 1);
    pages_restores[PAGES_TWINNED](&pages, 1); /* the one before ends */
    assert_int_not_equal(pages.twin, first);
    assert_int_equal(kill(first, 0), -1);
    const int second = pages.twin;
    pages_release(&pages);
    assert_int_equal(kill(second, 0), -1);
    assert_int_equal(pages.twin, 0);
}

static void a_call_that_is_refused_is_counted(void **state)
{
    struct pages pages = region(PAGES_OF_4K);
    pages.bytes = (SIZE_MAX / 8 + 1) * 7; /* seven eighths of all addresses */
    pages_restores[PAGES_FRESH](&pages, 1);
    assert_null(pages.memory);
    assert_int_equal(pages.refused, 1);
    pages_kernels[PAGES_TOUCH](&pages, 1);
    pages_kernels[PAGES_DISCARD](&pages, 1);
    pages_release(&pages);
}

static void what_stays_is_only_looked_at(void **state)
{
    unsigned char memory[256] = {0};
    struct pages_beside beside = {memory, 64, 4};
    pages_beside_run(&beside, 3);
    for (size_t i = 0; i < sizeof memory; i++)
        assert_int_equal(memory[i], 0);
}

/* Whether the kernel once counted exactly the faults that are meant: others may move pages. */
static bool counts(enum pages_action action, enum pages_restore restore, enum pages_kind kind,
                   uint64_t meant)
{
    struct pages pages = region(kind);
    bool exact = false;
    for (int try = 0; try < TRIES && !exact; try++) {
        struct os_thread_events before, after;
        pages_restores[restore](&pages, 1);
        os_thread_events(&before);
        pages_kernels[action](&pages, 1);
        os_thread_events(&after);
        exact = after.page_faults - before.page_faults == meant;
    }
    pages_release(&pages);
    return exact;
}

static void the_kernel_counts_what_is_meant(void **state)
{
    if (getenv("FATHOM_EMULATED") || !pages_counted())
        skip();
    assert_true(counts(PAGES_TOUCH, PAGES_FRESH, PAGES_OF_4K, PAGES));
    assert_true(counts(PAGES_LOOK, PAGES_FRESH, PAGES_OF_4K, PAGES));
    assert_true(counts(PAGES_TOUCH, PAGES_KEPT, PAGES_OF_4K, 0));
    assert_true(counts(PAGES_CLEAR, PAGES_KEPT, PAGES_OF_4K, 0));
    assert_true(counts(PAGES_TOUCH, PAGES_DROPPED, PAGES_SHARED, PAGES));
    assert_true(counts(PAGES_TOUCH, PAGES_TWINNED, PAGES_OF_4K, PAGES));
    assert_true(counts(PAGES_DISCARD, PAGES_FILLED, PAGES_OF_4K, 0));
    assert_true(counts(PAGES_UNMAP, PAGES_FILLED, PAGES_OF_4K, 0));
}

/* Kernels before 5.9 count the pages that are populated as well; some sandboxes do not. */
static void populated_pages_are_counted_or_not_at_all(void **state)
{
    if (getenv("FATHOM_EMULATED") || !pages_counted())
        skip();
    assert_true(counts(PAGES_POPULATE, PAGES_FRESH, PAGES_OF_4K, PAGES) ||
                counts(PAGES_POPULATE, PAGES_FRESH, PAGES_OF_4K, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_page_is_touched_and_cleared),
        cmocka_unit_test(what_is_given_back_is_untouched_again),
        cmocka_unit_test(shared_memory_keeps_what_it_holds),
        cmocka_unit_test(a_twin_lives_until_it_is_released),
        cmocka_unit_test(a_call_that_is_refused_is_counted),
        cmocka_unit_test(what_stays_is_only_looked_at),
        cmocka_unit_test(the_kernel_counts_what_is_meant),
        cmocka_unit_test(populated_pages_are_counted_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
