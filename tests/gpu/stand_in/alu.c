/* Arithmetic and the like: one function for an operation and a type. */
#include "simt.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

/* One lane after the other; of a full warp in a loop that compilers make vectors of. */
#define LANES(body)                                                                                \
    if (lanes == UINT32_MAX) {                                                                     \
        for (uint32_t l = 0; l < WARP_LANES; l++) {                                                \
            body;                                                                                  \
        }                                                                                          \
    } else {                                                                                       \
        FOR_EACH_LANE(l, lanes)                                                                    \
        {                                                                                          \
            body;                                                                                  \
        }                                                                                          \
    }

/* `expression` in a, b and c, which are of `type`; what is kept of it is `bits`. */
#define FUNCTION(name, type, bits, expression)                                                     \
    static void name(uint64_t *file, const struct ptx_instruction *at, uint32_t lanes)             \
    {                                                                                              \
        uint64_t *d = &file[(size_t)at->value[0] * WARP_LANES];                                    \
        const uint64_t *pa = &file[(size_t)at->source[0] * WARP_LANES];                            \
        const uint64_t *pb = &file[(size_t)at->source[1] * WARP_LANES];                            \
        const uint64_t *pc = &file[(size_t)at->source[2] * WARP_LANES];                            \
        LANES(const type a = (type)pa[l]; const type b = (type)pb[l]; const type c = (type)pc[l];  \
              (void)a; (void)b; (void)c; d[l] = (bits)(expression))                                \
    }

