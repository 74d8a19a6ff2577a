#include "conclude/registry/registry.h"

#include "base/cpulist.h"
#include "base/text.h"
#include "conclude/registry/device.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char number[] = "<n>";

static const char *skip_digits(const char *name)
{
    while (isdigit((unsigned char)*name))
        name++;
    return name;
}

/* Matches one pattern, which ends at a comma or at the end of the text. */
static bool matches(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != ','; pattern++) {
        if (*pattern == *number && strncmp(pattern, number, strlen(number)) == 0) {
            const char *after = skip_digits(name);
            if (after == name)
                return false;
            name = after;
            pattern += strlen(number) - 1;
            continue;
        }
        if (*pattern == '*') {
            size_t most = strcspn(name, ".");
            for (size_t taken = 1; taken <= most; taken++)
                if (matches(pattern + 1, name + taken))
                    return true;
            return false;
        }
        if (*pattern != *name++)
            return false;
    }
    return *name == '\0';
}

bool finding_name_matches(const char *patterns, const char *name)
{
    for (const char *pattern = patterns; pattern; pattern = strchr(pattern, ',')) {
        pattern += *pattern == ',' ? strlen(", ") : 0;
        /* Compares first characters first, because most names differ there and a document may hold
         * 200,000. */
        if ((*pattern == *name || *pattern == '*' || *pattern == *number) && matches(pattern, name))
            return true;
    }
    return false;
}

const struct standard *standard_find(const struct standard *list, const char *factor)
{
    for (; list && list->factor; list++)
        if (strcmp(list->factor, factor) == 0)
            return list;
    return NULL;
}

const struct finding_table *finding_table_of(const char *probe)
{
    const struct finding_table *table;
    const char *name;
    for (size_t i = 0; (table = finding_table_at(i, &name)); i++)
        if (strcmp(name, probe) == 0)
            return table;
    return NULL;
}

const struct finding_line *finding_line_find(const char *name)
{
    const struct finding_table *table;
    const char *probe;
    for (size_t t = 0; (table = finding_table_at(t, &probe)); t++)
        for (const struct finding_line *line = table->lines; line && line->patterns; line++)
            if (finding_name_matches(line->patterns, name))
                return line;
    return NULL;
}

static const struct finding_line no_line;

const struct finding_line *finding_line_keep(struct finding *finding)
{
    const struct finding_line *line = finding_line_find(finding->name);
    finding->line = line ? line : &no_line;
    return line;
}

/* Another tool's table may have a latency in cycles where fathom has ns, and vice versa; with any
 * other unit the line does not describe the finding. */
static bool has_unit(const struct finding_line *line, const struct quantity *quantity)
{
    if (!line->unit)
        return true;
    const struct quantity *expected = quantity_of(line->unit);
    const bool time =
        expected->dimension == DIMENSION_TIME || expected->dimension == DIMENSION_CYCLES;
    return quantity && (quantity->dimension == expected->dimension ||
                        (time && (quantity->dimension == DIMENSION_TIME ||
                                  quantity->dimension == DIMENSION_CYCLES)));
}

/* The part-th part of a dotted name, counted from 1; 0: all parts but the last. */
static size_t part_of(const char *name, int part, const char **begin)
{
    *begin = name;
    if (part == 0) {
        const char *last = strrchr(name, '.');
        return last ? (size_t)(last - name) : strlen(name);
    }
    for (; part > 1 && strchr(*begin, '.'); part--)
        *begin = strchr(*begin, '.') + 1;
    return strcspn(*begin, ".");
}

static int number_in(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");
    const long value = *digits ? strtol(digits, NULL, 10) : -1;
    return value < INT_MAX ? (int)value : -1;
}

const char level_memory[] = "DRAM", level_reached[] = "last";
static const char begins[] = ".begins";

bool finding_is_bound(const struct finding *finding)
{
    return text_ends_with(finding->name, begins);
}

