/* Access to a document's findings, series and points. */

#include "programs/library/library.h"

#include "base/line.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double known(float value)
{
    return (double)value;
}

static int fill_finding(const struct finding *finding, struct fathom_value *value)
{
    if (!finding)
        return FATHOM_USAGE;
    const struct fathom_value all = {
        .name = finding->name,
        .unit = finding->unit ? finding->unit : "",
        .value = finding->value,
        .low = finding->low,
        .high = finding->high,
        .quiet = known(finding->quiet.value),
        .quiet_low = known(finding->quiet.low),
        .quiet_high = known(finding->quiet.high),
        .declared = finding->declared,
        .doubtful = flag_doubts(finding->flags) != 0,
        .sentence = finding->text,
    };
    return guest_fill(value, &all, sizeof all, NULL);
}

int fathom_finding(const struct fathom_document *document, const char *name,
                   struct fathom_value *value)
{
    return document && name ? fill_finding(document_finding(&document->document, name), value)
                            : FATHOM_USAGE;
}

int fathom_finding_at(const struct fathom_document *document, size_t i, struct fathom_value *value)
{
    for (size_t probe = 0; document && probe < document->document.probe_count; probe++) {
        const struct probe_result *result = &document->document.probes[probe];
        if (i < result->finding_count)
            return fill_finding(&result->findings[i], value);
        i -= result->finding_count;
    }
    return FATHOM_USAGE;
}

/* The i-th series of the document; NULL past the last. */
static const struct series *series_at(const struct fathom_document *document, size_t i,
                                      const struct probe_result **of)
{
    for (size_t probe = 0; document && probe < document->document.probe_count; probe++) {
        const struct probe_result *result = &document->document.probes[probe];
        *of = result;
        if (i < result->series_count)
            return &result->series[i];
        i -= result->series_count;
    }
    return NULL;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

int fathom_series_at(const struct fathom_document *document, size_t i, struct fathom_series *filled)
{
    const struct probe_result *result;
    const struct series *series = series_at(document, i, &result);
    if (!series)
        return FATHOM_USAGE;
    struct line factors = {0};
    line_add_factors(&factors, series->factors, series->factor_count);
    struct fathom_series all = {
        .probe = result->name,
        .name = text_or_none(series->name),
        .x_name = text_or_none(series->x.name),
        .x_unit = text_or_none(series->x.unit),
        .y_name = text_or_none(series->y.name),
        .y_unit = text_or_none(series->y.unit),
        .matrix = series->matrix,
        .points = series->point_count,
    };
    const char *first = factors.text + strspn(factors.text, ", ");
    snprintf(all.factors, sizeof all.factors, "%s", first);
    return guest_fill(filled, &all, sizeof all, NULL);
}

int fathom_points(const struct fathom_document *document, size_t i, struct fathom_point *points,
                  size_t room)
{
    const struct probe_result *result;
    const struct series *series = series_at(document, i, &result);
    if (!series || (room && !points))
        return FATHOM_USAGE;
    const size_t size = room ? points[0].size : 0;
    for (size_t place = 0; place < room && place < series->point_count; place++) {
        const struct point *point = &series->points[place];
        const bool there = point->y.n > 0;
        const struct fathom_point all = {
            .x = point->x,
            .from = point->from,
            .to = point->to,
            .median = there ? point->y.median : NAN,
            .low = there ? point->y.low : NAN,
            .high = there ? point->y.high : NAN,
            .quiet = known(point->quiet.value),
            .cycles = known(point->cycles.median),
            .trials = (unsigned)point->y.n,
        };
        struct fathom_point *at = (struct fathom_point *)((char *)points + place * size);
        memcpy(at, &size, sizeof size);
        const int code = guest_fill(at, &all, sizeof all, NULL);
        if (code < 0)
            return code;
    }
    return (int)series->point_count;
}
