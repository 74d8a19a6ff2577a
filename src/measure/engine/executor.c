#include "measure/engine/executor.h"

#include <stdlib.h>
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
    const int code = kind->open(executor, error);
    if (code < 0)
        executor_close(executor);
    return code;
}

void executor_close(struct executor *executor)
{
    if (executor->kind && executor->kind->close && executor->own)
        executor->kind->close(executor);
    free(executor->own);
    executor->own = NULL;
    executor->kind = NULL;
}
