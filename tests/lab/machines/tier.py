"""A node without CPUs, as memory on CXL is one: HMAT tells its latency, and the kernel makes it a tier of its own."""
from compare import as_asked, cells, probe
from machine import Machine, Node
from smbios import Module


def compare(lab):
    document = lab.document("numa")
    as_asked(lab, document)
    lab.status("numa", 0, 4)
    pairs = set(cells(document, "numa")[0])
    lab.holds("each node from each with CPUs, none from the one without",
              pairs and pairs <= {(source, target) for source in (0, 1) for target in (0, 1, 2)}, sorted(pairs))
    lab.holds("nothing was placed elsewhere", "wrong-node" not in str(probe(document, "numa")), "flag wrong-node")
    lab.same("tiers", "memory_tier4 0-1\nmemory_tier56 2", lab.text("tiers"))
    declares(lab, document.get("machine", {}).get("declared", {}))


def declares(lab, declared):
    """What the document keeps of the firmware's and the kernel's tables."""
    nodes = lab.machine.nodes
    ways = {way["node"]: (way["from"], way.get("read_latency_ns"), way.get("read_bandwidth"))
            for way in declared.get("access", []) if way.get("access")}
    # QEMU counts in GiB/s, and the kernel shows as MB/s what the table has.
    lab.same("HMAT, from the best node",
             {number: (str(node.latency_ns.index(min(node.latency_ns))), min(node.latency_ns),
                       max(node.gb_per_s) * 1024 * 10**6) for number, node in enumerate(nodes)}, ways)
    lab.same("declared tiers", lab.text("tiers"),
             "\n".join(f"memory_tier{tier['id']} {tier['nodes']}" for tier in declared.get("tiers", [])))
    lab.same("interleave weights", {number: 1 for number in range(len(nodes))},
             {one["node"]: one["weight"] for one in declared.get("weights", [])})
    lab.same("memory modules", [(f"DIMM_{slot}1", slot == "H") for slot in "ABCDEFGH"],
             [(one.get("slot"), one.get("empty", False)) for one in declared.get("modules", [])])
    lab.same("rated and configured speed", {(4800, 4400)},
             {(one.get("rated_mts"), one.get("configured_mts")) for one in declared.get("modules", [])
              if not one.get("empty")})
    lab.same("hwloc's nodes", {0: "0-1", 1: "2-3", 2: "0-1"},
             {number: cpus for one in declared.get("hwloc", []) if one["type"] == "NUMANode"
              for number, cpus in zip(one["indexes"], one["cpus"])})


MACHINE = Machine(
    about="2 nodes with CPUs, and one of memory only with HMAT, a tier, interleave weights and memory modules",
    kernel="6.12", sockets=2, cores=2,
    nodes=(Node(384, "0-1", latency_ns=(80, 140), gb_per_s=(100, 50)),
           Node(384, "2-3", latency_ns=(140, 80), gb_per_s=(50, 100)),
           Node(384, latency_ns=(250, 320), gb_per_s=(25, 20))),
    distances=((0, 1, 21), (0, 2, 30), (1, 2, 40)),
    modules=(*(Module(f"DIMM_{slot}1", f"CHANNEL {slot}", 16, 4800, 4400) for slot in "ABCDEFG"),
             Module("DIMM_H1", "CHANNEL H")),
    commands="""
for tier in /sys/devices/virtual/memory_tiering/memory_tier*; do
    echo ${tier##*/} $(cat $tier/nodelist)
done >tiers
measured numa numa --quick --budget 15
""",
    compare=compare,
    shortest=True,
)
