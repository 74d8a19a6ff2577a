/*
 * The document as JSON (RFC 8259) and back. The reader is strict about what it understands and
 * ignores keys that it doesn't; it survives any bytes.
 */
#pragma once

#include "document/document.h"

#include <stdio.h>

/*
 * Reads a whole document into `document`, which the caller frees with document_free(), also after
 * an error. ERROR_USAGE, naming the file and what is wrong, when the file can't be opened, is a
 * directory, is empty, not JSON, of another schema, lacks what the schema requires, or changed
 * while it was read; ERROR_SYSTEM without memory. `path` "-" is standard input.
 *
 * The size of a file is not limited, so that every document that was written can be read. Reading
 * takes no more memory than the document's structs.
 */
int document_read(struct document *, const char *path, struct error *);
/* The same for the next of several, which together wait for ten seconds where they are pipes that
 * no program writes to: *steps is 0 before the first. */
int document_read_next(struct document *, const char *path, int *steps, struct error *);

/* The same from an open stream, to its end; messages call it `name`. */
int document_read_stream(struct document *, FILE *, const char *name, struct error *);

/* The same from a text. */
int document_read_text(struct document *, const char *text, size_t length, const char *name,
                       struct error *);

/* Writes to an open stream; ERROR_SYSTEM when it fails, or a point of a curve has no finite x. */
int document_write(const struct document *, FILE *, struct error *);

/* The number as it is read back after writing: rounded to nine digits, but whole numbers are
 * exact. */
double document_kept(double);

/* Writes to `path` with save_file() of base/save.h, and returns its errors. */
int document_save(const struct document *, const char *path, struct error *);
