"""Carries out the kernels' texts, instruction by instruction, on an idle machine without caches.

It knows the small language that src/measure/gpu/ptx/ptx.c describes and nothing more; whatever else it meets,
an access out of bounds or out of line among them, is an error.
"""
import collections
import re

WORD64 = (1 << 64) - 1
MOST_STEPS = 1000000  # of one thread: no test needs a hundredth; who takes more never ends
GLOBAL, SHARED, CLUSTER_WINDOW, BLOCK_STEP = 0x7F0000000000, 0x400, 0x600000000000, 1 << 32

Kernel = collections.namedtuple("Kernel", "parameters registers body labels")
Instruction = collections.namedtuple("Instruction", "guard operation operands")


class Trap(Exception):
    pass


def parse(text):
    """name -> Kernel"""
    kernels = {}
    for name, parameters, body in re.findall(
            r"\.visible \.entry (\w+)\((.*?)\)\n\{\n(.*?)\n\}\n", text, re.S):
        registers, instructions, labels = set(), [], {}
        for line in body.splitlines():
            line = line.strip()
            if line.endswith(":"):
                labels[line[:-1]] = len(instructions)
            elif line.startswith(".reg "):
                registers |= set(re.findall(r"%\w+", line))
            elif line != '.pragma "nounroll";':
                guard, operation, rest = re.fullmatch(
                    r"(?:@(%\w+) )?([\w.:]+)(?: (.*))?;", line).groups()
                operands = re.findall(r"\[[^\[\]]*\]|\{[^{}]*\}|[^,\s]+", rest or "")
                instructions.append(Instruction(guard, operation, operands))
        kernels[name] = Kernel(re.findall(r"\.param \.u64 (\w+)", parameters), registers,
                               instructions, labels)
    return kernels


class Thread:
    def __init__(self, number, block, special):
        self.number, self.block, self.special = number, block, special
        self.registers = {}


