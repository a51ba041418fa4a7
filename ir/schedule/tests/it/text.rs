//! The text form.

use tilia_schedule::{LoopType, ScheduleTree};

pub(crate) const GEMM: &str = r#"domain: "[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n; S1[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n }"
child:
  schedule: "[n] -> i[{ S0[i, j] -> [(i)]; S1[i, j, k] -> [(i)] }]"
  permutable: 1
  coincident: [ 1 ]
  child:
    mark: "tile"
    child:
      sequence:
      - filter: "{ S0[i, j] }"
        child:
          schedule: "[n] -> [{ S0[i, j] -> [(j)] }]"
      - filter: "{ S1[i, j, k] }"
        child:
          schedule: "[n] -> [{ S1[i, j, k] -> [(j)] }, { S1[i, j, k] -> [(k)] }]"
          names: [ j, k ]
          coincident: [ 1, 0 ]
          options: "[n] -> { isolate[[i0] -> [i1, i2]] : 0 <= i1 < n; separate[0]; unroll[1]; [isolate[] -> atomic[1]] }"
"#;

/// Every kind of node.
pub(crate) const ALL: &str = r#"domain: "{ A[i] : 0 <= i < 10; G[i] : 0 <= i < 3 }"
child:
  context: "[p] -> { [] : p >= 4 }"
  child:
    set:
    - filter: "{ A[i] }"
      child:
        schedule: "[{ A[i] -> [(i)] }]"
        child:
          guard: "[p] -> { [i0] : p >= i0 }"
          child:
            extension: "{ [i0] -> C[i0] : 0 <= i0 < 10 }"
            child:
              sequence:
              - filter: "{ C[i0] }"
              - filter: "{ A[i] }"
    - filter: "{ G[i] }"
      child:
        schedule: "[{ G[i] -> [(i)] }]"
        child:
          contraction: "{ X[i] -> G[i]; Y[i] -> G[i] }"
          expansion: "{ G[i] -> X[i]; G[i] -> Y[i] }"
          child:
            filter: "{ X[i]; Y[i] }"
            child:
              sequence:
              - filter: "{ Y[i] }"
              - filter: "{ X[i] }"
"#;

#[test]
fn round_trips() {
    for t in [GEMM, ALL] {
        let tree: ScheduleTree = t.parse().unwrap();
        let text = tree.to_string();
        let again: ScheduleTree = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again, tree, "{text}");
        assert_eq!(again.to_string(), text);
    }
}

#[test]
fn options_and_flags_are_read() {
    let tree: ScheduleTree = GEMM.parse().unwrap();
    let at = tilia_schedule::Path(vec![0, 0, 0, 1, 0]);
    let band = tree.node(&at).unwrap().as_band().unwrap();
    assert_eq!(band.members[0].loop_type, LoopType::Separate);
    assert_eq!(band.members[1].loop_type, LoopType::Unroll);
    assert_eq!(band.members[1].isolated_loop_type, LoopType::Atomic);
    assert_eq!(band.members[0].name.as_ref().unwrap().as_str(), "j");
    assert!(band.members[0].coincident && !band.members[1].coincident && !band.permutable);
    assert_eq!(band.isolate.as_ref().unwrap().dim(tilia_presburger::DimType::Out), 2);
    let all = GEMM.replace("separate[0]; unroll[1]", "atomic[x]");
    let tree: ScheduleTree = all.parse().unwrap();
    let band = tree.node(&at).unwrap().as_band().unwrap();
    assert!(band.members.iter().all(|m| m.loop_type == LoopType::Atomic));
}

