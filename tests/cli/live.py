"""Measured runs: what they print differs each time, so its structure is checked."""
import csv
import io
import json
import math
import os
import re
import shutil
from pathlib import Path

import kept
import signals
from measured import (DOUBTFUL, IMPOSSIBLE, TRUSTED, against_schema, check, measured, planned,
                      probe_alone, says_no_time, status_fits, with_time)
from place import SOURCE, Skip
from transcripts import run_on_terminal

# Without pauses between trials, so that the run takes milliseconds.
TINY = "--sizes 4K,8K --quick"
TINY_SIZES = [4096, 8192]


# --- latency ---

def latency_document(here):
    probe, complaints = probe_alone(here, f"fathom latency {TINY}", "latency")
    if not probe:
        return complaints
    points = probe["series"][0]["points"]
    return complaints + planned(probe, [point["x"] for point in points], TINY_SIZES)


def latency_sweep(here):
    """Sizes asked for by a range lie in it, ascend, and end at its end."""
    probe, complaints = probe_alone(
        here, "fathom latency --from 4K --to 20K --per-octave 2", "latency")
    if not probe:
        return complaints
    sizes = [point["x"] for point in probe["series"][0]["points"]]
    # Two an octave are half an octave apart, rounded to whole lines.
    wanted = [4096, 5760, 8192, 11584, 16384, 20480]
    # Where a neighbour takes a part of the cache, a knee shows and sizes are added around it.
    strange = [size for size in sizes
               if size not in wanted and (size % 64 or not wanted[0] < size < wanted[-1])]
    missing = [size for size in wanted if size not in sizes]
    return complaints + check(
        (sizes == sorted(set(sizes)), f"{sizes}"),
        (not strange, f"{strange} were not asked for"),
        (not missing or says_no_time(probe.get("reason", "")), f"{missing} are missing"))


def latency_orders(here):
    complaints = []
    for order in ("random", "forward", "backward", "random-in-block:1K"):
        probe, found = probe_alone(
            here, f"fathom latency {TINY} --order {order} --pages small --cpu $CPU", "latency")
        complaints += found
        if probe:
            factors = probe["series"][0]["factors"]
            complaints += check((factors["order"] == order, f"{factors}"),
                                (probe["parameters"]["cpu"] == here.cpus[0], f"{probe['parameters']}"))
    return complaints


def latency_text(here):
    result = with_time(here, f"fathom latency {TINY}")
    rows = re.findall(r"^ +(\d) KiB +~?\d", result.out, re.M)
    partial = says_no_time(result.out)
    return check(
        (result.status in ((IMPOSSIBLE, DOUBTFUL) if partial else (TRUSTED, DOUBTFUL)),
         f"status {result.status}: {result.err}"),
        (not result.err, f"standard error: {result.err}"),
        (rows == ["4", "8"] or (partial and rows in ([], ["4"], ["8"])), result.out),
        ("\33" not in result.out, "escape sequences without a terminal"))


def latency_csv(here):
    def rows_of(result):
        return list(csv.DictReader(io.StringIO(result.out)))

    def lacks(result):
        return sum(bool(row["median"]) for row in rows_of(result)) < len(TINY_SIZES)

    result = with_time(here, f"fathom latency {TINY} --format csv-points", lacks)
    rows = rows_of(result)
    sizes = [float(row["x"]) for row in rows]
    partial = lacks(result)
    return check(
        (result.status in ((IMPOSSIBLE, DOUBTFUL) if partial else (TRUSTED, DOUBTFUL)),
         f"status {result.status}: {result.err}"),
        (sizes == TINY_SIZES or (partial and sizes in ([], TINY_SIZES[:1], TINY_SIZES[1:])),
         result.out),
        (all(says_no_time(row["failed"]) if row["failed"]
             else float(row["low"]) <= float(row["median"]) <= float(row["high"])
             for row in rows), result.out))


