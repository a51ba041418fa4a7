#!/usr/bin/env python3
"""Checks results of set operations against isl (through islpy).

Reads requests from standard input, one a line, fields separated by tabs:

    OPERATION  ARGUMENT..  RESULT

Arguments and result are objects in isl's notation, numbers or `true`/`false`; a result `!REASON` says that the other
side refused. Answers each with one line: `ok`, `skip REASON` (isl itself gave up or doesn't define the result),
or `bad EXPLANATION`. `print KIND TEXT` answers with `text` and what isl prints for the object.
"""

import itertools
import sys

import islpy as isl

OUT, IN, PARAM = isl.dim_type.out, isl.dim_type.in_, isl.dim_type.param

# Work that isl may spend on one request; beyond, the request is skipped.
LIMIT = 250_000
CONTEXT = isl.DEFAULT_CONTEXT
KINDS = {
    "set": isl.Set,
    "map": isl.Map,
    "uset": isl.UnionSet,
    "umap": isl.UnionMap,
    "aff": isl.Aff,
    "pwaff": isl.PwAff,
    "multiaff": isl.MultiAff,
    "pwmultiaff": isl.PwMultiAff,
    "multipwaff": isl.MultiPwAff,
    "upwaff": isl.UnionPwAff,
    "upwmultiaff": isl.UnionPwMultiAff,
    "mupwaff": isl.MultiUnionPwAff,
    "pwqpolynomial": isl.PwQPolynomial,
}


class Beyond(Exception):
    """The limit was reached while reading."""


def read(kind, text):
    if kind == "bool":
        return text == "true"
    if kind == "int":
        return int(text)
    if kind == "optimum":
        return text
    if text == "none":
        return None
    return KINDS[kind](text)


def as_relation(x):
    """A set or map with the same elements, to compare functions."""
    if isinstance(x, (isl.Aff, isl.PwAff)):
        x = isl.PwMultiAff.from_pw_aff(isl.PwAff(str(x)) if isinstance(x, isl.Aff) else x)
    if isinstance(x, isl.MultiAff):
        x = isl.PwMultiAff.from_multi_aff(x)
    if isinstance(x, isl.MultiPwAff):
        x = isl.PwMultiAff.from_multi_pw_aff(x)
    if isinstance(x, isl.PwMultiAff):
        is_set = x.get_space().is_set()
        return isl.Set.from_pw_multi_aff(x) if is_set else isl.Map.from_pw_multi_aff(x)
    if isinstance(x, isl.UnionPwAff):
        x = isl.UnionPwMultiAff.from_union_pw_aff(x)
    if isinstance(x, isl.MultiUnionPwAff):
        x = isl.UnionPwMultiAff.from_multi_union_pw_aff(x)
    if isinstance(x, isl.UnionPwMultiAff):
        return isl.UnionMap.from_union_pw_multi_aff(x)
    return x


def same(mine, theirs):
    if isinstance(theirs, (bool, int)):
        return mine == theirs
    return as_relation(mine).is_equal(as_relation(theirs))


def equal(kind, compute):
    """The result must equal what isl computes."""

    def check(args, mine):
        theirs = compute(*args)
        return None if same(mine, theirs) else f"isl: {theirs}"

    check.kind = kind
    check.compute = compute
    return check


def project(kind):
    """isl drops the name of a tuple that loses dimensions (even if it loses none); names aren't compared here."""

    def check(args, mine):
        a, first, n = args
        theirs = a.project_out(kind, first, n)
        if kind != PARAM:
            name = ("T",) if isinstance(a, isl.Set) else (kind, "T")
            mine, theirs = mine.set_tuple_name(*name), theirs.set_tuple_name(*name)
        return None if mine.is_equal(theirs) else f"isl: {theirs}"

    return check


def gist(args, mine):
    a, context = args
    if not mine.intersect(context).is_equal(a.intersect(context)):
        return f"differs within the context; isl: {a.gist(context)}"
    return None


def hull(args, mine):
    pieces = mine.get_basic_sets() if isinstance(mine, isl.Set) else mine.get_basic_maps()
    if len(pieces) > 1:
        return "a hull has one piece"
    if not args[0].is_subset(mine):
        return "the hull misses elements"
    return None


def disjoint(args, mine):
    if not mine.is_equal(args[0]):
        return "elements differ"
    pieces = mine.get_basic_sets() if isinstance(mine, isl.Set) else mine.get_basic_maps()
    for i, p in enumerate(pieces):
        for q in pieces[i + 1 :]:
            if not p.is_disjoint(q):
                return f"pieces meet: {p} and {q}"
    return None


def sample(args, mine):
    if mine is None:
        return None if args[0].is_empty() else f"not empty: {args[0].sample()}"
    if not mine.is_subset(args[0]):
        return "the sample is no element"
    return None