class Machine:
    def __init__(self, global_bytes, shared_bytes=0):
        self.memory = bytearray(global_bytes)
        self.bank = bytearray(65536)
        self.shared_bytes = shared_bytes
        self.shared = []
        self.loads = []  # (operation, address), in order
        self.time = 1000

    def run(self, kernel, arguments, grid=1, threads=1, multiprocessors=(0,)):
        """A launch; all of its blocks are one cluster. `multiprocessors`: where each block runs."""
        assert len(arguments) == len(kernel.parameters)
        self.loads = []
        self.shared = [bytearray(self.shared_bytes) for _ in range(grid)]
        arguments = dict(zip(kernel.parameters, (a & WORD64 for a in arguments)))
        waiting = []
        for block in range(grid):
            for number in range(threads):
                special = {"%tid.x": number, "%tid.y": 0, "%ntid.x": threads, "%ctaid.x": block,
                           "%nctaid.x": grid, "%cluster_ctarank": block,
                           "%smid": multiprocessors[block % len(multiprocessors)]}
                waiting.append(self.follow(kernel, arguments, Thread(number, block, special)))
        # A thread goes on until it ends or waits. Who waits, waits for all that have not ended:
        # there is one barrier at a time, of blocks or of the cluster, and no two blocks differ.
        while waiting:
            waiting = [thread for thread in waiting if next(thread, None)]

    def follow(self, kernel, arguments, thread):
        at = 0
        for _ in range(MOST_STEPS):
            guard, operation, operands = kernel.body[at]
            at += 1
            if guard and not self.value(thread, guard):
                continue
            if operation == "bra":
                at = kernel.labels[operands[0]]
            elif operation == "ret":
                return
            elif operation in ("bar.sync", "barrier.cluster.wait"):
                yield True
            elif operation == "ld.param.u64":
                self.put(kernel, thread, operands[0], arguments[operands[1].strip("[]")])
            else:
                self.execute(kernel, thread, operation, operands)
        raise AssertionError("a kernel that does not end")

    def put(self, kernel, thread, register, value):
        assert register in kernel.registers, register
        thread.registers[register] = value

    def value(self, thread, operand):
        if operand in thread.special:
            return thread.special[operand]
        if operand in ("%clock64", "%globaltimer"):
            self.time += 7
            return self.time
        if operand.startswith("%"):
            return thread.registers[operand]
        return {"scratch": SHARED, "bank": 0}[operand] if operand.isalpha() else int(operand)

    def address(self, thread, operand):
        register, _, number = operand.strip("[]").partition("+")
        return self.value(thread, register) + int(number or 0)

    def place(self, thread, space, address, size):
        """The memory that an address is in, and where."""
        assert address % size == 0, f"{address:#x} is out of line"
        if space == "global":
            memory, offset = self.memory, address - GLOBAL
        elif space == "const":
            memory, offset = self.bank, address
        elif space == "shared":
            memory, offset = self.shared[thread.block], address - SHARED
        else:
            block, offset = divmod(address - CLUSTER_WINDOW, BLOCK_STEP)
            memory, offset = self.shared[block], offset - SHARED
        assert 0 <= offset <= len(memory) - size, f"{address:#x} is out of bounds"
        return memory, offset

    def load(self, thread, space, address, size):
        memory, offset = self.place(thread, space, address, size)
        return int.from_bytes(memory[offset:offset + size], "little")

    def store(self, thread, space, address, size, value):
        memory, offset = self.place(thread, space, address, size)
        memory[offset:offset + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def execute(self, kernel, thread, operation, operands):
        base, *qualifiers = operation.split(".")
        if base in ("ld", "st", "atom", "tex"):
            self.access(kernel, thread, operation, operands)
        elif operation == "cvta.shared.u64":
            self.put(kernel, thread, operands[0],
                     mapa(self.value(thread, operands[1]), thread.block))
        elif base == "trap":
            raise Trap
        elif base not in ("membar", "barrier"):
            bits = {"32": 32, "64": 64}[qualifiers[-1][-2:]]
            values = [self.value(thread, operand) for operand in operands[1:]]
            values = [v & (1 << bits) - 1 if not isinstance(v, bool) else v for v in values]
            result = COMPUTED[operation.rpartition(".")[0]](*values)
            # A product is wide, and a conversion narrow, by what it is called and not by its type.
            bits = {"mul.wide": 64, "cvt.u32": 32, "cvt.u64": 64}.get(
                operation.rpartition(".")[0], bits)
            self.put(kernel, thread, operands[0],
                     result if isinstance(result, bool) else result & (1 << bits) - 1)

    def access(self, kernel, thread, operation, operands):
        base, *qualifiers = operation.split(".")
        if base == "tex":
            names = re.findall(r"%\w+", operands[0])
            texture, index = (self.value(thread, r) for r in re.findall(r"%\w+", operands[1]))
            self.loads.append((operation, index))
            texel = self.load(thread, "global", texture + 4 * index, 4)
            for register, value in zip(names, (texel, 0, 0, 1)):
                self.put(kernel, thread, register, value)
            return
        space = qualifiers[0] if qualifiers[0] in ("global", "shared", "const") else "generic"
        size = int(qualifiers[-1][1:]) // 8
        memory = next(o for o in operands if o.startswith("["))
        names = re.findall(r"[%\w]+", operands[0 if base != "st" else 1])
        address = self.address(thread, memory)
        # A vector has to lie as if it were one.
        self.place(thread, space, address, size * len(names))
        for i, register in enumerate(names):
            at = address + i * size
            if base == "st":
                self.store(thread, space, at, size, self.value(thread, register))
                continue
            loaded = self.load(thread, space, at, size)
            self.put(kernel, thread, register, loaded)
            if base == "atom":
                value = self.value(thread, operands[2])
                self.store(thread, space, at, size,
                           loaded + value if qualifiers[1] == "add" else value)
        if base != "st":
            self.loads.append((operation, address))


def mapa(address, rank):
    return address % BLOCK_STEP + CLUSTER_WINDOW + rank * BLOCK_STEP


COMPUTED = {
    "mov": lambda a: a, "cvt.u64": lambda a: a, "cvt.u32": lambda a: a,
    "cvta.to.global": lambda a: a, "mapa": mapa,
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "xor": lambda a, b: a ^ b,
    "mul.lo": lambda a, b: a * b, "mul.wide": lambda a, b: a * b,
    "mul.hi": lambda a, b: a * b >> 32, "mad.lo": lambda a, b, c: a * b + c,
    "div": lambda a, b: a // b, "rem": lambda a, b: a % b,
    "selp": lambda a, b, c: a if c else b,
    "setp.eq": lambda a, b: a == b, "setp.ne": lambda a, b: a != b,
    "setp.ge": lambda a, b: a >= b, "setp.lt": lambda a, b: a < b,
}
