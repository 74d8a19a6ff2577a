/*
 * Completes a document: this version computes its findings' experiments
 * (conclude/registry/experiment.h) and its verdict (conclude/verdict.h), whatever program wrote the
 * document.
 */
#pragma once

#include "document/document.h"

/* To be called after document_read(). ERROR_SYSTEM: out of memory. */
int experiments_complete(struct document *, struct error *);
/* Reads a document and completes it. Every command reads documents by this. Errors as
 * document_read(). */
int experiment_read(struct document *, const char *path, struct error *);
