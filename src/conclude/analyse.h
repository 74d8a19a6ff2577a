/*
 * Computes findings from a document's series alone. Each probe's descriptor has a pure function
 * that computes findings from a result's series and parameters. Measuring, `fathom analyse` and the
 * importers all call it, so a better estimator serves all documents.
 *
 * Findings that only the measuring run can compute (a clock read during the trials, the direction
 * in which a stamp took longer) are added to the result earlier, by the probe's conclude(); the
 * function keeps them, each at its place in the order.
 */
#pragma once

#include "document/document.h"

struct analysis {
    struct probe_result *result;         /* findings are added to it; its series are only read */
    const struct document *document;     /* what other probes found; may be NULL */
    const struct machine_facts *machine; /* NULL: nothing is known of the machine */
    struct pool *pool;
    /* Of what need measured: a document of its machine, and one of a machine to compare that with;
     * NULL: none. */
    const struct document *here, *there;
    /* The findings that the result had before. */
    const struct finding *before;
    size_t before_count;
    bool *kept;  /* for each finding of `before`, whether it was kept */
    size_t read; /* index: findings before it have their series, or are of none */
    /* Findings that could not be computed anew, by reason. */
    struct analysis_remark {
        const char *probe, *why;
        size_t findings;
    } * remarks;
    size_t remark_count;
};

/* May leave the pool's step (base/pool.h). */
typedef void analyse_function(struct analysis *);

/* The function that computes the findings of the probe of that name; NULL: the probe is unknown. It
 * is defined in measure/probes/kit/probes.c, which has the table of probes. */
analyse_function *analysis_of(const char *probe);

/* Replaces the findings of analysis->result. The caller has filled in all members of the analysis
 * but `before` and what follows it. Findings that no line of the registry explains stay; all
 * findings stay if `analyse` is NULL or no series has a value. On an error (ERROR_SYSTEM: out of
 * memory) the findings are unchanged. */
int analysis_run(struct analysis *, analyse_function *analyse, struct error *);

/* Analyses all probes of a document, in the order in which they build on each other, and completes
 * the experiments of their findings. *remarks is a text for people, in the document's pool: what
 * was kept and why, "2 of cores (why), 1 of ..."; NULL: everything was computed. ERROR_SYSTEM: out
 * of memory. */
int document_analyse(struct document *, const char **remarks, struct error *);

/* --- for the probes' functions --- */

/* Keeps earlier findings unchanged if their names match the patterns ("L<n>.latency, DRAM.latency";
 * see conclude/registry/registry.h) and they are not in the result yet. `why` says what is missing
 * to compute them anew. */
void analysis_keep(struct analysis *, const char *patterns, const char *why);
/* The same for findings about devices that the machine's facts lack. */
void analysis_keep_devices(struct analysis *, const char *why);
/* As finding_add(), finding_add_value() and finding_add_summary(). */
struct finding *analysis_add(struct analysis *, const char *name, const char *unit);
struct finding *analysis_add_value(struct analysis *, const char *name, const char *unit,
                                   struct interval, unsigned flags);
struct finding *analysis_add_summary(struct analysis *, const char *name, const char *unit,
                                     const struct summary *, unsigned flags);
/* Adds a point's figure in the unit of its y. */
struct finding *analysis_add_point(struct analysis *, const char *name, const char *unit,
                                   const struct point *, unsigned flags);
/* Gives the findings that were added since the last call the factors of the series that they were
 * read off (NULL: they are of none). All findings of probes pass here, so this is the one place
 * that refuses conclusions from too few points: if fewer points have a value than the finding's
 * line requires, the finding loses its value, and its text says how many there were and what
 * helps. */
void analysis_read_off(struct analysis *, const struct series *);
/* Adds a factor to the finding. The factor is copied, its texts are not. */
void analysis_add_factor(struct analysis *, struct finding *, const struct factor *);

/* The first series of that name whose factor `factor` has that text (`factor` NULL: any series of
 * the name); NULL: none. */
const struct series *analysis_series(const struct analysis *, const char *name, const char *factor,
                                     const char *text);
/* NULL: the result has no such parameter. */
const struct factor *analysis_parameter(const struct analysis *, const char *name);
/* The number of a parameter; NAN: the result has no such parameter. */
double analysis_number(const struct analysis *, const char *name);
/* The elements of a parameter that is a list. Documents of former versions have a text like "L1
 * 24576, L2 262144" instead, which is split into words and numbers. *count 0: none. */
const struct factor *analysis_list(const struct analysis *, const char *name, size_t *count);
/* Turns a document's number into a count of at most a million; 0: it is no count. */
size_t analysis_count(double number);
/* The text of a series' factor; "": it has none. */
const char *analysis_factor(const struct series *, const char *name);
/* The machine's cache line in bytes; and the number of CPUs that the probe had, but at least
 * `least`, which also counts if the document does not say. */
unsigned analysis_line_bytes(const struct analysis *);
size_t analysis_cpu_count(const struct analysis *, size_t least);
/* The number of threads for all CPUs: the parameter of that name, or else the number of CPUs, but
 * at least the largest x of a series whose x has that name. */
size_t analysis_threads(const struct analysis *, const char *name);
