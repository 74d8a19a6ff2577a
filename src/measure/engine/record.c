#include "measure/engine/record.h"

#include "document/flag.h"
#include "measure/engine/burst.h"
#include "stats/order.h"
#include "stats/series.h"
#include "stats/spread.h"
#include "stats/undisturbed.h"

#include <math.h>
#include <stdlib.h>

/* A drift is reported when chance would show it in only one of a thousand points, and when it is
 * large enough to matter to a reader. */
static const double drift_z = 3.29, drift_change = 0.03;
/* Two groups of trials closer than this share of the median count as one. */
static const double bimodal_distance = 0.05;
/* Unless the plan says otherwise, the clock moved when the trials' clocks differ by more than two
 * bursts may. */
static const double clock_spread = 0.01;
/* A trial whose clock reads below the full clock by more than this share was disturbed:
 * interference lowered the clock, or interrupted its reading. Undisturbed readings lie closer
 * together, as trials do (tests/model). */
static const double clock_taken = 0.04;
/* Up to these shares, spoiled batches do not move a median, and stolen trials hardly do. */
static const double spoiled_share = 0.1, stolen_share = 0.2;
/* A trial with more than this share of batches that were interrupted has too few undisturbed ones
 * to take its value from. */
static const double throughout = 0.5;
/* Fewer values have no interval of 95 % (stats/order.h). */
enum { TRIALS_TELL = 6 };
/* Flags that result from interference. */
static const unsigned by_others = FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) |
                                  FLAG_BIT(FLAG_UNSTABLE) | FLAG_BIT(FLAG_DRIFT);

enum { COLUMNS = 8 };
static float **column_of(struct record *record, unsigned i)
{
    float **const columns[COLUMNS] = {&record->values,   &record->cycles,   &record->longer,
                                      &record->shift,    &record->core_mhz, &record->core_width,
                                      &record->interval, &record->turn};
    return columns[i];
}

static int make_room(struct record *record, unsigned more)
{
    unsigned wanted = record->trials + more;
    if (wanted <= record->room)
        return 0;
    unsigned room = record->room ? record->room * 2 : 8;
    if (room < wanted)
        room = wanted;
    for (unsigned i = 0; i < COLUMNS; i++) {
        float *larger = realloc(*column_of(record, i), room * sizeof *larger);
        if (!larger)
            return ERROR_SYSTEM;
        *column_of(record, i) = larger;
    }
    record->room = room;
    return 0;
}

static void add_trial(struct record *record, const struct visit *visit, const struct batch *batches,
                      unsigned n, double operations, struct drift drift, double *scratch)
{
    const struct plan *plan = visit->plan;
    const unsigned at = record->trials++;
    record->interval[at] = (float)visit->interval;
    record->turn[at] = (float)visit->turn;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].ns;
    sort_ascending(scratch, n);
    const struct undisturbed undisturbed = undisturbed_of(scratch, n);
    const double most = scratch[undisturbed.count - 1], ns = undisturbed.value / operations;
    const bool time = plan->yields == TIME_PER_OPERATION;
    record->values[at] = (float)((time ? ns : 1e9 / ns) / drift.value);
    record->longer[at] = (float)undisturbed.longer;
    record->shift[at] = (float)undisturbed.shift;
    /* A burst that was interrupted shows too low a clock, so cycles are the median over the
     * undisturbed batches and not the least product. */
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (batches[i].ns <= most)
            scratch[kept++] = batches[i].ns / operations * batches[i].core_hz * 1e-9;
    record->cycles[at] =
        plan->cycles && kept ? (float)(median_of(scratch, kept) / drift.cycles) : NAN;
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].core_hz;
    record->core_mhz[at] = (float)(median_of(scratch, n) * 1e-6);
    for (unsigned i = 0; i < n; i++)
        scratch[i] = batches[i].core_width;
    record->core_width[at] = (float)median_of(scratch, n);
    record->core_alone = visit->core_alone;
}

