/*
 * How long a loop takes on the machine that a document describes: time per access and bytes a
 * second, each with a band that nine of ten measurements of the same loop lie in, and what it is
 * bound by.
 *
 * The prediction carries measured curves from one to the next: latency by working set; what
 * translation adds on small pages; in each level the time of one chain of loads to that of several
 * (misses in flight); the same by threads and under load; and how many loads the core sees past the
 * work between them. What none of the documents holds is not assumed: then the answer is that it
 * can't be told, and what to measure.
 */
#pragma once

#include "document/document.h"
#include "stats/order.h"

enum loop_pattern {
    LOOP_RANDOM,     /* chases through all lines in random order */
    LOOP_SEQUENTIAL, /* vector loads of all bytes, in order; no load waits for another */
    LOOP_STRIDE,     /* one chase forward, a stride from load to load */
    LOOP_PATTERNS
};
extern const char *const loop_pattern_names[LOOP_PATTERNS + 1]; /* then NULL */

/* Of the memory; ANY_PAGES: as the documents' curves have them. */
enum loop_pages { ANY_PAGES, SMALL_PAGES, LARGE_PAGES };

/* An access is a load from a line. */
struct loop {
    double
        bytes; /* of all threads together; LOOP_SEQUENTIAL: each goes through a part of its own */
    enum loop_pattern pattern;
    enum loop_pages pages;
    double stride;            /* bytes, of LOOP_STRIDE */
    unsigned chains, threads; /* chains of each thread */
    double work; /* dependent additions after each access, a cycle each, on which no address
                    depends */
    int node;    /* of the memory; -1: the CPU's own */
};

struct prediction {
    struct interval ns;    /* of a thread, from one access to the next */
    struct interval bytes; /* a second, of lines (LOOP_SEQUENTIAL: bytes loaded), of all threads */
    const char *reason;    /* "bound by misses in flight of L3: 17 of them" */
    double memory;         /* share of the loads of LOOP_RANDOM that go to memory */
    const char *untold;    /* why it can't be told, and what to measure; NULL: it is told */
};

/* What several documents of one machine tell of the loop: each curve is taken from the first that
 * has it. Texts live in `pool`. ERROR_USAGE where the loop makes no sense, or this machine's CPUs,
 * memory or nodes can't run it. */
int predict(const struct document *const *, size_t count, const struct loop *, struct pool *pool,
            struct prediction *, struct error *);

/* The curve's value at x, interpolated between its points; beyond an end, the value at that end.
 * NAN: it has none. */
double predict_curve(const struct series *, double x);
