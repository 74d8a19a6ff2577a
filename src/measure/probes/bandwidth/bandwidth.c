/*
 * Bandwidth: goes through arrays with every kind of load and store of the processor, by size on one
 * CPU, by threads in each level, from node to node, and as STREAM measures.
 *
 * The kernels are those of STREAM (McCalpin, 1995) and of likwid-bench; bytes are counted as in
 * both: those that the program asks for. Each thread has its own arrays near its CPU. A rate is the
 * sum of what each thread moved in its own time while all were at it. As STREAM measures, all move
 * the same, and the time is that from the first start to the last end.
 */
#include "measure/probes/bandwidth/bandwidth.h"
#include "base/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 99 }; /* of a mix */
static const char *const access_names[] = {"sequential", "strided", "random-block", NULL};

#include "bandwidth.help.h"

/* --- kernels --- */

/* The kernel of the requested width, by default the usual one; NULL with the reason in `missing` if
 * there is none. */
static const struct stream_kernel *find_kernel(const struct bandwidth_state *state,
                                               enum stream_op op, const char **missing)
{
    const struct setting *asked = &state->asked->width;
    enum stream_width width = asked->has ? (enum stream_width)asked->choice : stream_usual_width();
    const struct stream_kernel *kernel = stream_find(op, width, missing);
    while (!asked->has && !kernel && width > STREAM_SCALAR)
        kernel = stream_find(op, --width, NULL);
    return kernel;
}

/* --- mixes --- */

/* "4:1" or "1:1nt", up to `end`. */
static bool parse(const char *text, const char *end, struct bandwidth_mix *mix)
{
    char *behind;
    if (!isdigit((unsigned char)*text))
        return false;
    const unsigned long reads = strtoul(text, &behind, 10);
    if (*behind != ':' || !isdigit((unsigned char)behind[1]))
        return false;
    const unsigned long writes = strtoul(behind + 1, &behind, 10);
    const bool past = end - behind == 2 && strncmp(behind, "nt", 2) == 0;
    if ((!past && behind != end) || reads > PARTS_MOST || writes > PARTS_MOST ||
        reads + writes == 0)
        return false;
    *mix = (struct bandwidth_mix){.reads = (unsigned)reads,
                                  .writes = (unsigned)writes,
                                  .loads = (unsigned)(past ? reads : reads - writes),
                                  .past_caches = past};
    return past || reads >= writes;
}

static void choose_mixes(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    const char *list = state->asked->mix.text;
    for (const char *at = list, *end;; at = end + 1) {
        struct bandwidth_mix *mix =
            pool_append(task->pool, (void **)&state->mixes, &state->mix_count, sizeof *mix);
        end = at + strcspn(at, ",");
        if (!parse(at, end, mix))
            pool_leave(task->pool, ERROR_USAGE,
                       "--mix '%s': give reads and writes as the memory sees them, like 4:1, up to "
                       "%d each, and several with commas; a store reads its line first, so there "
                       "are at least as many reads as writes, unless 'nt' follows them: 2:1nt",
                       list, PARTS_MOST);
        mix->name = pool_printf(task->pool, "%.*s", (int)(end - at), at);
        if (mix->past_caches && mix->writes && !state->mixed[STREAM_WRITE_NT])
            pool_leave(task->pool, ERROR_USAGE,
                       "--mix %s: there are no stores past the caches of that width here; leave "
                       "'nt' out",
                       mix->name);
        if (!*end)
            return;
    }
}

/* --- access --- */

static void choose_access(struct probe_task *task)
{
    static const char block[] = "random-block:";
    struct bandwidth_state *state = task->state;
    const struct bandwidth_options *asked = state->asked;
    const bool stride = asked->stride.has;
    const char *text = asked->access.has ? asked->access.text : stride ? "strided" : "sequential";
    struct stream_access *access = &state->access;
    if (strcmp(text, "strided") == 0)
        *access = (struct stream_access){STREAM_STRIDED, stride ? asked->stride.bytes
                                                                : (uint64_t)STREAM_STEP_BYTES};
    else if (strncmp(text, block, sizeof block - 1) == 0) {
        access->pattern = STREAM_RANDOM_BLOCK;
        if (size_parse(text + sizeof block - 1, &access->bytes, pool_error(task->pool)) < 0)
            pool_check(task->pool, ERROR_USAGE);
    } else if (strcmp(text, "sequential") != 0)
        pool_leave(task->pool, ERROR_USAGE,
                   "--access '%s': choose sequential, strided or random-block:SIZE", text);
    if (stride && access->pattern != STREAM_STRIDED)
        pool_leave(task->pool, ERROR_USAGE,
                   "--stride goes with --access strided, not with %s: leave one out", text);
    if (access->bytes % STREAM_LINE_BYTES != 0)
        pool_leave(task->pool, ERROR_USAGE, "--%s of %llu bytes: give a multiple of %d, a line",
                   stride ? "stride" : "access", (unsigned long long)access->bytes,
                   STREAM_LINE_BYTES);
    state->access_text = access->pattern == STREAM_SEQUENTIAL
                             ? text
                             : pool_printf(task->pool, "%s:%s", access_names[access->pattern],
                                           size_text(task->pool, (double)access->bytes));
}

