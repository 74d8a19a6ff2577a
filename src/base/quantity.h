/*
 * Quantities: what a unit in a document measures, which direction is worse, and how people and
 * OpenMetrics write it. This is the only table of units: all code looks units up here, and no other
 * code compares a unit's text. A unit that is not in the table comes from another tool: it is shown
 * unchanged and neither direction is worse.
 */
#pragma once

#include <stdbool.h>

enum dimension {
    DIMENSION_NUMBER, /* a count, a ratio: no unit */
    DIMENSION_TIME,
    DIMENSION_CYCLES,
    DIMENSION_SIZE,
    DIMENSION_FREQUENCY,
    DIMENSION_BANDWIDTH,
    DIMENSION_RATE, /* operations or accesses a second */
    DIMENSION_MISSES,
    DIMENSION_SHARE,
    DIMENSION_POWER,
    DIMENSION_TEMPERATURE,
};

/* Which way a value is worse. */
enum side {
    SIDE_OF_UNIT, /* only of a finding: the same as its unit */
    SIDE_NEITHER,
    SIDE_MORE, /* more is worse */
    SIDE_LESS,
};

struct quantity {
    const char *unit; /* as documents have it: "ns" */
    enum dimension dimension;
    enum side worse; /* never SIDE_OF_UNIT */
    /* Tables show the value divided by `divisor` in the unit `shown_unit`, as in 1e9 and "GB/s"; ""
     * means the document's own unit. */
    double divisor;
    const char *shown_unit;
    /* OpenMetrics: the value times `metric_factor` is in the base unit `metric`, which ends the
     * metric's name; "" where there is no unit. */
    double metric_factor;
    const char *metric;
};

/* NULL for a unit that is not in the table. A unit of NULL counts as "", the unit of plain
 * numbers. */
const struct quantity *quantity_of(const char *unit);
/* The i-th entry of the table; NULL past its end. */
const struct quantity *quantity_at(unsigned i);

/* Whether the unit is in the table and has that dimension. */
bool quantity_is(const char *unit, enum dimension);
/* Whether two texts are the same unit, known or not; NULL is "". */
bool quantity_same(const char *a, const char *b);
/* Whether values in the two units can be compared: both units are the same and known. */
bool quantity_comparable(const char *a, const char *b);
