"""Checks that hold for every measured document, however busy the machine.

Where others use the CPUs, a run may get no time for some of its points. They are then missing or
failed, the document says so and why, and the exit status is 4, or 3 where nothing is left. A test
first tries again with a larger budget and then accepts that; nothing here depends on speed.
"""
import json
import math
import re
from typing import NamedTuple

from place import SOURCE

TRUSTED, IMPOSSIBLE, DOUBTFUL = 0, 3, 4
# Budgets for measurements that take milliseconds on an idle machine, or a second where trials are
# spread.
BUDGETS_S = (5, 60)
# The reasons: the budget was used up, a team's threads did not run together, a worker did not run.
NO_TIME = re.compile("time was used up|got no time to run|gets no time to run")


class Result(NamedTuple):
    status: int
    out: str
    err: str
    folder: object


def check(*claims):
    """The complaints of the pairs (claim holds, complaint) whose claim does not hold."""
    return [complaint for holds, complaint in claims if not holds]


def says_no_time(*texts):
    return bool(NO_TIME.search(" ".join(" ".join(texts).split())))


def with_time(here, command, lacks=lambda result: says_no_time(result.out, result.err)):
    """The command's result with the first budget that left nothing unmeasured, or the largest budget."""
    for budget_s in BUDGETS_S:
        folder = here.folder()
        result = Result(*here.run(f"{command} --budget {budget_s}", folder), folder)
        if not lacks(result):
            break
    return result


def status_fits(status, document):
    """Whether the exit status agrees with the document."""
    probes = [probe["status"] for probe in document["probes"]]
    if not {"ok", "partial"} & set(probes):
        return status == IMPOSSIBLE
    return status == DOUBTFUL or (status == TRUSTED and "failed" not in probes)


# --- documents ---

def against_schema(document):
    """A document's violations of the JSON Schema; none where python3-jsonschema is missing."""
    try:
        import jsonschema
    except ImportError:
        return []
    schema = json.loads((SOURCE / "docs" / "fathom-1.schema.json").read_text())
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"schema: {error.json_path}: {error.message}"[:300] for error in errors]


def measured_point(name, series, point):
    unit = series["y"]["unit"]
    if point["n"] == 0 and series["name"].endswith(("by trial", "by round")):
        # Series that hold a result of all trials together: without a result they are no failure.
        return check(("median" not in point, f"{name}: no trial has a value: {point}"))
    if "failed" in point:
        return check(("median" not in point, f"{name}: a failed point has a value: {point}"),
                     (says_no_time(point["failed"]), f"{name}: {point['failed']}"))
    ordered = [point[key] for key in ("min", "p25", "median", "p75", "max")]
    return check((ordered == sorted(ordered), f"{name}: quartiles are out of order"),
                 (all(map(math.isfinite, ordered)) and ordered[0] >= 0,
                  f"{name}: {ordered} are no values"),
                 (ordered[0] > 0 or unit != "ns", f"{name}: {ordered} are no latencies"))


def measured(document):
    """Complaints about any document that was measured."""
    complaints = against_schema(document)
    for probe in document["probes"]:
        name, status, reason = probe["name"], probe["status"], probe.get("reason", "")
        if status in ("partial", "failed"):
            complaints += check((says_no_time(reason) or reason.startswith("interrupted"),
                                 f"{name} {status}: {reason}"))
        for series in probe.get("series", []):
            for point in series["points"]:
                complaints += measured_point(name, series, point)
    return complaints


def planned(probe, seen, wanted):
    """Complaints if the points of a probe are not those that were asked for, in that order, without
    those for which it says that there was no time."""
    if seen == wanted:
        return []
    points = [point for series in probe["series"] for point in series["points"]]
    failed = sum("failed" in point for point in points)
    counts = re.match(r"(\d+) of (\d+) points (failed|have no value)", probe.get("reason", ""))
    return check(
        (probe["status"] in ("partial", "failed"), f"{probe['status']} with {seen}"),
        (seen == [x for x in wanted if x in seen], f"{seen} are no part of {wanted}, in order"),
        (counts and (int(counts[1]), int(counts[2])) == (failed or len(wanted) - len(seen), len(wanted)),
         f"{len(seen)} of {len(wanted)}, {failed} failed: {probe.get('reason')}"))


def probe_alone(here, command, name):
    """(the probe's part of the document, complaints) of a probe's `-o -`; None in its place where
    there is no document."""
    result = with_time(here, f"{command} -o -")
    if result.status not in (TRUSTED, IMPOSSIBLE, DOUBTFUL) or not result.out:
        return None, [f"status {result.status}: {result.err.strip()}"]
    document = json.loads(result.out)
    return document["probes"][0], measured(document) + check(
        ([probe["name"] for probe in document["probes"]] == [name], f"not {name} alone"),
        (status_fits(result.status, document), f"status {result.status}"),
        (document["run"]["complete"] is True, "not complete"),
        (not result.err, f"standard error: {result.err}"))
