/* The parts of the page. Not for use outside of render/page. */
#pragma once

#include "show/render/markup.h"
#include "show/render/parts.h"
#include "show/render/picture/picture.h"

enum {
    HTML_TABLE_CELLS_MAX = 256 * 256, /* of a matrix that is also a table */
    HTML_ROWS_MAX = 4096,
    HTML_COLUMNS_MAX = 160,
};

/* "stride 64" */
void html_factor(FILE *, const struct factor *);
/* The command of the run, quoted where a shell needs it. */
void html_command(FILE *, const struct run_facts *);
/* What the probe did not measure, and the command and settings that repeat it. */
void html_repeat(FILE *, const struct document *, const struct probe_result *);
/* The names of flags with their meanings as tooltips; nothing without flags. */
void html_flags(FILE *, unsigned flags);

/* A document's name (show/report/names.h); of several documents, with the date of the run. */
void html_document(FILE *, const struct document *const *, size_t count, size_t index);
/* "2026-11-21T04:18:25Z" as "2026-11-21 04:18 UTC"; any other text unchanged, NULL as nothing. */
void html_time(FILE *, const char *started);
/* A sentence or a command, without line breaks inside options (--budget). */
void html_sentence(FILE *, const char *text);
/* A dotted name, which may break only after its dots. */
void html_name(FILE *, const char *name);

/* --- the other parts, each in the file of its name --- */

/* The last section: machine and conditions of each document, and the timed loops. */
void html_method(FILE *, const struct document *const *, size_t count);
/* The top: which machine the document is from, how reliable it is, and how it was made. */
void html_opening(FILE *, const struct report *, size_t count, size_t index);
/* The machine as nested boxes, if it is known. */
void html_machine(FILE *, const struct report *, size_t count, size_t index);
/* The datasheet: blocks of the report (blocks.c). */
void html_sheet(FILE *, const struct report *, size_t count, size_t index);
/* What to do with the figures. */
void html_use(FILE *, const struct report *, size_t index);
/* What a reader must know: the first notes, and the others folded. */
void html_notes(FILE *, const struct report *, size_t index);
/* A note as an item of a list. */
void html_note(FILE *, const struct note *);
/* The document's verdict; NULL: the report has none. */
const struct verdict_block *html_verdict(const struct report *, size_t index);
/* The finding's experiment, if the name alone does not say it; in small type, after the name. */
void html_experiment(FILE *, const struct finding *);
/* A table of the report; `title` is its caption and names its region. */
void html_table(FILE *, const struct table *, const char *class, const char *title);
/* A probe's findings and clusters in one document, as in the report. */
void html_findings(FILE *, struct report *, size_t document, const struct probe_result *);
/* Every point of a curve or a matrix. */
void html_points(FILE *, const struct block *, struct pool *);
/* The differences of several documents: first how many, and the largest of findings. */
void html_differences(FILE *, struct report *, size_t count, double tolerance);
/* Everything up to the bar at the top, which is left open. */
void html_head(FILE *, const char *title);

/* --- made by web/assemble when the program is built --- */

extern const char html_style[], html_script[];
extern const char html_policy[]; /* Content-Security-Policy: only these two */
/* The timed code as HTML: fathom's loops for CPUs, disassembled, and the source of the GPU
 * backends' kernels; "": not available. */
extern const char html_loops[], html_kernels_cuda[], html_kernels_opencl[];
