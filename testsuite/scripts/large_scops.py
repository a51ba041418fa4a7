#!/usr/bin/env python3
"""Writes programs with many statements, to measure how dependences and scheduling grow: large_scops.py DIR N..

Shapes: chain (each loop nest reads what the one before it wrote), pipeline (the same with three neighbours), stencil (the same inside a time loop, the first reading what the last one wrote), plane (the
same with five neighbours in two dimensions), independent (nests that share nothing), unrolled (one loop nest whose body has N statements, each adding to one of eight arrays).
"""

import pathlib
import sys


def loops(iterators, body, indent=2):
    """A loop nest around lines of text; iterators are (name, lower, upper)."""
    out = []
    for depth, (name, lower, upper) in enumerate(iterators):
        out.append(" " * (indent + 2 * depth) + f"affine.for %{name} = {lower} to {upper} {{")
    out += [" " * (indent + 2 * len(iterators)) + line for line in body]
    for depth in reversed(range(len(iterators))):
        out.append(" " * (indent + 2 * depth) + "}")
    return out


def step(source, target, offsets, subscripts):
    """Lines that store the sum of some elements of an array."""
    first, *rest = subscripts
    lines = []
    for k, offset in enumerate(offsets):
        where = ", ".join([f"%{first} + {offset}"] + [f"%{s}" for s in rest])
        lines.append(f"%l{k} = affine.load %{source}[{where}] : memref<{'x'.join(['?'] * len(subscripts))}xf64>")
    total = "%l0"
    for k in range(1, len(offsets)):
        lines.append(f"%s{k} = arith.addf {total}, %l{k} : f64")
        total = f"%s{k}"
    where = ", ".join(f"%{s}" for s in subscripts)
    return lines + [f"affine.store {total}, %{target}[{where}] : memref<{'x'.join(['?'] * len(subscripts))}xf64>"]


def program(arrays, dims, body):
    """A function with arrays of its own: arguments that may overlap would split it into many scops."""
    kind = "memref<" + "x".join(["?"] * dims) + "xf64>"
    sizes = ", ".join(["%n"] * dims)
    own = [f"  %A{k} = memref.alloc({sizes}) : {kind}" for k in range(arrays)]
    return "\n".join(["func.func @kernel(%n: index) {"] + own + body + ["  return", "}", ""])


def chain(n):
    body = []
    for k in range(n):
        body += loops([("i", 0, "%n"), ("j", 0, "%n")], step(f"A{k}", f"A{k + 1}", [0], ["i", "j"]))
    return program(n + 1, 2, body)


def stencil(n):
    inner = []
    upper = "affine_map<()[s0] -> (s0 - 1)>()[%n]"
    for k in range(n):
        inner += loops([("i", 1, upper)], step(f"A{k}", f"A{(k + 1) % n}", [-1, 0, 1], ["i"]), 0)
    return program(n, 1, loops([("t", 0, "%n")], inner))


def pipeline(n):
    body = []
    upper = "affine_map<()[s0] -> (s0 - 1)>()[%n]"
    for k in range(n):
        body += loops([("i", 1, upper)], step(f"A{k}", f"A{k + 1}", [-1, 0, 1], ["i"]))
    return program(n + 1, 1, body)


def plane(n):
    inner = []
    upper = "affine_map<()[s0] -> (s0 - 1)>()[%n]"
    for k in range(n):
        cross = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]
        lines = [f"%l{m} = affine.load %A{k}[%i + {di}, %j + {dj}] : memref<?x?xf64>" for m, (di, dj) in enumerate(cross)]
        total = "%l0"
        for m in range(1, len(cross)):
            lines.append(f"%s{m} = arith.addf {total}, %l{m} : f64")
            total = f"%s{m}"
        lines.append(f"affine.store {total}, %A{(k + 1) % n}[%i, %j] : memref<?x?xf64>")
        inner += loops([("i", 1, upper), ("j", 1, upper)], lines, 0)
    return program(n, 2, loops([("t", 0, "%n")], inner))


def independent(n):
    body = []
    for k in range(n):
        body += loops([("i", 0, "%n"), ("j", 0, "%n")], step(f"A{k}", f"A{k}", [0], ["i", "j"]))
    return program(n, 2, body)


def unrolled(n):
    lines = []
    for k in range(n):
        own = step(f"A{k % 8}", f"A{(k + 3) % 8}", [k % 5], ["i"])
        lines += [line.replace("%l", f"%l{k}_").replace("%s", f"%s{k}_") for line in own]
    return program(8, 1, loops([("i", 0, "affine_map<()[s0] -> (s0 - 8)>()[%n]")], lines))


def main():
    out = pathlib.Path(sys.argv[1])
    for n in map(int, sys.argv[2:]):
        for shape in (chain, pipeline, stencil, plane, independent, unrolled):
            (out / f"{shape.__name__}-{n}.mlir").write_text(shape(n))


if __name__ == "__main__":
    main()
