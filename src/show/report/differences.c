#include "show/report/differences.h"

#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/figure.h"

enum { CHANGED_MAX = 60, UNCERTAIN_MAX = 12, REMARKS_MAX = 12 };

void line_add_difference(struct line *line, const struct difference *difference)
{
    char figure[UNIT_TEXT];
    const struct series *series = difference->series;
    if (difference->finding_a) {
        const struct finding *finding = difference->finding_a;
        struct line experiment = {0};
        line_add_clean(line, finding->name);
        line_add_factors(&experiment, finding->factors, finding->deviations);
        if (experiment.length)
            line_add(line, " (%s)", experiment.text);
        if (finding->cpus) {
            line_add(line, " (CPUs ");
            line_add_clean(line, finding->cpus);
            line_add(line, ")");
        }
        return;
    }
    const struct point *point = difference->point_a;
    line_add_clean(line, series->name ? series->name : difference->probe->name);
    if (series->matrix)
        line_add(line, " from %d to %d", point->from, point->to);
    else
        line_add(line, " at %s", figure_valued(point->x, series->x.unit, figure));
    struct line factors = {0};
    for (size_t i = 0; i < series->factor_count; i++)
        if (!device_factor_is_named(series, &series->factors[i]))
            line_add_factors(&factors, &series->factors[i], 1);
    if (factors.length)
        line_add(line, " (%s)", factors.text);
}

const char *difference_unit(const struct difference *difference)
{
    const char *unit =
        difference->finding_a ? difference->finding_a->unit : difference->series->y.unit;
    return unit ? unit : "";
}

static void add_heading(struct report *report, const char *title)
{
    report_add(report, BLOCK_HEADING, SECTION_DIFFERENCES, 0)->heading =
        (struct heading){.level = 2, .title = title};
}

static void add_difference(struct report *report, struct differences_block *block,
                           const struct difference *difference)
{
    struct line what = {0};
    const char *unit = difference_unit(difference);
    struct changed_value *value =
        report_grow(report, (void **)&block->list, &block->count, sizeof *block->list);
    if (!value)
        return;
    line_add_difference(&what, difference);
    *value = (struct changed_value){.what = report_line(report, &what),
                                    .before = cell_of_value(difference->a, unit, FORM_VALUE),
                                    .after = cell_of_value(difference->b, unit, FORM_VALUE),
                                    .ratio = difference->ratio,
                                    .low = difference->low,
                                    .high = difference->high};
}

/* Those of one verdict, the first `most` of them; nothing where there are none. */
static void add_values(struct report *report, const struct differences *differences,
                       enum verdict verdict, const char *title, size_t most)
{
    struct differences_block block = {.verdict = verdict};
    size_t all = 0;
    for (size_t i = 0; i < differences->count; i++)
        if (differences->list[i].verdict == verdict && all++ < most)
            add_difference(report, &block, &differences->list[i]);
    if (!all)
        return;
    if (all > most)
        block.more = report_text(report, "and %zu more; --format csv has them all", all - most);
    add_heading(report, title);
    report_add(report, BLOCK_DIFFERENCES, SECTION_DIFFERENCES, 0)->differences = block;
}

static void add_remarks(struct report *report, const struct remark_line *lines, size_t count,
                        const char *title)
{
    if (count)
        add_heading(report, title);
    for (size_t i = 0; i < count && i <= REMARKS_MAX; i++)
        report_add(report, BLOCK_NOTE, SECTION_DIFFERENCES, 0)->note = (struct note){
            .kind = NOTE_REMARK,
            .flag = -1,
            .what = i < REMARKS_MAX ? lines[i].text
                                    : report_text(report, "and %zu more", count - REMARKS_MAX)};
}

void report_add_differences(struct report *report, const struct differences *differences,
                            double threshold)
{
    const char *sentence = report_text(
        report, "%zu of %zu values changed by more than %g %%, %zu may have", differences->changed,
        differences->count, threshold * 100, differences->uncertain);
    report_add(report, BLOCK_VERDICT, SECTION_DIFFERENCES, 0)->verdict =
        (struct verdict_block){.good = !differences->changed, .sentence = sentence};
    add_values(report, differences, CHANGED, "changed", CHANGED_MAX);
    add_values(report, differences, UNCERTAIN,
               "uncertain: beyond the threshold, but not beyond doubt", UNCERTAIN_MAX);
    add_values(report, differences, CONDITION, "conditions: what the runs met, no change",
               UNCERTAIN_MAX);
    add_values(report, differences, NEIGHBOURS,
               "neighbours: what was found moved, and the hardware without them did not",
               UNCERTAIN_MAX);
    add_remarks(report, differences->unfair, differences->unfair_count,
                "with care: the two differ in more than time");
    add_remarks(report, differences->missing, differences->missing_count, "not compared");
}
