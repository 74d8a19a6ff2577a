"""NVIDIA's own tools, where they are installed: the assembler (ptxas) and the disassembler."""
import glob
import os
import re
import shutil
import struct
import subprocess
import tempfile

FOLDERS = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH")
           if os.environ.get(name)]
FOLDERS += ["/usr/local/cuda/bin", *sorted(glob.glob("/usr/local/cuda-*/bin"), reverse=True),
            "/opt/cuda/bin"]


def find(name):
    """The path of a tool, or None."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(FOLDERS))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def architectures(ptxas):
    """What this ptxas assembles for, as numbers: 75, 80, ... Those with a letter (90a) are left
    out: they are the same machines with more instructions, none of which is in our texts."""
    usage = run(ptxas, "--help").stdout
    return sorted({int(number) for number in re.findall(r"'sm_(\d+)'", usage)})


def text_for(print_ptx, capability, *more):
    result = run(print_ptx, str(capability), *more)
    result.check_returncode()
    return result.stdout


def target_of(text):
    return int(re.search(r"^\.target sm_(\d+)$", text, re.M)[1])


def entries(text):
    return re.findall(r"^\.visible \.entry (\w+)\(", text, re.M)


def assemble(ptxas, architecture, text):
    """(machine code of each entry, None), or (None, what ptxas said)."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "kernels.ptx"), os.path.join(folder, "kernels.cubin")
        with open(source, "w") as file:
            file.write(text)
        result = run(ptxas, f"-arch=sm_{architecture}", "-o", binary, source)
        if result.returncode:
            return None, (result.stderr or result.stdout).replace(folder + os.sep, "")
        with open(binary, "rb") as file:
            return dict(code(file.read())), None


def code(binary):
    """The sections .text.NAME of a 64-bit ELF file, as (NAME, bytes)."""
    table, = struct.unpack_from("<Q", binary, 0x28)
    size, count, names = struct.unpack_from("<HHH", binary, 0x3A)
    # name, type, flags, address, offset, size
    sections = [struct.unpack_from("<IIQQQQ", binary, table + i * size) for i in range(count)]
    for section in sections:
        start = sections[names][4] + section[0]
        name = binary[start:binary.index(b"\0", start)].decode()
        if name.startswith(".text."):
            yield name[len(".text."):], binary[section[4]:section[4] + section[5]]


def report(points):
    """Prints TAP for (passed, description, details); the exit status."""
    print(f"1..{len(points)}")
    for number, (passed, description, details) in enumerate(points, 1):
        print(f"{'ok' if passed else 'not ok'} {number} - {description}")
        for line in details:
            print(f"# {line}")
    return 0 if all(passed for passed, *_ in points) else 1
