/*
 * A run: measures probes on one machine into one document. It first looks at the most important
 * points of each probe, then measures one probe after the other, then again those that lack trials,
 * while time is left. It decides which probes to measure, in what order and within what share of
 * the time, notes the machine's condition, and has the document saved as it goes. The program, the
 * tests and the benchmarks all measure through it.
 *
 *     struct run run = {.machine = ..., .settings = ..., .document = ...};
 *     int code = run_plan(&run, &error);
 *     if (code == 0)
 *         code = run_measure(&run, &error);
 *     run_release(&run);
 */
#pragma once

#include "document/document.h"
#include "measure/engine/engine.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/twin/twin.h"

/* Receives the events of a run; every function may be NULL. */
struct run_listener {
    /* Called a few times a second: the current probe, the share of it that is done (0 to 1), an
     * estimate of the seconds left, and what it has found so far ("": it doesn't say). */
    void (*progress)(void *argument, const char *probe, double done, double left_s,
                     const char *so_far);
    /* Called when measuring begins and after every probe, with the document so far. An error ends
     * the run and is returned. */
    int (*save)(void *argument, const struct document *, struct error *);
    void *argument;
};

/* A probe's place in the run. */
struct run_turn {
    struct probe_task task;
    struct settings settings; /* the probe's own options and the common ones */
    struct stage_outcome outcome;
};

struct run {
    /* The request. The caller fills it, and keeps it all until run_release(). */
    const struct machine *machine;
    const struct settings *settings;   /* what a person set of the probes' options */
    const struct probe *const *probes; /* the probes that a person named, in their order, then NULL;
                                          NULL: all that a whole run (or --quick) measures */
    const struct probe *const *only;   /* of these, then NULL, what is measured again; NULL: all */
    unsigned nth;                      /* run of several, from 0: each has trials of its own */
    bool no_devices; /* a whole run leaves out probes that open the libraries of devices, which
                        leave threads and files behind in the process */
    struct document *document;         /* results are added to it; tool and run.command stay */
    const struct timing_model *model;  /* NULL: the hardware itself */
    struct twin *twin;                 /* whose model it is (run_on_twin()); NULL: no document's */
    const volatile sig_atomic_t *stop; /* ends the run once it is non-zero; may be NULL */
    uint64_t began_ns;                 /* by os_raw_ns(); 0: the time of run_plan() */
    struct run_listener listener;

    /* The state of the run. */
    struct common_options asked; /* the common ones of `settings` */
    uint64_t planned_ns;         /* by os_raw_ns() */
    struct os_work planned_work; /* the CPU time used until then; 0 unknown */
    struct run_turn *turns;      /* one for each probe, in the order of measuring */
    size_t turn_count;
    bool levels_first; /* the first turn is a quick curve, for probes that measure in caches where
                          none is declared */
    size_t turn;       /* index of the turn being measured */
    uint64_t seed;     /* given by --seed, or a new one of 48 bits */
    double budget_s;   /* for all probes together */
};

/* The run measures on the twin, in place of the hardware. */
void run_on_twin(struct run *, struct twin *);
/* Plans every probe and fills the document's facts of the run, the machine and its condition;
 * measures nothing. ERROR_USAGE where options contradict each other or the machine,
 * ERROR_IMPOSSIBLE where `machine` is not the one that this runs on and there is no model. */
int run_plan(struct run *, struct error *);
/* Measures what was planned. The document then has the probes that were reached, also after an
 * error: ERROR_INTERRUPTED, ERROR_SYSTEM, or what save() returned. */
int run_measure(struct run *, struct error *);
/* Closes the stages and frees what the run allocated; the document stays. Must be called also after
 * an error. */
void run_release(struct run *);

/* The turn's weight in seconds; 0 where there is nothing to measure. */
double run_weight(const struct run *, size_t turn);
/* The share (0 to 1) of the time left that the turn may use when it begins; 0 where there is
 * nothing to measure. */
double run_share(const struct run *, size_t turn);
