"""Operations that order memory: fathom's loops in turn with plain ones in one process (fence.c), then its figures
and those of the instruction side beside what others published for the same core."""
import os
import re
import statistics

from noise import verdict

TURNS, GOAL = 3, 2  # percent
# Golden Cove and Raptor Cove, which differ in L2 alone: Sapphire and Emerald Rapids, Alder and Raptor Lake.
COVES = {("GenuineIntel", 6, model) for model in (143, 207, 151, 154, 183, 186, 191)}
AIDA = "InstLatX64, AIDA64 on an i9-13900K"
# Cycles one after the other. Flushes are left out: theirs go to the uncore of another processor.
OPERATIONS = {"exchange": (16.97, AIDA), "fetch-add": (17.97, AIDA + ", lock add"),
              "cas": (19.07, "uops.info, Alder Lake-P, measured in a loop"), "mfence": (38.11, AIDA),
              "sfence": (5.98, AIDA), "lfence": (11.97, AIDA), "store-nt": (0.521, AIDA)}
INTEL = "Intel, Architecture Day 2021"
CODE = {"L1.capacity": (32 << 10, INTEL), "btb.entries": (12 << 10, INTEL), "itlb.4K.entries": (256, INTEL),
        "decoded.entries": (4 << 10, INTEL + ", micro-operations")}
# Zen 3: Milan, Vermeer, Cezanne.
ZENS = {("AuthenticAMD", 25, model) for model in (1, 33, 80)}
AMD = "AMD 56665, Software Optimization Guide for Family 19h"
ZEN = {"L1.capacity": (32 << 10, AMD), "btb.entries": (6656, AMD), "itlb.4K.entries": (64, AMD),
       "itlb2.4K.entries": (512, AMD), "decoded.entries": (4 << 10, AMD + ", micro-operations")}


def loops(bench):
    rows = {}
    for _ in range(TURNS):
        for line in bench.program("fence").splitlines():
            op, loop, *figures = line.split()
            rows.setdefault((op, loop), []).append([float(figure) for figure in figures])
    print(f"fences: cycles by fathom's loops and plain ones on one word, {TURNS} turns, load {os.getloadavg()[0]:.1f}")
    print("                           fathom    plain (a tenth is below, above)   ratio   pairs")
    off = []
    for (op, loop), turns in rows.items():
        ours, plain, low, high, ratio, _ = (statistics.median(column) for column in zip(*turns))
        pairs = sum(turn[-1] for turn in turns)
        print(f"  {op:12} {loop:8} {ours:10.2f} {plain:8.2f} ({low:.2f} to {high:.2f}) {ratio:14.3f} {pairs:7.0f}")
        if abs(ratio - 1) > GOAL / 100:
            off.append(f"{op} {loop}")
    print(f"  {len(rows) - len(off)} of {len(rows)} within {GOAL} %: " + verdict(rows and not off), *off)


def model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        maker, *numbers = re.findall(r"^(?:vendor_id|cpu family|model)\s*: (\w+)$", file.read(), re.M)[:3]
    return (maker, *map(int, numbers))


def beside(bench, command, published, unit):
    """The command's figures beside those of others; the figures by name."""
    findings = {finding["name"].partition(".")[2]: finding
                for finding in bench.document(command)["probes"][0].get("findings", [])}
    print(f"{command}: {unit}, and what others have for this core, load {os.getloadavg()[0]:.1f}")
    ours = {}
    for name, (theirs, source) in published.items():
        finding = findings.get(name, {})
        if "value" not in finding:
            print(f"  {name:18} {'-':>30} {theirs:9.5g}          {source}")
            continue
        value, low, high = (finding.get(key, finding["value"]) for key in ("value", "low", "high"))
        ours[name] = value
        print(f"  {name:18} {value:9.5g} [{low:.5g} to {high:.5g}]".ljust(52) +
              f"{theirs:9.5g} {value / theirs:7.3f}   {source}")
    return ours


def published(bench):
    if model() in ZENS:
        beside(bench, "front", ZEN, "what fits")
        return
    if model() not in COVES:
        print("published figures: skipped, they are of Golden Cove, Raptor Cove and Zen 3")
        return
    ours = beside(bench, "fence", OPERATIONS, "cycles one after the other")
    same = sorted(ours, key=ours.get) == sorted(ours, key=lambda name: OPERATIONS[name][0])
    near = [name for name, value in ours.items() if abs(value / OPERATIONS[name][0] - 1) <= GOAL / 100]
    print(f"  the same order: {verdict(same)}; {len(near)} of {len(OPERATIONS)} within {GOAL} %")
    beside(bench, "front", CODE, "what fits")


def fences(bench):
    if os.uname().machine != "x86_64":
        print("fences: skipped, the plain loops are x86-64's")
        return
    loops(bench)
    published(bench)
