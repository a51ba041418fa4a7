//! Many modules in one process, from several threads.

use crate::build::Build;
use crate::compare::{F64, dynamic, forking, program, ramp};
use tilia_abi::Value;
use tilia_codegen::{Backend, CompiledModule, CraneliftBackend};
use tilia_program::{LoopExec, Program, PureOp};

/// a[i] += c for all i below 8.
fn kernel(c: f64) -> Program {
    let mut b = Build::new("main", &[dynamic(1)], &[]);
    let a = b.arg(0);
    b.for_const(0, 8, LoopExec::Parallel, |b, i| {
        let x = b.load(a, &[i]);
        let c = b.f64(c);
        let y = b.pure(PureOp::AddF, &[x, c], F64);
        b.store(y, a, &[i]);
    });
    b.ret(&[]);
    program([b])
}

fn check(module: &dyn CompiledModule, c: f64) {
    let arg = ramp(&[8]);
    module.call("main", std::slice::from_ref(&arg)).unwrap();
    let Value::MemRef(m) = arg else { panic!() };
    let all: Vec<_> = m.elements().unwrap().into_iter().map(f64::from_bits).collect();
    assert_eq!(all, (1..=8).map(|k| f64::from(k) + c).collect::<Vec<_>>());
}

fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").map_or(0, |s| s.lines().count())
}

#[test]
fn thousands_of_modules_share_a_pool_and_free_their_code() {
    let backend = CraneliftBackend::new();
    let before = mappings();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let backend = &backend;
            scope.spawn(move || {
                let mut kept = Vec::new();
                for n in 0..400 {
                    let c = f64::from(thread * 1000 + n);
                    let module = backend.compile(&kernel(c), &forking(2)).unwrap();
                    check(&*module, c);
                    if n % 4 == 0 {
                        kept.push((module, c));
                    }
                }
                // Code of modules that live is untouched by those that came and went.
                for (module, c) in &kept {
                    check(&**module, *c);
                }
            });
        }
    });
    let after = mappings();
    // Heap arenas and thread stacks come and go; 1600 modules with a mapping left each would not fit in here.
    assert!(after < before + 400, "{before} mappings before, {after} after");
}
