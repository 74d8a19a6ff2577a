/*
 * A machine as nested boxes, as lstopo draws it: memory outside and cores inside, each with its
 * measured values. Equal boxes are one box with a count, so a machine of 1024 CPUs needs no more
 * boxes than a laptop.
 */
#pragma once

#include "base/line.h"
#include "show/report/blocks.h"

struct box {
    size_t depth; /* its parent is the last box before it with a smaller depth */
    size_t count; /* how many the parent holds; at least 1 */
    /* it is unknown which CPUs share it, and so how many there are; what it would hold stands
     * beside it */
    bool unknown;
    struct line name;    /* "L2", "nodes 0-3", "core" */
    struct line details; /* declared facts: "1 MiB"; not inert, may be empty */
    /* Measured values as the datasheet shows them; FORM_TEXT (empty) or NAN: not measured. */
    struct cell cycles, ns; /* latency */
    struct cell capacity;
    double declared_bytes;
    struct cell one, all; /* bandwidth of one CPU and of all */
    const char *kernel;   /* of the bandwidth; NULL: unknown */
    double clock_hz;
    struct cell nearest, farthest;      /* hand-off to another CPU */
    struct cell remote_ns, remote_rate; /* memory of another node */
};

struct boxes {
    struct box *list; /* parents before children; in the pool */
    size_t count;
    size_t left_out; /* nodes beyond the limit */
};

/* The boxes of a document of the report; none if its CPUs are unknown. Levels of devices, each of
 * which is in the next, are a table of the datasheet. */
void boxes_build(struct boxes *, const struct report *, size_t index, struct pool *);
