//! The functions, by topic. Each line: name, arguments with their types, kind of the result, help, and the expression that computes it.

use super::table::Function;
use super::value::{Dim, Extract, Value};
use crate::count::PwQPolynomial;
use crate::error::{Error, Result};
use crate::func::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::num::{Budget, Int};
use crate::sets::{Map, Point, Set};
use crate::simplex::Optimum;
use crate::union::{UnionMap, UnionSet};

macro_rules! table {
    ($b:ident; $($name:ident($($arg:ident: $type:ty),*) -> $result:literal $help:literal = $body:expr;)*) => {
        /// All functions.
        pub(super) const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            args: &[$(<$type as Extract>::KIND),*],
            result: $result,
            help: $help,
            run: {
                #[allow(unused_variables, reason = "not every operation needs a budget")]
                fn run(args: &[Value], $b: &Budget) -> Result<Value> {
                    let mut args = args.iter().cloned();
                    $(let $arg: $type = take(args.next())?;)*
                    Ok(Value::from($body))
                }
                run
            },
        },)*];
    };
}

fn take<T: Extract>(value: Option<Value>) -> Result<T> {
    value
        .and_then(T::extract)
        .ok_or_else(|| Error::Unsupported(format!("an argument is no {}", T::KIND.name())))
}

/// A position or number of dimensions.
fn small(n: &Int) -> Result<usize> {
    let value = n.to_i64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n <= 10_000);
    value.ok_or_else(|| Error::Unsupported(format!("{n} is no number of dimensions")))
}

fn range_of(n: usize, first: &Int, count: &Int) -> Result<(usize, usize)> {
    let (first, count) = (small(first)?, small(count)?);
    if first + count > n {
        return Err(Error::Unsupported(format!("there are only {n} such dimensions")));
    }
    Ok((first, count))
}

fn position(n: usize, pos: &Int) -> Result<usize> {
    Ok(range_of(n, pos, &Int::ONE)?.0)
}

fn optimum(value: Optimum<Int>, unbounded: &str) -> Value {
    match value {
        Optimum::Bounded(v) => Value::Int(v),
        Optimum::Unbounded => Value::Text(unbounded.to_string()),
        Optimum::Empty => Value::Text("NaN".to_string()),
    }
}

fn growth(degree: Option<u32>) -> Int {
    degree.map_or(Int::NEG_ONE, |d| Int::from(d as usize))
}

/// The value at the one element of a set; its parameters are those of the function, by name.
fn eval(q: &PwQPolynomial, at: &Set, b: &Budget) -> Result<Value> {
    let at = at.align_params(q.space());
    let fits = at.space().params() == q.space().params() && q.space().same_tuples(at.space());
    match at.points(b, 1).as_deref() {
        Ok([p]) if fits => Ok(Value::Text(q.eval(p, b)?.to_string())),
        _ => Err(Error::Unsupported(format!("{at} isn't one point of {}", q.space()))),
    }
}

fn sample(point: Option<Point>) -> Value {
    point.map_or_else(|| Value::Text("void".to_string()), Value::Point)
}

fn constants(n: usize, value: &Int) -> Vec<Int> {
    vec![value.clone(); n]
}

