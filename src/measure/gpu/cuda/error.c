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
    {1, false, "the driver refuses an argument: update it, or report this with its version"},
    {2, false, "not enough memory: end other programs that use the device"},
    {3, false, "the driver was not started: please report it"},
    {4, false, "the driver is shutting down: start again"},
    {34, false,
     "this is the toolkit's stub, not the driver: take its folder out of LD_LIBRARY_PATH or set "
     "FATHOM_LIBCUDA to the driver's own libcuda.so.1"},
    {36, false, "the driver is too old: update it"},
    {46, false,
     "the device is busy or unavailable: another program has it for itself (nvidia-smi -q -d "
     "COMPUTE)"},
    {100, false,
     "no NVIDIA device can be seen: look at nvidia-smi, at CUDA_VISIBLE_DEVICES and, in a "
     "container, at whether it was given one"},
    {101, false, "the device is gone or may not be used: look at nvidia-smi"},
    {201, true, "the device's context is gone: start again"},
    {209, false, "the driver has no compiler for this device: update it"},
    {214, true,
     "the device's memory has an error that can't be corrected: reset it (nvidia-smi -r)"},
    {217, false, "these two devices can't reach each other's memory"},
    {218, false, "the driver does not accept the kernels' text: update it"},
    {220, true, "the link between devices has an error: look at nvidia-smi nvlink -e"},
    {221, false,
     "the driver's compiler is missing: install libnvidia-ptxjitcompiler of the same version"},
    {222, false, "the driver is too old for the kernels' text: update it"},
    {223, false, "compiling is switched off: unset CUDA_DISABLE_PTX_JIT"},
    {304, false, "the operating system refuses: look at who may use /dev/nvidia*"},
    {700, true, "a kernel went beyond its memory: please report it"},
    {701, false, "the device has too few registers or too little scratchpad for this launch"},
    {702, true,
     "the watchdog of the display ended the kernel: use a device without a display, or work "
     "from a text console"},
    {709, true, "the device's context was destroyed: start again"},
    {710, true, "a kernel stopped itself: please report it"},
    {714, true, "the device's hardware stopped a kernel: look for Xid in dmesg"},
    {715, true, "a kernel holds an instruction that this device lacks: please report it"},
    {716, true, "a kernel used a misaligned address: please report it"},
    {717, true, "a kernel used an address of the wrong space: please report it"},
    {718, true, "a kernel ran out of its text: please report it"},
    {719, true, "a kernel failed: look for Xid in dmesg"},
    {720, false, "the launch asks for more blocks at once than the device holds"},
    {800, false, "not permitted: ask for the right to use the device"},
    {801, false, "this device or driver does not support it"},
    {802, false, "the system is not ready: start nvidia-fabricmanager, or wait for it"},
    {803, false,
     "the library and the loaded kernel module are of different versions: restart the machine "
     "after a driver update, or mount the library that belongs to the host's driver"},
    {804, false,
     "a forward-compatibility library does not support this device: take the cuda-compat folder "
     "out of LD_LIBRARY_PATH"},
    {805, false, "can't connect to the MPS server: start nvidia-cuda-mps-control, or end it"},
    {806, false, "the MPS server failed: restart it"},
    {807, false, "the MPS server is not ready: try again"},
    {808, false, "the MPS server has no room for another program: end one"},
    {809, false, "the MPS server has no connection left: end a program"},
    {810, true, "the MPS server ended this program's work: start again"},
    {900, true, "the stream is being captured: please report it"},
    {912, false, "this device has no clusters of that size: ask for a smaller one"},
    {999, true,
     "the driver does not say why: look at dmesg; after a suspend reload the module nvidia_uvm"},
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
