/* Registers, special registers, constants, variables, addresses and vectors become columns. */
#include "parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS_MOST = 4096 };

/* Clocks are no columns: they have to be read at their time. `clock` is what operand.clock gets. */
static const struct {
    const char *name;
    enum ptx_clock clock;
} clocks[] = {{"%clock", CLOCK_LOW},          {"%clock_hi", CLOCK_HIGH},
              {"%clock64", CLOCK_64},         {"%globaltimer", TIMER_64},
              {"%globaltimer_lo", TIMER_LOW}, {"%globaltimer_hi", TIMER_HIGH}};

static const struct {
    const char *name;
    bool axes;
    uint8_t special;
} specials[] = {{"%tid", true, SPECIAL_TID},
                {"%ntid", true, SPECIAL_NTID},
                {"%ctaid", true, SPECIAL_CTAID},
                {"%nctaid", true, SPECIAL_NCTAID},
                {"%cluster_ctaid", true, SPECIAL_CLUSTER_CTAID},
                {"%cluster_nctaid", true, SPECIAL_CLUSTER_NCTAID},
                {"%clusterid", true, SPECIAL_CLUSTERID},
                {"%nclusterid", true, SPECIAL_NCLUSTERID},
                {"%cluster_ctarank", false, SPECIAL_CLUSTER_CTARANK},
                {"%cluster_nctarank", false, SPECIAL_CLUSTER_NCTARANK},
                {"%laneid", false, SPECIAL_LANEID},
                {"%warpid", false, SPECIAL_WARPID},
                {"%nwarpid", false, SPECIAL_NWARPID},
                {"%smid", false, SPECIAL_SMID},
                {"%nsmid", false, SPECIAL_NSMID},
                {"%dynamic_smem_size", false, SPECIAL_DYNAMIC_SHARED},
                {"%total_smem_size", false, SPECIAL_TOTAL_SHARED}};

static enum ptx_type register_type(struct parser *parser)
{
    static const struct {
        const char *name;
        enum ptx_type type;
    } types[] = {{".pred", TYPE_PRED}, {".b8", TYPE_U8},   {".b16", TYPE_U16}, {".u16", TYPE_U16},
                 {".s16", TYPE_S16},   {".b32", TYPE_U32}, {".u32", TYPE_U32}, {".s32", TYPE_S32},
                 {".f32", TYPE_F32},   {".b64", TYPE_U64}, {".u64", TYPE_U64}, {".s64", TYPE_S64},
                 {".f64", TYPE_F64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (parser_accept(parser, types[i].name))
            return types[i].type;
    parser_fail(parser, parser->token.line, "Parsing error near '%.*s': a register type expected",
                (int)parser->token.length, parser->token.text);
}

/* .reg .b32 %a, %b<10>; */
void registers_declare(struct parser *parser)
{
    enum ptx_type type = register_type(parser);
    do {
        struct register_name *new = parser_add(parser, &parser->registers, sizeof *new);
        parser_name(parser, new->name);
        new->type = type;
        new->count = 1;
        new->first = parser->function->registers;
        if (parser_accept(parser, "<")) {
            new->numbered = true;
            new->count = (uint32_t)parser_number(parser);
            parser_expect(parser, ">");
        }
        if (new->count > REGISTERS_MOST - parser->function->registers)
            parser_fail(parser, parser->line, "Too many registers");
        parser->function->registers += new->count;
    } while (parser_accept(parser, ","));
    parser_expect(parser, ";");
}

/* The place of a name in a declaration; -1 where it is another's. */
static long place_in(const struct register_name *declared, const char *name)
{
    size_t length = strlen(declared->name);
    char *end;
    unsigned long number;
    if (!declared->numbered)
        return strcmp(declared->name, name) ? -1 : 0;
    if (strncmp(declared->name, name, length) || !name[length])
        return -1;
    number = strtoul(name + length, &end, 10);
    return *end || number >= declared->count ? -1 : (long)number;
}

static int find_register(struct parser *parser, const char *name)
{
    const struct register_name *list = parser->registers.items;
    for (size_t i = parser->registers.count; i-- > 0;) {
        long place = place_in(&list[i], name);
        if (place >= 0)
            return (int)list[i].first + (int)place;
    }
    return -1;
}

static uint16_t constant_column(struct parser *parser, uint64_t value, int variable)
{
    struct ptx_constant *new, *list = parser->constants.items;
    for (size_t i = 0; i < parser->constants.count; i++)
        if (list[i].value == value && list[i].variable == variable)
            return (uint16_t)(COLUMN_CONSTANT | i);
    new = parser_add(parser, &parser->constants, sizeof *new);
    *new = (struct ptx_constant){value, variable};
    return (uint16_t)(COLUMN_CONSTANT | (parser->constants.count - 1));
}

static uint16_t special_column(struct parser *parser, uint8_t special)
{
    struct ptx_function *function = parser->function;
    for (uint32_t i = 0; i < function->special_count; i++)
        if (function->specials[i] == special)
            return (uint16_t)(COLUMN_SPECIAL | i);
    function->specials[function->special_count] = special;
    return (uint16_t)(COLUMN_SPECIAL | function->special_count++);
}

static int find_special(const char *name)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        size_t length = strlen(specials[i].name);
        if (strncmp(name, specials[i].name, length))
            continue;
        if (!specials[i].axes && !name[length])
            return specials[i].special;
        if (specials[i].axes && name[length] == '.' && name[length + 1] >= 'x' &&
            name[length + 1] <= 'z' && !name[length + 2])
            return specials[i].special + (name[length + 1] - 'x');
    }
    return -1;
}

