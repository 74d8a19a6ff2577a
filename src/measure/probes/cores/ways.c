/*
 * Which direction between two cores takes longer. Each side sees by its own counter how old the
 * other's stamp is: from i to j that is way(i, j) + (c[j] - c[i]), where c[i] is the offset of i's
 * counter. The sum of both is the round trip, in which the offsets cancel. Their difference is
 *
 *     d(i, j) = way(i, j) - way(j, i) + 2 (c[j] - c[i]),
 *
 * and no exchange of stamps between two cores can separate the two terms (Mills, "Network Time
 * Protocol", RFC 5905, section 8, uses the same four stamps and assumes equal ways). Around a
 * triangle of three cores, however, the counters' offsets add up to zero. The sum of the three
 * differences is therefore due to the ways, and at least one of the three has a third of it.
 *
 * The lines' scatter and the counter's steps limit both results: a least difference of two readings
 * is off by less than a step, and so is the difference of the two ways.
 */
#include "measure/probes/cores/cores.h"

#include "machine/clock.h"

#include <math.h>
#include <string.h>

/* Fewer lines give no interval. */
enum { LINES_LEAST = 6 };
/* Probability that the interval of at least one pair misses its true value. */
static const double chance_of_any = 0.05;

/* d(i, j) of i < j in ticks, over both directions' trials. Welford's sums, because counters may be
 * so far apart that plain sums of squares would lose the scatter. */
struct ticks_seen {
    unsigned trials;
    double mean, squares; /* of the deviations from the mean */
};

struct difference {
    double ns, half_ns; /* ns is NAN without trials, half_ns with too few lines for an interval */
};

struct cores_ways {
    size_t count;
    struct ticks_seen *seen; /* [count][count] */
    double ticks, ns;        /* duration of the same batches: the counter's rate */
    uint64_t step_ticks;     /* the counter's step, which may be many ticks */
};

struct cores_ways *cores_ways_create(size_t cpu_count, struct pool *pool)
{
    struct cores_ways *ways = pool_alloc(pool, 1, sizeof *ways);
    ways->count = cpu_count;
    ways->seen = pool_alloc(pool, cpu_count * cpu_count, sizeof *ways->seen);
    return ways;
}

void cores_ways_add(struct cores_ways *ways, const struct cores_state *state,
                    const struct observation *seen)
{
    const struct trial *trial = seen->trial;
    const struct handoff_one_way *first = trial->workers[0].state;
    const struct handoff_one_way *second = trial->workers[1].state;
    const size_t from = (size_t)cores_rank(state, trial->point->from),
                 to = (size_t)cores_rank(state, trial->point->to);
    /* The reference pair repeats the same few lines, which would count too often. */
    if (seen->reference || !seen->batch_count || first->least == INT64_MAX ||
        second->least == INT64_MAX)
        return;
    /* The second side's least difference is the time from the first side to the second. A stamp's
     * lowest bit names the side that wrote it, which makes the first side's differences one too
     * small and the second side's one too large. */
    const double there = (double)(second->least >> 1), back = (double)((first->least + 1) >> 1);
    const double value = from < to ? there - back : back - there;
    struct ticks_seen *pair =
        &ways->seen[from < to ? from * ways->count + to : to * ways->count + from];
    const double before = value - pair->mean;
    pair->mean += before / ++pair->trials;
    pair->squares += before * (value - pair->mean);
    ways->ticks += (double)first->last_ticks;
    ways->ns += seen->batches[seen->batch_count - 1].ns;
    ways->step_ticks = clock_step(ways->step_ticks, first->last_ticks);
}

/* The number of standard errors that covers all pairs' means at once: a normal value exceeds z with
 * a probability below exp(-z^2/2), and Student's t is computed from z by Wallace's approximation
 * ("Bounds on normal approximations to Student's and the chi-square distributions", 1959). */
static double standard_errors(size_t pairs, double freedom)
{
    const double z =
        sqrt(2 * log((double)pairs / chance_of_any)) * (8 * freedom + 3) / (8 * freedom + 1);
    return sqrt(freedom * expm1(z * z / freedom));
}

