"""aarch64 with pages of 16 KiB, whose huge pages are 32 MiB, as Debian's arm64-16k kernel has them."""
from compare import aarch64, probe
from machine import ON_AARCH64, Machine, Node


def compare(lab):
    aarch64(lab, "16 KiB")
    lab.status("thp", 0, 4)
    got = probe(lab.document("thp"), "latency").get("parameters", {}).get("pages_obtained")
    lab.holds("transparent pages", str(got).startswith(("thp", "small")), got)
    lab.status("huge2m", 3)
    lab.holds("what this kernel has no pages of is refused", "2 MiB" in lab.text("huge2m.out"), lab.text("huge2m.out")[-600:])


MACHINE = Machine(
    about="aarch64 with 16 KiB pages",
    kernel="arm64-16k", cores=2, nodes=(Node(1024, "all"),),
    commands=ON_AARCH64 + """
measured thp latency --pages thp --sizes 64M --budget 4
measured huge2m latency --pages huge2m --sizes 64K --budget 2
""",
    compare=compare,
)