static enum ptx_clock find_clock(const char *name)
{
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (!strcmp(clocks[i].name, name))
            return clocks[i].clock;
    return CLOCK_NONE;
}

static int find_variable(const struct ptx_module *module, const char *name)
{
    for (size_t i = module->variable_count; i-- > 0;)
        if (!strcmp(module->variables[i].name, name))
            return (int)i;
    return -1;
}

/* Scratchpad is given out to those variables that a function names; dynamic memory comes last, when
 * all are known. */
static uint64_t variable_value(struct parser *parser, int index)
{
    const struct ptx_variable *variable = &parser->module->variables[index];
    struct ptx_function *function = parser->function;
    uint32_t *at;
    if (variable->space == SPACE_CONSTANT)
        return variable->at;
    if (variable->space != SPACE_SHARED || variable->dynamic)
        return 0;
    if (index >= PARSER_VARIABLES)
        parser_fail(parser, parser->line, "Too many variables");
    at = &parser->shared_at[index];
    if (!*at) {
        uint32_t align = (uint32_t)variable->alignment;
        *at = PTX_SHARED_BASE + (function->shared_bytes + align - 1) / align * align;
        function->shared_bytes = *at - PTX_SHARED_BASE + (uint32_t)variable->bytes;
    }
    return *at;
}

static int find_parameter(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; i < function->parameter_count; i++)
        if (!strcmp(function->parameters[i].name, name))
            return (int)i;
    return -1;
}

/* A word that is no clock: register, special register, variable or parameter. */
static void named_column(struct parser *parser, const char *name, unsigned line,
                         struct operand *operand)
{
    int found;
    if ((found = find_register(parser, name)) >= 0) {
        operand->columns[0] = (uint16_t)found;
    } else if ((found = find_special(name)) >= 0) {
        operand->columns[0] = special_column(parser, (uint8_t)found);
    } else if ((found = find_variable(parser->module, name)) >= 0) {
        const struct ptx_variable *variable = &parser->module->variables[found];
        bool patched = variable->dynamic || variable->space == SPACE_GLOBAL;
        operand->columns[0] =
            constant_column(parser, variable_value(parser, found), patched ? found : -1);
        operand->space = variable->space;
    } else if ((found = find_parameter(parser->function, name)) >= 0) {
        operand->parameter = true;
        operand->offset = parser->function->parameters[found].at;
        operand->columns[0] = PTX_ZERO;
    } else {
        parser_fail(parser, line, "Unknown symbol '%s'", name);
    }
}

static void value_read(struct parser *parser, struct operand *operand)
{
    unsigned line = parser->token.line;
    bool minus = parser_accept(parser, "-");
    if (parser->token.kind == TOKEN_NUMBER) {
        uint64_t value = parser_number(parser);
        operand->columns[0] = constant_column(parser, minus ? 0 - value : value, -1);
        return;
    }
    operand->negated = parser_accept(parser, "!");
    parser_name(parser, operand->name);
    operand->clock = find_clock(operand->name);
    if (!operand->clock)
        named_column(parser, operand->name, line, operand);
}

/* Inside of [ ]: base, base+8, base+-8, 4096, or of textures object, {coordinate}. */
static void memory_read(struct parser *parser, struct operand *operand)
{
    value_read(parser, operand);
    if (parser_accept(parser, ",")) {
        struct operand inner;
        operand_read(parser, &inner);
        operand->inner = inner.columns[0];
    } else if (token_is(&parser->token, "+") || token_is(&parser->token, "-")) {
        bool minus = parser_accept(parser, "-");
        if (!minus) {
            parser_advance(parser);
            minus = parser_accept(parser, "-");
        }
        int64_t offset = (int64_t)parser_number(parser);
        operand->offset += minus ? -offset : offset;
    }
    parser_expect(parser, "]");
}

void operand_read(struct parser *parser, struct operand *operand)
{
    *operand = (struct operand){.kind = OPERAND_VALUE, .count = 1};
    if (parser_accept(parser, "[")) {
        operand->kind = OPERAND_MEMORY;
        memory_read(parser, operand);
    } else if (parser_accept(parser, "{")) {
        operand->kind = OPERAND_VECTOR;
        for (operand->count = 0; operand->count < PTX_VALUES; operand->count++) {
            struct operand item = {.kind = OPERAND_VALUE};
            if (operand->count && !parser_accept(parser, ","))
                break;
            value_read(parser, &item);
            operand->columns[operand->count] = item.columns[0];
        }
        parser_expect(parser, "}");
    } else {
        value_read(parser, operand);
    }
}

uint16_t register_find(struct parser *parser, const char *name, unsigned line)
{
    int found = find_register(parser, name);
    if (found < 0)
        parser_fail(parser, line, "Unknown symbol '%s'", name);
    return (uint16_t)found;
}
