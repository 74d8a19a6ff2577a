#include "show/render/health.h"

#include "base/clean.h"
#include "base/quantity.h"
#include "base/quote.h"
#include "base/units.h"
#include "show/render/differences.h"
#include "show/render/parts.h"
#include "show/report/differences.h"
#include "show/report/figure.h"
#include "show/report/why.h"

#include <math.h>
#include <string.h>

enum {
    DOUBTFUL_MOST = 8, /* values that are listed because the status follows from them */
    LINE_MOST = 160,   /* of the line, because monitors cut and people page */
};

/* --- the line --- */

/* "L2 latency (order forward)" */
static void add_name(struct line *line, const struct finding *finding)
{
    struct line factors = {0};
    char name[CLEAN_TEXT];
    clean_text(finding->name, name, sizeof name);
    for (char *c = name; *c; c++)
        *c = *c == '.' ? ' ' : *c;
    line_add_factors(&factors, finding->factors, finding->deviations);
    line_add(line, factors.length ? "%s (%s)" : "%s", name, factors.text);
}

/* "L2 latency 21.3 cycles, expected 16.0 cycles (+33 %, known to +-4 %)" */
static void add_compared(struct line *line, const struct health_value *value)
{
    if (value->failed) {
        line_add_between(line, "", value->failed->name, " failed");
        if (value->failed->reason)
            line_add_between(line, ": ", value->failed->reason, "");
        return;
    }
    const struct difference *difference = value->difference;
    if (!difference) {
        add_name(line, value->should);
        line_add(line, " not found, expected ");
        line_add_value(line, value->should->value, value->should->unit);
        return;
    }
    const char *unit = difference_unit(difference);
    const struct comparison *compared = &difference->compared;
    if (difference->finding)
        add_name(line, difference->finding);
    else
        line_add_difference(line, difference);
    line_add(line, " ");
    line_add_value(line, difference->b, unit);
    line_add(line, ", expected ");
    line_add_value(line, difference->a, unit);
    if (compared->answer == CONDITION || !isfinite(compared->resolution))
        return;
    char known[UNIT_TEXT];
    line_add(line, " (");
    line_add_percent(line, compared->ratio);
    line_add(line, " %%, known to %s+-%s %%)",
             compared->resolution > KNOWN_MOST ? "no better than " : "",
             figure_format(100 * fmin(compared->resolution, KNOWN_MOST), 2, known));
}

/* How far a value is beyond what was expected, to the worse side. */
static double badness(const struct health_value *value)
{
    if (value->failed || !value->difference)
        return INFINITY;
    const double ratio = log(value->difference->compared.ratio);
    return value->difference->worse == SIDE_LESS ? -ratio : ratio;
}

/* The worst value of the list that the status follows from, or a fact that became worse. Where
 * nothing is as good as expected, the worst of those that can't be told. */
static void add_worst(struct line *line, const struct health_check *check)
{
    const struct health_values *values = &check->values[check->health];
    const struct changed_facts *facts = &check->differences.facts;
    const struct health_value *worst = NULL;
    values = values->count ? values : &check->untold;
    for (size_t i = 0; i < values->count; i++)
        if (!worst || badness(&values->list[i]) > badness(worst))
            worst = &values->list[i];
    for (size_t i = 0; i < facts->count && check->health == WORSE; i++)
        if (!facts->list[i].of_run && facts->list[i].side == SIDE_MORE) {
            line_add_fact(line, &facts->list[i]);
            return;
        }
    if (worst)
        add_compared(line, worst);
}

/* "worst L1 latency 4.10 cycles, expected 4.00 cycles (+2.5 %, known to +-4 %); 29 compared: 1
 * worse, 5 can't be told; 12 not compared" */
static void put_short(FILE *out, const struct health_check *check, size_t before)
{
    struct line counts = {0}, worst = {0};
    line_add(&counts, "; %zu compared: %zu as good", check->differences.figures,
             check->values[HEALTHY].count);
    if (check->values[WORSE].count)
        line_add(&counts, ", %zu worse", check->values[WORSE].count);
    const size_t told =
        check->values[HEALTHY].count + check->values[WORSE].count + check->otherwise.count;
    if (check->differences.figures > told)
        line_add(&counts, ", %zu can't be told", check->differences.figures - told);
    if (check->not_compared)
        line_add(&counts, "; %zu not compared", check->not_compared);
    add_worst(&worst, check);
    size_t room = LINE_MOST - before - counts.length;
    if (worst.length > room) {
        room -= strlen("...");
        while (room && ((unsigned char)worst.text[room] & 0xc0) == 0x80) /* within a character */
            room--;
        strcpy(worst.text + room, "...");
    }
    /* Texts of documents cannot break the line; in a plugin's line only the numbers may follow a
     * bar. */
    for (const char *c = worst.text; *c; c++)
        fputc(*c == '|' ? '/' : *c, out);
    fputs(counts.text + (worst.length ? 0 : strlen("; ")), out);
}

static const char *const words[HEALTHS] = {"OK", "UNCERTAIN", "FAIL"};

int render_health_text(const void *of, FILE *out, struct error *error)
{
    const struct health_check *check = of;
    fprintf(out, "%s ", words[check->health]);
    put_short(out, check, strlen(words[check->health]) + 1);
    fputc('\n', out);
    return 0;
}

