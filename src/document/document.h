/*
 * The document: what all parts of fathom exchange. Measuring produces it, reading a file produces
 * it, and every output is made from it and from nothing else. Schema "fathom/1", described by
 * docs/fathom-1.schema.json. Everything a document holds lives in its pool.
 *
 * Conventions: an absent text is NULL; an absent number is NAN (doubles) or 0 (sizes and counts,
 * where 0 has no meaning of its own).
 */
#pragma once

#include "base/error.h"
#include "base/pool.h"
#include "document/declared.h"
#include "stats/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOCUMENT_SCHEMA "fathom/1"

struct tool_facts {
    const char *version, *commit, *compiler;
    const char *analysed; /* the version that computed the findings again; NULL: `version` */
};

/* A state of the places where a host kept this guest's CPUs. */
struct placement_facts {
    const char *name;  /* "CPUs 0 and 1: one core", "one L2", "apart", or "not seen" in the time
                          that there was; for several pairs, each */
    double handoff_ns; /* between the first pair when the state was first found: states of one name
                          differ in it */
    unsigned looks;    /* that found it */
};
/* Whether two hand-offs are those of one state: the clock and what else a core does change them by
 * less than a move to another core, cluster or socket. */
bool placement_is_same(double handoff_ns, double other_ns);

struct run_facts {
    const char *id;      /* unique enough to tell two runs apart: 16 hexadecimal digits */
    const char *started; /* RFC 3339, UTC, whole seconds */
    double elapsed_s;
    const char **command; /* argument vector as typed */
    size_t command_count;
    uint64_t seed;
    double precision; /* relative half width asked for: 0.01 */
    double budget_s;
    bool complete;
    struct placement_facts
        *placements;        /* of a guest's CPUs, in the order in which they were found */
    size_t placement_count; /* 0: nothing moves the CPUs, or it was not looked for */
    unsigned moves;         /* of the CPUs, from one look to the next */
    /* For a document made from others: how ("merge", "baseline" or "repeat"), and from how many
     * runs or documents. Then `started` is that of the newest one, and the facts of a single run
     * are absent: id, elapsed_s, command, seed, precision and budget_s; "repeat" has those of its
     * first run. NULL and 0 in the document of one run. */
    const char *joined;
    unsigned documents;
};

struct cache_facts {
    int level;
    const char *type; /* "data", "instruction" or "unified" */
    uint64_t size_bytes;
    unsigned line_bytes, ways; /* 0 where the machine does not say */
    const char *shared_cpus;   /* CPU list: the CPUs that share one instance */
};
/* Whether it holds data, as all but instruction caches do. */
bool cache_holds_data(const struct cache_facts *);
bool cache_holds_code(const struct cache_facts *); /* all but data caches */

struct numa_facts {
    int id;
    const char *cpus; /* CPU list; "" for a node of memory only */
    uint64_t memory_bytes;
};

struct cpu_kind_facts { /* kinds of core, the slowest first; one kind on most machines */
    const char *name;   /* "performance", "efficiency" or "kind0"... */
    const char *cpus;
};

struct gpu_facts {
    int id;                 /* "gpu0" is 0: in the backend's order */
    const char *name;       /* "NVIDIA H200" */
    const char *backend;    /* "cuda", "opencl" */
    const char *driver;     /* its version */
    const char *kind;       /* "gpu"; with OpenCL also "cpu" or "accelerator" */
    const char *capability; /* "9.0"; NULL where there is none */
    bool modelled;          /* not hardware: a stand-in for the driver answered */
    unsigned multiprocessors;
    double clock_hz, memory_clock_hz; /* the highest declared; NAN unknown */
    unsigned memory_bus_bits;         /* 0 unknown, as all sizes below */
    uint64_t memory_bytes, l2_bytes;
    uint64_t first_level_bytes; /* L1 and scratchpad of a multiprocessor together */
    uint64_t scratchpad_bytes;  /* the most of `first_level_bytes` that can be scratchpad */
    uint64_t constant_bytes;
    const char *uuid, *bus; /* "GPU-...", "0000:17:00.0"; NULL unknown, as all texts below */
    const char *link;       /* to the host, while the device worked: "PCIe 5.0 x16" */
    const char *link_most;  /* the best link that it supports */
    const char *ecc, *mig;  /* "on", "off" */
    double host_node;       /* the host's nearest NUMA node; NAN unknown */
    double other_processes; /* processes that had it open during measuring; NAN unknown */
};

