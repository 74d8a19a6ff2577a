/* Capacity and latency of each level. */
#include "programs/library/library.h"

#include "conclude/levels/of_document.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "document/json.h"
#include "machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16 };

struct answer {
    struct fathom_level list[ROOM];
    size_t count;
};

/* Rounded as a document stores it, so the first answer equals later ones from the cache. */
static double value_of(const struct finding *finding)
{
    return finding ? document_kept(finding->value) : NAN;
}

static uint64_t bytes_of(double value)
{
    return value > 0 && value < 0x1p60 ? (uint64_t)(value + 0.5) : 0;
}

static unsigned line_bytes(const struct machine_facts *facts)
{
    unsigned line = 0;
    for (size_t i = 0; i < facts->cache_count; i++)
        if (cache_holds_data(&facts->caches[i]) && facts->caches[i].line_bytes > line)
            line = facts->caches[i].line_bytes;
    return line;
}

/* --- as declared --- */

/* Of several kinds of core the larger cache counts. */
static void add_declared(struct answer *answer, const struct cache_facts *cache)
{
    size_t place = 0;
    while (place < answer->count && answer->list[place].level < (unsigned)cache->level)
        place++;
    struct fathom_level *level = &answer->list[place];
    const bool there = place < answer->count && level->level == (unsigned)cache->level;
    if (there && level->declared_bytes >= cache->size_bytes)
        return;
    if (!there) {
        if (answer->count == ROOM)
            return;
        memmove(level + 1, level, (answer->count - place) * sizeof *level);
        answer->count++;
    }
    *level = (struct fathom_level){.level = (unsigned)cache->level,
                                   .source = FATHOM_DECLARED,
                                   .capacity_bytes = cache->size_bytes,
                                   .declared_bytes = cache->size_bytes,
                                   .latency_ns = NAN,
                                   .latency_cycles = NAN,
                                   .line_bytes = cache->line_bytes,
                                   .disturbance = NAN};
}

/* --- as measured --- */

/* Without the latency of memory the document has the answer in part: time or memory was short. */
static enum answered has_levels(const struct document *document, const void *asked)
{
    const struct finding *first = document_finding(document, "L1.latency_ns"),
                         *last = document_finding(document, "DRAM.latency_ns");
    return !first || !(first->value > 0) ? ANSWERED_NOT : last ? ANSWERED : ANSWERED_IN_PART;
}

static int answer_measured(struct answer *answer, const struct document *document, int source,
                           struct error *error)
{
    struct levels *levels = malloc(sizeof *levels);
    const int code =
        levels ? levels_of_document(levels, document, error) : error_out_of_memory(error);
    for (size_t i = 0; code == 0 && i < levels->count && answer->count < ROOM; i++) {
        const struct level *level = &levels->list[i];
        const struct finding *latency = level->facts[FACT_LATENCY_NS];
        const bool memory = level->kind == LEVEL_MEMORY && value_of(latency) > 0;
        if (level->experiment == 0 && (level->kind == LEVEL_CACHE || memory)) {
            const double capacity = value_of(level->facts[FACT_CAPACITY]);
            unsigned flags = 0;
            for (int fact = LEVEL_FACT_FIRST; fact < LEVEL_FACTS; fact++)
                flags |= level->facts[fact] ? level->facts[fact]->flags : 0;
            answer->list[answer->count++] = (struct fathom_level){
                .level = memory ? 0 : (unsigned)level->number,
                .source = source,
                .capacity_bytes = memory ? 0 : bytes_of(capacity),
                .declared_bytes = memory ? 0 : bytes_of(level->declared),
                .latency_ns = value_of(latency),
                .latency_cycles = value_of(level->facts[FACT_LATENCY]),
                .line_bytes = line_bytes(&document->machine),
                .doubtful = flag_doubts(flags) != 0,
                .kind = latency ? finding_kind(latency) : NULL,
                .disturbance = latency ? (double)latency->disturbance.longer : NAN};
        }
    }
    free(levels);
    return code;
}

/* --- the call --- */

static int find_answer(struct fathom *fathom, struct answer *answer, unsigned budget_ms,
                       struct error *error)
{
    static const char *const settings[] = {"quick", NULL};
    const struct question question = {
        .name = "levels", .probe = "latency", .settings = settings, .answered = has_levels};
    struct document document = {0};
    int code = question_answer(fathom, &question, budget_ms, &document, error);
    const struct cache_facts *caches = document.machine.caches;
    if (code > 0 && code != FATHOM_DECLARED)
        code = answer_measured(answer, &document, code, error);
    for (size_t i = 0; code == FATHOM_DECLARED && i < document.machine.cache_count; i++)
        if (cache_holds_data(&caches[i]) && caches[i].level > 0 && caches[i].size_bytes)
            add_declared(answer, &caches[i]);
    document_free(&document);
    if (code >= 0 && !answer->count)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "this machine declares no cache: give 1000 ms or more to measure them");
    return code;
}

static int fill(struct fathom_level *levels, size_t room, const struct answer *answer,
                struct error *error)
{
    const size_t size = levels[0].size;
    for (size_t i = 0; i < room && i < answer->count; i++) {
        struct fathom_level *level = (struct fathom_level *)((char *)levels + i * size);
        memcpy(level, &size, sizeof size);
        const int code = guest_fill(level, &answer->list[i], sizeof answer->list[i], error);
        if (code < 0)
            return code;
    }
    return (int)answer->count;
}

int fathom_levels(struct fathom *fathom, struct fathom_level *levels, size_t room,
                  unsigned budget_ms, struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct error *error = &guest.error;
    struct answer answer = {.count = 0};
    int code = 0;
    if (room && !levels)
        code = error_set(error, ERROR_USAGE, "there is no place for %zu levels: it is NULL", room);
    else if (room) /* refuses a wrong struct size before anything is measured */
        code = guest_fill(
            &(struct fathom_level){.size = levels[0].size}, &answer.list[0],
            levels[0].size < sizeof answer.list[0] ? levels[0].size : sizeof answer.list[0], error);
    if (code == 0)
        code = find_answer(fathom, &answer, budget_ms, error);
    if (code >= 0)
        code = room ? fill(levels, room, &answer, error) : (int)answer.count;
    return guest_leave(&guest, code);
}
