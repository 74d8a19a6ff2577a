/*
 * A probe says what is measured; the engine says how. A new measurement is one new file that ends
 * with a `struct probe`; the build makes the table of all probes from these files.
 * docs/adding.md shows the way, and `scripts/new probe NAME` takes the first steps.
 */
#pragma once

#include "base/settings.h"
#include "conclude/analyse.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "measure/engine/engine.h"

enum needs {
    NEEDS_TWO_CPUS = 1,
    WANTS_TWO_NODES = 2, /* on a machine with one NUMA node it is only measured when named */
};

struct probe_stage;
struct trial_values;

/* Options that every probe understands. */
struct common_options {
    struct setting cpus, precision, budget, quick, thorough, seed;
};

/* The input of plan(), and what plan() leaves for prepare() and conclude(). */
struct probe_task {
    const struct probe *probe;
    const struct settings *settings; /* the probe's own options and the common ones */
    struct common_options common;    /* the common ones of `settings` */
    const void *options;             /* the probe's own ones, in the struct of its option table */
    const struct machine *machine;
    struct cpulist cpus; /* those of --cpus, or all that are allowed */
    struct plan plan;
    const struct document *document;  /* what earlier probes found; may be NULL */
    const struct timing_model *model; /* the run's; NULL: the hardware is measured */
    void *state;                      /* the probe's own, in the pool */
    struct trial_values *values;      /* of trials that vote: chase/trial_values.h */
    struct pool *pool;                /* the document's */
    struct probe_result *result;
    struct gpu_facts *gpus; /* found by plan(), for the machine's facts */
    size_t gpu_count;
    bool named; /* a person named the probe; it is not part of a whole run and may do all it can */
    bool several;    /* it is one of several probes that were asked for, or of a whole run */
    uint64_t seed;   /* of the run, for orders that stay the same through all stages */
    double weight_s; /* seconds, if plan() knows better than probe->weight; 0: it doesn't */
    const struct stage_outcome *outcome; /* for next() and conclude(): of the stage that ended */
    unsigned stage;                      /* for next(): the number of the one to plan, from 1 */
    struct probe_stage *stages;          /* begun so far, in the pool */
    size_t stage_count;
    size_t parameters_planned; /* number of the result's parameters before it was reported */
    bool interrupted;          /* before all was measured: what was measured is reported */
    char so_far[48];           /* a line of observe() to show while measuring; "": none */
};

/* What --help says of a probe; the build makes it of a text (scripts/help). */
struct probe_help {
    const char *title;   /* "Load latency by working-set size" */
    const char *summary; /* one line for lists */
    const char *about;   /* a paragraph or two: what the number means, what moves it */
    const struct option_spec *options; /* each names its member of the struct of options */
    size_t options_bytes;              /* size of that struct; 0: the probe has none */
};

struct probe {
    const char *name; /* the command: "latency" */
    int place;        /* `fathom run` measures in ascending order of it; equal ones by name */
    const struct probe_help *help;
    unsigned needs;      /* set of enum needs */
    double weight;       /* seconds of a whole run; 0: only measured when named */
    bool quick;          /* part of a quick run too */
    bool thorough;       /* without a weight: part of a thorough run, and of no other */
    bool sized_by_found; /* its plan depends on the caches that earlier probes found, so it is
                            planned again when its turn comes. It has no first look */
    const char *no_twin; /* why a document can't stand in for the machine (measure/run/twin/): its
                            trials give more than times; NULL: it can */
    bool goes_on;        /* its stages can get more trials after later stages were planned: the
                            state that prepare() reads does not change, and conclude() adds only
                            findings */
    struct finding_table findings; /* describes its findings: conclude/registry/registry.h */
    /* plan(), next(), conclude() and analyse() are steps of the document's pool: they leave it with
     * an error (base/pool.h). */
    /* Fills task->plan, in which everything common is already set. ERROR_USAGE if options
     * contradict each other or the machine. */
    void (*plan)(struct probe_task *);
    /* See struct trial_work; trial->probe_state is task->state. */
    void (*prepare)(struct trial *);
    /* See struct trial_work; the observer is the task. May be NULL. */
    void (*observe)(void *task, const struct observation *);
    /* Plans the next stage from what has been measured: fills task->plan anew except for its
     * series. These keep their points, ascending by x, and further series may be appended. Returns
     * false if there is nothing more to measure. NULL: there is only the first plan. */
    bool (*next)(struct probe_task *);
    /* Completes task->result after all series were measured: adds series that are computed from
     * others, parameters, and findings that analyse() can't compute from series. May be NULL. */
    void (*conclude)(struct probe_task *);
    /* Computes all findings from the result alone (conclude/analyse.h): after measuring, and from
     * older documents. NULL: conclude() adds all of them. */
    analyse_function *analyse;
    /* Closes what plan() opened outside the pool; called once, also after an error. May be NULL. */
    void (*release)(struct probe_task *);
};

