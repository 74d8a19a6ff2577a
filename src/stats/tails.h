/* How heavy the tails of values are, judged by the values that are not far away. */
#ifndef FATHOM_STATS_TAILS_H
#define FATHOM_STATS_TAILS_H

#include <stddef.h>

/* The most degrees of freedom that n deviations from a centre allow Student's distribution to have:
 * the likelihood of the lightest tails that is still within what a test at 5 % accepts, beside that
 * of the best (Wilks, Annals of Mathematical Statistics 9, 1938). INFINITY where they may be
 * normal, as few values always may. The scale is fitted by expectation and maximisation (Lange,
 * Little and Taylor, Journal of the American Statistical Association 84, 1989). */
double tails_freedom(const double *deviations, size_t n);

#endif
