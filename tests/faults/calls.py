"""The n-th call of one kind fails, n from the first to the last, or a sample of these."""
import json

from program import OLDER, Result, Skip, kept

KINDS = ("alloc", "write", "link", "rename", "fsync", "mmap", "thread")
SAMPLE = 4   # of each command and kind
FORMATS = ("text", "markdown", "csv", "csv-points", "csv-matrix", "json", "html", "openmetrics")

# What they print and write is the same each time.
READING = (
    *(f"fathom report -f {name} $SAMPLE" for name in FORMATS),
    *(f"fathom report -f {name} $SAMPLE -o keep" for name in FORMATS),
    "fathom report $DATA/health/quick.json",
    "fathom report -f html $SAMPLE $DATA/health/quick.json -o keep",
    *(f"fathom diff -f {name} $DATA/health/quick.json $DATA/health/bandwidth.json"
      for name in ("text", "csv", "json", "html")),
    "fathom diff $SAMPLE $SAMPLE -o keep",
    "fathom check $DATA/health/quick.json --against $DATA/health/quick.json",
    "fathom merge $DATA/health/quick.json $DATA/health/bandwidth.json -o keep",
    "fathom baseline $DATA/health/quick.json $DATA/health/quick.json -o keep",
    "fathom analyse $DATA/health/quick.json -o keep",
    "cp $DATA/health/quick.json mine; fathom analyse --in-place mine",
    "fathom import $DATA/curves/lat_mem_rd.txt -o keep",
    "fathom import $DATA/mlc/two-nodes.txt -o keep",
    "fathom import $DATA/multichase/four-levels.txt",
    "fathom import $DATA/core-matrix/i3-2120t-cas.csv",
    *(f"fathom import $DATA/tools/{name} -o keep" for name in ("sbc-bench.txt", "mt4g.json", "osu.txt")),
    "fathom nearest $SAMPLE", "fathom nearest $SAMPLE $DATA/health/quick.json -o keep",
    "fathom list", "fathom run --help", "fathom manual run",
)
MEASURING = (
    "fathom latency --sizes 4K,1M --budget 0.1 -o keep",
    "fathom latency --sizes 4K --budget 0.1 -o new --html page",
    "fathom bandwidth --quick --budget 0.2 -o keep",
)


def counted(program, command, kind):
    """The number of the command's calls of the kind, and how it ends without a fault."""
    result = program.run(command, fault=f"{kind}:0", env={"FATHOM_FAULT_COUNT": "count"})
    if result.status == 77:
        raise Skip("the kernel stops no calls here (seccomp)")
    return int(result.files.get("count") or 0), without_count(result)


def without_count(result):
    return Result(result.status, result.out, result.err,
                  {name: raw for name, raw in result.files.items() if name != "count"})


def chosen(program, count):
    if program.everything or count <= SAMPLE:
        return range(1, count + 1)
    return sorted({1 + (count - 1) * i // (SAMPLE - 1) for i in range(SAMPLE)})


def reading(program, command, kind):
    """A failure has a line and status, and leaves the older file; a success is the usual one."""
    complaints = []
    count, usual = counted(program, command, kind)
    for n in chosen(program, count):
        result = program.run(command, fault=f"{kind}:{n}")
        found = result.clear()
        if result.status == usual.status and (result.out, result.files) != (usual.out, usual.files):
            found.append(f"a wrong success: {len(result.out)} of {len(usual.out)} bytes")
        elif result.status not in (usual.status, 2, 3):
            found.append(f"status {result.status}")
        if result.status in (2, 3) and result.status != usual.status:
            found += kept(result, False)
            if "mine" in result.files and not result.files["mine"].startswith(b"{"):
                found.append("mine is lost")
        complaints += [f"{command}: {kind} {n} of {count}: {complaint}" for complaint in found]
    return complaints


def is_complete(result):
    try:
        return json.loads(result.files["keep"])["run"]["complete"] is True
    except (ValueError, KeyError, TypeError):
        return False


def measuring(program, command, kind):
    complaints = []
    count, _ = counted(program, command, kind)
    for n in chosen(program, count):
        result = program.run(command, fault=f"{kind}:{n}")
        # Where memory runs out while a whole run is shown, its document has been saved.
        found = result.clear() + kept(result, result.status in (0, 2, 4) or is_complete(result))
        if result.status not in (0, 2, 3, 4):
            found.append(f"status {result.status}")
        if result.status in (0, 4) and "-o keep" in command and result.files.get("keep") == OLDER:
            found.append("a success that wrote nothing")
        complaints += [f"{command}: {kind} {n} of {count}: {complaint}" for complaint in found]
    return complaints


def of(kind, commands, how):
    return lambda program: [complaint for command in commands
                            for complaint in how(program, command, kind)]


def tests():
    """(name, function of the program that returns complaints) of every test."""
    return [(f"{kind} fails {where}", of(kind, commands, how))
            for kind in KINDS
            for where, commands, how in (("while reading", READING, reading),
                                         ("while measuring", MEASURING, measuring))
            if not (how is reading and kind in ("mmap", "thread"))]
