use crate::formula::Formula;
use crate::rounds;
use tilia_presburger::{Budget, Map};
#[test]
fn slow_lexmin() {
    rounds("slow", 6, |rng| {
        let f = Formula::random(rng, 4, true);
        let text = f.map_text(("A", "B"), 2);
        let m: Map = text.parse().unwrap();
        let b = Budget::new(5_000_000);
        let t = std::time::Instant::now();
        let r = m.lexmin(&b);
        let t1 = t.elapsed().as_millis();
        let n: usize = m
            .basic_maps()
            .iter()
            .map(|p| Map::from_basic_map(p).lexmin(&Budget::new(5_000_000)).map_or(999, |m| m.n_basic()))
            .sum();
        if t1 > 50 {
            println!(
                "{t1} ms, {} units, {:?} pieces, separately {n}: {text}",
                b.used(),
                r.map(|m| m.n_basic())
            );
        }
    });
}
