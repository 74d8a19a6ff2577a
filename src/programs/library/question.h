/* The one road to an answer: from the cache, else measured, else declared. */
#ifndef FATHOM_PROGRAMS_LIBRARY_QUESTION_H
#define FATHOM_PROGRAMS_LIBRARY_QUESTION_H

#include "document/document.h"
#include "programs/library/handle.h"

/* Less gives no trial to rely on; the least that --budget takes, too. */
enum { QUESTION_LEAST_MS = 100 };

struct question {
    const char *name;            /* of its documents in the cache: "levels" */
    const char *probe;           /* that answers it */
    const char *const *settings; /* of the probe, as in struct fathom_plan */
    /* Whether the document answers it. */
    bool (*answered)(const struct document *, const void *asked);
    const void *asked;
};

/* Fills the document, which is empty and the caller frees by document_free(), also after an error,
 * and returns where it is from: an enum fathom_source. With FATHOM_DECLARED it has only the facts
 * of the machine. The error's text may then say, with a code of 0, why nothing was measured.
 * Negative: FATHOM_CANCELLED, FATHOM_USAGE (of the handle), FATHOM_SYSTEM without memory,
 * FATHOM_IMPOSSIBLE where the machine can't be read. */
int question_answer(struct fathom *, const struct question *, unsigned budget_ms, struct document *,
                    struct error *);

#endif
