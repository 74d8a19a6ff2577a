/*
 * Changes of a twin: "DRAM.latency=+20%,bandwidth=-33%,L2.capacity=x0.5".
 *
 * A finding stands for the points that it was read off. A change of a time or a rate is one of all
 * values near it: between two findings of one series it fades, as the share of accesses does that a
 * level serves. A change of a capacity or a count moves the points: what was found at the old place
 * is found at the new one.
 */
#include "base/quantity.h"
#include "measure/run/twin/inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double factor_least = 0.01, factor_most = 100;
static const char clock_name[] = "core.clock";

struct change {
    const char *name;
    double factor;
    bool made;
};

struct changes {
    struct twin *twin;
    struct pool *pool;
    struct change *list;
    size_t count;
};

/* --- bends --- */

/* Values beyond the steps change as the nearest step does. */
double twin_change_of(const struct twin_bend *bend, double value)
{
    const struct twin_step *steps = bend->steps;
    size_t i = 0;
    if (!bend->count)
        return 1;
    while (i < bend->count && steps[i].at < value)
        i++;
    if (i == 0 || i == bend->count)
        return steps[i ? i - 1 : 0].factor;
    const struct twin_step *below = &steps[i - 1], *above = &steps[i];
    const double part = (value - below->at) / (above->at - below->at);
    return (below->at * below->factor * (1 - part) + above->at * above->factor * part) / value;
}

/* If two steps are at one place, the one that changes something stays. */
static void add_step(struct changes *changes, struct twin_bend *bend, double at, double factor)
{
    struct twin_step *step =
        pool_append(changes->pool, (void **)&bend->steps, &bend->count, sizeof *step);
    for (; step > bend->steps && step[-1].at > at; step--)
        step[0] = step[-1];
    *step = (struct twin_step){at, factor};
    struct twin_step *twice = step > bend->steps && step[-1].at == at ? step - 1 : NULL;
    if (twice) {
        twice->factor = factor == 1 ? twice->factor : factor;
        const size_t behind = (size_t)(bend->steps + bend->count - step) - 1;
        memmove(step, step + 1, behind * sizeof *step);
        bend->count--;
    }
}

/* --- which findings belong to a series --- */

/* What was asked for and what was obtained have the same name. */
static bool is_of(const struct finding *finding, const struct series *series, bool number)
{
    for (size_t i = 0; i < series->factor_count; i++) {
        const struct factor *factor = &series->factors[i],
                            *other =
                                factor_find(finding->factors, finding->factor_count, factor->name);
        const bool policy = factor->text && (!*factor->text || strcmp(factor->text, "auto") == 0);
        if (number ? !other || policy || strcmp(factor->name, "look") == 0
                   : policy && strcmp(factor->name, "pages") == 0)
            continue;
        if (!other || !factor_same_value(factor, other))
            return false;
    }
    return number || !factor_find(finding->factors, finding->factor_count, "level") ||
           series_factor(series, "level");
}

static bool is_rate(const char *unit)
{
    return quantity_is(unit, DIMENSION_BANDWIDTH) || quantity_is(unit, DIMENSION_RATE);
}

/* The finding as a time of the series; NAN: it is none of its times. */
static double time_of(const struct finding *finding, const struct series *series)
{
    const bool time = quantity_is(series->y.unit, DIMENSION_TIME);
    if (!(finding->value > 0) || !quantity_same(finding->unit, series->y.unit) ||
        !(time || is_rate(series->y.unit)) || !is_of(finding, series, false))
        return NAN;
    const double value = time ? finding->value : 1e9 / finding->value;
    const struct point *least, *most;
    series_extremes(series, &least, &most);
    if (!least || finding->value < 0.5 * (double)least->y.median ||
        finding->value > 2 * (double)most->y.median)
        return NAN;
    return value;
}

/* The finding as a place on the series' axis; NAN: it is none. */
static double place_of(const struct finding *finding, const struct series *series)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    const bool number =
        meaning.fact == FACT_CAPACITY || meaning.fact == FACT_ENTRIES || meaning.fact == FACT_WAYS;
    if (!number || !(finding->value > 0) || series->matrix || axis_has_ids(&series->x) ||
        !quantity_same(finding->unit, series->x.unit) ||
        !quantity_is(series->y.unit, DIMENSION_TIME) || !is_of(finding, series, true))
        return NAN;
    return finding->value;
}

/* --- changes by name --- */

/* "L1.latency_ns" and "loaded.unloaded_cycles" are L1.latency and loaded.unloaded. */
static size_t stem_length(const char *name)
{
    const char *end = strrchr(name, '_');
    const bool twin = end && (strcmp(end, "_ns") == 0 || strcmp(end, "_cycles") == 0);
    return twin ? (size_t)(end - name) : strlen(name);
}

/* A change of "L2.capacity" is also one of "L2.begins", which a level has instead if its misses
 * begin early. */
