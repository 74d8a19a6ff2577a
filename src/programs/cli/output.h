/*
 * Where results go, in what format and style. -f X -o FILE writes X to FILE, in every command, and
 * this is the one place that decides so. What a format is says its output (show/render/output.h).
 */
#ifndef FATHOM_PROGRAMS_CLI_OUTPUT_H
#define FATHOM_PROGRAMS_CLI_OUTPUT_H

#include "base/save.h"
#include "document/document.h"
#include "programs/cli/command.h"
#include "show/render/output.h"

/* -f, by its default: text in commands that show a document; none in commands that measure or
 * import, where -o alone is the place for the document; the document where one is made of others.
 */
extern const struct option_spec format_options[], made_format_options[], joined_format_options[];
/* Writes the help of one of these, made of the outputs; false where it is none. */
bool output_option_help(const struct option_spec *, char *text, size_t size);

/* Colour and block characters on a terminal, unless NO_COLOR or TERM=dumb ask for none. */
struct text_style output_style(FILE *);

/* What -f and -o ask for together. */
struct outlet {
    const struct output *output;
    const char *path;     /* "-" is standard output */
    bool chosen;          /* by -f or its default, not because of the place */
    struct saving saving; /* while it is kept up to date */
};
/* Where -f has no default and is not given, -o gets the document and standard output a text. */
struct outlet output_choose(const struct settings *);
bool outlet_is_document(const struct outlet *);
bool outlet_is_text(const struct outlet *);
bool outlet_takes_several(const struct outlet *);
/* What outlet_write() would return, as far as it can be known before measuring. Writes nothing. */
int outlet_possible(const struct outlet *, struct error *);
/* Writes the document; with `probe` the text is that probe's table, else the summary. A failure of
 * standard output is no error here: the stream remembers it, and main() reports it. */
int outlet_write(const struct outlet *, const struct document *, const struct probe_result *probe,
                 struct error *);
/* The same if the outlet is no file: standard output, a pipe, a device. It does not wait for a
 * reader. 1: written; 0: the outlet is a file, which is left alone. */
int outlet_write_to_stream(const struct outlet *, const struct document *,
                           const struct probe_result *probe, struct error *);
/* The same of documents side by side, where outlet_takes_several(). */
int outlet_write_several(const struct outlet *, const struct document *const *, size_t count,
                         double threshold, struct error *);

/* Writes the document in the format, and to the place, that -f and -o ask for. */
int output_document(const struct settings *, const struct document *, const struct probe_result *,
                    struct error *);

/* The probe whose table is shown, if the document is of one probe alone or imported; NULL where
 * 'fathom run' measured it, which shows the summary. */
const struct probe_result *output_only_probe(const struct document *);

/* What is kept up to date while something is measured (base/save.h). Standard output, as every
 * stream, gets it once, from outlet_finish(). With a path that is NULL all of these do nothing.
 * Refuses what can't be written, and creates nothing. `made_up`: nobody typed the path. The caller
 * frees by saving_free(), also after an error. */
int outlet_begin(struct outlet *, bool made_up, struct error *);
int outlet_update(struct outlet *, const struct document *, struct error *);
int outlet_finish(struct outlet *, const struct document *, struct error *);
/* The file that the content is in now; NULL where it is in none, or that is gone. */
const char *outlet_place(const struct outlet *);

/* The line on a terminal's standard error that says how far a run is: the probe at work, the share
 * of it that is done (0 to 1), the seconds left, and what was found so far, which may be "" and
 * takes a part of the bar's place. */
struct progress_line {
    bool shown;
};
void progress_show(struct progress_line *, const char *probe, double done, double left_s,
                   const char *so_far);
void progress_end(struct progress_line *); /* wipes it */

/* Writes what is no document: to the file, "-" being standard output. */
int output_write(const char *path, save_function *, const void *content, struct error *);
/* Whether the path is "-" or another name of standard output. */
bool output_is_standard(const char *path);

/* ERROR_USAGE where two options name one file to write: the second would overwrite the first. */
int output_files_differ(const struct settings *, struct error *);

/* Exit status for what a finished document says, by document_trust(): EXIT_DONE, EXIT_DOUBTFUL, or
 * EXIT_IMPOSSIBLE where nothing at all could be measured. */
int output_status(const struct document *);

#endif
