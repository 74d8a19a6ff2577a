/* Numbers as people read them: three significant digits, and a unit of the right size. */
#pragma once

#include "base/line.h"
#include "base/units.h"

#include <stdbool.h>

/* The unit in which a table shows values that the document holds in SI units. */
struct scale {
    double divisor;
    const char *unit; /* "": show the document's own unit */
};
struct scale figure_scale(const char *unit);
/* The shown unit, after division by the scale's divisor: "GB/s", "cycles"; "": none. */
const char *figure_unit(const char *unit);
/* Whether figure_valued() writes the unit; if not, its caller adds it. */
bool figure_has_unit(const char *unit);

/* All write at most UNIT_TEXT bytes and return text; a value that is not finite is "-". */
char *figure_plain(double value, char *text);                    /* "1.67", "16.0", "121" */
char *figure_valued(double value, const char *unit, char *text); /* "48 KiB", "14.8 GB/s", "121" */
/* A value with any unit, made inert: "61.0 GB/s", "119 cycles". */
void line_add_value(struct line *, double value, const char *unit);
/* A point's place on its axis: as a value, but a whole number without a unit as a count: "2". */
char *figure_place(double x, const char *unit, char *text);
/* Half of the interval's width in percent of the value: "0.02", "0.4", "6". */
char *figure_percent(double value, double low, double high, char *text);
/* A size for an axis label, in little room: "48K", "1.5M", "1G". */
char *figure_short_size(double bytes, char *text);
