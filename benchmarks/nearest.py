#!/usr/bin/env python3
"""How often `fathom nearest` names a machine of the same family first: benchmarks/nearest.py FATHOM FOLDER...

The folders hold what people published: matrices (`results/*.csv` of KCORES/core-to-core-latency-plus, which has those of
nviennot/core-to-core-latency) and curves (`results/*.txt` of ThomasKaiser/sbc-bench, one of each kind of core in a file).
gallery/designs.txt has what is documented of them: the design of the core, and of matrices how the vendor joins the CPUs. A
curve's family is its core's design, a matrix's how the CPUs are joined, since hand-offs show that and not the core. Each machine
is left out in turn and looked up among all others of its kind. It is counted of all machines, and of those with another of their
family (or design), since without one no method can be right. Lines of MISSED tell what came first, CONFUSED which families for
which.

Then the two choices are tried again (away_of() in src/compare/nearest.c): which power of a logarithm counts, and which ratio at
most. For each machine those are taken that are right most often for all others, without that machine among them."""
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

POWERS, MOST = (1, 0.7, 0.5, 0.35), (1.5, 2, 3)
STEPS = 23  # sizes of a curve
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "gallery"))
from published import curves, matrices, shortened  # noqa: E402


def imported(fathom, given, into):
    """(name, design, family, path of a short document) of each, without copies."""
    seen, machines = set(), []
    for name, design, family, words, text in given:
        if text in seen:
            continue
        seen.add(text)
        command = [fathom, "import", *words, "-f", "json", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode:
            print(f"left out: {name}: {done.stderr.splitlines()[-1]}")
            continue
        short = into / f"{len(machines)}.json"
        short.write_text(json.dumps(shortened(json.loads(done.stdout))), encoding="utf-8")
        machines.append((name, design, family, short))
    return machines


def first_of(fathom, path, others):
    """The nearest of the others; those of the gallery, which are among them, do not count."""
    done = subprocess.run([fathom, "nearest", path, *others], capture_output=True, text=True, check=True)
    named = re.findall(r"(?m)^ +\d+ % +\d+  .*\(\S*?(\d+)\.json\)$", done.stdout)
    return int(named[0]) if named else None


def relatives(machines, key):
    """Whether each has another with the same value of this."""
    counts = Counter(one[key] for one in machines)
    return [counts[one[key]] > 1 for one in machines]


def share(right, of):
    return f"{right} of {of} ({100 * right / of:.0f} %)"


def tell_right(fathom, machines):
    """How many are right, and how many could be, by family."""
    confused, counts = Counter(), {}
    first = [first_of(fathom, one[3], [other[3] for other in machines if other[3] != one[3]]) for one in machines]
    found = [machines[at] if at is not None else ("none of them", None, None) for at in first]
    for one, other, could in zip(machines, found, relatives(machines, 2)):
        if one[2] != other[2]:
            print(f"MISSED {one[0]} ({one[2]}{'' if could else ', alone'}): {other[0]} ({other[2]})")
            confused[f"{one[2]} for {other[2]}"] += could
    print("CONFUSED", ", ".join(f"{pair}: {n}" for pair, n in confused.most_common() if n))
    for key, what in ((2, "family"), (1, "design")):
        right = sum(one[key] == other[key] for one, other in zip(machines, found))
        could = sum(relatives(machines, key))
        counts[what] = right, could
        print(f"right first, by {what}: {share(right, len(machines))} machines, {share(right, could)} with another of it; "
              "to reach: 90 %")
    sizes = Counter(one[2] for one in machines)
    for what, least, most in (("two to eight", 2, 8), ("nine and more", 9, len(machines))):
        of = [one[2] == other[2] for one, other in zip(machines, found) if least <= sizes[one[2]] <= most]
        print(f"in families of {what}: {share(sum(of), len(of))}")
    return counts["family"]


def times_of(path):
    """Logarithms of a matrix's steps, or of a curve's times at powers of two by the power."""
    (points,) = (series["points"] for probe in json.loads(path.read_text(encoding="utf-8"))["probes"] for series in probe["series"])
    return {math.log2(point["x"]): math.log(point["median"]) for point in points if math.log2(point["x"]).is_integer()}


def steps_apart(a, b, away):
    """As add_steps() in src/compare/nearest.c: (sum, how many)."""
    a, b = list(a.values()), list(b.values())
    unit, lacks = a[len(a) > 1] - b[len(b) > 1], away(math.inf)
    row = [lacks * j for j in range(len(b) + 1)]
    for i, step in enumerate(a, 1):
        above, row = row, [lacks * i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + lacks, row[-1] + lacks, above[j - 1] + away(step - other - unit)))
    return row[-1] + away(unit) + away(a[-1] - b[-1]), len(b) + 2


def curves_apart(a, b, away):
    """As add_curve()."""
    shortest = min(time for k, time in a.items() if k < STEPS) - min(time for k, time in b.items() if k < STEPS)
    ratios = {k: a[k] - b[k] - shortest for k in a if k < STEPS and k in b}
    rises = [ratios[k] - ratios[k - 1] for k in ratios if k - 1 in ratios]
    return sum(map(away, [*ratios.values(), *rises, shortest])), len(ratios) + len(rises) + 1


def nearest_two(times, apart, power, most):
    """The two nearest of each: the second one for where the first is left out."""
    table = {}

    def away(difference):
        if difference not in table:
            table[difference] = min(abs(difference), math.log(most)) ** power
        return table[difference]

    def rank(i, j):
        total, count = apart(times[j], times[i], away)
        return (total + away(math.inf)) / (count + 1)

    return [sorted((j for j in range(len(times)) if j != i), key=lambda j: rank(i, j))[:2] for i in range(len(times))]


def choose(machines, apart):
    family, everyone = [one[2] for one in machines], range(len(machines))
    times, near = [times_of(one[3]) for one in machines], {}
    for power in POWERS:
        for most in MOST:
            near[power, most] = nearest_two(times, apart, power, most)
        print(f"power {power}:", ", ".join(f"at most {most} times: {right(near[power, most], family)}" for most in MOST))
    chosen = [max(near, key=lambda choice: right(near[choice], family, without=i)) for i in everyone]
    print("chosen:", ", ".join(f"{choice} {times} times" for choice, times in Counter(chosen).most_common()))
    hit = sum(family[near[choice][i][0]] == family[i] for i, choice in enumerate(chosen))
    print(f"right first, chosen without the machine: {share(hit, len(machines))}, {share(hit, sum(relatives(machines, 2)))} "
          "with another of its family")


def right(nearest, family, without=None):
    return sum(family[two[two[0] == without]] == family[i] for i, two in enumerate(nearest) if i != without)


def main(fathom, *folders):
    total = [0, 0]
    for kind, given, apart in (("matrices", matrices, steps_apart), ("curves", curves, curves_apart)):
        with tempfile.TemporaryDirectory() as folder:
            machines = imported(fathom, given(folders), Path(folder))
            if not machines:
                continue
            print(f"{len(machines)} {kind}")
            total = [a + b for a, b in zip(total, tell_right(fathom, machines))]
            choose(machines, apart)
    print(f"right first, by family: {share(*total)} of all that have another of it")


if __name__ == "__main__":
    main(*sys.argv[1:])
