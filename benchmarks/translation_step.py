#!/usr/bin/env python3
"""How many loads that hit the first cache a step of latency takes that is a TLB's, and one that is a next cache's:
benchmarks/translation_step.py [DIRECTORY]. The cut between the two is `translation_hits` in
src/conclude/levels/evidence.c.

The directory (tests/data/curves/published) has published curves and, in caches.txt, what is documented of their
machines. Curves are dealt into two halves in the order of that list. A cut is computed from each half alone, and the
other one shows how many steps it puts on the wrong side. The half with the smaller step to a next cache decides: where a
half has no step to a third cache, only to memory, it can't say where such steps begin. Only curves in ns count: GPUs have
other TLBs.

A flat is a pair of neighbouring sizes that agree within 5 %. Inside a documented cache behind the first, between twice
the cache before (at least 64 KiB, 16 pages of 4 KiB, the smallest TLB) and a quarter of its own capacity, only
translation makes loads slower: a TLB's step is the rise from the least latency there to the greatest. A cache's step is the one that
the cut has to spare: from the last flat there to the first behind the cache, in the next one or in memory. The step from
the first cache to the second is none of these, because nothing before it is taken for translation. The cut is the
geometric mean of the largest TLB's step and the smallest cache's."""

import math
import os
import re
import sys

AGREE = 0.05
LEAST = 16 * 4096
NOTHING = 0.5  # a smaller rise, in loads, is no step
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size_of(text):
    number, unit = re.fullmatch(r"([\d.]+)([KMG]?)B?", text).groups()
    return float(number) * UNITS[unit]


def machines(directory):
    with open(os.path.join(directory, "caches.txt"), encoding="ascii") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    for name, unit, *caches in lines:
        if unit == "ns":
            yield name, sorted(size_of(text) for text in caches if text != "+")


def curve(directory, name):
    with open(os.path.join(directory, name + ".txt"), encoding="ascii") as file:
        points = [line.split()[:2] for line in file if line.strip()]
    return sorted((size_of(size), float(latency)) for size, latency in points)


def flats(points, low, high):
    """Latencies of the flats with low < size <= high."""
    inside = [latency for size, latency in points if low < size <= high]
    return [math.sqrt(a * b) for a, b in zip(inside, inside[1:]) if abs(b / a - 1) < AGREE]


def steps(points, caches):
    """(of TLBs, of caches), in loads that hit the first cache."""
    within = flats(points, 0, caches[0])
    of_tlbs, of_caches = [], []
    for smaller, cache, larger in zip(caches, caches[1:], caches[2:] + [math.inf]):
        low, high = max(2 * smaller, LEAST), cache / 4
        inside = [latency for size, latency in points if low <= size <= high]
        if not within or len(inside) < 2:
            continue
        if (rise := (max(inside) - min(inside)) / min(within)) > NOTHING:
            of_tlbs.append(rise)
        here, next_ones = flats(points, smaller, cache), flats(points, 1.5 * cache, larger)
        if here and next_ones:
            of_caches.append((next_ones[0] - here[-1]) / min(within))
    return of_tlbs, of_caches


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data", "curves", "published")
    halves = [([], []), ([], [])]
    for place, (name, caches) in enumerate(machines(directory)):
        for into, found in zip(halves[place % 2], steps(curve(directory, name), caches)):
            into += [(step, name) for step in found]
    cuts = []
    for own, other in ((0, 1), (1, 0)):
        (tlbs, caches), (their_tlbs, their_caches) = halves[own], halves[other]
        cut = math.sqrt(max(tlbs)[0] * min(caches)[0])
        cuts.append((min(caches)[0], cut))
        print(f"half {own + 1}: {len(tlbs)} steps of TLBs, up to {max(tlbs)[0]:.1f} loads ({max(tlbs)[1]}); {len(caches)} of "
              f"caches, from {min(caches)[0]:.1f} on ({min(caches)[1]}): cut {cut:.1f}. In the other half "
              f"{sum(step >= cut for step, _ in their_tlbs)} of {len(their_tlbs)} steps of TLBs are not below it, and "
              f"{sum(step < cut for step, _ in their_caches)} of {len(their_caches)} of caches are")
    print(f"translation_hits = {min(cuts)[1]:.1f}")
    return 0


try:
    sys.exit(main())
except (OSError, ValueError, AttributeError) as error:
    sys.exit(f"benchmarks/translation_step.py: {error}: give a directory with caches.txt and every curve that it names")
