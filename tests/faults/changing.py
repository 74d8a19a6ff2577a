"""Files that change while they are read: the answer is that of one state, or a line names the file."""
import fcntl
import json
import os
import random
import shutil
import subprocess
import threading

from program import FAILED_BY_SIGNAL, SAMPLE, SECONDS_MAX, SOURCE

PIECE = 1 << 12     # a page, of which a reader sees all or nothing
READINGS = 8         # of a command, while its file is changed in one way
PAUSES_S = (0, 0, 0.001, 0.02, 0.1)   # between two changes: a file that rests is read, one that doesn't is refused
COMMANDS = (
    *(f"report -f {name} changes" for name in ("text", "csv-points", "json", "html")), "report - < changes",
    "diff changes SAMPLE", "diff -f json SAMPLE changes", "check changes --against SAMPLE", "check SAMPLE --against changes",
    "check SAMPLE --against groups", "merge changes SAMPLE", "baseline changes SAMPLE", "analyse changes", "nearest changes",
    "fleet -f json nodes", "import table", "import - < table",
)


def document(value):
    """Larger than what is read at once, with all values alike and as long in the other state."""
    made = json.loads(SAMPLE.read_text())
    probe = made["probes"][0]
    probe["findings"] = [{"name": f"L1.x.{i}", "value": value, "unit": "ns", "low": value, "high": value} for i in range(1000)]
    probe["series"] = [dict(probe["series"][0], points=[
        {"x": 1024 + 64 * i, "median": value, "low": value, "high": value, "n": 9} for i in range(3000)])]
    return json.dumps(made).encode()


def groups(value):
    """A fleet's document."""
    node = json.loads(document(value))
    node["machine"]["hostname"] = "none"
    return json.dumps({"schema": "fathom-fleet/1", "groups": [{"judged": True, "nodes": 5, "baseline": node}]}).encode()


def table(value):
    """Another tool's."""
    head = (SOURCE / "tests/data/curves/lat_mem_rd.txt").read_text().splitlines()[0]
    return "\n".join([head, *(f"{0.001 * (i + 1):09.5f} {value:.3f}" for i in range(20000)), ""]).encode()


# What changes, and its two states.
STATES = {"changes": document, "nodes": document, "groups": groups, "table": table}


def in_pieces(stream, text):
    for at in range(0, len(text), PIECE):
        stream.write(text[at:at + PIECE])
        stream.flush()


def rewritten(path, text):
    """As a data base writes: the size stays."""
    with path.open("r+b") as stream:
        in_pieces(stream, text)


def cut(path, text):
    """As a shell's > and cp write."""
    with path.open("wb") as stream:
        in_pieces(stream, text)


def replaced(path, text):
    """As fathom writes."""
    new = path.with_suffix(".new")
    new.write_bytes(text)
    new.rename(path)


def removed(path, text):
    """A folder and a link to nothing are there meanwhile."""
    path.unlink()
    path.mkdir()
    path.rmdir()
    path.symlink_to("nothing")
    path.unlink()
    cut(path, text)


def grown(path, text):
    """As a program that prints while it measures."""
    path.write_bytes(b"")
    for at in range(0, len(text), PIECE):
        with path.open("ab") as stream:
            stream.write(text[at:at + PIECE])


WAYS = (rewritten, cut, replaced, removed, grown)


def between(way, old, new):
    """What the file holds while it is written: a writer that waits for a CPU leaves it so for as long as a reading takes, and
    no reader can know that more is to come."""
    for at in range(PIECE, len(new), PIECE):
        yield new[:at] + (old[at:] if way is rewritten else b"")


def write_on(path, texts, way, end, failed):
    try:
        for turn in range(1 << 30):
            way(path, texts[turn % 2])
            if end.wait(random.choice(PAUSES_S)):
                return
    except OSError as error:
        failed.append(f"the writer: {error}")


