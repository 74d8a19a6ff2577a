/*
 * A probe says what is measured; the engine says how. A new measurement is one new file that ends
 * with a `struct probe`; the table of all is made from the files when the program is built.
 * docs/adding.md shows the way, and `scripts/new probe NAME` takes the first steps.
 */
#ifndef FATHOM_MEASURE_PROBES_PROBE_H
#define FATHOM_MEASURE_PROBES_PROBE_H

#include "base/settings.h"
#include "conclude/analyse.h"
#include "conclude/registry/registry.h"
#include "measure/engine/engine.h"

enum needs {
    NEEDS_TWO_CPUS = 1,
    WANTS_TWO_NODES = 2, /* with a single NUMA node it is only measured when named */
};

struct probe_stage;
struct trial_values;

/* Those that every probe understands. */
struct common_options {
    struct setting cpus, precision, budget, quick, thorough, seed;
};

/* What plan() works with, and where it leaves what prepare() and conclude() need. */
struct probe_task {
    const struct probe *probe;
    const struct settings *settings; /* the probe's own options and the common ones */
    struct common_options common;    /* the same as structs: */
    const void *options;             /* the probe's own struct, filled by its table */
    const struct machine *machine;
    struct cpulist cpus; /* those asked for by --cpus, or all that are allowed */
    struct plan plan;
    const struct document *document; /* what the probes before this one found; may be NULL */
    void *state;                     /* the probe's own, in the pool */
    struct trial_values *values;     /* of trials that vote: chase/trial_values.h */
    struct pool *pool;               /* the document's */
    struct probe_result *result;
    struct gpu_facts *gpus; /* that plan() found, for the machine's facts */
    size_t gpu_count;
    bool named; /* named by a person and not part of a whole run: it may then do all that it can */
    uint64_t seed;   /* of the run, for orders that stay the same through all stages */
    double weight_s; /* seconds, where plan() knows better than probe->weight; 0: it doesn't */
    struct probe_stage *stages; /* begun so far, in the pool */
    size_t stage_count;
    size_t parameters_planned; /* of the result's parameters, those before it was reported */
    bool interrupted;          /* before all was measured: what there is by then is reported */
    const char *unfinished;    /* an incomplete file that the probe has left next to an older one;
                                  NULL: none */
    char so_far[48]; /* what observe() has to say while measuring, for people; may be "" */
};

struct probe {
    const char *name;    /* the command: "latency" */
    int place;           /* `fathom run` measures by ascending place; equal ones by name */
    const char *title;   /* "Load latency by working-set size" */
    const char *summary; /* one line for lists */
    const char *about;   /* a paragraph or two for --help: what the number means, what moves it */
    unsigned needs;      /* set of enum needs */
    double weight;       /* seconds of a whole run; 0: only measured when named */
    bool quick;          /* a quick run has it too */
    bool sized_by_found; /* what it plans depends on the caches that probes before it found: it is
                            planned again when its turn comes. It has no first look */
    bool goes_on;        /* its stages can have more trials after later ones were planned: what
                            prepare() reads of the state does not change, and conclude() adds
                            findings alone */
    const struct option_spec *options; /* their lines say where a struct has them */
    size_t options_bytes;              /* of that struct; 0: the probe has none */
    struct finding_table
        findings; /* what each finding that it adds is: conclude/registry/registry.h */
    /* plan(), next(), conclude() and analyse() are steps of the document's pool: they leave it with
     * an error (base/pool.h). */
    /* Fills task->plan, which comes with everything common filled in. ERROR_USAGE when options
     * contradict each other or the machine. */
    void (*plan)(struct probe_task *);
    /* See struct trial_work; trial->probe_state is task->state. */
    void (*prepare)(struct trial *);
    /* See struct trial_work; the observer is the task. May be NULL. */
    void (*observe)(void *task, const struct observation *);
    /* Plans the next stage from what has been measured: fills task->plan anew except for its
     * series, which stay as they are (with their points, ascending by x) and to whose end others
     * may be added. Returns false when there is nothing more to measure. `stage` counts from 1.
     * NULL: there is only the first plan. */
    bool (*next)(struct probe_task *, const struct stage_outcome *, unsigned stage);
    /* Adds to task->result, whose series are complete, what else its document holds: series made of
     * others, parameters, and findings that no series yields. May be NULL. */
    void (*conclude)(struct probe_task *, const struct stage_outcome *);
    /* Computes all findings from the result alone (conclude/analyse.h), after measuring as for a
     * document of old. NULL: conclude() adds all of them. */
    analyse_function *analyse;
    /* Closes what plan() opened outside the pool; called once, whatever came between. May be NULL.
     */
    void (*release)(struct probe_task *);
};

