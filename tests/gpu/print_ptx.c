/* Prints the text of the CUDA backend's kernels for a device: print_ptx CAPABILITY (75, 90), or
 * with "beside" that of the kernels which such a device gets beside it. */
#include "measure/gpu/ptx/ptx.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *end = NULL;
    const bool beside = argc == 3 && strcmp(argv[2], "beside") == 0;
    unsigned long capability = argc == 2 || beside ? strtoul(argv[1], &end, 10) : 0;
    if (capability < 50 || capability > 1000 || *end) {
        fputs("usage: print_ptx CAPABILITY, 10 * major + minor: 75 [beside]\n", stderr);
        return 2;
    }
    char *text = (beside ? ptx_text_beside : ptx_text)((unsigned)capability);
    if (!text) {
        fputs("print_ptx: out of memory\n", stderr);
        return 1;
    }
    bool printed = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    free(text);
    return printed ? 0 : 1;
}
