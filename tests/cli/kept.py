"""Documents that are kept: an older one stays until a new one is complete, and what is no file gets
the result once."""
import json
import os
import random
import re
import signal
import subprocess
import time

from measured import check, measured
from place import SOURCE, Skip
from signals import end_of

OLDER = (SOURCE / "tests" / "cli" / "sample.json").read_bytes()
SHORT = "fathom latency --sizes 4K --budget 0.2"
LONG = "fathom run --thorough -o keep.json"


def older(here):
    folder = here.folder()
    (folder / "keep.json").write_bytes(OLDER)
    return folder


def is_whole(raw):
    try:
        return measured(json.loads(raw)) == []
    except ValueError:
        return False


def interrupted(here):
    """SIGINT leaves the older document, the newer one beside it, and a line that names both."""
    folder = older(here)
    process = here.start(LONG.split(), folder)
    while not (folder / "keep.json.partial").exists() and process.poll() is None:
        time.sleep(0.001)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    texts = end_of(process)
    if not texts:
        return ["does not end"]
    err = texts[1]
    return check(
        (process.returncode == 130, f"status {process.returncode}"),
        ((folder / "keep.json").read_bytes() == OLDER, "the older document is gone"),
        (is_whole((folder / "keep.json.partial").read_bytes()), "keep.json.partial is not whole"),
        (err == "fathom: interrupted; the results so far are in keep.json.partial; "
                "keep.json was not changed\n", err))


def killed(here):
    """Whenever SIGKILL comes, the older document stands."""
    complaints = []
    for _ in range(6):
        folder = older(here)
        process = here.start(LONG.split(), folder)
        time.sleep(random.uniform(0, 0.4))
        process.kill()
        process.communicate()
        parts = [name for name in os.listdir(folder) if name.endswith(".partial")]
        complaints += check(
            ((folder / "keep.json").read_bytes() == OLDER, "the older document is gone"),
            (parts in ([], ["keep.json.partial"]), f"{parts}"))
        for part in parts:
            raw = (folder / part).read_bytes()
            complaints += check((is_whole(raw), f"{part} is not whole"))
    return complaints


def replaced(here):
    """A run that ends by itself takes the older document's place and leaves nothing else."""
    folder = older(here)
    status, out, err = here.run(f"{SHORT} -o keep.json", folder)
    new = (folder / "keep.json").read_bytes()
    if status == 3:
        return check((new == OLDER and "keep.json was not changed" in err, f"{out} {err}"))
    return check((status in (0, 4), f"status {status}: {err}"),
                 (new != OLDER and is_whole(new), "it is not replaced"),
                 (os.listdir(folder) == ["keep.json"], f"{os.listdir(folder)}"))


def once(here):
    """Pipes and open descriptors get one document."""
    complaints = []
    for where in ("mkfifo pipe; cat pipe > got & {} -o pipe > /dev/null; wait",
                  "{} -o /dev/fd/1 > got", "{} -o /dev/stdout | cat > got",
                  "{} -o /dev/fd/5 5> got > /dev/null", "{} --document /dev/fd/5 5> got"):
        folder = here.folder()
        status, _, err = here.run(where.format(SHORT), folder)
        complaints += check((is_whole((folder / "got").read_bytes()), f"{where}: no document: {err}"))
    return complaints


def await_handler(process):
    """Until the program catches SIGINT; it then goes on to measure."""
    for _ in range(6000):
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                caught = int(re.search(r"SigCgt:\s*(\w+)", status.read())[1], 16)
        except (OSError, TypeError):
            raise Skip("/proc does not say which signals a process catches") from None
        if caught >> (signal.SIGINT - 1) & 1 or process.poll() is not None:
            return
        time.sleep(0.01)


