/*
 * Several independent chases at once: in each round every chain takes one step, so that as many
 * loads are in flight as there are chains, up to what the processor sustains.
 *
 * There is a loop for every number of chains. In each, as many chains as possible live in
 * registers, where a step is one load. The others live in memory, where a step is three
 * instructions: the pointer is loaded from its place, followed, and stored again. Compilers keep
 * fewer chains in registers than fit: then four chains in a first-level cache take twice as long as
 * they should, unnoticed.
 */
#pragma once

#include "measure/kernels/kernel.h"

enum { CHAINS_MOST = 64 };

struct chains {
    void *position[CHAINS_MOST]; /* of each chain: where the next run goes on */
};

/* The loop for `chains` chains, 1 to CHAINS_MOST. State: struct chains. */
kernel_function *chains_kernel(unsigned chains);
/* Loads of all chains together in one repeat of that loop. */
unsigned chains_steps(unsigned chains);
/* Up to this number, all chains live in registers. */
extern const unsigned chains_registers;

/* The same with work: after each load come `work` dependent additions, which begin with the loaded
 * value and take one core cycle each; no address depends on them. One loop serves any number of
 * chains, so all chains live in memory. A repeat is one step of one chain; the chains take
 * turns. */
enum { CHAINS_WORK_MOST = 1024 };
struct chains_work {
    void **chains;        /* of each chain: where the next run goes on */
    uint64_t chain_count; /* at least 1 */
    uint64_t turn;        /* index of the chain that is next */
    uint64_t work;        /* additions per step, at most CHAINS_WORK_MOST */
    uint64_t ahead;       /* in steps, at most chain_count; of chains_iterations() 0: none */
};
kernel_function chains_work_run; /* state: struct chains_work */
/* The same with the work of "CPU performance" (R. Groot Koerkamp): `work` iterations of x += x >>
 * 1; y = the high half of y * x; z += y, which begin with the index of the loaded line. With
 * `ahead` a step also prefetches the line that will be loaded so many steps later. */
kernel_function *
chains_iterations(void); /* by this processor's multiplication; state: struct chains_work */
/* The same as chains_work_run, and each step also prefetches the line that will be loaded `ahead`
 * steps later. */
kernel_function chains_prefetch_run;
