/* The CUDA program `latency`: clock, working set, and cycles per load of one GPU thread. */
#include "speak/tongues/tongue.h"

#include <math.h>

#include "gpu_latency.help.h"

enum { ARRAY_MOST = 112 << 20, SIZES_MOST = 128 };
static const double kib = 1024, usual_s = 25;

static void speak(struct talk *talk)
{
    /* 32 and 64 of the program's 96 KB, in percent, because the total differs between devices. */
    static const char *const splits[] = {"34", "67"};
    const uint64_t split = talk_whole(talk, "the split", talk->operands[0], 0, 1);
    uint64_t sizes[SIZES_MOST];
    /* The sizes of the program's table: four per octave, rounded down to fathom's elements of eight
     * bytes (the program's have four); repeated sizes are dropped. Returns their number. */
    size_t count = 0;
    sizes[count++] = 8;
    for (uint64_t octave = 8; octave <= ARRAY_MOST; octave *= 2)
        for (uint64_t quarter = 4; quarter < 8; quarter++) {
            const uint64_t bytes = octave * quarter / 4 / 8 * 8;
            if (bytes > sizes[count - 1] && bytes <= ARRAY_MOST)
                sizes[count++] = bytes;
        }
    const struct talk_option options[] = {
        {"what", "latency"},  {"device", "0"},       {"path", "l1"},
        {"order", "strided"}, {"l1", splits[split]}, {"sizes", talk_list(talk, sizes, count)},
        {.name = NULL}};
    const struct probe_result *result = talk_measure(talk, "gpu", options, usual_s);
    const struct series *series = probe_series(result, NULL, "order", "strided");
    const struct factor *l1 = series ? series_factor(series, "l1") : NULL;
    if (l1)
        talk_aside(talk, "L1 has %.0f KiB with that split", l1->number / kib);
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        const struct point *point = talk_point(talk, series, (double)sizes[i], NULL);
        const double cycles = point ? (double)point->cycles.median : NAN;
        if (!(cycles > 0))
            continue;
        if (!begun)
            fputs("MHz            B           KB          CPI\n", talk->out);
        begun = true;
        fprintf(talk->out, "%4.0f %12.0f %12.0f %12.0f \n", cycles / (double)point->y.median * 1e3,
                point->x, floor(point->x / kib), cycles);
    }
    talk_need(talk, begun, "the latency of a GPU");
}

const struct tongue gpu_latency_tongue = {
    .name = "latency",
    .place = 60,
    .help = &help,
    .operands_least = 1,
    .operands_most = 1,
    .speak = speak,
};
