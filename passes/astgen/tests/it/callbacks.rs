//! Expressions of a statement's dimensions, asked for while the code is made: data layouts.

use tilia_ast::{Expr, For, Node};
use tilia_astgen::{Callbacks, Error, Options, Place, generate_with};
use tilia_presburger::{Budget, PwAff};
use tilia_schedule::ScheduleTree;

/// Calls `A` with the values of functions instead of the instance's dimensions.
struct Layout {
    functions: Vec<PwAff>,
    loops: Vec<u32>,
}

impl Callbacks for Layout {
    fn statement(&mut self, at: &Place<'_>) -> Result<Option<Node>, Error> {
        if at.stmt().as_str() != "S" {
            return Ok(None);
        }
        let args: Vec<Expr> = self.functions.iter().map(|f| at.expr(f)).collect::<Result<_, _>>()?;
        Ok(Some(Node::User { stmt: "A".into(), args }))
    }

    fn loop_made(&mut self, made: For) -> Result<Node, Error> {
        self.loops.push(made.depth);
        Ok(Node::For(made))
    }
}

fn laid_out(tree: &str, functions: &[&str]) -> (String, Vec<u32>) {
    let tree: ScheduleTree = tree.parse().unwrap();
    let mut layout = Layout {
        functions: functions.iter().map(|f| f.parse().unwrap()).collect(),
        loops: Vec::new(),
    };
    let context = "{ : }".parse().unwrap();
    let (ast, _) = generate_with(&tree, &context, &Options::default(), &mut layout, &Budget::default()).unwrap();
    ast.verify().unwrap();
    (ast.to_string(), layout.loops)
}

const TILED: &str = "domain: \"[n] -> { S[i, j] : 0 <= i < 8n and 0 <= j < 8n; T[i] : 0 <= i < n }\"
child:
  sequence:
  - filter: \"{ S[i, j] }\"
    child:
      schedule: \"[{ S[i, j] -> [(floor(i/8))] }, { S[i, j] -> [(floor(j/8))] }]\"
      child:
        schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\"
  - filter: \"{ T[i] }\"
    child:
      schedule: \"[{ T[i] -> [(i)] }]\"
";

#[test]
fn a_tiled_layout_needs_no_division_in_tiled_loops() {
    let (text, loops) = laid_out(
        TILED,
        &[
            "{ S[i, j] -> [(floor(i/8))] }",
            "{ S[i, j] -> [(floor(j/8))] }",
            "{ S[i, j] -> [(i mod 8)] }",
            "{ S[i, j] -> [(j mod 8)] }",
        ],
    );
    assert!(
        text.contains("A(c0, c1, -8 * c0 + c2, -8 * c1 + c3);") || text.contains("A(c0, c1, c2 - 8 * c0, c3 - 8 * c1);"),
        "{text}"
    );
    assert!(text.contains("T(c0);"), "{text}");
    assert_eq!(loops, [3, 2, 1, 0, 0]);
}

#[test]
fn pieces_that_cannot_apply_are_left_out() {
    let piecewise = "{ S[i, j] -> [(2j)] : i < 0; S[i, j] -> [(i)] : i >= 0 }";
    let (text, _) = laid_out(TILED, &[piecewise]);
    assert!(text.contains("A(c2);"), "{text}");
    let (text, _) = laid_out(TILED, &["{ S[i, j] -> [(2j)] : j < i; S[i, j] -> [(i)] : j >= i }"]);
    assert!(text.contains("? 2 * c3 : c2"), "{text}");
}

#[test]
fn a_function_of_another_tuple_is_refused() {
    let tree: ScheduleTree = TILED.parse().unwrap();
    let mut layout = Layout {
        functions: vec!["{ S[i] -> [(i)] }".parse().unwrap()],
        loops: Vec::new(),
    };
    let context = "{ : }".parse().unwrap();
    let result = generate_with(&tree, &context, &Options::default(), &mut layout, &Budget::default());
    assert!(result.is_err());
}
