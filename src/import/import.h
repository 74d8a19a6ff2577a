/*
 * Other tools' tables become documents. A format is one file that ends with a `struct
 * import_format`; the table of all is made from the files when the program is built. A reader takes
 * any text: what it can't make sense of it refuses with the line's number and what is wrong there
 * (ERROR_USAGE), and what it reads it hands to the same analysis (findings/) as what was measured
 * here.
 */
#ifndef FATHOM_IMPORT_IMPORT_H
#define FATHOM_IMPORT_IMPORT_H

#include "base/settings.h"
#include "result/document.h"

/* A text that was read whole: UTF-8, whatever it was in the file. It ends with a NUL and holds no
 * other. */
struct import_text {
    const char *file; /* its name, for messages */
    const char *text;
    size_t length;
};

struct import_format {
    const char *name;    /* "core-matrix" */
    int place;           /* in lists: ascending; equal ones by name */
    const char *summary; /* one line for lists */
    /* Those of import_options that it takes, ending with NULL; NULL: none. */
    const char *const *options;
    /* Fills probes (series and findings) and whatever of machine the text tells, all in the
     * document's pool. */
    int (*read)(const struct import_text *, const struct settings *, struct document *,
                struct error *);
};

extern const struct import_format *const import_formats[]; /* by place; ends with NULL */
const struct import_format *import_format_by_name(const char *name);

/* Options of all formats: units and names that a table doesn't tell. */
extern const struct option_spec import_options[];

/* Reads the file (NULL or "-": standard input) of that format into an empty document, with the
 * facts that every document has. ERROR_USAGE for a file that can't be read, is larger than 256 MiB,
 * holds a NUL byte (of UTF-16 with its mark: a NUL) or is not of the format, and for options that
 * the format does not take. The caller frees the document. */
int import_file(const struct import_format *, const char *path, const struct settings *,
                struct document *, struct error *);
/* The same with a text that was read: fills the document, and finds what its series say as in what
 * was measured here. */
int import_read(const struct import_format *, const struct import_text *, const struct settings *,
                struct document *, struct error *);

#endif
