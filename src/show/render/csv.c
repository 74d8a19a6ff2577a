/*
 * CSV, one file a kind: findings, a row each, and points, a row each. The columns are the same, in
 * the same order, for every document, so tables can be pasted below each other. RFC 4180, except
 * that lines end with LF alone.
 */
#include "base/line.h"
#include "base/quote.h"
#include "base/units.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/render/output.h"

#include <math.h>

/* --- cells --- */

/* "op=cas;stride=64": all factors in one cell. In a document from elsewhere a few bytes may name
 * thousands of factors that each of a million rows would repeat: a line holds some of them. */
static void put_factors(FILE *out, const struct factor *factors, size_t count)
{
    struct line line = {0};
    for (size_t i = 0; i < count; i++) {
        char number[UNIT_TEXT];
        line_add_between(&line, i ? ";" : "", factors[i].name, "=");
        line_add_clean(&line, factors[i].text ? factors[i].text
                                              : factor_format(factors[i].number, number));
    }
    csv_put(out, line.text);
}

static void put_number(FILE *out, double number)
{
    if (number == floor(number) && fabs(number) <= 0x1p53)
        fprintf(out, "%.0f,", number);
    else if (isfinite(number))
        fprintf(out, "%.9g,", number);
    else
        fputc(',', out);
}

static void put_float(FILE *out, float number)
{
    char text[UNIT_TEXT];
    fprintf(out, "%s,", isfinite(number) ? float_format(number, text) : "");
}

static void put_flags(FILE *out, unsigned flags)
{
    const char *separator = "";
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (flags & FLAG_BIT(flag)) {
            fprintf(out, "%s%s", separator, flag_texts[flag].name);
            separator = ";";
        }
    fputc(',', out);
}

/* What every row ends with. */
static void put_end(FILE *out, const struct document *document)
{
    csv_put(out, document->machine.hostname);
    csv_put(out, document->run.id);
    csv_print(out, document->run.started);
    fputc('\n', out);
}

/* --- findings --- */

/* NULL: a probe without findings, of which the row has the status and the reason. */
static void put_finding(FILE *out, const struct document *document,
                        const struct probe_result *probe, const struct finding *finding)
{
    static const struct finding none = {
        .value = NAN, .low = NAN, .high = NAN, .declared = NAN, .disturbance = {.longer = NAN}};
    const struct finding *of = finding ? finding : &none;
    csv_put(out, probe->name);
    csv_put(out, of->name);
    put_number(out, of->value);
    csv_put(out, of->unit);
    put_number(out, of->low);
    put_number(out, of->high);
    csv_put(out, of->kind);
    put_number(out, (double)of->disturbance.longer);
    put_number(out, of->declared);
    csv_put(out, of->cpus);
    put_factors(out, of->factors, of->factor_count);
    put_flags(out, of->flags);
    csv_put(out, of->text);
    csv_put(out, probe_status_names[probe->status]);
    csv_put(out, probe->reason);
    put_end(out, document);
}

static void write_findings(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    fputs("probe,finding,value,unit,low,high,kind,longer,declared,cpus,factors,flags,text,status,"
          "reason,host,run,started\n",
          out);
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        for (size_t i = 0; i < probe->finding_count; i++)
            put_finding(out, document, probe, &probe->findings[i]);
        if (!probe->finding_count)
            put_finding(out, document, probe, NULL);
    }
}

/* --- points --- */

static void put_point(FILE *out, const struct document *document, const struct probe_result *probe,
                      const struct series *series, const struct point *point)
{
    const struct summary *y = &point->y;
    const float values[] = {y->median, y->low, y->high, y->coverage, y->min,
                            y->p10,    y->p25, y->p75,  y->p90,      y->max};
    const struct estimate *cycles = &point->cycles;
    const struct scatter *scatter = &point->scatter;
    const float rest[] = {cycles->median, cycles->low,    cycles->high,
                          scatter->line,  scatter->drift, scatter->residual};
    csv_put(out, probe->name);
    csv_put(out, series->name);
    put_factors(out, series->factors, series->factor_count);
    csv_put(out, series->x.name);
    csv_put(out, series->x.unit);
    if (series->matrix)
        fprintf(out, ",%d,%d,", point->from, point->to);
    else
        put_number(out, point->x);
    fputs(series->matrix ? "" : ",,", out);
    csv_put(out, series->y.name);
    csv_put(out, series->y.unit);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_float(out, values[i]);
    fprintf(out, "%u,", y->n);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put_float(out, rest[i]);
    csv_put(out, point->failed);
    put_flags(out, point->flags);
    put_end(out, document);
}

static void write_points(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    fputs("probe,series,factors,x_name,x_unit,x,from,to,y_name,y_unit,median,low,high,coverage,min,"
          "p10,p25,p75,p90,max,n,cycles_median,cycles_low,cycles_high,line_scatter,drift_scatter,"
          "residual_scatter,failed,flags,host,run,started\n",
          out);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++) {
            const struct series *series = &document->probes[p].series[s];
            for (size_t i = 0; i < series->point_count; i++)
                put_point(out, document, &document->probes[p], series, &series->points[i]);
        }
}

const struct output csv_output = {
    .name = "csv",
    .help = "a row for each finding",
    .place = 20,
    .write = write_findings,
};

const struct output csv_points_output = {
    .name = "csv-points",
    .help = "a row for each point",
    .place = 25,
    .write = write_points,
};
