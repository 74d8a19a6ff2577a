/*
 * Where results go, in what format and style. `-f X -o FILE` writes X to FILE in every command;
 * only this file decides that. Each format is an output (show/render/output.h).
 */
#pragma once

#include "base/save.h"
#include "document/document.h"
#include "programs/cli/command.h"
#include "show/render/output.h"

/* -f with different defaults: text in commands that show a document; none in commands that measure
 * or import, where -o alone names the file of the document; the document in commands that combine
 * documents. */
extern const struct option_spec format_options[], made_format_options[], joined_format_options[];
/* -v and --points. */
extern const struct option_spec points_options[];
/* Writes the help of one of these options, made from the outputs; false: not one of them. */
bool output_option_help(const struct option_spec *, char *text, size_t size);

/* Colour and block characters if the stream is a terminal and neither NO_COLOR nor TERM=dumb is
 * set. */
struct text_style output_style(FILE *);

/* What -f and -o ask for together. */
struct outlet {
    const struct output *output;
    const char *path;     /* "-" is standard output */
    const char *chart;    /* --chart; NULL: not given */
    bool chosen;          /* the format is from -f or its default; false: only -o was given */
    bool points;          /* of text: every figure, and not the answer alone */
    bool onto_screen;     /* no -o was given, and standard output is a terminal */
    struct saving saving; /* while the file is kept up to date */
};
/* Without -f and without a default, -o gets the document, and standard output the text. */
struct outlet output_choose(const struct command_options *);
/* The file of -o; "-" where it is not given. */
const char *output_path(const struct command_options *);
/* The error that outlet_write() would return, if it is known before measuring. Writes nothing. */
int outlet_possible(const struct outlet *, struct error *);
/* Writes the document; the text is the table of `probe`, or the summary if that is NULL. A failure
 * of standard output is no error here, because main() checks the stream. */
int outlet_write(const struct outlet *, const struct document *, const struct probe_result *probe,
                 struct error *);
/* The same if the outlet is standard output, a pipe or a device; does not wait for a reader. 1:
 * written; 0: the outlet is a file and was not touched. */
int outlet_write_to_stream(const struct outlet *, const struct document *,
                           const struct probe_result *probe, struct error *);
/* The same for several documents side by side, if its output takes several. */
int outlet_write_several(const struct outlet *, const struct document *const *, size_t count,
                         double tolerance, struct error *);

/* Writes the document in the format of -f to the place of -o. */
int output_document(const struct command_options *, const struct document *,
                    const struct probe_result *, struct error *);

/* The only probe of a document that one probe's command measured or that was imported: its table is
 * shown. NULL: the summary is shown, for several probes or a document of 'fathom run'. */
const struct probe_result *output_only_probe(const struct document *);

/* A file that is kept up to date during a measurement (base/save.h). Standard output and other
 * streams get the content once, from outlet_finish(). If the path is NULL these functions do
 * nothing. outlet_begin() refuses a path that can't be written and creates nothing. `made_up`:
 * fathom chose the path. The caller frees by saving_free(), also after an error. */
int outlet_begin(struct outlet *, bool made_up, struct error *);
int outlet_update(struct outlet *, const struct document *, struct error *);
int outlet_finish(struct outlet *, const struct document *, struct error *);
/* The file that has the content now; NULL if none has, or if it is gone. */
const char *outlet_place(const struct outlet *);

/* The progress line on a terminal's standard error: the share done (0 to 1), the seconds left, the
 * current probe, and results so far, which may be "" and are cut at the terminal's width. */
struct progress_line {
    bool shown;
};
void progress_show(struct progress_line *, const char *probe, double done, double left_s,
                   const char *so_far);
void progress_end(struct progress_line *); /* erases the line */

/* The forms of a result that is no document, for -f, whose choice is an index of both lists.
 */
struct formats {
    const char *names[5]; /* ends with NULL */
    save_function *write[4];
};
/* Writes content that is no document to a file; "-" is standard output. */
int output_write(const char *path, save_function *, const void *content, struct error *);
/* Whether the path is "-" or another name of standard output. */
bool output_is_standard(const char *path);

/* ERROR_USAGE if two options name the same file, because the second output would overwrite the
 * first. */
int output_files_differ(const struct invocation *, struct error *);

/* Exit status of a finished document, by document_trust(): EXIT_DONE, EXIT_DOUBTFUL, or
 * EXIT_IMPOSSIBLE if nothing could be measured. */
int output_status(const struct document *);
