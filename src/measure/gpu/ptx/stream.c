/*
 * Kernels of many threads: streams, and kernels that prepare memory.
 *
 * A stream's memory is divided into chunks, one for each block and round. In a chunk each warp has
 * 32 times ptx_stream_round_bytes; a thread moves VECTORS vectors of 16 bytes, 512 bytes apart. So
 * each access of a warp is contiguous, offsets are immediate, and no load of a round waits for
 * another. ptxas decides how many loads are in flight: a read gets 58 registers for sm_75, enough
 * for all eight, and 32 from sm_80 on, enough for about half; the many warps make up for that. The
 * repeats form one sequence of chunks, which the blocks take in turn, so that all blocks end
 * together for any number of chunks.
 */
#include "measure/gpu/ptx/write.h"

enum { VECTORS = 8, VECTOR_BYTES = 16, WARP = 32 };

const size_t ptx_stream_round_bytes = (size_t)VECTORS * VECTOR_BYTES;

/* %i: the thread's number in the grid; %x: the number of threads. */
static void number_threads(FILE *out)
{
    fputs("    mov.u32 %i, %ctaid.x;\n"
          "    mov.u32 %j, %ntid.x;\n"
          "    mov.u32 %r, %tid.x;\n"
          "    mad.lo.u32 %i, %i, %j, %r;\n"
          "    mov.u32 %r, %nctaid.x;\n"
          "    mul.wide.u32 %x, %j, %r;\n"
          "    cvt.u64.u32 %w, %i;\n"
          "    ld.param.u64 %n, [p_n];\n"
          "    ld.param.u64 %base, [p_base];\n"
          "    cvta.to.global.u64 %base, %base;\n"
          "    ld.param.u64 %stride, [p_stride];\n",
          out);
}

void ptx_write_link(FILE *out, const struct ptx_kernel *kernel)
{
    ptx_open(out, kernel);
    number_threads(out);
    fputs("    ld.param.u64 %last, [p_next];\n"
          "    cvta.to.global.u64 %last, %last;\n"
          "    ld.param.u64 %q, [p_values];\n"
          "    cvt.u32.u64 %b, %q;\n"
          "LOOP:\n"
          "    .pragma \"nounroll\";\n"
          "    setp.ge.u64 %k, %w, %n;\n"
          "    @%k bra DONE;\n"
          "    mad.lo.u64 %q, %w, 4, %last;\n"
          "    ld.global.u32 %a, [%q];\n"
          "    mad.lo.u64 %p, %w, %stride, %base;\n"
          "    add.u64 %w, %w, %x;\n"
          "    setp.ne.b32 %k, %b, 0;\n"
          "    @%k bra INDEX;\n"
          "    cvt.u64.u32 %q, %a;\n"
          "    mad.lo.u64 %q, %q, %stride, %base;\n"
          "    st.global.u64 [%p], %q;\n"
          "    bra LOOP;\n"
          "INDEX:\n"
          "    mul.lo.u32 %a, %a, %b;\n"
          "    st.global.u32 [%p], %a;\n"
          "    bra LOOP;\n",
          out);
    ptx_close(out);
}

/* ptxas drops a load with an unused value, so an element equal to -1, which never occurs, would be
 * stored again. */
void ptx_write_sweep(FILE *out, const struct ptx_kernel *kernel)
{
    ptx_open(out, kernel);
    number_threads(out);
    fputs("    ld.param.u64 %last, [p_order];\n"
          "    cvta.to.global.u64 %last, %last;\n"
          "LOOP:\n"
          "    .pragma \"nounroll\";\n"
          "    setp.ge.u64 %k, %w, %n;\n"
          "    @%k bra DONE;\n"
          "    mad.lo.u64 %q, %w, 4, %last;\n"
          "    ld.global.u32 %a, [%q];\n"
          "    cvt.u64.u32 %p, %a;\n"
          "    mad.lo.u64 %p, %p, %stride, %base;\n"
          "    ld.global.cg.u32 %a, [%p];\n"
          "    add.u64 %w, %w, %x;\n"
          "    setp.ne.b32 %k, %a, -1;\n"
          "    @%k bra LOOP;\n"
          "    st.global.u32 [%p], %a;\n"
          "    bra LOOP;\n",
          out);
    ptx_close(out);
}

void ptx_write_empty(FILE *out, const struct ptx_kernel *kernel)
{
    ptx_open(out, kernel);
    ptx_close(out);
}

/* Sets %out to the block's result, %last to the offset of the thread's first vector in a chunk, and
 * %chunk to the bytes of a chunk. */
