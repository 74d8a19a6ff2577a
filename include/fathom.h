/*
 * libfathom: capacity, latency and bandwidth of this machine's memory, for other programs.
 *
 * A handle (struct fathom) is opened, asked and closed. The three questions, fathom_levels(),
 * fathom_distance() and fathom_padding(), are for programs that choose a block size, a CPU or an
 * alignment when they start. All other functions work on documents (struct fathom_document), which
 * are measured, read from a file, analysed, compared, and written or rendered.
 *
 *     struct fathom *fathom = fathom_open(NULL, NULL);
 *     struct fathom_level levels[8];
 *     levels[0].size = sizeof levels[0];
 *     int count = fathom_levels(fathom, levels, 8, 1000, NULL);
 *     ...
 *     fathom_close(fathom);
 *
 * Errors. A function that returns int returns 0 or more on success, and one of the negative codes
 * below otherwise; then `error`, which may be NULL, has the code and one line that says what
 * happened and what to do. Numbers that are unknown or were not found are NAN, such sizes are 0.
 *
 * Memory. What a function returns through a pointer to a pointer belongs to the caller, which frees
 * a document by fathom_document_free() and a text by fathom_free(). Texts in the structs below
 * belong to the document and are valid until it is freed. All text is UTF-8.
 *
 * Threads. Each function may be called from any thread. A handle, or a document that is changed,
 * may be used by one thread at a time: give each thread its own, or use a lock. Documents that are
 * only read may be shared. In one process only one call measures at a time, because two would
 * disturb each other: a second fathom_run() returns FATHOM_BUSY, and the three questions wait, at
 * most for their `budget_ms`. The calling thread needs 512 KiB of stack.
 *
 * Guests. While a call measures, it runs its own pinned threads on the CPUs that the calling thread
 * may use, and installs a handler for SIGURG that passes on every signal that is not for these
 * threads. Before it returns, it ends the threads, frees their memory and restores the handler; the
 * caller's affinity, signal mask, locale and environment are never changed. Nothing is printed and
 * nothing exits. Two exceptions: a thread that gets no CPU time for seconds, because a thread of
 * real-time priority holds its CPU, is given up and ends by itself later (the call says so, and the
 * handler stays installed for it); and hwloc, which reads the topology, writes a line to standard
 * error where the firmware's tables are broken (HWLOC_HIDE_ERRORS=2 in the environment prevents
 * it). GPUs' libraries, which keep threads and files of their own, are opened only where the probe
 * "gpu" is named.
 *
 * fork(). A handle belongs to the process that opened it; a child that uses it gets an error and
 * must open one of its own. Documents stay usable. While another thread reads the machine, which
 * takes some milliseconds, fork() waits.
 */
#ifndef FATHOM_H
#define FATHOM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FATHOM_API __attribute__((visibility("default")))
#else
#define FATHOM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum fathom_code {
    FATHOM_DONE = 0,
    FATHOM_USAGE = -2,      /* what was passed is wrong */
    FATHOM_IMPOSSIBLE = -3, /* this machine, or this build, can't do it */
    FATHOM_CANCELLED = -4,  /* the progress function or fathom_cancel() ended it */
    FATHOM_SYSTEM = -5,     /* the system failed: memory, a thread, a write */
    FATHOM_BUSY = -6        /* another thread of this process measures */
};

/* Filled by every function that takes one. Later versions do not add members. */
struct fathom_error {
    int code;       /* 0 or an enum fathom_code */
    char text[512]; /* one line; "": nothing to report */
};

/* The version of the loaded library: "0.2.0 (COMMIT)". */
FATHOM_API const char *fathom_version(void);
/* Frees a text that a function below returned; does nothing for NULL. */
FATHOM_API void fathom_free(void *);

/* --- the handle --- */

struct fathom;

/* In structs, the caller sets `size` to sizeof the struct as it was compiled: later versions add
 * members at the end, and don't touch members beyond the size that an older caller gives. */
struct fathom_options {
    size_t size;
    /* Where answers are cached; NULL: fathom in $XDG_CACHE_HOME or ~/.cache; "": no cache. Programs
     * that run with another user's rights have no cache by default. */
    const char *cache_folder;
    /* Not 0: the questions don't read the cache; they still store in it what they measure. */
    int measure_anew;
};

/* `options` may be NULL. Returns NULL if there is no memory, or the options are wrong. Measures
 * nothing and opens no file. */
FATHOM_API struct fathom *fathom_open(const struct fathom_options *, struct fathom_error *);
/* Does nothing for NULL. Must not be called while another call uses the handle. */
FATHOM_API void fathom_close(struct fathom *);
/* Ends the call that measures with this handle, or waits for another measurement, within some 50
 * ms. May be called from any thread and from a signal handler. Does nothing between two calls. */
FATHOM_API void fathom_cancel(struct fathom *);

/* --- three questions --- */

