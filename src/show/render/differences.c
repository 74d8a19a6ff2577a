/* The differences of two documents as text, CSV and JSON. */
#include "show/render/differences.h"
#include "base/quote.h"
#include "show/render/parts.h"
#include "show/report/differences.h"

#include <math.h>
#include <stdint.h>

struct drawing {
    FILE *out;
    const struct compared *compared;
    struct pool pool;
};

static int draw(void *with)
{
    struct drawing *drawing = with;
    struct report report = {.pool = &drawing->pool};
    const struct text_style style = text_style_sane(&drawing->compared->style);
    report_add_differences(&report, drawing->compared->differences, drawing->compared->threshold);
    draw_report(drawing->out, &report, &style);
    return 0;
}

int render_differences_text(const void *compared, FILE *out, struct error *error)
{
    struct drawing drawing = {.out = out, .compared = compared};
    const int code = pool_enter(&drawing.pool, draw, &drawing, error);
    pool_free(&drawing.pool);
    return code;
}

static void put_cell(FILE *out, const char *text)
{
    csv_print(out, text);
    fputc(',', out);
}

int render_differences_csv(const void *compared, FILE *out, struct error *error)
{
    (void)error;
    const struct differences *differences = ((const struct compared *)compared)->differences;
    fputs("probe,what,unit,before,after,ratio,low,high,p,verdict\n", out);
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *difference = &differences->list[i];
        struct line what = {0};
        line_add_difference(&what, difference);
        put_cell(out, difference->probe->name);
        put_cell(out, what.text);
        put_cell(out, difference_unit(difference));
        const double values[] = {difference->a,   difference->b,    difference->ratio,
                                 difference->low, difference->high, difference->p};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            fprintf(out, isfinite(values[v]) ? "%.9g," : ",", values[v]);
        fprintf(out, "%s\n", verdict_names[difference->verdict]);
    }
    return 0;
}

static void put_json_remarks(FILE *out, const char *key, const struct remark_line *lines,
                             size_t count)
{
    fprintf(out, ",\n\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", out);
        json_print(out, lines[i].text, SIZE_MAX, false);
    }
    fputc(']', out);
}

int render_differences_json(const void *of, FILE *out, struct error *error)
{
    (void)error;
    const struct compared *compared = of;
    const struct differences *differences = compared->differences;
    fprintf(out,
            "{\"schema\":\"fathom-diff/1\",\n\"threshold\":%.9g,\n\"values\":%zu,\n"
            "\"changed\":%zu,\n\"uncertain\":%zu",
            compared->threshold, differences->count, differences->changed, differences->uncertain);
    put_json_remarks(out, "unfair", differences->unfair, differences->unfair_count);
    put_json_remarks(out, "missing", differences->missing, differences->missing_count);
    fputs(",\n\"differences\":[", out);
    for (size_t i = 0; i < differences->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        const struct difference *difference = &differences->list[i];
        struct line what = {0};
        line_add_difference(&what, difference);
        json_text(out, "{", "probe", difference->probe->name);
        json_text(out, ",", "what", what.text);
        json_text(out, ",", "unit", difference_unit(difference));
        json_number(out, ",", "before", difference->a);
        json_number(out, ",", "after", difference->b);
        json_number(out, ",", "ratio", difference->ratio);
        json_number(out, ",", "low", difference->low);
        json_number(out, ",", "high", difference->high);
        json_number(out, ",", "p", difference->p);
        fprintf(out, ",\"verdict\":\"%s\"}", verdict_names[difference->verdict]);
    }
    fputs("]}\n", out);
    return 0;
}
