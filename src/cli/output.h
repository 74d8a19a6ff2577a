/*
 * Where results go, in what format and style. -f X -o FILE writes X to FILE, in every command, and
 * this is the one place that decides so. What a format is says its output (render/output.h).
 */
#ifndef FATHOM_CLI_OUTPUT_H
#define FATHOM_CLI_OUTPUT_H

#include "base/save.h"
#include "cli/command.h"
#include "render/output.h"
#include "result/document.h"

/* -f with the default that a command has: text, of what shows a document; none, of what makes one,
 * so that -o alone is the place for it; the document itself, of what joins several. */
extern const struct option_spec format_options[], made_format_options[], joined_format_options[];

/* Colour and block characters on a terminal, unless NO_COLOR or TERM=dumb ask for none. */
struct view_style output_style(FILE *);

/* What -f and -o ask for together. */
struct outlet {
    const struct output *output;
    const char *path; /* "-" is standard output */
};
/* Without -f and its default -o alone is given the document, and standard output a text. */
struct outlet output_choose(const struct settings *);
bool outlet_is_document(const struct outlet *);
bool outlet_is_text(const struct outlet *);
bool outlet_takes_several(const struct outlet *);
/* Refuses what outlet_write() would refuse, as far as it can be known without a document: before a
 * measurement. Writes nothing. */
int outlet_possible(const struct outlet *, struct error *);
/* Writes the document. `probe` is for text; NULL: the summary; else that probe's table. A failure
 * of standard output is no error here: the stream keeps it, and main() tells of it as after every
 * other output. */
int outlet_write(const struct outlet *, const struct document *, const struct probe_result *probe,
                 struct error *);
/* The same of documents side by side, where outlet_takes_several(). */
int outlet_write_several(const struct outlet *, const struct document *const *, size_t count,
                         double threshold, struct error *);

/* Writes the document in the format, and to the place, that -f and -o ask for. */
int output_document(const struct settings *, const struct document *, const struct probe_result *,
                    struct error *);

/* The probe to be shown in full, as it was by the command that measured or imported it alone; NULL
 * for what 'fathom run' measured, of which there is a screen. */
const struct probe_result *output_only_probe(const struct document *);

/* Writes the document itself to the file, "-" being standard output. */
int output_save(const struct document *, const char *path, struct error *);
/* Writes the page of the documents to the file, "-" being standard output; `threshold` is for the
 * differences between several. */
int output_html(const char *path, const struct document *const *, size_t count, double threshold,
                struct error *);
/* Writes what is no document: to the file, "-" being standard output. */
int output_write(const char *path, save_function *, const void *content, struct error *);
/* Whether the path is "-" or another name of standard output. */
bool output_is_standard(const char *path);
/* Whether it is that, or a pipe: who reads it takes all that is written for one thing, so it is
 * written once. */
bool output_is_stream(const char *path);

/* ERROR_USAGE where two options name one file to write to: the last would leave nothing of the
 * other. */
int output_files_differ(const struct settings *, struct error *);

/* Exit status for what a finished document says, by document_trust(): EXIT_DONE, EXIT_DOUBTFUL, or
 * EXIT_IMPOSSIBLE where nothing at all could be measured. */
int output_status(const struct document *);

#endif
