/* What all CPUs of a machine share, so that others may have a part in what is found of it: memory
 * and the way to it, caches beyond a core's own, and whatever is of all CPUs together. */
#ifndef FATHOM_CONCLUDE_REGISTRY_SHARED_H
#define FATHOM_CONCLUDE_REGISTRY_SHARED_H

#include "conclude/registry/registry.h"

bool role_is_shared(enum finding_role);
/* Whether the cache of that level belongs to several cores. */
bool level_is_shared(const struct machine_facts *, int level);
/* A device's findings are not: a device is no CPU. */
bool finding_is_shared(const struct machine_facts *, const struct finding_meaning *);
/* Whether it is measured on all CPUs together, so a program on any CPU affects it. */
bool finding_is_of_all_cpus(const struct finding_meaning *);
/* Bytes that the largest of a core's own caches is declared to hold; 0 unknown. */
double own_cache_bytes(const struct machine_facts *);
/* And the largest of all caches. */
double last_cache_bytes(const struct machine_facts *);

#endif
