/*
 * The one reader of lines and fields for all formats. It goes through a text line by line, cuts a
 * line into fields where it is asked to, and counts lines for messages. Nothing is copied: lines
 * and fields lie in the text, so they may be of any length, and reading takes time in proportion to
 * it.
 */
#ifndef FATHOM_SPEAK_IMPORT_ROWS_H
#define FATHOM_SPEAK_IMPORT_ROWS_H

#include "speak/import/import.h"

#include <stdbool.h>

struct field {
    const char *text; /* without the blanks and quotes around it; not ended by a NUL */
    size_t length;
    size_t column, end; /* where it begins and ends in its line, in characters */
};

/* Fields of a line beyond these are counted as one more and not kept. */
enum { ROWS_FIELDS = 2050, ROWS_SHOWN = 40 };

struct rows {
    struct import_text *source;
    const char *next;                 /* the line after the one at hand */
    size_t number;                    /* of the line at hand, from 1 */
    const char *begin;                /* the line at hand, as it stands */
    const char *text;                 /* the same without the blanks around it */
    size_t length;                    /* of `text`; 0: the line is blank */
    struct field fields[ROWS_FIELDS]; /* of the last rows_cut() */
    size_t count;
};

/* Where the reading stands, to come back to. */
struct rows_place {
    const char *next, *begin, *text;
    size_t number, length;
};

void rows_begin(struct rows *, struct import_text *); /* before the first line */
/* Goes to the next line, or to the next one that is neither blank nor a remark behind a #; false at
 * the end. */
bool rows_next(struct rows *);
bool rows_next_said(struct rows *);
struct rows_place rows_place(const struct rows *);
void rows_return(struct rows *, struct rows_place);

/* --- the line at hand --- */

bool rows_begins(const struct rows *, const char *words);
/* What stands behind the words, wherever they stand in the line; NULL where they don't. */
const char *rows_behind(const struct rows *, const char *words);
/* The number behind these words and the blanks, colons and equals signs that follow them; NAN where
 * there is none. */
double rows_number_behind(const struct rows *, const char *words);
/* Copies what stands between the two, as far as it fits; "" where they don't stand there. */
void rows_between(const struct rows *, const char *first, const char *last, char *text,
                  size_t size);
/* Whether it names a unit of bandwidth. */
bool rows_speak_of_bandwidth(const struct rows *);
/* The first of ; tab and , that it holds; 0 where it holds none. */
char rows_separator(const struct rows *);
enum { ROWS_CPU = 16 };
/* Whether it says by its beginning which CPU what follows was measured on ("CPU 3:", "core 3",
 * "taskset -c 3 ...", "numactl --physcpubind=3"): "cpu3". */
bool rows_name_cpu(const struct rows *, char cpu[ROWS_CPU]);
/* Cuts it at each separator, or at blanks where that is 0; returns how many fields there are. */
size_t rows_cut(struct rows *, char separator);
/* The same at what rows_separator() says. */
size_t rows_split(struct rows *);

/* --- fields --- */

bool field_is(const struct field *, const char *text);
bool field_begins_number(const struct field *);
/* A finite decimal number that a float can hold; NAN for anything else. */
double field_number(const struct field *);
/* Like "48K", or a plain number of the unit that is given in bytes; 0 for anything else. */
double field_size(const struct field *, double unit);
/* Whether that is a size with its unit. */
bool field_has_unit(const struct field *);
/* A CPU's or node's number, all digits; -1 for anything else. */
int field_id(const struct field *);
/* Whether it is all digits, and more than any such number: the reader can say so. */
bool field_is_large_id(const struct field *);
/* Copies it, cut where it does not fit; returns `text`. */
char *field_copy(const struct field *, char *text, size_t size);

/* --- messages: all leave the step of the text's pool with ERROR_USAGE --- */

/* "FILE: line N: ..." of the line at hand. */
_Noreturn void rows_refuse(const struct rows *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Names the first field that is larger than any CPU's or node's number, of the line at hand, which
 * was cut; returns where there is none. */
void rows_refuse_large_ids(const struct rows *);
/* The number in a field, which has to be positive: the message names what it should be and, where
 * that is what is wrong, the comma in it. */
double rows_positive(const struct rows *, const struct field *, const char *what);
/* Refuses the text where the last remark behind a # before the first line of a table names a unit
 * of bandwidth: then the table holds no latencies. */
void rows_refuse_bandwidth(struct import_text *);
/* "FILE: ..." */
_Noreturn void text_refuse(const struct import_text *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- what is not read --- */

/* Counts the line at hand as one that nothing was read of; what is said of it in the end is one
 * line for all of them. A line without a digit holds no measurement, and is not counted. */
void rows_unread(const struct rows *);
/* The same of any line. */
void rows_unread_line(const struct rows *);
/* The same as rows_unread(), unless the line begins with one of these words ("Time:|Array size"):
 * they repeat what is read, or say how it was measured. */
void rows_unread_but(const struct rows *, const char *known);

/* --- recognising --- */

/* Whether any line of the text begins with these words, blanks before them aside; whether the words
 * stand anywhere. */
bool text_has_line(const struct import_text *, const char *words);
bool text_holds(const struct import_text *, const char *words);

#endif
