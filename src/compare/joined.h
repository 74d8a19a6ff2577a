/* Common parts of baselines, repeated runs and merges, which are documents made of several. */
#pragma once

#include "compare/levels.h"

/* Leaves the pool's step (base/pool.h) with an error if the documents have different processors or
 * devices or, with `one_machine`, different hosts. */
void joined_check(struct pool *, const struct document *documents, size_t count, bool one_machine);
/* Whether `a` began after `b`. */
bool joined_is_newer(const struct document *a, const struct document *b);
const struct document *joined_newest(const struct document *documents, size_t count);
/* How many runs a document is made of. */
unsigned joined_runs(const struct document *);
/* The run's facts that hold for all documents; a command or a seed would belong to only one of
 * them. */
struct run_facts joined_run(const char *how, const struct document *documents, size_t count);
/* Findings that do not come along: how many, and the names of the first of them; NULL: none. */
struct left_out {
    size_t count;
    const char *names;
};
void joined_leave_out(struct left_out *, struct pool *, const struct finding *);
/* "left out, because REASON: NAMES and 3 more"; NULL: none is. */
const char *joined_left_out(const struct left_out *, struct pool *, const char *reason);
/* Gives the result's findings the numbers that their levels have elsewhere, and leaves out those of
 * a level that has none there. */
void joined_number_levels(struct probe_result *, struct pool *, const struct level_links *,
                          struct left_out *);
/* A probe of any document: its name, and the document and place where it first appears. */
struct joined_probe {
    const char *name;
    size_t document, place;
};
/* The probes of all documents, each name once, in the order in which names first appear; *names is
 * their number. In the pool. */
struct joined_probe *joined_probes(struct pool *, const struct document *documents, size_t count,
                                   size_t *names);
/* Keeps of the conditions' remarks those that all documents have. */
void joined_remarks(struct document *to, const struct document *documents, size_t count);
/* Adds to `to` the parameters that are equal in all `count` results. */
void joined_parameters(struct probe_result *to, struct pool *, const struct probe_result *const *of,
                       size_t count);
