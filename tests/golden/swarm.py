"""Many variants of a recorded probe, drawn at random, in one document: what is found in each, in a line each."""
import random
import re

import findings
import variants

MADE_UP = 200   # curves, and matrices
# document: how many variants
COUNTS = {
    "access": 40, "bandwidth": 60, "coherence": 50, "contention": 20, "copy": 15, "cores": 150, "fault": 30, "geometry-rich": 100,
    "gpu-turing": 12, "guest": 30, "i9": 30, "latency": 30, "latency-01": 20, "latency-08": 15, "loaded": 80, "modelled": 30,
    "nodes": 60, "noise": 40, "one-node": 60, "parallelism": 60, "prefetch": 40, "published": 4, "quick": 30, "sample": 20,
    "tlb": 40, "wake": 60, "window": 40,
}
VALUES = ("median", "value", "low", "high", "min", "p10", "p25", "p75", "p90", "max")


def parts(point):
    return [point] + [point[key] for key in ("cycles", "quiet", "quiet_cycles") if key in point]


def scale(points, by):
    for point in points:
        for values in parts(point):
            values.update({key: values[key] * by for key in VALUES if key in values})


def stretch(points, by):
    """Intervals that are wider or narrower."""
    for point in points:
        for values in parts(point):
            middle = values.get("median", values.get("value"))
            values.update({key: max(middle + (values[key] - middle) * by, middle * 0.01)
                           for key in VALUES if key in values and values[key] is not None})


def some(draw, points):
    first = draw.randrange(len(points))
    return points[first:first + draw.randint(1, len(points))]


def step(draw, series):
    scale(some(draw, series["points"]), 2 ** draw.uniform(-1, 1))


def slight_step(draw, series):
    scale(some(draw, series["points"]), 2 ** draw.uniform(-0.2, 0.2))


def noise(draw, series):
    by = 10 ** draw.uniform(-2.5, -0.7)
    for point in series["points"]:
        scale([point], 2 ** draw.uniform(-by, by))


def spikes(draw, series):
    for point in draw.sample(series["points"], min(len(series["points"]), draw.randint(1, 5))):
        scale([point], 2 ** draw.uniform(-1.5, 1.5))


def width(draw, series):
    stretch(some(draw, series["points"]), 2 ** draw.uniform(-3, 3))


def thin(draw, series):
    left = [point for point in series["points"] if draw.random() < draw.choice((0.4, 0.7, 0.9))]
    series["points"] = left or series["points"][:1]


def cut(draw, series):
    series["points"] = some(draw, series["points"])


def fail(draw, series):
    for point in draw.sample(series["points"], min(len(series["points"]), draw.randint(1, 6))):
        for key in set(point) - {"x", "from", "to"}:
            del point[key]
        point["n"] = 0


def move(draw, series):
    """What happened at one size happens at another."""
    by = draw.choice((0.5, 0.75, 1.25, 1.5, 2, 3))
    if "x" in series["points"][0] and series["points"][0]["x"] >= 64:
        for point in series["points"]:
            point["x"] = int(point["x"] * by) // 64 * 64 or 64


def swap(draw, series):
    """Points that read as others do."""
    if len(series["points"]) > 1:
        for _ in range(draw.randint(1, 3)):
            here, there = draw.sample(series["points"], 2)
            place = {key: here[key] for key in ("x", "from", "to") if key in here}
            here.clear()
            here.update(there | place)


def flag(draw, series):
    flags = draw.sample(("preempted", "unstable", "migrated", "stolen", "too-few", "clock-changed"), 2)
    for point in some(draw, series["points"]):
        point["flags"] = sorted(set(point.get("flags", []) + flags))


CHANGES = (step, step, slight_step, noise, noise, spikes, width, thin, cut, fail, move, swap)


def changed(probe, seed):
    draw = random.Random(f"{probe['name']} {seed}")
    probe = variants.copied(probe)
    probe.pop("findings", None)
    if draw.random() < 0.15 and len(probe["series"]) > 1:
        del probe["series"][draw.randrange(len(probe["series"]))]
    for change in draw.sample(CHANGES, draw.randint(1, 3)):
        which = probe["series"] if draw.random() < 0.5 else [draw.choice(probe["series"])]
        for series in which:
            if series["points"]:
                change(draw, series)
    for simplify, share in ((variants.few, 0.1), (variants.single, 0.1), (variants.without_quiet, 0.2)):
        if draw.random() < share:
            for series in probe["series"]:
                simplify(series)
    return probe


