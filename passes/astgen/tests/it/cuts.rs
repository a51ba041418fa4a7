//! Loops that are cut where statements begin and end: no conditions where that copies little, and no end of copies where it would copy much.

use crate::check::checked;

/// `n` statements in a nest of three loops, each of which begins and ends an iteration later than the one before, in each loop.
fn shifted(n: usize) -> String {
    let list = |one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<Vec<_>>().join("; ");
    let domain = list(&|s| format!("S{s}[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n"));
    let member = |d: &str| format!("{{ {} }}", list(&|s| format!("S{s}[i, j, k] -> [({d} + {s})]")));
    let filters = (0..n).map(|s| format!("  - filter: \"{{ S{s}[i, j, k] }}\"\n"));
    format!(
        "domain: \"[n] -> {{ {domain} }}\"\nchild:\n  schedule: \"[{}, {}, {}]\"\n  child:\n    sequence:\n{}",
        member("i"),
        member("j"),
        member("k"),
        filters.map(|l| format!("  {l}")).collect::<String>()
    )
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn few_statements_in_three_loops_need_no_conditions() {
    let code = checked(&shifted(2), "[n] -> { : n >= 2 }", 6);
    assert_eq!(count(&code, "if ("), 0, "{code}");
    assert_eq!(count(&code, "S0("), 4, "{code}");
}

#[test]
fn many_statements_are_copied_less_often() {
    let code = checked(&shifted(6), "[n] -> { : n >= 6 }", 7);
    assert!(count(&code, "if (") > 0, "{code}");
    assert!(count(&code, "S3(") <= 8, "{code}");
}
