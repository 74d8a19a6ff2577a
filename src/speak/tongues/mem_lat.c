/* mem-lat of the article on cache latency: one line for one buffer. */
#include "speak/tongues/curve.h"

#include <math.h>

enum { KIB = 1024, BUFFER_KIB = 8192, COUNT = 1048576, STRIDE = 64 };
static const double size_s = 1.5; /* six trials need 1.1 s; half a second leaves three */

static const struct tongue_argument arguments[] = {
    {'b', NULL, "KB", "the buffer in KiB (default: 8192)", false},
    {'n', NULL, "COUNT", "loads whose time is printed (default: 1048576)", false},
    {'s', NULL, "BYTES", "from one pointer to the next, a multiple of 8 (default: 64)", false},
    {.letter = 0},
};

static void speak(struct talk *talk)
{
    const uint64_t kib = talk_number(talk, 'b', 1, UINT64_MAX / KIB / 4, BUFFER_KIB);
    const uint64_t count = talk_number(talk, 'n', 1, (uint64_t)1 << 40, COUNT);
    const uint64_t stride = talk_number(talk, 's', 8, (uint64_t)1 << 40, STRIDE);
    const uint64_t bytes = kib * KIB;
    const struct curve_wish wish = {
        .bytes = &bytes, .count = 1, .stride = stride, .order = "random", .budget_s = size_s};
    const struct point *point = curve_point(talk, curve_measure(talk, &wish), bytes, stride);
    if (!point)
        talk_missing(talk, "the latency");
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
    .summary = "latency of one buffer, a line each (the article on cache latency)",
    .operands = "",
    .differs =
        "mem-lat goes through its buffer forward in its first versions, which prefetchers follow, "
        "and in random order in its last one; fathom takes random order. mem-lat times one walk of "
        "about a million loads on small pages, the first round of which fetches the buffer. fathom "
        "measures fresh rings in fresh memory, on huge pages where they can be had, with the "
        "caches as a long chase leaves them, and prints the median; the time is that of COUNT "
        "loads.",
    .arguments = arguments,
    .speak = speak,
};