extern const struct probe *const probes[]; /* by place; ends with NULL */
const struct probe *probe_by_name(const char *name);

/* What this build was made without (measure/probes/absent/): it can't measure that, but knows what
 * documents found of it. Ends with a NULL name. */
struct absent_probe {
    const char *name, *why;
    struct finding_table findings;
};
extern const struct absent_probe absent_probes[];
/* Why this build has no probe of that name; NULL: none is known. */
const char *probe_absent(const char *name);

/* Options that every probe understands: CPUs, precision, time, seed. */
extern const struct option_spec probe_common_options[];

/* Checks the options against the machine and plans; measures nothing. Of the task only
 * `named` and `seed` are read, all else is set anew. Where the machine lacks what the probe needs,
 * the result says so (PROBE_SKIPPED) and there is nothing to measure; so it does in a whole run
 * where plan() found it impossible, because the other probes may be possible.
 * `settings` must hold the common options and the probe's own. ERROR_USAGE as plan(). */
int probe_prepare(struct probe_task *, const struct probe *, const struct settings *,
                  const struct machine *, struct pool *, struct probe_result *, struct error *);
/* Plans it again, as its table says (sized_by_found), where nothing of it was measured. Errors as
 * probe_prepare(). */
int probe_plan_again(struct probe_task *, struct error *);
/* Fills task->plan with what is common to all probes' plans, keeping its series: where next()
 * begins. */
void probe_plan_clear(struct probe_task *);
/* Trials of about that time in many short batches: a neighbour that comes and goes leaves some of
 * them alone (stats/quiet.h). For points that one CPU measures; where several begin each batch
 * together, batches are long. */
void probe_plan_short_batches(struct plan *, double trial_ns);
/* Sweeps of thousands of trials of `loads` loads each (plan.h), which vote in `groups` groups: for
 * chases over sets so small that a neighbour decides how many of their lines, or pages, find room.
 * Without neighbours a few trials a group do. */
void probe_plan_sweeps(struct plan *, unsigned groups, unsigned loads);
/* What a trial takes where nothing else decides it. */
enum { PROBE_TRIAL_NS = 1000 * 1000 };

/* Carries out the probe's next() and conclude(), where it has them. probe_next() returns 1 or 0 as
 * next() does; both return the code that they left with. */
int probe_next(struct probe_task *, const struct stage_outcome *, unsigned stage, struct error *);
int probe_conclude(struct probe_task *, const struct stage_outcome *, struct error *);

/* Frees what it planned with: once, also after an error, and after stages_close() where stages were
 * begun (measure/run/stages.h). */
void probe_release(struct probe_task *);

/* Adds a parameter to the result, in addition to the options' values; the caller sets text or
 * number. NULL when there is no memory. */
struct factor *probe_add_parameter(struct probe_task *, const char *name);
/* Adds an empty finding of that name. NULL when there is no memory. */
struct finding *probe_add_finding(struct probe_task *, const char *name, const char *unit);
/* Adds a finding that is a summary's median and interval. */
struct finding *probe_add_summary(struct probe_task *, const char *name, const char *unit,
                                  const struct summary *, unsigned flags);

#endif
