/* What the files that decode instructions share. */
#ifndef FATHOM_TESTS_GPU_DECODE_H
#define FATHOM_TESTS_GPU_DECODE_H

#include "parser.h"

enum variant {
    VARIANT_NONE,
    VARIANT_EQ, /* in the order of OP_SETP_EQ ... */
    VARIANT_NE,
    VARIANT_LT,
    VARIANT_LE,
    VARIANT_GT,
    VARIANT_GE,
    VARIANT_LOW,
    VARIANT_HIGH,
    VARIANT_WIDE,
    VARIANT_TO,
    VARIANT_ADD, /* in the order of enum ptx_atomic */
    VARIANT_EXCHANGE,
    VARIANT_COMPARE,
    VARIANT_MIN,
    VARIANT_MAX,
    VARIANT_AND,
    VARIANT_OR,
    VARIANT_XOR,
    VARIANT_INC,
    VARIANT_DEC,
    VARIANT_IDX, /* in the order of enum ptx_shuffle */
    VARIANT_UP,
    VARIANT_DOWN,
    VARIANT_BFLY,
    VARIANT_BALLOT,
    VARIANT_ARRIVE,
    VARIANT_WAIT,
    VARIANT_1D,
    VARIANT_TWO, /* more than one, which no instruction here has */
};

enum { MODIFIER_TYPES = 2 };

struct modifiers {
    char base[PTX_NAME_BYTES];
    uint8_t types[MODIFIER_TYPES], type_count;
    uint8_t space, cache, count;
    enum variant variant;
    unsigned line;
};

/* The next word of the text, an instruction's name, taken apart. */
void modifiers_read(struct parser *, struct modifiers *);

/* A branch to be resolved when all labels are known. */
struct label_use {
    char name[PTX_NAME_BYTES];
    uint32_t instruction;
    unsigned line;
};

/* The next operand, a register or constant; memory; a register or a vector of `count` of them. */
uint16_t decode_value(struct parser *);
void decode_memory(struct parser *, struct ptx_instruction *, const struct modifiers *);
void decode_values(struct parser *, struct ptx_instruction *);
void decode_comma(struct parser *);
/* Fails where the text's target is below sm_`target`. */
void parser_needs(struct parser *, unsigned line, unsigned target, const char *what);

/* decode_memory.c: instructions that name memory. False where `base` is none of them. */
bool decode_moving(struct parser *, const struct modifiers *, struct ptx_instruction *);

#endif
