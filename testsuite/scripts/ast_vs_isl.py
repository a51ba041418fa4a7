#!/usr/bin/env python3
"""Compares generated code with isl's for the same schedule trees.

usage: ast_vs_isl.py MEASURE FILE.yaml ..  [--markdown OUT.md]

MEASURE is the example `measure` of tilia-astgen in release mode; the files come from `ast_corpus.py` or from the random trees of tilia-astgen's tests
(`TILIA_ASTGEN_DUMP`). Both programs generate code for each tree; the code is executed for the values in the file. Compared: the instances executed, 
conditions and loop iterations executed, size, and the generation times (processor time; isl's the best of three, ours the mean of three and more). Exit
status 1 when instances differ.

The same words for both:
- a condition is a comparison that is evaluated in an `if` or in a conditional expression; of `a and b` the second counts when it is evaluated;
- a vain loop is one that is entered and runs no iteration;
- size is the number of loops, `if`s, `else`s and statements in the text.
"""
import argparse
import hashlib
import inspect
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import islpy as isl

MASK = (1 << 64) - 1
OP = isl.ast_expr_op_type if hasattr(isl, "ast_expr_op_type") else isl.ast_op_type
BINARY = {"and_": "&&", "and_then": "&&", "or_": "||", "or_else": "||", "add": "+", "sub": "-", "mul": "*", "eq": "==", "le": "<=", "lt": "<", "ge": ">=", "gt": ">"}
CALLS = {"div": "quotient", "fdiv_q": "quotient", "pdiv_q": "quotient", "pdiv_r": "rest", "zdiv_r": "rest", "min": "min", "max": "max"}
PRELUDE = """#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
static int64_t comparisons, iterations, vain, instances;
static uint64_t checksum;
#define TESTED(x) (comparisons++, (x))
static int64_t quotient(int64_t a, int64_t b) { int64_t q = a / b; return q - (a % b && (a < 0) != (b < 0)); }
static int64_t rest(int64_t a, int64_t b) { return a - b * quotient(a, b); }
static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
static uint64_t mix(uint64_t h, int64_t v) { return h * UINT64_C(6364136223846793005) + (uint64_t)v + UINT64_C(1442695040888963407); }
int main(void) {
"""
EPILOGUE = """
  printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64, comparisons, iterations, vain, instances, checksum);
  return 0;
}
"""
# What isl's side may use for one tree.
ISL_OPERATIONS = 1 << 30
ISL_SECONDS = 60
FIELDS = ("ms", "size", "instances", "comparisons", "iterations", "vain", "inner_divisions", "checksum")
GROUPS = ("worked", "isl's tests", "random", "PolyBench plain", "PolyBench tiled", "PolyBench tiled at two levels")


class Code:
    """isl's AST as a C program that counts."""

    def __init__(self, ast, at):
        self.lines = [f"  int64_t {k} = {v};" for k, v in at.items()]
        self.size = 0
        self.inner_divisions = 0
        self.node(ast, 1)

    def text(self):
        return PRELUDE + "\n".join(self.lines) + EPILOGUE

    def emit(self, depth, text):
        self.lines.append("  " * depth + text)

    def node(self, n, depth):
        kind = n.get_type()
        if kind == isl.ast_node_type.for_:
            i = self.expr(n.for_get_iterator())
            self.size += 1
            start = f"int64_t {i} = {self.expr(n.for_get_init())};"
            if n.for_is_degenerate():
                self.emit(depth, "{ " + start)
                self.node(n.for_get_body(), depth + 1)
                return self.emit(depth, "}")
            cond = self.expr(n.for_get_cond())
            self.emit(depth, "{ " + start + f" vain += !{cond};")
            self.emit(depth, f"for (; {cond}; {i} += {self.expr(n.for_get_inc())}) {{ iterations++;")
            self.node(n.for_get_body(), depth + 1)
            self.emit(depth, "} }")
            if "for (" not in n.for_get_body().to_C_str():
                self.inner_divisions += divisions(n.for_get_body())
        elif kind == isl.ast_node_type.if_:
            self.size += 1
            self.emit(depth, f"if ({self.expr(n.if_get_cond(), True)}) {{")
            self.node(n.if_get_then_node() if hasattr(n, "if_get_then_node") else n.if_get_then(), depth + 1)
            if n.if_has_else_node() if hasattr(n, "if_has_else_node") else n.if_has_else():
                self.size += 1
                self.emit(depth, "} else {")
                self.node(n.if_get_else_node() if hasattr(n, "if_get_else_node") else n.if_get_else(), depth + 1)
            self.emit(depth, "}")
        elif kind == isl.ast_node_type.block:
            children = n.block_get_children()
            for k in range(children.n_ast_node()):
                self.node(children.get_at(k), depth)
        elif kind == isl.ast_node_type.mark:
            self.node(n.mark_get_node(), depth)
        else:
            self.size += 1
            e = n.user_get_expr()
            h = 0
            for b in e.get_op_arg(0).to_C_str().encode():
                h = mix(h, b)
            value = f"{h}u"
            for k in range(1, e.get_op_n_arg()):
                value = f"mix({value}, {self.expr(e.get_op_arg(k))})"
            self.emit(depth, f"instances++; checksum += {value};")

    def expr(self, e, counted=False):
        kind = e.get_type()
        if kind == isl.ast_expr_type.id:
            return e.get_id().get_name()
        if kind == isl.ast_expr_type.int:
            value = e.get_val().to_python() if hasattr(e.get_val(), "to_python") else int(str(e.get_val()))
            if abs(value) >= 1 << 62:
                raise NotImplementedError("a constant of more than 62 bits")
            return f"INT64_C({value})"
        op = next(name for name in dir(OP) if not name.startswith("_") and getattr(OP, name) == e.get_op_type())
        junction = op in ("and_", "and_then", "or_", "or_else")
        choice = op in ("cond", "select")
        args = [self.expr(e.get_op_arg(k), (counted and junction) or (choice and k == 0)) for k in range(e.get_op_n_arg())]
        if op in BINARY:
            text = "(" + f" {BINARY[op]} ".join(args) + ")"
            return f"TESTED{text}" if counted and not junction else text
        if op in CALLS:
            text = args[-1]
            for a in reversed(args[:-1]):
                text = f"{CALLS[op]}({a}, {text})"
            return text
        if op == "minus":
            return f"(-{args[0]})"
        if choice:
            return f"({args[0]} ? {args[1]} : {args[2]})"
        raise NotImplementedError(op)