/* What has the same bits for signed and unsigned numbers: computed in 64 bits and cut. */
#define MODULAR(name, expression)                                                                  \
    FUNCTION(name##_16, uint64_t, uint16_t, expression)                                            \
    FUNCTION(name##_32, uint64_t, uint32_t, expression)                                            \
    FUNCTION(name##_64, uint64_t, uint64_t, expression)
#define MODULAR_ROW(name)                                                                          \
    [TYPE_U8] = name##_16, [TYPE_S8] = name##_16, [TYPE_U16] = name##_16, [TYPE_S16] = name##_16,  \
    [TYPE_U32] = name##_32, [TYPE_S32] = name##_32, [TYPE_U64] = name##_64, [TYPE_S64] = name##_64

/* What has not. */
#define UNSIGNED(name, expression)                                                                 \
    FUNCTION(name##_u16, uint16_t, uint16_t, expression)                                           \
    FUNCTION(name##_u32, uint32_t, uint32_t, expression)                                           \
    FUNCTION(name##_u64, uint64_t, uint64_t, expression)
#define SIGNED(name, expression)                                                                   \
    FUNCTION(name##_s16, int16_t, uint16_t, expression)                                            \
    FUNCTION(name##_s32, int32_t, uint32_t, expression)                                            \
    FUNCTION(name##_s64, int64_t, uint64_t, expression)
#define TYPED(name, expression)                                                                    \
    UNSIGNED(name, expression)                                                                     \
    SIGNED(name, expression)
#define TYPED_ROW(name)                                                                            \
    [TYPE_U16] = name##_u16, [TYPE_S16] = name##_s16, [TYPE_U32] = name##_u32,                     \
    [TYPE_S32] = name##_s32, [TYPE_U64] = name##_u64, [TYPE_S64] = name##_s64

/* Floats: `as` and `bits` are their values and their bits. */
static inline float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define FLOATING(name, of_32, of_64)                                                               \
    FUNCTION(name##_f32, uint64_t, uint64_t, of_32)                                                \
    FUNCTION(name##_f64, uint64_t, uint64_t, of_64)
#define FLOATING_ROW(name) [TYPE_F32] = name##_f32, [TYPE_F64] = name##_f64
#define FLOATING_OF_TWO(name, operator)                                                            \
    FLOATING(name, float_bits(float_of(a) operator float_of(b)),                                   \
             double_bits(double_of(a) operator double_of(b)))

MODULAR(mov, a)
MODULAR(add, a + b)
MODULAR(sub, a - b)
MODULAR(mul, a *b)
MODULAR(mad, a *b + c)
MODULAR(and, a &b)
MODULAR(or, a | b)
MODULAR(xor, a ^ b)
MODULAR(not, ~a)
MODULAR(neg, 0 - a)
MODULAR(selp, c ? a : b)
FUNCTION(shl_16, uint64_t, uint16_t, (uint32_t)b < 16 ? a << (b & 15) : 0)
FUNCTION(shl_32, uint64_t, uint32_t, (uint32_t)b < 32 ? a << (b & 31) : 0)
FUNCTION(shl_64, uint64_t, uint64_t, (uint32_t)b < 64 ? a << (b & 63) : 0)
FUNCTION(not_pred, uint64_t, uint64_t, !a)
FUNCTION(popc_32, uint32_t, uint64_t, __builtin_popcount(a))
FUNCTION(popc_64, uint64_t, uint64_t, __builtin_popcountll(a))
FUNCTION(clz_32, uint32_t, uint64_t, a ? __builtin_clz(a) : 32)
FUNCTION(clz_64, uint64_t, uint64_t, a ? __builtin_clzll(a) : 64)

/* Divided by zero, the hardware gives all ones, and what remains is the dividend. */
UNSIGNED(div, b ? (uint64_t)(a / b) : UINT64_MAX)
SIGNED(div, b == 0 ? UINT64_MAX : b == -1 ? 0 - (uint64_t)(int64_t)a : (uint64_t)(int64_t)(a / b))
UNSIGNED(rem, b ? a % b : a)
SIGNED(rem, b == 0 ? a : b == -1 ? 0 : a % b)
TYPED(min, a < b ? a : b)
TYPED(max, a > b ? a : b)
SIGNED(abs, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
UNSIGNED(shr, (uint32_t)b < 8 * sizeof a ? a >> b : 0)
SIGNED(shr, a >> ((uint32_t)b < 8 * sizeof a ? (uint32_t)b : 8 * (uint32_t)sizeof a - 1))
TYPED(setp_eq, a == b)
TYPED(setp_ne, a != b)
TYPED(setp_lt, a < b)
TYPED(setp_le, a <= b)
TYPED(setp_gt, a > b)
TYPED(setp_ge, a >= b)

/* In two's complement a negative number stands for 2^64 more than it is. */
static uint64_t signed_upper(int64_t a, int64_t b)
{
    return random_upper((uint64_t)a, (uint64_t)b) - (a < 0 ? (uint64_t)b : 0) -
           (b < 0 ? (uint64_t)a : 0);
}

FUNCTION(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
FUNCTION(mul_hi_s32, int32_t, uint32_t, (uint64_t)((int64_t)a *b) >> 32)
FUNCTION(mul_hi_u64, uint64_t, uint64_t, random_upper(a, b))
FUNCTION(mul_hi_s64, int64_t, uint64_t, signed_upper(a, b))
FUNCTION(mul_wide_u16, uint16_t, uint32_t, (uint32_t)a *b)
FUNCTION(mul_wide_s16, int16_t, uint32_t, (int32_t)a *b)
FUNCTION(mul_wide_u32, uint32_t, uint64_t, (uint64_t)a *b)
FUNCTION(mul_wide_s32, int32_t, uint64_t, (int64_t)a *b)
FUNCTION(mad_wide_u32, uint32_t, uint64_t, (uint64_t)a *b + pc[l])
FUNCTION(mad_wide_s32, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + pc[l])

/* c bits from bit b on; of signed types the last one is the sign. */
static inline uint64_t field(uint64_t a, uint64_t b, uint64_t c, unsigned width, bool is_signed)
{
    unsigned first = b & 255, count = c & 255;
    unsigned last = first + count - 1 < width - 1 ? first + count - 1 : width - 1;
    uint64_t value = first < width ? a >> first : 0;
    if (!count)
        return 0;
    if (count < 64)
        value &= (UINT64_C(1) << count) - 1;
    if (is_signed && a >> last & 1 && count < 64)
        value |= UINT64_MAX << (last >= first ? last - first : 0);
    return value;
}

FUNCTION(bfe_u32, uint32_t, uint32_t, field(a, b, c, 32, false))
FUNCTION(bfe_s32, uint32_t, uint32_t, field(a, b, c, 32, true))
FUNCTION(bfe_u64, uint64_t, uint64_t, field(a, b, c, 64, false))
FUNCTION(bfe_s64, uint64_t, uint64_t, field(a, b, c, 64, true))

static inline uint64_t reversed(uint64_t a, unsigned width)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < width; i++)
        result |= (a >> i & 1) << (width - 1 - i);
    return result;
}

FUNCTION(brev_32, uint32_t, uint64_t, reversed(a, 32))
FUNCTION(brev_64, uint64_t, uint64_t, reversed(a, 64))

FLOATING_OF_TWO(add, +)
FLOATING_OF_TWO(sub, -)
FLOATING_OF_TWO(mul, *)
FLOATING_OF_TWO(div, /)
FLOATING(mad, float_bits(fmaf(float_of(a), float_of(b), float_of(c))),
         double_bits(fma(double_of(a), double_of(b), double_of(c))))
FLOATING(min, float_bits(fminf(float_of(a), float_of(b))),
         double_bits(fmin(double_of(a), double_of(b))))
FLOATING(max, float_bits(fmaxf(float_of(a), float_of(b))),
         double_bits(fmax(double_of(a), double_of(b))))
FLOATING(neg, float_bits(-float_of(a)), double_bits(-double_of(a)))
FLOATING(abs, float_bits(fabsf(float_of(a))), double_bits(fabs(double_of(a))))
#define FLOATING_COMPARE(name, operator)                                                           \
    FLOATING(name, float_of(a) operator float_of(b), double_of(a) operator double_of(b))
FLOATING_COMPARE(setp_eq, ==)
FLOATING_COMPARE(setp_ne, !=)
FLOATING_COMPARE(setp_lt, <)
FLOATING_COMPARE(setp_le, <=)
FLOATING_COMPARE(setp_gt, >)
FLOATING_COMPARE(setp_ge, >=)

/* An integer of `type`, with its sign; what is kept of it depends on the other type. */
static inline uint64_t kept(uint64_t value, const struct ptx_instruction *at)
{
    unsigned bits = 8 * ptx_type_bytes(at->to);
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

FUNCTION(cvt_u8, uint8_t, uint64_t, kept(a, at))
FUNCTION(cvt_s8, int8_t, uint64_t, kept((uint64_t)a, at))
FUNCTION(cvt_u16, uint16_t, uint64_t, kept(a, at))
FUNCTION(cvt_s16, int16_t, uint64_t, kept((uint64_t)a, at))
FUNCTION(cvt_u32, uint32_t, uint64_t, kept(a, at))
FUNCTION(cvt_s32, int32_t, uint64_t, kept((uint64_t)a, at))
FUNCTION(cvt_u64, uint64_t, uint64_t, kept(a, at))
FUNCTION(cvt_s64, int64_t, uint64_t, kept((uint64_t)a, at))

static double number_of(uint64_t bits, unsigned type)
{
    switch (type) {
    case TYPE_F64:
        return double_of(bits);
    case TYPE_F32:
        return (double)float_of(bits);
    case TYPE_S32:
        return (double)(int32_t)bits;
    case TYPE_S64:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

/* From or to floats; of integers that are out of range the nearest, of what is no number 0. */
static uint64_t converted(uint64_t bits, const struct ptx_instruction *at)
{
    const double value = number_of(bits, at->type);
    const int width = 8 * (int)ptx_type_bytes(at->to);
    const bool is_signed =
        at->to == TYPE_S8 || at->to == TYPE_S16 || at->to == TYPE_S32 || at->to == TYPE_S64;
    const double above = ldexp(1, is_signed ? width - 1 : width); /* the first that is too large */
    const uint64_t all = UINT64_MAX >> (64 - width);
    if (at->to == TYPE_F64)
        return double_bits(value);
    if (at->to == TYPE_F32)
        return float_bits((float)value);
    if (isnan(value))
        return 0;
    if (value >= above)
        return is_signed ? all >> 1 : all;
    if (value < 0)
        return !is_signed ? 0 : kept((uint64_t)(int64_t)fmax(value, -above), at);
    return (uint64_t)value;
}

FUNCTION(cvt_float, uint64_t, uint64_t, converted(a, at))

FUNCTION(offset_64, uint64_t, uint64_t, a + (uint64_t)at->offset)
FUNCTION(mapa_64, uint64_t, uint64_t,
         ((a - (uint64_t)at->offset) & ((1u << PTX_RANK_SHIFT) - 1)) +
             (((uint64_t)(uint32_t)b + 1) << PTX_RANK_SHIFT) + (uint64_t)at->offset)
FUNCTION(pack_32, uint64_t, uint64_t, (a & UINT16_MAX) | (b & UINT16_MAX) << 16)
FUNCTION(pack_64, uint64_t, uint64_t, (a & UINT32_MAX) | b << 32)

static void unpack(uint64_t *file, const struct ptx_instruction *at, uint32_t lanes)
{
    unsigned half = 4 * ptx_type_bytes(at->type);
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    FOR_EACH_LANE(l, lanes)
    {
        uint64_t value = file[(size_t)at->source[0] * WARP_LANES + l];
        file[(size_t)at->value[0] * WARP_LANES + l] = value & mask;
        file[(size_t)at->value[1] * WARP_LANES + l] = value >> half & mask;
    }
}

/* Which lane a lane reads from (PTX ISA, "shfl.sync"). */
static uint32_t shuffled(unsigned kind, uint32_t lane, uint32_t b, uint32_t c)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31, step = b & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment);
    int from = kind == SHUFFLE_UP     ? (int)lane - (int)step
               : kind == SHUFFLE_DOWN ? (int)(lane + step)
               : kind == SHUFFLE_BFLY ? (int)(lane ^ step)
                                      : (int)((lane & segment) | (step & ~segment));
    bool inside = kind == SHUFFLE_UP ? from >= (int)most : from <= (int)most;
    return inside ? (uint32_t)from : lane;
}

static void shuffle(uint64_t *file, const struct ptx_instruction *at, uint32_t lanes)
{
    uint64_t before[WARP_LANES];
    memcpy(before, &file[(size_t)at->source[0] * WARP_LANES], sizeof before);
    FOR_EACH_LANE(l, lanes)
    {
        uint64_t b = file[(size_t)at->source[1] * WARP_LANES + l];
        uint64_t c = file[(size_t)at->source[2] * WARP_LANES + l];
        file[(size_t)at->value[0] * WARP_LANES + l] =
            before[shuffled(at->sub, l, (uint32_t)b, (uint32_t)c) % WARP_LANES];
    }
}

static void ballot(uint64_t *file, const struct ptx_instruction *at, uint32_t lanes)
{
    uint64_t votes = 0;
    FOR_EACH_LANE(l, lanes)
    {
        votes |= (uint64_t)(file[(size_t)at->source[0] * WARP_LANES + l] != 0) << l;
    }
    FOR_EACH_LANE(l, lanes)
    {
        file[(size_t)at->value[0] * WARP_LANES + l] = votes;
    }
}

static ptx_evaluate *const functions[][TYPE_F64 + 1] = {
    [OP_MOV] = {MODULAR_ROW(mov), [TYPE_PRED] = mov_64, [TYPE_F32] = mov_32, [TYPE_F64] = mov_64},
    [OP_ADD] = {MODULAR_ROW(add), FLOATING_ROW(add)},
    [OP_SUB] = {MODULAR_ROW(sub), FLOATING_ROW(sub)},
    [OP_MUL] = {MODULAR_ROW(mul), FLOATING_ROW(mul)},
    [OP_MUL_HI] = {[TYPE_U32] = mul_hi_u32,
                   [TYPE_S32] = mul_hi_s32,
                   [TYPE_U64] = mul_hi_u64,
                   [TYPE_S64] = mul_hi_s64},
    [OP_MUL_WIDE] = {[TYPE_U16] = mul_wide_u16,
                     [TYPE_S16] = mul_wide_s16,
                     [TYPE_U32] = mul_wide_u32,
                     [TYPE_S32] = mul_wide_s32},
    [OP_MAD] = {MODULAR_ROW(mad), FLOATING_ROW(mad)},
    [OP_MAD_WIDE] = {[TYPE_U32] = mad_wide_u32, [TYPE_S32] = mad_wide_s32},
    [OP_DIV] = {TYPED_ROW(div), FLOATING_ROW(div)},
    [OP_REM] = {TYPED_ROW(rem)},
    [OP_MIN] = {TYPED_ROW(min), FLOATING_ROW(min)},
    [OP_MAX] = {TYPED_ROW(max), FLOATING_ROW(max)},
    [OP_AND] = {MODULAR_ROW(and), [TYPE_PRED] = and_64},
    [OP_OR] = {MODULAR_ROW(or), [TYPE_PRED] = or_64},
    [OP_XOR] = {MODULAR_ROW(xor), [TYPE_PRED] = xor_64},
    [OP_NOT] = {MODULAR_ROW(not ), [TYPE_PRED] = not_pred},
    [OP_NEG] = {MODULAR_ROW(neg), FLOATING_ROW(neg)},
    [OP_ABS] =
        {[TYPE_S16] = abs_s16, [TYPE_S32] = abs_s32, [TYPE_S64] = abs_s64, FLOATING_ROW(abs)},
    [OP_SHL] = {[TYPE_U16] = shl_16, [TYPE_U32] = shl_32, [TYPE_U64] = shl_64},
    [OP_SHR] = {TYPED_ROW(shr)},
    [OP_SELP] = {MODULAR_ROW(selp), [TYPE_F32] = selp_32, [TYPE_F64] = selp_64},
    [OP_POPC] = {[TYPE_U32] = popc_32, [TYPE_U64] = popc_64},
    [OP_CLZ] = {[TYPE_U32] = clz_32, [TYPE_U64] = clz_64},
    [OP_BREV] = {[TYPE_U32] = brev_32, [TYPE_U64] = brev_64},
    [OP_BFE] =
        {[TYPE_U32] = bfe_u32, [TYPE_S32] = bfe_s32, [TYPE_U64] = bfe_u64, [TYPE_S64] = bfe_s64},
    [OP_CVT] = {[TYPE_U8] = cvt_u8,
                [TYPE_S8] = cvt_s8,
                TYPED_ROW(cvt),
                [TYPE_F32] = cvt_float,
                [TYPE_F64] = cvt_float},
    [OP_SETP_EQ] = {TYPED_ROW(setp_eq), FLOATING_ROW(setp_eq)},
    [OP_SETP_NE] = {TYPED_ROW(setp_ne), FLOATING_ROW(setp_ne)},
    [OP_SETP_LT] = {TYPED_ROW(setp_lt), FLOATING_ROW(setp_lt)},
    [OP_SETP_LE] = {TYPED_ROW(setp_le), FLOATING_ROW(setp_le)},
    [OP_SETP_GT] = {TYPED_ROW(setp_gt), FLOATING_ROW(setp_gt)},
    [OP_SETP_GE] = {TYPED_ROW(setp_ge), FLOATING_ROW(setp_ge)},
    [OP_PACK] = {[TYPE_U32] = pack_32, [TYPE_U64] = pack_64},
    [OP_UNPACK] = {[TYPE_U32] = unpack, [TYPE_U64] = unpack},
};

ptx_evaluate *alu_find(const struct ptx_instruction *at)
{
    switch (at->op) {
    case OP_OFFSET:
        return offset_64;
    case OP_MAPA:
        return mapa_64;
    case OP_SHFL:
        return shuffle;
    case OP_BALLOT:
        return ballot;
    case OP_CVT:
        if (at->to >= TYPE_F32)
            return cvt_float;
        break;
    default:
        break;
    }
    if (at->op >= sizeof functions / sizeof *functions)
        return NULL;
    return functions[at->op][at->type];
}
