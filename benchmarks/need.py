#!/usr/bin/env python3
"""What `fathom need` says of programs whose need is known: benchmarks/need.py BUILD [BUDGET-S].

The programs are one loop each (needs.c). One that computes, or stays within its core's own caches, is indifferent to all that
is taken away: that is known by how it is made. What huge pages are worth to a chase through 64 MiB is measured here without
fathom, in pairs of runs just before: the answer is right where both intervals meet. What L3 and traffic are worth to programs
that go beyond the core's caches is not known on a machine that others use, so nothing is expected of that and it is only
printed."""
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

# name, arguments, and what is known: 1 is indifferent, "pairs" is measured here, None is not known.
CASES = [
    ("computes", ["compute", "4", "60"], {"L3": 1, "traffic": 1, "pages": 1}),
    ("chases in 16 KiB", ["chase", "16", "30"], {"L3": 1, "traffic": 1, "pages": 1}),
    ("chases in 256 KiB", ["chase", "256", "10"], {"L3": 1, "traffic": 1, "pages": None}),
    ("chases in 64 MiB", ["chase", "65536", "1"], {"L3": None, "traffic": None, "pages": "pairs"}),
    ("streams 64 MiB", ["stream", "65536", "100"], {"L3": None, "traffic": None, "pages": None}),
]
# An answer that differs from the truth by less is right: that is what fathom takes for nothing.
TOLD_LEAST, PAIRS = 0.01, 11


def cpu_s(command, huge):
    """CPU time of the program, with what malloc() gets on huge pages or not; on one CPU, as fathom has it run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "GLIBC_TUNABLES": f"glibc.malloc.hugetlb={int(huge)}"}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def worth_of_huge_pages(command):
    """The interval of the ratio without over with huge pages: the 2nd and 10th of 11 pairs hold its median in 98.8 %."""
    ratios = sorted(cpu_s(command, False) / max(cpu_s(command, True), 1e-3) for _ in range(PAIRS))
    return ratios[1], ratios[-2]


def judged(finding, truth):
    if truth is None:
        return "-"
    if "can't tell" in finding["text"]:
        return "can't tell"
    low, high = truth if isinstance(truth, tuple) else (1, 1)
    if "indifferent" in finding["text"]:
        reach = max(abs(finding["low"] - 1), abs(finding["high"] - 1), TOLD_LEAST)
        return "right" if low <= 1 + reach and high >= 1 - reach else "wrong"
    return "right" if finding["low"] - TOLD_LEAST <= high and low <= finding["high"] + TOLD_LEAST else "wrong"


def main(build, budget_s=120):
    build, counts = Path(build), {"right": 0, "can't tell": 0, "wrong": 0, "-": 0}
    program = str(build / "benchmarks" / "benchmark-needs")
    print(f"{'program':18} {'taken':8} {'time':>6} {'interval':>15}  {'answer':10} what it says")
    for name, arguments, known in CASES:
        truths = {key: worth_of_huge_pages([program, *arguments]) if value == "pairs" else value
                  for key, value in known.items()}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "need.json"
            done = subprocess.run([build / "fathom", "need", "--budget", str(budget_s), "-o", file, "--", program, *arguments],
                                  capture_output=True, text=True)
            if done.returncode not in (0, 4):
                print(f"{name:18} was refused: {done.stderr.strip()}")
                continue
            findings = {finding["name"]: finding for finding in json.loads(file.read_text())["probes"][0]["findings"]}
        for taken, truth in truths.items():
            finding = findings.get(f"need.{taken}")
            if not finding:
                print(f"{name:18} {taken:8} not measured")
                continue
            answer = judged(finding, truth)
            counts[answer] += 1
            known_as = f"  (by pairs {truth[0]:.2f} to {truth[1]:.2f})" if isinstance(truth, tuple) else ""
            print(f"{name:18} {taken:8} {finding['value']:6.3f} {finding['low']:6.3f} to {finding['high']:5.3f}  {answer:10} "
                  f"{finding['text']}{known_as}", flush=True)
    print(", ".join(f"{count} {answer}" for answer, count in counts.items() if answer != "-") + f"; {counts['-']} not known")


def need(bench):
    main(bench.build)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(float, sys.argv[2:]))