def changed_all(document, seed):
    """The document with every probe changed."""
    return document | {"probes": [changed(probe, seed) if probe.get("series") else probe for probe in document["probes"]]}


def varied(document, seed):
    """The document with a few points a series, findings as if measured elsewhere, and series that changed with them."""
    document = variants.copied(document)
    document["run"]["started"] = f"2026-11-26T09:{seed % 60:02}:00Z"
    draw = random.Random(f"varied {seed}")
    spread = draw.choice((0.02, 0.1, 0.3, 0.6))
    if draw.random() < 0.6:
        document["machine"].pop("hypervisor", None)
    for probe in document["probes"]:
        by = 2 ** draw.uniform(-spread, spread)
        for found in probe.get("findings", []):
            own = by if draw.random() < 0.5 else 2 ** draw.uniform(-spread, spread) if draw.random() < 0.5 else 1
            scale([found], own)
            if "value" in found and draw.random() < 0.3:
                stretch([found], 2 ** draw.uniform(-3, 3))
            if draw.random() < 0.1:
                for key in ("low", "high", "quiet", "quiet_cycles"):
                    found.pop(key, None)
        probe["findings"] = [found for found in probe.get("findings", []) if draw.random() < 0.97]
        for series in probe.get("series", []):
            series["points"] = [point for point in series["points"] if draw.random() < 0.9]
            scale(series["points"], by)
            if series["points"]:
                draw.choice((noise, step, spikes, width, fail, flag))(draw, series)
    return document


