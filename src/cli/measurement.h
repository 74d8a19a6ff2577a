/* What a run keeps, for its two files: measurement_probes.c says which probes are measured and how
 * long each, measure.c does all else. Not for use outside of them. */
#ifndef FATHOM_CLI_MEASUREMENT_H
#define FATHOM_CLI_MEASUREMENT_H

#include "cli/command.h"
#include "cli/output.h"
#include "machine/conditions.h"
#include "machine/machine.h"
#include "probes/probe.h"
#include "result/document.h"

/* One run, from the beginning to the end. */
struct measurement {
    const struct invocation *invocation;
    struct machine machine;
    struct document document;
    struct remarks remarks;
    struct probe_task *tasks;  /* one a probe, in the order of document.probes */
    struct settings *settings; /* one a probe */
    size_t task_count;
    uint64_t began_ns, seed;
    double budget_s;
    bool only_used;       /* the document is for the caller: no probes, file or page are named */
    struct outlet report; /* what is shown when all is measured; path NULL: nothing */
    const char *path;     /* of the document; NULL: it is not kept */
    bool unnamed;         /* the document is kept, under a name that is still to be made */
    const char *html;     /* of the page; NULL: none is asked for */
};

/* Fills tasks, settings and the document's probes with those asked for, each with the options that
 * were given. ERROR_USAGE; ERROR_SYSTEM without memory. */
int measurement_plan_probes(struct measurement *, struct error *);
/* Seconds that all of them may take together. */
double measurement_budget(const struct measurement *);
/* The share that the task, unless it is skipped, may have of the time left when its turn comes. */
double measurement_share(const struct measurement *, size_t task);

#endif