class Reading:
    """A command, a folder with what it reads, and its answers to each state."""

    def __init__(self, program, command):
        self.program, self.command, self.folder = program, command, program.folder()
        kind = next(name for name in STATES if name in command)
        self.path = self.folder / kind
        if kind == "nodes":
            self.path.mkdir()
            for node in range(6):
                (self.path / f"n{node}.json").write_bytes(SAMPLE.read_bytes().replace(b'"hostname":"vm"', b'"hostname":"n%d"' % node))
            self.path /= "that.json"
        self.texts = STATES[kind](4.25), STATES[kind](5.75)
        self.answers = [self.answer_to(text) for text in self.texts]

    def answer_to(self, text):
        self.path.write_bytes(text)
        return self.answer()

    def answer(self, **environment):
        """(status, what is printed, what is told)"""
        self.program.runs += 1
        words = self.command.replace("SAMPLE", str(SAMPLE))
        try:
            done = subprocess.run(["bash", "-c", f"LD_PRELOAD=$SHIM exec \"$FATHOM\" {words}"], cwd=self.folder,
                                  env=self.program.environment | environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=SECONDS_MAX, check=False)
        except subprocess.TimeoutExpired:
            return "hangs", b"", ""
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def complaint(self, answer, way):
        status, out, err = answer
        if answer in self.answers:
            return None
        lines = [line for line in err.splitlines() if self.path.name in line or "standard input" in line]
        if (status == 2 or "bash: " in err) and not out and len(lines) == 1 and len(err.splitlines()) == 1:
            return None
        if "left out" in err and len(lines) == 1 and b'"that"' not in out:
            return None
        if status in FAILED_BY_SIGNAL or status == "hangs":
            return f"ends with {status}"
        if any(self.answer_to(text) == answer for old, new in (self.texts, self.texts[::-1]) for text in between(way, old, new)):
            return None
        return f"status {status}, {len(out)} bytes that are of neither state: {err!r}"

    def read(self, way):
        end, failed = threading.Event(), []
        self.path.write_bytes(self.texts[0])
        writer = threading.Thread(target=write_on, args=(self.path, self.texts, way, end, failed))
        writer.start()
        answers = [self.answer() for _ in range(READINGS)]
        end.set()
        writer.join()
        found = [self.complaint(answer, way) for answer in answers]
        return [f"{self.command}, {way.__name__}: {complaint}" for complaint in [*failed, *found] if complaint]


def in_the_middle(program):
    """Of the second half another state would be read, which has the same size and is as good a document."""
    found = []
    for command in COMMANDS:
        reading = Reading(program, command)
        reading.path.write_bytes(reading.texts[0])
        reading.path.with_name(f"{reading.path.name}.new").write_bytes(reading.texts[1])
        status, out, err = reading.answer(SHIM=str(program.shim), FATHOM_FAULT=f"changes:{reading.path}")
        left_out = "left out" in err and b'"that"' not in out
        if err.count("changed while it was read") != 1 or len(err.splitlines()) != 1 or not (left_out or status == 2 and not out):
            found.append(f"{command}: status {status}, {len(out)} bytes: {err!r}")
        shutil.rmtree(reading.folder)
    return found


def changing(program):
    found = []
    for number, command in enumerate(COMMANDS):
        reading = Reading(program, command)
        for way in WAYS if program.everything else (WAYS[number % 2], WAYS[2 + number % 3]):
            found += reading.read(way)
        shutil.rmtree(reading.folder)
    return found


REWRITING = ("baseline --add keep SAMPLE", "analyse --in-place ./keep keep", "latency --sizes 4K --budget 0.3 --add -o keep")
AT_ONCE = 8


def changed_by_several(program):
    """Of what changes one document at the same time, nothing is lost; what would have to wait for long is refused."""
    folder, found = program.folder(), []
    (folder / "in").mkdir()
    for words in ["baseline --add base SAMPLE"] * AT_ONCE, ["analyse --in-place base in/base base", "baseline --add base SAMPLE"] * 2:
        (folder / "in/base").write_bytes(SAMPLE.read_bytes())
        running = [program.start(one.replace("SAMPLE", str(SAMPLE)).split(), folder) for one in words]
        results = [program.finish(process, folder) for process in running]
        found += [f"{one}: {result.status}, {result.err!r}" for one, result in zip(words, results) if result.status or "another" in result.err]
    count = json.loads((folder / "base").read_text())["run"]["documents"]
    found += [] if count == AT_ONCE + 2 else [f"{count} of {AT_ONCE + 2} documents are left"]
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    running = [program.start(one.replace("SAMPLE", str(SAMPLE)).split(), folder) for one in REWRITING]
    for one, result in zip(REWRITING, [program.finish(process, folder) for process in running]):
        if result.status != 2 or result.err.count("another fathom is changing") != 1 or result.files["keep"] != SAMPLE.read_bytes():
            found.append(f"{one}: {result.status}, {result.err!r}")
    os.close(held)
    shutil.rmtree(folder)
    return found


def tests():
    """(name, function of the program that returns complaints) of every test."""
    return [("files that change in the middle of a reading", in_the_middle),
            ("files that change while they are read", changing),
            ("documents that several change", changed_by_several)]
