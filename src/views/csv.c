/* CSV in long form, one row a point: RFC 4180, except that lines end with LF alone. */
#include "base/units.h"
#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/view.h"

#include <math.h>
#include <string.h>

/* A cell is gone through twice: once to see whether it has to be quoted, once to print it. */
struct cell {
    FILE *out; /* NULL the first time */
    bool begun, quoted;
};

/* Where a text begins like a formula, a spreadsheet would run it; the apostrophe is its sign for
 * plain text. */
static void add_text(struct cell *cell, const char *text)
{
    const char *cursor = text ? text : "";
    char character[4];
    size_t bytes;
    while ((bytes = clean_next(&cursor, character)) > 0) {
        if (!cell->out) {
            cell->quoted = cell->quoted || character[0] == ',' || character[0] == '"';
            continue;
        }
        if (!cell->begun && strchr("=+-@", character[0]))
            fputc('\'', cell->out);
        cell->begun = true;
        if (character[0] == '"')
            fputc('"', cell->out);
        fwrite(character, 1, bytes, cell->out);
    }
}

static void add_factors(struct cell *cell, const struct series *series)
{
    for (size_t i = 0; i < series->factor_count; i++) {
        const struct factor *factor = &series->factors[i];
        char number[UNIT_TEXT];
        figure_factor(factor->number, number);
        add_text(cell, i ? ";" : "");
        add_text(cell, factor->name);
        add_text(cell, "=");
        add_text(cell, factor->text ? factor->text : number);
    }
}

/* A text or, where there is none, the factors of a series. */
static void put_cell(FILE *out, const char *text, const struct series *series)
{
    struct cell cell = {0};
    for (int pass = 0; pass < 2; pass++) {
        fputs(pass && cell.quoted ? "\"" : "", out);
        if (series)
            add_factors(&cell, series);
        else
            add_text(&cell, text);
        cell.out = out;
    }
    fputs(cell.quoted ? "\"," : ",", out);
}

static void put_text(FILE *out, const char *text)
{
    put_cell(out, text, NULL);
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

static void put_point(FILE *out, const struct probe_result *probe, const struct series *series,
                      const struct point *point)
{
    const struct summary *y = &point->y;
    const float values[] = {y->median, y->low, y->high, y->coverage, y->min,
                            y->p10,    y->p25, y->p75,  y->p90,      y->max};
    const struct estimate *cycles = &point->cycles;
    const struct scatter *scatter = &point->scatter;
    const float rest[] = {cycles->median, cycles->low,    cycles->high,
                          scatter->line,  scatter->drift, scatter->residual};
    put_text(out, probe->name);
    put_text(out, series->name);
    put_cell(out, NULL, series);
    put_text(out, series->x.name);
    put_text(out, series->x.unit);
    if (series->matrix)
        fprintf(out, ",%d,%d,", point->from, point->to);
    else
        put_number(out, point->x);
    fputs(series->matrix ? "" : ",,", out);
    put_text(out, series->y.name);
    put_text(out, series->y.unit);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_float(out, values[i]);
    fprintf(out, "%u,", y->n);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put_float(out, rest[i]);
    put_text(out, point->failed);
    const char *separator = "";
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (point->flags & FLAG_BIT(flag)) {
            fprintf(out, "%s%s", separator, flag_texts[flag].name);
            separator = ";";
        }
    fputc('\n', out);
}

void view_csv(FILE *out, const struct document *document)
{
    fputs("probe,series,factors,x_name,x_unit,x,from,to,y_name,y_unit,median,low,high,coverage,"
          "min,p10,p25,p75,p90,max,n,cycles_median,cycles_low,cycles_high,line_scatter,"
          "drift_scatter,residual_scatter,failed,flags\n",
          out);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++) {
            const struct series *series = &document->probes[p].series[s];
            for (size_t i = 0; i < series->point_count; i++)
                put_point(out, &document->probes[p], series, &series->points[i]);
        }
}
