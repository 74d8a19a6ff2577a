#include "measure/engine/record.h"

#include "document/flag.h"
#include "stats/order.h"
#include "stats/quiet.h"
#include "stats/series.h"
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A drift is reported when chance would show it in only one of a thousand points, and when it is
 * large enough to matter to a reader. */
static const double drift_z = 3.29, drift_change = 0.03;
/* Two groups of trials closer than this share of the median count as one. */
static const double bimodal_distance = 0.05;
/* Unless the plan says otherwise, the clock moved when the trials' clocks differ by more than two
 * bursts may. */
static const double clock_spread = 0.01;
/* Interference lowered a trial's clock, or its reading, where that is below the full clock by more
 * than this share. Undisturbed readings lie closer together, as trials do (gap_share in
 * stats/quiet.c). */
static const double clock_taken = 0.04;
/* Up to these shares, spoiled batches do not move a median, and stolen trials hardly do. */
static const double spoiled_share = 0.1, stolen_share = 0.2;
/* Flags that result from interference. */
static const unsigned by_others = FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) |
                                  FLAG_BIT(FLAG_UNSTABLE) | FLAG_BIT(FLAG_DRIFT);

static int make_room(struct record *record, unsigned more)
{
    unsigned wanted = record->trials + more;
    if (wanted <= record->room)
        return 0;
    unsigned room = record->room ? record->room * 2 : 8;
    if (room < wanted)
        room = wanted;
    float **const columns[] = {&record->values, &record->cycles, &record->quiet,
                               &record->quiet_cycles, &record->core_mhz};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
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
                      unsigned n, double operations, struct drift drift, double *scratch)
{
    unsigned at = record->trials++;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].ns / operations;
    const double ns = middle(scratch, n), quiet_ns = quiet_centre(scratch, n);
    const bool time = plan->yields == TIME_PER_OPERATION;
    record->values[at] = (float)((time ? ns : 1e9 / ns) / drift.value);
    record->quiet[at] = (float)((time ? quiet_ns : 1e9 / quiet_ns) / drift.value);
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].ns / operations * batches[i].core_hz * 1e-9;
    const double cycles = middle(scratch, n);
    record->cycles[at] = plan->cycles ? (float)(cycles / drift.cycles) : NAN;
    record->quiet_cycles[at] =
        plan->cycles ? (float)(quiet_centre(scratch, n) / drift.cycles) : NAN;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].core_hz;
    record->core_mhz[at] = (float)(middle(scratch, n) * 1e-6);
}

int record_add_trial(struct record *record, const struct visit *visit, unsigned trial,
                     struct drift drift, double *scratch, struct error *error)
{
    if (make_room(record, 1) < 0)
        return error_out_of_memory(error);
    const unsigned each = visit->plan->batches;
    add_trial(record, visit->plan, visit->batches + trial * each, each,
              visit->trials[trial].operations * (double)visit->repeats, drift, scratch);
    record->batches += each;
    record->repeats = visit->repeats;
    return 0;
}

