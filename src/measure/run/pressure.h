/*
 * Pressure: CPUs that take something away from a program beside them. Holders go through a set
 * again and again, so that a shared cache keeps it (Eklov et al., "Cache Pirating", ICPP 2011);
 * traffic reads from memory at a rate that pauses set ("Bandwidth Bandit", CGO 2013). Both say what
 * they really took while the program ran: holders by how many of their own loads came from the
 * cache, and traffic by what it read.
 */
#pragma once

#include "machine/machine.h"
#include "measure/engine/arena.h"
#include "measure/engine/team.h"

enum pressure_kind { PRESSURE_NONE, PRESSURE_HOLD, PRESSURE_TRAFFIC };
struct pressure_level {
    enum pressure_kind kind;
    uint64_t bytes; /* to be held, by all holders */
    uint64_t pause; /* of traffic after each line (kernels/inject.h): 1 is the most traffic */
};

/* What was taken meanwhile; NAN: not known. */
struct pressed {
    double held;    /* bytes of the shared cache, without those in the holders' own caches */
    double traffic; /* bytes a second */
    double own;     /* of pressure_beside(): what this CPU read, bytes a second */
};

struct presser;
struct pressed_run;
struct pressure {
    const struct machine *machine;
    struct team *team;
    const int *cpus;
    size_t count;
    struct arena arena;
    size_t room; /* bytes of the arena for each CPU, and for this one */
    struct presser *pressers;
    struct pressed_run *run;
    bool lost; /* a worker of the team did not come back */
    double own_bytes, line_bytes;
    uint64_t scale_bytes; /* a set that the cache holds, and no CPU's own */
    uint64_t slow_ticks;  /* a load of at least so many missed the cache; 0: it can't be told */
};

/* Does only what is cheap; afterwards it can run, but without pressure. `machine` and `cpus` stay
 * the caller's. Errors of team_create(). */
int pressure_open(struct pressure *, const struct machine *, const int *cpus, size_t count,
                  const volatile sig_atomic_t *stop, struct error *);
/* Maps and touches memory for `most` bytes to be held, and for traffic beyond a cache of `cache`
 * bytes, which all CPUs share or each may have for itself, and learns what a miss of it takes:
 * seconds, for much memory. Once, before pressure. Errors of arena_map() and team_run(). */
int pressure_map(struct pressure *, uint64_t cache, bool shared, uint64_t most, struct error *);
/* Presses until `over` is true. It is called first when the pressure is there, then every 50 ms;
 * where nothing presses, every 5 ms. Errors of team_run(). */
int pressure_run(struct pressure *, const struct pressure_level *, bool (*over)(void *argument),
                 void *argument, struct pressed *, struct error *);
/* Presses for 60 ms, to see what it takes without a program, while this CPU reads from
 * memory with such a pause after each line (0: it reads nothing). Errors of team_run(). */
int pressure_beside(struct pressure *, const struct pressure_level *, uint64_t pause,
                    struct pressed *, struct error *);
/* The median time of a load of memory on this CPU, in ticks of the counter, from lines that are
 * taken out of all caches before: it displaces nothing. Not beside another call. NAN: it can't be
 * timed. */
double pressure_load_ticks(struct pressure *, const struct arena *);
void pressure_close(struct pressure *);
