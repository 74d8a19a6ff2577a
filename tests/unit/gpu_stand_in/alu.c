/* Every operation, run as a kernel on a full warp and on a part of one, against the same in C. */
#include "base/random.h"
#include "kit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct operation {
    const char *text; /* of a, b, c (64 bits; r: 32 bits of them) into d, or into s, 32 bits */
    uint64_t (*expected)(uint64_t a, uint64_t b, uint64_t c);
};

#define U(x) ((uint32_t)(x))
#define L(x) ((int64_t)(x))
/* The upper half of a product; by the compiler's own type where it has one. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 wide_signed;
#define UPPER(a, b)        (uint64_t)((wide)(a) * (b) >> 64)
#define UPPER_SIGNED(a, b) (uint64_t)((wide)((wide_signed)L(a) * L(b)) >> 64)
#else
#define UPPER(a, b)        random_upper(a, b)
#define UPPER_SIGNED(a, b) (random_upper(a, b) - (L(a) < 0 ? (b) : 0) - (L(b) < 0 ? (a) : 0))
#endif

static int32_t S(uint64_t bits)
{
    return (int32_t)bits;
}

static float f(uint64_t bits)
{
    uint32_t low = U(bits);
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t fb(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double d(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t db(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define OPERATION(name, expression)                                                                \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return (expression);                                                                       \
    }

OPERATION(add_32, U(a + b))
OPERATION(add_64, a + b)
OPERATION(add_16, (uint16_t)(a + b))
OPERATION(sub_32, U(a - b))
OPERATION(mul_32, U(a *b))
OPERATION(mul_64, a *b)
OPERATION(mul_hi_u32, (uint64_t)U(a) * U(b) >> 32)
OPERATION(mul_hi_s32, U((uint64_t)((int64_t)S(a) * S(b)) >> 32))
OPERATION(mul_hi_u64, UPPER(a, b))
OPERATION(mul_hi_s64, UPPER_SIGNED(a, b))
OPERATION(mul_wide_u32, (uint64_t)U(a) * U(b))
OPERATION(mul_wide_s32, (uint64_t)((int64_t)S(a) * S(b)))
OPERATION(mad_32, U(a *b + c))
OPERATION(mad_wide_u32, (uint64_t)U(a) * U(b) + c)
OPERATION(div_u32, U(b) ? U(a) / U(b) : UINT32_MAX)
OPERATION(div_s64, !b ? UINT64_MAX : L(b) == -1 ? 0 - a : (uint64_t)(L(a) / L(b)))
OPERATION(rem_u64, b ? a % b : a)
OPERATION(rem_s32, U(!S(b) ? S(a) : S(b) == -1 ? 0 : S(a) % S(b)))
OPERATION(min_s32, U(S(a) < S(b) ? a : b))
OPERATION(max_u64, a > b ? a : b)
OPERATION(and_32, U(a &b))
OPERATION(or_64, a | b)
OPERATION(xor_32, U(a ^ b))
OPERATION(not_32, U(~a))
OPERATION(neg_64, 0 - a)
OPERATION(abs_s32, U(S(a) < 0 ? 0 - U(a) : U(a)))
OPERATION(shl_32, U(b) < 32 ? U(U(a) << U(b)) : 0)
OPERATION(shr_u64, U(b) < 64 ? a >> U(b) : 0)
OPERATION(shr_s32, U(S(a) >> (U(b) < 31 ? U(b) : 31)))
OPERATION(popc_64, (uint64_t)__builtin_popcountll(a))
OPERATION(clz_32, U(a) ? (uint64_t)__builtin_clz(U(a)) : 32)
OPERATION(cvt_u32_u64, U(a))
OPERATION(cvt_s64_s32, (uint64_t)(int64_t)S(a))
OPERATION(cvt_u64_u32, U(a))
OPERATION(cvt_s32_s8, (uint64_t)(int8_t)a &UINT32_MAX)
OPERATION(cvt_f64_s32, db((double)S(a)))
OPERATION(cvt_f32_u32, fb((float)(double)U(a)))
OPERATION(cvt_s32_f32, isnan(f(a)) ? 0 : U((int32_t)fmin(fmax((double)f(a), -0x1p31), 0x1p31 - 1)))
OPERATION(cvt_u64_f64, d(a) >= 0x1p64 ? UINT64_MAX : d(a) > 0 ? (uint64_t)d(a) : 0)
OPERATION(selp, U(a) < U(b) ? a : c)
OPERATION(lt_s32, S(a) < S(b))
OPERATION(ge_u64, a >= b)
OPERATION(eq_32, U(a) == U(b))
OPERATION(gt_f32, f(a) > f(b))
OPERATION(add_f32, fb(f(a) + f(b)))
OPERATION(fma_f64, db(fma(d(a), d(b), d(c))))
OPERATION(pack, U(a) | b << 32)
OPERATION(halves, (a >> 32) + U(a))
OPERATION(bfe, (a >> 7) & 0x7ff)
OPERATION(bfe_sign, (uint64_t)(L(a << (64 - 18)) >> (64 - 11)))
OPERATION(brev_twice, U(a))
OPERATION(ands, U(a) < U(b) && U(b) < U(c))

#define PREDICATE(text) text " selp.b64 %d, 1, 0, %k;"
#define NARROW(text)    text " cvt.u64.u32 %d, %s;"

static const struct operation operations[] = {
    {NARROW("add.u32 %s, %ra, %rb;"), add_32},
    {"add.s64 %d, %a, %b;", add_64},
    {NARROW("add.u16 %s, %ra, %rb;"), add_16},
    {NARROW("sub.s32 %s, %ra, %rb;"), sub_32},
    {NARROW("mul.lo.u32 %s, %ra, %rb;"), mul_32},
    {"mul.lo.s64 %d, %a, %b;", mul_64},
    {NARROW("mul.hi.u32 %s, %ra, %rb;"), mul_hi_u32},
    {NARROW("mul.hi.s32 %s, %ra, %rb;"), mul_hi_s32},
    {"mul.hi.u64 %d, %a, %b;", mul_hi_u64},
    {"mul.hi.s64 %d, %a, %b;", mul_hi_s64},
    {"mul.wide.u32 %d, %ra, %rb;", mul_wide_u32},
    {"mul.wide.s32 %d, %ra, %rb;", mul_wide_s32},
    {NARROW("mad.lo.u32 %s, %ra, %rb, %rc;"), mad_32},
    {"mad.wide.u32 %d, %ra, %rb, %c;", mad_wide_u32},
    {NARROW("div.u32 %s, %ra, %rb;"), div_u32},
    {"div.s64 %d, %a, %b;", div_s64},
    {"rem.u64 %d, %a, %b;", rem_u64},
    {NARROW("rem.s32 %s, %ra, %rb;"), rem_s32},
    {NARROW("min.s32 %s, %ra, %rb;"), min_s32},
    {"max.u64 %d, %a, %b;", max_u64},
    {NARROW("and.b32 %s, %ra, %rb;"), and_32},
    {"or.b64 %d, %a, %b;", or_64},
    {NARROW("xor.b32 %s, %ra, %rb;"), xor_32},
    {NARROW("not.b32 %s, %ra;"), not_32},
    {"neg.s64 %d, %a;", neg_64},
    {NARROW("abs.s32 %s, %ra;"), abs_s32},
    {NARROW("shl.b32 %s, %ra, %rb;"), shl_32},
    {"shr.u64 %d, %a, %rb;", shr_u64},
    {NARROW("shr.s32 %s, %ra, %rb;"), shr_s32},
    {"popc.b64 %d, %a;", popc_64},
    {"clz.b32 %d, %ra;", clz_32},
    {NARROW("cvt.u32.u64 %s, %a;"), cvt_u32_u64},
    {"cvt.s64.s32 %d, %ra;", cvt_s64_s32},
    {"cvt.u64.u32 %d, %ra;", cvt_u64_u32},
    {NARROW("cvt.s32.s8 %s, %ra;"), cvt_s32_s8},
    {"cvt.f64.s32 %d, %ra;", cvt_f64_s32},
    {NARROW("cvt.rn.f32.u32 %s, %ra;"), cvt_f32_u32},
    {PREDICATE("setp.lt.s32 %k, %ra, %rb;"), lt_s32},
    {PREDICATE("setp.ge.u64 %k, %a, %b;"), ge_u64},
    {PREDICATE("setp.eq.b32 %k, %ra, %rb;"), eq_32},
    {PREDICATE("setp.gt.f32 %k, %ra, %rb;"), gt_f32},
    {"setp.lt.u32 %k, %ra, %rb; selp.b64 %d, %a, %c, %k;", selp},
    {NARROW("add.f32 %s, %ra, %rb;"), add_f32},
    {"fma.rn.f64 %d, %a, %b, %c;", fma_f64},
    {"mov.b64 %d, {%ra, %rb};", pack},
    {"mov.b64 {%s, %t}, %a; cvt.u64.u32 %d, %s; cvt.u64.u32 %e, %t; add.u64 %d, %d, %e;", halves},
    {"bfe.u64 %d, %a, 7, 11;", bfe},
    {"bfe.s64 %d, %a, 7, 11;", bfe_sign},
    {NARROW("brev.b32 %s, %ra; brev.b32 %s, %s;"), brev_twice},
    {PREDICATE("setp.lt.u32 %k, %ra, %rb; setp.lt.u32 %j, %rb, %rc; and.pred %k, %k, %j;"), ands},
    {NARROW("cvt.rzi.s32.f32 %s, %ra;"), cvt_s32_f32},
    {"cvt.rzi.u64.f64 %d, %a;", cvt_u64_f64},
};

enum { OPERATIONS = sizeof operations / sizeof *operations, THREADS = 1024 };

static void write_kernel(char *text, size_t bytes, const struct operation *operation)
{
    snprintf(text, bytes,
             ".entry e(.param .u64 in, .param .u64 out) {\n"
             ".reg .b64 %%i, %%o, %%a, %%b, %%c, %%d, %%e; .reg .b32 %%t, %%s, %%ra, %%rb, %%rc;\n"
             ".reg .pred %%k, %%j;\n"
             "ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%t, %%tid.x;\n"
             "mad.wide.u32 %%i, %%t, 24, %%i; mad.wide.u32 %%o, %%t, 8, %%o;\n"
             "ld.global.u64 %%a, [%%i]; ld.global.u64 %%b, [%%i+8]; ld.global.u64 %%c, [%%i+16];\n"
             "cvt.u32.u64 %%ra, %%a; cvt.u32.u64 %%rb, %%b; cvt.u32.u64 %%rc, %%c;\n"
             "%s\nst.global.u64 [%%o], %%d; ret; }\n",
             operation->text);
}

/* Numbers at which arithmetic turns, and others. */
static uint64_t operand(struct random *random)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     UINT64_MAX,
                                     UINT32_MAX,
                                     INT32_MAX,
                                     UINT64_C(1) << 31,
                                     INT64_MAX,
                                     UINT64_C(1) << 63,
                                     0x3f800000,
                                     0xc0490fdb,
                                     0x3ff0000000000000};
    uint64_t kind = random_below(random, 3);
    if (kind == 0)
        return edges[random_below(random, sizeof edges / sizeof *edges)];
    return random_next(random) >> (kind == 1 ? 0 : random_below(random, 64));
}

