/*
 * Chases: one thread makes dependent loads, each from the address that the last one returned.
 */
#include "measure/gpu/ptx/write.h"

/* No ring holds -1, so the comparison is never true, but it has to wait for the load. */
#define NO_ADDRESS "    setp.eq.b64 %k, %p, -1;\n"
#define NO_INDEX   "    setp.eq.b32 %k, %a, -1;\n"

/* Addresses from the host and in a ring are generic. A global address has the same number as its
 * generic one, so a ring of addresses can be followed without conversion. */
const struct ptx_place ptx_in_global = {
    "    ld.param.u64 %p, [p_start];\n"
    "    cvta.to.global.u64 %p, %p;\n",
    NO_ADDRESS,
    "    mov.u64 %last, %p;\n",
};

/* ptxas narrows a vector load if a part of it is unused. So the second halves are used too, but
 * only after the clock: they are folded into one number and compared with a value that it never
 * has. */
#define FOLD(a, b, c, d)                                                                           \
    "    xor.b64 %x, %x, %v" #a ";\n"                                                              \
    "    xor.b64 %x, %x, %v" #b ";\n"                                                              \
    "    xor.b64 %x, %x, %v" #c ";\n"                                                              \
    "    xor.b64 %x, %x, %v" #d ";\n"
#define SECOND_HALVES FOLD(0, 1, 2, 3) FOLD(4, 5, 6, 7) FOLD(8, 9, 10, 11) FOLD(12, 13, 14, 15)
const struct ptx_place ptx_in_pairs = {
    "    ld.param.u64 %p, [p_start];\n"
    "    cvta.to.global.u64 %p, %p;\n",
    NO_ADDRESS,
    "    mov.u64 %last, %p;\n"
    "    mov.u64 %x, 0;\n" SECOND_HALVES /* of PTX_LOADS loads */
    "    setp.eq.b64 %k, %x, 6148914691236517205;\n"
    "    @%k trap;\n",
};

/* The host does not know addresses in constant memory, so the ring holds offsets. ptxas knows where
 * the bank begins and puts the sum into the load's address. Adding %tid.y, which is 0, makes the
 * position seem to differ between threads: otherwise ptxas uses a load into a uniform register
 * (LDCU, from 10.0 on), which takes another path than a thread's own load. */
const struct ptx_place ptx_in_bank = {
    "    ld.param.u64 %x, [p_start];\n"
    "    cvt.u32.u64 %a, %x;\n"
    "    mov.u32 %i, %tid.y;\n"
    "    add.u32 %a, %a, %i;\n"
    "    mov.u32 %b, " PTX_CONSTANT_BANK ";\n",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n",
};

const struct ptx_place ptx_at_index = {
    "    ld.param.u64 %x, [p_start];\n"
    "    cvt.u32.u64 %a, %x;\n"
    "    ld.param.u64 %base, [p_base];\n"
    "    cvta.to.global.u64 %base, %base;\n",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n",
};

const struct ptx_place ptx_at_texel = {
    "    ld.param.u64 %x, [p_start];\n"
    "    cvt.u32.u64 %a, %x;\n"
    "    ld.param.u64 %texture, [p_texture];\n",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n",
};

const struct ptx_place ptx_at_texel_or_index = {
    "    ld.param.u64 %x, [p_start];\n"
    "    cvt.u32.u64 %a, %x;\n"
    "    ld.param.u64 %texture, [p_texture];\n"
    "    ld.param.u64 %base, [p_base];\n"
    "    cvta.to.global.u64 %base, %base;\n",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n",
};

/* Addresses in a block's own shared memory have 32 bits; the ring begins at %base. */
const struct ptx_place ptx_in_shared = {
    "    ld.param.u64 %x, [p_start];\n"
    "    add.u64 %x, %x, %base;\n"
    "    cvt.u32.u64 %a, %x;\n",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n"
    "    sub.u64 %last, %last, %base;\n",
};

/* Each thread follows its own word; only the first thread writes results. */
const struct ptx_place ptx_of_warp = {
    "",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n"
    "    sub.u64 %last, %last, %base;\n"
    "    setp.ne.b32 %k, %i, 0;\n"
    "    @%k bra DONE;\n",
};

/* Addresses in another block's shared memory are generic, of 64 bits: with 32-bit ones each load
 * would need two more instructions to convert them. */
const struct ptx_place ptx_in_cluster = {
    "    ld.param.u64 %p, [p_start];\n"
    "    add.u64 %p, %p, %base;\n",
    NO_ADDRESS,
    "    sub.u64 %last, %p, %base;\n",
};

