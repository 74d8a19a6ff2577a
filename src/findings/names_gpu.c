#include "findings/names.h"

/* Of each device; the number behind "gpu" is its place in machine.gpus. Written out rather than
 * with stars where there are few, so that tests/cli/manual knows the ends that the probe is written
 * with.
 */
const struct finding_line finding_names_gpu[] = {
    {.probe = "gpu",
     .patterns = "gpu<n>.L<n>.latency, gpu<n>.DRAM.latency, gpu<n>.last.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "Load-to-use latency in cycles of the multiprocessor's clock, from the plateau "
                "of the curve that this level serves: one thread, one dependent load after "
                "another. L2 and DRAM run at clocks of their own, so their cycles move when "
                "the multiprocessors' clock does; so they do with where a line of L2 lies.",
     .advice = "Hide it: bandwidth times latency has to be under way, in more warps or in "
               "more independent loads of each."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L<n>.latency_ns, gpu<n>.DRAM.latency_ns, gpu<n>.last.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time, by the device's own timer. The clock moves it: "
                "power, heat and what was locked.",
     .advice = "Compare it between devices; between runs on one device compare L1's cycles "
               "and DRAM's ns."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "Up to which working set this level serves what one multiprocessor loads; "
                "declared is what the driver says. L1 and the scratchpad share one memory, and "
                "the split between them decides; of an L2 in two halves less than all may "
                "serve one multiprocessor.",
     .advice = "Block for the lower end of its interval; ask for another split (--l1) where "
               "L1 is too small."},
    {.probe = "gpu",
     .patterns = "gpu<n>.levels.untold, gpu<n>.split.*.levels.untold",
     .unit = "",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning =
         "Where the curve has sizes, but no two that agree: a level may be hidden there, and "
         "any number for it would be a guess. It has no value, its text says where.",
     .advice = "Measure more sizes there."},
    {.probe = "gpu",
     .patterns = "gpu<n>.levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve shows more or fewer caches than the driver declares; it has no "
                "value, its text says which.",
     .advice = "Look at the curve: translation, an L2 in two halves or a partition (MIG) can "
               "make or hide a level."},
    {.probe = "gpu",
     .patterns = "gpu<n>.clock",
     .unit = "Hz",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "The multiprocessors' clock while they were measured: cycles over time, both "
                "told by the device. Power, heat and what was locked move it.",
     .advice = "Where it is far below the highest that the driver declares, look at power and "
               "heat (nvidia-smi -q -d PERFORMANCE), or lock it before you compare ns."},
    {.probe = "gpu",
     .patterns = "gpu<n>.condition",
     .unit = "",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "Between what the device's clocks, power and temperature lay while all of it "
                "was measured, and what slowed its clock, as NVML tells them; it has no value, "
                "its text says it. Companions of the curves tell them point by point.",
     .advice = "Where a clock moved or was slowed, cool the device or lock its clock "
               "(nvidia-smi -lgc), and repeat."},
    {.probe = "gpu",
     .patterns = "gpu<n>.split.*.L<n>.latency, gpu<n>.split.*.DRAM.latency, "
                 "gpu<n>.split.*.last.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The latency of that level where so much of the first-level memory is L1 (--l1 "
                "sweep).",
     .advice = "It should be the same for all splits; where it is not, look at that split's "
               "curve."},
    {.probe = "gpu",
     .patterns = "gpu<n>.split.*.L<n>.latency_ns, gpu<n>.split.*.DRAM.latency_ns, "
                 "gpu<n>.split.*.last.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same latency in time, by the device's own timer.",
     .advice = "Compare it between devices; within one, the cycles hold better."},
    {.probe = "gpu",
     .patterns = "gpu<n>.split.*.L<n>.capacity",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The capacity of that level where so much of the first-level memory is L1.",
     .advice = "Where L1 is not as large as the split's name says, the driver took another "
               "split."},
    {.probe = "gpu",
     .patterns = "gpu<n>.split.*.levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve of that split shows more or fewer caches than the driver declares.",
     .advice = "Look at that split's curve, and hold it against those of the other splits."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L1.load32.latency, gpu<n>.L1.load64.latency, gpu<n>.L1.load128.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "Loads of so many bits that hit L1. 32 bits hold an index, so the arithmetic "
                "that makes an address of it counts too; 64 hold the address; 128 hold it "
                "beside another word.",
     .advice = "Load wide where data lies together; keep addresses rather than indices on a "
               "chain that is followed."},
    {.probe = "gpu",
     .patterns = "gpu<n>.shared.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load from the multiprocessor's own scratchpad (shared memory; local memory "
                "in OpenCL), without bank conflicts.",
     .advice = "Hold L1's against it: so much is won by keeping hot data there by hand."},
    {.probe = "gpu",
     .patterns = "gpu<n>.shared.atomic.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "An atomic addition in the scratchpad, by one thread alone, until its result "
                "is there.",
     .advice = "Add up within a block there first, and once a block in device memory."},
    {.probe = "gpu",
     .patterns = "gpu<n>.constant<n>.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load of constant memory from an address known only at run time, by the "
                "cache that serves it: 1 is the multiprocessor's own, those above lie behind "
                "it.",
     .advice = "Keep what all threads of a warp read alike within the first of them."},
    {.probe = "gpu",
     .patterns = "gpu<n>.constant<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "How much of constant memory that cache serves.",
     .advice = "Keep tables in constant memory smaller than the first one, or leave them to "
               "L1."},
    {.probe = "gpu",
     .patterns = "gpu<n>.texture.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A fetch from a linear texture that the first level holds; the texture unit's "
                "own arithmetic is part of it.",
     .advice = "Use textures for what they do beside loading (filters, borders), not for "
               "their latency."},
    {.probe = "gpu",
     .patterns = "gpu<n>.readonly.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load by the read-only path (ld.global.nc), from the first level; that is L1 "
                "itself on most devices.",
     .advice = "Where it is no less than L1's, const __restrict__ and __ldg bring order and "
               "no speed."},
    {.probe = "gpu",
     .patterns = "gpu<n>.atomic.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "An atomic addition in device memory, by one thread alone, until its result is "
                "there: L2 does it.",
     .advice = "The floor for locks and counters: threads that want one word take turns at it."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L2.near",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "A hit of L2 on a line of the multiprocessor's own side of it. Sides are found "
                "from the latencies of lines times multiprocessors alone; where there are "
                "none, it is the latency of all.",
     .advice = "Read L2's latency as a mixture of near and far; no program chooses where its "
               "lines lie."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L2.far",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "A hit of L2 on a line of the other side, behind the link.",
     .advice = "Where it is much more than near, a partition (MIG) that keeps to one side may "
               "be quicker."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L2.side<n>.near",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same as L2.near of one side alone; its text names the multiprocessors of "
                "that side.",
     .advice = "Where the sides differ, blocks do not run equally fast: do not wait for all "
               "of them often."},
    {.probe = "gpu",
     .patterns = "gpu<n>.bandwidth.read, gpu<n>.bandwidth.write, gpu<n>.bandwidth.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "What all multiprocessors together move between device memory and themselves, "
                "counted as bytes loaded and stored, by the device's own timer. Error "
                "correction, refresh and the memory's clock take their share of what the bus "
                "could carry.",
     .advice = "Hold a kernel's own traffic against it: near it, only moving less helps."},
    {.probe = "gpu",
     .patterns = "gpu<n>.L2.bandwidth.read, gpu<n>.L2.bandwidth.write, gpu<n>.L2.bandwidth.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same for a working set of half of L2. The multiprocessors' clock moves it.",
     .advice = "Compare it with device memory's: so much is won by blocking for L2."},
    {.probe = "gpu",
     .patterns = "gpu<n>.shared.bandwidth.read, gpu<n>.shared.bandwidth.write",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "What all multiprocessors together move from and to their own scratchpads, "
                "without bank conflicts.",
     .advice = "The ceiling of what tiles can do; conflicts divide it."},
    {.probe = "gpu",
     .patterns = "gpu<n>.host.to_device.pinned, gpu<n>.host.to_device.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "A large copy from the host's memory to the device's. What is pageable goes "
                "through a buffer of the driver's; the link's generation and width, and the "
                "NUMA node of the host's memory, move both.",
     .advice = "Pin what is copied again and again; on hosts with several nodes stay near the "
               "device."},
    {.probe = "gpu",
     .patterns = "gpu<n>.host.to_host.pinned, gpu<n>.host.to_host.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same from the device to the host.",
     .advice = "Where it is far from the other direction's, look at the link (nvidia-smi topo "
               "-m) and at the host's memory."},
    {.probe = "gpu",
     .patterns = "gpu<n>.host.both_ways.pinned, gpu<n>.host.both_ways.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "A copy in each direction at the same time: the sum of the two. Of pageable "
                "memory that is asked of OpenCL alone: the NVIDIA driver's call returns when "
                "such a copy has ended.",
     .advice = "Where it is well above one direction's, overlap copies to and fro."},
    {.probe = "gpu",
     .patterns = "gpu<n>.host.read_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "A load by the device from the host's pinned memory, across the link and past "
                "its caches.",
     .advice = "Read only what is needed once that way; copy what is read again."},
    {.probe = "gpu",
     .patterns = "gpu<n>.host.launch_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "From the call that starts a kernel that does nothing until the host sees that "
                "it has ended. The host's clock and its idle states move it.",
     .advice = "Give a kernel much longer work than that, or record many launches in a graph."},
    {.probe = "gpu",
     .patterns = "gpu<n>.host.read, gpu<n>.host.launch",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same as with _ns in cycles of the multiprocessor's clock, where the "
                "device counts them.",
     .advice = "Go by the ns: the link and the host know nothing of that clock."},
    {.probe = "gpu",
     .patterns = "gpu<n>.tlb<n>.reach",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "From which working set on that level of address translation costs more: what "
                "it reaches. It has no value where translation costs nothing more up to the "
                "largest set.",
     .advice = "Keep what is visited at random within it, or visit it block by block."},
    {.probe = "gpu",
     .patterns = "gpu<n>.tlb<n>.page",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "How much one of its entries translates, from how the reach grows with the "
                "stride.",
     .advice = "Lay out what is visited together within that much."},
    {.probe = "gpu",
     .patterns = "gpu<n>.tlb<n>.miss",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "What a load takes longer that misses that level; the caches are the same with "
                "and without.",
     .advice = "Add it to the latency of sets that are larger than the reach."},
    {.probe = "gpu",
     .patterns = "gpu<n>.cluster.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "A load from the scratchpad of another multiprocessor of the same cluster "
                "(distributed shared memory), the median over the ranks of the largest cluster.",
     .advice = "Compare it with L2's: exchange within a cluster where it is less."},
    {.probe = "gpu",
     .patterns = "gpu<n>.cluster.own",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same way to the multiprocessor's own scratchpad: what the way itself "
                "costs.",
     .advice = "Hold shared.latency against it: address one's own scratchpad directly."},
    {.probe = "gpu",
     .patterns = "gpu<n>.peer<n>.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "A load from the memory of that other device, where that device's L2 holds it: "
                "the way there and back. The link between the two moves it.",
     .advice = "Copy in bulk rather than load word by word; place what exchanges most on near "
               "devices."},
    {.probe = "gpu",
     .patterns = "gpu<n>.peer<n>.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same in cycles of the multiprocessor's clock.",
     .advice = "Go by the ns: the link knows nothing of that clock."},
    {.probe = "gpu",
     .patterns = "gpu<n>.peer<n>.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "A large copy to the memory of that other device.",
     .advice = "Where it is no more than the host's link gives, the two have no link of their "
               "own, or access between them is switched off."},
    {.probe = "gpu",
     .patterns = "gpu<n>.shared.latency_ns, gpu<n>.shared.atomic.latency_ns, "
                 "gpu<n>.constant<n>.latency_ns, gpu<n>.texture.latency_ns, "
                 "gpu<n>.readonly.latency_ns, gpu<n>.atomic.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time, by the device's own timer.",
     .advice = "Compare it between devices; within one, the cycles hold better."},
    {.probe = "gpu",
     .patterns = "gpu<n>.*.latency_ns, gpu<n>.*.*.latency_ns, gpu<n>.L2.near_ns, "
                 "gpu<n>.L2.far_ns, gpu<n>.L2.side<n>.near_ns, gpu<n>.cluster.own_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same as the finding without _ns, in time by the device's own timer.",
     .advice = "Compare it between devices; within one, the cycles hold better."},
    {.patterns = NULL},
};
