/* lmbench's lat_mem_rd: a curve for each stride, size in MiB and latency in ns. */
#include "speak/tongues/curve.h"

enum { LOWEST = 512, STRIDE = 64, KIB = 1024, SIZES_MOST = 1024, MEBIBYTES_MOST = 1 << 24 };
static const double size_s = 0.25, least_s = 3;

static const struct tongue_argument arguments[] = {
    {'t', NULL, NULL, "thrash: in random order, which prefetchers can't follow", false},
    {'P', NULL, "N", "this many CPUs at once, each with memory of its own", false},
    {'W', NULL, "US", "fathom warms up by itself, as long as it takes", true},
    {'N', NULL, "N", "fathom repeats until the interval is narrow enough", true},
    {.letter = 0},
};

/* The next size: the tool doubles below 1 KiB, adds 1 KiB below 4 KiB, and takes eight sizes an
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

static size_t list_sizes(uint64_t *sizes, uint64_t most, uint64_t stride)
{
    size_t count = 0;
    for (uint64_t bytes = LOWEST; bytes <= most && count < SIZES_MOST; bytes = step(bytes))
        if (bytes >= stride)
            sizes[count++] = bytes;
    return count;
}

/* Sizes that hold the same whole strides are one point, and are printed each. */
static int speak_stride(struct talk *talk, uint64_t most, uint64_t stride, struct error *error)
{
    uint64_t sizes[SIZES_MOST];
    const size_t count = list_sizes(sizes, most, stride);
    const struct series *series;
    const struct talk_option threads[] = {
        {talk_value(talk, 'P') ? "threads" : NULL, talk_value(talk, 'P')}, {.name = NULL}};
    const double budget_s = size_s * (double)count;
    const struct curve_wish wish = {.bytes = sizes,
                                    .count = count,
                                    .stride = stride,
                                    .order = talk_value(talk, 't') ? "random" : "forward",
                                    .others = threads,
                                    .budget_s = budget_s > least_s ? budget_s : least_s};
    talk->more = talk_text(talk, "fathom latency --to %llu --stride %llu --order %s%s%s",
                           (unsigned long long)most, (unsigned long long)stride, wish.order,
                           threads->name ? " --threads " : "", threads->name ? threads->value : "");
    int code = count ? curve_measure(&series, talk, &wish, error) : 0;
    if (code == 0)
        fprintf(talk->out, "\"stride=%llu\n", (unsigned long long)stride);
    for (size_t i = 0; i < count && code == 0; i++) {
        const struct point *point = curve_point(talk, series, sizes[i], stride);
        if (point)
            fprintf(talk->out, "%.5f %.3f\n", (double)sizes[i] / (1024. * 1024.),
                    (double)point->y.median);
    }
    return code;
}

/* lat_mem_rd reads digits and passes over what follows, so "256M" are 256 MiB. */
static int read_size(const struct talk *talk, uint64_t *most, struct error *error)
{
    const char *text = talk->operands[0];
    uint64_t bytes;
    const uint64_t mebibyte = 1 << 20;
    int code = talk_size(talk, "the size in MB", text, mebibyte, &bytes, error);
    if (code == 0 && (bytes < mebibyte || bytes > mebibyte * MEBIBYTES_MOST))
        return error_set(error, ERROR_USAGE, "lat_mem_rd: the size in MB '%s': give 1 or more",
                         text);
    *most = bytes;
    return code;
}

static int speak(struct talk *talk, struct error *error)
{
    uint64_t most = 0, stride = STRIDE, threads;
    int code = read_size(talk, &most, error);
    if (code == 0)
        code = talk_number(talk, 'P', 1, 65536, 1, &threads, error);
    if (code == 0 && talk->operand_count == 1)
        return speak_stride(talk, most, stride, error);
    for (unsigned i = 1; i < talk->operand_count && code == 0; i++) {
        code = talk_size(talk, "the stride", talk->operands[i], 1, &stride, error);
        if (code == 0 && (stride % 8 != 0 || stride > most))
            code = error_set(error, ERROR_USAGE,
                             "lat_mem_rd: the stride '%s': give a multiple of 8 that is no larger "
                             "than the size",
                             talk->operands[i]);
        if (code == 0)
            code = speak_stride(talk, most, stride, error);
        if (code == 0)
            fputc('\n', talk->out);
    }
    return code;
}

const struct tongue lat_mem_rd_tongue = {
    .name = "lat_mem_rd",
    .place = 50,
    .summary = "latency by working set and stride (lmbench)",
    .operands = "MB [STRIDE...]",
    .differs =
        "lat_mem_rd writes its table to standard error; fathom writes it to standard output. "
        "lat_mem_rd goes through small pages, forward unless -t is given, and prints the least of "
        "its repetitions: without -t, prefetchers hide most of DRAM, and with small pages every "
        "size beyond the TLB's reach has translation in it. fathom takes huge pages where they can "
        "be had and prints medians. With -P the CPUs are pinned, one each.",
    .arguments = arguments,
    .operands_least = 1,
    .operands_most = 64,
    .speak = speak,
};
