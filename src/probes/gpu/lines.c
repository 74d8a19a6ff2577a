/* Of each device; the number behind "gpu" is its place in machine.gpus. Written out rather than
 * with stars where there are few, so that tests/cli/manual knows the ends that the experiments
 * write. */
#include "probes/gpu/gpu.h"

/* A curve follows pointers through the first cache, a line after the other; what is not asked for
 * is as the probe chooses it. */
const struct standard gpu_experiment[] = {
    {"what", STANDARD_NAMED, NULL, 0},       {"gpu", STANDARD_NAMED, NULL, 0},
    {"path", STANDARD_TEXT, "l1", 0},        {"order", STANDARD_TEXT, "random", 0},
    {"stride", STANDARD_NUMBER, NULL, 128},  {"l1", STANDARD_ABSENT, NULL, 0},
    {"bytes", STANDARD_NAMED, NULL, 0},      {"width_bits", STANDARD_NAMED, NULL, 0},
    {"line_bytes", STANDARD_NAMED, NULL, 0}, {"cluster_size", STANDARD_NAMED, NULL, 0},
    {"direction", STANDARD_NAMED, NULL, 0},  {"memory", STANDARD_NAMED, NULL, 0},
    {"traffic", STANDARD_NAMED, NULL, 0},    {.factor = NULL},
};