int record_add_trial(struct record *record, const struct visit *visit, unsigned trial,
                     struct drift drift, double *scratch, struct error *error)
{
    if (make_room(record, 1) < 0)
        return error_out_of_memory(error);
    const unsigned each = visit->plan->batches;
    add_trial(record, visit, visit->batches + trial * each, each,
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
        if (isnan(visit->batches[i * each].ns)) {
            record->redone += each;
            continue;
        }
        add_trial(record, visit, visit->batches + i * each, left < each ? left : each,
                  visit->trials[i].operations * (double)visit->repeats, drift, scratch);
    }
    if (visit->interrupted > throughout * visit->batch_count)
        record->disturbed_trials += visit->trial_count;
    record->redone += visit->redone;
    record->interrupted += visit->interrupted;
    record->clock_moved += visit->clock_moved;
    record->batches += visit->batch_count;
    record->repeats = visit->repeats;
    return 0;
}

static double middle_of_column(const float *column, unsigned n, double *scratch)
{
    for (unsigned i = 0; i < n; i++)
        scratch[i] = (double)column[i];
    return median_of(scratch, n);
}

struct drift record_medians(const struct record *record, double *scratch)
{
    return (struct drift){middle_of_column(record->values, record->trials, scratch),
                          middle_of_column(record->cycles, record->trials, scratch)};
}

static bool trials_are_lines(const struct plan *plan)
{
    return plan->passes == 2 || plan->trials_per_visit > 1;
}

/* Whether each line was measured twice, and no trial of either pass was left out. */
static bool is_twice(const struct record *record, const struct plan *plan)
{
    return plan->passes == 2 && !record->moved;
}

/* Whether another hardware thread used the core throughout the trial, in more than half of its
 * batches. */
static bool is_shared(const struct record *record, unsigned i)
{
    return burst_is_shared((double)record->core_width[i], record->core_alone);
}

unsigned record_lacks_core(const struct record *record)
{
    unsigned shared = 0;
    for (unsigned i = 0; i < record->trials; i++)
        shared += is_shared(record, i);
    return record->trials - shared < TRIALS_TELL ? shared : 0;
}

/* The trials that were disturbed throughout. A core that is shared counts only where so few had it
 * alone that they have no interval: else the figure is of those. */
static unsigned disturbed_throughout(const struct record *record)
{
    const unsigned shared = record_lacks_core(record);
    return shared > record->disturbed_trials ? shared : record->disturbed_trials;
}

/* Widens the interval on the side where the undisturbed median may lie, because interference moves
 * values only to the other side: for times the lower side. If a share d of the trials was disturbed
 * throughout, the median of the undisturbed ones is the (1 - d) / 2 quantile of all; a trial with
 * some disturbed batches may itself be too high; and if the undisturbed trials are few, that side
 * becomes twice as wide. `ascending` has n values, `shift` is the trials' median shift. */
static void allow_for_others(const struct record *record, const struct plan *plan,
                             const double *ascending, unsigned n, double shift,
                             struct summary *summary)
{
    static const double one_side = 0.975;
    const double share = (double)disturbed_throughout(record) / record->trials, p = (1 - share) / 2;
    const bool few = share > disturbance_beside;
    if (plan->yields == OPERATIONS_PER_SECOND) {
        const size_t rank = share > 0 ? quantile_rank_above(n, 1 - p, one_side) : 0;
        const float most = rank ? (float)ascending[rank - 1] : 0;
        summary->high = fmaxf(summary->high, most) * (float)(1 + shift);
        summary->high *= few ? summary->high / summary->median : 1;
    } else {
        const size_t rank = share > 0 ? quantile_rank_below(n, p, one_side) : n;
        summary->low = fminf(summary->low, (float)ascending[rank - 1]) * (float)(1 - shift);
        summary->low *= few ? summary->low / summary->median : 1;
    }
}

/* The figure of n trials' values in order of time, and of the turns they were made in: their median
 * with its interval. If each thing
 * was measured twice, its value is the mean of its two trials. Otherwise trials that are correlated
 * in time count as fewer. */
