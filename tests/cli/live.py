"""Measured runs and signals: what they print differs each time, so its structure is checked."""
import csv
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import time

from place import SOURCE, Skip
from transcripts import run_on_terminal

TINY = "--sizes 4K,8K --budget 1"
TRUSTED, DOUBTFUL = 0, 4


def check(*claims):
    """The complaints among (claim holds, complaint)."""
    return [complaint for holds, complaint in claims if not holds]


def against_schema(document):
    """What the JSON Schema says against a document; nothing where it can't be asked."""
    try:
        import jsonschema
    except ImportError:
        return []
    schema = json.loads((SOURCE / "docs" / "fathom-1.schema.json").read_text())
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"schema: {error.json_path}: {error.message}"[:300] for error in errors]


def measured(document):
    """Complaints about any document that was measured."""
    complaints = against_schema(document)
    for probe in document["probes"]:
        for series in probe.get("series", []):
            for point in series["points"]:
                ordered = [point[key] for key in ("min", "p25", "median", "p75", "max")]
                complaints += check(
                    (ordered == sorted(ordered), f"{probe['name']}: quartiles are out of order"),
                    (all(map(math.isfinite, ordered)) and ordered[0] > 0,
                     f"{probe['name']}: {ordered} are no latencies"))
    return complaints


def probe_alone(here, command, name):
    """(status, the probe's part of the document, complaints) of a probe's `-o -`."""
    status, out, err = here.run(command, here.folder())
    if status not in (TRUSTED, DOUBTFUL):
        return status, None, [f"status {status}: {err.strip()}"]
    document = json.loads(out)
    return status, document["probes"][0], measured(document) + check(
        ([probe["name"] for probe in document["probes"]] == [name], f"not {name} alone"),
        (document["run"]["complete"] is True, "not complete"),
        (not err, f"standard error: {err}"))


# --- latency ---

def latency_document(here):
    _, probe, complaints = probe_alone(here, f"fathom latency {TINY} -o -", "latency")
    if not probe:
        return complaints
    points = probe["series"][0]["points"]
    return complaints + check(([point["x"] for point in points] == [4096, 8192], f"{points}"))


def latency_sweep(here):
    """Sizes asked for by their range lie in it, ascending, and end where they were asked to."""
    _, probe, complaints = probe_alone(
        here, "fathom latency --from 4K --to 20K --per-octave 2 --budget 2 -o -", "latency")
    if not probe:
        return complaints
    sizes = [point["x"] for point in probe["series"][0]["points"]]
    return complaints + check(
        (sizes == sorted(set(sizes)) and sizes[0] == 4096 and sizes[-1] == 20480, f"{sizes}"),
        (len(sizes) == 6, f"{len(sizes)} sizes"))


def latency_orders(here):
    complaints = []
    for order in ("random", "forward", "backward", "random-in-block:1K"):
        _, probe, found = probe_alone(
            here, f"fathom latency {TINY} --order {order} --pages small --cpu $CPU -o -", "latency")
        complaints += found
        if probe:
            factors = probe["series"][0]["factors"]
            complaints += check((factors["order"] == order, f"{factors}"),
                                (probe["parameters"]["cpu"] == here.cpus[0], f"{probe['parameters']}"))
    return complaints


