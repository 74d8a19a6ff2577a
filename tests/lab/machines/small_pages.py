"""No huge pages at all: none reserved, transparent ones off."""
from compare import as_asked, points, probe
from machine import Machine


def compare(lab):
    document = lab.document("latency")
    as_asked(lab, document)
    lab.status("latency", 0, 4)
    lab.holds("pages", "4 KiB" in str(probe(document, "latency").get("parameters", {}).get("pages_obtained")),
              probe(document, "latency").get("parameters"))
    lab.same("transparent pages", "never", document["conditions"].get("thp"))
    flagged = [point for point in points(document, "latency") if "small-pages" in point.get("flags", [])]
    lab.holds("points tell that pages were small", flagged, "no point has the flag small-pages")
    lab.holds("doctor names the remedy", "transparent_hugepage" in lab.text("doctor.out"), lab.text("doctor.out"))
    for name, remedy in (("huge2m", "hugepages"), ("huge1g", "--pages thp or small")):
        lab.status(name, 3)
        lab.holds(f"{name} is refused with a remedy", remedy in lab.words(f"{name}.out"), lab.text(f"{name}.out"))
    lab.status("thp", 0, 3, 4)


MACHINE = Machine(
    about="no huge pages: transparent ones never, none reserved, no pages of 1 GiB",
    cores=2, processor="max,vendor=GenuineIntel,family=6,model=106,pdpe1gb=off",
    boot="transparent_hugepage=never",
    commands="""
fathom doctor doctor
measured latency latency --quick --budget 8
measured huge2m latency --pages huge2m --sizes 16K --budget 2
measured huge1g latency --pages huge1g --sizes 16K --budget 2
measured thp latency --pages thp --sizes 4M --budget 2
""",
    compare=compare,
)
