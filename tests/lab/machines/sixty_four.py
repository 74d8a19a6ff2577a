"""64 CPUs: `cores` measures pairs side by side, and never on both hardware threads of a core."""
from compare import as_asked, cells, pairs_of, probe, values
from machine import Machine, Node


def siblings_at_once(samples):
    """Of samples of the CPUs on which workers run: those in which a core has both of its threads at work,
    and another only one. In a round of a core's own two threads all cores have both."""
    odd = []
    for sample in samples:
        busy = {}
        for cpu in sample:
            busy.setdefault(cpu // 2, set()).add(cpu)
        sizes = {len(threads) for threads in busy.values()}
        if sizes == {1, 2}:
            odd.append(sorted(sample))
    return odd


def steady(text):
    """The samples that two looks in a row agree about: a look takes longer than a round's end."""
    looks = [frozenset(int(cpu) for cpu in line.split()) for line in text.splitlines()]
    return [look for look, next_look in zip(looks, looks[1:]) if look == next_look and len(look) > 2]


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document)
    lab.status("cores", 0, 4)
    lab.within("pairs", pairs_of(range(12)), cells(document, "cores")[0])
    samples = steady(lab.text("running"))
    lab.holds("looks at the CPUs at work", len(samples) > 20, f"only {len(samples)} looks agree")
    odd = siblings_at_once(samples)
    lab.holds("never siblings of one core at once", not odd, f"{len(odd)} of {len(samples)} looks, like {odd[:1]}")
    lab.holds("pairs at the same time", max(map(len, samples), default=0) > 2, "never more than one pair")
    # Two of this machine's CPUs do the work of 64: few pairs get the time, and the run ends by itself.
    every = lab.document("every")
    as_asked(lab, every)
    lab.status("every", 0, 3, 4)
    lab.same("it ended by itself", True, every.get("run", {}).get("complete"))
    labels = probe(every, "cores").get("parameters", {}).get("cpu_labels", "")
    lab.same("CPUs of the matrix", [f"{cpu}=c{cpu // 2}.{cpu % 2}n{cpu // 32}" for cpu in range(64)], labels.split())


MACHINE = Machine(
    about="64 CPUs in 2 sockets: pairs side by side, never siblings of one core at once",
    sockets=2, cores=16, threads=2,
    nodes=(Node(512, "0-31"), Node(512, "32-63")),
    distances=((0, 1, 21),),
    limit_s=540,
    # Field 39 of /proc/PID/task/TASK/stat is the CPU; the name in it has no blanks.
    commands="""
measured cores cores -c 0-11 --parallel --lines 2 --samples 3 --iterations 200 --budget 100 &
sleep 4
pid=$(pidof fathom)
while kill -0 $pid 2>/dev/null; do
    cat /proc/$pid/task/*/stat 2>/dev/null | awk -v main=$pid '$1 != main && $3 == "R" {printf "%s ", $39} END {print ""}'
done >/out/running
wait
measured every cores --budget 30
""",
    compare=compare,
)
