/* What all CPUs together come to. */
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "measure/probes/noise/conclude.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_NAMED = 3, CPUS_TEXT = 256 };

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
        const double share = noise_share(all, i, CAUSES).value;
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
        [CAUSE_STOLEN] = "taken by the hypervisor, as it reports",
        [CAUSE_UNEXPLAINED] = "no cause known to the system: firmware, or the host",
    };
    struct pool *pool = all->task->pool;
    const struct ratio share = noise_share(all, all->cpus, CAUSES);
    const size_t worst = worst_cpu(all);
    struct finding *finding =
        add_finding(all, "noise.share", "%", share.value, share.low, share.high);
    if (!finding)
        return ERROR_SYSTEM;
    finding->cpus = list_cpus(all, NULL);
    finding->text = all->cpus > 1
                        ? pool_printf(pool,
                                      "of the time of %zu CPUs was taken from a program that never "
                                      "stops; most on CPU %d, %.3g %%",
                                      all->cpus, all->task->cpus.ids[worst],
                                      noise_share(all, worst, CAUSES).value)
                        : pool_strdup(pool, "of the time was taken from a program that never "
                                            "stops");
    if (!finding->text || !finding->cpus)
        return ERROR_SYSTEM;
    for (int cause = 0; cause < CAUSES; cause++) {
        const struct ratio part = noise_share(all, all->cpus, (enum noise_cause)cause);
        const char *unknown = noise_unknown(all, (enum noise_cause)cause);
        const char *name = pool_printf(pool, "noise.share.%s", noise_cause_names[cause]);
        if (!name)
            return ERROR_SYSTEM;
        finding = unknown ? finding_add(all->task->result, pool, name, "%")
                          : add_finding(all, name, "%", part.value, part.low, part.high);
        if (!finding)
            return ERROR_SYSTEM;
        finding->text = unknown ? unknown : says[cause];
    }
    return 0;
}

static int add_lengths(struct concluding *all)
{
    struct histogram *lengths = all->lengths;
    struct pool *pool = all->task->pool;
    const double scale = all->state->ticks_per_ns * noise_ns_per_us;
    memset(lengths, 0, sizeof *lengths);
    double longest = 0;
    for (size_t i = 0; i < all->cpus; i++) {
        noise_merge_lengths(&all->state->tallies[i], lengths);
        longest = fmax(longest, noise_longest_ticks(&all->state->tallies[i]));
    }
    const uint64_t count = histogram_count(lengths, 0);
    for (size_t q = 0; q < NOISE_QUANTILES && count; q++) {
        const struct quantile_found found = noise_quantile(lengths, longest, noise_quantiles[q].p);
        const char *name = pool_printf(pool, "noise.length.%s", noise_quantiles[q].name);
        struct finding *finding = add_finding(all, name, "us", found.value / scale,
                                              found.low / scale, found.high / scale);
        if (!finding)
            return ERROR_SYSTEM;
        if ((double)count * (1 - noise_quantiles[q].p) < 1)
            finding->text = pool_printf(
                pool,
                "the longest of %llu: fewer than the %.0f that %s takes; --for watches longer",
                (unsigned long long)count, round(1 / (1 - noise_quantiles[q].p)),
                noise_quantiles[q].name);
        else
            finding->text = pool_printf(pool, "%g %% of %llu interruptions were no longer",
                                        100 * noise_quantiles[q].p, (unsigned long long)count);
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
        if (noise_longest_ticks(&all->state->tallies[i]) >
            noise_longest_ticks(&all->state->tallies[cpu]))
            cpu = i;
    const struct noise_tally *tally = &all->state->tallies[cpu];
    const double ticks = noise_longest_ticks(tally);
    enum gap_kind kind = GAP_OTHER;
    for (int k = 0; k < GAP_KINDS; k++)
        if ((double)tally->longest[k] >= ticks)
            kind = (enum gap_kind)k;
    struct finding *finding = add_finding(
        all, "noise.longest", "us", ticks / all->state->ticks_per_ns / noise_ns_per_us, NAN, NAN);
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
    if (!after->count || isnan(all->window_s)) {
        struct finding *none = finding_add(all->task->result, pool, name, "");
        if (!none)
            return ERROR_SYSTEM;
        none->text =
            pool_printf(pool, "unknown: this system has no count of %s (/proc/%s)", what, what);
        return none->text ? 0 : ERROR_SYSTEM;
    }
    struct named_rate *rates = calloc(after->count, sizeof *rates);
    double sum = 0;
    if (!rates)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < after->count; i++) {
        rates[i].name = after->list[i].name;
        for (size_t cpu = 0; cpu < all->cpus; cpu++)
            rates[i].rate += noise_source_growth(&after->list[i], before, i, cpu) / all->window_s /
                             (double)all->cpus;
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
    if (!periods.count) {
        struct finding *none = finding_add(all->task->result, pool, "noise.period.1", "us");
        if (!none)
            return ERROR_SYSTEM;
        none->text =
            pool_printf(pool,
                        "not found: nothing was seen to come regularly in %.3g s of "
                        "watching; --for watches longer, and other threads hide what comes "
                        "while they run",
                        watched_s(all) / (double)all->cpus);
        return none->text ? 0 : ERROR_SYSTEM;
    }
    for (size_t i = 0; i < periods.count; i++) {
        const struct noise_period *period = &periods.list[i];
        struct finding *finding =
            add_finding(all, pool_printf(pool, "noise.period.%zu", i + 1), "us",
                        period->every_ns / noise_ns_per_us, period->low_ns / noise_ns_per_us,
                        period->high_ns / noise_ns_per_us);
        if (!finding)
            return ERROR_SYSTEM;
        finding->cpus = list_cpus(all, period->on);
        finding->text =
            pool_printf(pool, "%.4g times a second, %.4g us each, %.2g %% of the time: %s",
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

/* Those whose share can't be distinguished from the least. */
static int add_quietest(struct concluding *all)
{
    struct pool *pool = all->task->pool;
    bool *on = pool_alloc(pool, all->cpus, sizeof *on);
    struct ratio least = {NAN, NAN, NAN};
    size_t count = 0;
    for (size_t i = 0; i < all->cpus; i++) {
        const struct ratio share = noise_share(all, i, CAUSES);
        if (!(share.value >= least.value))
            least = isnan(share.value) ? least : share;
    }
    for (size_t i = 0; on && i < all->cpus; i++) {
        const struct ratio share = noise_share(all, i, CAUSES);
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

int noise_add_findings(struct concluding *all)
{
    int code = add_shares(all);
    if (code == 0)
        code = add_longest(all);
    if (code == 0)
        code = add_lengths(all);
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
