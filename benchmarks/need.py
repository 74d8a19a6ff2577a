#!/usr/bin/env python3
"""What `fathom need` says of 60 programs whose need is known: benchmarks/need.py BUILD [BUDGET-S [CASES [KIND]]].

Each program is one loop (needs.c). Twelve are of each kind; CASES takes so many of each:

  L3            a chase through 1 to 16 MiB: its need is that size, or less by what the core's own caches hold
  bandwidth     a stream of about 2 to 30 GB/s from 64 MiB; the truth is its bytes over its CPU time. Its start writes each line
                twice, and moves two to four times as much
  waits         a chase through 256 MiB with work between its loads: about 10 to 90 % of its time is waiting. The truth is what
                it takes less where the same loads are of a set of 16 KiB
  pages         a chase through 2 to 32 MiB: its time without huge pages over that with them
  indifferent   computes, or chases through 16 to 256 KiB: nothing that is taken away costs it time; each answer counts

What is not known by construction is measured here without fathom, in pairs of runs, half of them before fathom's run and half
after it. An answer is right where it is within 15 % of the truth or its interval meets the truth's, and the indifferent
are told well where they are called so with a resolution of 5 % or better. "can't tell" and what is not measured count apart;
a figure that the first program of a kind has not is not asked of the others."""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KINDS = ["L3", "bandwidth", "waits", "pages", "indifferent"]
NEAR, RESOLUTION, TOLD_LEAST, PAIRS, OWN_MIB = 0.15, 0.05, 0.01, 6, 1
LARGE_KIB, SMALL_KIB, STREAM_KIB = 262144, 16, 65536
# CPU seconds of a program: need refuses less than 20 ms, and a pace that was found beside others is off by half. One with much
# memory takes long to start.
AIM_S, AIM_LARGE_S = 0.06, 0.3