/*
 * Each is answered from the cache, else by measuring within `budget_ms` milliseconds, else by what
 * the machine declares, and the answer says which. Less than 100 ms is too little to measure
 * anything: 0 asks for what is known without measuring. The cache is keyed by the machine, its
 * processor and microcode, the kernel, the CPUs that the control group allows, and fathom's
 * version; processes that ask at the same time wait for the one that measures. Only files of this
 * user and of root are read. A cached answer that carries a doubt, or levels without memory, are
 * measured again after an hour, or if `budget_ms` is more than twice the budget of that
 * measurement.
 *
 * If the answer is only declared though there was time to measure, or if it could not be stored in
 * the cache, `error` has code 0 and a line that says why.
 */
enum fathom_source {
    FATHOM_DECLARED = 1,
    FATHOM_MEASURED = 2, /* now, by this call */
    FATHOM_CACHED = 3    /* measured earlier, on this machine */
};

/* A cache, or the memory behind the caches. */
struct fathom_level {
    size_t size;
    unsigned level;          /* 1 for L1 and so on; 0 for memory */
    int source;              /* enum fathom_source: where capacity and latency are from */
    uint64_t capacity_bytes; /* the largest working set that this level serves. If `source` is
                              * FATHOM_DECLARED, the same as declared_bytes. 0: memory, or
                              * a cache whose capacity was not found */
    uint64_t declared_bytes; /* the size that the machine declares; 0: none is declared */
    double latency_ns;       /* of a load that depends on the one before, in random order; without
                              * interference, where it could be told apart */
    double latency_cycles;   /* of the core's clock */
    unsigned line_bytes;     /* a cache line, as declared */
    int doubtful;            /* not 0: trials were few or disagreed; see the document */
    const char *kind;        /* of the latency, as in struct fathom_value; constant */
    double disturbance;
};

/* Fills up to `room` levels, the nearest first, and memory last if its latency was measured.
 * `levels[0].size` must be set; it is the distance in bytes from one level to the next. Returns how
 * many levels there are, which may be more than `room`. On a machine with several kinds of core it
 * describes the CPUs that the calling thread may run on. */
FATHOM_API int fathom_levels(struct fathom *, struct fathom_level *levels, size_t room,
                             unsigned budget_ms, struct fathom_error *);

/* How long it takes until CPU b sees what CPU a wrote, in ns: half a round trip of a word that both
 * change by compare-and-swap. Returns an enum fathom_source; FATHOM_IMPOSSIBLE if it is neither
 * cached nor measured, because no machine declares it. The calling thread must be allowed to run on
 * both CPUs. A hypervisor may move a guest's CPUs, and nothing tells the guest: in a virtual
 * machine a cached answer is used only if a hand-off that is measured at once is still like it.
 * With less than 100 ms nothing is measured: `error` then has code 0 and a line that says when it
 * was. */
FATHOM_API int fathom_distance(struct fathom *, int cpu_a, int cpu_b, double *ns,
                               unsigned budget_ms, struct fathom_error *);

/* How many bytes apart two words must be so that two CPUs that write them don't disturb each
 * other: a cache line, or two if the processor fetches lines in pairs. Returns an enum
 * fathom_source: FATHOM_DECLARED if there is only one CPU. */
FATHOM_API int fathom_padding(struct fathom *, size_t *bytes, unsigned budget_ms,
                              struct fathom_error *);

/* --- documents --- */

struct fathom_document;

struct fathom_plan {
    size_t size;
    const char *const *probes;   /* names, then NULL: "latency", "cores" (see `fathom list`); NULL:
                                  * all probes of a whole run except "gpu" */
    const char *const *settings; /* options of `fathom run`, then NULL: "quick", "cpus=0-3",
                                  * "precision=2"; if only one probe is named, also its own
                                  * options: "size=32K". NULL: none */
    unsigned budget_ms;          /* for all probes together; 0: what the probes need */
    /* Called a few times a second on the calling thread: the probe that measures, the share of it
     * that is done (0 to 1), an estimate of the seconds left. A result that is not 0 cancels the
     * run. NULL: no call. */
    int (*progress)(void *argument, const char *probe, double done, double left_s);
    void *argument;
};

/* Measures. `plan` may be NULL: a whole run. If the result is 0 or FATHOM_CANCELLED, *document
 * holds what was measured; otherwise it is NULL. */
FATHOM_API int fathom_run(struct fathom *, const struct fathom_plan *,
                          struct fathom_document **document, struct fathom_error *);
/* Reads a file; "-" is standard input. *document is NULL on an error. */
FATHOM_API int fathom_read(const char *path, struct fathom_document **document,
                           struct fathom_error *);
/* Writes a file and replaces an older one only when the new one is complete. */
FATHOM_API int fathom_write(const struct fathom_document *, const char *path,
                            struct fathom_error *);
/* Computes all findings anew from the series, by the rules of this version. */
FATHOM_API int fathom_analyse(struct fathom_document *, struct fathom_error *);
FATHOM_API void fathom_document_free(struct fathom_document *);

