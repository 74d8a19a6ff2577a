/* What the engine's tests share: CPUs that may be used, an engine on this machine, modelled work.
 */
#ifndef FATHOM_TESTS_ENGINE_SUPPORT_H
#define FATHOM_TESTS_ENGINE_SUPPORT_H

#include "engine/engine.h"

/* The i-th CPU that this process may run on, -1 where there are not so many. */
static inline int allowed_cpu(size_t i)
{
    struct cpulist list;
    int cpu = -1;
    if (os_affinity(&list, NULL) == 0 && i < list.count)
        cpu = list.ids[i];
    cpulist_free(&list);
    return cpu;
}

#endif
