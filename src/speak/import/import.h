/*
 * Other tools' tables become documents. A format is a `struct import_format` at the end of a file,
 * which formats that are much alike may share; the table of all is made from the files when the
 * program is built. A reader takes any text: what it can't make sense of it refuses with the line's
 * number and what is wrong there (ERROR_USAGE), and what it reads it hands to the same analysis
 * (findings/) as what was measured here.
 */
#ifndef FATHOM_SPEAK_IMPORT_IMPORT_H
#define FATHOM_SPEAK_IMPORT_IMPORT_H

#include "base/settings.h"
#include "document/document.h"

/* A text that was read whole: UTF-8, whatever it was in the file. It ends with a NUL and holds no
 * other. */
struct import_text {
    const char *file; /* its name, for messages */
    const char *text;
    size_t length;
    struct pool
        *pool; /* the document's, while the text is read: what is wrong in it leaves by it */
    /* Lines that hold numbers, or values of a JSON document, of which nothing was read: how many,
     * and the first of them. Readers count them by rows_unread() and json_unread(). */
    size_t unread, unread_line; /* line 0: it is a value */
    char unread_shown[96];
    char columns[96]; /* names of columns of which nothing was read; "" */
    char cut[192];    /* by what a reader sees that the end of a table may be missing; "" */
};

/* How sure a format is that a text is its own. */
enum import_certainty {
    IMPORT_NONE,
    IMPORT_SHAPE, /* the numbers stand as in such a table, as they may in others */
    IMPORT_FORM,  /* beside the shape there is more that other tables don't have */
    IMPORT_SURE,  /* the tool's own words stand there */
};

struct reading;

struct import_format {
    const char *name;    /* "core-matrix" */
    int place;           /* in lists: ascending; equal ones by name */
    const char *summary; /* one line for lists */
    /* Those of import_options that it takes, ending with NULL; NULL: none. */
    const char *const *options;
    /* Looks at the text alone; how it goes on is not its business. NULL: it is sure of a text that
     * holds one of `marks`, which end with NULL. */
    enum import_certainty (*recognise)(const struct import_text *);
    const char *const *marks;
    /* The steps of reading (speak/import/reading.h): once, for each line, and once. Each may be
     * NULL. They fill probes (series and findings) and whatever of the machine the text says. */
    void (*begin)(struct reading *);
    void (*line)(struct reading *);
    void (*end)(struct reading *);
    size_t state_bytes;  /* of the format's own state, zeroed: reading->state */
    const char *nothing; /* what a text lacks of which nothing was read: "holds no ..." */
};

extern const struct import_format *const import_formats[]; /* by place; ends with NULL */
const struct import_format *import_format_by_name(const char *name);

/* Options of all formats: units and names that a table doesn't say. */
extern const struct option_spec import_options[];
/* Writes the help of one of these, which names the formats that take it; false where it is none. */
bool import_option_help(const struct option_spec *, char *text, size_t size);

/* The format that is surest of the text. ERROR_USAGE where none knows it, or where several are
 * equally sure: the error names them. */
int import_recognise(const struct import_format **, const struct import_text *, struct error *);

/* Reads the file (NULL or "-": standard input) of that format, or where that is NULL of the one
 * that recognises it, into an empty document, with the facts that every document has, and finds
 * what its series say as in what was measured here. ERROR_USAGE for a file that can't be read, is
 * larger than 256 MiB, holds a NUL byte (of UTF-16 with its mark: a NUL) or is not of the format,
 * and for options that the format does not take. *unread, in the document's pool, is a sentence
 * about what of the file was not read; NULL where all was. The caller frees the document. */
int import_file(const struct import_format *, const char *path, const struct settings *,
                struct document *, const char **unread, struct error *);
/* The same with a text: its bytes as they are in the file, and `file`. */
int import_read(const struct import_format *, struct import_text *, const struct settings *,
                struct document *, const char **unread, struct error *);

#endif