def once_when_interrupted(here):
    """Streams get what an interrupted run had measured, once; where nobody reads, it is shown instead."""
    folder = here.folder()
    for name in ("pipe", "lonely"):
        os.mkfifo(folder / name)
    with open(folder / "got pipe", "wb") as got:
        reader = subprocess.Popen(["timeout", "300", "cat", folder / "pipe"], stdout=got)
    runs = {}
    for where in ("-o pipe", "-o /dev/stdout", "-o -", "--document /dev/fd/1 -o lonely -f csv", "-o lonely"):
        with open(folder / where.replace("/", "_"), "wb") as out:
            command = f"fathom latency --thorough --precision 0.01 --sizes 4K,1M --budget 1000 {where}"
            runs[where] = here.start(command.split(), folder, stdout=out)
    for process in runs.values():
        await_handler(process)
    time.sleep(0.5)
    for process in runs.values():
        process.send_signal(signal.SIGINT)
    complaints = []
    for where, process in runs.items():
        texts = process.communicate(timeout=60)
        errors = texts[1].decode()
        out = (folder / where.replace("/", "_")).read_bytes()
        nobody = "lonely: no program reads from it: choose another file or folder to write to\nfathom: "
        if where == "-o pipe":
            reader.wait(60)
            out = (folder / "got pipe").read_bytes()
        right = out.startswith(b"fathom ") if where == "-o lonely" else \
            is_whole(out) and not json.loads(out)["run"]["complete"]
        complaints += [f"{where}: {complaint}" for complaint in check(
            (process.returncode == 130, f"status {process.returncode}"),
            (right, f"not the right thing is written: {out[:80]}"),
            (errors == f"fathom: {nobody if 'lonely' in where else ''}interrupted\n", errors))]
    return complaints


def at_the_same_time(here):
    """Runs in one folder at one time have a name each."""
    folder = here.folder()
    runs = [here.start("fathom run latency --quick --budget 0.2".split(), folder) for _ in range(4)]
    ended = [(run, *run.communicate()) for run in runs]
    # A run whose worker gets no time, because something of real-time priority holds its CPU, ends with
    # an error, and says where its document is in the error's words.
    named = [re.search(r"(?:fathom report -v|so far are in)\s+(\S+)", (out + err).decode()) for _, out, err in ended]
    names = {match[1] for match in named if match}
    return check((len(names) == 4, f"{names} of {[(run.returncode, out, err) for run, out, err in ended]}"),
                 (set(os.listdir(folder)) == names, f"{os.listdir(folder)} of {names}"),
                 (all(is_whole((folder / name).read_bytes()) for name in names), "one is not whole"))


def owner(here):
    """root's -o over another user's file keeps its owner and mode."""
    folder = older(here)
    path = folder / "keep.json"
    try:
        os.chown(path, 65534, 65534)
    except OSError:
        raise Skip("only root may give a file to another user") from None
    path.chmod(0o600)
    here.run(f"fathom report -f csv {SOURCE}/tests/cli/sample.json -o keep.json", folder)
    now = path.stat()
    return check((path.read_bytes().startswith(b"probe,"), "it is not replaced"),
                 ((now.st_uid, now.st_gid, now.st_mode & 0o777) == (65534, 65534, 0o600), f"{now}"))


def full_device(here):
    """A device that can't take anything is refused before anything is measured."""
    if not os.access("/dev/full", os.W_OK):
        raise Skip("there is no /dev/full")
    status, out, err = here.run(f"{SHORT} -o /dev/full", here.folder())
    return check((status == 2, f"status {status}"), (not out, out),
                 (err == "fathom: /dev/full: No space left on device: choose another file or folder "
                         "to write to\n", err))


def tests():
    """(name, function of the surroundings that returns complaints) of every test."""
    return [
        ("kept: SIGINT over an older document", interrupted),
        ("kept: SIGKILL over an older document", killed),
        ("kept: a complete run replaces an older document", replaced),
        ("kept: streams get one document", once),
        ("kept: streams get one document of an interrupted run", once_when_interrupted),
        ("kept: runs at the same time", at_the_same_time),
        ("kept: another user's file", owner),
        ("kept: a full device", full_device),
    ]
