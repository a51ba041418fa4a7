"""Random MLIR programs for comparison with MLIR's own lowering.

A program has a function @k, which gets memrefs of all element types and two numbers, and a @main, which fills the memrefs, calls @k and prints the bits of all
elements (NaNs as one value). Every access is in bounds by construction: each iterator's range is known, arrays have fixed extents behind their types, and subscripts are
chosen to fit. What parallel loops write is disjoint. Nothing divides by zero or shifts by more than a width, and no float becomes an integer, so that any two right compilers agree.

The wealth lies in operations and types; the random programs of the crate `tilia-gen` have the richer loops.

usage: random_mlir.py SEED
"""

import random
import sys

INTEGERS = ["i8", "i16", "i32", "i64", "index"]
FLOATS = ["f32", "f64"]
WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
STRIDE = [1, 3, 5]


class Array:
    """A memref value: its element type, the extents behind it, which of them the type leaves open, and its type."""

    def __init__(self, name, elem, shape, open_=None, layout="", plain=True, base=None):
        self.name, self.elem, self.shape = name, elem, shape
        self.open = open_ or [False] * len(shape)
        self.type = memref(shape, elem, self.open, layout)
        # Row-major from its first element, so that it may be reshaped.
        self.plain = plain
        self.base = base or name


def memref(shape, elem, open_=None, layout=""):
    dims = "".join(("?" if open_ and open_[d] else str(n)) + "x" for d, n in enumerate(shape))
    return f"memref<{dims}{elem}{', ' + layout if layout else ''}>"


def strided(strides, offset):
    return f"strided<[{', '.join(map(str, strides))}], offset: {offset}>"


