#include "document/trust.h"

#include "document/flag.h"

/* Whether a headline series has points but none that is reliable. A series without points was never
 * reached, and its probe's status says so. */
static bool is_doubted(const struct series *series)
{
    if (!series->headline || !series->point_count)
        return false;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].y.n && !flag_doubts(series->points[i].flags))
            return false;
    return true;
}

enum trust document_trust(const struct document *document)
{
    bool measured = false, doubted = flag_doubts(document_headline_flags(document)) != 0;
    for (size_t i = 0; i < document->probe_count; i++) {
        const struct probe_result *probe = &document->probes[i];
        measured = measured || probe->status == PROBE_OK || probe->status == PROBE_PARTIAL;
        doubted = doubted || probe->status == PROBE_PARTIAL || probe->status == PROBE_FAILED;
        for (size_t s = 0; s < probe->series_count; s++)
            doubted = doubted || is_doubted(&probe->series[s]);
    }
    return !measured ? TRUST_NOTHING : doubted ? TRUST_DOUBTFUL : TRUST_SOUND;
}
