#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_thread_knows_its_place(void **state)
{
    (void)state;
    struct kit kit;
    const uint64_t *out =
        kit_out(&kit, "turing", ENTRY("cvt.u64.u32 %x, %g; st.global.u64 [%o], %x;"), 7, 100, 0);
    assert_int_equal(kit.outcome.result, 0);
    for (uint64_t i = 0; i < 701; i++)
        assert_int_equal(out[i], i < 700 ? i : 0);
    kit_close(&kit);
}

static void grids_and_blocks_have_three_axes(void **state)
{
    (void)state;
    struct kit kit;
    kit_open(&kit, "turing");
    kit_load(&kit, ".entry e(.param .u64 out) { .reg .b64 %o; .reg .b32 %n, %v, %w;\n"
                   "ld.param.u64 %o, [out];\n"
                   "mov.u32 %n, %ctaid.z; mov.u32 %v, %nctaid.y; mov.u32 %w, %ctaid.y;\n"
                   "mad.lo.u32 %n, %n, %v, %w;\n"
                   "mov.u32 %v, %nctaid.x; mov.u32 %w, %ctaid.x; mad.lo.u32 %n, %n, %v, %w;\n"
                   "mov.u32 %v, %ntid.z; mov.u32 %w, %tid.z; mad.lo.u32 %n, %n, %v, %w;\n"
                   "mov.u32 %v, %ntid.y; mov.u32 %w, %tid.y; mad.lo.u32 %n, %n, %v, %w;\n"
                   "mov.u32 %v, %ntid.x; mov.u32 %w, %tid.x; mad.lo.u32 %n, %n, %v, %w;\n"
                   "mad.wide.u32 %o, %n, 4, %o; st.global.u32 [%o], %n; }");
    const uint64_t parameters[] = {kit_take(&kit, KIT_OUT_BYTES)};
    const uint32_t *out = kit_data(&kit, parameters[0]);
    struct run_grid grid = {
        .blocks = {2, 3, 4}, .threads = {5, 3, 7}, .cluster = 1, .carve_out = -1};
    out = kit_data(&kit, parameters[0]);
    assert_int_equal(kit_run_as(&kit, "e", grid, parameters), 0);
    for (uint32_t i = 0; i < 2 * 3 * 4 * 5 * 3 * 7; i++)
        assert_int_equal(out[i], i);
    kit_close(&kit);
}

/* Each thread adds up a different number of terms, odd ones in another way. */
static void threads_that_part_meet_again(void **state)
{
    (void)state;
    struct kit kit;
    const uint64_t *out =
        kit_out(&kit, "turing",
                ENTRY("mov.u64 %x, 0; mov.u32 %n, %t; and.b32 %a, %t, 1;\n"
                      "LOOP: setp.eq.u32 %k, %n, 0; @%k bra DONE;\n"
                      "setp.eq.u32 %k, %a, 0; @%k bra EVEN;\n"
                      "add.u64 %x, %x, 10; bra BOTH;\n"
                      "EVEN: add.u64 %x, %x, 1;\n"
                      "BOTH: sub.u32 %n, %n, 1; bra LOOP;\n"
                      "DONE: setp.gt.u32 %k, %t, 40; @%k ret; add.u64 %x, %x, 1000;\n"
                      "setp.le.u32 %k, %t, 40; vote.sync.ballot.b32 %b, %k, -1;\n"
                      "popc.b32 %b, %b; mul.wide.u32 %y, %b, 10000; add.u64 %x, %x, %y;\n"
                      "st.global.u64 [%o], %x;"),
                1, 64, 0);
    assert_int_equal(kit.outcome.result, 0);
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(out[i],
                         i > 40 ? 0 : 1000 + i * (i % 2 ? 10 : 1) + (i < 32 ? 320000 : 90000));
    kit_close(&kit);
}

