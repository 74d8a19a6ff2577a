#include "measure/gpu/cuda/cuda.h"

#include <stdarg.h>
#include <stdio.h>

/* Results with an explanation: CUDA's number, what it means, what to do. */
struct meaning {
    int result;
    bool fatal; /* CUDA refuses everything on this context from now on */
    const char *text;
};

static const struct meaning meanings[] = {
#include "error.texts.h"
};

static const struct meaning *meaning_of(int result)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].result == result)
            return &meanings[i];
    return NULL;
}

int cuda_report(const struct cuda_calls *calls, const char *before, const char *call, int result,
                struct error *error)
{
    if (result == 0)
        return 0;
    const char *name = NULL;
    const struct meaning *meaning = meaning_of(result);
    if (calls->cuGetErrorName(result, &name) != 0 || !name)
        name = "an error without a name";
    return error_set(error, ERROR_IMPOSSIBLE, "%s: %s: %s (%d): %s", before, call, name, result,
                     meaning ? meaning->text : "look at dmesg and at the driver's version");
}

bool cuda_check(struct cuda_gpu *gpu, const char *call, int result)
{
    if (result == 0 || result == CUDA_NOT_ASKED)
        return result == 0;
    char before[24];
    snprintf(before, sizeof before, "gpu%u", gpu->index);
    struct error here;
    cuda_report(&gpu->library->calls, before, call, result, &here);
    const struct meaning *meaning = meaning_of(result);
    if (meaning && meaning->fatal && !gpu->lost.code)
        gpu->lost = here;
    if (cuda_works(gpu))
        gpu->failure = here;
    return false;
}

bool cuda_fail(struct cuda_gpu *gpu, const char *format, ...)
{
    char reason[sizeof gpu->failure.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (cuda_works(gpu))
        error_set(&gpu->failure, ERROR_IMPOSSIBLE, "gpu%u: %s", gpu->index, reason);
    return false;
}

bool cuda_fail_memory(struct cuda_gpu *gpu)
{
    if (cuda_works(gpu))
        error_out_of_memory(&gpu->failure);
    return false;
}

void cuda_fail_more(struct cuda_gpu *gpu, const char *before, const char *more)
{
    const struct error first = gpu->failure;
    error_set(&gpu->failure, first.code, "%s%s%s", first.text, before, more);
}

int cuda_outcome(const struct cuda_gpu *gpu, struct error *error)
{
    return cuda_works(gpu) ? 0 : error_set(error, gpu->failure.code, "%s", gpu->failure.text);
}
