#include "findings/names.h"

const struct finding_line finding_names[] = {
    {.probe = "tlb",
     .patterns = "dtlb<n>.*.entries",
     .unit = "",
     .role = ROLE_TRANSLATION,
     .fact = FACT_ENTRIES,
     .part = 2,
     .meaning = "How many pages of that size a level of the data TLB translates: 1 is the "
                "level that costs nothing, 2 the one behind it. A busy hardware thread of the "
                "same core takes its share, and below a hypervisor huge pages may be split.",
     .advice = "Beyond that many pages every access pays for translation: keep hot data on "
               "fewer pages, or use huge pages."},
    {.probe = "tlb",
     .patterns = "dtlb1.*.onset",
     .unit = "",
     .role = ROLE_TRANSLATION,
     .fact = FACT_ONSET,
     .part = 2,
     .meaning = "Between how many pages translation begins to cost, where the trials do not "
                "agree on a number of entries: a neighbour on the core's other thread takes a "
                "part that changes.",
     .advice = "Take it for a rough number of entries, or repeat on a quiet machine."},
    {.probe = "tlb",
     .patterns = "dtlb2.*.hit",
     .unit = "cycles",
     .role = ROLE_TRANSLATION,
     .fact = FACT_HIT,
     .part = 2,
     .meaning = "What an access takes longer that misses the first level of the TLB and hits "
                "the second.",
     .advice = "Add it to a cache's latency for data that is spread over more pages than the "
               "first level holds."},
    {.probe = "tlb",
     .patterns = "dtlb2.*.walk",
     .unit = "cycles",
     .role = ROLE_TRANSLATION,
     .fact = FACT_WALK,
     .part = 2,
     .meaning = "What an access takes longer that misses both levels of the TLB: the walk "
                "through the page table. It grows with the table's own misses in the caches, "
                "and twofold below a hypervisor.",
     .advice = "Use huge pages for large sets that are visited at random."},
    {.probe = "tlb",
     .patterns = "dtlb.*.as.*",
     .unit = "",
     .role = ROLE_TRANSLATION,
     .fact = FACT_SPLIT,
     .part = 2,
     .meaning = "The share of memory on huge pages that is translated as small pages are: what "
                "a line on each of as many small pages' worth of huge ones costs, over what it "
                "costs on small ones: the middle over several numbers of pages. A hypervisor "
                "that backs a guest's memory with small pages splits the guest's huge ones in "
                "the TLB.",
     .advice = "Where it is not near 0, ask for huge pages on the host: those of the guest "
               "save no misses of the TLB. Cache latencies are then freed of the small pages' "
               "costs."},

    {.probe = "latency",
     .patterns = "L<n>.latency, DRAM.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "Load-to-use latency in core cycles, from the plateau of the curve that this "
                "level serves. Page size, neighbours in a shared cache and the node that holds "
                "the memory move it; the core clock moves only levels that run at a clock of "
                "their own.",
     .advice = "Compare it between runs on one kind of processor. Where it is higher than "
               "usual, read its flags, and look at what else runs and at which pages were "
               "obtained."},
    {.probe = "latency",
     .patterns = "L<n>.latency_ns, DRAM.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time. The core clock moves it.",
     .advice = "Compare it between machines; within one, the cycles hold better."},
    {.probe = "latency",
     .patterns = "L<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "Up to which working set this level serves what is loaded, and, as declared, "
                "what the machine says of itself. Less than declared: the cache is shared or "
                "partitioned. More: levels that exclude one another hold more together; and "
                "more than that: it could not be told apart from the next.",
     .advice = "Size buffers by the lower end of its interval, not by what is declared."},
    {.probe = "latency",
     .patterns = "levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve shows more or fewer caches than the machine declares; it has no "
                "value, its text says which.",
     .advice = "Look at the curve: a level may be hidden by a hypervisor, a partition or "
               "translation; --order random-in-block:1M and huge pages take translation out."},
    {.probe = "latency",
     .patterns = "core.clock",
     .unit = "Hz",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "The core clock while measuring, from dependent additions: the median over the "
                "run. The governor, turbo, heat and power limits move it.",
     .advice = "Where it is lower than expected, look at the governor and at turbo with "
               "'fathom doctor'."},
    {.probe = "latency",
     .patterns = "latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "Load-to-use latency in core cycles in a working set of one size, where sizes were "
                "named: its factors say which, and what else was asked for. The same moves it as "
                "the latency of a level.",
     .advice = "Compare it with the same size and factors only."},
    {.probe = "latency",
     .patterns = "latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same latency in time. The core clock moves it.",
     .advice = "Compare it between machines; within one, the cycles hold better."},

    {.probe = "geometry",
     .patterns = "L<n>.line",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_LINE,
     .meaning = "The cache line: how far apart two loads may be and still cost one miss. "
                "Prefetchers that fetch pairs of lines can make it look twice as long.",
     .advice = "Align and pad by it what several cores write; take twice as much where lines "
               "come in pairs."},
    {.probe = "geometry",
     .patterns = "L<n>.ways",
     .unit = "",
     .role = ROLE_LEVEL,
     .fact = FACT_WAYS,
     .meaning = "Associativity: how many lines that contend for one set fit at once.",
     .advice = "Arrays a multiple of the way stride apart crowd each other out beyond that "
               "many: pad them."},
    {.probe = "geometry",
     .patterns = "L<n>.way_stride",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The least distance at which lines contend for the same set: sets times line. "
                "Where the set's index is hashed there is none.",
     .advice = "Avoid leading dimensions and buffer distances that are multiples of it."},
    {.probe = "geometry",
     .patterns = "L<n>.disagreement",
     .unit = "B",
     .role = ROLE_DISAGREEMENT,
     .meaning = "Ways times way stride, where it differs from the capacity: a part of the "
                "cache is not to be had, or one of the two readings is wrong.",
     .advice = "Look for cache partitions (resctrl) and neighbours, and repeat with "
               "--thorough."},
    {.probe = "geometry",
     .patterns = "L<n>.inclusive",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "1: what this level gives up leaves the level before it too; 0: it stays there.",
     .advice = "In an inclusive cache a neighbour's traffic can throw out another core's hot "
               "lines: isolate them by partition or by placement."},

    {.probe = "cores",
     .patterns = "cores.*.min, cores.min",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .meaning = "One hand-off between the nearest pair of CPUs: half a round trip, the median "
                "over many cache lines. It is usually two hardware threads of one core, or two "
                "cores of one complex.",
     .advice = "Put threads that pass work to each other on such a pair; its CPUs stand "
               "beside it."},
    {.probe = "cores",
     .patterns = "cores.*.max, cores.max",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .meaning = "One hand-off between the farthest pair: across sockets, dies or kinds of core.",
     .advice = "Keep locks and queues from being shared over that distance."},
    {.probe = "cores",
     .patterns = "cores.*.mean, cores.mean",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .meaning = "The mean over all pairs and both directions.",
     .advice = "What threads pay that the scheduler places anywhere: pin them where the "
               "minimum is much less."},
    {.probe = "cores",
     .patterns = "cores.*.lines",
     .unit = "%",
     .role = ROLE_HANDOFF,
     .side = SIDE_NEITHER,
     .meaning = "How far the values of one pair's cache lines lie apart, from the least to the "
                "most, of their median, at the pair whose lines differ most. The text says "
                "whether that is the lines' own (a line's home in the interconnect depends on "
                "its address), or mostly time or noise.",
     .advice = "Distrust figures from a single line; choose a hot line's address among "
               "several where every nanosecond counts."},
    {.probe = "cores",
     .patterns = "cores.drift",
     .unit = "%",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "How far a reference pair, measured again and again on the same lines, moved "
                "in the course of the run: the clock of the interconnect, heat, neighbours.",
     .advice = "Where it is more than the differences you look at, repeat on a quieter "
               "machine or use --correct-drift."},
    {.probe = "cores",
     .patterns = "cores.parallel.bias",
     .unit = "%",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "What measuring pairs side by side changed against measuring them alone.",
     .advice = "Nothing where it is small: beyond --bias every pair is measured alone by "
               "itself. --sequential never measures side by side."},
    {.probe = "cores",
     .patterns = "cores.one-way.difference",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .side = SIDE_NEITHER,
     .meaning = "The most that a stamp of the counter seems to take longer one way than back: "
                "an offset of the two cores' counters, a longer way, or both; two cores alone "
                "cannot tell. Its interval holds for all pairs at once and includes one step "
                "of the counter.",
     .advice = "Do not order events of two cores by their counters when they are closer than "
               "half of it."},
    {.probe = "cores",
     .patterns = "cores.one-way.asymmetry",
     .unit = "ns",
     .role = ROLE_HANDOFF,
     .side = SIDE_NEITHER,
     .meaning = "What no offsets of the counters can account for: around a triangle of CPUs "
                "they add up to nothing, so one of its ways at least is so much longer than "
                "back. Left out where the lines' scatter and the counter's steps explain it, "
                "and between two CPUs.",
     .advice = "Where there is none, the ways are alike as far as the counters can tell."},
    {.probe = "cores",
     .patterns = "cluster",
     .unit = NULL,
     .role = ROLE_CLUSTER,
     .side = SIDE_NEITHER,
     .meaning = "A group of CPUs that are nearer to each other than to the rest, found from "
                "the latencies alone: the CPUs and the latency within. Its text says what it "
                "looks like and how it is declared.",
     .advice = "Place what communicates within one cluster; clusters nest, the smallest is "
               "the nearest."},
    {.probe = "cores",
     .patterns = "cluster.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "CPUs that behave as one cluster and are declared as separate, or the other "
                "way round; it has no value.",
     .advice = "Go by the latencies: a hypervisor or firmware may tell the topology wrongly."},

    {.probe = "parallelism",
     .patterns = "*.parallelism",
     .unit = "misses",
     .role = ROLE_FLIGHT,
     .fact = FACT_MISSES,
     .part = 1,
     .meaning = "How many misses (loads, in the first level) one core sustains at once: the "
                "time of one chain over the least time per access. A busy hardware thread of "
                "the same core takes its share; declared is what the maker documents of the "
                "processor's buffers.",
     .advice = "Do so many independent look-ups side by side as the text says; more gain "
               "nothing."},
    {.probe = "parallelism",
     .patterns = "*.parallelism.ns",
     .unit = "ns",
     .role = ROLE_FLIGHT,
     .fact = FACT_MISS_TIME,
     .part = 1,
     .meaning = "What is left per access when that many are under way.",
     .advice = "Compare it with the level's latency: so much is to be won by overlapping."},
    {.probe = "parallelism",
     .patterns = "*.parallelism.rate",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same as bytes of whole lines a second, visited at random.",
     .advice = "Compare it with the bandwidth in sequence, which prefetchers help."},
    {.probe = "parallelism",
     .patterns = "*.parallelism.four",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "Four chains' time over a quarter of one chain's, in a level that should hold "
                "nothing up; only there where it is far from 1.",
     .advice = "Trust the curve of several chains no better than that; repeat on a quieter "
               "machine."},
    {.probe = "parallelism",
     .patterns = "parallelism.all.rate",
     .unit = "1/s",
     .role = ROLE_PROPERTY,
     .meaning = "Random accesses a second of all threads together. Where it is little more "
                "than one thread's, the memory and not the core is the limit.",
     .advice = "Plan look-ups of the whole machine by it, not by one thread's times their "
               "number."},
    {.probe = "parallelism",
     .patterns = "parallelism.work.knee",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The work after each access beyond which the processor no longer sees the next "
                "access while it waits for this one.",
     .advice = "Keep less work than this between look-ups, or prefetch ahead."},
    {.probe = "parallelism",
     .patterns = "parallelism.work.prefetch",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "How many times as fast explicit prefetching makes accesses with much work "
                "between them.",
     .advice = "Prefetch by hand where it is well above 1."},

    {.probe = "bandwidth",
     .patterns = "bandwidth.*.1, bandwidth.*.*.1",
     .unit = "B/s",
     .role = ROLE_WIDTH,
     .fact = FACT_ONE,
     .part = 2,
     .meaning = "What one CPU moves between DRAM and itself with that kernel, counted as the "
                "program loads and stores; another access than the sequential one stands "
                "between. One core cannot have enough misses under way to fill the road.",
     .advice = "Take more threads until they fill it, but no more."},
    {.probe = "bandwidth",
     .patterns = "bandwidth.*.all, bandwidth.*.*.all",
     .unit = "B/s",
     .role = ROLE_WIDTH,
     .fact = FACT_ALL,
     .part = 2,
     .meaning = "The same of all CPUs together, each with memory near it.",
     .advice = "Hold a program's own traffic against it: near it, only moving less helps."},
    {.probe = "bandwidth",
     .patterns = "bandwidth.*.efficiency, bandwidth.*.*.efficiency, "
                 "L<n>.bandwidth.*.efficiency, L<n>.bandwidth.*.*.efficiency",
     .unit = "",
     .role = ROLE_PROPERTY,
     .side = SIDE_LESS,
     .meaning = "What is there when all CPUs want it, of one CPU's bandwidth times their "
                "number.",
     .advice = "Where it is low, threads share a road: do not expect more of them to help."},
    {.probe = "bandwidth",
     .patterns = "bandwidth.*.saturated_by, bandwidth.*.*.saturated_by, "
                 "L<n>.bandwidth.*.saturated_by, L<n>.bandwidth.*.*.saturated_by",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "How many CPUs reach 95 % of the most there is.",
     .advice = "Give work that is bound by memory so many threads, and the others something "
               "else."},
    {.probe = "bandwidth",
     .patterns = "L<n>.bandwidth.*.all, L<n>.bandwidth.*.*.all",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "What all CPUs together move between that cache and themselves, each with a "
                "set of its own where the cache is private. A shared cache's own road is its "
                "limit.",
     .advice = "Cut work so that each thread's part fits a cache whose road is its own."},
    {.probe = "bandwidth",
     .patterns = "L<n>.bandwidth.*, L<n>.bandwidth.*.*",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "What one CPU moves between that cache and itself. The width of loads and "
                "stores counts in the first levels, the clock in all.",
     .advice = "Compare it with the next level's: so much is won by blocking for this one."},
    {.probe = "bandwidth",
     .patterns = "stream.*.1, stream.*.all",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "STREAM's figure as STREAM counts it, by one CPU and by all: the median over "
                "the passes.",
     .advice = "Compare it with others' STREAM only by .best, which is what STREAM reports."},
    {.probe = "bandwidth",
     .patterns = "stream.*.1.best, stream.*.all.best",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The best pass, as STREAM reports it: what can happen, not what to expect.",
     .advice = "Quote it beside published STREAM figures; plan by the median."},

    {.probe = "loaded",
     .patterns = "loaded.unloaded",
     .unit = "ns",
     .role = ROLE_FLIGHT,
     .fact = FACT_UNLOADED,
     .meaning = "A load from DRAM while nobody else asks for any.",
     .advice = "The floor: what traffic adds to it is queueing."},
    {.probe = "loaded",
     .patterns = "loaded.unloaded_cycles",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same in core cycles.",
     .advice = "Compare it between runs whose core clocks differ."},
    {.probe = "loaded",
     .patterns = "loaded.saturated",
     .unit = "ns",
     .role = ROLE_FLIGHT,
     .fact = FACT_SATURATED,
     .meaning = "A load from DRAM while the other CPUs make all the traffic they can. The mix "
                "of reads and writes, its order and the number of injectors move it.",
     .advice = "What to expect of latency beside neighbours that use memory without restraint."},
    {.probe = "loaded",
     .patterns = "loaded.bandwidth",
     .unit = "B/s",
     .role = ROLE_FLIGHT,
     .fact = FACT_TRAFFIC,
     .meaning = "What the injectors really moved meanwhile: lines read, and lines written back.",
     .advice = "Read the latency under load together with it: one alone says little."},
    {.probe = "loaded",
     .patterns = "loaded.knee",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The traffic up to which latency rises little: bandwidth over latency is "
                "greatest there. Without a value: the injectors cannot fill the memory, or "
                "there was no time for all steps.",
     .advice = "Keep the machine's traffic below it where latency matters."},

    {.probe = "numa",
     .patterns = "numa.latency.local",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "A load from DRAM of the CPU's own node, on the node where that is worst.",
     .advice = "Hold the remote one against it; where nodes differ, look at their memory's "
               "modules."},
    {.probe = "numa",
     .patterns = "numa.latency.remote",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "A load from DRAM of another node, where that is worst. The links between "
                "sockets and what else uses them move it.",
     .advice = "Bind threads and their memory to one node (numactl) where it is much more "
               "than the local one."},
    {.probe = "numa",
     .patterns = "numa.bandwidth.local",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "What all CPUs of a node read together from their own node's DRAM, where that "
                "is worst.",
     .advice = "Plan by it: a program whose memory is placed well has so much for each node."},
    {.probe = "numa",
     .patterns = "numa.bandwidth.remote",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "What all CPUs of a node read together from another node's DRAM, where that is "
                "worst: the links' width.",
     .advice = "Where it is far below the local one, place memory where it is used (first "
               "touch)."},
    {.probe = "numa",
     .patterns = "numa.disagreement.*.*.*",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "From the first node, the second is declared nearer than the third and is so "
                "many times as far.",
     .advice = "The kernel places memory by what is declared: bind it by hand, and tell the "
               "firmware's maker."},

    {.probe = "window",
     .patterns = "window.*",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "How many such instructions fit between two misses that still overlap: how far "
                "past a waiting load the processor works on. A busy hardware thread of the "
                "same core may halve it.",
     .advice = "Bring independent misses nearer together than that, or prefetch."},

    {.probe = "contention",
     .patterns = "contention.*.latency.1",
     .unit = "ns",
     .role = ROLE_CONTENTION,
     .meaning = "One operation of a writer that has the line to itself.",
     .advice = "The floor: compare the others with it."},
    {.probe = "contention",
     .patterns = "contention.*.latency.all",
     .unit = "ns",
     .role = ROLE_CONTENTION,
     .meaning = "One operation of one of all writers to one line. It grows with their number "
                "and distance.",
     .advice = "Where it is many times that of a lone writer, give each thread a line of its "
               "own and add up afterwards."},
    {.probe = "contention",
     .patterns = "contention.*.throughput.1",
     .unit = "op/s",
     .role = ROLE_CONTENTION,
     .meaning = "Operations a second of one writer alone.",
     .advice = "Compare with all writers together: more of them seldom get more done on one "
               "line."},
    {.probe = "contention",
     .patterns = "contention.*.throughput.all",
     .unit = "op/s",
     .role = ROLE_CONTENTION,
     .meaning = "Operations a second of all writers to one line together. It is bound by how "
                "fast the line travels.",
     .advice = "A counter or lock that needs more has to be split."},
    {.probe = "contention",
     .patterns = "contention.*.fairness.all",
     .unit = "",
     .role = ROLE_CONTENTION,
     .side = SIDE_LESS,
     .meaning = "Of all writers to one line, what the one with the least got done of what the "
                "one with the most did: 1 is fair. CPUs near the line's home win.",
     .advice = "Where it is low use a queueing lock, or threads far away starve."},
    {.probe = "contention",
     .patterns = "contention.*.false-sharing",
     .unit = "",
     .role = ROLE_CONTENTION,
     .meaning = "How many times as long two writers take with a word each in one line as with "
                "lines far apart.",
     .advice = "Pad to the cache line what different threads write."},
    {.probe = "contention",
     .patterns = "contention.*.adjacent-lines",
     .unit = "",
     .role = ROLE_CONTENTION,
     .meaning = "The same in neighbouring lines; about 1 where the processor does not fetch "
                "lines in pairs.",
     .advice = "Where it is well above 1, pad to two lines."},

    {.probe = "coherence",
     .patterns = "coherence.*.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "One operation (load, store, cas, fetch-add) on a line that another CPU holds "
                "in that state: modified, exclusive, shared, or invalid (in memory alone). "
                "Distance and the directory's home move it.",
     .advice = "Where lines of others are dear to write, let readers keep copies (shared) and "
               "write seldom, in batches."},

    {.probe = "prefetch",
     .patterns = "prefetch.max_stride",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The largest forward stride of which the prefetchers hide a quarter or more of "
                "a level's latency.",
     .advice = "Keep strides below it, or change the layout; beyond it prefetch in software."},
    {.probe = "prefetch",
     .patterns = "prefetch.crosses_page",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "1: prefetchers go on into the next 4 KiB page; 0: they stop at its end.",
     .advice = "Where they stop, huge pages do not help them; walk long runs and touch the "
               "next page early."},
    {.probe = "prefetch",
     .patterns = "prefetch.*.*",
     .unit = "%",
     .role = ROLE_PROPERTY,
     .meaning = "How much of a level's latency in random order the prefetchers hide when lines "
                "are visited one after another, upwards (forward) or downwards (backward).",
     .advice = "Order data so that it is walked in the direction that is followed."},

    {.probe = "access",
     .patterns = "access.forwarding",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "From a store to a load of the same 8 bytes, handed over before it is in the "
                "cache.",
     .advice = "What a value costs that goes through memory: keep it in a register in the "
               "tightest loops."},
    {.probe = "access",
     .patterns = "access.forwarding.named",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "The same through the same address register; less where the processor knows "
                "without looking that both are one place.",
     .advice = "Nothing to do: it explains why the same code on the stack may be quicker."},
    {.probe = "access",
     .patterns = "access.forwarding.narrow",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "8 bytes stored and the first 4 of them loaded.",
     .advice = "Where it is much more than the plain case, load what was stored and mask it."},
    {.probe = "access",
     .patterns = "access.forwarding.wide",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "4 bytes stored and 8 loaded: much more where the load has to wait until the "
                "store is in the cache.",
     .advice = "Do not load more than was stored just before."},
    {.probe = "access",
     .patterns = "access.forwarding.overlap",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "8 bytes stored and 8 loaded from the middle of them on.",
     .advice = "Do not load across what was stored just before."},
    {.probe = "access",
     .patterns = "access.line_cross, access.line_cross.*",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "What a load takes longer that lies across the end of a cache line, in that "
                "level.",
     .advice = "Align what is loaded whole, vectors above all."},
    {.probe = "access",
     .patterns = "access.page_cross.*",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "What a load takes longer that lies across the end of a 4 KiB page, in that "
                "level: two translations and two lines.",
     .advice = "Do not let hot records straddle pages."},
    {.patterns = NULL},
};
