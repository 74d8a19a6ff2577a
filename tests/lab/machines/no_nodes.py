"""A kernel without NUMA: no /sys/devices/system/node, no caches, no huge pages of any kind. Debian's kernel in
user mode is one, and runs as a process: without QEMU, at the speed of this machine."""
from compare import as_asked, probe, values
from machine import Machine, Node


def compare(lab):
    document = lab.document("latency")
    as_asked(lab, document)
    lab.holds("there is no folder of nodes", "No such file" in lab.text("nodes"), lab.text("nodes"))
    lab.status("doctor", 0)
    for name in ("latency", "bandwidth", "tlb"):
        lab.status(name, 0, 4)
        lab.holds(f"{name} has values", values(lab.document(name), name),
                  lab.text(f"{name}.out")[-300:])
    lab.same("caches", None, document["machine"].get("caches") or None)
    lab.same("page sizes", [4096], document["machine"].get("page_sizes"))
    for name in ("numa", "cores"):
        lab.status(name, 2, 3)
        output = lab.text(f"{name}.err") + lab.text(f"{name}.out")
        lab.holds(f"{name} says why it can't be", "node" in output or "two CPUs" in output or "2 CPUs" in output, output[-400:])
        lab.same(f"no value of {name}", [], values(lab.document(name), name))
    lab.same("status of a whole run's numa", "unsupported", probe(lab.document("run"), "numa").get("status", "unsupported"))


MACHINE = Machine(
    about="a kernel without NUMA (Debian's in user mode): no nodes, no caches, no huge pages, one CPU",
    kernel="um", cores=1, nodes=(Node(256, "all"),), hypervisor="User Mode Linux",
    commands="""
look nodes ls /sys/devices/system/node
fathom doctor doctor
measured latency latency --quick --budget 4
measured bandwidth bandwidth --quick --budget 4
measured tlb tlb --quick --budget 4
measured numa numa --quick
measured cores cores --quick
measured run run --quick --budget 15
""",
    compare=compare,
)
