"""Memory modules as firmware describes them: SMBIOS structures of type 17, one file each for QEMU's -smbios."""
import struct
from dataclasses import dataclass

UNKNOWN_HANDLE, NO_ERROR_HANDLE = 0x1000, 0xFFFE
DIMM, DDR5 = 0x09, 0x22


@dataclass
class Module:
    """One slot; without `gib` nothing is in it."""
    slot: str
    channel: str
    gib: int = 0
    rated: int = 0          # MT/s
    configured: int = 0

    def structure(self, handle):
        """DSP0134, 7.18, as version 2.8 has it: 40 bytes, then the texts that it counts from 1."""
        texts = [self.slot, self.channel] + (["Lab", f"SERIAL{handle}", "TAG", "LAB-DDR5"] if self.gib else [])
        named = [3, 4, 5, 6] if self.gib else [0, 0, 0, 0]
        width = 64 if self.gib else 0
        body = struct.pack(
            "<BBHHHHHHBBBBBHHBBBBBIHHHH", 17, 40, handle, UNKNOWN_HANDLE, NO_ERROR_HANDLE, width, width,
            self.gib * 1024, DIMM, 0, 1, 2, DDR5 if self.gib else 2, 0, self.rated, *named,
            1 if self.gib else 0, 0, self.configured, 0, 0, 0)
        assert len(body) == 40
        return body + b"".join(text.encode() + b"\0" for text in texts) + b"\0"


def arguments(modules, folder):
    """QEMU's words for these modules, whose files are written below the folder."""
    for number, module in enumerate(modules):
        file = folder / f"smbios-17-{number}"
        file.write_bytes(module.structure(0x1100 + number))
        yield "-smbios"
        yield f"file={file}"