static void summarize_trials(const struct record *record, const float *column, const float *turn,
                             unsigned n, const struct plan *plan, double *scratch,
                             struct summary *summary)
{
    const bool twice = is_twice(record, plan), in_turns = plan_is_spread(plan);
    for (unsigned i = 0; i < n && in_turns; i++)
        scratch[i] = (double)column[i];
    /* The trials of a turn have one moment in common, and one placement. */
    const double apart = in_turns ? effective_in_groups(scratch, turn, n, scratch + n) : n;
    const unsigned units = twice ? plan->trials_max / 2 : n, count = n < units ? n : units;
    const double independent = apart / n * count;
    for (unsigned i = 0; i < count; i++)
        scratch[i] =
            i + units < n ? (double)(column[i] + column[i + units]) / 2 : (double)column[i];
    /* Things that were measured twice are in no order of time, so they have no autocorrelation. */
    double effective = twice ? n : effective_count(scratch, n, scratch + n);
    summarize(scratch, count, scratch, summary);
    if (!count)
        return;
    if (plan->lowest) {
        undisturbed_envelope(scratch, count, summary);
        return;
    }
    if (independent < count && independent >= TRIALS_TELL)
        summary_of_fewer(scratch, count, (size_t)independent, summary);
    else
        effective = fmin(effective, independent);
    const double shift = middle_of_column(record->shift, record->trials, scratch + count);
    allow_for_others(record, plan, scratch, count, shift, summary);
    summary_widen(summary, effective);
}

/* Gathers in `column` what the trials whose clock was at least `mhz` have in `from`, and in `turn`
 * their turns: all of them, or those whose core no other hardware thread used throughout. Returns
 * their number. */
static unsigned gather(const struct record *record, const float *from, double mhz, bool alone,
                       float *column, float *turn)
{
    unsigned count = 0;
    for (unsigned i = 0; i < record->trials; i++)
        if (!((double)record->core_mhz[i] < mhz) && !(alone && is_shared(record, i))) {
            turn[count] = record->turn[i];
            column[count++] = from[i];
        }
    return count;
}

/* The full clock in MHz, the highest that trials agree on, because interference may lower a clock,
 * or interrupt the bursts that read it. NAN: there is no clock, or cycles do not follow from times.
 */
static double full_clock(const struct record *record, const struct plan *plan, double *scratch)
{
    const unsigned n = record->trials;
    for (unsigned i = 0; i < n; i++) {
        if (!((double)record->core_mhz[i] > 0) || isnan(record->cycles[i]))
            return NAN;
        scratch[i] = 1 / (double)record->core_mhz[i];
    }
    if (!n || plan->lowest || trials_are_lines(plan) || plan->yields == OPERATIONS_PER_SECOND ||
        plan->correct_drift)
        return NAN;
    sort_ascending(scratch, n);
    return 1 / undisturbed_of(scratch, n).value;
}

/* The figure of the trials at that clock that had the core alone. Where they are too few for an
 * interval the value is theirs all the same, and the interval that of all trials, of which the
 * others were disturbed. */
