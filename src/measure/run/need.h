/*
 * What a program needs of memory, found by taking it away (fathom need): the program is run again
 * and again, alone and beside pressure (pressure.h), and with small pages alone.
 *
 * Between any two runs with something taken away there is one alone, so each ratio has a run alone
 * just before and just after it, and a drift of the machine has no part in it. Every block has each
 * condition once, in a new random order. conclude/need.h makes figures of the ratios.
 *
 * Time is CPU time: what takes memory away lengthens it, and programs that take CPUs away do not.
 *
 * A program that takes long is run once: a run is then a part of it, and its time that of a unit of
 * the progress that it tells (progress.h).
 */
#pragma once

#include "conclude/need.h"
#include "machine/machine.h"
#include "measure/run/pressure.h"

#include <signal.h>

enum { NEED_CONDITIONS = 12, NEED_BLOCKS_LEAST = 6, NEED_BLOCKS_MOST = 40 };

/* For huge pages, a share of 1 means small pages alone, and 0 as many huge pages as possible; for
 * own cores, 1 means the two threads of one core, and 0 a thread of each of two. */
struct need_condition {
    enum need_taken taken;
    struct pressure_level level;
    double share;               /* of what there is, taken away: 0 to 1 */
    const struct cpulist *cpus; /* NULL: the program's */
    uint64_t nodes;             /* of its memory, a bit for each; 0: as the system has it */
};

/* Traffic of this CPU in the program's place: none, and more and more. */
enum { NEED_KNOWN = 4 };

/* A run of the program. */
struct need_seen {
    double cpu_s, wall_s;
    struct pressed pressed;
    double room; /* what the same holders held without the program; 0: not measured */
    struct pressed known[NEED_KNOWN]; /* the same traffic beside traffic that is known; 0: none */
    double load_ticks;                /* of memory, on its CPU just before; 0: not measured */
};

struct need {
    /* The request. */
    const struct machine *machine;
    struct document *document; /* described already; gets one result */
    const volatile sig_atomic_t *stop;
    char *const *arguments;     /* of the program, with its name; ends with NULL */
    const struct cpulist *cpus; /* the program's; NULL: chosen */
    double budget_s;
    double every_s; /* a part of one long run; 0: the program is run again and again */
    const char *progress_file, *progress_command; /* one of them tells how far it is */
    /* Of this machine, and of another one, for which it is told too; NULL: none. */
    const struct document *here, *there;
    uint64_t seed;
    bool aside; /* in its first run the program's standard output goes to standard error */
    /* Called before the blocks, whose number and time are known then. */
    void (*planned)(void *argument, const struct need *);
    /* Called after each run: the share done, and the seconds left. */
    void (*progress)(void *argument, double done, double left_s);
    /* Called after each block, with the document so far; may be NULL. */
    int (*save)(void *argument, const struct document *, struct error *);
    void *argument;
    /* A run of the program in a condition; NULL: the program itself. For tests. */
    int (*once)(struct need *, const struct need_condition *, struct need_seen *, struct error *);

    /* The plan: chosen, or for tests the caller's. */
    struct need_condition conditions[NEED_CONDITIONS];
    size_t condition_count;
    unsigned blocks;
    double run_s; /* a run, with what is around it */

    struct need_state *state;
};

/* Runs the program until the budget is used or there are NEED_BLOCKS_MOST blocks. The document has
 * what was measured, also after an error. ERROR_USAGE: the program can't be executed.
 * ERROR_IMPOSSIBLE: it fails, does not end, asks a terminal, is too short or too long, or does not
 * tell its progress.
 * ERROR_INTERRUPTED, ERROR_SYSTEM, and what save() returns. */
int need_measure(struct need *, struct error *);
