"""What a machine's description says, and how it becomes QEMU's arguments and the machine's first program."""
import base64
import io
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass

import device_tree
import smbios

MIB = 1 << 20
BEGIN, END = "LAB-BEGIN", "LAB-END"


@dataclass
class Node:
    """A NUMA node: its memory, its CPUs ("" for none), and what HMAT declares of it from the nodes with CPUs."""
    mib: int
    cpus: str = ""
    initiator: int = 0      # the nearest node with CPUs, of a node without
    latency_ns: tuple = ()  # as HMAT declares it, from each node with CPUs in order
    gb_per_s: tuple = ()


@dataclass
class Machine:
    about: str
    commands: str                   # what runs inside: shell, with `fathom NAME ARGUMENTS...` (see INIT)
    compare: object = None          # compare(lab): what this machine alone is looked at for
    kernel: str = "6.1"             # a key of KERNELS
    sockets: int = 1
    cores: int = 2
    threads: int = 1
    nodes: tuple = (Node(512, "all"),)
    distances: tuple = ()           # (from, to, value)
    boot: str = ""                  # words for the kernel's command line
    modules: tuple = ()             # memory modules, as SMBIOS describes them
    capacities: tuple = ()          # of each CPU, in aarch64's device tree
    qemu: tuple = ()                # further arguments
    processor: str = ""             # -cpu; the machine's usual one
    board: str = ""                 # further words for -machine
    hypervisor: str = "emulated (QEMU TCG)"
    offline: str = ""               # CPUs that are not to be online
    switched_off: str = "init"      # by whom: init, before any command, or the kernel at boot
    shortest: bool = False          # one of the three that .ci/run boots
    limit_s: int = 400

    @property
    def cpus(self):
        return self.sockets * self.cores * self.threads

    def command(self, kernel, initramfs):
        if self.kernel == "um":
            return [str(kernel / "linux.uml"), f"mem={self.nodes[0].mib}M", f"initrd={initramfs}", "con=null",
                    "con0=null,fd:1", "quiet", *self.boot.split()]
        command = qemu_command(self, kernel / "vmlinuz", initramfs)
        if self.modules:
            command += smbios.arguments(self.modules, initramfs.parent)
        if self.capacities:
            command += changed_tree(command, self.capacities, initramfs.parent / "device-tree")
        return command


# Kernel, as the descriptions call it: package, architecture, release.
KERNELS = {
    "6.1": ("linux-image-6.1.*-cloud-amd64", "amd64", "bookworm"),
    "6.12": ("linux-image-6.12.*-cloud-amd64", "amd64", "bookworm-backports"),
    "arm64": ("linux-image-6.12.*-cloud-arm64", "arm64", "bookworm-backports"),
    "arm64-16k": ("linux-image-6.12.*-arm64-16k", "arm64", "bookworm-backports"),
    "um": ("user-mode-linux", "amd64", "bookworm"),
}


def spread(text):
    """The CPUs of a list like 0-3,8."""
    cpus = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def numa(machine):
    """Nodes with their distances, and what HMAT declares of them."""
    if len(machine.nodes) == 1 and machine.nodes[0].cpus == "all":
        return
    declared = any(node.latency_ns for node in machine.nodes)
    for number, node in enumerate(machine.nodes):
        yield "-object"
        yield f"memory-backend-ram,id=m{number},size={node.mib}M"
        yield "-numa"
        yield f"node,nodeid={number},memdev=m{number}" + "".join(
            f",cpus={part}" for part in filter(None, node.cpus.split(","))) + (
            f",initiator={number if node.cpus else node.initiator}" if declared else "")
    for first, second, value in machine.distances:
        yield "-numa"
        yield f"dist,src={first},dst={second},val={value}"
    initiators = [number for number, node in enumerate(machine.nodes) if node.cpus]
    for target, node in enumerate(machine.nodes):
        for what, unit, values in (("latency", "", node.latency_ns), ("bandwidth", "G", node.gb_per_s)):
            for initiator, value in zip(initiators, values):
                yield "-numa"
                yield (f"hmat-lb,initiator={initiator},target={target},hierarchy=memory,"
                       f"data-type=access-{what},{what}={value}{unit}")


