/* A fleet as ten lines of text; and the file names of nodes' pages, and the nodes that the fleet's
 * page shows. */
#include "show/render/fleet/fleet.h"

#include "base/clean.h"
#include "show/render/parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* With the other lines that makes ten. */
enum { ODD_LINES = 6 };

void line_add_odd(struct line *line, const struct fleet_node *node, bool brief)
{
    if (!node->lacks && !node->leads) {
        line_add(line, "%s", node->reason);
        return;
    }
    if (node->lacks) {
        /* Only the first clause; the rest explains it. */
        const size_t length = strcspn(node->reason, ":;");
        line_add(line, "%.*s", (int)(length - (node->reason[length - 1] == '.')), node->reason);
        return;
    }
    const struct finding *like = &node->leading->like;
    line_add_clean(line, like->name);
    line_add_in_brackets(line, like);
    if (!brief) {
        line_add(line, " ");
        line_add_value(line, node->leads->value, like->unit);
        line_add(line, ", peers ");
        line_add_value(line, node->leading->spreads[node->group].median, like->unit);
    }
    if (isfinite(node->leads->ratio)) {
        const double percent = node->leads->ratio * 100;
        line_add(line,
                 fabs(percent) < 9.95 ? " (%+.1f %%)"
                 : percent < 1000     ? " (%+.0f %%)"
                                      : " (%.3g times)",
                 percent < 1000 ? percent : node->leads->ratio + 1);
    }
    if (node->odd_count > 1)
        line_add(line, ", and %zu more", node->odd_count - 1);
}

static void put_heading(FILE *out, const struct fleet *fleet, const struct text_style *style)
{
    size_t groups = 0, now = 0;
    struct line line = {0};
    for (size_t i = 0; i < fleet->node_count; i++)
        now += fleet->nodes[i].state != NODE_BEFORE;
    for (size_t g = 0; g < fleet->group_count; g++)
        groups += fleet->groups[g].judged;
    if (!groups) {
        fprintf(out, "%zu node%s: none is judged, because fewer than %d are alike\n", now,
                now == 1 ? "" : "s", PEERS_FEWEST);
        return;
    }
    if (fleet->odd_count)
        line_add(&line, "%zu of %zu nodes %s peers (", fleet->odd_count, fleet->judged,
                 fleet->odd_count == 1 ? "differs from its" : "differ from their");
    else
        line_add(&line, "%zu nodes, none differs from its peers (", fleet->judged);
    if (groups > 1)
        line_add(&line, "%zu groups of like machines", groups);
    for (size_t g = 0; g < fleet->group_count && groups == 1; g++)
        if (fleet->groups[g].judged)
            line_add(&line, "%s", fleet->groups[g].name);
    line_add(&line, ")");
    fputs(ink(style, INK_BOLD), out);
    draw_sentence(out, line.text, 0, style);
    fputs(ink(style, INK_PLAIN), out);
}

static void put_odd(FILE *out, const struct fleet *fleet, const struct text_style *style)
{
    const size_t shown = fleet->odd_count <= ODD_LINES + 1 ? fleet->odd_count : ODD_LINES;
    for (size_t i = 0; i < shown; i++) {
        const struct fleet_node *node = &fleet->nodes[fleet->odd[i]];
        struct line name = {0}, line = {0}, brief = {0};
        line_add_clean(&name, node->name);
        line_add(&line, "%s: ", node->cause);
        line_add(&brief, "%s: ", node->cause);
        line_add_odd(&line, node, false);
        line_add_odd(&brief, node, true);
        if (clean_columns(name.text) + clean_columns(line.text) + 4 > (size_t)style->width)
            line = brief;
        fprintf(out, "  %s%s%s  ", ink(style, INK_BOLD), name.text, ink(style, INK_PLAIN));
        draw_sentence(out, line.text, clean_columns(name.text) + 4, style);
    }
    if (shown == fleet->odd_count)
        return;
    struct line line = {0};
    line_add(&line, "  and %zu more:", fleet->odd_count - shown);
    size_t named = shown;
    for (; named < fleet->odd_count &&
           line.length + strlen(fleet->nodes[fleet->odd[named]].name) + 5 <= (size_t)style->width;
         named++)
        line_add_between(&line, " ", fleet->nodes[fleet->odd[named]].name, "");
    line_add(&line, named < fleet->odd_count ? " ..." : "");
    draw_sentence(out, line.text, 0, style);
}

void render_fleet_text(FILE *out, const struct fleet *fleet, const struct text_style *wanted)
{
    const struct text_style sane = text_style_sane(wanted), *style = &sane;
    struct line left = {0}, compared = {0};
    size_t alone = 0;
    put_heading(out, fleet, style);
    put_odd(out, fleet, style);
    for (size_t i = 0; i < fleet->node_count; i++)
        alone += fleet->nodes[i].state == NODE_ALONE;
    if (alone)
        line_add(&left, "Not judged: %zu node%s of which fewer than %d are alike", alone,
                 alone == 1 ? "" : "s", PEERS_FEWEST);
    if (fleet->hole_count)
        line_add(&left, "%s%zu document%s unusable",
                 alone ? "; " : "Not judged: ", fleet->hole_count,
                 fleet->hole_count == 1 ? "" : "s");
    if (left.length)
        draw_sentence(out, left.text, 0, style);
    if (!fleet->judged)
        return;
    line_add(&compared, "%zu values compared, below %.3g %% left out", fleet->compared,
             fleet->rules.least * 100);
    if (fleet->odd_count)
        line_add(&compared, "; %.3g %% of those reported are chance",
                 fleet->rules.false_share * 100);
    line_add(&compared, ".");
    draw_sentence(out, compared.text, 0, style);
}

/* --- the nodes on the fleet's page --- */

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
    /* Unchanged names have no two dashes, so a name with "--" and the index is unique. */
    changed = changed || strstr(from, "--");
    snprintf(name + length, FLEET_PAGE_NAME - length, changed ? "--%zu.html" : ".html", node);
    return name;
}

/* The odd nodes, then the judged others by name, up to FLEET_ROWS_MOST. */
size_t fleet_page_rows(const struct fleet *fleet, size_t nodes[FLEET_ROWS_MOST])
{
    size_t count = 0;
    for (; count < fleet->odd_count && count < FLEET_ROWS_MOST; count++)
        nodes[count] = fleet->odd[count];
    const size_t odd = count;
    for (size_t i = 0; i < fleet->node_count; i++) {
        size_t at = count;
        if (fleet->nodes[i].state != NODE_JUDGED || fleet->nodes[i].odd)
            continue;
        while (at > odd && strcmp(fleet->nodes[nodes[at - 1]].name, fleet->nodes[i].name) > 0)
            at--;
        if (at == FLEET_ROWS_MOST)
            continue;
        count += count < FLEET_ROWS_MOST;
        memmove(nodes + at + 1, nodes + at, (count - 1 - at) * sizeof *nodes);
        nodes[at] = i;
    }
    return count;
}
