#include "base/quantity.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

/* A metric's unit is the base unit that OpenMetrics asks for ("Units and base units"). A clock, a
 * temperature or a power is a condition of the run, and a size says where a curve bends: for these
 * neither direction is worse. */
static const struct quantity quantities[] = {
    {"", DIMENSION_NUMBER, SIDE_NEITHER, 1, "", 1, ""},
    {"ns", DIMENSION_TIME, SIDE_MORE, 1, "", 1e-9, "seconds"},
    {"us", DIMENSION_TIME, SIDE_MORE, 1, "", 1e-6, "seconds"},
    {"s", DIMENSION_TIME, SIDE_MORE, 1, "", 1, "seconds"},
    {"cycles", DIMENSION_CYCLES, SIDE_MORE, 1, "", 1, "cycles"},
    {"B", DIMENSION_SIZE, SIDE_NEITHER, 1, "", 1, "bytes"},
    {"Hz", DIMENSION_FREQUENCY, SIDE_NEITHER, 1e9, "GHz", 1, "hertz"},
    {"B/s", DIMENSION_BANDWIDTH, SIDE_LESS, 1e9, "GB/s", 1, "bytes_per_second"},
    {"op/s", DIMENSION_RATE, SIDE_LESS, 1e6, "M op/s", 1, "operations_per_second"},
    {"1/s", DIMENSION_RATE, SIDE_LESS, 1e6, "M/s", 1, "per_second"},
    {"misses", DIMENSION_MISSES, SIDE_LESS, 1, "", 1, "misses"},
    {"%", DIMENSION_SHARE, SIDE_NEITHER, 1, "", 0.01, "ratio"},
    {"W", DIMENSION_POWER, SIDE_NEITHER, 1, "", 1, "watts"},
    {"C", DIMENSION_TEMPERATURE, SIDE_NEITHER, 1, "", 1, "celsius"},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

const struct quantity *quantity_of(const char *unit)
{
    for (unsigned i = 0; i < QUANTITIES; i++)
        if (strcmp(unit ? unit : "", quantities[i].unit) == 0)
            return &quantities[i];
    return NULL;
}

const struct quantity *quantity_at(unsigned i)
{
    return i < QUANTITIES ? &quantities[i] : NULL;
}

bool quantity_is(const char *unit, enum dimension dimension)
{
    const struct quantity *quantity = quantity_of(unit);
    return quantity && quantity->dimension == dimension;
}

bool quantity_same(const char *a, const char *b)
{
    return text_same(a, b);
}

bool quantity_comparable(const char *a, const char *b)
{
    const struct quantity *quantity = quantity_of(a);
    return quantity && quantity == quantity_of(b);
}