/* --- CPUs --- */

static int by_speed(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    return x->kind != y->kind ? (x->kind < y->kind) - (x->kind > y->kind) : machine_by_thread(a, b);
}

/* --- sizes --- */

/* --size is the set of all threads together; each array of each thread gets a share of it. */
static void check_size(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    size_t *counts, n = bandwidth_counts(task, &counts);
    const uint64_t least = bandwidth_least_set(state) * state->cpu_count;
    const double most =
        (double)machine_memory_budget(task->machine) / bandwidth_parts_share(counts, n);
    state->size = state->asked->size.bytes;
    const char *asked = size_text(task->pool, (double)state->size);
    if (state->size < least)
        pool_leave(task->pool, ERROR_USAGE,
                   "--size %s: too small for the arrays of %zu thread%s; ask for at least %s, or "
                   "for fewer --threads",
                   asked, state->cpu_count, state->cpu_count == 1 ? "" : "s",
                   size_text(task->pool, (double)least));
    if ((double)state->size > most)
        pool_leave(task->pool, ERROR_USAGE,
                   "--size %s: with every thread's own memory more than half of what is free; ask "
                   "for at most %s",
                   asked, size_text(task->pool, (double)((uint64_t)most >> 20 << 20)));
}

static void check_least(const struct probe_task *task, const char *option, uint64_t bytes,
                        uint64_t least)
{
    const struct bandwidth_state *state = task->state;
    char asked[UNIT_TEXT];
    if (bytes < least)
        pool_leave(
            task->pool, ERROR_USAGE, "--%s %s: too small for the arrays; ask for at least %s%s",
            option, size_format((double)bytes, asked), size_text(task->pool, (double)least),
            state->asked->stride.has || state->asked->access.has ? ", or another --access" : "");
}

static void choose_sizes(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    const struct bandwidth_options *asked = state->asked;
    const uint64_t least = bandwidth_least_set(state),
                   budget = machine_memory_budget(task->machine),
                   largest = working_sets_largest(task->machine);
    if (least > budget)
        pool_leave(task->pool, ERROR_USAGE,
                   "--access %s: more than half of the memory that is free; the arrays have %s",
                   state->access_text, size_text(task->pool, (double)(budget >> 20 << 20)));
    for (size_t i = asked->sets.sizes.size_count; i-- > 0;)
        check_least(task, "sizes", asked->sets.sizes.sizes[i], least);
    if (asked->sets.from.has)
        check_least(task, "from", asked->sets.from.bytes, least);
    if (asked->sets.to.has)
        check_least(task, "to", asked->sets.to.bytes, least);
    /* The bytes of one step may exceed the largest default set. */
    if (!asked->sets.to.has && !asked->sets.sizes.has && largest < least)
        pool_leave(task->pool, ERROR_USAGE,
                   "--%s: the arrays of %s take at least %s, and the largest set is by default %s; "
                   "ask for less, or for larger sets (--to)",
                   asked->stride.has ? "stride" : "access", state->access_text,
                   size_text(task->pool, (double)least), size_text(task->pool, (double)largest));
    state->sets = working_sets_choose(task, &asked->sets, (size_t)least);
}