/* Several blocks may run on the multiprocessor; the first one to ask does the work. */
void ptx_claim(FILE *out)
{
    fputs("    ld.param.u64 %out, [p_out];\n"
          "    cvta.to.global.u64 %out, %out;\n"
          "    ld.param.u64 %want, [p_sm];\n"
          "    mov.u32 %r, %smid;\n"
          "    cvt.u64.u32 %sm, %r;\n"
          "    setp.eq.b64 %k, %want, -1;\n"
          "    @%k bra CLAIM;\n"
          "    setp.ne.b64 %k, %sm, %want;\n"
          "    @%k bra DONE;\n"
          "CLAIM:\n",
          out);
    fprintf(out, "    atom.global.exch.b64 %%x, [%%out+%zu], 1;\n", sizeof(uint64_t) * PTX_DONE);
    fputs("    setp.ne.b64 %k, %x, 0;\n"
          "    @%k bra DONE;\n",
          out);
}

/* Waits for the last load, because reading a clock does not wait for loads. */
static void guard(FILE *out, const struct ptx_chase *chase)
{
    fputs(chase->place->guard, out);
    fputs("    @%k trap;\n", out);
}

/* A loop over `counter` groups of loads, at least one. The pragma keeps ptxas from unrolling it. */
static void loop(FILE *out, const char *load, const char *label, const char *counter)
{
    fprintf(out, "%s:\n    .pragma \"nounroll\";\n", label);
    for (unsigned i = 0; i < PTX_LOADS; i++) {
        char number[sizeof "4294967295"];
        snprintf(number, sizeof number, "%u", i);
        fputs("    ", out);
        ptx_put(out, load, number);
        fputs("\n", out);
    }
    ptx_put(out,
            "    sub.u64 $, $, 1;\n"
            "    setp.ne.b64 %k, $, 0;\n",
            counter);
    fprintf(out, "    @%%k bra %s;\n", label);
}

void ptx_follow(FILE *out, const struct ptx_chase *chase)
{
    fputs("    ld.param.u64 %n, [p_groups];\n"
          "    ld.param.u64 %w, [p_warm];\n"
          "    setp.eq.b64 %k, %w, 0;\n"
          "    @%k bra TIMED;\n",
          out);
    loop(out, chase->warm ? chase->warm : chase->load, "WARM", "%w");
    fputs("TIMED:\n", out);
    guard(out, chase);
    ptx_before(out);
    loop(out, chase->load, "LOOP", "%n");
    guard(out, chase);
    ptx_after(out, chase->place->leave);
}

void ptx_alone(FILE *out)
{
    fputs("    mov.u32 %r, %tid.x;\n"
          "    setp.ne.b32 %k, %r, 0;\n"
          "    @%k bra DONE;\n",
          out);
}

/* `warm` groups of loads from the ring at the parameter `ring` (start or rival), by thread number
 * `thread`. */
static void bring(FILE *out, const struct ptx_chase *chase, const char *ring, const char *label,
                  const char *thread)
{
    fprintf(out,
            "    setp.ne.b32 %%k, %%r, %s;\n"
            "    @%%k bra %s_MEETS;\n"
            "    ld.param.u64 %%p, [p_%s];\n"
            "    cvta.to.global.u64 %%p, %%p;\n"
            "    ld.param.u64 %%w, [p_warm];\n",
            thread, label, ring);
    loop(out, chase->load, label, "%w");
    guard(out, chase);
    fprintf(out, "%s_MEETS:\n    bar.sync 0;\n", label);
}

/* All threads of the block wait at a barrier after each ring. If both warps use one cache, the
 * second ring evicts the first one; otherwise the first one is still there. */
void ptx_write_rival(FILE *out, const struct ptx_kernel *kernel)
{
    const struct ptx_chase *chase = kernel->how;
    ptx_open(out, kernel);
    fputs("    ld.param.u64 %out, [p_out];\n"
          "    cvta.to.global.u64 %out, %out;\n"
          "    mov.u32 %r, %smid;\n"
          "    cvt.u64.u32 %sm, %r;\n"
          "    ld.param.u64 %x, [p_warp];\n"
          "    cvt.u32.u64 %b, %x;\n"
          "    mul.lo.u32 %b, %b, 32;\n"
          "    mov.u32 %r, %tid.x;\n",
          out);
    bring(out, chase, "start", "WARM", "0");
    bring(out, chase, "rival", "RIVAL", "%b");
    fputs("    setp.ne.b32 %k, %r, 0;\n"
          "    @%k bra DONE;\n",
          out);
    fputs(chase->place->enter, out);
    fputs("    ld.param.u64 %n, [p_groups];\n", out);
    guard(out, chase);
    ptx_before(out);
    loop(out, chase->load, "LOOP", "%n");
    guard(out, chase);
    ptx_after(out, chase->place->leave);
    ptx_close(out);
}

void ptx_write_chase(FILE *out, const struct ptx_kernel *kernel)
{
    const struct ptx_chase *chase = kernel->how;
    ptx_open(out, kernel);
    ptx_alone(out);
    ptx_claim(out);
    fputs(chase->place->enter, out);
    ptx_follow(out, chase);
    ptx_close(out);
}
