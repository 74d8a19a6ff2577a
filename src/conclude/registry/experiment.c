#include "conclude/registry/experiment.h"

#include "base/sort.h"
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* More than any probe has; a foreign document's series beyond that are ignored. */
    SERIES_MOST = 256,
    FACTORS_MOST = 64,
    OPTIONS_MOST = 8, /* of one probe's table */
};

/* A factor's text, and the index of the series that has it. */
struct word {
    const char *text;
    size_t series;
};

/* The factors that all series of a device (or all series of no device) share. */
struct shared {
    const struct factor *factors;
    size_t count;
    int device;
    bool known;
};

struct completing {
    struct probe_result *probe;
    const struct machine_facts *machine;
    const struct standard *standards; /* NULL: the probe is unknown */
    struct pool *pool;
    struct shared shared;
    struct word *words;
    size_t word_count;
    int devices[SERIES_MOST];            /* the device of each series; -1: none */
    struct obtained obtained;            /* the same for all its findings */
    struct factor options[OPTIONS_MOST]; /* options that were given */
    size_t option_count;
    struct factor *factors; /* of the current finding */
    size_t count;
};

/* Sets a factor, or adds it. */
static void set(struct completing *completing, const struct factor *value)
{
    struct factor *factor = factor_find(completing->factors, completing->count, value->name);
    if (!factor)
        factor = pool_append(completing->pool, (void **)&completing->factors, &completing->count,
                             sizeof *factor);
    *factor = *value;
}

/* --- the series that a finding was read off --- */

static size_t factors_of(const struct series *series)
{
    return series->factor_count < FACTORS_MOST ? series->factor_count : FACTORS_MOST;
}

static size_t series_of(const struct probe_result *probe)
{
    return probe->series_count < SERIES_MOST ? probe->series_count : SERIES_MOST;
}

/* Collects the texts of all series' factors, sorted, so that the parts of a finding's name can be
 * looked up in them. */
static void collect_words(struct completing *completing)
{
    const struct probe_result *probe = completing->probe;
    const size_t count = series_of(probe);
    size_t all = 0;
    for (size_t s = 0; s < count; s++)
        all += factors_of(&probe->series[s]);
    completing->words = pool_alloc(completing->pool, all + 1, sizeof *completing->words);
    for (size_t s = 0; s < count; s++) {
        const struct series *series = &probe->series[s];
        completing->devices[s] = device_of_name(series->name, NULL);
        for (size_t i = 0; i < factors_of(series); i++)
            if (series->factors[i].text)
                completing->words[completing->word_count++] =
                    (struct word){series->factors[i].text, s};
    }
    qsort(completing->words, completing->word_count, sizeof *completing->words, by_text);
}