int render_health_whole(const void *of, FILE *out, struct error *error)
{
    const struct health_check *check = of;
    const struct compared compared = {.differences = &check->differences,
                                      .listed = LISTED_WITH_REASONS};
    const struct health_values *doubtful = &check->values[DOUBTFUL];
    struct line verdict = {0};
    render_health_text(of, out, error);
    for (size_t i = 0; i < doubtful->count && i <= DOUBTFUL_MOST; i++) {
        struct line value = {0};
        if (i < DOUBTFUL_MOST)
            add_compared(&value, &doubtful->list[i]);
        else
            line_add(&value, "%zu more", doubtful->count - i);
        fprintf(out, "uncertain: %s\n", value.text);
    }
    for (size_t i = 0; i < check->gap_count; i++) {
        struct line gap = {0};
        line_add_between(&gap, "", check->gaps[i].probe, ": ");
        line_add_clean(&gap, check->gaps[i].reason);
        fprintf(out, "%zu not compared, %s\n", check->gaps[i].count, gap.text);
    }
    line_add_verdict(&verdict, check->now, &check->verdict);
    fprintf(out, "this run: %s\n\n", verdict.text);
    return render_differences_text(&compared, out, error);
}

/* --- a plugin's line --- */

/* In OpenMetrics' base units, of which the plugins' convention knows only the second. The bound is
 * where the value would be worse by its tolerance; none where no side is worse. */
static void put_performance(FILE *out, const struct difference *difference)
{
    const struct quantity *quantity = quantity_of(difference_unit(difference));
    const double factor = quantity ? quantity->metric_factor : 1;
    const double more = 1 + difference->compared.tolerance;
    const bool time = quantity && quantity->dimension == DIMENSION_TIME;
    struct line label = {0};
    line_add_difference(&label, difference);
    for (char *c = label.text; *c; c++)
        *c = strchr("='|", *c) ? '_' : *c;
    fprintf(out, " '%s'=%.9g%s", label.text, difference->b * factor, time ? "s" : "");
    if (difference->worse == SIDE_MORE)
        fprintf(out, ";;%.9g", difference->a * more * factor);
    else if (difference->worse == SIDE_LESS)
        fprintf(out, ";;%.9g:", difference->a / more * factor);
}

int render_health_nagios(const void *of, FILE *out, struct error *error)
{
    static const char *const states[HEALTHS] = {"OK", "WARNING", "CRITICAL"};
    const struct health_check *check = of;
    fprintf(out, "FATHOM %s - ", states[check->health]);
    put_short(out, check, strlen("FATHOM  - ") + strlen(states[check->health]));
    fputs(check->differences.figures ? " |" : "", out);
    for (size_t i = 0; i < check->differences.count; i++)
        if (check->differences.list[i].compared.answer != CONDITION)
            put_performance(out, &check->differences.list[i]);
    fputc('\n', out);
    return 0;
}

/* --- JSON --- */

static void put_value(FILE *out, const struct health_value *value)
{
    if (value->difference) {
        json_difference(out, value->difference);
    } else if (value->failed) {
        json_text(out, "{", "probe", value->failed->name);
        json_text(out, ",", "failed", value->failed->reason);
        fputc('}', out);
    } else {
        struct line what = {0};
        line_add_difference(&what, &(struct difference){.finding = value->should});
        json_text(out, "{", "what", what.text);
        json_text(out, ",", "unit", value->should->unit);
        json_number(out, ",", "before", value->should->value);
        fputc('}', out);
    }
}

static void put_list(FILE *out, const char *key, const struct health_values *values)
{
    fprintf(out, ",\n\"%s\":[", key);
    for (size_t i = 0; i < values->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_value(out, &values->list[i]);
    }
    fputc(']', out);
}

int render_health_json(const void *of, FILE *out, struct error *error)
{
    const struct health_check *check = of;
    const struct changed_facts *facts = &check->differences.facts;
    fprintf(out,
            "{\"schema\":\"fathom-check/1\",\n\"status\":\"%s\",\n\"compared\":%zu,\n"
            "\"not_compared\":[",
            health_names[check->health], check->differences.figures);
    for (size_t i = 0; i < check->gap_count; i++) {
        json_text(out, i ? ",\n{" : "\n{", "probe", check->gaps[i].probe);
        fprintf(out, ",\"values\":%zu", check->gaps[i].count);
        json_text(out, ",", "reason", check->gaps[i].reason);
        fputc('}', out);
    }
    fputs("],\n\"facts\":[", out);
    for (size_t i = 0; i < facts->count; i++)
        json_fact(out, i ? ",\n" : "\n", &facts->list[i]);
    fputc(']', out);
    put_list(out, "worse", &check->values[WORSE]);
    put_list(out, "uncertain", &check->values[DOUBTFUL]);
    put_list(out, "untold", &check->untold);
    put_list(out, "otherwise", &check->otherwise);
    put_list(out, "healthy", &check->values[HEALTHY]);
    put_list(out, "conditions", &check->conditions);
    struct line verdict = {0};
    line_add_verdict(&verdict, check->now, &check->verdict);
    json_text(out, ",\n\"verdict\":{", "sentence", verdict.text);
    fputs("}}\n", out);
    return 0;
}
