/* Series by CPU, and findings of all CPUs together, from the CPUs' tallies. */
#include "document/flag.h"
#include "measure/probes/noise/noise.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_NAMED = 3 };
static const double ns_per_us = 1e3;

static const struct {
    double p;
    const char *name;
} quantiles[] = {{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}, {0.9999, "p99.99"}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

static const struct {
    const char *name, *says;
} cause_texts[CAUSES] = {
#include "conclude.texts.h"
};

struct concluding {
    struct probe_task *task;
    const struct noise_state *state;
    size_t cpus;
    struct noise_causes *causes; /* one for each CPU */
    struct interval *shares;     /* one for each CPU: share of time that all causes took */
    struct interruptions after;
    double window_s; /* time between the two readings of the system's counts; NAN: unknown */
    bool counts_stolen, counts_interrupts; /* whether the system has these counts */
    double *parts, *wholes;                /* [windows], scratch */
    struct histogram *lengths;             /* scratch */
};

/* --- causes --- */

/* Causes of interruptions without a context switch or page fault of the thread (GAP_OTHER). The
 * system counts interrupts but does not time them, and reports stolen time in clock ticks. So the
 * shortest of these interruptions, as many as there were interrupts, count as interrupts with their
 * softirqs; of the rest, the reported stolen time counts as the hypervisor's; what is left is
 * unexplained: firmware, or a host that does not report stolen time. */

/* After 2 ms the kernel hands softirqs to a thread (MAX_SOFTIRQ_TIME of Linux's kernel/softirq.c),
 * so a longer interruption without a context switch is not a softirq. */
static const double softirq_most_ns = 2e6;

/* The sum in ticks of the shortest `count` lengths up to `most`. */
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
    const double watched = noise_ticks(tally, WATCHED), others = noise_ticks(tally, GAP_OTHER);
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
    share[CAUSE_UNEXPLAINED] = left >= 1 ? left / others : 0; /* the rest is rounding */
}

/* The growth of a source's count on one CPU between the two readings. */
static double growth(const struct interruption_source *after,
                     const struct interruption_sources *before, size_t index, size_t cpu)
{
    const struct interruption_source *then = index < before->count ? &before->list[index] : NULL;
    /* Sources appear and vanish with their devices, so indexes may shift. */
    const bool same = then && strcmp(then->name, after->name) == 0;
    const uint64_t was = same ? then->counts[cpu] : after->counts[cpu];
    return after->counts[cpu] > was ? (double)(after->counts[cpu] - was) : 0;
}

static void read_system(struct concluding *all, double elapsed_s)
{
    struct probe_task *task = all->task;
    const struct noise_state *state = all->state;
    const struct interruption_sources *after = &all->after.interrupts;
    const size_t ids = noise_ids(task);
    uint64_t *stolen = pool_alloc(task->pool, ids, sizeof *stolen);
    const bool known = state->counted && task->machine->live && state->stolen_before;
    all->causes = pool_alloc(task->pool, all->cpus, sizeof *all->causes);
    all->window_s = elapsed_s - state->counted_at_s;
    if (!known || !(all->window_s > 0.1))
        all->window_s = NAN;
    if (known) {
        pool_check(task->pool, interruptions_read(&all->after, NULL, &task->cpus, task->pool,
                                                  pool_error(task->pool)));
        all->counts_stolen = os_stolen_ns(stolen, ids) && !isnan(all->window_s);
    }
    all->counts_interrupts = after->count && !isnan(all->window_s);
    for (size_t i = 0; i < all->cpus; i++) {
        struct noise_causes *causes = &all->causes[i];
        const int id = task->cpus.ids[i];
        double interrupts = after->count ? 0 : NAN;
        for (size_t source = 0; source < after->count; source++)
            interrupts += growth(&after->list[source], &state->before.interrupts, source, i);
        causes->interrupts = interrupts / all->window_s;
        causes->stolen =
            all->counts_stolen && stolen[id] > state->stolen_before[id]
                ? (double)(stolen[id] - state->stolen_before[id]) * 1e-9 / all->window_s
                : 0;
        noise_attribute(&state->tallies[i], state->ticks_per_ns, causes);
    }
}

