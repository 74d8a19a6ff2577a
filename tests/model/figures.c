#include "figures.h"

#include <math.h>
#include <stdio.h>

/* P(X <= count) of a binomial. */
static double at_most(unsigned count, unsigned of, double share)
{
    if (share <= 0 || count >= of)
        return 1;
    double sum = 0, n = of;
    for (unsigned k = 0; k <= count; k++)
        sum += exp(lgamma(n + 1) - lgamma(k + 1.0) - lgamma(n - k + 1) + k * log(share) +
                   (n - k) * log1p(-share));
    return sum;
}

bool figure_holds(const struct figure *figure, bool full)
{
    if (figure->of == 0)
        return false;
    double share = figure->count / (double)figure->of;
    if (full || (share >= figure->least && share <= figure->most))
        return share >= figure->least && share <= figure->most;
    if (share < figure->least)
        return at_most(figure->count, figure->of, figure->least) > 1e-3;
    return at_most(figure->of - figure->count, figure->of, 1 - figure->most) > 1e-3;
}

static unsigned points_reported, points_failed;

void tell(bool passed, const char *what)
{
    points_reported++;
    points_failed += !passed;
    printf("%s %u - %s\n", passed ? "ok" : "not ok", points_reported, what);
}

void figure_show(const struct figure *figure)
{
    printf("# %-42s %6.2f %%  (%u of %u; %g to %g %%)\n", figure->name,
           figure->of ? 100.0 * figure->count / figure->of : NAN, figure->count, figure->of,
           100 * figure->least, 100 * figure->most);
}

void figure_assert(const struct figure *figure, bool full)
{
    figure_show(figure);
    tell(figure_holds(figure, full), figure->name);
}

void tell_skipped(const char *what, const char *why)
{
    printf("ok %u - %s # SKIP %s\n", ++points_reported, what, why);
}

int tell_end(void)
{
    printf("1..%u\n", points_reported);
    return points_failed > 0;
}
