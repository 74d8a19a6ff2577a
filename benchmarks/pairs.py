"""Whether runs of one unchanged machine agree: in how many pairs of them two values of a figure lie within their combined
intervals, and how wide the intervals are.

usage: pairs.py FATHOM DOCUMENT...      FATHOM concludes each document anew; whole runs and quick ones are told apart

Two values agree if they differ by at most the root of the sum of the squares of the two sides that face each other. An
interval of 95 % holds an independent estimate in 83 % at best; both together hold their difference in 95 %. What several
CPUs do together is compared in one placement of the CPUs only. Good pairs are those of two values that are called good,
and not beside others or of too few trials. Disjoint pairs (the first run with the second, the third
with the fourth) are independent; all pairs are not, but there are more of them. Of each figure the median half width is
told, and beside it how far runs scatter (the deviation of half of the runs from their median, over 0.6745): half widths
of 95 % are 1.96 of what a run can see.
"""
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import sys

# What is shown, the findings, whether several CPUs measure it together, and the half width to reach, in percent.
FIGURES = [
    ("L1's latency", r"L1\.latency(_ns)?", False, 0.5),
    ("L2's latency", r"L2\.latency(_ns)?", False, 0.5),
    ("L3's latency", r"L3\.latency(_ns)?", False, None),
    ("memory's latency", r"(DRAM|last)\.latency(_ns)?", False, 8),
    ("hand-offs", r"cores\.\w+\.(min|max|mean)", True, 3),
    ("bandwidth by one CPU", r"bandwidth\.\w+\.1", False, 10),
    ("bandwidth by all CPUs", r"bandwidth\.\w+\.all", True, 10),
]
PAIRS = 0.93
# Hand-offs of one state of placement differ by less than this factor from one another, those of another by more.
STATE = 1.5
# A run of a smaller budget is a quick one.
QUICK_S = 10


def values(program, path):
    """The document's figures in their homes, and whether it is of a quick run."""
    done = subprocess.run([program, "analyse", path, "-o", "-"], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{path}: {done.stderr}")
    document, found = json.loads(done.stdout), {}
    for finding in (finding for probe in document["probes"] for finding in probe.get("findings", [])):
        at = [finding.get(end) for end in ("value", "low", "high")]
        if "clock_hz" in finding or None in at:
            continue
        role = re.sub(r"^last\.", "DRAM.", finding["name"])
        factors = finding.get("factors", {})
        found.setdefault(role, (*at, factors.get("cpu_placement"), factors.get("cpu_placement_ns"),
                                finding.get("kind") == "good"))
    return found, document["run"].get("budget_s", math.inf) < QUICK_S


def same_placement(one, other):
    """Where the host moved the CPUs meanwhile, the state is not known."""
    if one[3] is None and other[3] is None:
        return True
    return bool(one[4] and other[4] and one[3] == other[3] and max(one[4], other[4]) < STATE * min(one[4], other[4]))


def agree(one, other):
    below, above = sorted((one, other), key=lambda value: value[0])
    return above[0] - below[0] <= math.hypot(below[2] - below[0], above[0] - above[1])


def scatter(found):
    """Of the runs around their median, in percent."""
    middle = statistics.median(found)
    return 100 * statistics.median(abs(math.log(value / middle)) for value in found) / 0.6745


def row(title, runs, pattern, together, goal):
    held = {"all": [], "good": [], "disjoint": []}
    widths, scatters = [], []
    for name in sorted({name for run in runs for name in run if re.fullmatch(pattern, name)}):
        own = [run.get(name) for run in runs]
        known = [value for value in own if value]
        widths += [50 * (value[2] - value[1]) / value[0] for value in known]
        states = [[value for value in known if same_placement(value, first)] for first in known] if together else [known]
        scatters += [scatter([value[0] for value in state]) for state in states if len(state) > 2]
        good = [value if value and value[5] else None for value in own]
        pairs = {"all": itertools.combinations(own, 2), "good": itertools.combinations(good, 2),
                 "disjoint": zip(own[::2], own[1::2])}
        for kind, of in pairs.items():
            held[kind] += [agree(*pair) for pair in of if all(pair) and (not together or same_placement(*pair))]
    if not held["all"]:
        print(f"    {title:22} no two runs have it")
        return held
    shares = "   ".join(f"{100 * sum(of) / len(of):5.1f} % of {len(of):3} {kind}" if of else f"{'-':>7} {'':7}{kind}"
                        for kind, of in held.items())
    width = statistics.median(widths)
    reached = sum(held["all"]) >= PAIRS * len(held["all"]) and (goal is None or width <= goal)
    spread = f"{statistics.median(scatters):5.2f} %" if scatters else "    -"
    print(f"    {title:22} {shares}   +-{width:5.2f} %{f', at most {goal}' if goal else '':13} runs scatter by {spread}   "
          f"{'reached' if reached else 'MISSED'}")
    return held


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    by_kind = {False: [], True: []}
    for path in sorted(sys.argv[2:], key=os.path.getmtime):
        run, quick = values(sys.argv[1], path)
        by_kind[quick].append(run)
    for quick, runs in by_kind.items():
        if len(runs) < 2:
            continue
        print(f"pairs: {len(runs)} {'quick' if quick else 'whole'} runs; pairs that agree, half width")
        rows = [row(title, runs, *rest) for title, *rest in FIGURES]
        for kind in ("all", "good", "disjoint"):
            of = [held for each in rows for held in each[kind]]
            share = 100 * sum(of) / max(1, len(of))
            print(f"    {kind + ' pairs':22} {share:5.1f} % of {len(of):3}, {100 * PAIRS:.0f} % to reach")


if __name__ == "__main__":
    main()
