/*
 * A burst of dependent operations, which shows the clock of the core that does it: all take the
 * same number of cycles, and each waits for the one before.
 *
 * An addition takes one cycle. But where the other hardware thread of the core is busy, additions
 * took up to 18 % longer than that on an EPYC of 2024, and multiplications and loads, of which a
 * core does fewer in a cycle, did not. So bursts are of multiplications wherever it is certain how
 * many cycles one takes.
 */
#ifndef FATHOM_MEASURE_ENGINE_BURST_H
#define FATHOM_MEASURE_ENGINE_BURST_H

#include "machine/clock.h"

/* What a step of a chain takes: an addition, a multiplication, a load that hits the first level. */
struct burst_steps {
    double addition_ns, multiplication_ns, load_ns;
};

/* Cycles of a burst: 20 us at 3 GHz. */
uint64_t burst_cycles(void);
/* How many cycles a multiplication takes: the whole number for which the load latency is whole as
 * well and an addition takes 1 to 1.25 cycles. 0: there is no such number, or there are several and
 * additions were slowed. */
unsigned burst_multiplication(const struct burst_steps *);
/* The same of the core that calls this, for some 150 us. */
unsigned burst_measure_multiplication(const struct clock *);
/* The clock of the core that calls this: by multiplications of so many cycles, by additions where
 * 0. */
double burst_hz(const struct clock *, unsigned multiplication);

#endif
