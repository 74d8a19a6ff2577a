/*
 * The one reader of lines and fields for all formats. It goes through a text line by line, cuts
 * lines into fields, and counts lines for messages. Lines and fields point into the text and are
 * not copied, so they may have any length, and reading takes linear time.
 */
#pragma once

#include "speak/import/import.h"

#include <stdbool.h>

struct field {
    const char *text; /* without blanks and quotes around it; does not end with a NUL */
    size_t length;
    size_t column, end; /* first character in its line and the one after its last, in characters */
};

/* rows_cut() stops at ROWS_FIELDS fields; a message quotes at most ROWS_SHOWN bytes. */
enum { ROWS_FIELDS = 2050, ROWS_SHOWN = 40 };

struct rows {
    struct import_text *source;
    const char *next;                 /* the line after the current one */
    size_t number;                    /* of the current line, from 1 */
    const char *begin;                /* the current line with its blanks */
    const char *text;                 /* the current line without blanks around it */
    size_t length;                    /* of `text`; 0: a blank line */
    struct field fields[ROWS_FIELDS]; /* of the last rows_cut() */
    size_t count;
};

/* A position in the text, for rows_return(). */
struct rows_place {
    const char *next, *begin, *text;
    size_t number, length;
};

void rows_begin(struct rows *, struct import_text *); /* before the first line */
/* Goes to the next line; rows_next_said() skips blank lines and remarks that begin with #. False at
 * the end of the text. */
bool rows_next(struct rows *);
bool rows_next_said(struct rows *);
struct rows_place rows_place(const struct rows *);
void rows_return(struct rows *, struct rows_place);

/* --- the current line --- */

bool rows_begins(const struct rows *, const char *words);
/* The text after the words, wherever they are in the line; NULL if the line lacks them. */
const char *rows_behind(const struct rows *, const char *words);
/* The number after these words and any blanks, colons and equals signs that follow them; NAN if
 * there is none. */
double rows_number_behind(const struct rows *, const char *words);
/* Copies what is between the two, cut to `size`; "" if the line lacks either. */
void rows_between(const struct rows *, const char *first, const char *last, char *text,
                  size_t size);
/* Whether the line names a unit of bandwidth. */
bool rows_speak_of_bandwidth(const struct rows *);
/* The first of ; tab and , that the line contains; 0: none. */
char rows_separator(const struct rows *);
enum { ROWS_CPU = 16 };
/* Whether the line's beginning names the CPU that the following lines were measured on ("CPU 3:",
 * "core 3", "taskset -c 3 ...", "numactl --physcpubind=3"); `cpu` becomes "cpu3". */
bool rows_name_cpu(const struct rows *, char cpu[ROWS_CPU]);
/* Cuts the line into fields at each separator, or at blanks if it is 0; returns their number. */
size_t rows_cut(struct rows *, char separator);
/* The same with the separator that rows_separator() returns. */
size_t rows_split(struct rows *);

/* --- fields --- */

bool field_is(const struct field *, const char *text);
bool field_begins_number(const struct field *);
/* A finite decimal number that a float can hold; NAN for anything else. */
double field_number(const struct field *);
/* The bytes of a size like "48K"; a number without suffix counts `unit` bytes. 0: anything else. */
double field_size(const struct field *, double unit);
/* Whether the field is a size with a suffix. */
bool field_has_unit(const struct field *);
/* A CPU's or node's number, all digits; -1 for anything else. */
int field_id(const struct field *);
/* Whether it is all digits but larger than any CPU's or node's number, for a message. */
bool field_is_large_id(const struct field *);
/* Copies it, cut to `size`; returns `text`. */
char *field_copy(const struct field *, char *text, size_t size);

/* --- messages: all leave the step of the text's pool with ERROR_USAGE --- */

/* "FILE: line N: ..." with the current line's number. */
_Noreturn void rows_refuse(const struct rows *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Refuses the first field of the current line, which was cut, that is larger than any CPU's or
 * node's number; returns if there is none. */
void rows_refuse_large_ids(const struct rows *);
/* The positive number in a field; refuses anything else. The message says what it should be and, if
 * a comma is the fault, says so. */
double rows_positive(const struct rows *, const struct field *, const char *what);
/* Refuses the text if the last # remark before a table's first line names a unit of bandwidth: such
 * a table holds no latencies. */
void rows_refuse_bandwidth(struct import_text *);
/* "FILE: ..." */
_Noreturn void text_refuse(const struct import_text *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- what is not read --- */

/* Counts the current line as not read; one message in the end covers all such lines. A line without
 * a digit holds no measurement and is not counted. */
void rows_unread(const struct rows *);
/* The same, but counts lines without a digit too. */
void rows_unread_line(const struct rows *);
/* The same as rows_unread(), unless the line begins with one of these words ("Time:|Array size"):
 * such lines repeat what was read, or say how it was measured. */
void rows_unread_but(const struct rows *, const char *known);

/* Adds a clause to the notes on what may be missing. */
void text_note(struct import_text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- recognising --- */

/* Whether a line begins with these words after its blanks; whether the words are anywhere. */
bool text_has_line(const struct import_text *, const char *words);
bool text_holds(const struct import_text *, const char *words);
