#include "measure/engine/burst.h"

#include "measure/kernels/additions.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/multiplications.h"
#include "stats/order.h"
#include "stats/undisturbed.h"

#include <math.h>
#include <string.h>

/* Rounds, of which the shortest counts, because interference can only slow a chain. */
enum { ROUNDS = 8, ROUND_CYCLES = 16000, LOAD_CYCLES = 4 };
/* Hardware multipliers take three to five cycles. */
enum { MULTIPLICATION_MOST = 8 };
/* Chains that nothing slowed agree to some 0.3 % after eight rounds; the three to five cycles of a
 * load agree to 0.02 cycles. */
static const double agreement = 0.015, load_agreement = 0.06;
enum { LOAD_MOST = 12 };
/* Additions are slowed by this factor at most (18 % were seen). */
static const double slowest_addition = 1.25;
/* The core's other hardware thread is busy if additions side by side take longer by this share than
 * the least time that bursts agreed on. On a core alone they agree within 1.5 %, the precision of
 * the clock's reading; a busy thread makes them 5 to 40 % longer. */
static const double core_is_shared = 0.03;

unsigned burst_multiplication(const struct burst_steps *steps)
{
    const double additions = steps->multiplication_ns / steps->addition_ns,
                 loads = steps->load_ns / steps->multiplication_ns;
    unsigned first = 0, count = 0;
    for (unsigned cycles = MULTIPLICATION_MOST; cycles >= 1; cycles--) {
        const double load = cycles * loads;
        if (cycles >= additions * (1 - agreement) && cycles <= additions * slowest_addition &&
            load <= LOAD_MOST && fabs(load - nearbyint(load)) <= load_agreement) {
            first = cycles;
            count++;
        }
    }
    /* Where several numbers fit the loads, additions decide, and those must not have been
     * slowed. */
    return count > 1 && first > additions * (1 + agreement) ? 0 : first;
}

static double run_ns(const struct clock *clock, kernel_function *kernel, void *state,
                     uint64_t repeats)
{
    const uint64_t start = clock_ticks(clock);
    kernel(state, repeats);
    const uint64_t end = clock_ticks(clock);
    return clock_between_ns(clock, start, end);
}

static void keep_shortest(double *shortest_ns, const struct clock *clock, kernel_function *kernel,
                          void *state, unsigned steps, unsigned cycles)
{
    const uint64_t repeats = ROUND_CYCLES / (steps * cycles);
    const double ns = run_ns(clock, kernel, state, repeats) / (double)(repeats * steps);
    *shortest_ns = fmin(*shortest_ns, ns);
}

unsigned burst_measure_multiplication(const struct clock *clock)
{
    void *ring = &ring;
    struct chase chase = {&ring};
    struct burst_steps steps = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < ROUNDS; i++) {
        keep_shortest(&steps.addition_ns, clock, additions_run, NULL, addition_steps, 1);
        keep_shortest(&steps.multiplication_ns, clock, multiplications_run, NULL,
                      multiplication_steps, LOAD_CYCLES);
        keep_shortest(&steps.load_ns, clock, chase_run, &chase, chase_steps, LOAD_CYCLES);
    }
    return burst_multiplication(&steps);
}

double burst_wide_ns(const struct clock *clock)
{
    return run_ns(clock, additions_wide_run, NULL, BURST_WIDE_ADDITIONS / addition_steps);
}

double burst_width(struct burst_core *core, double wide_ns, double hz, double *alone)
{
    const double width = wide_ns * hz * 1e-9 / BURST_WIDE_ADDITIONS;
    core->widths[core->count++ % BURST_WIDTHS] = width;
    double sorted[BURST_WIDTHS];
    const size_t n = core->count < BURST_WIDTHS ? core->count : BURST_WIDTHS;
    memcpy(sorted, core->widths, n * sizeof *sorted);
    sort_ascending(sorted, n);
    const double least = undisturbed_of(sorted, n).value;
    if (core->count <= BURST_WIDTHS || least < core->alone)
        core->alone = least;
    *alone = core->alone;
    return width;
}

bool burst_is_shared(double width, double alone)
{
    return width > (1 + core_is_shared) * alone;
}

double burst_hz(const struct clock *clock, unsigned multiplication)
{
    const uint64_t each =
        multiplication ? (uint64_t)multiplication * multiplication_steps : addition_steps;
    const uint64_t repeats = BURST_CYCLES / each;
    const double ns =
        run_ns(clock, multiplication ? multiplications_run : additions_run, NULL, repeats);
    return (double)(repeats * each) * 1e9 / ns;
}
