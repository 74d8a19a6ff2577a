#include "compare/repeats.h"

#include "compare/spread.h"

#include <math.h>

/* The first run's facts hold for all, but for what they add up to. */
static struct run_facts facts_of(const struct document *documents, size_t count)
{
    struct run_facts run = documents[0].run;
    run.joined = "repeat";
    run.documents = (unsigned)count;
    for (size_t d = 1; d < count; d++) {
        run.complete = run.complete && documents[d].run.complete;
        run.elapsed_s += documents[d].run.elapsed_s;
    }
    return run;
}

/* The most that others did. */
static double larger(double a, double b)
{
    return b > a || isnan(a) ? b : a;
}

int repeats_join(struct document *to, const struct document *documents, size_t count, bool any,
                 struct error *error)
{
    struct spread spread = {.to = to,
                            .documents = documents,
                            .count = count,
                            .one_machine = true,
                            .any = any,
                            .of_both = larger};
    to->run = facts_of(documents, count);
    return spread_build(&spread, error);
}
