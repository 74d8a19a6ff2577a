"""Two kinds of core: the device tree gives half of the CPUs a smaller capacity, as of a big.LITTLE system."""
from compare import as_asked, values
from machine import Machine, Node


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document)
    lab.status("cores", 0, 4)
    lab.same("kinds", [{"name": "efficiency", "cpus": "0-1"}, {"name": "performance", "cpus": "2-3"}],
             document["machine"]["cpu"]["kinds"])
    lab.same("capacities", "446\n446\n1024\n1024", lab.text("capacities"))
    document = lab.document("latency")
    lab.status("latency", 0, 4)
    lab.holds("latency has points", values(document, "latency"), lab.text("latency.err")[-300:])


MACHINE = Machine(
    about="aarch64 with two kinds of core, by the capacities in its device tree",
    kernel="arm64", cores=4, nodes=(Node(1024, "all"),), capacities=(446, 446, 1024, 1024),
    commands="""
look capacities cat /sys/devices/system/cpu/cpu0/cpu_capacity /sys/devices/system/cpu/cpu1/cpu_capacity \\
    /sys/devices/system/cpu/cpu2/cpu_capacity /sys/devices/system/cpu/cpu3/cpu_capacity
fathom doctor doctor
measured cores cores --lines 4 --samples 3 --budget 20
measured latency latency --quick --budget 8
""",
    compare=compare,
)