const struct finding_line gpu_lines[] = {
    {.patterns = "gpu<n>.L<n>.latency, gpu<n>.DRAM.latency, gpu<n>.last.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "Load-to-use latency in cycles of the multiprocessor's clock, from the plateau of "
                "the curve that this level serves: one thread, one dependent load after another.",
     .moves = "L2 and DRAM run at clocks of their own, so their cycles move when the "
              "multiprocessors' clock does. Where a line lies in L2 moves it too.",
     .advice = "Hide it: keep bandwidth times latency under way, in more warps or in more "
               "independent loads of each."},
    {.patterns = "gpu<n>.L<n>.latency_ns, gpu<n>.DRAM.latency_ns, gpu<n>.last.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time, by the device's own timer.",
     .moves = "The clock moves it: power, heat and what was locked.",
     .advice = "Compare it between devices; between runs on one device compare L1's cycles and "
               "DRAM's ns."},
    {.patterns = "gpu<n>.L<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "Up to which working set this level serves what one multiprocessor loads. Declared "
                "is what the driver says.",
     .moves = "L1 and the scratchpad share one memory, and the split between them decides. Of an "
              "L2 in two halves less than all may serve one multiprocessor.",
     .advice = "Block for the lower end of its interval; ask for another split (--l1) where L1 is "
               "too small."},
    {.patterns = "gpu<n>.L2.outer.latency, gpu<n>.split.*.L2.outer.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .place = "L2",
     .words = "beyond its near half",
     .meaning = "Working sets between the half of L2 that is near to the multiprocessor and all of "
                "it: a plateau of its own where each half keeps what its own multiprocessors read "
                "(A100, H100). It mixes hits in the other half with what was evicted from both.",
     .moves = "Where a line lies in L2, and how each half replaces its lines.",
     .advice = "Block for L2's capacity, which is the near half's, and not for what is declared."},
    {.patterns = "gpu<n>.L2.outer.capacity, gpu<n>.split.*.L2.outer.capacity",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "Up to which working set the other half of L2 serves as well.",
     .moves = "How lines are spread over the halves.",
     .advice = "Beyond it every load is memory's."},
    {.patterns = "gpu<n>.levels.untold, gpu<n>.split.*.levels.untold",
     .unit = "",
     .role = ROLE_NOTE,
     .meaning =
         "Where the curve has sizes, but no two that agree: a level may be hidden there, and "
         "any number for it would be a guess. It has no value, its text says where.",
     .moves = "How many sizes an octave were measured.",
     .advice = "Measure more sizes there."},
    {.patterns = "gpu<n>.levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve shows more or fewer caches than the driver declares. It has no value; "
                "its text says which.",
     .moves = "Translation, an L2 in two halves or a partition (MIG) can make or hide a level.",
     .advice = "Look at the curve before you rely on either."},
    {.patterns = "gpu<n>.clock",
     .unit = "Hz",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "The multiprocessors' clock while they were measured: cycles over time, both told "
                "by the device.",
     .moves = "Power, heat and what was locked move it.",
     .advice = "Where it is far below the highest that the driver declares, look at power and heat "
               "(nvidia-smi -q -d PERFORMANCE), or lock it before you compare ns."},
    {.patterns = "gpu<n>.condition",
     .unit = "",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "Between what the device's clocks, power and temperature lay while all of it was "
                "measured, and what slowed its clock, as NVML tells them. It has no value; its "
                "text says it. Series beside the curves tell them point by point.",
     .moves = "Load, cooling, power limits and locked clocks move them.",
     .advice = "Where a clock moved or was slowed, cool the device or lock its clock (nvidia-smi "
               "-lgc), and repeat."},
    {.patterns = "gpu<n>.split.*.L<n>.latency, gpu<n>.split.*.DRAM.latency, "
                 "gpu<n>.split.*.last.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning =
         "The latency of that level where so much of the first-level memory is L1 (--l1 sweep).",
     .moves = "What moves the level's latency moves it; the split should not.",
     .advice =
         "It should be the same for all splits; where it is not, look at that split's curve."},
    {.patterns = "gpu<n>.split.*.L<n>.latency_ns, gpu<n>.split.*.DRAM.latency_ns, "
                 "gpu<n>.split.*.last.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same latency in time, by the device's own timer.",
     .moves = "The clock moves it: power, heat and what was locked.",
     .advice = "Compare it between devices; within one, the cycles hold better."},
    {.patterns = "gpu<n>.split.*.L<n>.capacity",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The capacity of that level where so much of the first-level memory is L1.",
     .moves = "The split that the driver really took decides it.",
     .advice = "Where L1 is not as large as the split's name says, the driver took another split."},
    {.patterns = "gpu<n>.split.*.levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve of that split shows more or fewer caches than the driver declares.",
     .moves = "Translation, an L2 in two halves or a partition (MIG) can make or hide a level.",
     .advice = "Look at that split's curve, and hold it against those of the other splits."},
    {.patterns = "gpu<n>.L1.load32.latency, gpu<n>.L1.load64.latency, gpu<n>.L1.load128.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .place = "L1 by width",
     .words = "32 bits, 64 bits, 128 bits",
     .meaning = "Loads of so many bits that hit L1.",
     .moves = "32 bits hold an index, so the arithmetic that makes an address of it counts too; 64 "
              "hold the address; 128 hold it beside another word.",
     .advice = "Load wide where data lies together; keep addresses rather than indices on a chain "
               "that is followed."},
    {.patterns = "gpu<n>.shared.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load from the multiprocessor's own scratchpad (shared memory; local memory in "
                "OpenCL), without bank conflicts.",
     .moves = "The device's design decides it; bank conflicts would add to it.",
     .advice =
         "Hold L1's against it: so much is won by keeping in the scratchpad what is used most."},
    {.patterns = "gpu<n>.shared.atomic.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning =
         "An atomic addition in the scratchpad, by one thread alone, until its result is there.",
     .moves = "The device's design decides it; threads that want one word take turns, which would "
              "add to it.",
     .advice = "Add up within a block there first, and in device memory only once a block."},
    {.patterns = "gpu<n>.constant<n>.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load of constant memory from an address known only at run time, by the cache "
                "that serves it: 1 is the multiprocessor's own, those above lie behind it.",
     .moves = "How much constant memory is in use decides which of them serves a load.",
     .advice = "Keep what all threads of a warp read alike within the first of them."},
    {.patterns = "gpu<n>.constant<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "How much of constant memory that cache serves.",
     .moves =
         "The device's design decides it; behind the first, instructions may take their share.",
     .advice = "Keep tables in constant memory smaller than the first one, or leave them to L1."},
    {.patterns = "gpu<n>.scalar.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load whose address all items of a group share, where the device serves it by a "
                "cache of its own (AMD's scalar cache; OpenCL alone measures it).",
     .moves = "The compiler decides which loads are scalar: those whose address it knows to be "
              "shared.",
     .advice = "Hold L1's against it, which is the way of all other loads."},
    {.patterns = "gpu<n>.scalar.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "How much that cache serves.",
     .moves = "Several multiprocessors may share it.",
     .advice = "Keep what all items read alike (tables, parameters) within it."},
    {.patterns = "gpu<n>.texture.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A fetch from a linear texture that the first level holds.",
     .moves = "The texture unit's own arithmetic is part of it.",
     .advice =
         "Use textures for what they do beside loading (filters, borders), not for their latency."},
    {.patterns = "gpu<n>.readonly.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load by the read-only path (ld.global.nc), from the first level.",
     .moves = "On most devices that is L1 itself, and what moves L1 moves it.",
     .advice = "Where it is no less than L1's, const __restrict__ and __ldg gain no speed."},
    {.patterns = "gpu<n>.atomic.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning =
         "An atomic addition in device memory, by one thread alone, until its result is there.",
     .moves = "L2 does it, so the way there and L2's clock move it.",
     .advice =
         "It is the floor for locks and counters: threads that want one word take turns at it."},
    {.patterns = "gpu<n>.L2.near",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .place = "L2",
     .words = "near lines",
     .meaning = "A hit of L2 on a line of the multiprocessor's own side of it. Sides are found "
                "from the latencies of many lines seen from each multiprocessor; where there are "
                "none, it is the latency of all lines.",
     .moves = "The line's address decides on which side it lies.",
     .advice =
         "Read L2's latency as a mixture of near and far; no program chooses where its lines lie."},
    {.patterns = "gpu<n>.L2.far",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .place = "L2",
     .words = "far lines",
     .meaning = "A hit of L2 on a line of the other side.",
     .moves = "The link between the sides adds to it.",
     .advice = "Where it is much more than near, a partition (MIG) that keeps to one side may be "
               "quicker."},
    {.patterns = "gpu<n>.L2.side<n>.near",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning =
         "The same as L2.near of one side alone; its text names the multiprocessors of that side.",
     .moves = "Multiprocessors of one side may lie nearer to L2 than those of the other.",
     .advice = "Where the sides differ, blocks do not run equally fast: do not often wait for all "
               "of them."},
    {.patterns = "gpu<n>.L<n>.line",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .place = "lines",
     .words = "L<n>",
     .meaning =
         "The block that this level has one tag for: the largest stride at which a set of one "
         "and a half of what it holds still touches every line.",
     .moves = "The device's design decides it.",
     .advice = "Lay out what different blocks write in different lines."},
    {.patterns = "gpu<n>.L<n>.fetch",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .place = "a miss brings",
     .words = "L<n>",
     .meaning =
         "How many bytes a miss of this level brings: the smallest stride at which every load "
         "of neighbours misses. A line may be made of several such sectors.",
     .moves = "Programs may set L2's (cudaLimitMaxL2FetchGranularity).",
     .advice =
         "Scattered loads of less than that waste the rest of it: pack what is read together."},
    {.patterns = "gpu<n>.bandwidth.read, gpu<n>.bandwidth.write, gpu<n>.bandwidth.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "DRAM",
     .meaning = "What all multiprocessors together move between device memory and themselves, "
                "counted as bytes loaded and stored, by the device's own timer.",
     .moves = "Error correction, refresh and the memory's clock take their share of what the bus "
              "could carry.",
     .advice = "Hold a kernel's own traffic against it: near it, only moving less helps."},
    {.patterns = "gpu<n>.L2.bandwidth.read, gpu<n>.L2.bandwidth.write, gpu<n>.L2.bandwidth.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "L2",
     .meaning = "The same for a working set of half of L2.",
     .moves = "The multiprocessors' clock moves it.",
     .advice = "Compare it with device memory's: so much is won by blocking for L2."},
    {.patterns = "gpu<n>.shared.bandwidth.read, gpu<n>.shared.bandwidth.write",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "shared",
     .meaning = "What all multiprocessors together move from and to their own scratchpads, without "
                "bank conflicts.",
     .moves = "The multiprocessors' clock moves it; bank conflicts would divide it.",
     .advice =
         "It is the most that tiles in the scratchpad can do: lay them out without conflicts."},
    {.patterns = "gpu<n>.host.to_device.pinned, gpu<n>.host.to_device.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "to the device, pageable to the device",
     .meaning = "A large copy from the host's memory to the device's.",
     .moves = "What is pageable goes through a buffer of the driver's. The link's generation and "
              "width, and the NUMA node of the host's memory, move both.",
     .advice = "Pin what is copied again and again; on hosts with several nodes keep it on the "
               "device's own."},
    {.patterns = "gpu<n>.host.to_host.pinned, gpu<n>.host.to_host.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "to the host, pageable to the host",
     .meaning = "The same from the device to the host.",
     .moves = "The link and the NUMA node of the host's memory move it, as in the other direction.",
     .advice = "Where it is far from the other direction's, look at the link (nvidia-smi topo -m) "
               "and at the host's memory."},
    {.patterns = "gpu<n>.host.both_ways.pinned, gpu<n>.host.both_ways.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "both at once, both pageable at once",
     .meaning = "A copy in each direction at the same time: the sum of the two. Pageable memory is "
                "only copied so by OpenCL, because the NVIDIA driver's call returns when such a "
                "copy has ended.",
     .moves =
         "A link that carries both directions at once gives up to twice as much as one direction.",
     .advice = "Where it is well above one direction's, overlap copies to and from the device."},
    {.patterns = "gpu<n>.host.read_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "a load of its memory",
     .meaning =
         "A load by the device from the host's pinned memory, across the link and past its caches.",
     .moves = "The link's generation, and how far the host's memory is from the link, move it.",
     .advice = "Read that way only what is needed once; copy what is read again."},
    {.patterns = "gpu<n>.host.launch_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "a launch",
     .meaning = "From the call that starts a kernel that does nothing until the host sees that it "
                "has ended.",
     .moves = "The host's clock and its idle states move it.",
     .advice = "Give a kernel much longer work than that, or record many launches in a graph."},
    {.patterns = "gpu<n>.host.read, gpu<n>.host.launch",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same as with _ns, in cycles of the multiprocessor's clock, where the device "
                "counts them.",
     .moves = "The multiprocessor's clock moves it, for link and host have clocks of their own.",
     .advice = "Go by the ns: the link and the host know nothing of that clock."},
    {.patterns = "gpu<n>.tlb<n>.reach",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .place = "translation",
     .words = "level <n>: reaches",
     .meaning =
         "The working set beyond which that level of address translation adds to a load: what it "
         "reaches. It has no value where translation adds nothing up to the largest set.",
     .moves = "The page size that the driver chose moves it.",
     .advice = "Keep what is visited at random within it, or visit it block by block."},
    {.patterns = "gpu<n>.tlb<n>.page",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning =
         "How much memory one of its entries translates, from how the reach grows with the stride.",
     .moves = "The page size that the driver chose moves it.",
     .advice = "Keep within so much what is visited together."},
    {.patterns = "gpu<n>.tlb<n>.miss",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .place = "translation",
     .words = "level <n>: a miss +",
     .meaning = "How much longer a load takes that misses that level; the caches are the same with "
                "and without.",
     .moves = "Which caches hold the page tables decides it.",
     .advice = "Add it to the latency of sets that are larger than the reach."},
    {.patterns = "gpu<n>.cluster.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .place = "cluster",
     .words = "a load of another multiprocessor's scratchpad",
     .meaning = "A load from the scratchpad of another multiprocessor of the same cluster "
                "(distributed shared memory), the median over the ranks of the largest cluster.",
     .moves = "How far apart the multiprocessors of a cluster lie moves it.",
     .advice = "Compare it with L2's: exchange within a cluster where it is less."},
    {.patterns = "gpu<n>.cluster.own",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning =
         "The same way taken to the multiprocessor's own scratchpad: what the way itself costs.",
     .moves = "The device's design decides it, and little else.",
     .advice = "Hold shared.latency against it: address one's own scratchpad directly."},
    {.patterns = "gpu<n>.peer<n>.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "peers",
     .words = "gpu<n>: a load",
     .meaning = "A load from the memory of that other device, where that device's L2 holds it: the "
                "way there and back.",
     .moves = "The link between the two moves it.",
     .advice =
         "Copy in bulk rather than load word by word; place what exchanges most on near devices."},
    {.patterns = "gpu<n>.peer<n>.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same in cycles of the multiprocessor's clock.",
     .moves = "The multiprocessor's clock moves it, for the link has a clock of its own.",
     .advice = "Go by the ns: the link knows nothing of that clock."},
    {.patterns = "gpu<n>.peer<n>.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "peers",
     .words = "gpu<n>: a copy",
     .meaning = "A large copy to the memory of that other device.",
     .moves =
         "The link between the two moves it; without one of their own, copies take the host's.",
     .advice = "Where it is no more than the host's link gives, the two have no link of their own, "
               "or access between them is switched off."},
    {.patterns =
         "gpu<n>.shared.latency_ns, gpu<n>.shared.atomic.latency_ns, "
         "gpu<n>.constant<n>.latency_ns, gpu<n>.scalar.latency_ns, gpu<n>.texture.latency_ns, "
         "gpu<n>.readonly.latency_ns, gpu<n>.atomic.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time, by the device's own timer.",
     .moves = "The clock moves it: power, heat and what was locked.",
     .advice = "Compare it between devices; within one, the cycles hold better."},
    {.patterns = "gpu<n>.*.latency_ns, gpu<n>.*.*.latency_ns, gpu<n>.split.*.*.*.latency_ns, "
                 "gpu<n>.L2.near_ns, "
                 "gpu<n>.L2.far_ns, gpu<n>.L2.side<n>.near_ns, gpu<n>.cluster.own_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same as the finding without _ns, in time by the device's own timer.",
     .moves = "The clock moves it: power, heat and what was locked.",
     .advice = "Compare it between devices; within one, the cycles hold better."},
    {.patterns = NULL},
};