extern const struct probe *const probes[]; /* by place; ends with NULL */
const struct probe *probe_by_name(const char *name);

/* Probes that this build lacks (measure/probes/absent/): it can't measure them, but knows the
 * findings of documents that have them. Ends with a NULL name. */
struct absent_probe {
    const char *name, *why;
    struct finding_table findings;
};
extern const struct absent_probe absent_probes[];
/* Why this build has no probe of that name; NULL: absent_probes has no such name. */
const char *probe_absent(const char *name);

/* Options that every probe understands: CPUs, precision, time, seed. */
extern const struct option_spec probe_common_options[];

/* Checks the options against the machine and plans; measures nothing. Of the task only `document`,
 * `model`, `named`, `several` and `seed` are read, all else is set anew. If the machine lacks what
 * the probe needs, the result is PROBE_SKIPPED and there is nothing to measure. The same happens in
 * a whole run if plan() leaves with ERROR_IMPOSSIBLE, because other probes may be possible.
 * `settings` must hold the common options and the probe's own. ERROR_USAGE as plan(). */
int probe_prepare(struct probe_task *, const struct probe *, const struct settings *,
                  const struct machine *, struct pool *, struct probe_result *, struct error *);
/* Plans a probe that is sized_by_found again, unless a stage of it was begun. Errors as
 * probe_prepare(). */
int probe_plan_again(struct probe_task *, struct error *);
/* Sets task->plan to what is common to all probes' plans and keeps its series: next() begins with
 * this. */
void probe_plan_clear(struct probe_task *);
/* The same, with memory that the CPU touches first, on those pages, and unless --precision is given
 * that precision (0: the usual one). Returns task->plan. */
struct plan *probe_plan_begin(struct probe_task *, int cpu, enum page_policy, double precision);
/* Plans trials of about that time in many short batches: interference that comes and goes leaves
 * some of them undisturbed (stats/undisturbed.h). For points that one CPU measures; if several CPUs
 * begin each batch together, batches must be long. */
void probe_plan_short_batches(struct plan *, double trial_ns);
/* Plans sweeps of thousands of trials of `loads` loads each (plan.h), which vote in `groups`
 * groups: for chases through so few lines or pages that interference decides how many of them stay
 * in the cache or TLB. Without interference a few trials for each group are enough. */
void probe_plan_sweeps(struct plan *, unsigned groups, unsigned loads);
/* The usual time of a trial. */
enum { PROBE_TRIAL_NS = 1000 * 1000 };

/* What has happened to the calling thread, as kernels that log gaps count it (kernels/gaps.h). */
struct gap_counts;
void probe_count_events(struct gap_counts *);

/* Leaves with ERROR_USAGE if a person set one of the `others` (ending with NULL): "--sizes names
 * every size, so --from can't be given with it". */
void probe_refuse_beside(const struct probe_task *, const struct setting *asked, const char *why,
                         const struct setting *const *others);

/* Call the probe's next() and conclude(), if it has them. probe_next() returns 1 if next() returned
 * true, else 0; both return a negative code if the step left with an error. */
int probe_next(struct probe_task *, const struct stage_outcome *, unsigned stage, struct error *);
int probe_conclude(struct probe_task *, const struct stage_outcome *, struct error *);

/* Frees what planning allocated: call it once, also after an error, and after stages_close() if
 * stages were begun (measure/run/stages.h). */
void probe_release(struct probe_task *);

/* Adds a parameter to the result, in addition to the options' values; the caller sets text or
 * number. A step of the document's pool. */
struct factor *probe_add_parameter(struct probe_task *, const char *name);
