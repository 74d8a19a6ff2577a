"""Huge pages of 2 MiB and 1 GiB are reserved on node 1 only."""
from compare import as_asked, probe
from machine import Machine, Node


def obtained(document, name):
    return str(probe(document, name).get("parameters", {}).get("pages_obtained"))


def compare(lab):
    document = lab.document("near")
    as_asked(lab, document)
    lab.status("doctor", 0)
    lab.holds("doctor counts them", "64" in lab.text("doctor.out"), lab.text("doctor.out"))
    for name, pages in (("near", "2 MiB"), ("near1g", "1 GiB")):
        lab.status(name, 0, 4)
        lab.holds(f"pages of {name}", pages in obtained(lab.document(name), "latency"),
                  obtained(lab.document(name), "latency"), lab.text(f"{name}.err"))
        lab.same(f"node of {name}", "1", str(probe(lab.document(name), "latency")["parameters"].get("node_obtained")))
    # Node 0 has none: its CPU gets the other node's, and the numbers are distinguished from a near one's.
    for name in ("far", "far1g"):
        document = lab.document(name)
        node = str(probe(document, "latency").get("parameters", {}).get("node_obtained"))
        factors = [finding.get("factors", {}) for finding in probe(document, "latency").get("findings", [])
                   if finding["name"] == "latency"]
        lab.status(name, 0, 4)
        lab.same(f"node of {name}", "1", node)
        lab.holds(f"{name} tells that its memory is another node's", {"node": "other"}.items() <= factors[0].items()
                  if factors else False, factors)


MACHINE = Machine(
    about="2 nodes, with reserved pages of 2 MiB and 1 GiB on the second one only",
    sockets=2, cores=2,
    nodes=(Node(512, "0-1"), Node(3072, "2-3")),
    limit_s=600,
    boot="hugepagesz=1G hugepages=1:1 hugepagesz=2M hugepages=1:64",
    commands="""
grep . /sys/devices/system/node/node*/hugepages/*/nr_hugepages >reserved
fathom doctor doctor
measured near latency -c 2 --pages huge2m --sizes 16K,32M --budget 40
measured near1g latency -c 2 --pages huge1g --sizes 16K,32M --budget 40
measured far latency -c 0 --pages huge2m --sizes 16K,32M --budget 40
measured far1g latency -c 0 --pages huge1g --sizes 16K,32M --budget 40
""",
    compare=compare,
)
