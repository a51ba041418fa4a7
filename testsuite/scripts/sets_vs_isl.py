#!/usr/bin/env python3
"""Compares the speed of tilia-presburger with isl's on the same operations.

usage: sets_vs_isl.py [--lines] OPS.txt BENCH_BINARY

BENCH_BINARY is the example `bench` of tilia-presburger in release mode. isl runs through islpy; the cost of an empty call
through islpy (measured on `Set.get_space`) is subtracted. Times are the best of many repetitions, in nanoseconds.
"""
import collections
import math
import subprocess
import sys
import time

import islpy as isl

# Fresh operands and calls for each operation; isl's times below this are noise after the call's cost is subtracted.
REPEAT = 40
KNOWN = 150

OPS = {
    "is_empty": lambda a: a.is_empty(),
    "intersect": lambda a, c: a.intersect(c),
    "subtract": lambda a, c: a.subtract(c),
    "is_subset": lambda a, c: a.is_subset(c),
    "is_equal": lambda a, c: a.is_equal(c),
    "apply_range": lambda a, c: a.apply_range(c),
    "intersect_domain": lambda a, c: a.intersect_domain(c),
    "apply": lambda a, c: a.apply(c),
    "domain": lambda a: a.domain(),
    "deltas": lambda a: a.deltas(),
    "lexmin": lambda a: a.lexmin(),
    "lexmax": lambda a: a.lexmax(),
    "coalesce": lambda a: a.coalesce(),
    "gist": lambda a, c: a.gist(c),
    "simple_hull": lambda a: a.simple_hull(),
    "affine_hull": lambda a: a.affine_hull(),
    "compute_divs": lambda a: a.compute_divs(),
    "project_last": lambda a: a.project_out(isl.dim_type.set, a.dim(isl.dim_type.set) - 1, 1),
    "project_inner": lambda a: a.project_out(isl.dim_type.set, 1, a.dim(isl.dim_type.set) - 1).compute_divs(),
    "params": lambda a: a.params(),
}


def parse(text):
    try:
        return isl.Set(text)
    except isl.Error:
        return isl.Map(text)


def best_time(f, operands):
    """The best time of `f` over fresh operands: isl keeps facts it found in its objects."""
    best = math.inf
    for args in operands:
        t = time.perf_counter_ns()
        f(*args)
        best = min(best, time.perf_counter_ns() - t)
    return best


def pieces(v):
    for name in ("n_basic_set", "n_basic_map"):
        if hasattr(v, name):
            return getattr(v, name)()
    return int(v) if isinstance(v, bool) else "-"


def geomean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def report(title, groups):
    print(f"\n| {title} | operations | isl / ours, geometric mean | least | ours faster |\n|---|---|---|---|---|")
    for name, r in groups.items():
        print(f"| {name} | {len(r)} | {geomean(r):.2f} | {min(r):.2f} | {100 * sum(x > 1 for x in r) / len(r):.0f} % |")


def operations(path):
    """(line number, group, operation, operands)."""
    group = ""
    with open(path) as f:
        for n, line in enumerate(f, 1):
            line = line.strip()
            if line.startswith("# group "):
                group = line.removeprefix("# group ")
            elif line and not line.startswith("#"):
                op, *args = [p.strip() for p in line.split("|")]
                yield n, group, op, args


def main():
    verbose = "--lines" in sys.argv
    path, binary = [a for a in sys.argv[1:] if a != "--lines"]
    ours = {}
    for line in subprocess.run([binary, path], capture_output=True, text=True, check=True).stdout.splitlines():
        ns, n, op, size = line.split()
        ours[int(n)] = (int(ns), size)
    some = isl.Set("{ [i] : i >= 0 }")
    call = best_time(lambda: some.get_space(), [()] * 200)
    by_group, by_op = collections.defaultdict(list), collections.defaultdict(list)
    known, every = 0, []
    for n, group, op, args in operations(path):
        t = best_time(OPS[op], [[parse(a) for a in args] for _ in range(REPEAT)]) - call
        ns, size = ours[n]
        if t < KNOWN:
            known += 1
            continue
        ratio = t / ns
        every.append(ratio)
        by_group[group].append(ratio)
        by_op[op].append(ratio)
        if verbose:
            result = OPS[op](*map(parse, args))
            print(f"{n:4} {group} {op:16} isl {t:9} ns  ours {ns:9} ns  ratio {ratio:6.2f}  pieces {pieces(result)} / {size}")
    report("group", by_group | {"**all**": every})
    report("operation", dict(sorted(by_op.items())))
    print(f"\nAn empty call through islpy took {call} ns and is subtracted. Left out: {known} operations that isl had answered while it read the operands.")


main()
