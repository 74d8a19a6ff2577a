#include "speak/tongues/curve.h"

enum { OTHERS_MOST = 8, OWN = 3 };

const struct series *curve_measure(struct talk *talk, const struct curve_wish *wish)
{
    const char *list = "";
    for (size_t i = 0; i < wish->count; i++)
        list = pool_printf(&talk->document->pool, "%s%s%llu", list, i ? "," : "",
                           (unsigned long long)wish->bytes[i]);
    struct talk_option options[OWN + OTHERS_MOST + 1] = {
        {"sizes", list}, {"stride", talk_digits(talk, wish->stride)}, {"order", wish->order}};
    size_t count = OWN;
    for (const struct talk_option *other = wish->others;
         other && other->name && count < OWN + OTHERS_MOST; other++)
        options[count++] = *other;
    const struct probe_result *result = talk_measure(talk, "latency", options, wish->budget_s);
    const struct series *series = talk_series(result, "latency", NULL, NULL);
    if (!series)
        talk_missing(talk, "the latency");
    return series;
}

const struct point *curve_point(struct talk *talk, const struct series *series, uint64_t bytes,
                                uint64_t stride)
{
    return talk_point(talk, series, (double)(bytes / stride * stride));
}
