//! Edits keep the meaning they promise, or are refused.

use tilia_presburger::{Budget, Int, UnionMap, UnionPwAff, UnionSet};
use tilia_schedule::{Edited, Error, Member, Node, Path, ScheduleTree, TileForm};

const SQUARE: &str = "domain: \"{ S[i, j] : 0 <= i < 6 and 0 <= j < 6 }\"\nchild:\n  schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\"\n  names: [ i, j ]\n  permutable: 1\n  coincident: [ 1, 1 ]\n";
const TWO: &str = "domain: \"{ A[i] : 0 <= i < 10; B[i] : 0 <= i < 10 }\"\nchild:\n  schedule: \"[{ A[i] -> [(i)]; B[i] -> [(i)] }]\"\n";

fn tree(t: &str) -> ScheduleTree {
    t.parse().unwrap()
}

fn at(p: &[usize]) -> Path {
    Path(p.to_vec())
}

fn b() -> Budget {
    Budget::default()
}

fn ints(v: &[i64]) -> Vec<Int> {
    v.iter().map(|&x| Int::from(x)).collect()
}

/// The tree is right and flattens to the map.
fn flat(t: &ScheduleTree, want: &str) {
    assert_eq!(t.verify(&b()).unwrap(), [], "{t}");
    let want: UnionMap = want.parse().unwrap();
    let got = t.to_union_map(&b()).unwrap();
    assert!(got.is_equal(&want, &b()).unwrap(), "{got}\n{want}");
}

