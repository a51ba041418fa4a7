//! Wrong files: each error has its line; no bytes make a panic.

use tilia_exchange::OpenScop;
use tilia_presburger::Budget;

/// The file with `from` replaced once, and the line of the error that comes of it.
fn error(from: &str, to: &str) -> (u32, String) {
    let text = crate::text("matmul.scop");
    assert!(text.contains(from), "{from}");
    let wrong = text.replacen(from, to, 1);
    let e = match OpenScop::parse_all(&wrong) {
        Err(e) => e,
        Ok(files) => files[0]
            .to_scop("wrong.scop", "scop", &Budget::default())
            .map(|s| s.to_string())
            .expect_err(&format!("{from} -> {to}")),
    };
    (e.line, e.message)
}

#[test]
fn errors_have_lines() {
    let mut elsewhere = Vec::new();
    for (from, to, line, says) in [
        ("<OpenScop>", "<Scop>", 3, "expected <OpenScop>"),
        ("CONTEXT\n", "DOMAIN\n", 10, "expected CONTEXT"),
        ("1 5 0 0 0 3", "1 6 0 0 0 3", 11, "6 columns don't fit"),
        ("1 5 0 0 0 3", "1 5 0 0 3", 11, "six numbers"),
        ("1 5 0 0 0 3", "1 5 0 0 -1 3", 11, "number of local dimensions"),
        (
            "1 5 0 0 0 3",
            "1 99999999999999999999 0 0 0 3",
            11,
            "expected the number of columns",
        ),
        ("1 5 0 0 0 3", "1 5000000 0 0 0 3", 11, "at most"),
        (
            "   1    0    0   -1   ##",
            "   1    0    0   x   ##",
            13,
            "expected an integer, found 'x'",
        ),
        ("   1    0    0   -1   ##", "   1    0    -1   ##", 13, "4 numbers"),
        ("    1   1    0    0   -1", "    2   1    0    0   -1", 13, "begins with 0"),
        ("N M K", "N M", 10, "2 are named"),
        ("# Number of statements\n2", "# Number of statements\n3", 119, "number of relations"),
        (
            "# Number of statements\n2",
            "# Number of statements\n1",
            62,
            "expected an extension",
        ),
        ("SCATTERING\n", "SCATTER\n", 35, "unknown kind"),
        ("SCATTERING\n", "DOMAIN\n", 35, "two DOMAINs"),
        ("WRITE\n", "CONTEXT\n", 43, "no CONTEXT"),
        ("4 7 2 0 0 3", "4 7 1 1 0 3", 29, "output dimensions"),
        (
            "</body>\n\n# =============================================== Statement 2",
            "\n# ======= Statement 2",
            118,
            "",
        ),
        (
            "   0   -1    0    0    0    0    0    0    0    5    ## C",
            "   0   -1    1    0    0    0    0    0    0    5    ## C",
            43,
            "which array",
        ),
        (
            "   0    0   -1    0    1    0    0    0    0    0    ## [i]",
            "   1    0   -1    0    1    0    0    0    0    0    ## [i]",
            0,
            "",
        ),
        (
            "   0    0   -1    0    0    0    1    0    0    0    0    0\n",
            "   1    0   -1    0    0    0    1    0    0    0    0    0\n",
            35,
            "several dates",
        ),
        (
            "   0    0   -1    0    0    0    1    0    0    0    0    0\n",
            "   0    0   -2    0    0    0    1    0    0    0    0    0\n",
            35,
            "without a date",
        ),
    ] {
        if line == 0 {
            // An access may be an inequality: that is no error.
            let text = crate::text("matmul.scop").replacen(from, to, 1);
            let f = OpenScop::parse_all(&text).unwrap().remove(0);
            f.to_scop("fine.scop", "scop", &Budget::default()).unwrap();
            continue;
        }
        let (at, message) = error(from, to);
        assert!(message.contains(says), "{from} -> {to}: line {at}: {message}");
        if at != line {
            elsewhere.push(format!("{from} -> {to}: line {at}, not {line}: {message}"));
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
    assert_eq!(
        OpenScop::parse_all("# nothing\n").unwrap_err().message,
        "the file holds no <OpenScop>"
    );
    assert!(
        OpenScop::parse_all(&crate::text("matmul.scop").replace("</OpenScop>", ""))
            .unwrap_err()
            .message
            .contains("</OpenScop>")
    );
    assert!(
        OpenScop::parse_all(&crate::text("matmul.scop").replace("</arrays>", ""))
            .unwrap_err()
            .message
            .contains("isn't closed")
    );
}

/// A context speaks of parameters alone, and all of its parts of the same ones.
#[test]
fn contexts_with_dimensions() {
    let file = |context: &str| format!("<OpenScop>\nC\nCONTEXT\n{context}\n0\n0\n</OpenScop>\n");
    for context in [
        "1 4 0 2 0 0\n1 1 1 0",
        "1 4 2 0 0 0\n1 1 1 0",
        "2\n1 2 0 0 0 0\n1 0\n1 4 0 0 0 2\n1 1 1 0",
        "2\n1 4 0 0 0 2\n1 1 1 0\n1 2 0 0 0 0\n1 0",
    ] {
        let e = OpenScop::parse_all(&file(context)).unwrap_err();
        assert!(e.message.contains("this CONTEXT has"), "{context}: {e}");
    }
    OpenScop::parse_all(&file("1 5 0 0 1 2\n1 1 1 0 0")).unwrap();
}

/// A few bytes must not ask for spaces of a hundred thousand dimensions, nor for very many of them.
#[test]
fn relations_of_great_size_are_refused() {
    let file = |context: &str| format!("<OpenScop>\nC\nCONTEXT\n{context}\n0\n0\n</OpenScop>\n");
    let e = OpenScop::parse_all(&file("0 99999 0 0 0 99997")).unwrap_err();
    assert!(e.message.contains("at most 1000 are read"), "{e}");
    let parts = "0 1000 0 0 0 998\n".repeat(101);
    let e = OpenScop::parse_all(&file(&format!("101\n{}", parts.trim_end()))).unwrap_err();
    assert!(e.message.contains("101000 columns in all"), "{e}");
}

#[test]
fn a_statement_without_dates() {
    let text = crate::text("strided.scop").replace("\n1\n3\nDOMAIN", "\n1\n2\nDOMAIN");
    let (before, after) = text.split_once("SCATTERING").unwrap();
    let (_, rest) = after.split_once("WRITE").unwrap();
    let f = OpenScop::parse_all(&format!("{before}WRITE{rest}")).unwrap().remove(0);
    let e = f.to_scop("x.scop", "scop", &Budget::default()).unwrap_err();
    assert!(e.message.contains("no SCATTERING"), "{e}");
}

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % below
    }
}

