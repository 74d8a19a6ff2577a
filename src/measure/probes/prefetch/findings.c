#include "measure/probes/prefetch/findings.h"

/* What decides which experiment a finding is of, and what its name alone stands for. */
const struct standard prefetch_experiment[] = {
    {"address", STANDARD_NAMED, NULL, 0}, {"access", STANDARD_NAMED, NULL, 0},
    {"order", STANDARD_NAMED, NULL, 0},   {"stride", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},   {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},  {.factor = NULL},
};

const struct finding_line prefetch_lines[] = {
    {.patterns = "prefetch.max_stride",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .meaning = "The largest forward stride of which the prefetchers hide a quarter or more of a "
                "level's latency.",
     .moves = "Which prefetchers the processor has, and which of them firmware or a hypervisor "
              "switched on, decide it.",
     .advice = "Keep strides below it, or change the layout; beyond it prefetch in software."},
    {.patterns = "prefetch.crosses_page",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "1: prefetchers go on into the next 4 KiB page; 0: they stop at its end.",
     .moves = "Which prefetchers the processor has, and which are switched on, decide it.",
     .advice = "Where they stop, huge pages do not help them: walk long runs and touch the next "
               "page early."},
    {.patterns = "prefetch.*.*",
     .unit = "%",
     .role = ROLE_PROPERTY,
     .meaning = "How much of a level's latency in random order the prefetchers hide when lines are "
                "visited one after another, upwards (forward) or downwards (backward).",
     .moves = "Which prefetchers are switched on moves it, and other threads on the same core or "
              "memory, which compete for the same requests.",
     .advice = "Order data so that it is walked in the direction that is followed."},
    {.patterns = NULL},
};
