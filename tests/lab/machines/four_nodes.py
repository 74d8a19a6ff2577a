"""Four nodes in a ring: distances of 10, 16 and 22, numbers of CPUs and memory that differ."""
from compare import as_asked, cells, probe
from machine import Machine, Node

DISTANCES = ((0, 1, 16), (0, 2, 22), (0, 3, 16), (1, 2, 16), (1, 3, 22), (2, 3, 16))


def compare(lab):
    document = lab.document("numa")
    as_asked(lab, document)
    lab.status("numa", 0, 4)
    lab.within("pairs of nodes", {(a, b) for a in range(4) for b in range(4)}, cells(document, "numa")[0])
    parameters = probe(document, "numa").get("parameters", {})
    asked = {(a, b): value for first, second, value in DISTANCES for a, b in ((first, second), (second, first))}
    lab.same("declared distances",
             [" ".join(f"{to}:{asked.get((node, to), 10)}" for to in range(4)) for node in range(4)],
             [parameters.get(f"declared_distances.{node}") for node in range(4)])


MACHINE = Machine(
    about="4 nodes in a ring, with 1 to 3 CPUs and 256 to 512 MiB",
    cores=8,
    nodes=(Node(256, "0-2"), Node(512, "3"), Node(256, "4-5"), Node(384, "6-7")),
    distances=DISTANCES,
    commands="measured numa numa --quick --budget 20",
    compare=compare,
)
