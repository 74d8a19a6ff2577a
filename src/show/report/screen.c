/* Lines of the first screen besides the datasheet: hand-offs, costs of the system, what to do with
 * the figures, and where the rest is. */
#include "base/units.h"
#include "conclude/advise.h"
#include "conclude/levels/of_document.h"
#include "show/report/parts.h"

#include <math.h>
#include <string.h>

const struct finding *report_find(const struct report *report, size_t index, enum finding_role role,
                                  enum finding_fact fact, const char *subject)
{
    const struct catalogue *catalogue = &report->catalogue;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        const struct finding_meaning *meaning = &entry->meaning;
        if (entry->document == index && !entry->experiment && meaning->role == role &&
            meaning->fact == fact && meaning->device < 0 && isfinite(entry->finding->value) &&
            (!subject || (strlen(subject) == meaning->subject_length &&
                          memcmp(subject, meaning->subject, meaning->subject_length) == 0)))
            return entry->finding;
    }
    return NULL;
}

/* "~11.2 us" */
static void add_figure(struct line *line, const char *before, const struct finding *finding)
{
    const struct cell cell = cell_of_finding(finding, FORM_VALUE);
    char text[CELL_TEXT];
    line_add(line, "%s%s", before, cell_text(&cell, text));
}

/* `about`: the finding whose note it refers to; NULL: none. */
static void add_fact(struct report *report, size_t index, struct facts *facts, const char *label,
                     const struct line *text, const struct finding *about)
{
    if (text->length)
        *facts_add(report, facts) =
            (struct fact){.label = label,
                          .text = report_line(report, text),
                          .note = about ? report_note_of(report, index, about) : 0,
                          .about = about};
}

/* --- hand-offs and costs of the system --- */

/* "23.9 to 25.4 ns a hand-off of a line; wake-up by futex 11.2 us" between two CPUs; "nearest 9.00
 * ns (CPUs 0,1), farthest 162 ns (CPUs 3,17)" between more. */
static void add_handoffs(struct report *report, size_t index, struct facts *facts)
{
    const struct finding *wake = report_find(report, index, ROLE_PROPERTY, FACT_WAKE, NULL);
    const struct finding *near = report_find(report, index, ROLE_HANDOFF, FACT_NEAREST, NULL);
    const struct finding *far = report_find(report, index, ROLE_HANDOFF, FACT_FARTHEST, NULL);
    const char *label = "hand-offs";
    struct line line = {0};
    const bool one = near && far && near->cpus && far->cpus && strcmp(near->cpus, far->cpus) == 0;
    if (wake && !one) {
        struct line waking = {0};
        add_figure(&waking, "", wake);
        line_add(&waking, " to wake another CPU by futex");
        add_fact(report, index, facts, "wake-up", &waking, wake);
    }
    if (!near || !far)
        return;
    if (one) {
        char least[CELL_TEXT], most[CELL_TEXT];
        const struct cell from = cell_of_finding(near, FORM_VALUE),
                          to = cell_of_finding(far, FORM_VALUE);
        cell_text(&from, least);
        cell_text(&to, most);
        if (strcmp(least, most) != 0)
            line_add(&line, "%.*s to ", (int)strcspn(least, " "), least);
        line_add(&line, "%s a hand-off of a line", most);
        if (wake)
            add_figure(&line, "; wake-up by futex ", wake);
        label = report_text(report, "CPUs %s", near->cpus);
    } else {
        add_figure(&line, "nearest ", near);
        if (near->cpus)
            line_add_between(&line, " one way (CPUs ", near->cpus, ")");
        add_figure(&line, ", farthest ", far);
        if (far->cpus)
            line_add_between(&line, " (CPUs ", far->cpus, ")");
    }
    add_fact(report, index, facts, label, &line, near);
}

/* "others take 2.66 % of time, at most 8.04 ms at once; least on CPUs 0,3" */
static void add_noise(struct report *report, size_t index, struct facts *facts)
{
    const struct finding *taken = report_find(report, index, ROLE_CONDITION, FACT_TAKEN, NULL);
    const struct finding *longest = report_find(report, index, ROLE_CONDITION, FACT_LONGEST, NULL);
    const struct finding *quietest =
        report_find(report, index, ROLE_CONDITION, FACT_QUIETEST, NULL);
    const char *cpus = quietest ? quietest->cpus : NULL;
    struct line line = {0};
    if (!taken)
        return;
    add_figure(&line, "others take ", taken);
    line_add(&line, " of time");
    if (longest)
        add_figure(&line, ", at most ", longest);
    line_add(&line, longest ? " at once" : "");
    if (cpus && taken->cpus && strcmp(cpus, taken->cpus) != 0)
        line_add(&line, "; least on %s %s", strpbrk(cpus, ",-") ? "CPUs" : "CPU", cpus);
    add_fact(report, index, facts, "noise", &line, taken);
}

