/* Computes the verdict of a document, part by part. Its words are in verdict_words.c. */
#include "conclude/verdict.h"

#include "base/cpulist.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "document/flag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The load average covers a minute, so a part of it may be fathom's own work before the run. From a
 * load of busy_surely for each CPU on, other programs were surely running; from busy_if_seen on, if
 * a value shows them. */
static const double busy_surely = 1, busy_if_seen = 0.25;
/* If known, the share of CPUs that other programs used is better evidence. This threshold allows
 * for the few percent by which the system's ticks and this program's own times differ. */
static const double busy_share = 0.1;
/* Less than this is an idle machine: on such, 0.003 to 0.04 CPUs were counted. */
static const double idle_cpus = 0.1;
/* Flags that other programs cause. */
static const unsigned by_others =
    FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) | FLAG_BIT(FLAG_OCCUPIED);

/* The order of parts: levels, then parts with a word of their own, probes, devices. */
enum { ORDER_WORDS = 1000, ORDER_PROBES = 2000, ORDER_DEVICES = 3000 };

/* The subject of a role's findings; findings of other roles belong to their probe's part. */
static const char *const role_parts[] = {
    [ROLE_TRANSLATION] = "TLB",   [ROLE_WIDTH] = "bandwidth",   [ROLE_FLIGHT] = "in-flight misses",
    [ROLE_HANDOFF] = "hand-offs", [ROLE_CLUSTER] = "hand-offs", [ROLE_CONTENTION] = "contention",
    [ROLE_NOTE] = NULL,
};

static const char *const *part_of_role(enum finding_role role)
{
    return role < sizeof role_parts / sizeof *role_parts && role_parts[role] ? &role_parts[role]
                                                                             : NULL;
}

static struct verdict_part *part_named(struct document_verdict *verdict, const char *name,
                                       size_t length, size_t order)
{
    struct verdict_part *part = verdict->parts;
    length = length < PART_NAME_BYTES ? length : PART_NAME_BYTES - 1;
    for (size_t i = 0; i < verdict->part_count; i++, part++)
        if (strlen(part->name) == length && memcmp(part->name, name, length) == 0)
            return part;
    if (verdict->part_count == VERDICT_PARTS_MAX)
        return NULL;
    part = &verdict->parts[verdict->part_count++];
    *part = (struct verdict_part){.order = order};
    memcpy(part->name, name, length);
    return part;
}

static struct verdict_part *part_of_probe(struct document_verdict *verdict,
                                          const struct document *document, size_t index)
{
    const char *name = document->probes[index].name;
    return part_named(verdict, name, strlen(name), ORDER_PROBES + index);
}

/* The part that a finding belongs to; NULL: none (a condition), or there is no room. `word` is its
 * probe's subject. */
static struct verdict_part *part_of(struct document_verdict *verdict,
                                    const struct document *document, size_t probe,
                                    const char *const *word, const struct finding *finding)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    const char *const *role = part_of_role(meaning.role);
    struct verdict_part *part;
    char device[PART_NAME_BYTES];
    if (meaning.role >= ROLE_CONDITION)
        return NULL;
    if (meaning.device >= 0) {
        snprintf(device, sizeof device, "gpu%d", meaning.device);
        return part_named(verdict, device, strlen(device), ORDER_DEVICES + (size_t)meaning.device);
    }
    if (role || (word && meaning.role != ROLE_LEVEL)) {
        const size_t at = (size_t)((role ? role : word) - role_parts);
        part = part_named(verdict, role_parts[at], strlen(role_parts[at]), ORDER_WORDS + at);
        if (part)
            part->shared = role_is_shared((enum finding_role)at);
        return part;
    }
    if (meaning.role != ROLE_LEVEL)
        return part_of_probe(verdict, document, probe);
    part = part_named(verdict, meaning.subject, meaning.subject_length,
                      finding_level_rank(meaning.subject, meaning.subject_length));
    if (part)
        part->shared = finding_is_shared(&document->machine, &meaning);
    return part;
}

/* The number of values with each doubt. */
struct doubts {
    size_t counts[FLAG_COUNT];
};

static void count(struct document_verdict *verdict, struct verdict_part *part,
                  struct doubts *doubts, unsigned flags)
{
    const unsigned doubted = flag_doubts(flags);
    verdict->values++;
    verdict->doubtful += doubted != 0;
    verdict->doubts |= doubted;
    verdict->modelled = verdict->modelled && flags & FLAG_BIT(FLAG_MODELLED);
    for (int i = 0; i < FLAG_COUNT; i++)
        doubts->counts[i] += (doubted & FLAG_BIT(i)) != 0;
    if (!part)
        return;
    part->values++;
    part->doubtful += doubted != 0;
}

/* Adds the points' numbers of trials and, if there are no findings, the points as values. */
static bool add_points(struct document_verdict *verdict, const struct document *document,
                       size_t index, bool concluded, struct doubts *doubts)
{
    const struct probe_result *probe = &document->probes[index];
    const char *joined = document->run.joined;
    bool tried = joined && strcmp(joined, "baseline") == 0, single = document_is_imported(document);
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++) {
            const struct point *point = &probe->series[s].points[i];
            if (!point->y.n)
                continue;
            tried = tried || point->y.n > 1;
            single = single || point->y.n == 1;
            if (!verdict->fewest || point->y.n < verdict->fewest)
                verdict->fewest = point->y.n;
            if (point->y.coverage < verdict->coverage)
                verdict->coverage = point->y.coverage;
            if (!concluded)
                count(verdict, part_of_probe(verdict, document, index), doubts, point->flags);
        }
    return single && !tried;
}

