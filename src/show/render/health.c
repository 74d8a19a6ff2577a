#include "show/render/health.h"

#include "base/clean.h"
#include "base/quantity.h"
#include "base/quote.h"
#include "show/render/parts.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    VALUES_MOST = 8, /* values that the line names */
    GAPS_MOST = 8,
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

/* "L2 latency 21.3 cycles, expected 16.0 +- 0.5" */
static void add_compared(struct line *line, const struct health_value *value)
{
    const struct finding *should = value->should;
    const double divisor = should ? figure_scale(should->unit).divisor : 1;
    char figure[UNIT_TEXT];
    if (value->failed) {
        line_add_between(line, "", value->failed->name, " failed");
        if (value->failed->reason)
            line_add_between(line, ": ", value->failed->reason, "");
        return;
    }
    add_name(line, should);
    const double expected = should->value;
    if (!value->now) {
        line_add(line, " not found, expected ");
        line_add_value(line, expected, should->unit);
        return;
    }
    line_add(line, " ");
    line_add_value(line, value->now->value, should->unit);
    line_add(line, ", expected %s", figure_plain(expected / divisor, figure));
    line_add(line, " +- %s", figure_plain(fabs(value->bound - expected) / divisor, figure));
}

/* Texts of documents cannot break the line; in a plugin's line only the numbers may follow a
 * bar. */
static void put(FILE *out, const struct line *line)
{
    for (const char *c = line->text; *c; c++)
        fputc(*c == '|' ? '/' : *c, out);
}

/* "tlb, geometry were not measured (quick)": the reasons of gaps, each once. Gaps whose findings
 * are listed as not found need none. */
static void put_gaps(FILE *out, const struct health_check *check)
{
    const struct health_gap *gaps = check->gaps;
    size_t shown = 0;
    for (size_t i = 0; i < check->gap_count && shown <= GAPS_MOST; i++) {
        bool given = gaps[i].listed;
        for (size_t before = 0; before < i && !given; before++)
            given = strcmp(gaps[before].reason, gaps[i].reason) == 0;
        if (given)
            continue;
        struct line line = {0};
        size_t probes = 0;
        line_add(&line, shown++ ? "; " : ": ");
        for (size_t j = i; j < check->gap_count && shown <= GAPS_MOST; j++)
            if (strcmp(gaps[j].reason, gaps[i].reason) == 0) {
                line_add(&line, "%s", probes++ ? ", " : "");
                line_add_clean(&line, gaps[j].probe);
            }
        line_add(&line, probes > 1 ? " were " : probes ? " was " : "and more");
        line_add_clean(&line, probes ? gaps[i].reason : NULL);
        put(out, &line);
    }
}

/* Differences that do not count against the machine. */
static void put_aside(FILE *out, const char *why, const struct health_values *values)
{
    for (size_t i = 0; i < values->count && i < VALUES_MOST; i++) {
        const struct health_value *condition = &values->list[i];
        struct line line = {0};
        line_add(&line, "%s", i ? ", " : why);
        add_name(&line, condition->should);
        line_add(&line, " ");
        line_add_value(&line, condition->now->value, condition->should->unit);
        line_add(&line, " (baseline ");
        line_add_value(&line, condition->should->value, condition->should->unit);
        line_add(&line, ")");
        put(out, &line);
    }
}

static void put_sentence(FILE *out, const struct health_check *check)
{
    const struct health_values *values = &check->values[check->health];
    if (check->health == HEALTHY)
        fprintf(out, "%zu value%s as good as expected", check->compared,
                check->compared == 1 ? "" : "s");
    else if (!values->count)
        fputs("nothing could be compared", out);
    for (size_t i = 0; check->health != HEALTHY && i < values->count && i < VALUES_MOST; i++) {
        struct line line = {0};
        line_add(&line, "%s", i ? "; " : "");
        add_compared(&line, &values->list[i]);
        put(out, &line);
    }
    if (check->health != HEALTHY && values->count > VALUES_MOST)
        fprintf(out, "; and %zu more", values->count - VALUES_MOST);
    if (check->health != HEALTHY || check->not_compared)
        fprintf(out, "; %zu compared", check->compared);
    if (check->not_compared)
        fprintf(out, ", %zu not", check->not_compared);
    put_gaps(out, check);
    put_aside(out, "; not judged: ", &check->conditions);
    if (verdict_count(&check->verdict, GRADE_GOOD) == check->verdict.family_count)
        return;
    struct line verdict = {0};
    line_add(&verdict, ". This run: ");
    line_add_verdict(&verdict, check->now, &check->verdict);
    put(out, &verdict);
}

