/* `fathom as TOOL`: another tool's command and table. */
#pragma once

#include "speak/tongues/tongue.h"

struct as {
    const struct tongue *tongue;
    int argc;
    char **argv; /* the tool's arguments, without its name */
    char **whole;
    int whole_count;  /* all words as typed, for the document */
    const char *path; /* where the document is written; NULL: nowhere */
    double budget_most_s;
};

/* The tool whose name is the last part of the path that started the program; NULL: fathom. */
const struct tongue *as_called(const char *program);
/* Returns an exit status, or a negative error code with the error filled in. */
int as_speak(const struct as *, struct error *);
