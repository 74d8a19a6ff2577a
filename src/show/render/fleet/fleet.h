/* A judged fleet, for people and for other programs. */
#pragma once

#include "base/line.h"
#include "compare/fleet/fleet.h"
#include "show/render/render.h"

/* At most ten lines: how many nodes are odd, which, and the likely cause. Only odd nodes are
 * named. */
void render_fleet_text(FILE *, const struct fleet *, const struct text_style *);
/* OpenMetrics: every compared value and its distance, with the node as a label, and for each node
 * whether it is odd. */
void render_fleet_metrics(FILE *, const struct fleet *);

/* "bandwidth.read.all 40.6 GB/s, peers' 61.0 (-33 %), and 3 more"; if no measured value is odd,
 * what the node lacks. `brief`: without the two values. */
void line_add_odd(struct line *, const struct fleet_node *, bool brief);

/* Where the fleet's page finds the pages of nodes. */
struct fleet_pages {
    const char *folder; /* relative to the fleet's page, "pages"; NULL: none */
    const bool *has;    /* by node: whether it has a page */
};
enum { FLEET_PAGE_NAME = 160 };
/* The file name of a node's page in that folder, "n017.html": only letters, digits, dots, dashes
 * and underscores, whatever the node's name; different for every node. */
const char *fleet_page_name(const struct fleet *, size_t node, char name[FLEET_PAGE_NAME]);
/* The nodes that the page shows individually: the odd ones, then the first others by name, up to
 * FLEET_ROWS_MOST. Returns their number. */
enum { FLEET_ROWS_MOST = 256 };
size_t fleet_page_rows(const struct fleet *, size_t nodes[FLEET_ROWS_MOST]);
/* A self-contained page: the odd nodes, each finding's distribution, and a map of nodes and
 * findings. ERROR_SYSTEM without memory. */
int render_fleet_page(FILE *, const struct fleet *, const struct fleet_pages *, struct error *);