/* Why the cause's share is unknown: text on what the system does not report; NULL: it is known. */
static const char *unknown(const struct concluding *all, enum noise_cause cause)
{
    if (cause == CAUSE_INTERRUPTS && !all->counts_interrupts)
        return "unknown: this system has no count of interrupts (/proc/interrupts), so their time "
               "is part of noise.share.unexplained; measure outside the container or sandbox";
    if (cause == CAUSE_STOLEN && !all->counts_stolen)
        return "unknown: this system has no count of stolen time (/proc/stat), so it is part of "
               "noise.share.unexplained; ask the host, or measure outside the container";
    return NULL;
}

/* --- shares, lengths and rates --- */

/* The ticks that a cause, or with CAUSES all causes, took in a window of one CPU. */
static double lost_in(const struct concluding *all, size_t cpu, unsigned window,
                      enum noise_cause cause)
{
    const struct noise_tally *tally = &all->state->tallies[cpu];
    double lost = 0;
    if (cause == CAUSE_THREADS || cause == CAUSE_FAULTS)
        return tally->ticks[cause == CAUSE_THREADS ? GAP_THREADS : GAP_FAULTS][window];
    if (cause < CAUSES)
        return all->causes[cpu].share_of_others[cause] * tally->ticks[GAP_OTHER][window];
    for (int kind = 0; kind < GAP_KINDS; kind++)
        lost += tally->ticks[kind][window];
    return lost;
}

/* The share in percent that a cause, or with CAUSES all causes, took of one CPU, or of all CPUs
 * together if `cpu` is their number. */
static struct interval share_of(const struct concluding *all, size_t cpu, enum noise_cause cause)
{
    const bool one = cpu < all->cpus;
    unsigned n = 0;
    for (size_t i = one ? cpu : 0; i < (one ? cpu + 1 : all->cpus); i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        for (unsigned window = 0; window < tally->windows; window++) {
            if (window == n) {
                all->parts[n] = all->wholes[n] = 0;
                n++;
            }
            all->parts[window] += lost_in(all, i, window, cause);
            all->wholes[window] += tally->ticks[WATCHED][window];
        }
    }
    const struct interval ratio = ratio_of_sums(all->parts, all->wholes, n);
    return (struct interval){100 * ratio.value, 100 * ratio.low, 100 * fmin(1, ratio.high)};
}

/* The rate per second of `count` events in `s` seconds, with the Poisson interval of 95 %. */
static struct interval rate_of(double count, double s)
{
    const double off = 1.96 * sqrt(count);
    return (struct interval){count / s, fmax(0, count - off) / s, (count + off) / s};
}

/* Interruptions of one CPU, of all kinds. */
static uint64_t count_of(const struct noise_tally *tally)
{
    uint64_t count = tally->missed;
    for (int kind = 0; kind < GAP_KINDS; kind++)
        count += histogram_count(&tally->lengths[kind], 0);
    return count;
}

static double watched_s(const struct concluding *all, const struct noise_tally *tally)
{
    return noise_ticks(tally, WATCHED) / all->state->ticks_per_ns * 1e-9;
}

/* The lengths on the CPUs from `first` up to, not including, `end`, and in *longest_us the
 * longest. */
static const struct histogram *lengths_of(const struct concluding *all, size_t first, size_t end,
                                          double *longest_us)
{
    *longest_us = 0;
    memset(all->lengths, 0, sizeof *all->lengths);
    for (size_t i = first; i < end; i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        for (int kind = 0; kind < GAP_KINDS; kind++)
            histogram_merge(all->lengths, &tally->lengths[kind]);
        *longest_us =
            fmax(*longest_us, noise_longest(tally) / (all->state->ticks_per_ns * ns_per_us));
    }
    return all->lengths;
}

/* A quantile in us, at most the longest length, which is known exactly; with too few lengths it is
 * that. */
