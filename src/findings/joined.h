/* What documents made of several have in common: baselines and merges. */
#ifndef FATHOM_FINDINGS_JOINED_H
#define FATHOM_FINDINGS_JOINED_H

#include "result/document.h"

/* ERROR_USAGE where the documents are of different processors or devices, or with `one_machine` of
 * different hosts. */
int joined_check(const struct document *documents, size_t count, bool one_machine, struct error *);
/* Whether `a` began after `b`. */
bool joined_is_newer(const struct document *a, const struct document *b);
const struct document *joined_newest(const struct document *documents, size_t count);
/* What can still be said of the run: a command or a seed would repeat one of several. */
struct run_facts joined_run(const char *how, const struct document *newest, size_t count,
                            bool complete);
/* The probes of all documents, each name where it stands first. The caller frees. */
struct joined_probe {
    const char *name;
    size_t document, place;
};
/* *names of them, in the order of the documents; NULL without memory. */
struct joined_probe *joined_probes(const struct document *documents, size_t count, size_t *names);
/* Adds to `to` the parameters that all of these results have alike. ERROR_SYSTEM without memory. */
int joined_parameters(struct probe_result *to, struct pool *, const struct probe_result *const *of,
                      size_t count, struct error *);

#endif
