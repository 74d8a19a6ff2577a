#include "stats/ratio.h"

#include <math.h>

/* Student's t for 95 %, two-sided, by degrees of freedom from 1 on; beyond, the expansion's first
 * term, which is right to a percent. */
static const double student[] = {12.71, 4.303, 3.182, 2.776, 2.571,
                                 2.447, 2.365, 2.306, 2.262, 2.228};
enum { STUDENTS = sizeof student / sizeof *student };

static double student_t(size_t freedom)
{
    return freedom <= STUDENTS ? student[freedom - 1] : 1.96 + 2.7 / (double)freedom;
}

struct ratio ratio_of_sums(const double *parts, const double *wholes, size_t n)
{
    double part = 0, whole = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        part += parts[i];
        whole += wholes[i];
    }
    struct ratio ratio = {whole > 0 ? part / whole : NAN, NAN, NAN};
    if (n < 2 || !(whole > 0))
        return ratio;
    for (size_t i = 0; i < n; i++)
        squares += pow(parts[i] - ratio.value * wholes[i], 2);
    const double error = sqrt(squares * (double)n / (double)(n - 1)) / whole;
    ratio.low = fmax(0, ratio.value - student_t(n - 1) * error);
    ratio.high = ratio.value + student_t(n - 1) * error;
    return ratio;
}
