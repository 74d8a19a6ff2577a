/*
 * Measures into a document, for every program that measures: reads the machine and plans a run,
 * which a signal ends.
 *
 *     struct measurement m = {.source = measure_source(NULL), .run = {.settings = settings}};
 *     m.document.tool = ...; m.document.run.command = ...;
 *     int code = measurement_plan(&m, &error);
 *     if (code == 0)
 *         code = run_measure(&m.run, &error);
 *     measurement_free(&m);
 */
#ifndef FATHOM_MEASURE_RUN_MEASURE_H
#define FATHOM_MEASURE_RUN_MEASURE_H

#include "measure/run/run.h"

#include <signal.h>

struct measurement {
    struct machine_source source;
    const char *twin_of, *changes; /* measures on the twin of that document instead; NULL: none */
    struct twin twin;
    struct run run; /* the caller fills the request, except machine, document and stop */
    struct machine machine;
    struct document document;
};

/* Catches signals from now on, reads the machine and plans the run. Errors are those of
 * machine_read() or twin_open(), and run_plan(). */
int measurement_plan(struct measurement *, struct error *);
/* Must be called also after an error. */
void measurement_free(struct measurement *);
/* The file name "fathom-HOST-TIME.json", in the document's pool; NULL without memory. */
char *measurement_name(struct measurement *);

/* This machine, or the recorded tree that FATHOM_ROOT names; its memory modules come from the file
 * of --smbios (NULL: not given). */
struct machine_source measure_source(const char *smbios);

/* Catches SIGINT, SIGTERM and SIGHUP from now on: the first one asks a run to end soon and to save
 * what it has; a second one ends the process at once. */
void measure_catch_signals(void);
/* 0, or the number of the signal that came. */
extern volatile sig_atomic_t measure_signal;

#endif
