/* What the tallies of all CPUs come to: series by CPU, and findings of all CPUs together. */
#include "findings/finding.h"
#include "probes/noise/noise.h"
#include "result/flag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ns_per_us = 1e3;
static const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
static const char *const quantile_names[] = {"p50", "p90", "p99", "p99.9", "p99.99"};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles, SOURCES_NAMED = 3, CPUS_TEXT = 256 };

struct concluding {
    struct probe_task *task;
    const struct noise_state *state;
    size_t cpus;
    struct noise_causes *causes; /* one for each CPU */
    struct interruptions after;
    double window_s; /* between the two readings of the system's counts; NAN: they tell nothing */
    double *parts, *wholes; /* [trials_max], scratch */
};

/* --- what the system counted meanwhile --- */

static double source_growth(const struct interruption_source *after,
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
        sum += source_growth(&after->list[i], before, i, cpu);
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
    const bool told = state->counted && task->machine->live && state->stolen_before;
    all->window_s = elapsed_s - state->counted_at_s;
    if (!told || !(all->window_s > 0.1))
        all->window_s = NAN;
    if (told) {
        if (interruptions_read(&all->after, NULL, &task->cpus, task->pool, NULL) < 0)
            return ERROR_SYSTEM;
        os_stolen_ns(stolen, ids);
    }
    for (size_t i = 0; i < all->cpus; i++) {
        struct noise_causes *causes = &all->causes[i];
        const int id = task->cpus.ids[i];
        causes->interrupts =
            growth_of_cpu(&all->after.interrupts, &state->before.interrupts, i) / all->window_s;
        causes->softirqs =
            growth_of_cpu(&all->after.softirqs, &state->before.softirqs, i) / all->window_s;
        causes->stolen =
            told && !isnan(all->window_s) && stolen[id] > state->stolen_before[id]
                ? (double)(stolen[id] - state->stolen_before[id]) * 1e-9 / all->window_s
                : 0;
        noise_attribute(&state->tallies[i], state->ticks_per_ns, causes);
    }
    return 0;
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
static struct ratio share_of(const struct concluding *all, size_t cpu, enum noise_cause cause)
{
    const bool one = cpu < all->cpus;
    unsigned n = 0;
    for (size_t i = one ? cpu : 0; i < (one ? cpu + 1 : all->cpus); i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        for (unsigned trial = 0; trial < tally->trials; trial++) {
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
                              .headline = headline,
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
        const struct ratio share = share_of(all, i, cause);
        const unsigned trials = all->state->tallies[i].trials;
        if (trials)
            code = add_point(all, series, i, share.value, share.low, share.high, trials);
    }
    return code;
}

static unsigned capped(uint64_t count)
{
    return count < 1000000000 ? (unsigned)count : 1000000000;
}

static void merge_lengths(const struct noise_tally *tally, struct histogram *into)
{
    for (int kind = 0; kind < GAP_KINDS; kind++)
        histogram_merge(into, &tally->lengths[kind]);
}

static double longest_ticks(const struct noise_tally *tally)
{
    uint64_t longest = 0;
    for (int kind = 0; kind < GAP_KINDS; kind++)
        longest = tally->longest[kind] > longest ? tally->longest[kind] : longest;
    return (double)longest;
}

static int add_length_series(struct concluding *all, struct histogram *lengths, size_t which)
{
    const double scale = all->state->ticks_per_ns * ns_per_us;
    struct series *series =
        add_series(all, "length", which < QUANTILES ? quantile_names[which] : "longest", "us",
                   which == QUANTILES);
    int code = series ? 0 : ERROR_SYSTEM;
    for (size_t i = 0; i < all->cpus && code == 0; i++) {
        const struct noise_tally *tally = &all->state->tallies[i];
        const uint64_t count = noise_count(tally);
        if (!count)
            continue;
        struct quantile_found found = {longest_ticks(tally), NAN, NAN};
        if (which < QUANTILES) {
            memset(lengths, 0, sizeof *lengths);
            merge_lengths(tally, lengths);
            found = histogram_quantile(lengths, 0, quantiles[which]);
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

static int add_all_series(struct concluding *all, struct histogram *lengths)
{
    int code = add_share_series(all, CAUSES);
    for (int cause = 0; cause < CAUSES && code == 0; cause++)
        code = add_share_series(all, (enum noise_cause)cause);
    for (size_t which = 0; which <= QUANTILES && code == 0; which++)
        code = add_length_series(all, lengths, which);
    return code == 0 ? add_rate_series(all) : code;
}

/* --- findings --- */

static struct finding *add_finding(struct concluding *all, const char *name, const char *unit,
                                   double value, double low, double high)
{
    const bool bounded = isfinite(low) && isfinite(high);
    return finding_add_value(all->task->result, all->task->pool, name, unit, value,
                             bounded ? low : NAN, bounded ? high : NAN, 0);
}

static const char *list_cpus(const struct concluding *all, const bool *on)
{
    struct cpulist list = {0};
    char text[CPUS_TEXT];
    for (size_t i = 0; i < all->cpus; i++)
        if ((!on || on[i]) && cpulist_add(&list, all->task->cpus.ids[i]) < 0)
            break;
    cpulist_format(&list, text, sizeof text);
    cpulist_free(&list);
    return pool_strdup(all->task->pool, text);
}

static size_t worst_cpu(const struct concluding *all)
{
    size_t worst = 0;
    double most = -1;
    for (size_t i = 0; i < all->cpus; i++) {
        const double share = share_of(all, i, CAUSES).value;
        if (share > most) {
            most = share;
            worst = i;
        }
    }
    return worst;
}

static double watched_s(const struct concluding *all)
{
    double ticks = 0;
    for (size_t i = 0; i < all->cpus; i++)
        ticks += noise_watched(&all->state->tallies[i]);
    return ticks / all->state->ticks_per_ns * 1e-9;
}

static int add_shares(struct concluding *all)
{
    static const char *const says[CAUSES] = {
        [CAUSE_THREADS] = "other threads ran, by this thread's own context switches",
        [CAUSE_FAULTS] = "page faults of memory that had been touched: the kernel moves pages",
        [CAUSE_INTERRUPTS] = "interrupts and the softirqs behind them, by how many there were",
        [CAUSE_STOLEN] = "a hypervisor says that it took the CPU",
        [CAUSE_UNEXPLAINED] = "nothing that the system tells of: firmware, or the host",
    };
    struct pool *pool = all->task->pool;
    const struct ratio share = share_of(all, all->cpus, CAUSES);
    const size_t worst = worst_cpu(all);
    struct finding *finding =
        add_finding(all, "noise.share", "%", share.value, share.low, share.high);
    if (!finding)
        return ERROR_SYSTEM;
    finding->cpus = list_cpus(all, NULL);
    finding->text =
        all->cpus > 1
            ? pool_printf(pool,
                          "of the time of %zu CPUs was taken from a program that never "
                          "stops; most on CPU %d, %.3g %%",
                          all->cpus, all->task->cpus.ids[worst], share_of(all, worst, CAUSES).value)
            : pool_strdup(pool, "of the time was taken from a program that never "
                                "stops");
    if (!finding->text || !finding->cpus)
        return ERROR_SYSTEM;
    for (int cause = 0; cause < CAUSES; cause++) {
        const struct ratio part = share_of(all, all->cpus, (enum noise_cause)cause);
        finding = add_finding(all, pool_printf(pool, "noise.share.%s", noise_cause_names[cause]),
                              "%", part.value, part.low, part.high);
        if (!finding)
            return ERROR_SYSTEM;
        finding->text = says[cause];
    }
    return 0;
}

static int add_lengths(struct concluding *all, struct histogram *lengths)
{
    struct pool *pool = all->task->pool;
    const double scale = all->state->ticks_per_ns * ns_per_us;
    memset(lengths, 0, sizeof *lengths);
    for (size_t i = 0; i < all->cpus; i++)
        merge_lengths(&all->state->tallies[i], lengths);
    const uint64_t count = histogram_count(lengths, 0);
    for (size_t q = 0; q < QUANTILES && count; q++) {
        const struct quantile_found found = histogram_quantile(lengths, 0, quantiles[q]);
        const char *name = pool_printf(pool, "noise.length.%s", quantile_names[q]);
        struct finding *finding = add_finding(all, name, "us", found.value / scale,
                                              found.low / scale, found.high / scale);
        if (!finding)
            return ERROR_SYSTEM;
        if ((double)count * (1 - quantiles[q]) < 1)
            finding->text = pool_printf(
                pool,
                "the longest of %llu: fewer than the %.0f that %s takes; --for watches longer",
                (unsigned long long)count, round(1 / (1 - quantiles[q])), quantile_names[q]);
        else
            finding->text = pool_printf(pool, "%g %% of %llu interruptions were no longer",
                                        100 * quantiles[q], (unsigned long long)count);
        if (!finding->text)
            return ERROR_SYSTEM;
    }
    return 0;
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

static int add_longest(struct concluding *all)
{
    size_t cpu = 0;
    for (size_t i = 1; i < all->cpus; i++)
        if (longest_ticks(&all->state->tallies[i]) > longest_ticks(&all->state->tallies[cpu]))
            cpu = i;
    const struct noise_tally *tally = &all->state->tallies[cpu];
    const double ticks = longest_ticks(tally);
    enum gap_kind kind = GAP_OTHER;
    for (int k = 0; k < GAP_KINDS; k++)
        if ((double)tally->longest[k] >= ticks)
            kind = (enum gap_kind)k;
    struct finding *finding = add_finding(all, "noise.longest", "us",
                                          ticks / all->state->ticks_per_ns / ns_per_us, NAN, NAN);
    if (!finding)
        return ERROR_SYSTEM;
    finding->cpus = pool_printf(all->task->pool, "%d", all->task->cpus.ids[cpu]);
    finding->text = pool_printf(all->task->pool, "on CPU %d, in %.3g s of watching: %s",
                                all->task->cpus.ids[cpu], watched_s(all) / (double)all->cpus,
                                kind_text(all, cpu, kind));
    return finding->cpus && finding->text ? 0 : ERROR_SYSTEM;
}

static int add_rate(struct concluding *all)
{
    double count = 0;
    uint64_t backwards = 0;
    for (size_t i = 0; i < all->cpus; i++) {
        count += (double)noise_count(&all->state->tallies[i]);
        backwards += all->state->tallies[i].backwards;
    }
    const double s = watched_s(all), off = 1.96 * sqrt(count);
    struct finding *finding = add_finding(all, "noise.interruptions", "", count / s,
                                          fmax(0, count - off) / s, (count + off) / s);
    struct finding *steps =
        finding ? add_finding(all, "noise.clock-steps", "", (double)backwards, NAN, NAN) : NULL;
    if (!finding || !steps)
        return ERROR_SYSTEM;
    finding->text = "a second, on each CPU";
    steps->text = backwards ? "times the processor's counter went back: time on this machine can't "
                              "be trusted"
                            : "the processor's counter never went back";
    return 0;
}

/* --- what the system counts, by name --- */

struct named_rate {
    const char *name;
    double rate;
};

static int by_rate(const void *a, const void *b)
{
    const struct named_rate *x = a, *y = b;
    return (x->rate < y->rate) - (x->rate > y->rate);
}

static int add_sources(struct concluding *all, const char *name, const char *what,
                       const struct interruption_sources *after,
                       const struct interruption_sources *before)
{
    struct pool *pool = all->task->pool;
    if (!after->count || isnan(all->window_s))
        return 0;
    struct named_rate *rates = calloc(after->count, sizeof *rates);
    double sum = 0;
    if (!rates)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < after->count; i++) {
        rates[i].name = after->list[i].name;
        for (size_t cpu = 0; cpu < all->cpus; cpu++)
            rates[i].rate +=
                source_growth(&after->list[i], before, i, cpu) / all->window_s / (double)all->cpus;
        sum += rates[i].rate;
    }
    qsort(rates, after->count, sizeof *rates, by_rate);
    const double n = sum * all->window_s * (double)all->cpus, off = sum * 1.96 / sqrt(fmax(n, 1));
    struct finding *finding = add_finding(all, name, "", sum, fmax(0, sum - off), sum + off);
    const char *text = pool_printf(pool, "%s a second, on each CPU", what);
    for (size_t i = 0; i < SOURCES_NAMED && i < after->count && text && rates[i].rate > 0; i++)
        text = pool_printf(pool, "%s%s %s %.3g", text, i ? "," : ":", rates[i].name, rates[i].rate);
    free(rates);
    if (!finding || !text)
        return ERROR_SYSTEM;
    finding->text = text;
    return 0;
}

/* --- periods --- */

static int add_periods(struct concluding *all)
{
    struct pool *pool = all->task->pool;
    struct noise_periods periods;
    if (noise_find_periods(all->state, all->cpus, pool, &periods) < 0)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < periods.count; i++) {
        const struct noise_period *period = &periods.list[i];
        struct finding *finding = add_finding(
            all, pool_printf(pool, "noise.period.%zu", i + 1), "us", period->every_ns / ns_per_us,
            period->low_ns / ns_per_us, period->high_ns / ns_per_us);
        if (!finding)
            return ERROR_SYSTEM;
        finding->cpus = list_cpus(all, period->on);
        finding->text =
            pool_printf(pool, "%.4g times a second, %.3g us each, %.2g %% of the time: %s",
                        1e9 / period->every_ns, period->each_ns * 1e-3, 100 * period->share,
                        period->kind == GAP_THREADS  ? "another thread runs"
                        : period->kind == GAP_FAULTS ? "page faults"
                                                     : "an interrupt, as of a timer, or the host");
        if (!finding->cpus || !finding->text)
            return ERROR_SYSTEM;
    }
    return 0;
}

/* --- the quietest --- */

/* Those whose share can't be told from the least. */
static int add_quietest(struct concluding *all)
{
    struct pool *pool = all->task->pool;
    bool *on = pool_alloc(pool, all->cpus, sizeof *on);
    struct ratio least = {NAN, NAN, NAN};
    size_t count = 0;
    for (size_t i = 0; i < all->cpus; i++) {
        const struct ratio share = share_of(all, i, CAUSES);
        if (!(share.value >= least.value))
            least = isnan(share.value) ? least : share;
    }
    for (size_t i = 0; on && i < all->cpus; i++) {
        const struct ratio share = share_of(all, i, CAUSES);
        on[i] = share.value <= least.value || share.low <= least.high;
        count += on[i];
    }
    struct finding *finding =
        on ? add_finding(all, "noise.quietest", "%", least.value, least.low, least.high) : NULL;
    if (!finding)
        return ERROR_SYSTEM;
    finding->cpus = list_cpus(all, on);
    if (finding->cpus)
        finding->text =
            count == all->cpus && count > 1
                ? pool_printf(pool, "of the time; none of %zu CPUs is quieter than the others",
                              count)
                : pool_printf(pool, "of the time is taken on the quietest: --cpus %s",
                              finding->cpus);
    return finding->cpus && finding->text ? 0 : ERROR_SYSTEM;
}

static int add_findings(struct concluding *all, struct histogram *lengths)
{
    int code = add_shares(all);
    if (code == 0)
        code = add_longest(all);
    if (code == 0)
        code = add_lengths(all, lengths);
    if (code == 0)
        code = add_rate(all);
    if (code == 0)
        code = add_sources(all, "noise.interrupts", "interrupts", &all->after.interrupts,
                           &all->state->before.interrupts);
    if (code == 0)
        code = add_sources(all, "noise.softirqs", "softirqs", &all->after.softirqs,
                           &all->state->before.softirqs);
    if (code == 0)
        code = add_periods(all);
    return code == 0 ? add_quietest(all) : code;
}

/* --- all of it --- */

/* A switch, a stop or stolen time is what was measured here, and spoils nothing. */
static void clear_flags(struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        series->points[i].flags &= FLAG_BIT(FLAG_MODELLED);
}

int noise_conclude(struct probe_task *task, const struct stage_outcome *outcome,
                   struct error *error)
{
    struct concluding all = {.task = task, .state = task->state, .cpus = task->cpus.count};
    struct histogram *lengths = NULL;
    unsigned trials = 0;
    for (size_t i = 0; i < all.cpus; i++)
        trials = all.state->tallies[i].trials > trials ? all.state->tallies[i].trials : trials;
    if (!trials) /* nothing was measured, and the points say why */
        return 0;
    clear_flags(&task->plan.series[0]);
    lengths = calloc(1, sizeof *lengths);
    all.parts = calloc(trials, sizeof *all.parts);
    all.wholes = calloc(trials, sizeof *all.wholes);
    int code =
        lengths && all.parts && all.wholes ? read_system(&all, outcome->elapsed_s) : ERROR_SYSTEM;
    if (code == 0)
        code = add_all_series(&all, lengths);
    task->result->series = task->plan.series;
    task->result->series_count = task->plan.series_count;
    if (code == 0)
        code = add_findings(&all, lengths);
    free(lengths);
    free(all.parts);
    free(all.wholes);
    return code < 0 ? error_out_of_memory(error) : 0;
}
