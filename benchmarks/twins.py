"""What diff and check say of twins (`fathom run --machine`): of unchanged ones, and of planted changes.

Machines are documents: those of docs/examples and benchmarks/recorded, and of the models of
tests/model. Every run is another twin of its machine, which also differs from the others as runs of
one machine do. A pair is two such runs, and no run is in two pairs. Programs are called as a person
calls them, so this works for whatever compares.

How runs of one machine differ is drawn for each figure: by SCATTER for what nobody else uses, and
where changes are planted (PLANTS); for what was measured beside others, as the recorded runs of such hosts
differ: levels by those of an EPYC guest on 2026-11-21, hand-offs and caches' rates by those of a Xeon
guest on 2026-11-30; of its memory's rates too few values have an interval of 95 %, so SCATTER stands for
them. The prior (benchmarks/prior.c) is of documents of 2026-11-24 to 29, and for memory's rates of another
guest on 2026-11-30, and has none of these, so that what the prior expects and what happens to twins have
nothing in common.
"""
import csv
import glob
import io
import json
import math
import os
import random
import re
import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor

SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAIRS, PLANTED_PAIRS, CELL, MODELS, REPEATED, RUNS = 400, 60, 6, 5, 12, 5
# Which parts of the table are made; all where it is empty.
PARTS = os.environ.get("FATHOM_PARTS", "").split()
# Numbers all runs: figures seen with one while the comparison was made prove nothing.
SEED = int(os.environ.get("FATHOM_SEED", "1"))
# How many programs run at a time.
JOBS = int(os.environ.get("FATHOM_JOBS", "2"))
# The share of all pairs and runs that is made; less is faster.
SHARE = float(os.environ.get("FATHOM_SHARE", "1"))
# Documents of more machines, which must not be the prior's.
MORE = os.environ.get("FATHOM_MACHINES", "").split()
# Names of findings or probes, as --change takes them, and how far runs of one machine scatter in them.
SCATTER = {"L1.latency": 0.005, "L2.latency": 0.005, "L3.latency": 0.02, "DRAM.latency": 0.02,
           "bandwidth": 0.02, "cores": 0.02}
# What is planted, and the findings of which one must be found.
PLANTS = [
    ("L1 +5 %", "L1.latency=+5%", r"L1\.latency(_ns)?"),
    ("L2 +5 %", "L2.latency=+5%", r"L2\.latency(_ns)?"),
    ("L3 x1.5", "L3.latency=x1.5", r"L3\.latency(_ns)?"),
    ("DRAM +25 %", "DRAM.latency=+25%", r"DRAM\.latency(_ns)?"),
    ("bandwidth /1.5", "bandwidth=x0.6667", r"(L\d\.)?bandwidth\..*"),
    ("hand-offs x1.5", "cores=x1.5", r"cores\.\w+\.(min|max|mean)"),
    ("L1 capacity /2", "L1.capacity=x0.5", r"L1\.capacity"),
    ("L1 ways /2", "L1.ways=x0.5", r"L1\.ways"),
    ("TLB entries /2", "dtlb1.4K.entries=x0.5", r"dtlb1\.4K\.entries"),
    ("clock -10 %", "core.clock=-10%", r"core\.clock|.*clock.*"),
]
# A figure for each role: what is changed, what must be found, its tolerance, and which way is worse.
ALLOWED = [
    ("L1's latency", "L1.latency", r"L1\.latency(_ns)?", 0.02, 1),
    ("L2's latency", "L2.latency", r"L2\.latency(_ns)?", 0.02, 1),
    ("L3's latency", "L3.latency", r"L3\.latency(_ns)?", 0.2, 1),
    ("memory's latency", "DRAM.latency", r"DRAM\.latency(_ns)?", 0.1, 1),
    ("read by one CPU", "bandwidth.read.1", r"bandwidth\.read\.1", 0.2, -1),
    ("read by all CPUs", "bandwidth.read.all", r"bandwidth\.read\.all", 0.2, -1),
    ("hand-offs", "cores.cas.max", r"cores\.cas\.(max|mean|min)", 0.1, 1),
]
LARGE = [("L1 +25 %", "L1.latency=+25%", r"L1\.latency(_ns)?"),
         ("DRAM x2", "DRAM.latency=x2", r"DRAM\.latency(_ns)?"),
         ("all CPUs' bandwidth x0.4", "bandwidth.read.all=x0.4", r"bandwidth\.read\.all")]
