#include "measure/gpu/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text for a target can be compiled for every later device, so a second target is needed only for
 * kernels that require it. A lower target is better: from 7.0 on, threads of a warp can wait for
 * each other, and ptxas adds instructions for that to loops, but not in text for an earlier target.
 * So what needs 7.0 is a text of its own for devices below 9.0, which an older driver may refuse.
 */
static const struct target {
    unsigned capability;
    const char *version; /* of PTX: the first version with this target, for the oldest drivers */
} targets[] = {{50, "4.0"}, {90, "7.8"}}, beside = {PTX_BESIDE, "7.4"};

enum { TARGETS = sizeof targets / sizeof *targets };

#include "kernels.ptx.h"

const struct ptx_kernel *ptx_chase(enum gpu_path path, unsigned width_bits, enum gpu_before before)
{
    /* Where nothing comes before, the kernel's own untimed loads are left out. */
    const enum gpu_before kind = before == GPU_NOTHING ? GPU_ITSELF : before;
    /* The first kernel of a path has its default width. */
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++)
        if (kernel->action == GPU_CHASE && kernel->path == path && kernel->before == kind &&
            (!width_bits || kernel->width_bits == width_bits))
            return kernel;
    return NULL;
}

const struct ptx_kernel *ptx_stream(enum gpu_traffic traffic, enum gpu_path path, bool each)
{
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++)
        if (kernel->action == GPU_STREAM && kernel->traffic == traffic && kernel->path == path &&
            kernel->each == each)
            return kernel;
    return NULL;
}

const struct ptx_kernel *ptx_named(const char *name)
{
    const struct ptx_kernel *kernel = ptx_kernels;
    while (strcmp(kernel->name, name) != 0)
        kernel++;
    return kernel;
}

/* The kernels that need more than `above`. */
static char *text_of(const struct target *target, unsigned above)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out,
            ".version %s\n.target sm_%u\n.address_size 64\n\n"
            ".extern .shared .align 16 .b8 scratch[];\n"
            ".visible .const .align 16 .b8 " PTX_CONSTANT_BANK "[%d];\n",
            target->version, target->capability, PTX_CONSTANT_BYTES);
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++)
        if (kernel->least_capability > above && kernel->least_capability <= target->capability)
            fputs(kernel->text, out);
    bool failed = ferror(out);
    if (fclose(out) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

char *ptx_text(unsigned capability)
{
    const struct target *target = targets;
    for (size_t i = 0; i < TARGETS && targets[i].capability <= capability; i++)
        target = &targets[i];
    return text_of(target, 0);
}

char *ptx_text_beside(unsigned capability)
{
    const bool other = capability >= beside.capability && capability < targets[1].capability;
    return other ? text_of(&beside, targets[0].capability) : NULL;
}
