/*
 * Chases through shared memory: the multiprocessor's own, by one thread or by a warp, or that of
 * another multiprocessor in its cluster.
 *
 * Only the kernel can write shared memory, so the thread that follows the ring links it first, in
 * every launch. The same bytes, stride and seed give the same ring, so that a chase continues where
 * it stopped. First every word gets the address of the next word (strided order) or its own (random
 * order). Own addresses are then shuffled by Sattolo's method, which gives one cycle for any number
 * of words: from the last word down to the second, each is exchanged with a random one before it.
 *
 * Reference: S. Sattolo, "An algorithm to generate a random cyclic permutation", Information
 * Processing Letters 22 (1986); the multiplier is that of Knuth and Lewis (Numerical Recipes'
 * ranqd1).
 */
#include "measure/gpu/ptx/write.h"

/* Writes one word every %stride bytes from %base to %end. `type` is the memory space and type of a
 * word. */
static void put_in_order(FILE *out, const char *type)
{
    ptx_put(out,
            "    ld.param.u64 %n, [p_bytes];\n"
            "    ld.param.u64 %stride, [p_stride];\n"
            "    ld.param.u64 %seed, [p_seed];\n"
            "    div.u64 %n, %n, %stride;\n"
            "    mad.lo.u64 %end, %n, %stride, %base;\n"
            "    setp.eq.b64 %k, %seed, 0;\n"
            "    selp.b64 %q, %stride, 0, %k;\n"
            "    add.u64 %q, %q, %base;\n"
            "    mov.u64 %p, %base;\n"
            "ORDER:\n"
            "    .pragma \"nounroll\";\n"
            "    setp.ge.u64 %k, %q, %end;\n"
            "    selp.b64 %q, %base, %q, %k;\n"
            "    st.$ [%p], %q;\n"
            "    add.u64 %q, %q, %stride;\n"
            "    add.u64 %p, %p, %stride;\n"
            "    setp.lt.u64 %k, %p, %end;\n"
            "    @%k bra ORDER;\n",
            type);
}

/* In the loop %i words are left, and the last one is at %p. */
static void shuffle(FILE *out, const char *type)
{
    ptx_put(out,
            "    setp.eq.b64 %k, %seed, 0;\n"
            "    @%k bra LINKED;\n"
            "    cvt.u32.u64 %r, %seed;\n"
            "    cvt.u32.u64 %i, %n;\n"
            "SHUFFLE:\n"
            "    .pragma \"nounroll\";\n"
            "    sub.u32 %i, %i, 1;\n"
            "    setp.eq.b32 %k, %i, 0;\n"
            "    @%k bra LINKED;\n"
            "    sub.u64 %p, %p, %stride;\n"
            "    mad.lo.u32 %r, %r, 1664525, 1013904223;\n"
            "    mul.hi.u32 %j, %r, %i;\n"
            "    cvt.u64.u32 %q, %j;\n"
            "    mad.lo.u64 %q, %q, %stride, %base;\n"
            "    ld.$ %x, [%p];\n"
            "    ld.$ %w, [%q];\n"
            "    st.$ [%p], %w;\n"
            "    st.$ [%q], %x;\n"
            "    bra SHUFFLE;\n"
            "LINKED:\n",
            type);
}

static void link_and_follow(FILE *out, const struct ptx_chase *chase, const char *type)
{
    put_in_order(out, type);
    shuffle(out, type);
    fputs(chase->place->enter, out);
    ptx_follow(out, chase);
}

void ptx_write_shared(FILE *out, const struct ptx_kernel *kernel)
{
    ptx_open(out, kernel);
    ptx_alone(out);
    ptx_claim(out);
    fputs("    mov.u64 %base, scratch;\n", out);
    link_and_follow(out, kernel->how, "shared.u32");
    ptx_close(out);
}

/* Each thread's word holds its own address, so the thread loads it again and again. If words of
 * several threads lie in one bank, the warp's load accesses them one after the other. */
void ptx_write_warp(FILE *out, const struct ptx_kernel *kernel)
{
    ptx_open(out, kernel);
    fputs("    ld.param.u64 %out, [p_out];\n"
          "    cvta.to.global.u64 %out, %out;\n"
          "    mov.u32 %r, %smid;\n"
          "    cvt.u64.u32 %sm, %r;\n"
          "    mov.u64 %base, scratch;\n"
          "    ld.param.u64 %stride, [p_stride];\n"
          "    mov.u32 %i, %tid.x;\n"
          "    cvt.u64.u32 %x, %i;\n"
          "    mad.lo.u64 %p, %x, %stride, %base;\n"
          "    cvt.u32.u64 %a, %p;\n"
          "    st.shared.u32 [%p], %a;\n",
          out);
    ptx_follow(out, kernel->how);
    ptx_close(out);
}

static void meet(FILE *out)
{
    fputs("    barrier.cluster.arrive;\n"
          "    barrier.cluster.wait;\n",
          out);
}

/* Another block's memory is accessible only between its begin and its end, so the blocks' first
 * threads meet at two barriers; barriers do not wait for threads that have ended. Each block stores
 * in its own memory on which multiprocessor it runs. */
void ptx_write_cluster(FILE *out, const struct ptx_kernel *kernel)
{
    ptx_open(out, kernel);
    fputs("    mov.u32 %r, %tid.x;\n"
          "    setp.ne.b32 %k, %r, 0;\n"
          "    @%k ret;\n"
          "    mov.u64 %base, scratch;\n"
          "    cvta.shared.u64 %base, %base;\n"
          "    mov.u32 %r, %smid;\n"
          "    st.u32 [%base], %r;\n",
          out);
    meet(out);
    fputs("    mov.u32 %r, %cluster_ctarank;\n"
          "    setp.ne.b32 %k, %r, 0;\n"
          "    @%k bra DONE;\n",
          out);
    ptx_claim(out);
    fputs("    ld.param.u64 %x, [p_rank];\n"
          "    cvt.u32.u64 %r, %x;\n"
          "    mapa.u64 %base, %base, %r;\n"
          "    ld.u32 %r, [%base];\n"
          "    cvt.u64.u32 %x, %r;\n",
          out);
    fprintf(out, "    st.global.u64 [%%out+%zu], %%x;\n", sizeof(uint64_t) * PTX_OTHER_SM);
    link_and_follow(out, kernel->how, "u64");
    fputs("DONE:\n", out);
    meet(out);
    fputs("    ret;\n}\n", out);
}
