#include "measure/gpu/opencl/opencl.h"

const char opencl_text[] =
#include "kernels.cl.h"
    ;
