"""Synthetic fleets: documents of nodes that are alike, but for planted faults.

A node's document is a recorded one (quick.json here, tests/cli/sample.json, benchmarks/recorded) with its
findings moved: by what tells one machine from the next, by what one run differs from the next, and now and
then by a neighbour, by as much as neighbours moved the recorded runs. A neighbour moves what was found, and
the interval with it; what the hardware does without neighbours (quiet) moves by a fifth of that. The scatter
between exclusive nodes is that of published clusters: one part in a hundred where memory takes part, a tenth
of that inside a core. Everything follows from a seed.
"""
import copy
import json
import math
import random
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
QUICK = SOURCE / "tests" / "fleet" / "quick.json"
SAMPLE = SOURCE / "tests" / "cli" / "sample.json"
RECORDED = sorted((SOURCE / "benchmarks" / "recorded").glob("*.json"))

# Standard deviations of the logarithm: from node to node, and from run to run.
SCATTER = [("capacity", 0.02, 0.02), ("DRAM.", 0.007, 0.007), ("L3.", 0.007, 0.01), ("bandwidth", 0.007, 0.007),
           ("L1.", 0.0005, 0.001), ("L2.", 0.001, 0.001), ("core.clock", 0.001, 0.001),
           ("cores", 0.005, 0.007), ("noise", 0.2, 0.3)]
DISTURBED = 0.03  # of the values of what is shared
SHARED = ("L3.", "DRAM.", "bandwidth", "cores")


def scatter_of(name):
    return next(((a, b) for word, a, b in SCATTER if word in name), (0.002, 0.002))


def disturbances():
    """How far neighbours moved the recorded values from the best of them, as ratios."""
    values = {}
    for path in RECORDED:
        for probe in json.loads(path.read_text())["probes"]:
            for finding in probe["findings"]:
                if finding["name"] in ("L3.latency", "DRAM.latency"):
                    values.setdefault(finding["name"], []).append(finding["value"])
    return [value / sorted(row)[len(row) // 4] for row in values.values() for value in row]


# --- faults: what they do to a finding of that name ---

def a_channel(lost):
    return lambda name: (1 - lost if name.startswith("bandwidth.read.all") else
                         1 - lost / 3 if name == "bandwidth.read.1" else 1)


def slow_memory(by):
    return lambda name: 1 + by if name.startswith("DRAM.latency") else 1 / (1 + by / 2) if (
        name in ("bandwidth.read.all", "bandwidth.read.1")) else 1


def half_cache(left):
    return lambda name: left if name == "L3.capacity" else 1


def hot(by):
    slower = 1 / (1 - by)
    return lambda name: (1 - by if name == "core.clock" else
                         slower if name.endswith("_ns") and name[0] == "L" or name.startswith("cores.") else
                         1 + 0.2 * by if name == "DRAM.latency_ns" else
                         (1 - by) * (1 + 0.2 * by) if name == "DRAM.latency" else 1)


def swapped(by):
    return lambda name: 1 + by if name.startswith("DRAM.latency") else 1 / (1 + by) if (
        name in ("bandwidth.read.all", "bandwidth.read.1")) else 1


FAULTS = {
    "a channel of 3 lost": a_channel(1 / 3),
    "a channel of 8 lost": a_channel(1 / 8),
    "5 % slower DRAM": slow_memory(0.05),
    "10 % slower DRAM": slow_memory(0.10),
    "20 % slower DRAM": slow_memory(0.20),
    "half of the L3": half_cache(0.5),
    "a hot node, 10 %": hot(0.10),
    "swapped NUMA nodes": swapped(0.6),
}
SMALL = {"5 % slower DRAM"}  # what moves nothing by a tenth


# --- documents ---

class Template:
    """A recorded document, cut into what every node has and the findings."""

    def __init__(self, path, lean=False):
        self.document = json.loads(Path(path).read_text())
        self.document["machine"].pop("hostname", None)
        if lean:
            for probe in self.document["probes"]:
                probe["series"] = []
        self.findings = [probe.get("findings", []) for probe in self.document["probes"]]
        mold = copy.deepcopy(self.document)
        mold["machine"]["hostname"] = "@HOST@"
        for index, probe in enumerate(mold["probes"]):
            probe["findings"] = f"@FINDINGS{index}@"
        text = json.dumps(mold)
        self.pieces = []
        for mark in ["@HOST@"] + [f'"@FINDINGS{index}@"' for index in range(len(self.findings))]:
            before, text = text.split(mark, 1)
            self.pieces.append(before)
        self.pieces.append(text)

    def node(self, host, draw, neighbours, fault=lambda name: 1):
        """The text of one node's document."""
        common = {word: math.exp(draw.gauss(0, node)) for word, node, _ in SCATTER}
        moved_by = {}  # by figure, whatever its unit: how far a neighbour moved its trials
        out = [self.pieces[0], host]
        for piece, findings in zip(self.pieces[1:], self.findings):
            out.append(piece)
            out.append(json.dumps([self.moved(finding, draw, common, neighbours, moved_by, fault) for finding in findings]))
        return "".join(out) + self.pieces[-1]

    @staticmethod
    def moved(finding, draw, common, neighbours, moved_by, fault):
        if "value" not in finding:
            return finding
        name, value = finding["name"], finding["value"]
        word = next((word for word, _, _ in SCATTER if word in name), None)
        _, run = scatter_of(name)
        # A finding in ns is read off the same trials as its twin in cycles.
        own = math.exp(random.Random(f"{common['DRAM.']}{name.removesuffix('_ns')}").gauss(0, run))
        ratio = common.get(word, 1) * own * fault(name)
        moved = dict(finding, value=value * ratio)
        away = 1.0
        if name.startswith(SHARED) and draw.random() < DISTURBED:
            away = draw.choice(neighbours)
            away = 1 / away if name.startswith("bandwidth") or name.endswith("capacity") else away
        # Its twin was disturbed with it; a figure of other CPUs was not.
        figure = (name.removesuffix("_ns"), json.dumps(finding.get("cpus")), json.dumps(finding.get("factors")))
        away = moved_by.setdefault(figure, away)
        half = 2 * run * draw.uniform(0.7, 1.4)
        if "low" in finding and "high" in finding:
            moved["value"] *= away
            moved["low"] = moved["value"] * math.exp(-half) * min(1, 1 / away)
            moved["high"] = moved["value"] * math.exp(half) * max(1, 1 / away)
        if "quiet" in finding:
            quiet = finding["quiet"]["value"] * ratio * away ** 0.2
            moved["quiet"] = {"value": quiet, "low": quiet * math.exp(-half) * min(1, away ** -0.2),
                              "high": quiet * math.exp(half) * max(1, away ** -0.2)}
        return moved


def write(folder, template, count, seed, planted=None):
    """Writes a fleet's documents; `planted` says by node which fault it has."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    neighbours = disturbances()
    draw = random.Random(seed)
    for index in range(count):
        fault = FAULTS[planted[index]] if planted and index in planted else (lambda name: 1)
        text = template.node(f"n{index:05d}", draw, neighbours, fault)
        (folder / f"n{index:05d}.json").write_text(text)
