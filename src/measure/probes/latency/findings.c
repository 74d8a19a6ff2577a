#include "measure/probes/latency/findings.h"

/* A CPU of former documents is a number, and no kind. */
const struct standard latency_experiment[] = {
    {"address", STANDARD_TEXT, "pointer", 0}, {"access", STANDARD_TEXT, "read", 0},
    {"order", STANDARD_TEXT, "random", 0},    {"stride", STANDARD_LINE, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},       {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},      {"cpu", STANDARD_NAMED, NULL, 0},
    {"variant", STANDARD_NAMED, NULL, 0},     {"threads", STANDARD_ABSENT, NULL, 0},
    {"ring", STANDARD_ABSENT, NULL, 0},       {.factor = NULL},
};

const struct finding_line latency_lines[] = {
    {.patterns = "L<n>.latency, DRAM.latency, last.latency",
     .unit = "cycles",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY,
     .meaning = "Load-to-use latency in core cycles, from the plateau of the curve that this level "
                "serves.",
     .moves = "Page size, neighbours in a shared cache and the node that holds the memory move it. "
              "The core clock moves only levels that run at a clock of their own.",
     .advice = "Compare it between runs on one kind of processor. Where it is higher than usual, "
               "read its flags, and look at what else runs and at which pages were obtained."},
    {.patterns = "L<n>.latency_ns, DRAM.latency_ns, last.latency_ns",
     .unit = "ns",
     .role = ROLE_LEVEL,
     .fact = FACT_LATENCY_NS,
     .meaning = "The same latency in time.",
     .moves = "The core clock moves it, and whatever moves the cycles.",
     .advice = "Compare it between machines; within one, the cycles hold better."},
    {.patterns = "L<n>.capacity",
     .unit = "B",
     .role = ROLE_LEVEL,
     .fact = FACT_CAPACITY,
     .meaning = "Up to which working set this level serves what is loaded. Declared is what the "
                "machine says of itself.",
     .moves =
         "Less than declared: the cache is shared or partitioned. More: levels that exclude one "
         "another hold more together. Much more: the level could not be distinguished from the "
         "next.",
     .advice = "Size buffers by the lower end of its interval, not by what is declared."},
    {.patterns = "latency.hidden",
     .unit = "%",
     .role = ROLE_NOTE,
     .meaning = "How much of what a load costs in random order does not show when the same memory "
                "is gone through forward, at the largest size measured.",
     .moves =
         "Prefetchers, and the elements that share a line: of eight in a line, seven are there "
         "already. Prefetchers stop at the ends of small pages, and reach only some lines "
         "ahead.",
     .advice = "Lay out what is gone through in order as it is gone through; a figure from such a "
               "walk says nothing about look-ups."},
    {.patterns = "levels.gaps",
     .unit = "",
     .role = ROLE_NOTE,
     .meaning = "Where the curve has sizes of which no two agree: a level may be hidden there, and "
                "any number for it would be a guess. It has no value; its text says where.",
     .moves = "How many sizes an octave were measured, and how far trials scatter.",
     .advice = "Measure more sizes there: --per-octave 4, or --from and --to around it."},
    {.patterns = "levels.translation",
     .unit = "",
     .role = ROLE_NOTE,
     .meaning = "A small step of an imported curve at a size that a TLB of usual size reaches on "
                "pages of 4 KiB. It has no value, its text says where and how much.",
     .moves = "The pages that the other tool's memory lay on, which its table does not name.",
     .advice = "Measure with huge pages, or compare with 'fathom tlb', to tell translation from a "
               "cache."},
    {.patterns = "levels.disagreement",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning = "The curve shows more or fewer caches than the machine declares. It has no value; "
                "its text says which.",
     .moves = "A hypervisor or a cache partition can hide a level, and steps of translation can "
              "hide one or look like one.",
     .advice = "Look at the curve; --order random-in-block:1M and huge pages take translation out "
               "of it."},
    {.patterns = "core.clock",
     .unit = "Hz",
     .role = ROLE_CONDITION,
     .side = SIDE_NEITHER,
     .meaning = "The core clock while measuring, by bursts of dependent operations of which each "
                "takes a known "
                "number of cycles: the median over the run.",
     .moves = "The governor, turbo, heat and power limits move it.",
     .advice = "Where it is lower than expected, look at the governor and at turbo with 'fathom "
               "doctor'."},
    {.patterns = "latency",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "Load-to-use latency in core cycles in a working set of one size, where sizes were "
                "named. Its factors say which size, and what else was asked for.",
     .moves = "The same as the latency of a level.",
     .advice = "Compare it with the same size and factors only."},
    {.patterns = "latency_ns",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same latency in time.",
     .moves = "The core clock moves it, and whatever moves the cycles.",
     .advice = "Compare it between machines; within one, the cycles hold better."},
    {.patterns = NULL},
};
