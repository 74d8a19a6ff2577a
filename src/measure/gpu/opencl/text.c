#include "measure/gpu/opencl/opencl.h"

/*
 * The kernels, in OpenCL C 1.2, for the device's own compiler.
 *
 * A chase follows element indices in a buffer, because in OpenCL the host does not know device
 * addresses. So each load's time includes computing an address from an index (one shift and add, or
 * one multiply-add). `base` is neither const nor restrict, because a compiler could otherwise use a
 * read-only path.
 *
 * If an address is the same for all items of a group, AMD's compiler emits a scalar load, which
 * uses a separate small cache and never the vector units' cache (clamchowder's Microbenchmarks
 * measure each with its own kernel). So a chase adds the item's number to its first index: it is 0,
 * but the compiler can't know. Only the chases of scalar loads and of constant memory do not.
 * tests/gpu/amdgcn counts the loads.
 *
 * The 128-bit chase uses both halves of each load; otherwise a compiler could load only one. The
 * atomic chases get their zero at run time; otherwise a compiler could turn the addition of zero
 * into a plain load.
 *
 * The branch before the second reading of the clock is never taken; it waits for the last load. The
 * clock's rate depends on the device. The sub-group's clock is preferred, because it may count the
 * multiprocessor's own cycles.
 *
 * A stream moves its memory in 16-byte elements, many times in one launch. In each pass an item
 * moves another item's part (`turn` away), so that a multiprocessor's first-level cache never holds
 * what it reads next. `step` is the distance between an item's elements: on a GPU the number of
 * items, because it combines loads of neighbouring items; on a CPU 1, because each item runs
 * through its own part.
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
    /* Elements are `stride` bytes apart; element first + i gets the index of element next[i]. */
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