static struct interval quantile_of(const struct concluding *all, const struct histogram *lengths,
                                   double longest_us, double p)
{
    const struct interval found = histogram_quantile(lengths, 0, p);
    const double scale = all->state->ticks_per_ns * ns_per_us;
    if ((double)histogram_count(lengths, 0) * (1 - p) < 1)
        return (struct interval){longest_us, NAN, NAN};
    return (struct interval){
        fmin(found.value / scale, longest_us),
        isnan(found.low) ? NAN : fmin(found.low / scale, longest_us),
        isnan(found.high) ? NAN : fmin(found.high / scale, longest_us),
    };
}

/* --- series --- */

static unsigned add_series(struct concluding *all, const char *shows, const char *of,
                           const char *unit, bool headline)
{
    const unsigned series =
        build_series(all->task, (struct series){.name = "noise",
                                                .headline = headline && all->task->named,
                                                .x = {"cpu", ""},
                                                .y = {shows, unit}});
    build_factor_text(all->task, series, "shows", shows);
    if (of)
        build_factor_text(all->task, series, "of", of);
    return series;
}

static void add_point_at(struct concluding *all, unsigned series, double x, struct interval value,
                         uint64_t n)
{
    struct series *to = &all->task->plan.series[series];
    struct point *point =
        pool_append(all->task->pool, (void **)&to->points, &to->point_count, sizeof *point);
    const bool bounded = isfinite(value.low) && isfinite(value.high);
    const float middle = (float)value.value, low = bounded ? (float)value.low : middle,
                high = bounded ? (float)value.high : middle;
    *point = (struct point){.x = x,
                            .cycles = {NAN, NAN, NAN},
                            .scatter = {NAN, NAN, NAN},
                            .y = {.median = middle,
                                  .low = bounded ? low : NAN,
                                  .high = bounded ? high : NAN,
                                  .coverage = bounded ? 0.95f : 0,
                                  .min = low,
                                  .p10 = low,
                                  .p25 = low,
                                  .p75 = high,
                                  .p90 = high,
                                  .max = high,
                                  .n = n < 1000000000 ? (unsigned)n : 1000000000}};
}

static void add_point(struct concluding *all, unsigned series, size_t cpu, struct interval value,
                      uint64_t n)
{
    add_point_at(all, series, all->task->cpus.ids[cpu], value, n);
}

static void add_share_series(struct concluding *all, enum noise_cause cause)
{
    const bool any = cause == CAUSES;
    const unsigned series =
        add_series(all, "share", any ? NULL : cause_texts[cause].name, "%", any);
    for (size_t i = 0; i < all->cpus; i++)
        if (all->state->tallies[i].windows)
            add_point(all, series, i, share_of(all, i, cause), all->state->tallies[i].windows);
}

/* How often interruptions of each length begin on a CPU: a point for each doubling of the length,
 * at its lower end, from the shortest to the longest that was seen. */
static void add_histogram(struct concluding *all, double total_s)
{
    double longest_us;
    const struct histogram *lengths = lengths_of(all, 0, all->cpus, &longest_us);
    const double scale = all->state->ticks_per_ns * ns_per_us;
    const unsigned series =
        build_series(all->task, (struct series){.name = "noise",
                                                .headline = all->task->named,
                                                .x = {"length", "us"},
                                                .y = {"interruptions a second", ""}});
    build_factor_text(all->task, series, "shows", "histogram");
    uint64_t left = histogram_count(lengths, 0);
    for (size_t bin = 0; bin < HISTOGRAM_BINS && left && total_s > 0;) {
        const bool begun = all->task->plan.series[series].point_count > 0;
        const double octave = floor(log2(fmax(histogram_middle(bin), 1) / scale));
        uint64_t count = 0;
        for (;
             bin < HISTOGRAM_BINS && floor(log2(fmax(histogram_middle(bin), 1) / scale)) <= octave;
             bin++)
            count += lengths->bins[bin];
        left -= count;
        if (count || begun)
            add_point_at(all, series, exp2(octave), rate_of((double)count, total_s), count);
    }
}

