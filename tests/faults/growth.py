"""Four times the size of a document or a table costs at most 2.3 * 2.3 times the CPU time and the memory.

Each shape makes one part of a document many. Time is the CPU time of one process, the least of several runs, because
neighbours only add to it; what grows too fast is run again before it counts. What costs the square of its number
takes up to 16 times as long at any size; a document that outgrows a cache costs more once, so what grows too fast
counts if it does so at the next size as well.
"""
import copy
import itertools
import json
import os
import random
import subprocess
import sys

from program import SAMPLE, SOURCE

RATIO_MOST = 2.3 ** 2
LEAST_S = 0.005   # what a process costs that does nothing
RUNS_MOST = 8
MEGA = 1_000_000

sample = json.loads(SAMPLE.read_text())
CACHE = sample["machine"]["caches"][0]
matrix = {"name": "hand-off", "factors": {"op": "cas"}, "x": {"name": "cpu", "unit": ""},
          "y": {"name": "latency", "unit": "ns"}, "headline": True}


def document(**parts):
    """The sample with parts of its first probe replaced."""
    made = copy.deepcopy(sample)
    made["probes"][0].update(parts)
    return made


def finding(**parts):
    return {"name": "L1.latency", "value": 4, "unit": "cycles", "low": 3.9, "high": 4.1} | parts


def point(**parts):
    return {"median": 4.5, "low": 4.4, "high": 4.6, "n": 9} | parts


def series(**parts):
    return {key: value for key, value in sample["probes"][0]["series"][0].items() if key != "points"} | parts


def one_point(**parts):
    return series(points=[point(x=1024)], **parts)


def curve(count):
    return series(points=[point(x=1024 + 64 * i) for i in range(count)])


def kinds(count):
    return sample["machine"]["cpu"] | {"kinds": [{"name": f"k{i}", "cpus": str(i)} for i in range(count)]}


def probes(count):
    made = document()
    made["probes"] = [dict(made["probes"][0], name=f"latency{i or ''}", series=[], findings=[finding()])
                      for i in range(count)]
    return made


def machine(**parts):
    made = document()
    made["machine"].update(parts)
    return made


def wide(findings, **parts):
    made = machine(**parts)
    made["probes"][0]["findings"] = findings
    return made


def conditions(**parts):
    made = document()
    made["conditions"].update(parts)
    return made


def run(**parts):
    made = document()
    made["run"].update(parts)
    return made


def deep(levels):
    """As deep as the reader allows, many times."""
    inner = 1
    for _ in range(40):
        inner = [inner]
    return [inner] * levels


def of_probe(name, count):
    """So many of what the document of a probe's run holds, each of another stride."""
    made = json.loads((SOURCE / f"tests/golden/documents/{name}.json").read_text())
    probe = next(probe for probe in made["probes"] if probe["name"] == name)
    for key in ("findings", "series"):
        known = itertools.islice(itertools.cycle(probe[key]), count)
        probe[key] = [one | {"factors": one.get("factors", {}) | {"stride": i}} for i, one in enumerate(known)]
    return made


def square(count):
    side = int(count ** 0.5) + 1
    return [point(**{"from": a, "to": b}) for a in range(side) for b in range(side) if a != b]


