"""The figures and tables of fathom's sources: its commands in turn with the plain programs of plain/,
which are written from the sources' text; then every table once more at a load of 8."""
import contextlib
import os
import re
import statistics
import time

from noise import tormentor, verdict

# The figure of a point that is compared, as plain.h's tell() prints it too: what the core's clock drives is
# told in its cycles, since a clock changes between two programs. A host's other thread on the same core
# slows batches with work by half for some 0.2 to 2 s: their least trial and walk were undisturbed. Beyond
# the caches a least trial is one whose lines a quiet neighbour left in the host's cache, so medians count.
# goal in percent, what fathom's point says, the plain program's column
CYCLES, NS, LEAST = range(3)
OURS = (lambda point: point["cycles"]["median"], lambda point: point["median"], lambda point: point["min"])
COLUMN = (2, 0, 1)
PRIVATE, MEMORY, SHARED, BATCHES, FORWARD = (5, CYCLES), (5, NS), (10, NS), (10, LEAST), (15, CYCLES)
# A point is "as found" with a flag that doubts it, or a half width of a quarter (ROLE_PLAIN of conclude/verdict.c).
NARROW = 0.25
# In a turn both sides go one after the other as often as this, and the least of each counts.
TURNS, ALTERNATIONS = 4, 3
BESIDE, SETTLE_S = 8, 30
# The article's five kinds of a chase, as `--variants article` names them, and as plain/chase does.
ARTICLE = {"index-checked+packed+pages:small": ("checked", "small"),
           "index+packed+pages:small": ("index", "small"),
           "index+padded+pages:small": ("padded", "small"),
           "pointer+padded+pages:small": ("pointer", "small"),
           "pointer+padded": ("pointer", "huge")}


def points(document):
    """(factors, x, point) of each point that has a value."""
    for series in document["probes"][0]["series"]:
        for point in series.get("points", []):
            if "median" in point:
                yield series["factors"], point.get("x"), point


def hand_offs(bench):
    for op in ("cas", "readwrite"):
        document = bench.document("cores", "--op", op, "--cpus", "0,1")
        for _, _, ours in points(document):
            yield f"core_latency -b {op} {ours['from']:.0f} to {ours['to']:.0f}", PRIVATE, ours, (
                "core_latency", op, 0, 1)


def article(bench):
    document = bench.document("latency", "--variants", "article", "--sizes", "16K,512K", "--budget", 4)
    for factors, x, ours in points(document):
        kind = ARTICLE[factors["variant"]]
        yield (f"figures 1-5 {' '.join(kind)} {int(x) >> 10} KiB", PRIVATE, ours,
               ("chase", int(x) >> 10, *kind))
    # Beyond the caches both states are one, and a chase that goes round first takes seconds.
    for size, goal, state in (("16M", SHARED, "chased"), ("512M", PRIVATE, "filled")):
        document = bench.document("latency", "--size", size, "--state", state, "--budget", 10)
        for _, x, ours in points(document):
            yield f"figure 5 {size}", goal, ours, ("chase", int(x) >> 10, "pointer", "huge")


def batches(bench):
    sizes = "16K,512K,64M"
    for words in ((), ("--work", "3x,6x,12x"), ("--work", "3x,12x", "--prefetch", "16")):
        chains = "16" if words else "1,4,8,16"
        document = bench.document("parallelism", "--sizes", sizes, "--chains", chains, *words,
                                  "--budget", 4)
        for factors, x, ours in points(document):
            work, ahead = str(factors.get("work", "0")).rstrip("x"), "prefetch" in factors
            if ahead != ("--prefetch" in words):
                continue
            figure = "9" if ahead else "8" if words else "6-7"
            yield (f"figure {figure} {factors['chains']:.0f} chains, work {work}, {int(x) >> 10} KiB",
                   SHARED if x > 1 << 20 else BATCHES, ours, ("batches", int(x) >> 10, f"{factors['chains']:.0f}", work,
                                   *(["prefetch"] if ahead else [])))