ROLES = [("L1, L2", r"L[12]\.latency"), ("L3", r"L3\.latency"), ("DRAM", r"DRAM\.latency"),
         ("bandwidth of one CPU", r"bandwidth\.\w+\.1|L\d\.bandwidth\.\w+"),
         ("bandwidth of all", r".*bandwidth\.\w+\.all"), ("hand-offs", r"cores\.\w+\.(min|max|mean)"),
         ("capacities", r"L\d\.capacity"), ("TLB, ways, line", r"dtlb.*entries|L\d\.(ways|line)"),
         ("system", r"(wake|fault)\..*")]
# Figures that scatter alike: what a host's recorded runs lack scatters as the others of its row.
ALIKE = [r"L1\.latency", r"L2\.latency", r"L3\.latency", r"DRAM\.latency", r"(L\d\.)?bandwidth\.\w+\.1",
         r"(L\d\.)?bandwidth\.\w+\.all", r"cores\.\w+\.(?:min|max|mean)"]
RECORDED_LEAST = 5  # runs that tell a scatter


def label(path):
    """A machine's name: its file's, and the folder of a host's own."""
    return os.path.relpath(path, os.path.join(SOURCES, "benchmarks/recorded")) if path in recorded() else os.path.basename(path)


def recorded():
    return sorted(glob.glob(os.path.join(SOURCES, "benchmarks/recorded/**/*.json"), recursive=True))


def hosts_scatter():
    """By finding: how far the recorded runs of a host scatter; of a finding of several hosts, the median. Each folder is one
    host's. A value without an interval, or of too few trials for one, is not compared, so it counts neither here."""
    found = {}
    for folder in sorted({os.path.dirname(path) for path in recorded()}):
        values = {}
        for path in recorded():
            if os.path.dirname(path) == folder:
                for probe in json.load(open(path))["probes"]:
                    for finding in probe.get("findings", []):
                        interval = (finding.get("low") or 0) > 0 and finding.get("kind") != "too few"
                        if (finding.get("value") or 0) > 0 and interval:
                            values.setdefault(finding["name"], []).append(math.log(finding["value"]))
        for name, runs in values.items():
            if len(runs) >= RECORDED_LEAST:
                found.setdefault(name, []).append(statistics.stdev(runs))
    return {name: statistics.median(scatters) for name, scatters in found.items()}


def was_hurried(path):
    """Whether a headline figure was measured once: that tells nothing of its scatter, and a twin would have none."""
    return any((finding.get("value") or 0) > 0 and finding.get("low") is None
               and any(re.fullmatch(pattern, finding["name"]) for _, _, pattern, _, _ in ALLOWED)
               for probe in json.load(open(path))["probes"] for finding in probe.get("findings", []))


def is_busy(path):
    """Whether other programs kept the CPUs busy: a single run can't tell what they did from a change."""
    document = json.load(open(path))
    return document["conditions"].get("load1", 0) >= document["machine"].get("threads", 1)


def calm(path, to):
    """Writes the document as a bare machine that nobody else uses would have made it: with a tenth of the scatter between
    trials, and without what a host and others did. No document of such a machine with all probes is in the project."""
    document = json.load(open(path))
    document["machine"].pop("hypervisor", None)
    document["conditions"].update(load1=0, stolen_s=0, others_cpus=0, remarks=[])

    def soften(what):
        middle = what.get("median") or what.get("value")
        for name in ("low", "high", "min", "p10", "p25", "p75", "p90", "max"):
            if what.get(name) and middle:
                what[name] = middle * (what[name] / middle) ** 0.1
        for name in ("flags", "redone", "quiet", "disturbance", "kind"):
            what.pop(name, None)

    for probe in document["probes"]:
        for point in [point for series in probe.get("series", []) for point in series["points"]]:
            soften(point)
            soften(point.get("cycles") or {})
        for finding in probe.get("findings", []):
            soften(finding)
    with open(to, "w") as out:
        json.dump(document, out)


