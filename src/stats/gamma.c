#include "stats/gamma.h"

#include <math.h>

/* Above this the first terms of the asymptotic series are exact to 12 digits. */
static const double series_from = 12;

double digamma(double x)
{
    double sum = 0;
    for (; x < series_from; x++)
        sum -= 1 / x;
    const double z = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z / 132))));
}

double trigamma(double x)
{
    double sum = 0;
    for (; x < series_from; x++)
        sum += 1 / (x * x);
    const double z = 1 / (x * x);
    return sum + 1 / x + z / 2 +
           z / x * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * 5 / 66))));
}

/* trigamma() falls, so halving finds it; its ends are those of its own bounds, 1/x and 1/x + 1/x^2.
 */
double trigamma_inverse(double y)
{
    double low = 1 / y, high = 0.5 / y + sqrt(0.25 / (y * y) + 1 / y) + 1;
    low = fmin(low, high) / 2;
    while (trigamma(low) < y)
        low /= 2;
    while (trigamma(high) > y)
        high *= 2;
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        const double middle = (low + high) / 2;
        if (trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