def cpu_s(program, arguments, tunables=""):
    """CPU time on one CPU, as fathom has it run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "GLIBC_TUNABLES": tunables}
    subprocess.run([program, *map(str, arguments)], check=True, env=environment, stdout=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return max(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1e-4)


def paced(program, mode, kib, work):
    """The arguments with which it takes about AIM_S, by what a thousand and more of its steps take."""
    few = cpu_s(program, [mode, kib, 1, work])
    many = 10000 if mode != "chase" else 1000 if kib > 1024 else 2000
    each = max(cpu_s(program, [mode, kib, many, work]) - few, 1e-3) / many
    return [mode, kib, max(int((AIM_LARGE_S if kib >= STREAM_KIB else AIM_S) / each), many // 10), work]


def cases(program, count):
    """name, kind, arguments, what is measured in pairs (its value of two times), the truth where it is known."""
    for i in range(count):
        at = i / max(count - 1, 1)
        kib = round(1024 * 16 ** at)
        yield f"chases in {kib / 1024:.1f} MiB", "L3", paced(program, "chase", kib, 0), None, (kib / 1024 - OWN_MIB, kib / 1024)
    for i in range(count):
        gb_s = 2 * 15 ** (i / max(count - 1, 1))
        # A multiplication takes some 1.2 ns; a thousand words are 8 KB.
        yield f"streams {gb_s:.0f} GB/s", "bandwidth", paced(program, "stream", STREAM_KIB, int(8000 / gb_s / 1.2)), "rate", None
    for i in range(count):
        waits = 0.1 + 0.8 * i / max(count - 1, 1)
        load_s = cpu_s(program, ["chase", LARGE_KIB, 200, 0]) - cpu_s(program, ["chase", LARGE_KIB, 1, 0])
        work = int(max(load_s / 200000, 5e-8) * (1 / waits - 1) / 1.2e-9)
        yield f"waits {100 * waits:.0f} %", "waits", paced(program, "chase", LARGE_KIB, work), "waits", None
    for i in range(count):
        kib = round(2048 * 16 ** (i / max(count - 1, 1)))
        yield f"chases in {kib / 1024:.0f} MiB", "pages", paced(program, "chase", kib, 0), "pages", None
    for i in range(count):
        kib = 16 << i // 2 if i % 2 else 4
        mode = "chase" if i % 2 else "compute"
        work = 0 if i % 2 else i
        yield f"{mode} {kib if i % 2 else i}", "indifferent", paced(program, mode, min(kib, 256), work), None, (1, 1)


def pair(program, arguments, what):
    """The values between which the truth lies by these runs: one, or of a rate two."""
    mode, kib, thousands, work = arguments
    if what == "pages":
        return [cpu_s(program, arguments) / cpu_s(program, arguments, "glibc.malloc.hugetlb=1")]
    whole, start = cpu_s(program, arguments), cpu_s(program, [mode, kib, 1, work])
    if what == "rate":
        return [(8e3 * thousands + 1024 * kib * times) / whole / 1e9 for times in (2, 4)]
    # Of all its time: fathom counts its start, too, which waits for memory little.
    return [(whole - start - cpu_s(program, [mode, SMALL_KIB, thousands, work])) / whole]


def judged(kind, finding, truth):
    """(answer, what was told)"""
    if not finding:
        return "not measured", ""
    text, low, high, value = finding["text"], finding.get("low"), finding.get("high"), finding.get("value")
    if "can't tell" in text:
        return "can't tell", text
    if kind == "bandwidth":
        value, low, high = [number and number / 1e9 for number in (value, low, high)]
        if value:
            text = f"{value:.2g} GB/s {text}"
        else:
            return "right" if float(re.search(r"no more than (\S+)", text)[1]) >= truth[0] else "wrong", text
    if kind == "indifferent":
        reach = max(abs(low - 1), abs(high - 1))
        return ("right" if reach <= RESOLUTION else "coarse") if "indifferent" in text else "wrong", text
    if kind == "L3":
        unit = 1 << 20
        if value is None:
            words = text.split()
            bound = float(words[words.index("than") + 1]) * {"KiB": 1 / 1024, "MiB": 1}[words[words.index("than") + 2]]
            right = bound <= truth[1] if "more than" in text and "no more" not in text else bound >= truth[0]
            return "right" if right else "wrong", text
        value, low, high = value / unit, low / unit, high / unit
    near = abs(value / max(sum(truth) / 2, 1e-9) - 1) <= NEAR
    return "right" if near or low - TOLD_LEAST <= truth[1] and truth[0] <= high + TOLD_LEAST else "wrong", text


def ask(build, budget_s, arguments, longer=False):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "need.json"
        done = subprocess.run([build / "fathom", "need", "--budget", str(budget_s), "-o", file, "--",
                               build / "benchmarks" / "benchmark-needs", *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 4):
            # It says how long it takes at least: as long it gets once.
            asked = re.search(r"--budget (\d+)\)", done.stderr)
            if asked and not longer:
                return ask(build, float(asked[1]), arguments, True)
            return None, done.stderr.strip().splitlines()[-1]
        result = json.loads(file.read_text())["probes"][0]
        return {finding["name"]: finding for finding in result["findings"]}, result["parameters"].get("not_measured", "")


def main(build, budget_s=18, count=12, only=None):
    build, began = Path(build).resolve(), time.monotonic()
    program = build / "benchmarks" / "benchmark-needs"
    table = {kind: {} for kind in KINDS}
    names = {"L3": ["need.L3.bytes"], "bandwidth": ["need.moves"], "waits": ["need.waits"], "pages": ["need.pages"],
             "indifferent": ["need.L3", "need.traffic", "need.pages"]}
    lacking = {}
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    for name, kind, arguments, what, truth in cases(program, int(count)):
        if only and kind != only:
            continue
        what = None if kind in lacking else what
        values = [value for _ in range(PAIRS // 2) for value in pair(program, arguments, what)] if what else []
        findings, why = ({}, lacking[kind]) if kind in lacking else ask(build, budget_s, arguments)
        values += [value for _ in range(PAIRS // 2) for value in pair(program, arguments, what)] if what else []
        # The least and the greatest of six hold their median in 97 %.
        truth = truth or (min(values, default=0), max(values, default=0))
        for finding in names[kind]:
            if findings is None:
                answer, text = "not measured", why
            else:
                answer, text = judged(kind, findings.get(finding), truth)
                if answer == "not measured" and why and len(names[kind]) == 1:
                    text = lacking[kind] = text or why
            table[kind][answer] = table[kind].get(answer, 0) + 1
            print(f"{kind:11} {name:18} {truth[0]:6.2f} to {truth[1]:5.2f}  {finding:14} {answer:12} {text}", flush=True)
    answers = ["right", "coarse", "can't tell", "not measured", "wrong"]
    print(f"\n{'kind':12}" + "".join(f"{answer:>14}" for answer in answers) + f"{'right of told':>16}")
    for kind in KINDS:
        told = sum(table[kind].get(answer, 0) for answer in ("right", "coarse", "wrong"))
        right = table[kind].get("right", 0)
        print(f"{kind:12}" + "".join(f"{table[kind].get(answer, 0):14}" for answer in answers) +
              (f"{100 * right / told:14.0f} %" if told else f"{'-':>16}"))
    print(f"load average {os.getloadavg()[0]:.1f}, {time.monotonic() - began:.0f} s")


def need(bench):
    main(bench.build)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], *map(float, sys.argv[2:4]), *sys.argv[4:])
