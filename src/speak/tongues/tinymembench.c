/*
 * tinymembench: rates of copies and fills in memory, and what random reads of one and of two chains
 * take beyond a read of the first-level cache, by buffer size. A script that parses it looks for
 * "C copy", "standard memcpy" or "libc memcpy copy", and rows like "  1048576 :    5.2 ns /     7.1
 * ns ".
 */
#include "speak/tongues/tongue.h"

#include <math.h>

#include "tinymembench.help.h"

enum { BUFFER = 32 << 20, SIZE_LEAST = 1024, SIZE_MOST = 64 << 20, SIZES_MOST = 24 };
static const double megabyte = 1e6, loops_s = 4, library_s = 8, reads_s = 20;

#define RULE "==========================================================================\n"

/* `counted`: fathom's bytes for one of the tool's, which counts a copied byte once. */
static const struct rate {
    const char *label, *series, *factor, *text;
    double x, counted;
} loops[] = {{"C copy", "bandwidth", "kernel", "copy", 2. * BUFFER, 2},
             {"C fill", "bandwidth", "kernel", "write", BUFFER, 1}},
  library[] = {{"standard memcpy", "copy", "method", "memcpy", BUFFER, 2},
               {"standard memset", "copy", "method", "memset", BUFFER, 1}},
  /* as the fork that sbc-bench builds calls them */
    again[] = {{"libc memcpy copy", "copy", "method", "memcpy", BUFFER, 2},
               {"libc memset fill", "copy", "method", "memset", BUFFER, 1}};
enum { RATES = 2 };

static const struct point *points_of(struct talk *talk, const struct probe_result *result,
                                     const struct rate *rates, const struct point *points[RATES])
{
    for (size_t i = 0; i < RATES; i++) {
        const struct series *series =
            probe_series(result, rates[i].series, rates[i].factor, rates[i].text);
        points[i] = talk_point(talk, series, rates[i].x, rates[i].label);
    }
    return points[0] ? points[0] : points[1];
}

/* The best pass, and in brackets how far the passes scatter. */
static void print_rates(struct talk *talk, const struct rate *rates,
                        const struct point *const points[RATES])
{
    for (size_t i = 0; i < RATES; i++) {
        if (!points[i])
            continue;
        const double best = (double)points[i]->y.max,
                     scatter = (best - (double)points[i]->y.median) / best * 100;
        fprintf(talk->out, " %-52s : %8.1f MB/s", rates[i].label,
                best / rates[i].counted / megabyte);
        if (scatter >= 0.1)
            fprintf(talk->out, " (%.1f%%)", scatter);
        fputc('\n', talk->out);
    }
}

static const struct series *reads_with(const struct probe_result *result, double chains)
{
    const struct factor with[] = {{"chains", NULL, chains}, {.name = NULL}};
    return series_find(result->series, result->series_count, "chains by size", with);
}

static void speak(struct talk *talk)
{
    uint64_t sizes[SIZES_MOST];
    size_t count = 0;
    for (uint64_t bytes = SIZE_LEAST; bytes <= SIZE_MOST; bytes *= 2)
        sizes[count++] = bytes;
    static const uint64_t arrays[] = {BUFFER, 2 * BUFFER};
    const struct talk_option both[] = {{"kernel", "copy,write"},
                                       {"sizes", talk_list(talk, arrays, 2)},
                                       {"threads", "1"},
                                       {.name = NULL}};
    const struct talk_option calls[] = {{"sizes", talk_digits(talk, BUFFER)}, {.name = NULL}};
    const struct talk_option chains[] = {{"chains", "1,2"},
                                         {"sizes", talk_list(talk, sizes, count)},
                                         {"pages", "small"},
                                         {.name = NULL}};
    const struct point *loop[RATES], *call[RATES];
    talk_need(talk, points_of(talk, talk_measure(talk, "bandwidth", both, loops_s), loops, loop),
              "the bandwidth");
    talk_need(talk, points_of(talk, talk_measure(talk, "copy", calls, library_s), library, call),
              "the library's calls");
    const struct probe_result *reads = talk_measure(talk, "parallelism", chains, reads_s);
    fputs("tinymembench v0.4.9 (simple benchmark for memory throughput and latency)\n\n" RULE
          "== Memory bandwidth tests                                               ==\n"
          "== Note 1: 1MB = 1000000 bytes                                          ==\n"
          "== Note 2: a copied byte is counted once                                ==\n" RULE "\n",
          talk->out);
    print_rates(talk, loops, loop);
    fputs(" ---\n", talk->out);
    print_rates(talk, library, call);
    print_rates(talk, again, call);
    fputs("\n" RULE "== Memory latency test                                                  ==\n"
          "== Note 1: all times are beyond that of a read of the L1 cache          ==\n" RULE "\n",
          talk->out);
    /* Times are those beyond the smallest buffer's. One of the tool's dual reads takes two of
     * fathom's steps. */
    const struct series *const series[] = {reads_with(reads, 1), reads_with(reads, 2)};
    double least[2];
    for (size_t s = 0; s < 2; s++) {
        const struct point *first = talk_point(talk, series[s], SIZE_LEAST, NULL);
        talk_need(talk, first, "a read of the first-level cache");
        least[s] = (double)first->y.median;
    }
    fputs("block size : single random read / dual random read\n", talk->out);
    for (size_t i = 0; i < count; i++) {
        const struct point *one = talk_point(talk, series[0], (double)sizes[i], NULL),
                           *two = talk_point(talk, series[1], (double)sizes[i], NULL);
        if (one && two)
            fprintf(talk->out, "%10llu : %6.1f ns          / %7.1f ns \n",
                    (unsigned long long)sizes[i], fmax(0, (double)one->y.median - least[0]),
                    fmax(0, 2 * ((double)two->y.median - least[1])));
    }
    talk_as_form(talk);
}

const struct tongue tinymembench_tongue = {
    .name = "tinymembench",
    .place = 85,
    .help = &help,
    .speak = speak,
};
