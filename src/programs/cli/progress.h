/* The line on a terminal's standard error that says how far a run is. */
#ifndef FATHOM_PROGRAMS_CLI_PROGRESS_H
#define FATHOM_PROGRAMS_CLI_PROGRESS_H

#include <stdbool.h>

struct progress_line {
    bool shown;
};

/* The probe at work, the share of it that is done (0 to 1), the seconds left, and what was found
 * so far, which may be "" and takes a part of the bar's place. */
void progress_show(struct progress_line *, const char *probe, double done, double left_s,
                   const char *so_far);
/* Wipes the line. */
void progress_end(struct progress_line *);

#endif
