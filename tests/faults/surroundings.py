"""Signals at any time, memory and CPUs that are taken away, and odd surroundings."""
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from program import OLDER, SAMPLE, SECONDS_MAX, SOURCE, Skip, is_document, kept

RUN = "run --thorough -o keep".split()
SHORT = "fathom latency --sizes 4K,1M --budget 0.3 -o keep"
ENDINGS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL)
# What writes over `keep`, and how long it takes at most where nothing else runs, in s. What is only computed ends in a
# moment.
WRITING = (
    (RUN, 0.8), (SHORT.split()[1:], 0.8),
    *((f"{words} -o keep".split(), 0.06) for words in (
        "report -f html SAMPLE", "merge SAMPLE QUICK", "baseline SAMPLE SAMPLE", "diff -f json SAMPLE QUICK",
        "fleet -f json NODES", "import TABLE")),
    ("baseline --add keep SAMPLE".split(), 0.06), ("analyse --in-place keep".split(), 0.06),
    ("latency --sizes 4K --budget 0.3 --sweep stride=64,128 -o keep".split(), 0.8),
    ("run latency --quick --budget 0.3 --repeat 2 -o keep".split(), 0.8),
    ("watch --every 0.5 --for 2 --metrics keep".split(), 0.8),
)
FILES = {"SAMPLE": SAMPLE, "QUICK": SOURCE / "tests/data/health/quick.json",
         "TABLE": SOURCE / "tests/data/curves/lat_mem_rd.txt"}


def is_whole(raw, words):
    if words is RUN:   # it takes longer: what was interrupted stands beside the older file
        return False
    if "html" in words:
        return raw.rstrip().endswith(b"</html>")
    if words[0] == "watch":
        return raw.endswith(b"# EOF\n")
    try:
        return json.loads(raw)["schema"].startswith("fathom")
    except (ValueError, KeyError, TypeError):
        return False