static void divide_chunk(FILE *out)
{
    fputs("    ld.param.u64 %out, [p_out];\n"
          "    cvta.to.global.u64 %out, %out;\n"
          "    mov.u32 %r, %ctaid.x;\n",
          out);
    fprintf(out, "    mul.wide.u32 %%x, %%r, %zu;\n", sizeof(uint64_t) * PTX_RESULT_WORDS);
    fputs("    add.u64 %out, %out, %x;\n"
          "    mov.u32 %r, %smid;\n"
          "    cvt.u64.u32 %sm, %r;\n"
          "    mov.u32 %i, %tid.x;\n"
          "    mov.u32 %j, %ntid.x;\n",
          out);
    fprintf(out,
            "    mul.wide.u32 %%chunk, %%j, %d;\n"
            "    div.u32 %%a, %%i, %d;\n"
            "    rem.u32 %%b, %%i, %d;\n"
            "    mul.wide.u32 %%last, %%a, %d;\n"
            "    mul.wide.u32 %%x, %%b, %d;\n",
            VECTORS * VECTOR_BYTES, WARP, WARP, WARP * VECTORS * VECTOR_BYTES, VECTOR_BYTES);
    fputs("    add.u64 %last, %last, %x;\n", out);
}

/* Sets %to and %from to the thread's first vector, %n to the chunks of the memory and %all to those
 * of all repeats. The next chunk is number %w of all and %at of the memory; a round advances them
 * by %many and %stride. */
static void deal_chunks(FILE *out, const struct ptx_stream *stream)
{
    const bool shared = stream->path == GPU_SHARED;
    fputs("    ld.param.u64 %to, [p_to];\n"
          "    ld.param.u64 %from, [p_from];\n",
          out);
    fputs(shared ? "    mov.u64 %x, scratch;\n"
                   "    add.u64 %to, %to, %x;\n"
                   "    add.u64 %from, %from, %x;\n"
                 : "    cvta.to.global.u64 %to, %to;\n"
                   "    cvta.to.global.u64 %from, %from;\n",
          out);
    fputs(stream->each ? "    mov.u64 %w, 0;\n"
                         "    mov.u64 %many, 1;\n"
                       : "    mov.u32 %a, %ctaid.x;\n"
                         "    cvt.u64.u32 %w, %a;\n"
                         "    mov.u32 %a, %nctaid.x;\n"
                         "    cvt.u64.u32 %many, %a;\n",
          out);
    fputs("    add.u64 %to, %to, %last;\n"
          "    add.u64 %from, %from, %last;\n"
          "    ld.param.u64 %n, [p_bytes];\n"
          "    div.u64 %n, %n, %chunk;\n"
          "    ld.param.u64 %all, [p_repeats];\n"
          "    mul.lo.u64 %all, %all, %n;\n"
          "    rem.u64 %at, %w, %n;\n"
          "    rem.u64 %stride, %many, %n;\n",
          out);
}

static void move_vectors(FILE *out, const struct ptx_stream *stream)
{
    if (stream->traffic != GPU_WRITE) {
        fputs("    mad.lo.u64 %p, %at, %chunk, %from;\n", out);
        for (int i = 0; i < VECTORS; i++)
            fprintf(out, "    %s.v2.u64 {%%v%d, %%v%d}, [%%p+%d];\n", stream->load, 2 * i,
                    2 * i + 1, i * WARP * VECTOR_BYTES);
    }
    if (stream->traffic != GPU_READ) {
        fputs("    mad.lo.u64 %q, %at, %chunk, %to;\n", out);
        for (int i = 0; i < VECTORS; i++)
            fprintf(out, "    %s.v2.u64 [%%q+%d], {%%v%d, %%v%d};\n", stream->store,
                    i * WARP * VECTOR_BYTES, 2 * i, 2 * i + 1);
    } else {
        for (int i = 0; i < 2 * VECTORS; i++)
            fprintf(out, "    xor.b64 %%last, %%last, %%v%d;\n", i);
    }
}

/* The branch waits for the loads; it is taken only if the data fold to that number. */
static void end_round(FILE *out)
{
    fputs("    add.u64 %w, %w, %many;\n"
          "    add.u64 %at, %at, %stride;\n"
          "    sub.u64 %x, %at, %n;\n"
          "    setp.ge.u64 %k, %at, %n;\n"
          "    selp.b64 %at, %x, %at, %k;\n"
          "    bra LOOP;\n"
          "MOVED:\n"
          "    setp.eq.b64 %k, %last, -1;\n"
          "    @%k trap;\n",
          out);
}

/* Stores may not be complete when the loop ends, so a fence comes before the second clock reading.
 */
void ptx_write_stream(FILE *out, const struct ptx_kernel *kernel)
{
    const struct ptx_stream *stream = kernel->how;
    ptx_open(out, kernel);
    fputs("    .reg .b64 %to, %from, %chunk, %all, %at, %many;\n", out);
    divide_chunk(out);
    deal_chunks(out, stream);
    if (stream->traffic == GPU_WRITE) {
        for (int i = 0; i < 2 * VECTORS; i++)
            fprintf(out, "    mov.u64 %%v%d, %%last;\n", i);
    }
    ptx_before(out);
    fputs("LOOP:\n"
          "    .pragma \"nounroll\";\n"
          "    setp.ge.u64 %k, %w, %all;\n"
          "    @%k bra MOVED;\n",
          out);
    move_vectors(out, stream);
    end_round(out);
    fputs("    membar.gl;\n"
          "    bar.sync 0;\n"
          "    setp.ne.b32 %k, %i, 0;\n"
          "    @%k bra DONE;\n",
          out);
    ptx_after(out, "");
    ptx_close(out);
}
