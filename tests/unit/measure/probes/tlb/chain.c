#include "measure/probes/tlb/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 4096, LINE = 64, COUNT = 192 };

static struct tlb_chain chain_make(enum tlb_layout layout)
{
    return (struct tlb_chain){
        .count = COUNT, .page_bytes = PAGE, .line_bytes = LINE, .layout = layout, .seed = 7};
}

static void a_chain_visits_each_of_its_lines_once(void **state)
{
    for (int layout = 0; layout < TLB_LAYOUTS; layout++) {
        struct tlb_chain chain = chain_make((enum tlb_layout)layout);
        size_t bytes = tlb_chain_bytes(&chain);
        chain.memory = aligned_alloc(PAGE * TLB_GROUP, (bytes + 32767) / 32768 * 32768);
        bool *seen = calloc(bytes / LINE, sizeof *seen);
        assert_non_null(chain.memory);
        unsigned char *first = tlb_chain_build(&chain), *at = first;
        size_t visited = 0;
        do {
            size_t offset = (size_t)(at - chain.memory);
            assert_true(offset + sizeof at <= bytes);
            assert_int_equal(offset % LINE, 0);
            assert_false(seen[offset / LINE]);
            seen[offset / LINE] = true;
            memcpy(&at, (void *)at, sizeof at);
        } while (++visited < COUNT && at != first);
        assert_int_equal(visited, COUNT);
        assert_ptr_equal(at, first);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(seen[tlb_chain_offset(&chain, i) / LINE]);
        free(seen);
        free(chain.memory);
    }
}

/* Counts how often each of `places` (lines of a page, sets of a TLB) is used. */
static void assert_even(const struct tlb_chain *chain, size_t unit, size_t places)
{
    size_t uses[512] = {0};
    for (size_t i = 0; i < chain->count; i++)
        uses[tlb_chain_offset(chain, i) / unit % places]++;
    for (size_t i = 0; i < places; i++) {
        assert_true(uses[i] >= chain->count / places);
        assert_true(uses[i] <= (chain->count + places - 1) / places);
    }
}

static void lines_fall_evenly_on_the_sets_of_a_cache(void **state)
{
    for (int layout = 0; layout < TLB_LAYOUTS; layout++) {
        struct tlb_chain chain = chain_make((enum tlb_layout)layout);
        for (chain.count = 16; chain.count < 200; chain.count += 7)
            assert_even(&chain, LINE, PAGE / LINE);
    }
}

static void pages_fall_evenly_on_the_sets_of_a_tlb(void **state)
{
    for (size_t sets = 2; sets <= 512; sets *= 2)
        for (size_t ways = 1; ways <= 12; ways++) {
            struct tlb_chain spread = chain_make(TLB_SPREAD), sparse = chain_make(TLB_SPARSE);
            spread.count = sparse.count = sets * ways;
            assert_even(&spread, PAGE, sets);
            if (sparse.count % 64 == 0)
                assert_even(&sparse, PAGE, sets);
        }
}

static void a_spread_line_has_a_page_of_its_own_and_a_sparse_one_a_group(void **state)
{
    struct tlb_chain spread = chain_make(TLB_SPREAD), sparse = chain_make(TLB_SPARSE);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(tlb_chain_offset(&spread, i) / PAGE, i);
        assert_int_equal(tlb_chain_offset(&sparse, i) / PAGE / TLB_GROUP, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_visits_each_of_its_lines_once),
        cmocka_unit_test(lines_fall_evenly_on_the_sets_of_a_cache),
        cmocka_unit_test(pages_fall_evenly_on_the_sets_of_a_tlb),
        cmocka_unit_test(a_spread_line_has_a_page_of_its_own_and_a_sparse_one_a_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
