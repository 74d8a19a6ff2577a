#include "findings/names.h"

#include <stddef.h>
#include <string.h>

const struct finding_name finding_names[] = {
    {"tlb", "dtlb*.*.entries", "",
     "How many pages of that size a level of the data TLB translates: 1 is the level that costs "
     "nothing, 2 the one behind it. A busy hardware thread of the same core takes its share, and "
     "below a hypervisor huge pages may be split.",
     "Beyond that many pages every access pays for translation: keep hot data on fewer pages, or "
     "use huge pages."},
    {"tlb", "dtlb1.*.onset", "",
     "Between how many pages translation begins to cost, where the trials do not agree on a number "
     "of entries: a neighbour on the core's other thread takes a part that changes.",
     "Take it for a rough number of entries, or repeat on a quiet machine."},
    {"tlb", "dtlb2.*.hit", "cycles",
     "What an access takes longer that misses the first level of the TLB and hits the second.",
     "Add it to a cache's latency for data that is spread over more pages than the first level "
     "holds."},
    {"tlb", "dtlb2.*.walk", "cycles",
     "What an access takes longer that misses both levels of the TLB: the walk through the page "
     "table. It grows with the table's own misses in the caches, and twofold below a hypervisor.",
     "Use huge pages for large sets that are visited at random."},
    {"tlb", "dtlb.*.as.*", "",
     "The share of memory on huge pages that is translated as small pages are: what a line on each "
     "of as many small pages' worth of huge ones costs, over what it costs on small ones: the "
     "middle over several numbers of pages. A hypervisor that backs a guest's memory with small "
     "pages splits the guest's huge ones in the TLB.",
     "Where it is not near 0, ask for huge pages on the host: those of the guest save no misses of "
     "the TLB. Cache latencies are then freed of the small pages' costs."},

    {"latency", "L*.latency, DRAM.latency", "cycles",
     "Load-to-use latency in core cycles, from the plateau of the curve that this level serves. "
     "Page size, neighbours in a shared cache and the node that holds the memory move it; the core "
     "clock moves only levels that run at a clock of their own.",
     "Compare it between runs on one kind of processor. Where it is higher than usual, read its "
     "flags, and look at what else runs and at which pages were obtained."},
    {"latency", "L*.latency_ns, DRAM.latency_ns", "ns",
     "The same latency in time. The core clock moves it.",
     "Compare it between machines; within one, the cycles hold better."},
    {"latency", "L*.capacity", "B",
     "Up to which working set this level serves what is loaded, and, as declared, what the machine "
     "says of itself. Less than declared: the cache is shared or partitioned. More: levels that "
     "exclude one another hold more together; and more than that: it could not be told apart from "
     "the next.",
     "Size buffers by the lower end of its interval, not by what is declared."},
    {"latency", "levels.disagreement", "",
     "The curve shows more or fewer caches than the machine declares; it has no value, its text "
     "says which.",
     "Look at the curve: a level may be hidden by a hypervisor, a partition or translation; "
     "--order "
     "random-in-block:1M and huge pages take translation out."},
    {"latency", "core.clock", "Hz",
     "The core clock while measuring, from dependent additions: the median over the run. The "
     "governor, turbo, heat and power limits move it.",
     "Where it is lower than expected, look at the governor and at turbo with 'fathom doctor'."},

    {"geometry", "L*.line", "B",
     "The cache line: how far apart two loads may be and still cost one miss. Prefetchers that "
     "fetch pairs of lines can make it look twice as long.",
     "Align and pad by it what several cores write; take twice as much where lines come in pairs."},
    {"geometry", "L*.ways", "",
     "Associativity: how many lines that contend for one set fit at once.",
     "Arrays a multiple of the way stride apart crowd each other out beyond that many: pad them."},
    {"geometry", "L*.way_stride", "B",
     "The least distance at which lines contend for the same set: sets times line. Where the set's "
     "index is hashed there is none.",
     "Avoid leading dimensions and buffer distances that are multiples of it."},
    {"geometry", "L*.disagreement", "B",
     "Ways times way stride, where it differs from the capacity: a part of the cache is not to be "
     "had, or one of the two readings is wrong.",
     "Look for cache partitions (resctrl) and neighbours, and repeat with --thorough."},
    {"geometry", "L*.inclusive", "",
     "1: what this level gives up leaves the level before it too; 0: it stays there.",
     "In an inclusive cache a neighbour's traffic can throw out another core's hot lines: isolate "
     "them by partition or by placement."},

    {"cores", "cores.*.min, cores.min", "ns",
     "One hand-off between the nearest pair of CPUs: half a round trip, the median over many cache "
     "lines. It is usually two hardware threads of one core, or two cores of one complex.",
     "Put threads that pass work to each other on such a pair; its CPUs stand beside it."},
    {"cores", "cores.*.max, cores.max", "ns",
     "One hand-off between the farthest pair: across sockets, dies or kinds of core.",
     "Keep locks and queues from being shared over that distance."},
    {"cores", "cores.*.mean, cores.mean", "ns", "The mean over all pairs and both directions.",
     "What threads pay that the scheduler places anywhere: pin them where the minimum is much "
     "less."},
    {"cores", "cores.*.lines", "%",
     "How far the values of one pair's cache lines lie apart, from the least to the most, of their "
     "median, at the pair whose lines differ most. The text says whether that is the lines' own (a "
     "line's home in the interconnect depends on its address), or mostly time or noise.",
     "Distrust figures from a single line; choose a hot line's address among several where every "
     "nanosecond counts."},
    {"cores", "cores.drift", "%",
     "How far a reference pair, measured again and again on the same lines, moved in the course of "
     "the run: the clock of the interconnect, heat, neighbours.",
     "Where it is more than the differences you look at, repeat on a quieter machine or use "
     "--correct-drift."},
    {"cores", "cores.parallel.bias", "%",
     "What measuring pairs side by side changed against measuring them alone.",
     "Nothing where it is small: beyond --bias every pair is measured alone by itself. "
     "--sequential "
     "never measures side by side."},
    {"cores", "cores.one-way.difference", "ns",
     "The most that a stamp of the counter seems to take longer one way than back: an offset of "
     "the two cores' counters, a longer way, or both; two cores alone cannot tell. Its interval "
     "holds for all pairs at once and includes one step of the counter.",
     "Do not order events of two cores by their counters when they are closer than half of it."},
    {"cores", "cores.one-way.asymmetry", "ns",
     "What no offsets of the counters can account for: around a triangle of CPUs they add up to "
     "nothing, so one of its ways at least is so much longer than back. Left out where the lines' "
     "scatter and the counter's steps explain it, and between two CPUs.",
     "Where there is none, the ways are alike as far as the counters can tell."},
    {"cores", "cluster", "ns",
     "A group of CPUs that are nearer to each other than to the rest, found from the latencies "
     "alone: the CPUs and the latency within. Its text says what it looks like and how it is "
     "declared.",
     "Place what communicates within one cluster; clusters nest, the smallest is the nearest."},
    {"cores", "cluster.disagreement", "",
     "CPUs that behave as one cluster and are declared as separate, or the other way round; it has "
     "no value.",
     "Go by the latencies: a hypervisor or firmware may tell the topology wrongly."},

    {"parallelism", "*.parallelism", "misses",
     "How many misses (loads, in the first level) one core sustains at once: the time of one chain "
     "over the least time per access. A busy hardware thread of the same core takes its share; "
     "declared is what the maker documents of the processor's buffers.",
     "Do so many independent look-ups side by side as the text says; more gain nothing."},
    {"parallelism", "*.parallelism.ns", "ns",
     "What is left per access when that many are under way.",
     "Compare it with the level's latency: so much is to be won by overlapping."},
    {"parallelism", "*.parallelism.rate", "B/s",
     "The same as bytes of whole lines a second, visited at random.",
     "Compare it with the bandwidth in sequence, which prefetchers help."},
    {"parallelism", "*.parallelism.four", "",
     "Four chains' time over a quarter of one chain's, in a level that should hold nothing up; "
     "only "
     "there where it is far from 1.",
     "Trust the curve of several chains no better than that; repeat on a quieter machine."},
    {"parallelism", "parallelism.all.rate", "1/s",
     "Random accesses a second of all threads together. Where it is little more than one thread's, "
     "the memory and not the core is the limit.",
     "Plan look-ups of the whole machine by it, not by one thread's times their number."},
    {"parallelism", "parallelism.work.knee", "cycles",
     "The work after each access beyond which the processor no longer sees the next access while "
     "it "
     "waits for this one.",
     "Keep less work than this between look-ups, or prefetch ahead."},
    {"parallelism", "parallelism.work.prefetch", "",
     "How many times as fast explicit prefetching makes accesses with much work between them.",
     "Prefetch by hand where it is well above 1."},

    {"bandwidth", "bandwidth.*.1, bandwidth.*.*.1", "B/s",
     "What one CPU moves between DRAM and itself with that kernel, counted as the program loads "
     "and "
     "stores; another access than the sequential one stands between. One core cannot have enough "
     "misses under way to fill the road.",
     "Take more threads until they fill it, but no more."},
    {"bandwidth", "bandwidth.*.all, bandwidth.*.*.all", "B/s",
     "The same of all CPUs together, each with memory near it.",
     "Hold a program's own traffic against it: near it, only moving less helps."},
    {"bandwidth",
     "bandwidth.*.efficiency, bandwidth.*.*.efficiency, L*.bandwidth.*.efficiency, "
     "L*.bandwidth.*.*.efficiency",
     "", "What is there when all CPUs want it, of one CPU's bandwidth times their number.",
     "Where it is low, threads share a road: do not expect more of them to help."},
    {"bandwidth",
     "bandwidth.*.saturated_by, bandwidth.*.*.saturated_by, "
     "L*.bandwidth.*.saturated_by, L*.bandwidth.*.*.saturated_by",
     "", "How many CPUs reach 95 % of the most there is.",
     "Give work that is bound by memory so many threads, and the others something else."},
    {"bandwidth", "L*.bandwidth.*.all, L*.bandwidth.*.*.all", "B/s",
     "What all CPUs together move between that cache and themselves, each with a set of its own "
     "where the cache is private. A shared cache's own road is its limit.",
     "Cut work so that each thread's part fits a cache whose road is its own."},
    {"bandwidth", "L*.bandwidth.*, L*.bandwidth.*.*", "B/s",
     "What one CPU moves between that cache and itself. The width of loads and stores counts in "
     "the "
     "first levels, the clock in all.",
     "Compare it with the next level's: so much is won by blocking for this one."},
    {"bandwidth", "stream.*.1, stream.*.all", "B/s",
     "STREAM's figure as STREAM counts it, by one CPU and by all: the median over the passes.",
     "Compare it with others' STREAM only by .best, which is what STREAM reports."},
    {"bandwidth", "stream.*.1.best, stream.*.all.best", "B/s",
     "The best pass, as STREAM reports it: what can happen, not what to expect.",
     "Quote it beside published STREAM figures; plan by the median."},

    {"loaded", "loaded.unloaded", "ns", "A load from DRAM while nobody else asks for any.",
     "The floor: what traffic adds to it is queueing."},
    {"loaded", "loaded.unloaded_cycles", "cycles", "The same in core cycles.",
     "Compare it between runs whose core clocks differ."},
    {"loaded", "loaded.saturated", "ns",
     "A load from DRAM while the other CPUs make all the traffic they can. The mix of reads and "
     "writes, its order and the number of injectors move it.",
     "What to expect of latency beside neighbours that use memory without restraint."},
    {"loaded", "loaded.bandwidth", "B/s",
     "What the injectors really moved meanwhile: lines read, and lines written back.",
     "Read the latency under load together with it: one alone says little."},
    {"loaded", "loaded.knee", "B/s",
     "The traffic up to which latency rises little: bandwidth over latency is greatest there. "
     "Without a value: the injectors cannot fill the memory, or there was no time for all steps.",
     "Keep the machine's traffic below it where latency matters."},

    {"numa", "numa.latency.local", "ns",
     "A load from DRAM of the CPU's own node, on the node where that is worst.",
     "Hold the remote one against it; where nodes differ, look at their memory's modules."},
    {"numa", "numa.latency.remote", "ns",
     "A load from DRAM of another node, where that is worst. The links between sockets and what "
     "else uses them move it.",
     "Bind threads and their memory to one node (numactl) where it is much more than the local "
     "one."},
    {"numa", "numa.bandwidth.local", "B/s",
     "What all CPUs of a node read together from their own node's DRAM, where that is worst.",
     "Plan by it: a program whose memory is placed well has so much for each node."},
    {"numa", "numa.bandwidth.remote", "B/s",
     "What all CPUs of a node read together from another node's DRAM, where that is worst: the "
     "links' width.",
     "Where it is far below the local one, place memory where it is used (first touch)."},
    {"numa", "numa.disagreement.*.*.*", "",
     "From the first node, the second is declared nearer than the third and is so many times as "
     "far.",
     "The kernel places memory by what is declared: bind it by hand, and tell the firmware's "
     "maker."},

    {"window", "window.*", "",
     "How many such instructions fit between two misses that still overlap: how far past a waiting "
     "load the processor works on. A busy hardware thread of the same core may halve it.",
     "Bring independent misses nearer together than that, or prefetch."},

    {"contention", "contention.*.latency.1", "ns",
     "One operation of a writer that has the line to itself.",
     "The floor: compare the others with it."},
    {"contention", "contention.*.latency.all", "ns",
     "One operation of one of all writers to one line. It grows with their number and distance.",
     "Where it is many times that of a lone writer, give each thread a line of its own and add up "
     "afterwards."},
    {"contention", "contention.*.throughput.1", "op/s", "Operations a second of one writer alone.",
     "Compare with all writers together: more of them seldom get more done on one line."},
    {"contention", "contention.*.throughput.all", "op/s",
     "Operations a second of all writers to one line together. It is bound by how fast the line "
     "travels.",
     "A counter or lock that needs more has to be split."},
    {"contention", "contention.*.fairness.all", "",
     "Of all writers to one line, what the one with the least got done of what the one with the "
     "most did: 1 is fair. CPUs near the line's home win.",
     "Where it is low use a queueing lock, or threads far away starve."},
    {"contention", "contention.*.false-sharing", "",
     "How many times as long two writers take with a word each in one line as with lines far "
     "apart.",
     "Pad to the cache line what different threads write."},
    {"contention", "contention.*.adjacent-lines", "",
     "The same in neighbouring lines; about 1 where the processor does not fetch lines in pairs.",
     "Where it is well above 1, pad to two lines."},

    {"coherence", "coherence.*.*", "ns",
     "One operation (load, store, cas, fetch-add) on a line that another CPU holds in that state: "
     "modified, exclusive, shared, or invalid (in memory alone). Distance and the directory's home "
     "move it.",
     "Where lines of others are dear to write, let readers keep copies (shared) and write seldom, "
     "in batches."},

    {"prefetch", "prefetch.max_stride", "B",
     "The largest forward stride of which the prefetchers hide a quarter or more of a level's "
     "latency.",
     "Keep strides below it, or change the layout; beyond it prefetch in software."},
    {"prefetch", "prefetch.crosses_page", "",
     "1: prefetchers go on into the next 4 KiB page; 0: they stop at its end.",
     "Where they stop, huge pages do not help them; walk long runs and touch the next page early."},
    {"prefetch", "prefetch.*.*", "%",
     "How much of a level's latency in random order the prefetchers hide when lines are visited "
     "one after another, upwards (forward) or downwards (backward).",
     "Order data so that it is walked in the direction that is followed."},

    {"access", "access.forwarding", "cycles",
     "From a store to a load of the same 8 bytes, handed over before it is in the cache.",
     "What a value costs that goes through memory: keep it in a register in the tightest loops."},
    {"access", "access.forwarding.named", "cycles",
     "The same through the same address register; less where the processor knows without looking "
     "that both are one place.",
     "Nothing to do: it explains why the same code on the stack may be quicker."},
    {"access", "access.forwarding.narrow", "cycles",
     "8 bytes stored and the first 4 of them loaded.",
     "Where it is much more than the plain case, load what was stored and mask it."},
    {"access", "access.forwarding.wide", "cycles",
     "4 bytes stored and 8 loaded: much more where the load has to wait until the store is in the "
     "cache.",
     "Do not load more than was stored just before."},
    {"access", "access.forwarding.overlap", "cycles",
     "8 bytes stored and 8 loaded from the middle of them on.",
     "Do not load across what was stored just before."},
    {"access", "access.line_cross, access.line_cross.*", "cycles",
     "What a load takes longer that lies across the end of a cache line, in that level.",
     "Align what is loaded whole, vectors above all."},
    {"access", "access.page_cross.*", "cycles",
     "What a load takes longer that lies across the end of a 4 KiB page, in that level: two "
     "translations and two lines.",
     "Do not let hot records straddle pages."},
    {.patterns = NULL},
};

