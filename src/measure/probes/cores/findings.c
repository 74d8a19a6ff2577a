#include "measure/probes/cores/cores.h"

#include "document/flag.h"
#include "measure/probes/cores/topology_groups.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- side by side --- */

static int by_pair(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static void sift_down(struct point *points, size_t top, size_t count)
{
    for (size_t child; (child = 2 * top + 1) < count; top = child) {
        if (child + 1 < count && by_pair(&points[child], &points[child + 1]) < 0)
            child++;
        if (by_pair(&points[top], &points[child]) >= 0)
            return;
        struct point swap = points[top];
        points[top] = points[child];
        points[child] = swap;
    }
}

/* A heap sort, in place: the C library's may copy all points, and a thousand CPUs have a million of
 * them. */
static void sort_pairs(struct point *points, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(points, i, count);
    for (size_t i = count; i-- > 1;) {
        struct point swap = points[0];
        points[0] = points[i];
        points[i] = swap;
        sift_down(points, 0, i);
    }
}

static unsigned machine_flags(const struct probe_task *task)
{
    unsigned flags = task->machine->facts.hypervisor ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0;
    if (task->machine->allowed.count < task->machine->cpu_count)
        flags |= FLAG_BIT(FLAG_NARROW_AFFINITY);
    return flags;
}

int cores_bias(struct probe_task *task, const struct series *alone, double *bias,
               struct error *error)
{
    const struct cores_state *state = task->state;
    struct series *matrix = &task->plan.series[SERIES_MATRIX];
    double *ratios = calloc(alone->point_count + 1, sizeof *ratios);
    size_t count = 0;
    *bias = 0;
    if (!ratios)
        return error_out_of_memory(error);
    sort_pairs(matrix->points, matrix->point_count);
    for (size_t i = 0; i < alone->point_count; i++) {
        const struct point *beside = bsearch(&alone->points[i], matrix->points, matrix->point_count,
                                             sizeof *beside, by_pair);
        if (alone->points[i].y.n && beside && beside->y.n)
            ratios[count++] =
                100 * ((double)beside->y.median / (double)alone->points[i].y.median - 1);
    }
    struct summary summary;
    summarize(ratios, count, ratios, &summary);
    free(ratios);
    if (!count)
        return 0;
    *bias = (double)summary.median;
    struct finding *finding =
        probe_add_summary(task, "cores.parallel.bias", "%", &summary, machine_flags(task));
    if (!finding)
        return error_out_of_memory(error);
    finding->text = pool_printf(
        task->pool,
        "%zu pairs measured side by side and again alone: side by side they took %.1f "
        "%% %s; %s",
        count, fabs(*bias), *bias < 0 ? "less" : "more",
        fabs(*bias) > state->bias_limit
            ? "that is more than --bias allows, so every pair was measured again alone, which the "
              "matrix shows"
            : "the matrix shows what was measured side by side");
    return finding->text ? 0 : error_out_of_memory(error);
}

/* --- all of it --- */

/* Row by row in the matrix's order of CPUs, whatever the order in which pairs were measured. */
static void put_in_order(const struct cores_state *state, struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++) {
        series->points[i].from = cores_rank(state, series->points[i].from);
        series->points[i].to = cores_rank(state, series->points[i].to);
    }
    sort_pairs(series->points, series->point_count);
    for (size_t i = 0; i < series->point_count; i++) {
        series->points[i].from = state->cpus[series->points[i].from];
        series->points[i].to = state->cpus[series->points[i].to];
    }
}

/* Core, thread and node of each CPU, which the view shows beside the rows. */
static int note_labels(struct probe_task *task, struct error *error)
{
    const char *text = declared_labels(task->machine, &task->cpus, task->pool);
    struct factor *labels = text ? probe_add_parameter(task, parameter_cpu_labels) : NULL;
    if (text && !labels)
        return error_out_of_memory(error);
    if (labels)
        labels->text = text;
    return 0;
}

static int note_measured(struct probe_task *task, struct error *error)
{
    const struct cores_state *state = task->state;
    struct factor *how = probe_add_parameter(task, "pairs_measured");
    if (!how)
        return error_out_of_memory(error);
    how->text = state->parallel ? "side by side" : "one at a time";
    if (state->home == HOME_ANY)
        return 0;
    struct factor *home = probe_add_parameter(task, "home_obtained");
    if (!home)
        return error_out_of_memory(error);
    if (state->homes_verified < state->home_count)
        home->text = "unverified: the system does not say where all the lines' pages lie";
    else if (task->machine->facts.node_count < 2)
        home->text = "the only NUMA node; there is no other for a line to be at home on";
    else
        home->text = "as asked for, verified page by page";
    return 0;
}

/* What the machine says of which CPUs belong together, for clusters to be compared with. */
static int note_declared(struct probe_task *task, struct error *error)
{
    const struct cores_state *state = task->state;
    struct cpulist cpus = {0};
    struct declared declared = {0};
    int code = 0;
    for (size_t i = 0; i < state->cpu_count && code == 0; i++)
        code = cpulist_add(&cpus, state->cpus[i]);
    if (code == 0)
        code = declared_read(&declared, task->machine, &cpus, task->pool, error);
    cpulist_free(&cpus);
    struct factor *groups = code == 0 ? probe_add_parameter(task, parameter_cpu_groups) : NULL;
    if (!groups || !(groups->text = declared_text(&declared, task->pool)))
        return error_out_of_memory(error);
    return 0;
}

