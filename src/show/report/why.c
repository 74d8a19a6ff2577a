#include "show/report/why.h"

#include "base/units.h"

#include <math.h>

/* Why there is no interval; NULL: there is one. */
static const char *without_interval(const struct comparison *comparison)
{
    if (comparison->answer == CONDITION)
        return "a condition of the run is not judged";
    switch (comparison->decided) {
    case BY_PLACEMENT:
        return "the host kept the CPUs in other places";
    case BY_ITSELF:
        return "both are one document";
    case BY_NOTHING:
        return "a value has no interval of 95 %, so nothing says how sure it is";
    case BY_VOTES:
        return isnan(comparison->p)         ? "the trials' votes are not known"
               : comparison->p == 0         ? "the trials voted, and their votes exclude each other"
               : comparison->answer == SAME ? "the trials voted for the same count"
                                            : "the trials' votes allow for the same count";
    default:
        return NULL;
    }
}

void line_add_why(struct line *line, const struct comparison *comparison)
{
    const char *why = without_interval(comparison);
    char known[UNIT_TEXT], scatter[UNIT_TEXT];
    if (why) {
        line_add(line, "%s", why);
        return;
    }
    figure_format(100 * fmin(comparison->resolution, KNOWN_MOST), 2, known);
    figure_format(100 * expm1(comparison->scatter), 2, scatter);
    line_add(line, "compared as %s (tolerance %g %%): the ratio is known to %s+-%s %%, because ",
             sorts[comparison->sort].name, 100 * comparison->tolerance,
             comparison->resolution > KNOWN_MOST ? "no better than " : "", known);
    if (comparison->decided == BY_INTERVALS)
        line_add(line, "the values' own intervals are wide");
    else if (comparison->decided == BY_RUNS)
        line_add(line, "its %zu runs scatter by %s %%", comparison->runs, scatter);
    else
        line_add(line, "single runs of one machine scatter by %s %%", scatter);
    line_add(line,
             comparison->p < 1e-6 ? "; chance hardly ever makes one so large"
                                  : "; chance makes one so large with p = %.2g",
             comparison->p);
}
