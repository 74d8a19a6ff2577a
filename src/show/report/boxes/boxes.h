/*
 * A machine as boxes in boxes, as lstopo draws it: memory outside and cores inside, each with what
 * was measured in it. Boxes that are alike are one, with their number, so a machine of 1024 CPUs
 * takes no more of them than a laptop.
 */
#ifndef FATHOM_SHOW_REPORT_BOXES_BOXES_H
#define FATHOM_SHOW_REPORT_BOXES_BOXES_H

#include "base/line.h"
#include "conclude/registry/catalogue.h"
#include "show/report/blocks.h"

enum box_kind { BOX_MEMORY, BOX_CACHE, BOX_KIND, BOX_CORE };

struct box {
    enum box_kind kind;
    size_t depth;        /* a box stands in the last one before it that is less deep */
    size_t count;        /* of these within the box around it; at least 1 */
    struct line name;    /* "L2", "nodes 0-3", "core" */
    struct line details; /* what is declared: "1 MiB"; not inert, and may be empty */
    /* What was measured in it, as the datasheet has it; empty (FORM_TEXT) and NAN where nothing
     * was. */
    struct cell cycles, ns; /* latency */
    struct cell capacity;
    double declared_bytes;
    struct cell one, all; /* bandwidth by one CPU; by all CPUs, or by a device */
    const char *kernel;   /* that moved the bytes; NULL: not said */
    double clock_hz;
    struct cell nearest, farthest;      /* hand-off to another CPU */
    struct cell remote_ns, remote_rate; /* memory of another node */
};

struct boxes {
    struct box *list; /* a box before those in it; in the pool */
    size_t count;
    size_t left_out; /* nodes and devices that there was no room for */
};

/* Those of a document, first of its CPUs, then of each device; none where it does not say what
 * machine it is of. */
void boxes_build(struct boxes *, const struct catalogue *, size_t document, struct pool *);

#endif
