
#include "programs/library/library.h"

#include "conclude/verdict.h"
#include "document/document.h"
#include "document/flag.h"
#include "machine/machine.h"
#include "machine/os.h"

#include <time.h>

/* How long an answer is used that is doubtful or lacks a part. The reason may be temporary
 * interference, so it is measured again; not more often, so that a machine that is always busy is
 * not measured at every start. */
static const double doubt_lasts_s = 3600;
enum { WAIT_MS = 5 };

struct asking {
    struct fathom *fathom;
    const struct question *question;
    unsigned budget_ms;
    uint64_t until_ns;
    struct cache_slot slot;
};

/* CACHED_STALE: the answer is doubtful or lacks a part, and either is older than doubt_lasts_s or
 * had less than half the time that is given now. */
enum cached { CACHED_NONE, CACHED_STALE, CACHED_GOOD };

static enum cached look_into_cache(const struct asking *asking, struct document *document)
{
    double age_s = 0;
    if (!cache_read(&asking->slot, document, &age_s))
        return CACHED_NONE;
    const enum answered answered = asking->question->answered(document, asking->question->asked);
    if (answered == ANSWERED_NOT) {
        document_free(document);
        return CACHED_NONE;
    }
    const bool more_time = 2e3 * document->run.budget_s < asking->budget_ms,
               whole = answered == ANSWERED && document_trust(document) == TRUST_USABLE &&
                       !flag_doubts(document_headline_flags(document));
    const struct question *question = asking->question;
    const bool good = whole || (age_s < doubt_lasts_s && !more_time);
    return good && (!question->holds || asking->budget_ms < QUESTION_LEAST_MS ||
                    question->holds(asking->fathom, document, question->asked))
               ? CACHED_GOOD
               : CACHED_STALE;
}

static int say_cancelled(struct error *error)
{
    return error_set(error, FATHOM_CANCELLED, "cancelled before it measured");
}

/* Measures as soon as no other thread of this process does. */
static int measure_in_turn(struct asking *asking, struct document *document, struct error *error)
{
    const struct question *question = asking->question;
    const char *const names[] = {question->probe, NULL};
    for (;;) {
        if (__atomic_load_n(&asking->fathom->stop, __ATOMIC_RELAXED))
            return say_cancelled(error);
        const double left = ((double)asking->until_ns - (double)os_raw_ns()) * 1e-6;
        if (left < (double)QUESTION_LEAST_MS)
            return error_set(error, FATHOM_BUSY,
                             "another measurement of this program used up the time: ask again, or "
                             "allow more milliseconds");
        struct fathom_plan plan = {.size = sizeof plan,
                                   .probes = names,
                                   .settings = question->settings,
                                   .budget_ms = (unsigned)left};
        struct fathom_measurement measurement = {.document = document, .note = asking->slot.key};
        const int code = measure_plan(asking->fathom, &plan, &measurement, error);
        if (code != FATHOM_BUSY)
            return code;
        document_free(document);
        struct timespec nap = {.tv_nsec = WAIT_MS * 1000000L};
        nanosleep(&nap, NULL);
    }
}

/* Returns an enum fathom_source, 0 where there is no answer, or an error. */
static int measure_and_keep(struct asking *asking, struct document *document, struct error *error)
{
    bool waited = false;
    if (!cache_lock(&asking->slot, asking->until_ns, &asking->fathom->stop, &waited)) {
        if (__atomic_load_n(&asking->fathom->stop, __ATOMIC_RELAXED))
            return say_cancelled(error);
        error_set(error, 0,
                  "another process's measurement used up the time: ask again, or allow more "
                  "milliseconds");
        return 0;
    }
    int code = 0;
    if (waited && !asking->fathom->measure_anew &&
        look_into_cache(asking, document) == CACHED_GOOD) {
        code = FATHOM_CACHED;
    } else {
        document_free(document);
        code = measure_in_turn(asking, document, error);
        if (code == 0 && asking->question->answered(document, asking->question->asked)) {
            struct error why = {0};
            code = FATHOM_MEASURED;
            *error = (struct error){0}; /* errors of failed attempts no longer matter */
            if (cache_write(&asking->slot, document, &why) < 0)
                error_set(error, 0, "the answer could not be kept for the next time: %s", why.text);
        } else if (code == 0) {
            const char *reason = document->probe_count ? document->probes[0].reason : NULL;
            error_set(error, 0, "%s",
                      reason ? reason : "the time was too short for an answer: give more");
        }
    }
    cache_unlock(&asking->slot);
    return code;
}

static int declare(struct document *document, struct error *error)
{
    struct machine machine = {0};
    const int code = machine_read(&machine, &(struct machine_source){.guest = true}, error);
    if (code < 0)
        return code;
    document_free(document);
    document->machine = machine.facts;
    pool_take(&document->pool, &machine.pool); /* the machine's pool holds the document's facts */
    machine_free(&machine);
    return FATHOM_DECLARED;
}

static int answer(struct asking *asking, struct document *document, struct error *error)
{
    struct document stale = {0};
    const enum cached cached =
        asking->fathom->measure_anew ? CACHED_NONE : look_into_cache(asking, &stale);
    if (cached == CACHED_GOOD || (cached && asking->budget_ms < QUESTION_LEAST_MS)) {
        *document = stale;
        return FATHOM_CACHED;
    }
    int code = 0;
    if (asking->budget_ms >= QUESTION_LEAST_MS)
        code = measure_and_keep(asking, document, error);
    /* These end the call; after other errors the next source is tried. */
    if (code > 0 || code == FATHOM_CANCELLED || code == FATHOM_USAGE || code == FATHOM_SYSTEM) {
        document_free(&stale);
        return code;
    }
    document_free(document);
    if (cached) {
        *document = stale;
        return FATHOM_CACHED;
    }
    /* `error` keeps its text, which says why nothing was measured. */
    struct error why = {0};
    code = declare(document, &why);
    return code < 0 ? error_set(error, code, "%s", why.text) : code;
}

int question_answer(struct fathom *fathom, const struct question *question, unsigned budget_ms,
                    struct document *document, struct error *error)
{
    const int code = handle_begin(fathom, error);
    if (code < 0)
        return code;
    struct asking asking = {.fathom = fathom,
                            .question = question,
                            .budget_ms = budget_ms,
                            .until_ns = os_raw_ns() + budget_ms * UINT64_C(1000000)};
    cache_find(&asking.slot, fathom, question->name);
    return answer(&asking, document, error);
}
