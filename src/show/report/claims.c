/* What a chart shows, as a sentence: its title, because axes say what they are themselves. */
#include "base/quantity.h"
#include "base/text.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/device.h"
#include "show/report/figure.h"
#include "show/report/parts.h"

#include <ctype.h>
#include <math.h>

/* --- levels, by latency --- */

/* A level that keeps clearly less than is declared, else the latencies of all. */
static bool claim_levels(struct report *report, struct line *line, const struct block *block)
{
    const double clearly = 0.9;
    const struct curve *curve = &block->curve;
    const bool rate = quantity_is(curve->series->y.unit, DIMENSION_BANDWIDTH);
    struct levels levels;
    char kept[UNIT_TEXT], declared[UNIT_TEXT];
    if (!curve->plateau_count)
        return false;
    levels_collect(&levels, &report->catalogue, block->document,
                   device_of_name(curve->series->name, NULL));
    for (size_t i = 0; i < levels.count && !rate; i++) {
        const struct level *level = &levels.list[i];
        const struct finding *capacity = level->facts[FACT_CAPACITY];
        if (!capacity || !(capacity->high < level->declared * clearly))
            continue;
        const bool bound = finding_is_bound(capacity);
        line_add(line, bound ? "%s begins to miss at %s of %s" : "%s keeps %s of %s here",
                 level->name, figure_valued(capacity->value, "B", kept),
                 figure_valued(level->declared, "B", declared));
        return true;
    }
    line_add(line, rate ? "bandwidth of one CPU: " : "latency: ");
    for (size_t i = 0; i < curve->plateau_count; i++)
        line_add(line, "%s%s", i ? i + 1 == curve->plateau_count ? " and " : ", " : "",
                 curve->plateaus[i].text);
    return true;
}

/* "L1 has 12 ways: of the lines that contend for one set the 13th falls out" */
static bool claim_ways(struct report *report, struct line *line, const struct block *block)
{
    const struct catalogue_entry *list =
        catalogue_of(&report->catalogue, block->document, block->probe);
    if (!text_same(block->curve.series->x.name, "lines"))
        return false;
    for (size_t i = 0; i < block->probe->finding_count; i++) {
        const struct finding_meaning *meaning = &list[i].meaning;
        const double ways = list[i].finding->value;
        if (meaning->fact != FACT_WAYS || !(ways >= 1 && ways < 1e6) || meaning->device >= 0)
            continue;
        line_add(line, "L%d has %.0f ways: one more line of the same set evicts another",
                 meaning->number, ways);
        return true;
    }
    return false;
}

/* --- any curve --- */

struct ends {
    const struct point *first, *last, *least, *most;
};

static bool ends_of(const struct series *series, struct ends *ends)
{
    *ends = (struct ends){0};
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!isfinite(point->y.median) || (!series->matrix && !isfinite(point->x)))
            continue;
        if (!ends->first || point->x < ends->first->x)
            ends->first = point;
        if (!ends->last || point->x >= ends->last->x)
            ends->last = point;
        if (!ends->least || point->y.median < ends->least->y.median)
            ends->least = point;
        if (!ends->most || point->y.median > ends->most->y.median)
            ends->most = point;
    }
    return ends->first && ends->least != ends->most;
}

static void add_value(struct line *line, const char *before, const struct point *point,
                      const struct series *series)
{
    line_add(line, "%s", before);
    line_add_value(line, (double)point->y.median, series->y.unit);
}

static void add_place(struct line *line, const char *before, const struct point *point,
                      const struct series *series)
{
    char place[UNIT_TEXT];
    line_add(line, "%s%s", before, figure_place(point->x, series->x.unit, place));
}

/* The series that changes most from its first x to its last; of those that the screen draws, if it
 * draws one. */
static size_t most_telling(const struct block *blocks, size_t count)
{
    size_t best = 0;
    double farthest = -1;
    bool drawn = false;
    for (size_t i = 0; i < count; i++)
        drawn = drawn || blocks[i].curve.series->headline;
    for (size_t i = 0; i < count; i++) {
        struct ends ends;
        if (blocks[i].curve.series->headline != drawn || !ends_of(blocks[i].curve.series, &ends))
            continue;
        const double ratio = (double)(ends.last->y.median / ends.first->y.median);
        const double far = ratio > 0 ? fabs(log(ratio)) : 0;
        if (far > farthest) {
            farthest = far;
            best = i;
        }
    }
    return best;
}

static bool claim_curve(struct line *line, const struct block *blocks, size_t count)
{
    const double clearly = 1.1;
    const struct curve *curve = &blocks[most_telling(blocks, count)].curve;
    const struct series *series = curve->series;
    struct ends ends;
    if (!ends_of(series, &ends))
        return false;
    line_add_clean(line, series->y.name ? series->y.name : "value");
    if (curve->apart) {
        add_value(line, ": least ", ends.least, series);
        line_add_between(line, " (", series->x.name, "");
        add_place(line, " ", ends.least, series);
        add_value(line, "), most ", ends.most, series);
        line_add_between(line, " (", series->x.name, "");
        add_place(line, " ", ends.most, series);
        line_add(line, ")");
    } else {
        const double ratio = (double)(ends.last->y.median / ends.first->y.median);
        const bool steady = ratio < clearly && ratio > 1 / clearly;
        add_value(line,
                  steady      ? " stays at about "
                  : ratio > 1 ? " rises from "
                              : " falls from ",
                  ends.first, series);
        if (!steady)
            add_value(line, " to ", ends.last, series);
        line_add_between(line, ", ", series->x.name ? series->x.name : "x", "");
        add_place(line, " ", ends.first, series);
        add_place(line, " to ", ends.last, series);
    }
    if (count > 1)
        line_add_between(line, " (", curve->label, ")");
    return true;
}

/* "hand-off, op cas: from 9.00 ns (1 to 0) to 162 ns (28 to 29)" */
static bool claim_matrix(struct line *line, const struct series *series)
{
    const double alike = 1.02;
    struct ends ends;
    ends_of(series, &ends);
    if (!ends.first)
        return false;
    line_add_clean(line, series->name ? series->name : "value");
    if (ends.most->y.median < ends.least->y.median * alike) {
        add_value(line, ": ", ends.least, series);
        line_add(line, series->point_count > 1 ? " for every pair" : "");
        return true;
    }
    add_value(line, ": from ", ends.least, series);
    line_add(line, " (%d to %d)", ends.least->from, ends.least->to);
    add_value(line, " to ", ends.most, series);
    line_add(line, " (%d to %d)", ends.most->from, ends.most->to);
    return true;
}

const char *report_claim(struct report *report, const struct block *blocks, size_t count)
{
    struct line line = {0};
    const bool said = blocks->kind == BLOCK_MATRIX ? claim_matrix(&line, blocks->matrix.series)
                                                   : claim_levels(report, &line, blocks) ||
                                                         claim_ways(report, &line, blocks) ||
                                                         claim_curve(&line, blocks, count);
    if (!said)
        return NULL;
    if (device_of_name(line.text, NULL) < 0)
        line.text[0] = (char)toupper((unsigned char)line.text[0]);
    return report_line(report, &line);
}
