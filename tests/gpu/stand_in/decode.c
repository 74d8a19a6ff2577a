#include "decode.h"

#include <string.h>

/* Cycles from one instruction to another that needs its result (Jia et al., arXiv 1804.06826, table
 * 4.1): 4 for most; a division is a small program. */
enum { CYCLES_PLAIN = 4, CYCLES_DIVIDE = 40, CYCLES_SHUFFLE = 23 };

/* Instructions that write one value made of some others. */
static const struct plain {
    const char *base;
    uint8_t op, sources, latency;
} plain[] = {
    {"add", OP_ADD, 2, CYCLES_PLAIN},     {"sub", OP_SUB, 2, CYCLES_PLAIN},
    {"div", OP_DIV, 2, CYCLES_DIVIDE},    {"rem", OP_REM, 2, CYCLES_DIVIDE},
    {"min", OP_MIN, 2, CYCLES_PLAIN},     {"max", OP_MAX, 2, CYCLES_PLAIN},
    {"and", OP_AND, 2, CYCLES_PLAIN},     {"or", OP_OR, 2, CYCLES_PLAIN},
    {"xor", OP_XOR, 2, CYCLES_PLAIN},     {"not", OP_NOT, 1, CYCLES_PLAIN},
    {"neg", OP_NEG, 1, CYCLES_PLAIN},     {"abs", OP_ABS, 1, CYCLES_PLAIN},
    {"shl", OP_SHL, 2, CYCLES_PLAIN},     {"shr", OP_SHR, 2, CYCLES_PLAIN},
    {"selp", OP_SELP, 3, CYCLES_PLAIN},   {"popc", OP_POPC, 1, 2 * CYCLES_PLAIN},
    {"clz", OP_CLZ, 1, 2 * CYCLES_PLAIN}, {"brev", OP_BREV, 1, 2 * CYCLES_PLAIN},
    {"bfe", OP_BFE, 3, CYCLES_PLAIN},     {"fma", OP_MAD, 3, CYCLES_PLAIN},
};

/* Instructions without operands that matter, or with a number at most. */
static const struct {
    const char *base;
    uint8_t op;
} bare[] = {{"ret", OP_EXIT},          {"exit", OP_EXIT},       {"trap", OP_TRAP},
            {"membar", OP_FENCE},      {"fence", OP_FENCE},     {"bar", OP_BARRIER},
            {"nanosleep", OP_NOTHING}, {"prefetch", OP_NOTHING}};

void decode_comma(struct parser *parser)
{
    parser_expect(parser, ",");
}

uint16_t decode_value(struct parser *parser)
{
    unsigned line = parser->token.line;
    struct operand operand;
    operand_read(parser, &operand);
    if (operand.kind != OPERAND_VALUE || operand.clock || operand.negated || operand.parameter)
        parser_fail(parser, line, "Unexpected operand");
    return operand.columns[0];
}

void decode_values(struct parser *parser, struct ptx_instruction *new)
{
    unsigned line = parser->token.line;
    struct operand operand;
    operand_read(parser, &operand);
    if (operand.count != new->count || operand.kind == OPERAND_MEMORY)
        parser_fail(parser, line, "Unexpected vector of %u values", operand.count);
    memcpy(new->value, operand.columns, sizeof new->value);
}

static enum ptx_type only_type(struct parser *parser, const struct modifiers *all)
{
    if (all->type_count != 1)
        parser_fail(parser, all->line, "Unexpected instruction types specified for '%s'",
                    all->base);
    return all->types[0];
}

static void result_and_sources(struct parser *parser, struct ptx_instruction *new, unsigned sources)
{
    new->value[0] = decode_value(parser);
    for (unsigned i = 0; i < sources; i++) {
        decode_comma(parser);
        new->source[i] = decode_value(parser);
    }
}

