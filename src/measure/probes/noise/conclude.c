/* What the tallies of all CPUs come to: series by CPU, and findings of all CPUs together. */
#include "measure/probes/noise/conclude.h"
#include "document/flag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct noise_quantile noise_quantiles[NOISE_QUANTILES] = {
    {0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}, {0.9999, "p99.99"}};

/* --- what the system counted meanwhile --- */

double noise_source_growth(const struct interruption_source *after,
                           const struct interruption_sources *before, size_t index, size_t cpu)
{
    const struct interruption_source *then = index < before->count ? &before->list[index] : NULL;
    /* Lines come and go with their devices. */
    const bool same = then && strcmp(then->name, after->name) == 0;
    const uint64_t was = same ? then->counts[cpu] : after->counts[cpu];
    return after->counts[cpu] > was ? (double)(after->counts[cpu] - was) : 0;
}

static double growth_of_cpu(const struct interruption_sources *after,
                            const struct interruption_sources *before, size_t cpu)
{
    double sum = 0;
    for (size_t i = 0; i < after->count; i++)
        sum += noise_source_growth(&after->list[i], before, i, cpu);
    return after->count ? sum : NAN;
}

static int read_system(struct concluding *all, double elapsed_s)
{
    struct probe_task *task = all->task;
    const struct noise_state *state = all->state;
    const size_t ids = noise_ids(task);
    uint64_t *stolen = pool_alloc(task->pool, ids, sizeof *stolen);
    all->causes = pool_alloc(task->pool, all->cpus, sizeof *all->causes);
    if (!stolen || !all->causes)
        return ERROR_SYSTEM;
    const bool known = state->counted && task->machine->live && state->stolen_before;
    all->window_s = elapsed_s - state->counted_at_s;
    if (!known || !(all->window_s > 0.1))
        all->window_s = NAN;
    if (known) {
        if (interruptions_read(&all->after, NULL, &task->cpus, task->pool, NULL) < 0)
            return ERROR_SYSTEM;
        all->counts_stolen = os_stolen_ns(stolen, ids) && !isnan(all->window_s);
    }
    all->counts_interrupts = all->after.interrupts.count && !isnan(all->window_s);
    for (size_t i = 0; i < all->cpus; i++) {
        struct noise_causes *causes = &all->causes[i];
        const int id = task->cpus.ids[i];
        causes->interrupts =
            growth_of_cpu(&all->after.interrupts, &state->before.interrupts, i) / all->window_s;
        causes->softirqs =
            growth_of_cpu(&all->after.softirqs, &state->before.softirqs, i) / all->window_s;
        causes->stolen =
            all->counts_stolen && stolen[id] > state->stolen_before[id]
                ? (double)(stolen[id] - state->stolen_before[id]) * 1e-9 / all->window_s
                : 0;
        noise_attribute(&state->tallies[i], state->ticks_per_ns, causes);
    }
    return 0;
}

const char *noise_unknown(const struct concluding *all, enum noise_cause cause)
{
    if (cause == CAUSE_INTERRUPTS && !all->counts_interrupts)
        return "unknown: this system has no count of interrupts (/proc/interrupts), so what they "
               "took stands in noise.share.unexplained; measure outside the container or sandbox";
    if (cause == CAUSE_STOLEN && !all->counts_stolen)
        return "unknown: this system has no count of stolen time (/proc/stat), so it stands in "
               "noise.share.unexplained; ask the host, or measure outside the container";
    return NULL;
}

/* --- shares --- */

/* Of GAP_OTHER, the part that is put down to that cause. */
static double part_of(const struct concluding *all, size_t cpu, enum noise_cause cause,
                      enum gap_kind *kind)
{
    *kind = cause == CAUSE_THREADS ? GAP_THREADS : cause == CAUSE_FAULTS ? GAP_FAULTS : GAP_OTHER;
    return *kind == GAP_OTHER ? all->causes[cpu].share_of_others[cause] : 1;
}

/* Adds a trial's ticks on one CPU that went to that cause, or, with CAUSES, to any. */
static double lost_in(const struct concluding *all, size_t cpu, unsigned trial,
                      enum noise_cause cause)
{
    const struct noise_tally *tally = &all->state->tallies[cpu];
    double lost = 0;
    if (cause < CAUSES) {
        enum gap_kind kind;
        const double part = part_of(all, cpu, cause, &kind);
        return part * tally->lost[kind][trial];
    }
    for (int kind = 0; kind < GAP_KINDS; kind++)
        lost += tally->lost[kind][trial];
    return lost;
}

