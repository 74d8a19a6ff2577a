"""The figures and tables of fathom's sources: its commands in turn with the plain programs of plain/,
which are written from the sources' text."""
import os
import statistics

PRIVATE, SHARED, BATCHES, FORWARD = 5, 10, 10, 15
TURNS = 4
# The article's five kinds of a chase, as `--variants article` names them, and as plain/chase does.
ARTICLE = {"index-checked+packed+pages:small": ("checked", "small"),
           "index+packed+pages:small": ("index", "small"),
           "index+padded+pages:small": ("padded", "small"),
           "pointer+padded+pages:small": ("pointer", "small"),
           "pointer+padded": ("pointer", "huge")}


def values(document):
    """(factors, x or pair, value) of each point."""
    for series in document["probes"][0]["series"]:
        for point in series.get("points", []):
            if "median" in point:
                yield series["factors"], point.get("x"), point["median"]


def hand_offs(bench):
    for op in ("cas", "readwrite"):
        document = bench.document("cores", "--op", op, "--cpus", "0,1")
        ours = statistics.median(value for _, _, value in values(document))
        yield f"core_latency -b {op}", PRIVATE, ours, ("core_latency", op, 0, 1)


def article(bench):
    document = bench.document("latency", "--variants", "article", "--sizes", "16K,512K", "--budget", 8)
    for factors, x, ours in values(document):
        kind = ARTICLE[factors["variant"]]
        yield (f"figures 1-5 {' '.join(kind)} {int(x) >> 10} KiB", PRIVATE, ours,
               ("chase", int(x) >> 10, *kind))
    # Beyond the caches both states are one, and a chase that goes round first takes seconds.
    for size, goal, state in (("16M", SHARED, "chased"), ("512M", PRIVATE, "filled")):
        document = bench.document("latency", "--size", size, "--state", state, "--budget", 10)
        for _, x, ours in values(document):
            yield f"figure 5 {size}", goal, ours, ("chase", int(x) >> 10, "pointer", "huge")


def batches(bench):
    sizes = "16K,512K,64M"
    for words in ((), ("--work", "3x,6x,12x"), ("--work", "3x,12x", "--prefetch", "16")):
        chains = "16" if words else "1,4,8,16"
        document = bench.document("parallelism", "--sizes", sizes, "--chains", chains, *words,
                                  "--budget", 8)
        for factors, x, ours in values(document):
            work, ahead = str(factors.get("work", "0")).rstrip("x"), "prefetch" in factors
            if ahead != ("--prefetch" in words):
                continue
            figure = "9" if ahead else "8" if words else "6-7"
            yield (f"figure {figure} {factors['chains']:.0f} chains, work {work}, {int(x) >> 10} KiB",
                   BATCHES, ours, ("batches", int(x) >> 10, f"{factors['chains']:.0f}", work,
                                   *(["prefetch"] if ahead else [])))


def mem_lat(bench):
    document = bench.document("latency", "--variants", "mem-lat", "--sizes", "1K,32K,512K,16M",
                              "--budget", 12)
    for factors, x, ours in values(document):
        order = factors["order"]
        place = "stack" if factors["address"] == "spilled" else "register"
        goal = FORWARD if order == "forward" else SHARED if x > 1 << 20 else PRIVATE
        yield (f"mem-lat {order} {factors['stride']:.0f} B {place} {int(x) >> 10} KiB", goal, ours,
               ("mem_lat", int(x) >> 10, f"{factors['stride']:.0f}", order, place))


def sources(bench):
    rows = {}
    for turn in range(TURNS):
        for part in (hand_offs, article, batches, mem_lat):
            for name, goal, ours, (program, *words) in part(bench):
                plain = float(bench.program("plain-" + program, *words))
                rows.setdefault((name, goal), []).append((ours, plain))
        print(f"sources: turn {turn + 1} of {TURNS}, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{'':48}  fathom    plain   ratio  goal  turns within")
    for (name, goal), pairs in rows.items():
        ratios = [ours / plain for ours, plain in pairs]
        within = sum(abs(ratio - 1) <= goal / 100 for ratio in ratios)
        ours, plain = (statistics.median(side) for side in zip(*pairs))
        print(f"  {name:46} {ours:7.4g} {plain:8.4g} {statistics.median(ratios):7.2f} {goal:3} %  "
              f"{within} of {len(ratios)}: "
              + ("reached" if 4 * within >= 3 * len(ratios) else "MISSED"))
