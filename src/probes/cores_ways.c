/*
 * Which way between two cores is the longer one. Each side sees how old the other's stamp is by its
 * own counter: from i to j that is way(i, j) + (c[j] - c[i]), where c is what a counter is ahead.
 * Both together are the round trip, whatever the counters say: that is certain. Their difference is
 *
 *     d(i, j) = way(i, j) - way(j, i) + 2 (c[j] - c[i]),
 *
 * and no exchange of stamps between two cores tells the two terms apart (Mills, "Network Time
 * Protocol", RFC 5905, section 8, rests on the same four stamps and assumes equal ways). Among
 * three cores or more, though, counters can only account for differences that add up to nothing
 * around every triangle. The offsets that account for most are, for a whole matrix, the means of
 * its columns (least squares); what they leave is in the ways.
 */
#include "probes/cores.h"

#include "engine/visit.h"
#include "findings/finding.h"

#include <math.h>

struct cores_ways {
    size_t count;
    double *difference; /* [count][count], half ticks: sums over the trials */
    unsigned *trials;
    double ticks, ns; /* of the same batches, for the counter's rate */
};

struct cores_ways *cores_ways_create(size_t cpu_count, struct pool *pool)
{
    struct cores_ways *ways = pool_alloc(pool, 1, sizeof *ways);
    if (!ways)
        return NULL;
    ways->count = cpu_count;
    ways->difference = pool_alloc(pool, cpu_count * cpu_count, sizeof *ways->difference);
    ways->trials = pool_alloc(pool, cpu_count * cpu_count, sizeof *ways->trials);
    return ways->difference && ways->trials ? ways : NULL;
}

void cores_ways_add(struct cores_ways *ways, const struct cores_state *state,
                    const struct observation *seen)
{
    const struct trial *trial = seen->trial;
    const struct handoff_one_way *first = trial->workers[0].state;
    const struct handoff_one_way *second = trial->workers[1].state;
    size_t cell = (size_t)cores_rank(state, trial->point->from) * ways->count +
                  (size_t)cores_rank(state, trial->point->to);
    if (!seen->batch_count || first->least == INT64_MAX || second->least == INT64_MAX)
        return;
    /* What the second saw came from the first. */
    ways->difference[cell] += (double)(second->least - first->least);
    ways->trials[cell]++;
    ways->ticks += (double)first->last_ticks;
    ways->ns += seen->batches[seen->batch_count - 1].ns;
}

/* Both directions' measurements of d(i, j), in ns; NAN where there is none. */
static double difference_ns(const struct cores_ways *ways, size_t i, size_t j)
{
    size_t there = i * ways->count + j, back = j * ways->count + i;
    double trials = (double)ways->trials[there] + (double)ways->trials[back];
    if (trials == 0)
        return i == j ? 0 : NAN;
    double half_ticks = ways->difference[there] - ways->difference[back];
    return half_ticks / trials / 2 * ways->ns / ways->ticks;
}

static double column_mean(const struct cores_ways *ways, size_t j)
{
    double sum = 0;
    for (size_t i = 0; i < ways->count; i++)
        sum += difference_ns(ways, i, j);
    return sum / (double)ways->count;
}

static const char *two_cpus(struct probe_task *task, int a, int b)
{
    return pool_printf(task->pool, "%d,%d", a < b ? a : b, a < b ? b : a);
}

static int add_finding(struct probe_task *task, const char *name, double value, int from, int to,
                       const char *text, struct error *error)
{
    struct finding *finding = probe_add_finding(task, name, "ns");
    if (!finding || !text)
        return error_out_of_memory(error);
    finding->value = value;
    finding->cpus = two_cpus(task, from, to);
    finding->text = text;
    return 0;
}

static int conclude_differences(struct probe_task *task, const struct cores_ways *ways,
                                struct error *error)
{
    const struct cores_state *state = task->state;
    double most = -1;
    size_t from = 0, to = 0;
    for (size_t i = 0; i < ways->count; i++)
        for (size_t j = 0; j < ways->count; j++)
            if (i != j && difference_ns(ways, i, j) > most) {
                most = difference_ns(ways, i, j);
                from = i;
                to = j;
            }
    if (most < 0)
        return 0;
    int a = state->cpus[from], b = state->cpus[to];
    return add_finding(
        task, "cores.one-way.difference", most, a, b,
        pool_printf(task->pool,
                    "from CPU %d to %d a stamp seems to take %.1f ns longer than back: the counter "
                    "of CPU %d is %.1f ns ahead, or that way is longer, or some of both; two cores "
                    "alone can't tell, but the sum of both ways is certain",
                    a, b, most, b, most / 2),
        error);
}

static int conclude_asymmetry(struct probe_task *task, const struct cores_ways *ways,
                              struct error *error)
{
    const struct cores_state *state = task->state;
    double *ahead = pool_alloc(task->pool, ways->count, sizeof *ahead), most = 0;
    size_t from = 0, to = 1;
    if (!ahead)
        return error_out_of_memory(error);
    for (size_t j = 0; j < ways->count; j++)
        ahead[j] = column_mean(ways, j);
    for (size_t i = 0; i < ways->count; i++)
        for (size_t j = 0; j < ways->count; j++) {
            double left = difference_ns(ways, i, j) - (ahead[j] - ahead[i]);
            if (isnan(left)) /* a pair is missing: the means are none */
                return 0;
            if (left > most) {
                most = left;
                from = i;
                to = j;
            }
        }
    int a = state->cpus[from], b = state->cpus[to];
    return add_finding(
        task, "cores.one-way.asymmetry", most, a, b,
        pool_printf(task->pool,
                    "no offsets of the counters account for more than all but %.1f ns of the "
                    "differences between there and back: so much longer than back the way from "
                    "CPU %d to %d must be, within what the scatter leaves",
                    most, a, b),
        error);
}

int cores_ways_conclude(struct probe_task *task, const struct cores_ways *ways, struct error *error)
{
    if (!ways || !(ways->ticks > 0))
        return 0;
    int code = conclude_differences(task, ways, error);
    return code == 0 && ways->count > 2 ? conclude_asymmetry(task, ways, error) : code;
}
