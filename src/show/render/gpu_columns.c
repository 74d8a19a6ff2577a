/*
 * The columns that the first GPU latency benchmarks of this kind print, for programs that read such
 * tables: clock, working set in bytes and KB, and cycles per load ("CPI").
 */
#include "base/line.h"
#include "base/quantity.h"
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/registry/registry.h"
#include "show/render/output.h"

#include <math.h>

static bool has_row(const struct point *point)
{
    return isfinite(point->x) && isfinite(point->y.median) && point->y.median > 0 &&
           isfinite(point->cycles.median);
}

/* A device's latency by working set, in time and in cycles: the curve named after its quantity
 * ("gpu0 latency"); curves of the device's other memories have other names. */
static bool is_curve(const struct series *series)
{
    const char *what;
    if (series->matrix || !quantity_is(series->x.unit, DIMENSION_SIZE) ||
        !quantity_is(series->y.unit, DIMENSION_TIME) || device_of_name(series->name, &what) < 0 ||
        !text_same(what, series->y.name))
        return false;
    for (size_t i = 0; i < series->point_count; i++)
        if (has_row(&series->points[i]))
            return true;
    return false;
}

/* Whether to show it: headlines, or without headlines the first curve. */
static bool is_shown(const struct probe_result *probe, const struct series *series)
{
    if (!is_curve(series) || series->headline)
        return is_curve(series);
    for (const struct series *other = probe->series; other < probe->series + probe->series_count;
         other++)
        if (is_curve(other) && (other->headline || other < series))
            return false;
    return true;
}

/* The probe that measured devices; NULL: none. */
static const struct probe_result *find_probe(const struct document *document)
{
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        const struct finding_table *table = probe->name ? finding_table_of(probe->name) : NULL;
        if (table && table->of_devices)
            return probe;
    }
    return NULL;
}

static size_t count_curves(const struct probe_result *probe)
{
    size_t count = 0;
    for (size_t i = 0; probe && i < probe->series_count; i++)
        count += is_shown(probe, &probe->series[i]);
    return count;
}

static void has_curve(const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    const struct probe_result *probe = find_probe(document);
    if (count_curves(probe))
        return;
    if (probe && probe->reason && (probe->status == PROBE_SKIPPED || probe->status == PROBE_FAILED))
        pool_leave(pool, ERROR_USAGE, "--format gpu-columns needs a GPU's latency in cycles: %s",
                   probe->reason);
    pool_leave(pool, ERROR_USAGE,
               "--format gpu-columns needs a GPU's latency in cycles, and this document has none: "
               "measure it with fathom gpu --what latency, or choose another format");
}

static void write_gpu_columns(FILE *out, const struct output_content *content, struct pool *pool)
{
    (void)pool;
    const struct probe_result *probe = find_probe(content->documents[0]);
    const size_t count = count_curves(probe);
    size_t shown = 0;
    for (size_t i = 0; count && i < probe->series_count; i++) {
        if (!is_shown(probe, &probe->series[i]))
            continue;
        if (shown++)
            fputc('\n', out);
        const struct series *series = &probe->series[i];
        struct line line = {0};
        line_add_clean(&line, series->name);
        for (size_t f = 0; f < series->factor_count; f++)
            if (!device_factor_is_named(series, &series->factors[f]))
                line_add_factors(&line, &series->factors[f], 1);
        if (count > 1) /* the experiment of the curve */
            fprintf(out, "# %s\n", line.text);
        fputs("MHz            B           KB          CPI\n", out);
        for (size_t p = 0; p < series->point_count; p++) {
            const struct point *point = &series->points[p];
            const double seconds =
                (double)point->y.median * quantity_of(series->y.unit)->metric_factor;
            const double cycles = (double)point->cycles.median;
            if (has_row(point))
                fprintf(out, "%4.0f %12.0f %12.0f %12.1f\n", cycles / seconds / 1e6, point->x,
                        floor(point->x / 1024), cycles);
        }
    }
}

const struct output gpu_columns_output = {
    .name = "gpu-columns",
    .help = "a GPU's latency in the columns MHz, B, KB and CPI",
    .place = 80,
    .write = write_gpu_columns,
    .possible = has_curve,
};
