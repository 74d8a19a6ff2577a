#include "measure/probes/geometry/chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, LOADS_MAX = 4096 };

/* Builds it and follows it round once; the offsets of its loads, in order. */
static size_t follow(const struct geometry_chain *chain, uint64_t seed, size_t *offsets)
{
    size_t bytes = geometry_chain_bytes(chain), loads = 0;
    unsigned char *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    assert_non_null(memory);
    unsigned char *first = geometry_chain_build(chain, memory, seed), *at = first;
    do {
        assert_true(at >= memory && at + sizeof at <= memory + bytes);
        offsets[loads++] = (size_t)(at - memory);
        memcpy(&at, (void *)at, sizeof at);
    } while (at != first && loads < LOADS_MAX);
    free(memory);
    assert_int_equal(loads, geometry_chain_loads(chain));
    return loads;
}

static void lines_in_conflict_are_a_stride_apart(void **state)
{
    size_t offsets[LOADS_MAX], other = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct geometry_chain chain = {GEOMETRY_CONFLICT, 13, 4096, 0, LINE};
        size_t n = follow(&chain, seed, offsets);
        bool seen[13] = {false};
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(offsets[i] % 4096, offsets[0] % 4096);
            assert_false(seen[offsets[i] / 4096]);
            seen[offsets[i] / 4096] = true;
        }
        other += offsets[0] % 4096 != 0;
    }
    assert_true(other > 10); /* another set for every trial */
}

static void pairs_share_what_is_larger_than_their_distance(void **state)
{
    size_t offsets[LOADS_MAX];
    for (size_t distance = 8; distance <= 256; distance *= 2) {
        struct geometry_chain chain = {GEOMETRY_PAIRS, 512, distance, 0, LINE};
        size_t n = follow(&chain, 3, offsets), sets[8] = {0};
        assert_int_equal(n, 1024);
        for (size_t i = 0; i < n; i += 2) {
            assert_int_equal(offsets[i + 1] - offsets[i], distance);
            assert_int_equal(offsets[i] / GEOMETRY_BLOCK, offsets[i + 1] / GEOMETRY_BLOCK);
            for (size_t line = 8; line <= GEOMETRY_BLOCK; line *= 2)
                assert_int_equal(offsets[i] / line == offsets[i + 1] / line, line > distance);
            sets[offsets[i] / LINE % 8]++;
            sets[offsets[i + 1] / LINE % 8]++;
        }
        for (int i = 0; i < 8; i++)
            assert_true(sets[i] > 64);
    }
}

static void hot_lines_stand_between_all_others(void **state)
{
    enum { STRIDE = 65536, ASIDE = 4096, OTHERS = 24 };
    for (int same = 0; same < 2; same++) {
        size_t offsets[LOADS_MAX];
        struct geometry_chain chain = {GEOMETRY_HOT, OTHERS, STRIDE, same ? 0 : ASIDE, LINE};
        assert_int_equal(geometry_chain_hot(&chain), OTHERS / (LINE / sizeof(void *)));
        size_t n = follow(&chain, 9, offsets);
        for (size_t i = 0; i < n; i += 2) {
            size_t hot = offsets[i + 1] - offsets[0] % STRIDE;
            assert_true(offsets[i] / STRIDE < OTHERS);
            assert_int_equal(offsets[i] % STRIDE, offsets[0] % STRIDE);
            assert_int_equal(hot % STRIDE / LINE * LINE, same ? 0 : ASIDE);
            assert_true(hot / STRIDE >= OTHERS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_in_conflict_are_a_stride_apart),
        cmocka_unit_test(pairs_share_what_is_larger_than_their_distance),
        cmocka_unit_test(hot_lines_stand_between_all_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