struct machine_facts {
    const char *model_of; /* it is no machine but a model: "x.json", "x.json with L1.latency=+5%";
                             NULL: it is the machine that was measured */
    const char *hostname, *os, *kernel;
    const char *bios;         /* version of the firmware; NULL unknown */
    const char *microcode;    /* version, as the system tells it; NULL unknown */
    const char **mitigations; /* of faults of the processor: "spectre_v2: Vulnerable" */
    size_t mitigation_count;
    const char *hypervisor; /* NULL where none was noticed */
    const char *cpu_vendor, *cpu_model, *cpu_arch;
    unsigned cores, threads; /* in the whole machine, not only those allowed */
    struct cpu_kind_facts *kinds;
    size_t kind_count;
    struct cache_facts *caches; /* as declared: one for each level, type and kind of core */
    size_t cache_count;
    const char *caches_by; /* "CPUID" if the system had no files of them; else NULL */
    struct numa_facts *nodes;
    size_t node_count;
    uint64_t memory_bytes;
    uint64_t *page_sizes; /* ascending */
    size_t page_size_count;
    struct gpu_facts *gpus; /* only where they were looked for */
    size_t gpu_count;
    struct declared_facts declared; /* of its memory, by firmware and kernel */
};
/* The data or unified cache of that level that the CPU uses, as declared; where that is not known,
 * that of its kind of core, else the largest (as for CPU -1). NULL: none. */
const struct cache_facts *cache_of_cpu(const struct machine_facts *, int level, int cpu);
/* Bytes of the machine's smallest pages; 4 KiB where they are unknown (NULL: no machine is known)
 * or no power of two up to 1 MiB. */
enum { FACTS_PAGE_LEAST = 4096, FACTS_PAGE_MOST = 1 << 20 };
size_t facts_page_bytes(const struct machine_facts *);

/* What a person should know about the machine's condition; each member is a clause. */
struct remark {
    const char *what;   /* what was found: "turbo is on" */
    const char *why;    /* why it matters: "the clock changes with heat"; NULL: `what` says it */
    const char *remedy; /* what to do about it; NULL: nothing */
};

struct conditions {
    double core_hz;          /* from bursts of dependent operations: the median over the run */
    double counter_hz;       /* rate of the counter that timed everything */
    const char *counter;     /* "tsc", "cntvct", "time", "clock_gettime" */
    const char *governor;    /* NULL where the system has no cpufreq */
    const char *turbo, *smt; /* "on", "off"; NULL unknown */
    const char *thp;         /* "always", "madvise", "never"; NULL unknown */
    const char *affinity;    /* CPU list: the CPUs that may be used */
    double load1;            /* one-minute load at the start; NAN unknown */
    double others_cpus;      /* CPUs that other programs kept busy during the run, on average; NAN
                                unknown */
    double stolen_s;         /* CPU time taken by a hypervisor during the run; NAN unknown */
    struct remark *remarks;  /* what may spoil the measurements */
    size_t remark_count;
    const char **warnings; /* of older documents; reading makes them remarks */
    size_t warning_count;
};

/* A named value: a probe's parameter, or a factor of a series. It is a text, a number, or a list of
 * unnamed texts and numbers: "L1", 24576, "L2", 262144. */
struct factor {
    const char *name;
    const char *text; /* NULL where it is a number or a list */
    double number;    /* NAN where it is a list */
    struct factor *list;
    size_t list_count; /* 0 where it is no list */
};
/* Whether both factors have the same value. */
bool factor_same_value(const struct factor *, const struct factor *);
/* Whether both exist and have the same name and value. */
bool factor_same(const struct factor *, const struct factor *);

/* The same trials in another unit. */
struct estimate {
    float median, low, high; /* NAN where there is none */
};

