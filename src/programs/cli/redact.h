/* Documents without names of machines, people and places (document_redact()), commands included. */
#pragma once

#include "document/document.h"
#include "programs/cli/command.h"

extern const struct option_spec redact_options[]; /* --redact */
/* A document that this invocation measures. */
int redact_measured(struct document *, const struct invocation *, struct error *);
/* A document that was read into the pool. Of a command that this version does not understand only
 * the first two words are kept. A step. */
void redact_read(struct document *, struct pool *);