/* The document as text, in a format that `fathom report --format` knows: "text", "json", "csv",
 * "markdown", "openmetrics", "html", ... */
FATHOM_API int fathom_render(const struct fathom_document *, const char *format, char **text,
                             struct fathom_error *);

struct fathom_comparison {
    size_t size;
    size_t values; /* values that both documents have */
    size_t
        changed; /* values that changed by more than the tolerance, which chance does not explain */
    size_t uncertain; /* values of which it can't be told: neither changed nor the same */
};

/* What changed from one document to the other. `tolerance` is a share: 0.03 is 3 %; 0: each value's
 * own. If `text` is not NULL, it gets the changes in `format`: "text" (also for NULL), "csv" or
 * "json". Returns 0 whether or not anything changed. */
FATHOM_API int fathom_compare(const struct fathom_document *before,
                              const struct fathom_document *after, double tolerance,
                              struct fathom_comparison *, const char *format, char **text,
                              struct fathom_error *);

/* --- what a document says --- */

/* A finding: one result, such as "L1.latency" or "bandwidth.read.all". */
struct fathom_value {
    size_t size;
    const char *name;
    const char *unit;                    /* "ns", "cycles", "B", "B/s", "Hz", ... or "" */
    double value, low, high;             /* without interference, and its 95 % interval */
    double quiet, quiet_low, quiet_high; /* the same three again, for older callers */
    double declared;                     /* what the machine declares, in the same unit */
    int doubtful;                        /* not 0: it carries a doubt */
    const char *sentence;                /* the finding in words; may be NULL */
    const char *kind;   /* "good", "beside others" (other programs had a part in more than half of
                           the trials), "too few" (trials for an interval); NULL: no value */
    double disturbance; /* by how much the median batch took longer than the undisturbed ones: 0.02;
                           NAN: unknown */
};

/* The finding of that name, of the default experiment: the one without deviating factors.
 * FATHOM_USAGE if there is none. */
FATHOM_API int fathom_finding(const struct fathom_document *, const char *name,
                              struct fathom_value *);
/* The i-th finding, counted from 0; FATHOM_USAGE beyond the last. */
FATHOM_API int fathom_finding_at(const struct fathom_document *, size_t i, struct fathom_value *);

/* A series: a curve over x, or a matrix of pairs of CPUs, nodes or devices. */
struct fathom_series {
    size_t size;
    const char *probe, *name;
    char factors[128]; /* factors that all its points share: "op cas"; "": none */
    const char *x_name, *x_unit, *y_name, *y_unit;
    int matrix; /* not 0: points have from and to */
    size_t points;
};

struct fathom_point {
    size_t size;
    double x;         /* of a curve */
    int from, to;     /* of a matrix */
    double median;    /* without interference; NAN if the point failed */
    double low, high; /* its 95 % interval */
    double quiet;     /* the median again, for older callers */
    double cycles;    /* the median in core cycles */
    unsigned trials;
    double disturbance; /* as in struct fathom_value */
};

/* The i-th series, counted from 0; FATHOM_USAGE beyond the last. */
FATHOM_API int fathom_series_at(const struct fathom_document *, size_t i, struct fathom_series *);
/* Fills up to `room` points of the i-th series; `points[0].size` must be set. Returns how many
 * points the series has. */
FATHOM_API int fathom_points(const struct fathom_document *, size_t i, struct fathom_point *points,
                             size_t room);

/* --- what programs take from the figures --- */

/* Texts are cut to their place. */
struct fathom_advice {
    size_t size;
    char name[32];    /* "block.L2", "interleave.memory": `fathom advise -f json` lists them */
    const char *unit; /* "B"; "": a count; "choice": 1 is yes and 0 is no; "cpus": `text` is a
                       * list of CPUs, as "0-7"; constant */
    double value, low, high; /* by the figure and the ends of its interval; INFINITY: of no size */
    int told;       /* 0: it can't be told; `reason` says why, `command` what measures it */
    int doubtful;   /* not 0: the figure was measured beside others, or is wide */
    char text[128]; /* the value for people: "320 KiB", "yes" */
    char reason[256];
    char source[64];      /* the finding that it is read from: "L2.capacity" */
    char experiment[128]; /* how that deviates from the default experiment; "": not at all */
    char command[64];     /* "fathom latency" */
};

/* Block sizes, radix bits, look-ups to interleave, how far to prefetch, padding, stores past the
 * caches, huge pages, threads, CPUs: what the document's figures advise, each with its reason.
 * Measures nothing, and leaves the document as it is. Fills up to `room` of them; `advice[0].size`
 * must be set; it is the distance in bytes from one to the next. Returns how many there are. */
FATHOM_API int fathom_advise(const struct fathom_document *, struct fathom_advice *advice,
                             size_t room, struct fathom_error *);

#ifdef __cplusplus
}
#endif

#endif
