//! Texts that are no programs: whatever they hold, there is a result, and it says what is wrong.

use crate::{messages, read};

/// A small generator of pseudo-random numbers (xorshift64*): the tests must be the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("below a usize")
    }
}

const SEEDS: [&str; 3] = [
    r#"
    #map = affine_map<(d0)[s0] -> (d0 floordiv 4, s0 mod 8)>
    memref.global "private" constant @g : memref<2x2xf32> = dense<[[1.0, 0x7FC00001], [-0.0, 3.5]]>
    func.func @f(%a: memref<?x8xf32, affine_map<(d0, d1) -> (d1, d0)>>, %n: index) -> f32 {
      %z = arith.constant 0.0 : f32
      %r = affine.for %i = max #map(%n)[%n] to 8 step 2 iter_args(%x = %z) -> f32 {
        %v = affine.load %a[%i, %i mod 4] : memref<?x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
        %w = arith.addf %x, %v fastmath<reassoc> : f32
        affine.yield %w : f32
      }
      return %r : f32
    }"#,
    r#"
    func.func @g(%a: memref<8xi32>, %n: i32, %b: i1) -> i32 {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> i32 : i32 {
        %j = arith.index_cast %i : i32 to index
        memref.store %i, %a[%j] : memref<8xi32>
        scf.yield %i : i32
      }
      cf.cond_br %b, ^one(%r : i32), ^two
    ^one(%p: i32):
      return %p : i32
    ^two:
      %q = scf.if %b -> i32 { scf.yield %c0 : i32 } else { scf.yield %c1 : i32 }
      cf.switch %q : i32, [default: ^one(%q : i32), 3: ^two]
    }"#,
    r#"
    func.func @h(%d: memref<?x?xf32>, %n: index) -> vector<4xf32> {
      %s = memref.subview %d[%n, 0][1, 4][1, 2] : memref<?x?xf32> to memref<4xf32, strided<[2], offset: ?>>
      %r = affine.parallel (%i, %j) = (0, 0) to (4, symbol(%n)) step (1, 2) reduce ("addf") -> f32 {
        %v = affine.load %d[%i, %j] : memref<?x?xf32>
        affine.yield %v : f32
      }
      %q:2 = affine.delinearize_index %n into (4, 8) : index, index
      %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
      %f = math.exp %c : vector<4xf32>
      return %f : vector<4xf32>
    }"#,
];

/// Every result must be a valid program with or without complaints, or no program with some.
fn survive(text: &str) {
    let imported = read(text);
    assert!(imported.parsed() || !imported.diagnostics.is_empty(), "{text}");
    crate::check(&imported);
}

#[test]
fn truncated_texts() {
    for seed in SEEDS {
        crate::read_fine(seed);
        for end in (0..seed.len()).step_by(7) {
            survive(&seed[..end]);
        }
    }
}

/// Characters, numbers and whole words replaced, removed and doubled.
#[test]
fn mutated_texts() {
    let mut random = Random(0x0123_4567_89AB_CDEF);
    let spare = "(){}[]<>%#@!\"-+*/,:=^0123456789aeix \n\0";
    let words: Vec<&str> = SEEDS
        .iter()
        .flat_map(|s| s.split([' ', ',', '(', ')']))
        .filter(|w| !w.is_empty())
        .collect();
    let numbers = [
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551616",
        "4294967296",
    ];
    for round in 0..600 {
        let mut text = SEEDS[round % SEEDS.len()].to_owned();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            let end = (at + 1 + random.below(6)).min(text.len());
            let replacement = match random.below(5) {
                0 => String::new(),
                1 => spare.chars().nth(random.below(spare.len())).unwrap().to_string(),
                2 => words[random.below(words.len())].to_owned(),
                3 => numbers[random.below(numbers.len())].to_owned(),
                _ => text[at..end].repeat(2),
            };
            text.replace_range(at..end, &replacement);
        }
        survive(&text);
    }
}

/// Numbers of the text at the edge of what 64 bits hold.
#[test]
fn extreme_numbers() {
    for seed in SEEDS {
        for number in ["0", "-1", "9223372036854775807", "-9223372036854775808", "99999999999999999999"] {
            for digit in ["8", "4", "2", "1"] {
                survive(&seed.replace(digit, number));
            }
        }
    }
    survive(
        "func.func @f(%a: memref<9223372036854775807x9223372036854775807xf32, affine_map<(d0, d1) -> (d0 * 2 + d1 floordiv 3, d1 mod 2)>>) { return }",
    );
    survive("func.func @f(%a: vector<1000000x1000000xf32>) { return }");
    survive("memref.global @g : memref<4294967296x4294967296xf32> = dense<1.0>");
    survive("func.func @f() { %0 = memref.alloc() : memref<9223372036854775807xf32, strided<[9223372036854775807], offset: 1>>\n return }");
}

#[test]
fn deep_nesting() {
    let nest = |depth: usize| {
        let open: String = (0..depth).map(|n| format!("affine.for %i{n} = 0 to 4 {{\n")).collect();
        format!("func.func @f() {{\n{open}{}return\n}}", "}\n".repeat(depth))
    };
    // What is let in is written and freed, too, on this test's small stack.
    let imported = read(&nest(1900));
    assert!(imported.diagnostics.is_empty(), "{:?}", messages(&imported));
    let text = tilia_mlir::export(&imported, &imported.program).unwrap();
    assert_eq!(text.matches("affine.for").count(), 1900);
    drop(imported);
    for text in [
        nest(100_000),
        "(".repeat(1_000_000),
        format!("func.func @f(%a: {}", "memref<".repeat(100_000)),
        format!("#m = affine_map<(d0) -> (d0{})>", " + d0 floordiv 2".repeat(100_000)),
        format!("#m = affine_map<(d0) -> ({}d0)>", "-".repeat(100_000)),
        format!("func.func @f() attributes {{a = {}}}", "[".repeat(100_000)),
        format!("func.func @f() loc({}", "fused[".repeat(100_000)),
    ] {
        let imported = read(&text);
        assert!(!imported.parsed());
        let message = messages(&imported);
        assert!(message[0].contains("deep"), "{message:?}");
    }
}

#[test]
fn odd_texts() {
    for text in [
        "",
        "\0",
        "\u{feff}",
        "// only a comment",
        "}",
        "module {",
        "%",
        "func.func",
        "\"",
        "\\",
        "ä",
        "module {}\nmodule {}\nmodule @a { module @b {} }",
    ] {
        survive(text);
    }
    let long = "x".repeat(2000);
    crate::read_fine(&format!(
        "func.func @\"{long} y\"() {{ return }}\nfunc.func @g() {{ call @\"{long} y\"() : () -> () return }}"
    ));
}