def latency_file(here):
    status, out, err, folder = with_time(here, f"fathom latency {TINY} -o out.json")
    names = os.listdir(folder)
    if names != ["out.json"]:
        return [f"status {status}, files {names}: {err}"]
    document = json.loads((folder / "out.json").read_text())
    again = here.run("fathom report out.json", folder)
    seen = "8 KiB" if not says_no_time(out) else "have no value"
    return measured(document) + check(
        (status_fits(status, document), f"status {status}"),
        (seen in out, "the table is printed too"),
        ("fathom report -v out.json" in out, f"how to show it again: {out}"),
        (again[0] == 0 and seen in again[1], f"{again}"))


def latency_format_file(here):
    """-f X -o FILE writes X to FILE; the document is kept only where --document says."""
    csv_head, complaints = "probe,finding,", []
    for options, files in (("-f csv -o x.csv", {"x.csv": csv_head}),
                           ("-f text -o x.txt", {"x.txt": "fathom "}),
                           ("-f json -o x.json", {"x.json": '{"schema"'}),
                           ("-f csv -o x.csv --document d.json",
                            {"x.csv": csv_head, "d.json": '{"schema"'})):
        status, out, err, folder = with_time(here, f"fathom latency {TINY} {options}")
        found = {name: (folder / name).read_text() for name in os.listdir(folder)}
        complaints += check(
            (status in (TRUSTED, IMPOSSIBLE, DOUBTFUL), f"{options}: status {status}: {err}"),
            (not out, f"{options}: standard output: {out}"),
            (set(found) == set(files), f"{options}: files {sorted(found)}"),
            *((found.get(name, "").startswith(begin), f"{options}: {name}: {found.get(name)!r:.60}")
              for name, begin in files.items()))
    return complaints


def document_to_standard_output(here):
    result = with_time(here, f"fathom latency {TINY} -f csv -o x.csv --document -")
    document = json.loads(result.out)
    return check((status_fits(result.status, document), f"status {result.status}: {result.err}"),
                 ((result.folder / "x.csv").read_text().startswith("probe,finding,"), "x.csv"))


def unwritable_format_file(here):
    """A device that can't take anything is refused before anything is measured."""
    status, out, err = here.run(f"fathom latency {TINY} -f csv -o /dev/full", here.folder())
    return check((status == 2, f"status {status}"),
                 (err.startswith("fathom: /dev/full: No space left"), err),
                 (not out, out))


def same_seed(here):
    """The seed in a document repeats the run, so all of its digits are stored."""
    seed = 9007199254740991
    result = with_time(here, f"fathom latency {TINY} --seed {seed} -o -")
    document = json.loads(result.out)
    return check((status_fits(result.status, document), f"status {result.status}: {result.err}"),
                 (document["run"]["seed"] == str(seed), f"{document['run']['seed']}"))


def redacted(here):
    """The redacted command still repeats the run, and names neither files nor the host."""
    command = (f"fathom latency {TINY} --redact --seed 7 -oprivate.json --html private.html "
               "--cpu $CPU")
    result = with_time(here, command)
    complaints = check((result.status in (TRUSTED, IMPOSSIBLE, DOUBTFUL),
                        f"status {result.status}: {result.err}"))
    path = result.folder / "private.json"
    if not path.exists():
        return complaints + [f"no document: {result.err}"]
    document = json.loads(path.read_text())
    words = document["run"]["command"]
    again = here.run(" ".join(words), here.folder())
    return complaints + check(
        (words[:2] == ["fathom", "latency"], f"{words}"),
        ({"--sizes=4K,8K", "--quick", "--redact", "--seed=7", f"--cpu={here.cpus[0]}"} <= set(words),
         f"{words}"),
        (not any("private" in word for word in words), f"{words} name files"),
        ("hostname" not in document["machine"], "names the host"),
        (again[0] in (TRUSTED, IMPOSSIBLE, DOUBTFUL), f"{words}: status {again[0]}: {again[2]}"))


def schema(here):
    """All documents of these tests are checked with the schema too, where that is possible."""
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        raise Skip("python3-jsonschema is not installed") from None
    _, complaints = probe_alone(here, f"fathom latency {TINY}", "latency")
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
        ("needs two CPUs" in table[2] and not table[1], f"{table}"))


