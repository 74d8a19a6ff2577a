/*
 * Bandwidth: goes through arrays with every kind of load and store of the processor, by size on one
 * CPU, by threads in each level, from node to node, and as STREAM measures.
 *
 * The kernels are those of STREAM (McCalpin, 1995) and of likwid-bench; bytes are counted as in
 * both: those that the program asks for. Each thread has its own arrays near its CPU, the threads
 * start together, and a rate is all bytes over the time from the first start to the last end.
 */
#include "measure/probes/bandwidth/bandwidth.h"

/* Time added to what a quick run spends on the levels of memory. */
static const double quick_weight_s = 4;

static void plan_bandwidth(struct probe_task *task)
{
    static const uint64_t most = UINT64_C(1) << 30;
    const struct bandwidth_options *asked = task->options;
    struct bandwidth_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const uint64_t cache = last_level_bytes(task->machine);
    state->asked = asked;
    state->moved = cache && 2 * cache < most ? 2 * cache : most / 16;
    bandwidth_choose(task);
    build_note_text(task, "counting", "bytes that the program loads and stores; 1 GB = 10^9 B");
    build_note_text(
        task, "write_allocate",
        "not counted: a store that is not past the caches (_nt) fetches its line first");
    if (!asked->width.has)
        build_note_text(task, "width", stream_width_names[stream_widest()]);
    else if (asked->width.choice != (int)stream_widest()) /* another width makes another finding */
        build_note_text(task, "narrowed_to", asked->width.text);
    state->quick = task->common.quick.has && !task->named;
    state->looks = !task->named && !state->quick && state->kernels[STREAM_READ] && !state->size &&
                   !state->mix_count && !asked->stream.has;
    state->brief = state->quick || state->looks;
    if (state->quick)
        task->weight_s = quick_weight_s;
    if (state->brief)
        bandwidth_plan_quick(task);
    else if (asked->stream.has)
        bandwidth_plan_stream(task);
    else if (state->mix_count)
        bandwidth_plan_mixes(task);
    else if (state->size)
        bandwidth_plan_threads(task);
    else
        bandwidth_plan_sizes(task, true);
}

/* The first plan was the first kernel by size. Now follow the other kernels by size, then by
 * threads, then each node. A run of several probes and a quick run measure by threads only. */
static bool next_bandwidth(struct probe_task *task, const struct stage_outcome *outcome,
                           unsigned stage)
{
    struct bandwidth_state *state = task->state;
    const struct plan *plan = &task->plan;
    (void)outcome;
    if (state->quick) {
        /* A cache may have less than its declared capacity, which the latency probe has found by
         * now. */
        const size_t before = task->plan.point_count, all = state->cpu_count > 1 ? 2 : 1;
        if (stage > 1 || before == all)
            return false;
        bandwidth_plan_quick(task);
        if (!before && !task->plan.point_count)
            build_skip(task,
                       "the caches are too large for a quick run to read what lies beyond them: "
                       "measure it without --quick");
        return task->plan.point_count > 0;
    }
    if (state->asked->stream.has || state->size || state->mix_count)
        return false;
    if (state->looks && stage == 1) {
        bandwidth_plan_sizes(task, true);
        return plan->point_count > 0;
    }
    if (stage == 1)
        state->brief =
            task->common.quick.has || (task->document && task->document->probe_count > 0);
    if (state->stage == SIZES_STAGE) {
        state->stage = THREADS_STAGE;
        if (!state->brief)
            bandwidth_plan_sizes(task, false);
        if (!state->brief && plan->point_count)
            return true;
    }
    if (state->stage == THREADS_STAGE) {
        state->stage = NODES_STAGE;
        bandwidth_plan_threads(task);
        return plan->point_count > 0;
    }
    if (!state->brief)
        bandwidth_plan_nodes(task);
    return !state->brief && plan->point_count > 0;
}