/* Of one CPU, or of all together where `cpu` is their number. */
struct ratio noise_share(const struct concluding *all, size_t cpu, enum noise_cause cause)
{
    const bool one = cpu < all->cpus;
    unsigned n = 0;
    for (size_t i = one ? cpu : 0; i < (one ? cpu + 1 : all->cpus); i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        for (unsigned trial = 0; trial < tally->windows; trial++) {
            if (trial == n) {
                all->parts[n] = all->wholes[n] = 0;
                n++;
            }
            all->parts[trial] += lost_in(all, i, trial, cause);
            all->wholes[trial] += tally->watched[trial];
        }
    }
    struct ratio ratio = ratio_of_sums(all->parts, all->wholes, n);
    return (struct ratio){100 * ratio.value, 100 * ratio.low, 100 * fmin(1, ratio.high)};
}

/* --- series --- */

static struct series *add_series(struct concluding *all, const char *shows, const char *of,
                                 const char *unit, bool headline)
{
    struct probe_task *task = all->task;
    struct series *series = pool_append(task->pool, (void **)&task->plan.series,
                                        &task->plan.series_count, sizeof *series);
    struct factor *factors = pool_alloc(task->pool, 2, sizeof *factors);
    if (!series || !factors)
        return NULL;
    factors[0] = (struct factor){"shows", shows, 0};
    factors[1] = (struct factor){"of", of, 0};
    *series = (struct series){.name = "noise",
                              .factors = factors,
                              .factor_count = of ? 2 : 1,
                              .headline = headline && task->named,
                              .x = {"cpu", ""},
                              .y = {shows, unit}};
    return series;
}

static int add_point(struct concluding *all, struct series *series, size_t cpu, double value,
                     double low, double high, unsigned n)
{
    struct point *point =
        pool_append(all->task->pool, (void **)&series->points, &series->point_count, sizeof *point);
    if (!point)
        return ERROR_SYSTEM;
    const bool bounded = isfinite(low) && isfinite(high);
    const float middle = (float)value;
    const float least = bounded ? (float)low : middle, most = bounded ? (float)high : middle;
    *point = (struct point){.x = all->task->cpus.ids[cpu],
                            .cycles = {NAN, NAN, NAN},
                            .scatter = {NAN, NAN, NAN},
                            .y = {.median = middle,
                                  .low = bounded ? least : NAN,
                                  .high = bounded ? most : NAN,
                                  .coverage = bounded ? 0.95f : 0,
                                  .min = least,
                                  .p10 = least,
                                  .p25 = least,
                                  .p75 = most,
                                  .p90 = most,
                                  .max = most,
                                  .n = n}};
    return 0;
}

static int add_share_series(struct concluding *all, enum noise_cause cause)
{
    const bool any = cause == CAUSES;
    struct series *series =
        add_series(all, "share", any ? NULL : noise_cause_names[cause], "%", any);
    int code = series ? 0 : ERROR_SYSTEM;
    for (size_t i = 0; i < all->cpus && code == 0; i++) {
        const struct ratio share = noise_share(all, i, cause);
        const unsigned windows = all->state->tallies[i].windows;
        if (windows)
            code = add_point(all, series, i, share.value, share.low, share.high, windows);
    }
    return code;
}

static unsigned capped(uint64_t count)
{
    return count < 1000000000 ? (unsigned)count : 1000000000;
}

void noise_merge_lengths(const struct noise_tally *tally, struct histogram *into)
{
    for (int kind = 0; kind < GAP_KINDS; kind++)
        histogram_merge(into, &tally->lengths[kind]);
}

double noise_longest_ticks(const struct noise_tally *tally)
{
    uint64_t longest = 0;
    for (int kind = 0; kind < GAP_KINDS; kind++)
        longest = tally->longest[kind] > longest ? tally->longest[kind] : longest;
    return (double)longest;
}

