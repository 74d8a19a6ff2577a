/* In which order probes are shown. Not for use outside of the report. */
#ifndef FATHOM_SHOW_REPORT_CHARTS_CHAPTERS_H
#define FATHOM_SHOW_REPORT_CHARTS_CHAPTERS_H

#include "show/report/blocks.h"

struct chapters {
    struct chapter *list;
    size_t count;
};

/* The probes of so many documents from `first` on, in the order of the datasheet: a probe stands
 * where the first of what it finds does, those of devices behind all others, and those that it has
 * no place for in the order of the documents. False without memory. */
bool chapters_collect(struct chapters *, const struct catalogue *, size_t first, size_t count,
                      struct pool *);

#endif
