//! The operations that are compared with isl, each with a generator of arguments.

use tilia_presburger::{
    Aff, Budget, DimType, Error, Int, Map, MultiAff, MultiUnionPwAff, Optimum, Parse, PwAff, PwMultiAff, Set, UnionMap, UnionSet,
};

use crate::formula::{Expr, Formula, Shape, params};
use crate::rng::Rng;

/// Arguments as text, and our result.
pub(crate) struct Case {
    /// The arguments, in isl's notation.
    pub(crate) args: Vec<String>,
    /// Our result, printed.
    pub(crate) result: Result<String, Error>,
}

type Make = fn(&mut Rng) -> Case;
type Res = Result<String, Error>;

/// Work allowed for one operation.
fn budget() -> Budget {
    Budget::new(5_000_000)
}

fn read<T: Parse>(text: &str) -> T {
    T::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn set_text(rng: &mut Rng) -> String {
    let shape = Shape::set(rng);
    let f = shape.formula(rng);
    shape.text(&f)
}

fn unary_set(rng: &mut Rng, f: fn(&Set, &Budget) -> Res) -> Case {
    let a = set_text(rng);
    let result = f(&read(&a), &budget());
    Case { args: vec![a], result }
}

fn binary_set(rng: &mut Rng, f: fn(&Set, &Set, &Budget) -> Res) -> Case {
    let shape = Shape::set(rng);
    let (a, b) = (shape.formula(rng), shape.formula(rng));
    let (a, b) = (shape.text(&a), shape.text(&b));
    let result = f(&read(&a), &read(&b), &budget());
    Case { args: vec![a, b], result }
}

fn map_shape(rng: &mut Rng, params: &[String]) -> Shape {
    Shape::map(params, ("A", 1 + rng.below(2)), ("B", 1 + rng.below(2)))
}

fn unary_map(rng: &mut Rng, f: fn(&Map, &Budget) -> Res) -> Case {
    let params = params(rng);
    let shape = map_shape(rng, &params);
    let a = shape.formula(rng);
    let a = shape.text(&a);
    let result = f(&read(&a), &budget());
    Case { args: vec![a], result }
}

fn binary_map(rng: &mut Rng, f: fn(&Map, &Map, &Budget) -> Res) -> Case {
    let params = params(rng);
    let shape = map_shape(rng, &params);
    let (a, b) = (shape.formula(rng), shape.formula(rng));
    let (a, b) = (shape.text(&a), shape.text(&b));
    let result = f(&read(&a), &read(&b), &budget());
    Case { args: vec![a, b], result }
}

/// Two maps `A -> B` and the second of a shape that `second` makes from the numbers of dimensions.
fn related_maps(rng: &mut Rng, second: fn(usize, usize) -> [(&'static str, usize); 2], f: fn(&Map, &Map) -> Result<Map, Error>) -> Case {
    let params = params(rng);
    let (n, m) = (1 + rng.below(2), 1 + rng.below(2));
    let [from, to] = second(n, m);
    let shapes = [Shape::map(&params, ("A", n), ("B", m)), Shape::map(&params, from, to)];
    let texts = shapes.map(|s| {
        let f = s.formula(rng);
        s.text(&f)
    });
    let result = f(&read(&texts[0]), &read(&texts[1])).map(|m| m.to_string());
    Case {
        args: texts.to_vec(),
        result,
    }
}

/// A set and an operation on `n` dimensions from `first` on.
fn with_dims(rng: &mut Rng, t: DimType) -> Case {
    let a = set_text(rng);
    let set: Set = read(&a);
    let (first, n) = some_dims(rng, set.dim(t));
    let result = set.project_out(t, first, n, &budget()).map(|s| s.to_string());
    Case {
        args: vec![a, first.to_string(), n.to_string()],
        result,
    }
}

fn map_with_dims(rng: &mut Rng, t: DimType) -> Case {
    let params = params(rng);
    let shape = map_shape(rng, &params);
    let a = shape.formula(rng);
    let a = shape.text(&a);
    let map: Map = read(&a);
    let (first, n) = some_dims(rng, map.dim(t));
    let result = map.project_out(t, first, n, &budget()).map(|s| s.to_string());
    Case {
        args: vec![a, first.to_string(), n.to_string()],
        result,
    }
}

fn some_dims(rng: &mut Rng, dim: usize) -> (usize, usize) {
    let first = rng.below(dim + 1);
    (first, rng.below(dim - first + 1))
}

/// A set and an affine function on its space.
fn set_and_aff(rng: &mut Rng, f: fn(&Set, &Aff, &Budget) -> Res) -> Case {
    let shape = Shape::set(rng);
    let a = shape.formula(rng);
    let a = shape.text(&a);
    let aff = aff_text(rng, &shape, 1);
    let result = f(&read(&a), &read(&aff), &budget());
    Case {
        args: vec![a, aff],
        result,
    }
}

/// `n` random expressions on the space of a shape, as a function to an anonymous tuple.
fn aff_text(rng: &mut Rng, shape: &Shape, n: usize) -> String {
    function_text(rng, shape, "", n, false)
}

fn function_text(rng: &mut Rng, shape: &Shape, name: &str, n: usize, condition: bool) -> String {
    let names = shape.names();
    let exprs: Vec<String> = (0..n)
        .map(|_| format!("({})", Expr::random(rng, names.len()).text(&names)))
        .collect();
    let (tuple, dims) = &shape.tuples[0];
    let prefix = if shape.params.is_empty() {
        String::new()
    } else {
        format!("[{}] -> ", shape.params.join(", "))
    };
    let condition = if condition {
        let f = Formula::simple(rng, names.len(), shape.params.len());
        format!(" : {}", f.text(&names))
    } else {
        String::new()
    };
    format!(
        "{prefix}{{ {tuple}[{}] -> {name}[{}]{condition} }}",
        dims.join(", "),
        exprs.join(", ")
    )
}

/// A piecewise expression, made by our own operations from simple texts so that its pieces are disjoint.
fn pw_aff_text(rng: &mut Rng, shape: &Shape) -> Option<String> {
    let b = budget();
    let mut result: PwAff = read(&function_text(rng, shape, "", 1, true));
    for _ in 0..rng.below(2) {
        let other: PwAff = read(&function_text(rng, shape, "", 1, true));
        result = result.union_first(&other, &b).ok()?;
    }
    Some(result.to_string())
}

fn some_pw_aff(rng: &mut Rng, shape: &Shape) -> String {
    pw_aff_text(rng, shape).unwrap_or_else(|| function_text(rng, shape, "", 1, true))
}

fn unary_pw_aff(rng: &mut Rng, f: fn(&PwAff, &Budget) -> Res) -> Case {
    let shape = Shape::set(rng);
    let a = some_pw_aff(rng, &shape);
    let result = f(&read(&a), &budget());
    Case { args: vec![a], result }
}

fn binary_pw_aff(rng: &mut Rng, f: fn(&PwAff, &PwAff, &Budget) -> Res) -> Case {
    let shape = Shape::set(rng);
    let (a, b) = (some_pw_aff(rng, &shape), some_pw_aff(rng, &shape));
    let result = f(&read(&a), &read(&b), &budget());
    Case { args: vec![a, b], result }
}

fn pw_aff_and_number(rng: &mut Rng, low: i64, f: fn(&PwAff, &Int) -> Result<PwAff, Error>) -> Case {
    let shape = Shape::set(rng);
    let a = some_pw_aff(rng, &shape);
    let n = rng.between(low, 5);
    let result = f(&read(&a), &Int::from(n)).map(|x| x.to_string());
    Case {
        args: vec![a, n.to_string()],
        result,
    }
}

/// A union of sets `A[..]`, `B[..]`, `C[]`, some of them missing.
fn union_set_text(rng: &mut Rng, params: &[String], dims: &[usize]) -> String {
    let pieces = ["A", "B", "C"].iter().zip(dims).filter_map(|(name, &n)| {
        let shape = Shape {
            params: params.to_vec(),
            tuples: vec![((*name).to_string(), (0..n).map(|i| format!("i{i}")).collect())],
        };
        let f = shape.formula(rng);
        rng.chance(75).then(|| body(&shape.text(&f)))
    });
    union_text(params, &pieces.collect::<Vec<_>>())
}

fn union_map_text(rng: &mut Rng, params: &[String], from: &[(&str, usize)], to: &[(&str, usize)]) -> String {
    let mut pieces = Vec::new();
    for a in from {
        for b in to {
            if rng.chance(60) {
                let shape = Shape::map(params, *a, *b);
                let f = shape.formula(rng);
                pieces.push(body(&shape.text(&f)));
            }
        }
    }
    union_text(params, &pieces)
}

fn body(text: &str) -> String {
    let open = text.find('{').unwrap();
    text[open + 1..text.len() - 1].trim().to_string()
}

fn union_text(params: &[String], pieces: &[String]) -> String {
    let prefix = if params.is_empty() {
        String::new()
    } else {
        format!("[{}] -> ", params.join(", "))
    };
    format!("{prefix}{{ {} }}", pieces.join("; "))
}

fn binary_union_set(rng: &mut Rng, f: fn(&UnionSet, &UnionSet, &Budget) -> Res) -> Case {
    let params = params(rng);
    let dims = [1 + rng.below(2), 1, 0];
    let (a, b) = (union_set_text(rng, &params, &dims), union_set_text(rng, &params, &dims));
    let result = f(&read(&a), &read(&b), &budget());
    Case { args: vec![a, b], result }
}

fn unary_union_map(rng: &mut Rng, f: fn(&UnionMap, &Budget) -> Res) -> Case {
    let params = params(rng);
    let a = union_map_text(rng, &params, &[("A", 1), ("B", 2)], &[("A", 1), ("C", 1)]);
    let result = f(&read(&a), &budget());
    Case { args: vec![a], result }
}

fn binary_union_map(rng: &mut Rng, f: fn(&UnionMap, &UnionMap, &Budget) -> Res) -> Case {
    let params = params(rng);
    let a = union_map_text(rng, &params, &[("A", 1), ("B", 2)], &[("A", 1), ("C", 1)]);
    let b = union_map_text(rng, &params, &[("A", 1), ("C", 1)], &[("A", 1), ("C", 1)]);
    let result = f(&read(&a), &read(&b), &budget());
    Case { args: vec![a, b], result }
}

/// Two schedules of the same statements.
fn schedules(rng: &mut Rng, f: fn(&UnionMap, &UnionMap) -> Result<UnionMap, Error>) -> Case {
    let params = params(rng);
    let schedule = |rng: &mut Rng| {
        let pieces = [("A", 1), ("B", 2)].map(|(name, n)| {
            let shape = Shape {
                params: params.clone(),
                tuples: vec![(name.to_string(), (0..n).map(|i| format!("i{i}")).collect())],
            };
            body(&aff_text(rng, &shape, 2))
        });
        union_text(&params, &pieces)
    };
    let (a, b) = (schedule(rng), schedule(rng));
    let result = f(&read(&a), &read(&b)).map(|m| m.to_string());
    Case { args: vec![a, b], result }
}

fn text<T: std::fmt::Display>(x: Result<T, Error>) -> Res {
    x.map(|x| x.to_string())
}

/// Name in the server, and the generator.
pub(crate) const OPERATIONS: &[(&str, Make)] = &[
    ("set.parse", |r| unary_set(r, |a, _| Ok(a.to_string()))),
    ("set.intersect", |r| binary_set(r, |a, b, _| text(a.intersect(b)))),
    ("set.union", |r| binary_set(r, |a, b, _| text(a.union(b)))),
    ("set.subtract", |r| binary_set(r, |a, b, w| text(a.subtract(b, w)))),
    ("set.complement", |r| unary_set(r, |a, w| text(a.complement(w)))),
    ("set.project_out", |r| with_dims(r, DimType::Out)),
    ("set.project_out_param", |r| with_dims(r, DimType::Param)),
    ("set.lexmin", |r| unary_set(r, |a, w| text(a.lexmin(w)))),
    ("set.lexmax", |r| unary_set(r, |a, w| text(a.lexmax(w)))),
    ("set.lexmin_pw_multi_aff", |r| unary_set(r, |a, w| text(a.lexmin_pw_multi_aff(w)))),
    ("set.is_empty", |r| unary_set(r, |a, w| text(a.is_empty(w)))),
    ("set.is_subset", |r| binary_set(r, |a, b, w| text(a.is_subset(b, w)))),
    ("set.is_equal", |r| binary_set(r, |a, b, w| text(a.is_equal(b, w)))),
    ("set.is_disjoint", |r| binary_set(r, |a, b, w| text(a.is_disjoint(b, w)))),
    ("set.is_bounded", |r| unary_set(r, |a, w| text(a.is_bounded(w)))),
    ("set.coalesce", |r| unary_set(r, |a, w| text(a.coalesce(w)))),
    ("set.gist", |r| binary_set(r, |a, b, w| text(a.gist(b, w)))),
    ("set.simple_hull", |r| unary_set(r, |a, w| text(a.simple_hull(w)))),
    ("set.unshifted_simple_hull", |r| {
        unary_set(r, |a, w| text(a.unshifted_simple_hull(w)))
    }),
    ("set.compute_divs", |r| unary_set(r, |a, w| text(a.compute_divs(w)))),
    ("set.make_disjoint", |r| unary_set(r, |a, w| text(a.make_disjoint(w)))),
    ("set.params", |r| unary_set(r, |a, _| Ok(a.params().to_string()))),
    ("set.sample_point", |r| {
        unary_set(r, |a, w| a.sample_point(w).map(|p| p.map_or("none".to_string(), |p| p.to_string())))
    }),
    ("set.dim_max", |r| {
        let mut case = unary_set(r, |a, w| text(a.dim_max(0, w)));
        case.args.push("0".to_string());
        case
    }),
    ("set.dim_min", |r| {
        let mut case = unary_set(r, |a, w| text(a.dim_min(0, w)));
        case.args.push("0".to_string());
        case
    }),
    ("set.max_aff", |r| set_and_aff(r, |a, x, w| a.max_aff(x, w).map(optimum))),
    ("set.min_aff", |r| set_and_aff(r, |a, x, w| a.min_aff(x, w).map(optimum))),
    ("set.product", |r| binary_set(r, |a, b, _| text(a.product(b)))),
    ("set.apply", |r| {
        let params = params(r);
        let (n, m) = (1 + r.below(2), 1 + r.below(2));
        let shape = Shape {
            params: params.clone(),
            tuples: vec![("A".to_string(), (0..n).map(|i| format!("i{i}")).collect())],
        };
        let s = shape.formula(r);
        let s = shape.text(&s);
        let shape = Shape::map(&params, ("A", n), ("B", m));
        let m = shape.formula(r);
        let m = shape.text(&m);
        let result = text(read::<Set>(&s).apply(&read(&m)));
        Case { args: vec![s, m], result }
    }),
    ("set.card", |r| unary_set(r, |a, w| text(a.count(w)))),
    ("map.card", |r| unary_map(r, |a, w| text(a.count(w)))),
    ("set.preimage", |r| {
        let shape = Shape::set(r);
        let target = Shape {
            params: shape.params.clone(),
            tuples: vec![("T".to_string(), vec!["t0".to_string(), "t1".to_string()])],
        };
        let s = target.formula(r);
        let s = target.text(&s);
        let f = function_text(r, &shape, "T", 2, false);
        let result = text(read::<MultiAff>(&f).preimage(&read(&s)));
        Case { args: vec![s, f], result }
    }),
    ("map.parse", |r| unary_map(r, |a, _| Ok(a.to_string()))),
    ("map.reverse", |r| unary_map(r, |a, _| Ok(a.reverse().to_string()))),
    ("map.domain", |r| unary_map(r, |a, _| Ok(a.domain().to_string()))),
    ("map.range", |r| unary_map(r, |a, _| Ok(a.range().to_string()))),
    ("map.wrap", |r| unary_map(r, |a, _| Ok(a.wrap().to_string()))),
    ("map.domain_map", |r| unary_map(r, |a, _| text(a.domain_map()))),
    ("map.range_map", |r| unary_map(r, |a, _| text(a.range_map()))),
    ("map.intersect", |r| binary_map(r, |a, b, _| text(a.intersect(b)))),
    ("map.subtract", |r| binary_map(r, |a, b, w| text(a.subtract(b, w)))),
    ("map.lexmin", |r| unary_map(r, |a, w| text(a.lexmin(w)))),
    ("map.lexmax", |r| unary_map(r, |a, w| text(a.lexmax(w)))),
    ("map.lexmax_pw_multi_aff", |r| unary_map(r, |a, w| text(a.lexmax_pw_multi_aff(w)))),
    ("map.gist", |r| binary_map(r, |a, b, w| text(a.gist(b, w)))),
    ("map.is_subset", |r| binary_map(r, |a, b, w| text(a.is_subset(b, w)))),
    ("map.is_single_valued", |r| unary_map(r, |a, w| text(a.is_single_valued(w)))),
    ("map.is_injective", |r| unary_map(r, |a, w| text(a.is_injective(w)))),
    ("map.is_bijective", |r| unary_map(r, |a, w| text(a.is_bijective(w)))),
    ("map.project_out", |r| map_with_dims(r, DimType::Out)),
    ("map.project_out_in", |r| map_with_dims(r, DimType::In)),
    ("map.apply_range", |r| {
        related_maps(r, |_, m| [("B", m), ("C", 1)], Map::apply_range)
    }),
    ("map.apply_domain", |r| {
        related_maps(r, |n, _| [("A", n), ("C", 1)], Map::apply_domain)
    }),
    ("map.range_product", |r| {
        related_maps(r, |n, _| [("A", n), ("C", 1)], Map::range_product)
    }),
    ("map.flat_range_product", |r| {
        related_maps(r, |n, _| [("A", n), ("C", 1)], Map::flat_range_product)
    }),
    ("map.domain_product", |r| {
        related_maps(r, |_, m| [("C", 1), ("B", m)], Map::domain_product)
    }),
    ("map.deltas", |r| {
        let params = params(r);
        let n = 1 + r.below(2);
        let shape = Shape::map(&params, ("A", n), ("A", n));
        let a = shape.formula(r);
        let a = shape.text(&a);
        let result = text(read::<Map>(&a).deltas());
        Case { args: vec![a], result }
    }),
    ("uset.intersect", |r| binary_union_set(r, |a, b, _| text(a.intersect(b)))),
    ("uset.union", |r| binary_union_set(r, |a, b, _| text(a.union(b)))),
    ("uset.subtract", |r| binary_union_set(r, |a, b, w| text(a.subtract(b, w)))),
    ("uset.is_subset", |r| binary_union_set(r, |a, b, w| text(a.is_subset(b, w)))),
    ("umap.domain", |r| unary_union_map(r, |a, _| text(a.domain()))),
    ("umap.reverse", |r| unary_union_map(r, |a, _| text(a.reverse()))),
    ("umap.coalesce", |r| unary_union_map(r, |a, w| text(a.coalesce(w)))),
    ("umap.apply_range", |r| binary_union_map(r, |a, b, _| text(a.apply_range(b)))),
    ("umap.subtract", |r| binary_union_map(r, |a, b, w| text(a.subtract(b, w)))),
    ("umap.lex_lt", |r| schedules(r, UnionMap::lex_lt_union_map)),
    ("umap.lex_ge", |r| schedules(r, UnionMap::lex_ge_union_map)),
    ("pwaff.parse", |r| unary_pw_aff(r, |a, _| Ok(a.to_string()))),
    ("pwaff.add", |r| binary_pw_aff(r, |a, b, w| text(a.add(b, w)))),
    ("pwaff.sub", |r| binary_pw_aff(r, |a, b, w| text(a.sub(b, w)))),
    ("pwaff.min", |r| binary_pw_aff(r, |a, b, w| text(a.min(b, w)))),
    ("pwaff.max", |r| binary_pw_aff(r, |a, b, w| text(a.max(b, w)))),
    ("pwaff.union_add", |r| binary_pw_aff(r, |a, b, w| text(a.union_add(b, w)))),
    ("pwaff.union_min", |r| binary_pw_aff(r, |a, b, w| text(a.union_min(b, w)))),
    ("pwaff.union_max", |r| binary_pw_aff(r, |a, b, w| text(a.union_max(b, w)))),
    ("pwaff.eq_set", |r| binary_pw_aff(r, |a, b, w| text(a.eq_set(b, w)))),
    ("pwaff.ne_set", |r| binary_pw_aff(r, |a, b, w| text(a.ne_set(b, w)))),
    ("pwaff.le_set", |r| binary_pw_aff(r, |a, b, w| text(a.le_set(b, w)))),
    ("pwaff.gt_set", |r| binary_pw_aff(r, |a, b, w| text(a.gt_set(b, w)))),
    ("pwaff.neg", |r| unary_pw_aff(r, |a, _| text(a.neg()))),
    ("pwaff.coalesce", |r| unary_pw_aff(r, |a, w| text(a.coalesce(w)))),
    ("pwaff.domain", |r| unary_pw_aff(r, |a, _| Ok(a.domain().to_string()))),
    ("pwaff.scale", |r| pw_aff_and_number(r, -3, PwAff::scale)),
    ("pwaff.floor_div", |r| pw_aff_and_number(r, 1, PwAff::floor_div)),
    ("pwaff.mod", |r| pw_aff_and_number(r, 1, PwAff::mod_)),
    ("pwaff.pullback", |r| {
        let shape = Shape::set(r);
        let target = Shape {
            params: shape.params.clone(),
            tuples: vec![("T".to_string(), vec!["t0".to_string(), "t1".to_string()])],
        };
        let a = some_pw_aff(r, &target);
        let f = function_text(r, &shape, "T", 2, false);
        let result = text(read::<PwAff>(&a).pullback(&read(&f), &budget()));
        Case { args: vec![a, f], result }
    }),
    ("pwmultiaff.pullback", |r| {
        let shape = Shape::set(r);
        let target = Shape {
            params: shape.params.clone(),
            tuples: vec![("T".to_string(), vec!["t0".to_string()])],
        };
        let a = function_text(r, &target, "U", 2, true);
        let f = function_text(r, &shape, "T", 1, true);
        let result = text(read::<PwMultiAff>(&a).pullback_pw(&read(&f), &budget()));
        Case { args: vec![a, f], result }
    }),
    ("mupwaff.parse", |r| {
        let params = params(r);
        let member = |r: &mut Rng| {
            let pieces = [("A", 1), ("B", 2)].map(|(name, n)| {
                let shape = Shape {
                    params: params.clone(),
                    tuples: vec![(name.to_string(), (0..n).map(|i| format!("i{i}")).collect())],
                };
                body(&function_text(r, &shape, "", 1, true))
            });
            format!("{{ {} }}", pieces.join("; "))
        };
        let prefix = if params.is_empty() {
            String::new()
        } else {
            format!("[{}] -> ", params.join(", "))
        };
        let a = format!("{prefix}[{}, {}]", member(r), member(r));
        let result = Ok(read::<MultiUnionPwAff>(&a).to_string());
        Case { args: vec![a], result }
    }),
];

fn optimum(x: Optimum<Int>) -> String {
    match x {
        Optimum::Bounded(v) => v.to_string(),
        Optimum::Unbounded => "unbounded".to_string(),
        Optimum::Empty => "empty".to_string(),
    }
}
