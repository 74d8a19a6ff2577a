/* Why points have no value: each reason once, with how often and where first. */
#include "render/parts.h"
#include "report/figure.h"

#include <string.h>

static void add(struct failures *failures, const struct series *series, const struct point *point)
{
    size_t at = 0;
    while (at < failures->count && strcmp(failures->list[at].first->failed, point->failed) != 0)
        at++;
    if (at == FAILURES_MAX) {
        failures->others++;
        return;
    }
    if (at == failures->count)
        failures->list[failures->count++] = (struct failure){point, series, 0};
    failures->list[at].count++;
}

void failures_collect(struct failures *failures, const struct probe_result *probe)
{
    *failures = (struct failures){0};
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++)
            if (probe->series[s].points[i].failed)
                add(failures, &probe->series[s], &probe->series[s].points[i]);
}

void line_add_failure(struct line *line, const struct probe_result *probe,
                      const struct failures *failures, size_t index)
{
    const struct failure *failure = &failures->list[index];
    const char *many = failure->count == 1 ? "" : "s";
    char x[UNIT_TEXT];
    line_add(line, "%zu ", failure->count);
    line_add_clean(line, probe->name);
    if (failure->series->matrix)
        line_add(line, " pair%s failed, (%d,%d) first: ", many, failure->first->from,
                 failure->first->to);
    else
        line_add(line, " point%s failed, %s first: ", many,
                 figure_place(failure->first->x, failure->series->x.unit, x));
    line_add_clean(line, failure->first->failed);
    if (failures->others && index + 1 == failures->count)
        line_add(line, " (and %zu more for other reasons)", failures->others);
}