fn refused(r: Result<Edited, Error>) -> String {
    match r {
        Err(e @ Error::Refused { .. }) => e.to_string(),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn the_four_forms_of_tiling() {
    let bound = "0 <= i < 6 and 0 <= j < 6";
    for (scale, shift, want) in [
        (false, false, "floor(i/4), floor(j/3), i, j"),
        (false, true, "floor(i/4), floor(j/3), i mod 4, j mod 3"),
        (true, false, "i - i mod 4, j - j mod 3, i, j"),
        (true, true, "i - i mod 4, j - j mod 3, i mod 4, j mod 3"),
    ] {
        let e = tree(SQUARE)
            .tile_band(&at(&[0]), &ints(&[4, 3]), TileForm { scale, shift })
            .unwrap();
        flat(&e.tree, &format!("{{ S[i, j] -> [{want}] : {bound} }}"));
        let tile = e.tree.node(&e.at).unwrap().as_band().unwrap();
        assert!(tile.permutable && tile.members.iter().all(|m| m.coincident));
        assert_eq!(tile.members[0].name.as_ref().unwrap().as_str(), "i_t");
        assert!(e.tree.node(&e.at.child(0)).unwrap().as_band().unwrap().permutable);
    }
    assert!(refused(tree(SQUARE).tile_band(&at(&[0]), &ints(&[4]), TileForm::default())).contains("1 sizes for 2 members"));
    assert!(refused(tree(SQUARE).tile_band(&at(&[0]), &ints(&[4, 0]), TileForm::default())).contains("isn't positive"));
    assert!(refused(tree(SQUARE).tile_band(&at(&[0, 0]), &ints(&[4, 4]), TileForm::default())).contains("a leaf is no band"));
}

#[test]
fn anchored_subtrees_are_not_tiled() {
    let t = tree(crate::text::ALL);
    let r = refused(t.tile_band(&at(&[0, 0, 0, 0]), &ints(&[2]), TileForm::default()));
    assert!(r.contains("mentions the values of outer bands"), "{r}");
}

#[test]
fn split_and_fuse_are_inverse() {
    let old = tree(SQUARE);
    let split = old.split_band(&at(&[0]), 1, &b()).unwrap();
    flat(&split.tree, "{ S[i, j] -> [i, j] : 0 <= i < 6 and 0 <= j < 6 }");
    assert_eq!(split.tree.schedule_depth(&at(&[0, 0])).unwrap(), 1);
    let fused = split.tree.fuse_band(&at(&[0]), true).unwrap();
    let band = fused.tree.node(&at(&[0])).unwrap().as_band().unwrap();
    assert_eq!(band.len(), 2);
    // What the inner member promised, it promised for equal values of the outer one.
    assert!(band.members[0].coincident && !band.members[1].coincident);
    assert!(refused(old.split_band(&at(&[0]), 3, &b())).contains("only 2 members"));
    assert!(refused(old.fuse_band(&at(&[0]), true)).contains("a leaf stands below"));
}

#[test]
fn splitting_divides_the_isolate_option() {
    let t = SQUARE.replace(
        "  coincident",
        "  options: \"{ isolate[[] -> [a, c]] : 0 <= a <= c < 4 }\"\n  coincident",
    );
    // Options come last in the text.
    let t = t.replace(
        "  options: \"{ isolate[[] -> [a, c]] : 0 <= a <= c < 4 }\"\n  coincident: [ 1, 1 ]\n",
        "  coincident: [ 1, 1 ]\n  options: \"{ isolate[[] -> [a, c]] : 0 <= a <= c < 4 }\"\n",
    );
    let e = tree(&t).split_band(&at(&[0]), 1, &b()).unwrap();
    assert_eq!(e.tree.verify(&b()).unwrap(), []);
    let outer = e.tree.node(&at(&[0])).unwrap().as_band().unwrap().isolate.clone().unwrap();
    let inner = e.tree.node(&at(&[0, 0])).unwrap().as_band().unwrap().isolate.clone().unwrap();
    let same = |m: &tilia_presburger::Map, t: &str| m.is_equal(&t.parse().unwrap(), &b()).unwrap();
    assert!(same(&outer, "{ [] -> [a] : 0 <= a <= 3 }"), "{outer}");
    assert!(same(&inner, "{ [a] -> [c] : 0 <= a <= c < 4 }"), "{inner}");
}

#[test]
fn members_change() {
    let t = tree(SQUARE);
    let bound = "0 <= i < 6 and 0 <= j < 6";
    flat(
        &t.scale_band(&at(&[0]), &ints(&[2, -1])).unwrap().tree,
        &format!("{{ S[i, j] -> [2i, -j] : {bound} }}"),
    );
    flat(
        &t.scale_down_band(&at(&[0]), &ints(&[2, 3])).unwrap().tree,
        &format!("{{ S[i, j] -> [floor(i/2), floor(j/3)] : {bound} }}"),
    );
    flat(
        &t.mod_band(&at(&[0]), &ints(&[2, 3])).unwrap().tree,
        &format!("{{ S[i, j] -> [i mod 2, j mod 3] : {bound} }}"),
    );
    flat(
        &t.reorder_band(&at(&[0]), &[1, 0]).unwrap().tree,
        &format!("{{ S[i, j] -> [j, i] : {bound} }}"),
    );
    let by: Vec<UnionPwAff> = ["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(3)] }"]
        .iter()
        .map(|t| t.parse().unwrap())
        .collect();
    let shifted = t.shift_band(&at(&[0]), &by, &b()).unwrap();
    flat(&shifted.tree, &format!("{{ S[i, j] -> [2i, j + 3] : {bound} }}"));
    let band = shifted.tree.node(&at(&[0])).unwrap().as_band().unwrap();
    assert!(!band.permutable && !band.members[0].coincident);
    assert!(
        !t.scale_band(&at(&[0]), &ints(&[2, -1]))
            .unwrap()
            .tree
            .node(&at(&[0]))
            .unwrap()
            .as_band()
            .unwrap()
            .permutable
    );
    assert!(refused(t.scale_band(&at(&[0]), &ints(&[0, 1]))).contains("0 isn't allowed"));
    assert!(refused(t.reorder_band(&at(&[0]), &[0, 0])).contains("no permutation"));
}

#[test]
fn sinking_a_band() {
    let t = format!("{TWO}  child:\n    sequence:\n    - filter: \"{{ A[i] }}\"\n    - filter: \"{{ B[i] }}\"\n");
    let e = tree(&t).sink_band(&at(&[0]), &b()).unwrap();
    flat(&e.tree, "{ A[i] -> [0, i] : 0 <= i < 10; B[i] -> [1, i] : 0 <= i < 10 }");
}

#[test]
fn ordering_and_grafting() {
    let only_b: UnionSet = "{ B[i] }".parse().unwrap();
    let e = tree(TWO).order_before(&at(&[0, 0]), &only_b, &b()).unwrap();
    flat(&e.tree, "{ A[i] -> [i, 1] : 0 <= i < 10; B[i] -> [i, 0] : 0 <= i < 10 }");
    let e = tree(TWO).order_after(&at(&[0]), &only_b, &b()).unwrap();
    flat(&e.tree, "{ A[i] -> [0, i] : 0 <= i < 10; B[i] -> [1, i] : 0 <= i < 10 }");
    let unchanged = tree(TWO).order_before(&at(&[0]), &"{ Q[] }".parse().unwrap(), &b()).unwrap();
    assert_eq!(unchanged.tree, tree(TWO));
    let added: UnionMap = "{ [i0] -> C[i0] : 0 <= i0 < 10 }".parse().unwrap();
    let e = tree(TWO).graft_before(&at(&[0, 0]), &added, &Node::leaf(), &b()).unwrap();
    assert_eq!(e.tree.verify(&b()).unwrap(), []);
    let text = e.tree.to_string();
    let (c, a) = (text.find("filter: \"{ C").unwrap(), text.find("filter: \"{ A").unwrap());
    assert!(c < a, "{text}");
    let again: UnionMap = "{ [i0] -> A[i0] : 0 <= i0 < 10 }".parse().unwrap();
    assert!(refused(tree(TWO).graft_before(&at(&[0, 0]), &again, &Node::leaf(), &b())).contains("there already"));
}

#[test]
fn sequences() {
    let halves = |x: &str, y: &str| -> Vec<UnionSet> { [x, y].iter().map(|t| t.parse().unwrap()).collect() };
    let (low, high) = ("{ A[i] : i < 5; B[i] }", "{ A[i] : i >= 5 }");
    let e = tree(TWO).insert_sequence(&at(&[0]), &halves(low, high), &b()).unwrap();
    flat(
        &e.tree,
        "{ A[i] -> [0, i] : 0 <= i < 5; A[i] -> [1, i] : 5 <= i < 10; B[i] -> [0, i] : 0 <= i < 10 }",
    );
    // The second child only knows A.
    let band = e.tree.node(&at(&[0, 1, 0])).unwrap().as_band().unwrap().clone();
    assert_eq!(band.members[0].func.pw_affs().len(), 1);
    let r = e.tree.reorder_sequence(&at(&[0]), &[1, 0]).unwrap();
    flat(
        &r.tree,
        "{ A[i] -> [1, i] : 0 <= i < 5; A[i] -> [0, i] : 5 <= i < 10; B[i] -> [1, i] : 0 <= i < 10 }",
    );
    assert!(
        refused(tree(TWO).insert_sequence(&at(&[0]), &halves("{ A[i] : i < 5; B[i] }", "{ A[i] : i > 5 }"), &b()))
            .contains("no filter has")
    );
    assert!(refused(tree(TWO).insert_sequence(&at(&[0]), &halves("{ A[i]; B[i] }", "{ A[i] : i > 5 }"), &b())).contains("overlaps"));
    let inner = e.tree.order_before(&at(&[0, 0, 0]), &"{ B[i] }".parse().unwrap(), &b()).unwrap();
    let spliced = inner.tree.splice_child(&at(&[0]), 0).unwrap();
    assert_eq!(spliced.tree.node(&at(&[0])).unwrap().children().len(), 3);
    flat(
        &spliced.tree,
        "{ A[i] -> [1, i] : 0 <= i < 5; A[i] -> [2, i] : 5 <= i < 10; B[i] -> [0, i] : 0 <= i < 10 }",
    );
}

#[test]
fn a_domain_that_shrinks_drops_what_is_unreachable() {
    let t = tree(TWO)
        .order_before(&at(&[0, 0]), &"{ B[i] }".parse().unwrap(), &b())
        .unwrap()
        .tree;
    let e = t.intersect_domain(&"{ A[i] : i > 7 }".parse().unwrap(), &b()).unwrap();
    flat(&e.tree, "{ A[i] -> [i] : 8 <= i < 10 }");
    assert!(e.tree.node(&at(&[0, 0])).unwrap().is_leaf());
}

#[test]
fn inserting_and_deleting() {
    let t = format!("{TWO}  child:\n    sequence:\n    - filter: \"{{ A[i] }}\"\n    - filter: \"{{ B[i] }}\"\n");
    let t = tree(&t);
    let band = tree(TWO).node(&at(&[0])).unwrap().as_band().unwrap().clone();
    // Between a sequence and its filter nothing can stand.
    assert!(refused(t.insert_band(&at(&[0, 0, 1]), band.clone())).contains("between a sequence or set and its filter"));
    assert!(refused(t.insert_mark(&at(&[]), "m")).contains("above the root"));
    assert!(refused(t.delete(&at(&[0, 0, 1]))).contains("partition"));
    assert!(refused(t.delete(&at(&[0, 0]))).contains("can't be removed"));
    let marked = t.insert_mark(&at(&[0, 0]), "m").unwrap();
    assert_eq!(marked.tree.delete(&marked.at).unwrap().tree, t);
    let cut = t.cut(&at(&[0, 0])).unwrap();
    assert_eq!(cut.tree, tree(TWO));
    let filtered = t.insert_filter(&at(&[0, 0, 1]), &"{ B[i] : i < 20 }".parse().unwrap()).unwrap();
    assert_eq!(filtered.tree.verify(&b()).unwrap(), []);
    let mut short = band;
    short.members = vec![Member::new(short.members[0].func.neg().unwrap())];
    let e = t.insert_band(&at(&[0]), short).unwrap();
    flat(&e.tree, "{ A[i] -> [-i, i, 0] : 0 <= i < 10; B[i] -> [-i, i, 1] : 0 <= i < 10 }");
}

#[test]
fn grouping_keeps_the_order() {
    let b = b();
    let e = tree(TWO).group(&at(&[0, 0]), "G", &b).unwrap();
    assert_eq!(e.tree.node(&e.at).unwrap().kind().name(), "expansion");
    assert!(
        e.tree
            .domain()
            .unwrap()
            .is_equal(&"{ G[i] : 0 <= i < 10 }".parse().unwrap(), &b)
            .unwrap(),
        "{}",
        e.tree
    );
    flat(&e.tree, "{ A[i] -> [i] : 0 <= i < 10; B[i] -> [i] : 0 <= i < 10 }");
    // Below a sequence only the instances of that child are grouped.
    let ordered = tree(TWO).order_before(&at(&[0, 0]), &"{ B[i] }".parse().unwrap(), &b).unwrap().tree;
    let e = ordered.group(&at(&[0, 0, 0, 0]), "G", &b).unwrap();
    flat(&e.tree, "{ B[i] -> [i, 0] : 0 <= i < 10; A[i] -> [i, 1] : 0 <= i < 10 }");
    assert!(refused(e.tree.group(&at(&[0, 0, 1, 0]), "G", &b)).contains("there are instances G already"));
    assert!(refused(ordered.group(&at(&[0, 0, 0]), "G", &b)).contains("between a sequence or set and its filter"));
    assert!(refused(ordered.group(&at(&[]), "G", &b)).contains("the root"));
}
