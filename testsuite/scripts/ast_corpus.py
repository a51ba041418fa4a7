#!/usr/bin/env python3
"""Writes schedule trees to compare AST generators on.

usage: ast_corpus.py DIR TILIA [--isl INPUTS] [KERNEL.mlir ..]

One file a tree: `# at: ..` with values of the parameters for which the code is to be executed, then the tree in its text form. There are the worked examples, the
cases in which code explodes, for every kernel and strategy the schedule as it is, tiled at one and at two levels (by isl's `band_tile`), and the inputs of isl's
own tests: INPUTS is the folder test_inputs/codegen of isl's sources.
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys

import islpy as isl

STRATEGIES = ["none", "pluto", "pluto+", "feautrier", "isl", "tensor"]
LEVELS = {"plain": [], "tiled": [8], "tiled2": [16, 4]}
# Values of a kernel's parameters, in their order.
SIZES = [7, 13, 11, 15, 9, 17]


def band(domain, schedule, options=""):
    text = f'domain: "{domain}"\nchild:\n  schedule: "{schedule}"\n'
    return text + (f'  options: "{options}"\n' if options else "")


def one(domain, options="", value="i"):
    return band(f"[n, m] -> {{ A[i] : {domain} }}", f"[n, m] -> [{{ A[i] -> [({value})] }}]", options)


def ranges(k, kind):
    """k statements with independent bounds in one loop."""
    params = ", ".join(f"l{i}, u{i}" for i in range(k))
    domain = "; ".join(f"S{i}[x] : l{i} <= x < u{i}" for i in range(k))
    schedule = "; ".join(f"S{i}[x] -> [(x)]" for i in range(k))
    text = band(f"[{params}] -> {{ {domain} }}", f"[{params}] -> [{{ {schedule} }}]", f"{{ {kind}[0] }}" if kind else "")
    at = {f"l{i}": 3 * i % 7 for i in range(k)} | {f"u{i}": 12 + 5 * i % 11 for i in range(k)}
    return at, text


STRIP = "[n, m] -> [{ A[i] -> [(4*floor(i/4))] }, { A[i] -> [(i)] }]"
GEMM = """domain: "[n, m, p] -> {{ S[i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < p }}"
child:
  schedule: "[{{ S[i, j, k] -> [(32*floor(i/32))] }}, {{ S[i, j, k] -> [(32*floor(j/32))] }}, {{ S[i, j, k] -> [(32*floor(k/32))] }}]"
  child:
    schedule: "[{{ S[i, j, k] -> [(4*floor(i/4))] }}, {{ S[i, j, k] -> [(8*floor(j/8))] }}]"
{outer}    child:
      schedule: "[{{ S[i, j, k] -> [(k)] }}]"
      child:
        schedule: "[{{ S[i, j, k] -> [(i)] }}, {{ S[i, j, k] -> [(j)] }}]"
{inner}"""
FULL = "0 <= x and x + 3 < n and 0 <= y and y + 7 < m"


def gemm(outer="", inner=""):
    line = lambda n, t: f'{" " * n}options: "[n, m] -> {{ {t} }}"\n' if t else ""
    return GEMM.format(outer=line(4, outer), inner=line(8, inner))


def worked():
    nm = {"n": 17, "m": 5}
    two = lambda a, b: f"[n, m] -> [{{ A[i] -> [({a})]; B[i] -> [({b})] }}]"
    both = "[n, m] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < m }"
    isolate = "isolate[[a, b, c] -> [x, y]] : " + FULL
    below = "isolate[[a, b, c, x, y, k] -> [i, j]] : " + FULL
    trees = {
        "residues-1": (nm, one("0 <= i < n and (i mod 3 = 0 or i mod 3 = 2)")),
        "residues-2": (nm, one("0 <= i < n and i mod 3 >= 1")),
        "residues-3": (nm, one("0 <= i < n and exists e : 5e <= i <= 5e + 1")),
        "residues-4": (nm, one("exists e, f : i = 6e + 4f and 0 <= e <= n and 0 <= f <= 3")),
        "residues-5": (nm, one("2i = n")),
        "residues-6": (nm, band("[n] -> { A[i] : 0 <= i < n }", "[n] -> [{ A[i] -> [(2i)] : 2i < n; A[i] -> [(2n - 2i - 1)] : 2i >= n }]")),
        "residues-start": (nm, one("m <= i < n and exists e : 5e <= i <= 5e + 1")),
        "stride-offset": ({"n": 6}, band("[n] -> { A[t] : exists e : 2t - n = 4e and 0 <= t < 40 }", "[n] -> [{ A[t] -> [(t)] }]")),
        "shifted-1": (nm, band(both, two("2i", "2i + 1"))),
        "shifted-2": (nm, band("[n, m] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }", two("2i", "2i + 1"))),
        "unroll-strides": (nm, one("n <= i < n + 6 and i mod 2 = 0", "{ unroll[0] }")),
        "unroll-gaps": (nm, one("exists a : i = 100000000a and 0 <= a <= 2", "{ unroll[0] }")),
        "unroll-bounded": ({"n": 3, "m": 5}, one("n <= i < m and i < n + 3", "{ unroll[0] }")),
        "unroll-lowers": ({"n": 3, "m": 5}, one("i >= n and i >= m and i < n + 4 and i < m + 4", "{ unroll[0] }")),
        "unroll-strip": (nm, band("[n, m] -> { A[i] : 0 <= i < n }", STRIP, "{ unroll[1] }")),
        "unroll-isolated": (
            nm,
            band("[n, m] -> { A[i] : 0 <= i < n }", STRIP, "[n] -> { isolate[[] -> [a, b]] : a + 3 < n; unroll[1]; [isolate[] -> unroll[1]] }"),
        ),
        "unroll-isolated-only": (
            nm,
            band("[n, m] -> { A[i] : 0 <= i < n }", STRIP, "[n] -> { isolate[[] -> [a, b]] : a + 3 < n; [isolate[] -> unroll[1]] }"),
        ),
        "two-ranges-atomic": (nm, band(both, two("i", "i + 1"), "{ atomic[0] }")),
        "two-ranges-separate": (nm, band(both, two("i", "i + 1"), "{ separate[0] }")),
        "two-ranges": (nm, band(both, two("i", "i + 1"))),
        "skew": (nm, band("[n] -> { A[i, j] : 0 <= i < n and 0 <= j < n }", "[n] -> [{ A[i, j] -> [(i + j)] }, { A[i, j] -> [(j)] }]")),
        "triangle-isolated": (
            {},
            'domain: "{ A[i, j] : 0 <= i and 0 <= j and i + j <= 100 }"\nchild:\n  schedule: "[{ A[i, j] -> [(floor(i/10))] }, { A[i, j] -> [(floor(j/10))] }]"\n'
            '  options: "{ isolate[[] -> [a, b]] : 10a >= 0 and 10b >= 0 and 10a + 10b + 18 <= 100 }"\n'
            '  child:\n    schedule: "[{ A[i, j] -> [(i)] }, { A[i, j] -> [(j)] }]"\n',
        ),
        "gemm-plain": ({"n": 37, "m": 43, "p": 9}, gemm()),
        "gemm-unrolled": ({"n": 37, "m": 43, "p": 9}, gemm("", "unroll[x]")),
        "gemm-isolated-unrolled-everywhere": ({"n": 37, "m": 43, "p": 9}, gemm(isolate, f"{below}; unroll[x]; [isolate[] -> unroll[x]]")),
        "gemm-isolated-unrolled": ({"n": 37, "m": 43, "p": 9}, gemm(isolate, f"{below}; [isolate[] -> unroll[x]]")),
        "gemm-isolated": ({"n": 37, "m": 43, "p": 9}, gemm(isolate)),
    }
    for k, kind in itertools.product([2, 3, 4, 5], ["", "separate", "atomic"]):
        trees[f"ranges-{k}-{kind or 'default'}"] = ranges(k, kind)
    return trees


def scops(tilia, kernel, strategy):
    """The schedule trees of a kernel's function `kernel`, by number."""
    done = subprocess.run(
        [tilia, "opt", "--tile=off", f"--strategy={strategy}", "--emit=schedule", kernel], capture_output=True, text=True, timeout=120
    )
    for part in re.split(r"^# scop ", done.stdout, flags=re.M)[1:]:
        name, text = part.split("\n", 1)
        if name.startswith("kernel"):
            # isl's trees have no word for members that only accumulate.
            yield name, re.sub(r"^ *reduces: .*\n?", "", text, flags=re.M)


