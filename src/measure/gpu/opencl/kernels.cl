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
#if defined(__opencl_c_kernel_clock_scope_sub_group)
#define CLOCK() clock_read_sub_group()
#elif defined(__opencl_c_kernel_clock_scope_work_group)
#define CLOCK() clock_read_work_group()
#elif defined(__opencl_c_kernel_clock_scope_device)
#define CLOCK() clock_read_device()
#else
#define CLOCK() 0ul
#endif

#define FOUR(x) x x x x
#define FOLLOW(INDEX, LOAD) FOLLOW_FROM(INDEX, start + get_local_id(0), LOAD)
#define FOLLOW_FROM(INDEX, FIRST, LOAD) \
    INDEX at = (INDEX)(FIRST); \
    ulong rest = 0; \
    ulong began = CLOCK(); \
    for (ulong i = 0; i < groups; i++) { FOUR(FOUR(LOAD)) } \
    if (at == (INDEX)~0ul) out[3] = at; \
    out[1] = CLOCK() - began; \
    out[0] = at; \
    out[2] = rest;
#define OTHERS ulong start, ulong groups, __global ulong *out

__kernel void chase_32(__global uint *base, OTHERS)
{ FOLLOW(uint, at = base[at];) }
__kernel void chase_64(__global ulong *base, OTHERS)
{ FOLLOW(ulong, at = base[at];) }
__kernel void chase_128(__global ulong2 *base, OTHERS)
{ FOLLOW(ulong, { ulong2 both = base[at]; at = both.x; rest |= both.y; }) }
__kernel void chase_scalar(__global ulong *base, OTHERS)
{ FOLLOW_FROM(ulong, start, at = base[at];) }
__kernel void chase_constant(__constant ulong *base, OTHERS)
{ FOLLOW_FROM(ulong, start, at = base[at];) }
__kernel void chase_atomic(__global uint *base, OTHERS, uint zero)
{ FOLLOW(uint, at = atomic_add(&base[at], zero);) }
__kernel void chase_local(__global ulong *ring, OTHERS, ulong words, __local ulong *base)
{
    for (ulong i = 0; i < words; i++) base[i] = ring[i];
    FOLLOW(ulong, at = base[at];)
}
__kernel void chase_local_atomic(__global uint *ring, OTHERS, uint zero, ulong words,
                                 __local uint *base)
{
    for (ulong i = 0; i < words; i++) base[i] = ring[i];
    FOLLOW(uint, at = atomic_add(&base[at], zero);)
}
#ifdef __IMAGE_SUPPORT__
__kernel void chase_texture(__read_only image1d_buffer_t base, OTHERS)
{ FOLLOW(int, at = (int)read_imageui(base, at).x;) }
#endif

/* Elements are `stride` bytes apart; element first + i gets the index of element next[i]. */
__kernel void link(__global uchar *base, __global ulong *next, ulong stride, ulong first,
                   ulong count, ulong offset, uint width)
{
    ulong i = get_global_id(0);
    if (i >= count) return;
    __global uchar *at = base + offset + (first + i) * stride;
    ulong to = (offset + next[i] * stride) / width;
    if (width == 4) *(__global uint *)at = (uint)to;
    else *(__global ulong *)at = to;
}

#define SWEEP(WORK) \
    ulong items = get_global_size(0), part = (n + items - 1) / items; \
    for (ulong r = 0; r < repeats; r++) { \
        ulong item = (get_global_id(0) + r * turn) % items; \
        ulong i = step == 1 ? item * part : item; \
        ulong end = step == 1 ? min(i + part, n) : n; \
        for (; i < end; i += step) { WORK } \
    }
#define STREAM ulong n, ulong repeats, ulong step, ulong turn, __global ulong *sums

__kernel void stream_read(__global ulong2 *to, __global ulong2 *from, STREAM)
{
    ulong2 sum = 0;
    SWEEP(sum += from[i];)
    sums[get_global_id(0)] = sum.x + sum.y;
}
__kernel void stream_write(__global ulong2 *to, __global ulong2 *from, STREAM)
{ SWEEP(to[i] = (ulong2)(i, r);) }
__kernel void stream_copy(__global ulong2 *to, __global ulong2 *from, STREAM)
{ SWEEP(to[i] = from[i];) }

__kernel void empty(void) {}