/* The name by which a finding is paired. Longer ones are as they are. */
static const char *paired_name(const char *name, char room[64])
{
    const size_t length = strlen(name), reached = strlen(level_reached);
    if (length < 48 && strncmp(name, level_reached, reached) == 0 && name[reached] == '.')
        snprintf(room, 64, "%s%s", level_memory, name + reached);
    else if (length < 48 && name[0] == 'L' && text_ends_with(name, begins))
        snprintf(room, 64, "%.*s.capacity", (int)(length - strlen(begins)), name);
    else
        return name;
    return room;
}

int finding_name_order(const char *a, const char *b)
{
    char room_a[64], room_b[64];
    return strcmp(paired_name(a, room_a), paired_name(b, room_b));
}

/* "L2", "DRAM", "last", "shared" */
static enum level_kind level_kind_of(const struct finding_meaning *meaning)
{
    static const char scratchpad[] = "shared";
    const char *name = meaning->subject;
    const size_t length = meaning->subject_length;
    if (!length)
        return LEVEL_NONE;
    if (name[0] == 'L' && length > 1 && skip_digits(name + 1) == name + length)
        return LEVEL_CACHE;
    if (length == strlen(level_memory) && memcmp(name, level_memory, length) == 0)
        return LEVEL_MEMORY;
    if (length == strlen(level_reached) && memcmp(name, level_reached, length) == 0)
        return LEVEL_MEMORY;
    if (meaning->role != ROLE_LEVEL)
        return LEVEL_NONE;
    return length == strlen(scratchpad) && memcmp(name, scratchpad, length) == 0 ? LEVEL_SCRATCHPAD
                                                                                 : LEVEL_OTHER;
}

struct finding_meaning finding_meaning(const struct finding *finding)
{
    const char *rest;
    const struct finding_line *kept = finding->line;
    struct finding_meaning meaning = {.line = !kept              ? finding_line_find(finding->name)
                                              : kept != &no_line ? kept
                                                                 : NULL,
                                      .device = device_of_name(finding->name, &rest),
                                      .quantity = quantity_of(finding->unit)};
    meaning.subject = rest;
    meaning.number = number_in(rest);
    if (meaning.line && has_unit(meaning.line, meaning.quantity)) {
        meaning.role = meaning.line->role;
        meaning.fact = meaning.line->fact;
        meaning.subject_length = part_of(rest, meaning.line->part, &meaning.subject);
    }
    meaning.level = level_kind_of(&meaning);
    if (!meaning.quantity || meaning.role == ROLE_CONDITION || meaning.role == ROLE_DISAGREEMENT)
        meaning.side = SIDE_NEITHER;
    else
        meaning.side = meaning.role != ROLE_PLAIN && meaning.line->side != SIDE_OF_UNIT
                           ? meaning.line->side
                           : meaning.quantity->worse;
    return meaning;
}

/* Whether the pattern, which ends at a comma or at the end of the text, is the fact of a level of
 * that name. */
static bool is_fact_of(const char *pattern, const char *stem, size_t length)
{
    char name[128];
    const char *fact = pattern + strcspn(pattern, ",");
    while (fact > pattern && *fact != '.')
        fact--;
    const int fact_length = (int)strcspn(fact, ",");
    return snprintf(name, sizeof name, "%.*s%.*s", (int)length, stem, fact_length, fact) <
               (int)sizeof name &&
           matches(pattern, name);
}

size_t finding_level_rank(const char *stem, size_t length)
{
    const struct finding_table *table;
    const char *probe;
    size_t rank = 0;
    for (size_t t = 0; (table = finding_table_at(t, &probe)); t++)
        for (const struct finding_line *line = table->lines; line && line->patterns; line++) {
            const bool has_ranks = line->role == ROLE_LEVEL && line->fact == FACT_LATENCY;
            for (const char *pattern = has_ranks ? line->patterns : NULL; pattern; rank++) {
                if (is_fact_of(pattern, stem, length))
                    return rank;
                const char *comma = strchr(pattern, ',');
                pattern = comma ? comma + strlen(", ") : NULL;
            }
        }
    return rank;
}

