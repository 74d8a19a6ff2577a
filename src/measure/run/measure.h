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
#pragma once

#include "measure/run/run.h"

#include <signal.h>

struct health_check; /* compare/health.h */

struct measurement {
    struct machine_source source;
    const char *twin_of, *changes; /* measures on the twin of that document instead; NULL: none */
    struct twin twin;
    struct run run; /* the caller fills the request, except machine, document and stop */
    struct machine machine;
    struct document document; /* of the run, or of all runs */
    struct document *runs;    /* each of several by itself */
    unsigned run_count;       /* 0: it was not repeated */
};

/* Catches signals from now on, reads the machine and plans the run. Errors are those of
 * machine_read() or twin_open(), and run_plan(). */
int measurement_plan(struct measurement *, struct error *);
/* Measures once more, after `wait_s` seconds (on a model at once), what was planned or, of that,
 * `only` the probes listed. The document then has all runs (repeats_join() of compare/spread.h),
 * also after an error: those that ended. Errors are those of run_plan() and run_measure(). */
int measurement_again(struct measurement *, double wait_s, const struct probe *const *only,
                      struct error *);
/* Judges the document against the base, and measures again what is open (health_is_open()), in
 * looks that are spaced over the rest of `within_s` seconds since the run began; on a model in as
 * many looks, because its time passes at once.
 *
 * The error rate of FAIL is that of one comparison: only the last look decides it, and looks before
 * that end only what is the same or can't be told (stopping for futility; Jennison and Turnbull,
 * "Group Sequential Methods with Applications to Clinical Trials", 2000, chapter 5). So a
 * neighbour of some seconds is no slower machine, and what stays slower is one. The caller frees
 * the check, also after an error. */
int measurement_settle(struct measurement *, const struct document *base, double tolerance,
                       double within_s, struct health_check *, struct error *);
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
