"""The kernel was started with nosmt: second hardware threads are there and stay offline."""
from compare import as_asked, cells, pairs_of
from machine import Machine


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document)
    lab.same("SMT", "off", document["conditions"].get("smt"))
    lab.status("cores", 0, 4)
    lab.within("pairs", pairs_of((0, 2, 4, 6)), cells(document, "cores")[0])
    lab.status("doctor", 0)
    lab.holds("doctor on SMT", "each CPU that may be used has a core of its own" in lab.text("doctor.out"),
              lab.text("doctor.out"))


MACHINE = Machine(
    about="4 cores of 2 threads, started with nosmt",
    cores=4, threads=2, boot="nosmt", offline="1,3,5,7", switched_off="boot",
    commands="""
fathom doctor doctor
measured cores cores --lines 8 --samples 5 --budget 8
""",
    compare=compare,
)
