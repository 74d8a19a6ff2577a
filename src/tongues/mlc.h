/* What the parts of the tongue `mlc` share. */
#ifndef FATHOM_TONGUES_MLC_H
#define FATHOM_TONGUES_MLC_H

#include "probes/loaded/loaded.h"
#include "tongues/tongue.h"

struct mlc {
    struct talk *talk;
    const char *cpu; /* -c; NULL: not given */
    uint64_t bytes;  /* -b; 0: not given */
    double seconds;  /* -t; 0: not given */
    const struct probe_result *result;
};

/* The mixes of reads and writes, a line each. */
int mlc_peak_bandwidths(struct mlc *, struct error *);

#endif
