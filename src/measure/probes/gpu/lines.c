/* Findings of each device; the number after "gpu" is its index in machine.gpus. Short lists of
 * names are written out instead of using stars, so that tests/cli/manual sees the endings that the
 * experiments write. */
#include "measure/probes/gpu/gpu.h"

/* The standard experiment: a chase through the first-level cache, one pointer a line; other factors
 * are the probe's choice. */
const struct standard gpu_experiment[] = {
    {"what", STANDARD_NAMED, NULL, 0},
    {"gpu", STANDARD_NAMED, NULL, 0},
    {"path", STANDARD_TEXT, "l1", 0},
    {"order", STANDARD_TEXT, "random", 0},
    {"stride", STANDARD_NUMBER, NULL, 128},
    {"l1", STANDARD_ABSENT, NULL, 0},
    {"bytes", STANDARD_NAMED, NULL, 0},
    {"width_bits", STANDARD_NAMED, NULL, 0},
    {"line_bytes", STANDARD_NAMED, NULL, 0},
    {"cluster_size", STANDARD_NAMED, NULL, 0},
    {"direction", STANDARD_NAMED, NULL, 0},
    {"memory", STANDARD_NAMED, NULL, 0},
    {"traffic", STANDARD_NAMED, NULL, 0},
    {"node", STANDARD_NAMED, NULL, 0},
    {.factor = NULL},
};

