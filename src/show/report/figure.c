#include "show/report/figure.h"

#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scale figure_scale(const char *unit)
{
    const struct quantity *quantity = quantity_of(unit);
    return quantity ? (struct scale){quantity->divisor, quantity->shown_unit}
                    : (struct scale){1, ""};
}

const char *figure_unit(const char *unit)
{
    const struct scale scale = figure_scale(unit);
    return *scale.unit ? scale.unit : unit ? unit : "";
}

bool figure_has_unit(const char *unit)
{
    return quantity_is(unit, DIMENSION_SIZE) || quantity_is(unit, DIMENSION_TIME) ||
           *figure_scale(unit).unit;
}

/* "3.91 ns", "11.2 us", "1.51 ms": from a thousand of a unit on, the next one. */
static char *time_valued(double value, const char *unit, char *text)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    enum { UNITS = sizeof units / sizeof *units };
    char number[UNIT_TEXT];
    size_t at = 0;
    value *= quantity_of(unit)->metric_factor * 1e9;
    for (; at + 1 < UNITS && fabs(value) >= 999.5; at++)
        value /= 1e3;
    snprintf(text, UNIT_TEXT, "%.20s %s", figure_plain(value, number), units[at]);
    return text;
}

char *figure_plain(double value, char *text)
{
    if (!isfinite(value))
        return strcpy(text, "-");
    if (value != 0 && (fabs(value) >= 1e15 || fabs(value) < 1e-7)) {
        snprintf(text, UNIT_TEXT, "%.3g", value);
        return text;
    }
    /* Round first: 9.996 becomes 10.0, not 10.00. */
    snprintf(text, UNIT_TEXT, "%.2e", value);
    return figure_format(fabs(value) < 1000 ? strtod(text, NULL) : value, 3, text);
}

char *figure_valued(double value, const char *unit, char *text)
{
    struct scale scale = figure_scale(unit);
    char number[UNIT_TEXT];
    if (!isfinite(value))
        return strcpy(text, "-");
    if (quantity_is(unit, DIMENSION_SIZE) && value >= 0 && value < 0x1p63)
        return size_format(value, text);
    if (quantity_is(unit, DIMENSION_TIME))
        return time_valued(value, unit, text);
    figure_plain(value / scale.divisor, number);
    snprintf(text, UNIT_TEXT, *scale.unit ? "%.20s %s" : "%.20s", number, scale.unit);
    return text;
}

void line_add_value(struct line *line, double value, const char *unit)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s", figure_valued(value, unit, figure));
    if (unit && *unit && !figure_has_unit(unit))
        line_add_between(line, " ", unit, "");
}

char *figure_place(double x, const char *unit, char *text)
{
    if ((unit && *unit) || x != floor(x) || fabs(x) >= 1e6)
        return figure_valued(x, unit, text);
    snprintf(text, UNIT_TEXT, "%.0f", x);
    return text;
}

char *figure_percent(double value, double low, double high, char *text)
{
    double percent = fabs((high - low) / 2 / value) * 100;
    if (!isfinite(percent))
        return strcpy(text, "-");
    if (percent >= 1000)
        return strcpy(text, ">999");
    int decimals = percent >= 9.95 ? 0 : percent >= 0.095 || percent == 0 ? 1 : 2;
    snprintf(text, UNIT_TEXT, "%.*f", decimals, percent);
    return text;
}

char *figure_short_size(double bytes, char *text)
{
    size_format(bytes, text);
    char *space = strchr(text, ' ');
    if (space) {
        space[0] = space[1] == 'B' ? '\0' : space[1];
        space[1] = '\0';
    }
    return text;
}