def tiled(schedule, sizes):
    def visit(node):
        if node.get_type() != isl.schedule_node_type.band or not node.band_get_permutable():
            return node
        n = node.band_n_member()
        for size in sizes:
            values = isl.MultiVal.zero(node.band_get_space())
            for k in range(n):
                values = values.set_val(k, isl.Val(size))
            node = node.band_tile(values).child(0)
        for _ in sizes:
            node = node.parent()
        return node

    root = schedule.get_root()
    return root.map_descendant_bottom_up(visit).get_schedule() if sizes else schedule


def polybench(tilia, kernels):
    for kernel, strategy in itertools.product(kernels, STRATEGIES):
        for scop, text in scops(tilia, kernel, strategy):
            schedule = isl.Schedule(text)
            params = schedule.get_domain().params()
            names = [params.get_dim_name(isl.dim_type.param, i) for i in range(params.dim(isl.dim_type.param))]
            at = dict(zip(names, itertools.cycle(SIZES)))
            for level, sizes in LEVELS.items():
                tree = tiled(schedule, sizes)
                yield f"{pathlib.Path(kernel).stem}-{scop}-{strategy}-{level}", at, str(tree)


def tree_of(map_text, context_text, options_text):
    """A tree from the three relations of isl's older tests: schedule map, context, options."""
    schedule = isl.UnionMap(map_text)
    context = isl.Set(context_text)
    if not schedule.is_single_valued():
        raise ValueError("instances with several schedule values")
    options = isl.UnionMap(options_text).range()
    if "separation_class" in str(options):
        raise ValueError("separation classes, which trees don't have")
    domain = schedule.domain()
    band = isl.MultiUnionPwAff.from_union_map(schedule)
    node = isl.Schedule.from_domain(domain).get_root().child(0)
    node = node.insert_partial_schedule(band)
    node = node.band_set_ast_build_options(options)
    if not context.plain_is_universe():
        node = node.insert_context(context)
    return node.get_schedule()


