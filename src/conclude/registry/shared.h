/* What all CPUs of a machine share, so that other programs can change its values: memory and the
 * way to it, caches beyond a core's own, and what is measured on all CPUs together. */
#ifndef FATHOM_CONCLUDE_REGISTRY_SHARED_H
#define FATHOM_CONCLUDE_REGISTRY_SHARED_H

#include "conclude/registry/registry.h"

bool role_is_shared(enum finding_role);
/* Whether the cache of that level belongs to several cores. */
bool level_is_shared(const struct machine_facts *, int level);
/* Findings about a device are not shared, because a device is no CPU. */
bool finding_is_shared(const struct machine_facts *, const struct finding_meaning *);
/* Whether it is measured on all CPUs together, so that a program on any CPU affects it. */
bool finding_is_of_all_cpus(const struct finding_meaning *);
/* Declared bytes of the largest cache that one core has for itself; 0: unknown. */
double own_cache_bytes(const struct machine_facts *);
/* Declared bytes of the largest cache of all; 0: unknown. */
double last_cache_bytes(const struct machine_facts *);

#endif
