/* The differences of two documents as text, CSV and JSON. */
#include "show/render/differences.h"
#include "base/quote.h"
#include "show/render/parts.h"
#include "show/report/why.h"

#include <math.h>

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
    report_add_differences(&report, drawing->compared->differences, drawing->compared->listed);
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

static const char *const answer_names[ANSWERS] = {"same", "can't tell", "changed", "condition"};

/* "worse" or "better", of a change that is one. */
static const char *side_of(const struct comparison *compared)
{
    return compared->answer != CHANGED   ? ""
           : compared->side == SIDE_MORE ? "worse"
           : compared->side == SIDE_LESS ? "better"
                                         : "neither";
}

int render_differences_csv(const void *of, FILE *out, struct error *error)
{
    const struct differences *differences = ((const struct compared *)of)->differences;
    fputs("probe,what,unit,before,after,ratio,low,high,p,tolerance,answer,side,why\n", out);
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *difference = &differences->list[i];
        const struct comparison *compared = &difference->compared;
        struct line what = {0}, why = {0};
        line_add_difference(&what, difference);
        line_add_why(&why, compared);
        csv_put(out, difference->probe->name);
        csv_put(out, what.text);
        csv_put(out, difference_unit(difference));
        const double values[] = {difference->a,  difference->b, compared->ratio,    compared->low,
                                 compared->high, compared->p,   compared->tolerance};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            fprintf(out, isfinite(values[v]) ? "%.9g," : ",", values[v]);
        fprintf(out, "%s,%s,", answer_names[compared->answer], side_of(compared));
        csv_print(out, why.text);
        fputc('\n', out);
    }
    return 0;
}

void json_fact(FILE *out, const char *before, const struct changed_fact *fact)
{
    static const char *const sides[] = {
        [SIDE_NEITHER] = "neither", [SIDE_MORE] = "worse", [SIDE_LESS] = "better"};
    fputs(before, out);
    json_text(out, "{", "what", fact->what);
    json_text(out, ",", "before", fact->before);
    json_text(out, ",", "after", fact->after);
    json_text(out, ",", "of", fact->of_run ? "run" : "machine");
    json_text(out, ",", "side", sides[fact->side]);
    fputc('}', out);
}

void json_difference(FILE *out, const struct difference *difference)
{
    const struct comparison *compared = &difference->compared;
    struct line what = {0}, why = {0};
    line_add_difference(&what, difference);
    line_add_why(&why, compared);
    json_text(out, "{", "probe", difference->probe->name);
    json_text(out, ",", "what", what.text);
    json_text(out, ",", "unit", difference_unit(difference));
    json_number(out, ",", "before", difference->a);
    json_number(out, ",", "after", difference->b);
    json_number(out, ",", "ratio", compared->ratio);
    json_number(out, ",", "low", compared->low);
    json_number(out, ",", "high", compared->high);
    json_number(out, ",", "p", compared->p);
    json_number(out, ",", "resolution", compared->resolution);
    json_number(out, ",", "tolerance", compared->tolerance);
    json_text(out, ",", "answer", answer_names[compared->answer]);
    if (*side_of(compared))
        json_text(out, ",", "side", side_of(compared));
    json_text(out, ",", "why", why.text);
    fputc('}', out);
}

int render_differences_json(const void *of, FILE *out, struct error *error)
{
    const struct compared *compared = of;
    const struct differences *differences = compared->differences;
    fprintf(out,
            "{\"schema\":\"fathom-diff/1\",\n\"values\":%zu,\n\"changed\":%zu,\n"
            "\"uncertain\":%zu,\n\"facts\":[",
            differences->figures, differences->counts[CHANGED], differences->counts[CANT_TELL]);
    for (size_t i = 0; i < differences->facts.count; i++)
        json_fact(out, i ? ",\n" : "\n", &differences->facts.list[i]);
    fputs("],\n\"missing\":[", out);
    for (size_t i = 0; i < differences->missing_count; i++) {
        fputs(i ? ",\n" : "\n", out);
        json_print(out, differences->missing[i].text);
    }
    fputs("],\n\"differences\":[", out);
    for (size_t i = 0; i < differences->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        json_difference(out, &differences->list[i]);
    }
    fputs("]}\n", out);
    return 0;
}