static void choose(struct probe_task *task)
{
    static const enum stream_op ops[] = {STREAM_READ, STREAM_WRITE, STREAM_WRITE_NT};
    struct bandwidth_state *state = task->state;
    const struct bandwidth_options *asked = state->asked;
    static const char *const says = "says what is measured";
    const struct working_set_options *sets = &asked->sets;
    const struct setting *const sizes[] = {&sets->from, &sets->to, &sets->per_octave, &sets->sizes,
                                           NULL};
    const struct setting *const not_streams[] = {&asked->kernel, &asked->access,    &asked->stride,
                                                 &sets->from,    &sets->to,         &sets->sizes,
                                                 &asked->size,   &sets->per_octave, NULL};
    const struct setting *const not_mixed[] = {&asked->access, &asked->stride, &asked->stream,
                                               NULL};
    if (asked->stream.has)
        probe_refuse_beside(task, &asked->stream, says, not_streams);
    else if (asked->size.has || asked->mix.has)
        probe_refuse_beside(task, asked->size.has ? &asked->size : &asked->mix, says, sizes);
    if (asked->mix.has)
        probe_refuse_beside(task, &asked->mix, says, not_mixed);
    const char *missing = NULL, *usable = NULL;
    if (asked->width.has &&
        !stream_find(STREAM_READ, (enum stream_width)asked->width.choice, &missing)) {
        for (enum stream_width each = 0; each < STREAM_WIDTHS; each++)
            if (stream_find(STREAM_READ, each, NULL))
                usable = pool_printf(task->pool, "%s%s%s", usable ? usable : "", usable ? ", " : "",
                                     stream_width_names[each]);
        pool_leave(task->pool, ERROR_USAGE, "--width %s: %s; choose from %s", asked->width.text,
                   missing, usable);
    }
    for (enum stream_op op = 0; op < STREAM_OPS && !asked->kernel.has; op++)
        state->kernels[op] = find_kernel(state, op, NULL);
    for (const char *name = asked->kernel.text, *end; name; name = *end ? end + 1 : NULL) {
        const size_t length = strcspn(name, ",");
        const int op = pool_check(task->pool, option_choose("kernel", stream_op_names, name, length,
                                                            pool_error(task->pool)));
        end = name + length;
        state->kernels[op] = find_kernel(state, (enum stream_op)op, &missing);
        if (!state->kernels[op])
            pool_leave(task->pool, ERROR_USAGE, "--kernel %s: %s; choose another",
                       stream_op_names[op], missing);
    }
    if (asked->mix.has) { /* with or without --kernel, mixes need these loops */
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
            state->mixed[ops[i]] = find_kernel(state, ops[i], NULL);
        choose_mixes(task);
    }
    choose_access(task);
    const size_t count = task->cpus.count;
    state->cpus = build_order(task, task->cpus.ids, count, by_speed);
    state->cpu_count = chases_threads(task, &state->asked->threads, count);
    if (asked->size.has)
        check_size(task);
    else if (!asked->stream.has && !asked->mix.has)
        choose_sizes(task);
}

/* --- plan and next --- */

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
    choose(task);
    build_note_text(task, "counting", "bytes that the program loads and stores; 1 GB = 10^9 B");
    build_note_text(
        task, "write_allocate",
        "not counted: the line that a store fetches first, unless it goes past the caches (_nt)");
    if (!asked->width.has)
        build_note_text(task, "width", stream_width_names[stream_usual_width()]);
    else if (asked->width.choice !=
             (int)stream_usual_width()) /* another width makes another finding */
        build_note_text(task, "narrowed_to", asked->width.text);
    state->quick = task->common.quick.has && !task->named;
    state->looks = !task->named && !state->quick && state->kernels[STREAM_READ] && !state->size &&
                   !state->mix_count && !asked->stream.has;
    state->brief = state->quick || state->looks;
    if (state->quick)
        task->weight_s = quick_weight_s;
    if (state->brief)
        bandwidth_plan_spread(task);
    else if (asked->stream.has)
        bandwidth_plan_stream(task, state->cpu_count);
    else if (state->mix_count)
        bandwidth_plan_mixes(task);
    else if (state->size)
        bandwidth_plan_threads(task);
    else
        bandwidth_plan_sizes(task, true);
}

/* The first plan was the first kernel by size. Now follow the other kernels by size, then by
 * threads, then each node. A run of several probes and a quick run measure by threads only. */
static bool next_bandwidth(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    const struct plan *plan = &task->plan;
    if (state->quick) {
        /* A cache may have less than its declared capacity, which the latency probe has found by
         * now. */
        const size_t before = task->plan.point_count, all = state->cpu_count > 1 ? 2 : 1;
        if (task->stage > 1 || before == all)
            return false;
        bandwidth_plan_spread(task);
        if (!before && !task->plan.point_count)
            build_skip(task,
                       "the caches are too large for a quick run to read what lies beyond them: "
                       "measure it without --quick");
        return task->plan.point_count > 0;
    }
    if (state->asked->stream.has) {
        const bool one = task->stage == 1 && state->cpu_count > 1 && !state->asked->threads.has;
        if (one)
            bandwidth_plan_stream(task, 1);
        return one;
    }
    if (state->size || state->mix_count)
        return false;
    if (state->looks && task->stage == 1) {
        bandwidth_plan_sizes(task, true);
        return plan->point_count > 0;
    }
    if (task->stage == 1)
        state->brief = task->common.quick.has || task->several;
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

#include "bandwidth.findings.h"

const struct probe bandwidth_probe = {
    .name = "bandwidth",
    .place = 60,
    .help = &help,
    .weight = 7,
    .quick = true,
    .sized_by_found = true,
    .goes_on = true,
    .findings = {finding_lines, experiment},
    .plan = plan_bandwidth,
    .prepare = bandwidth_prepare,
    .next = next_bandwidth,
    .conclude = bandwidth_conclude,
    .analyse = bandwidth_analyse,
};
