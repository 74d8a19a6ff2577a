"""What recorded documents are turned into: thinner, older, noisier and broken ones."""
import marshal


def copied(document):
    """A copy in all depth, sooner made than by deepcopy()."""
    return marshal.loads(marshal.dumps(document))


def each(change):
    """A variant that changes every series, by change(series), in a copy without findings."""
    def changed(document):
        document = bare(document)
        for probe in document["probes"]:
            for series in probe.get("series", []):
                change(series)
        return document
    return changed


def bare(document):
    document = copied(document)
    document.pop("verdict", None)
    for probe in document["probes"]:
        probe.pop("findings", None)
    return document


def thin(series):
    points = series["points"]
    series["points"] = points if len(points) < 4 else points[:1] + points[1:-1:3] + points[-1:]


def missing(series):
    series["points"] = [point for index, point in enumerate(series["points"]) if index % 3 != 1]


def failed_points(series):
    """Every third point has no trials."""
    for point in series["points"][1::3]:
        for key in list(point):
            if key not in ("x", "from", "to"):
                del point[key]
        point["n"] = 0


def few(series):
    """Three trials in place of all, and the interval is their range."""
    for point in series["points"]:
        if point.get("n", 0) > 3 and "p25" in point:
            point.update(n=3, low=point["p25"], high=point["p75"], coverage=0.75, min=point["p25"],
                         p10=point["p25"], p90=point["p75"], max=point["p75"],
                         flags=point.get("flags", []) + ["too-few"])
            for key in ("quiet", "quiet_cycles", "scatter"):
                point.pop(key, None)


def single(series):
    """One trial: no interval."""
    for point in series["points"]:
        if point.get("n", 0) > 1:
            for key in list(point):
                if key not in ("x", "from", "to", "median", "flags", "cycles"):
                    del point[key]
            point["n"] = 1
            if "cycles" in point:
                point["cycles"] = {"median": point["cycles"]["median"]}


def wide(series):
    """Every fifth point was disturbed: its interval is wide and it is flagged."""
    for point in series["points"][2::5]:
        if point.get("n", 0) and "low" in point:
            point["low"] *= 0.8
            point["high"] *= 1.6
            point["flags"] = sorted(set(point.get("flags", []) + ["preempted", "unstable"]))


def scaled(series, by=1.3, part=slice(None)):
    for point in series["points"][part]:
        for values in [point] + [point[key] for key in ("cycles", "quiet", "quiet_cycles") if key in point]:
            for key in ("median", "value", "low", "high", "min", "p10", "p25", "p75", "p90", "max"):
                if key in values:
                    values[key] *= by


def rising(series):
    """The latter half reads a third more."""
    scaled(series, 1.33, slice(len(series["points"]) // 2, None))


def falling(series):
    scaled(series, 0.7, slice(len(series["points"]) // 2, None))


def zigzag(series):
    """Every second point reads a fifth less: curves without order."""
    scaled(series, 0.8, slice(1, None, 2))


def without_quiet(series):
    for point in series["points"]:
        for key in ("quiet", "quiet_cycles", "scatter"):
            point.pop(key, None)


def partial(document):
    """The latter half of every probe's series was never measured."""
    document = bare(document)
    for probe in document["probes"]:
        series = probe.get("series", [])
        probe["series"] = series[:(len(series) + 1) // 2]
        probe["status"], probe["reason"] = "partial", "the time was over"
    document["run"]["complete"] = False
    return document


def first_series_gone(document):
    document = bare(document)
    for probe in document["probes"]:
        probe["series"] = probe.get("series", [])[1:]
    return document


def failed(document):
    document = bare(document)
    for probe in document["probes"]:
        probe["series"] = []
        probe["status"], probe["reason"] = "failed", "the kernel refused memory"
    return document


def old(document):
    """As fathom 0.1 wrote it: no factors of findings, no quiet values, warnings in place of remarks."""
    document = copied(document)
    document.pop("verdict", None)
    conditions = document.get("conditions", {})
    remarks = conditions.pop("remarks", [])
    if remarks:
        conditions["warnings"] = [f"{remark['what']}: {remark.get('why', '')}" for remark in remarks]
    for probe in document["probes"]:
        for found in probe.get("findings", []):
            for key in ("factors", "quiet", "quiet_cycles"):
                found.pop(key, None)
        for series in probe.get("series", []):
            without_quiet(series)
    return document


def without_machine(document):
    """Nothing is known of the machine, nor of the settings."""
    document = bare(document)
    document.pop("machine", None)
    document.pop("conditions", None)
    for probe in document["probes"]:
        probe.pop("parameters", None)
    return document


ALL = {
    "thin": each(thin), "missing points": each(missing), "points without trials": each(failed_points),
    "few trials": each(few), "single trials": each(single), "disturbed": each(wide),
    "rising": each(rising), "falling": each(falling), "zigzag": each(zigzag),
    "partial": partial, "first series gone": first_series_gone, "failed": failed, "old": old,
    "without quiet values": each(without_quiet), "without machine": without_machine,
}


def late_flat(series):
    """No two sizes of L3 agree, and traffic made some sets in memory slower than smaller and larger ones."""
    for point in series["points"]:
        mib = point["x"] / (1 << 20)
        cycles = 4 if mib < 0.04 else 14 if mib <= 0.5 else 14 * (2 * mib) ** 1.5 if mib <= 4 else \
            421 if mib <= 16 else 580 if mib <= 80 else 430
        for of, value in ((point, cycles / 4), (point["cycles"], cycles)):
            of.update(median=value, low=0.99 * value, high=1.01 * value)
        for key in ("min", "p10", "p25", "p75", "p90", "max"):
            point[key] = cycles / 4
        for key in ("quiet", "quiet_cycles", "flags"):
            point.pop(key, None)
