#include "measure/gpu/opencl/opencl.h"

/*
 * The kernels, in OpenCL C 1.2; the device's own compiler makes them.
 *
 * A chase follows element indices that lie in a buffer: OpenCL has no raw addresses that a host
 * could write there. So making an address of an index (one shift and add, or one multiply-add) is
 * part of each load's time. `base` is neither const nor restrict, or a compiler might take a
 * read-only path.
 *
 * Where an address is the same for all items of a group, AMD's compiler makes a scalar load of it,
 * which goes through a small cache of its own and never through the vector units' (measured so by
 * clamchowder's Microbenchmarks, with a kernel for each). A chase therefore begins at an index to
 * which the item's number is added: it is 0, but the compiler can't know. Only the scalar chase and
 * that of constant memory do without. tests/gpu/amdgcn counts the loads.
 *
 * The 128-bit chase uses both halves of what it loads, or a compiler would load the one only; the
 * atomic chases get their zero at run time, or a compiler would make a plain load of an addition of
 * zero.
 *
 * The branch before the second reading of the clock never comes true: it waits for the last load.
 * Which rate the clock has is the device's affair; the nearest one, of the sub-group, is asked for
 * first, because it may count the multiprocessor's own cycles.
 *
 * A stream goes over its memory in 16-byte elements, many times in one launch. Each time every
 * item has another item's part (`turn` away), so that a first-level cache, which is one
 * multiprocessor's own, never holds what it reads next. `step` is how far apart an item's elements
 * lie: all items' side by side, as a GPU joins neighbours' loads to one; or 1, where an item is a
 * CPU and goes through a part of its own.
 */
const char opencl_text[] =
    "#if defined(__opencl_c_kernel_clock_scope_sub_group)\n"
    "#define CLOCK() clock_read_sub_group()\n"
    "#elif defined(__opencl_c_kernel_clock_scope_work_group)\n"
    "#define CLOCK() clock_read_work_group()\n"
    "#elif defined(__opencl_c_kernel_clock_scope_device)\n"
    "#define CLOCK() clock_read_device()\n"
    "#else\n"
    "#define CLOCK() 0ul\n"
    "#endif\n"
    "\n"
    "#define FOUR(x) x x x x\n"
    "#define FOLLOW(INDEX, LOAD) FOLLOW_FROM(INDEX, start + get_local_id(0), LOAD)\n"
    "#define FOLLOW_FROM(INDEX, FIRST, LOAD) \\\n"
    "    INDEX at = (INDEX)(FIRST); \\\n"
    "    ulong rest = 0; \\\n"
    "    ulong began = CLOCK(); \\\n"
    "    for (ulong i = 0; i < groups; i++) { FOUR(FOUR(LOAD)) } \\\n"
    "    if (at == (INDEX)~0ul) out[3] = at; \\\n"
    "    out[1] = CLOCK() - began; \\\n"
    "    out[0] = at; \\\n"
    "    out[2] = rest;\n"
    "#define OTHERS ulong start, ulong groups, __global ulong *out\n"
    "\n"
    "__kernel void chase_32(__global uint *base, OTHERS)\n"
    "{ FOLLOW(uint, at = base[at];) }\n"
    "__kernel void chase_64(__global ulong *base, OTHERS)\n"
    "{ FOLLOW(ulong, at = base[at];) }\n"
    "__kernel void chase_128(__global ulong2 *base, OTHERS)\n"
    "{ FOLLOW(ulong, { ulong2 both = base[at]; at = both.x; rest |= both.y; }) }\n"
    "__kernel void chase_scalar(__global ulong *base, OTHERS)\n"
    "{ FOLLOW_FROM(ulong, start, at = base[at];) }\n"
    "__kernel void chase_constant(__constant ulong *base, OTHERS)\n"
    "{ FOLLOW_FROM(ulong, start, at = base[at];) }\n"
    "__kernel void chase_atomic(__global uint *base, OTHERS, uint zero)\n"
    "{ FOLLOW(uint, at = atomic_add(&base[at], zero);) }\n"
    "__kernel void chase_local(__global ulong *ring, OTHERS, ulong words, __local ulong *base)\n"
    "{\n"
    "    for (ulong i = 0; i < words; i++) base[i] = ring[i];\n"
    "    FOLLOW(ulong, at = base[at];)\n"
    "}\n"
    "__kernel void chase_local_atomic(__global uint *ring, OTHERS, uint zero, ulong words,\n"
    "                                 __local uint *base)\n"
    "{\n"
    "    for (ulong i = 0; i < words; i++) base[i] = ring[i];\n"
    "    FOLLOW(uint, at = atomic_add(&base[at], zero);)\n"
    "}\n"
    "#ifdef __IMAGE_SUPPORT__\n"
    "__kernel void chase_texture(__read_only image1d_buffer_t base, OTHERS)\n"
    "{ FOLLOW(int, at = (int)read_imageui(base, at).x;) }\n"
    "#endif\n"
    "\n"
    /* Element first + i, `stride` bytes from the next, gets the index of element next[i]. */
    "__kernel void link(__global uchar *base, __global ulong *next, ulong stride, ulong first,\n"
    "                   ulong count, ulong offset, uint width)\n"
    "{\n"
    "    ulong i = get_global_id(0);\n"
    "    if (i >= count) return;\n"
    "    __global uchar *at = base + offset + (first + i) * stride;\n"
    "    ulong to = (offset + next[i] * stride) / width;\n"
    "    if (width == 4) *(__global uint *)at = (uint)to;\n"
    "    else *(__global ulong *)at = to;\n"
    "}\n"
    "\n"
    "#define SWEEP(WORK) \\\n"
    "    ulong items = get_global_size(0), part = (n + items - 1) / items; \\\n"
    "    for (ulong r = 0; r < repeats; r++) { \\\n"
    "        ulong item = (get_global_id(0) + r * turn) % items; \\\n"
    "        ulong i = step == 1 ? item * part : item; \\\n"
    "        ulong end = step == 1 ? min(i + part, n) : n; \\\n"
    "        for (; i < end; i += step) { WORK } \\\n"
    "    }\n"
    "#define STREAM ulong n, ulong repeats, ulong step, ulong turn, __global ulong *sums\n"
    "\n"
    "__kernel void stream_read(__global ulong2 *to, __global ulong2 *from, STREAM)\n"
    "{\n"
    "    ulong2 sum = 0;\n"
    "    SWEEP(sum += from[i];)\n"
    "    sums[get_global_id(0)] = sum.x + sum.y;\n"
    "}\n"
    "__kernel void stream_write(__global ulong2 *to, __global ulong2 *from, STREAM)\n"
    "{ SWEEP(to[i] = (ulong2)(i, r);) }\n"
    "__kernel void stream_copy(__global ulong2 *to, __global ulong2 *from, STREAM)\n"
    "{ SWEEP(to[i] = from[i];) }\n"
    "\n"
    "__kernel void empty(void) {}\n";