# A program that tells its progress as its argument says, and how it ends: by itself after so many steps, or by SIGTERM.
LONG_RUN = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: (print("its end", file=sys.stderr, flush=True), sys.exit(7)))
print("its output", flush=True)
steps, file = int(sys.argv[1]), open("at", "w")
for step in range(1, steps):
    sum(range(20000))
    file.seek(0)
    print(step, file=file, flush=True)
sys.exit(steps < 100 and 5)
"""


def one_of_many():
    """Whether this build is slow, or was tested before, and takes one case of many."""
    return int(os.environ.get("FATHOM_EACH", "1")) > 1


def two_machines(here, folder):
    """Options of need: a document that says it is of this machine, and one of another machine."""
    document = SOURCE / "tests/data/predict/machine.json"
    _, _, err = here.run(f"fathom need --against {document} --here {document} true", folder)
    model = re.search(r"processors \((.*) and AMD EPYC\)", err)
    this = json.loads(document.read_text())
    this["run"]["id"] = "0123456789abcdef"
    if model and model[1] == "unknown":
        del this["machine"]["cpu"]["model"]
    elif model:
        this["machine"]["cpu"]["model"] = model[1]
    (folder / "here.json").write_text(json.dumps(this))
    return f"--here here.json --against {document}"


def need_beside_a_long_run(here):
    """Its streams are its own, it is ended in the end, and what it tells wrongly is refused in a line."""
    here.need_two_cpus()
    folder = here.folder()
    (folder / "long.py").write_text(LONG_RUN)
    options, program = "fathom need --every 0.2 --budget 20 -o need.json", "python3 long.py 1000000000"
    against = two_machines(here, folder)
    status, out, err = here.run(f"{options} {against} --progress at -- {program}", folder)
    if status == IMPOSSIBLE and "nothing can be taken away" in err:
        raise Skip(err.strip())
    result = json.loads((folder / "need.json").read_text())["probes"][0]
    complaints = check(
        (status in (0, DOUBTFUL), f"status {status}: {err}"),
        (result["parameters"].get("every") == 0.2, f"{result['parameters']}"),
        ("a unit of its progress" in out and out.startswith("its output\n"), out),
        ("against" in out and "times as long: least if its loads are from" in " ".join(out.split()), out),
        (err.endswith("its end\n"), err))
    refusals = [
        ("--rate 'date +%s%N'", "sleep 1", "'sleep' ended after 1."),   # and not since fathom began
        ("--rate 'echo -3'", program, "'echo -3' says '-3'"),
        ("--rate 'echo >> asked; expr $(wc -l < asked) % 40'", program, "goes back from"),
        ("--progress at", "python3 long.py 50", "fails, with exit status 5"),
        ("--progress none", program, "of 'python3' between them within 5.0 s: nothing is there"),
        ("--rate 'echo 3'", program, "'echo 3' shows no two steps of progress"),
        ("--rate 'date +%s%N'", "sleep 100", "10 ms of CPU time of 'sleep'")]
    for told, program, why in refusals[:2] if one_of_many() else refusals:
        status, out, err = here.run(f"{options} {told} -- {program}", folder)
        complaints += check((status == IMPOSSIBLE and why in err and "its output" not in err, f"{told}: {status}, {err}"))
    return complaints


def pairs_fit(seen, pair, status):
    """Both directions are measured, or fewer where there was no time."""
    both = {pair, pair[::-1]}
    return len(seen) == len(set(seen)) and (
        set(seen) == both or (status in (IMPOSSIBLE, DOUBTFUL) and set(seen) < both))


def as_another_tool_did(here):
    here.need_two_cpus()
    probe, complaints = probe_alone(
        here, "fathom cores --cpus $CPU,$OTHER_CPU --lines 1 --samples 5 --iterations 1000",
        "cores")
    if not probe:
        return complaints
    points = probe["series"][0]["points"]
    pairs = [(point["from"], point["to"]) for point in points]
    parameters = probe["parameters"]
    status = TRUSTED if probe["status"] == "ok" else DOUBTFUL
    return complaints + check(
        (pairs_fit(pairs, (here.cpus[0], here.cpus[-1]), status), f"{probe['status']}: {pairs}"),
        ([parameters[key] for key in ("lines", "samples", "iterations")] == [1, 5, 1000],
         f"{parameters}"),
        (all(point["n"] == 1 for point in points if "failed" not in point),
         "one line is one trial"))


def as_another_tool(here):
    """A tool's table by its name, by a link, and from the document that was kept beside it."""
    here.need_tongues()
    folder = here.folder()
    for budget in ("0.3", "3", "20"):
        status, out, err = here.run(f"fathom as --budget {budget} --document kept.json "
                                    "mem-lat -b 16 -s 64", folder)
        if status != IMPOSSIBLE:
            break
    if status == IMPOSSIBLE:
        return check(("was not measured" in err, err))
    seen = re.fullmatch(r"Buffer size: 16 KB, stride 64, time 0\.\d{6} s, latency (\d+\.\d\d) ns\n", out)
    point = json.loads((folder / "kept.json").read_text())["probes"][0]["series"][0]["points"][0]
    complaints = check(
        (status == TRUSTED, f"status {status}"), (seen, f"{out!r}"),
        (seen and abs(float(seen[1]) - point["median"]) < 0.006, f"{out!r}: {point}"),
        ("intervals and more: fathom latency --sizes 16384" in err, err))
    status, out, err = here.run('ln -s "$(command -v fathom)" mlc && ./mlc --idle_latency -b16 -t1 | '
                                "fathom import - -f json", folder)
    if "was not measured" in err:
        return complaints
    imported = json.loads(out)["probes"][0]["series"][0]["points"][0]
    # The tool writes a thousandth of a MiB.
    return complaints + check((abs(imported["x"] - 16384) < 525 and imported["median"] > 0,
                               f"{imported}"))


