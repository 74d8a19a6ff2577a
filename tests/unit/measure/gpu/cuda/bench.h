/*
 * A modelled NVIDIA device for the tests: the driver's stand-in (tests/gpu/stand_in), set up by
 * each test. Its time is modelled, so what it says depends on no machine and no load.
 */
#ifndef FATHOM_TESTS_UNIT_GPU_CUDA_BENCH_H
#define FATHOM_TESTS_UNIT_GPU_CUDA_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#undef stop /* cmocka 2 has a macro of this name, which is one of a backend's functions too */

#include "measure/gpu/cuda/cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    struct pool pool;
    union {
        struct gpu_library *library;
        struct cuda_library *driver; /* the same, from inside */
    };
    struct gpu_facts *facts;
    size_t count;
    union {
        struct gpu *gpu;
        struct cuda_gpu *cuda;
    };
    struct error error;
    uint64_t did;
    struct gpu_time time;
};

static inline void bench_model(const char *model, const char *fault)
{
    const char *path = getenv("FATHOM_CUDA_MODEL");
    if (!path) {
        print_message("# FATHOM_CUDA_MODEL names no library: run by 'meson test'\n");
        skip();
    }
    setenv("FATHOM_LIBCUDA", path, 1);
    setenv("FATHOM_GPU_MODEL", model, 1);
    setenv("FATHOM_GPU_FAULT", fault, 1);
}

static inline int bench_list(struct bench *bench)
{
    *bench = (struct bench){.count = 99};
    return gpu_cuda.open(&bench->library, &bench->pool, &bench->facts, &bench->count,
                         &bench->error);
}

/* With `fault` from the very beginning. */
static inline int bench_try(struct bench *bench, const char *model, const char *fault)
{
    bench_model(model, fault);
    int code = bench_list(bench);
    return code < 0 ? code : gpu_cuda.start(bench->library, 0, &bench->gpu, &bench->error);
}

static inline void bench_open(struct bench *bench, const char *model)
{
    if (bench_try(bench, model, ""))
        fail_msg("%s", bench->error.text);
}

static inline void bench_close(struct bench *bench)
{
    gpu_cuda.stop(bench->gpu);
    gpu_cuda.close(bench->library);
    pool_free(&bench->pool);
}

static inline int bench_restore(void **state)
{
    unsetenv("FATHOM_LIBCUDA");
    unsetenv("FATHOM_LIBNVML");
    unsetenv("FATHOM_GPU_MODEL");
    unsetenv("FATHOM_GPU_FAULT");
    return 0;
}

static inline void bench_prepare(struct bench *bench, const struct gpu_work *work, uint64_t seed)
{
    if (gpu_cuda.prepare(bench->gpu, work, seed, &bench->error))
        fail_msg("%s", bench->error.text);
}

static inline int bench_try_run(struct bench *bench, const struct gpu_work *work, uint64_t repeats)
{
    return gpu_cuda.run(bench->gpu, work, repeats, &bench->did, &bench->time, &bench->error);
}

static inline void bench_run(struct bench *bench, const struct gpu_work *work, uint64_t repeats)
{
    if (bench_try_run(bench, work, repeats))
        fail_msg("%s", bench->error.text);
    assert_true(bench->did >= repeats);
    assert_true(bench->time.ns > 0);
}

/* Both, and cycles of one operation. */
static inline double bench_cycles(struct bench *bench, const struct gpu_work *work,
                                  uint64_t repeats)
{
    bench_prepare(bench, work, 1);
    bench_run(bench, work, repeats);
    return bench->time.cycles / (double)bench->did;
}

static inline void assert_near(double value, double wanted, double share)
{
    if (!(fabs(value - wanted) <= share * wanted))
        fail_msg("%g is not within %g %% of %g", value, 100 * share, wanted);
}

static inline void assert_says(const char *text, const char *says)
{
    if (!strstr(text, says))
        fail_msg("'%s' does not say '%s'", text, says);
    assert_null(strchr(text, '\n'));
}

/* Of a refusal: one line that says so. */
static inline void assert_line(const struct error *error, const char *says)
{
    assert_int_equal(error->code, ERROR_IMPOSSIBLE);
    assert_says(error->text, says);
}

static inline void assert_refuses(struct bench *bench, const struct gpu_work *work,
                                  const char *says)
{
    const char *why = gpu_cuda.refuses(bench->gpu, work);
    assert_non_null(why);
    assert_says(why, says);
    assert_int_equal(gpu_cuda.prepare(bench->gpu, work, 1, &bench->error), ERROR_IMPOSSIBLE);
    assert_line(&bench->error, why);
}

static inline struct gpu_work chase_of(enum gpu_path path, size_t bytes, size_t stride)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = path;
    work.bytes = bytes;
    work.stride = stride;
    return work;
}

/* How many pieces of memory the modelled driver and host hold. */
static inline unsigned long long bench_held(const struct bench *bench)
{
    unsigned long long (*held)(void);
    *(void **)&held = dlsym(bench->driver->handle, "fathomModelHeld");
    assert_true(held != NULL);
    return held();
}

/* Free memory of the current device, as the stand-in counts it: what fathom holds is the rest. 0
 * where it can't be known. */
static inline size_t bench_free_bytes(struct bench *bench)
{
    size_t free_bytes = 0, total = 0;
    return bench->driver->calls.cuMemGetInfo(&free_bytes, &total) == 0 ? free_bytes : 0;
}

/* A work that fails, each time with that fault of the driver, and holds nothing that it did not
 * hold when it had failed before. */
static inline void bench_fail(struct bench *bench, const struct gpu_work *work, const char *fault)
{
    unsigned long long held = 0;
    for (int time = 0; time < 2; time++) {
        setenv("FATHOM_GPU_FAULT", fault, 1);
        assert_int_equal(gpu_cuda.prepare(bench->gpu, work, 1, &bench->error), ERROR_IMPOSSIBLE);
        setenv("FATHOM_GPU_FAULT", "", 1);
        bench_free_bytes(bench); /* a call, by which the driver learns of it */
        if (time > 0)
            assert_int_equal(bench_held(bench), held);
        held = bench_held(bench);
    }
}

#endif
