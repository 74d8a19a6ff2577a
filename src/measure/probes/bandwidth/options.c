#include "base/units.h"
#include "measure/probes/bandwidth/bandwidth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const access_names[] = {"sequential", "strided", "random-block", NULL};

const struct option_spec bandwidth_options[] = {
    {"kernel", 'k', OPTION_TEXT, "NAME,...", NULL, 0, 0, NULL,
     "what is done with the arrays: read, write, write_nt, copy, copy_nt, scale, add, triad, "
     "triad_nt; _nt stores past the caches (default: all)"},
    {"mix", 0, OPTION_TEXT, "R:W,...", NULL, 0, 0, NULL,
     "reads and writes in this proportion, as the memory sees them: 4:1, or with stores past the "
     "caches 2:1nt; several with commas; by threads, in DRAM or at --size, and nothing else but "
     "the kernels named"},
    {"width", 'w', OPTION_CHOICE, "BITS", NULL, 0, 0, stream_width_names,
     "bits of one load or store: scalar (64), 128, 256, 512, or sve, as many as the vectors have "
     "(default: the widest there is)"},
    {"threads", 0, OPTION_INTEGER, "N", NULL, 1, 65536, NULL,
     "CPUs that join in at most, a thread each (default: all)"},
    {"size", 0, OPTION_SIZE, "SIZE", NULL, STREAM_STEP_BYTES, 0, NULL,
     "this working set of all arrays and all threads together, by threads, and nothing else"},
    {"from", 0, OPTION_SIZE, "SIZE", NULL, STREAM_STEP_BYTES, 0, NULL,
     "smallest working set by size (default: 4K, or what the access needs)"},
    {"to", 0, OPTION_SIZE, "SIZE", NULL, STREAM_STEP_BYTES, 0, NULL,
     "largest working set by size (default: four times the last-level cache declared, at most 1G)"},
    {"per-octave", 0, OPTION_INTEGER, "N", NULL, 1, 64, NULL,
     "sizes from one power of two to the next (default: 4 below 64M, 2 above, and half of that for "
     "all kernels but the first)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, STREAM_STEP_BYTES, 0, NULL,
     "these working sets by size and no others"},
    {"access", 0, OPTION_TEXT, "ACCESS", NULL, 0, 0, NULL,
     "sequential (default); strided, one cache line every --stride bytes, and the lines between in "
     "later rounds; random-block:SIZE, blocks in random order and each of them in sequence"},
    {"stride", 0, OPTION_SIZE, "SIZE", NULL, STREAM_LINE_BYTES, 0, NULL,
     "bytes from one line to the next of --access strided, a multiple of 64 (default: 256)"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {"stream", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "STREAM's four figures as STREAM counts them: copy, scale, add and triad over arrays of four "
     "times the last-level caches each, the best pass beside the median"},
    {.name = NULL},
};

/* --- kernels --- */

static int find_kernel(struct bandwidth_state *state, const struct probe_task *task,
                       enum stream_op op, bool named, struct error *error)
{
    const struct settings *settings = task->settings;
    const bool given = settings_has(settings, "width");
    enum stream_width width =
        given ? (enum stream_width)settings_choice(settings, "width") : stream_widest();
    const char *missing = NULL;
    const struct stream_kernel *kernel = stream_find(op, width, &missing);
    while (!given && !kernel && width > STREAM_SCALAR)
        kernel = stream_find(op, --width, NULL);
    state->kernels[op] = kernel;
    if (kernel || !named)
        return 0;
    return error_set(error, ERROR_USAGE, "--kernel %s: %s; choose another", stream_op_names[op],
                     missing);
}

static int check_width(const struct probe_task *task, struct error *error)
{
    if (!settings_has(task->settings, "width"))
        return 0;
    const enum stream_width width = (enum stream_width)settings_choice(task->settings, "width");
    const char *missing = NULL;
    if (stream_find(STREAM_READ, width, &missing))
        return 0;
    char usable[64] = "";
    for (enum stream_width each = 0; each < STREAM_WIDTHS; each++)
        if (stream_find(STREAM_READ, each, NULL)) {
            size_t used = strlen(usable);
            snprintf(usable + used, sizeof usable - used, "%s%s", used ? ", " : "",
                     stream_width_names[each]);
        }
    return error_set(error, ERROR_USAGE, "--width %s: %s; choose from %s",
                     stream_width_names[width], missing, usable);
}

static int choose_kernels(struct bandwidth_state *state, const struct probe_task *task,
                          struct error *error)
{
    const struct settings *settings = task->settings;
    int code = check_width(task, error);
    state->kernels_named = settings_has(settings, "kernel");
    if (code < 0)
        return code;
    if (!state->kernels_named) {
        for (enum stream_op op = 0; op < STREAM_OPS; op++)
            find_kernel(state, task, op, false, NULL);
        return 0;
    }
    const char *list = settings_text(settings, "kernel");
    for (const char *name = list;; name++) {
        const size_t length = strcspn(name, ",");
        const int op = option_choose("kernel", stream_op_names, name, length, error);
        if (op < 0)
            return op;
        code = find_kernel(state, task, (enum stream_op)op, true, error);
        name += length;
        if (code < 0 || !*name)
            return code;
    }
}

/* --- access --- */

static int choose_access(struct bandwidth_state *state, struct probe_task *task,
                         struct error *error)
{
    static const char block[] = "random-block:";
    const struct settings *settings = task->settings;
    const bool stride = settings_has(settings, "stride");
    const char *text = settings_has(settings, "access") ? settings_text(settings, "access")
                       : stride                         ? "strided"
                                                        : "sequential";
    struct stream_access *access = &state->access;
    if (strcmp(text, "strided") == 0) {
        *access = (struct stream_access){STREAM_STRIDED, stride ? settings_size(settings, "stride")
                                                                : (uint64_t)STREAM_STEP_BYTES};
    } else if (strncmp(text, block, sizeof block - 1) == 0) {
        access->pattern = STREAM_RANDOM_BLOCK;
        if (size_parse(text + sizeof block - 1, &access->bytes, error) < 0)
            return ERROR_USAGE;
    } else if (strcmp(text, "sequential") != 0) {
        return error_set(error, ERROR_USAGE,
                         "--access '%s': choose sequential, strided or random-block:SIZE", text);
    }
    if (stride && access->pattern != STREAM_STRIDED)
        return error_set(error, ERROR_USAGE,
                         "--stride goes with --access strided, not with %s: leave one out", text);
    if (access->bytes % STREAM_LINE_BYTES != 0)
        return error_set(error, ERROR_USAGE, "--%s of %llu bytes: give a multiple of %d, a line",
                         stride ? "stride" : "access", (unsigned long long)access->bytes,
                         STREAM_LINE_BYTES);
    char size[UNIT_TEXT];
    state->access_name = access_names[access->pattern];
    state->access_text = access->pattern == STREAM_SEQUENTIAL
                             ? state->access_name
                             : pool_printf(task->pool, "%s:%s", state->access_name,
                                           size_format((double)access->bytes, size));
    return state->access_text ? 0 : error_out_of_memory(error);
}

/* --- CPUs --- */

static int by_speed(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    return x->kind != y->kind ? (x->kind < y->kind) - (x->kind > y->kind) : machine_by_thread(a, b);
}

static int choose_cpus(struct bandwidth_state *state, struct probe_task *task, struct error *error)
{
    const size_t count = task->cpus.count;
    struct cpu_place *places = pool_alloc(task->pool, count, sizeof *places);
    state->cpus = pool_alloc(task->pool, count, sizeof *state->cpus);
    machine_places(task->machine, &task->cpus, places);
    qsort(places, count, sizeof *places, by_speed);
    for (size_t i = 0; i < count; i++)
        state->cpus[i] = places[i].id;
    state->cpu_count = count;
    if (!settings_has(task->settings, "threads"))
        return 0;
    const size_t threads = (size_t)settings_number(task->settings, "threads");
    if (threads > count)
        return error_set(error, ERROR_USAGE,
                         "--threads %zu: only %zu CPU%s may be used, and each holds one thread; "
                         "ask for at most %zu",
                         threads, count, count == 1 ? "" : "s", count);
    state->cpu_count = threads;
    return 0;
}

/* --- sizes --- */

static int refuse_beside(const struct probe_task *task, const char *option,
                         const char *const *others, struct error *error)
{
    for (; *others; others++)
        if (settings_given(task->settings, *others))
            return error_set(
                error, ERROR_USAGE,
                "--%s says what is measured, so --%s can't be given with it: leave one "
                "out",
                option, *others);
    return 0;
}

/* A set of all threads together, of which each array of each of them gets a share. */
static int check_size(struct bandwidth_state *state, const struct probe_task *task,
                      struct error *error)
{
    char asked[UNIT_TEXT], bound[UNIT_TEXT];
    size_t *counts, n = bandwidth_counts(task, &counts);
    if (n == 0)
        return error_out_of_memory(error);
    const uint64_t least = bandwidth_least_set(state) * state->cpu_count;
    const double most =
        (double)machine_memory_budget(task->machine) / bandwidth_parts_share(counts, n);
    state->size = settings_size(task->settings, "size");
    size_format((double)state->size, asked);
    if (state->size < least)
        return error_set(error, ERROR_USAGE,
                         "--size %s: too small for the arrays of %zu thread%s; ask for at least "
                         "%s, or for fewer --threads",
                         asked, state->cpu_count, state->cpu_count == 1 ? "" : "s",
                         size_format((double)least, bound));
    if ((double)state->size > most)
        return error_set(error, ERROR_USAGE,
                         "--size %s: with every thread's own memory more than half of what is "
                         "free; ask for at most %s",
                         asked, size_format((double)((uint64_t)most >> 20 << 20), bound));
    return 0;
}

static int check_least(const struct probe_task *task, const char *option, uint64_t bytes,
                       uint64_t least, struct error *error)
{
    char asked[UNIT_TEXT], bound[UNIT_TEXT];
    return bytes >= least
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--%s %s: too small for the arrays; ask for at least %s%s", option,
                           size_format((double)bytes, asked), size_format((double)least, bound),
                           settings_has(task->settings, "stride") ||
                                   settings_has(task->settings, "access")
                               ? ", or another --access"
                               : "");
}