int render_health_text(const void *of, FILE *out, struct error *error)
{
    (void)error;
    static const char *const words[HEALTHS] = {"OK", "UNCERTAIN", "FAIL"};
    const struct health_check *check = of;
    fprintf(out, "%s ", words[check->health]);
    put_sentence(out, check);
    fputc('\n', out);
    return 0;
}

/* --- a plugin's line --- */

/* In OpenMetrics' base units, of which the plugins' convention knows only the second. */
static void put_performance(FILE *out, const struct health_value *value)
{
    const struct quantity *quantity = quantity_of(value->now->unit);
    const double factor = quantity ? quantity->metric_factor : 1;
    const bool time = quantity && quantity->dimension == DIMENSION_TIME;
    struct line factors = {0}, label = {0};
    line_add_factors(&factors, value->now->factors, value->now->deviations);
    line_add_clean(&label, value->now->name);
    if (factors.length)
        line_add(&label, " (%s)", factors.text);
    for (char *c = label.text; *c; c++)
        *c = strchr("='|", *c) ? '_' : *c;
    fprintf(out, " '%s'=%.9g%s", label.text, value->now->value * factor, time ? "s" : "");
    if (isfinite(value->bound))
        fprintf(out, ";;%.9g%s", value->bound * factor, value->more_is_worse ? "" : ":");
}

int render_health_nagios(const void *of, FILE *out, struct error *error)
{
    (void)error;
    static const char *const words[HEALTHS] = {"OK", "WARNING", "CRITICAL"};
    const struct health_check *check = of;
    fprintf(out, "FATHOM %s - ", words[check->health]);
    put_sentence(out, check);
    for (int health = HEALTHS - 1, begun = 0; health >= 0; health--)
        for (size_t i = 0; i < check->values[health].count; i++) {
            const struct health_value *value = &check->values[health].list[i];
            if (!value->now)
                continue;
            fputs(begun++ ? "" : " |", out);
            put_performance(out, value);
        }
    fputc('\n', out);
    return 0;
}

/* --- JSON --- */

static void put_value(FILE *out, const struct health_value *value)
{
    if (value->failed) {
        json_text(out, "{", "probe", value->failed->name);
        json_text(out, ",", "failed", value->failed->reason);
        fputc('}', out);
        return;
    }
    json_text(out, "{", "name", value->should->name);
    if (value->should->deviations) {
        fputs(",\"factors\":{", out);
        for (size_t i = 0; i < value->should->deviations; i++) {
            const struct factor *factor = &value->should->factors[i];
            fputs(i ? "," : "", out);
            json_print(out, factor->name, SIZE_MAX, false);
            fputc(':', out);
            if (factor->text)
                json_print(out, factor->text, SIZE_MAX, false);
            else if (isfinite(factor->number))
                fprintf(out, "%.17g", factor->number);
            else
                fputs("null", out);
        }
        fputc('}', out);
    }
    json_text(out, ",", "unit", value->should->unit);
    if (value->now) {
        json_number(out, ",", "value", value->now->value);
        json_number(out, ",", "low", value->now->low);
        json_number(out, ",", "high", value->now->high);
    }
    json_number(out, ",", "expected", value->should->value);
    json_number(out, ",", "bound", value->bound);
    fputc('}', out);
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
    (void)error;
    static const char *const keys[HEALTHS] = {"healthy", "uncertain", "worse"};
    const struct health_check *check = of;
    fprintf(out,
            "{\"schema\":\"fathom-check/1\",\n\"status\":\"%s\",\n\"compared\":%zu,\n"
            "\"not_compared\":[",
            health_names[check->health], check->compared);
    for (size_t i = 0; i < check->gap_count; i++) {
        json_text(out, i ? ",\n{" : "\n{", "probe", check->gaps[i].probe);
        fprintf(out, ",\"values\":%zu", check->gaps[i].count);
        json_text(out, ",", "reason", check->gaps[i].reason);
        fputc('}', out);
    }
    fputc(']', out);
    for (int health = HEALTHS - 1; health >= 0; health--)
        put_list(out, keys[health], &check->values[health]);
    put_list(out, "conditions", &check->conditions);
    struct line verdict = {0};
    line_add_verdict(&verdict, check->now, &check->verdict);
    json_text(out, ",\n\"verdict\":{", "sentence", verdict.text);
    fputs("}}\n", out);
    return 0;
}
