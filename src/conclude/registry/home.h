/*
 * A figure's home: the unit in which it is judged. Its interval, its comparison and its coverage
 * are of the home. What the core's clock drives (L1, L2) has its home in cycles, what has a clock
 * of its own (DRAM, hand-offs) in ns. A latency that is given in both is derived in the other unit,
 * at the clock of its trials, and says so (finding->clock_hz).
 */
#pragma once

#include "conclude/registry/registry.h"

bool finding_is_derived(const struct finding *);
/* The home of a figure that is given in cycles, as this finding is, and in ns: ns for memory, for
 * caches beyond a core's own and for working sets beyond those, else cycles. */
enum finding_home finding_pair_home(const struct finding *, const struct machine_facts *);
/* Sets `derived` from its home, converted at that clock. Its interval is the home's times the
 * clock's. */
void finding_derive(struct finding *derived, const struct finding *home, struct interval clock_hz);
/* Marks one of each pair ("X" and "X_ns", "X_cycles" and "X") as derived, where neither is: former
 * documents have two values that both claim to be measured. */
void homes_complete(struct probe_result *, const struct machine_facts *, struct pool *);