def optimum(best):
    def check(args, result):
        a, aff = args
        if a.is_empty():
            return None if result == "empty" else "isl: empty"
        value = getattr(a, best)(aff)
        theirs = "unbounded" if value.is_infty() or value.is_neginfty() else str(value)
        return None if result == theirs else f"isl: {theirs}"

    check.kind = "optimum"
    return check


def cardinality(args, mine):
    """The difference of the two counts must vanish at all points of a box: equal quasi-polynomials can look different."""
    theirs = args[0].card()
    difference = theirs.sub(mine)
    n_param, n_in = difference.dim(PARAM), difference.dim(IN)
    for at in itertools.product(range(-4, 13), repeat=n_param):
        for x in itertools.product(range(-4, 9), repeat=n_in):
            point = isl.Point.zero(difference.get_domain_space())
            for i, v in enumerate(at):
                point = point.set_coordinate_val(PARAM, i, isl.Val(v))
            for i, v in enumerate(x):
                point = point.set_coordinate_val(isl.dim_type.set, i, isl.Val(v))
            if not difference.eval(point).is_zero():
                return f"differs at {point}; barvinok: {theirs}"
    return None


def infinite_somewhere(a):
    if isinstance(a, isl.Map):
        n = a.dim(PARAM)
        a = a.move_dims(PARAM, n, IN, 0, a.dim(IN)).range()
    return not a.is_bounded()


cardinality.kind = "pwqpolynomial"
cardinality.refusal = infinite_somewhere


def get(name):
    return lambda *args: getattr(args[0], name)(*args[1:])


def fixed(a, pos, value):
    return a.fix_val(isl.dim_type.out, pos, isl.Val(value))


def scaled(x, value):
    return x.scale_val(isl.Val(value))


def floor_div(x, value):
    return x.scale_down_val(isl.Val(value)).floor()


# Operation: kinds of the arguments, check.
OPERATIONS = {}


def define(name, kinds, check):
    OPERATIONS[name] = (kinds, check)


for t in ("set", "map", "uset", "umap"):
    define(f"{t}.parse", [t], equal(t, lambda a: a))
    for op in ("intersect", "union", "subtract"):
        define(f"{t}.{op}", [t, t], equal(t, get(op)))
    for op in ("is_subset", "is_equal", "is_disjoint", "is_strict_subset"):
        define(f"{t}.{op}", [t, t], equal("bool", get(op)))
    define(f"{t}.is_empty", [t], equal("bool", get("is_empty")))
    for op in ("lexmin", "lexmax", "coalesce", "detect_equalities", "compute_divs"):
        define(f"{t}.{op}", [t], equal(t, get(op)))
    define(f"{t}.gist", [t, t], gist)
    define(f"{t}.params", [t], equal("set", get("params")))
for t in ("set", "map"):
    define(f"{t}.complement", [t], equal(t, get("complement")))
    define(f"{t}.affine_hull", [t], equal(t, lambda a: type(a)(str(a.affine_hull()))))
    define(f"{t}.polyhedral_hull", [t], equal(t, lambda a: type(a)(str(a.polyhedral_hull()))))
    define(f"{t}.simple_hull", [t], hull)
    define(f"{t}.unshifted_simple_hull", [t], hull)
    define(f"{t}.make_disjoint", [t], disjoint)
    define(f"{t}.is_bounded", [t], equal("bool", lambda a: (a if isinstance(a, isl.Set) else a.wrap()).is_bounded()))
    define(f"{t}.project_out", [t, "int", "int"], project(OUT))
    define(f"{t}.project_out_param", [t, "int", "int"], project(PARAM))
    define(f"{t}.remove_redundancies", [t], equal(t, lambda a: a))
    define(f"{t}.fix", [t, "int", "int"], equal(t, fixed))
    define(f"{t}.lexmin_pw_multi_aff", [t], equal("pwmultiaff", get("lexmin_pw_multi_aff")))
    define(f"{t}.lexmax_pw_multi_aff", [t], equal("pwmultiaff", get("lexmax_pw_multi_aff")))
    define(f"{t}.product", [t, t], equal(t, get("product")))
    define(f"{t}.flat_product", [t, t], equal(t, get("flat_product")))
    define(f"{t}.card", [t], cardinality)
define("set.sample_point", ["set"], sample)
define("set.dim_max", ["set", "int"], equal("pwaff", get("dim_max")))
define("set.dim_min", ["set", "int"], equal("pwaff", get("dim_min")))
define("set.max_aff", ["set", "aff"], optimum("max_val"))
define("set.min_aff", ["set", "aff"], optimum("min_val"))
define("set.apply", ["set", "map"], equal("set", get("apply")))
define("set.preimage", ["set", "multiaff"], equal("set", get("preimage_multi_aff")))
define("map.project_out_in", ["map", "int", "int"], project(IN))
for op in ("domain", "range", "wrap"):
    define(f"map.{op}", ["map"], equal("set", get(op)))
