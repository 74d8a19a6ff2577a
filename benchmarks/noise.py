"""What a run says beside tormentors of our own, run by run, and what `diff` and `check` make of it.

FATHOM_BEFORE names another fathom, an earlier one, that takes turns with this one: "before" is what
that one found.
"""
import contextlib
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# Each with the tormentor's arguments; bursts take 30 % of the time.
TORMENTORS = {
    "nobody": None, "ALU": ["alu"], "L1 and L2": ["l2"], "L3": ["l3"], "DRAM": ["dram"],
    "bursts in L1": ["l1", 1, 100, 0.3], "bursts in DRAM": ["dram", 1, 100, 0.3]}
SCATTER = {"L1.latency": 0.3, "L2.latency": 1, "DRAM.latency": 3}   # percent, the figures to reach
EXACT = ["dtlb1.4K.entries", "L1.ways"]
SCALED = {"median", "low", "high", "min", "p10", "p25", "p75", "p90", "max", "value"}


def verdict(reached):
    return "reached" if reached else "MISSED"


@contextlib.contextmanager
def tormentor(bench, arguments, cpu=None):
    """Works on the last CPU, or this one, meanwhile; fathom measures on the first."""
    if arguments is None:
        yield
        return
    path = os.path.join(bench.build, "benchmarks", "benchmark-tormentor")
    cpu = max(os.sched_getaffinity(0)) if cpu is None else cpu
    with subprocess.Popen([path, str(cpu), *map(str, arguments)], stdin=subprocess.PIPE) as process:
        try:
            yield
        finally:
            process.stdin.close()


@contextlib.contextmanager
def tormentors_in_turn(bench, chance):
    """One after the other, each for a second on average: a run meets several."""
    ended, failures = threading.Event(), []

    def take_turns():
        try:
            while not ended.is_set():
                with tormentor(bench, chance.choice(list(TORMENTORS.values()))):
                    ended.wait(chance.expovariate(1))
        except OSError as failure:
            failures.append(failure)

    thread = threading.Thread(target=take_turns)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if failures:
        raise failures[0]


def document(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "-o", "-"], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"fathom {' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)


def findings(parsed):
    found = {}
    for probe in parsed["probes"]:
        for finding in probe.get("findings", []):
            found.setdefault(finding["name"], finding)
    return found


def value_of(finding):
    """The figure; an earlier fathom's is the value without interference, where it has two."""
    if not finding:
        return None
    return finding.get("quiet", {}).get("value", finding.get("value"))


def scatter(values):
    """Standard deviation over the median, in percent."""
    values = [value for value in values if value]
    if len(values) < 3:
        return math.nan
    return 100 * statistics.stdev(values) / statistics.median(values)


def percent(value):
    return "-" if math.isnan(value) else f"{value:.2f} %"


def latencies(before, after):
    for name, goal in SCATTER.items():
        now = scatter([value_of(run.get(name)) for run in after])
        then = scatter([value_of(run.get(name)) for run in before])
        reported = sum(value_of(run.get(name)) is not None for run in after)
        quarter = "" if not then > 1 else f"; a quarter of before: {verdict(now <= then / 4)}"
        earlier = f"before {percent(then):>8}  " if before else ""
        print(f"    {name:18} {earlier}now {percent(now):>8}  reported in {reported} of "
              f"{len(after)}, at most {goal} %: {verdict(now <= goal and reported == len(after))}"
              + quarter)


def counted(name, before, after, right, usual):
    needed = math.ceil(len(after) * 11 / 12)
    then, now = ([value_of(run.get(name)) for run in runs] for runs in (before, after))
    good = sum(right(value) for value in now if value)
    values = " ".join("-" if value is None else f"{value / 1024:.1f}K" if "capacity" in name else
                      f"{value:.0f}" for value in now)
    earlier = f"before {sum(right(value) for value in then if value):2} of {len(then)}  " if before else ""
    print(f"    {name:18} {earlier}now {good:2} of {len(now)} {usual}, {needed} to reach: "
          f"{verdict(good >= needed)}  ({values})", flush=True)


