"""aarch64 without MTE, pages of 4 KiB, two nodes."""
from compare import aarch64
from machine import ON_AARCH64, Machine, Node

MACHINE = Machine(
    about="aarch64 in 2 nodes, without MTE, 4 KiB pages",
    kernel="arm64", sockets=2, cores=2, nodes=(Node(768, "0-1"), Node(512, "2-3")), processor="neoverse-n1",
    commands=ON_AARCH64,
    compare=lambda lab: aarch64(lab, "4 KiB"),
)
