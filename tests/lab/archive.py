"""An initramfs: a cpio archive of the form "newc", which kernels unpack into their first root."""
import os
import re
import stat
import subprocess
from pathlib import Path


class Archive:
    def __init__(self):
        self.parts = []
        self.names = set()

    def add(self, name, mode, content=b""):
        for parent in reversed(Path(name).parents):
            if str(parent) != "." and str(parent) not in self.names:
                self.add(str(parent), stat.S_IFDIR | 0o755)
        self.names.add(name)
        called = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(called), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + called
        self.parts += [head, b"\0" * (-len(head) % 4), content, b"\0" * (-len(content) % 4)]

    def file(self, name, content, mode=0o755):
        self.add(name, stat.S_IFREG | mode, content if isinstance(content, bytes) else content.encode())

    def link(self, name, target):
        self.add(name, stat.S_IFLNK | 0o777, target.encode())

    def program(self, name, path, system=""):
        """A program and the libraries that it needs, which for another architecture lie below `system`."""
        self.file(name, Path(path).read_bytes())
        for library in libraries(str(path), system):
            inside = library.removeprefix(system).lstrip("/")
            if inside not in self.names:
                self.file(inside, Path(library).read_bytes())

    def bytes(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def libraries(path, system):
    if not system:
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
        return re.findall(r"(/\S+) \(0x", listed)
    found, open_ends = [], [path]
    while open_ends:
        head = subprocess.run(["readelf", "-dl", open_ends.pop()], capture_output=True, text=True, check=False).stdout
        needed = re.findall(r"NEEDED.*\[(.*)\]", head) + re.findall(r"interpreter: /lib/(.*)\]", head)
        for name in needed:
            library = os.path.join(system, "lib", name)
            if library not in found and os.path.exists(library):
                found.append(library)
                open_ends.append(library)
    return found