static void atomic_operations_lose_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t before, after;
    } cases[] = {
        {"atom.global.add.u64 %x, [%p], 3;", 5, 5 + 3 * 2000},
        {"red.global.add.u64 [%p], 1;", 0, 2000},
        {"cvt.u64.u32 %x, %g; red.global.max.u64 [%p], %x;", 7, 1999},
        {"cvt.u64.u32 %x, %g; red.global.min.s64 [%p], %x;", 7, 0},
        {"red.global.or.b64 [%p], 6;", 1, 7},
        {"red.global.and.b64 [%p], 6;", 3, 2},
        {"atom.global.inc.u32 %a, [%p], 6;", 0, 2000 % 7},
        {"atom.global.cas.b64 %x, [%p], 9, 12;", 9, 12},
        {"atom.global.cas.b64 %x, [%p], 9, 12;", 8, 8},
        {"atom.global.exch.b64 %x, [%p], 4;", 9, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kit kit;
        char text[1024];
        kit_open(&kit, "turing");
        snprintf(text, sizeof text, "%s",
                 ".entry e(.param .u64 out) { " NUMBERED "ld.param.u64 %p, [out]; ");
        strcat(strcat(text, cases[i].text), " }");
        kit_load(&kit, text);
        const uint64_t parameters[] = {kit_take(&kit, KIT_OUT_BYTES)};
        uint64_t *out = kit_data(&kit, parameters[0]);
        out[0] = cases[i].before;
        assert_int_equal(kit_run(&kit, "e", 10, 200, 0, parameters), 0);
        if (out[0] != cases[i].after)
            fail_msg("%s: %lu", cases[i].text, (unsigned long)out[0]);
        kit_close(&kit);
    }
}

/* A load does not wait for itself: a clock after it says nothing, unless a branch needs the value.
 */
static void a_clock_waits_only_for_what_is_needed(void **state)
{
    (void)state;
    static const char format[] =
        ".entry e(.param .u64 out) { .reg .b64 %%o, %%p, %%c, %%d; .reg .pred %%k;\n"
        "ld.param.u64 %%o, [out]; ld.param.u64 %%p, [out];\n"
        "mov.u64 %%c, %%clock64; ld.global.cv.u64 %%p, [%%p]; %s mov.u64 %%d, %%clock64;\n"
        "sub.u64 %%d, %%d, %%c; st.global.u64 [%%o+8], %%d; }";
    uint64_t cycles[2];
    for (int waits = 0; waits < 2; waits++) {
        struct kit kit;
        char text[1024];
        snprintf(text, sizeof text, format, waits ? "setp.eq.u64 %k, %p, 1; @%k trap;" : "");
        const uint64_t *out = kit_out(&kit, "turing", text, 1, 1, 0);
        assert_int_equal(kit.outcome.result, 0);
        cycles[waits] = out[1];
        kit_close(&kit);
    }
    assert_true(cycles[0] >= 1 && cycles[0] <= 10);
    assert_true(cycles[1] >= 436 && cycles[1] <= 436 + 150);
}

static void clocks_agree_with_the_time(void **state)
{
    (void)state;
    struct kit kit;
    const uint64_t *out =
        kit_out(&kit, "tiny,clock_mhz=500,timer_ns=32",
                ENTRY("mov.u64 %x, %globaltimer; mov.u64 %y, %clock64; mov.u32 %n, 0;\n"
                      "LOOP: add.u32 %n, %n, 1; setp.lt.u32 %k, %n, 10000; @%k bra LOOP;\n"
                      "mov.u64 %p, %clock64; sub.u64 %y, %p, %y; st.global.u64 [%o], %y;\n"
                      "mov.u64 %p, %globaltimer; sub.u64 %x, %p, %x; st.global.u64 [%o+8], %x;\n"
                      "st.global.u64 [%o+16], %p;"),
                1, 1, 0);
    assert_int_equal(kit.outcome.result, 0);
    assert_true(out[0] >= 10000 && out[0] <= 1000000);
    assert_int_equal(out[1] % 32, 0);
    assert_true(out[1] >= 2 * out[0] - 64 && out[1] <= 2 * out[0] + 64);
    assert_true(out[2] >= 1000000000 && out[2] <= 1000000000 + 3 * out[1]);
    kit_close(&kit);
}