struct quantile_found noise_quantile(const struct histogram *lengths, double longest_ticks,
                                     double p)
{
    struct quantile_found found = histogram_quantile(lengths, 0, p);
    if ((double)histogram_count(lengths, 0) * (1 - p) < 1)
        return (struct quantile_found){longest_ticks, NAN, NAN};
    found.value = fmin(found.value, longest_ticks);
    found.high = isnan(found.high) ? NAN : fmin(found.high, longest_ticks);
    found.low = isnan(found.low) ? NAN : fmin(found.low, longest_ticks);
    return found;
}

static int add_length_series(struct concluding *all, size_t which)
{
    struct histogram *lengths = all->lengths;
    const double scale = all->state->ticks_per_ns * noise_ns_per_us;
    struct series *series =
        add_series(all, "length", which < NOISE_QUANTILES ? noise_quantiles[which].name : "longest",
                   "us", which == NOISE_QUANTILES);
    int code = series ? 0 : ERROR_SYSTEM;
    for (size_t i = 0; i < all->cpus && code == 0; i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        const uint64_t count = noise_count(tally);
        if (!count)
            continue;
        struct quantile_found found = {noise_longest_ticks(tally), NAN, NAN};
        if (which < NOISE_QUANTILES) {
            memset(lengths, 0, sizeof *lengths);
            noise_merge_lengths(tally, lengths);
            found = noise_quantile(lengths, found.value, noise_quantiles[which].p);
        }
        if (!isnan(found.value))
            code = add_point(all, series, i, found.value / scale, found.low / scale,
                             found.high / scale, capped(count));
    }
    return code;
}

static int add_rate_series(struct concluding *all)
{
    struct series *series = add_series(all, "interruptions a second", NULL, "", false);
    int code = series ? 0 : ERROR_SYSTEM;
    for (size_t i = 0; i < all->cpus && code == 0; i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        const double s = noise_watched(tally) / all->state->ticks_per_ns * 1e-9;
        const double count = (double)noise_count(tally), off = 1.96 * sqrt(count);
        if (s > 0)
            code = add_point(all, series, i, count / s, fmax(0, count - off) / s, (count + off) / s,
                             capped(noise_count(tally)));
    }
    return code;
}

static int add_all_series(struct concluding *all)
{
    int code = add_share_series(all, CAUSES);
    for (int cause = 0; cause < CAUSES && code == 0; cause++)
        if (!noise_unknown(all, (enum noise_cause)cause))
            code = add_share_series(all, (enum noise_cause)cause);
    for (size_t which = 0; which <= NOISE_QUANTILES && code == 0; which++)
        code = add_length_series(all, which);
    return code == 0 ? add_rate_series(all) : code;
}

/* --- all of it --- */

/* A switch, a stop or stolen time is what was measured here, and spoils nothing. */
static void clear_flags(struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        series->points[i].flags &= FLAG_BIT(FLAG_MODELLED);
}

void noise_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    struct concluding all = {.task = task, .state = task->state, .cpus = task->cpus.count};
    unsigned windows = 0;
    for (size_t i = 0; i < all.cpus; i++)
        windows = all.state->tallies[i].windows > windows ? all.state->tallies[i].windows : windows;
    if (!windows) /* nothing was measured, and the points say why */
        return (void)pool_check(task->pool, 0);
    clear_flags(&task->plan.series[0]);
    all.lengths = calloc(1, sizeof *all.lengths);
    all.parts = calloc(windows, sizeof *all.parts);
    all.wholes = calloc(windows, sizeof *all.wholes);
    int code = all.lengths && all.parts && all.wholes ? read_system(&all, outcome->elapsed_s)
                                                      : ERROR_SYSTEM;
    if (code == 0)
        code = add_all_series(&all);
    task->result->series = task->plan.series;
    task->result->series_count = task->plan.series_count;
    if (code == 0)
        code = noise_add_findings(&all);
    free(all.lengths);
    free(all.parts);
    free(all.wholes);
    return (void)pool_check(task->pool, code < 0 ? error_out_of_memory(error) : 0);
}

/* The series are by CPU, and single interruptions are in none of them. */
void noise_analyse(struct analysis *analysis)
{
    return (void)pool_check(analysis->pool,
                            (analysis_keep(analysis, "noise.*, noise.*.*, noise.*.*.*",
                                           "single interruptions are in no series"),
                             0));
}
