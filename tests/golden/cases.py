"""The tables of tests/golden/run: documents, tables of other tools, and commands."""
import json
import random
import re
import sys
from pathlib import Path

import swarm
import variants

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "fleet"))
import fleets

PROBES = ["noise", "tlb", "latency", "geometry", "cores", "wake", "parallelism", "bandwidth", "loaded", "numa",
          "contention", "coherence", "prefetch", "access", "fence", "window", "front", "fault", "copy", "tail", "gpu"]
COMMANDS = ["run", "report", "diff", "check", "baseline", "merge", "fleet", "advise", "analyse", "import", "as", "list",
            "doctor", "completion", "manual"]
FORMATS = ["markdown", "csv", "csv-points", "csv-matrix", "json", "html", "openmetrics", "hwloc"]

# What says no more than others, at length.
LONG = {("gpu-turing", "json"), ("nodes", "csv-points"), ("gpu-turing", "csv-points"), ("nodes", "json"),
        ("latency-partial", "html"), ("latency-partial", "json"), ("foreign", "html"), ("cores-holes", "html")}
FEW_VARIANTS = {"guest": ("thin", "single trials", "old"), "quick": ("thin", "single trials", "rising", "old"),
                "latency-01": ("zigzag", "rising"), "latency-08": ("zigzag", "thin", "few trials"), "published": ("thin", "zigzag", "first series gone"),
                "gpu-tiny": ("thin", "single trials", "disturbed", "zigzag", "partial", "points without trials")}

# Documents from elsewhere in the sources, by name.
DOCUMENTS = {
    "sample": "tests/cli/sample.json", "nodes": "tests/data/declared/nodes.json",
    "experiments": "tests/data/findings/experiments.json", "foreign": "tests/data/findings/foreign.json",
    "guest": "docs/examples/epyc-guest.json", "i9": "docs/examples/i9-13980hx-cas.json",
    "modelled": "docs/examples/modelled-machine-4.json", "published": "tests/data/gpu/made-up.json",
    "quick": "tests/fleet/quick.json", "latency-01": "benchmarks/recorded/01.json",
    "latency-08": "benchmarks/recorded/08.json",
    "contested": "tests/data/findings/contested.json",
}

TABLES = {
    "i9.csv": "tests/data/core-matrix/i9-13980hx-cas.csv",
    "i9-rust.csv": "tests/data/core-matrix/i9-13980hx-cas-rust.csv",
    "i9-rust.txt": "tests/data/core-matrix/i9-13980hx-cas-rust.txt",
    "i3.csv": "tests/data/core-matrix/i3-2120t-cas.csv", "i3.txt": "tests/data/core-matrix/i3-2120t-cas.txt",
    "i7.csv": "tests/data/core-matrix/published/i7-13700kf.csv",
    "deck.csv": "tests/data/core-matrix/published/steam-deck.csv",
    "levels.csv": "tests/data/curves/four-levels.csv", "n100.txt": "tests/data/curves/intel-n100.txt",
    "lmbench.txt": "tests/data/curves/lat_mem_rd.txt", "lmbench-recorded.txt": "tests/data/recorded/lat_mem_rd.txt",
    "a100.txt": "tests/data/gpu/published/a100.txt", "mlc.txt": "tests/data/mlc/two-nodes.txt",
    "mlc-recorded.txt": "tests/data/recorded/mlc.txt", "multichase.txt": "tests/data/multichase/four-levels.txt",
    "multiload.txt": "tests/data/multichase/loaded.txt", "core.txt": "tests/data/recorded/core-to-core-latency.txt",
    "cuda-latency.txt": "tests/data/tools/cuda-latency.txt", "gpu-latency.txt": "tests/data/tools/gpu-latency.txt",
    "likwid-bench.txt": "tests/data/tools/likwid-bench.txt",
    "macos.json": "tests/data/tools/macos-memory-benchmark.json", "mem-lat.txt": "tests/data/tools/mem-lat.txt",
    "mt4g.json": "tests/data/tools/mt4g.json", "nvbandwidth.txt": "tests/data/tools/nvbandwidth.txt",
    "osu.txt": "tests/data/tools/osu.txt", "sbc-bench.txt": "tests/data/tools/sbc-bench.txt",
    "stream.txt": "tests/data/tools/stream.txt", "summary.txt": "tests/data/tools/lmbench-summary.txt",
    "perf.txt": "tests/data/tools/perf-bench.txt", "asct.json": "tests/data/tools/asct.json", "sysbench.txt": "tests/data/tools/sysbench.txt",
}


def square(sizes, within):
    """A matrix of clusters, 100 ns from each other: how many CPUs each has, and how far they are apart."""
    of = [cluster for cluster, size in enumerate(sizes) for _ in range(size)]
    return "".join(",".join("0" if a == b else str(within[of[a]] if of[a] == of[b] else 100) for b in range(len(of))) + "\n"
                   for a in range(len(of)))


# Tables as people have them, and texts at the edge of what is read: a byte a character.
TEXTS = {name: text.encode("latin-1") for name, text in json.loads((SOURCE / "tests/golden/texts.json").read_text(encoding="utf-8")).items()}
ODD, SMALL = ([name for name in TEXTS if name.startswith(start)] for start in ("odd-", "small-"))
TEXTS["chases.txt"] = b"".join((SOURCE / "tests/data/multichase/four-levels.txt").read_bytes()
                               .replace(b"nr_threads = 1\n", b"nr_threads = %d\n" % threads) for threads in (1, 2, 3))

# What a table is read as: texts, a byte a character, for each reader and its options.
READ = {f"read-{options.replace(' ', '_').replace('--', '') or 'unnamed'}-{at // 20}": (options, texts[at:at + 20])
        for options, texts in json.loads((SOURCE / "tests/golden/tables.json").read_text(encoding="utf-8")).items() for at in range(0, len(texts), 20)}

EDGES = 3   # of each of these texts, how many with one thing at the edge of what is read

# Matrices with groups that were planted, among noise, holes, slow cores and kinds of cores.
PLANTED = json.loads((SOURCE / "tests/golden/matrices.json").read_text(encoding="utf-8"))

# Documents with texts and values that none measured, each with the options that it is reported with.
MADE_UP = json.loads((SOURCE / "tests/golden/reported.json").read_text(encoding="utf-8"))

# Documents that differ in a few places, by case: the document that they are made of, the value of each place that is another one
# (null: there is none), and what is done with them.
MADE = json.loads((SOURCE / "tests/golden/made.json").read_text(encoding="utf-8"))
NUDGED = 4   # of each document, how many with values at an edge
# What is done with two of them, with all, or with each.
TOGETHER = {
    "diff": "fathom diff 0.json 1.json; fathom diff -f json 1.json 0.json",
    "check": "fathom check -v --against 0.json 1.json; fathom check -f json --against 0.json 1.json",
    "several": "fathom report *.json; fathom report -f markdown *.json; fathom report -f svg *.json",
    "merge": "fathom merge *.json", "baseline": "fathom baseline *.json",
    "report": "for at in *; do fathom report $at; done", "advise": "for at in *; do fathom advise $at; done",
    "nearest": "fathom nearest 0.json 1.json", "fleet": "fathom fleet .",
    "predict": "for at in *; do for size in 16K 600K 3M 200M; do fathom predict --size $size $at; fathom predict --size $size --chains 4 $at; done; done",
    "analyse": "for at in *; do fathom analyse $at | tee anew | grep '^.\"name\"'; fathom report anew; rm anew; done",
}


