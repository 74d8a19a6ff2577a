/* Address translation, a fact a page size: how far each TLB reaches and what lies beyond. */
#include "conclude/registry/factors.h"
#include "conclude/translation/tlb.h"
#include "document/flag.h"
#include "show/report/builders.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXPERIMENTS_MAX = 4 }; /* of a page size */

/* What one experiment said of pages of one size; any may be NULL. */
struct pages {
    size_t experiment;
    const struct finding *nearest, *onset, *second, *hit, *walk, *split;
    const struct finding *example;
};

static bool is_of(const struct finding_meaning *meaning, const char *page)
{
    return meaning->role == ROLE_TRANSLATION && meaning->device < 0 &&
           strlen(page) == meaning->subject_length &&
           memcmp(meaning->subject, page, meaning->subject_length) == 0;
}

/* "dtlb2.4K.entries" is of the second level. */
static const struct finding **place_of(struct pages *pages, const struct catalogue_entry *entry)
{
    switch (entry->meaning.fact) {
    case FACT_ENTRIES:
        return entry->meaning.number == 1   ? &pages->nearest
               : entry->meaning.number == 2 ? &pages->second
                                            : NULL;
    case FACT_ONSET:
        return &pages->onset;
    case FACT_HIT:
        return &pages->hit;
    case FACT_WALK:
        return &pages->walk;
    case FACT_SPLIT: /* more than noise would make it seem */
        return isfinite(entry->finding->declared) ? &pages->split : NULL;
    default:
        return NULL;
    }
}

static size_t collect(const struct catalogue *catalogue, size_t index, const char *page,
                      struct pages *list)
{
    size_t count = 0;
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < catalogue->count; i++) {
            const struct catalogue_entry *entry = &catalogue->list[i];
            struct pages none = {0};
            if (entry->document != index || (entry->experiment > 0) != others ||
                !is_of(&entry->meaning, page) || !isfinite(entry->finding->value) ||
                !place_of(&none, entry))
                continue;
            size_t at = 0;
            while (at < count && list[at].experiment != entry->experiment)
                at++;
            if (at == EXPERIMENTS_MAX)
                continue;
            if (at == count)
                list[count++] =
                    (struct pages){.experiment = entry->experiment, .example = entry->finding};
            const struct finding **place = place_of(&list[at], entry);
            *place = *place ? *place : entry->finding;
        }
    return count;
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

/* "98 % in pieces of 4K", where a hypervisor splits these pages: "dtlb.2M.as.4K". */
static void add_pieces(struct line *line, const struct finding *split)
{
    const char *piece = split ? strrchr(split->name, '.') : NULL;
    if (!piece)
        return;
    line_add(line, "%s%.0f %% translated in pieces of ", line->length ? "; " : "",
             100 * fmin(1, split->value));
    line_add_clean(line, piece + 1);
}

/* "96 entries; up to 2048 +7.00 cycles; a page walk +30.0 cycles" */
static void add_words(struct line *line, const struct pages *pages)
{
    const struct finding *all[] = {pages->nearest, pages->second, pages->hit, pages->walk};
    unsigned flags = 0;
    char what[64] = "beyond";
    for (int i = 0; i < 4; i++)
        flags |= all[i] ? all[i]->flags : 0;
    if (pages->nearest)
        line_add(line, "%.0f entries", pages->nearest->value);
    else if (pages->onset)
        line_add(line, "costs begin at %.0f to %.0f", pages->onset->low, pages->onset->high);
    if (pages->second)
        snprintf(what, sizeof what, "up to %.0f", pages->second->value);
    if (pages->second || pages->hit)
        add_cost(line, what, pages->hit);
    if (pages->walk)
        add_cost(line, "a page walk", pages->walk);
    add_pieces(line, pages->split);
    if (!line->length)
        return;
    line_add_in_brackets(line, pages->example);
    line_add(line, "%s", flag_doubts(flags) ? " !" : "");
}

void report_add_translation(struct report *report, size_t index)
{
    struct facts facts = {0};
    for (size_t i = 0; i < TLB_PAGES; i++) {
        struct pages list[EXPERIMENTS_MAX];
        const size_t count = collect(&report->catalogue, index, tlb_pages[i].name, list);
        for (size_t at = 0; at < count; at++) {
            struct line words = {0};
            add_words(&words, &list[at]);
            if (!words.length)
                continue;
            struct fact *fact = facts_add(report, &facts);
            fact->label = facts.count <= 1 ? "translation" : "";
            fact->text = report_text(report, "%s pages: %s", tlb_pages[i].name, words.text);
        }
    }
    if (facts.count)
        report_add(report, BLOCK_FACTS, SECTION_DEPTH, index)->facts = facts;
}
