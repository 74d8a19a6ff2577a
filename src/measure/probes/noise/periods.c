/*
 * Periods of interruptions: searched separately for each CPU, kind and range of lengths, because a
 * tick and a daemon mixed together show no period.
 */
#include "measure/probes/noise/noise.h"

#include "base/sort.h"
#include "stats/order.h"
#include "stats/series.h"

#include <math.h>
#include <stdlib.h>

/* Lengths that differ by less than length_range may have one cause; the ranges overlap. */
static const double length_range = 2.5, length_step = 1.5;
/* Periods that differ by a smaller share are the same. */
static const double same_period = 0.02;
/* A period and its multiple have different causes only if the lengths differ by this factor times
 * length_range. */
static const double longer = 2;

struct search {
    const struct noise_state *state;
    struct pool *pool;
    size_t cpus;
    struct noise_periods *found;
    double *times, *lengths; /* [EVENTS_MOST] */
    double *scratch;         /* twice as many */
};

static bool is_same(const struct noise_period *a, const struct noise_period *b)
{
    const double times = round(fmax(a->every_ns, b->every_ns) / fmin(a->every_ns, b->every_ns));
    const bool alike_long =
        fmax(a->each_ns, b->each_ns) < longer * length_range * fmin(a->each_ns, b->each_ns);
    const double off =
        fabs(fmax(a->every_ns, b->every_ns) / (times * fmin(a->every_ns, b->every_ns)) - 1);
    return a->kind == b->kind && off < same_period && alike_long;
}

/* Adds the other period's CPUs to the kept one, and takes its values if they come from more
 * events. */
static void merge(struct noise_period *kept, struct noise_period other, size_t cpus)
{
    for (size_t cpu = 0; cpu < cpus; cpu++)
        kept->on[cpu] = kept->on[cpu] || other.on[cpu];
    other.on = kept->on;
    if (other.events > kept->events)
        *kept = other;
}

static void look(const struct search *search, size_t cpu, const struct noise_event *events,
                 size_t n, enum gap_kind kind, double least, double most)
{
    const double scale = search->state->ticks_per_ns;
    size_t count = 0;
    double sum = 0;
    struct period period;
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == kind && events[i].ticks >= least && events[i].ticks < most) {
            search->times[count] = events[i].at / scale;
            sum += search->lengths[count++] = events[i].ticks / scale;
        }
    if (!period_find(search->times, count, search->scratch, &period))
        return;
    sort_ascending(search->lengths, count);
    bool *on = pool_alloc(search->pool, search->cpus, sizeof *on);
    on[cpu] = true;
    const struct noise_period found = {.every_ns = period.value,
                                       .low_ns = period.low,
                                       .high_ns = period.high,
                                       .each_ns = median(search->lengths, count),
                                       .share = sum / (double)count / period.value,
                                       .kind = kind,
                                       .on = on,
                                       .events = count};
    struct noise_periods *periods = search->found;
    size_t i = 0;
    while (i < periods->count && !is_same(&periods->list[i], &found))
        i++;
    if (i < periods->count)
        merge(&periods->list[i], found, search->cpus);
    else if (i < PERIODS_MOST)
        periods->list[periods->count++] = found;
}

static int by_share(const void *a, const void *b)
{
    const struct noise_period *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

void noise_find_periods(const struct noise_state *state, size_t cpus, struct pool *pool,
                        struct noise_periods *found)
{
    const struct search search = {.state = state,
                                  .pool = pool,
                                  .cpus = cpus,
                                  .found = found,
                                  .times = pool_alloc(pool, EVENTS_MOST, sizeof *search.times),
                                  .scratch = pool_alloc(pool, 2 * EVENTS_MOST, sizeof(double)),
                                  .lengths = pool_alloc(pool, EVENTS_MOST, sizeof *search.lengths)};
    *found = (struct noise_periods){0};
    for (size_t cpu = 0; cpu < cpus; cpu++) {
        const struct noise_tally *tally = &search.state->tallies[cpu];
        for (int length = EVENT_LENGTHS - 1; length >= 0; length--) {
            struct noise_event *events = tally->events[length];
            const size_t n = tally->event_counts[length];
            double least = INFINITY, most = 0;
            if (n)
                qsort(events, n, sizeof *events, by_number);
            for (size_t i = 0; i < n; i++) {
                least = fmin(least, events[i].ticks);
                most = fmax(most, events[i].ticks);
            }
            for (int kind = 0; kind < GAP_KINDS; kind++)
                for (double from = least; from <= most; from *= length_step)
                    look(&search, cpu, events, n, (enum gap_kind)kind, from, from * length_range);
        }
    }
    /* A merge may have changed a period so that it now equals another one; merges these too. */
    for (size_t i = 0; i < found->count; i++)
        for (size_t j = found->count; --j > i;)
            if (is_same(&found->list[i], &found->list[j])) {
                merge(&found->list[i], found->list[j], cpus);
                found->list[j] = found->list[--found->count];
            }
    qsort(found->list, found->count, sizeof *found->list, by_share);
    pool_give_back(pool, search.times);
    pool_give_back(pool, search.scratch);
    pool_give_back(pool, search.lengths);
}
