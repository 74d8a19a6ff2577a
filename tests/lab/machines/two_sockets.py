"""Two sockets of four cores with two threads each, and as many nodes."""
from compare import as_asked, cells, pairs_of
from machine import Machine, Node


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document)
    lab.status("cores", 0, 4)
    lab.status("doctor", 0)
    lab.within("pairs", pairs_of(range(16)), cells(document, "cores")[0])


MACHINE = Machine(
    about="2 sockets of 4 cores with 2 threads, 2 nodes",
    sockets=2, cores=4, threads=2,
    nodes=(Node(384, "0-7"), Node(384, "8-15")),
    distances=((0, 1, 21),),
    commands="""
fathom doctor doctor
measured cores cores --quick --budget 10
""",
    compare=compare,
    shortest=True,
)
