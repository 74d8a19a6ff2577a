"""Where a command runs: an empty folder of its own and a small, known environment."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
# Nothing here takes a second on an idle machine; a busy one may take a hundred times that.
SECONDS_MAX = 300


class Skip(Exception):
    """The reason why a test can't run here."""


class Surroundings:
    def __init__(self, program):
        self.program = program
        self.under = []   # what commands are run by

    def __enter__(self):
        self.root = Path(tempfile.mkdtemp(prefix="fathom-cli-"))
        (self.root / "bin").mkdir()
        (self.root / "bin" / "fathom").symlink_to(self.program)
        self.cpus = sorted(os.sched_getaffinity(0))
        self.environment = {
            "PATH": f"{self.root}/bin:{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.root),
            "LC_ALL": "C.UTF-8",
            "TESTS": str(SOURCE / "tests"),
            "CPU": str(self.cpus[0]),
            "OTHER_CPU": str(self.cpus[-1]),
        }
        # Options of the sanitizers, where libraries lie, and the change that tests/mutants tries.
        self.environment |= {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")
                             or k in ("LD_LIBRARY_PATH", "FATHOM_MUTANT")}
        return self

    def __exit__(self, *_):
        for folder, _, _ in os.walk(self.root):
            os.chmod(folder, 0o700)   # some tests close theirs
        shutil.rmtree(self.root, ignore_errors=True)

    def folder(self):
        return Path(tempfile.mkdtemp(dir=self.root, prefix="w"))

    def need_two_cpus(self):
        if len(self.cpus) < 2:
            raise Skip("needs two CPUs")

    def need_tongues(self):
        if "core_latency" not in self.run("fathom as --help", self.folder())[1]:
            raise Skip("built without other tools' commands")

    def need_ordinary_user(self):
        """What a folder's mode forbids, root may do: it runs without that right."""
        if os.geteuid() != 0:
            return
        if not shutil.which("setpriv"):
            raise Skip("root may write everywhere, and there is no setpriv")
        self.under = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]

    def start(self, command, folder, **more):
        """A program by its arguments, or a command line for the shell."""
        if isinstance(command, str):
            command = ["sh", "-c", command]
        channels = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                    "stderr": subprocess.PIPE} | more
        return subprocess.Popen(self.under + command, cwd=folder, env=self.environment, **channels)

    def run(self, command, folder, **more):
        """(status, standard output, standard error); 'hangs' in place of a status that never came."""
        process = self.start(command, folder, start_new_session=True, **more)
        try:
            out, err = process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            return "hangs", text(out), text(err)
        return process.returncode, text(out), text(err)


def text(raw):
    return (raw or b"").decode(errors="backslashreplace")
