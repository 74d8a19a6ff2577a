"""A document's results as lines of text: what `fathom analyse` computed, and nothing else."""


def number(value):
    return f"{value:.6g}" if isinstance(value, (int, float)) else str(value)


def interval(value):
    ends = f" [{number(value['low'])}, {number(value['high'])}]" if "low" in value else ""
    return number(value.get("value", value.get("median", "none"))) + ends


def named(values):
    return "{" + ", ".join(f"{key}={number(value)}" for key, value in values.items()) + "}"


def finding(found):
    line = f"{found['name']} = {interval(found)} {found.get('unit', '')}".rstrip()
    if found.get("kind", "good") != "good":
        line += f", {found['kind']}"
    if "disturbance" in found:
        line += ", disturbed " + named(found["disturbance"])
    if "declared" in found:
        line += f", declared {number(found['declared'])}"
    if "cpus" in found:
        line += f", CPUs {found['cpus']}"
    if found.get("factors"):
        line += " " + named(found["factors"])
    if found.get("flags"):
        line += " !" + ",".join(found["flags"])
    rest = sorted(set(found) - {"name", "value", "unit", "low", "high", "kind", "disturbance", "declared",
                                "cpus", "factors", "flags", "text"})
    line += "".join(f", {key}: {found[key]}" for key in rest)
    return [line] + ([f"    {found['name']}: {found['text']}"] if "text" in found else [])


def series_key(series):
    return series["name"] + " " + named(series.get("factors", {}))


def point(one):
    place = f"{number(one['x'])}" if "x" in one else f"{one.get('from')}>{one.get('to')}"
    return f"{place}: {interval(one)}" + (" !" + ",".join(one["flags"]) if one.get("flags") else "")


def folded(one):
    """A point of a former document, which has the value without interference beside it."""
    quiet = one.get("quiet")
    return {**one, "median": quiet["value"], "low": quiet.get("low", quiet["value"]),
            "high": quiet.get("high", quiet["value"])} if quiet else one


def flat(value, name):
    """The lines of anything else, a leaf each."""
    if isinstance(value, dict):
        return [line for key, part in value.items() for line in flat(part, f"{name}.{key}")]
    if isinstance(value, list):
        if all(isinstance(part, (str, int, float)) for part in value):
            return [f"{name}: {', '.join(map(number, value))}"]
        return [line for index, part in enumerate(value) for line in flat(part, f"{name}[{index}]")]
    return [f"{name}: {number(value)}"]


def lines(before, after):
    """What `after`, analysed anew, says; of what was measured only what differs from `before`."""
    text = flat(after.get("verdict", {}), "verdict")
    if after.get("conditions") != before.get("conditions"):
        text += flat(after.get("conditions", {}), "conditions")
    text += [f"run.{key}: {number(after['run'][key])}" for key in ("complete", "joined", "documents")
             if key in after.get("run", {})]
    probes_before = {probe["name"]: probe for probe in before.get("probes", [])}
    for probe in after.get("probes", []):
        old = probes_before.get(probe["name"], {})
        text.append(f"--- {probe['name']}: {probe['status']}" +
                    (f", {probe['reason']}" if "reason" in probe else ""))
        if probe.get("parameters") != old.get("parameters"):
            text += flat(probe.get("parameters", {}), "parameter")
        known = {series_key(series): series for series in old.get("series", [])}
        for series in probe.get("series", []):
            was = known.pop(series_key(series), None)
            if was is None or [point(folded(one)) for one in was["points"]] != list(map(point, series["points"])):
                text.append(f"series {series_key(series)}" +
                            (", headline" if series.get("headline") else ""))
                text += ["    " + point(one) for one in series["points"]]
        text += [f"no longer series {key}" for key in known]
        for found in probe.get("findings", []):
            text += finding(found)
    return text