SHAPES = {
    "findings": lambda n: document(findings=[finding(name=f"L1.latency.{i}") for i in range(n)]),
    "findings of one name": lambda n: document(findings=[finding(factors={"kernel": f"k{i}"}) for i in range(n)]),
    "findings of a number": lambda n: document(findings=[finding(factors={"stride": i}) for i in range(n)]),
    "equal findings": lambda n: document(findings=[finding()] * n),
    "lists of CPUs": lambda n: document(findings=[finding(name=f"c.{i}", cpus="0-1048575:3") for i in range(n)]),
    "one list of CPUs": lambda n: document(findings=[finding(cpus=",".join(str(2 * i) for i in range(n)))]),
    "a finding's factors": lambda n: document(findings=[finding(factors={f"f{i}": f"v{i}" for i in range(n)})]),
    "a series' factors": lambda n: document(series=[one_point(factors={f"f{i}": i for i in range(n)})]),
    "series": lambda n: document(series=[one_point(name=f"s{i}") for i in range(n)]),
    "series of one name": lambda n: document(series=[one_point(factors={"stride": i}) for i in range(n)]),
    "points": lambda n: document(series=[curve(n)]),
    "points at one place": lambda n: document(series=[series(points=[point(x=1024)] * n)]),
    "a matrix": lambda n: document(series=[matrix | {"points": square(n)}]),
    "a row of a matrix": lambda n: document(
        series=[matrix | {"points": [point(**{"from": 0, "to": 1 + i}) for i in range(n)]}]),
    "probes": probes,
    "parameters": lambda n: document(parameters={f"p{i}": f"v{i}" for i in range(n)}),
    "unknown keys": lambda n: document(**{f"key{i}": i for i in range(n)}),
    "a long text": lambda n: document(findings=[finding(text="\u0001 a <b> " * n)]),
    "a long name": lambda n: document(findings=[finding(name="a." * n)]),
    "texts": lambda n: document(findings=[finding(name=f"a.{i}", text=f"the {i} <of> these") for i in range(n)]),
    "caches": lambda n: machine(caches=[sample["machine"]["caches"][0] | {"shared_cpus": str(i)} for i in range(n)]),
    "nodes": lambda n: machine(numa=[{"id": i, "cpus": str(i), "memory_bytes": 1 << 30} for i in range(n)]),
    "kinds of CPUs": lambda n: machine(cpu=kinds(n)),
    "findings and caches": lambda n: wide(findings=[finding(name=f"L{i % 3 + 1}.{i}") for i in range(n)],
                                          caches=[CACHE | {"shared_cpus": str(i)} for i in range(n)]),
    "findings and kinds": lambda n: wide(findings=[finding(name=f"L1.{i}") for i in range(n)],
                                         cpu=kinds(n)),
    "findings and series": lambda n: document(findings=[finding(name=f"L1.{i}") for i in range(n)],
                                              series=[one_point(name=f"s{i}") for i in range(n)]),
    "findings and points": lambda n: document(
        findings=[finding(name=f"L1.{i}", factors={"stride": i}) for i in range(n)], series=[curve(n)]),
    "levels": lambda n: document(findings=[finding(name=f"L{i}.latency") for i in range(n)]),
    "levels' bounds": lambda n: document(
        findings=[finding(name=f"L{i}.capacity", unit="B", value=1024 * i + 1024) for i in range(n)], series=[curve(n)]),
    "devices": lambda n: document(findings=[finding(name=f"gpu{i}.L2.latency", unit="ns") for i in range(n)]),
    "flags": lambda n: document(findings=[finding(flags=["few-trials"] * n)]),
    "remarks": lambda n: conditions(remarks=[{"what": f"r{i}", "remedy": "none"} for i in range(n)]),
    "words of a command": lambda n: run(command=[f"w{i}" for i in range(n)]),
    "deep nesting": lambda n: document(deep=deep(n)),
    "page sizes": lambda n: machine(page_sizes=[4096 + i for i in range(n)]),
}
# What the probes and commands of which a document is large by itself measure.
MEASURED = {f"what {name} measures": lambda n, name=name: of_probe(name, n)
            for name in ("need", "tail", "front", "fence", "coherence")}
SHAPES |= MEASURED


def core_matrix(cpus):
    """Rows that differ by more than noise and form no group, in which every row is looked at beside every other."""
    draw = random.Random(cpus)
    return "".join(",".join(f"{(20 + abs(a - b) % 97) * draw.gauss(1, 0.02):.2f}" for b in range(cpus)) + "\n"
                   for a in range(cpus))


def half_measured(cpus):
    """The same without the latencies of every other pair, in both directions: all of those are estimated."""
    rows = [line.split(",") for line in core_matrix(cpus).splitlines()]
    return "".join(",".join("" if (a ^ b).bit_count() % 2 else cell for b, cell in enumerate(row)) + "\n"
                   for a, row in enumerate(rows))


# Other tools' tables, by their number of CPUs: twice the CPUs are four times the cells.
TABLES = {"an imported matrix": core_matrix, "half of an imported matrix": half_measured}
FORMATS = ("text", "markdown", "csv", "csv-points", "csv-matrix", "json", "html", "openmetrics", "hwloc", "svg")
COMMANDS = (
    *(f"report -f {name} A" for name in FORMATS), "report -f html A SAMPLE", "report -v A", "report --redact A",
    *(f"diff -f {name} A SAMPLE" for name in ("text", "csv", "json", "html")), "diff SAMPLE A", "diff A A",
    "check A --against SAMPLE", "check SAMPLE --against A", "check A --against A", "merge A SAMPLE", "merge A A",
    "baseline A SAMPLE", "baseline A A", "baseline --add A SAMPLE -o -", "analyse A",
    "predict A --size 3M --chains 4", "predict A SAMPLE --size 3M", "predict SAMPLE A --pattern stride --stride 256 --size 64M",
    "advise A SAMPLE", "advise A -f json", "advise A -f header",
    "nearest SAMPLE A", "nearest A", "advise A", *(f"fleet -f {name} N0 N1 N2 N3 N4" for name in ("text", "json", "html")), "import A",
)
# Each on larger documents too, with its memory.
MAIN = ("diff A A", "report -f html A", "fleet -f html N0 N1 N2 N3 N4", "merge A A", "check A --against A")
SAMPLES = {"findings of a number": MAIN[2], "a long name": "report --redact A", "what need measures": "import A",
           "caches": MAIN[0], "a finding's factors": MAIN[4], "lists of CPUs": MAIN[3], "findings": "nearest A",
           "series": MAIN[1], "points": MAIN[0], "a matrix": MAIN[1]}
