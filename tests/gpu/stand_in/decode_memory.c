#include "decode.h"

#include <string.h>

enum { CYCLES_MAPA = 8, CYCLES_CVTA = 4 };

unsigned ptx_type_bytes(enum ptx_type type)
{
    static const unsigned bytes[] = {
        [TYPE_PRED] = 1, [TYPE_U8] = 1,  [TYPE_S8] = 1,  [TYPE_U16] = 2,
        [TYPE_S16] = 2,  [TYPE_U32] = 4, [TYPE_S32] = 4, [TYPE_U64] = 8,
        [TYPE_S64] = 8,  [TYPE_F32] = 4, [TYPE_F64] = 8};
    return bytes[type];
}

void decode_memory(struct parser *parser, struct ptx_instruction *new, const struct modifiers *all)
{
    struct operand operand;
    operand_read(parser, &operand);
    if (operand.kind != OPERAND_MEMORY)
        parser_fail(parser, all->line, "'%s' without an address", all->base);
    if (operand.parameter != (all->space == SPACE_PARAMETER))
        parser_fail(parser, all->line, "'%s' in the wrong state space", all->base);
    new->source[0] = operand.columns[0];
    new->source[1] = operand.inner;
    new->offset = operand.offset;
}

static void describe(struct parser *parser, const struct modifiers *all,
                     struct ptx_instruction *new)
{
    if (all->type_count != 1 || all->types[0] == TYPE_PRED)
        parser_fail(parser, all->line, "Unexpected instruction types specified for '%s'",
                    all->base);
    if (all->space == SPACE_CLUSTER)
        parser_needs(parser, all->line, 90, "shared::cluster");
    new->type = all->types[0];
    new->bytes = (uint8_t)ptx_type_bytes(new->type);
    new->count = all->count;
    new->space = all->space;
    new->cache = all->cache;
}

static void decode_load(struct parser *parser, const struct modifiers *all,
                        struct ptx_instruction *new)
{
    describe(parser, all, new);
    new->op = all->space == SPACE_PARAMETER ? OP_PARAMETER : OP_LOAD;
    decode_values(parser, new);
    decode_comma(parser);
    decode_memory(parser, new, all);
}

static void decode_store(struct parser *parser, const struct modifiers *all,
                         struct ptx_instruction *new)
{
    describe(parser, all, new);
    new->op = OP_STORE;
    decode_memory(parser, new, all);
    decode_comma(parser);
    decode_values(parser, new);
}

/* atom, and red, which has no result. */
static void decode_atomic(struct parser *parser, const struct modifiers *all,
                          struct ptx_instruction *new)
{
    describe(parser, all, new);
    if (all->variant < VARIANT_ADD || all->variant > VARIANT_DEC || new->bytes < 4 ||
        new->type >= TYPE_F32 || new->count > 1)
        parser_fail(parser, all->line, "'%s' of a kind that is not modelled", all->base);
    new->op = OP_ATOMIC;
    new->sub = (uint8_t)(all->variant - VARIANT_ADD);
    new->value[0] = PTX_NOWHERE;
    if (!strcmp(all->base, "atom")) {
        new->value[0] = decode_value(parser);
        decode_comma(parser);
    }
    decode_memory(parser, new, all);
    decode_comma(parser);
    new->source[1] = decode_value(parser);
    if (new->sub == ATOMIC_COMPARE) {
        decode_comma(parser);
        new->source[2] = decode_value(parser);
    }
}

/* tex.1d.v4.u32.s32 {a, b, c, d}, [object, {x}] */
static void decode_texture(struct parser *parser, const struct modifiers *all,
                           struct ptx_instruction *new)
{
    bool known = all->variant == VARIANT_1D && all->count == PTX_VALUES && all->type_count == 2 &&
                 all->types[1] == TYPE_S32 && ptx_type_bytes(all->types[0]) == 4;
    if (!known)
        parser_fail(parser, all->line,
                    "'tex' other than .1d.v4 of 32 bits by .s32 is not modelled");
    new->op = OP_TEXTURE;
    new->type = all->types[0];
    new->bytes = 4;
    new->count = PTX_VALUES;
    decode_values(parser, new);
    decode_comma(parser);
    decode_memory(parser, new, all);
}

/* Generic addresses of the scratchpad and of constants lie in windows; global ones are the same. */
static void decode_cvta(struct parser *parser, const struct modifiers *all,
                        struct ptx_instruction *new)
{
    uint64_t window = all->space == SPACE_SHARED || all->space == SPACE_CLUSTER ? PTX_SHARED_WINDOW
                      : all->space == SPACE_CONSTANT ? PTX_CONSTANT_WINDOW
                                                     : 0;
    new->op = OP_OFFSET;
    new->latency = CYCLES_CVTA;
    new->offset = all->variant == VARIANT_TO ? -(int64_t)window : (int64_t)window;
    new->value[0] = decode_value(parser);
    decode_comma(parser);
    new->source[0] = decode_value(parser);
}

static void decode_mapa(struct parser *parser, const struct modifiers *all,
                        struct ptx_instruction *new)
{
    parser_needs(parser, all->line, 90, "mapa");
    new->op = OP_MAPA;
    new->latency = CYCLES_MAPA;
    new->offset = all->space == SPACE_GENERIC ? (int64_t)PTX_SHARED_WINDOW : 0;
    new->value[0] = decode_value(parser);
    for (unsigned i = 0; i < 2; i++) {
        decode_comma(parser);
        new->source[i] = decode_value(parser);
    }
}

bool decode_moving(struct parser *parser, const struct modifiers *all, struct ptx_instruction *new)
{
    static const struct {
        const char *base;
        void (*decode)(struct parser *, const struct modifiers *, struct ptx_instruction *);
    } moving[] = {{"ld", decode_load},     {"ldu", decode_load},   {"st", decode_store},
                  {"atom", decode_atomic}, {"red", decode_atomic}, {"tex", decode_texture},
                  {"cvta", decode_cvta},   {"mapa", decode_mapa}};
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        if (!strcmp(moving[i].base, all->base)) {
            moving[i].decode(parser, all, new);
            return true;
        }
    return false;
}
