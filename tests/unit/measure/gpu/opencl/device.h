/*
 * A real OpenCL device for the tests, as a rule PoCL's: the first that is a CPU, else the first.
 * Where there is none, each test that asks for it is skipped, with the library's own reason.
 */
#ifndef FATHOM_TESTS_UNIT_GPU_OPENCL_DEVICE_H
#define FATHOM_TESTS_UNIT_GPU_OPENCL_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#undef stop /* cmocka 2 has a macro of this name, which is one of a backend's functions too */

#include "measure/gpu/opencl/opencl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PoCL 3.1 forgets an image of a buffer that is released. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl";
}

enum { TRIES = 5 };

struct bench {
    struct pool pool;
    union {
        struct gpu_library *library;
        struct opencl_library *driver; /* the same, from inside */
    };
    struct gpu_facts *facts;
    size_t count, index;
    union {
        struct gpu *gpu;
        struct opencl_gpu *own;
    };
    struct error error;
};

static inline int bench_open(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    *state = bench;
    if (!bench)
        return -1;
    if (gpu_opencl.open(&bench->library, &bench->pool, &bench->facts, &bench->count, &bench->error))
        return bench->error.code == ERROR_IMPOSSIBLE ? 0 : -1;
    for (size_t i = bench->count; i-- > 0;)
        if (strcmp(bench->facts[i].kind, "cpu") == 0)
            bench->index = i;
    return gpu_opencl.start(bench->library, bench->index, &bench->gpu, &bench->error);
}

static inline int bench_close(void **state)
{
    struct bench *bench = *state;
    gpu_opencl.stop(bench->gpu);
    gpu_opencl.close(bench->library);
    pool_free(&bench->pool);
    free(bench);
    return 0;
}

static inline struct bench *bench_need(void **state)
{
    struct bench *bench = *state;
    if (!bench->library) {
        print_message("# %s\n", bench->error.text);
        skip();
    }
    return bench;
}

static inline void bench_prepare(struct bench *bench, const struct gpu_work *work)
{
    if (gpu_opencl.prepare(bench->gpu, work, 1, &bench->error))
        fail_msg("%s", bench->error.text);
}

/* A batch of at least that many operations, whose time makes sense. Returns what it did. Whoever
 * holds the CPUs for long makes it seem that more repeats take no longer: each run begins with
 * more. */
static inline uint64_t bench_run(struct bench *bench, const struct gpu_work *work, uint64_t repeats)
{
    uint64_t did = 0;
    struct gpu_time time = {0, 0};
    struct error error = {0};
    for (int try = 1; gpu_opencl.run(bench->gpu, work, repeats, &did, &time, &error); try++)
        if (try == TRIES || !strstr(error.text, "times make no sense"))
            fail_msg("%s", error.text);
    assert_true(time.ns > 0);
    return did;
}

static inline void bench_works(const struct bench *bench)
{
    if (!opencl_works(bench->own))
        fail_msg("%s", bench->own->failure.text);
}

/* What lies in a buffer of the device; the caller frees it. */
static inline void *bench_bytes(struct bench *bench, struct opencl_memory *memory, size_t bytes)
{
    void *copy = malloc(bytes);
    assert_non_null(copy);
    opencl_read(bench->own, memory, bytes, copy);
    bench_works(bench);
    return copy;
}

/* One line, with a thing that it has to say. */
static inline void assert_line(const struct error *error, const char *says)
{
    assert_int_equal(error->code, ERROR_IMPOSSIBLE);
    assert_null(strchr(error->text, '\n'));
    if (!strstr(error->text, says))
        fail_msg("'%s' does not say '%s'", error->text, says);
}

#endif