/* What interference did to a figure, whose value is without it. NAN: unknown. */
struct disturbance {
    float longer; /* by how much the median batch took longer than the undisturbed ones: 0.02 */
    float trials; /* share of the trials that were disturbed throughout, by a cause that was seen */
};

/* A figure with a larger share of such trials is not the hardware's alone. */
extern const double disturbance_beside;

/* Where the trials' scatter comes from: standard deviations divided by the median. NAN where the
 * sources could not be separated. */
struct scatter {
    float line;     /* from one cache line (or page) to the next */
    float drift;    /* from one time of the run to another */
    float residual; /* the rest: from batch to batch on the same line at the same time */
};

struct point {
    double x;               /* of a curve */
    int from, to;           /* of a matrix: the operating system's ids of CPUs, nodes or devices */
    struct summary y;       /* n = 0 where the point failed */
    struct estimate cycles; /* core cycles; NAN where they have no meaning */
    struct disturbance disturbance;
    struct scatter scatter;
    /* How the trials' time followed the core's clock, as an exponent: -1 as the core's own cycles
     * do, 0 not at all; NAN: too few trials, or a clock that stood still. */
    float by_clock;
    unsigned flags;     /* set of enum flag */
    unsigned redone;    /* batches repeated because something interrupted them */
    const char *failed; /* why there is no value; NULL where there is one */
};

struct axis {
    const char *name, *unit; /* unit "B", "ns", "cycles", "B/s", "Hz", "" */
};
/* Whether its values are ids (of CPUs, nodes, trials), which have no order and no values between
 * them. */
bool axis_has_ids(const struct axis *);

struct series {
    const char *name;
    struct factor *factors;
    size_t factor_count;
    bool matrix;   /* points have from and to in place of x */
    bool headline; /* is shown on the first screen of a run */
    struct axis x, y;
    struct point *points;
    size_t point_count;
};

struct finding {
    const char *name; /* dotted and stable: "L1.latency" */
    const char *unit; /* "cycles", "ns", "B", "Hz", "" */
    double value, low, high;
    const char *kind; /* how good the value is (conclude/registry/finding.h); NULL: no value */
    /* Above zero: the value is derived from a finding in the other unit, its home (cycles or ns),
     * at this core clock (conclude/registry/home.h). */
    double clock_hz;
    struct factor *runs; /* of several: its value in each run, as numbers without names */
    size_t run_count;    /* 0: in the document of one run */
    struct disturbance disturbance;
    double declared;  /* what the machine declares, in the same unit; NAN unknown */
    const char *text; /* one sentence for people; may be NULL */
    const char *cpus; /* CPU list the finding is about; may be NULL */
    unsigned flags;
    /* The experiment of the finding: the factors of its series, and what was obtained. The first
     * `deviations` factors differ from what its name implies (conclude/registry/experiment.h):
     * every output shows them with the finding, and only findings that share them are compared. */
    struct factor *factors;
    size_t factor_count, deviations;
    /* The registry's line of its name (conclude/registry/registry.h), once it was looked up. */
    const struct finding_line *line;
};

enum probe_status { PROBE_OK, PROBE_PARTIAL, PROBE_SKIPPED, PROBE_FAILED };

struct probe_result {
    const char *name, *title;
    const char *about; /* what its numbers mean and what moves them; may be NULL */
    enum probe_status status;
    const char *reason; /* why it is not PROBE_OK; NULL when it is */
    double elapsed_s;
    struct factor *parameters;
    size_t parameter_count;
    struct series *series;
    size_t series_count;
    struct finding *findings;
    size_t finding_count;
};

/* How far the document can be relied on (conclude/verdict.h): what it states itself. */
struct family_facts {
    const char *name;  /* "L1", "bandwidth" */
    const char *grade; /* "good", "as found", "not measured" */
    const char *why;   /* NULL: it is good */
};
struct verdict_facts {
    const char *sentence; /* for people */
    struct family_facts *families;
    size_t family_count;
};

struct document {
    struct tool_facts tool;
    struct run_facts run;
    struct machine_facts machine;
    struct conditions conditions;
    struct verdict_facts verdict;
    struct probe_result *probes;
    size_t probe_count;
    const char *file; /* the path that it was read from; NULL: none; never written */
    struct pool pool;
};

