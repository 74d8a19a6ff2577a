/* What a probe obtained from the system, as factors of its findings: the part of experiment.c that
 * reads parameters and the machine's facts. Internal to experiment.c. */
#pragma once

#include "conclude/registry/registry.h"

enum { OBTAINED_MOST = 6 }; /* pages, node, distance, core, placement and its hand-off */

struct obtained {
    struct factor list[OBTAINED_MOST];
    size_t count;
};

/* Reads the factors that matter by the probe's standards. Texts are the document's or the pool's.
 */
void obtained_read(struct obtained *, const struct probe_result *, const struct machine_facts *,
                   const struct standard *, struct pool *);
