/* Where results go: standard output or a file, and in what style. */
#ifndef FATHOM_CLI_OUTPUT_H
#define FATHOM_CLI_OUTPUT_H

#include "base/save.h"
#include "cli/command.h"
#include "result/document.h"
#include "views/view.h"

/* Colour and block characters on a terminal, unless NO_COLOR or TERM=dumb ask for none. */
struct view_style output_style(FILE *);

/* Prints the document in the format asked for (--format) where -o says, or on standard output.
 * `probe` NULL: the summary; else that probe's table. */
int output_document(const struct settings *, const struct document *, const struct probe_result *,
                    struct error *);

/* The probe to be shown in full, as it was by the command that measured or imported it alone; NULL
 * for what 'fathom run' measured, of which there is a screen. */
const struct probe_result *output_only_probe(const struct document *);

/* Writes the document itself to the file, "-" being standard output. A failure of standard output
 * is no error here: the stream keeps it, and main() tells of it as after every other output. */
int output_save(const struct document *, const char *path, struct error *);

/* Writes the page of the documents to the file, "-" being standard output; `threshold` is for the
 * differences between several. */
int output_html(const char *path, const struct document *const *, size_t count, double threshold,
                struct error *);

/* ERROR_USAGE where two options name one file to write to: the last would leave nothing of the
 * other. */
int output_files_differ(const struct settings *, struct error *);

/* Exit status for what a finished document says: EXIT_DONE, EXIT_DOUBTFUL, or EXIT_IMPOSSIBLE
 * where nothing at all could be measured. */
int output_status(const struct document *);

#endif
