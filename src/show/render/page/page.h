/*
 * The parts that the page is put together from. Not for use outside of render/page.
 *
 * Text of a document goes into the page by html_text() and html_json_text() alone. Both make it
 * inert by the rules of clean.h and then escape it for where it stands, so it can be neither markup
 * nor script, and both cut it: a text of ten megabytes is no text that anybody reads.
 */
#ifndef FATHOM_SHOW_RENDER_PAGE_PAGE_H
#define FATHOM_SHOW_RENDER_PAGE_PAGE_H

#include "show/render/parts.h"

enum {
    HTML_TEXT_BYTES_MAX = 4000,
    HTML_CELLS_MAX = 1024 * 1024,     /* of a matrix that is drawn */
    HTML_TABLE_CELLS_MAX = 256 * 256, /* of one that is a table as well */
    HTML_ROWS_MAX = 4096,
    HTML_COLUMNS_MAX = 160,
};

/* Escaped for an element's content and for a quoted attribute alike. NULL is an empty text. */
void html_text(FILE *, const char *text);
/* The same between two pieces of markup. */
void html_put(FILE *, const char *before, const char *text, const char *after);
/* A quoted JSON string that can stand inside <script>: <, > and & are \u escapes. */
void html_json_text(FILE *, const char *text);
/* A JSON number, or null where it is not finite. */
void html_json_number(FILE *, double);
void html_json_float(FILE *, float);
void html_json_whole(FILE *, double); /* rounded */
/* As figure_plain(). A matrix of 128 CPUs has 16384 of them, and printf() takes ten times as long.
 */
void html_figure(FILE *, double);
/* "op cas, stride 64" */
void html_factors(FILE *, const struct factor *, size_t count);
/* What was typed, as a shell would read it again: quoted where it has to be. */
void html_command(FILE *, const struct run_facts *);
/* What of the probe was not measured, and the command and settings that repeat it. */
void html_repeat(FILE *, const struct document *, const struct probe_result *);
/* Flags by name with their meaning at hand; nothing where there are none. */
void html_flags(FILE *, unsigned flags);

/* A document by its name (show/report/names.h), of several with the date of the run. */
void html_document(FILE *, const struct document *const *, size_t count, size_t index);
/* "2026-11-21T04:18:25Z" as "2026-11-21 04:18 UTC"; anything else as it stands, NULL as nothing. */
void html_time(FILE *, const char *started);
/* A sentence or a command, whose options (--budget) are not broken. */
void html_sentence(FILE *, const char *text);
/* A dotted name, which may be broken behind its dots and nowhere else. */
void html_name(FILE *, const char *name);

/* --- page.c: the charts of the report, a figure each --- */

/* Whether that block is the heading of a chapter (2) or of a chart (3). */
bool html_is_chart_heading(const struct block *, int level);
/* How many curves or matrices the chart has whose heading is that block. */
size_t html_chart_size(const struct report *, size_t heading);

/* --- the rest, each in the file of its name --- */

/* The last section: machine and conditions of each document, and the loops that were timed. */
void html_method(FILE *, const struct document *const *, size_t count);
/* What comes first: whose document it is, how far to trust it, and the machine as boxes in boxes,
 * where the document says what machine it is. */
void html_opening(FILE *, const struct report *, size_t count, size_t index);
/* The datasheet, and what has to be known to trust it: the report's blocks (blocks.c). */
void html_sheet(FILE *, const struct report *, size_t count, size_t index);
/* A note as an item of a list. */
void html_note(FILE *, const struct note *);
/* How far to trust that document; NULL where the report does not say. */
const struct verdict_block *html_verdict(const struct report *, size_t index);
/* A mark where one of the flags is a doubt. */
void html_doubt(FILE *, unsigned flags);
/* What stands in a cell: figure, unit, and of a finding also its doubt and its interval. */
void html_cell(FILE *, const struct cell *);
/* What it was read off, where the name alone does not say it: small, behind what it is of. */
void html_experiment(FILE *, const struct finding *);
/* A table of the report; `title` stands above it and names its region. */
void html_table(FILE *, const struct table *, const char *class, const char *title);
/* A probe's findings and clusters in one document, as the report says them. */
void html_findings(FILE *, struct report *, size_t document, const struct probe_result *);
/* A curve or a matrix, every point of it. */
void html_points(FILE *, const struct block *, struct pool *);
/* What several documents differ in. */
void html_differences(FILE *, struct report *, size_t count, double threshold);
/* All that the script draws, as JSON. */
void html_data(FILE *, const struct report *);

/* --- made by web/assemble when the program is built --- */

extern const char html_style[], html_script[];
extern const char
    html_policy[]; /* Content-Security-Policy that allows these two and nothing else */
/* What is timed, as HTML; "" where it can't be had: fathom's loops for CPUs, disassembled, and the
 * kernels of the backends of GPUs, as their text. */
extern const char html_loops[], html_kernels_cuda[], html_kernels_opencl[];

#endif
