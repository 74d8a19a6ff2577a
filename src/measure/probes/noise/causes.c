/*
 * What interruptions are put down to that left no mark on the thread itself. The system counts
 * interrupts and does not time them, and reports the time that a hypervisor took in clock ticks. So
 * of the interruptions without a mark the shortest, as many as there were interrupts, are
 * interrupts with the softirqs behind them; of what is left, the hypervisor took what the system
 * says it took; and the rest is unexplained: firmware, or a host that does not report it.
 */
#include "measure/probes/noise/noise.h"

#include <math.h>

const char *const noise_cause_names[CAUSES] = {
    [CAUSE_THREADS] = "threads",         [CAUSE_FAULTS] = "page-faults",
    [CAUSE_INTERRUPTS] = "interrupts",   [CAUSE_STOLEN] = "stolen",
    [CAUSE_UNEXPLAINED] = "unexplained",
};

/* After 2 ms the kernel hands softirqs to a thread (MAX_SOFTIRQ_TIME of Linux's kernel/softirq.c),
 * so what took longer, without a switch, was none. */
static const double softirq_most_ns = 2e6;

/* Ticks of the shortest `count` of them that are not too long. */
static double shortest(const struct histogram *lengths, double count, double most)
{
    double sum = 0;
    for (size_t bin = 0; bin < HISTOGRAM_BINS && count > 0; bin++) {
        const double middle = histogram_middle(bin), here = fmin(count, lengths->bins[bin]);
        if (middle > most)
            break;
        sum += here * middle;
        count -= here;
    }
    return sum;
}

void noise_attribute(const struct noise_tally *tally, double ticks_per_ns,
                     struct noise_causes *causes)
{
    const double watched = noise_watched(tally), others = noise_lost(tally, GAP_OTHER);
    const double watched_s = watched / ticks_per_ns * 1e-9;
    double *share = causes->share_of_others;
    for (int cause = 0; cause < CAUSES; cause++)
        share[cause] = 0;
    share[CAUSE_UNEXPLAINED] = 1;
    if (!(others > 0))
        return;
    const double counted = isnan(causes->interrupts) ? 0 : causes->interrupts * watched_s;
    const double by_interrupts =
        fmin(others, shortest(&tally->lengths[GAP_OTHER], counted, softirq_most_ns * ticks_per_ns));
    const double stolen = fmin(others - by_interrupts, causes->stolen * watched);
    share[CAUSE_INTERRUPTS] = by_interrupts / others;
    share[CAUSE_STOLEN] = stolen / others;
    const double left = others - by_interrupts - stolen;
    share[CAUSE_UNEXPLAINED] = left >= 1 ? left / others : 0; /* no tick is divided */
}
