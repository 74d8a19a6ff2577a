/* How many misses of its first-level cache a core is documented to track at once. */
#ifndef FATHOM_MEASURE_PROBES_PARALLELISM_MISS_BUFFERS_H
#define FATHOM_MEASURE_PROBES_PARALLELISM_MISS_BUFFERS_H

struct miss_buffers {
    unsigned count;
    const char *name;   /* what its maker calls them */
    const char *source; /* where that stands */
};

/* NULL for a processor that is not in the table; vendor and model may be NULL. */
const struct miss_buffers *miss_buffers_find(const char *vendor, const char *model);

#endif
