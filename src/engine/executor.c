#include "engine/executor.h"

/* A device stands in its plan, a model in the engine; CPUs serve whatever is left. */
static const struct executor_kind *const kinds[] = {&executor_device, &executor_model,
                                                    &executor_threads};

int executor_open(struct executor *executor, const struct engine *engine, const struct plan *plan,
                  struct error *error)
{
    size_t i = 0;
    while (!kinds[i]->serves(engine, plan))
        i++;
    *executor = (struct executor){.kind = kinds[i], .engine = engine, .plan = plan};
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
