/* For a system that fathom has no port for: no program is run. */
#include "machine/child.h"

int child_start(struct child *child, const struct child_plan *plan, struct error *error)
{
    child->id = 0;
    return error_set(error, ERROR_IMPOSSIBLE,
                     "no program can be run on this system: fathom has no port for it");
}

bool child_ended(const struct child *child, int *stopped)
{
    *stopped = 0;
    return true;
}

double child_cpu_s(const struct child *child)
{
    return 0;
}

void child_signal(const struct child *child, int signal) {}

void child_reap(struct child *child, struct child_end *end)
{
    child->id = 0;
    *end = (struct child_end){.status = -1};
}
