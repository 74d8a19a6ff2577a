"""A flattened device tree, as far as the lab changes one: the capacity of each CPU's node.

Format: the Devicetree Specification, version 0.4, chapter 5: words are big-endian, tokens aligned to 4.
"""
import re
import struct

HEADER = struct.Struct(">10I")  # magic, size, structure, strings, reserved, versions, CPU, sizes of both
BEGIN_NODE, END_NODE, PROPERTY, NOP = 1, 2, 3, 4


def with_capacities(tree, capacities):
    """The tree, in which each node cpu@N has capacity-dmips-mhz = capacities[its place among them]."""
    head = list(HEADER.unpack_from(tree))
    begin, strings, length = head[2], head[3], head[8]
    structure = tree[begin:begin + head[9]]
    names = tree[strings:strings + length] + b"capacity-dmips-mhz\0"
    out, at, found = b"", 0, 0
    while at < len(structure):
        token, = struct.unpack_from(">I", structure, at)
        if token == BEGIN_NODE:
            end = structure.index(b"\0", at + 4)
            name, after = structure[at + 4:end], end + 1 + -(end + 1) % 4
        elif token == PROPERTY:
            size, = struct.unpack_from(">I", structure, at + 4)
            after = at + 12 + size + -size % 4
        else:
            after = at + 4
        out += structure[at:after]
        if token == BEGIN_NODE and re.fullmatch(rb"cpu@[0-9a-f]+", name):
            out += struct.pack(">4I", PROPERTY, 4, length, capacities[found])
            found += 1
        at = after
    reserved = tree[head[4]:begin] if head[4] < begin else struct.pack(">4I", 0, 0, 0, 0)
    head[4] = HEADER.size
    head[2] = head[4] + len(reserved)
    head[3], head[8], head[9] = head[2] + len(out), len(names), len(out)
    head[1] = head[3] + len(names)
    return HEADER.pack(*head) + reserved + out + names
