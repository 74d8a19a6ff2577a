/* Facts before figures: in what the machines and the runs of two documents differ, whatever was
 * measured. A fact that one of the documents does not know is not compared. */
#pragma once

#include "base/quantity.h"
#include "compare/levels.h"
#include "document/document.h"

struct changed_fact {
    const char *what;           /* "memory" */
    const char *before, *after; /* in words */
    enum side side;             /* SIDE_MORE: the second is worse; SIDE_LESS: it is better */
    bool of_run;                /* about how it was measured; else about the machine */
};

struct changed_facts {
    struct changed_fact *list;
    size_t count;
};

/* In the pool. Those of the machine come first. */
void facts_compare(struct changed_facts *, struct pool *, const struct document *a,
                   const struct document *b);
/* Adds the pages that a probe obtained, where they differ. */
void facts_compare_pages(struct changed_facts *, struct pool *, const struct probe_result *a,
                         const struct probe_result *b);
/* Adds the levels that only one of the curves shows, of those which both reached. */
void facts_compare_levels(struct changed_facts *, struct pool *, const struct level_links of[2]);
/* Puts a fact of the runs before all others. */
void facts_put_first(struct changed_facts *, struct pool *, const char *what, const char *before,
                     const char *after);
/* Whether a fact of the machine is worse (SIDE_MORE), better, or either (SIDE_NEITHER). */
bool facts_have(const struct changed_facts *, enum side);
