#!/usr/bin/env python3
"""How soon `fathom watch` sees a neighbour: benchmarks/watch.py BUILD [TIMES [IDLE_S [KIND]]].

Watches for IDLE_S seconds (600) alone, then TIMES times (20) with a neighbour (benchmarks/tormentor, of KIND dram) that comes on
another CPU after half a minute and stays for ten seconds. Prints the alarms, the neighbours seen and the cost. On a machine that
others use, the alarms are theirs."""

import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

QUIET_S, THERE_S = 30, 10


def reader(stream, lines):
    for line in stream:
        lines.put(line)


def alarms_within(lines, seconds, first=False):
    """The lines of changes for the worse that come in that time."""
    end, found = time.monotonic() + seconds, []
    while (left := end - time.monotonic()) > 0 and not (first and found):
        try:
            line = lines.get(timeout=left)
        except queue.Empty:
            break
        cost = re.search(r"cost ([\d.]+) %", line)
        if cost:
            alarms_within.cost = cost[1]
        if " is slower: " in line:
            found.append(line.strip())
    return found


def main(build, times=20, idle_s=600, kind="dram"):
    watch = subprocess.Popen([build / "fathom", "watch", "--cpu", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = queue.Queue()
    threading.Thread(target=reader, args=(watch.stdout, lines), daemon=True).start()
    alarms = alarms_within(lines, idle_s)
    print(f"{len(alarms)} alarms in {idle_s} s without a neighbour of ours", *alarms, sep="\n  ")
    seen = early = 0
    for _ in range(times):
        early += len(alarms_within(lines, QUIET_S))
        neighbour = subprocess.Popen([build / "benchmarks" / "benchmark-tormentor", "1", kind], stdin=subprocess.PIPE)
        found = alarms_within(lines, THERE_S, first=True)
        neighbour.stdin.close()
        neighbour.wait()
        seen += bool(found)
        print("  seen: " + found[0] if found else "  missed", flush=True)
    watch.send_signal(2)
    print(f"{seen} of {times} neighbours ({kind}) seen within {THERE_S} s, {early} alarms between them; "
          f"cost {alarms_within.cost} % of a CPU; status {watch.wait()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:4]), *sys.argv[4:5])
