//! Tens of thousands of modules compiled and run in one process, from eight threads: code finds its targets wherever the allocator puts it, and nothing piles up.
//!
//! `TILIA_MODULES=50000` sets how many.
//! A process of its own: what it takes is measured.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use tilia_abi::Value;
use tilia_codegen::{Backend, CodegenOptions, CompiledModule, CraneliftBackend};
use tilia_gen::{Case, Input, Stats};
use tilia_mlir::{ImportOptions, import};
use tilia_program::{Constant, OpId, OpKind, Program, ScalarType};

const THREADS: usize = 8;

/// Modules of each thread that stay until it ends, one in so many.
const KEPT: usize = 50;

/// The constant to be replaced.
const PLACEHOLDER: f64 = 4096.5;

const TEXT: &str = "
func.func @kernel(%a: memref<8xf64>) {
  %c = arith.constant 4096.5 : f64
  affine.for %i = 0 to 8 {
    %0 = affine.load %a[%i] : memref<8xf64>
    %1 = arith.addf %0, %c : f64
    affine.store %1, %a[%i] : memref<8xf64>
  }
  return
}
";

fn case() -> Case {
    Case {
        mlir: TEXT.to_owned(),
        entry: "kernel",
        inputs: vec![Input {
            params: Vec::new(),
            arrays: vec![(ScalarType::F64, vec![8])],
        }],
        stats: Stats::default(),
    }
}

/// `a[i] += c`.
fn kernel(template: &Program, c: f64) -> Program {
    let mut program = template.clone();
    let f = &mut program.functions[0];
    let mut replaced = 0;
    for n in 0..f.op_count() {
        let kind = &mut f[OpId(u32::try_from(n).unwrap())].kind;
        if *kind == OpKind::Constant(Constant::Float(PLACEHOLDER.to_bits())) {
            *kind = OpKind::Constant(Constant::Float(c.to_bits()));
            replaced += 1;
        }
    }
    assert_eq!(replaced, 1, "{program}");
    program
}

fn elements(args: &[Value]) -> Vec<f64> {
    let Value::MemRef(m) = &args[0] else { panic!("a memref is wanted") };
    m.elements().unwrap().into_iter().map(f64::from_bits).collect()
}

fn check(case: &Case, module: &dyn CompiledModule, c: f64) {
    let args = case.arguments(&case.inputs[0]);
    let expected: Vec<f64> = elements(&args).iter().map(|x| x + c).collect();
    module.call(case.entry, &args).unwrap();
    assert_eq!(elements(&args), expected);
}

/// Lines of `/proc/self/maps`, and resident memory in KiB; zeros where there is no such file.
fn footprint() -> (usize, usize) {
    let maps = std::fs::read_to_string("/proc/self/maps").map_or(0, |s| s.lines().count());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .and_then(|l| l.split_whitespace().next());
    (maps, resident.and_then(|n| n.parse().ok()).unwrap_or(0))
}

#[test]
fn one_process_compiles_module_after_module() {
    let total: usize = std::env::var("TILIA_MODULES").ok().and_then(|n| n.parse().ok()).unwrap_or(800);
    let case = case();
    let imported = import("kernel.mlir", &case.mlir, &ImportOptions::default());
    assert!(imported.diagnostics.is_empty(), "{:?}", imported.diagnostics);
    let backend = CraneliftBackend::default();
    let options = CodegenOptions {
        threads: 1,
        ..CodegenOptions::default()
    };
    let round = |first: usize, count: usize, done: &AtomicUsize| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (case, backend, options, template) = (&case, &backend, &options, &imported.program);
                scope.spawn(move || {
                    let mut kept = Vec::new();
                    for n in (first + thread..first + count).step_by(THREADS) {
                        // Exact in f64, and different for every module.
                        let c = f64::from(u32::try_from(n).unwrap()) + 0.25;
                        let module = backend.compile(&kernel(template, c), options).unwrap();
                        check(case, &*module, c);
                        if (n / THREADS).is_multiple_of(KEPT) {
                            kept.push((module, c));
                        }
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    // Code of modules that live is untouched by those that came and went.
                    for (module, c) in &kept {
                        check(case, &**module, *c);
                    }
                });
            }
        });
    };
    let done = AtomicUsize::new(0);
    // A tenth first: what the allocator keeps for itself is there after that.
    let tenth = total / 10;
    round(0, tenth, &done);
    let (maps, resident) = footprint();
    assert!(maps > 0 && resident > 0, "this test reads /proc/self");
    for part in 1..10 {
        round(part * tenth, tenth, &done);
        println!("{} modules: {:?}", done.load(Ordering::Relaxed), footprint());
    }
    assert_eq!(done.into_inner(), 10 * tenth);
    let (maps_after, resident_after) = footprint();
    // A module left behind each time would cost a mapping and a page at least.
    assert!(maps_after < maps + 200, "{maps} mappings after a tenth, {maps_after} at the end");
    assert!(
        resident_after < resident + 60 * 1024,
        "{resident} KiB after a tenth, {resident_after} KiB at the end"
    );
}