class Twins:
    def __init__(self, bench, folder):
        self.bench, self.folder = bench, folder
        self.random = random.Random(SEED)
        self.machines = []
        for path in sorted(glob.glob(os.path.join(SOURCES, "docs/examples/*.json"))) + recorded() + MORE:
            if self.run(path, "probe", 1) is not None and not was_hurried(path):
                self.machines.append(path)
        path = os.path.join(folder, "calm-epyc.json")
        calm(os.path.join(SOURCES, "docs/examples/epyc-guest.json"), path)
        self.machines.append(path)
        for seed in range(1, MODELS + 1):
            path = os.path.join(folder, f"model-{seed}.json")
            model = os.path.join(bench.build, "tests/model/model-document")
            with open(path, "w") as out:
                subprocess.run([model, str(seed)], stdout=out, check=True)
            self.machines.append(path)
        self.names = {path: self.findings(path) for path in self.machines}
        self.busy = {label(path) for path in self.machines if is_busy(path)}
        self.chance = self.chance_scatter()
        hosts = hosts_scatter()
        self.scatter_of = {path: self.host_scatter(path, hosts) if label(path) in self.busy else SCATTER
                           for path in self.machines}

    def findings(self, path):
        """The findings that the program of today computes from the document."""
        done = subprocess.run([self.bench.fathom, "analyse", path, "-o", "-"],
                              capture_output=True, text=True)
        return {finding["name"]: (finding.get("value"), finding.get("kind"))
                for probe in json.loads(done.stdout)["probes"]
                for finding in probe.get("findings", [])}

    def run(self, machine, name, seed, change=()):
        """The document of another twin's run; None: the document is no machine."""
        path = os.path.join(self.folder, name + ".json")
        command = [self.bench.fathom, "run", "--machine", machine, "--seed", str(seed), "-o", path]
        if change:
            command += ["--change", ",".join(change)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return path if done.returncode in (0, 4) else None

    def has(self, machine, change):
        """Whether the machine has what would be changed."""
        name = change.split("=")[0]
        return self.names[machine].get(name, (None, None))[0] is not None or any(
            finding.startswith(name + ".") for finding in self.names[machine])

    def chance_scatter(self):
        """By machine and finding: the scatter of its logarithm between twins' runs, without what is added between them."""
        spread, repeated = {}, max(8, round(SHARE * REPEATED))
        for machine in self.machines:
            runs = []
            for seed in range(repeated):
                path = self.run(machine, "scatter", 1000000 * SEED + 1000 + seed)
                runs.append({finding["name"]: finding.get("value")
                             for probe in json.load(open(path))["probes"]
                             for finding in probe.get("findings", [])})
            for name in {name for run in runs for name in run}:
                values = [math.log(run[name]) for run in runs if (run.get(name) or 0) > 0]
                if len(values) > repeated / 2:
                    spread[machine, name] = statistics.stdev(values)
        return spread

    def host_scatter(self, machine, hosts):
        """What is added between runs of a machine that others use, by finding, so that they scatter as the host's runs did."""
        scatter = {}
        for pattern in ALIKE:
            alike = [sigma for name, sigma in hosts.items() if re.fullmatch(pattern, name)]
            for name in self.names[machine]:
                if re.fullmatch(pattern, name) and self.names[machine][name][0]:
                    whole = hosts.get(name, statistics.median(alike) if alike else sigma_of(name, SCATTER))
                    scatter[name] = math.sqrt(max(0, whole ** 2 - self.chance.get((machine, name), 0) ** 2))
        return scatter

    def spread(self, scatter=None):
        """The whole scatter between runs, by machine and finding."""
        return {(machine, name): math.hypot(s, sigma_of(name, scatter or self.scatter_of[machine]))
                for (machine, name), s in self.chance.items()}

    def scattered(self, machine, scatter):
        return [f"{name}=x{math.exp(self.random.gauss(0, sigma)):.6f}"
                for name, sigma in (scatter or self.scatter_of[machine]).items() if self.has(machine, name + "=")]

    def several(self, machine, name, seed, changes):
        """The document of a run for each list of changes."""
        runs = [self.run(machine, f"{name}-{i}", 10 * seed + i, change) for i, change in enumerate(changes)]
        if None in runs:
            raise SystemExit(f"{machine}: no run of {changes}")
        if len(runs) == 1:
            return runs[0]
        path = os.path.join(self.folder, name + ".json")
        subprocess.run([self.bench.fathom, "baseline", *runs, "-o", path], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for run in runs:
            os.remove(run)
        return path

    def plan(self, count, machines, plant=None, runs=(1, 1), scatter=None):
        """What is to be run for that many pairs: `plant` gives the change of a machine. Runs scatter as given, else as those of
        the machine do."""
        return [(machine, i, [self.scattered(machine, scatter) for _ in range(runs[0])],
                 [self.scattered(machine, scatter) + ([plant(machine)] if plant else []) for _ in range(runs[1])])
                for i in range(count) for machine in [machines[i % len(machines)]]]

    def pair(self, planned):
        """What diff and check say of a pair: its changed values, and check's status."""
        machine, number, first, second = planned
        name = f"{label(machine)}-{number}".replace("/", "-")
        seed = 1000000 * SEED + 2 * number
        before = self.several(machine, name + "a", seed + 1, first)
        after = self.several(machine, name + "b", seed + 2, second)
        rows = subprocess.run([self.bench.fathom, "diff", before, after, "-f", "csv"],
                              capture_output=True, text=True).stdout
        answers = {row["what"]: row["answer"] for row in csv.DictReader(io.StringIO(rows))}
        changed = [what for what, answer in answers.items() if answer == "changed"]
        check = subprocess.run([self.bench.fathom, "check", "--against", before, after],
                               capture_output=True, text=True)
        os.remove(before)
        os.remove(after)
        return label(machine), changed, check.returncode, answers

    def pairs(self, planned):
        with ThreadPoolExecutor(JOBS) as pool:
            return list(pool.map(self.pair, planned))


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"


def sigma_of(name, scatter):
    """How far runs are made to scatter in a finding."""
    stem = re.sub(r"_(ns|cycles)$", "", name)
    return scatter.get(stem, next((sigma for planted, sigma in scatter.items()
                                   if stem.startswith(planted + ".") or f".{planted}." in stem), 0))


def print_scatter(twins, spread):
    print("twins: s, the scatter between runs of one twin, in percent: median of the figures, least to most")
    for busy in (False, True):
        print("  beside others, as recorded runs of such hosts" if busy else "  beside nobody")
        for role, pattern in ROLES:
            found = sorted(100 * s for (machine, name), s in spread.items()
                           if re.fullmatch(pattern, name) and (label(machine) in twins.busy) == busy)
            if found:
                print(f"  {role:24} {statistics.median(found):6.2f}   {found[0]:.2f} to {found[-1]:.2f}   ({len(found)} figures)")


def told(twins, spread, results):
    """Of unchanged machines: what can't be told where the scatter is below a third of the tolerance, and elsewhere; and check's
    OK."""
    scatter_of, few, few_untold, far, far_untold, fit, ok = {}, [0, 0], [0, 0], 0, 0, 0, 0
    for (machine, name), s in spread.items():
        tolerance = next((of for _, _, pattern, of, _ in ALLOWED if re.fullmatch(pattern, name)), None)
        if tolerance:
            scatter_of.setdefault(label(machine), {})[name] = s / tolerance
    for machine, _, status, answers in results:
        own = scatter_of.get(machine, {})
        allowed = [name for name in own if own[name] < 1 / 3 and name in answers]
        few[machine in twins.busy] += len(allowed)
        few_untold[machine in twins.busy] += sum(answers[name] == "can't tell" for name in allowed)
        others = [name for name in own if own[name] >= 1 / 3 and name in answers]
        far += len(others)
        far_untold += sum(answers[name] == "can't tell" for name in others)
        if machine not in twins.busy and all(s < 1 / 3 for s in own.values()):
            fit += 1
            ok += status == 0
    print(f"  can't tell among headline figures whose scatter is below a third of the tolerance: "
          f"{share(sum(few_untold), sum(few))}, to reach 10 %  {'reached' if sum(few_untold) <= 0.1 * sum(few) else 'MISSED'};"
          f" beside nobody {share(few_untold[False], few[False])}, beside others {share(few_untold[True], few[True])};"
          f" elsewhere {share(far_untold, far)}")
    if fit:
        print(f"  check says OK where all of them scatter so little, beside nobody: {share(ok, fit)}, to reach 95 %"
              f"  {'reached' if ok >= 0.95 * fit else 'MISSED'}")


def unchanged(twins, spread):
    results = twins.pairs(twins.plan(round(SHARE * PAIRS), twins.machines))
    print(f"twins: {len(results)} pairs of unchanged machines, runs scatter by {SCATTER}, beside others as recorded runs do")
    judged(twins, spread, results)


def bases(twins, spread):
    """Several runs tell how the machine scatters, where a single one has to believe the prior."""
    results = twins.pairs(twins.plan(round(4 * SHARE * PLANTED_PAIRS), twins.machines, None, (RUNS, RUNS)))
    print(f"twins: the same for {len(results)} pairs of {RUNS} runs against {RUNS}")
    judged(twins, spread, results)


def judged(twins, spread, results):
    false_diff = [result for result in results if result[1]]
    print(f"  diff says changed: {share(len(false_diff), len(results))}, to reach 2.5 %"
          f"  {'reached' if len(false_diff) <= 0.025 * len(results) else 'MISSED'}")
    counted = {}
    for _, changed, _, _ in results:
        for name in changed:
            counted[name] = counted.get(name, 0) + 1
    if counted:
        most = sorted(counted.items(), key=lambda item: -item[1])[:8]
        print("    most often: " + ", ".join(f"{name} {count}" for name, count in most))
    told(twins, spread, results)
    for status, word in ((1, "FAIL"), (0, "OK"), (4, "UNCERTAIN")):
        print(f"  check says {word}: {share(sum(result[2] == status for result in results), len(results))}")
    for machine in sorted({result[0] for result in results}):
        own = [result for result in results if result[0] == machine]
        print(f"    {machine:28} changed {share(sum(bool(result[1]) for result in own), len(own))},"
              f" check 0/1/4: {'/'.join(str(sum(result[2] == status for result in own)) for status in (0, 1, 4))}")


def matches(pattern, what):
    """`what` may be followed by the factors of its experiment: "L1.latency (pages small)"."""
    return re.fullmatch(pattern + r"( \(.*\))?", what)


def quiet(twins, spread, change, pattern):
    """The machines that have what is changed, measured beside nobody, and whose runs scatter in it little more than
    SCATTER says."""
    found = []
    for machine in twins.machines:
        own = [(s, sigma_of(name, SCATTER), twins.names[machine].get(name, (None, None))[1])
               for (of, name), s in spread.items() if of == machine and re.fullmatch(pattern, name)]
        if twins.has(machine, change) and own and all(
                kind == "good" and (s <= 1.5 * sigma or not sigma) for s, sigma, kind in own):
            found.append(machine)
    return found


def row(twins, title, machines, plant, pattern, pairs, runs=1, scatter=None):
    """One row of changes: how often one of the findings has changed. `plant` makes the change of a machine."""
    each = max(1, round(SHARE * pairs / max(1, len(machines))))
    results = twins.pairs(twins.plan(each * len(machines), machines, plant, (runs, runs), scatter))
    found = [any(matches(pattern, what) for what in result[1]) for result in results]
    checks = "/".join(str(sum(result[2] == status for result in results)) for status in (0, 1, 4))
    print(f"  {title:24} ", end="")
    reached = None
    for busy in (False, True):
        own = [hit for result, hit in zip(results, found) if (result[0] in twins.busy) == busy]
        if own:
            print(f"{'beside others' if busy else 'found'} {share(sum(own), len(own))}, ", end="")
        if own and not busy:
            reached = sum(own) >= 0.95 * len(own)
    print(f"{len(machines)} machines, check 0/1/4: {checks}", end="")
    return results, "" if reached is None else "  reached" if reached else "  MISSED"


def planted(twins, spread):
    print("twins: planted changes that diff and check find, on machines whose runs scatter by at most half as much "
          "again as SCATTER says; to be reached: those that were measured beside nobody")
    for name, change, pattern in PLANTS:
        machines = quiet(twins, spread, change, pattern)
        if not machines:
            print(f"  {name:24} no machine has it")
            continue
        print(row(twins, name, machines, lambda _: change, pattern, PLANTED_PAIRS, scatter=SCATTER)[1], flush=True)


def allowed(twins, spread, runs):
    """Changes as large as the scatter between unchanged runs allows to be seen."""
    print(f"twins: changes of exp(5.5 s sqrt(2 / {runs})), and at least half as much again as the tolerance: "
          f"{runs} against {runs}")
    for title, name, pattern, tolerance, worse in ALLOWED:
        own = {machine: spread[machine, of] for machine in twins.machines for of in [name, name + "_ns"]
               if (machine, of) in spread and twins.has(machine, name + "=")}
        if not own:
            continue
        def plant(machine):
            times = max(math.exp(5.5 * own[machine] * math.sqrt(2 / runs)), 1 + 1.5 * tolerance)
            return f"{name}=x{times ** worse:.5f}"
        print(row(twins, title, sorted(own), plant, pattern, PLANTED_PAIRS / runs, runs)[1], flush=True)


def never_same(twins):
    print("twins: large changes of any machine, which are never the same and never OK")
    for title, change, pattern in LARGE:
        machines = [machine for machine in twins.machines if twins.has(machine, change)]
        results, _ = row(twins, title, machines, lambda _: change, pattern, PLANTED_PAIRS)
        passed = sum(result[2] == 0 for result in results)
        print(f"  OK {passed}", "reached" if not passed else "MISSED")


def curve(twins):
    """How often a change is found, by its size: on all machines, whatever their scatter."""
    sizes = (1.05, 1.1, 1.25, 1.5, 2.0)
    print("twins: power by size of the change, in percent of pairs; of machines measured beside nobody, and beside others")
    print("  " + " " * 24 + "".join(f"{f'{100 * size - 100:+.0f} %':>10}" for size in sizes))
    for title, name, pattern, _, worse in ALLOWED:
        machines = [machine for machine in twins.machines if twins.has(machine, name + "=")]
        cells = []
        for size in sizes if machines else ():
            count = max(round(SHARE * len(machines)), CELL)
            results = twins.pairs(twins.plan(count, twins.random.sample(machines, len(machines)),
                                             lambda _: f"{name}=x{size ** worse:.5f}"))
            cell = []
            for busy in (False, True):
                own = [any(matches(pattern, what) for what in result[1])
                       for result in results if (result[0] in twins.busy) == busy]
                cell.append(f"{100 * sum(own) / len(own):.0f}" if own else "-")
            cells.append(" / ".join(cell))
        print(f"  {title:24}" + "".join(f"{cell:>10}" for cell in cells), flush=True)


def twins(bench):
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        machines = Twins(bench, folder)
        spread, given = machines.spread(), machines.spread(SCATTER)
        print_scatter(machines, spread)
        parts = {"unchanged": lambda: unchanged(machines, spread),
                 "bases": lambda: bases(machines, spread),
                 "planted": lambda: planted(machines, given),
                 "large": lambda: never_same(machines),
                 "single": lambda: allowed(machines, spread, 1),
                 "curve": lambda: curve(machines),
                 "several": lambda: allowed(machines, spread, RUNS)}
        for name, part in parts.items():
            if not PARTS or name in PARTS:
                part()