/* Copies the item of the line's words that belongs to the pattern that the name matches. */
static void choose_words(const struct finding_line *line, const char *name, char *words)
{
    const char *item = line->words ? line->words : "";
    for (const char *pattern = line->patterns; !matches(pattern, name) && strstr(item, ", ");) {
        pattern = strchr(pattern, ',') + strlen(", ");
        item = strstr(item, ", ") + strlen(", ");
    }
    const char *end = strstr(item, ", ");
    const int length = end ? (int)(end - item) : (int)strlen(item);
    const char *hole = strstr(item, number);
    const char *rest;
    device_of_name(name, &rest);
    if (hole && hole < item + length)
        snprintf(words, FINDING_WORDS, "%.*s%d%.*s", (int)(hole - item), item, number_in(rest),
                 length - (int)(hole - item) - (int)strlen(number), hole + strlen(number));
    else
        snprintf(words, FINDING_WORDS, "%.*s", length, item);
}

bool finding_place(const struct finding *finding, bool is_twin, struct finding_place *place)
{
    static const char in_time[] = "_ns";
    char name[128];
    snprintf(name, sizeof name, "%s", finding->name);
    if (strlen(name) < strlen(finding->name))
        return false;
    const struct finding_line *line = finding_line_find(name);
    if (line && !line->place && !is_twin && text_ends_with(name, in_time)) {
        name[strlen(name) - strlen(in_time)] = '\0';
        line = finding_line_find(name);
    }
    if (!line || !line->place || !has_unit(line, quantity_of(finding->unit)))
        return false;
    *place = (struct finding_place){
        .name = line->place, .role = line->role, .is_rate = line->fact == FACT_ALL};
    choose_words(line, name, place->words);
    return true;
}

bool level_is_shared(const struct machine_facts *machine, int level)
{
    /* With two kinds of core, one may have more threads than the other, hence the rounding up. */
    const unsigned siblings =
        machine->cores ? (machine->threads + machine->cores - 1) / machine->cores : 1;
    bool declared = false;
    for (size_t i = 0; i < machine->cache_count; i++) {
        if (machine->caches[i].level != level)
            continue;
        const size_t cpus = cpulist_text_count(machine->caches[i].shared_cpus);
        if (cpus > siblings)
            return true;
        declared = declared || cpus;
    }
    return level < 1 || (level > PRIVATE_LEVELS && (!declared || machine->hypervisor));
}

bool finding_is_of_all_cpus(const struct finding_meaning *meaning)
{
    return meaning->device < 0 && meaning->role != ROLE_PLAIN &&
           (meaning->fact == FACT_ALL || meaning->fact == FACT_EFFICIENCY ||
            meaning->line->shared == OF_ALL_CPUS);
}

bool finding_is_shared(const struct machine_facts *machine, const struct finding_meaning *meaning)
{
    if (meaning->device >= 0 || meaning->role == ROLE_PLAIN)
        return false;
    if (finding_is_of_all_cpus(meaning))
        return true;
    if (meaning->level == LEVEL_CACHE)
        return level_is_shared(machine, meaning->number);
    return meaning->role == ROLE_LEVEL || meaning->role == ROLE_WIDTH ||
           meaning->role == ROLE_FLIGHT || meaning->role == ROLE_HANDOFF ||
           meaning->role == ROLE_CLUSTER || meaning->role == ROLE_CONTENTION ||
           meaning->line->shared;
}

double own_cache_bytes(const struct machine_facts *machine)
{
    /* A foreign document may declare any number of caches; each level is judged once. */
    enum { LEVELS_MOST = 8 };
    bool shared[LEVELS_MOST];
    double most = 0;
    for (int level = 0; level < LEVELS_MOST; level++)
        shared[level] = level_is_shared(machine, level);
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct cache_facts *cache = &machine->caches[i];
        if (cache->level >= 0 && cache->level < LEVELS_MOST && !shared[cache->level])
            most = fmax(most, (double)cache->size_bytes);
    }
    return most;
}