/* What it goes through in one step does not fit in the largest set that there is by default. */
static int refuse_access(const struct bandwidth_state *state, const struct probe_task *task,
                         uint64_t least, struct error *error)
{
    char needs[UNIT_TEXT], most[UNIT_TEXT];
    const bool stride = settings_has(task->settings, "stride");
    return error_set(error, ERROR_USAGE,
                     "--%s: the arrays of %s take at least %s, and the largest set is by default "
                     "%s; ask for less, or for larger sets (--to)",
                     stride ? "stride" : "access", state->access_text,
                     size_format((double)least, needs),
                     size_format((double)working_sets_largest(task->machine), most));
}

static int choose_sizes(struct bandwidth_state *state, struct probe_task *task, struct error *error)
{
    const struct settings *settings = task->settings;
    const uint64_t least = bandwidth_least_set(state), *sizes;
    char most[UNIT_TEXT];
    int code = 0;
    if (least > machine_memory_budget(task->machine))
        return error_set(
            error, ERROR_USAGE,
            "--access %s: more than half of the memory that is free; the arrays have "
            "%s",
            state->access_text,
            size_format((double)(machine_memory_budget(task->machine) >> 20 << 20), most));
    for (size_t i = settings_has(settings, "sizes") ? settings_sizes(settings, "sizes", &sizes) : 0;
         i-- && code == 0;)
        code = check_least(task, "sizes", sizes[i], least, error);
    static const char *const ends[] = {"from", "to"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends && code == 0; i++)
        if (settings_has(settings, ends[i]))
            code = check_least(task, ends[i], settings_size(settings, ends[i]), least, error);
    if (code == 0 && !settings_has(settings, "to") && !settings_has(settings, "sizes") &&
        working_sets_largest(task->machine) < least)
        code = refuse_access(state, task, least, error);
    return code == 0 ? working_sets_choose(&state->sets, task, (size_t)least, error) : code;
}