static void what_goes_wrong_has_its_result(void **state)
{
    (void)state;
    static const char *const illegal[] = {
        ENTRY("ld.global.u64 %x, [0];"),
        ENTRY("ld.global.u64 %x, [%o+65536];"),
        ENTRY("ld.global.u64 %x, [%o+-8];"),
        ENTRY("st.global.u64 [%o+-512], %x;"),
        ENTRY("ld.shared.u32 %a, [0];"),
        ENTRY("mov.u32 %a, scratch; ld.shared.u32 %b, [%a+1024];"),
        ENTRY("mov.u32 %a, scratch; st.shared.u32 [%a+-4], %b;"),
        ENTRY("mov.u64 %x, scratch; cvta.shared.u64 %x, %x; ld.u64 %y, [%x+1024];"),
        ENTRY("ld.const.u32 %a, [0];"),
        ENTRY("atom.global.add.u64 %x, [8], 1;"),
        ENTRY("tex.1d.v4.u32.s32 {%a, %b, %c, %n}, [%x, {%a}];"),
    };
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        assert_int_equal(kit_result("turing", illegal[i], 1, "illegal address in 'e', line 9"),
                         RUN_ILLEGAL_ADDRESS);
    assert_int_equal(kit_result("turing", ENTRY("ld.global.u64 %x, [%o+4];"), 1, "misaligned"),
                     RUN_MISALIGNED);
    assert_int_equal(
        kit_result("turing", ENTRY("ld.global.v2.u64 {%x, %y}, [%o+8];"), 1, "misaligned"),
        RUN_MISALIGNED);
    assert_int_equal(kit_result("turing", ENTRY("trap;"), 32, "trap"), RUN_TRAPPED);
    assert_int_equal(kit_result("turing,watchdog=0.001", ENTRY("LOOP: bra LOOP;"), 32, "timed out"),
                     RUN_TOO_LONG);
}

static void two_runs_are_the_same(void **state)
{
    (void)state;
    static const char text[] =
        ENTRY("mov.u32 %n, 0; LOOP: ld.global.u64 %x, [%o]; add.u64 %x, %x, 1;\n"
              "st.global.u64 [%o], %x; bar.sync 0; add.u32 %n, %n, 1; setp.lt.u32 %k, %n, 20;\n"
              "@%k bra LOOP; mov.u64 %y, %clock64; st.global.u64 [%o], %y;");
    uint64_t first[2000], cycles = 0;
    for (int i = 0; i < 2; i++) {
        struct kit kit;
        /* Memory that the system gives elsewhere must not matter. */
        void *other = malloc((size_t)i * 123457 + 1);
        const uint64_t *out = kit_out(&kit, "random:9", text, 20, 100, 0);
        assert_int_equal(kit.outcome.result, 0);
        if (i)
            assert_memory_equal(first, out, sizeof first);
        if (i)
            assert_int_equal(cycles, kit.outcome.cycles);
        memcpy(first, out, sizeof first);
        cycles = kit.outcome.cycles;
        kit_close(&kit);
        free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_knows_its_place),
        cmocka_unit_test(grids_and_blocks_have_three_axes),
        cmocka_unit_test(threads_that_part_meet_again),
        cmocka_unit_test(atomic_operations_lose_nothing),
        cmocka_unit_test(a_clock_waits_only_for_what_is_needed),
        cmocka_unit_test(clocks_agree_with_the_time),
        cmocka_unit_test(what_goes_wrong_has_its_result),
        cmocka_unit_test(two_runs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
