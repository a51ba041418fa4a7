//! Texts: what is read has the right points, what is printed reads back, and what isl prints is understood.

use tilia_presburger::{Budget, Int, Point, Set};

use crate::formula::Shape;
use crate::functions::points;
use crate::isl::Isl;
use crate::rng::{Rng, operations, seed};

#[test]
fn formulas_are_read_and_printed_with_the_right_points() {
    let n = operations("TILIA_TEXT_ROUNDS", 300);
    let seed = seed();
    let b = &Budget::unlimited();
    let mut inside = 0;
    for i in 0..n {
        let rng = &mut Rng::new(seed.wrapping_add(i as u64));
        let shape = Shape::set(rng);
        let f = shape.formula(rng);
        let text = shape.text(&f);
        let set: Set = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        let printed = set.to_string();
        let again: Set = printed.parse().unwrap_or_else(|e| panic!("{printed}: {e}"));
        let n_param = shape.params.len();
        for x in points(n_param + shape.n_dim(), if n_param + shape.n_dim() > 3 { 1 } else { 3 }) {
            let ints = |v: &[i64]| v.iter().map(|&v| Int::from(v)).collect();
            let p = Point::new(set.space().clone(), ints(&x[..n_param]), ints(&x[n_param..]));
            let expected = f.eval(&x);
            inside += usize::from(expected);
            assert_eq!(set.contains(&p, b).unwrap(), expected, "#{i} {x:?}\n{text}\n{printed}");
            assert_eq!(
                again.contains(&p, b).unwrap(),
                expected,
                "#{i} {x:?}\n{text}\nprinted: {printed}\nread back: {again}"
            );
        }
    }
    assert!(inside > n, "the formulas have hardly any points");
}

#[test]
fn what_isl_prints_is_understood() {
    let n = operations("TILIA_TEXT_ROUNDS", 300);
    let seed = seed();
    let b = &Budget::unlimited();
    let mut isl = Isl::start();
    for i in 0..n {
        let rng = &mut Rng::new(seed.wrapping_add(500_000 + i as u64));
        let shape = Shape::set(rng);
        let f = shape.formula(rng);
        let text = shape.text(&f);
        let theirs = isl.print("set", &text);
        let set: Set = theirs.parse().unwrap_or_else(|e| panic!("{theirs}: {e}"));
        let ours: Set = text.parse().unwrap();
        assert!(set.is_equal(&ours, b).unwrap(), "#{i}\n{text}\nisl prints {theirs}");
    }
}
