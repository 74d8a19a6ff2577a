/* What the system takes and costs: facts. */
#include "base/units.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/report/builders.h"
#include "show/report/figure.h"

#include <math.h>
#include <string.h>

static const struct finding *find(const struct catalogue *catalogue, size_t index,
                                  enum finding_fact fact)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document == index && !entry->experiment && entry->meaning.fact == fact &&
            isfinite(entry->finding->value))
            return entry->finding;
    }
    return NULL;
}

/* "0.21 % of CPU time taken by others, up to 3.91 ms at a time; the least on CPUs 0,3" */
static void add_noise(struct line *line, const struct finding *taken, const struct finding *longest,
                      const struct finding *quietest)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s %% of CPU time taken by others", figure_plain(taken->value, figure));
    if (longest)
        line_add(line, ", up to %s at a time", duration_format(longest->value * 1e-6, figure));
    if (!quietest || !quietest->cpus || !taken->cpus || strcmp(quietest->cpus, taken->cpus) == 0)
        return;
    line_add(line, strpbrk(quietest->cpus, ",-") ? "; the least on CPUs " : "; the least on CPU ");
    line_add_clean(line, quietest->cpus);
}

void report_add_system(struct report *report, size_t index)
{
    const struct catalogue *catalogue = &report->catalogue;
    const struct finding *taken = find(catalogue, index, FACT_TAKEN);
    const struct finding *wake = find(catalogue, index, FACT_WAKE);
    struct facts facts = {0};
    if (taken) {
        struct line line = {0};
        add_noise(&line, taken, find(catalogue, index, FACT_LONGEST),
                  find(catalogue, index, FACT_QUIETEST));
        struct fact *fact = facts_add(report, &facts);
        fact->label = "noise";
        fact->text = report_line(report, &line);
    }
    if (wake) {
        char figure[UNIT_TEXT];
        struct fact *fact = facts_add(report, &facts);
        fact->label = "wake-up";
        /* From 10 us on in microseconds. */
        const bool is_long = wake->value >= 1e4;
        fact->text = report_text(report, "%s %s to wake another CPU by futex%s",
                                 figure_plain(wake->value / (is_long ? 1e3 : 1), figure),
                                 is_long ? "us" : "ns", flag_doubts(wake->flags) ? " !" : "");
    }
    if (!facts.count)
        return;
    struct heading *heading = &report_add(report, BLOCK_HEADING, SECTION_WIDTH, index)->heading;
    heading->level = 2;
    heading->title = "system";
    report_add(report, BLOCK_FACTS, SECTION_WIDTH, index)->facts = facts;
}
