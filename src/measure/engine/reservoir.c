#include "measure/engine/reservoir.h"

void reservoir_add(struct reservoir *reservoir, double reading)
{
    size_t at = reservoir->seen++;
    if (at >= RESERVOIR_READINGS)
        at = (size_t)random_below(&reservoir->random, at + 1);
    if (at < RESERVOIR_READINGS)
        reservoir->readings[at] = reading;
}

struct summary reservoir_summary(struct reservoir *reservoir)
{
    size_t kept =
        reservoir->seen < RESERVOIR_READINGS ? reservoir->seen : (size_t)RESERVOIR_READINGS;
    struct summary summary;
    summarize(reservoir->readings, kept, reservoir->readings, &summary);
    return summary;
}
