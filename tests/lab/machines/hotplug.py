"""CPUs go offline and come back while `cores` and `bandwidth` measure."""
from compare import as_asked, cells, pairs_of, points, probe, usable, values
from machine import Machine, Node


def offline(lost):
    """Those that failed for a CPU that is gone, and not for lack of time."""
    return {pair: point for pair, point in lost.items() if "offline" in point["failed"]}


def reasons(document, name):
    return {point["failed"] for point in points(document, name) if point.get("failed")}


def compare(lab):
    document = lab.document("cores")
    as_asked(lab, document, range(8))
    lab.status("cores", 0 if usable(document) else 4)
    good, failed = cells(document, "cores")
    lab.holds("CPU 5 fails no other's pairs", all(5 in pair for pair in offline(failed)), sorted(offline(failed)))
    lab.within("pairs", pairs_of(range(8)), good)
    lab.holds("the reason names the CPU", all("CPU 5" in failed[pair]["failed"] for pair in offline(failed)), failed)
    lab.holds("what came back was measured", [pair for pair in good if 5 in pair], sorted(failed))
    lab.holds("no text is lacking", "(null)" not in lab.text("cores.out") + lab.text("bandwidth.out"), "(null)")

    document = lab.document("bandwidth")
    reason = probe(document, "bandwidth").get("reason") or ""
    # A slow machine may begin to measure while the CPU is away: then that is all there is to say.
    away = "CPU 5 is offline" in reason and probe(document, "bandwidth").get("status") == "failed"
    lab.status("bandwidth", *((3,) if away else (0, 4)))
    lab.holds("bandwidth has points", away or values(document, "bandwidth"),
              lab.text("bandwidth.err")[-300:])
    lab.same("bandwidth ended by itself", True, document.get("run", {}).get("complete"))
    lab.holds("its reason is a text", all(reason and "null" not in reason for reason in reasons(document, "bandwidth")),
              reasons(document, "bandwidth"))
    lab.holds("bandwidth's probe", away or probe(document, "bandwidth").get("status") in ("ok", "partial"),
              probe(document, "bandwidth").get("status"))

    document = lab.document("gone")
    lab.status("gone", 0, 3, 4)
    lost = offline(cells(document, "cores")[1])
    lab.holds("a CPU that stays away fails its pairs", lost and all(7 in pair for pair in lost), sorted(lost) or "none failed")
    lab.holds("and is named by its number", all("CPU 7 is offline" in point["failed"] for point in lost.values()), lost)


MACHINE = Machine(
    about="8 CPUs, of which one goes offline and comes back under cores and bandwidth, and one stays away",
    sockets=2, cores=4,
    nodes=(Node(384, "0-3"), Node(384, "4-7")),
    commands="""
cpu=/sys/devices/system/cpu
measured cores cores --lines 8 --samples 5 --budget 30 &
sleep 6
for turn in 1 2 3; do
    echo 0 >$cpu/cpu5/online
    sleep 1
    echo 1 >$cpu/cpu5/online
    sleep 1
done
wait
measured bandwidth bandwidth --quick --budget 20 &
sleep 4
for turn in 1 2 3 4; do
    echo 0 >$cpu/cpu5/online
    sleep 1
    echo 1 >$cpu/cpu5/online
    sleep 1
done
wait
measured gone cores --lines 8 --samples 5 --budget 20 &
sleep 4
echo 0 >$cpu/cpu7/online
wait
echo 1 >$cpu/cpu7/online
""",
    compare=compare,
)
