"""Kernels and busybox as Debian packs them: fetched once by apt into a folder, unpacked, kept there.

The system's apt configuration stays as it is: the mirror that it names is read again for the releases
that have the kernels, with package lists of the lab's own, for any architecture and without being root.
"""
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

RELEASES = ("bookworm", "bookworm-backports")
# What is taken of each package; the modules, most of it, are not needed.
WANTED = re.compile(r"\./(boot/(vmlinuz|config)-.*|(usr/)?bin/(busybox|linux\.uml))")

# What stands for a version in a kernel's name (6.1.0-47, 6.12.43+deb12), as a regular expression of apt's.
VERSION, ANY_VERSION = r"\*", "[0-9][0-9.+-]*(deb[0-9]+)?"


class Missing(Exception):
    """What the lab lacks on this machine, as one line."""


def run(*command, **how):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300,
                              stdin=subprocess.DEVNULL, check=False, **how)
    except subprocess.TimeoutExpired:
        raise Missing(f"{command[0]}: the archive does not answer") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()
        raise Missing(f"{command[0]}: {said[-1]}")
    return done.stdout


def mirror():
    """The address of the archive that this system installs from, and the keys that sign it."""
    folder = Path("/etc/apt")
    for file in sorted(folder.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", file.read_text(errors="replace")):
            fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", stanza, re.M))
            address = (fields.get("URIs") or "none").split()[0]
            if re.search(r"/debian/?$", address) and "deb" in fields.get("Types", "").split():
                return address, fields.get("Signed-By", "")
    for file in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*.list"))]:
        for line in file.read_text(errors="replace").splitlines() if file.exists() else []:
            found = re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+/debian/?)\s", line)
            if found:
                signed = re.search(r"signed-by=(\S+)", found[1] or "")
                return found[2], signed[1] if signed else ""
    raise Missing("this system installs from no Debian archive, which has the lab's kernels")


def oldest(listed):
    """The first package in the order of versions."""
    names = [line.split()[0] for line in listed.splitlines() if line.strip()]
    return min(names, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], default="")


class Store:
    """What was fetched, below one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.ready = set()  # the architectures whose package lists were read in this run

    def apt(self, architecture):
        """apt-get's arguments for the lab's own lists of that architecture, which are read once a run."""
        if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
            raise Missing("there is no apt here, which fetches the lab's kernels")
        own = self.folder / f"apt-{architecture}"
        options = [f"-oDir::Etc::sourcelist={own}/sources.list", "-oDir::Etc::sourceparts=/dev/null",
                   f"-oDir::State={own}", f"-oDir::State::status={own}/status", f"-oDir::Cache={own}",
                   f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures={architecture}",
                   "-oAcquire::Languages=none", "-oAPT::Sandbox::User=", "-q"]
        if architecture not in self.ready:
            address, keys = mirror()
            for name in ("lists/partial", "archives/partial"):
                (own / name).mkdir(parents=True, exist_ok=True)
            (own / "status").touch()
            signed = f" [signed-by={keys}]" if keys else ""
            (own / "sources.list").write_text("".join(
                f"deb{signed} {address} {release} main\n" for release in RELEASES))
            run("apt-get", *options, "update")
            self.ready.add(architecture)
        return options

    def package(self, name, architecture, release):
        """A folder with what WANTED takes of a package, each file by the first part of its name: `vmlinuz`,
        `config`. A `*` stands for a version, of which the oldest is taken: QEMU 7.2 lets newer kernels of
        6.12 crash now and then."""
        kept = self.folder / "unpacked" / f"{name.replace('*', 'any')}-{architecture}-{release}"
        if kept.exists():
            return kept
        options = self.apt(architecture)
        wanted = f"{name}/{release}"
        if "*" in name:
            wanted = oldest(run("apt-cache", *options, "search", "--names-only", f"^{re.escape(name).replace(VERSION, ANY_VERSION)}$"))
            if not wanted:
                raise Missing(f"{release} has no package {name} for {architecture}")
        part = self.folder / "part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        run("apt-get", *options, "download", wanted, cwd=part)
        self.unpack(next(part.glob("*.deb")), part / "root")
        kept.parent.mkdir(exist_ok=True)
        (part / "root").rename(kept)
        shutil.rmtree(part)
        return kept

    @staticmethod
    def unpack(package, root):
        """The few files that WANTED names, all in one folder."""
        root.mkdir()
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as unpacking:
            with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
                for entry in archive:
                    if entry.isfile() and WANTED.match(entry.name):
                        file = root / Path(entry.name).name.split("-")[0]
                        file.write_bytes(archive.extractfile(entry).read())
                        file.chmod(entry.mode)
        if not any(root.iterdir()):
            raise Missing(f"{package.name} holds no kernel and no program")
