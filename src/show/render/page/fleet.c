/*
 * The fleet's page. It needs no script: strips and map are SVG, and the browser's tooltips
 * (<title>) explain each mark. Colours come from the page's style, by class.
 */
#include "base/sort.h"
#include "show/render/page/page.h"

#include "show/render/fleet/fleet.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdlib.h>

enum {
    STRIP_WIDTH = 640,
    STRIP_HEIGHT = 26,
    STRIP_DOTS_MOST = 400, /* with more nodes the strip shows a density */
    STRIP_BINS = 128,
    STRIPS_MOST = 160,
    COLUMNS_MOST = 64, /* columns of the map */
    CELL = 12,
    NAMES_WIDTH = 150,
    NAMES_HEIGHT = 170,
    SLANT = 110, /* room for the slanted name of the last column */
};

struct fleet_page {
    FILE *out;
    const struct fleet *fleet;
    const struct fleet_pages *pages;
};

/* Begins a link to a node's page; false: it has no page. */
static bool open_link(const struct fleet_page *page, size_t node)
{
    char name[FLEET_PAGE_NAME];
    if (!page->pages->folder || !page->pages->has[node])
        return false;
    html_print(page->out, "<a href=\"%s/%s\">", page->pages->folder,
               fleet_page_name(page->fleet, node, name));
    return true;
}

/* A node's name, as a link if it has a page. */
static void put_node(const struct fleet_page *page, size_t node)
{
    const bool link = open_link(page, node);
    html_print(page->out, link ? "%s</a>" : "%s", page->fleet->nodes[node].name);
}

static void put_head(const struct fleet_page *page)
{
    FILE *out = page->out;
    const struct fleet *fleet = page->fleet;
    struct line title = {0};
    line_add(&title, "fleet of %zu nodes", fleet->judged);
    html_head(out, title.text);
    fprintf(out, "</header>\n<main id=main class=fleet>\n<h1>Fleet of %zu nodes</h1>\n",
            fleet->judged);
    if (fleet->odd_count)
        fprintf(out, "<p><strong>%zu of %zu nodes %s peers.</strong> ", fleet->odd_count,
                fleet->judged, fleet->odd_count == 1 ? "differs from its" : "differ from their");
    else
        fprintf(out, "<p><strong>%zu nodes, none differs from its peers.</strong> ", fleet->judged);
    fprintf(out,
            "%zu values were compared. About %.3g %% of those that are called odd are so by "
            "chance; differences below %.3g %% are not reported.</p>\n",
            fleet->compared, fleet->rules.false_share * 100, fleet->rules.least * 100);
}

/* --- odd nodes, and nodes that were not judged --- */

