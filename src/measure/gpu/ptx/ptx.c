/*
 * The table of the kernels, and the text around them.
 *
 * The text uses a small part of PTX, so that a test can interpret it. Each line of a body has one
 * label ("LOOP:"), one directive (.reg, .pragma) or one instruction, which may have the guard
 * "@%k". Operands are registers ("%a"), special registers, decimal numbers, [register],
 * [register+number], [parameter], {vectors}, [texture, {index}] and, of `mov.u64` and `mov.u32`,
 * the names `scratch` (dynamic shared memory) and `bank` (constant memory). Registers are declared
 * at the begin of a body. Special registers are %tid.x and .y, %ntid.x, %ctaid.x, %nctaid.x, %smid,
 * %cluster_ctarank, %clock64 and %globaltimer. The instructions are:
 *
 *   ld.param.u64                        mov.{u32,u64}       selp.b64   bra
 *   ld.global.L1::no_allocate.v2.u64
 *   ld.global{,.cg}.{u32,u64,v2.u64}    cvt.u32.u64         setp.{eq,ne}.{b32,b64}   ret
 *   ld.global.{nc,cv}.u64               cvt.u64.u32         setp.{ge,lt}.u64   trap
 *   ld.const.u32                        cvta.to.global.u64  add.{u32,u64}   sub.{u32,u64}   xor.b64
 *   ld.shared.{u32,v2.u64}              cvta.shared.u64     mul.lo.{u32,u64}   mul.hi.u32
 *   ld.{u32,u64} (shared memory)        mapa.u64            mul.wide.u32   mad.lo.{u32,u64}
 *   tex.1d.v4.u32.s32                   membar.gl           div.{u32,u64}   rem.{u32,u64}
 *   atom.global.{add.u64,exch.b64}      bar.sync            st.global.{u32,u64,v2.u64}
 *   atom.shared.add.u32                 barrier.cluster.{arrive,wait}   st.shared.{u32,v2.u64}
 *                                                           st.{u32,u64} (shared memory)
 */
#include "measure/gpu/ptx/write.h"

#include <stdlib.h>
#include <string.h>

/* Text for a target can be compiled for every later device, so a second target is needed only for
 * kernels that require it. A lower target is better: from 7.0 on, threads of a warp can wait for
 * each other, and ptxas adds instructions for that to loops, but not in text for an earlier target.
 */
static const struct target {
    unsigned capability;
    const char *version; /* of PTX: the first version with this target, for the oldest drivers */
} targets[] = {{50, "4.0"}, {90, "7.8"}};

enum { TARGETS = sizeof targets / sizeof *targets };

/* The number of parameters, and their names in the text (after "p_"). */
#define OF_CHASE   5, "start groups warm out sm"
#define OF_INDEX   6, "start groups warm out sm base"
#define OF_TEXTURE 6, "start groups warm out sm texture"
#define OF_TEXEL   7, "start groups warm out sm texture base"
#define OF_RIVAL   6, "start groups warm out rival warp"
#define OF_SHARED  8, "start groups warm out sm bytes stride seed"
#define OF_WARP    4, "groups warm out stride"
#define OF_CLUSTER 9, "start groups warm out sm bytes stride seed rank"
#define OF_LINK    5, "base stride next n values"
#define OF_SWEEP   4, "base stride n order"
#define OF_STREAM  5, "to from bytes repeats out"

/* A load without operator is .ca by definition (PTX ISA, 9.7.9.1), and is what programs use. From
 * an explicit .ca ptxas makes a load that is coherent within the multiprocessor (LDG.STRONG.SM). */
static const struct ptx_chase chase_ca = {GPU_L1, 64, &ptx_in_global, "ld.global.u64 %p, [%p];",
                                          NULL};
/* ptxas joins these two instructions into one multiply-add, but splits mad.wide into two. */
#define LOAD_INDEX                                                                                 \
    "mul.wide.u32 %q, %a, 4;\n    add.u64 %q, %q, %base;\n    ld.global.u32 %a, [%q];"
static const struct ptx_chase chase_ca_index = {GPU_L1, 32, &ptx_at_index, LOAD_INDEX, NULL};
static const struct ptx_chase chase_ca_vector = {GPU_L1, 128, &ptx_in_pairs,
                                                 "ld.global.v2.u64 {%p, %v$}, [%p];", NULL};
static const struct ptx_chase chase_cg = {GPU_L2, 64, &ptx_in_global, "ld.global.cg.u64 %p, [%p];",
                                          NULL};
static const struct ptx_chase chase_nc = {GPU_READ_ONLY, 64, &ptx_in_global,
                                          "ld.global.nc.u64 %p, [%p];", NULL};
static const struct ptx_chase chase_cv = {GPU_UNCACHED, 64, &ptx_in_global,
                                          "ld.global.cv.u64 %p, [%p];", NULL};
static const struct ptx_chase chase_atomic = {GPU_ATOMIC, 64, &ptx_in_global,
                                              "atom.global.add.u64 %p, [%p], 0;", NULL};
