/* Address translation on a line a page size: how far each TLB reaches and what lies beyond. */
#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <string.h>

/* "dtlb1.4K.entries": the parts of the name that are not the page size. */
static const struct finding *fact(const struct document *document, int level, const char *page,
                                  const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "dtlb%d.%s.%s", level, page, what);
    const struct finding *finding = document_finding(document, name);
    return finding && isfinite(finding->value) ? finding : NULL;
}

/* "; up to 2048 +7.00 cycles": what lies beyond, and what it adds. */
static void add_cost(struct line *line, const char *what, const struct finding *cost)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s%s", line->length ? "; " : "", what);
    if (!cost)
        return;
    line_add(line, " +%s ", figure_plain(cost->value, figure));
    line_add_clean(line, cost->unit);
}

static bool print_page(FILE *out, const struct document *document, const char *page, bool first,
                       const struct view_style *style)
{
    struct line line = {0};
    const struct finding *nearest = fact(document, 1, page, "entries");
    const struct finding *second = fact(document, 2, page, "entries");
    const struct finding *hit = fact(document, 2, page, "hit");
    const struct finding *walk = fact(document, 2, page, "walk");
    const struct finding *all[] = {nearest, second, hit, walk};
    unsigned flags = 0;
    for (int i = 0; i < 4; i++)
        flags |= all[i] ? all[i]->flags : 0;
    char what[64];
    if (nearest)
        line_add(&line, "%.0f entries", nearest->value);
    snprintf(what, sizeof what, "beyond");
    if (second)
        snprintf(what, sizeof what, "up to %.0f", second->value);
    if (second || hit)
        add_cost(&line, what, hit);
    if (walk)
        add_cost(&line, "a page walk", walk);
    if (!line.length)
        return false;
    line_add(&line, "%s", flag_doubts(flags) ? " !" : "");
    size_t indent = (size_t)fprintf(out, "  %-11s  %s pages: ", first ? "translation" : "", page);
    line_print_wrapped(out, style, indent, &line);
    return true;
}

void translation_print(FILE *out, const struct document *document, const struct view_style *style)
{
    static const char *const pages[] = {"4K", "16K", "64K", "2M", "32M", "512M", "1G"};
    bool first = true;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        first = !print_page(out, document, pages[i], first, style) && first;
}