extern const char *const probe_status_names[]; /* indexed by enum probe_status */

/* Whether the quick set was measured: by `check` itself, or because of --quick. */
bool run_was_quick(const struct run_facts *);
/* The index of the NUMA node with that number; node_count: there is none. */
size_t node_index(const struct machine_facts *, int id);
/* The probe of that name; NULL where there is none. */
struct probe_result *document_probe(const struct document *, const char *name);
/* The same; it is added, in that pool, if it is not there. Both texts are kept as they are. */
struct probe_result *document_add_probe(struct document *, struct pool *, const char *name,
                                        const char *title);
/* The same, but tries index `place` first, because documents list their probes in much the same
 * order. */
struct probe_result *document_probe_near(const struct document *, const char *name, size_t place);
/* Whether the document holds only another tool's table. Measuring notes when and by which command;
 * `fathom import` notes neither. */
bool document_is_imported(const struct document *);
/* Whether its values are medians over others, which it keeps as their runs: a baseline, or repeated
 * runs. */
bool document_is_pooled(const struct document *);
/* The first finding of that name, in any probe, that has no deviations; NULL where there is
 * none. */
const struct finding *document_finding(const struct document *, const char *name);
/* Orders points by x, for qsort() and bsearch(). */
int point_by_x(const void *, const void *);
/* The factor of that name; NULL: the list has none. */
struct factor *factor_find(struct factor *, size_t count, const char *name);
const struct factor *series_factor(const struct series *, const char *name);
/* The first series of that name (NULL: any name) with all these factors, which end at one without a
 * name: with its text, or its number if it has none; "": without a text. NULL: there is none. */
struct series *series_find(struct series *, size_t count, const char *name,
                           const struct factor *with);
/* The first of a result (NULL: of none) with that name and that factor's text (NULL: any). */
const struct series *probe_series(const struct probe_result *, const char *name, const char *factor,
                                  const char *text);
/* The number of a factor; NAN where there is none. The series may be NULL here and below. */
double series_number(const struct series *, const char *factor);
/* The union of its points' flags. */
unsigned series_flags(const struct series *);
/* The result's first finding of that name, and its value; NULL and NAN without one, or a result. */
struct finding *probe_finding(const struct probe_result *, const char *name);
double probe_value(const struct probe_result *, const char *name);
const struct factor *probe_parameter(const struct probe_result *, const char *name);
/* The CPU that measured, by the probe's parameters; -1: unknown. */
int probe_cpu(const struct probe_result *);
/* Parameters that are not settings of the probe but tell outputs what to show: what was left out
 * and why ("gpu0 texture: it has none"), the core of each CPU ("0=c0.0 1=c0.1"), and the groups
 * that the machine declares. */
extern const char parameter_not_measured[], parameter_cpu_labels[], parameter_cpu_groups[];
/* The placement in which a probe measured: the name and hand-off of its state (struct
 * placement_facts), or only a name that says that the host moved the CPUs meanwhile. Findings and
 * series have factors of these names. */
extern const char parameter_placement[], parameter_placement_ns[];
/* How many arenas a probe measured in that had other pages than the one before: trials in more of
 * them are independent, trials in one share its placement. */
extern const char parameter_placements_met[];
bool parameter_is_setting(const struct factor *);
/* A point without any value. */
struct point point_bare(void);
bool point_has_value(const struct point *);
/* Clears everything but the point's place, y, flags and failure. */
void point_drop_details(struct point *);
/* The point of a curve at `x`; NULL where there is none, or it failed. */
struct point *series_point(const struct series *, double x);
/* The points with the least and the largest median; NULL where no point has a value. */
void series_extremes(const struct series *, const struct point **least, const struct point **most);

/* Union of the flags of all findings. */
unsigned document_headline_flags(const struct document *);

void document_free(struct document *); /* leaves an empty document */

/* Takes out what names machines, people and places: the host's name wherever it stands, paths of
 * files, serial numbers of devices. A step of the document's pool; `run.command` is left to the
 * caller, who knows which of its words are names. */
void document_redact(struct document *);