def truth(runs, name):
    """What the machine declares, or else what most runs of all found, and where it is from."""
    declared = [run[name]["declared"] for run in runs if run.get(name, {}).get("declared")]
    values = [value_of(run.get(name)) for run in runs if value_of(run.get(name))]
    if declared:
        return declared[0], f"{declared[0]:.0f}, as declared"
    return (statistics.mode(values), f"{statistics.mode(values):.0f}, as most find") if values else \
        (math.nan, "nobody knows")


def values_beside(bench, runs, budget):
    earlier = os.environ.get("FATHOM_BEFORE")
    what = ["run", "latency", "tlb", "geometry", "--budget", budget]
    print(f"noise: {runs} runs of latency, tlb and geometry in {budget} s beside each tormentor on CPU "
          f"{max(os.sched_getaffinity(0))}; scatter is the standard deviation over the median; "
          + ("before: FATHOM_BEFORE, in turn" if earlier else "no earlier fathom (FATHOM_BEFORE)"),
          flush=True)
    before, after = {}, {}
    for kind, arguments in TORMENTORS.items():
        before[kind], after[kind] = [], []
        with tormentor(bench, arguments):
            for _ in range(runs):
                if earlier:
                    before[kind].append(findings(document(earlier, *what)))
                after[kind].append(findings(document(bench.fathom, *what)))
        print(f"  beside {kind}")
        latencies(before[kind], after[kind])
        capacity, usual = truth(after[kind], "L1.capacity")
        counted("L1.capacity", before[kind], after[kind],
                lambda value: abs(value / capacity - 1) <= 0.03, "within 3 %")
        for name in EXACT:
            exact, usual = truth([run for seen in after.values() for run in seen], name)
            counted(name, before[kind], after[kind], lambda value: value == exact, usual)


# --- diff and check ---

def scale(value, times):
    """Multiplies all figures of a point, in ns and in cycles."""
    for key, part in value.items():
        if isinstance(part, dict) and key != "scatter":
            scale(part, times)
        elif key in SCALED and isinstance(part, (int, float)):
            value[key] = part * times


def series_of(parsed, probe):
    return [series for result in parsed["probes"] if result["name"] == probe
            for series in result.get("series", [])]


def plant_latency(parsed, level):
    """A tenth more in all points of a level: those between the capacity of the level above and its
    own; DRAM's are those near the largest set's latency."""
    found = findings(parsed)
    points = [point for series in series_of(parsed, "latency") for point in series["points"]
              if "median" in point]
    if not points:
        return
    if level == "DRAM":
        far = max(points, key=lambda point: point["x"])
        chosen = [point for point in points if point["median"] > 0.8 * far["median"]]
    else:
        declared = [cache["size_bytes"] for cache in parsed["machine"]["caches"]
                    if cache["type"] != "instruction"]
        low, high = (value_of(found.get(f"L{n}.capacity")) or declared[n - 1] for n in (1, 2))
        chosen = [point for point in points if low < point["x"] <= high]
    for point in chosen:
        scale(point, 1.1)


def plant_bandwidth(parsed):
    for series in series_of(parsed, "bandwidth"):
        for point in series["points"]:
            scale(point, 2 / 3)


PLANTED = {"a tenth on L2": lambda parsed: plant_latency(parsed, "L2"),
           "a tenth on DRAM": lambda parsed: plant_latency(parsed, "DRAM"),
           "a third of bandwidth gone": plant_bandwidth}


def status(bench, *arguments):
    code = subprocess.run([bench.fathom, *arguments], capture_output=True, text=True).returncode
    if code not in (0, 1, 4):
        sys.exit(f"fathom {' '.join(arguments)}: status {code}")
    return code