table! { b;
    // Kinds of objects, for texts that can be several.
    set(x: Set) -> "set" "the object as a set" = x;
    map(x: Map) -> "map" "the object as a map" = x;
    union_set(x: UnionSet) -> "union_set" "the object as a union of sets" = x;
    union_map(x: UnionMap) -> "union_map" "the object as a union of maps" = x;
    aff(x: Aff) -> "aff" "the object as an affine expression" = x;
    pw_aff(x: PwAff) -> "pw_aff" "the object as a piecewise affine expression" = x;
    multi_aff(x: MultiAff) -> "multi_aff" "the object as a tuple of affine expressions" = x;
    pw_multi_aff(x: PwMultiAff) -> "pw_multi_aff" "the object as a piecewise tuple of affine expressions" = x;
    multi_pw_aff(x: MultiPwAff) -> "multi_pw_aff" "the object as a tuple of piecewise affine expressions" = x;
    union_pw_aff(x: UnionPwAff) -> "union_pw_aff" "the object as a union of piecewise affine expressions" = x;
    union_pw_multi_aff(x: UnionPwMultiAff) -> "union_pw_multi_aff" "the object as a union of piecewise functions" = x;
    multi_union_pw_aff(x: MultiUnionPwAff) -> "multi_union_pw_aff" "the object as a tuple of union expressions" = x;

    // Set algebra.
    intersect(a: Set, o: Set) -> "set" "the elements of both" = a.intersect(&o)?;
    intersect(a: Map, o: Map) -> "map" "the pairs of both" = a.intersect(&o)?;
    intersect(a: UnionSet, o: UnionSet) -> "union_set" "the elements of both" = a.intersect(&o)?;
    intersect(a: UnionMap, o: UnionMap) -> "union_map" "the pairs of both" = a.intersect(&o)?;
    union(a: Set, o: Set) -> "set" "the elements of either" = join_sets(&a, &o)?;
    union(a: Map, o: Map) -> "map" "the pairs of either" = join_maps(&a, &o)?;
    union(a: UnionSet, o: UnionSet) -> "union_set" "the elements of either" = a.union(&o)?;
    union(a: UnionMap, o: UnionMap) -> "union_map" "the pairs of either" = a.union(&o)?;
    subtract(a: Set, o: Set) -> "set" "the elements that aren't in the other" = a.subtract(&o, b)?;
    subtract(a: Map, o: Map) -> "map" "the pairs that aren't in the other" = a.subtract(&o, b)?;
    subtract(a: UnionSet, o: UnionSet) -> "union_set" "the elements that aren't in the other" = a.subtract(&o, b)?;
    subtract(a: UnionMap, o: UnionMap) -> "union_map" "the pairs that aren't in the other" = a.subtract(&o, b)?;
    complement(a: Set) -> "set" "the other points of the space" = a.complement(b)?;
    complement(a: Map) -> "map" "the other pairs of the space" = a.complement(b)?;
    universe(a: Set) -> "set" "all points of the space" = Set::universe(a.space());
    universe(a: Map) -> "map" "all pairs of the space" = Map::universe(a.space());
    universe(a: UnionSet) -> "union_set" "all points of the members' spaces" = a.universe();
    universe(a: UnionMap) -> "union_map" "all pairs of the members' spaces" = a.universe();
    empty(a: Set) -> "set" "no points of the space" = Set::empty(a.space());
    empty(a: Map) -> "map" "no pairs of the space" = Map::empty(a.space());

    // Questions.
    is_empty(a: Set) -> "boolean" "are there no elements?" = a.is_empty(b)?;
    is_empty(a: Map) -> "boolean" "are there no pairs?" = a.is_empty(b)?;
    is_empty(a: UnionSet) -> "boolean" "are there no elements?" = a.is_empty(b)?;
    is_empty(a: UnionMap) -> "boolean" "are there no pairs?" = a.is_empty(b)?;
    is_equal(a: Set, o: Set) -> "boolean" "are the elements the same?" = a.is_equal(&o, b)?;
    is_equal(a: Map, o: Map) -> "boolean" "are the pairs the same?" = a.is_equal(&o, b)?;
    is_equal(a: UnionSet, o: UnionSet) -> "boolean" "are the elements the same?" = a.is_equal(&o, b)?;
    is_equal(a: UnionMap, o: UnionMap) -> "boolean" "are the pairs the same?" = a.is_equal(&o, b)?;
    is_equal(a: PwAff, o: PwAff) -> "boolean" "are the functions the same?" = a.is_equal(&o, b)?;
    is_equal(a: MultiUnionPwAff, o: MultiUnionPwAff) -> "boolean" "are the functions the same?" = a.is_equal(&o, b)?;
    is_subset(a: Set, o: Set) -> "boolean" "are all elements in the other?" = a.is_subset(&o, b)?;
    is_subset(a: Map, o: Map) -> "boolean" "are all pairs in the other?" = a.is_subset(&o, b)?;
    is_subset(a: UnionSet, o: UnionSet) -> "boolean" "are all elements in the other?" = a.is_subset(&o, b)?;
    is_subset(a: UnionMap, o: UnionMap) -> "boolean" "are all pairs in the other?" = a.is_subset(&o, b)?;
    is_strict_subset(a: Set, o: Set) -> "boolean" "a subset and not equal?" = a.is_strict_subset(&o, b)?;
    is_strict_subset(a: Map, o: Map) -> "boolean" "a subset and not equal?" = a.is_strict_subset(&o, b)?;
    is_strict_subset(a: UnionSet, o: UnionSet) -> "boolean" "a subset and not equal?" = a.is_strict_subset(&o, b)?;
    is_strict_subset(a: UnionMap, o: UnionMap) -> "boolean" "a subset and not equal?" = a.is_strict_subset(&o, b)?;
    is_disjoint(a: Set, o: Set) -> "boolean" "is there no common element?" = a.is_disjoint(&o, b)?;
    is_disjoint(a: Map, o: Map) -> "boolean" "is there no common pair?" = a.is_disjoint(&o, b)?;
    is_disjoint(a: UnionSet, o: UnionSet) -> "boolean" "is there no common element?" = a.is_disjoint(&o, b)?;
    is_disjoint(a: UnionMap, o: UnionMap) -> "boolean" "is there no common pair?" = a.is_disjoint(&o, b)?;
    is_bounded(a: Set) -> "boolean" "finitely many elements for each value of the parameters?" = a.is_bounded(b)?;
    is_singleton(a: Set) -> "boolean" "at most one element for each value of the parameters?" = a.is_singleton(b)?;
    is_single_valued(a: Map) -> "boolean" "has each input at most one output?" = a.is_single_valued(b)?;
    is_single_valued(a: UnionMap) -> "boolean" "has each input at most one output?" = a.is_single_valued(b)?;
    is_injective(a: Map) -> "boolean" "has each output at most one input?" = a.is_injective(b)?;
    is_injective(a: UnionMap) -> "boolean" "has each output at most one input?" = a.is_injective(b)?;
    is_bijective(a: Map) -> "boolean" "one output for each input, one input for each output?" = a.is_bijective(b)?;
    is_bijective(a: UnionMap) -> "boolean" "one output for each input, one input for each output?" = a.is_bijective(b)?;
    n_basic_set(a: Set) -> "integer" "the number of pieces" = Int::from(a.n_basic());
    n_basic_map(a: Map) -> "integer" "the number of pieces" = Int::from(a.n_basic());
    n_set(a: UnionSet) -> "integer" "the number of members" = Int::from(a.len());
    n_map(a: UnionMap) -> "integer" "the number of members" = Int::from(a.len());
    dim(a: Set, t: Dim) -> "integer" "the number of dimensions of a kind" = Int::from(a.dim(t.0));
    dim(a: Map, t: Dim) -> "integer" "the number of dimensions of a kind" = Int::from(a.dim(t.0));

    // Optima and elements.
    lexmin(a: Set) -> "set" "the lexicographically least element" = a.lexmin(b)?;
    lexmin(a: Map) -> "map" "the lexicographically least output of each input" = a.lexmin(b)?;
    lexmin(a: UnionSet) -> "union_set" "the least element of each member" = a.lexmin(b)?;
    lexmin(a: UnionMap) -> "union_map" "the least output of each input, by member" = a.lexmin(b)?;
    lexmax(a: Set) -> "set" "the lexicographically greatest element" = a.lexmax(b)?;
    lexmax(a: Map) -> "map" "the lexicographically greatest output of each input" = a.lexmax(b)?;
    lexmax(a: UnionSet) -> "union_set" "the greatest element of each member" = a.lexmax(b)?;
    lexmax(a: UnionMap) -> "union_map" "the greatest output of each input, by member" = a.lexmax(b)?;
    lexmin_pw_multi_aff(a: Set) -> "pw_multi_aff" "the least element as a function of the parameters" = a.lexmin_pw_multi_aff(b)?;
    lexmin_pw_multi_aff(a: Map) -> "pw_multi_aff" "the least output as a function of the input" = a.lexmin_pw_multi_aff(b)?;
    lexmax_pw_multi_aff(a: Set) -> "pw_multi_aff" "the greatest element as a function of the parameters" = a.lexmax_pw_multi_aff(b)?;
    lexmax_pw_multi_aff(a: Map) -> "pw_multi_aff" "the greatest output as a function of the input" = a.lexmax_pw_multi_aff(b)?;
    dim_min(a: Set, pos: Int) -> "pw_aff" "the least value of a dimension" = a.dim_min(position(a.dim(OUT), &pos)?, b)?;
    dim_min(a: Map, pos: Int) -> "pw_aff" "the least value of an output dimension" = a.dim_min(position(a.dim(OUT), &pos)?, b)?;
    dim_max(a: Set, pos: Int) -> "pw_aff" "the greatest value of a dimension" = a.dim_max(position(a.dim(OUT), &pos)?, b)?;
    dim_max(a: Map, pos: Int) -> "pw_aff" "the greatest value of an output dimension" = a.dim_max(position(a.dim(OUT), &pos)?, b)?;
    min_val(a: Set, f: Aff) -> "integer" "the least value of an expression" = optimum(a.min_aff(&f, b)?, "-infty");
    max_val(a: Set, f: Aff) -> "integer" "the greatest value of an expression" = optimum(a.max_aff(&f, b)?, "infty");
    card(a: Set) -> "pw_qpolynomial" "the number of elements, by parameters" = a.count(b)?;
    card(a: UnionSet) -> "pw_qpolynomial" "the number of elements, by parameters" = a.count(b)?;
    card(a: Map) -> "pw_qpolynomial" "the number of outputs, by parameters and input" = a.count(b)?;
    count_val(a: Set) -> "integer" "the number of elements, when there are no parameters" = a.count_at(&[], b)?;
    degree(q: PwQPolynomial) -> "integer" "the largest degree of a piece" = Int::from(q.degree() as usize);
    growth_degree(a: Set) -> "integer" "the exponent by which the number of elements grows, without counting; -1: empty" = growth(a.growth_degree(b)?);
    growth_degree(a: Map) -> "integer" "the exponent by which the number of outputs grows, without counting; -1: empty" = growth(a.growth_degree(b)?);
    eval(q: PwQPolynomial, at: Set) -> "text" "the value at the one point of a set" = eval(&q, &at, b)?;
    add(q: PwQPolynomial, o: PwQPolynomial) -> "pw_qpolynomial" "the sum" = q.add(&o, b)?;
    sample_point(a: Set) -> "point" "some element, or `void`" = sample(a.sample_point(b)?);
    sample_point(a: Map) -> "point" "some pair, or `void`" = sample(a.sample_point(b)?);
    sample_point(a: UnionSet) -> "point" "some element, or `void`" = sample(a.sample_point(b)?);

    // Simplification and approximation.
    coalesce(a: Set) -> "set" "the same elements in fewer pieces" = a.coalesce(b)?;
    coalesce(a: Map) -> "map" "the same pairs in fewer pieces" = a.coalesce(b)?;
    coalesce(a: UnionSet) -> "union_set" "the same elements in fewer pieces" = a.coalesce(b)?;
    coalesce(a: UnionMap) -> "union_map" "the same pairs in fewer pieces" = a.coalesce(b)?;
    coalesce(a: PwAff) -> "pw_aff" "the same function in fewer pieces" = a.coalesce(b)?;
    coalesce(a: PwMultiAff) -> "pw_multi_aff" "the same function in fewer pieces" = a.coalesce(b)?;
    gist(a: Set, context: Set) -> "set" "a simpler set with the same elements in the context" = a.gist(&context, b)?;
    gist(a: Map, context: Map) -> "map" "a simpler map with the same pairs in the context" = a.gist(&context, b)?;
    gist(a: UnionSet, context: UnionSet) -> "union_set" "a simpler set with the same elements in the context" = a.gist(&context, b)?;
    gist(a: UnionMap, context: UnionMap) -> "union_map" "a simpler map with the same pairs in the context" = a.gist(&context, b)?;
    gist(a: PwAff, context: Set) -> "pw_aff" "a simpler function with the same values in the context" = a.gist(&context, b)?;
    gist(a: PwMultiAff, context: Set) -> "pw_multi_aff" "a simpler function with the same values in the context" = a.gist(&context, b)?;
    gist_params(a: Set, context: Set) -> "set" "a simpler set with the same elements for the parameters in the context" = a.gist_params(&context, b)?;
    gist_params(a: Map, context: Set) -> "map" "a simpler map with the same pairs for the parameters in the context" = a.gist_params(&context, b)?;
    gist_domain(a: Map, context: Set) -> "map" "a simpler map with the same pairs for inputs in the context" = a.gist_domain(&context, b)?;
    gist_range(a: Map, context: Set) -> "map" "a simpler map with the same pairs for outputs in the context" = a.gist_range(&context, b)?;
    simple_hull(a: Set) -> "set" "one piece, from the constraints of all pieces, that holds all elements" = a.simple_hull(b)?.to_union();
    simple_hull(a: Map) -> "map" "one piece, from the constraints of all pieces, that holds all pairs" = a.simple_hull(b)?.to_union();
    unshifted_simple_hull(a: Set) -> "set" "one piece, from constraints that all pieces share" = a.unshifted_simple_hull(b)?.to_union();
    unshifted_simple_hull(a: Map) -> "map" "one piece, from constraints that all pieces share" = a.unshifted_simple_hull(b)?.to_union();
    polyhedral_hull(a: Set) -> "set" "the smallest polyhedron that holds all elements" = a.polyhedral_hull(b)?.to_union();
    polyhedral_hull(a: Map) -> "map" "the smallest polyhedron that holds all pairs" = a.polyhedral_hull(b)?.to_union();
    affine_hull(a: Set) -> "set" "the smallest affine subspace that holds all elements" = a.affine_hull(b)?.to_union();
    affine_hull(a: Map) -> "map" "the smallest affine subspace that holds all pairs" = a.affine_hull(b)?.to_union();
    detect_equalities(a: Set) -> "set" "implied equalities made explicit" = a.detect_equalities(b)?;
    detect_equalities(a: Map) -> "map" "implied equalities made explicit" = a.detect_equalities(b)?;
    remove_redundancies(a: Set) -> "set" "constraints that others imply removed" = a.remove_redundancies(b)?;
    remove_redundancies(a: Map) -> "map" "constraints that others imply removed" = a.remove_redundancies(b)?;
    compute_divs(a: Set) -> "set" "quantifiers replaced by known divisions" = a.compute_divs(b)?;
    compute_divs(a: Map) -> "map" "quantifiers replaced by known divisions" = a.compute_divs(b)?;
    make_disjoint(a: Set) -> "set" "the same elements in pieces that don't meet" = a.make_disjoint(b)?;
    make_disjoint(a: Map) -> "map" "the same pairs in pieces that don't meet" = a.make_disjoint(b)?;

    // Maps.
    domain(a: Map) -> "set" "the inputs" = a.domain();
    domain(a: UnionMap) -> "union_set" "the inputs" = a.domain()?;
    domain(a: PwAff) -> "set" "where the function is defined" = a.domain();
    domain(a: PwMultiAff) -> "set" "where the function is defined" = a.domain();
    range(a: Map) -> "set" "the outputs" = a.range();
    range(a: UnionMap) -> "union_set" "the outputs" = a.range()?;
    reverse(a: Map) -> "map" "the pairs with their sides exchanged" = a.reverse();
    reverse(a: UnionMap) -> "union_map" "the pairs with their sides exchanged" = a.reverse()?;
    apply(a: Set, m: Map) -> "set" "the images of the elements" = a.apply(&m)?;
    apply(a: UnionSet, m: UnionMap) -> "union_set" "the images of the elements" = a.apply(&m)?;
    apply_range(a: Map, m: Map) -> "map" "first this map, then the other" = a.apply_range(&m)?;
    apply_range(a: UnionMap, m: UnionMap) -> "union_map" "first this map, then the other" = a.apply_range(&m)?;
    apply_domain(a: Map, m: Map) -> "map" "the inputs replaced by their images" = a.apply_domain(&m)?;
    apply_domain(a: UnionMap, m: UnionMap) -> "union_map" "the inputs replaced by their images" = a.apply_domain(&m)?;
    intersect_domain(a: Map, s: Set) -> "map" "the pairs whose input is in the set" = a.intersect_domain(&s)?;
    intersect_domain(a: UnionMap, s: UnionSet) -> "union_map" "the pairs whose input is in the set" = a.intersect_domain(&s)?;
    intersect_domain(a: PwAff, s: Set) -> "pw_aff" "the function on the set" = a.intersect_domain(&s, b)?;
    intersect_domain(a: MultiUnionPwAff, s: UnionSet) -> "multi_union_pw_aff" "the function on the set" = a.intersect_domain(&s, b)?;
    intersect_range(a: Map, s: Set) -> "map" "the pairs whose output is in the set" = a.intersect_range(&s)?;
    intersect_range(a: UnionMap, s: UnionSet) -> "union_map" "the pairs whose output is in the set" = a.intersect_range(&s)?;
    intersect_params(a: Set, p: Set) -> "set" "the elements for parameters in a set" = a.intersect_params(&p)?;
    intersect_params(a: Map, p: Set) -> "map" "the pairs for parameters in a set" = a.intersect_params(&p)?;
    intersect_params(a: UnionSet, p: Set) -> "union_set" "the elements for parameters in a set" = a.intersect_params(&p)?;
    intersect_params(a: UnionMap, p: Set) -> "union_map" "the pairs for parameters in a set" = a.intersect_params(&p)?;
    subtract_domain(a: UnionMap, s: UnionSet) -> "union_map" "the pairs whose input isn't in the set" = a.subtract_domain(&s, b)?;
    subtract_range(a: UnionMap, s: UnionSet) -> "union_map" "the pairs whose output isn't in the set" = a.subtract_range(&s, b)?;
    params(a: Set) -> "set" "the parameter values for which there are elements" = a.params();
    params(a: Map) -> "set" "the parameter values for which there are pairs" = a.params();
    params(a: UnionSet) -> "set" "the parameter values for which there are elements" = a.params()?;
    params(a: UnionMap) -> "set" "the parameter values for which there are pairs" = a.params()?;
    identity(a: Set) -> "map" "each element to itself" = a.identity()?;
    identity(a: UnionSet) -> "union_map" "each element to itself" = a.identity()?;
    transitive_closure(a: Map) -> "map" "the pairs connected by paths; more of them if `transitive_closure_is_exact` says no" = a.transitive_closure(b)?.map;
    transitive_closure_is_exact(a: Map) -> "boolean" "is `transitive_closure` exact?" = a.transitive_closure(b)?.is_exact;
    deltas(a: Map) -> "set" "the differences output - input" = a.deltas()?;
    deltas(a: UnionMap) -> "union_set" "the differences output - input" = a.deltas()?;
    lex_lt_map(a: Set) -> "map" "pairs of the space in lexicographic order" = Map::lex_lt(a.space());
    lex_le_map(a: Set) -> "map" "pairs of the space in lexicographic order, or equal" = Map::lex_le(a.space());
    lex_gt_map(a: Set) -> "map" "pairs of the space in reverse lexicographic order" = Map::lex_gt(a.space());
    lex_ge_map(a: Set) -> "map" "pairs of the space in reverse lexicographic order, or equal" = Map::lex_ge(a.space());
    lex_lt_union_set(a: UnionSet, o: UnionSet) -> "union_map" "pairs of elements in lexicographic order" = a.lex_lt(&o)?;
    lex_le_union_set(a: UnionSet, o: UnionSet) -> "union_map" "pairs of elements in lexicographic order, or equal" = a.lex_le(&o)?;
    lex_lt_union_map(a: UnionMap, o: UnionMap) -> "union_map" "pairs of inputs, the first scheduled before the second" = a.lex_lt_union_map(&o)?;
    lex_le_union_map(a: UnionMap, o: UnionMap) -> "union_map" "pairs of inputs, the first not scheduled after the second" = a.lex_le_union_map(&o)?;
    lex_gt_union_map(a: UnionMap, o: UnionMap) -> "union_map" "pairs of inputs, the first scheduled after the second" = a.lex_gt_union_map(&o)?;
    lex_ge_union_map(a: UnionMap, o: UnionMap) -> "union_map" "pairs of inputs, the first not scheduled before the second" = a.lex_ge_union_map(&o)?;

    // Products and nesting.
    product(a: Set, o: Set) -> "set" "all wrapped pairs of elements" = a.product(&o)?;
    product(a: Map, o: Map) -> "map" "all wrapped pairs of pairs" = a.product(&o)?;
    product(a: UnionSet, o: UnionSet) -> "union_set" "all wrapped pairs of elements" = a.product(&o)?;
    product(a: UnionMap, o: UnionMap) -> "union_map" "all wrapped pairs of pairs" = a.product(&o)?;
    flat_product(a: Set, o: Set) -> "set" "all concatenations of elements" = a.flat_product(&o)?;
    flat_product(a: Map, o: Map) -> "map" "all concatenations of pairs" = a.flat_product(&o)?;
    range_product(a: Map, o: Map) -> "map" "both outputs, wrapped" = a.range_product(&o)?;
    range_product(a: UnionMap, o: UnionMap) -> "union_map" "both outputs, wrapped" = a.range_product(&o)?;
    flat_range_product(a: Map, o: Map) -> "map" "both outputs, concatenated" = a.flat_range_product(&o)?;
    flat_range_product(a: UnionMap, o: UnionMap) -> "union_map" "both outputs, concatenated" = a.flat_range_product(&o)?;
    flat_range_product(a: MultiUnionPwAff, o: MultiUnionPwAff) -> "multi_union_pw_aff" "both values, concatenated" = a.flat_range_product(&o, b)?;
    domain_product(a: Map, o: Map) -> "map" "both inputs, wrapped" = a.domain_product(&o)?;
    domain_product(a: UnionMap, o: UnionMap) -> "union_map" "both inputs, wrapped" = a.domain_product(&o)?;
    domain_factor_domain(a: Map) -> "map" "[A -> B] -> C to A -> C" = a.domain_factor_domain()?;
    domain_factor_range(a: Map) -> "map" "[A -> B] -> C to B -> C" = a.domain_factor_range()?;
    range_factor_domain(a: Map) -> "map" "A -> [B -> C] to A -> B" = a.range_factor_domain()?;
    range_factor_range(a: Map) -> "map" "A -> [B -> C] to A -> C" = a.range_factor_range()?;
    wrap(a: Map) -> "set" "the pairs as wrapped elements" = a.wrap();
    wrap(a: UnionMap) -> "union_set" "the pairs as wrapped elements" = a.wrap()?;
    unwrap(a: Set) -> "map" "the pairs that the elements wrap" = a.unwrap()?;
    unwrap(a: UnionSet) -> "union_map" "the pairs that the elements wrap" = a.unwrap()?;
    flatten(a: Set) -> "set" "the tuple without nesting" = a.flatten();
    flatten(a: Map) -> "map" "both tuples without nesting" = a.flatten();
    flatten_domain(a: Map) -> "map" "the input tuple without nesting" = a.flatten_domain();
    flatten_range(a: Map) -> "map" "the output tuple without nesting" = a.flatten_range();
    curry(a: Map) -> "map" "[A -> B] -> C to A -> [B -> C]" = a.curry()?;
    curry(a: UnionMap) -> "union_map" "[A -> B] -> C to A -> [B -> C]" = a.curry()?;
    uncurry(a: Map) -> "map" "A -> [B -> C] to [A -> B] -> C" = a.uncurry()?;
    uncurry(a: UnionMap) -> "union_map" "A -> [B -> C] to [A -> B] -> C" = a.uncurry()?;
    zip(a: Map) -> "map" "[A -> B] -> [C -> D] to [A -> C] -> [B -> D]" = a.zip()?;
    zip(a: UnionMap) -> "union_map" "[A -> B] -> [C -> D] to [A -> C] -> [B -> D]" = a.zip()?;
    domain_map(a: Map) -> "map" "[A -> B] -> A" = a.domain_map()?;
    domain_map(a: UnionMap) -> "union_map" "[A -> B] -> A" = a.domain_map()?;
    range_map(a: Map) -> "map" "[A -> B] -> B" = a.range_map()?;
    range_map(a: UnionMap) -> "union_map" "[A -> B] -> B" = a.range_map()?;
    wrapped_domain_map(a: Set) -> "map" "[A -> B] -> A of wrapped pairs" = a.wrapped_domain_map()?;

    // Dimensions.
    project_out(a: Set, t: Dim, first: Int, n: Int) -> "set" "the elements without some dimensions" = { let (f, n) = range_of(a.dim(t.0), &first, &n)?; a.project_out(t.0, f, n, b)? };
    project_out(a: Map, t: Dim, first: Int, n: Int) -> "map" "the pairs without some dimensions" = { let (f, n) = range_of(a.dim(t.0), &first, &n)?; a.project_out(t.0, f, n, b)? };
    insert_dims(a: Set, t: Dim, at: Int, n: Int) -> "set" "with new dimensions of any value" = { let (f, _) = range_of(a.dim(t.0), &at, &Int::ZERO)?; a.insert_dims(t.0, f, small(&n)?)? };
    insert_dims(a: Map, t: Dim, at: Int, n: Int) -> "map" "with new dimensions of any value" = { let (f, _) = range_of(a.dim(t.0), &at, &Int::ZERO)?; a.insert_dims(t.0, f, small(&n)?)? };
    fix(a: Set, t: Dim, pos: Int, value: Int) -> "set" "the elements with that value of a dimension" = { let p = position(a.dim(t.0), &pos)?; a.fix(t.0, p, value)? };
    fix(a: Map, t: Dim, pos: Int, value: Int) -> "map" "the pairs with that value of a dimension" = { let p = position(a.dim(t.0), &pos)?; a.fix(t.0, p, value)? };
    lower_bound(a: Set, t: Dim, pos: Int, value: Int) -> "set" "the elements with at least that value of a dimension" = { let p = position(a.dim(t.0), &pos)?; a.lower_bound(t.0, p, value)? };
    lower_bound(a: Map, t: Dim, pos: Int, value: Int) -> "map" "the pairs with at least that value of a dimension" = { let p = position(a.dim(t.0), &pos)?; a.lower_bound(t.0, p, value)? };
    upper_bound(a: Set, t: Dim, pos: Int, value: Int) -> "set" "the elements with at most that value of a dimension" = { let p = position(a.dim(t.0), &pos)?; a.upper_bound(t.0, p, value)? };
    upper_bound(a: Map, t: Dim, pos: Int, value: Int) -> "map" "the pairs with at most that value of a dimension" = { let p = position(a.dim(t.0), &pos)?; a.upper_bound(t.0, p, value)? };
    equate(a: Set, t: Dim, p: Int, u: Dim, q: Int) -> "set" "the elements where two dimensions are equal" = { let (p, q) = (position(a.dim(t.0), &p)?, position(a.dim(u.0), &q)?); a.equate(t.0, p, u.0, q)? };
    equate(a: Map, t: Dim, p: Int, u: Dim, q: Int) -> "map" "the pairs where two dimensions are equal" = { let (p, q) = (position(a.dim(t.0), &p)?, position(a.dim(u.0), &q)?); a.equate(t.0, p, u.0, q)? };

    // Functions.
    add(a: PwAff, o: PwAff) -> "pw_aff" "the sum, where both are defined" = a.add(&o, b)?;
    add(a: PwMultiAff, o: PwMultiAff) -> "pw_multi_aff" "the sum, where both are defined" = a.add(&o, b)?;
    add(a: UnionPwAff, o: UnionPwAff) -> "union_pw_aff" "the sum, where both are defined" = a.add(&o, b)?;
    add(a: MultiUnionPwAff, o: MultiUnionPwAff) -> "multi_union_pw_aff" "the sum, where both are defined" = a.add(&o, b)?;
    sub(a: PwAff, o: PwAff) -> "pw_aff" "the difference, where both are defined" = a.sub(&o, b)?;
    sub(a: PwMultiAff, o: PwMultiAff) -> "pw_multi_aff" "the difference, where both are defined" = a.sub(&o, b)?;
    mul(a: PwAff, o: PwAff) -> "pw_aff" "the product; one factor must be constant" = a.mul(&o, b)?;
    neg(a: PwAff) -> "pw_aff" "the negation" = a.neg()?;
    neg(a: UnionPwAff) -> "union_pw_aff" "the negation" = a.neg()?;
    scale(a: PwAff, n: Int) -> "pw_aff" "times a constant" = a.scale(&n)?;
    scale(a: MultiUnionPwAff, n: Int) -> "multi_union_pw_aff" "times a constant" = a.scale(&constants(a.len(), &n))?;
    floor_div(a: PwAff, n: Int) -> "pw_aff" "divided by a constant, rounded down" = a.floor_div(&n)?;
    floor_div(a: MultiUnionPwAff, n: Int) -> "multi_union_pw_aff" "divided by a constant, rounded down" = a.floor_div(&constants(a.len(), &n))?;
    ceil_div(a: PwAff, n: Int) -> "pw_aff" "divided by a constant, rounded up" = a.ceil_div(&n)?;
    mod(a: PwAff, n: Int) -> "pw_aff" "the remainder" = a.mod_(&n)?;
    min(a: PwAff, o: PwAff) -> "pw_aff" "the lesser, where both are defined" = a.min(&o, b)?;
    max(a: PwAff, o: PwAff) -> "pw_aff" "the greater, where both are defined" = a.max(&o, b)?;
    cond(c: PwAff, yes: PwAff, no: PwAff) -> "pw_aff" "a choice by whether the first isn't zero" = c.cond(&yes, &no, b)?;
    union_add(a: PwAff, o: PwAff) -> "pw_aff" "the sum, or the one that is defined" = a.union_add(&o, b)?;
    union_add(a: PwMultiAff, o: PwMultiAff) -> "pw_multi_aff" "the sum, or the one that is defined" = a.union_add(&o, b)?;
    union_min(a: PwAff, o: PwAff) -> "pw_aff" "the lesser, or the one that is defined" = a.union_min(&o, b)?;
    union_max(a: PwAff, o: PwAff) -> "pw_aff" "the greater, or the one that is defined" = a.union_max(&o, b)?;
    eq_set(a: PwAff, o: PwAff) -> "set" "where the values are equal" = a.eq_set(&o, b)?;
    ne_set(a: PwAff, o: PwAff) -> "set" "where the values differ" = a.ne_set(&o, b)?;
    le_set(a: PwAff, o: PwAff) -> "set" "where the first is at most the second" = a.le_set(&o, b)?;
    lt_set(a: PwAff, o: PwAff) -> "set" "where the first is less than the second" = a.lt_set(&o, b)?;
    ge_set(a: PwAff, o: PwAff) -> "set" "where the first is at least the second" = a.ge_set(&o, b)?;
    gt_set(a: PwAff, o: PwAff) -> "set" "where the first is greater than the second" = a.gt_set(&o, b)?;
    indicator_function(a: Set) -> "pw_aff" "1 on the set and 0 outside" = PwAff::indicator(&a, b)?;
    pullback(a: PwAff, f: MultiAff) -> "pw_aff" "the function after another" = a.pullback(&f, b)?;
    pullback(a: PwMultiAff, f: PwMultiAff) -> "pw_multi_aff" "the function after another" = a.pullback_pw(&f, b)?;
    pullback(a: MultiUnionPwAff, f: UnionPwMultiAff) -> "multi_union_pw_aff" "the function after another" = a.pullback(&f, b)?;
    preimage(a: Set, f: MultiAff) -> "set" "the points that a function maps into the set" = f.preimage(&a)?;
    as_map(a: PwMultiAff) -> "map" "the graph of a function" = a.as_map()?;
    as_set(a: PwMultiAff) -> "set" "the values of a function of the parameters" = a.as_set()?;
    as_union_map(a: UnionPwMultiAff) -> "union_map" "the graph of a function" = a.as_union_map()?;
    as_union_map(a: MultiUnionPwAff) -> "union_map" "the graph of a function" = a.as_union_map(b)?;
    as_pw_multi_aff(a: Map) -> "pw_multi_aff" "the function that a single-valued map is" = PwMultiAff::from_map(&a, b)?;
    as_pw_multi_aff(a: Set) -> "pw_multi_aff" "the function of the parameters that a singleton is" = PwMultiAff::from_set(&a, b)?;
    as_union_pw_multi_aff(a: UnionMap) -> "union_pw_multi_aff" "the function that a single-valued map is" = UnionPwMultiAff::from_union_map(&a, b)?;
}

const OUT: crate::space::DimType = crate::space::DimType::Out;

/// A union of two sets, over two tuples when they differ.
fn join_sets(a: &Set, b: &Set) -> Result<Value> {
    if a.space().same_tuples(b.space()) {
        return Ok(Value::from(a.union(b)?));
    }
    Ok(Value::from(UnionSet::from_members([a, b])?))
}

/// A union of two maps, over two pairs of tuples when they differ.
fn join_maps(a: &Map, b: &Map) -> Result<Value> {
    if a.space().same_tuples(b.space()) {
        return Ok(Value::from(a.union(b)?));
    }
    Ok(Value::from(UnionMap::from_members([a, b])?))
}
