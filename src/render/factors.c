/*
 * The factors of a series as headings and labels look at them: the first ones, more than any probe
 * of ours has. Another person's document may have a million of them, and what each is has to be
 * looked up in the other series beside it.
 */
#include "base/text.h"
#include "render/parts.h"

#include <math.h>
#include <string.h>

size_t factors_seen(const struct series *series)
{
    return series->factor_count < FACTORS_SEEN ? series->factor_count : FACTORS_SEEN;
}

const struct factor *factor_seen(const struct series *series, const char *name)
{
    for (size_t i = 0; i < factors_seen(series); i++)
        if (strcmp(series->factors[i].name, name) == 0)
            return &series->factors[i];
    return NULL;
}

bool factor_same(const struct factor *a, const struct factor *b)
{
    return a && b && strcmp(a->name, b->name) == 0 && !a->text == !b->text &&
           text_same(a->text, b->text) &&
           (a->text || a->number == b->number || (isnan(a->number) && isnan(b->number)));
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