static void summarize_alone(const struct record *record, const float *from, double mhz,
                            const struct plan *plan, double *scratch, struct summary *summary)
{
    float *column = (float *)(void *)(scratch + 2 * (size_t)record->trials),
          *turn = column + record->trials;
    const unsigned alone = gather(record, from, mhz, true, column, turn);
    if (alone)
        summarize_trials(record, column, turn, alone, plan, scratch, summary);
    if (alone >= TRIALS_TELL)
        return;
    struct summary all;
    const unsigned count = gather(record, from, mhz, false, column, turn);
    summarize_trials(record, column, turn, count, plan, scratch, &all);
    if (!alone || alone == count) {
        *summary = all;
        return;
    }
    summary->low = fminf(all.low, summary->median);
    summary->high = fmaxf(all.high, summary->median);
    summary->coverage = all.coverage;
    summary->n = all.n;
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

/* How the trials' times follow the clock that their cycles tell. */
static float by_clock(const struct record *record, const struct plan *plan, double *scratch)
{
    double(*pairs)[2] = (double(*)[2])(void *)scratch;
    const unsigned n = record->trials;
    if (!plan->cycles || plan->yields == OPERATIONS_PER_SECOND || trials_are_lines(plan))
        return NAN;
    for (unsigned i = 0; i < n; i++) {
        const double ns = (double)record->values[i], cycles = (double)record->cycles[i];
        if (!(cycles > 0))
            return NAN;
        pairs[i][0] = log(cycles / ns);
        pairs[i][1] = log(ns);
    }
    return (float)resistant_slope(pairs, n, scratch + 2 * (size_t)n);
}

static void summarize_both(const struct record *record, const struct plan *plan, double *scratch,
                           struct summary *y, struct summary *cycles)
{
    summarize_alone(record, record->values, 0, plan, scratch, y);
    /* Cycles are a time multiplied by the clock that bursts read, so only trials at the full clock
     * count. If just these trials were disturbed, the cycles are the time multiplied by the full
     * clock.
     */
    const unsigned n = plan->cycles ? record->trials : 0;
    const double full = n ? full_clock(record, plan, scratch) : NAN;
    if (isnan(full)) {
        summarize_trials(record, record->cycles, record->turn, n, plan, scratch, cycles);
        return;
    }
    summarize_alone(record, record->cycles, (1 - clock_taken) * full, plan, scratch, cycles);
    const float a_ns = (float)(full * 1e-3), by_time = y->median * a_ns;
    if ((double)cycles->median > (1 + clock_taken) * (double)by_time) {
        cycles->median = by_time;
        cycles->low = y->low * a_ns;
        cycles->high = y->high * a_ns;
    }
}

double record_width(const struct record *record, const struct plan *plan, double *scratch)
{
    struct summary y, cycles;
    summarize_both(record, plan, scratch, &y, &cycles);
    /* Times in ns scatter with the core's clock, times in cycles with everything that has another
     * clock. Either describes a point fully, so it is as precise as the better of the two. */
    return fmin(summary_half_width(&y), summary_half_width(&cycles));
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
    return (struct trend){(2 * (double)slower - pairs) / sqrt(pairs), median_of(scratch, pairs)};
}

bool record_is_spoiled(const struct visit *visit)
{
    return visit->interrupted > spoiled_share * visit->batch_count ||
           visit->clock_moved > spoiled_share * visit->batch_count;
}

/* The flags that follow from the trials' values, in cycles where there are any, because the clock
 * does not change those. */
static unsigned shape_flags(const float *column, const struct plan *plan, bool twice, unsigned n,
                            double *scratch)
{
    unsigned flags = 0;
    double *values = scratch, *room = scratch + n;
    for (unsigned i = 0; i < n; i++)
        values[i] = (double)column[i];
    struct trend trend =
        twice ? second_time(column, plan->trials_max / 2, n, room) : trend_test(values, n, room);
    if (!plan_is_spread(plan) && fabs(trend.z) > drift_z && fabs(trend.change) > drift_change)
        flags |= FLAG_BIT(FLAG_DRIFT);
    double centre = median_of(values, n);
    if (robust_deviation(values, n, room) > plan->unstable_above * centre)
        flags |= FLAG_BIT(FLAG_UNSTABLE);
    size_t lower = n >= 8 && isfinite(plan->unstable_above) ? spread_groups(values, n) : 0;
    if (lower &&
        median(values + lower, n - lower) - median(values, lower) > bimodal_distance * centre)
        flags |= FLAG_BIT(FLAG_BIMODAL);
    return flags;
}

/* An interval of fewer trials than planned covers less than 95 %, and is narrow by chance where
 * trials end as soon as they agree. They don't where all lines are planned, or where the host moved
 * the CPUs and some had to be left out. Trials that are spread tell as moments. */
static bool has_too_few(const struct record *record, const struct plan *plan)
{
    const bool all_planned = plan->passes == 2 || record->moved;
    unsigned fewest = plan->trials_min, moments = record->trials > 0;
    if (all_planned && fewest > TRIALS_TELL)
        fewest = TRIALS_TELL;
    for (unsigned i = 1; i < record->trials; i++)
        moments += record->turn[i] != record->turn[i - 1];
    return record->trials < fewest || (plan_is_spread(plan) && moments < TRIALS_TELL);
}

void record_conclude(const struct record *record, const struct plan *plan, double *scratch,
                     struct point *point)
{
    struct summary cycles;
    summarize_both(record, plan, scratch, &point->y, &cycles);
    point->cycles = (struct estimate){cycles.median, cycles.low, cycles.high};
    /* How much longer the median batch took than the undisturbed ones, at the median trial, and the
     * share of trials that were disturbed throughout. */
    const double trials = record->trials;
    point->disturbance =
        (struct disturbance){(float)middle_of_column(record->longer, record->trials, scratch),
                             (float)(disturbed_throughout(record) / trials)};
    point->scatter = scatter_of(record, plan);
    point->by_clock = by_clock(record, plan, scratch);
    point->redone = record->redone;
    point->flags = record->flags;
    point->failed = record->failed;
    if (record->trials == 0)
        return;
    if (has_too_few(record, plan) && isfinite(plan->precision))
        point->flags |= FLAG_BIT(FLAG_TOO_FEW);
    else if (!record_converged(record, plan, scratch))
        point->flags |= FLAG_BIT(FLAG_UNCONVERGED);
    const double spread = plan->clock_spread > 0 ? plan->clock_spread : clock_spread;
    struct summary mhz;
    for (unsigned i = 0; i < record->trials; i++)
        scratch[i] = (double)record->core_mhz[i];
    summarize(scratch, record->trials, scratch, &mhz);
    bool moved = (double)(mhz.max - mhz.min) > spread * (double)mhz.median ||
                 record->clock_moved > spoiled_share * record->batches;
    point->flags |= moved ? FLAG_BIT(FLAG_CLOCK_DRIFT) : 0;
    const float *steady = plan->cycles ? record->cycles : record->values;
    unsigned disturbed = shape_flags(steady, plan, is_twice(record, plan), record->trials, scratch);
    if (record->interrupted > spoiled_share * record->batches || record->starved_visits)
        disturbed |= FLAG_BIT(FLAG_PREEMPTED);
    if (record->stolen_trials > stolen_share * record->trials)
        disturbed |= FLAG_BIT(FLAG_STOLEN);
    /* If the interval is narrow in spite of the flags' causes, it says all that the flags would. */
    if (!trials_are_lines(plan) && record->trials >= plan->trials_min &&
        disturbed_throughout(record) <= disturbance_beside * record->trials &&
        record_converged(record, plan, scratch))
        disturbed &= ~by_others;
    point->flags |= disturbed;
}

struct record record_of_states(struct record *record, const struct placement *placement,
                               bool one_alone, unsigned *states)
{
    unsigned counts[PLACEMENT_MOVING + 1] = {0}, most = PLACEMENT_MOVING;
    for (unsigned i = 0; i < record->trials; i++)
        counts[placement_of(placement, (uint32_t)record->interval[i])]++;
    for (unsigned state = 0; state < PLACEMENT_MOVING; state++)
        if (counts[state] > (most == PLACEMENT_MOVING ? 0 : counts[most]))
            most = state;
    struct record one = *record;
    one.trials = 0;
    for (unsigned i = 0; i < record->trials; i++) {
        const unsigned state = placement_of(placement, (uint32_t)record->interval[i]);
        if (one_alone && state != most)
            continue;
        *states |= 1u << state;
        for (unsigned c = 0; c < COLUMNS; c++) {
            float *column = *column_of(record, c);
            const float value = column[i];
            column[i] = column[one.trials];
            column[one.trials] = value;
        }
        one.trials++;
    }
    one.moved = one.trials < record->trials;
    if (one.disturbed_trials > one.trials)
        one.disturbed_trials = one.trials;
    return one;
}

void record_clear(struct record *record)
{
    struct record empty = {.room = record->room};
    for (unsigned i = 0; i < COLUMNS; i++)
        *column_of(&empty, i) = *column_of(record, i);
    *record = empty;
}

void record_free(struct record *record)
{
    for (unsigned i = 0; i < COLUMNS; i++)
        free(*column_of(record, i));
    *record = (struct record){0};
}
