#include "engine/executor.h"

int executor_open(struct executor *executor, const struct engine *engine, const struct plan *plan,
                  struct error *error)
{
    size_t i = 0;
    while (!executors[i]->serves(engine, plan)) /* threads serve any */
        i++;
    *executor = (struct executor){.kind = executors[i], .engine = engine, .plan = plan};
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
