#!/usr/bin/env python3
"""How often `fathom nearest` names a machine of the same core's design first: benchmarks/nearest.py FATHOM FOLDER...

The folders hold matrices as published (`results/` of KCORES/core-to-core-latency-plus, which has those of nviennot/core-to-core-latency);
designs.txt has the machines' designs by words of a file's name. Each machine is left out in turn and looked up among all others.
It is counted three ways: of all machines; of those with another of their design, since without one no method can be right; and of
those with another whose hand-offs also go over the same interconnect, since a matrix shows that and not the core. Lines of
MISSED tell what came first.

Then the one constant is chosen: what a step costs that the other matrix lacks (step_cost in src/compare/nearest.c). 300 times the
designs are halved at random; the constant that is right most often on one half is tested on the other one."""
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIED = (1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.6, 2)
HALVINGS = 300
sys.dont_write_bytecode = True


def gallery_make():
    loader = SourceFileLoader("make", str(ROOT / "gallery" / "make"))
    module = module_from_spec(spec_from_loader("make", loader))
    loader.exec_module(module)
    return module


def designs():
    lines = (ROOT / "benchmarks" / "designs.txt").read_text(encoding="utf-8").splitlines()
    return [(design, over, words.split(",")) for design, over, words in (one.split("|") for one in lines if one and one[0] != "#")]


def imported(fathom, folders, into):
    """(name, design, interconnect, path of a short document) of every matrix, without copies."""
    make, known, seen, machines = gallery_make(), designs(), set(), []
    for path in sorted(path for folder in folders for path in Path(folder).glob("*.csv")):
        text = path.read_bytes()
        if text in seen:
            continue
        seen.add(text)
        design, over, _ = next(line for line in known if any(word in path.stem for word in line[2]))
        done = subprocess.run([fathom, "import", "core-matrix", "--ids", "no", "-f", "json", path], capture_output=True, text=True)
        if done.returncode:
            print(f"left out: {path.name}: {done.stderr.splitlines()[-1]}")
            continue
        short = into / f"{len(machines)}.json"
        short.write_text(json.dumps(make.shortened(json.loads(done.stdout))), encoding="utf-8")
        machines.append((path.stem, design, over, short))
    return machines


def first_of(fathom, path, others):
    """The nearest of the others; those of the gallery, which are among them, do not count."""
    done = subprocess.run([fathom, "nearest", path, *others], capture_output=True, text=True, check=True)
    named = re.findall(r"(?m)^ +\d+ % +\d+  .*\(\S*?(\d+)\.json\)$", done.stdout)
    return int(named[0]) if named else None


def relatives(machines, keys):
    """Whether each has another with the same values of these."""
    return [sum(all(one[k] == other[k] for k in keys) for other in machines) > 1 for one in machines]


def tell_right(fathom, machines):
    right = []
    for name, design, _, path in machines:
        first = first_of(fathom, path, [other[3] for other in machines if other[3] != path])
        found = machines[first] if first is not None else ("none of them", None)
        right.append(found[1] == design)
        if not right[-1]:
            print(f"MISSED {name} ({design}): {found[0]} ({found[1]})")
    for whose, has in (("machines", [True] * len(machines)), ("with another of their design", relatives(machines, (1,))),
                       ("and of its interconnect", relatives(machines, (1, 2)))):
        of = [one for one, counts in zip(right, has) if counts]
        print(f"right first: {sum(of)} of {len(of)} {whose} ({100 * sum(of) / len(of):.0f} %; the goal is 90 %)")


def steps_of(path):
    probes = json.loads(path.read_text(encoding="utf-8"))["probes"]
    return [math.log(point["median"]) for probe in probes for series in probe["series"] for point in series["points"]]


def apart(a, b, cost):
    """As add_steps() in src/compare/nearest.c."""
    ours, others = ([step - steps[len(steps) > 1] for step in steps] for steps in (a, b))
    row = [cost * j for j in range(len(b) + 1)]
    for i, step in enumerate(ours, 1):
        above, row = row, [cost * i]
        for j, other in enumerate(others, 1):
            row.append(min(above[j] + cost, row[-1] + cost, above[j - 1] + abs(step - other)))
    return row[-1] + min(abs(a[0] - b[0]), math.log(2))


def choose(machines):
    steps = [steps_of(one[3]) for one in machines]
    asked = [i for i, has in enumerate(relatives(machines, (1,))) if has]
    right = {}
    for cost in TRIED:
        for i in asked:
            nearest = min((j for j in range(len(machines)) if j != i), key=lambda j: apart(steps[j], steps[i], math.log(cost)))
            right[cost, i] = machines[nearest][1] == machines[i][1]
        print(f"a step costs log({cost}): {sum(right[cost, i] for i in asked)} of {len(asked)}")
    names, held_out, chosen = sorted({machines[i][1] for i in asked}), [], {}
    for seed in range(HALVINGS):
        half = set(random.Random(seed).sample(names, len(names) // 2))
        best = max(TRIED, key=lambda cost: sum(right[cost, i] for i in asked if machines[i][1] in half))
        chosen[best] = chosen.get(best, 0) + 1
        held_out += [right[best, i] for i in asked if machines[i][1] not in half]
    print("chosen:", ", ".join(f"{cost} {times} times" for cost, times in sorted(chosen.items())))
    print(f"right first on the other half: {100 * sum(held_out) / len(held_out):.0f} %")


def main(fathom, *folders):
    with tempfile.TemporaryDirectory() as folder:
        machines = imported(fathom, folders, Path(folder))
        tell_right(fathom, machines)
        choose(machines)


if __name__ == "__main__":
    main(*sys.argv[1:])
