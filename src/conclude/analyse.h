/*
 * Computes findings from a document's series alone. Each probe's descriptor brings a pure function
 * from a result's series and parameters to its findings; measuring, `fathom analyse` and the
 * importers all call it, so a better estimator serves all documents.
 *
 * Findings that only the measuring run can compute (a clock read beside the trials, which way a
 * stamp took longer) are put into the result before, by the probe's conclude(); the function then
 * keeps them, each at its place in the order.
 */
#ifndef FATHOM_CONCLUDE_ANALYSE_H
#define FATHOM_CONCLUDE_ANALYSE_H

#include "document/document.h"
#include "stats/ratio.h"

struct analysis {
    struct probe_result *result;         /* findings are added to it; its series only read */
    const struct document *document;     /* what other probes found; may be NULL */
    const struct machine_facts *machine; /* NULL: nothing is known of the machine */
    struct pool *pool;
    /* The findings that stood in the result before. */
    const struct finding *before;
    size_t before_count;
    bool *kept; /* one for each of them */
    /* What could not be computed anew. */
    struct analysis_remark {
        const char *probe, *why;
        size_t findings;
    } * remarks;
    size_t remark_count;
};

/* May leave the pool's step (base/pool.h). */
typedef void analyse_function(struct analysis *);

/* The function that computes the findings of the probe of that name; NULL where the probe is
 * unknown. It is defined in measure/probes/kit/probes.c, which has the table of probes. */
analyse_function *analysis_of(const char *probe);

/* Replaces the findings of analysis->result. The caller has filled in all members of the analysis
 * but `before` and what follows it. A finding that no line of the registry explains stays; where
 * `analyse` is NULL, or no series has a value, all findings stay. On an error (ERROR_SYSTEM,
 * without memory) the findings are as they were. */
int analysis_run(struct analysis *, analyse_function *analyse, struct error *);

/* Analyses all probes of a document, in the order in which they build on each other, and completes
 * the experiments of their findings. *remarks is a text for people, in the document's pool: what
 * was kept and why, "2 of cores (why), 1 of ..."; NULL where everything was computed. ERROR_SYSTEM
 * without memory. */
int document_analyse(struct document *, const char **remarks, struct error *);

/* --- for the probes' functions --- */

/* Keeps, unchanged, those earlier findings whose names match the patterns ("L<n>.latency,
 * DRAM.latency"; see conclude/registry/registry.h) and that are not in the result yet. `why` says
 * what is missing to compute them anew. */
void analysis_keep(struct analysis *, const char *patterns, const char *why);
/* The same for findings about devices that the machine's facts do not have. */
void analysis_keep_devices(struct analysis *, const char *why);
/* As finding_add() and finding_add_summary(). */
struct finding *analysis_add(struct analysis *, const char *name, const char *unit);
struct finding *analysis_add_summary(struct analysis *, const char *name, const char *unit,
                                     const struct summary *, unsigned flags);
/* A point's value in the unit of its y, and its quiet one beside it. */
struct finding *analysis_add_point(struct analysis *, const char *name, const char *unit,
                                   const struct point *, unsigned flags);
/* Adds a ratio and its interval. */
struct finding *analysis_add_ratio(struct analysis *, const char *name, const char *unit,
                                   struct ratio, unsigned flags);
/* Gives the findings from the first-th on the factors of the series that they were read off. Every
 * probe's findings go through here, so this is the one place that refuses conclusions from too few
 * points: where fewer of the series' points have a value than the finding's line asks for, it loses
 * its value, and its text says how many there were and what helps. */
void analysis_read_off(struct analysis *, size_t first, const struct series *);
/* Adds one more factor, which is copied; its texts are not. */
void analysis_add_factor(struct analysis *, struct finding *, const struct factor *);

/* The first series of that name whose factor `factor` has that text (any text if `factor` is NULL);
 * NULL where there is none. */
const struct series *analysis_series(const struct analysis *, const char *name, const char *factor,
                                     const char *text);
/* NULL: the result has no such parameter. */
const struct factor *analysis_parameter(const struct analysis *, const char *name);
/* The number of a parameter; NAN where the result has no such parameter. */
double analysis_number(const struct analysis *, const char *name);
/* The elements of a parameter that is a list; of documents of former versions, which have them in a
 * text like "L1 24576, L2 262144", its words and numbers. *count is 0 where there are none. */
const struct factor *analysis_list(const struct analysis *, const char *name, size_t *count);
/* Turns a document's number into a count: 0 for what is no count, at most a million. */
size_t analysis_count(double number);
/* The text of a factor of a series; "" where it has none. */
const char *analysis_factor(const struct series *, const char *name);
/* A cache line of the machine; and how many CPUs the probe had, or `least` where the document does
 * not say. */
unsigned analysis_line_bytes(const struct analysis *);
size_t analysis_cpu_count(const struct analysis *, size_t least);
/* The threads of all CPUs: as many as the parameter of that name asks for, or as there were CPUs,
 * and no fewer than a series has whose x has that name. */
size_t analysis_threads(const struct analysis *, const char *name);
/* Whether a flag such as --quick was given. */
bool analysis_is_set(const struct analysis *, const char *name);

#endif
