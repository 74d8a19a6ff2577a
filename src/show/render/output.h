/*
 * An output is what -f may name: one form that documents can be written in. It is one file that
 * ends with its `struct output`; the table of all is made from the files when the program is built.
 * Help, manual and completion follow. docs/adding.md shows the way.
 */
#ifndef FATHOM_SHOW_RENDER_OUTPUT_H
#define FATHOM_SHOW_RENDER_OUTPUT_H

#include "show/render/render.h"

/* What is written: one document, all of it or one of its probes, or several beside each other. */
struct output_content {
    const struct document *const *documents;
    size_t count;                     /* 1, unless the output takes several */
    double threshold;                 /* of the differences between several, a share */
    const struct probe_result *probe; /* to be shown in full and alone; NULL: all of the document */
    struct text_style style;          /* what the place that it is written to can show */
};

struct output {
    const char *name; /* what -f says: "csv" */
    const char *help; /* in a few words, which stand in the help of -f; NULL: the name says it */
    int place;        /* in lists: ascending; of equal places by name */
    bool is_text;     /* what a person reads in a terminal */
    bool is_document; /* the document itself, which every command reads again */
    bool takes_several;
    /* Writes the content. All of its memory is from the pool, whose step it may leave. */
    void (*write)(FILE *, const struct output_content *, struct pool *);
    /* 0, or ERROR_IMPOSSIBLE with the remedy where this program was built without it; asked before
     * anything is measured. NULL: always. */
    int (*able)(struct error *);
    /* Leaves with ERROR_USAGE where the document lacks what the output shows, ERROR_IMPOSSIBLE
     * where no document of its kind has it. NULL: any document will do. */
    void (*possible)(const struct document *, struct pool *);
};

extern const struct output *const outputs[]; /* by place; ends with NULL */
extern const char *const output_names[];     /* theirs, in the same order; ends with NULL */
const struct output *output_by_name(const char *name);
/* Whether it is built in, and can show the document: 0, ERROR_USAGE or ERROR_IMPOSSIBLE as above,
 * or ERROR_SYSTEM without memory. */
int output_possible(const struct output *, const struct document *, struct error *);
/* Writes the content. ERROR_SYSTEM where memory runs out: what was written is not whole. Whether
 * the stream took it, the caller asks the stream. */
int output_render(const struct output *, FILE *, const struct output_content *, struct error *);

#endif