static bool is_named(const char *name, const char *finding)
{
    const char *dot = strrchr(name, '.'), *begins = strstr(finding, ".begins");
    if (dot && begins && strcmp(dot, ".capacity") == 0)
        return dot - name == begins - finding && strncmp(name, finding, (size_t)(dot - name)) == 0;
    const size_t length = stem_length(name);
    return length == stem_length(finding) && strncmp(name, finding, length) == 0;
}

/* The change of that finding, or of a whole probe. */
static double factor_of(struct changes *changes, const char *name, bool probe)
{
    double factor = 1;
    for (size_t i = 0; i < changes->count; i++) {
        struct change *change = &changes->list[i];
        if (probe ? strcmp(change->name, name) != 0 : !is_named(change->name, name))
            continue;
        factor *= change->factor;
        change->made = true;
    }
    return factor;
}

static bool has_cycles(const struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].cycles.median > 0)
            return true;
    return false;
}

/* Another clock changes the times of what it drives: the levels that a core has for itself. */
static void add_clock(struct changes *changes, struct twin_series *known)
{
    const struct twin *twin = changes->twin;
    const struct document *document = &twin->document;
    if (twin->clock_factor == 1 || !has_cycles(known->series))
        return;
    for (size_t i = 0; i < document->probe_count; i++)
        for (size_t j = 0; j < document->probes[i].finding_count; j++) {
            const struct finding *finding = &document->probes[i].findings[j];
            const struct finding_meaning meaning = finding_meaning(finding);
            if (meaning.fact != FACT_LATENCY_NS || meaning.device >= 0 || !(finding->value > 0))
                continue;
            const bool shared = finding_is_shared(&document->machine, &meaning);
            double factor = shared ? 1 : 1 / twin->clock_factor;
            if (strcmp(known->probe, document->probes[i].name) == 0)
                factor *= factor_of(changes, finding->name, false);
            add_step(changes, &known->times, finding->value, factor);
        }
}

static void change_series(struct changes *changes, struct twin_series *known)
{
    const struct probe_result *result = document_probe(&changes->twin->document, known->probe);
    const double all = factor_of(changes, known->probe, true);
    add_clock(changes, known);
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        const double time = time_of(finding, known->series),
                     place = place_of(finding, known->series);
        if (isfinite(time))
            add_step(changes, &known->times, time, factor_of(changes, finding->name, false));
        if (isfinite(place)) {
            const double factor = factor_of(changes, finding->name, false);
            add_step(changes, &known->places, place * factor, 1 / factor);
        }
    }
    if (!known->times.count)
        add_step(changes, &known->times, 1, 1);
    /* A larger rate is a shorter time. */
    for (size_t i = 0; i < known->times.count; i++) {
        struct twin_step *step = &known->times.steps[i];
        step->factor *= all;
        if (is_rate(known->series->y.unit))
            step->factor = 1 / step->factor;
    }
}

/* --- the text --- */

/* "+20%", "-33%", "x1.5"; 0: it is none. */
static double read_factor(const char *text)
{
    char *end;
    const bool times = *text == 'x';
    if (!times && *text != '+' && *text != '-')
        return 0;
    const double number = strtod(text + times, &end);
    const double factor = times ? number : 1 + number / 100;
    const bool whole = times ? *end == '\0' : strcmp(end, "%") == 0;
    return end > text + times && whole && factor >= factor_least && factor <= factor_most ? factor
                                                                                          : 0;
}

void twin_change(struct twin *twin, const char *text)
{
    struct pool *pool = &twin->document.pool;
    struct changes changes = {.twin = twin, .pool = pool};
    char *rest = pool_strdup(pool, text), *said = rest;
    for (; said; said = rest) {
        rest = strchr(said, ',');
        if (rest)
            *rest++ = '\0';
        struct change *change =
            pool_append(changes.pool, (void **)&changes.list, &changes.count, sizeof *change);
        char *value = strchr(said, '=');
        if (value)
            *value++ = '\0';
        *change = (struct change){.name = said, .factor = value ? read_factor(value) : 0};
        if (!*said || !(change->factor > 0))
            pool_leave(
                changes.pool, ERROR_USAGE,
                "--change '%s%s%s': write NAME=+20%%, NAME=-33%% or NAME=x1.5, from x%g to x%g",
                said, value ? "=" : "", value ? value : "", factor_least, factor_most);
        if (strcmp(said, clock_name) == 0) {
            changes.twin->clock_factor *= change->factor;
            change->made = true;
        }
    }
    for (size_t i = 0; i < twin->series_count; i++)
        change_series(&changes, &twin->series[i]);
    for (size_t i = 0; i < changes.count; i++) {
        const char *name = changes.list[i].name;
        if (!changes.list[i].made)
            pool_leave(pool, ERROR_USAGE,
                       "--change: %s has no probe called '%s', and no finding of that name that is "
                       "a time, a rate, a capacity or a count of one of its curves; 'fathom "
                       "report -f csv' names them all",
                       twin->document.file, name);
    }
}