def killed(program, files, words, longest, sent, stopped):
    """One run that gets the signal at some time: complaints, also of what the next one that saves there leaves."""
    folder = program.folder()
    process = program.start([str(files.get(word, word)) for word in words], folder)
    time.sleep(random.uniform(0, longest))
    for one in ((signal.SIGSTOP, signal.SIGCONT) if stopped else ()) + (sent,):
        process.send_signal(one)
    result = program.finish(process, folder)
    left = [name for name in result.files if name.startswith(".fathom-")]
    if left:   # of a kill while it was written
        subprocess.run([program.path, "report", SAMPLE, "-o", "next"], cwd=folder, env=program.environment, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        left = [path.name for path in folder.iterdir() if path.name.startswith(".fathom-")]
    found = [f"{name} is left" for name in left]
    found += [f"{name} is no document" for name, raw in result.files.items() if ".partial" in name and not is_document(raw)]
    keep = result.files.get("keep", b"")
    if keep != OLDER and not is_whole(keep, words):
        found.append(f"the older file is lost: {len(keep)} bytes")
    if result.status not in (0, 1, 3, 4, 128 + sent, -sent):
        found.append(f"status {result.status}: {result.err}")
    shutil.rmtree(folder)
    return found


def signals(program):
    """Whatever signal comes whenever, the older file stands or a whole one is in its place, and nothing is left beside it
    when something else has been saved there. Most runs end by themselves about when the signal comes."""
    complaints, nodes = [], program.folder()
    for node in range(5):
        (nodes / f"n{node}.json").write_bytes(OLDER.replace(b'"hostname":"vm"', f'"hostname":"n{node}"'.encode()))
    for number in range(1000 if program.everything else 2 * len(WRITING)):
        words, longest = WRITING[number % len(WRITING)]
        sent = random.choice(ENDINGS)
        complaints += [f"{sent.name}, {' '.join(words)}, run {number}: {complaint}"
                       for complaint in killed(program, FILES | {"NODES": nodes}, words, longest, sent, number % 7 == 6)]
    return complaints


# --- what is taken away ---

GROUPS = Path("/sys/fs/cgroup")
# What a file of version 2 is called in version 1.
FIRST_NAMES = {"memory.max": "memory.limit_in_bytes"}


class Group:
    """A control group with a controller, of version 2 or else 1, or Skip."""

    def __init__(self, controller, file, value):
        self.second = self.has_second(controller)
        above = GROUPS if self.second else GROUPS / controller
        self.path = above / f"fathom-faults-{os.getpid()}"
        try:
            if self.second:
                (GROUPS / "cgroup.subtree_control").write_text(f"+{controller}")
            elif not (above / "cgroup.procs").exists():
                raise Skip(f"there is no control group with {controller} to be had")
            self.path.mkdir()
            if not self.second and controller == "cpuset":   # without nodes no process may join
                (self.path / "cpuset.mems").write_text((above / "cpuset.mems").read_text())
            self.set(file, value)
        except OSError as error:
            self.remove()
            raise Skip(f"no control group can be made here: {error}") from None

    @staticmethod
    def has_second(controller):
        try:
            return controller in (GROUPS / "cgroup.controllers").read_text().split()
        except OSError:
            return False

    def set(self, file, value):
        # Without a buffer: one that could not be written is written again when the file is closed, and a
        # limit that was refused with an error would then hold all the same.
        with (self.path / (file if self.second else FIRST_NAMES.get(file, file))).open("wb", buffering=0) as setting:
            setting.write(value.encode())

    def remove(self):
        for _ in range(100):   # the last process may not be gone yet
            try:
                return self.path.rmdir()
            except FileNotFoundError:
                return None
            except OSError:
                time.sleep(0.05)
        return None

    def join(self):
        return f"echo $$ > {self.path}/cgroup.procs; "


def memory(program):
    """A limit below the working set, from the beginning and while measuring."""
    group = Group("memory", "memory.max", "96M")
    complaints = []
    try:
        for later in (None, "24M"):
            folder = program.folder()
            process = program.start(group.join() + "fathom latency --quick --budget 2 -o keep", folder)
            if later:
                time.sleep(0.5)
                try:
                    group.set("memory.max", later)
                except OSError:   # version 1 refuses what would have to be taken away
                    later = None
            result = program.finish(process, folder)
            killed = later and result.status == -signal.SIGKILL
            complaints += kept(result, not killed) + ([] if killed else result.clear())
            if not killed and result.status not in (0, 2, 3, 4):
                complaints.append(f"status {result.status}: {result.err}")
            group.set("memory.max", "96M")
    finally:
        group.remove()
    return complaints


def cpusets(program):
    """CPUs that go and come while they are measured fail their points and nothing else."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("needs two CPUs")
    group = Group("cpuset", "cpuset.cpus", f"{cpus[0]},{cpus[-1]}")
    complaints = []
    try:
        folder = program.folder()
        process = program.start(group.join() + "fathom cores --budget 3 -o keep", folder)
        for turn in range(8):
            time.sleep(0.3)
            group.set("cpuset.cpus", str(cpus[0]) if turn % 2 == 0 else f"{cpus[0]},{cpus[-1]}")
        result = program.finish(process, folder)
        complaints += kept(result, True) + result.clear()
        if result.status not in (0, 3, 4):
            complaints.append(f"status {result.status}: {result.err}")
    finally:
        group.remove()
    return complaints


def hog(program):
    """A busy thread of real-time priority holds a CPU: the points there fail, and the run ends."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 or not shutil.which("chrt") or not shutil.which("taskset"):
        raise Skip("needs two CPUs, chrt and taskset")
    # A limit of CPU time ends the loop whatever becomes of this script: the shell itself has it.
    greedy = subprocess.Popen(["taskset", "-c", str(cpus[-1]), "chrt", "-f", "50", "sh", "-c",
                               "ulimit -t 20; while :; do :; done"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    if greedy.poll() is not None:
        raise Skip("a real-time priority can't be had")
    try:
        result = program.run("fathom cores --quick --budget 1 -o keep")
    finally:
        greedy.kill()
        greedy.wait()
    found = kept(result, True) + result.clear()
    return found + ([] if result.status in (0, 3, 4) else [f"status {result.status}: {result.err}"])


# --- odd surroundings ---

def huge_pages(program):
    """Huge pages that are not there are a clear refusal, or a flag."""
    found = []
    for pages in ("huge2m", "huge1g", "thp", "auto"):
        result = program.run(f"fathom latency --sizes 1M --pages {pages} --budget 0.2 -o keep")
        found += [f"{pages}: {complaint}" for complaint in kept(result, True) + result.clear()]
        if result.status not in (0, 3, 4):
            found.append(f"{pages}: status {result.status}: {result.err}")
    return found


def comma_locale(root):
    """The environment in which numbers have a comma: a locale that is installed, or one made for this."""
    known = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    commas = [name for name in known if name.lower().startswith(("de_", "fr_", "pl_", "ru_", "sv_"))]
    if commas:
        return {"LC_ALL": commas[0], "LANG": commas[0]}
    if not shutil.which("localedef"):
        raise Skip("no locale with a decimal comma is installed, and no localedef to make one")
    made = Path(root) / "de_DE.UTF-8"
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made], capture_output=True, check=False)
    if not (made / "LC_NUMERIC").exists():
        raise Skip("no locale with a decimal comma is installed, nor what one could be made of")
    return {"LC_ALL": made.name, "LANG": made.name, "LOCPATH": str(root)}


def locales(program):
    """Where numbers have a comma, every output is as with a point and the same letters."""
    comma = comma_locale(program.root)
    shown = subprocess.run(["bash", "-c", "printf %.1f 0,5"], env=program.environment | comma,
                           stdout=subprocess.PIPE, check=False).stdout
    if shown != b"0,5":
        raise Skip(f"the locale's numbers have no comma: {shown}")
    found = []
    for command in [f"fathom report -f {name} $SAMPLE" for name in ("text", "csv", "json", "html", "openmetrics")]:
        usual = program.run(command, env=comma | {"LC_ALL": "", "LC_NUMERIC": "C"})
        other = program.run(command, env=comma)
        if other != usual:
            found.append(f"{command}: other in {comma['LC_ALL']}")
    return found


def closed(program):
    """Without one or more of the standard channels nothing is written to a wrong place."""
    found = []
    for channels in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        for command in (SHORT, "fathom report $SAMPLE -o keep", "fathom report $SAMPLE", "fathom report - -o keep"):
            result = program.run(f"{command} {channels}")
            complaints = [line for line in result.clear() if "without a word" not in line]
            keep = result.files.get("keep", b"")
            if not (keep == OLDER or is_document(keep) or keep.startswith(b"fathom ")):
                complaints.append(f"keep holds {keep[:60]!r}")
            if result.status not in (0, 2, 3, 4):
                complaints.append(f"status {result.status}")
            found += [f"{command} {channels}: {complaint}" for complaint in complaints]
    return found


def no_system_files(program):
    """Without /proc and /sys, what is unknown is not taken for nothing."""
    if subprocess.run(["unshare", "-rm", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skip("folders can't be hidden here")
    found = []
    for hidden in (("/proc", "/sys"), ("/proc",), ("/sys",), ("/sys/devices/system/node",), ("/sys/devices/system/cpu",)):
        mounts = " && ".join(f"mount -t tmpfs none {folder}" for folder in hidden if os.path.isdir(folder))
        result = program.run(f"unshare -rm sh -c '{mounts or 'true'} && "
                             "exec \"$FATHOM\" latency --sizes 4K --budget 0.3 -o keep'")
        complaints = kept(result, True) + result.clear()
        if result.status not in (0, 3, 4):
            complaints.append(f"status {result.status}: {result.err}")
        found += [f"without {hidden}: {complaint}" for complaint in complaints]
    return found


def small_stacks(program):
    """A stack with room for hardly more than the loader ends in a line."""
    found = []
    for kib in (16, 24, 64, 500):
        for command in ("run", "--version", "report -f html $SAMPLE"):
            result = program.run(f"ulimit -s {kib}; fathom {command}")
            if result.status != 3 or result.err.count("the stack may not grow") != 1:
                found.append(f"{kib} KiB, {command}: status {result.status}: {result.err!r}")
    return found


def pipes_without_a_writer(program):
    """A named pipe that nobody writes to is refused; one whose writer is late or silent is read."""
    commands = ("report pipe", "fleet pipe", "import pipe", "diff $SAMPLE pipe", "check --against pipe $SAMPLE",
                "nearest pipe", "nearest $SAMPLE pipe")
    waiting = []
    for command in commands:
        folder = program.folder()
        os.mkfifo(folder / "pipe")
        waiting.append((command, folder, program.start(f"fathom {command}", folder)))
    for writer in ("sleep 1; cat $SAMPLE > pipe", "(sleep 1; cat $SAMPLE) > pipe",
                   "(head -c 3 $SAMPLE; sleep 1; tail -c +4 $SAMPLE) > pipe"):
        folder = program.folder()
        os.mkfifo(folder / "pipe")
        waiting.append((writer, folder, program.start(f"({writer}) & fathom report pipe", folder)))
    found = []
    for command, folder, process in waiting:
        result = program.finish(process, folder)
        refused = command in commands
        if result.status != (2 if refused else 0) or ("no program has written" in result.err) != refused:
            found.append(f"{command}: status {result.status}: {result.err!r}")
    return found


def clock_that_stands(program):
    """All that measures says so and ends; what only reads does not mind."""
    found = []
    for command in ("run", "latency --sizes 4K", "cores", "check --against $SAMPLE", "doctor", "fence", "as core_latency"):
        result = program.run(f"fathom {command}", fault="clock")
        if result.status != 3 or result.err.count("stands still") != 1:
            found.append(f"{command}: status {result.status}: {result.err!r}")
    result = program.run("fathom report $SAMPLE", fault="clock")
    if result.status != 0:
        found.append(f"report: status {result.status}: {result.err!r}")
    return found


def clock_that_steps(program):
    """When the time of day steps while something measures, its times of measuring are as usual."""
    found = []
    for command in (SHORT, "fathom cores --quick --budget 0.5 -o keep", "fathom run --budget 3 -o keep"):
        result = program.run(command, fault="steps")
        complaints = kept(result, True) + result.clear()
        if result.status not in (0, 3, 4) or result.files.get("keep") == OLDER:
            complaints.append(f"status {result.status}: {result.err}")
        else:
            document = json.loads(result.files["keep"])
            spent = [document["run"]["elapsed_s"], *(probe["elapsed_s"] for probe in document["probes"])]
            complaints += [] if all(0 <= seconds < SECONDS_MAX for seconds in spent) else [f"took {spent} s"]
        found += [f"{command}: {complaint}" for complaint in complaints]
    return found


def refused_calls(program):
    """What a container's kernel may refuse: CPUs can't be chosen, events can't be counted, memory can't be placed. What
    needs it says so, and the rest is measured."""
    found = []
    for calls in ("affinity", "perf", "policy"):
        for command in ("latency --sizes 4K,1M", "bandwidth --quick", "cores --quick", "numa --quick", "noise --quick",
                        "tlb --quick", "run --quick"):
            result = program.run(f"fathom {command} --budget 1 -o keep", fault=f"refuse:{calls}")
            if result.status == 77:
                raise Skip("the kernel refuses no calls here (seccomp)")
            complaints = kept(result, True) + [line for line in result.clear() if "unclear" not in line]
            if result.status not in (0, 3, 4):
                complaints.append(f"status {result.status}: {result.err}")
            found += [f"without {calls}: {command}: {complaint}" for complaint in complaints]
        for command in ("report $SAMPLE", "doctor", "list"):
            result = program.run(f"fathom {command}", fault=f"refuse:{calls}")
            if result.status != 0:
                found.append(f"without {calls}: {command}: status {result.status}: {result.err}")
    return found


# Memory that a program has written is never executable again (prctl(2), PR_SET_MDWE, Linux 6.3).
SEALED = "import ctypes, os, sys; os.execv(sys.argv[1], sys.argv[1:]) if not ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) else sys.exit(77)"


def machines_that_cannot(program):
    """What a machine or a policy doesn't allow is one line and no screen."""
    cpu = min(os.sched_getaffinity(0))
    found = []
    without = "qemu-x86_64 -cpu qemu64,-clflush $FATHOM"
    emulated = os.uname().machine == "x86_64" and shutil.which("qemu-x86_64")
    for command in (f"python3 -c '{SEALED}' $FATHOM front", "fathom front", f"taskset -c {cpu} fathom coherence",
                    f"taskset -c {cpu} fathom cores", *([f"{without} fence --op clflush"] if emulated else ())):
        result = program.run(command, fault="refuse:code" if command == "fathom front" else None)
        if result.status in (77, 127):   # an older kernel, or no taskset
            continue
        if result.status != 3 or result.out or len(result.err.splitlines()) != 1:
            found.append(f"{command}: status {result.status}: {result.out!r} {result.err!r}")
    # The others measure what is there, without that instruction and in 1 GiB.
    for command in [f"{without} {words} --quick --budget 3" for words in ("tail", "fence", "coherence") if emulated] + [
            f"ulimit -v {1 << 20}; fathom {words} --quick --budget 3" for words in ("tail", "front", "fence")]:
        result = program.run(command)
        if result.status not in (0, 3, 4) or len(result.err.splitlines()) != (result.status == 3):
            found.append(f"{command}: status {result.status}: {result.err!r}")
    return found


def tests():
    """(name, function of the program that returns complaints) of every test."""
    return [
        ("signals at any time", signals),
        ("a control group's memory", memory),
        ("CPUs that come and go", cpusets),
        ("a thread of real-time priority", hog),
        ("pages that are not there", huge_pages),
        ("decimal commas", locales),
        ("closed channels", closed),
        ("small stacks", small_stacks),
        ("system files that are hidden", no_system_files),
        ("pipes without a writer", pipes_without_a_writer),
        ("a clock that stands still", clock_that_stands),
        ("a clock that steps", clock_that_steps),
        ("calls that are refused", refused_calls),
        ("machines that can't", machines_that_cannot),
    ]
