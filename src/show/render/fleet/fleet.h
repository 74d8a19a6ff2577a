/* A fleet that was judged, as people and other programs read it. */
#ifndef FATHOM_SHOW_RENDER_FLEET_FLEET_H
#define FATHOM_SHOW_RENDER_FLEET_FLEET_H

#include "base/line.h"
#include "compare/fleet/fleet.h"
#include "show/render/render.h"

/* At most ten lines: how many are odd, and which, with the likely cause. Names odd nodes and no
 * others. */
void render_fleet_text(FILE *, const struct fleet *, const struct text_style *);
/* OpenMetrics: every value that was compared and its distance, with the node as a label, and for
 * each node whether it is odd. */
void render_fleet_metrics(FILE *, const struct fleet *);

/* "bandwidth.read.all 40.6 GB/s, peers' 61.0 (-33 %), and 3 more"; where nothing that was measured
 * is odd, what the node lacks. */
void line_add_odd(struct line *, const struct fleet_node *);

/* Where the page finds the page of a node. */
struct fleet_pages {
    const char *folder; /* as the fleet's page names it, "pages"; NULL: there are none */
    const bool *has;    /* by node */
};
enum { FLEET_PAGE_NAME = 160 };
/* The name of a node's page in that folder, "n017.html": letters, digits, dots, dashes and
 * underscores alone, whatever the node is called, and no two nodes have the same. */
const char *fleet_page_name(const struct fleet *, size_t node, char name[FLEET_PAGE_NAME]);
/* The nodes that the page shows one by one: the odd ones, then the others by name, as far as there
 * is room. Returns how many; `nodes` has room for FLEET_ROWS_MOST. */
enum { FLEET_ROWS_MOST = 256 };
size_t fleet_page_rows(const struct fleet *, size_t nodes[FLEET_ROWS_MOST]);
/* One self-contained page: the odd nodes, each finding's distribution, and a map of nodes and
 * findings. ERROR_SYSTEM without memory; otherwise as render_page_possible(). */
int render_fleet_page(FILE *, const struct fleet *, const struct fleet_pages *, struct error *);

#endif