static void add_probe(struct document_verdict *verdict, const struct document *document,
                      size_t index, struct doubts *doubts)
{
    const struct probe_result *probe = &document->probes[index];
    /* The probe's subject: the word of its first finding that has one; NULL: its own name. */
    const char *const *word = NULL;
    for (size_t i = 0; i < probe->finding_count && !word; i++)
        word = part_of_role(finding_meaning(&probe->findings[i]).role);
    const size_t before = verdict->values;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        /* Without a value there is nothing to rely on, except that a doubt shows that there should
         * be one. */
        if (!isfinite(finding->value) && !flag_doubts(finding->flags))
            continue;
        struct verdict_part *part = part_of(verdict, document, index, word, finding);
        count(verdict, part, doubts, finding->flags);
        verdict->disturbed += finding_is_disturbed(finding);
    }
    if (add_points(verdict, document, index, verdict->values > before, doubts))
        verdict->single += verdict->values - before;
    if (probe->status == PROBE_FAILED || probe->status == PROBE_PARTIAL) {
        struct verdict_part *part = part_of_probe(verdict, document, index);
        if (part)
            part->lacking = true;
    }
}

static void add_load(struct document_verdict *verdict, const struct document *document)
{
    const struct conditions *conditions = &document->conditions;
    const size_t allowed = cpulist_text_count(conditions->affinity);
    const double cpus = document->machine.threads ? document->machine.threads : (double)allowed;
    const unsigned seen = verdict->doubts & by_others;
    const bool shows = seen || verdict->disturbed, known = isfinite(conditions->others_cpus),
               others = conditions->others_cpus >= busy_share * fmax(cpus, 1);
    if (document->run.joined)
        return;
    verdict->uncounted = known && conditions->others_cpus < idle_cpus;
    const bool loaded =
        conditions->load1 >= (shows && !known ? busy_if_seen : busy_surely) * fmax(cpus, 1);
    if (loaded && (others || !known)) {
        line_add(&verdict->busy, "load %.3g", conditions->load1);
        if (cpus > 0)
            line_add(&verdict->busy, " on %.0f CPU%s", cpus, cpus > 1 ? "s" : "");
    } else if (others) {
        line_add(&verdict->busy,
                 conditions->others_cpus < 9.95 ? "other programs used %.2g"
                                                : "other programs used %.0f",
                 conditions->others_cpus);
        if (cpus > 0)
            line_add(&verdict->busy, " of %.0f", cpus);
        line_add(&verdict->busy, " CPUs");
    } else if (seen & FLAG_BIT(FLAG_STOLEN)) {
        line_add(&verdict->busy, "the hypervisor took CPU time away");
    } else if (seen & FLAG_BIT(FLAG_PREEMPTED)) {
        line_add(&verdict->busy, "other programs kept interrupting");
    } else if (seen) {
        line_add(&verdict->busy, "other programs held a part of the caches");
    } else if (verdict->disturbed) {
        line_add(&verdict->busy, "other programs slowed %zu of %zu values", verdict->disturbed,
                 verdict->values);
    }
}

static enum verdict_state state_of(const struct document_verdict *verdict,
                                   const struct document *document, bool lacking)
{
    const unsigned few = FLAG_BIT(FLAG_TOO_FEW);
    bool failed = false;
    for (size_t p = 0; p < document->probe_count; p++)
        failed = failed || document->probes[p].status == PROBE_FAILED;
    if (!document->run.complete)
        return VERDICT_STOPPED;
    if (!verdict->values)
        return VERDICT_EMPTY;
    if (document_is_imported(document) && verdict->single == verdict->values)
        return VERDICT_IMPORTED;
    if (verdict->busy.length)
        return VERDICT_BUSY;
    if (verdict->doubtful || lacking)
        return verdict->doubts & ~few || failed || document_is_imported(document) ? VERDICT_DOUBTFUL
                                                                                  : VERDICT_SHORT;
    return verdict->modelled ? VERDICT_MODELLED : verdict->single ? VERDICT_SINGLE : VERDICT_SOUND;
}

static int in_order(const void *a, const void *b)
{
    const struct verdict_part *left = a, *right = b;
    const int order = (left->order > right->order) - (left->order < right->order);
    return order ? order : strcmp(left->name, right->name);
}

void verdict_of(struct document_verdict *verdict, const struct document *document)
{
    struct doubts doubts = {{0}};
    bool lacking = false;
    *verdict = (struct document_verdict){.coverage = 1, .remedy = -1, .modelled = true};
    for (size_t p = 0; p < document->probe_count; p++)
        add_probe(verdict, document, p, &doubts);
    verdict->modelled = verdict->modelled && verdict->values;
    add_load(verdict, document);
    for (int i = 0; i < FLAG_COUNT; i++)
        if (doubts.counts[i] &&
            (verdict->remedy < 0 || doubts.counts[i] > doubts.counts[verdict->remedy]))
            verdict->remedy = i;
    for (size_t i = 0; i < verdict->part_count; i++) {
        struct verdict_part *part = &verdict->parts[i];
        lacking = lacking || part->lacking;
        part->trust = part->lacking                          ? PART_LACKING
                      : part->doubtful                       ? PART_DOUBT
                      : part->shared && verdict->busy.length ? PART_BESIDE
                                                             : PART_RELY;
    }
    qsort(verdict->parts, verdict->part_count, sizeof *verdict->parts, in_order);
    verdict->state = state_of(verdict, document, lacking);
}
