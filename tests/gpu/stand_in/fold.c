/*
 * Pairs of PTX instructions that are one on the hardware, as ptxas makes them wherever addresses
 * are computed: a product and the sum with it are one multiply-add, and a constant that is added to
 * an address is part of the load. Without this a chase by index would be slower here than there.
 */
#include "ptx.h"

/* What a column is, where nothing but one move of a constant ever writes it. */
static bool is_constant(const struct ptx_function *function, uint16_t column)
{
    const struct ptx_instruction *writer = NULL;
    if (column >= function->registers)
        return column < function->registers + function->constant_count;
    for (size_t i = 0; i < function->count; i++) {
        const struct ptx_instruction *at = &function->code[i];
        bool writes = at->op != OP_STORE && at->value[0] == column;
        for (unsigned j = 1; j < at->count && at->op != OP_STORE; j++)
            writes |= at->value[j] == column;
        if (writes && (writer || at->op != OP_MOV || at->guard != PTX_ZERO))
            return false;
        if (writes)
            writer = at;
    }
    return writer && writer->source[0] >= function->registers &&
           writer->source[0] < function->registers + function->constant_count;
}

static bool takes(const struct ptx_instruction *at, uint16_t column)
{
    return at->source[0] == column || at->source[1] == column;
}

static bool is_product_of_sum(const struct ptx_instruction *at, const struct ptx_instruction *next)
{
    return (at->op == OP_MUL_WIDE || at->op == OP_MUL) && next->op == OP_ADD &&
           next->value[0] == at->value[0] && takes(next, at->value[0]);
}

static bool is_offset_of_load(const struct ptx_function *function, const struct ptx_instruction *at,
                              const struct ptx_instruction *next)
{
    return at->op == OP_ADD && next->op == OP_LOAD && next->source[0] == at->value[0] &&
           (is_constant(function, at->source[0]) || is_constant(function, at->source[1]));
}

void ptx_fold(struct ptx_function *function)
{
    for (size_t i = 0; i + 1 < function->count; i++) {
        struct ptx_instruction *at = &function->code[i];
        const struct ptx_instruction *next = at + 1;
        at->folded = at->guard == PTX_ZERO && next->guard == PTX_ZERO && !at->folded &&
                     (is_product_of_sum(at, next) || is_offset_of_load(function, at, next));
    }
}