def placed(document, changes):
    """A copy in which places have another value: {"probes/0/name": "tlb"}."""
    document = variants.copied(document)
    for path, value in changes.items():
        *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
        at = document
        for part in way:
            at = at[part]
        if value is None:
            del at[last]
        else:
            at[last] = value
    return document


# file: what it is read as; None where the program is to know it by its text.
IMPORTS = {
    "i9.csv": "core-matrix --op cas", "i9-rust.csv": "core-to-core-latency", "i9-rust.txt": None,
    "i3.csv": "core-matrix --ids no", "i3.txt": None, "i7.csv": "core-matrix", "deck.csv": "core-matrix --unit cycles",
    "levels.csv": "curve", "n100.txt": None, "lmbench.txt": "lat_mem_rd", "lmbench-recorded.txt": None,
    "a100.txt": None, "mlc.txt": "mlc", "mlc-recorded.txt": None, "multichase.txt": "multichase",
    "multiload.txt": "multichase", "core.txt": None, "cuda-latency.txt": None, "gpu-latency.txt": None,
    "likwid-bench.txt": None, "macos.json": None, "mem-lat.txt": None, "mt4g.json": None, "nvbandwidth.txt": None,
    "osu.txt": None, "sbc-bench.txt": None, "stream.txt": None, "sysbench.txt": None,
    "comma.csv": "curve", "utf16.txt": None, "latin.csv": "curve", "two-points.txt": "curve --size-unit B", "columns.csv": "curve",
    "triples.csv": "core-matrix", "ids.csv": "core-matrix", "triangle.txt": "core-matrix", "cycles.txt": None,
    "bandwidth.csv": None, "wrong.csv": "core-matrix", "rows.csv": "curve", "empty.csv": None, "text.txt": None,
    "negative.csv": "curve", "falling.csv": "curve", "mt4g-miss.json": None, "mt4g-units.json": None, "mt4g-notes.json": None, "summary.txt": None,
    "perf.txt": None, "asct.json": None, "nvbandwidth.json": None, "chases.txt": "multichase", "pinned.txt": "curve --size-unit B --unit ns", "summaries.txt": None, "hole.csv": "core-matrix", "colours.txt": "curve --size-unit B",
}


def slower(document, by=1.1):
    """The same run, some time later on a machine whose every figure is another one."""
    document = variants.copied(document)
    document["run"]["started"] = "2026-11-25T09:00:00Z"
    for probe in document["probes"]:
        for series in probe.get("series", []):
            variants.scaled(series, by)
        for found in probe.get("findings", []):
            for values in [found] + [found[key] for key in ("quiet", "quiet_cycles") if key in found]:
                for key in ("value", "low", "high"):
                    if key in values:
                        values[key] *= by
    return document


def host(name, by):
    def of_host(document):
        document = slower(document, by)
        document["machine"]["hostname"] = name
        return document
    return of_host


def older(document):
    document = variants.old(document)
    document["tool"]["version"] = "0.0.9"
    document["run"]["started"] = "2025-01-01T00:00:00Z"
    return document


def other_processor(document):
    document = slower(document, 1.02)
    document["machine"]["cpu"]["model"] = "another processor"
    document["machine"]["page_sizes"] = [4096]
    return document


# name: (what changes, the document that it is made of)
VARIANTS = {}
for index in range(12):
    VARIANTS[f"fleet/n{index:02d}"] = (host(f"n{index:02d}", 1 + (index * 7 % 12 - 6) / 1000), "quick")
VARIANTS["fleet/n03"] = (host("n03", 1.35), "quick")
for name in ("latency", "bandwidth", "coherence", "guest", "sample", "contention", "quick"):
    VARIANTS[f"{name}-slower"] = (slower, name)
    VARIANTS[f"{name}-older"] = (older, name)
for name in ("latency", "guest", "quick"):
    VARIANTS[f"{name}-faster"] = (lambda document: slower(document, 0.93), name)
    VARIANTS[f"{name}-other"] = (other_processor, name)
for name in ("latency", "bandwidth", "fault", "cores", "gpu-turing"):
    VARIANTS[f"{name}-partial"] = (variants.partial, name)
    VARIANTS[f"{name}-failed"] = (variants.failed, name)
    VARIANTS[f"{name}-holes"] = (variants.each(variants.failed_points), name)


def bare_metal(document):
    """Not in a guest, where fewer changes are certain."""
    document = variants.copied(document)
    document["machine"].pop("hypervisor", None)
    return document


def forward(document):
    """The same in another order: another experiment."""
    document = variants.copied(document)
    document["run"]["started"] = "2026-11-20T00:00:00Z"
    for probe in document["probes"]:
        for part in probe.get("series", []) + probe.get("findings", []):
            if "order" in part.get("factors", {}):
                part["factors"]["order"] = "forward"
    return document


def without_first_probe(document):
    document = variants.copied(document)
    document["probes"] = document["probes"][1:]
    return document


def grouped(document):
    """What the machine declares of the CPUs: some of it shows in the matrix, some does not."""
    groups = [f"siblings {cpu}-{cpu + 1} SMT siblings" for cpu in range(0, 16, 2)] + \
        [f"cache {cpu}-{cpu + 3} CPUs that share an L2 cache" for cpu in range(16, 32, 4)] + \
        ["siblings 17,30 SMT siblings", "cores 0-15 the performance cores", "node 0-7 NUMA node 0", "package 16-31 a package"]
    document = variants.bare(document)
    document["probes"][0].setdefault("parameters", {})["cpu_groups"] = "; ".join(groups)
    return document


def with_points(document, keep):
    """Another run, which measured other sizes."""
    document = variants.copied(document)
    document["run"]["started"] = f"2026-11-2{keep}T00:00:00Z"
    for probe in document["probes"]:
        for series in probe.get("series", []):
            series["points"] = series["points"][keep::3]
    return document


for name in ("access", "bandwidth", "coherence", "contention", "copy", "cores", "fault", "geometry", "gpu-tiny", "gpu-turing",
             "latency", "loaded", "noise", "parallelism", "prefetch", "tlb", "wake", "window", "nodes", "modelled"):
    VARIANTS[f"{name}-rising"] = (variants.each(variants.rising), name)
    VARIANTS[f"{name}-falling"] = (variants.each(variants.falling), name)
BARE = ("latency", "bandwidth", "loaded", "cores", "parallelism", "guest")
for name in BARE:
    VARIANTS[f"{name}-bare"] = (bare_metal, name)
    VARIANTS[f"{name}-bare-slower"] = (lambda document: slower(bare_metal(document), 1.2), name)
    VARIANTS[f"{name}-bare-rising"] = (lambda document: variants.each(variants.rising)(bare_metal(document)), name)
VARIANTS["latency-forward"] = (forward, "latency")
VARIANTS["guest-forward"] = (forward, "guest")
VARIANTS["latency-some"] = (lambda document: with_points(document, 0), "latency")
VARIANTS["latency-late-flat"] = (variants.each(variants.late_flat), "latency")
VARIANTS["latency-others"] = (lambda document: with_points(document, 1), "latency")
VARIANTS["i9-grouped"] = (grouped, "i9")
VARIANTS["quick-less"] = (without_first_probe, "quick")
VARIANTS["guest-less"] = (without_first_probe, "guest")


