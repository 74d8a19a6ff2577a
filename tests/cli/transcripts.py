"""Case files: command lines, each with its outcome below it.

    # A remark.
    needs two-cpus              or ordinary-user: skipped where the machine lacks that; root goes without its right
    terminal 80                 standard output is a terminal of this many columns
    > printf x > in.json        prepares the folder; its outcome is not checked
    $ fathom report in.json     the command, for the shell, in an empty folder
    1| ...                      a line of standard output (an escape character shows as ␛)
    2| ...                      a line of standard error
    + out.json                  a file that is new; ~ one that changed, - one that is gone
    status 2

$CPU and $OTHER_CPU are the first and the last CPU that may be used, $TESTS is the tests' folder.
What depends on the machine is replaced before it is compared, by FILTERS.
"""
import fcntl
import hashlib
import os
import pty
import re
import struct
import termios
from dataclasses import dataclass, field

FILTERS = [
    (re.compile(r"(?<=ask for at most )[\d.]+ \w+"), "SIZE"),
    (re.compile(r"(?<=choose from )\d+(?:[,-]\d+)*"), "IDS"),
    (re.compile(r"\bCPU \d+(?= is outside)"), "CPU N"),
    (re.compile(r"\bfathom-[\w.-]+-\d{8}T\d{6}\.json"), "fathom-HOST-TIME.json"),
    # As musl says it, which the static program is linked with.
    (re.compile("(?<=: )Symbolic link loop(?=: choose)"), "Too many levels of symbolic links"),
    (re.compile("(?<=: )Filename too long(?=: choose)"), "File name too long"),
    (re.compile(r"^fathom \d+\.\d+\.\d+ \(.*\)$"), "fathom VERSION (COMMIT)"),
]


@dataclass
class Case:
    command: str = ""
    before: list = field(default_factory=list)   # lines above the command, as they stand
    prepare: list = field(default_factory=list)
    needs: list = field(default_factory=list)
    columns: int = 0
    outcome: list = field(default_factory=list)


def parse(text):
    cases, case = [], Case()
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if case.command and re.match(r"1\||2\||[+~-] |status ", line):
            case.outcome.append(line)
            continue
        if case.command:
            cases.append(case)
            case = Case()
        if kind == "$":
            case.command = rest
            continue
        case.before.append(line)
        if kind == ">":
            case.prepare.append(rest)
        elif kind == "needs":
            case.needs.append(rest)
        elif kind == "terminal":
            case.columns = int(rest)
        elif line and kind != "#":
            raise ValueError(f"a case file does not know the line {line!r}")
    return cases + [case]   # the last may hold remarks alone


def state(folder):
    """The names of the files in a folder, with their contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            found[name + "/"] = None
        elif path.is_file() and os.access(path, os.R_OK):
            with open(path, "rb") as file:
                found[name] = hashlib.file_digest(file, "md5").digest() if hasattr(
                    hashlib, "file_digest") else hashlib.md5(file.read()).digest()
    return found


def lines(prefix, text):
    for pattern, word in FILTERS:
        text = "\n".join(pattern.sub(word, line) for line in text.split("\n"))
    if text and not text.endswith("\n"):
        text += " (and no newline)\n"
    return [f"{prefix} {line}".rstrip() for line in text.replace("\33", "␛").splitlines()]


def run_on_terminal(here, command, folder, columns):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = here.start(command, folder, stdout=theirs)
    os.close(theirs)
    out = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:   # EIO: the other side is closed
            break
        if not some:
            break
        out += some
    os.close(ours)
    err = process.communicate()[1]
    return process.returncode, out.decode().replace("\r\n", "\n"), err.decode()


def run(here, case):
    """The outcome, and complaints that do not depend on the case file."""
    for need in case.needs:
        getattr(here, "need_" + need.replace("-", "_"))()
    folder = here.folder()
    for command in case.prepare:
        status, _, err = here.run(command, folder)
        if status != 0:
            return [], [f"preparing: {command}: {err.strip()}"]
    before = state(folder)
    if case.columns:
        status, out, err = run_on_terminal(here, case.command, folder, case.columns)
    else:
        status, out, err = here.run(case.command, folder)
    after = state(folder)
    written = [f"+ {name}" for name in after if name not in before]
    written += [f"~ {name}" for name in after if name in before and after[name] != before[name]]
    written += [f"- {name}" for name in before if name not in after]
    out, err = (text.replace(str(folder), "FOLDER") for text in (out, err))
    outcome = lines("1|", out) + lines("2|", err) + written + [f"status {status}"]
    wrong = []
    if status == 2 and err.startswith("fathom: "):
        if err.count("\n") != 1 or not err.endswith("\n"):
            wrong.append("bad input has to get one line on standard error")
        if out:
            wrong.append("bad input has to get nothing on standard output")
        if written:
            wrong.append("bad input has to leave every file alone")
    return outcome, wrong


def compare(here, case, refresh, rewrite):
    outcome, wrong = run(here, case)
    if refresh:
        case.outcome = outcome
        rewrite()
    elif outcome != case.outcome and not wrong:
        wrong = ["expected:", *("  " + line for line in case.outcome),
                 "seen:", *("  " + line for line in outcome)]
    return wrong


def tests(folder, refresh):
    """Yields (name, function of the surroundings that returns complaints)."""
    for path in sorted(folder.glob("*.case")):
        cases = parse(path.read_text(encoding="utf-8"))
        for case in cases if path.stem == "as" else []:
            case.needs.append("tongues")

        def rewrite(path=path, cases=cases):
            parts = [line for case in cases for line in
                     [*case.before, *([f"$ {case.command}"] if case.command else []),
                      *case.outcome]]
            path.write_text("\n".join(parts) + "\n", encoding="utf-8")

        for case in cases:
            if case.command:
                yield (f"{path.stem}: {case.command}",
                       lambda here, case=case, rewrite=rewrite: compare(here, case, refresh,
                                                                         rewrite))
