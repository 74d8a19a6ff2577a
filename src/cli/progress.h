/* The line on standard error that says how far a run is; only on a terminal. */
#ifndef FATHOM_CLI_PROGRESS_H
#define FATHOM_CLI_PROGRESS_H

#include "engine/engine.h"

struct progress_line {
    bool terminal, shown;
    const char *what; /* the probe at work */
};

void progress_begin(struct progress_line *);
struct progress progress_for(struct progress_line *);
/* Wipes the line. */
void progress_end(struct progress_line *);

#endif