void cores_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    (void)outcome;
    const struct cores_state *state = task->state;
    struct series *matrix = &task->result->series[SERIES_MATRIX];
    const struct point *least, *most;
    pool_give_back(task->pool, task->plan.points); /* room for the clusters */
    task->plan.points = NULL;
    for (size_t i = 0; i < task->result->series_count; i++)
        put_in_order(state, &task->result->series[i]);
    series_extremes(matrix, &least, &most);
    int code = note_measured(task, error);
    if (code == 0)
        code = note_labels(task, error);
    if (code == 0 && least)
        code = note_declared(task, error);
    if (code == 0 && least)
        code = cores_add_references(task, error);
    if (code == 0 && least)
        code = cores_ways_conclude(task, state->ways, error);
    /* A file that could not be written is reported, and every figure stays. */
    int closed = cores_samples_close(state->samples, !task->interrupted, code == 0 ? error : NULL);
    task->unfinished = cores_samples_unfinished(state->samples);
    return (void)pool_check(task->pool, code == 0 ? closed : code);
}

/* What decides which experiment a finding is of, and what its name alone stands for. */
const struct standard cores_experiment[] = {
    {"op", STANDARD_NAMED, NULL, 0},
    {"cpus", STANDARD_NAMED, NULL, 0},
    /* Of documents of before 0.1.0: the operation's memory order, and how many lines there were. */
    {"order", STANDARD_NAMED, NULL, 0},
    {"lines", STANDARD_NAMED, NULL, 0},
    {"home", STANDARD_ABSENT, NULL, 0},
    {"payload", STANDARD_ABSENT, NULL, 0},
    {"pairs", STANDARD_ABSENT, NULL, 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

const struct finding_line cores_lines[] = {
    {.patterns = "cores.*.min, cores.min",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .fact = FACT_NEAREST,
     .meaning = "One hand-off between the nearest pair of CPUs: half a round trip, the median over "
                "many cache lines.",
     .moves = "Which CPUs were measured decides it: the nearest are usually two hardware threads "
              "of one core, or two cores of one complex. The core clock moves it too.",
     .advice =
         "Put threads that pass work to each other on such a pair; its CPUs stand beside it."},
    {.patterns = "cores.*.max, cores.max",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .fact = FACT_FARTHEST,
     .meaning = "One hand-off between the farthest pair of CPUs.",
     .moves = "The distance decides it: across sockets, dies or kinds of core. The clock of the "
              "interconnect moves it too.",
     .advice = "Do not share locks and queues over that distance."},
    {.patterns = "cores.*.mean, cores.mean",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .meaning = "The mean over all pairs and both directions.",
     .moves = "How many of the pairs are far apart decides it.",
     .advice = "It is what threads pay that the scheduler places anywhere: pin them where the "
               "minimum is much less."},
    {.patterns = "cores.*.lines",
     .unit = "%",
     .role = ROLE_HANDOFF,
     .side = SIDE_NEITHER,
     .meaning = "How far one pair's values on different cache lines lie apart, from the least to "
                "the most, as a share of their median; of the pair where that is most. The text "
                "says whether that is the lines' own, or mostly time or noise.",
     .moves = "A line's home in the interconnect depends on its address. Neighbours and moving "
              "clocks add to it.",
     .advice = "Distrust figures from a single line. Where every nanosecond counts, try several "
               "addresses for a line that is shared much."},
    {.patterns = "cores.drift",
     .unit = "%",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "How far a reference pair, measured again and again on the same lines, moved in "
                "the course of the run.",
     .moves = "The clock of the interconnect, heat and neighbours move it.",
     .advice = "Where it is more than the differences you look at, repeat on a quieter machine or "
               "use --correct-drift."},
    {.patterns = "cores.parallel.bias",
     .unit = "%",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "What measuring pairs side by side changed against measuring them alone.",
     .moves = "Pairs that are measured at the same time share the interconnect.",
     .advice = "Nothing to do where it is small. Where it is more than --bias, every pair is "
               "measured again alone; --sequential never measures side by side."},
    {.patterns = "cores.one-way.difference",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .side = SIDE_NEITHER,
     .meaning =
         "The most that a stamp of the counter seems to take longer one way than back. Two cores "
         "alone cannot tell whether their counters are offset, one way is longer, or both. The "
         "interval holds for all pairs at once and includes one step of the counter.",
     .moves = "Offsets between the cores' counters, and ways that are not alike in both "
              "directions, move it.",
     .advice = "Do not order events of two cores by their counters when they are closer than half "
               "of it."},
    {.patterns = "cores.one-way.asymmetry",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .side = SIDE_NEITHER,
     .meaning = "How much longer one way is than back, beyond what offsets of the counters "
                "explain: around a triangle of CPUs offsets add up to nothing, so at least one of "
                "its ways is that much longer. It is left out where the lines' scatter and the "
                "counter's steps explain it, and between two CPUs.",
     .moves = "Ways through the interconnect that are not alike in both directions move it.",
     .advice = "Where there is none, both directions are alike as far as the counters can tell."},
    {.patterns = "cluster",
     .unit = NULL,
     .role = ROLE_CLUSTER,
     .side = SIDE_NEITHER,
     .meaning = "A group of CPUs that are nearer to each other than to the rest, found from the "
                "latencies alone: the CPUs and the latency within. Its text says what it looks "
                "like and how it is declared.",
     .moves = "How the machine is built decides it: cores, complexes, dies, sockets. A hypervisor "
              "that moves its CPUs about blurs it.",
     .advice = "Place what communicates within one cluster. Clusters nest, and the smallest is the "
               "nearest."},
    {.patterns = "cluster.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .fact = FACT_CLUSTERS,
     .meaning = "CPUs that behave as one cluster and are declared as separate, or the other way "
                "round. It has no value; its text says which.",
     .moves = "A hypervisor or firmware may report the topology wrongly.",
     .advice = "Go by the latencies, not by the topology, when you place threads."},
    {.patterns = NULL},
};
