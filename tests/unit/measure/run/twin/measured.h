/* A run on the twin of a document. */
#ifndef FATHOM_TESTS_RUN_TWIN_MEASURED_H
#define FATHOM_TESTS_RUN_TWIN_MEASURED_H

#include "measure/run/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct measured {
    struct twin twin;
    struct settings settings;
    struct document document;
    struct run run;
    struct error error;
};

static inline const char *example(const char *name)
{
    static char path[4096];
    if (!getenv("FATHOM_SOURCE"))
        skip();
    snprintf(path, sizeof path, "%s/docs/examples/%s", getenv("FATHOM_SOURCE"), name);
    return path;
}

/* `seed` NULL: the document's own. */
static inline int measure_twin(struct measured *bench, const char *path, const char *changes,
                               const char *seed)
{
    *bench = (struct measured){.run = {.settings = &bench->settings, .document = &bench->document}};
    int code = twin_open(&bench->twin, path, changes, &bench->error);
    if (code == 0)
        code = settings_add(&bench->settings, probe_common_options, &bench->error);
    if (code == 0 && seed)
        code = settings_set(&bench->settings, "seed", seed, &bench->error);
    run_on_twin(&bench->run, &bench->twin);
    if (code == 0)
        code = run_plan(&bench->run, &bench->error);
    return code == 0 ? run_measure(&bench->run, &bench->error) : code;
}

static inline void forget_twin(struct measured *bench)
{
    run_release(&bench->run);
    settings_free(&bench->settings);
    document_free(&bench->document);
    twin_close(&bench->twin);
}

static inline double found(const struct measured *bench, const char *name)
{
    const struct finding *finding = document_finding(&bench->document, name);
    return finding ? finding->value : NAN;
}

#endif
