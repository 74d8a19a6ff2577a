#include "show/render/health.h"

#include "base/clean.h"
#include "base/quantity.h"
#include "base/units.h"
#include "show/render/differences.h"
#include "show/render/parts.h"
#include "show/report/differences.h"
#include "show/report/figure.h"

#include <math.h>
#include <string.h>

enum {
    VALUES_MOST = 8, /* values that a sentence names */
    GAPS_MOST = 8,
    LINE_MOST = 160, /* of the line, because monitors cut and people page */
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

/* The same of a finding or a pair. */
static void add_what(struct line *line, const struct difference *difference)
{
    if (difference->finding_a)
        add_name(line, difference->finding_a);
    else
        line_add_difference(line, difference);
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
    add_what(line, difference);
    line_add(line, " ");
    line_add_value(line, difference->b, unit);
    line_add(line, ", expected ");
    line_add_value(line, difference->a, unit);
    if (compared->answer == CONDITION || !isfinite(compared->resolution))
        return;
    char change[UNIT_TEXT], known[UNIT_TEXT];
    line_add(line, " (%s%s %%, known to +-%s %%)", compared->ratio < 1 ? "-" : "+",
             figure_format(100 * fabs(compared->ratio - 1), 3, change),
             figure_format(100 * compared->resolution, 2, known));
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

/* The first values of a list, after `before`. */
static void put_values(FILE *out, const char *before, const struct health_values *values)
{
    for (size_t i = 0; i < values->count && i < VALUES_MOST; i++) {
        struct line line = {0};
        line_add(&line, "%s", i ? "; " : before);
        add_compared(&line, &values->list[i]);
        put(out, &line);
    }
    if (values->count > VALUES_MOST)
        fprintf(out, "; and %zu more", values->count - VALUES_MOST);
}

/* Facts of the machine that changed: the worse ones, or the others. */
static size_t put_facts(FILE *out, const struct changed_facts *facts, bool worse,
                        const char *before)
{
    size_t shown = 0;
    for (size_t i = 0; i < facts->count && shown < VALUES_MOST; i++) {
        struct line line = {0};
        if (facts->list[i].of_run || (facts->list[i].side == SIDE_MORE) != worse)
            continue;
        line_add(&line, "%s", shown++ ? "; " : before);
        line_add_fact(&line, &facts->list[i]);
        put(out, &line);
    }
    return shown;
}

static void put_sentence(FILE *out, const struct health_check *check)
{
    const struct health_values *good = &check->values[HEALTHY];
    const struct changed_facts *facts = &check->differences.facts;
    const char *between = "";
    if (check->health == WORSE) {
        between = put_facts(out, facts, true, "") ? "; " : "";
        put_values(out, between, &check->values[WORSE]);
        between = "; ";
    } else if (check->health == DOUBTFUL) {
        put_values(out, "", &check->values[DOUBTFUL]);
        between = check->values[DOUBTFUL].count ? "; " : "";
    }
    fprintf(out, "%s%zu value%s as good as expected", between, good->count,
            good->count == 1 ? "" : "s");
    put_facts(out, facts, false, "; changed: ");
    put_values(out, "; not worse, but changed: ", &check->otherwise);
    /* "of 3 it can't be told: L3 latency to +-40 %, ..." */
    if (check->untold.count)
        fprintf(out, "; of %zu it can't be told: ", check->untold.count);
    for (size_t i = 0; i < check->untold.count && i < VALUES_MOST; i++) {
        const struct difference *difference = check->untold.list[i].difference;
        struct line line = {0};
        char known[UNIT_TEXT];
        line_add(&line, "%s", i ? ", " : "");
        add_what(&line, difference);
        if (isfinite(difference->compared.resolution))
            line_add(&line, " to +-%s %%",
                     figure_format(100 * difference->compared.resolution, 2, known));
        put(out, &line);
    }
    if (check->untold.count > VALUES_MOST)
        fprintf(out, " and %zu more", check->untold.count - VALUES_MOST);
    if (check->not_compared)
        fprintf(out, "; %zu not compared", check->not_compared);
    put_gaps(out, check);
    if (check->conditions.count)
        fprintf(out, "; %zu condition%s of the run differ%s", check->conditions.count,
                check->conditions.count == 1 ? "" : "s", check->conditions.count == 1 ? "s" : "");
    if (verdict_count(&check->verdict, GRADE_GOOD) == check->verdict.family_count)
        return;
    struct line verdict = {0};
    line_add(&verdict, ". This run: ");
    line_add_verdict(&verdict, check->now, &check->verdict);
    put(out, &verdict);
}

/* --- the line in short --- */

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
    const size_t compared = check->differences.count - check->conditions.count;
    line_add(&counts, "; %zu compared: %zu as good", compared, check->values[HEALTHY].count);
    if (check->values[WORSE].count)
        line_add(&counts, ", %zu worse", check->values[WORSE].count);
    const size_t untold = check->untold.count + check->values[DOUBTFUL].count;
    if (untold)
        line_add(&counts, ", %zu can't be told", untold);
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
    put(out, &worst);
    fputs(counts.text + (worst.length ? 0 : strlen("; ")), out);
}

static const char *const words[HEALTHS] = {"OK", "UNCERTAIN", "FAIL"};

int render_health_text(const void *of, FILE *out, struct error *error)
{
    (void)error;
    const struct health_check *check = of;
    fprintf(out, "%s ", words[check->health]);
    put_short(out, check, strlen(words[check->health]) + 1);
    fputc('\n', out);
    return 0;
}

int render_health_whole(const void *of, FILE *out, struct error *error)
{
    (void)error;
    const struct health_check *check = of;
    fprintf(out, "%s ", words[check->health]);
    put_sentence(out, check);
    fputc('\n', out);
    return 0;
}

/* --- a plugin's line --- */

/* In OpenMetrics' base units, of which the plugins' convention knows only the second. The bound is
 * where the value would be worse by its tolerance; none where no side is worse. */
static void put_performance(FILE *out, const struct difference *difference)
{
    const char *unit = difference_unit(difference);
    const struct quantity *quantity = quantity_of(unit);
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
    (void)error;
    static const char *const states[HEALTHS] = {"OK", "WARNING", "CRITICAL"};
    const struct health_check *check = of;
    size_t shown = 0;
    fprintf(out, "FATHOM %s - ", states[check->health]);
    put_short(out, check, strlen("FATHOM  - ") + strlen(states[check->health]));
    for (size_t i = 0; i < check->differences.count; i++) {
        const struct difference *difference = &check->differences.list[i];
        if (difference->compared.answer == CONDITION)
            continue;
        fputs(shown++ ? "" : " |", out);
        put_performance(out, difference);
    }
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
        line_add_difference(&what, &(struct difference){.finding_a = value->should});
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
    (void)error;
    const struct health_check *check = of;
    const struct changed_facts *facts = &check->differences.facts;
    fprintf(out,
            "{\"schema\":\"fathom-check/1\",\n\"status\":\"%s\",\n\"compared\":%zu,\n"
            "\"not_compared\":[",
            health_names[check->health], check->differences.count);
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
