#include "compare/baseline.h"

#include "compare/joined.h"
#include "compare/spread.h"

#include <math.h>

static double if_equal(double a, double b)
{
    return a == b ? a : NAN;
}

int baseline_build(struct document *to, const struct document *documents, size_t count,
                   const char **left_out, struct error *error)
{
    struct spread spread = {.to = to, .documents = documents, .count = count, .of_both = if_equal};
    to->run = joined_run("baseline", joined_newest(documents, count), spread_runs(documents, count),
                         true);
    const int code = spread_build(&spread, error);
    *left_out = code < 0 ? NULL : spread.names;
    return code;
}
