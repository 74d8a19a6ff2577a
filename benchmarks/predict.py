#!/usr/bin/env python3
"""What `fathom predict` says of loops that are then measured: benchmarks/predict.py BUILD [POINTS [SEED [MACHINE]]].

Documents are measured first (a whole run; loads with work between them; strides), then POINTS loops (200), drawn by SEED, each by
the engine's own kernel: chases of 1 to 16 chains, 1 or 2 threads, work of 0 to 50 cycles, on small and huge pages, in sets of 4 KiB
to 512 MiB; reads in order; chases forward by strides. MACHINE is a document: then its twin is measured, of which only is known what
the document holds. Prints a table, how many lie within 15 %, and how many within the band.

With FATHOM_FIT=1 it prints instead what the constants of src/conclude/predict.c should be by these loops, which are then not those to
report. FATHOM_KEEP=FOLDER keeps documents and measured loops there, and takes those that are
there already."""
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WITHIN, LEAST, MOST = 0.15, 4 << 10, 512 << 20
RUNS = {"run": ["run", "--budget", "240"], "small": ["latency", "--pages", "small", "--to", "512M", "--budget", "40"],
        "strides": ["prefetch", "--budget", "30"]}
RUNS |= {f"work-{level}": ["parallelism", "--level", level, "--chains", "1,2,4,8,16", "--work", "1,2,4,8,16,32,50", "--budget", "25"]
         for level in ("L1", "L2", "L3", "DRAM")}


