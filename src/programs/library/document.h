/* A document as the library hands it out. */
#ifndef FATHOM_PROGRAMS_LIBRARY_DOCUMENT_H
#define FATHOM_PROGRAMS_LIBRARY_DOCUMENT_H

#include "document/document.h"
#include "programs/library/handle.h"

struct fathom_document {
    struct document document;
};

/* Whether any of these flags is a doubt. */
int flags_are_doubtful(unsigned flags);

#endif