def qemu_command(machine, kernel, initramfs):
    architecture = KERNELS[machine.kernel][1]
    hmat = any(node.latency_ns for node in machine.nodes)
    if architecture == "arm64":
        command = ["qemu-system-aarch64", "-machine", "virt,gic-version=3" + machine.board,
                   "-cpu", machine.processor or "max"]
    else:
        command = ["qemu-system-x86_64", "-machine", "q35" + (",hmat=on" if hmat else "") + machine.board,
                   "-cpu", machine.processor or "max,vendor=GenuineIntel,family=6,model=106"]
    console = "ttyAMA0" if architecture == "arm64" else "ttyS0"
    return [*command, "-accel", "tcg,thread=multi", "-display", "none", "-monitor", "none", "-serial", "stdio",
            "-nodefaults", "-no-reboot", "-m", f"{sum(node.mib for node in machine.nodes)}M",
            "-smp", f"{machine.cpus},sockets={machine.sockets},cores={machine.cores},threads={machine.threads}",
            *numa(machine), *machine.qemu, "-kernel", str(kernel), "-initrd", str(initramfs),
            "-append", f"console={console} quiet loglevel=1 panic=-1 {machine.boot}".strip()]


def changed_tree(command, capacities, file):
    """QEMU's words for a device tree: its own, with capacities."""
    if not shutil.which(command[0]):
        return []
    board = command.index("-machine") + 1
    asked = [*command[:board], f"{command[board]},dumpdtb={file}", *command[board + 1:]]
    subprocess.run(asked, check=False, timeout=60, stdin=subprocess.DEVNULL, capture_output=True)
    file.write_bytes(device_tree.with_capacities(file.read_bytes(), capacities))
    return ["-dtb", str(file)]


# What every machine of aarch64 does.
ON_AARCH64 = """
grep -m1 Features /proc/cpuinfo >features
fathom doctor doctor
measured latency latency --quick --budget 12
measured cores cores --lines 4 --samples 3 --budget 8
measured tlb tlb --quick --budget 12
"""

# The first program. What it leaves in /out comes back: `fathom NAME ARGUMENTS...` leaves NAME.json, .out,
# .err and .status, `look NAME COMMAND...` a command's output.
INIT = """#!/bin/sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp LANG=C.UTF-8
mkdir -p /proc /sys /dev /tmp /out
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o size=50% tmp /tmp
mount -t cgroup2 cgroup /sys/fs/cgroup 2>/dev/null
cd /out
fathom() {
    name=$1
    shift
    echo "LAB fathom $*"
    timeout -k 5 PATIENCE /bin/fathom "$@" >$name.out 2>$name.err
    echo $? >$name.status
}
measured() {
    kept=$1
    shift
    fathom $kept "$@" -o $kept.json
}
look() {
    name=$1
    shift
    "$@" >$name 2>&1
}
COMMANDS
cd /out
tar -c . | gzip -1 | base64 >/tmp/all
echo
echo LAB-BEGIN
cat /tmp/all
echo LAB-END
sync
poweroff -f
"""


LOOK = "look online cat /sys/devices/system/cpu/online\n"


def init_of(machine, commands):
    if machine.switched_off == "init":
        commands = "".join(f"echo 0 >/sys/devices/system/cpu/cpu{cpu}/online\n" for cpu in spread(machine.offline)) + (
            LOOK + commands)
    else:
        commands = LOOK + commands
    return INIT.replace("PATIENCE", str(machine.limit_s * 2 // 3)).replace("COMMANDS", commands)


def left_behind(console):
    """{name: bytes} of what the machine left in /out; {} where it never came that far."""
    found = re.search(rf"^{BEGIN}\r?\n(.*?)^{END}", console, re.M | re.S)
    if not found:
        return {}
    try:
        packed = base64.b64decode(re.sub(r"\s", "", found[1]))
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
            return {entry.name.removeprefix("./"): archive.extractfile(entry).read()
                    for entry in archive if entry.isfile()}
    except (ValueError, OSError, tarfile.TarError, EOFError):
        return {}
