/* A document as the library hands it out. */
#ifndef FATHOM_LIBRARY_DOCUMENT_H
#define FATHOM_LIBRARY_DOCUMENT_H

#include "library/handle.h"
#include "result/document.h"

struct fathom_document {
    struct document document;
};

/* Whether any of these flags is a doubt. */
int flags_are_doubtful(unsigned flags);

#endif
