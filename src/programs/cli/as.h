/* fathom as another tool. */
#ifndef FATHOM_PROGRAMS_CLI_AS_H
#define FATHOM_PROGRAMS_CLI_AS_H

#include "programs/cli/command.h"
#include "speak/tongues/tongue.h"

struct as {
    const struct tongue *tongue;
    int argc;
    char **argv; /* the tool's arguments, without its name */
    char **whole;
    int whole_count;  /* all that was typed, for the record */
    const char *path; /* of the document; NULL: it is not kept */
    double budget_most_s;
};

/* The tool that the program was started as, by the last part of that path; NULL: fathom. */
const struct tongue *as_called(const char *program);
/* Returns an exit status, or a negative error code with the error filled in. */
int as_speak(const struct as *, struct error *);

#endif