def pieces(document):
    """Of the huge pages half are small ones."""
    document = variants.bare(document)
    for series in document["probes"][0]["series"]:
        if series["name"] == "pieces":
            variants.scaled(series, 0.9)
        if series["name"] in ("packed", "spread") and series["factors"]["pages"] == "4K":
            variants.scaled(series, 1.6, slice(8, None))
    return document


def labelled(document):
    """With labels of CPUs, some of them odd, and a first node of two siblings that are far apart."""
    document = variants.bare(document)
    document["probes"][0].setdefault("parameters", {}).update(
        cpu_labels="0=c0.0 1=c0.1 2=c1.0 3= 4=abcdefghijklmnop 5 x=7 99999=c9 6=c3.0 6=c4.0 7=c3.1",
        cpu_groups="siblings 3,17 SMT siblings; siblings 4 SMT siblings; siblings 0-31 SMT siblings; node 3,9 NUMA node 7")
    return document


def pair(document):
    """Two CPUs, said to be siblings."""
    document = variants.bare(document)
    for series in document["probes"][0]["series"]:
        series["points"] = [point for point in series["points"] if max(point["from"], point["to"]) < 2]
    document["probes"][0].setdefault("parameters", {})["cpu_groups"] = "siblings 0-1 SMT siblings; node 0-1 NUMA node 0"
    return document