static bool decode_plain(struct parser *parser, const struct modifiers *all,
                         struct ptx_instruction *new)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(plain[i].base, all->base))
            continue;
        new->op = plain[i].op;
        new->latency = plain[i].latency;
        new->type = (uint8_t)only_type(parser, all);
        result_and_sources(parser, new, plain[i].sources);
        return true;
    }
    return false;
}

static bool decode_bare(struct parser *parser, const struct modifiers *all,
                        struct ptx_instruction *new)
{
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        if (strcmp(bare[i].base, all->base))
            continue;
        new->op = bare[i].op;
        if (new->op == OP_BARRIER)
            parser->function->has_barrier = true;
        while (!token_is(&parser->token, ";") && parser->token.kind != TOKEN_END)
            parser_advance(parser);
        return true;
    }
    return false;
}

/* mul and mad, of which the integers' half of the product is part of the name. */
static void decode_product(struct parser *parser, const struct modifiers *all,
                           struct ptx_instruction *new)
{
    bool add = !strcmp(all->base, "mad");
    new->type = (uint8_t)only_type(parser, all);
    if (all->variant == VARIANT_WIDE)
        new->op = add ? OP_MAD_WIDE : OP_MUL_WIDE;
    else if (all->variant == VARIANT_HIGH && !add)
        new->op = OP_MUL_HI;
    else if (all->variant == VARIANT_LOW || new->type >= TYPE_F32)
        new->op = add ? OP_MAD : OP_MUL;
    else
        parser_fail(parser, all->line, "'%s' without .lo or .wide", all->base);
    result_and_sources(parser, new, add ? 3 : 2);
}

static void decode_compare(struct parser *parser, const struct modifiers *all,
                           struct ptx_instruction *new)
{
    if (all->variant < VARIANT_EQ || all->variant > VARIANT_GE)
        parser_fail(parser, all->line, "'%s' with a comparison that is not modelled", all->base);
    new->op = (uint8_t)(OP_SETP_EQ + (int)all->variant - VARIANT_EQ);
    new->type = (uint8_t)only_type(parser, all);
    result_and_sources(parser, new, 2);
}

static void decode_convert(struct parser *parser, const struct modifiers *all,
                           struct ptx_instruction *new)
{
    if (all->type_count != 2)
        parser_fail(parser, all->line, "'%s' has two types", all->base);
    new->op = OP_CVT;
    new->to = all->types[0];
    new->type = all->types[1];
    result_and_sources(parser, new, 1);
}

/* mov: of a value, of a clock, and of two halves. */
static void decode_move(struct parser *parser, const struct modifiers *all,
                        struct ptx_instruction *new)
{
    struct operand to, from;
    operand_read(parser, &to);
    decode_comma(parser);
    operand_read(parser, &from);
    new->type = (uint8_t)only_type(parser, all);
    new->op = OP_MOV;
    memcpy(new->value, to.columns, sizeof new->value);
    memcpy(new->source, from.columns, sizeof new->source);
    if (from.clock) {
        new->op = OP_CLOCK;
        new->sub = (uint8_t)from.clock;
    } else if (to.kind == OPERAND_VECTOR && to.count == 2) {
        new->op = OP_UNPACK;
        new->count = 2;
    } else if (from.kind == OPERAND_VECTOR && from.count == 2) {
        new->op = OP_PACK;
    } else if (to.kind != OPERAND_VALUE || from.kind != OPERAND_VALUE || from.parameter) {
        parser_fail(parser, all->line, "Unexpected operand of 'mov'");
    }
}

static void decode_branch(struct parser *parser, struct ptx_instruction *new)
{
    struct label_use *use = parser_add(parser, &parser->uses, sizeof *use);
    new->op = OP_BRANCH;
    use->line = parser->token.line;
    use->instruction = (uint32_t)parser->code.count;
    parser_name(parser, use->name);
}

void parser_needs(struct parser *parser, unsigned line, unsigned target, const char *what)
{
    if (parser->module->target < target)
        parser_fail(parser, line, "Feature '%s' requires .target sm_%u or higher", what, target);
}

