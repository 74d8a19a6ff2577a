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
static void speak_stride(struct talk *talk, uint64_t most, uint64_t stride)
{
    uint64_t sizes[SIZES_MOST];
    const size_t count = list_sizes(sizes, most, stride);
    const struct talk_option threads[] = {
        {talk_value(talk, 'P') ? "threads" : NULL, talk_value(talk, 'P')}, {.name = NULL}};
    const double budget_s = size_s * (double)count;
    const struct curve_wish wish = {.bytes = sizes,
                                    .count = count,
                                    .stride = stride,
                                    .order = talk_value(talk, 't') ? "random" : "forward",
                                    .others = threads,
                                    .budget_s = budget_s > least_s ? budget_s : least_s};
    talk->more =
        pool_printf(&talk->document->pool, "fathom latency --to %llu --stride %llu --order %s%s%s",
                    (unsigned long long)most, (unsigned long long)stride, wish.order,
                    threads->name ? " --threads " : "", threads->name ? threads->value : "");
    const struct series *series = count ? curve_measure(talk, &wish) : NULL;
    fprintf(talk->out, "\"stride=%llu\n", (unsigned long long)stride);
    for (size_t i = 0; i < count; i++) {
        const struct point *point = curve_point(talk, series, sizes[i], stride);
        if (point)
            fprintf(talk->out, "%.5f %.3f\n", (double)sizes[i] / (1024. * 1024.),
                    (double)point->y.median);
    }
}

static void speak(struct talk *talk)
{
    /* lat_mem_rd reads digits and passes over what follows, so "256M" are 256 MiB. */
    const uint64_t mebibyte = 1 << 20;
    const uint64_t most = talk_size(talk, "the size in MB", talk->operands[0], mebibyte);
    if (most < mebibyte || most > mebibyte * MEBIBYTES_MOST)
        talk_refuse(talk, "the size in MB '%s': give 1 or more", talk->operands[0]);
    talk_number(talk, 'P', 1, 65536, 1); /* refuses what is no number */
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