static const struct ptx_chase chase_texture = {
    GPU_TEXTURE, 32, &ptx_at_texel, "tex.1d.v4.u32.s32 {%a, %b, %i, %j}, [%texture, {%a}];", NULL};
/* The untimed loads of the same ring are plain ones: if the timed ones hit, both paths use one
 * cache. */
static const struct ptx_chase nc_after_ca = {
    GPU_READ_ONLY, 64, &ptx_in_global, "ld.global.nc.u64 %p, [%p];", "ld.global.u64 %p, [%p];"};
static const struct ptx_chase texture_after_ca = {
    GPU_TEXTURE, 32, &ptx_at_texel_or_index,
    "tex.1d.v4.u32.s32 {%a, %b, %i, %j}, [%texture, {%a}];", LOAD_INDEX};
static const struct ptx_chase chase_constant = {
    GPU_CONSTANT, 32, &ptx_in_bank, "add.u32 %i, %a, %b;\n    ld.const.u32 %a, [%i];", NULL};
static const struct ptx_chase chase_shared = {GPU_SHARED, 32, &ptx_in_shared,
                                              "ld.shared.u32 %a, [%a];", NULL};
static const struct ptx_chase chase_shared_atomic = {GPU_SHARED_ATOMIC, 32, &ptx_in_shared,
                                                     "atom.shared.add.u32 %a, [%a], 0;", NULL};
static const struct ptx_chase chase_warp = {GPU_SHARED_WARP, 32, &ptx_of_warp,
                                            "ld.shared.u32 %a, [%a];", NULL};
static const struct ptx_chase chase_cluster = {GPU_CLUSTER, 64, &ptx_in_cluster, "ld.u64 %p, [%p];",
                                               NULL};

#define IN_GLOBAL(load) false, load, "st.global"
#define IN_SHARED       true, "ld.shared", "st.shared"
static const struct ptx_stream stream_read = {GPU_READ, GPU_L2, IN_GLOBAL("ld.global.cg")},
                               stream_write = {GPU_WRITE, GPU_L2, IN_GLOBAL("ld.global.cg")},
                               stream_copy = {GPU_COPY, GPU_L2, IN_GLOBAL("ld.global.cg")},
                               plain_read = {GPU_READ, GPU_L1, IN_GLOBAL("ld.global")},
                               near_read = {GPU_READ, GPU_L1, true, "ld.global", "st.global"},
                               passing_read = {GPU_READ, GPU_NO_ALLOCATE,
                                               IN_GLOBAL("ld.global.L1::no_allocate")},
                               shared_read = {GPU_READ, GPU_SHARED, IN_SHARED},
                               shared_write = {GPU_WRITE, GPU_SHARED, IN_SHARED},
                               shared_copy = {GPU_COPY, GPU_SHARED, IN_SHARED};

const struct ptx_kernel ptx_kernels[] = {
    {"chase_ca", 50, OF_CHASE, ptx_write_chase, &chase_ca},
    {"chase_ca_index", 50, OF_INDEX, ptx_write_chase, &chase_ca_index},
    {"chase_ca_vector", 50, OF_CHASE, ptx_write_chase, &chase_ca_vector},
    {"chase_cg", 50, OF_CHASE, ptx_write_chase, &chase_cg},
    {"chase_nc", 50, OF_CHASE, ptx_write_chase, &chase_nc},
    {"chase_cv", 50, OF_CHASE, ptx_write_chase, &chase_cv},
    {"chase_atomic", 50, OF_CHASE, ptx_write_chase, &chase_atomic},
    {"chase_texture", 50, OF_TEXTURE, ptx_write_chase, &chase_texture},
    {"chase_nc_after_ca", 50, OF_CHASE, ptx_write_chase, &nc_after_ca},
    {"chase_texture_after_ca", 50, OF_TEXEL, ptx_write_chase, &texture_after_ca},
    {"chase_ca_rival", 50, OF_RIVAL, ptx_write_rival, &chase_ca},
    {"chase_constant", 50, OF_CHASE, ptx_write_chase, &chase_constant},
    {"chase_shared", 50, OF_SHARED, ptx_write_shared, &chase_shared},
    {"chase_shared_atomic", 50, OF_SHARED, ptx_write_shared, &chase_shared_atomic},
    {"chase_shared_warp", 50, OF_WARP, ptx_write_warp, &chase_warp},
    {"chase_cluster", 90, OF_CLUSTER, ptx_write_cluster, &chase_cluster},
    {"link", 50, OF_LINK, ptx_write_link, NULL},
    {"sweep", 50, OF_SWEEP, ptx_write_sweep, NULL},
    {"stream_read", 50, OF_STREAM, ptx_write_stream, &stream_read},
    {"stream_write", 50, OF_STREAM, ptx_write_stream, &stream_write},
    {"stream_copy", 50, OF_STREAM, ptx_write_stream, &stream_copy},
    {"stream_plain_read", 50, OF_STREAM, ptx_write_stream, &plain_read},
    {"stream_near_read", 50, OF_STREAM, ptx_write_stream, &near_read},
    {"stream_passing_read", 90, OF_STREAM, ptx_write_stream, &passing_read},
    {"stream_shared_read", 50, OF_STREAM, ptx_write_stream, &shared_read},
    {"stream_shared_write", 50, OF_STREAM, ptx_write_stream, &shared_write},
    {"stream_shared_copy", 50, OF_STREAM, ptx_write_stream, &shared_copy},
    {"empty", 50, 0, "", ptx_write_empty, NULL},
    {NULL, 0, 0, NULL, NULL, NULL},
};

