/* Measuring for the library's calls: a plan as the header has it becomes a run. */
#ifndef FATHOM_PROGRAMS_LIBRARY_MEASURE_H
#define FATHOM_PROGRAMS_LIBRARY_MEASURE_H

#include "base/settings.h"
#include "document/document.h"
#include "measure/probes/kit/probe.h"
#include "programs/library/handle.h"

struct fathom_measurement {
    struct document *document; /* empty; the caller frees it, also after an error */
    const char *note;          /* a word that run.command keeps; NULL: "run" */
    uint64_t began_ns;         /* when its budget began; 0: now */
    /* Its own: */
    const struct probe *const *probes;
    struct settings settings;
};

/* Measures what the plan, which may be NULL, asks for. Errors as fathom_run(). */
int measure_plan(struct fathom *, const struct fathom_plan *, struct fathom_measurement *,
                 struct error *);

#endif
