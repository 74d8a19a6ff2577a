/*
 * libfathom: how deep, wide and far this machine's memory is, for other programs.
 *
 * A handle (struct fathom) is opened, asked and closed. The three questions, fathom_levels(),
 * fathom_distance() and fathom_padding(), are for programs that choose a block size, a CPU or an
 * alignment when they start. All else works on documents (struct fathom_document): measured, read
 * from a file, analysed, compared, and written or rendered.
 *
 *     struct fathom *fathom = fathom_open(NULL, NULL);
 *     struct fathom_level levels[8];
 *     levels[0].size = sizeof levels[0];
 *     int count = fathom_levels(fathom, levels, 8, 1000, NULL);
 *     ...
 *     fathom_close(fathom);
 *
 * Errors. A function that returns int returns 0 or more when it is done, and one of the negative
 * codes below otherwise; then `error`, which may be NULL, has the code and one line that says what
 * happened and what to do. Numbers that are unknown or were not found are NAN, such sizes are 0.
 *
 * Memory. What a function hands out by a pointer to a pointer is the caller's: a document is freed
 * by fathom_document_free(), a text by fathom_free(). Texts inside of the structs below belong to
 * the document and live as long. All text is UTF-8.
 *
 * Threads. Each function may be called from any thread. A handle, and a document that is changed,
 * is used by one thread at a time: one a thread, or one with the caller's own lock. Documents that
 * are only read may be shared. In one process only one call measures at a time, because two would
 * disturb each other: fathom_run() then returns FATHOM_BUSY, and the three questions wait within
 * their time. The calling thread needs 512 KiB of stack.
 *
 * Guests. While a call measures, pinned threads of its own run on the CPUs that the calling thread
 * may use, and SIGURG has a handler that passes on every signal that is not for these threads. When
 * it returns, they and their memory are gone, and the handler is what it was; the caller's
 * affinity, signal mask, locale and environment are never changed. Nothing is printed and nothing
 * exits. Two exceptions: a thread that gets no time to run for seconds, because something of
 * real-time priority holds its CPU, is given up and ends by itself later (the call says so, and the
 * handler stays for it); and hwloc, which reads the topology, writes a line to standard error where
 * the firmware's tables are broken (HWLOC_HIDE_ERRORS=2 in the environment keeps it quiet). GPUs'
 * libraries are opened, and keep threads and files of their own, only where the probe "gpu" is
 * named.
 *
 * fork(). A handle belongs to the process that opened it; in a child it is refused in words, and
 * the child opens one of its own. Documents stay usable.
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

/* Filled by every function that takes one. It never grows. */
struct fathom_error {
    int code;       /* 0 or an enum fathom_code */
    char text[512]; /* one line; "" where there is nothing to say */
};

/* "0.2.0 (COMMIT)": of the library that is loaded. */
FATHOM_API const char *fathom_version(void);
/* Frees a text that a function below handed out; NULL: nothing. */
FATHOM_API void fathom_free(void *);

/* --- the handle --- */

struct fathom;

/* In structs, `size` is sizeof the struct as the caller knows it: later versions add members behind
 * those that stand here, and leave alone what an older caller has no room for. */
struct fathom_options {
    size_t size;
    /* Of answers; NULL: fathom in $XDG_CACHE_HOME or ~/.cache; "": none. Programs that run with
     * another user's rights have none by default. */
    const char *cache_folder;
    /* Not 0: the questions don't look into the cache; they still keep what they measure. */
    int measure_anew;
};

/* `options` may be NULL. NULL where there is no memory, or the options are wrong. Measures nothing
 * and opens nothing. */
FATHOM_API struct fathom *fathom_open(const struct fathom_options *, struct fathom_error *);
/* NULL: nothing. Must not be called while another call uses the handle. */
FATHOM_API void fathom_close(struct fathom *);
/* Ends the call that measures with this handle, within some 50 ms. From any thread, or a signal's
 * handler. Where none measures, nothing happens. */
FATHOM_API void fathom_cancel(struct fathom *);

/* --- three questions --- */

/*
 * Each is answered from the cache, else by measuring within `budget_ms` milliseconds, else by what
 * the machine declares of itself, and says which it was. Less than 100 ms is too little to measure
 * anything: 0 asks for what is known without measuring. The cache is keyed by the machine, its
 * processor and microcode, the kernel, the CPUs that the control group allows, and fathom's
 * version; processes that ask at the same time wait for the one that measures. A cached answer that
 * carries a doubt is measured again after an hour, or where more than twice its time is given.
 *
 * Where the answer is declared though there was time to measure, or could not be kept, `error` has
 * code 0 and a line that says why.
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
    uint64_t capacity_bytes; /* what a program gets of it: data that stays as fast as this level.
                              * Where it is declared, the same as declared_bytes. 0: memory, or
                              * a cache whose end was not found */
    uint64_t declared_bytes; /* what the machine says; 0: it says nothing of such a level */
    double latency_ns;       /* a load that depends on the one before, in random order; without
                              * neighbours, where they could be distinguished */
    double latency_cycles;   /* of the core's clock */
    unsigned line_bytes;     /* a cache line, as declared */
    int doubtful;            /* not 0: trials were few or disagreed; see the document */
};

/* Fills up to `room` levels, the nearest first, and memory last where its latency was measured.
 * `levels[0].size` must be set; it is the distance from one level to the next. Returns how many
 * levels there are, which may be more than the room. Of CPUs of several kinds it tells those that
 * the calling thread may run on. */
