"""Interruptions while the program measures: signals, and a folder that is removed.

A run that is to be interrupted would take more than a minute, so none ends before its signal,
however busy the machine.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from measured import check, measured, says_no_time
from place import Skip

# Time for a program to start, and to end after a signal: it waits 5 s for a worker that hangs.
PATIENCE_S = 60


def await_document(process, path):
    begun = time.monotonic()
    while not path.exists() and process.poll() is None and time.monotonic() - begun < PATIENCE_S:
        time.sleep(0.001)


def end_of(process):
    """(standard output, standard error); None where the program doesn't end."""
    try:
        return tuple(text.decode() for text in process.communicate(timeout=PATIENCE_S))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None


def big_set(here):
    """A working set as large as the machine has room for."""
    free = re.search(r"up to ([\d.]+) ([MG])iB of memory", here.run("fathom doctor", here.folder())[1])
    mib = float(free[1]) * (1024 if free[2] == "G" else 1) if free else 0
    if mib < 128:
        raise Skip("needs 256 MiB of free memory")
    return f"{int(min(1024, mib // 2))}M"


def interrupted(here, command, number, delay_s):
    """Complaints about one run that gets a signal so long after its document appeared."""
    folder = here.folder()
    process = here.start(["fathom", *command.split(), "-o", "out.json"], folder)
    await_document(process, folder / "out.json")
    time.sleep(delay_s)
    process.send_signal(number)
    texts = end_of(process)
    if not texts:
        return ["does not end"]
    err, names = texts[1], os.listdir(folder)
    if names != ["out.json"]:
        return [f"files {names}, status {process.returncode}: {err}"]
    document = json.loads((folder / "out.json").read_text())
    report = here.run("fathom report out.json", folder)
    return measured(document) + check(
        (process.returncode == 128 + number, f"status {process.returncode}"),
        (document["run"]["complete"] is False, "the document says that it is complete"),
        (err.count("\n") == 1 and "interrupted" in err and "out.json" in err, f"{err}"),
        (report[0] == 0 and "The run was stopped before " in report[1], f"{report}"))


def interruptions(here, command, number, delays_s):
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
    """However early the signal comes, it ends the program, and no incomplete file is left."""
    complaints = []
    for step in range(8):
        folder = here.folder()
        process = here.start(["fathom", "run", "--thorough", "-o", "out.json"], folder)
        time.sleep(step * 0.002)
        process.terminate()
        if not end_of(process):
            return complaints + ["does not end"]
        names = os.listdir(folder)
        complaints += check(
            (process.returncode in (-signal.SIGTERM, 143), f"status {process.returncode}"),
            (names in ([], ["out.json"]), f"files {names}"))
        if names == ["out.json"]:
            complaints += measured(json.loads((folder / "out.json").read_text()))
    return complaints


def lost_folder(here):
    """Results that can't be saved any more are still shown."""
    for budget_s in (1, 10, 60):
        folder = here.folder()
        (folder / "sub").mkdir()
        process = here.start(["fathom", "latency", "--sizes", "4K", "--thorough", "--precision",
                              "0.01", "--budget", str(budget_s), "-o", "sub/out.json"], folder)
        await_document(process, folder / "sub" / "out.json")
        shutil.rmtree(folder / "sub")
        texts = end_of(process)
        if not texts:
            return ["does not end"]
        out, err = texts
        # Over before the folder was gone, or before anything was measured.
        if process.returncode != 2 and not err or says_no_time(out):
            continue
        return check((process.returncode == 2, f"status {process.returncode}"),
                     ("4 KiB" in out, out),
                     (err.count("\n") == 1 and "sub/out.json" in err, err))
    raise Skip("the run was over before its folder could be removed")


SIGNALS = [
    ("run --thorough", signal.SIGINT, (0, 0.15, 0.6)),
    ("run --thorough", signal.SIGTERM, (0, 0.3)),
    ("latency --from 4K --to 64K --per-octave 64 --thorough --precision 0.01", signal.SIGINT,
     (0.2,)),
    ("latency --from 4K --to 64K --per-octave 64 --thorough --precision 0.01 --sweep seed=1,2", signal.SIGINT, (0.2,)),
    ("latency --sizes BIG --pages small --thorough", signal.SIGINT, (0.03, 0.25, 0.7, 1.2)),
    ("latency --sizes BIG --thorough", signal.SIGTERM, (0.05, 0.4)),
    ("cores --lines 4096 --samples 2000 --budget 1000", signal.SIGINT, (0, 0.3)),
    ("cores --lines 4096 --samples 100000 --iterations 10000000 --budget 1000", signal.SIGTERM,
     (0.3,)),
]


def ended_watch(here):
    """A watch that is interrupted after its first trial has left metrics, whole, and ends with 130."""
    folder = here.folder()
    process = here.start(["fathom", "watch", "--every", "0.5", "-f", "metrics", "--metrics", "watch.prom"], folder)
    await_document(process, folder / "watch.prom")
    process.send_signal(signal.SIGINT)
    texts = end_of(process)
    if not texts:
        return ["does not end"]
    left = (folder / "watch.prom").read_text() if (folder / "watch.prom").exists() else ""
    return check(
        (process.returncode == 130, f"status {process.returncode}: {texts[1]}"),
        (os.listdir(folder) == ["watch.prom"], f"files {os.listdir(folder)}"),
        (left.endswith("# EOF\n") and texts[0].endswith("# EOF\n"), f"no end: {left[-80:]}"),
        (re.search(r'^fathom_watch_latency_(cycles|seconds)\{level="\w+"\} [\d.e-]+$', left, re.MULTILINE), left))


def tests():
    """(name, function of the surroundings that returns complaints) of every test."""
    found = [
        ("watch ends by SIGINT and leaves its metrics", ended_watch),
        ("a folder that is lost while measuring", lost_folder),
        ("SIGTERM at any moment of the start", at_any_moment),
    ]
    for command, number, delays_s in SIGNALS:
        found.append((f"{number.name} during {command}",
                      lambda here, a=(command, number, delays_s): interruptions(here, *a)))
    return found
