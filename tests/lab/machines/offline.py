"""CPUs that are offline when fathom starts: a core's second thread, a whole core, a whole node's CPUs."""
from compare import as_asked, cells, pairs_of
from machine import Machine, Node


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document)
    lab.status("doctor", 0)
    lab.status("cores", 0, 4)
    online = {0, 2, 3, 6, 7}
    lab.within("pairs", pairs_of(online), cells(document, "cores")[0])
    lab.same("affinity", "0,2-3,6-7", document["conditions"]["affinity"])
    # What is asked for and offline is refused, by its name and before anything is measured.
    lab.status("asked", 2)
    lab.holds("an offline CPU is named", "no CPU 1 online" in lab.text("asked.err"),
              lab.text("asked.err"))
    numa = lab.document("numa")
    lab.status("numa", 0, 4)
    lab.within("nodes measured", {(a, b) for a in range(2) for b in range(2)}, cells(numa, "numa")[0])


MACHINE = Machine(
    about="8 CPUs of which 3 are offline at the start: second threads and a whole core",
    cores=4, threads=2, sockets=1,
    nodes=(Node(384, "0-3"), Node(384, "4-7")),
    offline="1,4-5",
    commands="""
fathom doctor doctor
measured cores cores --lines 2 --samples 3 --iterations 500 --budget 15
measured asked cores -c 0-2 --budget 2
measured numa numa --quick --budget 10
""",
    compare=compare,
    shortest=True,
)
