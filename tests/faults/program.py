"""The program in a folder of its own, and what must hold however it ends."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2]
SAMPLE = SOURCE / "tests" / "cli" / "sample.json"
OLDER = SAMPLE.read_bytes()
SECONDS_MAX = 120   # what hangs; everything here takes less than 2 s on an idle machine
FAILED_BY_SIGNAL = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL}


class Skip(Exception):
    """The reason why a test can't run here."""


class Result(NamedTuple):
    status: object
    out: bytes
    err: str
    files: dict

    def clear(self):
        """Complaints where the end is no clear one: a crash, a hang, no line, or more than two."""
        lines = self.err.splitlines()
        messages = [line for line in lines if line.startswith("fathom: ")]
        found = []
        if self.status == "hangs" or self.status in FAILED_BY_SIGNAL:
            found.append(f"ends with {self.status}")
        elif self.status in (2, 3) and not messages and not self.out:
            found.append(f"status {self.status} without a word: {self.err!r}")
        if len(lines) != len(messages) or len(lines) > 2:
            found.append(f"unclear: {self.err!r}")
        return found


class Program:
    def __init__(self, path, shim, root, everything):
        self.path, self.shim, self.root, self.everything, self.runs = path, shim, root, everything, 0
        self.environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(root),
                            "LC_ALL": "C", "FATHOM": str(path), "SAMPLE": str(SAMPLE),
                            "DATA": str(SOURCE / "tests" / "data"),
                            # LLVM, in drivers of OpenCL, swallows a SIGQUIT that comes while it compiles.
                            "OCL_ICD_VENDORS": "/nowhere"}

    def folder(self):
        """A folder with an older document in it."""
        folder = Path(tempfile.mkdtemp(dir=self.root))
        (folder / "keep").write_bytes(OLDER)
        return folder

    def start(self, command, folder, **more):
        """`command` is for the shell, and `fathom` in it is the program; or a list of its arguments."""
        self.runs += 1
        if not isinstance(command, str):   # without a shell, which would get a signal that comes early
            return subprocess.Popen([self.path, *command], cwd=folder, env=self.environment,
                                    start_new_session=True, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        channels = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = self.environment | more.pop("env", {})
        return subprocess.Popen(["bash", "-c", "fathom() { LD_PRELOAD=$SHIM exec \"$FATHOM\" \"$@\"; }; " + command],
                                cwd=folder, env=environment, start_new_session=True, **channels | more)

    def finish(self, process, folder):
        try:
            out, err = process.communicate(timeout=SECONDS_MAX)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            status = "hangs"
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        return Result(status, out or b"", (err or b"").decode(errors="replace"), files)

    def run(self, command, fault=None, **more):
        """`fault` is what the shim gets."""
        folder = self.folder()
        env = {"SHIM": str(self.shim), "FATHOM_FAULT": fault} if fault else {}
        result = self.finish(self.start(command, folder, env=env | more.pop("env", {}), **more), folder)
        shutil.rmtree(folder, ignore_errors=True)
        return result


def is_document(raw):
    try:
        return json.loads(raw)["schema"].startswith("fathom/")
    except (ValueError, KeyError, TypeError):
        return False


def kept(result, finished):
    """Complaints where the older document is neither intact nor, where the run may have `finished`,
    replaced by a whole one; or where something else is left that is no document."""
    found = []
    keep = result.files.get("keep")
    if keep != OLDER and not (finished and keep and is_document(keep)):
        found.append(f"the older document is lost: {len(keep or b'')} bytes")
    for name, raw in result.files.items():
        if name.startswith(".fathom-") or (".partial" in name and not is_document(raw)):
            found.append(f"{name} is left, {len(raw)} bytes")
    return found