define("map.deltas", ["map"], equal("set", get("deltas")))
for op in ("reverse", "domain_map", "range_map"):
    define(f"map.{op}", ["map"], equal("map", get(op)))
for op in ("apply_range", "apply_domain", "range_product", "flat_range_product", "domain_product"):
    define(f"map.{op}", ["map", "map"], equal("map", get(op)))
for op in ("intersect_domain", "intersect_range"):
    define(f"map.{op}", ["map", "set"], equal("map", get(op)))
for op in ("is_single_valued", "is_injective", "is_bijective"):
    define(f"map.{op}", ["map"], equal("bool", get(op)))
for op in ("domain", "range"):
    define(f"umap.{op}", ["umap"], equal("uset", get(op)))
define("umap.reverse", ["umap"], equal("umap", get("reverse")))
define("umap.apply_range", ["umap", "umap"], equal("umap", get("apply_range")))
define("umap.lex_lt", ["umap", "umap"], equal("umap", get("lex_lt_union_map")))
define("umap.lex_ge", ["umap", "umap"], equal("umap", get("lex_ge_union_map")))
define("uset.apply", ["uset", "umap"], equal("uset", get("apply")))
for t in ("aff", "pwaff", "multiaff", "pwmultiaff", "multipwaff", "upwaff", "upwmultiaff", "mupwaff"):
    define(f"{t}.parse", [t], equal(t, lambda a: a))
for op in ("add", "sub", "min", "max", "union_add", "union_min", "union_max"):
    define(f"pwaff.{op}", ["pwaff", "pwaff"], equal("pwaff", get(op)))
for op in ("eq_set", "ne_set", "le_set", "lt_set", "ge_set", "gt_set"):
    define(f"pwaff.{op}", ["pwaff", "pwaff"], equal("set", get(op)))
define("pwaff.neg", ["pwaff"], equal("pwaff", get("neg")))
define("pwaff.scale", ["pwaff", "int"], equal("pwaff", scaled))
define("pwaff.floor_div", ["pwaff", "int"], equal("pwaff", floor_div))
define("pwaff.mod", ["pwaff", "int"], equal("pwaff", lambda x, d: x.mod_val(isl.Val(d))))
define("pwaff.domain", ["pwaff"], equal("set", get("domain")))
define("pwaff.intersect_domain", ["pwaff", "set"], equal("pwaff", get("intersect_domain")))
define("pwaff.pullback", ["pwaff", "multiaff"], equal("pwaff", get("pullback_multi_aff")))
define("pwaff.coalesce", ["pwaff"], equal("pwaff", get("coalesce")))
define("pwaff.cond", ["pwaff", "pwaff", "pwaff"], equal("pwaff", get("cond")))
define("pwmultiaff.pullback", ["pwmultiaff", "pwmultiaff"], equal("pwmultiaff", get("pullback_pw_multi_aff")))
define("pwmultiaff.flat_range_product", ["pwmultiaff", "pwmultiaff"], equal("pwmultiaff", get("flat_range_product")))
define("pwmultiaff.union_add", ["pwmultiaff", "pwmultiaff"], equal("pwmultiaff", get("union_add")))
define("pwmultiaff.from_map", ["map"], equal("pwmultiaff", isl.PwMultiAff.from_map))


def refused(check, args):
    """The other side refused; isl must refuse as well, or the reason must be found true."""
    if hasattr(check, "refusal"):
        return "ok" if check.refusal(*args) else "bad\tno reason to refuse"
    if not hasattr(check, "compute"):
        return "bad\tisl does not refuse"
    try:
        return f"bad\tisl does not refuse: {check.compute(*args)}"
    except isl.Error as e:
        return "skip\tisl's limit" if is_limit(e) else "ok"


def is_limit(error):
    return "maximal number of operations" in str(error)


def read_limited(kind, text):
    """Reads within the limit. isl calls a limit reached while reading a syntax error, so short texts are read again without."""
    try:
        return read(kind, text)
    except isl.Error:
        if len(text) > 600:
            raise Beyond from None
        CONTEXT.set_max_operations(0)
        return read(kind, text)


def answer(line):
    name, *fields = line.rstrip("\n").split("\t")
    if name == "print":
        return f"text\t{read(*fields)}"
    kinds, check = OPERATIONS[name]
    *args, result = fields
    CONTEXT.reset_operations()
    CONTEXT.set_max_operations(LIMIT)
    try:
        args = [read_limited(k, a) for k, a in zip(kinds, args, strict=True)]
        if result.startswith("!"):
            return refused(check, args)
        wrong = check(args, read_limited(getattr(check, "kind", kinds[0]), result))
    except Beyond:
        return "skip\ttoo much to read"
    except isl.Error as e:
        return "skip\tisl's limit" if is_limit(e) else f"bad\tisl refuses: {e}"
    finally:
        CONTEXT.set_max_operations(0)
    return "ok" if wrong is None else f"bad\t{wrong}"


def main():
    for line in sys.stdin:
        print(answer(line).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
