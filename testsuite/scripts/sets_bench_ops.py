#!/usr/bin/env python3
"""Writes operations on sets for the comparison of speed: those of PolyBench's loops, and random ones.

usage: sets_bench_ops.py TILIA > ir/presburger/examples/bench/ops.txt

TILIA is the compiler; its dependences and iteration domains of all kernels are the inputs. The output depends on nothing else, so it only
changes when they do. Lines are `op | operand | operand`, under headings `# group NAME`.
"""
import glob
import random
import re
import subprocess
import sys

import islpy as isl

KERNELS = sorted(glob.glob("testsuite/polybench/*.mlir"))


def emitted(tilia, kernel, what):
    done = subprocess.run([tilia, "opt", kernel, f"--emit={what}", "-o", "-"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def thin(items, n):
    """At most n of the items, evenly spread."""
    return [items[i * len(items) // n] for i in range(n)] if len(items) > n else items


def dependences(lines):
    return [l.strip() for l in lines if l.startswith("      [") and "->" in l]


def domains(lines):
    return [l.split("domain ", 1)[1] for l in lines if l.startswith("    domain [")]


def without_parameters_that_are_unused(text):
    """The text as isl prints it, less the parameters that occur in no constraint."""
    is_map = re.search(r"\] -> \w+\[", text.split("{", 1)[1])
    x = isl.Map(text) if is_map else isl.Set(text)
    for i in reversed(range(x.dim(isl.dim_type.param))):
        if not x.involves_dims(isl.dim_type.param, i, 1):
            x = x.project_out(isl.dim_type.param, i, 1)
    return x


def dependence_lines(maps):
    for m in thin(maps, 60):
        yield f"is_empty | {m}"
        yield f"lexmax | {m.reverse()}"
        yield f"domain | {m}"
        if m.domain().get_space().is_equal(m.range().get_space()):
            yield f"intersect | {m} | {isl.Map.lex_lt(m.domain().get_space())}"
            yield f"deltas | {m}"
            yield f"apply_range | {m} | {m}"
    pairs = [(a, b) for a, b in zip(maps, maps[1:]) if a.get_space().is_equal(b.get_space())]
    for a, b in thin(pairs, 40):
        yield f"is_subset | {a} | {b}"


def tiled(domain, size):
    n = domain.dim(isl.dim_type.set)
    names = [f"x{i}" for i in range(n)]
    text = f"{{ {domain.get_tuple_name() or ''}[{', '.join(names)}] -> [{', '.join([f'floor({x}/{size})' for x in names] + names)}] }}"
    return domain.apply(isl.Map(text)), text


def projection_lines(sets):
    for s in thin(sets, 30):
        t, text = tiled(s, 32)
        yield f"apply | {s} | {text}"
        yield f"project_inner | {t}"
        yield f"project_last | {t}"
        outer = t.project_out(isl.dim_type.set, s.dim(isl.dim_type.set), s.dim(isl.dim_type.set)).compute_divs()
        wide = outer.insert_dims(isl.dim_type.set, s.dim(isl.dim_type.set), s.dim(isl.dim_type.set))
        yield f"gist | {t} | {wide}"
        yield f"simple_hull | {t}"
        yield f"lexmin | {t}"


def subtraction_lines(maps, sets):
    pairs = [(a, b) for a, b in zip(maps, maps[1:]) if a.get_space().is_equal(b.get_space())]
    for a, b in thin(pairs, 60):
        yield f"subtract | {a} | {b}"
    for s in thin(sets, 20):
        inner = s
        for i in range(s.dim(isl.dim_type.set)):
            inner = inner.lower_bound_val(isl.dim_type.set, i, isl.Val(2))
        yield f"subtract | {s} | {inner}"


def lexmin_lines(maps, sets):
    for m in thin(maps, 50):
        yield f"lexmin | {m}"
    for s in thin(sets, 20):
        yield f"lexmax | {s}"
    yield "lexmin | [n, m] -> { S[i] : 2i >= n and 3i >= m and 0 <= i <= n + m }"
    yield "lexmax | [n] -> { S[i] -> T[a, b] : 0 <= i < n and 0 <= a < n and 0 <= b < n and 2a + 3b <= i }"
    yield "lexmax | [n] -> { S[i, j] -> T[a, b] : 0 <= i, j < n and 0 <= a < n and 0 <= b < n and i + j = a + b and a < i }"
    yield "lexmin | [n] -> { S[i] -> T[a] : 0 <= i < n and 3a >= i and 0 <= a < n and a mod 2 = 1 }"


def piece(rng, dims):
    atoms = []
    for d in dims:
        low = rng.randint(-4, 8)
        atoms.append(rng.choice([f"{low} <= {d} <= {low + rng.randint(0, 9)}", f"{low} <= {d} < n"]))
    if rng.random() < 0.5:
        a, b = rng.sample(dims, 2)
        atoms.append(f"{rng.choice([1, 1, 2, 3])}{a} {rng.choice(['+', '-'])} {rng.choice([1, 1, 2])}{b} <= {rng.randint(0, 12)}")
    if rng.random() < 0.25:
        atoms.append(f"{rng.choice(dims)} mod {rng.randint(2, 4)} = {rng.randint(0, 1)}")
    return " and ".join(atoms)


def random_union(rng, dims, most):
    pieces = [piece(rng, dims) for _ in range(rng.randint(2, most))]
    return f"[n] -> {{ [{', '.join(dims)}] : {' or '.join(f'({p})' for p in pieces)} }}"


def union_lines(rng):
    for i in range(40):
        dims = ["i", "j", "k"][: 2 + i % 2]
        a, b = random_union(rng, dims, 4), random_union(rng, dims, 4)
        yield f"is_equal | {a} | {b}"
        yield f"is_subset | {a} | {b}"
        yield f"intersect | {a} | {b}"
        yield f"subtract | {a} | {b}"
        yield f"is_empty | {a}"


def coalesce_lines(rng, maps):
    for m in thin(maps, 30):
        yield f"coalesce | {m}"
    for i in range(30):
        yield f"coalesce | {random_union(rng, ['i', 'j', 'k'][: 2 + i % 2], 6)}"
    for k in range(2, 8):
        parts = " or ".join(f"({7 * x} <= i <= {7 * x + 6} and 0 <= j < n)" for x in range(k))
        yield f"coalesce | [n] -> {{ [i, j] : {parts} }}"


def main():
    maps, sets = [], []
    for kernel in KERNELS:
        maps += thin(dependences(emitted(sys.argv[1], kernel, "deps")), 12)
        sets += thin(domains(emitted(sys.argv[1], kernel, "scop")), 4)
    maps = [without_parameters_that_are_unused(m) for m in maps]
    sets = [s for s in map(without_parameters_that_are_unused, sets) if s.dim(isl.dim_type.set) > 0]
    unions = [m for m in maps if m.n_basic_map() > 1]
    print("# Operations on sets; made by testsuite/scripts/sets_bench_ops.py, not by hand.")
    groups = {
        "dependences": dependence_lines(maps),
        "projections": projection_lines(sets),
        "subtraction": subtraction_lines(maps, sets),
        "lexmin": lexmin_lines(maps, sets),
        "coalesce": coalesce_lines(random.Random(1), unions),
        "random unions": union_lines(random.Random(2)),
    }
    for name, lines in groups.items():
        print(f"# group {name}")
        for line in dict.fromkeys(lines):
            print(line)


main()