def cores_text(here):
    here.need_two_cpus()
    complaints = []
    pair = f"{here.cpus[0]},{here.cpus[-1]}"
    for operation in ("cas", "readwrite"):
        status, out, err, _ = with_time(here, f"fathom cores -v --cpus {pair} --op {operation} --lines 8")
        if says_no_time(out):
            complaints += check((status in (IMPOSSIBLE, DOUBTFUL), f"status {status}: {err}"))
            continue
        closing = re.search(r"^ *Min [\d.]+ \((\d+,\d+)\) +Max [\d.]+ \(\d+,\d+\) +Mean [\d.]+ ns$",
                            out, re.M)
        complaints += check(
            (status in (TRUSTED, DOUBTFUL), f"status {status}: {err}"),
            (closing and sorted(closing[1].split(",")) == sorted(pair.split(",")), out))
    return complaints


def cores_csv(here):
    here.need_two_cpus()

    def pairs_of(result):
        return [(int(row["from"]), int(row["to"]))
                for row in csv.DictReader(io.StringIO(result.out))
                if "op=cas" in row["factors"].split(";") and not row["failed"]]

    result = with_time(here, "fathom cores --cpus $CPU,$OTHER_CPU --lines 8 --format csv-points",
                       lambda result: len(pairs_of(result)) < 2)
    return check((result.status in (TRUSTED, IMPOSSIBLE, DOUBTFUL),
                  f"status {result.status}: {result.err}"),
                 (pairs_fit(pairs_of(result), (here.cpus[0], here.cpus[-1]), result.status),
                  result.out))


# --- run ---

def run_all(here):
    status, out, err, folder = with_time(here, "fathom run --quick -o run.json")
    names = os.listdir(folder)
    if names != ["run.json"]:
        return [f"status {status}, files {names}: {err}"]
    document = json.loads((folder / "run.json").read_text())
    statuses = {probe["name"]: probe["status"] for probe in document["probes"]}
    measuring = ("ok", "partial", "failed")   # measured() checks the reasons
    return measured(document) + check(
        (status_fits(status, document), f"status {status}: {err}"),
        (document["run"]["complete"] is True, "not complete"),
        (statuses.get("latency") in measuring, f"{statuses}"),
        (statuses.get("cores") in (measuring if len(here.cpus) > 1 else ("skipped",)),
         f"{statuses}"),
        (out.startswith("fathom ") and "every figure: fathom report -v" in out, out),
        (max(map(len, out.splitlines())) <= 80, "a line is longer than 80 columns"),
        (not err and "run.json" in out, err))


