#include "measure/kernels/stream.h"

#include "stream_loops.h"

const char *const stream_op_names[STREAM_OPS + 1] = {
    "read", "write", "write_nt", "copy", "copy_nt", "scale", "add", "triad", "triad_nt"};
const char *const stream_width_names[STREAM_WIDTHS + 1] = {"scalar", "128", "256", "512", "sve"};
const double stream_factor = 3; /* as in STREAM */

typedef void stream_loop(void *to, const void *from, const void *with, uint64_t stride,
                         uint64_t steps);

static void next_run(struct stream *stream)
{
    const uint64_t all = ~UINT64_C(0) >> __builtin_clzll(stream->runs | 1);
    do
        stream->run = (stream->run * stream->factor + stream->increment) & all;
    while (stream->run >= stream->runs);
    stream->at = stream->run * stream->run_bytes;
    stream->left = stream->steps;
}

/* One call of the loop does all steps to the end of a run, so only one branch per run is
 * mispredicted. */
static inline __attribute__((always_inline)) uint64_t walk(struct stream *stream, uint64_t repeats,
                                                           stream_loop *loop)
{
    while (repeats) {
        if (!stream->left)
            next_run(stream);
        const uint64_t steps = repeats < stream->left ? repeats : stream->left;
        loop(stream->to + stream->at, stream->from + stream->at, stream->with + stream->at,
             stream->stride, steps);
        stream->at += steps * stream->stride;
        stream->left -= steps;
        repeats -= steps;
    }
    /* Nothing waits until stores past the caches have left their few buffers: that stops the
     * stream, for a tenth of a chunk of 3 us, and a run that goes on has as many under way at its
     * beginning as at its end. */
    return stream->at;
}

#define RUN(name)                                                                                  \
    static uint64_t stream_##name##_run(void *state, uint64_t repeats)                             \
    {                                                                                              \
        return walk(state, repeats, loops_##name);                                                 \
    }
#define RUNS(OP, name, WIDTH, loads, stores, past) RUN(name) RUN(name##_lines)
#define LINE(OP, name, WIDTH, loads, stores, past)                                                 \
    {OP, WIDTH, loads, stores, past, stream_##name##_run, stream_##name##_lines_run},
#define CACHED(X, width, WIDTH)                                                                    \
    X(STREAM_READ, read_##width, WIDTH, 1, 0, false)                                               \
    X(STREAM_WRITE, write_##width, WIDTH, 0, 1, false)                                             \
    X(STREAM_COPY, copy_##width, WIDTH, 1, 1, false)                                               \
    X(STREAM_SCALE, scale_##width, WIDTH, 1, 1, false)                                             \
    X(STREAM_ADD, add_##width, WIDTH, 2, 1, false)                                                 \
    X(STREAM_TRIAD, triad_##width, WIDTH, 2, 1, false)
#define PAST(X, width, WIDTH)                                                                      \
    X(STREAM_WRITE_NT, write_nt_##width, WIDTH, 0, 1, true)                                        \
    X(STREAM_COPY_NT, copy_nt_##width, WIDTH, 1, 1, true)                                          \
    X(STREAM_TRIAD_NT, triad_nt_##width, WIDTH, 2, 1, true)
#define CACHED_RUNS(width, WIDTH)  CACHED(RUNS, width, WIDTH)
#define PAST_RUNS(width, WIDTH)    PAST(RUNS, width, WIDTH)
#define CACHED_LINES(width, WIDTH) CACHED(LINE, width, WIDTH)
#define PAST_LINES(width, WIDTH)   PAST(LINE, width, WIDTH)
STREAM_WIDTH_LIST(CACHED_RUNS)
STREAM_PAST_LIST(PAST_RUNS)
static const struct stream_kernel kernels[] = {STREAM_WIDTH_LIST(CACHED_LINES)
                                                   STREAM_PAST_LIST(PAST_LINES)};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const struct stream_kernel *stream_find(enum stream_op op, enum stream_width width,
                                        const char **missing)
{
    const char *lacks = loops_stream_lacks(width);
    for (unsigned i = 0; i < KERNELS && !lacks; i++)
        if (kernels[i].op == op && kernels[i].width == width)
            return &kernels[i];
    if (missing)
        *missing = lacks ? lacks : "there are no stores past the caches of that width here";
    return NULL;
}

enum stream_width stream_usual_width(void)
{
    return loops_stream_usual_width();
}

/* Where each array begins. A load waits for a pending store if their addresses have the same
 * lowest twelve bits (Intel Optimization Reference Manual, "4-KByte aliasing"; Zen compares the
 * same bits), so the arrays are a third of a page apart, modulo pages. */
enum { PAGE = 4096, APART = 21 * STREAM_LINE_BYTES };

static uint64_t array_at(unsigned index, uint64_t array_bytes)
{
    return index * ((array_bytes + PAGE - 1) / PAGE * PAGE + APART);
}

uint64_t stream_extent(unsigned arrays, uint64_t array_bytes)
{
    return array_at(arrays - 1, array_bytes) + array_bytes;
}

/* Whether the access takes the loop of single lines. */
static bool goes_by_lines(const struct stream_access *access)
{
    return access->pattern == STREAM_STRIDED ||
           (access->pattern == STREAM_RANDOM_BLOCK && access->bytes % STREAM_STEP_BYTES != 0);
}

uint64_t stream_step_bytes(const struct stream_kernel *kernel, const struct stream_access *access)
{
    return (kernel->loads + kernel->stores) *
           (uint64_t)(goes_by_lines(access) ? STREAM_LINE_BYTES : STREAM_STEP_BYTES);
}

kernel_function *stream_lay_out(struct stream *stream, const struct stream_kernel *kernel,
                                unsigned char *memory, uint64_t array_bytes,
                                const struct stream_access *access, uint64_t seed, uint64_t *steps)
{
    const bool lines = goes_by_lines(access);
    const uint64_t step = lines ? STREAM_LINE_BYTES : STREAM_STEP_BYTES;
    unsigned char *first = memory, *second = memory + array_at(1, array_bytes);
    *stream = (struct stream){.to = first,
                              .from = kernel->stores ? second : first,
                              .with = memory + array_at(2, array_bytes),
                              .stride = step,
                              .steps = array_bytes / step,
                              .runs = 1,
                              .factor = 1,
                              .increment = 1};
    if (access->pattern == STREAM_STRIDED) {
        stream->stride = access->bytes;
        stream->steps = array_bytes / access->bytes;
        stream->runs = access->bytes / STREAM_LINE_BYTES;
        stream->run_bytes = STREAM_LINE_BYTES;
    } else if (access->pattern == STREAM_RANDOM_BLOCK) {
        stream->steps = access->bytes / step;
        stream->runs = array_bytes / access->bytes;
        stream->run_bytes = access->bytes;
        /* A full period modulo any power of two: Hull and Dobell, "Random Number Generators", 1962.
         */
        stream->factor = UINT64_C(6364136223846793005);
        stream->increment = seed | 1;
    }
    stream->run = stream->runs - 1; /* so that next_run() begins with run 0 unless runs are in
                                       random order */
    *steps = stream->steps * stream->runs;
    return lines ? kernel->run_lines : kernel->run;
}
