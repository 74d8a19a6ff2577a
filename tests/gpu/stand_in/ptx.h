/*
 * PTX text as the interpreter wants it: every instruction decoded once, every register, constant
 * and special register the index of a column in one file, every branch the number of an
 * instruction.
 *
 * It is a subset: what memory kernels need, without calls, local memory, half floats and matrices.
 * What it does not know it refuses with a line in the manner of ptxas; ptxas itself stays the judge
 * of what is valid.
 *
 * Reference: NVIDIA, "Parallel Thread Execution ISA", version 8.
 */
#ifndef FATHOM_TESTS_GPU_PTX_H
#define FATHOM_TESTS_GPU_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PTX_NAME_BYTES = 64,
    PTX_ERROR_BYTES = 256,
    PTX_VALUES = 4, /* of a vector */
    PTX_SOURCES = 3,
    PTX_LANES = 32,
    PTX_ZERO = 0,           /* the column that holds nothing but zero */
    PTX_NOWHERE = 1,        /* the column that takes what nobody wants */
    PTX_REGISTERS = 2,      /* and where registers begin */
    PTX_SHARED_BASE = 1024, /* where a block's scratchpad begins in its window */
    PTX_RANK_SHIFT = 24,    /* of a shared::cluster address: above it the block's rank + 1 */
};

/* Generic addresses of the scratchpad and of constants: windows that nothing else lies in. */
#define PTX_SHARED_WINDOW   (UINT64_C(1) << 46)
#define PTX_CONSTANT_WINDOW (PTX_SHARED_WINDOW + (UINT64_C(1) << 40))

/* Untyped bits count as unsigned. */
enum ptx_type {
    TYPE_NONE,
    TYPE_PRED,
    TYPE_U8,
    TYPE_S8,
    TYPE_U16,
    TYPE_S16,
    TYPE_U32,
    TYPE_S32,
    TYPE_U64,
    TYPE_S64,
    TYPE_F32,
    TYPE_F64,
};

enum ptx_op {
    /* value = f(a, b, c), in `type` */
    OP_MOV,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_MUL_HI,
    OP_MUL_WIDE,
    OP_MAD,
    OP_MAD_WIDE,
    OP_DIV,
    OP_REM,
    OP_MIN,
    OP_MAX,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_NOT,
    OP_NEG,
    OP_ABS,
    OP_SHL,
    OP_SHR,
    OP_SELP,
    OP_POPC,
    OP_CLZ,
    OP_BREV,
    OP_BFE,
    OP_CVT, /* from `type` to `to` */
    OP_SETP_EQ,
    OP_SETP_NE,
    OP_SETP_LT,
    OP_SETP_LE,
    OP_SETP_GT,
    OP_SETP_GE,
    OP_OFFSET, /* a + offset: cvta */
    OP_MAPA,
    OP_PACK, /* one value of two halves, and the reverse */
    OP_UNPACK,
    /* the warp */
    OP_SHFL, /* sub: enum ptx_shuffle */
    OP_BALLOT,
    /* clocks */
    OP_CLOCK, /* sub: enum ptx_clock */
    /* memory */
    OP_LOAD,
    OP_STORE,
    OP_ATOMIC, /* sub: enum ptx_atomic */
    OP_PARAMETER,
    OP_TEXTURE,
    /* control */
    OP_BRANCH,
    OP_EXIT,
    OP_TRAP,
    OP_BARRIER,
    OP_CLUSTER_ARRIVE,
    OP_CLUSTER_WAIT,
    OP_FENCE,
    OP_NOTHING,
};

enum ptx_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_CLUSTER,
    SPACE_CONSTANT,
    SPACE_PARAMETER,
};

enum ptx_cache { CACHE_DEFAULT, CACHE_ALL, CACHE_GLOBAL, CACHE_READ_ONLY, CACHE_VOLATILE };

enum ptx_atomic {
    ATOMIC_ADD,
    ATOMIC_EXCHANGE,
    ATOMIC_COMPARE,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_INC,
    ATOMIC_DEC,
};

enum ptx_shuffle { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY };

enum ptx_clock {
    CLOCK_NONE,
    CLOCK_LOW,
    CLOCK_HIGH,
    CLOCK_64,
    TIMER_64,
    TIMER_LOW,
    TIMER_HIGH,
};

enum ptx_special {
    SPECIAL_TID, /* .x, .y, .z: three each, here and below */
    SPECIAL_NTID = SPECIAL_TID + 3,
    SPECIAL_CTAID = SPECIAL_NTID + 3,
    SPECIAL_NCTAID = SPECIAL_CTAID + 3,
    SPECIAL_CLUSTER_CTAID = SPECIAL_NCTAID + 3,
    SPECIAL_CLUSTER_NCTAID = SPECIAL_CLUSTER_CTAID + 3,
    SPECIAL_CLUSTERID = SPECIAL_CLUSTER_NCTAID + 3,
    SPECIAL_NCLUSTERID = SPECIAL_CLUSTERID + 3,
    SPECIAL_CLUSTER_CTARANK = SPECIAL_NCLUSTERID + 3,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_DYNAMIC_SHARED,
    SPECIAL_TOTAL_SHARED,
    SPECIALS
};

struct ptx_instruction;
/* Makes the value of an instruction that has nothing to do with memory, clocks or control. */
typedef void ptx_evaluate(uint64_t *file, const struct ptx_instruction *, uint32_t lanes);

struct ptx_instruction {
    ptx_evaluate *evaluate; /* NULL: it is none of these */
    uint8_t op, type, to, sub;
    uint8_t count, bytes; /* memory: how many values, and of what size each */
    uint8_t space, cache;
    uint8_t latency; /* cycles to the result, of what is not memory */
    bool guard_not;
    bool folded;    /* no instruction of its own on the hardware, but part of the next one */
    uint16_t guard; /* PTX_ZERO: none */
    uint16_t value[PTX_VALUES];   /* what is written, and what a store writes to memory */
    uint16_t source[PTX_SOURCES]; /* of memory: the address first */
    uint32_t target, line;
    int64_t offset;
};

struct ptx_constant {
    uint64_t value;
    int variable; /* whose address is added; -1: none */
};

struct ptx_parameter {
    char name[PTX_NAME_BYTES];
    uint32_t at, bytes;
};

struct ptx_function {
    char name[PTX_NAME_BYTES];
    struct ptx_parameter *parameters;
    size_t parameter_count;
    uint32_t parameter_bytes;
    struct ptx_instruction *code;
    size_t count;
    /* The file's columns: zero, registers, constants, special registers. */
    uint32_t registers, constant_count, special_count, columns;
    struct ptx_constant *constants;
    uint8_t specials[SPECIALS];
    uint32_t shared_bytes; /* static */
    uint32_t most_threads; /* .maxntid; 0: as the device */
    bool has_barrier;
};

struct ptx_variable {
    char name[PTX_NAME_BYTES];
    uint8_t space;
    bool dynamic;                  /* .extern .shared */
    uint64_t bytes, alignment, at; /* at: in the constant bank, or a global one's address */
};

struct ptx_module {
    unsigned version, target; /* 78, 90 */
    struct ptx_function *functions;
    size_t function_count;
    struct ptx_variable *variables;
    size_t variable_count;
    uint64_t constant_bytes;
};

enum ptx_result { PTX_FINE, PTX_INVALID, PTX_TOO_NEW_FOR_DEVICE, PTX_NO_MEMORY };

/* `capability`: of the device that shall run it. `error` gets a line where it is not PTX_FINE. */
enum ptx_result ptx_read(struct ptx_module *, const char *text, unsigned capability,
                         char error[PTX_ERROR_BYTES]);
void ptx_free(struct ptx_module *);
/* NULL where there is none of that name. */
const struct ptx_function *ptx_find(const struct ptx_module *, const char *name);
unsigned ptx_type_bytes(enum ptx_type);

/* fold.c: finds what ptxas makes one instruction of two of. */
void ptx_fold(struct ptx_function *);

/* alu.c. NULL where the operation is none of alu's, or not with that type. */
ptx_evaluate *alu_find(const struct ptx_instruction *);

#endif
