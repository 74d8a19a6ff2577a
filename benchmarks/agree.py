#!/usr/bin/env python3
"""Do a machine's runs agree? Takes whole and quick runs over hours and prints, by figure, in how many
pairs of runs the values lie within their combined intervals.

    benchmarks/agree.py take FOLDER --hours 3 [--fathom build/fathom] [--whole 600] [--quick 180]
    benchmarks/agree.py tell FOLDER [--l2 1M] [--ways 12] [--entries 96]

A figure is compared in its home: the unit that the document names for it (`home`), or else the
finding's own. Only pairs in the same state of the CPUs count (`cpu_placement`): where the host moved
them, both may be right.
"""
import argparse
import collections
import glob
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

# Goals: what the median half width of a whole run shall be, in percent; None: no goal.
HEADLINES = {
    "L1.latency": 0.5, "L2.latency": 0.5, "L3.latency": None, "DRAM.latency": 8, "memory.latency": 8,
    "cores.cas.min": 3, "cores.cas.max": 3, "cores.readwrite.min": 3, "wake.futex.latency": None,
    "bandwidth.read.1": 10, "bandwidth.read.all": 10, "bandwidth.triad.1": 10,
    "bandwidth.triad.all": 10, "L1.capacity": None, "L2.capacity": None,
}
COUNTED = {"entries": r"dtlb1\.4K\.entries", "ways": r"L1\.ways"}
SAME_HANDOFF = 1.5  # as placement_is_same()


def bytes_of(text):
    return float(text.rstrip("KMGB")) * 1024 ** (" KMG".index(text.rstrip("B")[-1:]) if
                                                text.rstrip("B")[-1:] in "KMG" else 0)


# --- taking ---

def take(options):
    os.makedirs(options.folder, exist_ok=True)
    end = time.time() + options.hours * 3600
    due = {"whole": time.time(), "quick": time.time()}
    while time.time() < end:
        kind = min(due, key=due.get)
        time.sleep(max(0, due[kind] - time.time()))
        path = os.path.join(options.folder, time.strftime(f"{kind}-%Y%m%dT%H%M%S.json"))
        arguments = ["run", "-o", path] + (["--quick"] if kind == "quick" else [])
        done = subprocess.run([options.fathom, *arguments], capture_output=True, text=True)
        if done.returncode not in (0, 4):
            print(f"{path}: {done.stderr.strip()}", file=sys.stderr)
        due[kind] = max(due[kind] + getattr(options, kind), time.time())


# --- telling ---

def findings(document):
    found = {}
    for probe in document["probes"]:
        for finding in probe.get("findings", []):
            deviates = finding.get("deviations") or "other_cpu_placement" in finding.get("factors", {})
            if not deviates:
                found.setdefault(finding["name"], finding)
    return found


def state(finding):
    factors = finding.get("factors", {})
    return factors.get("cpu_placement"), factors.get("cpu_placement_ns")


def same_state(a, b):
    (name, ns), (other, other_ns) = state(a), state(b)
    if name is None or other is None:
        return True
    named = "not seen" not in name and "not seen" not in other
    return ((name == other or not named) and ns is not None and other_ns is not None
            and max(ns, other_ns) < SAME_HANDOFF * min(ns, other_ns))


def agree(a, b):
    """Within the root of the sum of the squares of the sides that face each other."""
    low, high = sorted((a, b), key=lambda finding: finding["value"])
    apart = high["value"] - low["value"]
    return apart <= math.hypot(high["value"] - high["low"], low["high"] - low["value"]) * (1 + 1e-9)


