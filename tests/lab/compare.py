"""What a machine's description asked for, beside what fathom's documents say of it."""
import json

from machine import MIB, spread


LACKED_TIME = "the time was used up", "got no time to run together"


class Lab:
    """One boot: what was asked, what came back, and what differs."""

    def __init__(self, machine, files, console):
        self.machine, self.files, self.console = machine, files, console
        self.compared, self.differing = [], []
        self.lacked_time = False

    def text(self, name):
        return self.files.get(name, b"").decode(errors="replace").strip()

    def words(self, name):
        """The text in one line, however wide its machine's screen was."""
        return " ".join(self.text(name).split())

    def document(self, name):
        try:
            return json.loads(self.files.get(f"{name}.json", b""))
        except ValueError:
            return {}

    def holds(self, what, condition, *said):
        """One comparison; `said` is shown where it does not hold."""
        if what not in self.compared:
            self.compared.append(what)
        if not condition:
            self.differing.append(": ".join([what, *map(str, said)]))
        return condition

    def same(self, what, asked, got):
        return self.holds(what, asked == got, f"asked for {asked!r}, fathom says {got!r}")

    def within(self, what, allowed, got):
        """Some, and none but these: how many there are is a matter of time, of which this machine may have had none."""
        return self.holds(what, (got or self.lacked_time) and set(got) <= set(allowed), f"{sorted(got)} are not among {sorted(allowed)}")

    def status(self, name, *allowed):
        """How a command ended. Beside other work it may have got no value at all, and says so."""
        said = self.text(f"{name}.status")
        if said == "3" and any(words in " ".join(self.text(f"{name}.out").split()) for words in LACKED_TIME):
            self.lacked_time = True
            return self.holds(f"exit status of {name}", True)
        return self.holds(f"exit status of {name}", said in map(str, allowed),
                          f"{said or 'none'}, which is none of {allowed}: {self.text(f'{name}.err')[-300:]}")


def cpus_of(text):
    return sorted(spread(text))


def probe(document, name):
    return next((entry for entry in document.get("probes", []) if entry["name"] == name), {})


def usable(document):
    """Whether a family of figures is measured: exit status 0, else 4."""
    return any(family["grade"] != "not measured" for family in document.get("verdict", {}).get("families", []))


def points(document, name):
    return [point for series in probe(document, name).get("series", []) for point in series["points"]]


def pairs_of(cpus):
    return {(a, b) for a in cpus for b in cpus if a != b}


def cells(document, name):
    """The points of a probe's matrices, by (from, to): those with a value, and those without."""
    measured, lost = {}, {}
    for point in points(document, name):
        if "from" in point:
            (measured if point.get("median") is not None else lost)[point["from"], point["to"]] = point
    return measured, lost


def values(document, name):
    return [point for point in points(document, name) if point.get("median") is not None]


def as_asked(lab, document, online=None):
    """What every machine's document is looked at for: CPUs, cores, nodes and their memory, in a kernel's words."""
    machine, facts = lab.machine, document.get("machine")
    if not lab.holds("a document", facts, "there is none, or it is no JSON"):
        return
    online = sorted(online if online is not None else set(range(machine.cpus)) - set(spread(machine.offline)))
    lab.same("CPUs online", online, cpus_of(lab.text("online")))
    lab.same("threads", len(online), facts["cpu"].get("threads"))
    lab.same("cores", len({cpu // machine.threads for cpu in online}), facts["cpu"].get("cores"))
    single = len(machine.nodes) == 1
    found = {node["id"]: node for node in facts.get("numa", [])}
    lab.same("nodes", list(range(len(machine.nodes))), sorted(found))
    for number, asked in enumerate(machine.nodes):
        node = found.get(number, {})
        cpus = online if single else [cpu for cpu in cpus_of(asked.cpus) if cpu in online]
        lab.same("CPUs of nodes", cpus, cpus_of(node.get("cpus", "")))
        got = node.get("memory_bytes", 0)
        lab.holds("memory of nodes", asked.mib * MIB * 0.6 < got <= asked.mib * MIB,
                  f"node {number} was given {asked.mib} MiB, fathom says {got / MIB:.0f}")
    lab.same("hypervisor", machine.hypervisor, facts.get("hypervisor"))


def aarch64(lab, page, tagging=False):
    """What every machine of aarch64 is looked at for."""
    document = lab.document("latency")
    as_asked(lab, document)
    for name in ("latency", "cores", "tlb"):
        lab.status(name, 0, 4)
        lab.holds(f"{name} has values", lab.lacked_time or values(lab.document(name), name), lab.text(f"{name}.err")[-300:])
    lab.status("doctor", 0)
    lab.same("architecture", "aarch64", document["machine"]["cpu"]["arch"])
    lab.same("page", int(page.split()[0]) * 1024, min(document["machine"].get("page_sizes", [0])))
    lab.same("MTE", tagging, " mte" in lab.text("features"))
    every = cpus_of(lab.text("online"))
    lab.within("pairs", pairs_of(every), cells(lab.document("cores"), "cores")[0])