def mem_lat(bench):
    document = bench.document("latency", "--variants", "mem-lat", "--sizes", "1K,32K,512K,16M",
                              "--budget", 6)
    for factors, x, ours in points(document):
        order = factors["order"]
        place = "stack" if factors["address"] == "spilled" else "register"
        goal = FORWARD if order == "forward" else SHARED if x > 1 << 20 else PRIVATE
        yield (f"mem-lat {order} {factors['stride']:.0f} B {place} {int(x) >> 10} KiB", goal, ours,
               ("mem_lat", int(x) >> 10, f"{factors['stride']:.0f}", order, place))


PARTS = (hand_offs, article, batches, mem_lat)


def turn(bench, alone):
    """(name, goal) of each figure: the least of fathom's values and of the plain program's. Each
    median of fathom's goes to `alone`."""
    least = {}
    for _ in range(ALTERNATIONS):
        for part in PARTS:
            for name, goal, ours, (program, *words) in part(bench):
                plain = float(bench.program("plain-" + program, *words).split()[COLUMN[goal[1]]])
                value = OURS[goal[1]](ours)
                middle = ours["cycles"] if goal[1] == CYCLES else ours
                alone.setdefault((name, goal), []).append(middle["median"])
                before = least.get((name, goal), (plain, value))
                least[name, goal] = min(before[0], plain), min(before[1], value)
    return least


@contextlib.contextmanager
def load(bench):
    """Programs that only compute, on both CPUs, until the load average says so."""
    with contextlib.ExitStack() as stack:
        for place in range(BESIDE):
            stack.enter_context(tormentor(bench, ["alu"], sorted(os.sched_getaffinity(0))[place % 2]))
        time.sleep(SETTLE_S)
        yield


def whole(bench, alone):
    """Each table beside a load of 8: which figures are missing, and which of the others hold the
    value alone within their interval. One that does not is as found."""
    doubts = set(re.findall(r"^  ! (\S+)", bench.said("list", "flags"), re.M))
    held, off = 0, []
    for part in PARTS:
        for name, goal, ours, _ in part(bench):
            value, side = alone.pop((name, goal)), ours["cycles"] if goal[1] == CYCLES else ours
            if side["low"] <= value <= side["high"]:
                held += 1
            else:
                off.append((name, value, side, ours.get("flags", [])))
    silent = sum(not doubts.intersection(flags) and side["high"] - side["low"] <= 2 * NARROW * side["median"]
                 for _, _, side, flags in off)
    print(f"sources at a load of {os.getloadavg()[0]:.1f}: {len(alone)} figures missing, {held} hold "
          f"the value alone, {len(off)} do not, {silent} of them as good: "
          + verdict(not alone and not silent))
    for name, value, side, flags in off:
        print(f"  {name:46} {value:7.4g} alone, {side['median']:.4g} ({side['low']:.4g} to "
              f"{side['high']:.4g}) {' '.join(flags)}")


def sources(bench):
    rows, alone = {}, {}
    for number in range(TURNS):
        for figure, (plain, ours) in turn(bench, alone).items():
            rows.setdefault(figure, []).append((ours, plain))
        print(f"sources: turn {number + 1} of {TURNS}, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{'cycles; ns of batches and beyond the caches':48}  fathom    plain   ratio  goal  turns within")
    for (name, (goal, _)), pairs in rows.items():
        ratios = [ours / plain for ours, plain in pairs]
        within = sum(abs(ratio - 1) <= goal / 100 for ratio in ratios)
        ours, plain = (statistics.median(side) for side in zip(*pairs))
        print(f"  {name:46} {ours:7.4g} {plain:8.4g} {statistics.median(ratios):7.2f} {goal:3} %  "
              f"{within} of {len(ratios)} (" + " ".join(f"{ratio:.2f}" for ratio in ratios) + "): "
              + verdict(4 * within >= 3 * len(ratios)))
    with load(bench):
        whole(bench, {figure: statistics.median(values) for figure, values in alone.items()})