def isl_inputs(folder):
    """The inputs of isl's tests: trees, and maps as trees of one band."""
    for file in sorted(pathlib.Path(folder).rglob("*")):
        name = "-".join(file.relative_to(folder).with_suffix("").parts)
        text = re.sub(r"^#.*\n", "", file.read_text(errors="replace"), flags=re.M) if file.suffix in (".st", ".in") else ""
        try:
            if file.suffix == ".st":
                schedule = isl.Schedule(text)
            elif file.suffix == ".in":
                schedule = tree_of(*relations(text))
            else:
                continue
            yield name + file.suffix.replace(".", "-"), parameters(schedule), str(schedule)
        except (isl.Error, ValueError) as e:
            print(f"left out: {name}: {str(e).splitlines()[0]}", file=sys.stderr)


def relations(text):
    """The three relations, each of which ends with the brace that closes its first."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == "}" and depth == 0:
            out.append(text[start : i + 1].strip())
            start = i + 1
    if len(out) != 3:
        raise ValueError(f"{len(out)} relations")
    return out


def parameters(schedule):
    """Values that the contexts of the tree allow: the usual ones if they do."""
    allowed = schedule.get_domain().params()

    def visit(node):
        nonlocal allowed
        if node.get_type() == isl.schedule_node_type.context and node.get_schedule_depth() == 0:
            allowed = allowed.intersect(node.context_get_context().params())
        return True

    schedule.get_root().foreach_descendant_top_down(visit)
    n = allowed.dim(isl.dim_type.param)
    names = [allowed.get_dim_name(isl.dim_type.param, i) for i in range(n)]

    def fixed(values):
        out = allowed
        for i, v in enumerate(values):
            out = out.fix_val(isl.dim_type.param, i, isl.Val(v))
        return out

    for turn in range(len(SIZES)):
        values = list(itertools.islice(itertools.cycle(SIZES[turn:] + SIZES[:turn]), n))
        if not fixed(values).is_empty():
            return dict(zip(names, values))
    for least, most in ((5, 100), (3, 300), (1, 1000), (-100, 100), (-20000, 20000)):
        some = allowed
        for i in range(n):
            some = some.lower_bound_val(isl.dim_type.param, i, isl.Val(least)).upper_bound_val(isl.dim_type.param, i, isl.Val(most))
        if not some.is_empty():
            point = some.sample_point()
            return {k: point.get_coordinate_val(isl.dim_type.param, i).to_python() for i, k in enumerate(names)}
    raise ValueError("no values of the parameters")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("out", type=pathlib.Path)
    args.add_argument("tilia")
    args.add_argument("kernels", nargs="*")
    args.add_argument("--isl")
    args = args.parse_intermixed_args()
    args.out.mkdir(parents=True, exist_ok=True)
    isl.DEFAULT_CONTEXT.set_tile_shift_point_loops(0)
    for name, (at, text) in worked().items():
        write(args.out / f"worked-{name}.yaml", at, text)
    if args.isl:
        for name, at, text in isl_inputs(args.isl):
            write(args.out / f"isl-{name}.yaml", at, text)
    for name, at, text in polybench(args.tilia, args.kernels):
        write(args.out / f"{name}.yaml", at, text)


def write(file, at, text):
    values = ",".join(f"{k}={v}" for k, v in at.items())
    file.write_text(f"# at: {values}\n{text}")


if __name__ == "__main__":
    main()
