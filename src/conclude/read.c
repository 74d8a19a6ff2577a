#include "conclude/read.h"

#include "base/units.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 96 };

static void add(struct analysis *analysis, const struct finding_line *line, const char *pattern,
                const struct point *at, const struct point *first)
{
    const bool two = line->read == READ_EXCESS || line->read == READ_GAIN;
    const struct estimate a = finding_time_of(first), b = finding_time_of(at);
    const float more = (float)(at->x / first->x);
    struct estimate value = b;
    if (line->read == READ_EXCESS)
        value = (struct estimate){b.median - a.median, b.low - a.high, b.high - a.low};
    if (line->read == READ_GAIN) /* the ratio of their times per byte */
        value = (struct estimate){more * a.median / b.median, more * a.low / b.high,
                                  more * a.high / b.low};
    const size_t stem = strcspn(pattern, "*");
    char name[NAME_BYTES], size[UNIT_TEXT] = "";
    if (pattern[stem])
        size_name((uint64_t)fmin(fmax(at->x, 0), 0x1p62), size);
    snprintf(name, sizeof name, "%.*s%s%s", (int)stem, pattern, size,
             pattern + stem + (pattern[stem] != '\0'));
    struct finding *finding =
        finding_add_value(analysis->result, analysis->pool, name, line->unit,
                          estimate_interval(value), two ? at->flags | first->flags : at->flags);
    if (!two)
        finding->disturbance = at->disturbance;
    if (line->say)
        finding->text = line->say(analysis, at, first);
}

static void read_line(struct analysis *analysis, const struct finding_line *line,
                      const char *pattern, const struct series *series)
{
    const size_t count = series->point_count;
    const struct point *first = &series->points[0], *last = first + count - 1;
    const bool two = line->read == READ_EXCESS || line->read == READ_GAIN;
    if (line->read == READ_EACH)
        for (const struct point *at = first; at <= last; at++)
            if (point_has_value(at))
                add(analysis, line, pattern, at, first);
    if (line->read == READ_FIRST && count > 1 && point_has_value(first))
        add(analysis, line, pattern, first, first);
    if (line->read == READ_LAST && point_has_value(last))
        add(analysis, line, pattern, last, first);
    if (two && count > 1 && point_has_value(first) && point_has_value(last) &&
        !(line->read == READ_EXCESS && first->x > 1))
        add(analysis, line, pattern, last, first);
    analysis_read_off(analysis, series);
}

/* Copies the part of the list before the next separator; returns the rest of the list, or NULL. */
static const char *take(char part[NAME_BYTES], const char *list, const char *separator)
{
    const char *end = strstr(list, separator);
    snprintf(part, NAME_BYTES, "%.*s", (int)(end ? end - list : (ptrdiff_t)strlen(list)), list);
    return end ? end + 2 : NULL;
}

void findings_read(struct analysis *analysis, const struct finding_line *lines)
{
    for (const struct finding_line *line = lines; line->patterns; line++) {
        const char *patterns = line->patterns, *names = line->series;
        char pattern[NAME_BYTES], name[NAME_BYTES];
        while (names && patterns) {
            patterns = take(pattern, patterns, ", ");
            names = take(name, names, "; ");
            const struct series *series = analysis_series(analysis, name, NULL, NULL);
            if (series && series->point_count)
                read_line(analysis, line, pattern, series);
        }
    }
}
