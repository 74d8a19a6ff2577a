#!/usr/bin/env python3
"""Tests what `fathom advise` says by the kernels that it is for: benchmarks/advise.py BUILD [ROUNDS [DOCUMENT...]].

Documents are measured first where none is named (a whole run, copies, two writers, small pages). Then each kernel (benchmarks/advised.c) runs with
the advice and with half and double of it in turn, ROUNDS times (15). A row is the median over the rounds of the advice's time over the
other's, with the middle half of the rounds: above 1.03 the advice loses. Blocks of a cache are passed through in order, the one for random reads is read at random; the former are also held against what the declared size of the
cache would give by the same rule. What is not tested here is said, with the reason."""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LOSES = 1.03
RUNS = {"run": ["run", "--budget", "120"], "copy": ["copy", "--budget", "20"], "contention": ["contention", "--budget", "10"],
        "small": ["latency", "--pages", "small", "--budget", "20"]}


def measured(fathom, folder):
    paths = []
    for name, command in RUNS.items():
        paths.append(folder / f"{name}.json")
        if not paths[-1].exists():
            done = subprocess.run([fathom, *command, "-o", paths[-1]], capture_output=True, text=True)
            if done.returncode not in (0, 4):
                paths.pop()
    return paths


def block_of(size):
    """As src/conclude/advise.c makes it of a capacity."""
    room = 0.7 * size
    power = 2 ** math.floor(math.log2(room))
    return int(power * math.floor(room / power * 4) / 4)


def declared(document, level):
    caches = document.get("machine", {}).get("caches", [])
    return next((cache["size_bytes"] for cache in caches if cache["level"] == level and cache["type"] != "instruction"), None)


def trials(given, document, cpus):
    """What is run: (what, kernel, the advice's setting, {other: setting}); or (what, why it is not tested)."""
    for name, advice in given.items():
        value, told = advice.get("value"), "command" not in advice
        if not told:
            yield name, f"can't tell: {advice['command']}"
        elif name.startswith("block.L"):
            level, v = int(name[-1]), int(value)
            size = declared(document, level)
            others = {"half": v // 2, "double": 2 * v}
            if size and block_of(size) != v:
                others["declared"] = block_of(size)
            yield name, "scan", v, others
        elif name == "block.random":
            v = int(value)
            yield name, "probe", v, {"half": v // 2, "double": 2 * v}
        elif name == "radix.bits":
            v = int(value)
            yield name, "radix-huge", v, {"half": max(1, v // 2), "double": min(2 * v, 20)}
            yield name, "radix", v, {"half": max(1, v // 2), "double": min(2 * v, 20), "one less": v - 1, "one more": v + 1}
        elif name in ("interleave.memory", "interleave.L3", "prefetch.distance"):
            kernel = {"interleave.memory": "interleave", "interleave.L3": "interleave-near", "prefetch.distance": "prefetch"}[name]
            yield name, kernel, int(value), {"half": max(1, int(value) // 2), "double": 2 * int(value)}
        elif name == "padding.writers" and cpus > 1:
            yield name, "padding", int(value), {"half": int(value) // 2, "double": 2 * int(value)}
        elif name == "padding.rows":
            v = int(value)
            yield name, "rows", v + 64, {"not": v, "twice": 2 * v}
        elif name == "past.from" and advice["text"] != "never":
            v = int(value)
            yield f"{name}, below", "past", -(v // 2), {"past": v // 2}
            yield f"{name}, beyond", "past", 2 * v, {"memcpy": -2 * v}
        elif name == "past.from":
            yield name, "past", -(64 << 20), {"past": 64 << 20}
        elif name.startswith("pages."):
            yes = advice["text"] == "yes"
            yield name, name[6:], int(yes), {"no" if yes else "yes": int(not yes)}
        elif name == "threads.read" and cpus > 1:
            double = {"double": 2 * int(value)} if 2 * value <= cpus else {}
            yield name, "threads", int(value), {"half": max(1, int(value) // 2)} | double
        else:
            yield name, f"no kernel for it on {cpus} CPUs"


def main(build, count=15, *documents):
    fathom, kernels = str(Path(build) / "fathom"), str(Path(build) / "benchmarks" / "benchmark-advised")
    cpus, lost, held, saved = len(os.sched_getaffinity(0)), [], 0, []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("FATHOM_KEEP", scratch))
        folder.mkdir(parents=True, exist_ok=True)
        paths = list(documents) or measured(fathom, folder)
        answer = subprocess.run([fathom, "advise", *paths, "-f", "json"], capture_output=True, text=True)
        if answer.returncode not in (0, 4):
            sys.exit(answer.stderr)
        given = {advice["name"]: advice for advice in json.loads(answer.stdout)["advice"]}
        document = json.loads(Path(paths[0]).read_text())
        print(f"load {os.getloadavg()[0]:.1f}\n{'advice':22} {'kernel':16} {'is':>10}  {'against':>19}  ratio  (middle half)")
        for name, *what in trials(given, document, cpus):
            if len(what) == 1:
                print(f"{name:22} not tested: {what[0]}")
                continue
            kernel, setting, others = what
            others = {key: value for key, value in others.items() if value != setting}
            done = subprocess.run([kernels, kernel, str(count), *map(str, [setting, *others.values()])], capture_output=True, text=True)
            rounds = [[float(ns) for ns in line.split()] for line in done.stdout.splitlines()]
            if done.returncode or len(rounds) < 2:
                print(f"{name:22} {kernel:16} failed: {done.stderr.strip()}")
                continue
            for place, (other, value) in enumerate(others.items(), 1):
                ratios = [row[0] / row[place] for row in rounds]
                low, _, high = statistics.quantiles(ratios, n=4)
                ratio = statistics.median(ratios)
                row = f"{name} by {kernel} against {other}: {ratio:.3f}"
                if other == "declared":
                    saved.append(row)
                elif other in ("one less", "one more"):
                    pass
                elif ratio > LOSES:
                    lost.append(row)
                else:
                    held += 1
                print(f"{name:22} {kernel:16} {setting:>10}  {other:>8} {value:>10}  {ratio:5.3f}  ({low:.3f} to {high:.3f})"
                      f"{'  LOSES' if ratio > LOSES else ''}", flush=True)
    print(f"never worse than 3 %: {held} of {held + len(lost)} {'reached' if not lost else 'MISSED'}")
    for row in lost:
        print(f"  loses: {row}")
    for row in saved:
        print(f"  against what is declared: {row}")
    print("  not tested: block.all (threads that share a cache), cpus.together (more CPUs than two)")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15, *sys.argv[3:])
