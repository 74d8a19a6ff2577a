"""Nodes that are none: network and UTS namespaces on this machine, each with a host name and an address."""
import os
import shutil
import subprocess
import time
from pathlib import Path


class NoNodes(Exception):
    """Why there can be no such nodes here."""


class Nodes:
    """n1, n2, ... and head, from which jobs start; all end with the context."""

    def __init__(self, folder, count=3):
        self.folder, self.count = Path(folder), count
        self.names = ["head"] + [f"n{i}" for i in range(1, count + 1)]
        self.holders = {}

    def __enter__(self):
        for tool in ("unshare", "nsenter", "ip"):
            if not shutil.which(tool):
                raise NoNodes(f"{tool} is missing (util-linux, iproute2)")
        if os.geteuid() != 0:
            raise NoNodes("only root may make network namespaces")
        hosts = ["127.0.0.1 localhost", "10.214.0.254 head"] + [f"10.214.0.{i} n{i}" for i in range(1, self.count + 1)]
        (self.folder / "hosts").write_text("\n".join(hosts) + "\n")
        try:
            for name in self.names:
                self.hold(name)
            self.connect()
        except (subprocess.CalledProcessError, NoNodes):
            self.__exit__()
            raise NoNodes("the kernel makes no namespaces for this user") from None
        agent = self.folder / "agent"
        agent.write_text(AGENT.format(folder=self.folder))
        agent.chmod(0o755)
        self.agent = agent
        return self

    def hold(self, name):
        script = (f"hostname {name} && mount --bind {self.folder}/hosts /etc/hosts && ip link set lo up && "
                  f"echo $$ > {self.folder}/{name}.new && mv {self.folder}/{name}.new {self.folder}/{name}.pid && "
                  "exec sleep 3600")
        self.holders[name] = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", "--propagation", "private", "sh", "-c", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.folder / f"{name}.pid").exists():
            if self.holders[name].poll() is not None:
                raise NoNodes(name)
            time.sleep(0.01)

    def connect(self):
        def head(*words):
            subprocess.run(["nsenter", "--target", str(self.pid("head")), "--net", "--", "ip", *words], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        head("link", "add", "br0", "type", "bridge")
        head("addr", "add", "10.214.0.254/24", "dev", "br0")
        head("link", "set", "br0", "up")
        for i in range(1, self.count + 1):
            head("link", "add", f"v{i}", "type", "veth", "peer", "name", "eth0", "netns", str(self.pid(f"n{i}")))
            head("link", "set", f"v{i}", "master", "br0", "up")
            for words in (["addr", "add", f"10.214.0.{i}/24", "dev", "eth0"], ["link", "set", "eth0", "up"]):
                subprocess.run(["nsenter", "--target", str(self.pid(f"n{i}")), "--net", "--", "ip", *words], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def pid(self, name):
        return int((self.folder / f"{name}.pid").read_text())

    def command(self, name, words):
        return ["nsenter", "--target", str(self.pid(name)), "--net", "--uts", "--mount", f"--wd={self.folder}", "--",
                *map(str, words)]

    def running(self, name, program):
        """The processes of that program on a node."""
        own = os.readlink(f"/proc/{self.pid(name)}/ns/uts")
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if (entry.name.isdigit() and os.readlink(entry / "ns/uts") == own
                        and Path(os.readlink(entry / "exe")).name == program):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def __exit__(self, *_):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()


AGENT = """#!/bin/sh
# What launchers take for ssh: options, a node, and words for its shell.
while :; do
    case $1 in
    -[oplib]) shift 2 ;;
    -*) shift ;;
    *) break ;;
    esac
done
node=$1
shift
exec nsenter --target "$(cat {folder}/$node.pid)" --net --uts --mount --wd={folder} -- /bin/sh -c "$*"
"""