static void add_all_series(struct concluding *all, double total_s)
{
    add_histogram(all, total_s);
    add_share_series(all, CAUSES);
    for (int cause = 0; cause < CAUSES; cause++)
        if (!unknown(all, (enum noise_cause)cause))
            add_share_series(all, (enum noise_cause)cause);
    const unsigned by_length = (unsigned)all->task->plan.series_count;
    for (size_t q = 0; q <= QUANTILES; q++)
        add_series(all, "length", q < QUANTILES ? quantiles[q].name : "longest", "us",
                   q == QUANTILES);
    const unsigned rates = add_series(all, "interruptions a second", NULL, "", false);
    for (size_t i = 0; i < all->cpus; i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        const uint64_t count = count_of(tally);
        double longest_us;
        const struct histogram *lengths = lengths_of(all, i, i + 1, &longest_us);
        for (unsigned q = 0; q <= QUANTILES && count; q++) {
            const struct interval length =
                q < QUANTILES ? quantile_of(all, lengths, longest_us, quantiles[q].p)
                              : (struct interval){longest_us, NAN, NAN};
            if (!isnan(length.value))
                add_point(all, by_length + q, i, length, count);
        }
        if (watched_s(all, tally) > 0)
            add_point(all, rates, i, rate_of((double)count, watched_s(all, tally)), count);
    }
}

/* --- findings --- */

static struct finding *add(struct concluding *all, const char *name, const char *unit,
                           struct interval value, const char *text)
{
    if (!isfinite(value.low) || !isfinite(value.high))
        value.low = value.high = NAN;
    struct finding *finding =
        finding_add_value(all->task->result, all->task->pool, name, unit, value, 0);
    finding->text = text;
    return finding;
}

static const char *list_cpus(const struct concluding *all, const bool *on)
{
    int *cpus = pool_alloc(all->task->pool, all->cpus, sizeof *cpus);
    size_t count = 0;
    for (size_t i = 0; i < all->cpus; i++)
        if (!on || on[i])
            cpus[count++] = all->task->cpus.ids[i];
    return build_cpus(all->task->pool, cpus, count);
}

static void add_shares(struct concluding *all)
{
    struct pool *pool = all->task->pool;
    size_t worst = 0;
    for (size_t i = 1; i < all->cpus; i++)
        if (!(all->shares[i].value <= all->shares[worst].value) && !isnan(all->shares[i].value))
            worst = i;
    add(all, "noise.share", "%", share_of(all, all->cpus, CAUSES),
        all->cpus > 1 ? pool_printf(pool,
                                    "of the time of %zu CPUs was taken from a program that never "
                                    "stops; most on CPU %d, %.3g %%",
                                    all->cpus, all->task->cpus.ids[worst], all->shares[worst].value)
                      : "of the time was taken from a program that never stops")
        ->cpus = list_cpus(all, NULL);
    for (int cause = 0; cause < CAUSES; cause++) {
        const char *why = unknown(all, (enum noise_cause)cause);
        add(all, pool_printf(pool, "noise.share.%s", cause_texts[cause].name), "%",
            why ? (struct interval){NAN, NAN, NAN}
                : share_of(all, all->cpus, (enum noise_cause)cause),
            why ? why : cause_texts[cause].says);
    }
}

static const char *kind_text(const struct concluding *all, size_t cpu, enum gap_kind kind)
{
    if (kind == GAP_THREADS)
        return "another thread ran";
    if (kind == GAP_FAULTS)
        return "a page fault";
    return all->causes[cpu].share_of_others[CAUSE_INTERRUPTS] > 0.99
               ? "an interrupt"
               : "it left no mark on the thread: an interrupt, firmware or the host";
}