const struct finding_line gpu_lines[] = {
    {.patterns = "gpu<n>.L<n>.latency, gpu<n>.DRAM.latency, gpu<n>.last.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "Load-to-use latency in cycles of the multiprocessor's clock, from the plateau of "
                "the curve that this level serves: one thread, one dependent load after another.",
     .moves = "L2 and DRAM run at clocks of their own, so their cycles change with the "
              "multiprocessors' clock. The line's place in L2 changes them too.",
     .advice = "Hide it: keep as many bytes in flight as bandwidth times latency, by more warps or "
               "more independent loads in each."},
    {.patterns = "gpu<n>.L<n>.latency_ns, gpu<n>.DRAM.latency_ns, gpu<n>.last.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time, by the device's own timer.",
     .moves = "It depends on the clock, and so on power, heat and locked clocks.",
     .advice = "Compare it between devices; between runs on one device compare L1's cycles and "
               "DRAM's ns."},
    {.patterns = "gpu<n>.L<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .curve = "latency",
     .meaning = "The largest working set that this level serves to one multiprocessor. The "
                "declared value is the driver's.",
     .moves = "L1 and the scratchpad share one memory, so L1 depends on the split between them. If "
              "L2 has two halves, one multiprocessor may have less than all of it.",
     .advice = "Block for the lower end of its interval; ask for another split (--l1) where L1 is "
               "too small."},
    {.patterns = "gpu<n>.L2.outer.latency, gpu<n>.split.*.L2.outer.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .place = "L2",
     .words = "beyond its near half",
     .meaning = "Working sets between the half of L2 that is near to the multiprocessor and all of "
                "it: a separate plateau where each half keeps what its own multiprocessors read "
                "(A100, H100). It is a mixture of hits in the other half and misses of both.",
     .moves = "Where a line lies in L2, and how each half replaces its lines.",
     .advice = "Choose block sizes by this capacity, which is the near half's, and not by the "
               "declared one."},
    {.patterns = "gpu<n>.L2.outer.capacity, gpu<n>.split.*.L2.outer.capacity",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The largest working set that both halves of L2 serve together.",
     .moves = "How lines are spread over the halves.",
     .advice = "Beyond it loads go to memory."},
    {.patterns = "gpu<n>.levels.gaps, gpu<n>.split.*.levels.gaps",
     .unit = "",
     .role = ROLE_NOTE,
     .meaning = "Sizes of the curve of which no two agree: a level may be hidden there, and any "
                "number for it would be a guess. It has no value; its text says where.",
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
     .meaning = "The multiprocessors' clock while they were measured: cycles over time, both "
                "reported by the device.",
     .moves = "It depends on power, heat and locked clocks.",
     .advice = "Where it is far below the highest that the driver declares, look at power and heat "
               "(nvidia-smi -q -d PERFORMANCE), or lock it before you compare ns."},
    {.patterns = "gpu<n>.condition",
     .unit = "",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "The range of the device's clocks, power and temperature during its measurements, "
                "and what slowed its clock, as NVML reports them. It has no value; its text says "
                "it. Further series show them for each point of a curve.",
     .moves = "Load, cooling, power limits and locked clocks change them.",
     .advice = "Where a clock moved or was slowed, cool the device or lock its clock (nvidia-smi "
               "-lgc), and repeat."},
    {.patterns = "gpu<n>.split.*.L<n>.latency, gpu<n>.split.*.DRAM.latency, "
                 "gpu<n>.split.*.last.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning =
         "The latency of that level where that part of the first-level memory is L1 (--l1 sweep).",
     .moves = "What changes the level's latency changes it; the split should not.",
     .advice =
         "It should be the same for all splits; where it is not, look at that split's curve."},
    {.patterns = "gpu<n>.split.*.L<n>.latency_ns, gpu<n>.split.*.DRAM.latency_ns, "
                 "gpu<n>.split.*.last.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same latency in time, by the device's own timer.",
     .moves = "It depends on the clock, and so on power, heat and locked clocks.",
     .advice = "Use it to compare devices; within one device cycles are more stable."},
    {.patterns = "gpu<n>.split.*.L<n>.capacity",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The capacity of that level where that part of the first-level memory is L1.",
     .moves = "The split that the driver really took decides it.",
     .advice = "Where L1 is not as large as the split's name says, the driver took another split."},
    {.patterns = "gpu<n>.split.*.levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve of that split shows more or fewer caches than the driver declares.",
     .moves = "Translation, an L2 in two halves or a partition (MIG) can make or hide a level.",
     .advice = "Look at that split's curve, and compare it with those of the other splits."},
    {.patterns = "gpu<n>.L1.load32.latency, gpu<n>.L1.load64.latency, gpu<n>.L1.load128.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .place = "L1 by width",
     .words = "32 bits, 64 bits, 128 bits",
     .meaning = "Loads of that width that hit L1.",
     .moves = "32 bits hold an index, so the arithmetic that makes an address of it counts too; 64 "
              "hold the address; 128 hold it and another word.",
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
         "Compare it with L1's: keeping what is used most in the scratchpad saves the difference."},
    {.patterns = "gpu<n>.shared.atomic.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning =
         "An atomic addition in the scratchpad, by one thread alone, until its result is there.",
     .moves = "The device's design decides it; threads that want one word take turns, which would "
              "add to it.",
     .advice = "Add up within a block there first, and in device memory only once for each block."},
    {.patterns = "gpu<n>.constant<n>.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "A load of constant memory from an address known only at run time, by the cache "
                "that serves it: 1 is the multiprocessor's own, larger numbers lie behind it.",
     .moves = "How much constant memory is in use decides which of them serves a load.",
     .advice =
         "Keep data that all threads of a warp read at the same address within the first of them."},
    {.patterns = "gpu<n>.constant<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .curve = "constant memory",
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
     .advice = "Compare it with L1's, through which all other loads go."},
    {.patterns = "gpu<n>.scalar.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .curve = "scalar loads",
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
     .moves = "On most devices that is L1 itself, and what changes L1 changes it.",
     .advice = "Where it is no less than L1's, const __restrict__ and __ldg gain no speed."},
    {.patterns = "gpu<n>.atomic.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning =
         "An atomic addition in device memory, by one thread alone, until its result is there.",
     .moves = "L2 does it, so the way there and L2's clock change it.",
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
     .meaning = "L2.near of one side alone; its text names the multiprocessors of that side.",
     .moves = "Multiprocessors of one side may lie nearer to L2 than those of the other.",
     .advice = "Where the sides differ, blocks do not run equally fast: do not often wait for all "
               "of them."},
    {.patterns = "gpu<n>.L<n>.line",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .place = "lines",
     .words = "L<n>",
     .meaning = "The bytes for which this level has one tag: the largest stride at which a working "
                "set of one and a half times its capacity still touches every line.",
     .moves = "The device's design decides it.",
     .advice = "Lay out what different blocks write in different lines."},
    {.patterns = "gpu<n>.L<n>.fetch",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .place = "miss brings",
     .words = "L<n>",
     .meaning = "How many bytes a miss of this level brings: the smallest stride at which every "
                "load of a forward chase misses. A line may be made of several such sectors.",
     .moves = "Programs may set L2's (cudaLimitMaxL2FetchGranularity).",
     .advice =
         "Scattered loads of less than that waste the rest of it: pack what is read together."},
    {.patterns = "gpu<n>.readonly.in_L1, gpu<n>.texture.in_L1",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "The share of loads by the read-only path, or of texture fetches, that find what "
                "plain loads have brought: 1 where one cache serves both, 0 where each has its "
                "own.",
     .moves = "The device's design decides it.",
     .advice = "Where it is 1, moving reads to another path makes no room for other reads."},
    {.patterns = "gpu<n>.L1.count",
     .unit = "",
     .role = ROLE_PROPERTY,
     .place = "L1 caches",
     .words = "of a multiprocessor",
     .meaning = "How many first-level caches a multiprocessor has: warps of one block that do not "
                "evict each other's data have separate caches.",
     .moves = "The device's design decides it.",
     .advice = "Where there are several, each serves its own warps alone: data that all of them "
               "read takes room in each."},
    {.patterns = "gpu<n>.shared.banks",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "Banks of the scratchpad, of one word each: threads of a warp whose words lie in "
                "one of them take turns.",
     .moves = "The device's design decides it.",
     .advice = "Pad rows of a tile so that threads that load together lie an odd number of words "
               "apart."},
    {.patterns = "gpu<n>.shared.conflict",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "What each further thread of a warp adds to a load of the scratchpad when they "
                "access one bank.",
     .moves = "The device's design decides it.",
     .advice = "Multiply it by the threads on one bank to see what a padded layout would save."},
    {.patterns = "gpu<n>.bandwidth.read, gpu<n>.bandwidth.write, gpu<n>.bandwidth.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "DRAM",
     .meaning = "What all multiprocessors together move between device memory and themselves, "
                "counted as bytes loaded and stored, by the device's own timer.",
     .moves = "Error correction, refresh and the memory's clock take their share of what the bus "
              "could carry.",
     .advice = "Compare a kernel's own traffic with it: near it, only moving fewer bytes helps."},
    {.patterns = "gpu<n>.L2.bandwidth.read, gpu<n>.L2.bandwidth.write, gpu<n>.L2.bandwidth.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "L2",
     .meaning = "The same for a working set of half of L2.",
     .moves = "The multiprocessors' clock changes it.",
     .advice = "Compare it with device memory's: blocking for L2 gains the difference."},
    {.patterns = "gpu<n>.bandwidth.read.plain, gpu<n>.L2.bandwidth.read.plain",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same reads by plain loads, which may be kept in the first level on their way; "
                "those without .plain go past it (ld.global.cg).",
     .moves = "How much of the working set the first levels hold together.",
     .advice = "Compare another tool's figure with the one that was measured in the same way."},
    {.patterns = "gpu<n>.bandwidth.read.no_allocate, gpu<n>.L2.bandwidth.read.no_allocate",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same reads by loads that ask the first level not to keep what they bring "
                "(ld.global.L1::no_allocate), which devices from capability 9.0 on are asked for.",
     .moves = "Whether the device heeds the hint.",
     .advice = "Where it is above the plain reads, give data that is read once that hint."},
    {.patterns = "gpu<n>.L1.bandwidth.read",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "L1",
     .meaning = "What all multiprocessors together read from their own first levels.",
     .moves = "The multiprocessors' clock changes it.",
     .advice = "Compare it with the scratchpad's: where the two are alike, copying into the "
               "scratchpad pays only for what L1 would not keep."},
    {.patterns = "gpu<n>.shared.bandwidth.read, gpu<n>.shared.bandwidth.write",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .fact = FACT_ALL,
     .place = "shared",
     .meaning = "What all multiprocessors together move from and to their own scratchpads, without "
                "bank conflicts.",
     .moves = "The multiprocessors' clock changes it; bank conflicts would divide it.",
     .advice =
         "It is the most that tiles in the scratchpad can do: lay them out without conflicts."},
    {.patterns = "gpu<n>.host.to_device.pinned, gpu<n>.host.to_device.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "to the device, pageable to the device",
     .meaning = "A large copy from the host's memory to the device's.",
     .moves = "Pageable memory is copied through a buffer of the driver. The link's generation and "
              "width, and the NUMA node of the host's memory, change both.",
     .advice = "Pin what is copied again and again; on hosts with several nodes keep it on the "
               "node nearest to the device."},
    {.patterns = "gpu<n>.host.to_device.mapped, gpu<n>.host.to_host.mapped",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "by loads to the device, by stores to the host",
     .meaning = "All multiprocessors together load from the host's pinned memory, or store there, "
                "without a copy engine.",
     .moves = "The link's generation and width; packets are smaller than a copy engine's.",
     .advice = "Where it is near the copies' rate, a kernel may read once from the host what it "
               "needs instead of waiting for a copy."},
    {.patterns = "gpu<n>.host.to_host.pinned, gpu<n>.host.to_host.pageable",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "to the host, pageable to the host",
     .meaning = "The same from the device to the host.",
     .moves =
         "The link and the NUMA node of the host's memory change it, as in the other direction.",
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
     .moves = "The link's generation, and how far the host's memory is from the link, change it.",
     .advice = "Read that way only what is needed once; copy what is read again."},
    {.patterns = "gpu<n>.host.launch_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "host",
     .words = "a launch",
     .meaning = "From the call that starts a kernel that does nothing until the host sees that it "
                "has ended.",
     .moves = "The host's clock and its idle states change it.",
     .advice = "Give a kernel much longer work than that, or record many launches in a graph."},
    {.patterns = "gpu<n>.host.read, gpu<n>.host.launch",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same as with _ns, in cycles of the multiprocessor's clock, where the device "
                "counts them.",
     .moves = "It changes with the multiprocessor's clock, because link and host have clocks of "
              "their own.",
     .advice = "Use the ns: the link and the host do not depend on that clock."},
    {.patterns = "gpu<n>.together.to_device, gpu<n>.together.to_host, gpu<n>.together.both_ways",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "all at once",
     .words = "to the device, to the host, both ways",
     .meaning =
         "The rate of this device's copies while all other measured devices copy in the same "
         "direction; for both ways, the sum of both directions while all devices copy in both. "
         "Each device uses host memory near to it if the system lets memory be placed.",
     .moves =
         "Devices behind one switch share its link to the host, and all share the host's memory.",
     .advice = "Plan transfers of all devices with this rate, not with that of one alone."},
    {.patterns = "gpu<n>.together.to_device.share, gpu<n>.together.to_host.share, "
                 "gpu<n>.together.both_ways.share",
     .unit = "",
     .role = ROLE_PROPERTY,
     .place = "all at once",
     .words = "of its own rate, of its own rate, of its own rate",
     .meaning = "This rate divided by the device's rate alone: 1 where the other devices take "
                "nothing from it.",
     .moves =
         "Devices behind one switch share its link to the host, and all share the host's memory.",
     .advice = "Where devices behind one switch get less than others, copy to them in turns, or "
               "let one device pass data on to the others."},
    {.patterns = "gpu<n>.node<n>.read_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "nodes",
     .words = "node <n>: a load",
     .meaning = "A load by the device from the memory of that NUMA node of the host, past its "
                "caches. On Grace the device's own memory is such a node.",
     .moves = "How far the node is from the device's link decides it.",
     .advice = "Keep on the nearest node what the device reads or copies: numactl --membind, or "
               "pin it from a CPU of that node."},
    {.patterns = "gpu<n>.node<n>.read",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same in cycles of the multiprocessor's clock.",
     .moves =
         "It changes with the multiprocessor's clock, because the link has a clock of its own.",
     .advice = "Use the ns: link and host do not depend on that clock."},
    {.patterns = "gpu<n>.managed.fetched.latency_ns, gpu<n>.managed.touched.latency_ns, "
                 "gpu<n>.managed.host.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "managed",
     .words = "fetched to the device, touched first by the device, on the host",
     .meaning = "A load by the device from managed memory (cuMemAllocManaged) whose pages were "
                "prefetched to the device, first touched by it, or kept on the host. The first two "
                "are read in a ring of several times L2, the last past all caches.",
     .moves = "The place and size of the pages: on the device it should equal DRAM's latency, on "
              "the host that of a load across the link.",
     .advice = "Fetch what the device needs before a kernel asks for it (cuMemPrefetchAsync); "
               "where fetched memory is slower than DRAM, its pages are small."},
    {.patterns = "gpu<n>.managed.fetched.latency, gpu<n>.managed.touched.latency, "
                 "gpu<n>.managed.host.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same in cycles of the multiprocessor's clock.",
     .moves = "It changes with the multiprocessor's clock, because memory and link have clocks of "
              "their own.",
     .advice = "Compare it with DRAM.latency, or on the host with host.read."},
    {.patterns = "gpu<n>.tlb<n>.reach",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .place = "translation",
     .words = "level <n>: reaches",
     .meaning =
         "The reach of that level of address translation: the working set beyond which it adds to "
         "a load. It has no value where translation adds nothing up to the largest set.",
     .moves = "The page size that the driver chose changes it.",
     .advice = "Keep what is visited at random within it, or visit it block by block."},
    {.patterns = "gpu<n>.tlb<n>.page",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning =
         "How much memory one of its entries translates, from how the reach grows with the stride.",
     .moves = "The page size that the driver chose changes it.",
     .advice = "Keep what is visited together within it."},
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
     .moves = "How far apart the multiprocessors of a cluster lie changes it.",
     .advice = "Compare it with L2's: exchange within a cluster where it is less."},
    {.patterns = "gpu<n>.cluster.own",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same path to the multiprocessor's own scratchpad: what the path itself costs.",
     .moves = "The device's design decides it, and little else.",
     .advice = "Compare it with shared.latency, and address the own scratchpad directly."},
    {.patterns = "gpu<n>.peer<n>.latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .place = "peers",
     .words = "gpu<n>: a load",
     .meaning = "A load from the memory of that other device, where that device's L2 holds it: the "
                "way there and back.",
     .moves = "The link between the two changes it.",
     .advice =
         "Copy in bulk rather than load word by word; place what exchanges most on near devices."},
    {.patterns = "gpu<n>.peer<n>.latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same in cycles of the multiprocessor's clock.",
     .moves =
         "It changes with the multiprocessor's clock, because the link has a clock of its own.",
     .advice = "Use the ns: the link does not depend on that clock."},
    {.patterns = "gpu<n>.peer<n>.copy",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "peers",
     .words = "gpu<n>: a copy",
     .meaning = "A large copy to the memory of that other device.",
     .moves = "It depends on the link between the two; without a link of their own, copies use the "
              "host's.",
     .advice = "Where it is no more than the host's link gives, the two have no link of their own, "
               "or access between them is switched off."},
    {.patterns = "gpu<n>.peer<n>.read",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .place = "peers",
     .words = "gpu<n>: loads of all",
     .meaning = "All multiprocessors together load from the memory of that other device, without a "
                "copy engine.",
     .moves = "The link between the two changes it; packets are smaller than a copy engine's.",
     .advice = "Where it is near the copies' rate, a kernel may take from the other device what it "
               "needs instead of waiting for a copy."},
    {.patterns = "gpu<n>.scalar.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "A scalar load's latency in time, by the device's own timer.",
     .moves = "It depends on the clock, and so on power, heat and locked clocks.",
     .advice = "Use it to compare devices; within one device cycles are more stable."},
    {.patterns = "gpu<n>.shared.latency_ns, gpu<n>.shared.atomic.latency_ns, "
                 "gpu<n>.constant<n>.latency_ns, gpu<n>.texture.latency_ns, "
                 "gpu<n>.readonly.latency_ns, gpu<n>.atomic.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time, by the device's own timer.",
     .moves = "It depends on the clock, and so on power, heat and locked clocks.",
     .advice = "Use it to compare devices; within one device cycles are more stable."},
    {.patterns = "gpu<n>.*.latency_ns, gpu<n>.*.*.latency_ns, gpu<n>.split.*.*.*.latency_ns, "
                 "gpu<n>.L2.near_ns, "
                 "gpu<n>.L2.far_ns, gpu<n>.L2.side<n>.near_ns, gpu<n>.cluster.own_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same as the finding without _ns, in time by the device's own timer.",
     .moves = "It depends on the clock, and so on power, heat and locked clocks.",
     .advice = "Use it to compare devices; within one device cycles are more stable."},
    {.patterns = NULL},
};