static bool both_nan(uint64_t a, uint64_t b)
{
    return (isnan(f(a)) && isnan(f(b)) && a <= UINT32_MAX) || (isnan(d(a)) && isnan(d(b)));
}

static void check(struct kit *kit, const struct operation *operation, unsigned threads,
                  const uint64_t *in, const uint64_t *parameters)
{
    const uint64_t *out = kit_data(kit, parameters[1]);
    assert_int_equal(kit_run(kit, "e", 1, threads, 0, parameters), 0);
    for (unsigned i = 0; i < threads; i++) {
        const uint64_t *row = &in[3 * i];
        uint64_t expected = operation->expected(row[0], row[1], row[2]);
        if (out[i] != expected && !both_nan(out[i], expected))
            fail_msg("%s of %#lx, %#lx, %#lx: %#lx for %#lx", operation->text,
                     (unsigned long)row[0], (unsigned long)row[1], (unsigned long)row[2],
                     (unsigned long)out[i], (unsigned long)expected);
    }
}

static void every_operation_gives_what_c_gives(void **state)
{
    (void)state;
    struct kit kit;
    struct random random = {11};
    char text[2048];
    kit_open(&kit, "turing");
    const uint64_t parameters[] = {kit_take(&kit, THREADS * 24), kit_take(&kit, THREADS * 8)};
    uint64_t *in = kit_data(&kit, parameters[0]);
    for (size_t i = 0; i < OPERATIONS; i++) {
        write_kernel(text, sizeof text, &operations[i]);
        kit_load(&kit, text);
        for (unsigned j = 0; j < 3 * THREADS; j++)
            in[j] = operand(&random);
        check(&kit, &operations[i], THREADS, in, parameters);
        check(&kit, &operations[i], 13, in, parameters);
    }
    kit_close(&kit);
}

