/* Another tool's command: the latency of one working set, in nanoseconds on a line. scripts/new
 * begins a tongue with this; docs/adding.md tells how to go on. */
#include "speak/tongues/tongue.h"

static const struct tongue_argument arguments[] = {
    {'s', NULL, "SIZE", "the working set (default: 64k)", false},
    {.letter = 0},
};

static int speak(struct talk *talk, struct error *error)
{
    uint64_t bytes = 64 * 1024;
    const char *size = talk_value(talk, 's');
    int code = size ? talk_size(talk, "-s", size, 1, &bytes, error) : 0;
    const struct talk_option options[] = {
        {"size", talk_text(talk, "%llu", (unsigned long long)bytes)}, {.name = NULL}};
    const struct probe_result *result;
    if (code == 0)
        code = talk_measure(talk, "latency", options, 1, &result, error);
    if (code < 0)
        return code;
    const struct series *series = talk_series(result, "latency", NULL, NULL);
    const struct point *point = series && series->point_count ? &series->points[0] : NULL;
    if (!point || !point->y.n)
        return talk_missing(talk, "the latency", error);
    fprintf(talk->out, "%.3f\n", (double)point->y.median);
    return 0;
}

const struct tongue skeleton_tongue = {
    .name = "skeleton",
    .place = 0,
    .summary = "latency of one working set, in nanoseconds",
    .operands = "",
    .differs = "Say here what fathom does otherwise than the tool, and why the numbers differ.",
    .arguments = arguments,
    .speak = speak,
};