/* barrier.cluster.arrive and .wait; barrier.sync is bar.sync. */
static void decode_barrier(struct parser *parser, const struct modifiers *all,
                           struct ptx_instruction *new)
{
    parser->function->has_barrier = true;
    new->op = OP_BARRIER;
    if (all->variant == VARIANT_ARRIVE || all->variant == VARIANT_WAIT) {
        parser_needs(parser, all->line, 90, "barrier.cluster");
        new->op = all->variant == VARIANT_ARRIVE ? OP_CLUSTER_ARRIVE : OP_CLUSTER_WAIT;
    } else {
        decode_value(parser);
    }
}

static void decode_shuffle(struct parser *parser, const struct modifiers *all,
                           struct ptx_instruction *new)
{
    new->op = OP_SHFL;
    new->latency = CYCLES_SHUFFLE;
    new->sub = (uint8_t)(all->variant - VARIANT_IDX);
    new->type = (uint8_t)only_type(parser, all);
    if (all->variant < VARIANT_IDX || all->variant > VARIANT_BFLY)
        parser_fail(parser, all->line, "'%s' without .idx, .up, .down or .bfly", all->base);
    result_and_sources(parser, new, 3);
    if (parser_accept(parser, ",")) /* .sync's set of lanes */
        decode_value(parser);
}

static void decode_ballot(struct parser *parser, const struct modifiers *all,
                          struct ptx_instruction *new)
{
    if (all->variant != VARIANT_BALLOT)
        parser_fail(parser, all->line, "'%s' other than .ballot is not modelled", all->base);
    new->op = OP_BALLOT;
    new->latency = CYCLES_SHUFFLE;
    result_and_sources(parser, new, 1);
    if (parser_accept(parser, ","))
        decode_value(parser);
}

static void decode_rest(struct parser *parser, const struct modifiers *all,
                        struct ptx_instruction *new)
{
    new->latency = CYCLES_PLAIN;
    if (!strcmp(all->base, "mov"))
        decode_move(parser, all, new);
    else if (!strcmp(all->base, "mul") || !strcmp(all->base, "mad"))
        decode_product(parser, all, new);
    else if (!strcmp(all->base, "setp"))
        decode_compare(parser, all, new);
    else if (!strcmp(all->base, "cvt"))
        decode_convert(parser, all, new);
    else if (!strcmp(all->base, "bra"))
        decode_branch(parser, new);
    else if (!strcmp(all->base, "barrier"))
        decode_barrier(parser, all, new);
    else if (!strcmp(all->base, "shfl"))
        decode_shuffle(parser, all, new);
    else if (!strcmp(all->base, "vote"))
        decode_ballot(parser, all, new);
    else if (!decode_moving(parser, all, new))
        parser_fail(parser, all->line, "Not a name of any known instruction: '%s'", all->base);
}

void instruction_read(struct parser *parser)
{
    struct ptx_instruction new = {.guard = PTX_ZERO, .line = parser->token.line};
    struct modifiers all;
    char guard[PTX_NAME_BYTES];
    if (parser_accept(parser, "@")) {
        unsigned line = parser->token.line;
        new.guard_not = parser_accept(parser, "!");
        parser_name(parser, guard);
        new.guard = register_find(parser, guard, line);
    }
    modifiers_read(parser, &all);
    if (!decode_plain(parser, &all, &new) && !decode_bare(parser, &all, &new))
        decode_rest(parser, &all, &new);
    if (new.op < OP_CLOCK) {
        new.evaluate = alu_find(&new);
        if (!new.evaluate)
            parser_fail(parser, all.line, "Unexpected instruction types specified for '%s'",
                        all.base);
    }
    parser_expect(parser, ";");
    memcpy(parser_add(parser, &parser->code, sizeof new), &new, sizeof new);
}