/* The first word that does not sort before `text`. */
static size_t word_from(const struct completing *completing, const char *text)
{
    size_t low = 0, high = completing->word_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(completing->words[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take_series(struct completing *completing, const struct finding *finding)
{
    const char *rest;
    const int device = device_of_name(finding->name, &rest);
    int most = -1, alike[SERIES_MOST];
    /* Fills alike[s] with how well series s fits the finding's name: two for each factor that the
     * name contains, one more for a headline; -1 for a series of another device. */
    enum { PART_BYTES = 64 }; /* no factor is longer than this */
    for (size_t s = 0; s < series_of(completing->probe); s++)
        alike[s] = completing->devices[s] == device ? completing->probe->series[s].headline : -1;
    for (const char *part = rest; part;) {
        char text[PART_BYTES];
        const size_t length = strcspn(part, ".");
        if (length > 0 && length < sizeof text) {
            memcpy(text, part, length);
            text[length] = '\0';
            for (size_t w = word_from(completing, text);
                 w < completing->word_count && strcmp(completing->words[w].text, text) == 0; w++)
                if (alike[completing->words[w].series] >= 0)
                    alike[completing->words[w].series] += 2;
        }
        part = part[length] ? part + length + 1 : NULL;
    }
    for (size_t s = 0; s < series_of(completing->probe); s++)
        most = alike[s] > most ? alike[s] : most;
    /* Most names contain no factor, and these all get the factors that all series share: compute
     * them once. */
    struct shared *last = &completing->shared;
    const bool plain = most <= 1;
    if (plain && last->known && last->device == device) {
        for (size_t i = 0; i < last->count; i++)
            set(completing, &last->factors[i]);
        return;
    }
    /* Takes the factors of the series that fits the finding's name best; if several fit equally
     * well, the factors that they share. */
    const struct probe_result *probe = completing->probe;
    bool begun = false;
    for (size_t s = 0; s < series_of(probe) && most >= 0; s++) {
        const struct series *series = &probe->series[s];
        if (alike[s] != most)
            continue;
        for (size_t i = 0; i < factors_of(series) && !begun; i++)
            set(completing, &series->factors[i]);
        size_t kept = 0;
        for (size_t i = 0; i < completing->count; i++) {
            const struct factor *factor = &completing->factors[i];
            if (!begun || factor_same(factor, series_factor(series, factor->name)))
                completing->factors[kept++] = *factor;
        }
        completing->count = kept;
        begun = true;
    }
    if (plain)
        *last = (struct shared){completing->factors, completing->count, device, true};
}

/* --- which factors deviate --- */

static double line_bytes(const struct machine_facts *machine)
{
    for (size_t i = 0; i < machine->cache_count; i++)
        if (machine->caches[i].level == 1 && machine->caches[i].line_bytes &&
            !text_same(machine->caches[i].type, "instruction"))
            return machine->caches[i].line_bytes;
    /* If the machine does not say: as machine/arch has it. */
    return text_same(machine->cpu_arch, "ppc64le") ? 128 : 64;
}

static bool is_standard(const struct completing *completing, const struct factor *factor)
{
    const struct standard *standard = standard_find(completing->standards, factor->name);
    const struct machine_facts *machine = completing->machine;
    if (!standard)
        return strcmp(factor->name, parameter_placement) == 0 ||
               strcmp(factor->name, parameter_placement_ns) == 0;
    switch (standard->kind) {
    case STANDARD_NAMED:
        return true;
    case STANDARD_TEXT:
        return factor->text && strcmp(factor->text, standard->text) == 0;
    case STANDARD_NUMBER:
        return !factor->text && factor->number == standard->number;
    case STANDARD_LINE:
        return !factor->text && factor->number == line_bytes(machine);
    case STANDARD_PAGES: /* "auto" was asked for, and what was obtained is unknown */
        return factor->text &&
               (machine->page_size_count == 1 || text_same(factor->text, "auto") ||
                text_same(factor->text, "thp") || text_same(factor->text, "huge2m"));
    case STANDARD_FASTEST: /* kinds ascend */
        return machine->kind_count == 0 ||
               text_same(factor->text, machine->kinds[machine->kind_count - 1].name);
    case STANDARD_ABSENT:
        return false;
    }
    return false;
}

/* Completes one finding. A condition belongs to the run, so it gets no factors of a series. */
static void complete(struct completing *completing, struct finding *finding)
{
    const struct finding_line *line = finding_line_keep(finding);
    const bool known = completing->standards && line && line->role != ROLE_CONDITION;
    completing->factors = NULL;
    completing->count = 0;
    if (finding->factor_count) {
        completing->factors = finding->factors;
        completing->count = finding->factor_count;
    } else if (known) {
        take_series(completing, finding);
    }
    for (size_t i = 0; i < completing->obtained.count && known; i++)
        set(completing, &completing->obtained.list[i]);
    for (size_t i = 0; i < completing->option_count && known; i++)
        if (!factor_find(completing->factors, completing->count, completing->options[i].name))
            set(completing, &completing->options[i]);
    if (completing->count) {
        /* Sorts the deviations before the standard factors, and both by name, so that two lists can
         * be compared side by side. */
        struct factor *sorted = pool_alloc(completing->pool, completing->count, sizeof *sorted);
        size_t deviations = 0, standard = completing->count;
        for (size_t i = 0; i < completing->count; i++)
            sorted[is_standard(completing, &completing->factors[i]) ? --standard : deviations++] =
                completing->factors[i];
        qsort(sorted, deviations, sizeof *sorted, by_text);
        qsort(sorted + deviations, completing->count - deviations, sizeof *sorted, by_text);
        finding->factors = sorted;
        finding->factor_count = completing->count;
        finding->deviations = deviations;
    }
}

void experiment_complete(struct probe_result *probe, const struct machine_facts *machine,
                         struct pool *pool)
{
    const struct finding_table *table = probe->name ? finding_table_of(probe->name) : NULL;
    struct completing completing = {.probe = probe,
                                    .machine = machine,
                                    .standards = table ? table->experiment : NULL,
                                    .pool = pool};
    obtained_read(&completing.obtained, probe, machine, completing.standards, pool);
    /* Takes options that change the experiment and are no factor of any series. */
    for (const struct standard *s = completing.standards; s && s->factor; s++) {
        const struct factor *given = probe_parameter(completing.probe, s->factor);
        /* A document without its series still has the options that were asked for. */
        const bool asked =
            s->kind == STANDARD_ABSENT ||
            (!completing.probe->series_count &&
             (s->kind == STANDARD_TEXT || s->kind == STANDARD_NUMBER || s->kind == STANDARD_LINE));
        if (given && asked && completing.option_count < OPTIONS_MOST)
            completing.options[completing.option_count++] = *given;
    }
    collect_words(&completing);
    for (size_t i = 0; i < probe->finding_count; i++) {
        complete(&completing, &probe->findings[i]);
        probe->findings[i].kind = finding_kind(&probe->findings[i]);
    }
}

void experiment_obtained(struct obtained *deviations, const struct probe_result *probe,
                         const struct machine_facts *machine, struct pool *pool)
{
    const struct finding_table *table = probe->name ? finding_table_of(probe->name) : NULL;
    const struct completing completing = {.machine = machine,
                                          .standards = table ? table->experiment : NULL};
    struct obtained all;
    *deviations = (struct obtained){.count = 0};
    obtained_read(&all, probe, machine, completing.standards, pool);
    for (size_t i = 0; i < all.count; i++)
        if (!is_standard(&completing, &all.list[i]))
            deviations->list[deviations->count++] = all.list[i];
}

bool experiment_obtained_alike(const struct obtained *a, const struct obtained *b)
{
    bool alike = a->count == b->count;
    for (size_t i = 0; i < a->count && alike; i++)
        alike = factor_same(&a->list[i], &b->list[i]);
    return alike;
}

/* --- comparing --- */

int experiment_order(const struct finding *a, const struct finding *b)
{
    int order = ORDER_BY({a->deviations, b->deviations});
    for (size_t i = 0; i < a->deviations && order == 0; i++) {
        const struct factor *left = &a->factors[i], *right = &b->factors[i];
        order = strcmp(left->name, right->name);
        if (order == 0 && left->text && right->text)
            order = strcmp(left->text, right->text);
        else if (order == 0)
            order = ORDER_BY({!!left->text, !!right->text}, {left->number, right->number});
    }
    return order;
}

bool experiment_is_standard(const struct finding *finding)
{
    return finding->deviations == 0;
}

const struct factor *finding_factor(const struct finding *finding, const char *name)
{
    return factor_find(finding->factors, finding->factor_count, name);
}

bool experiment_same_placement(const struct finding *a, const struct finding *b)
{
    const struct factor *name = finding_factor(a, parameter_placement),
                        *other = finding_factor(b, parameter_placement),
                        *ns = finding_factor(a, parameter_placement_ns),
                        *other_ns = finding_factor(b, parameter_placement_ns);
    if (!name || !other)
        return true;
    return ns && other_ns && factor_same(name, other) &&
           placement_is_same(ns->number, other_ns->number);
}

const char *experiment_text(const struct finding *finding, struct pool *pool)
{
    enum { NAMED_MOST = 16 };
    const char *text = "";
    size_t i = 0;
    for (; i < finding->deviations && i < NAMED_MOST; i++) {
        const struct factor *factor = &finding->factors[i];
        const char *comma = i ? ", " : "";
        text = factor->text
                   ? pool_printf(pool, "%s%s%s %s", text, comma, factor->name, factor->text)
                   : pool_printf(pool, "%s%s%s %.9g", text, comma, factor->name, factor->number);
    }
    if (i < finding->deviations)
        text = pool_printf(pool, "%s and %zu more", text, finding->deviations - i);
    return text;
}
