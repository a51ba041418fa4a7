//! Worked answers.

use crate::check::checked;

const NONE: &str = "{ : }";

#[test]
fn w1_atomic() {
    let t = r#"
domain: "{ a[i] : 0 <= i < 10; b[i] : 0 <= i < 10 }"
child:
  schedule: "[{ a[i] -> [(i)]; b[i] -> [(1 + i)] }]"
  options: "{ atomic[0] }"
"#;
    println!("{}", checked(t, NONE, 0));
}

#[test]
fn w1_separate() {
    let t = r#"
domain: "{ a[i] : 0 <= i < 10; b[i] : 0 <= i < 10 }"
child:
  schedule: "[{ a[i] -> [(i)]; b[i] -> [(1 + i)] }]"
  options: "{ separate[0] }"
"#;
    println!("{}", checked(t, NONE, 0));
}

fn w2(option: &str) -> String {
    let t = format!(
        r#"
domain: "[n, m] -> {{ A[i] : 0 <= i < n; B[i] : 1 <= i < m }}"
child:
  schedule: "[n, m] -> [{{ A[i] -> [(i)]; B[i] -> [(i)] }}]"
  {option}
"#
    );
    checked(&t, NONE, 5)
}

#[test]
fn w2_default() {
    println!("{}", w2(""));
}

#[test]
fn w2_separate() {
    println!("{}", w2("options: \"{ separate[0] }\""));
}

#[test]
fn w2_atomic() {
    println!("{}", w2("options: \"{ atomic[0] }\""));
}

#[test]
fn w3_components() {
    let t = r#"
domain: "{ A[]; B[i] : 0 <= i < 10 }"
child:
  schedule: "[{ A[] -> [(0)]; B[i] -> [(i)] }]"
"#;
    println!("{}", checked(t, NONE, 0));
}

#[test]
fn w4_skew() {
    let t = r#"
domain: "[n] -> { A[i, j] : 0 <= i < n and 0 <= j < n }"
child:
  schedule: "[n] -> [{ A[i, j] -> [(i + j)] }, { A[i, j] -> [(j)] }]"
"#;
    println!("{}", checked(t, NONE, 5));
}

#[test]
fn w7_common_step() {
    let t = r#"
domain: "{ A[i, j, k] : i = 2j and 0 <= j < 5 and 0 <= k < 3; B[i, j, k] : i = 2j and 0 <= j < 5 and 0 <= k < 3 }"
child:
  schedule: "[{ A[i, j, k] -> [(i)]; B[i, j, k] -> [(i)] }, { A[i, j, k] -> [(0)]; B[i, j, k] -> [(1)] }, { A[i, j, k] -> [(j)]; B[i, j, k] -> [(k)] }, { A[i, j, k] -> [(k)]; B[i, j, k] -> [(j)] }]"
"#;
    println!("{}", checked(t, NONE, 0));
}

fn one(domain: &str, member: &str, rest: &str) -> String {
    format!("domain: \"{domain}\"\nchild:\n  schedule: \"{member}\"\n{rest}")
}

#[test]
fn unrolling() {
    let u = "  options: \"{ unroll[0] }\"\n";

    println!(
        "U2 {}",
        checked(
            &one("[n] -> { A[i] : n <= i < n + 6 and i mod 2 = 0 }", "[n] -> [{ A[i] -> [(i)] }]", u),
            NONE,
            5
        )
    );
    println!(
        "U3 {}",
        checked(
            &one("[n, m] -> { A[i] : n <= i < m and i < n + 3 }", "[n, m] -> [{ A[i] -> [(i)] }]", u),
            NONE,
            5
        )
    );
    println!(
        "U4 {}",
        checked(
            &one(
                "[n, m] -> { A[i] : i >= n and i >= m and i < n + 4 and i < m + 4 }",
                "[n, m] -> [{ A[i] -> [(i)] }]",
                u
            ),
            NONE,
            5
        )
    );
    let strip = "[n] -> [{ A[i] -> [(4*floor(i/4))] }, { A[i] -> [(i)] }]";
    println!(
        "U5 {}",
        checked(
            &one("[n] -> { A[i] : 0 <= i < n }", strip, "  options: \"{ unroll[1] }\"\n"),
            NONE,
            9
        )
    );
    println!(
        "U6 {}",
        checked(
            &one(
                "[n] -> { A[i] : 0 <= i < n }",
                strip,
                "  options: \"[n] -> { isolate[[] -> [a, b]] : a + 3 < n; unroll[1]; [isolate[] -> unroll[1]] }\"\n"
            ),
            NONE,
            9
        )
    );
    println!(
        "U8 {}",
        checked(
            &one(
                "[n] -> { A[i] : 0 <= i < n }",
                strip,
                "  options: \"[n] -> { isolate[[] -> [a, b]] : a + 3 < n; [isolate[] -> unroll[1]] }\"\n"
            ),
            NONE,
            9
        )
    );
}

#[test]
fn isolation() {
    let t = r#"
domain: "{ A[i, j] : 0 <= i and 0 <= j and i + j <= 100 }"
child:
  schedule: "[{ A[i, j] -> [(floor(i/10))] }, { A[i, j] -> [(floor(j/10))] }]"
  options: "{ isolate[[] -> [a, b]] : 10a >= 0 and 10b >= 0 and 10a + 10b + 18 <= 100 }"
  child:
    schedule: "[{ A[i, j] -> [(i)] }, { A[i, j] -> [(j)] }]"
"#;
    println!("I1 {}", checked(t, NONE, 0));
    let t = one(
        "{ A[i] : 0 <= i < 100 }",
        "[{ A[i] -> [(3i)] }]",
        "  options: \"{ isolate[[] -> [x]] : 10 <= x <= 20 }\"\n",
    );
    println!("I2 {}", checked(&t, NONE, 0));
}

#[test]
fn residues() {
    let id = "[n] -> [{ A[i] -> [(i)] }]";
    println!(
        "E1 {}",
        checked(
            &one("[n] -> { A[i] : 0 <= i < n and (i mod 3 = 0 or i mod 3 = 2) }", id, ""),
            NONE,
            9
        )
    );
    println!(
        "E2 {}",
        checked(&one("[n] -> { A[i] : 0 <= i < n and i mod 3 >= 1 }", id, ""), NONE, 9)
    );
    println!(
        "E3 {}",
        checked(
            &one("[n] -> { A[i] : 0 <= i < n and exists e : 5e <= i <= 5e + 1 }", id, ""),
            NONE,
            9
        )
    );

    println!("E5 {}", checked(&one("[n] -> { A[i] : 2i = n }", id, ""), NONE, 9));
    println!(
        "E5b {}",
        checked(
            &one(
                "[n] -> { A[t] : exists e : 2t - n = 4e and 0 <= t < 10 }",
                "[n] -> [{ A[t] -> [(t)] }]",
                ""
            ),
            NONE,
            9
        )
    );
    let e6 = "[n] -> [{ A[i] -> [(2i)] : 2i < n; A[i] -> [(2n - 2i - 1)] : 2i >= n }]";
    println!("E6 {}", checked(&one("[n] -> { A[i] : 0 <= i < n }", e6, ""), NONE, 9));
}