ANALYSED = ("tlb latency geometry cores parallelism bandwidth loaded numa contention coherence "
            "prefetch access window")


def shown_without_options(here, folder):
    """Without options, a run measures the standard experiments: no finding has a deviation, but for
    pages, where a system has no larger ones."""
    status, out, err = here.run("fathom report -f openmetrics run.json", folder)
    samples = re.findall(r"^fathom_finding\w*\{(.*)\} ", out, re.M)
    factors = {label for sample in samples
            for label in re.findall(r'(?:^|,)(\w+)="', sample)} - {"finding", "probe", "cpus", "kind", "pages"}
    return check((status == 0 and samples, f"status {status}: {err}"),
                 (not factors, f"findings of a run without options are shown with {factors}"))


def analysed_again(here):
    """Findings computed anew from the series are the same as those of the run."""
    folder = here.folder()
    here.run(f"fathom run {ANALYSED} --quick --budget 8 -o run.json", folder)
    status, out, err = here.run("fathom analyse run.json", folder)
    if status != 0:
        return [f"status {status}: {err}"]
    before, after = json.loads((folder / "run.json").read_text()), json.loads(out)
    complaints = check(("analysed" in after["tool"], "it does not say what analysed it"))
    complaints += shown_without_options(here, folder)
    if len(before["probes"]) != len(after["probes"]):
        return [*complaints, f"{len(after['probes'])} probes of {len(before['probes'])}"]
    for old, new in zip(before["probes"], after["probes"]):
        old, new = old.get("findings", []), new.get("findings", [])
        complaints += [f"was {finding}" for finding in old if finding not in new]
        complaints += [f"is {finding}" for finding in new if finding not in old]
    return complaints


def budget_kept(here):
    """A run that would take ten minutes ends when its budget is used up, or at most 30 times later."""
    status, out, err = here.run("fathom run --thorough --budget 3 -o -", here.folder())
    document = json.loads(out)
    return measured(document) + check(
        (status_fits(status, document), f"status {status}: {err}"),
        (document["run"]["complete"] is True, "not complete"),
        (document["run"]["elapsed_s"] < 90, f"{document['run']['elapsed_s']} s for a budget of 3 s"))


def run_format_file(here):
    """Where -o names a file of another format, the run's document gets a name of its own."""
    status, out, err, folder = with_time(here, "fathom run --quick cores -f csv -o x.csv")
    names = sorted(os.listdir(folder), key=len)
    if len(names) != 2:
        return [f"status {status}, files {names}: {err}"]
    document = json.loads((folder / names[1]).read_text())
    return check((status_fits(status, document), f"status {status}: {err}"),
                 (names[0] == "x.csv" and names[1] in err and not out, f"{names}: {out} {err}"),
                 ((folder / "x.csv").read_text().startswith("probe,finding,"), "x.csv"))


def run_names_its_document(here):
    status, out, err, folder = with_time(here, "fathom run --quick cores")
    names = os.listdir(folder)
    if len(names) != 1:
        return [f"status {status}, files {names}: {err}"]
    document = json.loads((folder / names[0]).read_text())
    return check((status_fits(status, document), f"status {status}: {err}"),
                 (re.fullmatch(r"fathom-.*-\d{8}T\d{6}\.json", names[0]), f"{names}"),
                 (names[0] in out, out))


# --- check ---

def check_here(here):
    """The quick set checked against a quick run: each value is compared or counted with a reason. It is the test that
    takes longest, so builds that take one case of many check two probes and look again for seconds."""
    few = one_of_many()
    probes, within = ("latency bandwidth", "--within 4") if few else ("", "--within 20")
    folder = with_time(here, f"fathom run {probes} --quick -o base.json").folder
    status, out, err = here.run(f"fathom check --against base.json {within} -f json", folder)
    if status == 2 and "no value that could be checked" in err:
        raise Skip("the run got no time to measure anything")
    answer = json.loads(out)
    listed = [value for key in ("worse", "uncertain", "untold", "otherwise", "healthy") for value in answer[key]]
    return check(
        (status == {"ok": TRUSTED, "fail": 1, "uncertain": DOUBTFUL}[answer["status"]],
         f"status {status} of {answer['status']}"),
        (answer["compared"] == sum("answer" in value for value in listed), f"{answer}"),
        (answer["status"] != "ok" or answer["compared"] > 0, f"{answer}"),
        (all(gap["values"] > 0 and gap["reason"] for gap in answer["not_compared"]), f"{answer}"))


