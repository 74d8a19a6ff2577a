/* --sweep and --add: several runs into one document, in which the swept options are factors. */
#pragma once

#include "document/document.h"
#include "programs/cli/command.h"

extern const struct option_spec sweep_options[]; /* --sweep, --add */

struct sweep {
    char **axes; /* "threads=1,2" */
    size_t axis_count;
    /* All combinations, the last axis changing fastest: the command with a value for each swept
     * option. Without --sweep one, the command itself. */
    struct invocation *steps;
    size_t step_count;
    struct document *documents; /* the one that is added to, if any, then one for each step done */
    size_t document_count;
    struct document joined; /* of these */
    const char *left_out;   /* what the joined one lacks; NULL: nothing */
    struct pool pool;
};

bool sweep_asked(const struct invocation *);
/* Parses every combination, and reads the document at `add_to` if it is there (NULL: none).
 * ERROR_USAGE as the command line's. */
int sweep_open(struct sweep *, const struct invocation *, const char *add_to, struct error *);
/* Takes over what a step measured, gives its series and findings the swept options as factors where
 * they lack them, and joins all that there is. */
int sweep_keep(struct sweep *, size_t step, struct document *, struct error *);
/* Whether a document of this machine can be joined with the one that is added to. */
int sweep_fits(struct sweep *, const struct document *, struct error *);
void sweep_close(struct sweep *);