/* "DRAM 104 ns, p90 172, p99 301, ...": for each probe a section of facts, labelled by the first
 * part of its findings' names, with a line for each finding whose value needs its sentence. Where
 * there is room for few lines, one stays: that of memory, else the first. */
static void add_said(struct report *report, size_t index)
{
    const struct catalogue *catalogue = &report->catalogue;
    const size_t before = report->count;
    struct facts facts = {.apart = true};
    const char *label = "";
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        const struct finding *finding = entry->finding;
        const size_t length = strcspn(finding->name, ".");
        struct line line = {0};
        if (entry->document != index || entry->experiment || entry->meaning.fact != FACT_SAID ||
            !finding->text)
            continue;
        line_add(&line, "%.*s ", (int)entry->meaning.subject_length, entry->meaning.subject);
        if (isfinite(finding->value))
            add_figure(&line, "", finding);
        line_add_between(&line, isfinite(finding->value) ? ", " : "", finding->text, "");
        const bool more = strncmp(label, finding->name, length) == 0 && !label[length];
        if (!more) {
            report_add_facts(report, SECTION_WIDTH, index, NULL, NULL, &facts);
            facts = (struct facts){.apart = facts.apart && !facts.count};
            label = report_text(report, "%.*s", (int)length, finding->name);
        }
        add_fact(report, index, &facts, more ? "" : label, &line, finding);
        if (!more || entry->meaning.level == LEVEL_MEMORY) {
            facts.brief = facts.list[facts.count - 1];
            facts.brief.label = label;
        }
    }
    report_add_facts(report, SECTION_WIDTH, index, NULL, NULL, &facts);
    report_spare(report, before, SPARE_LEVELS);
}

void report_add_system(struct report *report, size_t index)
{
    struct facts facts = {.apart = true};
    add_handoffs(report, index, &facts);
    /* "4K 1.16 us, 2M 28.4 us (huge 20.9 times as fast per byte)" */
    const struct catalogue *catalogue = &report->catalogue;
    const struct finding *gain = report_find(report, index, ROLE_PROPERTY, FACT_GAIN, NULL);
    const struct finding *first = NULL;
    struct line line = {0};
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document != index || entry->experiment || entry->meaning.fact != FACT_TOUCH ||
            !isfinite(entry->finding->value))
            continue;
        first = first ? first : entry->finding;
        line_add(&line, "%s%.*s ", line.length ? ", " : "", (int)entry->meaning.subject_length,
                 entry->meaning.subject);
        add_figure(&line, "", entry->finding);
    }
    if (line.length && gain) {
        add_figure(&line, " (huge ", gain);
        line_add(&line, " times as fast per byte)");
    }
    if (first)
        add_fact(report, index, &facts, "page fault", &line, first);
    add_noise(report, index, &facts);
    report_add_facts(report, SECTION_WIDTH, index, NULL, NULL, &facts);
    add_said(report, index);
}

/* --- what to do with the figures --- */

/* "blocks of 32 KiB stay in L1; do not count on L2": it is declared and was not found, or keeps no
 * more than the one before, or, unless it is the last cache, of which each has a part, less than
 * half of it; "the size of L2 was not found": its latency was. */
static void advise_blocks(struct report *report, size_t index, struct line *line)
{
    struct levels levels;
    struct line lost = {0}, unknown = {0};
    bool looked = false; /* for levels, and not only how caches are built */
    double before = 0;
    levels_collect(&levels, &report->catalogue, index, -1);
    for (size_t i = 0; i < levels.count; i++)
        looked = looked || levels.list[i].facts[FACT_LATENCY];
    for (size_t i = 0; i < levels.count; i++) {
        const struct level *level = &levels.list[i];
        const struct finding *capacity = level->facts[FACT_CAPACITY];
        char size[UNIT_TEXT];
        /* A level whose capacity nobody looked for is not lost. */
        if (level->experiment || level->kind != LEVEL_CACHE || !looked ||
            (!capacity && level->facts[FACT_LATENCY]))
            continue;
        const bool known = capacity && finding_grade(capacity, ROLE_LEVEL) != GRADE_NOT_MEASURED;
        const double kept =
            known ? advise_kept(report->catalogue.documents[index], capacity)->value : 0;
        const double block = advise_block(kept);
        const bool own = i + 1 < levels.count && levels.list[i + 1].kind == LEVEL_CACHE;
        if (block < 1024 || kept <= before || (own && kept < level->declared / 2)) {
            struct line *words = known || !level->facts[FACT_LATENCY] ? &lost : &unknown;
            line_add_between(words, words->length ? ", " : "", level->name, "");
            continue;
        }
        line_add(line, line->length ? ", of %s in " : "blocks of %s stay in ",
                 size_format(block, size));
        line_add_clean(line, level->name);
        before = kept;
    }
    if (lost.length)
        line_add(line, "%sdo not count on %s", line->length ? "; " : "", lost.text);
    if (unknown.length)
        line_add(line, "%sthe size of %s was not found", line->length ? "; " : "", unknown.text);
}

