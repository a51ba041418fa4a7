#!/usr/bin/env python3
"""Compares the time of Tilia's scheduler with isl's on the same domains and dependences.

usage: scheduler_vs_isl.py SCHEDULE_TIMES STRATEGY FILE.mlir..

SCHEDULE_TIMES is the example `schedule_times` of tilia-driver in release mode. Both sides get Tilia's memory-based dependences; isl uses them for validity, proximity and coincidence.
Parsing is not counted on either side. Times are those of the fastest run; isl's scheduler gets up to a minute per run.
"""
import collections
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import islpy as isl


def constraints(text):
    """isl's schedule constraints from the lines of one file."""
    unions = collections.defaultdict(lambda: None)
    for line in text.splitlines():
        what, value = line.split(" ", 1)
        part = {"domain": isl.UnionSet, "validity": isl.UnionMap, "context": isl.Set}[what](value)
        unions[what] = part if unions[what] is None else unions[what].union(part)
    domain = unions["domain"]
    validity = unions["validity"]
    if validity is None:
        validity = isl.UnionMap.empty(domain.get_space())
    c = isl.ScheduleConstraints.on_domain(domain)
    c = c.set_context(unions["context"])
    return c.set_validity(validity).set_proximity(validity).set_coincidence(validity)


def isl_ms(text):
    c = constraints(text)
    best, total = math.inf, 0.0
    while total < 0.3:
        start = time.process_time()
        c.compute_schedule()
        seconds = time.process_time() - start
        best, total = min(best, seconds), total + seconds
    return best * 1e3


def main():
    tool, strategy, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    ratios = []
    print(f"{'kernel':<18} {'isl ms':>9} {'ours ms':>9} {'isl/ours':>9}")
    for file in files:
        with tempfile.TemporaryDirectory() as dir:
            out = subprocess.run([tool, "--isl", dir, strategy, file], capture_output=True, text=True, check=True).stdout
            ours = float(out.splitlines()[1].split()[5])
            theirs = sum(isl_ms(p.read_text()) for p in sorted(pathlib.Path(dir).glob("*.isl")))
        ratios.append(theirs / ours)
        print(f"{pathlib.Path(file).stem:<18} {theirs:>9.2f} {ours:>9.2f} {theirs / ours:>9.2f}", flush=True)
    print(f"geomean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