def has_interval(finding):
    return finding and finding.get("value") is not None and "low" in finding and "high" in finding


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def tell_figures(runs):
    print(f"  {'figure':22} {'agree':>16} {'any state':>10} {'half width':>10} {'goal':>6}  values, kinds")
    sums = collections.Counter()
    for name, goal in HEADLINES.items():
        seen = [run[name] for run in runs if name in run and run[name].get("value") is not None]
        whole = [finding for finding in seen if has_interval(finding)]
        if len(whole) < 2:
            if seen:
                print(f"  {name:22} {len(whole)} of {len(seen)} have an interval")
            continue
        count = collections.Counter()
        for a, b in itertools.combinations(whole, 2):
            held, same = agree(a, b), same_state(a, b)
            count.update(pairs=1, held=held, same=same, same_held=held and same)
        sums.update(count)
        width = 100 * statistics.median((f["high"] - f["low"]) / 2 / f["value"] for f in whole)
        kinds = collections.Counter(f.get("kind", "?") for f in seen)
        print(f"  {name:22} {count['same_held']:4}/{count['same']:<4} {percent(count['same_held'], count['same']):>6}"
              f" {percent(count['held'], count['pairs']):>10} {width:8.2f} % {f'{goal} %' if goal else '':>6}  "
              f"{min(f['value'] for f in seen):.4g}..{max(f['value'] for f in seen):.4g} {seen[0].get('unit', '')}, "
              + ", ".join(f"{number} {kind}" for kind, number in kinds.most_common()))
    print(f"  {'all':22} {sums['same_held']:4}/{sums['same']:<4} {percent(sums['same_held'], sums['same']):>6}"
          f" {percent(sums['held'], sums['pairs']):>10}")


def tell_counted(runs, options):
    for what, pattern in COUNTED.items():
        values = [next((f["value"] for name, f in run.items()
                        if re.fullmatch(pattern, name) and f.get("value") is not None), None) for run in runs]
        told = [value for value in values if value is not None]
        if not told:
            print(f"  {what}: silent in all {len(runs)}")
            continue
        truth = getattr(options, what) or statistics.mode(told)
        print(f"  {what}: silent in {len(values) - len(told)} of {len(values)}, {truth:g} in "
              f"{sum(value == truth for value in told)}; told: "
              + ", ".join(f"{value:g}" for value in sorted(set(told))))


def tell_capacity(runs, options):
    declared = [f["declared"] for f in (run.get("L2.capacity", {}) for run in runs) if f.get("declared")]
    truth = bytes_of(options.l2) if options.l2 else declared[0] if declared else None
    seen = [run["L2.capacity"] for run in runs if run.get("L2.capacity", {}).get("value") is not None]
    if not truth or not seen:
        return
    begins = sum("begin" in f.get("text", "") for f in seen)
    holds = sum(f["low"] <= truth <= f["high"] for f in seen if has_interval(f) and "begin" not in f.get("text", ""))
    print(f"  L2's capacity: the interval holds {truth / 1024:.0f} KiB in {holds}, \"misses begin at\" in {begins}, "
          f"of {len(runs)} runs; values {min(f['value'] for f in seen) / 1024:.0f} to "
          f"{max(f['value'] for f in seen) / 1024:.0f} KiB")


def tell(options):
    for kind in ("whole", "quick"):
        documents = []
        for path in sorted(glob.glob(os.path.join(options.folder, f"{kind}-*.json"))):
            with open(path, encoding="utf-8") as file:
                documents.append(json.load(file))
        if not documents:
            continue
        loads = [document["conditions"].get("load1", math.nan) for document in documents]
        took = [document["run"]["elapsed_s"] for document in documents]
        moves = [document["run"].get("moves", 0) for document in documents]
        print(f"{len(documents)} {kind} runs from {documents[0]['run']['started']} to "
              f"{documents[-1]['run']['started']}, load {min(loads):.1f} to {max(loads):.1f} (median "
              f"{statistics.median(loads):.1f}), longest {max(took):.1f} s; the host moved CPUs in "
              f"{sum(count > 0 for count in moves)} of them")
        runs = [findings(document) for document in documents]
        tell_figures(runs)
        if kind == "whole":
            tell_counted(runs, options)
        tell_capacity(runs, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    taking = commands.add_parser("take", help="take runs")
    taking.add_argument("folder")
    taking.add_argument("--hours", type=float, default=3)
    taking.add_argument("--fathom", default="build/fathom")
    taking.add_argument("--whole", type=float, default=600, help="seconds from one whole run to the next")
    taking.add_argument("--quick", type=float, default=180, help="the same of quick runs")
    taking.set_defaults(do=take)
    telling = commands.add_parser("tell", help="print what they say")
    telling.add_argument("folder")
    telling.add_argument("--l2", help="the true capacity of L2, as 1M; else what is declared")
    telling.add_argument("--ways", type=float, help="of L1")
    telling.add_argument("--entries", type=float, help="of the first data TLB for 4-KiB pages")
    telling.set_defaults(do=tell)
    options = parser.parse_args()
    options.do(options)


main()