/* Lanes that take no part keep what they have. */
static void a_guard_spares_the_others(void **state)
{
    (void)state;
    struct kit kit;
    kit_open(&kit, "turing");
    kit_load(&kit,
             ".entry e(.param .u64 out) { .reg .b64 %o, %d; .reg .b32 %t, %u; .reg .pred %k;\n"
             "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 8, %o;\n"
             "and.b32 %u, %t, 3; setp.eq.u32 %k, %u, 1; mov.u64 %d, 5;\n"
             "@%k mov.u64 %d, 6; @!%k add.u64 %d, %d, 100;\n"
             "@%k st.global.u64 [%o], %d; @!%k st.global.u64 [%o], %d; }");
    const uint64_t parameters[] = {kit_take(&kit, 64 * 8)};
    const uint64_t *out = kit_data(&kit, parameters[0]);
    assert_int_equal(kit_run(&kit, "e", 1, 50, 0, parameters), 0);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i >= 50 ? 0 : i % 4 == 1 ? 6 : 105);
    kit_close(&kit);
}

static void warps_exchange_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned from[8]; /* of lanes 0, 1, 2, 3, 28, 29, 30, 31 */
    } cases[] = {
        {"shfl.sync.idx.b32 %d, %t, 7, 31, -1;", {7, 7, 7, 7, 7, 7, 7, 7}},
        {"shfl.sync.up.b32 %d, %t, 2, 0, -1;", {0, 1, 0, 1, 26, 27, 28, 29}},
        {"shfl.sync.down.b32 %d, %t, 2, 31, -1;", {2, 3, 4, 5, 30, 31, 30, 31}},
        {"shfl.sync.bfly.b32 %d, %t, 1, 31, -1;", {1, 0, 3, 2, 29, 28, 31, 30}},
        /* in segments of four lanes: their clamp is 31, and the mask 28 */
        {"shfl.sync.down.b32 %d, %t, 1, 7199, -1;", {1, 2, 3, 3, 29, 30, 31, 31}},
    };
    static const unsigned lanes[] = {0, 1, 2, 3, 28, 29, 30, 31};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kit kit;
        char text[1024];
        kit_open(&kit, "turing");
        snprintf(text, sizeof text,
                 ".entry e(.param .u64 out) { .reg .b64 %%o; .reg .b32 %%t, %%d;\n"
                 "ld.param.u64 %%o, [out]; mov.u32 %%t, %%laneid; mad.wide.u32 %%o, %%t, 4, %%o;\n"
                 "%s st.global.u32 [%%o], %%d; }",
                 cases[i].text);
        kit_load(&kit, text);
        const uint64_t parameters[] = {kit_take(&kit, 32 * 4)};
        const uint32_t *out = kit_data(&kit, parameters[0]);
        assert_int_equal(kit_run(&kit, "e", 1, 32, 0, parameters), 0);
        for (size_t j = 0; j < 8; j++)
            if (out[lanes[j]] != cases[i].from[j])
                fail_msg("%s: lane %u has %u", cases[i].text, lanes[j], out[lanes[j]]);
        kit_close(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_gives_what_c_gives),
        cmocka_unit_test(a_guard_spares_the_others),
        cmocka_unit_test(warps_exchange_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
