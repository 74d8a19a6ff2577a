/* Curves of latency over working sets: lmbench's lat_mem_rd prints one for each stride, size in MiB
 * and latency in ns; mem-lat, from an article on cache latency, prints a line for one buffer. */
#include "speak/tongues/tongue.h"

#include <math.h>

#include "curves.help.h"

enum { KIB = 1024, STRIDE = 64 };

struct curve_wish {
    const uint64_t *bytes; /* ascending, each at least a stride */
    size_t count;
    uint64_t stride;
    const char *order;   /* --order of `fathom latency` */
    const char *threads; /* NULL: one */
    double budget_s;
};

/* Measures the curve. The probe rounds sizes down to whole strides. */
static const struct series *measure_curve(struct talk *talk, const struct curve_wish *wish)
{
    const struct talk_option options[] = {{"sizes", talk_list(talk, wish->bytes, wish->count)},
                                          {"stride", talk_digits(talk, wish->stride)},
                                          {"order", wish->order},
                                          {"state", "chased"},
                                          {"loads", "100"}, /* as both tools have */
                                          {wish->threads ? "threads" : NULL, wish->threads},
                                          {.name = NULL}};
    const struct probe_result *result = talk_measure(talk, "latency", options, wish->budget_s);
    const struct series *series = probe_series(result, "latency", NULL, NULL);
    talk_need(talk, series, "the latency");
    return series;
}

/* The point of a requested working set; NULL and an aside if it has no value. */
static const struct point *point_at(struct talk *talk, const struct series *series, uint64_t bytes,
                                    uint64_t stride)
{
    return talk_point(talk, series, (double)(bytes / stride * stride), NULL);
}

/* --- lat_mem_rd --- */

enum { LOWEST = 512, SIZES_MOST = 1024, MEBIBYTES_MOST = 1 << 24 };
static const double size_s = 0.25, least_s = 3;

/* The tool's next size: it doubles below 1 KiB, adds 1 KiB below 4 KiB, and takes eight sizes per
 * octave from 32 KiB on. */
static uint64_t step(uint64_t bytes)
{
    if (bytes < KIB)
        return 2 * bytes;
    if (bytes < 4 * KIB)
        return bytes + KIB;
    uint64_t power = 32 * KIB;
    while (power <= bytes)
        power *= 2;
    return bytes + power / 16;
}

/* Sizes with the same number of whole strides share one point, printed for each of them. */
static void speak_stride(struct talk *talk, uint64_t most, uint64_t stride)
{
    uint64_t sizes[SIZES_MOST];
    size_t count = 0;
    for (uint64_t bytes = LOWEST; bytes <= most && count < SIZES_MOST; bytes = step(bytes))
        if (bytes >= stride)
            sizes[count++] = bytes;
    const double budget_s = size_s * (double)count;
    const struct curve_wish wish = {.bytes = sizes,
                                    .count = count,
                                    .stride = stride,
                                    .order = talk_value(talk, 't') ? "random" : "forward",
                                    .threads = talk_value(talk, 'P'),
                                    .budget_s = budget_s > least_s ? budget_s : least_s};
    talk->more = pool_printf(&talk->document->pool,
                             "fathom latency --to %llu --stride %llu --order %s --loads 100%s%s",
                             (unsigned long long)most, (unsigned long long)stride, wish.order,
                             wish.threads ? " --threads " : "", wish.threads ? wish.threads : "");
    const struct series *series = count ? measure_curve(talk, &wish) : NULL;
    fprintf(talk->out, "\"stride=%llu\n", (unsigned long long)stride);
    for (size_t i = 0; i < count; i++) {
        const struct point *point = point_at(talk, series, sizes[i], stride);
        if (point)
            fprintf(talk->out, "%.5f %.3f\n", (double)sizes[i] / (1024. * 1024.),
                    (double)point->y.median);
    }
}

static void speak_lat_mem_rd(struct talk *talk)
{
    /* lat_mem_rd ignores what follows the digits, so "256M" is 256 MiB. */
    const uint64_t mebibyte = 1 << 20;
    const uint64_t most = talk_size(talk, "the size in MB", talk->operands[0], mebibyte);
    if (most < mebibyte || most > mebibyte * MEBIBYTES_MOST)
        talk_refuse(talk, "the size in MB '%s': give 1 or more", talk->operands[0]);
    talk_number(talk, 'P', 1, 65536, 1); /* refuses a value that is no number */
    if (talk->operand_count == 1)
        speak_stride(talk, most, STRIDE);
    for (unsigned i = 1; i < talk->operand_count; i++) {
        const uint64_t stride = talk_size(talk, "the stride", talk->operands[i], 1);
        if (stride % 8 != 0 || stride > most)
            talk_refuse(talk,
                        "the stride '%s': give a multiple of 8 that is no larger than the size",
                        talk->operands[i]);
        speak_stride(talk, most, stride);
        fputc('\n', talk->out);
    }
}

const struct tongue lat_mem_rd_tongue = {
    .name = "lat_mem_rd",
    .place = 50,
    .help = &lat_mem_rd_help,
    .operands_least = 1,
    .operands_most = 64,
    .speak = speak_lat_mem_rd,
};

/* --- mem-lat --- */

enum { BUFFER_KIB = 8192, COUNT = 1048576 };
static const double buffer_s = 1.5; /* six trials need 1.1 s; half a second leaves three */

static void speak_mem_lat(struct talk *talk)
{
    const uint64_t kib = talk_number(talk, 'b', 1, UINT64_MAX / KIB / 4, BUFFER_KIB);
    const uint64_t count = talk_number(talk, 'n', 1, (uint64_t)1 << 40, COUNT);
    const uint64_t stride = talk_number(talk, 's', 8, (uint64_t)1 << 40, STRIDE);
    const uint64_t bytes = kib * KIB;
    const struct curve_wish wish = {
        .bytes = &bytes, .count = 1, .stride = stride, .order = "random", .budget_s = buffer_s};
    const struct point *point = point_at(talk, measure_curve(talk, &wish), bytes, stride);
    talk_need(talk, point, "the latency");
    const double ns = (double)point->y.median;
    talk_aside(talk,
               "the time is %llu loads of the latency that was measured; 'fathom latency "
               "--variants mem-lat' has all five tables of the article",
               (unsigned long long)count);
    const double us = floor((double)count * ns * 1e-3 + 0.5);
    fprintf(talk->out, "Buffer size: %llu KB, stride %llu, time %.0f.%06.0f s, latency %.2f ns\n",
            (unsigned long long)kib, (unsigned long long)stride, floor(us / 1e6), fmod(us, 1e6),
            ns);
}

const struct tongue mem_lat_tongue = {
    .name = "mem-lat",
    .place = 40,
    .help = &mem_lat_help,
    .speak = speak_mem_lat,
};