static struct difference difference_of(const struct cores_ways *ways, const struct ticks_seen *pair,
                                       unsigned lines)
{
    const double tick_ns = ways->ns / ways->ticks;
    if (!pair->trials)
        return (struct difference){NAN, NAN};
    /* Trials in both directions and at all times use the same lines, so there are as many
     * independent values as lines. */
    const unsigned n = pair->trials < lines ? pair->trials : lines;
    struct difference result = {pair->mean * tick_ns, NAN};
    if (n >= LINES_LEAST) {
        const double error = sqrt(pair->squares / (pair->trials - 1) / n);
        result.half_ns =
            tick_ns * (standard_errors(ways->count * (ways->count - 1) / 2, n - 1) * error +
                       (double)ways->step_ticks);
    }
    return result;
}

static void add_finding(struct probe_task *task, const char *name, struct difference difference,
                        const char *cpus, const char *text)
{
    struct finding *finding =
        finding_add_value(task->result, task->pool, name, "ns",
                          (struct interval){difference.ns, difference.ns - difference.half_ns,
                                            difference.ns + difference.half_ns},
                          0);
    finding->cpus = cpus;
    finding->text = text;
}

static const char *tell_difference(struct pool *pool, int a, int b, struct difference most)
{
    if (most.ns > most.half_ns)
        return pool_printf(
            pool,
            "from CPU %d to %d a stamp seems to take %.1f ns longer than back: the counter of CPU "
            "%d is %.1f ns ahead, or that way is longer, or some of both; two cores alone can't "
            "tell, but the sum of both ways is certain",
            a, b, most.ns, b, most.ns / 2);
    return pool_printf(
        pool, "from CPU %d to %d a stamp seems to take %.1f ns longer than back, %s", a, b, most.ns,
        isnan(most.half_ns)
            ? "but too few lines were measured to distinguish that from their scatter"
            : "which is no more than the lines' scatter and one step of the "
              "counter explain");
}

/* The triangle with the largest asymmetry beyond its error, if there is one. */
static void conclude_asymmetry(struct probe_task *task, const struct difference *between)
{
    const struct cores_state *state = task->state;
    const size_t count = state->cpu_count;
    struct difference best = {0, 0};
    size_t corners[3] = {0, 0, 0};
    bool backwards = false;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            for (size_t k = j + 1; k < count; k++) {
                const struct difference *ij = &between[i * count + j],
                                        *jk = &between[j * count + k],
                                        *ik = &between[i * count + k];
                const double third = (ij->ns + jk->ns - ik->ns) / 3;
                const double half = (ij->half_ns + jk->half_ns + ik->half_ns) / 3;
                if (!(fabs(third) - half > best.ns - best.half_ns))
                    continue;
                best = (struct difference){fabs(third), half};
                memcpy(corners, (size_t[]){i, j, k}, sizeof corners);
                backwards = third < 0;
            }
    if (!(best.ns > best.half_ns))
        return;
    const int a = state->cpus[corners[0]], b = state->cpus[corners[backwards ? 2 : 1]],
              c = state->cpus[corners[backwards ? 1 : 2]];
    add_finding(task, "cores.one-way.asymmetry", best,
                build_cpus(task->pool, (const int[]){a, b, c}, 3),
                pool_printf(task->pool,
                            "from CPU %d to %d to %d and back to %d stamps seem to take %.1f ns "
                            "longer than the other way round, and offsets of counters add up to "
                            "nothing around a triangle: one of its three ways at least is %.1f ns "
                            "longer than back",
                            a, b, c, a, 3 * best.ns, best.ns));
}

void cores_ways_conclude(struct probe_task *task)
{
    const struct cores_state *state = task->state;
    const struct cores_ways *ways = state->ways;
    if (!ways || !(ways->ticks > 0))
        return;
    const size_t cells = ways->count * ways->count;
    struct difference *between = pool_alloc(task->pool, cells, sizeof *between);
    for (size_t i = 0; i < cells; i++)
        between[i] = difference_of(ways, &ways->seen[i], state->lines);
    const size_t count = state->cpu_count;
    struct difference most = {-1, NAN};
    int a = 0, b = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const struct difference *pair = &between[i * count + j];
            if (!(fabs(pair->ns) > most.ns))
                continue;
            most = (struct difference){fabs(pair->ns), pair->half_ns};
            a = state->cpus[pair->ns < 0 ? j : i];
            b = state->cpus[pair->ns < 0 ? i : j];
        }
    if (most.ns >= 0)
        add_finding(task, "cores.one-way.difference", most,
                    pool_printf(task->pool, "%d,%d", a < b ? a : b, a < b ? b : a),
                    tell_difference(task->pool, a, b, most));
    conclude_asymmetry(task, between);
}
