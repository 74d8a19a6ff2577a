#include "findings/names.h"

/* Of each device; the number behind "gpu" is its place in machine.gpus. Written out rather than
 * with stars where there are few, so that tests/cli/manual knows the ends that the probe is written
 * with.
 */
const struct finding_name finding_names_gpu[] = {
    {"gpu", "gpu*.L*.latency, gpu*.DRAM.latency", "cycles",
     "Load-to-use latency in cycles of the multiprocessor's clock, from the plateau of the curve "
     "that this level serves: one thread, one dependent load after another. L2 and DRAM run at "
     "clocks of their own, so their cycles move when the multiprocessors' clock does; so they do "
     "with where a line of L2 lies.",
     "Hide it: bandwidth times latency has to be under way, in more warps or in more independent "
     "loads of each."},
    {"gpu", "gpu*.L*.latency_ns, gpu*.DRAM.latency_ns", "ns",
     "The same latency in time, by the device's own timer. The clock moves it: power, heat and "
     "what was locked.",
     "Compare it between devices; between runs on one device compare L1's cycles and DRAM's ns."},
    {"gpu", "gpu*.L*.capacity", "B",
     "Up to which working set this level serves what one multiprocessor loads; declared is what "
     "the driver says. L1 and the scratchpad share one memory, and the split between them decides; "
     "of an L2 in two halves less than all may serve one multiprocessor.",
     "Block for the lower end of its interval; ask for another split (--l1) where L1 is too "
     "small."},
    {"gpu", "gpu*.levels.disagreement", "",
     "The curve shows more or fewer caches than the driver declares; it has no value, its text "
     "says which.",
     "Look at the curve: translation, an L2 in two halves or a partition (MIG) can make or hide a "
     "level."},
    {"gpu", "gpu*.clock", "Hz",
     "The multiprocessors' clock while they were measured: cycles over time, both told by the "
     "device. Power, heat and what was locked move it.",
     "Where it is far below the highest that the driver declares, look at power and heat "
     "(nvidia-smi -q -d PERFORMANCE), or lock it before you compare ns."},

    {"gpu", "gpu*.condition", "",
     "Between what the device's clocks, power and temperature lay while all of it was measured, "
     "and what slowed its clock, as NVML tells them; it has no value, its text says it. Companions "
     "of the curves tell them point by point.",
     "Where a clock moved or was slowed, cool the device or lock its clock (nvidia-smi -lgc), and "
     "repeat."},

    {"gpu", "gpu*.split.*.L*.latency, gpu*.split.*.DRAM.latency", "cycles",
     "The latency of that level where so much of the first-level memory is L1 (--l1 sweep).",
     "It should be the same for all splits; where it is not, look at that split's curve."},
    {"gpu", "gpu*.split.*.L*.latency_ns, gpu*.split.*.DRAM.latency_ns", "ns",
     "The same latency in time, by the device's own timer.",
     "Compare it between devices; within one, the cycles hold better."},
    {"gpu", "gpu*.split.*.L*.capacity", "B",
     "The capacity of that level where so much of the first-level memory is L1.",
     "Where L1 is not as large as the split's name says, the driver took another split."},
    {"gpu", "gpu*.split.*.levels.disagreement", "",
     "The curve of that split shows more or fewer caches than the driver declares.",
     "Look at that split's curve, and hold it against those of the other splits."},

    {"gpu", "gpu*.L1.load32.latency, gpu*.L1.load64.latency, gpu*.L1.load128.latency", "cycles",
     "Loads of so many bits that hit L1. 32 bits hold an index, so the arithmetic that makes an "
     "address of it counts too; 64 hold the address; 128 hold it beside another word.",
     "Load wide where data lies together; keep addresses rather than indices on a chain that is "
     "followed."},
    {"gpu", "gpu*.shared.latency", "cycles",
     "A load from the multiprocessor's own scratchpad (shared memory; local memory in OpenCL), "
     "without bank conflicts.",
     "Hold L1's against it: so much is won by keeping hot data there by hand."},
    {"gpu", "gpu*.shared.atomic.latency", "cycles",
     "An atomic addition in the scratchpad, by one thread alone, until its result is there.",
     "Add up within a block there first, and once a block in device memory."},
    {"gpu", "gpu*.constant*.latency", "cycles",
     "A load of constant memory from an address known only at run time, by the cache that serves "
     "it: 1 is the multiprocessor's own, those above lie behind it.",
     "Keep what all threads of a warp read alike within the first of them."},
    {"gpu", "gpu*.constant*.capacity", "B", "How much of constant memory that cache serves.",
     "Keep tables in constant memory smaller than the first one, or leave them to L1."},
    {"gpu", "gpu*.texture.latency", "cycles",
     "A fetch from a linear texture that the first level holds; the texture unit's own arithmetic "
     "is part of it.",
     "Use textures for what they do beside loading (filters, borders), not for their latency."},
    {"gpu", "gpu*.readonly.latency", "cycles",
     "A load by the read-only path (ld.global.nc), from the first level; that is L1 itself on most "
     "devices.",
     "Where it is no less than L1's, const __restrict__ and __ldg bring order and no speed."},
    {"gpu", "gpu*.atomic.latency", "cycles",
     "An atomic addition in device memory, by one thread alone, until its result is there: L2 does "
     "it.",
     "The floor for locks and counters: threads that want one word take turns at it."},

    {"gpu", "gpu*.L2.near", "cycles",
     "A hit of L2 on a line of the multiprocessor's own side of it. Sides are found from the "
     "latencies of lines times multiprocessors alone; where there are none, it is the latency of "
     "all.",
     "Read L2's latency as a mixture of near and far; no program chooses where its lines lie."},
    {"gpu", "gpu*.L2.far", "cycles", "A hit of L2 on a line of the other side, behind the link.",
     "Where it is much more than near, a partition (MIG) that keeps to one side may be quicker."},
    {"gpu", "gpu*.L2.side*.near", "cycles",
     "The same as L2.near of one side alone; its text names the multiprocessors of that side.",
     "Where the sides differ, blocks do not run equally fast: do not wait for all of them often."},

    {"gpu", "gpu*.bandwidth.read, gpu*.bandwidth.write, gpu*.bandwidth.copy", "B/s",
     "What all multiprocessors together move between device memory and themselves, counted as "
     "bytes loaded and stored, by the device's own timer. Error correction, refresh and the "
     "memory's clock take their share of what the bus could carry.",
     "Hold a kernel's own traffic against it: near it, only moving less helps."},
    {"gpu", "gpu*.L2.bandwidth.read, gpu*.L2.bandwidth.write, gpu*.L2.bandwidth.copy", "B/s",
     "The same for a working set of half of L2. The multiprocessors' clock moves it.",
     "Compare it with device memory's: so much is won by blocking for L2."},
    {"gpu", "gpu*.shared.bandwidth.read, gpu*.shared.bandwidth.write", "B/s",
     "What all multiprocessors together move from and to their own scratchpads, without bank "
     "conflicts.",
     "The ceiling of what tiles can do; conflicts divide it."},

    {"gpu", "gpu*.host.to_device.pinned, gpu*.host.to_device.pageable", "B/s",
     "A large copy from the host's memory to the device's. What is pageable goes through a buffer "
     "of the driver's; the link's generation and width, and the NUMA node of the host's memory, "
     "move both.",
     "Pin what is copied again and again; on hosts with several nodes stay near the device."},
    {"gpu", "gpu*.host.to_host.pinned, gpu*.host.to_host.pageable", "B/s",
     "The same from the device to the host.",
     "Where it is far from the other direction's, look at the link (nvidia-smi topo -m) and at the "
     "host's memory."},
    {"gpu", "gpu*.host.both_ways.pinned, gpu*.host.both_ways.pageable", "B/s",
     "A copy in each direction at the same time: the sum of the two. Of pageable memory that "
     "is asked of OpenCL alone: the NVIDIA driver's call returns when such a copy has ended.",
     "Where it is well above one direction's, overlap copies to and fro."},
    {"gpu", "gpu*.host.read_ns", "ns",
     "A load by the device from the host's pinned memory, across the link and past its caches.",
     "Read only what is needed once that way; copy what is read again."},
    {"gpu", "gpu*.host.launch_ns", "ns",
     "From the call that starts a kernel that does nothing until the host sees that it has ended. "
     "The host's clock and its idle states move it.",
     "Give a kernel much longer work than that, or record many launches in a graph."},
    {"gpu", "gpu*.host.read, gpu*.host.launch", "cycles",
     "The same as with _ns in cycles of the multiprocessor's clock, where the device counts them.",
     "Go by the ns: the link and the host know nothing of that clock."},

    {"gpu", "gpu*.tlb*.reach", "B",
     "From which working set on that level of address translation costs more: what it reaches. It "
     "has no value where translation costs nothing more up to the largest set.",
     "Keep what is visited at random within it, or visit it block by block."},
    {"gpu", "gpu*.tlb*.page", "B",
     "How much one of its entries translates, from how the reach grows with the stride.",
     "Lay out what is visited together within that much."},
    {"gpu", "gpu*.tlb*.miss", "cycles",
     "What a load takes longer that misses that level; the caches are the same with and without.",
     "Add it to the latency of sets that are larger than the reach."},

    {"gpu", "gpu*.cluster.latency", "cycles",
     "A load from the scratchpad of another multiprocessor of the same cluster (distributed shared "
     "memory), the median over the ranks of the largest cluster.",
     "Compare it with L2's: exchange within a cluster where it is less."},
    {"gpu", "gpu*.cluster.own", "cycles",
     "The same way to the multiprocessor's own scratchpad: what the way itself costs.",
     "Hold shared.latency against it: address one's own scratchpad directly."},

    {"gpu", "gpu*.peer*.latency_ns", "ns",
     "A load from the memory of that other device, where that device's L2 holds it: the way there "
     "and back. The link between the two moves it.",
     "Copy in bulk rather than load word by word; place what exchanges most on near devices."},
    {"gpu", "gpu*.peer*.latency", "cycles", "The same in cycles of the multiprocessor's clock.",
     "Go by the ns: the link knows nothing of that clock."},
    {"gpu", "gpu*.peer*.copy", "B/s", "A large copy to the memory of that other device.",
     "Where it is no more than the host's link gives, the two have no link of their own, or access "
     "between them is switched off."},
    {"gpu",
     "gpu*.*.latency_ns, gpu*.*.*.latency_ns, gpu*.L2.near_ns, gpu*.L2.far_ns, "
     "gpu*.L2.side*.near_ns, gpu*.cluster.own_ns",
     "ns", "The same as the finding without _ns, in time by the device's own timer.",
     "Compare it between devices; within one, the cycles hold better."},
    {.patterns = NULL},
};
