/* Whether a document's results can be relied on. The exit status of a run follows from it. */
#ifndef FATHOM_DOCUMENT_TRUST_H
#define FATHOM_DOCUMENT_TRUST_H

#include "document/document.h"

enum trust {
    TRUST_SOUND,
    TRUST_DOUBTFUL, /* a probe is partial or failed, or a finding or a headline series carries a
                       doubt */
    TRUST_NOTHING,  /* no probe has measured anything */
};

/* A skipped probe gives its reason and makes nothing doubtful. */
enum trust document_trust(const struct document *);

#endif
