"""Machines as people published them, and how a document of them becomes a short one for the gallery. gallery/make and
benchmarks/nearest.py use this; designs.txt has what is documented of the machines."""
import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
RAMLAT = re.compile(r"Executing ramlat on cpu\d+(?: \(([^)]*)\))?, results in ns:\s+size:(.*)\n((?:\s*\d+k:.*\n)+)")
MODEL = re.compile(r"(?m)^\s*Model name:\s*(.+)$")
KEPT = {"x", "from", "to", "median", "low", "high", "coverage", "n", "flags", "failed"}


def designs():
    lines = (HERE / "designs.txt").read_text(encoding="utf-8").splitlines()
    fields = [line.split("|") for line in lines if line and line[0] != "#"]
    return [(design, join, [words[1:]] if words[0] == "=" else words.split(",")) for design, join, words in fields]


def matrices(folders):
    """(name, design, how the CPUs are joined, words of fathom import, text)"""
    known = [line for line in designs() if line[1]]
    for path in sorted(path for folder in folders for path in Path(folder).glob("*.csv")):
        design, join, _ = next(line for line in known if any(word in path.stem for word in line[2]))
        yield path.stem, design, join, ["core-matrix", "--ids", "no"], path.read_text(encoding="utf-8-sig")


def curves(folders):
    """The same of curves, whose core's design stands for both: one pointer chase."""
    known = {name: design for design, join, names in designs() if not join for name in names}
    for path in sorted(path for folder in folders for path in Path(folder).glob("*.txt")):
        text, seen = path.read_text(encoding="utf-8", errors="replace"), set()
        model = MODEL.search(text)
        for core, columns, rows in RAMLAT.findall(text):
            name = model[1].strip() if model and (not core or core.startswith("rv64")) else core
            name = f"{model[1].strip()}, {name}" if model and name in ("Performance", "Efficiency") else name
            if not name or name in seen or name == "-" or name.startswith(("rv64", "Virtualized")):
                continue
            seen.add(name)
            at = columns.split().index("1xPTR") + 1
            points = [row.split() for row in rows.splitlines()]
            short = "".join(f"{row[0][:-2]}K {row[at]}\n" for row in points if len(row) > at)
            design = known.get(name, name)
            yield f"{path.stem} {name}", design, design, ["curve", "--unit", "ns"], short


def reach(matrix):
    """The hand-off to the nearest CPU, to the 2nd, 4th and so on, as src/compare/nearest.c has it of a matrix: of all pairs in
    order, as many are for each step as there are CPUs."""
    times = sorted(point["median"] for point in matrix["points"] if point.get("n"))
    partners = max(Counter(point["from"] for point in matrix["points"]).values())
    steps = [1 << k for k in range(partners.bit_length())]
    points = [{"x": step, "median": times[len(times) * (2 * step - 1) // (2 * partners)], "n": 1} for step in steps]
    return {"name": "reach", "headline": True, "x": {"name": "nearest CPUs", "unit": "CPUs"}, "y": matrix["y"], "points": points}


def shortened(document):
    for probe in document["probes"]:
        matrices = [one for one in probe.get("series", []) if probe["name"] == "cores" and "from" in one["points"][0]]
        if matrices:
            probe["series"] = [reach(max(matrices, key=lambda one: one.get("headline", False)))]
        series = [one for one in probe.get("series", []) if one.get("headline") and not one.get("matrix")]
        for one in series:
            one["points"] = [{key: value for key, value in point.items() if key in KEPT} for point in one["points"]]
        probe["series"] = series
        for finding in probe.get("findings", []):
            if finding["name"] == "levels.gaps" or finding["name"] == "levels.translation":
                finding.pop("text", None)
    return document
