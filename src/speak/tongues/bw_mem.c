/* lmbench's bw_mem: the size in MB and its bandwidth in MB/s, on one line. */
#include "speak/tongues/tongue.h"

#include <string.h>

#include "bw_mem.help.h"

enum { LEAST = 512, THREADS_MOST = 65536 };
static const double megabyte = 1e6, usual_s = 3;

/* `counted`: fathom's bytes for one byte of the tool, which counts a copy's array once; fathom
 * counts its loads and its stores. */
static const struct {
    const char *name, *kernel, *mix;
    double counted;
} kinds[] = {
    {"rd", "read", NULL, 1},   {"frd", "read", NULL, 1},    {"wr", "write", NULL, 1},
    {"fwr", "write", NULL, 1}, {"bzero", "write", NULL, 1}, {"cp", "copy", NULL, 2},
    {"fcp", "copy", NULL, 2},  {"bcopy", "copy", NULL, 2},  {"rdwr", NULL, "1:1", 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void speak(struct talk *talk)
{
    const char *what = talk->operands[1];
    size_t kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].name, what) != 0)
        kind++;
    if (kind == KINDS)
        talk_refuse(talk, "'%s': choose rd, wr, rdwr, cp, frd, fwr, fcp, bzero or bcopy", what);
    const char *kernel = kinds[kind].kernel;
    const uint64_t bytes = talk_size(talk, "the size", talk->operands[0], 1);
    const uint64_t threads = talk_number(talk, 'P', 1, THREADS_MOST, 1);
    if (bytes < LEAST)
        talk_refuse(talk, "the size '%s': give 512 or more", talk->operands[0]);
    if (talk->operand_count > 2)
        talk_aside(talk, "'%s' does nothing here: fathom's arrays begin on pages",
                   talk->operands[2]);
    /* The size is each thread's array: a copy has two of them. */
    const uint64_t arrays = kernel && kinds[kind].counted > 1 ? 2 : 1;
    if (bytes > UINT64_MAX / threads / arrays / 4)
        talk_refuse(talk, "%s for each of %llu CPUs is more than there can be", talk->operands[0],
                    (unsigned long long)threads);
    const struct talk_option options[] = {
        {kernel ? "kernel" : "mix", kernel ? kernel : kinds[kind].mix},
        {"size", talk_digits(talk, bytes * threads * arrays)},
        {"threads", talk_digits(talk, threads)},
        {.name = NULL}};
    const struct probe_result *result = talk_measure(talk, "bandwidth", options, usual_s);
    const struct point *point =
        talk_point(talk, probe_series(result, "bandwidth by threads", NULL, NULL), (double)threads,
                   "the bandwidth");
    talk_need(talk, point, "the bandwidth");
    const double mb = (double)bytes / megabyte;
    fprintf(talk->out, mb < 1 ? "%.6f " : "%.2f ", mb);
    fprintf(talk->out, "%.2f\n", (double)point->y.median / kinds[kind].counted / megabyte);
}

const struct tongue bw_mem_tongue = {
    .name = "bw_mem",
    .place = 70,
    .help = &help,
    .operands_least = 2,
    .operands_most = 3,
    .speak = speak,
};
