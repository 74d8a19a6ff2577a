/* Address translation on a line a page size: how far each TLB reaches and what lies beyond. */
#include "findings/tlb.h"
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

/* "98 % in pieces of 4K", where a hypervisor splits these pages. */
static void add_pieces(struct line *line, const struct document *document, size_t page)
{
    size_t piece;
    const struct finding *split = tlb_split_of(document, page, &piece);
    if (split)
        line_add(line, "%s%.0f %% in pieces of %s", line->length ? "; " : "",
                 100 * fmin(1, split->value), tlb_pages[piece].name);
}

static bool print_page(FILE *out, const struct document *document, size_t index, bool first,
                       const struct view_style *style)
{
    const char *page = tlb_pages[index].name;
    struct line line = {0};
    const struct finding *nearest = fact(document, 1, page, "entries");
    const struct finding *onset = fact(document, 1, page, "onset");
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
    else if (onset)
        line_add(&line, "costs begin at %.0f to %.0f", onset->low, onset->high);
    snprintf(what, sizeof what, "beyond");
    if (second)
        snprintf(what, sizeof what, "up to %.0f", second->value);
    if (second || hit)
        add_cost(&line, what, hit);
    if (walk)
        add_cost(&line, "a page walk", walk);
    add_pieces(&line, document, index);
    if (!line.length)
        return false;
    line_add(&line, "%s", flag_doubts(flags) ? " !" : "");
    size_t indent = (size_t)fprintf(out, "  %-11s  %s pages: ", first ? "translation" : "", page);
    line_print_wrapped(out, style, indent, &line);
    return true;
}

void translation_print(FILE *out, const struct document *document, const struct view_style *style)
{
    bool first = true;
    for (size_t i = 0; i < TLB_PAGES; i++)
        first = !print_page(out, document, i, first, style) && first;
}
