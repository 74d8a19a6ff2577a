/* Which nodes have pages of their own, and what these are called. */
#include "show/render/fleet/fleet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *fleet_page_name(const struct fleet *fleet, size_t node, char name[FLEET_PAGE_NAME])
{
    enum { KEPT = 100 };
    const char *from = fleet->nodes[node].name;
    bool changed = strlen(from) > KEPT || *from == '.' || !*from;
    size_t length = 0;
    for (; from[length] && length < KEPT; length++) {
        const unsigned char c = (unsigned char)from[length];
        const bool plain = c < 0x80 && (isalnum(c) || strchr("._-", c));
        name[length] = plain && (length || c != '.') ? (char)c : '_';
        changed = changed || !plain;
    }
    /* A bare name never has two dashes before its end, so it is no other node's. */
    changed = changed || strstr(from, "--");
    snprintf(name + length, FLEET_PAGE_NAME - length, changed ? "--%zu.html" : ".html", node);
    return name;
}

struct named {
    const char *name;
    size_t node;
};

static int by_name(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    const int order = strcmp(left->name, right->name);
    return order ? order : (left->node > right->node) - (left->node < right->node);
}

size_t fleet_page_rows(const struct fleet *fleet, size_t nodes[FLEET_ROWS_MOST])
{
    size_t count = 0, others = 0;
    for (; count < fleet->odd_count && count < FLEET_ROWS_MOST; count++)
        nodes[count] = fleet->odd[count];
    struct named *named = malloc((fleet->node_count + 1) * sizeof *named);
    for (size_t i = 0; named && i < fleet->node_count; i++)
        if (fleet->nodes[i].state == NODE_JUDGED && !fleet->nodes[i].odd)
            named[others++] = (struct named){fleet->nodes[i].name, i};
    if (named)
        qsort(named, others, sizeof *named, by_name);
    for (size_t i = 0; i < others && count < FLEET_ROWS_MOST; i++)
        nodes[count++] = named[i].node;
    free(named);
    return count;
}
