/*
 * The factors of a series that headings and labels use: the first FACTORS_SEEN, more than any probe
 * of fathom has. A foreign document may have a million, and each must be looked up in the other
 * series.
 */
#include "conclude/registry/factors.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t factors_seen(const struct series *series)
{
    return series->factor_count < FACTORS_SEEN ? series->factor_count : FACTORS_SEEN;
}

const struct factor *factor_seen(const struct series *series, const char *name)
{
    return factor_find(series->factors, factors_seen(series), name);
}

bool factors_same(const struct series *a, const struct series *b)
{
    if (a->factor_count != b->factor_count)
        return false;
    for (size_t i = 0; i < a->factor_count; i++)
        if (!factor_same(&a->factors[i],
                         i < FACTORS_SEEN ? factor_seen(b, a->factors[i].name) : &b->factors[i]))
            return false;
    return true;
}

char *factor_format(double number, char *text)
{
    /* Nine digits would cut sizes from 1 GiB on; doubles hold every whole number up to 2^53. */
    const bool whole = number == floor(number) && fabs(number) <= 0x1p53;
    if (!isfinite(number))
        return strcpy(text, "-");
    snprintf(text, UNIT_TEXT, whole ? "%.0f" : "%.9g", number);
    return text;
}

static void add_value(struct line *line, const struct factor *factor)
{
    char number[UNIT_TEXT];
    if (factor->text)
        line_add_clean(line, factor->text);
    else if (!factor->list_count)
        line_add(line, "%s", factor_format(factor->number, number));
    for (size_t i = 0; i < factor->list_count && line->length + 1 < sizeof line->text; i++) {
        line_add(line, "%s", i ? " " : "");
        add_value(line, &factor->list[i]);
    }
}

void line_add_factors(struct line *line, const struct factor *factors, size_t count)
{
    /* A foreign document may have a million, so this stops when the line is full. */
    for (size_t i = 0; i < count && line->length + 1 < sizeof line->text; i++) {
        line_add(line, "%s", line->length ? ", " : "");
        line_add_clean(line, factors[i].name);
        line_add(line, " ");
        add_value(line, &factors[i]);
    }
}

void line_add_experiment(struct line *line, const struct finding *finding)
{
    line_add_factors(line, finding->factors, finding->deviations);
}

void line_add_in_brackets(struct line *line, const struct finding *finding)
{
    struct line words = {0};
    line_add_experiment(&words, finding);
    if (words.length)
        line_add(line, "%s(%s)", line->length ? " " : "", words.text);
}