/* "keep 45 independent loads in flight: one takes 3.24 ns instead of 145" */
static void advise_loads(struct report *report, size_t index, struct line *line)
{
    const char *level = level_memory;
    const struct finding *misses =
        report_find(report, index, ROLE_FLIGHT, FACT_MISSES, level_memory);
    if (!misses)
        misses = report_find(report, index, ROLE_FLIGHT, FACT_MISSES, level = level_reached);
    const struct finding *each = report_find(report, index, ROLE_FLIGHT, FACT_MISS_TIME, level);
    if (!misses || !each || !(misses->value >= 2) ||
        finding_grade(misses, ROLE_FLIGHT) == GRADE_NOT_MEASURED)
        return;
    line_add(line, "keep %.0f independent loads in flight: each then takes",
             advise_at_once(report->catalogue.documents[index], level, misses->value));
    add_figure(line, " ", each);
}

/* "threads that share a line pay 162 ns a hand-off, 9.00 ns inside the nearest pair" */
static void advise_threads(struct report *report, size_t index, struct line *line)
{
    const struct finding *near = report_find(report, index, ROLE_HANDOFF, FACT_NEAREST, NULL);
    const struct finding *far = report_find(report, index, ROLE_HANDOFF, FACT_FARTHEST, NULL);
    const struct finding *wide = report_find(report, index, ROLE_LEVEL, FACT_LINE, NULL);
    static const double apart = 1.5; /* pairs that differ in what they share differ by a half */
    if (!near || !far)
        return;
    const bool groups = far->value > apart * near->value;
    add_figure(line, groups ? "pin sharing threads close by: " : "threads sharing a line pay ",
               groups ? near : far);
    if (groups)
        add_figure(line, " a hand-off, far apart ", far);
    else
        line_add(line, " a hand-off");
    if (wide)
        line_add(line, ": pad to %.0f bytes", wide->value);
}

void report_add_advice(struct report *report, size_t index)
{
    static void (*const advise[])(struct report *, size_t,
                                  struct line *) = {advise_blocks, advise_loads, advise_threads};
    struct facts facts = {.apart = true};
    for (size_t i = 0; i < sizeof advise / sizeof *advise; i++) {
        struct line line = {0};
        advise[i](report, index, &line);
        add_fact(report, index, &facts, facts.count ? "" : "use it", &line, NULL);
    }
    report_add_facts(report, SECTION_USE, index, NULL, NULL, &facts);
}

/* --- where the rest is --- */

/* "gpu0 together: needs a second device; parallelism L1: there was no time left; and 4 more": the
 * first thing that each probe left out, and why. */
static void add_left_out(struct report *report, size_t index)
{
    enum { SHOWN_MAX = 2 };
    const struct document *document = report->catalogue.documents[index];
    struct line line = {0};
    size_t count = 0, shown = 0;
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        const struct factor *left = probe_parameter(probe, parameter_not_measured);
        const char *const first = left && left->text ? left->text : "";
        for (const char *at = first; *at; count++) {
            const size_t length = strcspn(at, ";");
            if (at == first && shown < SHOWN_MAX) {
                line_add(&line, shown++ ? "; " : "");
                if (strncmp(at, probe->name, strlen(probe->name)) != 0) /* "gpu0 copies" */
                    line_add_between(&line, "", probe->name, " ");
                line_add(&line, "%.*s", (int)length, at);
            }
            at += length + strspn(at + length, "; ");
        }
    }
    if (count > shown)
        line_add(&line, "; and %zu more", count - shown);
    struct facts facts = {.apart = false};
    const size_t before = report->count;
    add_fact(report, index, &facts, "left out", &line, NULL);
    report_add_facts(report, SECTION_KNOW, index, NULL, NULL, &facts);
    report_spare(report, before, SPARE_LEFT_OUT);
}

void report_add_rest(struct report *report, size_t index, size_t more)
{
    const struct document *document = report->catalogue.documents[index];
    struct facts facts = {.apart = false};
    struct line rest = {0};
    add_left_out(report, index);
    if (more)
        line_add(&rest, "%zu remark%s, ", more, more == 1 ? "" : "s");
    /* An absolute path is long, and tells more than a report should. */
    const char *file = document->file ? document->file : "FILE";
    const char *slash = *file == '/' ? strrchr(file, '/') : NULL;
    line_add_between(&rest, "every figure: fathom report -v ", slash ? slash + 1 : file, "");
    add_fact(report, index, &facts, "more", &rest, NULL);
    report_add_facts(report, SECTION_KNOW, index, NULL, NULL, &facts);
}
