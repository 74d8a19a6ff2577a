#include "document/flag.h"

#include <string.h>

const struct flag_text flag_texts[FLAG_COUNT] = {
    [FLAG_UNCONVERGED] = {"unconverged",
                          "the interval is wider than asked for, though there were trials enough",
                          "the interval says how far to rely on it",
                          "--thorough takes more trials, --precision asks for less", false},
    [FLAG_PREEMPTED] = {"preempted", "other programs kept interrupting the measurement", NULL,
                        "stop the other programs on these CPUs, or choose quieter CPUs with --cpus",
                        true},
    [FLAG_STOLEN] = {"stolen", "the hypervisor took the CPU away while measuring", NULL,
                     "measure when the host is quiet, or on a machine with CPUs of its own", true},
    [FLAG_CLOCK_DRIFT] = {"clock-drift", "the core clock moved between trials", NULL,
                          "compare cycles rather than ns, or fix the clock (governor "
                          "'performance', turbo off; of a GPU: nvidia-smi -lgc)",
                          false},
    [FLAG_DRIFT] = {"drift", "the value rose or fell steadily through the run", NULL,
                    "let the machine settle (temperature, background work) and repeat", true},
    [FLAG_UNSTABLE] = {"unstable", "trials differ widely from one another", NULL,
                       "look for other programs on shared caches; repeat with --thorough", true},
    [FLAG_BIMODAL] =
        {"bimodal", "the trials fall into two groups",
         "something switches between two states (page placement, clock, a shared cache)",
         "read both groups from the quartiles", false},
    [FLAG_SMALL_PAGES] = {"small-pages", "huge pages were asked for and not all were obtained",
                          "this number includes address translation",
                          "enable transparent huge pages (madvise) or reserve huge pages", false},
    [FLAG_MISPLACED] = {"misplaced", "memory or a thread was not where it was asked to be", NULL,
                        "check cpusets and free memory on the NUMA node asked for", true},
    [FLAG_NARROW_AFFINITY] = {"narrow-affinity", "only some of the machine's CPUs may be used here",
                              NULL,
                              "widen the CPU mask (taskset, cpuset, container limits) to measure "
                              "all CPUs",
                              false},
    [FLAG_VIRTUAL_MACHINE] = {"virtual-machine", "a virtual machine",
                              "the real places of its CPUs and caches are unknown",
                              "measure on the host to know the hardware itself", false},
    [FLAG_MODELLED] =
        {"modelled", "this number comes from a model of the hardware, not from hardware", NULL,
         "to measure the hardware, leave out --machine, or the variable that chose the model",
         false},
    [FLAG_THROTTLED] =
        {"throttled",
         "the device slowed its clock because of heat, its power limit or a power brake", NULL,
         "cool the device, or lock its clock below the limit (nvidia-smi -lgc), and repeat", false},
    [FLAG_OCCUPIED] =
        {"occupied", "other work held a part of what was measured", "only the rest was seen",
         "stop the other work on this core and its caches, or repeat when they are idle", true},
    [FLAG_TOO_FEW] = {"too-few", "fewer trials than planned", "the interval may be too narrow",
                      "give it more time (--thorough or --budget), or stop other work", true},
    [FLAG_MISCOUNTED] =
        {"miscounted", "the kernel's page-fault count is not the expected one", NULL,
         "see that nothing moves this program's pages meanwhile (NUMA balancing, KSM, memory "
         "limits), and measure outside sandboxes and emulators",
         true},
    [FLAG_EMULATED] = {"emulated", "an emulator ran while this was measured",
                       "it says nothing about any hardware",
                       "measure on the hardware, or in a virtual machine with KVM", true},
};

int flag_by_name(const char *name)
{
    for (int i = 0; i < FLAG_COUNT; i++)
        if (strcmp(flag_texts[i].name, name) == 0)
            return i;
    return -1;
}

unsigned flag_doubts(unsigned flags)
{
    unsigned doubts = 0;
    for (int i = 0; i < FLAG_COUNT; i++)
        if (flag_texts[i].doubt)
            doubts |= flags & FLAG_BIT(i);
    return doubts;
}

unsigned flag_widening(unsigned flags)
{
    return flag_doubts(flags) | (flags & FLAG_BIT(FLAG_UNCONVERGED));
}
