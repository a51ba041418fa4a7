//! The constraint grammar and what constraints mean for a program.

use tilia_strategy::{Code, Constraint, NewVariable, Place, ProgramShape};

fn variables() -> Vec<NewVariable> {
    let mut half = NewVariable::new("half");
    half.integer = false;
    vec![NewVariable::new("x"), NewVariable::new("y_2"), half]
}

fn shape() -> ProgramShape {
    ProgramShape {
        depths: vec![2, 3, 0],
        params: 2,
    }
}

/// What a constraint means, one linear constraint a line.
fn meaning(text: &str) -> Vec<String> {
    let constraint = Constraint::parse(text, &Place::default(), &variables()).unwrap_or_else(|e| panic!("{text}: {e}"));
    constraint
        .expand(&shape())
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn comparisons() {
    assert_eq!(meaning("S0_it_0 >= 1"), ["S0_it_0 - 1 >= 0"]);
    assert_eq!(meaning("S0_it_0 <= 1"), ["-S0_it_0 + 1 >= 0"]);
    assert_eq!(meaning("S0_it_0 > 1"), ["S0_it_0 - 2 >= 0"]);
    assert_eq!(meaning("S0_it_0 < 1"), ["-S0_it_0 >= 0"]);
    assert_eq!(meaning("S0_it_0 == 1"), ["S0_it_0 - 1 == 0"]);
    assert_eq!(meaning("S0_it_0 = S0_it_1"), ["S0_it_0 - S0_it_1 == 0"]);
}

#[test]
fn terms() {
    assert_eq!(
        meaning("2*S0_it_0 - S1_it_2*3 + 4 >= -x - 2 * 3"),
        ["2*S0_it_0 - 3*S1_it_2 + x + 10 >= 0"]
    );
    assert_eq!(meaning("S1_par_1+S1_cst>=y_2"), ["S1_par_1 + S1_cst - y_2 >= 0"]);
    assert_eq!(meaning("w + 2*u_0 <= 7"), ["-2*u_0 - w + 7 >= 0"]);
    // Terms of one unknown are one; those that cancel are gone.
    assert_eq!(meaning("x + x - 3*x + S0_it_0 >= S0_it_0"), ["-x >= 0"]);
    assert_eq!(meaning("x >= x"), ["0 >= 0"]);
}

#[test]
fn sums_and_each() {
    assert_eq!(meaning("S1_it_i <= 1"), ["-S1_it_0 - S1_it_1 - S1_it_2 + 1 >= 0"]);
    // A double sum is one constraint.
    assert_eq!(
        meaning("Si_it_i >= 1"),
        ["S0_it_0 + S0_it_1 + S1_it_0 + S1_it_1 + S1_it_2 - 1 >= 0"]
    );
    // Only one statement has an iterator 2.
    assert_eq!(meaning("Si_it_2 >= 1"), ["S1_it_2 - 1 >= 0"]);
    assert_eq!(meaning("S0_par_i <= 0"), ["-S0_par_0 - S0_par_1 >= 0"]);
    assert_eq!(meaning("Si_cst = 0"), ["S0_cst + S1_cst + S2_cst == 0"]);
    assert_eq!(meaning("u_i <= 0"), ["-u_0 - u_1 >= 0"]);
    // One constraint for each statement.
    assert_eq!(
        meaning("S*_it_i <= 1"),
        ["-S0_it_0 - S0_it_1 + 1 >= 0", "-S1_it_0 - S1_it_1 - S1_it_2 + 1 >= 0", "1 >= 0"]
    );
    assert_eq!(meaning("S*_it_1 <= x"), ["-S0_it_1 + x >= 0", "-S1_it_1 + x >= 0"]);
    assert_eq!(meaning("2*S*_it_2*1 <= x".replace("*1", "").as_str()), ["-2*S1_it_2 + x >= 0"]);
    assert_eq!(meaning("S*_cst >= S0_cst").len(), 3);
}

/// Each text isn't a constraint; the error is at the column, and says so.
#[test]
fn what_is_no_constraint() {
    let place = Place {
        line: 1,
        column: 1,
        ..Place::default()
    };
    for (text, column, says) in [
        ("", 1, "expected a number or a variable"),
        ("x", 2, "expected a comparison"),
        ("x >= ", 6, "found the end"),
        ("x >= 1 y_2", 8, "the end of the constraint"),
        ("x >= 1 >= 2", 8, "the end of the constraint"),
        ("x * y_2 >= 0", 1, "isn't affine"),
        ("x * * 2 >= 0", 5, "a number after '*'"),
        ("x >= 1.5", 7, "integers"),
        ("x >= 2x", 7, "2*x"),
        ("x >= 99999999999999999999", 6, "64 bits"),
        ("x != 1", 3, "comparison"),
        ("z >= 0", 1, "unknown variable 'z'"),
        ("S0_it >= 0", 1, "is no coefficient"),
        ("S0_it_x >= 0", 1, "is no coefficient"),
        ("S0_foo_1 >= 0", 1, "is no coefficient"),
        ("x + $ >= 0", 5, "found '$'"),
        ("x >= ä", 6, "found 'ä'"),
        ("half > 1", 6, "fraction"),
        ("(x) >= 0", 1, "found '('"),
    ] {
        let error = Constraint::parse(text, &place, &variables()).expect_err(text);
        assert_eq!(error.code, Code::BadConstraint, "{text}");
        assert_eq!(error.place.column, column, "{text}: {error}");
        assert!(error.message.contains(says), "{text}: {error}");
    }
}

#[test]
fn what_a_program_lacks() {
    for (text, code) in [
        ("S3_it_0 >= 0", Code::UnknownStatement),
        ("S0_it_2 >= 0", Code::UnknownIndex),
        ("S2_it_0 >= 0", Code::UnknownIndex),
        ("S0_par_2 >= 0", Code::UnknownIndex),
        ("u_2 >= 0", Code::UnknownIndex),
        ("S*_it_3 >= 0", Code::UnknownIndex),
        ("S*_par_9 >= 0", Code::UnknownIndex),
    ] {
        let constraint = Constraint::parse(text, &Place::default(), &[]).unwrap();
        let error = constraint.expand(&shape()).expect_err(text);
        assert_eq!(error.code, code, "{text}: {error}");
        assert!(error.message.contains(text), "{error}");
    }
    // Even the largest index is only an index.
    let absurd = Constraint::parse("S18446744073709551615_it_18446744073709551615 >= 0", &Place::default(), &[]).unwrap();
    assert_eq!(absurd.expand(&shape()).unwrap_err().code, Code::UnknownStatement);
}
