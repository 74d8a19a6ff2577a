/*
 * Levels of a memory, read off a latency curve: the plateaus, and where the curve leaves each.
 *
 * A level is a stretch of at least half an octave of sizes on which latency hardly rises
 * (conclude/levels/steps.h); Saavedra and Smith, "Measuring cache and TLB performance and their
 * effect on benchmark run times", IEEE Trans. Computers 44(10), 1995, read levels off such plateaus
 * by eye. Between two of them the curve is a mixture: beyond a cache's capacity a share of the
 * loads misses it, and how that share grows with the size depends on replacement and on how evenly
 * sets are filled. So plateaus and capacities are fitted together to the whole curve as a sum of
 * such shares (conclude/levels/steps.h), and no single outlier decides a capacity.
 *
 * A level needs evidence (conclude/levels/steps.h): at least two sizes that agree (within 5 % if
 * they have no intervals), and a latency within the range of theirs. If sizes are half an octave
 * apart or more, nothing can be fitted, and the flats themselves are the levels
 * (sparse.c).
 *
 * The search does not use what the machine declares. README.md lists its steps in order; each fills
 * in more of struct level. A probe chooses for itself at which size it measures a level (struct
 * chase_level).
 */
#pragma once

#include "conclude/registry/registry.h"
#include "stats/order.h"

enum { CURVE_LEVELS_MAX = 9, LEVELS_MAX = 64, LEVEL_NAME_BYTES = 24, LEVELS_DECLARED_MOST = 8 };
/* The facts that are shown of a level: LEVEL_FACTS values of enum finding_fact from this one on. */
enum { LEVEL_FACT_FIRST = FACT_LATENCY, LEVEL_FACTS = FACT_WAYS + 1 };

/* A point of the curve. A point is ignored unless its size and latency are positive and finite. */
struct level_sample {
    double bytes, latency;
    double low, high; /* the latency's interval of 95 %; NAN: none */
    double least;     /* the least of its trials; 0: unknown */
    /* Filled by levels_find(): */
    int level;     /* index of the plateau that it is on; -1: none */
    double fitted; /* the latency that the whole fit gives here; NAN: nothing was fitted */
    double doubt;  /* possible error of the fit's correction here: relative half width */
};

/* As many as there are levels of TLBs: where fewer are known, translation may explain more steps.
 */
enum { KNEES_TRANSLATION_MOST = 2 };
/* A size above which translation adds time to every load: entries of a TLB times the page size. */
struct translation_knee {
    double bytes, cycles; /* cycles: in the unit of the curve when it is passed to levels_find() */
};

struct level {
    /* Steps 6 and 7, from a curve. */
    struct interval latency; /* without what translation adds */
    double fitted; /* the level's latency in the fit. It corrects samples to which other levels add
                      a small share: latency = y * fitted / the sample's own fitted */
    /* The largest working set that the level serves (exclusive levels: together with the levels
     * before it); NAN: the curve does not leave the plateau. */
    struct interval capacity;
    /* The curve leaves the level long before that capacity, and the sizes between belong to neither
     * this level nor the next one, so the capacity proves nothing. */
    bool blurred;
    double from, to; /* smallest and largest size on the plateau */
    /* If pages may be small: a step within the level that looks like translation, its size and the
     * latency that it adds; NAN: none. */
    double translated, translation;
    /* Step 8: what it is called, and the capacity that the machine declares for it, in bytes; NAN:
     * none. */
    char name[LEVEL_NAME_BYTES]; /* not made inert */
    enum level_kind kind;
    int number; /* of a cache: 2 of "L2" */
    double declared;
    /* The level's findings, as one experiment of a document has them (of_document.h). */
    size_t experiment; /* as in struct catalogue_entry; 0: the standard one */
    size_t rank;       /* its place in the registry's order of levels */
    bool
        reached; /* memory by its role, as the last level that was reached; not proven to be DRAM */
    const struct finding *facts[LEVEL_FACTS]; /* by enum finding_fact */
    const struct finding *example;            /* any one of the facts; all have its experiment */
};

/* A range of sizes for which no level was found. */
struct level_gap {
    double from, to;
};

struct levels {
    struct level list[LEVELS_MAX]; /* ascending; at most CURVE_LEVELS_MAX of a curve */
    size_t count;
    bool rising; /* the curve goes on rising beyond the last plateau */
    bool proven; /* the last plateau is memory: at least three sizes agree over an octave or more,
                    well past the last capacity */
    bool sparse; /* sizes are too far apart for a fit */
    struct level_gap gaps[CURVE_LEVELS_MAX]; /* ascending; there may be gaps before the first and
                                                after the last level */
    size_t gap_count;
    double clock; /* set by levels_of_series(): cycles a nanosecond; NAN: latencies are in the
                     series' unit */
    /* Set by findings_levels(): sizes that were measured, and bytes of the data caches that the
     * machine declares, by level from 1 on. */
    double smallest, largest, declared[LEVELS_DECLARED_MOST];
    size_t declared_count, skipped; /* how many of these are smaller than `smallest` */
    bool undeclared;                /* the machine is known, and declares no data cache */
    size_t left_out; /* set by levels_collect(): findings that there was no room for */
};

