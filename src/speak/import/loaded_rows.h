/* Rows of latency beside traffic, for readers of tables that step through it: what fathom finds in
 * its own steps is found in theirs. */
#ifndef FATHOM_SPEAK_IMPORT_LOADED_ROWS_H
#define FATHOM_SPEAK_IMPORT_LOADED_ROWS_H

#include "speak/import/tables.h"

enum { LOADED_ROWS_MOST = 64 };

struct loaded_rows {
    double rate[LOADED_ROWS_MOST], ns[LOADED_ROWS_MOST]; /* B/s; as they were printed */
    size_t count;
    bool full; /* the first of them has no pause: the traffic is all that there can be */
};

/* A row; those past LOADED_ROWS_MOST are left out of the findings. */
void loaded_rows_add(struct loaded_rows *, double rate, double ns, bool no_pause);
/* Adds loaded.saturated and loaded.bandwidth where there is a row without a pause, and loaded.knee
 * where there are rows enough and they show one; then forgets the rows. */
void loaded_rows_end(struct loaded_rows *, struct tables *, const struct table_kind *);

#endif
