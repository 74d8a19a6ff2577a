/* The line on standard error that says how far a run is: for a terminal. */
#ifndef FATHOM_CLI_PROGRESS_H
#define FATHOM_CLI_PROGRESS_H

#include <stdbool.h>

struct progress_line {
    bool shown;
};

/* As a run's listener is told: the probe, the share done, and the seconds left. */
void progress_show(struct progress_line *, const char *probe, double done, double left_s);
/* Wipes the line. */
void progress_end(struct progress_line *);

#endif
