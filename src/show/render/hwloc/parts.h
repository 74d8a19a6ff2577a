/* What the output is put together from: hwloc's XML, version 2.0 (hwloc2.dtd). Its readers want
 * every set of an object, and of each text its length, or fail. */
#ifndef FATHOM_SHOW_RENDER_HWLOC_PARTS_H
#define FATHOM_SHOW_RENDER_HWLOC_PARTS_H

#include "show/render/hwloc/objects.h"

#include <stdio.h>

/* " name=\"0x00000003\"", a bitmap in words of 32 bits, the highest first. */
void hwloc_put_set(FILE *, const char *name, const struct cpulist *);
/* <info name value>, the text made inert and escaped; nothing where it is NULL. */
void hwloc_put_info(FILE *, const char *name, const char *value);
/* The number by which the file names a node's memory. */
size_t hwloc_node_id(const struct objects *, size_t node);

/* The tree. ERROR_SYSTEM without memory. */
int hwloc_put_tree(FILE *, const struct objects *, const struct document *, struct error *);
/* Hand-offs between CPUs as distances. ERROR_SYSTEM without memory. */
int hwloc_put_distances(FILE *, const struct objects *, const struct document *, struct error *);
/* Latencies and bandwidths of nodes as memory attributes. ERROR_SYSTEM without memory. */
int hwloc_put_attributes(FILE *, const struct objects *, const struct document *, struct error *);

#endif
