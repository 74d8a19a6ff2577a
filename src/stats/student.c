#include "stats/student.h"

#include <math.h>

/* Above this many degrees of freedom the normal distribution is as good, and cheaper. */
static const double normal_from = 1e6;

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated
 * from its head by Lentz's method (Thompson and Barnett, Journal of Computational Physics 64,
 * 1986).
 */
static double fraction(double a, double b, double x)
{
    enum { TERMS_MOST = 1000 };
    const double tiny = 1e-300, precise = 1e-15;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m <= TERMS_MOST; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= d * c;
        if (fabs(d * c - 1) < precise)
            break;
    }
    return value;
}

/* The regularised incomplete beta function: `x` and its complement `y` are both given, so that
 * neither loses its digits near 0. */
static double beta_share(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    int sign;
    const double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
                             a * log(x) + b * log(y));
    return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                     : 1 - front * fraction(b, a, y) / b;
}

double student_beyond(double t, double df)
{
    if (isnan(t) || isnan(df) || df <= 0)
        return NAN;
    if (isinf(t))
        return 0;
    if (df >= normal_from)
        return erfc(fabs(t) / sqrt(2));
    const double square = t * t;
    return beta_share(df / 2, 0.5, df / (df + square), square / (df + square));
}

double student_reach(double df)
{
    return student_reach_of(df, 0.05);
}

static double density(double t, double df)
{
    int sign;
    if (df >= normal_from)
        return exp(-t * t / 2) * M_SQRT1_2 * M_2_SQRTPI / 2;
    return exp(lgamma_r((df + 1) / 2, &sign) - lgamma_r(df / 2, &sign) -
               (df + 1) / 2 * log1p(t * t / df)) *
           M_2_SQRTPI / 2 / sqrt(df);
}

/* Newton's method for the logarithm of the probability over that of t, which is concave, so that it
 * can't miss: once beyond the root it comes back to it and never passes it. */
double student_reach_of(double df, double share)
{
    enum { STEPS_MOST = 200 };
    const double precise = 1e-14;
    double t = 2, step = 1;
    for (int i = 0; i < STEPS_MOST && fabs(step) > precise; i++) {
        const double beyond = student_beyond(t, df);
        step = fmin(log(beyond / share) * beyond / (2 * t * density(t, df)), M_LN2);
        t *= exp(step);
    }
    return t;
}

double student_widening(double coverage)
{
    return student_reach(INFINITY) / student_reach_of(INFINITY, fmax(0.05, 1 - coverage));
}

/* Student's t for 95 %, two-sided, by degrees of freedom from 1 on; beyond, the expansion's first
 * term, which is right to a percent. */
static const double student[] = {12.71, 4.303, 3.182, 2.776, 2.571,
                                 2.447, 2.365, 2.306, 2.262, 2.228};
enum { STUDENTS = sizeof student / sizeof *student };

static double student_t(size_t freedom)
{
    return freedom <= STUDENTS ? student[freedom - 1] : 1.96 + 2.7 / (double)freedom;
}

struct interval ratio_of_sums(const double *parts, const double *wholes, size_t n)
{
    double part = 0, whole = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        part += parts[i];
        whole += wholes[i];
    }
    struct interval ratio = {whole > 0 ? part / whole : NAN, NAN, NAN};
    if (n < 2 || !(whole > 0))
        return ratio;
    for (size_t i = 0; i < n; i++)
        squares += pow(parts[i] - ratio.value * wholes[i], 2);
    const double error = sqrt(squares * (double)n / (double)(n - 1)) / whole;
    ratio.low = fmax(0, ratio.value - student_t(n - 1) * error);
    ratio.high = ratio.value + student_t(n - 1) * error;
    return ratio;
}
