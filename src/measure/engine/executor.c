#include "measure/engine/executor.h"

#include <string.h>

/* NULL: the executor that the plan names can't carry it out. */
static const struct executor_kind *find(const struct engine *engine, const struct plan *plan)
{
    for (size_t i = 0; executors[i]; i++)
        if ((!plan->executor || strcmp(plan->executor, executors[i]->name) == 0) &&
            executors[i]->serves(engine, plan))
            return executors[i];
    return NULL;
}

int executor_open(struct executor *executor, const struct engine *engine, const struct plan *plan,
                  struct error *error)
{
    const struct executor_kind *kind = find(engine, plan);
    *executor = (struct executor){.engine = engine, .plan = plan};
    if (!kind)
        return error_set(error, ERROR_USAGE,
                         "FATHOM_EXECUTOR=%s can't carry out what is planned here: unset it",
                         plan->executor ? plan->executor : "");
    executor->kind = kind;
    int code = executor->kind->open(executor, error);
    if (code < 0)
        executor->kind = NULL;
    return code;
}

void executor_close(struct executor *executor)
{
    if (executor->kind)
        executor->kind->close(executor);
    executor->kind = NULL;
}