/// Whatever a file becomes by lost, doubled and changed words and lines: an answer or an error.
#[test]
fn mutations() {
    let mut random = Random(0xDEAD_BEEF_1234_5678);
    let words = [
        "0",
        "1",
        "-1",
        "2",
        "99999999999999999999999999",
        "-9223372036854775808",
        "x",
        "DOMAIN",
        "<body>",
        "</OpenScop>",
        "#",
        "",
    ];
    let mut read = 0;
    for n in 0..600 {
        let source = crate::text(["matmul.scop", "strided.scop"][n % 2]);
        let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
        for _ in 0..=random.next(3) {
            let at = random.next(lines.len());
            match random.next(4) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                _ => {
                    let mut parts: Vec<&str> = lines[at].split(' ').collect();
                    let k = random.next(parts.len());
                    parts[k] = words[random.next(words.len())];
                    lines[at] = parts.join(" ");
                }
            }
        }
        let text = lines.join("\n");
        match OpenScop::parse_all(&text) {
            Ok(files) => {
                for f in files {
                    if let Ok(s) = f.to_scop("m.scop", "scop", &Budget::new(200_000)) {
                        read += 1;
                        let _ = f.with_schedule(&s, &s.schedule, &Budget::new(200_000)).map(|f| f.to_string());
                    }
                }
            }
            Err(e) => assert!(e.line as usize <= text.lines().count() + 1, "{e}"),
        }
    }
    assert!(read > 20, "only {read} files were read: the mutations say nothing");
}

/// The same for scops in isl's notation.
#[test]
fn mutations_of_sets() {
    let mut random = Random(0x0F0F_1234_ABCD_EF01);
    let good = crate::text("jacobi.yaml");
    let pieces = [
        "\"",
        ":",
        "\n",
        "schedule:",
        "  ",
        "{",
        "}",
        "[",
        "]",
        "->",
        "S0",
        "99999999999999999999",
        "t",
        "ä",
        "#",
        ";",
    ];
    let (mut read, mut refused) = (0, 0);
    for _ in 0..1500 {
        let mut chars: Vec<char> = good.chars().collect();
        for _ in 0..=random.next(2) {
            let at = random.next(chars.len());
            match random.next(3) {
                0 => drop(chars.remove(at)),
                1 => drop(chars.splice(at..at, pieces[random.next(pieces.len())].chars())),
                _ => drop(chars.splice(
                    at..(at + random.next(8)).min(chars.len()),
                    pieces[random.next(pieces.len())].chars(),
                )),
            }
        }
        let text: String = chars.into_iter().collect();
        match tilia_exchange::isl::parse_scop("x.yaml", "scop", &text, &Budget::new(200_000)) {
            Ok(s) => {
                read += 1;
                let _ = tilia_exchange::isl::print_scop(&s, &s.schedule);
                let _ = OpenScop::from_scop(&s, &s.schedule, &Budget::new(200_000)).map(|f| f.to_string());
            }
            Err(e) => {
                refused += 1;
                assert!(e.line >= 1 && e.line as usize <= text.lines().count() + 1, "{e}\n{text}");
            }
        }
    }
    assert!(
        read > 50 && refused > 300,
        "{read} read, {refused} refused: the mutations say nothing"
    );
}
