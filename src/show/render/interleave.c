/*
 * Commands that set the weights by which Linux (since 6.9) interleaves pages over nodes, from the
 * bandwidths of `fathom numa`: `fathom report -f interleave FILE | sudo sh`. The kernel has one
 * weight for each node, for all CPUs, so the weights for CPUs of other nodes are comments.
 */
#include "conclude/ways.h"
#include "show/render/output.h"

static void put_row(FILE *out, const struct interleave_row *row, bool first)
{
    fprintf(out, "# weights for CPUs of node %d:", row->from);
    for (size_t i = 0; i < row->count; i++)
        fprintf(out, " %u", row->weights[i]);
    fputs("; they read", out);
    for (size_t i = 0; i < row->count; i++)
        fprintf(out, "%s %.1f", i ? "," : "", row->rates[i] * 1e-9);
    fputs(" GB/s from nodes", out);
    for (size_t i = 0; i < row->count; i++)
        fprintf(out, "%s %d", i ? "," : "", row->to[i]);
    if (interleave_kernel_known(row)) {
        fputs("; the kernel has", out);
        for (size_t i = 0; i < row->count; i++)
            fprintf(out, " %u", row->kernel[i]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < row->count; i++)
        fprintf(out, "%secho %u >/sys/kernel/mm/mempolicy/weighted_interleave/node%d\n",
                first ? "" : "# ", row->weights[i], row->to[i]);
}

static void write_interleave(FILE *out, const struct output_content *content, struct pool *pool)
{
    struct interleave found;
    interleave_read(&found, content->documents[0], pool);
    fputs("# Weighted interleaving (Linux 6.9 and later); programs use it by\n# numactl "
          "--weighted-interleave=all PROGRAM\n",
          out);
    for (size_t i = 0; i < found.row_count; i++)
        put_row(out, &found.rows[i], i == 0);
}

static void possible(const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    struct interleave found;
    interleave_read(&found, document, pool);
    if (found.why_not)
        pool_leave(pool, ERROR_USAGE, "--format interleave: no weights in this document: %s",
                   found.why_not);
}

const struct output interleave_output = {
    .name = "interleave",
    .help = "the lines that set the kernel's interleave weights as numa measured",
    .place = 85,
    .write = write_interleave,
    .possible = possible,
};
