/*
 * A twin: a model of a machine that a document tells of. The real probes measure on it, in the
 * model's time: every trial of a point has a value that is drawn from the trials of that point in
 * the document, or, between two points of a curve, from both. So a run on the twin has the findings
 * of the document, but for chance: another seed draws other trials.
 *
 * A trial takes what the document's trials took, with the clock that its cycles tell of; a share of
 * its batches takes longer, and a share of the trials is disturbed throughout, as there. What the
 * document holds no figure of has no value here.
 *
 *     struct twin twin;
 *     int code = twin_open(&twin, path, changes, &error);
 *     if (code == 0)
 *         run_on_twin(&run, &twin);
 *     ... run_plan(), run_measure(), run_release(), twin_close(&twin)
 */
#pragma once

#include "measure/probes/kit/probe.h"

/* One step of a change: a value or place near `at` becomes `factor` times as large. Between two
 * steps the change is interpolated. */
struct twin_step {
    double at, factor;
};
struct twin_bend {
    struct twin_step *steps; /* ascending */
    size_t count;
};

/* A series of the document. */
struct twin_series {
    const char *probe;
    const struct series *series; /* its points with a value, ascending by their place */
    struct twin_bend times;      /* factors of times; of rates, of their inverse */
    struct twin_bend places;     /* changes of capacities and counts: of x */
};

struct twin {
    struct document document;
    struct machine machine;
    struct timing_model model;
    const char *changes; /* as typed; NULL: none */
    double clock_factor; /* the change of the clock; 1: none */
    struct twin_series *series;
    size_t series_count;
    const char *probe; /* that measures; the run sets it */
    uint64_t clock_ps;
    const struct twin_series *swept; /* gave the sweeps' clock */
    double core_hz;                  /* of the last trial that was made ready */
};

/* Reads the document and makes the changes, "DRAM.latency=+20%,bandwidth=-33%" (NULL: none).
 * ERROR_USAGE where the file is no document that holds what a processor's probe measured, or a
 * change has no such name or can't be made. twin_close() must be called also after an error. */
int twin_open(struct twin *, const char *path, const char *changes, struct error *);
void twin_close(struct twin *);

/* For the run: whether the document holds nothing of what the probe plans. */
bool twin_lacks(const struct twin *, const struct probe_task *);