static void put_odd(const struct fleet_page *page)
{
    FILE *out = page->out;
    const struct fleet *fleet = page->fleet;
    if (!fleet->odd_count)
        return;
    fputs("<section>\n<h2>Nodes that differ</h2>\n<div class=scroll><table>\n<thead><tr>"
          "<th scope=col>node<th scope=col>likely cause<th scope=col>farthest from its peers"
          "<th scope=col>what was seen, and what to look at</tr></thead>\n<tbody>\n",
          out);
    size_t shown = 0;
    for (; shown < fleet->odd_count && shown < HTML_ROWS_MAX; shown++) {
        const size_t node = fleet->odd[shown];
        struct line line = {0};
        fputs("<tr><th scope=row>", out);
        put_node(page, node);
        line_add_odd(&line, &fleet->nodes[node], false);
        html_print(out, "<td>%s<td>%s<td class=why>", fleet->nodes[node].cause, line.text);
        html_sentence(out, fleet->nodes[node].reason);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (shown < fleet->odd_count)
        fprintf(out, "<p>%zu more are in the fleet's document.</p>\n", fleet->odd_count - shown);
    fputs("</section>\n", out);
}

static void put_groups(const struct fleet_page *page)
{
    FILE *out = page->out;
    fputs("<section>\n<h2>Groups of like machines</h2>\n<div class=scroll><table>\n<thead><tr>"
          "<th scope=col>machine<th scope=col>nodes<th scope=col>differ</tr></thead>\n<tbody>\n",
          out);
    for (size_t g = 0; g < page->fleet->group_count && g < HTML_ROWS_MAX; g++) {
        const struct fleet_group *group = &page->fleet->groups[g];
        size_t odd = 0;
        if (!group->count)
            continue;
        for (size_t i = 0; i < page->fleet->odd_count; i++)
            odd += page->fleet->nodes[page->fleet->odd[i]].group == g;
        html_print(out, "<tr><th scope=row>%s<td>%zu<td>", group->name, group->count);
        if (group->judged)
            fprintf(out, "%zu</tr>\n", odd);
        else
            fputs("not judged: too few are alike</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (page->fleet->hole_count)
        fputs("<h3>Documents that cannot be used</h3>\n<ul>\n", out);
    for (size_t i = 0; i < page->fleet->hole_count && i < HTML_ROWS_MAX; i++) {
        html_print(out, "<li>%s: ", page->fleet->holes[i].name);
        html_sentence(out, page->fleet->holes[i].reason);
        fputc('\n', out);
    }
    fputs(page->fleet->hole_count ? "</ul>\n</section>\n" : "</section>\n", out);
}

/* --- strips: a finding's values in one group of peers --- */

struct strip {
    const struct fleet_finding *finding;
    size_t group;
    double low, high; /* ends of the axis */
    bool logarithms;
};

static double place_of(const struct strip *strip, double value)
{
    const double low = strip->logarithms ? log(strip->low) : strip->low;
    const double high = strip->logarithms ? log(strip->high) : strip->high;
    const double at = strip->logarithms ? log(value) : value;
    /* Halved first, because the difference of the ends may exceed a double. */
    const double share = (at / 2 - low / 2) / (high / 2 - low / 2);
    return high > low ? 6 + share * (STRIP_WIDTH - 12) : STRIP_WIDTH / 2.0;
}

static bool is_in(const struct fleet *fleet, const struct strip *strip,
                  const struct fleet_value *value)
{
    const struct fleet_node *node = &fleet->nodes[value->node];
    return node->state == NODE_JUDGED && node->group == strip->group;
}

static void put_title(const struct fleet_page *page, const struct strip *strip,
                      const struct fleet_value *value)
{
    struct line line = {0};
    line_add_between(&line, "", page->fleet->nodes[value->node].name, ": ");
    line_add_value(&line, value->value, strip->finding->like.unit);
    if (isfinite(value->ratio))
        line_add(&line, " (%+.1f %%)", value->ratio * 100);
    html_print(page->out, "<title>%s</title>", line.text);
}

static void put_density(const struct fleet_page *page, const struct strip *strip)
{
    size_t bins[STRIP_BINS] = {0}, most = 0;
    for (size_t i = 0; i < strip->finding->count; i++) {
        const struct fleet_value *value = &strip->finding->values[i];
        if (!is_in(page->fleet, strip, value))
            continue;
        const double at = place_of(strip, value->value) / STRIP_WIDTH;
        const size_t bin = (size_t)fmin(fmax(at * STRIP_BINS, 0), STRIP_BINS - 1);
        most = ++bins[bin] > most ? bins[bin] : most;
    }
    for (size_t b = 0; b < STRIP_BINS; b++)
        if (bins[b])
            fprintf(page->out,
                    "<rect class=\"peer\" x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"%d\" "
                    "opacity=\"%.2f\"><title>%zu nodes</title></rect>",
                    (double)b * STRIP_WIDTH / STRIP_BINS, (double)STRIP_WIDTH / STRIP_BINS,
                    STRIP_HEIGHT - 8, 0.15 + 0.85 * (double)bins[b] / (double)most, bins[b]);
}

static void put_strip(const struct fleet_page *page, struct strip *strip)
{
    const struct fleet_spread *spread = &strip->finding->spreads[strip->group];
    FILE *out = page->out;
    struct line ends[3] = {0};
    strip->low = INFINITY;
    strip->high = -INFINITY;
    strip->logarithms = spread->logarithms;
    for (size_t i = 0; i < strip->finding->count; i++)
        if (is_in(page->fleet, strip, &strip->finding->values[i])) {
            strip->low = fmin(strip->low, strip->finding->values[i].value);
            strip->high = fmax(strip->high, strip->finding->values[i].value);
        }
    fputs("<tr><th scope=row>", out);
    html_name(out, strip->finding->like.name);
    html_experiment(out, &strip->finding->like);
    const double values[] = {strip->low, spread->median, strip->high};
    for (int i = 0; i < 3; i++)
        line_add_value(&ends[i], values[i], strip->finding->like.unit);
    html_print(out,
               "<td>%s<td><svg class=strip viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
               "role=img aria-label=\"%zu nodes, the middle one at %s\"><rect "
               "class=\"four-fifths\" x=\"%.1f\" y=\"1\" width=\"%.1f\" height=\"%d\"/><rect "
               "class=\"middle\" x=\"%.1f\" y=\"0\" width=\"1\" height=\"%d\"/>",
               ends[0].text, STRIP_WIDTH, STRIP_HEIGHT, STRIP_WIDTH, STRIP_HEIGHT, spread->count,
               ends[1].text, place_of(strip, spread->p10),
               fmax(place_of(strip, spread->p90) - place_of(strip, spread->p10), 1),
               STRIP_HEIGHT - 2, place_of(strip, spread->median), STRIP_HEIGHT);
    const bool dots = spread->count <= STRIP_DOTS_MOST;
    if (!dots)
        put_density(page, strip);
    for (int odd = 0; odd < 2; odd++) /* odd ones are drawn last, on top */
        for (size_t i = 0; i < strip->finding->count; i++) {
            const struct fleet_value *value = &strip->finding->values[i];
            if (value->odd == odd && (odd || dots) && is_in(page->fleet, strip, value)) {
                const bool link = open_link(page, value->node);
                /* Different heights, which mean nothing, separate dots at the same place. */
                const double height = STRIP_HEIGHT / 2.0 + (double)(value->node % 5) * 3 - 6;
                fprintf(page->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">",
                        value->odd ? "odd" : "peer", place_of(strip, value->value), height,
                        value->odd ? "4.5" : "2.5");
                put_title(page, strip, value);
                fputs(link ? "</circle></a>" : "</circle>", page->out);
            }
        }
    html_print(out, "</svg><td>%s</tr>\n", ends[2].text);
}

static void put_strips(const struct fleet_page *page)
{
    FILE *out = page->out;
    size_t shown = 0, left = 0;
    fputs("<section>\n<h2>Each finding over the nodes</h2>\n<p>Each dot is a node; of many nodes, "
          "darker places hold more. The band is the middle 80 %, the line the median. Each strip "
          "has its own scale, from the lowest value to the highest.</p>\n",
          out);
    for (size_t g = 0; g < page->fleet->group_count; g++) {
        bool begun = false;
        for (size_t f = 0; f < page->fleet->finding_count; f++) {
            struct strip strip = {.finding = &page->fleet->findings[f], .group = g};
            if (!strip.finding->spreads || !strip.finding->spreads[g].count)
                continue;
            if (shown == STRIPS_MOST) {
                left++;
                continue;
            }
            if (!begun)
                html_print(out, "<h3>%s</h3>\n<div class=scroll><table class=strips><tbody>\n",
                           page->fleet->groups[g].name);
            begun = true;
            put_strip(page, &strip);
            shown++;
        }
        fputs(begun ? "</tbody></table></div>\n" : "", out);
    }
    if (left)
        fprintf(out, "<p>%zu more are in the fleet's document.</p>\n", left);
    fputs("</section>\n", out);
}

/* --- the map --- */

static void put_cell(const struct fleet_page *page, const struct fleet_finding *finding,
                     size_t node, size_t row, size_t column)
{
    const struct fleet_value *value =
        bsearch(&node, finding->values, finding->count, sizeof *finding->values, by_size);
    const int x = NAMES_WIDTH + (int)column * CELL, y = NAMES_HEIGHT + (int)row * CELL;
    if (!value || isnan(value->distance))
        return;
    const double strength = fmin(fabs(value->distance) / 8, 1);
    if (!value->odd && strength < 0.2)
        return; /* a value like its peers' leaves the cell empty */
    fprintf(page->out,
            "<rect class=\"%s%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" opacity=\"%.2f\">",
            value->distance > 0 ? "above" : "below", value->odd ? " odd" : "", x, y, CELL - 1,
            CELL - 1, value->odd ? 1 : 0.75 * strength);
    const struct strip strip = {.finding = finding};
    put_title(page, &strip, value);
    fputs("</rect>", page->out);
}

static void put_map(const struct fleet_page *page)
{
    FILE *out = page->out;
    const struct fleet_finding *columns[COLUMNS_MOST];
    size_t rows[FLEET_ROWS_MOST];
    /* The columns: compared findings, those with an odd value first. */
    size_t width = 0;
    for (int odd = 1; odd >= 0; odd--)
        for (size_t f = 0; f < page->fleet->finding_count && width < COLUMNS_MOST; f++) {
            const struct fleet_finding *finding = &page->fleet->findings[f];
            bool any = false;
            for (size_t i = 0; i < finding->count && !any; i++)
                any = finding->values[i].odd;
            if (finding->spreads && any == odd)
                columns[width++] = finding;
        }
    const size_t height = fleet_page_rows(page->fleet, rows);
    fputs("<section>\n<h2>Nodes and findings</h2>\n<p>The farther a node's value is from its "
          "peers', the stronger is its cell: orange above them, blue below. Odd values are framed.",
          out);
    if (height < page->fleet->judged)
        fprintf(out, " The map has %zu of %zu nodes, the odd ones first.", height,
                page->fleet->judged);
    const int w = NAMES_WIDTH + (int)width * CELL + SLANT,
              h = NAMES_HEIGHT + (int)height * CELL + 4;
    fprintf(out,
            "</p>\n<div class=scroll><svg class=map viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=img aria-label=\"Map of %zu nodes and %zu findings\">\n",
            w, h, w, h, height, width);
    for (size_t c = 0; c < width; c++) {
        const int x = NAMES_WIDTH + (int)c * CELL + CELL - 3;
        html_print(out, "<text transform=\"translate(%d %d) rotate(-60)\">%s</text>\n", x,
                   NAMES_HEIGHT - 4, columns[c]->like.name);
    }
    for (size_t r = 0; r < height; r++) {
        fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", NAMES_WIDTH - 6,
                NAMES_HEIGHT + (int)r * CELL + CELL - 3);
        put_node(page, rows[r]);
        fputs("</text>", out);
        for (size_t c = 0; c < width; c++)
            put_cell(page, columns[c], rows[r], r, c);
        fputc('\n', out);
    }
    fputs("</svg></div>\n</section>\n", out);
}

int render_fleet_page(FILE *out, const struct fleet *fleet, const struct fleet_pages *pages,
                      struct error *error)
{
    const struct fleet_page page = {out, fleet, pages};
    put_head(&page);
    put_odd(&page);
    put_strips(&page);
    put_map(&page);
    put_groups(&page);
    fputs("</main>\n</body>\n</html>\n", out);
    return 0;
}