int record_add(struct record *record, const struct visit *visit, struct drift drift,
               double *scratch, struct error *error)
{
    if (make_room(record, visit->trial_count) < 0)
        return error_out_of_memory(error);
    const unsigned each = visit->plan->batches;
    for (unsigned i = 0; i * each < visit->batch_count; i++) {
        unsigned left = visit->batch_count - i * each;
        add_trial(record, visit->plan, visit->batches + i * each, left < each ? left : each,
                  visit->trials[i].operations * (double)visit->repeats, drift, scratch);
    }
    record->visits++;
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

static double middle_of_column(const float *column, unsigned n, double *scratch)
{
    for (unsigned i = 0; i < n; i++)
        scratch[i] = (double)column[i];
    return n ? middle(scratch, n) : NAN;
}

struct drift record_medians(const struct record *record, double *scratch)
{
    return (struct drift){middle_of_column(record->values, record->trials, scratch),
                          middle_of_column(record->cycles, record->trials, scratch)};
}

/* Where each thing was measured twice, its value is the mean of its two trials. Else trials that
 * are correlated in time count as fewer. */
static void summarize_units(const float *column, const struct plan *plan, unsigned n,
                            double *scratch, struct summary *summary)
{
    const unsigned units = plan->passes == 2 ? plan->trials_max / 2 : n;
    for (unsigned i = 0; i < n && i < units; i++)
        scratch[i] =
            i + units < n ? (double)(column[i] + column[i + units]) / 2 : (double)column[i];
    /* Things that were measured twice are in no order of time, so they have no autocorrelation. */
    const double effective = plan->passes == 2 ? n : effective_count(scratch, n, scratch + n);
    summarize(scratch, n < units ? n : units, scratch, summary);
    summary_widen(summary, effective);
}

static bool trials_are_lines(const struct plan *plan)
{
    return plan->passes == 2 || plan->trials_per_visit > 1;
}

/* Where a trial is another cache line, lines differ because of their place and not because of
 * interference: the point's value is the median of their quiet values. A line that was measured
 * twice counts with its less disturbed trial. One visit to all lines says nothing about other
 * times: there is then no interval. */
static struct quiet quiet_column(const struct record *record, const float *column,
                                 const struct plan *plan, double *scratch)
{
    const unsigned n = record->trials;
    const unsigned units = plan->passes == 2 ? plan->trials_max / 2 : n;
    const bool rates = plan->yields == OPERATIONS_PER_SECOND;
    const unsigned count = n < units ? n : units;
    for (unsigned i = 0; i < count; i++) {
        const double first = (double)column[i];
        const double second = i + units < n ? (double)column[i + units] : first;
        scratch[i] = rates ? fmax(first, second) : fmin(first, second);
        if (isnan(scratch[i]))
            return quiet_unknown();
    }
    if (count == 0)
        return quiet_unknown();
    sort_ascending(scratch, count);
    if (plan->lowest)
        return quiet_of_visits(scratch, count);
    if (trials_are_lines(plan) && count > 1) {
        const struct quiet quiet = quiet_of_units(scratch, count);
        return record->visits > 1 ? quiet : (struct quiet){quiet.value, NAN, NAN};
    }
    return rates ? quiet_of_rates(scratch, count, scratch + n) : quiet_of(scratch, count);
}

/* Whether every trial has a clock reading and cycles. */
static bool has_clocks(const struct record *record)
{
    for (unsigned i = 0; i < record->trials; i++)
        if (!((double)record->core_mhz[i] > 0) || isnan(record->quiet_cycles[i]))
            return false;
    return true;
}

/* The clock in MHz without interference that lowers it or interrupts the bursts that read it. */
static double full_clock(const struct record *record, double *scratch)
{
    const unsigned n = record->trials;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = (double)record->core_mhz[i];
    sort_ascending(scratch, n);
    return (double)quiet_of_rates(scratch, n, scratch + n).value;
}

/* Cycles are a time multiplied by the clock that bursts read. Interference that lowers the clock
 * or interrupts a burst makes that product too small, so only trials at the full clock count.
 * Where just these trials were disturbed, the cycles are the quiet time in ns multiplied by the
 * full clock. */
static struct quiet quiet_cycles(const struct record *record, const struct plan *plan,
                                 const struct quiet *time, double *scratch)
{
    if (!plan->cycles || !record->trials || plan->lowest || trials_are_lines(plan) ||
        plan->yields == OPERATIONS_PER_SECOND || plan->correct_drift || !has_clocks(record))
        return quiet_column(record, record->quiet_cycles, plan, scratch);
    const double full = full_clock(record, scratch), least = (1 - clock_taken) * full;
    const float cycles_a_ns = (float)(full * 1e-3);
    unsigned count = 0;
    for (unsigned i = 0; i < record->trials; i++)
        if ((double)record->core_mhz[i] >= least)
            scratch[count++] = (double)record->quiet_cycles[i];
    sort_ascending(scratch, count);
    const struct quiet cycles = count ? quiet_of(scratch, count) : quiet_unknown(),
                       by_time = {time->value * cycles_a_ns, time->low * cycles_a_ns,
                                  time->high * cycles_a_ns};
    return (double)cycles.value <= (1 + clock_taken) * (double)by_time.value ? cycles : by_time;
}

static struct scatter scatter_of(const struct record *record, const struct plan *plan)
{
    struct scatter_parts parts;
    if (plan->passes != 2 || record->trials < plan->trials_max ||
        !scatter_split(record->values, plan->trials_max / 2, plan->trials_per_visit, &parts))
        return (struct scatter){NAN, NAN, NAN};
    return (struct scatter){(float)(parts.item / parts.mean), (float)(parts.time / parts.mean),
                            (float)(parts.rest / parts.mean)};
}

/* Times in ns scatter with the core's clock, times in cycles with everything that has another
 * clock. Either describes a point fully, so it is as precise as the better of the two. */
static double half_width(const struct summary *y, const struct summary *cycles)
{
    return fmin(summary_half_width(y), summary_half_width(cycles));
}

/* Half width of the interval over the value, in the better of the two units. */
static double quiet_half_width(const struct quiet *y, const struct quiet *cycles)
{
    return fmin((double)(y->high - y->low) / 2 / (double)y->value,
                (double)(cycles->high - cycles->low) / 2 / (double)cycles->value);
}

static void summarize_both(const struct record *record, const struct plan *plan, double *scratch,
                           struct summary *y, struct summary *cycles)
{
    summarize_units(record->values, plan, record->trials, scratch, y);
    summarize_units(record->cycles, plan, plan->cycles ? record->trials : 0, scratch, cycles);
}

static double quiet_width(const struct record *record, const struct plan *plan, double *scratch)
{
    const struct quiet y = quiet_column(record, record->quiet, plan, scratch);
    const struct quiet cycles = quiet_cycles(record, plan, &y, scratch);
    return record->trials > 1 ? quiet_half_width(&y, &cycles) : INFINITY;
}

static bool quiet_converged(const struct record *record, const struct plan *plan, double *scratch)
{
    return quiet_width(record, plan, scratch) <= plan->precision;
}

double record_width(const struct record *record, const struct plan *plan, double *scratch)
{
    /* Steady interference makes all trials agree on a wrong value, so the quiet interval
     * decides. */
    const double quiet = quiet_width(record, plan, scratch);
    if (isfinite(quiet))
        return quiet;
    struct summary y, cycles;
    summarize_both(record, plan, scratch, &y, &cycles);
    return half_width(&y, &cycles);
}

bool record_converged(const struct record *record, const struct plan *plan, double *scratch)
{
    return record_width(record, plan, scratch) <= plan->precision;
}

/* Whether things that were measured twice were slower or faster the second time: a sign test. A
 * trend over all trials would find the order of the lines. */
static struct trend second_time(const float *column, unsigned units, unsigned n, double *scratch)
{
    unsigned pairs = n > units ? n - units : 0, slower = 0;
    if (pairs == 0)
        return (struct trend){0};
    for (unsigned i = 0; i < pairs; i++) {
        scratch[i] =
            2 * (double)((column[i + units] - column[i]) / (column[i + units] + column[i]));
        slower += scratch[i] > 0;
    }
    sort_ascending(scratch, pairs);
    return (struct trend){(2 * (double)slower - pairs) / sqrt(pairs), median(scratch, pairs)};
}

bool record_is_spoiled(const struct visit *visit)
{
    return visit->interrupted > spoiled_share * visit->batch_count ||
           visit->clock_moved > spoiled_share * visit->batch_count;
}

/* The flags that follow from the trials' values, in cycles where there are any, because the clock
 * does not change those. */
static unsigned shape_flags(const float *column, const struct plan *plan, unsigned n,
                            double *scratch)
{
    unsigned flags = 0;
    double *values = scratch, *room = scratch + n;
    for (unsigned i = 0; i < n; i++)
        values[i] = (double)column[i];
    struct trend trend = plan->passes == 2 ? second_time(column, plan->trials_max / 2, n, room)
                                           : trend_test(values, n, room);
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

static unsigned clock_flags(const struct record *record, const struct plan *plan, double *scratch)
{
    const double spread = plan->clock_spread > 0 ? plan->clock_spread : clock_spread;
    struct summary mhz;
    summarize_column(record->core_mhz, record->trials, scratch, &mhz);
    bool moved = (double)(mhz.max - mhz.min) > spread * (double)mhz.median ||
                 record->clock_moved > spoiled_share * record->batches;
    return moved ? FLAG_BIT(FLAG_CLOCK_DRIFT) : 0;
}

void record_conclude(const struct record *record, const struct plan *plan, double *scratch,
                     struct point *point)
{
    struct summary cycles;
    summarize_both(record, plan, scratch, &point->y, &cycles);
    point->cycles = (struct estimate){cycles.median, cycles.low, cycles.high};
    point->quiet = quiet_column(record, record->quiet, plan, scratch);
    point->quiet_cycles = quiet_cycles(record, plan, &point->quiet, scratch);
    point->scatter = scatter_of(record, plan);
    point->redone = record->redone;
    point->flags = record->flags;
    point->failed = record->failed;
    if (record->trials == 0)
        return;
    /* An interval of fewer trials than planned covers less than 95 % and may be narrow by
     * chance. */
    if (record->trials < plan->trials_min && isfinite(plan->precision))
        point->flags |= FLAG_BIT(FLAG_TOO_FEW);
    else if (!record_converged(record, plan, scratch))
        point->flags |= FLAG_BIT(FLAG_UNCONVERGED);
    point->flags |= clock_flags(record, plan, scratch);
    const float *steady = plan->cycles ? record->cycles : record->values;
    unsigned disturbed = shape_flags(steady, plan, record->trials, scratch);
    if (record->interrupted > spoiled_share * record->batches || record->starved_visits)
        disturbed |= FLAG_BIT(FLAG_PREEMPTED);
    if (record->stolen_trials > stolen_share * record->trials)
        disturbed |= FLAG_BIT(FLAG_STOLEN);
    /* Where interference disturbed some trials and the others agree on the quiet value, the found
     * and the quiet value show the interference, and no flag is needed. */
    if (!trials_are_lines(plan) && record->trials >= plan->trials_min &&
        quiet_converged(record, plan, scratch))
        disturbed &= ~by_others;
    point->flags |= disturbed;
}

void record_clear(struct record *record)
{
    *record = (struct record){.values = record->values,
                              .cycles = record->cycles,
                              .quiet = record->quiet,
                              .quiet_cycles = record->quiet_cycles,
                              .core_mhz = record->core_mhz,
                              .room = record->room};
}

void record_free(struct record *record)
{
    free(record->values);
    free(record->cycles);
    free(record->quiet);
    free(record->quiet_cycles);
    free(record->core_mhz);
    record->values = record->cycles = record->quiet = record->quiet_cycles = record->core_mhz =
        NULL;
    record->room = 0;
}
