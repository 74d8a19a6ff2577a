#include "engine/record.h"

#include "result/flag.h"
#include "stats/quantile.h"
#include "stats/spread.h"
#include "stats/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A drift is reported when chance would show it once in a thousand points and it is larger than
 * what the document's readers care for. */
static const double drift_z = 3.29, drift_change = 0.03;
/* Two groups of trials closer than this are one for all purposes. */
static const double bimodal_distance = 0.05;
/* The clock moved when trials saw rates further apart than two bursts may differ. */
static const double clock_spread = 0.01;
/* Medians bear a tenth of spoiled values; a fifth shows. */
static const double spoiled_share = 0.1, stolen_share = 0.2;

static int make_room(struct record *record, unsigned more)
{
    unsigned wanted = record->trials + more;
    if (wanted <= record->room)
        return 0;
    unsigned room = record->room ? record->room * 2 : 8;
    if (room < wanted)
        room = wanted;
    float **const columns[] = {&record->values, &record->cycles, &record->core_mhz};
    for (size_t i = 0; i < 3; i++) {
        float *larger = realloc(*columns[i], room * sizeof **columns[i]);
        if (!larger)
            return ERROR_SYSTEM;
        *columns[i] = larger;
    }
    record->room = room;
    return 0;
}

static double middle(double *values, size_t n)
{
    sort_ascending(values, n);
    return median(values, n);
}

static void add_trial(struct record *record, const struct plan *plan, const struct batch *batches,
                      unsigned n, double operations, double *scratch)
{
    unsigned at = record->trials++;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].ns / operations;
    double ns = middle(scratch, n);
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].ns / operations * batches[i].core_hz * 1e-9;
    record->cycles[at] = plan->cycles ? (float)middle(scratch, n) : NAN;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].core_hz;
    record->core_mhz[at] = plan->kernel_timed ? NAN : (float)(middle(scratch, n) * 1e-6);
    record->values[at] = (float)(plan->quantity == TIME_PER_OPERATION ? ns : 1e9 / ns);
}

int record_add(struct record *record, const struct visit *visit, double *scratch,
               struct error *error)
{
    if (make_room(record, visit->trial_count) < 0)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    const unsigned each = visit->plan->batches;
    for (unsigned i = 0; i * each < visit->batch_count; i++) {
        unsigned left = visit->batch_count - i * each;
        add_trial(record, visit->plan, visit->batches + i * each, left < each ? left : each,
                  visit->trials[i].operations * (double)visit->repeats, scratch);
    }
    record->redone += visit->redone;
    record->interrupted += visit->interrupted;
    record->clock_moved += visit->clock_moved;
    record->batches += visit->batch_count;
    record->repeats = visit->repeats;
    return 0;
}

static void summarize_column(const float *column, unsigned n, double *scratch,
                             struct summary *summary)
{
    for (unsigned i = 0; i < n; i++)
        scratch[i] = (double)column[i];
    summarize(scratch, n, scratch, summary);
}

/* ns scatter with the clock, cycles with everything beyond the core. A point is as precise as the
 * better of the two, for each of them describes it fully. */
static double half_width(const struct summary *y, const struct summary *cycles)
{
    return fmin(summary_half_width(y), summary_half_width(cycles));
}

static void summarize_both(const struct record *record, const struct plan *plan, double *scratch,
                           struct summary *y, struct summary *cycles)
{
    summarize_column(record->values, record->trials, scratch, y);
    summarize_column(record->cycles, plan->cycles ? record->trials : 0, scratch, cycles);
}

bool record_converged(const struct record *record, const struct plan *plan, double *scratch)
{
    struct summary y, cycles;
    summarize_both(record, plan, scratch, &y, &cycles);
    return half_width(&y, &cycles) <= plan->precision;
}

/* The flags that the trials themselves earn, looked at in the unit that the clock does not bend. */
static unsigned shape_flags(const float *column, const struct plan *plan, unsigned n,
                            double *scratch)
{
    unsigned flags = 0;
    double *values = scratch, *room = scratch + n;
    for (unsigned i = 0; i < n; i++)
        values[i] = (double)column[i];
    struct trend trend = trend_test(values, n, room);
    if (fabs(trend.z) > drift_z && fabs(trend.change) > drift_change)
        flags |= FLAG_BIT(FLAG_DRIFT);
    sort_ascending(values, n);
    double centre = median(values, n);
    if (robust_deviation(values, n, room) > plan->unstable_above * centre)
        flags |= FLAG_BIT(FLAG_UNSTABLE);
    size_t lower = n >= 8 && isfinite(plan->unstable_above) ? spread_groups(values, n) : 0;
    if (lower &&
        median(values + lower, n - lower) - median(values, lower) > bimodal_distance * centre)
        flags |= FLAG_BIT(FLAG_BIMODAL);
    return flags;
}

static unsigned clock_flags(const struct record *record, double *scratch)
{
    struct summary mhz;
    summarize_column(record->core_mhz, record->trials, scratch, &mhz);
    bool moved = mhz.max - mhz.min > clock_spread * mhz.median ||
                 record->clock_moved > spoiled_share * record->batches;
    return moved ? FLAG_BIT(FLAG_CLOCK_DRIFT) : 0;
}

void record_conclude(const struct record *record, const struct plan *plan, double *scratch,
                     struct point *point)
{
    summarize_both(record, plan, scratch, &point->y, &point->cycles);
    point->redone = record->redone;
    point->flags = record->flags;
    if (record->trials == 0)
        return;
    if (half_width(&point->y, &point->cycles) > plan->precision)
        point->flags |= FLAG_BIT(FLAG_UNCONVERGED);
    if (record->interrupted > spoiled_share * record->batches || record->starved_visits)
        point->flags |= FLAG_BIT(FLAG_PREEMPTED);
    if (record->stolen_trials > stolen_share * record->trials)
        point->flags |= FLAG_BIT(FLAG_STOLEN);
    if (!plan->kernel_timed)
        point->flags |= clock_flags(record, scratch);
    const float *steady = plan->cycles ? record->cycles : record->values;
    point->flags |= shape_flags(steady, plan, record->trials, scratch);
}

void record_free(struct record *record)
{
    free(record->values);
    free(record->cycles);
    free(record->core_mhz);
    record->values = record->cycles = record->core_mhz = NULL;
    record->room = 0;
}