FATHOM_API int fathom_levels(struct fathom *, struct fathom_level *levels, size_t room,
                             unsigned budget_ms, struct fathom_error *);

/* How long it takes CPU b to see what CPU a wrote, in ns: half a round of a word that both change
 * by compare-and-swap. Returns an enum fathom_source; FATHOM_IMPOSSIBLE where it is neither cached
 * nor measured, because no machine declares it. Both CPUs must be usable by the calling thread. */
FATHOM_API int fathom_distance(struct fathom *, int cpu_a, int cpu_b, double *ns,
                               unsigned budget_ms, struct fathom_error *);

/* How many bytes apart two words have to lie so that two CPUs that write them don't disturb each
 * other: a cache line, or two where the processor fetches lines in pairs. Returns an enum
 * fathom_source. With a single CPU, it is declared. */
FATHOM_API int fathom_padding(struct fathom *, size_t *bytes, unsigned budget_ms,
                              struct fathom_error *);

/* --- documents --- */

struct fathom_document;

struct fathom_plan {
    size_t size;
    const char *const *probes;   /* names, then NULL: "latency", "cores" (see `fathom list`); NULL:
                                  * all of a whole run but "gpu" */
    const char *const *settings; /* options as `fathom run` has them, then NULL: "quick",
                                  * "cpus=0-3", "precision=2"; of one probe that is named alone, its
                                  * own too: "size=32K". NULL: none */
    unsigned budget_ms;          /* for everything together; 0: what the probes need */
    /* A few times a second, on the calling thread: the probe at work, the share of it that is done
     * (0 to 1), seconds left as far as one can tell. Not 0 cancels. NULL: nobody is called. */
    int (*progress)(void *argument, const char *probe, double done, double left_s);
    void *argument;
};

/* Measures. `plan` may be NULL: a whole run. On 0 and on FATHOM_CANCELLED *document is what was
 * measured, else NULL. */
FATHOM_API int fathom_run(struct fathom *, const struct fathom_plan *,
                          struct fathom_document **document, struct fathom_error *);
/* Reads a file; "-" is standard input. *document is NULL on an error. */
FATHOM_API int fathom_read(const char *path, struct fathom_document **document,
                           struct fathom_error *);
/* Writes a file: nobody ever sees half of it, and an older one stays until the new one is whole. */
FATHOM_API int fathom_write(const struct fathom_document *, const char *path,
                            struct fathom_error *);
/* Computes all findings anew from the series, as this version reads them. */
FATHOM_API int fathom_analyse(struct fathom_document *, struct fathom_error *);
FATHOM_API void fathom_document_free(struct fathom_document *);

/* The document as text, in a format that `fathom report --format` knows: "text", "json", "csv",
 * "markdown", "openmetrics", "html", ... */
FATHOM_API int fathom_render(const struct fathom_document *, const char *format, char **text,
                             struct fathom_error *);

struct fathom_comparison {
    size_t size;
    size_t values;    /* that both have */
    size_t changed;   /* beyond the threshold, with their whole intervals */
    size_t uncertain; /* beyond it, but the intervals leave room for no change */
};

/* What changed from one document to the other. `threshold` is a share: 0.03. `text`, unless NULL,
 * gets it in words, or as "csv" or "json" by `format` (NULL: "text"). Returns 0 whether or not
 * anything changed. */
FATHOM_API int fathom_compare(const struct fathom_document *before,
                              const struct fathom_document *after, double threshold,
                              struct fathom_comparison *, const char *format, char **text,
                              struct fathom_error *);

/* --- what a document says --- */

/* A finding: one result, as "L1.latency" or "bandwidth.read.all". */
struct fathom_value {
    size_t size;
    const char *name;
    const char *unit;                    /* "ns", "cycles", "B", "B/s", "Hz", ... or "" */
    double value, low, high;             /* with its interval of 95 % */
    double quiet, quiet_low, quiet_high; /* what the hardware does without neighbours */
    double declared;                     /* what the machine says, in the same unit */
    int doubtful;                        /* not 0: it carries a doubt */
    const char *sentence;                /* for people; may be NULL */
};

/* The finding of that name, of the experiment that its name alone stands for. FATHOM_USAGE: there
 * is none. */
FATHOM_API int fathom_finding(const struct fathom_document *, const char *name,
                              struct fathom_value *);
/* The i-th finding of all, from 0; FATHOM_USAGE behind the last. */
FATHOM_API int fathom_finding_at(const struct fathom_document *, size_t i, struct fathom_value *);

/* A series: a curve over x, or a matrix from a CPU, node or device to another. */
struct fathom_series {
    size_t size;
    const char *probe, *name;
    char factors[128]; /* what else was the same for all its points: "op cas"; "" */
    const char *x_name, *x_unit, *y_name, *y_unit;
    int matrix; /* not 0: points have from and to */
    size_t points;
};

struct fathom_point {
    size_t size;
    double x;         /* of a curve */
    int from, to;     /* of a matrix */
    double median;    /* NAN where the point failed */
    double low, high; /* its interval of 95 % */
    double quiet;     /* what the hardware does without neighbours */
    double cycles;    /* the median in cycles of the core */
    unsigned trials;
};

/* The i-th series of all, from 0; FATHOM_USAGE behind the last. */
FATHOM_API int fathom_series_at(const struct fathom_document *, size_t i, struct fathom_series *);
/* Fills up to `room` points of the i-th series; `points[0].size` must be set. Returns how many
 * there are. */
FATHOM_API int fathom_points(const struct fathom_document *, size_t i, struct fathom_point *points,
                             size_t room);

#ifdef __cplusplus
}
#endif

#endif
