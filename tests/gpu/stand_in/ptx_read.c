/* Modules: directives, variables, and functions with their labels resolved. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

/* A multiprocessor's constant bank. */
enum { CONSTANT_MOST = 65536, COLUMNS_MOST = 8192 };

/* From a list into an array of the module's own. */
static void *move_list(struct parser *parser, struct list *list, size_t item_bytes)
{
    void *items = realloc(list->items, list->count ? list->count * item_bytes : 1);
    if (!items) {
        parser->result = PTX_NO_MEMORY;
        parser_fail(parser, parser->line, "out of memory");
    }
    *list = (struct list){0};
    return items;
}

static enum ptx_type data_type(struct parser *parser)
{
    static const struct {
        const char *name;
        enum ptx_type type;
    } types[] = {{".b8", TYPE_U8},   {".u8", TYPE_U8},   {".s8", TYPE_S8},   {".b16", TYPE_U16},
                 {".u16", TYPE_U16}, {".s16", TYPE_S16}, {".b32", TYPE_U32}, {".u32", TYPE_U32},
                 {".s32", TYPE_S32}, {".b64", TYPE_U64}, {".u64", TYPE_U64}, {".s64", TYPE_S64},
                 {".f32", TYPE_F32}, {".f64", TYPE_F64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (parser_accept(parser, types[i].name))
            return types[i].type;
    parser_fail(parser, parser->token.line, "Parsing error near '%.*s': a type expected",
                (int)parser->token.length, parser->token.text);
}

/* After .const, .global or .shared: .align 16 .b8 name[65536]; */
static void read_variable(struct parser *parser, enum ptx_space space, bool external)
{
    struct ptx_module *module = parser->module;
    struct ptx_variable *all =
        realloc(module->variables, (module->variable_count + 1) * sizeof *all);
    struct ptx_variable new = {.space = (uint8_t)space};
    if (!all) {
        parser->result = PTX_NO_MEMORY;
        parser_fail(parser, parser->line, "out of memory");
    }
    module->variables = all;
    if (parser_accept(parser, ".align"))
        new.alignment = parser_number(parser);
    new.bytes = ptx_type_bytes(data_type(parser));
    if (!new.alignment)
        new.alignment = new.bytes;
    parser_name(parser, new.name);
    if (parser_accept(parser, "[")) {
        new.dynamic = external &&space == SPACE_SHARED &&token_is(&parser->token, "]");
        new.bytes *= new.dynamic ? 0 : parser_number(parser);
        parser_expect(parser, "]");
    }
    if (space == SPACE_CONSTANT) {
        new.at = (module->constant_bytes + new.alignment - 1) / new.alignment *new.alignment;
        module->constant_bytes = new.at + new.bytes;
        if (module->constant_bytes > CONSTANT_MOST)
            parser_fail(parser, parser->line, "too much constant data (0x%llx bytes, 0x%x max)",
                        (unsigned long long)module->constant_bytes, CONSTANT_MOST);
    }
    parser_expect(parser, ";");
    module->variables[module->variable_count++] = new;
}

static bool read_space(struct parser *parser, bool external)
{
    if (parser_accept(parser, ".const"))
        read_variable(parser, SPACE_CONSTANT, external);
    else if (parser_accept(parser, ".global"))
        read_variable(parser, SPACE_GLOBAL, external);
    else if (parser_accept(parser, ".shared"))
        read_variable(parser, SPACE_SHARED, external);
    else
        return false;
    return true;
}

/* (.param .u64 a, .param .u32 b) */
static void read_parameters(struct parser *parser)
{
    struct ptx_function *function = parser->function;
    while (!parser_accept(parser, ")")) {
        struct ptx_parameter *all = realloc(function->parameters, (function->parameter_count + 1) *
                                                                      sizeof *function->parameters);
        struct ptx_parameter *new = &all[function->parameter_count];
        if (!all) {
            parser->result = PTX_NO_MEMORY;
            parser_fail(parser, parser->line, "out of memory");
        }
        function->parameters = all;
        parser_expect(parser, ".param");
        new->bytes = ptx_type_bytes(data_type(parser));
        new->at = (function->parameter_bytes + new->bytes - 1) / new->bytes *new->bytes;
        function->parameter_bytes = new->at + new->bytes;
        parser_name(parser, new->name);
        function->parameter_count++;
        if (!token_is(&parser->token, ")"))
            parser_expect(parser, ",");
    }
}

/* .maxntid 128, 1, 1 and the like, up to the body. */
static void read_limits(struct parser *parser)
{
    while (!token_is(&parser->token, "{")) {
        bool threads = token_is(&parser->token, ".maxntid") || token_is(&parser->token, ".reqntid");
        uint32_t product = 1;
        if (parser->token.kind != TOKEN_WORD)
            parser_expect(parser, "{");
        if (token_is(&parser->token, ".explicitcluster"))
            parser_needs(parser, parser->token.line, 90, ".explicitcluster");
        parser_advance(parser);
        while (parser->token.kind == TOKEN_NUMBER) {
            product *= (uint32_t)parser_number(parser);
            parser_accept(parser, ",");
        }
        if (threads)
            parser->function->most_threads = product;
    }
}

static void read_label(struct parser *parser)
{
    struct label *new = parser_add(parser, &parser->labels, sizeof *new);
    new->line = parser->token.line;
    new->at = (uint32_t)parser->code.count;
    parser_name(parser, new->name);
    parser_expect(parser, ":");
    for (const struct label *other = parser->labels.items; other < new; other++)
        if (!strcmp(other->name, new->name))
            parser_fail(parser, new->line, "Duplicate definition of '%s'", new->name);
}

static void read_body(struct parser *parser)
{
    unsigned depth = 1;
    parser_expect(parser, "{");
    while (depth) {
        if (parser->token.kind == TOKEN_END)
            parser_fail(parser, parser->line, "Unexpected end of the text in '%s'",
                        parser->function->name);
        if (parser_accept(parser, "{"))
            depth++;
        else if (parser_accept(parser, "}"))
            depth--;
        else if (parser_accept(parser, ".reg"))
            registers_declare(parser);
        else if (parser_accept(parser, ".pragma")) {
            parser_advance(parser);
            parser_expect(parser, ";");
        } else if (read_space(parser, false))
            continue;
        else if (parser->token.kind == TOKEN_WORD && *parser->at == ':')
            read_label(parser);
        else
            instruction_read(parser);
    }
}

static void resolve_labels(struct parser *parser)
{
    const struct label_use *uses = parser->uses.items;
    const struct label *labels = parser->labels.items;
    struct ptx_instruction *code = parser->code.items;
    for (size_t i = 0; i < parser->uses.count; i++) {
        size_t j = 0;
        while (j < parser->labels.count && strcmp(labels[j].name, uses[i].name))
            j++;
        if (j == parser->labels.count)
            parser_fail(parser, uses[i].line,
                        "Label expected for argument 0 of instruction 'bra': "
                        "unknown label '%s'",
                        uses[i].name);
        code[uses[i].instruction].target = labels[j].at;
    }
}

/* An operand of a kind of column becomes a number in the file. */
static uint16_t flat(const struct ptx_function *function, uint16_t column)
{
    uint32_t index = column & ~(uint32_t)COLUMN_KIND;
    switch (column & COLUMN_KIND) {
    case COLUMN_CONSTANT:
        return (uint16_t)(function->registers + index);
    case COLUMN_SPECIAL:
        return (uint16_t)(function->registers + function->constant_count + index);
    default:
        return column;
    }
}

static void flatten(struct ptx_function *function)
{
    for (size_t i = 0; i < function->count; i++) {
        struct ptx_instruction *at = &function->code[i];
        for (size_t j = 0; j < PTX_VALUES; j++)
            at->value[j] = flat(function, at->value[j]);
        for (size_t j = 0; j < PTX_SOURCES; j++)
            at->source[j] = flat(function, at->source[j]);
    }
}

static void place_dynamic(const struct ptx_module *module, struct ptx_function *function)
{
    enum { DYNAMIC_ALIGNMENT = 16 };
    uint32_t end = (function->shared_bytes + DYNAMIC_ALIGNMENT - 1) & ~(DYNAMIC_ALIGNMENT - 1u);
    for (size_t i = 0; i < function->constant_count; i++) {
        struct ptx_constant *constant = &function->constants[i];
        if (constant->variable >= 0 && module->variables[constant->variable].dynamic) {
            constant->value = PTX_SHARED_BASE + end;
            constant->variable = -1;
        }
    }
}

static void finish_function(struct parser *parser)
{
    struct ptx_function *function = parser->function;
    struct ptx_instruction *end = parser_add(parser, &parser->code, sizeof *end);
    end->op = OP_EXIT; /* a body may end without ret */
    resolve_labels(parser);
    function->count = parser->code.count;
    function->code = move_list(parser, &parser->code, sizeof *function->code);
    function->constant_count = (uint32_t)parser->constants.count;
    function->constants = move_list(parser, &parser->constants, sizeof *function->constants);
    function->columns = function->registers + function->constant_count + function->special_count;
    if (function->columns > COLUMNS_MOST)
        parser_fail(parser, parser->line, "Too many registers and constants in '%s'",
                    function->name);
    flatten(function);
    ptx_fold(function);
    place_dynamic(parser->module, function);
    parser->registers.count = parser->labels.count = parser->uses.count = 0;
    memset(parser->shared_at, 0, sizeof parser->shared_at);
}

static void read_entry(struct parser *parser)
{
    struct ptx_module *module = parser->module;
    struct ptx_function *all =
        realloc(module->functions, (module->function_count + 1) * sizeof *all);
    if (!all) {
        parser->result = PTX_NO_MEMORY;
        parser_fail(parser, parser->line, "out of memory");
    }
    module->functions = all;
    parser->function = &all[module->function_count++];
    *parser->function = (struct ptx_function){.registers = PTX_REGISTERS};
    parser_name(parser, parser->function->name);
    if (parser_accept(parser, "("))
        read_parameters(parser);
    read_limits(parser);
    read_body(parser);
    finish_function(parser);
}

/* .version 7.8: the lexer takes it for a float. */
static void read_version(struct parser *parser)
{
    double version;
    if (parser->token.kind != TOKEN_NUMBER || !parser->token.is_float)
        parser_fail(parser, parser->token.line, "Parsing error: .version X.Y expected");
    memcpy(&version, &parser->token.number, sizeof version);
    parser->module->version = (unsigned)(version * 10 + 0.5);
    parser_advance(parser);
}

static void read_target(struct parser *parser, unsigned capability)
{
    char name[PTX_NAME_BYTES];
    unsigned line = parser->token.line;
    parser_name(parser, name);
    if (strncmp(name, "sm_", 3))
        parser_fail(parser, line, "Unknown .target '%s'", name);
    parser->module->target = (unsigned)strtoul(name + 3, NULL, 10);
    if (parser->module->target > capability) {
        parser->result = PTX_TOO_NEW_FOR_DEVICE;
        parser_fail(parser, line, "SM version specified by .target is higher than the device's");
    }
}

static void read_module(struct parser *parser, unsigned capability)
{
    parser_advance(parser);
    if (!token_is(&parser->token, ".version"))
        parser_fail(parser, parser->token.line, "Missing .version directive at start of file");
    while (parser->token.kind != TOKEN_END) {
        bool external = false;
        while (token_is(&parser->token, ".visible") || token_is(&parser->token, ".extern") ||
               token_is(&parser->token, ".weak")) {
            external |= token_is(&parser->token, ".extern");
            parser_advance(parser);
        }
        if (parser_accept(parser, ".version"))
            read_version(parser);
        else if (parser_accept(parser, ".target"))
            read_target(parser, capability);
        else if (parser_accept(parser, ".address_size"))
            parser_number(parser);
        else if (parser_accept(parser, ".entry"))
            read_entry(parser);
        else if (!read_space(parser, external))
            parser_fail(parser, parser->token.line, "Parsing error near '%.*s': syntax error",
                        (int)parser->token.length, parser->token.text);
    }
}

static bool try_module(struct parser *parser, unsigned capability)
{
    if (setjmp(parser->failed))
        return false;
    read_module(parser, capability);
    return true;
}

enum ptx_result ptx_read(struct ptx_module *module, const char *text, unsigned capability,
                         char error[PTX_ERROR_BYTES])
{
    struct parser parser = {.at = text, .line = 1, .module = module, .error = error};
    *module = (struct ptx_module){0};
    if (!try_module(&parser, capability))
        ptx_free(module);
    free(parser.registers.items);
    free(parser.labels.items);
    free(parser.uses.items);
    free(parser.constants.items);
    free(parser.code.items);
    return parser.result;
}

void ptx_free(struct ptx_module *module)
{
    for (size_t i = 0; i < module->function_count; i++) {
        free(module->functions[i].parameters);
        free(module->functions[i].code);
        free(module->functions[i].constants);
    }
    free(module->functions);
    free(module->variables);
    *module = (struct ptx_module){0};
}

const struct ptx_function *ptx_find(const struct ptx_module *module, const char *name)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i].name, name))
            return &module->functions[i];
    return NULL;
}