def run(fathom, *arguments, machine=None):
    """The document of a command; None: it could not be measured."""
    twin = ["--machine", machine] if machine else []
    done = subprocess.run([fathom, *map(str, arguments), *twin, "-o", "-"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode in (0, 4) and done.stdout else None


def median(document, name, x=None, **factors):
    for series in (series for probe in document["probes"] for series in probe.get("series", [])):
        if series["name"] == name and all(series.get("factors", {}).get(key) == value for key, value in factors.items()):
            for point in series["points"]:
                if point.get("median") and (x is None or point["x"] == x):
                    return point["median"]
    return None


def drawn(draw, cpus):
    """A loop: as `fathom predict` takes it."""
    size = int(math.exp(draw.uniform(math.log(LEAST), math.log(MOST)))) // 4096 * 4096
    pattern = draw.choices(["random", "sequential", "stride"], [14, 3, 3])[0]
    loop = {"size": max(size, LEAST), "pattern": pattern}
    if pattern == "stride":
        return loop | {"stride": draw.choice([64, 128, 256, 512, 1024, 2048])} if size > 1 << 16 else loop | {"stride": 64}
    threads = draw.choice([1, 1, 2]) if cpus > 1 else 1
    if pattern == "sequential":
        return loop | {"threads": threads}
    work = draw.choice([0, draw.randint(1, 50)]) if threads == 1 else 0
    return loop | {"chains": draw.choice([1, draw.randint(1, 16)]), "threads": threads, "work": work, "pages": draw.choice(["4K", "thp"])}


def measured(fathom, loop, line=64):
    """ns from one access of a thread to the next; None: this machine, or the twin, has no such loop."""
    size, threads = loop["size"], loop.get("threads", 1)
    pages = {"4K": "small", "thp": "thp"}.get(loop.get("pages"), "auto")
    budget = ["--budget", "2.5"]
    if loop["pattern"] == "sequential":
        document = run(fathom, "bandwidth", "--kernel", "read", "--size", size, "--threads", threads, *budget)
        rate = document and median(document, "bandwidth by threads", threads, kernel="read")
        return threads * line * 1e9 / rate if rate else None
    if loop["pattern"] == "stride":
        document = run(fathom, "latency", "--size", size, "--order", "forward", "--stride", loop["stride"], "--loads", 1, *budget)
        return document and median(document, "latency")
    chains = ["--chains", loop["chains"], "--pages", pages, *budget]
    if threads > 1:
        document = run(fathom, "parallelism", "--size", size, "--threads", threads, *chains)
        rate = document and median(document, "random accesses by each thread", threads)
        return 1e9 / rate if rate else None
    work = ["--work", loop["work"]] if loop["work"] else []
    document = run(fathom, "parallelism", "--sizes", size, *work, *chains)
    return document and median(document, "work by size" if work else "chains by size")


def of_twin(fathom, loop, machine, seed):
    """The same of a twin, of which only curves are known: one chain by size on either pages, several chains or work between loads in
    the set of a level, reads by size. The loop is changed to one of these; None: the twin has none."""
    def measure(*arguments):
        return run(fathom, *arguments, "--seed", seed, machine=machine)

    size, draw = loop["size"], random.Random(seed)
    if loop["pattern"] == "sequential":
        document = measure("bandwidth", "--kernel", "read", "--sizes", size)
        rate = document and median(document, "bandwidth", kernel="read")
        return ({"size": size, "pattern": "sequential"}, 64e9 / rate) if rate else None
    if loop["pattern"] == "stride":
        return None
    if loop["chains"] == 1 and not loop["work"]:
        document = measure("latency", "--sizes", size, *(["--pages", "small"] if loop["pages"] == "4K" else []))
        ns = document and median(document, "latency")
        return ({"size": size, "pattern": "random", "chains": 1, "pages": loop["pages"]}, ns) if ns else None
    # The twin has what the document measured, in the set that it was measured in.
    level, name, given = draw.choice(["L1", "L2", "L3", "DRAM"]), "chains in", {}
    chains, work = loop["chains"], loop["work"]
    if work:
        chains = draw.choice([1, 2, 4, 8, 16])
        name, given = ("chains with work" if chains > 1 else "one chain, with work"), {"chains": chains}
    document = measure("parallelism", "--level", level, "--chains", chains, *(["--work", f"{work},64"] if work else []))
    known = [series for probe in json.loads(Path(machine).read_text())["probes"] if probe["name"] == "parallelism"
             for series in probe["series"] if series["name"] == f"chains in {level}"]
    ns = document and median(document, name if work else f"{name} {level}", work or None, level=level, **given)
    if not known or not ns:
        return None
    number, unit = known[0]["factors"]["working set"].split()
    size = int(float(number) * {"KiB": 1 << 10, "MiB": 1 << 20}[unit])
    return {"size": size, "pattern": "random", "chains": chains} | ({"work": work} if work else {}), ns


def predicted(fathom, documents, loop):
    options = [text for key, value in loop.items() for text in (f"--{key}", str(value))]
    done = subprocess.run([fathom, "predict", *documents, *options, "-f", "json"], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(f"fathom predict {' '.join(options)}: {done.stderr}")
    return json.loads(done.stdout)


def named(loop):
    return (f"{loop['size'] / 1024:9.0f} KiB {loop['pattern']:10} {loop.get('stride', ''):>5} {loop.get('chains', ''):>3} "
            f"{loop.get('threads', 1):>2} {loop.get('work', ''):>3} {loop.get('pages', ''):4}")


def make_points(fathom, folder, count, seed, machine):
    kept = folder / f"points-{seed}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    draw, points = random.Random(seed), []
    while len(points) < count:
        loop = drawn(draw, len(os.sched_getaffinity(0)))
        if machine:
            loop, ns = of_twin(fathom, loop, machine, draw.randint(1, 1 << 30)) or (loop, None)
        else:
            ns = measured(fathom, loop)
        if ns:
            points.append([loop, ns])
    kept.write_text(json.dumps(points))
    return points


def make_documents(fathom, folder, machine):
    for name, command in RUNS.items():
        path = folder / f"{name}.json"
        if path.exists():
            continue
        document = run(fathom, *command, machine=machine)
        if not document and machine:
            continue
        if not document:
            raise SystemExit(f"fathom {' '.join(command)} could not be measured")
        path.write_text(json.dumps(document))
    return [folder / f"{name}.json" for name in RUNS if (folder / f"{name}.json").exists()]


def shifts():
    """How far the ends of L1 and of the shared cache lie apart in two of the recorded runs, as standard deviations of logarithms."""
    ends = []
    for path in sorted((Path(__file__).parent / "recorded").glob("*.json")):
        series = json.loads(path.read_text())["probes"][0]["series"][0]["points"]
        curve = sorted((point["x"], point["median"]) for point in series if point.get("median"))
        first, last = curve[0][1], curve[-1][1]
        ends.append([math.log(next(x for x, y in curve if y > level)) for level in (2 * first, math.sqrt(last * 12 * first))])
    return [math.sqrt(2) * statistics.stdev(column) for column in zip(*ends)]


def fit(rows):
    """What each step adds: of the loops with this step and no other, nine of ten lie within 1.645 deviations."""
    def tenth(values):
        values = sorted(values)
        return values[int(0.9 * len(values))] / 1.645 if len(values) >= 4 else math.nan

    def deviation(chosen):
        return tenth(abs(math.log(ns / told)) for _, ns, told in chosen)

    # Where caches end, the shift of sizes counts.
    clear = [row for row in rows if not 700 << 10 < row[0]["size"] < 48 << 20 and not 40 << 10 < row[0]["size"] < 60 << 10]
    chases = [row for row in clear if row[0]["pattern"] == "random"]
    alone = [row for row in chases if row[0].get("threads", 1) == 1]
    plain = [row for row in rows if row[0].get("chains") == 1 and not row[0].get("work")]
    quick = [row for row in plain if row in clear and row[0]["threads"] == 1 and (row[0]["pages"] == "thp" or row[0]["size"] < 1 << 20)]
    base = deviation(quick)
    groups = {"curve": quick, "pages": [row for row in chases if row[0]["pages"] == "4K" and row[0]["size"] > 48 << 20],
              "chains": [row for row in alone if row[0]["chains"] > 1 and not row[0].get("work")],
              "work": [row for row in alone if row[0].get("work")],
              "threads": [row for row in chases if row[0].get("threads", 1) > 1],
              "sequence": [row for row in clear if row[0]["pattern"] == "sequential"],
              "stride": [row for row in clear if row[0]["pattern"] == "stride"]}
    for name, chosen in groups.items():
        here = deviation(chosen)
        step = base if name == "curve" else math.sqrt(max(0, here ** 2 - base ** 2)) if math.isfinite(here) else math.nan
        print(f"{name:10} {step:6.3f}  ({len(chosen)} loops, all of it {here:.3f})")
    own, shared = shifts()
    print(f"own        {own:6.3f}\nshared     {shared:6.3f}  (recorded runs)")


def main(build, count=200, seed=1, machine=None):
    fathom = str(Path(build) / "fathom")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("FATHOM_KEEP", scratch))
        folder.mkdir(parents=True, exist_ok=True)
        documents = make_documents(fathom, folder, machine)
        points = make_points(fathom, folder, int(count), int(seed), machine)
        rows, near, held, untold = [], 0, 0, 0
        print(f"{'set':>13} {'pattern':10} {'step':>5} ch th wrk page {'measured':>9} {'told':>9} {'band':>19}")
        for loop, ns in points:
            answer = predicted(fathom, documents, loop)
            told = answer.get("time_per_access_ns")
            if not told:
                untold += 1
                print(f"{named(loop)} {ns:9.3f} can't tell: {answer['cant_tell']}")
                continue
            rows.append((loop, ns, told["value"]))
            close, inside = abs(told["value"] / ns - 1) <= WITHIN, told["low"] <= ns <= told["high"]
            near, held = near + close, held + inside
            print(f"{named(loop)} {ns:9.3f} {told['value']:9.3f} {told['low']:8.3f} to {told['high']:8.3f} "
                  f"{'' if close else 'off'} {'' if inside else 'OUT'} {answer['reason']}")
        if os.environ.get("FATHOM_FIT"):
            return fit(rows)
        if rows:
            errors = sorted(abs(told / ns - 1) for _, ns, told in rows)
            wide = statistics.median(math.log(told["high"] / told["low"]) / 2 for told in
                                     (predicted(fathom, documents, loop)["time_per_access_ns"] for loop, _, _ in rows))
            for what, number, least in (("within 15 %", near, 80), ("in the band", held, 90)):
                share = 100 * number / len(rows)
                print(f"{what}: {number} of {len(rows)} ({share:.1f} %), to reach {least} %  {'reached' if share >= least else 'MISSED'}")
            print(f"off by {100 * errors[len(errors) // 2]:.1f} % in the median, {100 * errors[int(0.9 * len(errors))]:.1f} % at p90; "
                  f"half of a band is {100 * math.expm1(wide):.0f} % in the median; can't tell {untold} of {len(points)}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
