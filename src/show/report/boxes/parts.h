/* What the files of the machine's boxes share. Not for use outside of them. */
#ifndef FATHOM_SHOW_REPORT_BOXES_PARTS_H
#define FATHOM_SHOW_REPORT_BOXES_PARTS_H

#include "conclude/levels/of_document.h"
#include "show/report/boxes/boxes.h"

enum {
    BOXES_ROADS_MAX = 16,  /* places whose bandwidth is looked at */
    BOXES_DEVICES_MAX = 8, /* devices that have a box */
};

/* What one kernel moves from and to a place. */
struct road {
    const char *place, *kernel;
    size_t length; /* of `place` */
    const struct finding *one, *all;
};

/* What was measured of the CPUs, or of one device. */
struct measured {
    const struct catalogue *catalogue;
    const struct document *document;
    size_t index;
    int device; /* -1: the CPUs */
    struct levels levels;
    struct road roads[BOXES_ROADS_MAX];
    size_t road_count;
};

void measured_collect(struct measured *, const struct catalogue *, size_t document, int device);
/* The level of that name as cores of that kind see it; those of a NULL kind are of the fastest, or
 * a device's. NULL: it was not measured. */
const struct level *measured_level(const struct measured *, const char *name, const char *kind);
/* Latency, capacity and bandwidth of the level that the box is named after. */
void measured_fill(const struct measured *, struct box *, const char *level, const char *kind);
/* The first finding of the CPUs of that fact and dimension; NULL: nobody measured it. */
const struct finding *measured_first(const struct measured *, enum finding_fact, enum dimension);

/* A new innermost box at that depth, valid until the next one. */
struct box *boxes_add(struct boxes *, struct pool *, enum box_kind, size_t depth);
/* The boxes of every device. */
void boxes_add_devices(struct boxes *, const struct catalogue *, size_t document, struct pool *);

#endif
