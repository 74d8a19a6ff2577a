/* What documents are called beside one another. */
#ifndef FATHOM_SHOW_REPORT_NAMES_H
#define FATHOM_SHOW_REPORT_NAMES_H

#include "base/line.h"
#include "document/document.h"

/* The only one by its host, or by its file where it does not say of which machine it is. One of
 * several by its file, with as much of its path as tells it from the others; where nothing does, or
 * it was read from no file, by a letter and its host: "A vm". */
void line_add_document(struct line *, const struct document *const *, size_t count, size_t index);

enum { DOCUMENT_TIME = 64 };
/* "2026-11-21T04:18:25Z" as "2026-11-21 04:18 UTC"; anything else inert, as far as it fits; NULL as
 * nothing. */
const char *document_time(const char *started, char text[DOCUMENT_TIME]);

#endif
