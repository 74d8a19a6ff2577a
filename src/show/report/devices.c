/*
 * Devices on the first screen: what each is, its levels and memories, its roads, what the host and
 * other devices are away. What else a finding has to say there, and where, its line in the registry
 * tells (`place`, `words`); only what was measured is said.
 */
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/report/builders.h"
#include "show/report/figure.h"
#include "show/report/machine.h"

#include <math.h>
#include <string.h>

enum { DEVICES_MAX = 16, PLACES_MAX = 16 };

/* What stands in one line of facts: "to the device 12.0 GB/s, to the host 12.5 GB/s". */
struct place {
    const char *name;
    struct line words;
    char group[FINDING_WORDS]; /* what neighbours share: "gpu1: " */
    bool below_levels;
};

static void add_figure(struct line *line, const struct finding *finding)
{
    char text[CELL_TEXT];
    const struct cell cell = cell_of_finding(finding, FORM_VALUE);
    line_add(line, " %s", cell_text(&cell, text));
    line_add_in_brackets(line, finding);
    line_add(line, "%s", flag_doubts(finding->flags) ? " !" : "");
}

static void add_words(struct place *place, const char *words)
{
    const char *colon = strstr(words, ": ");
    const size_t shared = colon ? (size_t)(colon - words) + 2 : 0;
    const bool again = strlen(place->group) == shared && memcmp(place->group, words, shared) == 0;
    if (place->words.length)
        line_add(&place->words, again ? ", " : "; ");
    line_add(&place->words, "%s", again ? words + shared : words);
    memcpy(place->group, words, shared);
    place->group[shared] = '\0';
}

static size_t collect_places(const struct catalogue *catalogue, size_t index, int device,
                             struct place *list)
{
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        struct finding_place place;
        size_t at = 0;
        if (entry->document != index || entry->meaning.device != device ||
            !isfinite(entry->finding->value) ||
            !finding_place(entry->finding, entry->twin, &place) || place.is_rate)
            continue;
        while (at < count && strcmp(list[at].name, place.name) != 0)
            at++;
        if (at == PLACES_MAX)
            continue;
        if (at == count)
            list[count++] =
                (struct place){.name = place.name, .below_levels = place.role == ROLE_LEVEL};
        add_words(&list[at], place.words);
        add_figure(&list[at].words, entry->finding);
    }
    return count;
}

static void add_facts(struct report *report, size_t index, int device, const struct place *list,
                      size_t count, bool below_levels)
{
    struct facts facts = {0};
    for (size_t i = 0; i < count; i++) {
        if (list[i].below_levels != below_levels)
            continue;
        struct fact *fact = facts_add(report, &facts);
        fact->label = list[i].name;
        fact->text = report_line(report, &list[i].words);
    }
    if (!facts.count)
        return;
    struct block *block = report_add(report, BLOCK_FACTS, SECTION_DEVICE, index);
    block->device = device;
    block->facts = facts;
}

static void add_device(struct report *report, size_t index, int device)
{
    const struct gpu_facts *gpu =
        device_facts(&report->catalogue.documents[index]->machine, device);
    struct place places[PLACES_MAX];
    struct line line = {0};
    const size_t count = collect_places(&report->catalogue, index, device, places);
    struct block *block = report_add(report, BLOCK_HEADING, SECTION_DEVICE, index);
    struct heading *heading = &block->heading;
    line_add_gpu(&line, gpu);
    block->device = device;
    heading->level = 2;
    heading->title = report_text(report, "gpu%d", device);
    heading->text = report_line(report, &line);
    heading->warning = gpu ? gpu_warning(gpu) : NULL;
    report_add_levels(report, index, device);
    add_facts(report, index, device, places, count, true);
    report_add_rates(report, index, device);
    add_facts(report, index, device, places, count, false);
}

void report_add_devices(struct report *report, size_t index)
{
    int devices[DEVICES_MAX];
    const size_t count = device_list(report->catalogue.documents[index], devices, DEVICES_MAX);
    for (size_t i = 0; i < count; i++)
        add_device(report, index, devices[i]);
}
