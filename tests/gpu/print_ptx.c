/* Prints the text of the CUDA backend's kernels for a device: print_ptx CAPABILITY (75, 90). */
#include "measure/gpu/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long capability = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (capability < 50 || capability > 1000 || *end) {
        fputs("usage: print_ptx CAPABILITY, 10 * major + minor: 75\n", stderr);
        return 2;
    }
    char *text = ptx_text((unsigned)capability);
    if (!text) {
        fputs("print_ptx: out of memory\n", stderr);
        return 1;
    }
    bool printed = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    free(text);
    return printed ? 0 : 1;
}
