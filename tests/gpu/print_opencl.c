/* Prints the text of the OpenCL backend's kernels. */
#include "measure/gpu/opencl/opencl.h"

#include <stdio.h>

int main(void)
{
    return fputs(opencl_text, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 1;
}
