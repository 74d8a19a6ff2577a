/*
 * A burst of dependent operations, which shows the clock of the core that runs it: each operation
 * takes the same number of cycles and waits for the one before.
 *
 * An addition takes one cycle. But on an EPYC of 2024 additions took up to 18 % longer while the
 * core's other hardware thread was busy. Multiplications and loads, of which a core starts fewer in
 * a cycle, did not. So bursts are multiplications where it is certain how many cycles one takes,
 * else additions.
 */
#pragma once

#include "machine/clock.h"

/* Time of one step of a dependent chain; the loads hit the first-level cache. */
struct burst_steps {
    double addition_ns, multiplication_ns, load_ns;
};

/* Cycles of a burst: 20 us at 3 GHz, long enough to read the clock's rate to 0.1 %, and short
 * compared with a bracket. Additions of a wide one: 2 us, of which half a percent is the clock's
 * reading. Widths that are kept. */
enum { BURST_CYCLES = 60000, BURST_WIDE_ADDITIONS = 20480, BURST_WIDTHS = 63 };
/* What bursts have shown of one core, kept for as long as its worker lives and not for one stage:
 * if another thread works all through a stage, that stage has nothing to compare with. */
struct burst_core {
    unsigned multiplication, tries; /* cycles of one, 0: not certain; tries so far */
    double widths[BURST_WIDTHS];    /* the last, in cycles an addition */
    size_t count;                   /* of all so far */
    double alone; /* the least width that as many in a row agreed on, before there are as many that
                     of all; 0: none */
};

/* Cycles of a multiplication: the whole number for which a load takes whole cycles too and an
 * addition takes 1 to 1.25 cycles. 0: no number fits, or several fit and additions were slowed. */
unsigned burst_multiplication(const struct burst_steps *);
/* Measures the steps on the calling core, which takes some 150 us, and returns the same. */
unsigned burst_measure_multiplication(const struct clock *);
/* The calling core's clock, by multiplications that take `multiplication` cycles each; 0: by
 * additions. */
double burst_hz(const struct clock *, unsigned multiplication);
/* What the additions of a wide burst, in which four chains go on side by side, take on the calling
 * core. */
double burst_wide_ns(const struct clock *);
/* What a wide burst took at that clock, in cycles an addition, which is kept; *alone is what it
 * takes on the core alone, as far as it is known now. */
double burst_width(struct burst_core *, double wide_ns, double hz, double *alone);
/* Whether another hardware thread of the core worked during a burst of that width, which a guest
 * sees in no other way. It is asked at the end: where that thread works through the first trials,
 * only later ones show what the core does alone. */
bool burst_is_shared(double width, double alone);
