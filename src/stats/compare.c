#include "stats/compare.h"

#include "stats/order.h"

#include <math.h>

/* Half the width of a normal 95 % interval, in standard deviations. */
static const double normal_95 = 1.96;

void compare_intervals(const double a[3], const double b[3], double threshold,
                       struct comparison_of_intervals *comparison)
{
    enum { VALUE, LOW, HIGH };
    *comparison = (struct comparison_of_intervals){b[VALUE] / a[VALUE], NAN, NAN, 1};
    double width_a = log(a[HIGH] / a[LOW]), width_b = log(b[HIGH] / b[LOW]);
    if (!(a[LOW] > 0) || !(b[LOW] > 0) || !isfinite(width_a + width_b))
        return;
    comparison->low = b[LOW] / a[HIGH];
    comparison->high = b[HIGH] / a[LOW];
    double deviation = fmax(hypot(width_a, width_b) / (2 * normal_95), 1e-6);
    /* The probability of a ratio this far from 1, either way, if the true change equals the
     * threshold. */
    const double change = fabs(log(comparison->ratio)), within = log1p(threshold);
    comparison->p = (erfc((change - within) / deviation / sqrt(2)) +
                     erfc((change + within) / deviation / sqrt(2))) /
                    2;
}

double compare_holm(double *p, size_t n, double alpha)
{
    double last = -1;
    sort_ascending(p, n);
    for (size_t i = 0; i < n && p[i] <= alpha / (double)(n - i); i++)
        last = p[i];
    return last;
}
