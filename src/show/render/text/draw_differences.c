/* What changed between two documents, a line each: "L1.latency: 5.00 cycles -> 6.00 cycles, +20 %".
 */
#include "show/render/parts.h"
#include "show/render/text/draw.h"
#include "show/report/figure.h"

#include <math.h>

static void add_percent(struct line *line, double ratio)
{
    const double percent = (ratio - 1) * 100;
    line_add(line, fabs(percent) < 9.95 ? "%+.1f" : "%+.0f", percent);
}

static void draw_value(FILE *out, const struct changed_value *value, enum verdict verdict,
                       const struct text_style *style)
{
    static const char marks[VERDICTS] = {
        [UNCERTAIN] = '?', [CHANGED] = '!', [CONDITION] = '-', [NEIGHBOURS] = '-'};
    const bool changed = verdict == CHANGED;
    char figure[UNIT_TEXT], after[CELL_TEXT];
    struct line line = {0};
    line_add_clean(&line, value->what);
    line_add(&line, ": %s -> %s, ", figure_valued(value->before.value, value->before.unit, figure),
             cell_text(&value->after, after));
    add_percent(&line, value->ratio);
    line_add(&line, " %%");
    if (isfinite(value->low) && isfinite(value->high)) {
        line_add(&line, " (");
        add_percent(&line, value->low);
        line_add(&line, " to ");
        add_percent(&line, value->high);
        line_add(&line, " %%)");
    } else {
        line_add(&line, " (no interval)");
    }
    fprintf(out, "  %s%c%s ", changed ? ink(style, INK_WARN) : "", marks[verdict],
            changed ? ink(style, INK_PLAIN) : "");
    line_print_wrapped(out, style, 4, &line);
}

void draw_differences(FILE *out, const struct differences_block *block,
                      const struct text_style *style)
{
    for (size_t i = 0; i < block->count; i++)
        draw_value(out, &block->list[i], block->verdict, style);
    if (block->more)
        fprintf(out, "    %s\n", block->more);
}