def divisions(node):
    """Divisions and remainders in the conditions of an innermost loop's body."""
    kind = node.get_type()
    if kind == isl.ast_node_type.block:
        children = node.block_get_children()
        return sum(divisions(children.get_at(k)) for k in range(children.n_ast_node()))
    if kind == isl.ast_node_type.mark:
        return divisions(node.mark_get_node())
    if kind != isl.ast_node_type.if_:
        return 0
    text = node.if_get_cond().to_C_str()
    n = len(re.findall(r"%|/|floord\(", text)) + divisions(node.if_get_then_node())
    return n + (divisions(node.if_get_else_node()) if node.if_has_else_node() else 0)


def mix(h, v):
    return (h * 6364136223846793005 + v + 1442695040888963407) & MASK


def execute(ast, at):
    code = Code(ast, at)
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "run"
        run(["cc", "-O1", "-fwrapv", "-w", "-x", "c", "-", "-o", program], code.text())
        printed = run([program])
    names = ("comparisons", "iterations", "vain", "instances", "checksum")
    return {"size": code.size, "inner_divisions": code.inner_divisions, **dict(zip(names, map(int, printed.split())))}


def run(command, source=""):
    """What a command prints. When it is interrupted, what it has started ends with it: the compiler proper is a child of `cc`."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        printed, said = child.communicate(source)
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command[0], printed, said)
    return printed


def isl_figures(text, at, cache):
    key = hashlib.sha256(f"{at}\n{text}\n{PRELUDE}{inspect.getsource(Code)}".encode()).hexdigest()
    if key in cache:
        return cache[key]
    signal.alarm(ISL_SECONDS)
    try:
        cache[key] = figures(text, at)
    finally:
        signal.alarm(0)
    return cache[key]


def too_long(*_):
    raise TimeoutError(f"more than {ISL_SECONDS} s")


def figures(text, at):
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(ISL_OPERATIONS)
    schedule = isl.Schedule(text)
    best = math.inf
    for _ in range(3):
        build = isl.AstBuild.from_context(isl.Set("{ : }"))
        start = time.process_time()
        ast = build.node_from_schedule(schedule)
        best = min(best, time.process_time() - start)
        if best > 0.2:
            break
    code = ast.to_C_str()
    out = {"ms": best * 1e3}
    out.update({k: 0 for k in FIELDS if k not in out})
    out.update(execute(ast, at))
    return out, code


def our_figures(measure, file):
    done = subprocess.run([measure, "--repeat", "3", "--text", file], capture_output=True, text=True, timeout=600)
    line, _, code = done.stdout.partition("\n")
    fields = dict(f.split("=", 1) for f in line.split("\t")[1:])
    if "error" in fields or not fields:
        return None, fields.get("error", done.stderr.strip()[-200:])
    return {k: float(v) if k == "ms" else int(v) for k, v in fields.items()}, code


def group_of(name):
    if name.startswith("worked-"):
        return "worked"
    if name.startswith("isl-"):
        return "isl's tests"
    if name.startswith("random-"):
        return "random"
    return {"plain": "PolyBench plain", "tiled": "PolyBench tiled", "tiled2": "PolyBench tiled at two levels"}[name.rsplit("-", 1)[1]]


def geomean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def ratio(rows, field, plus=0):
    return geomean([(max(ours[field], 1e-3) + plus) / (max(theirs[field], 1e-3) + plus) for _, ours, theirs in rows])


def tests(figures):
    """Conditions, and loops entered in vain, which are conditions in disguise."""
    return figures["comparisons"] + figures["vain"]


def table(rows):
    head = (
        "| corpus | trees | conditions ≤ isl's | more than 1.1 × | conditions / instance: ours, isl | ratio (geomean) | with vain loops: ≤ isl's, ratio "
        "| iterations ratio | size ratio | time ratio | slowest: ours, isl |"
    )
    out = [head, "|" + "---|" * 11]
    for group in (*GROUPS, "all"):
        mine = [r for r in rows if group in (group_of(r[0]), "all")]
        if not mine:
            continue
        fewer = sum(o["comparisons"] <= t["comparisons"] for _, o, t in mine)
        more = sum(o["comparisons"] > 1.1 * t["comparisons"] for _, o, t in mine)
        less = sum(tests(o) <= tests(t) for _, o, t in mine)
        all_tests = geomean([(tests(o) + 1) / (tests(t) + 1) for _, o, t in mine])
        per = [sum(x[i]["comparisons"] for x in mine) / max(1, sum(x[i]["instances"] for x in mine)) for i in (1, 2)]
        slow = [max(x[i]["ms"] for x in mine) for i in (1, 2)]
        out.append(
            f"| {group} | {len(mine)} | {100 * fewer / len(mine):.1f} % | {more} | {per[0]:.3f}, {per[1]:.3f} | {ratio(mine, 'comparisons', 1):.2f} "
            f"| {100 * less / len(mine):.1f} %, {all_tests:.2f} "
            f"| {ratio(mine, 'iterations', 1):.2f} | {ratio(mine, 'size'):.2f} | {ratio(mine, 'ms'):.2f} | {slow[0]:.0f} ms, {slow[1]:.0f} ms |"
        )
    return out


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("measure")
    args.add_argument("files", nargs="+")
    args.add_argument("--markdown", type=pathlib.Path)
    args.add_argument("--show", action="store_true", help="print both codes where ours tests more or differs")
    args.add_argument("--seconds", type=float, default=math.inf, help="take no more trees after this time; they are taken in a fixed random order")
    args.add_argument("--cache", type=pathlib.Path, help="isl's figures by tree, read and written, so that only ours are made again")
    args = args.parse_args()
    cache = json.loads(args.cache.read_text()) if args.cache and args.cache.exists() else {}
    rows, wrong, refused = compare(args, cache)
    if args.cache:
        args.cache.write_text(json.dumps(cache))
    lines = table(rows)
    worse = sorted((r for r in rows if r[1]["comparisons"] > r[2]["comparisons"]), key=lambda r: r[2]["comparisons"] - r[1]["comparisons"])
    lines += ["", "More conditions than isl:", "", "| tree | ours | isl | size: ours, isl |", "|---|---|---|---|"]
    lines += [f"| {n} | {o['comparisons']} | {t['comparisons']} | {o['size']}, {t['size']} |" for n, o, t in worse]
    lines += ["", "Slowest in generation:", "", "| tree | ours (ms) | isl (ms) |", "|---|---|---|"]
    lines += [f"| {n} | {o['ms']:.1f} | {t['ms']:.1f} |" for n, o, t in sorted(rows, key=lambda r: -r[1]["ms"])[:10]]
    divided = [n for n, o, t in rows if o["inner_divisions"] > 0]
    lines += ["", f"Divisions in conditions of innermost loops: ours in {len(divided)} trees, isl's in {sum(t['inner_divisions'] > 0 for *_, t in rows)}: {', '.join(divided)}"]
    lines += ["", *(f"- Left out, {who}: {n}: {why}" for n, who, why in refused)]
    lines += [f"Different instances: {', '.join(wrong) or 'none'}."]
    print("\n".join(lines))
    if args.markdown:
        args.markdown.write_text("\n".join(lines) + "\n")
    return 1 if wrong else 0


def compare(args, cache):
    """Figures of both for each tree; trees with different instances; trees that one of the two refuses."""
    rows, wrong, refused = [], [], []
    begun = time.monotonic()
    signal.signal(signal.SIGALRM, too_long)
    if args.seconds < math.inf:
        random.Random(1).shuffle(args.files)
    for file in args.files:
        if time.monotonic() - begun > args.seconds:
            break
        name = pathlib.Path(file).stem
        source = pathlib.Path(file).read_text()
        if args.cache and len(rows) % 20 == 0:
            args.cache.write_text(json.dumps(cache))
        first, text = source.split("\n", 1)
        at = {k: int(v) for k, v in (i.split("=") for i in first.removeprefix("# at: ").split(",") if i)}
        ours, our_code = our_figures(args.measure, file)
        try:
            theirs, their_code = isl_figures(text, at, cache)
        except (isl.Error, NotImplementedError, RecursionError, MemoryError, TimeoutError, subprocess.SubprocessError) as e:
            refused.append((name, "isl", str(e).splitlines()[0]))
            continue
        if ours is None:
            refused.append((name, "tilia", our_code))
            continue
        same = all(ours[k] == theirs[k] for k in ("instances", "checksum"))
        if not same:
            wrong.append(name)
        rows.append((name, ours, theirs))
        if args.show and (not same or ours["comparisons"] > theirs["comparisons"]):
            print(f"--- {name}: {ours} {theirs}\n{text}\n{our_code}\n--- isl\n{their_code}")
    return rows, wrong, refused


if __name__ == "__main__":
    sys.exit(main())
