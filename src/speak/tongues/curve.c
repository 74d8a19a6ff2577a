#include "speak/tongues/curve.h"

enum { OTHERS_MOST = 8, OWN = 3 };

static const char *list_of(struct talk *talk, const struct curve_wish *wish)
{
    const char *list = "";
    for (size_t i = 0; i < wish->count && list; i++)
        list = pool_printf(&talk->document->pool, "%s%s%llu", list, i ? "," : "",
                           (unsigned long long)wish->bytes[i]);
    return list;
}

int curve_measure(const struct series **series, struct talk *talk, const struct curve_wish *wish,
                  struct error *error)
{
    struct talk_option options[OWN + OTHERS_MOST + 1] = {
        {"sizes", list_of(talk, wish)},
        {"stride", talk_text(talk, "%llu", (unsigned long long)wish->stride)},
        {"order", wish->order}};
    size_t count = OWN;
    for (const struct talk_option *other = wish->others;
         other && other->name && count < OWN + OTHERS_MOST; other++)
        options[count++] = *other;
    if (!options[0].value || !options[1].value)
        return error_out_of_memory(error);
    const struct probe_result *result;
    int code = talk_measure(talk, "latency", options, wish->budget_s, &result, error);
    if (code < 0)
        return code;
    *series = talk_series(result, "latency", NULL, NULL);
    return *series ? 0 : talk_missing(talk, "the latency", error);
}

const struct point *curve_point(struct talk *talk, const struct series *series, uint64_t bytes,
                                uint64_t stride)
{
    return talk_point(talk, series, (double)(bytes / stride * stride));
}