const struct ptx_kernel *ptx_chase(enum gpu_path path, unsigned width_bits, enum gpu_before before)
{
    const bool plain_first = before == GPU_PLAIN_LOADS;
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++) {
        if (kernel->write != ptx_write_chase && kernel->write != ptx_write_shared &&
            kernel->write != ptx_write_warp && kernel->write != ptx_write_cluster &&
            kernel->write != ptx_write_rival)
            continue;
        if ((kernel->write == ptx_write_rival) != (before == GPU_RIVAL))
            continue;
        /* The first kernel of a path has its default width. */
        const struct ptx_chase *chase = kernel->how;
        if (chase->path == path && plain_first == (chase->warm != NULL) &&
            (!width_bits || chase->width_bits == width_bits))
            return kernel;
    }
    return NULL;
}

const struct ptx_kernel *ptx_stream(enum gpu_traffic traffic, enum gpu_path path, bool each)
{
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++) {
        const struct ptx_stream *stream = kernel->how;
        if (kernel->write == ptx_write_stream && stream->traffic == traffic &&
            stream->path == path && stream->each == each)
            return kernel;
    }
    return NULL;
}

void ptx_put(FILE *out, const char *lines, const char *dollar)
{
    for (; *lines; lines++) {
        if (*lines == '$')
            fputs(dollar, out);
        else
            fputc(*lines, out);
    }
}

void ptx_open(FILE *out, const struct ptx_kernel *kernel)
{
    const char *separator = "";
    fprintf(out, "\n.visible .entry %s(", kernel->name);
    for (const char *name = kernel->names; *name; name += strcspn(name, " ")) {
        name += strspn(name, " ");
        fprintf(out, "%s\n    .param .u64 p_%.*s", separator, (int)strcspn(name, " "), name);
        separator = ",";
    }
    fputs(")\n{\n"
          "    .reg .b64 %p, %q, %x, %n, %w, %base, %end, %stride, %seed, %texture;\n"
          "    .reg .b64 %out, %want, %sm, %last, %c0, %c1, %t0, %t1, %ns;\n"
          "    .reg .b64 %v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7;\n"
          "    .reg .b64 %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15;\n"
          "    .reg .b32 %a, %b, %i, %j, %r;\n"
          "    .reg .pred %k;\n",
          out);
}

void ptx_close(FILE *out)
{
    fputs("DONE:\n    ret;\n}\n", out);
}

/* %globaltimer takes longer to read, so it is read outside the counted cycles. */
void ptx_before(FILE *out)
{
    fputs("    mov.u64 %t0, %globaltimer;\n"
          "    mov.u64 %c0, %clock64;\n",
          out);
}

void ptx_after(FILE *out, const char *leave)
{
    static const struct {
        enum ptx_result word;
        const char *value;
    } results[] = {{PTX_CYCLES, "%c0"},  {PTX_NS, "%ns"}, {PTX_LAST, "%last"},
                   {PTX_SM, "%sm"},      {PTX_DONE, "1"}, {PTX_BEGAN_NS, "%t0"},
                   {PTX_ENDED_NS, "%t1"}};
    fputs("    mov.u64 %c1, %clock64;\n"
          "    mov.u64 %t1, %globaltimer;\n"
          "    sub.u64 %c0, %c1, %c0;\n"
          "    sub.u64 %ns, %t1, %t0;\n",
          out);
    fputs(leave, out);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        fprintf(out, "    st.global.u64 [%%out+%zu], %s;\n", sizeof(uint64_t) * results[i].word,
                results[i].value);
}

char *ptx_text(unsigned capability)
{
    const struct target *target = targets;
    for (size_t i = 0; i < TARGETS && targets[i].capability <= capability; i++)
        target = &targets[i];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out,
            ".version %s\n.target sm_%u\n.address_size 64\n\n"
            ".extern .shared .align 16 .b8 scratch[];\n"
            ".visible .const .align 16 .b8 " PTX_CONSTANT_BANK "[%d];\n",
            target->version, target->capability, PTX_CONSTANT_BYTES);
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++) {
        if (kernel->least_capability <= target->capability)
            kernel->write(out, kernel);
    }
    bool failed = ferror(out);
    if (fclose(out) || failed) {
        free(text);
        return NULL;
    }
    return text;
}