/* Factors that decide a finding's experiment, and the values that its name alone implies. */
static const struct standard experiment[] = {
    {"kernel", STANDARD_NAMED, NULL, 0},
    {"mix", STANDARD_NAMED, NULL, 0},
    {"level", STANDARD_NAMED, NULL, 0},
    {"access", STANDARD_NAMED, NULL, 0},
    {"width", STANDARD_NAMED, NULL, 0},
    {"stride", STANDARD_ABSENT, NULL, 0},
    {"narrowed_to", STANDARD_ABSENT, NULL, 0},
    {"size", STANDARD_ABSENT, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

static const struct finding_line finding_lines[] = {
    {.patterns = "bandwidth.*.1, bandwidth.*.*.1",
     .unit = "B/s",
     .role = ROLE_WIDTH,
     .fact = FACT_ONE,
     .part = 2,
     .meaning = "What one CPU moves between DRAM and itself with that kernel, counted as the "
                "program loads and stores. The name says the access after the kernel where that is "
                "not the sequential one.",
     .moves = "One core cannot have enough misses under way to use all that DRAM can give. "
              "Prefetchers, page size, neighbours, and stores that fetch their line first move it.",
     .advice = "Add threads until they saturate the path to DRAM, and no more."},
    {.patterns = "bandwidth.*.all, bandwidth.*.*.all",
     .unit = "B/s",
     .role = ROLE_WIDTH,
     .fact = FACT_ALL,
     .part = 2,
     .meaning = "The same of all CPUs together, each with memory near it.",
     .moves =
         "The memory's channels, modules and clock decide it, and neighbours take their share.",
     .advice = "Hold a program's own traffic against it: near it, only moving less helps."},
    {.patterns = "bandwidth.*.efficiency, bandwidth.*.*.efficiency",
     .unit = "",
     .role = ROLE_PROPERTY,
     .fact = FACT_EFFICIENCY,
     .side = SIDE_LESS,
     .meaning = "What all CPUs get together, over one CPU's bandwidth times their number.",
     .moves = "Caches and paths to memory that the CPUs share lower it.",
     .advice = "Where it is low, the threads share a path: more of them will hardly help."},
    {.patterns = "L<n>.bandwidth.*.efficiency, L<n>.bandwidth.*.*.efficiency",
     .unit = "",
     .role = ROLE_PROPERTY,
     .fact = FACT_EFFICIENCY,
     .part = 1,
     .side = SIDE_LESS,
     .meaning = "What all CPUs get together, over one CPU's bandwidth times their number.",
     .moves = "A cache that the CPUs share, or a clock that is lower with all of them at work, "
              "lowers it.",
     .advice = "Where it is low, the threads share that cache: more of them will hardly help."},
    {.patterns = "bandwidth.*.saturated_by, bandwidth.*.*.saturated_by, "
                 "L<n>.bandwidth.*.saturated_by, L<n>.bandwidth.*.*.saturated_by",
     .unit = "",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .meaning = "How many CPUs reach 95 % of the highest bandwidth.",
     .moves = "The more one core can have under way at once, the fewer it takes.",
     .advice =
         "Give work that is bound by memory that many threads, and the other CPUs something else."},
    {.patterns = "L<n>.bandwidth.*.all, L<n>.bandwidth.*.*.all",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .part = 1,
     .meaning = "What all CPUs together move between that cache and themselves, each with a set of "
                "its own where the cache is private.",
     .moves = "The clock moves it, and the bandwidth of a shared cache limits it.",
     .advice = "Cut work so that each thread's part fits a cache that is its own."},
    {.patterns = "L<n>.bandwidth.*, L<n>.bandwidth.*.*",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ONE,
     .part = 1,
     .meaning = "What one CPU moves between that cache and itself.",
     .moves = "The width of loads and stores counts in the first levels, the clock in all.",
     .advice =
         "Compare it with the next level's: the difference is what blocking for this level wins."},
    {.patterns = "stream.*.1",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_SHARED,
     .meaning = "STREAM's figure as STREAM counts it, by one CPU: the median over the passes.",
     .moves = "What moves bandwidth moves it: prefetchers, page size, neighbours, and stores that "
              "fetch their line first.",
     .advice = "Compare it with others' STREAM only by .best, which is what STREAM reports."},
    {.patterns = "stream.*.all",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .meaning = "The same of all CPUs together.",
     .moves =
         "The memory's channels, modules and clock decide it, and neighbours take their share.",
     .advice = "Compare it with others' STREAM only by .best, which is what STREAM reports."},
    {.patterns = "stream.*.1.best",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_SHARED,
     .meaning = "The best pass, as STREAM reports it: what can happen, not what to expect.",
     .moves = "The more passes there are, the better the best of them.",
     .advice = "Quote it beside published STREAM figures; plan by the median."},
    {.patterns = "stream.*.all.best",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .meaning = "The same of all CPUs together.",
     .moves = "The more passes there are, the better the best of them.",
     .advice = "Quote it beside published STREAM figures; plan by the median."},
    {.patterns = NULL},
};

const struct probe bandwidth_probe = {
    .name = "bandwidth",
    .place = 60,
    .title = "Bandwidth by working-set size and by threads",
    .summary = "how many bytes a second one CPU and all of them can read, write and copy",
    .about =
        "Arrays of doubles are gone through as fast as the CPU can: read, write, copy, and "
        "STREAM's scale, add and triad; write_nt, copy_nt and triad_nt store past the caches. "
        "First by size on one CPU, which shows the bandwidth of each cache, then at each level by "
        "threads, each with arrays of its own near its CPU. What is counted are the bytes that the "
        "program loads and stores, as STREAM counts them.\nWhat moves it: an ordinary store "
        "fetches its line before it writes, so a copy moves half as much again as is counted, and "
        "stores past the caches can win that back in DRAM. The prefetchers: they follow sequences, "
        "so strides and small blocks in random order (--access) are slower. Wide loads and stores: "
        "they count in the first caches and hardly in DRAM. Page size, as every page has to be "
        "translated. Neighbours, which use the same paths. And one core cannot have enough misses "
        "under way to saturate the path to DRAM: that takes several, and 'saturated_by' is how "
        "many. Beyond that, more threads only share the same bandwidth.\nAlone, this measures all "
        "kernels; beside other probes or with --quick, read by size, and read, write_nt and triad "
        "in DRAM with one CPU and all; in 'fathom run --quick' and 'fathom check', read in DRAM "
        "with one CPU and all and nothing else.",
    .weight = 5,
    .quick = true,
    .sized_by_found = true,
    .goes_on = true,
    .options = bandwidth_options,
    .options_bytes = sizeof(struct bandwidth_options),
    .findings = {finding_lines, experiment},
    .plan = plan_bandwidth,
    .prepare = bandwidth_prepare,
    .next = next_bandwidth,
    .conclude = bandwidth_conclude,
    .analyse = bandwidth_analyse,
};