/* What is known of the pages that the samples were measured on, most first. */
enum level_pages {
    LEVEL_PAGES_KNOWN,  /* what translation adds is known, or is itself what is measured */
    LEVEL_PAGES_WALKED, /* what a guest's TLBs add is known, and not what its tables of pages do */
    LEVEL_PAGES_HOSTED, /* a guest's, which its host may keep in small ones: a small step may be due
                           to the TLB */
    LEVEL_PAGES_UNKNOWN, /* a table's: misses may begin early as well */
};

/* What is known of pages on which `declared` was measured (NULL: another tool's table), where so
 * many knees of translation are. */
enum level_pages level_pages(const struct machine_facts *declared, size_t knee_count);

/* Finds the levels of n samples in any order. Sizes may repeat. Fewer than two different sizes, or
 * a curve without a flat, give no level. Takes O(n log n) and a bounded time beyond that. Out of
 * memory leaves the pool's step. */
void levels_find(struct pool *, enum level_pages, struct level_sample *, size_t n,
                 const struct translation_knee *, size_t knee_count, struct levels *);

/* The samples of a series for levels_find(), one for each point, in the pool: in cycles if all
 * points have cycles, else in the series' unit. When the core's clock steps, the time of a load
 * within the core scatters, and so do the cycles of a load beyond it. So a sample is the steadier
 * of its point's time and cycles, converted to the clock that most points saw; *clock is its cycles
 * a nanosecond (NAN: samples are not converted). */
struct level_sample *level_samples(const struct series *, struct pool *, double *clock);
/* The levels of a series. `knees` are used only if the samples are
 * in cycles. Returns the samples, one for each point. */
struct level_sample *levels_of_series(struct pool *, enum level_pages, const struct series *,
                                      const struct translation_knee *knees, size_t knee_count,
                                      struct levels *);
/* One latency from the n >= 1 points of a plateau: their median, with the order-statistic interval
 * of the points (stats/order.h), widened where fewer than six make it, but never narrower than the
 * points' own intervals (`half_widths`; NAN: none). Points of one round are disturbed together, so
 * many points are hardly more precise than one. Sorts both arrays. */
struct interval level_pool(double *values, double *half_widths, size_t n);

/*
 * Levels: caches and DRAM as a latency curve shows them, and whether the machine declares the same.
 *
 * Findings, level by level: "L1.latency" in cycles where the points have cycles, "L1.latency_ns",
 * "L1.capacity" in bytes with an interval and, where it is declared, `declared`; "L2...." and so
 * on. The last plateau is memory, unless the curve leaves it or no memory is as fast: "DRAM" if at
 * least three sizes over an octave or more agree well past the last cache, otherwise "last". A
 * level gets the flags that more than a quarter of its points have.
 *
 * Three findings have a sentence and no value: "levels.gaps" says at which sizes too few agree for
 * a level, "levels.translation" at which size a step is probably caused by a TLB, and
 * "levels.disagreement" that more or fewer caches were found than are declared. So has memory's
 * latency where the curve leaves the last cache and no sizes agree beyond it.
 */
/* Adds the findings of one curve, a series of `result` or one like it, whose x is bytes and whose y
 * is ns, or cycles where its unit says so. The levels' times are read from `timed` where it is not
 * NULL: a curve of the same levels whose trials know whether they had the core alone. `declared` is
 * NULL for another tool's table: then nothing is compared, and without `knees` the pages are
 * unknown. `cpu` measured it (-1: unknown): its caches are those compared. `knees` are sizes beyond
 * which translation adds a number of cycles each; they are never reported as caches. */
void findings_levels(struct probe_result *result, struct pool *, const struct series *,
                     const struct series *timed, const struct machine_facts *declared, int cpu,
                     const struct translation_knee *knees, size_t knee_count);

/* The largest size of the octave in which memory is read, beyond a last cache of so many bytes that
 * the machine declares (0: none). */
double level_memory_end(double declared);

/* The same for a GPU's caches and memory. */

/* Declared sizes of the caches that the loads went through, in bytes; 0: unknown. */
struct gpu_declared {
    uint64_t l1_bytes, l2_bytes;
    bool past_l1; /* the loads bypassed L1: the first plateau is L2 */
};

/* Adds the findings of findings_levels() with a prefix to each name: "gpu0." makes
 * "gpu0.L1.latency". If the second level shows two plateaus, one to about half of the declared size
 * and one to all of it, the second is "L2.outer". */
void findings_gpu_levels(struct probe_result *, struct pool *, const char *prefix,
                         const struct series *, const struct gpu_declared *);