def short(document):
    """Without the largest sizes: the last level that is seen is another one."""
    document = slower(variants.bare(bare_metal(document)), 1.3)
    for probe in document["probes"]:
        for series in probe.get("series", []):
            series["points"] = series["points"][:len(series["points"]) * 3 // 5]
    return document


def many_factors(document):
    """Measured in an unusual way, of which more is said than a line names."""
    document = slower(document, 1.2)
    for probe in document["probes"]:
        for part in probe.get("series", []) + probe.get("findings", []):
            part.setdefault("factors", {}).update({f"factor{index}": index + 1 for index in range(18)})
    return document


def elsewhere(document):
    """Measured on other memory."""
    document = slower(document, 1.2)
    for probe in document["probes"]:
        probe.setdefault("parameters", {}).update(pages="1G", pages_obtained="1G", node=1, node_obtained=1)
    document.setdefault("machine", {})["nodes"] = [{"id": 0, "cpus": "0-63"}, {"id": 1}]
    return document


def jittered(document, by=0.06):
    """Every point off by some percent."""
    def jitter(series):
        for at in range(len(series["points"])):
            variants.scaled(series, 1 + by * ((at * 7919 + len(series["name"])) % 13 - 6) / 6, slice(at, at + 1))
    return variants.each(jitter)(document)


JITTERED = ("latency", "i9", "gpu-turing", "tlb", "geometry", "bandwidth", "window", "prefetch")
for name in JITTERED:
    VARIANTS[f"{name}-jittered"] = (jittered, name)
for name in ("latency", "guest", "bandwidth", "quick"):
    VARIANTS[f"{name}-unquiet"] = (lambda document: slower(variants.each(variants.without_quiet)(bare_metal(document)), 1.25), name)
VARIANTS["bandwidth-factors"] = (many_factors, "bandwidth")
for name in ("i9", "cores", "nodes", "tlb", "latency-08", "quick"):
    VARIANTS[f"{name}-disturbed"] = (variants.each(variants.wide), name)
for name in ("latency", "guest", "latency-01"):
    VARIANTS[f"{name}-short"] = (short, name)
    VARIANTS[f"{name}-elsewhere"] = (elsewhere, name)
VARIANTS["i9-labelled"] = (labelled, "i9")
VARIANTS["i9-pair"] = (pair, "i9")
VARIANTS["tlb-pieces"] = (pieces, "tlb")

VARIED = 12
for name in ("guest", "quick", "gpu-turing", "nodes"):
    VARIANTS[f"{name}-fewer"] = (swarm.fewer, name)
    for seed in range(VARIED):
        VARIANTS[f"varied/{name}-{seed}"] = (lambda document, seed=seed: swarm.varied(swarm.fewer(document), seed), name)
REPORTED = ("cores", "latency", "quick", "nodes", "bandwidth", "prefetch", "coherence", "fault", "access")
for name in REPORTED:
    for seed in range(VARIED):
        VARIANTS[f"swarm/{name}-{seed}"] = (lambda document, seed=seed: swarm.one(document, seed), name)


def geometry_rich(document, more=10):
    """Where the second level was seen whole: its lines, its ways, and whether it is inclusive, as `more` cycles show."""
    document = bare_metal(variants.bare(document))
    probe = document["probes"][0]
    probe["series"] = [series for series in probe["series"] if series["name"] != "conflicts" or series["factors"]["stride"] < 4096]
    ways, lines = ({series["factors"]["level"]: series for series in probe["series"] if series["name"] == name}
                   for name in ("lines that fit", "line by vote"))
    hot = variants.copied(probe["series"][0])
    hot.update(name="hot lines", factors={"contending": 20, "hot": 8}, points=hot["points"][:2])
    for point, value in zip(hot["points"], (12, 12 + more)):
        swarm.scale([point], value / point["cycles"]["median"])
    for place, (point, value) in enumerate(zip(ways[2]["points"], (32, 16, 16))):
        point.update({key: value for key in swarm.VALUES if key in point}, x=32768 << place)
    lines[2]["points"] = variants.copied(lines[1]["points"])
    probe["series"].append(hot)
    return document


def busy(document):
    """A GPU behind a narrow link, divided, with others' work on it."""
    document = variants.copied(document)
    document["machine"]["gpus"][0].update(link="PCIe 3.0 x8", link_most="PCIe 4.0 x16", ecc="on", mig="on", other_processes=3)
    return document


def other_units(document):
    """Sizes in another unit than bytes, and times in one that nobody knows."""
    document = slower(document, 1.2)
    series = document["probes"][0]["series"][0]
    series["x"]["unit"] = "pages"
    document["probes"][0]["findings"][0]["unit"] = "fortnights"
    return document


def huge(document):
    """Times that no column holds."""
    document = variants.copied(document)
    for series in document["probes"][0]["series"]:
        swarm.scale(series["points"][-9:], 1e12)
    return document


VARIANTS["geometry-rich"] = (geometry_rich, "geometry")
for more in (-1, 0, 0.1, 0.5, 0.9, 1.5, 1.8):
    VARIANTS[f"hot/{more}"] = (lambda document, more=more: geometry_rich(document, more), "geometry")


def one_handoff(document):
    """The nearest pair alone, and more of its points than one."""
    document = variants.copied(document)
    document["probes"] = [probe for probe in document["probes"] if probe["name"] == "cores"]
    document["probes"][0]["findings"] = document["probes"][0]["findings"][:1]
    return document


def first_alone(document):
    """Where the first finding changed, and one point of each curve."""
    document = variants.copied(document)
    document["run"]["started"] = "2026-11-26T00:00:00Z"
    for probe in document["probes"]:
        swarm.scale(probe.get("findings", [])[:1], 1.5)
        for series in probe.get("series", []):
            swarm.scale(series["points"][3:4], 1.5)
    return document


def one_without_interval(document):
    """One value lost its interval, and one series of each probe all of its points."""
    document = variants.copied(document)
    for probe in document["probes"]:
        for found in probe.get("findings", [])[:1]:
            found.pop("low", None), found.pop("high", None)
    return document


def without_series(document, name):
    document = variants.bare(document)
    for probe in document["probes"]:
        probe["series"] = [series for series in probe.get("series", []) if series["name"] != name]
    return document


def shared_entries(document):
    """Side by side, an entry of the TLB is eight times as many pages as alone."""
    document = variants.bare(document)
    for series in document["probes"][0]["series"]:
        if series["name"] == "sparse":
            for point in series["points"]:
                point["x"] /= 8
    return document


for name in ("latency", "guest"):
    VARIANTS[f"{name}-pointed"] = (one_without_interval, name)
VARIANTS["need-nothing"] = (lambda document: without_series(document, "alone"), "need")
VARIANTS["tlb-shared"] = (shared_entries, "tlb")
for name in ("guest", "sample"):
    VARIANTS[f"{name}-handoff"] = (one_handoff, name)
    VARIANTS[f"{name}-handoff-slower"] = (lambda document: slower(one_handoff(document), 1.3), name)
for name in ("latency", "guest", "quick"):
    VARIANTS[f"{name}-first"] = (first_alone, name)
def many_series(document):
    """More curves and matrices than a page has room for, of probes in no order and of one that nobody knows."""
    document = variants.copied(document)
    probe = next(probe for probe in document["probes"] if probe["name"] == "cores")
    curve = variants.copied(document["probes"][0]["series"][0])
    matrix = variants.copied(probe["series"][0])
    for series in (curve, matrix):
        series["points"] = series["points"][:1]
    document["probes"] = [{"name": name, "title": title, "status": "ok", "series": [curve | {"name": f"s{at}"} for at in range(curves)] + [matrix] * matrices}
                          for name, title, curves, matrices in (("noise", "Noise", 1, 0), ("nobody's", "", 70, 300), ("tlb", "TLB", 2, 0), ("latency", "Latency", 1, 0))]
    return document


def of_tiers(document):
    """With tiers of memory declared, more kinds of core than are shown apart, and a node without CPUs."""
    document = variants.copied(document)
    machine = document["machine"]
    machine.setdefault("declared", {})["tiers"] = [{"id": 22, "nodes": "1-2"}, {"id": 4, "nodes": "0"}, {"id": 961, "nodes": "2"}]
    machine["cpu"]["kinds"] = [{"name": f"kind{at}", "cpus": str(at)} for at in range(40)]
    machine.setdefault("numa", []).append({"id": 2, "cpus": "", "memory_bytes": 1 << 34})
    return document


def of_one_cpu(document):
    """Of a machine that has one CPU and declares no cache."""
    document = variants.copied(document)
    document["machine"].pop("declared", None)
    document["machine"]["caches"] = []
    document["machine"]["cpu"].update(cores=1, threads=1, kinds=[])
    return document


VARIANTS["nodes-tiers"] = (of_tiers, "nodes")
for name in ("latency", "guest"):
    VARIANTS[f"{name}-one"] = (of_one_cpu, name)
VARIANTS["many-series"] = (many_series, "sample")
VARIANTS["gpu-turing-busy"] = (busy, "gpu-turing")
VARIANTS["latency-units"] = (other_units, "latency")
VARIANTS["cores-huge"] = (huge, "cores")
VARIANTS["left/sample"] = VARIANTS["right/sample"] = (lambda document: slower(document, 1.2), "sample")

# Variants whose findings are golden too.
ANALYSED = ["need-nothing", "tlb-shared", "i9-grouped", "latency-bare", "guest-bare", "latency-some", "latency-late-flat", "tlb-pieces", "geometry-rich", "i9-labelled", "i9-pair"] + [f"{name}-jittered" for name in JITTERED]
WORDS = ["latency ns", "usec", "us", "msecs", "s", "psec", "nanoseconds", "cyc", "CPI", "time", "lat", "avg ns", "median cycles", "max us",
         "best", "mean", "load", "bw", "MB/s", "GiB/s", "stddev", "ns/load", "LatencyNs", "\u00b5s"]
SIZE_WORDS = ["size", "Size (KB)", "sizeKiB", "wss MiB", "gb", "region", "footprint kilobytes", "bytes", "array", "SizeMB"]

# Faults beside those of tests/fleet: what they do to a finding of that name.
FAULTS = {
    "slow hand-offs": lambda name: 1.5 if name.startswith("cores.") else 1,
    "others' work": lambda name: 30 if name.startswith("noise") else 1,
    "a slow L2": lambda name: 1.4 if name.startswith("L2.latency") else 1,
    "a fast L1": lambda name: 0.7 if name.startswith("L1.latency") else 1,
}


FLEETS = 8
MAY_DIFFER = ["L1.latency", "L2.latency", "L3.latency", "DRAM.latency", "L2.capacity", "L3.capacity", "bandwidth.read", "bandwidth.one",
              "cores.", "noise.taken", "noise", "core.clock", "bandwidth", "L"]


def published(folder, *endings):
    """Tables of machines that others have published, by short names."""
    return {f"{folder}-{path.name}": path for path in sorted((SOURCE / "tests/data" / folder / "published").iterdir())
            if path.suffix in endings and path.stem not in ("caches", "groups")}


CURVES, MATRICES, DEVICES = published("curves", ".txt"), published("core-matrix", ".csv"), published("gpu", ".txt")


SMALL_TABLES = {"named": swarm.named, "few-rows": swarm.few_rows, "few-cpus": swarm.few_cpus}

# Tables of which edited ones are read.
EDITED = [name for name in TABLES if not name.startswith(("i9", "i7", "deck"))] + \
    ["nvbandwidth.json", "comma.csv", "columns.csv", "triples.csv", "ids.csv", "triangle.txt", "cycles.txt",
     "two-sizes.csv", "three.txt", "source.txt", "units.txt", "stride.txt", "osu-two.txt", "loads.txt", "hole.csv"]


def prepare(folder):
    """Edited tables, a fleet with a fault of every kind, and one of two kinds of machine."""
    (folder / "edited").mkdir()
    (folder / "made-up").mkdir()
    for seed in range(60):
        (folder / "made-up" / f"{seed:02}").write_text(swarm.table(seed), encoding="utf-8")
    for at, text in enumerate([*PLANTED, square([4, 8] * 25, [20 + at for at in range(50)])]):
        (folder / f"planted-{at:02}.csv").write_text(text)
    for at, made in enumerate(MADE_UP):
        (folder / f"reported-{at:02}.json").write_text(json.dumps(made["document"]))
        for seed in range(NUDGED):
            (folder / f"reported-{at:02}-{seed}.json").write_text(json.dumps(swarm.nudged(made["document"], f"reported {at} {seed}")))
    for name, case in MADE["cases"].items():
        for at, documents in enumerate(case["with"]):
            within = folder / "made" / name / str(at)
            within.mkdir(parents=True)
            documents = [placed(MADE["of"].get(case["of"]) or json.loads((folder / f"{case['of']}.json").read_text()), changes) for changes in documents]
            for number, document in enumerate(documents):
                (within / f"{number}.json").write_text(json.dumps(document))
            for seed in range(NUDGED):
                within = folder / "nudged" / name / f"{at}-{seed}"
                within.mkdir(parents=True)
                for number, document in enumerate(documents):
                    nudged = number == seed % len(documents) or number == len(documents) - 1
                    (within / f"{number}.json").write_text(json.dumps(swarm.nudged(document, f"{name} {at} {seed} {number}") if nudged else document))
    for name, (_, texts) in READ.items():
        (folder / name).mkdir()
        (folder / "edges" / name).mkdir(parents=True)
        for at, text in enumerate(texts):
            (folder / name / f"{at:02}").write_bytes(text.encode("latin-1"))
            for seed in range(EDGES):
                (folder / "edges" / name / f"{at:02}-{seed}").write_bytes(swarm.edge(text, f"{name} {at} {seed}").encode("latin-1"))
    for name in EDITED:
        text = (SOURCE / TABLES[name]).read_text(encoding="utf-8") if name in TABLES else TEXTS[name].decode()
        for seed in range(15):
            (folder / "edited" / f"{name}-{seed:02}").write_text(swarm.edited(text, seed), encoding="utf-8")
    template = fleets.Template(fleets.QUICK)
    fleets.write(folder / "faults", template, 26, 5, {3 * at + 1: fault for at, fault in enumerate(sorted(fleets.FAULTS))})
    fleets.FAULTS.update(FAULTS)
    fleets.write(folder / "others", template, 20, 9, {4 * at + 2: fault for at, fault in enumerate(sorted(FAULTS))})
    for seed in range(FLEETS):
        draw = random.Random(f"fleet {seed}")
        planted = {}
        for node in draw.sample(range(14), draw.randint(1, 6)):
            planted[node] = f"random {seed} {node}"
            fleets.FAULTS[planted[node]] = lambda name, which=draw.sample(MAY_DIFFER, draw.choice((1, 1, 2, 9))), \
                by=2 ** draw.uniform(-0.7, 0.7): by if name.startswith(tuple(which)) else 1
        fleets.write(folder / f"random-{seed}", template, 14, 20 + seed, planted)
    document = json.loads((folder / "others" / "n00003.json").read_text())
    document["machine"].pop("hostname")
    (folder / "others" / "no-name.json").write_text(json.dumps(document))
    document["machine"].update(hostname="small", memory_bytes=document["machine"].get("memory_bytes", 1 << 34) // 4)
    (folder / "others" / "small.json").write_text(json.dumps(document))
    (folder / "others" / "broken.json").write_text("{")
    for name, make in SMALL_TABLES.items():
        (folder / name).mkdir()
        for seed in range(160):
            (folder / name / f"{seed:03}").write_text(make(seed))
    (folder / "squares").mkdir()
    nodes = json.loads((SOURCE / DOCUMENTS["nodes"]).read_text(encoding="utf-8"))
    for seed in range(40):
        (folder / "squares" / f"{seed:02}.json").write_text(json.dumps(swarm.square(nodes, seed)))
    machine = json.loads((SOURCE / "tests/data/predict/machine.json").read_text(encoding="utf-8"))
    for name, document in {"machine": machine, "machine-bare": bare_metal(machine), "machine-jittered": jittered(machine, 0.2)}.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    (folder / "machines").mkdir()
    for seed, probe in enumerate(machine["probes"]):
        without = machine | {"probes": [other for other in machine["probes"] if other is not probe]}
        (folder / "machines" / f"{seed:02}-{probe['name']}.json").write_text(json.dumps(without))
        (folder / "machines" / f"{seed:02}-nudged.json").write_text(json.dumps(swarm.nudged(swarm.changed_all(machine, seed), f"machine {seed}")))
    for name, path in {**CURVES, **MATRICES, **DEVICES}.items():
        (folder / name).write_bytes(path.read_bytes())
    fleets.write(folder / "few", template, 4, 6)
    fleets.write(folder / "threads", template, 12, 12)   # of one processor, machines of which half have more threads than cores
    for path in list((folder / "threads").iterdir()):
        document = json.loads(path.read_text())
        document["machine"]["cpu"]["threads"] *= 2
        document["machine"]["hostname"] = "two-" + document["machine"]["hostname"]
        path.with_name("two-" + path.name).write_text(json.dumps(document))
    template.document["machine"]["cpu"]["model"] = "another processor"
    template.pieces[0] = template.pieces[0].replace("AMD EPYC", "another processor")
    fleets.write(folder / "kinds", template, 6, 7)
    for path in list((folder / "kinds").iterdir()):
        path.rename(path.with_name("other-" + path.name))
    fleets.write(folder / "kinds", fleets.Template(fleets.QUICK), 12, 8, {4: "a hot node, 10 %"})


def commands(documents):
    """Yields (name of the golden file, command line)."""
    for name, (_, of) in VARIANTS.items():
        if name.endswith(("-rising", "-falling")):
            base = name.rpartition("-")[0]
            anew = f"fathom analyse {name}.json -o anew.json 2>/dev/null; fathom"
            yield f"diff/{name}", f"{anew} diff {base}.json anew.json"
            yield f"check/{name}", f"{anew} check --against {base}.json anew.json"
    for name in BARE:
        yield f"diff/{name}-bare", f"fathom diff {name}-bare.json {name}-bare-slower.json"
        yield f"check/{name}-bare", f"fathom check --against {name}-bare.json {name}-bare-slower.json"
        yield f"diff/{name}-moved", f"fathom diff {name}.json {name}-bare.json"
    for name in ("latency", "guest"):
        yield f"diff/{name}-forward", f"fathom diff {name}.json {name}-forward.json"
        yield f"check/{name}-forward", f"fathom check --against {name}.json {name}-forward.json"
        yield f"merge/{name}-forward", f"fathom merge {name}-forward.json {name}.json -f text"
    for name in ("quick", "guest"):
        yield f"diff/{name}-less", f"fathom diff {name}.json {name}-less.json"
        yield f"check/{name}-less", f"fathom check --against {name}.json {name}-less.json"
        yield f"check/{name}-more", f"fathom check --against {name}-less.json {name}.json"
    for name in ("latency", "bandwidth", "fault", "cores", "gpu-turing"):
        for state in ("partial", "failed", "holes"):
            yield f"diff/{name}-{state}", f"fathom diff {name}.json {name}-{state}.json"
            yield f"check/{name}-{state}", f"fathom check --against {name}.json {name}-{state}.json"
    yield "diff/strangers", "fathom diff latency.json nodes.json"
    yield "check/strangers", "fathom check --against latency.json cores.json"
    yield "merge/two-hosts", "fathom merge fleet/n00.json fleet/n01.json"
    yield "merge/two-processors", "fathom merge latency.json latency-other.json"
    yield "merge/guest", "fathom merge guest.json latency.json guest-forward.json -f text"
    yield "merge/points", "fathom merge latency-some.json latency-others.json latency-forward.json -f csv-points"
    for name in ("faults", "few", "kinds", "others"):
        yield f"fleet/{name}", f"fathom fleet {name}"
    for seed in range(FLEETS):
        yield f"fleet/random-{seed}", f"fathom fleet{' --threshold 2 --false-share 20' if seed % 2 else ''} random-{seed} -o fleet.json; " \
            f"for n in 02 05 11; do fathom check --against fleet.json random-{(seed + 1) % FLEETS}/n000$n.json; done"
    yield "fleet/others.json", "fathom fleet -f json others"
    yield "fleet/strict", "fathom fleet --threshold 1 --false-share 1 faults"
    yield "fleet/against", "fathom fleet faults -o fleet.json >/dev/null; for n in 00 01 04 13; do " \
        "fathom check --against fleet.json faults/n000$n.json; done"
    yield "fleet/against-kinds", "fathom fleet kinds -o fleet.json >/dev/null; " \
        "for n in n00004 other-n00002; do fathom check --against fleet.json kinds/$n.json; done; " \
        "fathom check --against fleet.json latency.json"
    yield "fleet/against-threads", "fathom fleet threads; fathom fleet threads -o fleet.json >/dev/null; " \
        "for n in n00003 two-n00003; do fathom check -f json --against fleet.json threads/$n.json; done"
    yield "fleet/against-others", "fathom fleet others -o fleet.json >/dev/null; " \
        "for n in small no-name; do fathom check --against fleet.json others/$n.json; done"
    for name in CURVES:
        unit = "cycles" if "a100" in name or "gh200" in name else "ns"
        yield f"levels/{name}", f"fathom import curve --size-unit B --unit {unit} {name} | sed -n '/^findings/,$p'"
    for name in DEVICES:
        yield f"levels/{name}", f"fathom import {name} | sed -n '/^findings/,$p'"
    for name in MATRICES:
        yield f"groups/{name}", f"fathom import core-matrix {name} | sed -n '/^findings/,$p'"
    yield "baseline/faults", "fathom baseline faults/*.json -f text"

    once = "awk '!seen[$0]++'"   # lines that stood before are left out
    seeds = " ".join(map(str, range(VARIED)))
    for name in ("guest", "quick", "gpu-turing", "nodes"):
        for command in ("diff", "check --against"):
            yield f"{command.split()[0]}/varied-{name}", f"for seed in {seeds}; do echo $seed; " \
                f"fathom {command} {name}-fewer.json varied/{name}-$seed.json 2>&1; done | {once}"
        yield f"diff/unlike-{name}", f"for seed in {seeds}; do echo $seed; " \
            f"fathom diff varied/{name}-$((seed * 5 % 12)).json varied/{name}-$seed.json 2>&1; done | {once}"
        yield f"merge/varied-{name}", f"for seed in {seeds}; do echo $seed; fathom merge -f text varied/{name}-$seed.json " \
            f"varied/{name}-$((seed * 7 % 12)).json 2>&1; done | {once}"
        yield f"baseline/varied-{name}", f"for seed in 1 4 7; do fathom baseline varied/{name}-[$seed-9].json -f text 2>&1; done | {once}"
    for name in REPORTED:
        yield f"report/swarm-{name}", f"for seed in {seeds}; do fathom analyse swarm/{name}-$seed.json -o anew.json 2>/dev/null; " \
            f"fathom report anew.json 2>&1; fathom report -f markdown anew.json 2>&1; done | {once}"
        yield f"report/swarm-{name}-points", f"for seed in {seeds}; do fathom analyse swarm/{name}-$seed.json -o anew.json 2>/dev/null; " \
            f"fathom report -v anew.json 2>&1; fathom report -f svg anew.json 2>&1; done | {once}"
    yield "report/matrices", f"for at in squares/*; do echo $at; fathom analyse $at -o anew.json 2>/dev/null; fathom report anew.json; fathom report -v anew.json; " \
        f"fathom report -f markdown anew.json; fathom report -f csv-matrix anew.json; done 2>&1 | {once}"
    yield "findings/hot", "for more in hot/*; do echo $more; fathom analyse $more -o anew.json 2>&1; fathom report -f csv anew.json | grep inclusive; done"
    for name in ("guest", "sample"):
        yield f"diff/{name}-handoff", f"fathom diff {name}-handoff.json {name}-handoff-slower.json"
    for name in ("latency", "guest", "quick"):
        yield f"diff/{name}-first", f"fathom diff {name}.json {name}-first.json"
        yield f"check/{name}-first", f"fathom check --against {name}.json {name}-first.json"
    for name in ("latency", "guest", "latency-01"):
        yield f"merge/{name}-elsewhere", f"fathom merge {name}.json {name}-elsewhere.json -f csv-points | cut -d, -f 1-7,9-14 | {once} | head -n 60"
        yield f"merge/{name}-short", f"fathom merge {name}-short.json {name}.json -f text; fathom merge {name}-partial.json {name}.json -f text | {once}"
    for name in ("nodes-tiers", "latency-one", "guest-one", "geometry-rich"):
        yield f"report/{name}", f"fathom analyse {name}.json -o anew.json 2>/dev/null; fathom report anew.json; fathom report -v anew.json; " \
            "fathom report -f svg anew.json; fathom report -f markdown anew.json"
        yield f"report/{name}.html", f"fathom analyse {name}.json -o anew.json 2>/dev/null; fathom report -f html anew.json"
    yield "report/gpu-busy", "fathom report gpu-turing-busy.json | head -n 12"
    yield "diff/latency-units", "fathom diff latency.json latency-units.json; fathom diff latency-units.json latency-units.json"
    yield "report/cores-huge", "fathom report cores-huge.json"
    yield "report/many-series", "fathom report -f html many-series.json | grep -o '<h[1-4][^>]*>[^<]*\\|[0-9]* more series[^<]*'; fathom report many-series.json | tail -n 40"
    yield "report/named", "mkdir -p a/y b/y x/y x/z y; for to in a/y b/y x/y x/z y .; do cp sample.json $to/run.json; done; cp sample.json old-run.json; " \
        "for files in 'left/sample.json sample.json run.json' 'x/y/run.json x/z/run.json run.json' 'a/y/run.json b/y/run.json y/run.json' 'run.json run.json old-run.json' " \
        "\"$(yes run.json | head -n 30)\"; do fathom report -f html $files | grep -o 'run[.]json\\|[a-z/]*sample.json\\|[a-z0-9]*/[a-z/-]*run[.]json\\|old-run.json\\|\\b[A-Z0-9]* vm' | uniq -c; done"
    for name in ("i9-labelled", "i9-grouped", "i9-pair"):
        for options in (" -v", " -f csv-matrix", " -f svg"):
            yield f"report/{name}{options.replace(' -f ', '.').replace(' ', '')}", f"fathom report{options} {name}.json"
    yield "diff/gpu-busy", "fathom diff gpu-turing.json gpu-turing-busy.json; fathom diff -f json gpu-turing-busy.json gpu-turing.json"
    yield "diff/pointed", "for name in latency guest; do for to in $name $name-pointed; do fathom diff $name-pointed.json $to.json; done; done"
    yield "merge/newest", "for pair in 'gpu-turing latency-slower' 'latency-slower gpu-turing' 'latency latency-short' 'latency-short latency' 'guest guest-short' 'gpu-turing gpu-turing-busy'; do " \
        "set -- $pair; fathom merge $1.json $2.json -f text; done"
    yield "report/advise", "for name in guest modelled i9 quick nodes latency-01 latency-08 tlb geometry parallelism copy contention prefetch gpu-tiny foreign " \
        "latency-forward latency-partial varied/guest-3 varied/nodes-5; do echo $name; fathom advise $name.json; echo status $?; done"
    yield "report/advise.several", "for form in text json header; do fathom advise guest.json copy.json contention.json tlb.json geometry.json -f $form; done; " \
        "fathom advise modelled.json copy.json -f json"
    for name, files, seeds in (("machine", "machine.json", range(120)), ("bare", "machine-bare.json", range(60, 100)), ("jittered", "machine-jittered.json", range(60)),
                               ("each", "machines/*", range(6)), ("several", "latency.json parallelism.json tlb.json prefetch.json loaded.json", range(20, 60)),
                               ("others", "guest.json modelled.json nodes.json quick.json i9.json latency-01.json tlb.json", range(100, 108))):
        files = f"for files in {files}" if name in ("each", "others") else f'for files in "{files}"'
        yield f"predict/{name}", f"{files}; do echo $files; while read loop; do echo $loop; fathom predict $loop $files 2>&1; done <<'END'; done\n" + \
            "\n".join(swarm.loop(seed) for seed in seeds) + "\nEND"
    yield "predict/json", "fathom predict -f json --size 3M machine.json; fathom predict -f json --size 1M --threads 2 i9.json"
    yield "report/nearest", "for name in guest latency quick i9 tlb cores latency-short i9-pair latency-01; do " \
        "fathom nearest $name.json; fathom nearest $name.json guest.json latency-slower.json latency-short.json latency-01.json latency-08.json cores.json i9.json tlb.json; done"
    yield "report/no-tables", "printf '16K 1.67\\n1M 6.83\\n' | fathom import curve --unit ns -o a.json - >a.txt; printf 'Triad: 20000 1 1 1\\n' | " \
        "fathom import stream -o b.json - >b.txt; fathom merge a.json b.json -o c.json 2>c.txt; fathom report c.json"
    yield "report/same-names", "fathom report left/sample.json right/sample.json; fathom report sample.json ./sample.json | head -n 30"
    yield "levels/made-up", f"for file in made-up/*; do echo $file; fathom import curve --size-unit B --unit ns $file 2>&1 | " \
        f"sed -n '/^findings/,/^made/p'; done | {once}"
    for first in range(0, len(PLANTED) + 1, 8):
        yield f"groups/planted-{first:02}", "for file in " + " ".join(f"planted-{at:02}.csv" for at in range(first, min(first + 8, len(PLANTED) + 1))) + \
            "; do echo $file; fathom import core-matrix --ids no --unit ns $file -o planted.json 2>/dev/null; fathom report -f csv planted.json | cut -d, -f 2-6,10,13 | grep cluster; done"
    for at, made in enumerate(MADE_UP):
        yield f"report/made-up-{at:02}", "; ".join(f"fathom report {options} reported-{at:02}.json" for options in made["as"])
        yield f"report/made-up-{at:02}-nudged", f"for file in reported-{at:02}-?.json; do echo $file; {{ " + \
            "; ".join(f"fathom report {options} $file" for options in made["as"]) + f"; }} 2>&1; done | {once}"
    for name, case in MADE["cases"].items():
        together = "; ".join(TOGETHER.get(what, f"for at in *; do fathom report {what} $at; done") for what in case["as"] + ["several"] * ("diff" in case["as"] or "merge" in case["as"]))
        yield f"made/{name}", f"for of in made/{name}/*; do cd $of; {together}; cd ../../..; done"
        yield f"made/{name}-nudged", f"for of in nudged/{name}/*; do echo $of; cd $of; {{ {together}; }} 2>&1; cd ../../..; done | {once}"
    for name, (options, _) in READ.items():
        yield f"import/{name}", f"for file in {name}/*; do echo $file; fathom import {options} -f json $file 2>&1 | grep -v '^.\"schema\\|^\"tool'; done"
        yield f"import/{name}-edges", f"for file in edges/{name}/*; do echo $file; fathom import {options} -f csv-points $file 2>&1 | grep -v '^#'; done | {once}"
    for form, head, line in (("curve", "size_bytes,ns", "&,5.5"), ("likwid-bench", "", "Test: load\\nSize (Byte): &\\nMByte/s: 5"), ("stream", "", "Triad: & 1 1 1"),
                             ("osu", "# OSU MPI Latency Test v5.8\\n# Size  Latency (us)", "& 1.5"), ("sbc-bench", " size:  1xPTR", " &k: 2.0")):
        yield f"import/many-lines-{form}", f"{{ echo '{head}'; seq 200000 | sed 's|.*|{line}|'; }} | fathom import {form} -f {'csv-points' if head else 'csv'} - | tail -n 2"
    for name in SMALL_TABLES:
        yield f"import/{name}", f"for file in {name}/*; do echo $file; tr -d '\\r' <$file; fathom import -f csv-points $file 2>&1 | grep -v '^#\\|^run'; done"
    yield "import/few-rows-levels", "for file in few-rows/*; do echo $file; fathom import curve --size-unit K $file 2>&1 | grep -v '^made\\|^$'; done"
    yield "import/few-cpus-ids", "for file in few-cpus/*; do echo $file; for ids in yes no; do fathom import core-matrix --ids $ids -f csv-points $file 2>&1 | grep -v '^run'; done; done"
    for name in EDITED:
        yield f"import/edited-{name}", f"for file in edited/{name}-*; do fathom import -f csv-points $file 2>&1 | grep -v '^#'; done | {once}"

    yield "help/fathom", "fathom --help"
    for word in COMMANDS + PROBES:
        yield f"help/{word}", f"fathom {word} --help"
        yield f"manual/{word}", f"fathom manual {word}"
    for shell in ("bash", "zsh", "fish"):
        yield f"completion/{shell}", f"fathom completion {shell}"
    yield "list/findings", "fathom list findings"
    yield "list/flags", "fathom list flags"

    for name in documents:
        yield f"report/{name}", f"fathom report {name}.json"
    for name in ("sample", "latency-partial", "cores-holes", "cores", "nodes", "fault", "gpu-turing", "foreign"):
        for form in FORMATS:
            if (name, form) not in LONG:
                yield f"report/{name}.{form}", f"fathom report -f {form} {name}.json"
    for name in ("sample", "cores", "tlb", "fault", "noise", "parallelism", "gpu-tiny"):
        yield f"report/{name}.points", f"fathom report -v {name}.json"
    for name in ("latency-failed", "fault-partial", "fault-holes", "bandwidth-holes", "sample-older", "guest-older"):
        yield f"report/{name}", f"fathom report {name}.json"
    yield "report/guest.markdown", "fathom report -f markdown guest.json"
    yield "report/experiments.openmetrics", "fathom report -f openmetrics experiments.json"
    yield "report/guest.svg", "fathom report -f svg guest.json"
    yield "report/several.svg", "fathom report -f svg --chart latency sample.json sample-slower.json"
    yield "report/triples.svg", "fathom import triples.csv -o triples-svg.json 2>/dev/null; fathom report -f svg triples-svg.json"
    yield "report/published.svg", "fathom report -f svg --chart gpu.2 published.json"
    yield "report/no.svg", "fathom report -f svg --chart nothing guest.json; fathom report -f svg fault.json; " \
        "fathom report --chart latency guest.json"
    yield "report/redacted", "sed 's/\"command\":\\[[^]]*\\]/\"command\":[\"\\/data\\/ann\\/fathom\",\"run\",\"-o\",\"ann.json\",\"--quick\"]/' sample.json > ann.json; " \
        "fathom report --redact -f json ann.json | grep -o '\"hostname\":[^,]*\\|\"command\":[^]]*'; fathom report --redact -f csv ann.json | head -n 2"
    yield "report/several.html", "fathom report -f html sample.json sample-slower.json"

    for name in ("latency", "bandwidth", "coherence", "guest", "sample", "contention", "quick"):
        yield f"diff/{name}", f"fathom diff {name}.json {name}-slower.json"
        yield f"diff/{name}-older", f"fathom diff {name}-older.json {name}.json"
        yield f"check/{name}", f"fathom check --against {name}.json {name}-slower.json"
        yield f"check/{name}-better", f"fathom check --against {name}-slower.json {name}.json"
        yield f"check/{name}.nagios", f"fathom check --against {name}.json -f nagios {name}-slower.json"
    for name in ("latency", "guest", "quick"):
        yield f"diff/{name}-faster", f"fathom diff --threshold 5 {name}.json {name}-faster.json"
        yield f"diff/{name}-other", f"fathom diff {name}.json {name}-other.json"
        yield f"check/{name}-other", f"fathom check --against {name}.json {name}-other.json"
        yield f"check/{name}-tolerant", f"fathom check --tolerance 15 --against {name}.json {name}-slower.json"
    for form in ("csv", "json", "html"):
        yield f"diff/sample.{form}", f"fathom diff -f {form} sample.json sample-slower.json"
    yield "diff/latency.csv", "fathom diff -f csv latency.json latency-faster.json"
    yield "check/latency.json", "fathom check -f json --against latency.json latency-slower.json"
    yield "check/sample.json", "fathom check -f json --against sample-slower.json sample.json"

    yield "merge/sample", "fathom merge sample.json sample-slower.json latency.json bandwidth.json -f text"
    yield "merge/sample.json", "fathom merge sample.json sample-slower.json"
    yield "merge/quick", "fathom merge cores.json wake.json fault.json fault-partial.json -f text"
    yield "baseline/fleet", "fathom baseline fleet/*.json -f text"
    yield "baseline/fleet.json", "fathom baseline fleet/*.json"
    yield "baseline/sample", "fathom baseline sample.json sample-slower.json -f text"

    yield "fleet/fleet", "fathom fleet fleet"
    yield "fleet/all", "fathom fleet fleet sample.json"
    for form in ("json", "html", "openmetrics"):
        yield f"fleet/fleet.{form}", f"fathom fleet -f {form} fleet"

    shown = "2>&1 | grep -Ev '^#|,probe,' | tail -n 3 | sed 's/,,*/,/g'"
    words = " ".join(f"'{word}'" for word in WORDS)
    yield "import/words", f"for word in {words}; do echo \"$word\"; printf \"size,$word\\n4K,1\\n8K,2\\n16K,2\\n\" | fathom import curve -f csv-points - {shown}; done"
    words = " ".join(f"'{word}'" for word in SIZE_WORDS)
    yield "import/size-words", f"for word in {words}; do echo \"$word\"; printf \"$word,ns\\n4,1\\n8,2\\n16,2\\n\" | fathom import curve -f csv-points - {shown}; done"
    yield "import/columns", "for names in size,ns,- size_kb,-,ns size,cycles,ns -,size,ns ns,size,- size,ns x,y,z; do echo $names; " \
        f"fathom import curve --columns $names -f csv-points no-clock.txt {shown}; done"
    for name in ("latency.csv", "three.txt", "no-clock.txt", "remark.txt", "two-sizes.csv"):
        yield f"import/curve-{name}", f"for unit in ns cycles; do fathom import curve --unit $unit {name} 2>&1; done"
    yield "import/unnamed", "for file in words.txt zero.txt latency.csv three.txt remark.txt one-row.txt source.txt bare.txt late.txt stride.txt loads.txt osu-two.txt osu-mixed.txt columns.csv two-sizes.csv units.txt unitless.txt stride-x.txt stride-0.txt sbc-fast.txt; do " \
        f"fathom import -f csv-points $file {shown}; done"
    yield "import/shapes", f"for file in shape-?.csv shape-??.csv; do echo $file; fathom import $file -f csv-points {shown}; " \
        f"for ids in auto yes no; do fathom import core-matrix --ids $ids -f csv-points $file {shown}; done; done"
    edits = ["1d", "$d", "3,$d", "4s/[0-9]/x/", "5s/[0-9][0-9]*/0/g", "3s/$/ 7/", "7s/[,:]//"]
    for name in [*TABLES, "summaries.txt"]:
        if not name.startswith(("i9", "i7", "a100", "lmbench-", "mlc-", "deck")):
            yield f"import/broken-{name}", "for edit in " + " ".join(f"'{edit}'" for edit in edits) + \
                f"; do echo $edit; sed \"$edit\" {name} | fathom import {IMPORTS[name] or ''} -f csv-points - {shown}; done"
    for name in ("kinds", "sizes", "mixed", "alone"):
        yield f"groups/{name}", f"fathom import core-matrix {name}.csv"
    for form in ("text", "csv-matrix", "markdown"):
        yield f"import/triangle.{form}", f"for file in shape-5.csv shape-6.csv shape-7.csv triangle.txt; do fathom import core-matrix -f {form} $file; done"
    for name in ("latency", "guest", "latency-01"):
        for change in ("short", "elsewhere"):
            anew = f"for file in {name} {name}-{change}; do fathom analyse $file.json -o $file-anew.json 2>/dev/null; done; fathom"
            yield f"diff/{name}-{change}", f"{anew} diff {name}-anew.json {name}-{change}-anew.json"
            yield f"check/{name}-{change}", f"{anew} check --against {name}-anew.json {name}-{change}-anew.json"
    yield "report/i9-labelled", "fathom analyse i9-labelled.json -o anew.json 2>/dev/null; fathom report anew.json; fathom report -f csv-matrix anew.json | head -n 12"
    yield "diff/bandwidth-factors", "fathom diff bandwidth-factors.json bandwidth.json; fathom diff bandwidth-factors.json bandwidth-factors.json"
    yield "report/bandwidth-factors", "fathom report bandwidth-factors.json"
    for name in ("i9", "cores", "nodes", "tlb", "latency-08", "quick"):
        yield f"report/{name}-disturbed", f"fathom analyse {name}-disturbed.json -o anew.json 2>/dev/null; fathom report anew.json"
    for name in ("latency", "guest", "bandwidth", "quick"):
        yield f"diff/{name}-unquiet", f"fathom analyse {name}-unquiet.json -o anew.json 2>/dev/null; fathom diff {name}-bare.json anew.json" \
            if name in BARE else f"fathom analyse {name}-unquiet.json -o anew.json 2>/dev/null; fathom diff {name}.json anew.json"

    for form in ("", "curve --size-unit B --unit ns ", "core-matrix "):
        yield f"import/odd{'-' if form else ''}{form.partition(' ')[0]}", \
            f"for name in {' '.join(ODD)}; do echo \"=== $name\"; fathom import {form}$name -f csv-points 2>&1 | cut -c 1-160 | sed 's, *$,,' | head -n 12; done"
    yield "import/long", "(echo size B,ns; seq 1 30000 | sed 's/$/,1.5/') | fathom import -f csv-points - | tail -n 1"
    for name in SMALL:
        yield f"import/{name[:-4]}", f"fathom import {'sbc-bench ' if 'unknown' in name else ''}{name}; fathom import -f csv-points {name} 2>/dev/null"
    for name, form in IMPORTS.items():
        yield f"import/{name}", f"fathom import {form + ' ' if form else ''}{name}"
        if not name.startswith("i9") and (name in TABLES or name in ("comma.csv", "columns.csv", "triples.csv", "ids.csv")):
            yield f"import/{name}.csv", f"fathom import {form + ' ' if form else ''}{name} -f csv-points"