int bandwidth_choose(struct bandwidth_state *state, struct probe_task *task, struct error *error)
{
    static const char *const sizes[] = {"from", "to", "per-octave", "sizes", NULL};
    static const char *const not_streams[] = {"kernel", "access", "stride",     "from", "to",
                                              "sizes",  "size",   "per-octave", NULL};
    static const char *const not_mixed[] = {"access", "stride", "stream", NULL};
    const bool stream = settings_has(task->settings, "stream");
    const bool mixed = settings_has(task->settings, "mix");
    const bool single = settings_has(task->settings, "size");
    int code = stream            ? refuse_beside(task, "stream", not_streams, error)
               : single || mixed ? refuse_beside(task, single ? "size" : "mix", sizes, error)
                                 : 0;
    if (code == 0 && mixed)
        code = refuse_beside(task, "mix", not_mixed, error);
    if (code == 0)
        code = choose_kernels(state, task, error);
    if (code == 0 && mixed) { /* whose loops are needed, whatever was named */
        static const enum stream_op ops[] = {STREAM_READ, STREAM_WRITE, STREAM_WRITE_NT};
        struct bandwidth_state loops = *state;
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            find_kernel(&loops, task, ops[i], false, NULL);
            state->mixed[ops[i]] = loops.kernels[ops[i]];
        }
        code = bandwidth_choose_mixes(state, task, error);
    }
    if (code == 0)
        code = choose_access(state, task, error);
    if (code == 0)
        code = choose_cpus(state, task, error);
    if (code < 0 || stream || (mixed && !single))
        return code;
    return single ? check_size(state, task, error) : choose_sizes(state, task, error);
}
