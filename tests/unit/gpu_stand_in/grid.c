/* Blocks: their barriers, their clusters, their places on the multiprocessors. */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every thread writes a word of the scratchpad, and reads that of the opposite one. */
static void a_barrier_holds_until_all_are_there(void **state)
{
    (void)state;
    struct kit kit;
    const uint64_t *out =
        kit_out(&kit, "turing",
                ENTRY("mov.u32 %a, scratch; mad.lo.u32 %c, %t, 8, %a; cvt.u64.u32 %x, %g;\n"
                      "st.shared.u64 [%c], %x; bar.sync 0;\n"
                      "sub.u32 %n, %b, %t; mad.lo.u32 %c, %n, 8, %a;\n"
                      "ld.shared.u64 %x, [%c+-8]; st.global.u64 [%o], %x;"),
                5, 256, 256 * 8);
    assert_int_equal(kit.outcome.result, 0);
    for (uint64_t i = 0; i < 5 * 256; i++)
        assert_int_equal(out[i], i / 256 * 256 + 255 - i % 256);
    kit_close(&kit);
}

/* Those that have left are not waited for. */
static void a_barrier_counts_those_that_still_run(void **state)
{
    (void)state;
    struct kit kit;
    const uint64_t *out = kit_out(
        &kit, "turing",
        ENTRY(
            "setp.lt.u32 %k, %t, 96; @%k ret; bar.sync 0; mov.u64 %x, 3; st.global.u64 [%o], %x;"),
        1, 256, 0);
    assert_int_equal(kit.outcome.result, 0);
    for (uint64_t i = 0; i < 256; i++)
        assert_int_equal(out[i], i < 96 ? 0 : 3);
    kit_close(&kit);
}

static void not_all_reach_a_barrier(void **state)
{
    (void)state;
    assert_int_equal(kit_result("tiny",
                                ENTRY("setp.lt.u32 %k, %t, 32; @%k bra A; bar.sync 0; bra B;\n"
                                      "A: barrier.cluster.arrive; barrier.cluster.wait; B:"),
                                64, "barrier"),
                     RUN_TOO_LONG);
}

/* Block 0 of each cluster adds up what all blocks of it left in their scratchpads. */
static void a_cluster_sees_all_its_scratchpads(void **state)
{
    (void)state;
    struct kit kit;
    kit_open(&kit, "tiny");
    kit_load(&kit,
             ENTRY("mov.u32 %a, scratch; mul.lo.u32 %b, %g, 3; st.shared.u32 [%a], %b;\n"
                   "barrier.cluster.arrive; barrier.cluster.wait;\n"
                   "mov.u32 %b, %cluster_ctarank; setp.ne.u32 %k, %b, 0; @%k bra DONE;\n"
                   "mov.u32 %n, 0; mov.u64 %x, 0;\n"
                   "LOOP: mapa.shared::cluster.u32 %c, %a, %n; ld.shared::cluster.u32 %b, [%c];\n"
                   "cvt.u64.u32 %y, %b; add.u64 %x, %x, %y; add.u32 %n, %n, 1;\n"
                   "mov.u32 %b, %cluster_nctarank; setp.lt.u32 %k, %n, %b; @%k bra LOOP;\n"
                   "st.global.u64 [%o], %x;\n"
                   "DONE: barrier.cluster.arrive; barrier.cluster.wait;"));
    const uint64_t parameters[] = {kit_take(&kit, KIT_OUT_BYTES)};
    const uint64_t *out = kit_data(&kit, parameters[0]);
    struct run_grid grid = {.blocks = {12, 1, 1},
                            .threads = {1, 1, 1},
                            .cluster = 4,
                            .shared_bytes = 64,
                            .carve_out = -1};
    assert_int_equal(kit_run_as(&kit, "e", grid, parameters), 0);
    for (uint64_t i = 0; i < 12; i++)
        assert_int_equal(out[i], i % 4 ? 0 : 3 * (4 * i + 6));
    grid.cluster = 2;
    assert_int_equal(kit_run_as(&kit, "e", grid, parameters), 0);
    for (uint64_t i = 0; i < 12; i += 2)
        assert_int_equal(out[i], 3 * (2 * i + 1));
    kit_close(&kit);
}

