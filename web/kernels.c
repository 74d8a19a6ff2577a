/* Prints what the page shows of a GPU backend, the text of its kernels: print_kernels cuda|opencl.
 */
#include "measure/gpu/opencl/opencl.h"
#include "measure/gpu/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPABILITY = 90 }; /* the least that has every kernel */

int main(int argc, char **argv)
{
    const char *backend = argc == 2 ? argv[1] : "";
    char *ptx = strcmp(backend, "cuda") == 0 ? ptx_text(CAPABILITY) : NULL;
    const char *text = strcmp(backend, "opencl") == 0 ? opencl_text : ptx;
    if (!text) {
        fputs("usage: print_kernels cuda|opencl\n", stderr);
        return 2;
    }
    bool printed = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    free(ptx);
    return printed ? 0 : 1;
}