#[test]
fn flow_style_is_the_same() {
    let block: ScheduleTree = "domain: \"{ A[i] : 0 <= i < 9; B[] }\"\nchild:\n  sequence:\n  - filter: \"{ A[i] }\"\n    child:\n      schedule: \"[{ A[i] -> [(i)] }]\"\n      permutable: 1\n  - filter: \"{ B[] }\"\n"
        .parse()
        .unwrap();
    let flow = r#"{ domain: "{ A[i] : 0 <= i < 9; B[] }", child: { sequence: [ { filter: "{ A[i] }",
        child: { schedule: "[{ A[i] -> [(i)] }]", permutable: 1 } }, { filter: "{ B[] }" } ] } }"#;
    assert_eq!(flow.parse::<ScheduleTree>().unwrap(), block);
    let json = flow.replace("domain:", "\"domain\":").replace("child:", "\"child\":");
    assert_eq!(json.parse::<ScheduleTree>().unwrap(), block);
    let mixed = "# a comment\n\ndomain: '{ A[i] : 0 <= i < 9; B[] }' # behind a value\nchild: { sequence: [ { filter: \"{ A[i] }\", child: { schedule: \"[{ A[i] -> [(i)] }]\", permutable: 1 } }, { filter: \"{ B[] }\" } ] }\n";
    assert_eq!(mixed.parse::<ScheduleTree>().unwrap(), block);
}

fn error(text: &str) -> String {
    text.parse::<ScheduleTree>().unwrap_err().to_string()
}

#[test]
fn mistakes_are_located() {
    let cases = [
        ("", "1:1: a value is missing"),
        ("domain: \"{ A[i] \"", "1:"),
        ("domain: \"{ A[i] }\"\nchildren: 3\n", "2:1: the key `children` doesn't belong here"),
        ("domain: \"{ A[] }\"\ndomain: \"{ A[] }\"\n", "2:1: the key `domain` is repeated"),
        (
            "schedule: \"[{ A[] -> [(0)] }]\"\n",
            "1:1: the root of a tree must have the key `domain` or `extension`",
        ),
        ("domain: \"{ A[] }\"\nchild:\n", "2:1: `child` has no value"),
        (
            "domain: \"{ A[] }\"\nchild:\n\tmark: \"x\"\n",
            "3:1: a tab can't indent: use spaces",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  mark: \"x\"\n    child:\n",
            "4:5: indented further than the map that it would belong to",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  sequence:\n  - mark: \"x\"\n",
            "4:5: a child of a sequence must be a filter, not a mark",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  sequence: [ ]\n",
            "3:13: a sequence needs at least one child",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  domain: \"{ A[] }\"\n",
            "3:3: a domain can only be the root",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  schedule: \"[{ A[] -> [(0)] }]\"\n  permutable: yes\n",
            "4:15: expected 0 or 1, not `yes`",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  schedule: \"[{ A[] -> [(0)] }]\"\n  coincident: [ 1, 1 ]\n",
            "4:15: expected a list of 1, one for each member",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  schedule: \"[{ A[] -> [(0)] }]\"\n  options: \"{ jam[0] }\"\n",
            "4:13: unknown option jam[",
        ),
        (
            "domain: \"{ A[] }\"\nchild:\n  contraction: \"{ A[] -> A[] }\"\n",
            "3:3: a `contraction` needs its `expansion`",
        ),
        ("domain: \"{ A[] }\" x\n", "1:19: `x` behind a value"),
        ("domain: \"{ A[] }\n", "1:9: the quote isn't closed"),
    ];
    for (text, want) in cases {
        let got = error(text);
        assert!(got.starts_with(want), "{text:?}: {got}");
    }
    // The place of a mistake inside a set is its own.
    let e = "domain: \"{ A[i] : 0 <= q < 3 }\"\n".parse::<ScheduleTree>().unwrap_err();
    assert_eq!(e.line_column(), Some((1, 24)), "{e}");
}

#[test]
fn hostile_text_is_refused() {
    let deep = format!("domain: \"{{ A[] }}\"\nchild: {}", "{ mark: x, child: ".repeat(5000));
    assert!(error(&deep).contains("nested more than"));
    let lists = "[".repeat(100_000);
    assert!(error(&format!("domain: {lists}")).contains("nested more than"));
    let mut block = String::from("domain: \"{ A[] }\"\n");
    for i in 0..3000 {
        let (a, c) = (" ".repeat(2 * i), " ".repeat(2 * i + 2));
        block.push_str(&format!("{a}child:\n{c}mark: \"m\"\n"));
    }
    assert!(error(&block).contains("nested more than") || error(&block).contains("nodes deep"));
    for cut in 0..GEMM.len() {
        let part = &GEMM[..cut];
        // A prefix is read or refused; it must not panic.
        let _ = part.parse::<ScheduleTree>();
    }
}
