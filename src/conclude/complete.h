/*
 * A document made complete: the experiments of its findings (conclude/registry/experiment.h) and
 * its verdict (conclude/verdict.h), as this version says them, whatever wrote the document.
 */
#ifndef FATHOM_CONCLUDE_COMPLETE_H
#define FATHOM_CONCLUDE_COMPLETE_H

#include "document/document.h"

/* To be called after document_read(). ERROR_SYSTEM without memory. */
int experiments_complete(struct document *, struct error *);
/* Reads a document and completes it: every command reads by this. Errors as of document_read(). */
int experiment_read(struct document *, const char *path, struct error *);

#endif
