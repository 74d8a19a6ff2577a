"""A control group takes CPUs and memory away while fathom measures in it, as an orchestrator may."""
from compare import as_asked, cells, pairs_of, usable, values
from machine import Machine, Node


def compare(lab):
    lab.same("the group's mount", "", lab.text("group"))
    document = lab.document("cpuset")
    as_asked(lab, document)
    lab.status("cpuset", 0 if usable(document) else 4)
    lab.same("affinity", "0-3", document["conditions"]["affinity"])
    measured, lost = cells(document, "cores")
    lost = {pair: point for pair, point in lost.items() if "cpuset" in point["failed"]}
    lab.within("pairs", pairs_of(range(4)), measured)
    lab.holds("pairs of a CPU that went", lost and all({2, 3} & set(pair) for pair in lost), sorted(lost) or "none failed")

    document = lab.document("limited")
    lab.status("limited", 0, 4)
    largest = max((point["x"] for point in values(document, "latency")), default=0)
    lab.holds("working sets below the limit", 0 < largest <= 64 << 20, largest)

    # The kernel may kill what holds more than it is allowed; what was saved before is a document.
    said = lab.text("shrinking.status")
    lab.holds("a limit that shrinks", said in ("0", "3", "4", "137"), said, lab.text("shrinking.err")[-300:])
    document = lab.document("shrinking")
    lab.holds("and its document", document.get("schema") == "fathom/1", lab.text("shrinking.err")[-300:])
    if said != "137":
        lab.holds("and its values", values(document, "latency"),
                  lab.text("shrinking.err")[-300:])


MACHINE = Machine(
    about="4 CPUs, a cpuset and a memory limit (cgroup v2) that shrink while fathom measures",
    cores=4, nodes=(Node(768, "0-1"), Node(256, "2-3")),
    commands="""
cd /sys/fs/cgroup
{
    echo +cpuset >cgroup.subtree_control
    echo +memory >cgroup.subtree_control
    mkdir lab
    echo 0-3 >lab/cpuset.cpus
} 2>/out/group
cd /out
inside() {
    sh -c 'echo $$ >/sys/fs/cgroup/lab/cgroup.procs; name=$1; shift
        exec /bin/fathom "$@" -o $name.json >$name.out 2>$name.err' - "$@"
    echo $? >$1.status
}
inside cpuset cores --lines 8 --samples 5 --budget 20 &
sleep 5
echo 0-2 >/sys/fs/cgroup/lab/cpuset.cpus
sleep 2
echo 0-1 >/sys/fs/cgroup/lab/cpuset.cpus
wait
echo 0-3 >/sys/fs/cgroup/lab/cpuset.cpus
echo 128M >/sys/fs/cgroup/lab/memory.max
inside limited latency --quick --budget 15
echo 256M >/sys/fs/cgroup/lab/memory.max
inside shrinking latency --quick --budget 20 &
sleep 6
echo 64M >/sys/fs/cgroup/lab/memory.max
sleep 2
echo 24M >/sys/fs/cgroup/lab/memory.max
wait
""",
    compare=compare,
)