def nudged(document, seed):
    """The document with a few values at an edge, or missing, wherever they stand."""
    draw = random.Random(f"nudged {seed}")
    document = variants.copied(document)
    for _ in range(draw.randint(1, 4)):
        inside, key = document, draw.choice([key for key in document if key not in ("schema", "tool")])
        while isinstance(inside[key], (dict, list)) and inside[key]:
            inside = inside[key]
            key = draw.choice(list(inside)) if isinstance(inside, dict) else draw.randrange(len(inside))
        was = inside[key]
        if key in ("status", "seed", "started"):
            continue
        if isinstance(was, bool):
            inside[key] = not was
        elif isinstance(was, int):
            inside[key] = draw.choice((0, 1, 2, was + 1, max(0, was - 1), was * 2, was // 2))
        elif isinstance(was, float):
            inside[key] = draw.choice((0, 1, -was, was * 2, was / 2, was * 1.1, was * 0.999, was * 1000, was / 1000, round(was), 0.5))
        elif isinstance(inside, dict) and key not in ("name", "what", "type", "unit", "probes") and draw.random() < 0.6:
            del inside[key]
        elif isinstance(was, str):
            inside[key] = draw.choice(("", was + was, was[:1], was.upper()))
    return document


def fewer(document, points=5):
    """The document with a few points a series."""
    document = variants.copied(document)
    for probe in document["probes"]:
        for series in probe.get("series", []):
            series["points"] = series["points"][::max(1, len(series["points"]) // points)]
    return document


def edited(text, seed):
    """A table in which a few things are wrong, or otherwise."""
    draw = random.Random(f"edited {seed}")
    lines = text.split("\n")
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(lines))
        words = re.split(r"([ ,;:\t]+)", lines[at])
        word = draw.randrange(len(words))
        number = re.fullmatch(r"-?[\d.]+", words[word])
        kind = draw.randrange(8)
        if kind == 0:
            del lines[at:at + draw.randint(1, 2)]
            lines = lines or [""]
        elif kind == 1:
            lines.insert(at, lines[draw.randrange(len(lines))])
        elif kind == 2:
            other = draw.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3:
            del words[word:word + 2]
        elif kind == 4:
            words[word:word] = [draw.choice(("0", "1", "-1", "7.5", "x", "nan", "1e9", "%", "\"", "64K")), " "]
        elif number:
            words[word] = draw.choice(("0", "-" + words[word], words[word] + "0", "0." + words[word].replace(".", ""), "1e30",
                                       "99999999999", "1.0x", words[word] + "K", "", words[word][:-1]))
        elif words[word]:
            where = draw.randrange(len(words[word]))
            words[word] = words[word][:where] + draw.choice("x ,.:/(\t") + words[word][where + draw.randrange(2):]
        if 3 <= kind and at < len(lines):
            lines[at] = "".join(words)
    return "\n".join(lines)


WORDS = ("cpu", "core", "from", "to", "a", "b", "k", "s", "n", "c", "threads", "size", "stride", "ns", "us", "ms", "time", "lat", "latency", "load", "cycles", "cyc",
         "clk", "rate", "bw", "bandwidth", "kb", "kib", "MB", "GiB", "mega", "MB/s", "Gib/s", "b/s", "k/s", "per", "avg", "mean", "min", "max", "median", "p50",
         "best", "std", "working", "set", "node", "reads", "pct", "read", "write", "L1", "x", "%")


def named(seed):
    """A table whose columns have names of words that may mean something."""
    draw = random.Random(f"named {seed}")
    names = ["".join(part for at in range(draw.choice((1, 1, 2, 2, 3))) for part in (draw.choice((" ", "_", "-", "")) if at else "", draw.choice(WORDS)))
             for _ in range(draw.choice((2, 2, 3, 3, 4)))]
    if draw.random() < 0.3:
        names = [name.title().replace("_", "") for name in names]
    rows = [[str(draw.choice((1, 2, 4)) * (at + 1))] + [f"{draw.uniform(1, 60):.2f}" if draw.random() < 0.8 else str(at + 1) for _ in names[1:]]
            for at in range(draw.choice((2, 3, 5)))]
    return "\n".join(",".join(row) for row in [names] + rows) + "\n"


def few_rows(seed):
    """A curve of few sizes, in any order and form."""
    draw = random.Random(f"few rows {seed}")
    between = draw.choice((" ", ",", "\t", ";", "  "))
    rows = [f"{2 ** draw.randint(0, 12)}{draw.choice(('K', 'K', 'K', 'KiB', 'M', 'B', '', ' KB'))}{between}{draw.choice((1, 1.01, 2, 3, 5, 40, 100, 0.4))}"
            for _ in range(draw.randint(1, 6))]
    if draw.random() < 0.4:
        rows.insert(draw.choice((0, 0, 1)), draw.choice(("size,ns", "# made up", "", "size ns", "# size cycles", "4K", "KB\tlatency")))
    return "\n".join(rows) + draw.choice(("\n", "", "\n\n", "\r\n"))


def few_cpus(seed):
    """A small square or a triangle, with or without ids, in any form."""
    draw = random.Random(f"few cpus {seed}")
    n, between, diagonal, shape = draw.randint(1, 5), draw.choice((",", " ", "  ", "\t", ";")), draw.choice(("0", "", "-", "N/A", None)), draw.choice("<>[[[")
    first, above, beside, width = draw.choice((0, 0, 1, 7)), draw.random() < 0.5, draw.random() < 0.5, draw.choice((1, 1, 6))
    rows = [[" " * (not between.strip() and width) if beside else None] * beside + [str(at + first) for at in range(n)]] if above else []
    for a in range(n):
        cells = [diagonal if a == b else f"{draw.uniform(9, 60):.{draw.choice((0, 1))}f}" for b in range(n)
                 if shape == "[" or (b <= a if shape == "<" else b >= a)]
        rows.append([str(a + first)] * beside + [cell for cell in cells if cell is not None])
    for row in rows:
        if draw.random() < 0.08 and row:
            row[draw.randrange(len(row))] = draw.choice(("x", "0", "1e9", "-1", "", "5"))
    if draw.random() < 0.15:
        rows.insert(draw.randrange(len(rows) + 1), draw.choice(rows or [[""]]))
    return "\n".join(between.join((cell or "").rjust(width) for cell in row) for row in rows) + draw.choice(("\n", "\n", ""))


def edge(text, seed):
    """A table in which one thing is at the edge of what is read, or missing, or there twice."""
    draw = random.Random(f"edge {seed}")
    words = re.split(r"([\s,;:/()\[\]{}\"']+)", text)
    numbers = [at for at, word in enumerate(words) if re.fullmatch(r"-?\d[\d.]*[KMG]?", word)]
    kind = draw.randrange(6)
    at = draw.choice(numbers) if numbers and kind < 4 else draw.randrange(len(words))
    if kind < 4 and numbers:
        words[at] = draw.choice(("0", "1", "0.5", "-1", "2", "1e9", "100", words[at] + ".5", words[at] + "0", str(len(words)), ""))
    elif kind == 4:
        del words[at:at + draw.choice((1, 2, 2, 4))]
    else:
        words[at:at] = words[max(0, at - draw.choice((1, 2, 4))):at]
    return "".join(words)


def loop(seed):
    """The options of a loop that may be predicted."""
    draw = random.Random(f"loop {seed}")
    size = draw.choice(("1K", "4K", "16K", "40K", "48K", "100K", "300K", "900K", "1M", "3M", "20M", "33M", "200M", "1G"))
    options = {"pattern": draw.choice(("random", "random", "random", "sequential", "stride"))}
    for name, values, share in (("chains", (1, 2, 3, 4, 8, 16, 30, 64), 0.5), ("threads", (1, 2, 2, 2), 0.4), ("work", (1, 5, 20, 100, 400, 3000), 0.3),
                                ("pages", ("4K", "thp", "auto"), 0.5), ("node", (0, 0, 1), 0.15)):
        if draw.random() < share and (name != "chains" or options["pattern"] == "random"):
            options[name] = draw.choice(values)
    if options["pattern"] == "stride" and draw.random() < 0.8:
        options["stride"] = draw.choice((32, 64, 128, 256, 1024, 4096, "64K", "1M", "3M"))
    return f"--size {size} " + " ".join(f"--{name} {value}" for name, value in options.items())


def value(median, width):
    ends = {"median": median, "low": median * (1 - width), "high": median * (1 + width)}
    return {key: float(f"{end:.6g}") for key, end in ends.items()}


def curve(draw):
    """The points of a made-up memory: some levels, sharp or soft, perhaps with translation or a neighbour on top."""
    latency, capacity, levels = draw.uniform(0.8, 2), 2 ** draw.uniform(13.5, 16.5), []
    for _ in range(draw.randint(1, 4)):
        step = 2 ** draw.choice((draw.uniform(0.1, 0.8), draw.uniform(0.8, 2.5)))
        levels.append((capacity, latency * (step - 1), draw.choice((4, 8, 16, 60))))
        latency *= step
        capacity *= 2 ** draw.uniform(1, 5)
    for covered in (2 ** draw.uniform(16, 19), 2 ** draw.uniform(20, 24)):   # what a TLB covers, and what a miss costs
        if draw.random() < 0.4:
            levels.append((covered, latency * draw.uniform(0.02, 0.5), draw.choice((2, 8))))
    noise, width = draw.choice((0, 0.003, 0.02, 0.08)), draw.choice((0, 0.002, 0.01, 0.05, 0.2))
    octaves, first = draw.choice((1, 1, 2, 3)), draw.choice((10, 12, 14))
    points = []
    for at in range(octaves * draw.randint(8, 18)):
        size = int(2 ** (first + at / octaves)) // 64 * 64
        lasts = 1 + sum(more / (1 + (end / size) ** sharp) for end, more, sharp in levels)
        lasts *= 2 ** draw.uniform(-noise, noise)
        if draw.random() < 0.04:
            lasts *= draw.uniform(1, 1.5)
        point = {"x": size, **value(lasts, width), "n": 6, "coverage": 0.96} if width else \
            {"x": size, "median": value(lasts, 0)["median"], "n": 1}
        points.append(point | ({"cycles": value(3.2 * lasts, width)} if width == 0.01 else {}))
    return points


def curves(document, count):
    """The document with made-up curves of latency in place of its own."""
    document = variants.bare(document)
    probe, document["probes"] = document["probes"][0], []
    for seed in range(count):
        series = probe["series"][0] | {"points": curve(random.Random(f"curve {seed}"))}
        document["probes"].append(probe | {"series": [series]})
    return document


def matrix(draw, most=24):
    """The points of a made-up machine: clusters in clusters, some CPUs slow, some pairs missing."""
    shape = [draw.choice((1, 2, 2, 3, 4)) for _ in range(draw.randint(2, 4))]
    places = [()]
    for size in shape:
        places = [place + (at,) for place in places for at in range(size + (draw.random() < 0.15))]
    places = places[:most]
    apart = [draw.uniform(15, 40)]
    for _ in shape:
        apart.append(apart[-1] * 2 ** draw.choice((draw.uniform(0.02, 0.2), draw.uniform(0.2, 1.3))))
    slow = {place: draw.choice((1, 1, 1, 1, 1, 1, 1, 1.03, 1.2)) for place in places}
    noise, width, holes = draw.choice((0, 0.003, 0.02, 0.08)), draw.choice((0.002, 0.02)), draw.choice((0, 0, 0, 0.05))
    order = list(range(len(places)))
    draw.shuffle(order) if draw.random() < 0.3 else None
    points = []
    for a, one in enumerate(places):
        for b, other in enumerate(places):
            if a == b or draw.random() < holes:
                continue
            same = next(at for at, (x, y) in enumerate(zip(one, other)) if x != y)
            lasts = apart[len(shape) - 1 - same] * slow[one] * slow[other] * 2 ** draw.uniform(-noise, noise)
            points.append({"from": order[a], "to": order[b], **value(lasts, width), "n": 20, "coverage": 0.96})
    return points


def matrices(document, count):
    """The document with made-up matrices of hand-offs in place of its own."""
    document = variants.bare(document)
    probe = next(probe for probe in document["probes"] if probe["name"] == "cores")
    document["probes"] = []
    for seed in range(count):
        made_up = probe | {"series": [probe["series"][0] | {"points": matrix(random.Random(f"matrix {seed}"), 24 if seed % 10 else 70)}]}
        if seed % 4:
            made_up.pop("parameters", None)
        document["probes"].append(made_up)
    return document


def square(document, seed):
    """The document with one made-up matrix, of few or many CPUs, near or far apart, some of them with labels and groups."""
    draw = random.Random(f"square {seed}")
    document = variants.bare(document)
    probe = next(probe for probe in document["probes"] if probe["name"] == "cores")
    count = (2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 20, 25, 32, 33, 64, 65)[seed % 20]
    points = [point for point in matrix(draw, 10 * count) if max(point["from"], point["to"]) < count]
    scale(points, draw.choice((0.1, 0.3, 1, 1, 3, 10, 100)))
    document["probes"] = [probe | {"series": [probe["series"][0] | {"points": points}]}]
    parameters = document["probes"][0].setdefault("parameters", {})
    parameters.pop("cpu_groups", None)
    if draw.random() < 0.4:
        parameters["cpu_labels"] = " ".join(f"{cpu}=c{cpu // 2}.{cpu % 2}" for cpu in range(count))
    if draw.random() < 0.4:
        parameters["cpu_groups"] = "; ".join(f"siblings {cpu},{cpu + 1} SMT siblings" for cpu in range(0, count - 1, 2)) + f"; node 0-{count // 2} NUMA node 0"
    return document


def swarm(document, count):
    """The document's largest probe as it is, then its variants."""
    document = variants.bare(document)
    probe = max(document["probes"], key=lambda probe: len(str(probe)))
    document["probes"] = [probe] + [changed(probe, seed) for seed in range(count)]
    return document


def one(document, seed):
    """One variant of the document's largest probe."""
    document = swarm(document, 0)
    document["probes"] = [changed(document["probes"][0], f"alone {seed}")]
    return document


def short(found):
    """A finding, and how wide its interval is."""
    line = f"{found['value']:.4g}" if "value" in found else "none"
    if found.get("low", 0) > 0 and "high" in found:
        line += f"~{100 * (found['high'] / found['low'] - 1):.2g}%"
    else:
        line += "".join(f" {end} {found[end]:.2g}" for end in ("low", "high") if end in found)
    return line + "".join("!" + flag[:3] for flag in found.get("flags", []))


def table(seed):
    """A made-up curve as people have it."""
    return "".join(f"{point['x']} {point['median']}\n" for point in curve(random.Random(f"table {seed}")))


def lines(document, alike=True):
    """What is found in the first probe, a line for each other (of like ones, of what differs), and each sentence once."""
    first, text, sentences = {}, [], {}
    for number, probe in enumerate(document["probes"]):
        seen = {" ".join([found["name"]] + [found[key] for key in ("cpus",) if key in found]): short(found)
                for found in probe.get("findings", [])}
        text.append("; ".join([f"{number}:"] + [f"{name} {value}" for name, value in seen.items() if first.get(name) != value] +
                              [f"no {name}" for name in first if name not in seen]))
        first = (first or seen) if alike else {}
        for found in probe.get("findings", []):
            if "text" in found:
                sentences.setdefault(f"{found['name']}: {found['text']}", number)
    return text + findings.flat(document.get("verdict", {}), "verdict") + list(sentences)
