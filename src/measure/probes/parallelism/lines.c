/* What the findings of the parallelism probe are: their lines in the registry. */
#include "measure/probes/parallelism/parallelism.h"

/* What decides which experiment a finding is of, and what its name alone stands for. */
const struct standard parallelism_experiment[] = {
    {"level", STANDARD_NAMED, NULL, 0},
    {"working set", STANDARD_NAMED, NULL, 0},
    {"size", STANDARD_ABSENT, NULL, 0},
    {"chains", STANDARD_NAMED, NULL, 0}, /* as many as fill a core, which differs from run to run */
    {"prefetch", STANDARD_ABSENT, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

const struct finding_line parallelism_lines[] = {
    {.patterns = "*.parallelism",
     .unit = "misses",
     .role = ROLE_FLIGHT,
     .fact = FACT_MISSES,
     .part = 1,
     .meaning = "How many misses (in the first level: loads) one core sustains at once: the time "
                "of one chain over the least time per access. Declared is what the maker documents "
                "of the processor's buffers.",
     .moves = "A busy hardware thread of the same core takes its share. Small pages (walks of the "
              "page table wait in the same queues), neighbours that use the memory and the "
              "distance to it move it too.",
     .advice = "Do as many independent look-ups side by side as the text says; more gain nothing."},
    {.patterns = "*.parallelism.ns",
     .unit = "ns",
     .role = ROLE_FLIGHT,
     .fact = FACT_MISS_TIME,
     .part = 1,
     .meaning = "The time per access when that many are under way.",
     .moves =
         "It is the level's latency over the parallelism: whatever moves one of them moves it.",
     .advice = "Compare it with the level's latency: the ratio is what overlapping can win."},
    {.patterns = "*.parallelism.rate",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_SHARED,
     .meaning = "The same as bytes of whole lines a second, visited at random.",
     .moves = "Whatever moves the time per access moves it.",
     .advice = "Compare it with the bandwidth in sequence, which prefetchers help."},
    {.patterns = "*.parallelism.four",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "Four chains' time per access over a quarter of one chain's, in a level that "
                "should hold nothing up. It is only there where it is far from 1.",
     .moves = "Neighbours, and a clock that moved between the two measurements, move it.",
     .advice =
         "Trust the curve of several chains no better than that; repeat on a quieter machine."},
    {.patterns = "parallelism.all.rate",
     .unit = "1/s",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .meaning = "Random accesses a second of all threads together.",
     .moves = "Page size, neighbours and the distance to the memory move it. Where it is little "
              "more than one thread's, the memory and not the core is the limit.",
     .advice = "Plan look-ups of the whole machine by it, not by one thread's times the number of "
               "threads."},
    {.patterns = "parallelism.work.knee",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .least_points = 2,
     .meaning = "How much work after each access, in dependent additions of a cycle each, keeps "
                "the processor from seeing the next access while it waits for this one.",
     .moves = "The processor's window of instructions and its schedulers, where work waits, decide "
              "it. A busy hardware thread of the same core takes its share.",
     .advice = "Keep less work than this between look-ups, or prefetch ahead."},
    {.patterns = "parallelism.work.prefetch",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning =
         "How many times as fast explicit prefetching makes accesses with much work between them.",
     .moves = "How far ahead is prefetched (--prefetch) and how much work there is between "
              "accesses (--work) move it.",
     .advice = "Prefetch explicitly where it is well above 1."},
    {.patterns = NULL},
};