/* A rank that the cluster does not have leads nowhere. */
static void other_ranks_are_illegal(void **state)
{
    (void)state;
    assert_int_equal(kit_result("tiny",
                                ENTRY("mov.u32 %a, scratch; mapa.shared::cluster.u32 %a, %a, 1;\n"
                                      "ld.shared::cluster.u32 %b, [%a];"),
                                1, "illegal"),
                     RUN_ILLEGAL_ADDRESS);
}

/* More blocks than fit at once: each multiprocessor gets some, one block after the other. */
static void blocks_wait_for_a_place(void **state)
{
    (void)state;
    struct kit kit;
    const uint64_t *out =
        kit_out(&kit, "tiny,carve_out=0:16K",
                ENTRY("mov.u32 %a, %smid; cvt.u64.u32 %x, %a; mov.u64 %y, %clock64;\n"
                      "shl.b64 %y, %y, 8; or.b64 %x, %x, %y; st.global.u64 [%o], %x; bar.sync 0;"),
                400, 1, 16 << 10);
    unsigned blocks[4] = {0};
    assert_int_equal(kit.outcome.result, 0);
    for (size_t i = 0; i < 400; i++) {
        assert_true((out[i] & 255) <= 3);
        blocks[out[i] & 255]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(blocks[i], 100);
    /* One block a multiprocessor at a time, for scratchpad: the last begins long after the first.
     */
    assert_true((out[399] >> 8) - (out[3] >> 8) > 99 * 100);
    kit_close(&kit);
}

static void occupancy_is_what_the_narrowest_resource_gives(void **state)
{
    (void)state;
    static const struct {
        unsigned threads;
        uint32_t shared;
        int carve_out;
        unsigned blocks;
        uint64_t scratchpad;
    } cases[] = {
        {32, 0, -1, 8, 0},           {64, 0, -1, 8, 0},
        {65, 0, -1, 5, 0},           {512, 0, -1, 1, 0},
        {513, 0, -1, 0, 0},          {32, 1024, -1, 8, 8 << 10},
        {32, 4096, -1, 4, 16 << 10}, {32, 1024, 0, 4, 4 << 10},
        {32, 0, 100, 8, 16 << 10},   {32, 16385, -1, 0, 16 << 10},
    };
    struct kit kit;
    kit_open(&kit, "tiny,l1=32K,carve_out=0:4K:8K:16K");
    kit_load(&kit, ".entry e() { ret; }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t scratchpad;
        unsigned blocks = run_occupancy(&kit.machine, ptx_find(&kit.module, "e"), cases[i].threads,
                                        cases[i].shared, cases[i].carve_out, &scratchpad);
        assert_int_equal(blocks, cases[i].blocks);
        assert_int_equal(scratchpad, cases[i].scratchpad);
    }
    kit_close(&kit);
}

/* What the scratchpad does not take is first level. */
static void the_split_follows_the_wish(void **state)
{
    (void)state;
    static const struct {
        int carve_out;
        uint32_t shared;
        uint64_t l1;
    } cases[] = {{-1, 0, 64}, {0, 0, 64}, {50, 0, 32}, {100, 0, 16}, {0, 9000, 48}};
    struct kit kit;
    kit_open(&kit, "tiny,carve_out=0:16K:32K:48K");
    kit_load(&kit, ".entry e() { ret; }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_grid grid = {.blocks = {1, 1, 1},
                                .threads = {1, 1, 1},
                                .cluster = 1,
                                .shared_bytes = cases[i].shared,
                                .carve_out = cases[i].carve_out};
        assert_int_equal(kit_run_as(&kit, "e", grid, NULL), 0);
        assert_int_equal(kit.hierarchy.l1_bytes, cases[i].l1 << 10);
    }
    kit_close(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_holds_until_all_are_there),
        cmocka_unit_test(a_barrier_counts_those_that_still_run),
        cmocka_unit_test(not_all_reach_a_barrier),
        cmocka_unit_test(a_cluster_sees_all_its_scratchpads),
        cmocka_unit_test(other_ranks_are_illegal),
        cmocka_unit_test(blocks_wait_for_a_place),
        cmocka_unit_test(occupancy_is_what_the_narrowest_resource_gives),
        cmocka_unit_test(the_split_follows_the_wish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