static void add_longest(struct concluding *all, double total_s)
{
    size_t cpu = 0;
    for (size_t i = 1; i < all->cpus; i++)
        if (noise_longest(&all->state->tallies[i]) > noise_longest(&all->state->tallies[cpu]))
            cpu = i;
    const struct noise_tally *tally = &all->state->tallies[cpu];
    const double ticks = noise_longest(tally);
    const int id = all->task->cpus.ids[cpu];
    enum gap_kind kind = GAP_OTHER;
    for (int k = 0; k < GAP_KINDS; k++)
        if ((double)tally->longest[k] >= ticks)
            kind = (enum gap_kind)k;
    add(all, "noise.longest", "us",
        (struct interval){ticks / all->state->ticks_per_ns / ns_per_us, NAN, NAN},
        pool_printf(all->task->pool, "on CPU %d, in %.3g s of watching: %s", id,
                    total_s / (double)all->cpus, kind_text(all, cpu, kind)))
        ->cpus = pool_printf(all->task->pool, "%d", id);
}

static void add_rate(struct concluding *all, double total_s)
{
    double count = 0, backwards = 0;
    for (size_t i = 0; i < all->cpus; i++) {
        count += (double)count_of(&all->state->tallies[i]);
        backwards += (double)all->state->tallies[i].backwards;
    }
    add(all, "noise.interruptions", "", rate_of(count, total_s), "a second, on each CPU");
    add(all, "noise.clock-steps", "", (struct interval){backwards, NAN, NAN},
        backwards > 0
            ? "times the processor's counter went back: time on this machine can't be trusted"
            : "the processor's counter never went back");
}

/* The rate of one source of interrupts. */
struct named_rate {
    const char *name;
    double rate;
};

static int by_rate(const void *a, const void *b)
{
    const struct named_rate *x = a, *y = b;
    return (x->rate < y->rate) - (x->rate > y->rate);
}

static void add_sources(struct concluding *all, const char *what,
                        const struct interruption_sources *after,
                        const struct interruption_sources *before)
{
    struct pool *pool = all->task->pool;
    const char *name = pool_printf(pool, "noise.%s", what);
    if (!after->count || isnan(all->window_s)) {
        add(all, name, "", (struct interval){NAN, NAN, NAN},
            pool_printf(pool, "unknown: this system has no count of %s (/proc/%s)", what, what));
        return;
    }
    struct named_rate *rates = pool_alloc(pool, after->count, sizeof *rates);
    const double seconds = all->window_s * (double)all->cpus;
    double count = 0;
    for (size_t i = 0; i < after->count; i++) {
        double here = 0;
        for (size_t cpu = 0; cpu < all->cpus; cpu++)
            here += growth(&after->list[i], before, i, cpu);
        rates[i] = (struct named_rate){after->list[i].name, here / seconds};
        count += here;
    }
    qsort(rates, after->count, sizeof *rates, by_rate);
    const char *text = pool_printf(pool, "%s a second, on each CPU", what);
    for (size_t i = 0; i < SOURCES_NAMED && i < after->count && rates[i].rate > 0; i++)
        text = pool_printf(pool, "%s%s %s %.3g", text, i ? "," : ":", rates[i].name, rates[i].rate);
    add(all, name, "", rate_of(count, seconds), text);
}

static void add_periods(struct concluding *all, double total_s)
{
    struct pool *pool = all->task->pool;
    struct noise_periods periods;
    noise_find_periods(all->state, all->cpus, pool, &periods);
    if (!periods.count)
        add(all, "noise.period.1", "us", (struct interval){NAN, NAN, NAN},
            pool_printf(pool,
                        "not found: nothing was seen to come regularly in %.3g s of watching; "
                        "--for watches longer, and other threads hide what comes while they run",
                        total_s / (double)all->cpus));
    for (size_t i = 0; i < periods.count; i++) {
        const struct noise_period *period = &periods.list[i];
        add(all, pool_printf(pool, "noise.period.%zu", i + 1), "us",
            (struct interval){period->every_ns / ns_per_us, period->low_ns / ns_per_us,
                              period->high_ns / ns_per_us},
            pool_printf(pool, "%.4g times a second, %.4g us each, %.2g %% of the time: %s",
                        1e9 / period->every_ns, period->each_ns * 1e-3, 100 * period->share,
                        period->kind == GAP_THREADS ? "another thread runs"
                        : period->kind == GAP_FAULTS
                            ? "page faults"
                            : "an interrupt, such as a timer's, or the host"))
            ->cpus = list_cpus(all, period->on);
    }
}

