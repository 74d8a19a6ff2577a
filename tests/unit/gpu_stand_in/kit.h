/* A modelled device without a driver, for the tests of its parts: machine, memory, one module. */
#ifndef FATHOM_TESTS_GPU_KIT_H
#define FATHOM_TESTS_GPU_KIT_H

#include "../../gpu/stand_in/run.h"

struct kit {
    struct machine machine;
    struct hierarchy hierarchy;
    struct memory memory;
    struct ptx_module module;
    struct run_device device;
    bool reaches[MACHINE_DEVICES_MOST];
    struct run_outcome outcome;
};

/* Both fail the test where anything is wrong: with the settings of FATHOM_GPU_MODEL, and with PTX
 * text, to which the head is added. */
void kit_open(struct kit *, const char *settings);
void kit_load(struct kit *, const char *text);
void kit_close(struct kit *);

uint64_t kit_take(struct kit *, uint64_t bytes);
/* Where device memory is kept. */
void *kit_data(const struct kit *, uint64_t address);
/* Runs an entry with 64-bit parameters; returns its result, and leaves the rest in kit->outcome. */
int kit_run(struct kit *, const char *entry, unsigned blocks, unsigned threads,
            uint32_t shared_bytes, const uint64_t *parameters);
/* The same in clusters, and with a wish for the split. */
int kit_run_as(struct kit *, const char *entry, struct run_grid, const uint64_t *parameters);

/* %t: the thread in its block; %g: in the grid; %o: where the grid's thread leaves 64 bits. */
#define NUMBERED                                                                                   \
    ".reg .b64 %o, %x, %y, %p; .reg .b32 %t, %g, %a, %b, %c, %n; .reg .pred %k;\n"                 \
    "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %a, %ctaid.x; mov.u32 %b, %ntid.x;\n"     \
    "mad.lo.u32 %g, %a, %b, %t; mad.wide.u32 %o, %g, 8, %o;\n"
#define ENTRY(body)                                                                                \
    ".extern .shared .align 16 .b8 scratch[];\n.entry e(.param .u64 out) {\n" NUMBERED body "}\n"

enum { KIT_OUT_BYTES = 1 << 16 };

/* Opens the kit and runs a text's entry "e", whose first parameter is `out`; what it left there.
 * The outcome may be an error. */
const uint64_t *kit_out(struct kit *, const char *settings, const char *text, unsigned blocks,
                        unsigned threads, uint32_t shared_bytes);
/* The same with one block and 1 KiB of scratchpad: the result, whose text has to hold `part`. */
int kit_result(const char *settings, const char *text, unsigned threads, const char *part);

#endif