def latency_text(here):
    status, out, err = here.run(f"fathom latency {TINY}", here.folder())
    return check(
        (status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
        (not err, f"standard error: {err}"),
        (re.search(r"^ +4 KiB +\d", out, re.M) and re.search(r"^ +8 KiB +\d", out, re.M), out),
        ("\33" not in out, "escape sequences without a terminal"))


def latency_csv(here):
    status, out, err = here.run(f"fathom latency {TINY} --format csv", here.folder())
    rows = list(csv.DictReader(io.StringIO(out)))
    return check(
        (status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
        ([float(row["x"]) for row in rows] == [4096, 8192], out),
        (all(float(row["low"]) <= float(row["median"]) <= float(row["high"]) for row in rows), out))


def latency_file(here):
    folder = here.folder()
    status, out, err = here.run(f"fathom latency {TINY} -o out.json", folder)
    names = os.listdir(folder)
    if names != ["out.json"]:
        return [f"status {status}, files {names}: {err}"]
    again = here.run("fathom report out.json", folder)
    return measured(json.loads((folder / "out.json").read_text())) + check(
        (status in (TRUSTED, DOUBTFUL), f"status {status}"),
        ("8 KiB" in out, "the table is printed too"),
        ("fathom report out.json" in out, f"how to show it again: {out}"),
        (again[0] == 0 and "8 KiB" in again[1], f"{again}"))


def same_seed(here):
    """A seed that a document holds repeats a run: it is stored whole."""
    seed = 9007199254740991
    status, out, err = here.run(f"fathom latency {TINY} --seed {seed} -o -", here.folder())
    if status not in (TRUSTED, DOUBTFUL):
        return [f"status {status}: {err}"]
    document = json.loads(out)
    return check((document["run"]["seed"] == str(seed), f"{document['run']['seed']}"))


def schema(here):
    """All other documents here are held against it too, where that can be done."""
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        raise Skip("python3-jsonschema is not installed") from None
    _, probe, complaints = probe_alone(here, f"fathom latency {TINY} -o -", "latency")
    broken = json.loads((SOURCE / "tests" / "cli" / "sample.json").read_text())
    complaints += against_schema(broken)
    del broken["run"]
    return complaints + check((against_schema(broken), "a document without a run passes"))


# --- cores ---

def one_cpu(here):
    """Skipped with a reason, status 3."""
    status, out, err = here.run("taskset -c $CPU fathom cores -o -", here.folder())
    probe = json.loads(out)["probes"][0] if out else {}
    table = here.run("taskset -c $CPU fathom cores", here.folder())
    return check(
        (status == 3 and table[0] == 3, f"status {status} and {table[0]}: {err}"),
        (probe.get("status") == "skipped" and "needs two CPUs" in probe.get("reason", ""),
         f"{probe}"),
        ("needs two CPUs" in table[1], table[1]))


def as_the_source_tool(here):
    here.need_two_cpus()
    command = ("fathom cores --cpus $CPU,$OTHER_CPU --lines 1 --samples 500 --iterations 4000 "
               "--budget 10 -o -")
    _, probe, complaints = probe_alone(here, command, "cores")
    if not probe:
        return complaints
    pairs = [(point["from"], point["to"]) for point in probe["series"][0]["points"]]
    first, last = here.cpus[0], here.cpus[-1]
    parameters = probe["parameters"]
    return complaints + check(
        (sorted(pairs) == [(first, last), (last, first)], f"{pairs}"),
        ([parameters[key] for key in ("lines", "samples", "iterations")] == [1, 500, 4000],
         f"{parameters}"),
        (all(point["n"] == 1 for point in probe["series"][0]["points"]), "one line is one trial"))


def cores_text(here):
    here.need_two_cpus()
    complaints = []
    pair = f"{here.cpus[0]},{here.cpus[-1]}"
    for operation in ("cas", "readwrite"):
        status, out, err = here.run(
            f"fathom cores --cpus {pair} --op {operation} --lines 8 --budget 5", here.folder())
        closing = re.search(r"^Min [\d.]+ \((\d+,\d+)\)  Max [\d.]+ \(\d+,\d+\)  Mean [\d.]+ ns$",
                            out, re.M)
        complaints += check(
            (status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
            (closing and sorted(closing[1].split(",")) == sorted(pair.split(",")), out))
    return complaints


def cores_csv(here):
    here.need_two_cpus()
    status, out, err = here.run(
        "fathom cores --cpus $CPU,$OTHER_CPU --lines 8 --budget 5 --format csv", here.folder())
    ids = {(row["from"], row["to"]) for row in csv.DictReader(io.StringIO(out))}
    first, last = str(here.cpus[0]), str(here.cpus[-1])
    return check((status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
                 (ids == {(first, last), (last, first)}, out))


# --- run ---

def run_all(here):
    folder = here.folder()
    began = time.monotonic()
    status, out, err = here.run("fathom run --quick --budget 3 -o run.json", folder)
    took = time.monotonic() - began
    names = os.listdir(folder)
    if names != ["run.json"]:
        return [f"status {status}, files {names}: {err}"]
    document = json.loads((folder / "run.json").read_text())
    statuses = {probe["name"]: probe["status"] for probe in document["probes"]}
    cores = ("ok", "partial") if len(here.cpus) > 1 else ("skipped",)
    return measured(document) + check(
        (status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
        (took < 6, f"{took:.1f} s for a budget of 3 s"),
        (document["run"]["complete"] is True, "not complete"),
        (statuses.get("latency") in ("ok", "partial"), f"{statuses}"),
        (statuses.get("cores") in cores, f"{statuses}"),
        (out.startswith("fathom ") and "to know" in out, out),
        (max(map(len, out.splitlines())) <= 80, "a line is longer than 80 columns"),
        (not err and "run.json" in out, err))


def run_names_its_document(here):
    folder = here.folder()
    status, out, err = here.run("fathom run --quick --budget 4 latency", folder)
    names = os.listdir(folder)
    return check((status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
                 (len(names) == 1 and re.fullmatch(r"fathom-.*-\d{8}T\d{6}\.json", names[0]),
                  f"{names}"),
                 (names and names[0] in out, out))


def lost_folder(here):
    """What can't be saved any more is still shown."""
    folder = here.folder()
    (folder / "sub").mkdir()
    process = here.start(["fathom", "latency", "--sizes", "4K", "--thorough", "--precision", "0.01",
                          "--budget", "1", "-o", "sub/out.json"], folder)
    begun = time.monotonic()
    while not (folder / "sub" / "out.json").exists() and time.monotonic() - begun < 5:
        time.sleep(0.001)
    shutil.rmtree(folder / "sub")
    out, err = (text.decode() for text in process.communicate(timeout=20))
    return check((process.returncode == 2, f"status {process.returncode}"),
                 ("4 KiB" in out, out),
                 (err.count("\n") == 1 and "sub/out.json" in err, err))


# --- terminals ---

def plain_terminals(here):
    """A terminal whose owner wants no colours gets what a pipe gets."""
    plain = here.run('fathom report "$TESTS/cli/sample.json"', here.folder())[1]
    complaints = []
    for wish in ("NO_COLOR=1 TERM=xterm", "TERM=dumb", "-u TERM"):
        status, out, _ = run_on_terminal(
            here, f'env {wish} fathom report "$TESTS/cli/sample.json"', here.folder(), 80)
        complaints += check((status == 0 and out == plain and out, f"{wish}: {out}"))
    return complaints


def odd_terminals(here):
    """No width makes a report fail, and where UTF-8 is not spoken there are no blocks."""
    complaints = []
    for columns in (0, 1, 20, 40, 41, 79, 300, 65535):
        status, out, err = run_on_terminal(
            here, 'TERM=xterm fathom report "$TESTS/cli/sample.json"', here.folder(), columns)
        complaints += check((status == 0 and "\33[" in out, f"{columns} columns: {err}"))
    status, out, _ = run_on_terminal(
        here, 'TERM=xterm LC_ALL=C fathom report "$TESTS/cli/sample.json"', here.folder(), 80)
    return complaints + check((status == 0 and out.isascii() and "\33[" in out, f"in C: {out}"))


def progress(here):
    """Standard error shows it on a terminal, and clears it."""
    status, shown, _ = run_on_terminal(
        here, "fathom latency --sizes 4K --thorough --precision 0.01 --budget 1 2>&1 >/dev/null",
        here.folder(), 80)
    return check((status in (TRUSTED, DOUBTFUL), f"status {status}"),
                 ("% " in shown and " left" in shown, f"{shown!r}"),
                 (shown.endswith("\r\33[K"), f"{shown!r}"))


# --- signals ---

def big_set(here):
    """As large a working set as leaves the machine in peace."""
    free = re.search(r"up to ([\d.]+) ([MG])iB of memory", here.run("fathom doctor", here.folder())[1])
    mib = float(free[1]) * (1024 if free[2] == "G" else 1) if free else 0
    if mib < 128:
        raise Skip("needs 256 MiB of free memory")
    return f"{int(min(1024, mib // 2))}M"


def interrupted(here, command, number, delay_s):
    """Complaints about one run that gets a signal so long after its document appeared."""
    folder = here.folder()
    process = here.start(["fathom", *command.split(), "-o", "out.json"], folder)
    begun = time.monotonic()
    while not (folder / "out.json").exists() and process.poll() is None:
        if time.monotonic() - begun > 5:
            break
        time.sleep(0.001)
    time.sleep(delay_s)
    sent = time.monotonic()
    process.send_signal(number)
    try:
        _, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return ["does not end"]
    took = time.monotonic() - sent
    names = os.listdir(folder)
    if names != ["out.json"]:
        return [f"files {names}, status {process.returncode}: {err}"]
    document = json.loads((folder / "out.json").read_text())
    report = here.run("fathom report out.json", folder)
    return measured(document) + check(
        (process.returncode == 128 + number, f"status {process.returncode}"),
        (took < 1, f"{took:.2f} s until it ended"),
        (document["run"]["complete"] is False, "the document says that it is complete"),
        (err.count(b"\n") == 1 and b"interrupted" in err and b"out.json" in err, f"{err}"),
        (report[0] == 0 and "not complete" in report[1], f"{report}"))


def signals(here, command, number, delays_s):
    if "BIG" in command:
        command = command.replace("BIG", big_set(here))
    if command.startswith("cores"):
        here.need_two_cpus()
    complaints = []
    for delay_s in delays_s:
        found = interrupted(here, command, number, delay_s)
        complaints += [f"after {delay_s} s: {complaint}" for complaint in found]
    return complaints


def at_any_moment(here):
    """However early: it ends by the signal, and no half of a file is left."""
    complaints = []
    for step in range(8):
        folder = here.folder()
        process = here.start(["fathom", "run", "-o", "out.json"], folder)
        time.sleep(step * 0.002)
        process.terminate()
        process.communicate(timeout=20)
        names = os.listdir(folder)
        complaints += check(
            (process.returncode in (-signal.SIGTERM, 143), f"status {process.returncode}"),
            (names in ([], ["out.json"]), f"files {names}"))
        if names == ["out.json"]:
            complaints += measured(json.loads((folder / "out.json").read_text()))
    return complaints


SIGNALS = [
    ("run --budget 20", signal.SIGINT, (0, 0.15, 0.6)),
    ("run --budget 20", signal.SIGTERM, (0, 0.3)),
    ("latency --sizes 4K,32K --thorough --precision 0.01", signal.SIGINT, (0.2,)),
    ("latency --sizes BIG --pages small --thorough", signal.SIGINT, (0.03, 0.25, 0.7, 1.2)),
    ("latency --sizes BIG --thorough", signal.SIGTERM, (0.05, 0.4)),
    ("cores --lines 4096 --samples 2000 --budget 100", signal.SIGINT, (0, 0.3)),
    ("cores --lines 4096 --samples 100000 --iterations 10000000", signal.SIGTERM, (0.3,)),
]


def tests():
    """(name, function of the surroundings that returns complaints) of every test."""
    found = [
        ("latency -o - is a document", latency_document),
        ("latency --from --to --per-octave", latency_sweep),
        ("latency --order", latency_orders),
        ("latency prints a table", latency_text),
        ("latency --format csv", latency_csv),
        ("latency -o FILE", latency_file),
        ("a seed is kept whole", same_seed),
        ("documents keep docs/fathom-1.schema.json", schema),
        ("cores on one CPU is skipped with a reason", one_cpu),
        ("cores as the source tool measures", as_the_source_tool),
        ("cores prints its matrix and its closing line", cores_text),
        ("cores --format csv", cores_csv),
        ("run --quick -o FILE", run_all),
        ("run names its document", run_names_its_document),
        ("a folder that is lost while measuring", lost_folder),
        ("plain terminals", plain_terminals),
        ("odd terminals", odd_terminals),
        ("progress on a terminal", progress),
        ("SIGTERM at any moment of the start", at_any_moment),
    ]
    for command, number, delays_s in SIGNALS:
        found.append((f"{number.name} during {command}",
                      lambda here, *_, a=(command, number, delays_s): signals(here, *a)))
    return found