/* The quietest CPUs: those with a share that can't be distinguished from the least. */
static void add_quietest(struct concluding *all)
{
    struct pool *pool = all->task->pool;
    bool *on = pool_alloc(pool, all->cpus, sizeof *on);
    struct interval least = {NAN, NAN, NAN};
    size_t count = 0;
    for (size_t i = 0; i < all->cpus; i++)
        if (!(all->shares[i].value >= least.value) && !isnan(all->shares[i].value))
            least = all->shares[i];
    for (size_t i = 0; i < all->cpus; i++) {
        on[i] = all->shares[i].value <= least.value || all->shares[i].low <= least.high;
        count += on[i];
    }
    const char *cpus = list_cpus(all, on);
    add(all, "noise.quietest", "%", least,
        count == all->cpus && count > 1
            ? pool_printf(pool, "of the time; none of %zu CPUs is quieter than the others", count)
            : pool_printf(pool, "of the time is taken on the quietest: --cpus %s", cpus))
        ->cpus = cpus;
}

/* --- all of it --- */

void noise_conclude(struct probe_task *task)
{
    struct concluding all = {.task = task, .state = task->state, .cpus = task->cpus.count};
    unsigned windows = 0;
    double total_s = 0;
    for (size_t i = 0; i < all.cpus; i++) {
        const struct noise_tally *tally = &all.state->tallies[i];
        windows = tally->windows > windows ? tally->windows : windows;
        total_s += noise_ticks(tally, WATCHED) / all.state->ticks_per_ns * 1e-9;
    }
    if (!windows) /* nothing was measured; the points have the reason */
        return;
    /* Context switches, stops and stolen time are what this probe measures, so they raise no
     * doubt. */
    for (size_t i = 0; i < task->plan.series[0].point_count; i++)
        task->plan.series[0].points[i].flags &= FLAG_BIT(FLAG_MODELLED);
    all.parts = pool_alloc(task->pool, windows, sizeof *all.parts);
    all.wholes = pool_alloc(task->pool, windows, sizeof *all.wholes);
    all.lengths = pool_alloc(task->pool, 1, sizeof *all.lengths);
    all.shares = pool_alloc(task->pool, all.cpus, sizeof *all.shares);
    read_system(&all, task->outcome->elapsed_s);
    for (size_t i = 0; i < all.cpus; i++)
        all.shares[i] = share_of(&all, i, CAUSES);
    add_all_series(&all, total_s);
    task->result->series = task->plan.series;
    task->result->series_count = task->plan.series_count;
    add_shares(&all);
    add_longest(&all, total_s);
    struct pool *pool = all.task->pool;
    double longest_us;
    const struct histogram *lengths = lengths_of(&all, 0, all.cpus, &longest_us);
    const uint64_t count = histogram_count(lengths, 0);
    for (size_t q = 0; q < QUANTILES && count; q++) {
        const double p = quantiles[q].p;
        const char *name = quantiles[q].name;
        add(&all, pool_printf(pool, "noise.length.%s", name), "us",
            quantile_of(&all, lengths, longest_us, p),
            (double)count * (1 - p) < 1
                ? pool_printf(pool,
                              "the longest of %llu: fewer than the %.0f that %s takes; --for "
                              "watches longer",
                              (unsigned long long)count, round(1 / (1 - p)), name)
                : pool_printf(pool, "%g %% of %llu interruptions were no longer", 100 * p,
                              (unsigned long long)count));
    }
    add_rate(&all, total_s);
    add_sources(&all, "interrupts", &all.after.interrupts, &all.state->before.interrupts);
    add_sources(&all, "softirqs", &all.after.softirqs, &all.state->before.softirqs);
    add_periods(&all, total_s);
    add_quietest(&all);
}
