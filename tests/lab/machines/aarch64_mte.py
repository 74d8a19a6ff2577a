"""aarch64 with memory tagging (MTE), whose tags lie beside the memory and in the upper bits of pointers."""
from compare import aarch64
from machine import ON_AARCH64, Machine, Node

MACHINE = Machine(
    about="aarch64 with MTE, 4 KiB pages",
    kernel="arm64", cores=2, nodes=(Node(1024, "all"),), board=",mte=on",
    commands=ON_AARCH64,
    compare=lambda lab: aarch64(lab, "4 KiB", tagging=True),
)
