/* Another tool's command: the latency of one working set, in nanoseconds on a line. scripts/new
 * begins a tongue with this; docs/adding.md tells how to go on. */
#include "speak/tongues/tongue.h"

static const struct tongue_argument arguments[] = {
    {'s', NULL, "SIZE", "the working set (default: 64k)", false},
    {.letter = 0},
};

static void speak(struct talk *talk)
{
    const char *size = talk_value(talk, 's');
    const uint64_t bytes = size ? talk_size(talk, "-s", size, 1) : 64 * 1024;
    const struct talk_option options[] = {{"size", talk_digits(talk, bytes)}, {.name = NULL}};
    const struct probe_result *result = talk_measure(talk, "latency", options, 1);
    const struct series *series = probe_series(result, "latency", NULL, NULL);
    const struct point *point = series && series->point_count ? &series->points[0] : NULL;
    talk_need(talk, point && point->y.n, "the latency");
    fprintf(talk->out, "%.3f\n", (double)point->y.median);
}

static const struct tongue_help help = {
    .summary = "latency of one working set, in nanoseconds",
    .operands = "",
    .differs = "Say here what fathom does otherwise than the tool, and why the numbers differ.",
    .arguments = arguments,
};

const struct tongue skeleton_tongue = {
    .name = "skeleton",
    .place = 0,
    .help = &help,
    .speak = speak,
};
