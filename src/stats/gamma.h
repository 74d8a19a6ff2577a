/* Derivatives of the gamma function's logarithm, of x > 0 (Abramowitz and Stegun, 6.3 and 6.4). */
#ifndef FATHOM_STATS_GAMMA_H
#define FATHOM_STATS_GAMMA_H

double digamma(double x);
double trigamma(double x);
/* The x whose trigamma() is y > 0 (Smyth 2004, appendix). */
double trigamma_inverse(double y);

#endif