NODES = 5

# Prints the CPU time and the memory of a command. A process of its own, because what it has in memory counts for what
# it starts.
MEASURE = """
import os, resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def text_of(shape, size):
    """A document of about so many bytes."""
    count, least = 64, len(json.dumps(SHAPES[shape](1)))
    for _ in range(4):
        text = json.dumps(SHAPES[shape](count))
        count = max(1, int(count * size / max(1, len(text) - least)))
    return text


def write(folder, shape, size):
    """Files by their words in a command."""
    text = text_of(shape, size)
    files = {"A": folder / f"a{size}", "SAMPLE": SAMPLE}
    files["A"].write_text(text)
    for node in range(NODES):
        files[f"N{node}"] = folder / f"n{node}-{size}"
        files[f"N{node}"].write_text(text.replace('"hostname": "vm"', f'"hostname": "n{node}"'))
    return files


def cost(program, command, files, of_memory):
    """(status, CPU time in s, memory in kB or 0). Python's own beginning is a third of what the small documents take, so
    only memory is measured by a process of its own."""
    program.runs += 1
    arguments = [program.path, *(str(files.get(word, word)) for word in command.split())]
    if of_memory:
        done = subprocess.run([sys.executable, "-c", MEASURE, *arguments], env=program.environment,
                              stdout=subprocess.PIPE, text=True, check=True)
        status, seconds, memory = done.stdout.split()
        return int(status), float(seconds), int(memory)
    process = subprocess.Popen(arguments, env=program.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, ended, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(ended)   # it is waited for
    return process.returncode, used.ru_utime + used.ru_stime, 0


def compare(program, command, small, large, of_memory):
    """A complaint where the command's cost grows too fast."""
    least = [None, None]
    for _ in range(RUNS_MOST):
        for which, files in enumerate((small, large)):
            status, *now = cost(program, command, files, of_memory)
            if status < 0 or status > 4:
                return [f"{command}: status {status}"]
            least[which] = [min(pair) for pair in zip(now, least[which] or now)]
        ratios = [large_cost / max(small_cost, floor)
                  for small_cost, large_cost, floor in zip(*least, (LEAST_S, 1))]
        if max(ratios[:1 + of_memory]) <= RATIO_MOST:
            return []
    return [f"{command}: {least[0]} to {least[1]} (s, kB)"]


def grow(program, shape, commands, size, of_memory=False):
    folder, found = program.folder(), []
    small, large = (write(folder, shape, bytes_) for bytes_ in (size, 4 * size))
    for command in commands:
        if complaint := compare(program, command, small, large, of_memory):
            larger = write(folder, shape, 16 * size)
            found += compare(program, command, large, larger, of_memory) and complaint
    return [f"{shape}, {size} B and four times that: {complaint}" for complaint in found]


def tables(program, cpus):
    folder, found = program.folder(), []
    for name, make in TABLES.items():
        both = []
        for count in (cpus, 2 * cpus):
            both.append({"TABLE": folder / f"{count}.csv"})
            both[-1]["TABLE"].write_text(make(count))
        found += [f"{name}, {cpus} CPUs and twice that: {complaint}"
                  for complaint in compare(program, "import TABLE", *both, False)]
    return found


def documents(program):
    if not program.everything:
        return [complaint for shape, command in SAMPLES.items()
                for complaint in grow(program, shape, [command], MEGA // 4)]
    return [complaint for shape in SHAPES
            for complaint in (*grow(program, shape, COMMANDS, MEGA if shape in MEASURED else MEGA // 4),
                              *grow(program, shape, MAIN, MEGA, True))]


def tests():
    """(name, function of the program that returns complaints) of every test."""
    return [("documents that grow", documents),
            ("tables that grow", lambda program: tables(program, 512 if program.everything else 256))]
