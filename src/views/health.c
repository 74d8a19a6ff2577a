/* One line for whoever watches many machines. */
#include "views/clean.h"
#include "views/differences.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>

static void add_value(struct line *line, double value, const char *unit)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s", figure_valued(value, unit, figure));
    if (unit && *unit && !*figure_scale(unit).unit) {
        line_add(line, " ");
        line_add_clean(line, unit);
    }
}

/* "L2 latency 21.3 cycles, expected 16.0 +- 0.5" */
static void add_ailment(struct line *line, const struct ailment *ailment)
{
    const struct finding *should = ailment->should;
    char figure[UNIT_TEXT], name[CLEAN_TEXT];
    clean_text(should->name, name, sizeof name);
    for (char *c = name; *c; c++)
        *c = *c == '.' ? ' ' : *c;
    line_add(line, "%s ", name);
    if (ailment->now) {
        add_value(line, ailment->now->value, should->unit);
        double divisor = figure_scale(should->unit).divisor;
        line_add(line, ", expected %s", figure_plain(should->value / divisor, figure));
        line_add(line, " +- %s",
                 figure_plain(fabs(ailment->bound - should->value) / divisor, figure));
    } else {
        line_add(line, "not found, expected ");
        add_value(line, should->value, should->unit);
    }
}

void view_health(FILE *out, const struct health_check *check)
{
    struct line line = {0};
    size_t shown = check->worse ? check->worse : check->count;
    line_add(&line, "%s", check->worse ? "FAIL " : check->count ? "UNCERTAIN " : "OK ");
    for (size_t i = 0; i < shown; i++) {
        line_add(&line, "%s", i ? "; " : "");
        add_ailment(&line, &check->ailments[i]);
    }
    if (!check->count)
        line_add(&line, "%zu values as good as expected", check->checked);
    fprintf(out, "%s\n", line.text);
}
