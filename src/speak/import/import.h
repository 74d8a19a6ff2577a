/*
 * Other tools' tables become documents. A format is a `struct import_format` at the end of a file;
 * similar formats may share a file. The build makes the table of all formats from the files. A
 * reader accepts any bytes: it refuses a malformed text with ERROR_USAGE, the line's number and the
 * reason. Imported series go through the same analysis (conclude/) as measured ones.
 */
#pragma once

#include "base/settings.h"
#include "document/document.h"

/* A whole text in UTF-8, whatever its encoding in the file. It ends with its only NUL. */
struct import_text {
    const char *file; /* its name, for messages */
    const char *text;
    size_t length;
    struct pool *pool; /* the document's, while the text is read: a malformed text leaves by it */
    /* Lines with numbers, or values of a JSON document, that were not read: how many, and the first
     * of them. Readers count them by rows_unread() and json_unread(). */
    size_t unread, unread_line; /* `unread_line` 0: a value of JSON */
    char unread_shown[96];
    char columns[96]; /* names of columns that were not read; "": none */
    char notes[256];  /* what may be missing, of text_note(); "": nothing */
};

/* How sure a format is that the text is in it. */
enum import_certainty {
    IMPORT_NONE,
    IMPORT_BROKEN, /* most lines have the shape: the reader refuses the first that has not */
    IMPORT_SHAPE,  /* numbers arranged as in this format, and perhaps as in others */
    IMPORT_FORM,   /* the shape and something more that other formats lack */
    IMPORT_SURE,   /* the tool's own words are in the text */
};

struct reading;

struct import_format {
    const char *name;    /* "core-matrix" */
    int place;           /* in lists, ascending; equal places sort by name */
    const char *summary; /* one line for lists */
    /* The import_options that it takes, ending with NULL; NULL: none. */
    const char *const *options;
    /* Looks at the text only and ignores the reader's state. NULL: IMPORT_SURE if the text holds
     * one of `marks`, which end with NULL. */
    enum import_certainty (*recognise)(const struct import_text *);
    const char *const *marks;
    /* The steps of reading (speak/import/reading.h): before the first line, for each line, and
     * after the last. Each may be NULL. They fill probes (series and findings) and the facts of the
     * machine that the text gives. */
    void (*begin)(struct reading *);
    void (*line)(struct reading *);
    void (*end)(struct reading *);
    size_t state_bytes; /* size of reading->state, which is zeroed */
    /* What a value is of the tool's repetitions, after "each": "the best of its passes". NULL: the
     * text does not say. */
    const char *statistic;
    const char *nothing; /* the message if nothing was read: "holds no ..." */
};

extern const struct import_format *const import_formats[]; /* by place; ends with NULL */
const struct import_format *import_format_by_name(const char *name);

/* Options of all formats: units and names that a table does not give. */
extern const struct option_spec import_options[];
/* Writes the help of one of these options, with the formats that take it; false if it is not one of
 * them. */
bool import_option_help(const struct option_spec *, char *text, size_t size);

/* The format that is surest of the text. ERROR_USAGE if no format recognises it, or if several are
 * equally sure; the error names them. */
int import_recognise(const struct import_format **, const struct import_text *, struct error *);

/* Reads a file (NULL or "-": standard input) into an empty document, which also gets the facts that
 * every document has and the findings of its series. Format NULL: the format is recognised.
 * ERROR_USAGE for a file that can't be read, is larger than 256 MiB, holds a NUL (in UTF-16 with a
 * byte order mark: a NUL character) or is not in the format, and for options that the format does
 * not take. *unread, in the document's pool, is a sentence about what was not read; NULL if all
 * was. The caller frees the document. */
int import_file(const struct import_format *, const char *path, const struct settings *,
                struct document *, const char **unread, struct error *);
/* The same for a text with its bytes as in the file, and the file's name. */
int import_read(const struct import_format *, struct import_text *, const struct settings *,
                struct document *, const char **unread, struct error *);
