/* What the files that read PTX share: tokens, and a function while it is read. */
#ifndef FATHOM_TESTS_GPU_PARSER_H
#define FATHOM_TESTS_GPU_PARSER_H

#include "ptx.h"

#include <setjmp.h>

enum { PARSER_VARIABLES = 64 };

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    const char *text;
    size_t length;
    unsigned line;
    uint64_t number;
    bool is_float;
};

/* While a function is read, operands are an index into one kind of column, in two high bits. */
enum column_kind {
    COLUMN_REGISTER = 0,
    COLUMN_CONSTANT = 0x4000,
    COLUMN_SPECIAL = 0x8000,
    COLUMN_KIND = 0xc000,
};

struct register_name {
    char name[PTX_NAME_BYTES];
    bool numbered; /* name0 ... name(count - 1) */
    uint32_t first, count;
    enum ptx_type type;
};

struct label {
    char name[PTX_NAME_BYTES];
    uint32_t at;
    unsigned line;
};

struct list {
    void *items;
    size_t count, room;
};

struct parser {
    const char *at;
    struct token token; /* the next one */
    unsigned line;
    struct ptx_module *module;
    struct ptx_function *function;
    /* Of this function. `uses` are the labels that branches name, by instruction. */
    struct list registers, labels, uses, constants, code;
    uint32_t shared_at[PARSER_VARIABLES]; /* where the module's variables lie; 0: not used so far */
    char *error;
    enum ptx_result result;
    jmp_buf failed;
};

/* Room for one more item, zeroed; does not come back without memory. */
void *parser_add(struct parser *, struct list *, size_t item_bytes);
_Noreturn void parser_fail(struct parser *, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lex.c */
void parser_advance(struct parser *);
bool token_is(const struct token *, const char *text);
bool parser_accept(struct parser *, const char *text);
void parser_expect(struct parser *, const char *text);
/* The next token, a word, into a name; and past it. */
void parser_name(struct parser *, char name[PTX_NAME_BYTES]);
uint64_t parser_number(struct parser *);

/* operands.c */
enum operand_kind { OPERAND_VALUE, OPERAND_MEMORY, OPERAND_VECTOR };

struct operand {
    enum operand_kind kind;
    uint16_t columns[PTX_VALUES]; /* VECTOR: count of them; else the first */
    unsigned count;
    int64_t offset;       /* MEMORY */
    uint16_t inner;       /* MEMORY of textures: the coordinate */
    uint8_t space;        /* MEMORY: of the variable that it names */
    enum ptx_clock clock; /* VALUE */
    bool negated, parameter;
    char name[PTX_NAME_BYTES]; /* VALUE: as it is written, where it is no number */
};

void operand_read(struct parser *, struct operand *);
void registers_declare(struct parser *);
uint16_t register_find(struct parser *, const char *name, unsigned line);

/* decode.c: one instruction, from its guard to its semicolon. */
void instruction_read(struct parser *);

#endif
