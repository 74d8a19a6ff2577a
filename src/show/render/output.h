/*
 * An output is a form that documents can be written in, named by -f. It is one file that ends with
 * its `struct output`; the build makes the table of all from these files. Help, manual and
 * completion follow from the table. docs/adding.md shows how to add one.
 */
#pragma once

#include "show/render/render.h"

/* What to write: one document, all of it or one probe, or several side by side. */
struct output_content {
    const struct document *const *documents;
    size_t count;     /* 1, unless the output takes several */
    double tolerance; /* for differences between several documents; NAN: of each sort of figure its
                         own */
    const struct probe_result *probe; /* the only probe to show, in full; NULL: all */
    bool points;       /* of text: every figure and point, and not the answer alone */
    const char *chart; /* for an output that draws one: "latency", "bandwidth.2"; NULL: the first */
    struct text_style style; /* what the terminal or file can show */
};

struct output {
    const char *name; /* the name for -f: "csv" */
    const char *help; /* a few words for the help of -f; NULL: the name is enough */
    int place;        /* the order in lists, ascending; equal places by name */
    bool is_text;     /* for people at a terminal */
    bool is_document; /* the document itself, which every command can read */
    bool is_file;     /* for a program to open, so a terminal gets it only on demand */
    bool takes_several;
    /* Writes the content. All its memory is from the pool, whose step it may leave. */
    void (*write)(FILE *, const struct output_content *, struct pool *);
    /* Leaves with ERROR_USAGE if the content lacks what the output shows, ERROR_IMPOSSIBLE if no
     * document of its kind can have it. NULL: any content will do. */
    void (*possible)(const struct output_content *, struct pool *);
};

extern const struct output *const outputs[]; /* by place; ends with NULL */
extern const char *const output_names[];     /* their names, in the same order; ends with NULL */
const struct output *output_by_name(const char *name);
/* Whether the output can show the content: 0, ERROR_USAGE or ERROR_IMPOSSIBLE as above, or
 * ERROR_SYSTEM without memory. */
int output_possible(const struct output *, const struct output_content *, struct error *);
/* Writes the content. ERROR_SYSTEM: memory ran out, and the output is incomplete. The caller checks
 * the stream for write errors. */
int output_render(const struct output *, FILE *, const struct output_content *, struct error *);
