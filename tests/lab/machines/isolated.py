"""isolcpus keeps CPUs from the scheduler: nothing runs there that was not pinned to them."""
from compare import as_asked, cells, pairs_of
from machine import Machine


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document)
    lab.status("cores", 0, 4)
    lab.same("affinity", "0-1", document["conditions"].get("affinity"))
    lab.within("pairs", pairs_of((0, 1)), cells(document, "cores")[0])
    lab.status("doctor", 0)
    lab.holds("doctor reports them", "2-3" in lab.text("doctor.out"), lab.text("doctor.out"))
    lab.status("pinned", 0, 4)
    lab.within("pairs when a mask lets it", pairs_of((2, 3)), cells(lab.document("pinned"), "cores")[0])


MACHINE = Machine(
    about="4 CPUs, two of them isolated (isolcpus)",
    cores=4, boot="isolcpus=2-3 nohz_full=2-3",
    commands="""
look isolated cat /sys/devices/system/cpu/isolated
fathom doctor doctor
measured cores cores --lines 8 --samples 5 --budget 6
measured asked cores -c 2-3 --lines 8 --samples 5 --budget 6
timeout 100 taskset c /bin/fathom cores --lines 8 --samples 5 --budget 6 -o pinned.json >pinned.out 2>pinned.err
echo $? >pinned.status
""",
    compare=compare,
)