def judged(bench, before, after):
    """Whether `diff` and `check` say that something changed."""
    return (status(bench, "diff", before, after) == 1,
            status(bench, "check", after, "--against", before) == 1)


def measure_from_run_to_run(bench, chance, paths):
    """Each run meets one tormentor, all the time."""
    beside = list(itertools.islice(itertools.cycle(TORMENTORS.values()), len(paths)))
    chance.shuffle(beside)
    for path, arguments in zip(paths, beside):
        with tormentor(bench, arguments):
            bench.timed("run", "--quick", "-o", path)


def measure_during_runs(bench, chance, paths):
    with tormentors_in_turn(bench, chance):
        for path in paths:
            bench.timed("run", "--quick", "-o", path)


LOADS = {"that changes from run to run": measure_from_run_to_run,
         "that changes during the runs": measure_during_runs}


def comparisons(bench, runs, planted_pairs):
    for load, measure in LOADS.items():
        compare(bench, load, measure, runs, planted_pairs)


def compare(bench, load, measure, runs, planted_pairs):
    chance = random.Random(20261122)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{number}.json") for number in range(runs)]
        measure(bench, chance, paths)
        pairs = list(itertools.permutations(paths, 2))
        judgements = [judged(bench, *pair) for pair in pairs]
        for column, (name, share) in enumerate((("diff", 4 / 90), ("check", 1 / 90))):
            changed, most = sum(pair[column] for pair in judgements), math.floor(share * len(pairs) + 0.5)
            print(f"  {runs} quick runs beside load {load}: {name} exits 1 in {changed} of "
                  f"{len(pairs)} ordered pairs, at most {most} to reach: {verdict(changed <= most)}",
                  flush=True)
        seen = {name: [0, 0, 0] for name in PLANTED}
        names = list(itertools.islice(itertools.cycle(PLANTED), planted_pairs))
        for name, (before, after) in zip(names, chance.sample(pairs * 2, planted_pairs)):
            path, fresh = os.path.join(folder, "planted.json"), os.path.join(folder, "fresh.json")
            with open(after, encoding="utf-8") as file:
                planted = json.load(file)
            PLANTED[name](planted)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(planted, file)
            subprocess.run([bench.fathom, "analyse", path, "-o", fresh], check=True,
                           capture_output=True)
            by_diff, by_check = judged(bench, before, fresh)
            for at, counts in enumerate((True, by_diff, by_check)):
                seen[name][at] += counts
    for name, (of, by_diff, by_check) in seen.items():
        print(f"    {name} planted: diff finds it in {by_diff} of {of}, check in {by_check}")
    needed = math.ceil(planted_pairs * 19 / 20)
    for at, name in ((1, "diff"), (2, "check")):
        found = sum(counts[at] for counts in seen.values())
        print(f"  planted changes, in another run's document: {name} finds {found} of "
              f"{planted_pairs}, {needed} to reach: {verdict(found >= needed)}", flush=True)


def noise(bench):
    """Some 25 minutes; 45 with an earlier fathom in turn."""
    if len(os.sched_getaffinity(0)) < 2:
        print("noise: skipped, one CPU")
        return
    began = time.monotonic()
    comparisons(bench, 10, 20)
    values_beside(bench, 12, 15)
    print(f"noise: {(time.monotonic() - began) / 60:.1f} minutes")


def changes(bench):
    """What `diff` and `check` say of quick runs of modelled machines beside neighbours, unchanged ones
    and such as have become a tenth slower: a minute or two. Builds of tests/model only."""
    path = os.path.join(bench.build, "tests", "model", "model-changes")
    subprocess.run([path, "10", "4", "2.5", "10"], check=True, stderr=subprocess.DEVNULL)


def noise_short(bench):
    """Some minutes: what it prints shows that it works, and no more than that."""
    if len(os.sched_getaffinity(0)) < 2:
        print("noise: skipped, one CPU")
        return
    comparisons(bench, 4, 6)
    values_beside(bench, 3, 8)
