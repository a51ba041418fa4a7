#!/usr/bin/env python3
"""Compares the speed of tilia-presburger with isl's on the same operations.

usage: sets_vs_isl.py OPS.txt BENCH_BINARY

BENCH_BINARY is the example `bench` of tilia-presburger in release mode. isl runs through islpy; the cost of an empty call
through islpy (measured on `Set.get_space`) is subtracted. Times are the best of many repetitions, in nanoseconds.
"""
import collections
import math
import subprocess
import sys
import time

import islpy as isl

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


def main():
    ours = {}
    for line in subprocess.run(sys.argv[2:] + [sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines():
        ns, n, op, size = line.split()
        ours[int(n)] = (int(ns), size)
    some = isl.Set("{ [i] : i >= 0 }")
    call = best_time(lambda: some.get_space(), [()] * 200)
    groups = collections.defaultdict(list)
    with open(sys.argv[1]) as f:
        for n, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            op, *args = [p.strip() for p in line.split("|")]
            operands = [[parse(a) for a in args] for _ in range(60)]
            result = OPS[op](*map(parse, args))
            t = max(best_time(OPS[op], operands) - call, 1)
            ns, size = ours[n]
            groups[op].append(t / ns)
            print(f"{n:4} {op:16} isl {t:9} ns  ours {ns:9} ns  ratio {t / ns:6.2f}  pieces {pieces(result)} / {size}")
    print()
    every = []
    for op, r in sorted(groups.items()):
        every += r
        print(f"{op:16} {len(r):4} x  geomean {math.exp(sum(map(math.log, r)) / len(r)):6.2f}")
    print(f"{'all':16} {len(every):4} x  geomean {math.exp(sum(map(math.log, every)) / len(every)):6.2f}")


main()