/* One pattern, which ends at a comma or at the end of the text. */
static bool matches(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != ','; pattern++) {
        if (*pattern == '*') {
            size_t most = strcspn(name, ".");
            for (size_t taken = 1; taken <= most; taken++)
                if (matches(pattern + 1, name + taken))
                    return true;
            return false;
        }
        if (*pattern != *name++)
            return false;
    }
    return *name == '\0';
}

const struct finding_name *finding_name_at(size_t i)
{
    static const struct finding_name *const tables[] = {finding_names, finding_names_gpu};
    for (size_t table = 0; table < sizeof tables / sizeof *tables; table++)
        for (const struct finding_name *line = tables[table]; line->patterns; line++)
            if (i-- == 0)
                return line;
    return NULL;
}

bool finding_name_matches(const char *patterns, const char *name)
{
    for (const char *pattern = patterns; pattern; pattern = strchr(pattern, ',')) {
        pattern += *pattern == ',' ? strlen(", ") : 0;
        if (matches(pattern, name))
            return true;
    }
    return false;
}

const struct finding_name *finding_name_find(const char *name)
{
    const struct finding_name *line;
    for (size_t i = 0; (line = finding_name_at(i)); i++)
        if (finding_name_matches(line->patterns, name))
            return line;
    return NULL;
}