# --- the counter ---

SOURCES = Path("/sys/devices/system/clocksource/clocksource0/available_clocksource")


def where_the_counter_is_distrusted(here):
    """A command prefix for a mount namespace in which the kernel does not list the counter as a
    clock."""
    probe = with_time(here, f"fathom latency {TINY} -o -")
    counter = json.loads(probe.out)["conditions"].get("counter") if probe.out else None
    if counter != "tsc" or not SOURCES.is_file():
        raise Skip("this machine's time is read from no counter that the kernel lists")
    lists = here.folder() / "sources"
    lists.write_text("hpet acpi_pm\n")
    within = f"""unshare -rm sh -c 'mount --bind "{lists}" "{SOURCES}" && exec "$@"' sh """
    if here.run(within + "true", here.folder())[0] != 0:
        raise Skip("the kernel's list can't be replaced by another file here")
    return within


def distrusted_counter(here):
    """fathom uses the system's clock, doctor says so, and one-way hand-offs are refused."""
    here.need_two_cpus()
    within = where_the_counter_is_distrusted(here)
    result = with_time(here, within + f"fathom latency {TINY} -o -")
    document = json.loads(result.out)
    doctor = here.run(within + "fathom doctor", here.folder())
    cores = here.run(within + "fathom cores --cpus $CPU,$OTHER_CPU --op one-way", here.folder())
    return measured(document) + check(
        (document["conditions"]["counter"] == "clock_gettime", f"{document['conditions']}"),
        (doctor[0] == 0 and re.search(r"^note   counter: .*\(tsc\)", doctor[1], re.M), f"{doctor}"),
        (cores[0] == 2 and not cores[1] and cores[2].count("\n") == 1, f"{cores}"),
        (cores[2].startswith("fathom: --op one-way: the kernel does not trust"), f"{cores}"))


# --- caches ---

