"""Transparent huge pages of other sizes: 64 KiB by madvise, the others never but the largest, which stays on."""
from compare import as_asked, points, probe
from machine import Machine


def obtained(lab, name):
    return str(probe(lab.document(name), "latency").get("parameters", {}).get("pages_obtained"))


def allocated(lab, name):
    """The kernel's own count, for all of the machine, of pages of 64 KiB that first touches got."""
    return int(lab.text(name) or 0)


def compare(lab):
    as_asked(lab, lab.document("latency"))
    lab.status("latency", 0, 4)
    lab.same("pages of 64 KiB", "64K (64 KiB)", obtained(lab, "latency"))
    lab.holds("the kernel counted them", allocated(lab, "after") - allocated(lab, "before") >= 256,
              lab.text("before"), lab.text("after"))
    lab.status("thp", 0, 4)
    lab.same("the largest are as ever", "thp (2 MiB)", obtained(lab, "thp"))
    lab.status("all", 0, 4)
    lab.same("where the next size is on", "64K (64 KiB)", obtained(lab, "all"))
    lab.status("off", 3)
    lab.holds("a size that is off is refused with the remedy", "hugepages-32kB/enabled" in lab.words("off.out"),
              lab.text("off.out"))
    lab.holds("and its setting was not changed", "[never]" in lab.text("setting"), lab.text("setting"))
    fault = probe(lab.document("fault"), "fault")
    lab.status("fault", 0, 4)
    lab.holds("fault has a first touch of 64 KiB",
              [finding for finding in fault.get("findings", []) if finding["name"] == "fault.touch.64K"], fault.get("findings"))
    touched = [point for point in points(lab.document("fault"), "fault") if point["x"] == 65536]
    lab.holds("and the kernel counted its faults",
              touched and not any("miscounted" in point.get("flags", []) for point in touched), touched)
    lab.status("tlb", 0, 4)
    names = {series["factors"].get("pages") for series in probe(lab.document("tlb"), "tlb").get("series", [])}
    lab.same("tlb is of these pages", {"64K"}, names)


MACHINE = Machine(
    about="transparent huge pages of 64 KiB, which a kernel of 6.8 or later has",
    kernel="6.12", cores=2,
    commands="""
thp=/sys/kernel/mm/transparent_hugepage
echo madvise >$thp/enabled
echo inherit >$thp/hugepages-2048kB/enabled
echo madvise >$thp/hugepages-64kB/enabled
look before cat $thp/hugepages-64kB/stats/anon_fault_alloc
measured latency latency --pages 64K --sizes 4M,16M --budget 10
look after cat $thp/hugepages-64kB/stats/anon_fault_alloc
measured thp latency --pages thp --sizes 4M --budget 4
measured off latency --pages 32K --sizes 4M --budget 4
look setting cat $thp/hugepages-32kB/enabled
measured fault fault --pages 64K --budget 15
measured tlb tlb --pages 64K --to 64 --quick --budget 20
echo madvise >$thp/hugepages-128kB/enabled
measured all latency --pages 64K --sizes 4M --budget 6
""",
    compare=compare,
)
