/* Whether what a document says can be relied on: what the exit status tells of a run. */
#ifndef FATHOM_RESULT_TRUST_H
#define FATHOM_RESULT_TRUST_H

#include "result/document.h"

enum trust {
    TRUST_SOUND,
    TRUST_DOUBTFUL, /* a probe is partial or failed, or doubt hangs over a finding or a headline */
    TRUST_NOTHING,  /* no probe has measured anything */
};

/* A probe that was skipped has its reason and takes nothing from the others. */
enum trust document_trust(const struct document *);

#endif