def no_files_of_caches(here):
    """Where the system has no folders of caches, as on Firecracker, they are declared by CPUID."""
    folders = [str(folder) for folder in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cache")]
    within = "unshare -rm sh -c 'for folder in %s; do mount -t tmpfs none $folder || exit 1; done; exec \"$@\"' sh " % (
        " ".join(folders))
    if not folders or here.run(within + "true", here.folder())[0] != 0:
        raise Skip("this machine has no folders of caches, or they can't be hidden here")
    result = with_time(here, within + f"fathom latency {TINY} -o -")
    document = json.loads(result.out)
    doctor, usual = (here.run(f"{prefix}fathom doctor", here.folder())[1] for prefix in (within, ""))
    shown, known = (re.findall(r"^declares L.*", text, re.M) for text in (doctor, usual))
    if document["conditions"].get("counter") != "tsc":
        return check((not shown and "caches" not in document["machine"], f"caches out of nothing: {shown}"))
    sizes = [line.split(", shared")[0] for line in known]
    return check(
        ([re.split(r", shared| \(by", line)[0] for line in shown] == sizes, f"{shown} for {known}"),
        (all(line.endswith(" (by CPUID)") for line in shown), f"{shown}"),
        (document["machine"].get("caches_by") == "CPUID", f"{document['machine']}"))


# --- sweeps ---

# A document's machine takes none of the time that it models.
TWIN = 'fathom latency --machine "$TESTS/../docs/examples/epyc-guest.json" --from 4K --to 64K'


def swept(document):
    """What each curve was swept over, and each finding but the clock."""
    probe = document["probes"][0]
    return [{(of["factors"].get("seed"), of["factors"].get("precision")) for of in found}
            for found in (probe["series"], [finding for finding in probe["findings"] if "clock" not in finding["name"]])]


def sweep(here):
    """Each value with each, in one document; --add keeps what is there."""
    folder = here.folder()
    first = here.run(f"{TWIN} --sweep seed=1,2 --sweep precision=1,5 -o out.json", folder)
    before = json.loads((folder / "out.json").read_text())
    again = here.run(f"{TWIN} --sweep seed=3 -p 2 --add -o out.json", folder)
    after = json.loads((folder / "out.json").read_text())
    product = {(seed, precision) for seed in (1, 2) for precision in (1, 5)}
    return measured(before) + measured(after) + check(
        (first[0] == again[0] == TRUSTED, f"{first} {again}"),
        (swept(before) == [product] * 2, f"{swept(before)}"),
        (swept(after) == [product | {(3, None)}] * 2, f"{swept(after)}"),
        (before["run"]["documents"] == 4 and after["run"]["documents"] == 5, f"{after['run']}"))


# Changes in guests that no neighbour explains, each with the figure that must not be the same; a count and the clock have changed.
LARGE = {"L1.latency=+25%": "L1.latency", "DRAM.latency=x2": "DRAM.latency_ns", "bandwidth.read.all=x0.4": "bandwidth.read.all",
         "core.clock=-10%": "core.clock", "L1.ways=x0.5": "L1.ways"}


def large_changes(here):
    """Single runs of guests beside others, one of which has a planted change."""
    complaints, folder = [], here.folder()
    for machine, changes in (("benchmarks/recorded/01.json", list(LARGE)[:2]), ("docs/examples/epyc-guest.json", LARGE)):
        run = f'fathom run --machine "$TESTS/../{machine}"'
        here.run(f"{run} --seed 1 -o base.json", folder)
        for change in changes:
            here.run(f"{run} --seed 2 --change {change} -o now.json", folder)
            rows = csv.DictReader(io.StringIO(here.run("fathom diff base.json now.json -f csv", folder)[1]))
            answer = {row["what"]: row["answer"] for row in rows}.get(LARGE[change])
            status = here.run("fathom check --against base.json now.json", folder)[0]
            expected = [("changed", 1)] if list(LARGE).index(change) > 2 else [("changed", 1), ("can't tell", DOUBTFUL)]
            complaints += check(((answer, status) in expected, f"{machine} {change}: {answer}, status {status}"))
    return complaints


def added_points(here):
    """Sizes that only the older run measured stay in the curve."""
    folder = here.folder()
    for sizes in ("4K,16K", "8K,16K"):
        here.run(f"fathom latency {TINY.replace(TINY.split()[1], sizes)} --add -o out.json", folder)
    document = json.loads((folder / "out.json").read_text())
    sizes = sorted({point["x"] for series in document["probes"][0]["series"] for point in series["points"]})
    return measured(document) + check((sizes == [4096, 8192, 16384], f"{sizes}"))


# --- terminals ---

def plain_terminals(here):
    """With NO_COLOR or without a capable TERM a terminal gets what a pipe gets."""
    plain = here.run('fathom report "$TESTS/cli/sample.json"', here.folder())[1]
    complaints = []
    for wish in ("NO_COLOR=1 TERM=xterm", "TERM=dumb", "-u TERM"):
        status, out, _ = run_on_terminal(
            here, f'env {wish} fathom report "$TESTS/cli/sample.json"', here.folder(), 80)
        complaints += check((status == 0 and out == plain and out, f"{wish}: {out}"))
    return complaints


def odd_terminals(here):
    """Reports work at any width, and use no block characters without UTF-8."""
    complaints = []
    for columns in (0, 1, 20, 40, 41, 79, 300, 65535):
        status, out, err = run_on_terminal(
            here, 'TERM=xterm fathom report "$TESTS/cli/sample.json"', here.folder(), columns)
        complaints += check((status == 0 and "\33[" in out, f"{columns} columns: {err}"))
    status, out, _ = run_on_terminal(
        here, 'TERM=xterm LC_ALL=C fathom report "$TESTS/cli/sample.json"', here.folder(), 80)
    return complaints + check((status == 0 and out.isascii() and "\33[" in out, f"in C: {out}"))


def progress(here):
    """Progress is shown on a terminal's standard error from the start, and cleared at the end."""
    status, shown, _ = run_on_terminal(
        here, "fathom latency --sizes 4K --thorough --precision 0.01 --budget 1 2>&1 >/dev/null",
        here.folder(), 80)
    return check((status in (TRUSTED, IMPOSSIBLE, DOUBTFUL), f"status {status}"),
                 ("% " in shown and " left" in shown, f"{shown!r}"),
                 (shown.endswith("\r\33[K"), f"{shown!r}"))


def completes_file_names(here):
    """bash offers each file once, as it is called, and evaluates none of the names."""
    if not shutil.which("bash"):
        raise Skip("bash is not installed")
    folder = here.folder()
    for name in ("*", "$(touch evaluated)", "`touch evaluated`", ";touch evaluated", "a b", "-x", "it's"):
        (folder / name).touch()
    names = sorted(os.listdir(folder))
    script = """. <(fathom completion bash)
COMP_WORDS=(fathom report ''); COMP_CWORD=2; _fathom; printf '%s\\0' "${COMPREPLY[@]}"
"""
    status, out, err = here.run(["bash", "-c", script], folder)
    return check((status == 0 and sorted(out.split("\0")[:-1]) == names, f"status {status}, {out!r}, {err}"),
                 (sorted(os.listdir(folder)) == names, f"{os.listdir(folder)}"))


def fit_here(here):
    """One line, whose word is that of the status, and the share that was watched."""
    status, out, err = here.run("fathom check --fit", here.folder())
    word = {0: "FIT", 1: "UNFIT", 4: "DOUBTFUL"}.get(status)
    taken = re.search(r"others took ([\d.]+) % of CPU time", out)
    share = float(taken[1]) if taken else math.nan
    fits = {"FIT": share < 1.05, "DOUBTFUL": not share >= 10.5, "UNFIT": True}
    return check((out.startswith(f"{word} to benchmark on: ") and len(out.splitlines()) == 1, f"{status}: {out}{err}"),
                 (fits.get(word, False), f"{share} % is {word}"))


def tests():
    """(name, function of the surroundings that returns complaints) of every test."""
    return [
        ("check --fit says whether to benchmark here", fit_here),
        ("latency -o - is a document", latency_document),
        ("latency --from --to --per-octave", latency_sweep),
        ("latency --order", latency_orders),
        ("latency prints a table", latency_text),
        ("latency --format csv-points", latency_csv),
        ("latency -o FILE", latency_file),
        ("latency -f X -o FILE", latency_format_file),
        ("--document - beside -f csv -o FILE", document_to_standard_output),
        ("latency -f csv -o /dev/full", unwritable_format_file),
        ("a seed is kept whole", same_seed),
        ("bash completes file names", completes_file_names),
        ("documents keep docs/fathom-1.schema.json", schema),
        ("--redact keeps what repeats the run", redacted),
        ("cores on one CPU is skipped with a reason", one_cpu),
        ("need beside one long run", need_beside_a_long_run),
        ("cores as other tools measure", as_another_tool_did),
        ("fathom as another tool measures and prints", as_another_tool),
        ("cores prints its matrix and its closing line", cores_text),
        ("cores --format csv-points", cores_csv),
        ("run --quick -o FILE", run_all),
        ("analyse finds again what was just measured", analysed_again),
        ("run keeps its budget", budget_kept),
        ("run names its document", run_names_its_document),
        ("run -f csv -o FILE", run_format_file),
        ("check measures the quick set", check_here),
        ("a counter that the kernel distrusts", distrusted_counter),
        ("a system without files of its caches", no_files_of_caches),
        ("--sweep and --add", sweep),
        ("a large change of a guest is never the same", large_changes),
        ("--add adds points", added_points),
        ("plain terminals", plain_terminals),
        ("odd terminals", odd_terminals),
        ("progress on a terminal", progress),
        *kept.tests(),
        *signals.tests(),
    ]