def row_major(shape):
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return strides


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        # Definitions beside @k and @main.
        self.others = []
        self.lines, self.indent, self.count = [], 1, 0
        self.room = self.random.randint(3, 10)
        self.arrays = [self.parameter(k) for k in range(self.random.randint(2, 5))]
        self.numbers = {"%n": self.random.randint(0, 7), "%m": self.random.randint(-3, 9)}
        # What is in scope: values by type, iterators, symbols, and the range of each index value whose range is known.
        self.values = {"index": list(self.numbers)}
        self.iterators = []
        self.symbols = list(self.numbers)
        self.range = {name: (n, n) for name, n in self.numbers.items()}

    # Small things

    def maybe(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(choices)

    def fresh(self, stem="v"):
        self.count += 1
        return f"%{stem}{self.count}"

    def say(self, line):
        self.lines.append("  " * self.indent + line)

    def let(self, expression, stem="v"):
        name = self.fresh(stem)
        self.say(f"{name} = {expression}")
        return name

    def know(self, type_, value):
        self.values.setdefault(type_, []).append(value)
        return value

    def constant(self, value, type_):
        return self.let(f"arith.constant {value} : {type_}", "c")

    def inside(self, body):
        """Runs `body` one level further in; what it defines isn't known afterwards."""
        kept = ({t: list(v) for t, v in self.values.items()}, list(self.iterators), list(self.arrays))
        self.indent += 1
        body()
        self.indent -= 1
        self.values, self.iterators, self.arrays = kept

    # The whole

    def parameter(self, k):
        shape = [self.pick([5, 8, 11, 13, 17]) for _ in range(self.pick([0, 1, 1, 2, 2, 2, 3]))]
        elem = self.pick(["f64", "f64", "f64", "f32", "i32", "i64", "i64", "i8", "i16", "index"])
        return Array(f"%a{k}", elem, shape, [self.maybe(0.25) for _ in shape])

    def text(self):
        parameters = list(self.arrays)
        for type_ in INTEGERS:
            for value in self.random.sample([0, 1, 2, 3, 5, -1, -4, 7], 3):
                name = self.know(type_, self.constant(value, type_))
                if type_ == "index":
                    self.range[name] = (value, value)
        for type_ in FLOATS:
            for value in self.random.sample(["0.0", "1.0", "0.5", "-2.0", "3.25", "0.1"], 3):
                self.know(type_, self.constant(value, type_))
        self.know("i1", self.let("arith.constant true"))
        for array in parameters:
            if self.maybe(0.35):
                self.view(array)
        for _ in range(self.random.randint(0, 2)):
            self.local_array()
        if self.maybe(0.3):
            self.global_array()
        for array in parameters:
            for d, is_open in enumerate(array.open):
                if is_open and self.maybe(0.5):
                    number = self.constant(d, "index")
                    extent = self.know("index", self.let(f"memref.dim {array.name}, {number} : {array.type}"))
                    self.range[extent] = (array.shape[d], array.shape[d])
                    self.symbols.append(extent)
        while self.room > 0:
            self.statement(0)
        body, self.lines, self.indent = self.lines, [], 1
        self.main(parameters)
        heads = ", ".join([f"{a.name}: {a.type}" for a in parameters] + [f"{n}: index" for n in self.numbers])
        return "\n".join(
            [f"func.func @k({heads}) {{", *body, "  return", "}", "func.func @main() {", *self.lines, "  return", "}"]
            + ["func.func private @printMemrefI64(memref<*xi64>)", *self.others, ""]
        )

    def main(self, parameters):
        passed, filled = [], []
        for k, array in enumerate(parameters):
            full = memref(array.shape, array.elem)
            buffer = self.let(f"memref.alloc() : {full}", "b")
            self.every(array.shape, lambda at, k=k, array=array, buffer=buffer, full=full: self.fill(k, array.elem, at, buffer, full))
            filled.append((array, buffer, full))
            same = [name for name, before in zip(passed, parameters) if before.type == array.type]
            if same and self.maybe(0.3):
                # Two parameters are one buffer.
                passed.append(self.pick(same))
                continue
            passed.append(self.let(f"memref.cast {buffer} : {full} to {array.type}") if any(array.open) else buffer)
        passed += [self.constant(n, "index") for n in self.numbers.values()]
        types = [a.type for a in parameters] + ["index"] * len(self.numbers)
        self.say(f"func.call @k({', '.join(passed)}) : ({', '.join(types)}) -> ()")
        for array, buffer, full in filled:
            bits = memref(array.shape, "i64")
            copy = self.let(f"memref.alloc() : {bits}", "p")

            def one(at, array=array, buffer=buffer, full=full, bits=bits, copy=copy):
                value = self.bits(array.elem, self.let(f"affine.load {buffer}[{at}] : {full}"))
                self.say(f"affine.store {value}, {copy}[{at}] : {bits}")

            self.every(array.shape, one)
            loose = self.let(f"memref.cast {copy} : {bits} to memref<*xi64>")
            self.say(f"func.call @printMemrefI64({loose}) : (memref<*xi64>) -> ()")

    def every(self, shape, body):
        """Loops over all elements of a shape; `body` gets their subscripts."""
        at = [self.fresh("e") for _ in shape]
        for name, n in zip(at, shape):
            self.say(f"affine.for {name} = 0 to {n} {{")
            self.indent += 1
        body(", ".join(at))
        for _ in shape:
            self.indent -= 1
            self.say("}")

    def fill(self, k, elem, at, buffer, full):
        names = at.split(", ") if at else []
        dims = ", ".join(f"d{d}" for d in range(len(names)))
        total = " + ".join([f"d{d} * {STRIDE[d]}" for d in range(len(names))] + ["0"])
        value = self.let(f"affine.apply affine_map<({dims}) -> (({total}) mod 11 - 4 + {k + 1})>({at})")
        if elem != "index":
            value = self.let(f"arith.index_cast {value} : index to i64")
        if elem in FLOATS:
            value = self.let(f"arith.sitofp {value} : i64 to {elem}")
        elif elem not in ("index", "i64"):
            value = self.let(f"arith.trunci {value} : i64 to {elem}")
        self.say(f"affine.store {value}, {buffer}[{at}] : {full}")

    def bits(self, elem, value):
        """An element as an i64 that tells all values apart but NaNs."""
        if elem in FLOATS:
            int_ = "i64" if elem == "f64" else "i32"
            nan = self.let(f"arith.cmpf uno, {value}, {value} : {elem}")
            raw = self.let(f"arith.bitcast {value} : {elem} to {int_}")
            one = self.constant(-1, int_)
            value, elem = self.let(f"arith.select {nan}, {one}, {raw} : {int_}"), int_
        if elem == "index":
            return self.let(f"arith.index_cast {value} : index to i64")
        return value if elem == "i64" else self.let(f"arith.extsi {value} : {elem} to i64")

    # Arrays

    def local_array(self):
        shape = [self.pick([5, 8, 13]) for _ in range(self.random.randint(0, 2))]
        elem = self.pick(["f64", "i32", "i64", "f32"])
        array = Array(self.let(f"memref.{self.pick(['alloc', 'alloca'])}() : {memref(shape, elem)}", "t"), elem, shape)
        value = self.pick(self.values[elem])
        self.every(shape, lambda at: self.say(f"affine.store {value}, {array.name}[{at}] : {array.type}"))
        self.arrays.append(array)

    def global_array(self):
        elem, shape = self.pick(["f64", "i32", "i64"]), [self.pick([5, 8])]
        type_ = memref(shape, elem)
        numbers = ", ".join(f"{self.random.randint(-9, 9)}{'.5' if elem in FLOATS else ''}" for _ in range(shape[0]))
        name = f"@g{len(self.others)}"
        self.others.append(f'memref.global "private" {name} : {type_} = dense<[{numbers}]>')
        self.arrays.append(Array(self.let(f"memref.get_global {name} : {type_}", "g"), elem, shape))

    def view(self, array):
        kind = self.pick(["subview", "subview", "collapse", "expand", "transpose", "reinterpret", "cast"])
        shape, fixed, made = array.shape, not any(array.open), None
        strides = row_major(shape)
        if kind == "subview" and shape and not any(array.open[1:]):
            made = self.subview(array, strides)
        elif kind == "collapse" and len(shape) >= 2 and fixed:
            made = Array(self.fresh("w"), array.elem, [shape[0] * shape[1], *shape[2:]])
            groups = "[[0, 1], [2]]" if len(shape) > 2 else "[[0, 1]]"
            self.say(f"{made.name} = memref.collapse_shape {array.name} {groups} : {array.type} into {made.type}")
        elif kind == "expand" and len(shape) == 1 and shape[0] % 4 == 0 and fixed:
            made = Array(self.fresh("w"), array.elem, [shape[0] // 4, 4])
            self.say(f"{made.name} = memref.expand_shape {array.name} [[0, 1]] output_shape [{shape[0] // 4}, 4] : {array.type} into {made.type}")
        elif kind == "transpose" and len(shape) == 2 and fixed:
            made = Array(self.fresh("w"), array.elem, shape[::-1], layout=f"strided<[1, {shape[1]}]>", plain=False)
            self.say(f"{made.name} = memref.transpose {array.name} (i, j) -> (j, i) : {array.type} to {made.type}")
        elif kind == "reinterpret" and shape and fixed:
            made = self.reinterpret(array, strides[0] * shape[0])
        elif kind == "cast" and shape and not array.open[0]:
            made = Array(self.fresh("w"), array.elem, shape, [True, *array.open[1:]])
            self.say(f"{made.name} = memref.cast {array.name} : {array.type} to {made.type}")
        if made:
            made.base = array.base
            self.arrays.append(made)

    def subview(self, array, strides):
        offsets = [self.random.randint(0, 2) for _ in array.shape]
        steps = [self.pick([1, 1, 2]) for _ in array.shape]
        sizes = [self.random.randint(1, max(1, (n - o - 1) // s + 1)) for n, o, s in zip(array.shape, offsets, steps)]
        keep = list(range(len(array.shape)))
        if self.maybe(0.25):
            gone = self.pick(keep)
            keep.remove(gone)
            sizes[gone] = 1
        texts, open_ = [list(map(str, offsets)), list(map(str, sizes))], [False] * len(sizes)
        offset = str(sum(o * s for o, s in zip(offsets, strides)))
        if self.maybe(0.4):
            # One of the numbers is a value.
            d, which = self.pick(range(len(sizes))), self.pick([0, 1])
            texts[which][d] = self.constant(texts[which][d], "index")
            if which == 0:
                offset = "?"
            else:
                open_[d] = True
                keep = keep if d in keep else sorted([*keep, d])
        layout = strided([steps[d] * strides[d] for d in keep], offset)
        made = Array(self.fresh("w"), array.elem, [sizes[d] for d in keep], [open_[d] for d in keep], layout, plain=False)
        slices = " ".join(f"[{', '.join(t)}]" for t in [*texts, map(str, steps)])
        self.say(f"{made.name} = memref.subview {array.name}{slices} : {array.type} to {made.type}")
        return made

    def reinterpret(self, array, elements):
        offset, strides = self.random.randint(0, 2), [self.pick([1, 2]), self.pick([1, 3])]
        sizes = [self.random.randint(1, 3), self.random.randint(1, 4)]
        if offset + sum((n - 1) * s for n, s in zip(sizes, strides)) >= elements:
            offset, sizes = 0, [1, 1]
        made = Array(self.fresh("w"), array.elem, sizes, layout=strided(strides, offset), plain=False)
        self.say(
            f"{made.name} = memref.reinterpret_cast {array.name} to offset: [{offset}], sizes: {sizes}, strides: {strides} : {array.type} to {made.type}"
        )
        return made

    # Subscripts

    def subscript(self, low, high):
        """An affine expression of iterators whose values lie between `low` and `high`."""
        for _ in range(12):
            terms, least, most = [], 0, 0
            for name in self.random.sample(self.iterators, min(len(self.iterators), self.pick([1, 1, 1, 2]))):
                factor = self.pick([1, 1, 1, 1, -1, 2])
                ends = sorted(factor * end for end in self.range[name])
                least, most = least + ends[0], most + ends[1]
                terms.append(name if factor == 1 else f"{name} * {factor}")
            text = " + ".join(terms)
            if text and self.maybe(0.12):
                by, kind = self.pick([2, 3, 4]), self.pick(["mod", "floordiv", "ceildiv"])
                text = f"(({text}) {kind} {by})"
                least, most = {"mod": (0, by - 1), "floordiv": (least // by, most // by), "ceildiv": (-(-least // by), -(-most // by))}[kind]
            if most - least > high - low:
                continue
            add = min(max(self.pick([0, 0, 0, 1, -1, 2, 3]), low - least), high - most)
            if not text:
                return str(add)
            return text if add == 0 else f"{text} {'+' if add > 0 else '-'} {abs(add)}"
        if self.iterators and self.maybe(0.7):
            return f"({self.pick(self.iterators)} mod {high - low + 1}) + {low}"
        return str(self.random.randint(low, high))

    def subscripts(self, array, lanes=1):
        shape = array.shape[:-1] + [n - lanes + 1 for n in array.shape[-1:]]
        return ", ".join(self.subscript(0, n - 1) for n in shape)

    def computed_subscripts(self, array):
        """Subscripts that no analysis knows."""
        at = []
        for n in array.shape:
            value, extent = self.value("index", 1), self.constant(n, "index")
            at.append(self.let(f"arith.remui {value}, {extent} : index"))
        return ", ".join(at)

    # Values

    def value(self, type_, depth=0):
        known = self.values.get(type_, [])
        if depth > 2 or self.maybe(0.25):
            if type_ == "index" and self.iterators and self.maybe(0.6):
                return self.pick(self.iterators)
            if known:
                return self.pick(known[-6:] if self.maybe(0.6) else known)
        arrays = [a for a in self.arrays if a.elem == type_]
        if arrays and self.maybe(0.5):
            return self.load(self.pick(arrays))
        if type_ == "i1":
            return self.comparison(depth)
        made = self.float_(type_, depth + 1) if type_ in FLOATS else self.integer(type_, depth + 1)
        return self.know(type_, self.let(made))

    def two(self, type_, depth):
        return f"{self.value(type_, depth)}, {self.value(type_, depth)}"

    def float_(self, type_, depth):
        kind = self.pick(["addf", "addf", "mulf", "mulf", "subf", "maximumf", "minnumf", "divf", "negf", "absf", "fma", "select", "convert", "number"])
        if kind in ("negf", "absf"):
            return f"{'arith' if kind == 'negf' else 'math'}.{kind} {self.value(type_, depth)} : {type_}"
        if kind == "fma":
            return f"math.fma {self.two(type_, depth)}, {self.value(type_, depth)} : {type_}"
        if kind == "select":
            return f"arith.select {self.comparison(depth)}, {self.two(type_, depth)} : {type_}"
        if kind == "convert":
            other, op = ("f32", "extf") if type_ == "f64" else ("f64", "truncf")
            return f"arith.{op} {self.value(other, depth)} : {other} to {type_}"
        if kind == "number":
            other = self.pick(["i8", "i16", "i32", "i64"])
            return f"arith.{self.pick(['sitofp', 'sitofp', 'uitofp'])} {self.value(other, depth)} : {other} to {type_}"
        return f"arith.{kind} {self.two(type_, depth)} : {type_}"

    def integer(self, type_, depth):
        plain = ["addi", "addi", "muli", "subi", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"]
        divisions = ["divsi", "ceildivsi", "floordivsi", "remsi", "divui", "remui"]
        kind = self.pick([*plain, *self.random.sample(divisions, 3), "select", "width", "width", "cast", "shift", "absi"])
        if kind in plain:
            return f"arith.{kind} {self.two(type_, depth)} : {type_}"
        if kind in divisions or kind == "shift":
            left = self.value(type_, depth)
            op = kind if kind != "shift" else self.pick(["shli", "shrsi", "shrui"])
            right = self.constant(self.pick([2, 3, 5, 7, -3]) if kind != "shift" else self.random.randint(0, 5), type_)
            return f"arith.{op} {left}, {right} : {type_}"
        if kind == "absi":
            return f"math.absi {self.value(type_, depth)} : {type_}"
        if kind == "select":
            return f"arith.select {self.comparison(depth)}, {self.two(type_, depth)} : {type_}"
        if type_ == "index" or kind == "cast":
            other = self.pick(["i8", "i32", "i64"]) if type_ == "index" else "index"
            return f"arith.{self.pick(['index_cast', 'index_cast', 'index_castui'])} {self.value(other, depth)} : {other} to {type_}"
        other = self.pick([w for w in WIDTH if w != type_])
        op = self.pick(["extsi", "extui"]) if WIDTH[other] < WIDTH[type_] else "trunci"
        return f"arith.{op} {self.value(other, depth)} : {other} to {type_}"

    def comparison(self, depth):
        if self.maybe(0.3):
            type_, op = self.pick(FLOATS), "cmpf"
            kind = self.pick(["olt", "ole", "ogt", "oge", "oeq", "une", "ult", "uge", "ord", "uno", "one", "ueq"])
        else:
            type_, op = self.pick(INTEGERS), "cmpi"
            kind = self.pick(["slt", "sle", "sgt", "sge", "eq", "ne", "ult", "ule", "ugt", "uge"])
        return self.know("i1", self.let(f"arith.{op} {kind}, {self.two(type_, depth + 1)} : {type_}", "b"))

    def load(self, array):
        if self.maybe(0.15):
            made = self.let(f"memref.load {array.name}[{self.computed_subscripts(array)}] : {array.type}", "l")
        else:
            made = self.let(f"affine.load {array.name}[{self.subscripts(array)}] : {array.type}", "l")
        return self.know(array.elem, made)

    # Statements

    def statement(self, depth):
        self.room -= 1
        chance = self.random.random()
        if depth < 3 and chance < 0.62:
            self.loop(depth)
        elif 0 < depth < 4 and chance < 0.72:
            self.condition(depth)
        elif chance < 0.76:
            self.copy()
        elif chance < 0.80:
            self.vector()
        elif chance < 0.83 and depth > 0:
            self.local_array()
        elif chance < 0.86:
            self.call()
        elif chance < 0.89:
            self.reduction()
        elif chance < 0.91:
            self.counting()
        else:
            self.store()

    def store(self):
        array = self.pick(self.arrays)
        if self.maybe(0.3):
            at = self.subscripts(array)
            old = self.let(f"affine.load {array.name}[{at}] : {array.type}", "l")
            op = self.pick(["addf", "mulf", "maximumf"] if array.elem in FLOATS else ["addi", "muli", "maxsi", "xori"])
            new = self.let(f"arith.{op} {old}, {self.value(array.elem, 1)} : {array.elem}")
            self.say(f"affine.store {new}, {array.name}[{at}] : {array.type}")
            return
        value = self.value(array.elem)
        if self.maybe(0.12):
            self.say(f"memref.store {value}, {array.name}[{self.computed_subscripts(array)}] : {array.type}")
        else:
            self.say(f"affine.store {value}, {array.name}[{self.subscripts(array)}] : {array.type}")

    def copy(self):
        """A whole array into another of its shape; not between views of one buffer, which might overlap."""
        pairs = [(a, b) for a in self.arrays for b in self.arrays if a.base != b.base and a.plain and b.plain and (a.elem, a.shape) == (b.elem, b.shape)]
        if pairs:
            a, b = self.pick(pairs)
            self.say(f"memref.copy {a.name}, {b.name} : {a.type} to {b.type}")
        else:
            self.store()

    def call(self):
        """A function of the program that reads and writes a whole array."""
        arrays = [a for a in self.arrays if len(a.shape) == 1 and a.elem in ("f64", "i64", "i32")]
        if not arrays:
            self.store()
            return
        array, name = self.pick(arrays), f"@h{len(self.others)}"
        extent, op = array.shape[0], "mulf" if array.elem in FLOATS else "xori"
        self.others.append(
            f"""func.func private {name}(%a: {array.type}, %x: {array.elem}) -> {array.elem} {{
  %r = affine.for %i = 1 to {extent} iter_args(%s = %x) -> ({array.elem}) {{
    %u = affine.load %a[%i - 1] : {array.type}
    %v = arith.{op} %u, %s : {array.elem}
    affine.store %v, %a[%i] : {array.type}
    affine.yield %u : {array.elem}
  }}
  return %r : {array.elem}
}}"""
        )
        argument = self.value(array.elem, 1)
        self.know(array.elem, self.let(f"func.call {name}({array.name}, {argument}) : ({array.type}, {array.elem}) -> {array.elem}"))

    def reduction(self):
        """A parallel loop whose iterations' values become one; whole numbers, and greatest or least floats, so that the order doesn't matter."""
        type_ = self.pick(["i32", "i64", "f64"])
        kind = self.pick(["maximumf", "minimumf"] if type_ == "f64" else ["addi", "muli", "ori", "andi"])
        result, iterator = self.fresh("r"), self.fresh("i")
        self.range[iterator] = (0, 5)
        self.say(f'{result} = affine.parallel ({iterator}) = (0) to (6) reduce ("{kind}") -> ({type_}) {{')

        def body():
            self.iterators.append(iterator)
            self.say(f"affine.yield {self.value(type_)} : {type_}")

        self.inside(body)
        self.say("}")
        self.know(type_, result)

    def counting(self):
        """A loop that ends on a condition."""
        type_ = self.pick(["i64", "f64"])
        zero, last, first = self.constant(0, "index"), self.constant(self.random.randint(0, 6), "index"), self.value(type_, 1)
        number, result, test, now = self.fresh("n"), self.fresh("r"), self.fresh("n"), self.fresh("k")
        self.say(f"{number}, {result} = scf.while ({test} = {zero}, {now} = {first}) : (index, {type_}) -> (index, {type_}) {{")
        go = self.fresh("b")
        self.say(f"  {go} = arith.cmpi slt, {test}, {last} : index")
        self.say(f"  scf.condition({go}) {test}, {now} : index, {type_}")
        self.say("} do {")
        at, carried = self.fresh("n"), self.fresh("k")
        self.say(f"^bb0({at}: index, {carried}: {type_}):")

        def body():
            self.know("index", at)
            self.know(type_, carried)
            self.store()
            one = self.constant(1, "index")
            following = self.let(f"arith.addi {at}, {one} : index")
            more = self.let(f"arith.{'addf' if type_ in FLOATS else 'addi'} {carried}, {self.value(type_, 1)} : {type_}")
            self.say(f"scf.yield {following}, {more} : index, {type_}")

        self.inside(body)
        self.say("}")
        self.know(type_, result)

    def vector(self):
        arrays = [a for a in self.arrays if a.plain and a.elem in ("f64", "f32", "i32", "i64") and a.shape and a.shape[-1] >= 4]
        if not arrays:
            self.store()
            return
        array, lanes = self.pick(arrays), self.pick([2, 4])
        type_ = f"vector<{lanes}x{array.elem}>"
        value = self.let(f"affine.vector_load {array.name}[{self.subscripts(array, lanes)}] : {array.type}, {type_}")
        twice = self.let(f"arith.{'addf' if array.elem in FLOATS else 'addi'} {value}, {value} : {type_}")
        self.say(f"affine.vector_store {twice}, {array.name}[{self.subscripts(array, lanes)}] : {array.type}, {type_}")

    def bound(self, upper):
        """A bound's text, and the least and the greatest value that it may have."""
        parts, dims, symbols = [], [], []
        for _ in range(self.pick([1, 1, 1, 2])):
            chance = self.random.random()
            if chance < 0.4 or (not self.iterators and chance < 0.6):
                value = self.random.randint(3, 9) if upper else self.random.randint(0, 3)
                parts.append((str(value), value, value))
                continue
            outer = self.iterators and chance < 0.75
            name = self.pick(self.iterators if outer else self.symbols)
            operands, stem = (dims, "d") if outer else (symbols, "s")
            add = self.pick([0, 1, 2] if upper and outer else [0, 0, 1, -1])
            low, high = self.range[name]
            parts.append((f"{stem}{len(operands)} {'+' if add >= 0 else '-'} {abs(add)}", low + add, high + add))
            operands.append(name)
        worst = min if upper else max
        low, high = worst(p[1] for p in parts), worst(p[2] for p in parts)
        if not dims and not symbols and len(parts) == 1:
            return parts[0][0], low, high
        heads = f"({', '.join(f'd{k}' for k in range(len(dims)))})[{', '.join(f's{k}' for k in range(len(symbols)))}]"
        kind = "" if len(parts) == 1 else "min " if upper else "max "
        return f"{kind}affine_map<{heads} -> ({', '.join(p[0] for p in parts)})>({', '.join(dims)})[{', '.join(symbols)}]", low, high

    def loop(self, depth):
        kind = self.pick(["affine"] * 8 + ["parallel", "scf"])
        (lower, low, _), (upper, _, high) = self.bound(False), self.bound(True)
        if kind != "affine" and "map" in lower + upper:
            lower, upper, low, high = "0", "5", 0, 5
        step = self.pick([1, 1, 1, 1, 2, 3])
        iterator = self.fresh("i")
        self.range[iterator] = (low, max(low, high - 1))
        if kind == "parallel":
            self.say(f"affine.parallel ({iterator}) = ({lower}) to ({upper}) {{")
            self.inside(lambda: self.independent(iterator))
        elif kind == "scf":
            bounds = [self.constant(n, "index") for n in (lower, upper, step)]
            self.say(f"scf.for {iterator} = {bounds[0]} to {bounds[1]} step {bounds[2]} {{")
            self.inside(lambda: (self.know("index", iterator), self.body(depth)))
        elif self.maybe(0.2):
            self.carrying(depth, iterator, f"{lower} to {upper} step {step}")
            return
        else:
            self.say(f"affine.for {iterator} = {lower} to {upper} step {step} {{")
            self.inside(lambda: (self.iterators.append(iterator), self.body(depth)))
        self.say("}")

    def body(self, depth):
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)
        if self.maybe(0.5):
            self.store()

    def carrying(self, depth, iterator, bounds):
        """A loop with a value that iterations hand on."""
        type_ = self.pick(["f64", "f32", "i32", "i64", "index"])
        first, result, carried = self.value(type_, 1), self.fresh("r"), self.fresh("k")

        def body():
            self.iterators.append(iterator)
            self.know(type_, carried)
            self.body(depth)
            next_ = self.let(f"arith.{'addf' if type_ in FLOATS else 'addi'} {carried}, {self.value(type_, 1)} : {type_}")
            self.say(f"affine.yield {next_} : {type_}")

        self.say(f"{result} = affine.for {iterator} = {bounds} iter_args({carried} = {first}) -> ({type_}) {{")
        self.inside(body)
        self.say("}")
        self.know(type_, result)

    def independent(self, iterator):
        """The body of a parallel loop: each iteration writes elements of its own, from values that no iteration writes."""
        self.iterators.append(iterator)
        fits = [a for a in self.arrays if a.plain and a.elem in ("f64", "f32", "i64", "i32") and a.shape and a.shape[0] > self.range[iterator][1]]
        if fits:
            array, self.arrays = self.pick(fits), []
            value = self.value(array.elem, 1)
            at = ", ".join([iterator] + [str(self.random.randrange(n)) for n in array.shape[1:]])
            self.say(f"affine.store {value}, {array.name}[{at}] : {array.type}")

    def condition(self, depth):
        if self.iterators and self.maybe(0.6):
            names = [self.pick(self.iterators) for _ in range(self.pick([1, 1, 2]))]
            kinds = ["{} - 2 >= 0", "4 - {} >= 0", "{} mod 2 == 0", "{} mod 3 == 0", "{} - s0 >= 0", "s0 - {} * 2 + 1 >= 0", "{} floordiv 2 - 1 == 0"]
            tests = ", ".join(self.pick(kinds).format(f"d{k}") for k in range(len(names)))
            dims = ", ".join(f"d{k}" for k in range(len(names)))
            self.say(f"affine.if affine_set<({dims})[s0] : ({tests})>({', '.join(names)})[{self.pick(self.symbols)}] {{")
        else:
            self.say(f"scf.if {self.comparison(1)} {{")
        self.inside(lambda: [self.statement(depth + 1) for _ in range(self.random.randint(1, 2))])
        if self.maybe(0.4):
            self.say("} else {")
            self.inside(lambda: self.statement(depth + 1))
        self.say("}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print(Program(int(sys.argv[1])).text(), end="")
