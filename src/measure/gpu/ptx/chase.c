/*
 * Chases: one thread goes from load to load, each of which needs the one before.
 */
#include "measure/gpu/ptx/write.h"

/* No ring holds these values, so the comparison never holds; but to make it, the load has to have
 * ended. */
#define NO_ADDRESS "    setp.eq.b64 %k, %p, -1;\n"
#define NO_INDEX   "    setp.eq.b32 %k, %a, -1;\n"

/* An address from the host is generic, and so are those in a ring; in the global window both kinds
 * are the same number, or a ring of addresses could not be followed as it stands. */
const struct ptx_place ptx_in_global = {
    "    ld.param.u64 %p, [p_start];\n"
    "    cvta.to.global.u64 %p, %p;\n",
    NO_ADDRESS,
    "    mov.u64 %last, %p;\n",
};

/* ptxas narrows a vector load of which a part is not used. So the second halves are used too, but
 * only after the clock: they are folded into one number, which is compared with one that it never
 * is. */
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

/* Constant memory has addresses of its own, which the host does not know: its ring holds offsets.
 * Where the bank begins is known to ptxas, which makes the sum a part of the load's own address.
 * %tid.y is 0, but of a place that may differ between threads, ptxas makes no load into a uniform
 * register (LDCU, from 10.0 on), which is another way than a thread's own. */
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

/* Shared memory's own addresses have 32 bits; the ring begins at %base. */
const struct ptx_place ptx_in_shared = {
    "    ld.param.u64 %x, [p_start];\n"
    "    add.u64 %x, %x, %base;\n"
    "    cvt.u32.u64 %a, %x;\n",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n"
    "    sub.u64 %last, %last, %base;\n",
};

/* Each thread has stored its own word; only the first one reports. */
const struct ptx_place ptx_of_warp = {
    "",
    NO_INDEX,
    "    cvt.u64.u32 %last, %a;\n"
    "    sub.u64 %last, %last, %base;\n"
    "    setp.ne.b32 %k, %i, 0;\n"
    "    @%k bra DONE;\n",
};

/* Another block's have 64, as generic addresses: of its 32-bit ones every load makes such an
 * address, in two instructions more. */
const struct ptx_place ptx_in_cluster = {
    "    ld.param.u64 %p, [p_start];\n"
    "    add.u64 %p, %p, %base;\n",
    NO_ADDRESS,
    "    sub.u64 %last, %p, %base;\n",
};

/* The block that asks first gets it: several may run on the multiprocessor. */
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

/* Waits for the place: a clock is read without waiting for a load that is under way. */
static void guard(FILE *out, const struct ptx_chase *chase)
{
    fputs(chase->place->guard, out);
    fputs("    @%k trap;\n", out);
}

/* As many groups of loads as `counter` says, at least one. ptxas unrolls every loop that no
 * pragma forbids it to. */
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

/* The ring of the parameter `start` or `rival`, so often as `warm` says; by the thread whose number
 * %r has to be. */
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

/* All threads of the block meet after each ring. Where the two warps' loads lead into one cache,
 * the second ring drives the first one out; otherwise the first is still there. */
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
