//! Fork and join, fronts one after the other, and dynamic pieces: this pool beside OpenMP's runtimes, in one run, on a machine left alone and with every processor busy with something else.
//!
//! `cargo run --release -p tilia-pool --example fork_join [THREADS]` prints a table in Markdown (docs/performance.md has one). Needs clang with libomp
//! (packages clang-22, libomp-22-dev); libgomp is taken where gcc is there. Each runtime is measured in a process of its own, because it reads its settings once; the processes take turns.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::c_void;
use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use tilia_pool::{Pool, Schedule};

/// The same loops in C with OpenMP.
const OPENMP: &str = r"
#include <omp.h>
typedef void (*body)(void *data, long from, long to);
void loop_static(int threads, long total, body f, void *data) {
  #pragma omp parallel num_threads(threads)
  {
    long t = omp_get_thread_num(), n = omp_get_num_threads();
    f(data, total * t / n, total * (t + 1) / n);
  }
}
void loop_dynamic(int threads, long total, body f, void *data) {
  #pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (long i = 0; i < total; i++) f(data, i, i + 1);
}
void fronts(int threads, long total, long count, body f, void *data) {
  #pragma omp parallel num_threads(threads)
  {
    long t = omp_get_thread_num(), n = omp_get_num_threads();
    for (long c = 0; c < count; c++) {
      f(data, total * t / n, total * (t + 1) / n);
      #pragma omp barrier
    }
  }
}
";

type Body = extern "C" fn(*mut c_void, i64, i64);

/// Who runs the loops.
enum Runtime {
    Pool(Pool),
    OpenMp(libloading::Library),
}

/// Units of work for a loop: each takes some nanoseconds.
static UNITS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

extern "C" fn body(_: *mut c_void, from: i64, to: i64) {
    work(u64::try_from(to - from).unwrap_or(0));
}

fn work(iterations: u64) {
    let mut x = iterations;
    for _ in 0..iterations * UNITS.load(std::sync::atomic::Ordering::Relaxed) {
        x = black_box(x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
    }
    black_box(x);
}

/// Fronts in one measurement.
const FRONTS: i64 = 100;

impl Runtime {
    fn fork_join(&self, threads: usize, total: i64) {
        match self {
            Runtime::Pool(pool) => run(pool, threads, total, Schedule::Static),
            Runtime::OpenMp(lib) => {
                // SAFETY: the library was made from `OPENMP`, where the function has this type.
                let f = unsafe { lib.get::<extern "C" fn(i32, i64, Body, *mut c_void)>(b"loop_static\0") };
                f.expect("compiled from the text above")(threads as i32, total, body, std::ptr::null_mut());
            }
        }
    }

    fn dynamic(&self, threads: usize, total: i64) {
        match self {
            Runtime::Pool(pool) => run(pool, threads, total, Schedule::Dynamic(1)),
            Runtime::OpenMp(lib) => {
                // SAFETY: as above.
                let f = unsafe { lib.get::<extern "C" fn(i32, i64, Body, *mut c_void)>(b"loop_dynamic\0") };
                f.expect("compiled from the text above")(threads as i32, total, body, std::ptr::null_mut());
            }
        }
    }

    /// Fronts: OpenMP has one region and a barrier after each front, the pool forks for each.
    fn fronts(&self, threads: usize, total: i64) {
        match self {
            Runtime::Pool(pool) => (0..FRONTS).for_each(|_| run(pool, threads, total, Schedule::Static)),
            Runtime::OpenMp(lib) => {
                // SAFETY: as above.
                let f = unsafe { lib.get::<extern "C" fn(i32, i64, i64, Body, *mut c_void)>(b"fronts\0") };
                f.expect("compiled from the text above")(threads as i32, total, FRONTS, body, std::ptr::null_mut());
            }
        }
    }
}

fn run(pool: &Pool, threads: usize, total: i64, schedule: Schedule) {
    let f = |r: Range<u64>| work(r.end - r.start);
    pool.run(threads, u64::try_from(total).unwrap_or(0), schedule, &f)
        .expect("the body doesn't panic");
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("measure") => measure(&args[2], args[3].parse()?),
        Some("spin") => loop {
            work(1);
        },
        threads => table(threads.map_or(Ok(tilia_pool::available_threads()), str::parse)?),
    }
}

/// Microseconds of one call: the median and the mean of many.
fn timed(least: usize, mut f: impl FnMut()) -> (f64, f64) {
    for _ in 0..10 {
        f();
    }
    let begin = Instant::now();
    let mut all = Vec::new();
    while all.len() < least || begin.elapsed() < Duration::from_millis(150) {
        let start = Instant::now();
        f();
        all.push(start.elapsed().as_secs_f64() * 1e6);
        if begin.elapsed() > Duration::from_secs(4) {
            break;
        }
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.sort_by(f64::total_cmp);
    (all[all.len() / 2], mean)
}

/// Microseconds of processor time of this process.
fn cpu() -> f64 {
    // SAFETY: the call fills the struct it is given.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let micros = |t: libc::timeval| t.tv_sec as f64 * 1e6 + t.tv_usec as f64;
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

/// Measures one runtime and prints `case;median;mean` in microseconds.
fn measure(library: &str, threads: usize) -> Result<(), Box<dyn Error>> {
    let runtime = match library {
        "-" => Runtime::Pool(Pool::new()),
        // SAFETY: compiled from `OPENMP` by the process that started this one.
        path => Runtime::OpenMp(unsafe { libloading::Library::new(path) }?),
    };
    let say = |case: &str, (median, mean): (f64, f64)| println!("{case};{median};{mean}");
    let set = |units| UNITS.store(units, std::sync::atomic::Ordering::Relaxed);
    let n = threads as i64;
    say("fork and join, nothing to do", timed(200, || runtime.fork_join(threads, n)));
    set(10_000);
    say("fork and join, some 10 us a thread", timed(200, || runtime.fork_join(threads, n)));
    say("100 fronts, some 10 us a thread each", timed(5, || runtime.fronts(threads, n)));
    set(1_000);
    say("64 dynamic pieces of some 1 us", timed(100, || runtime.dynamic(threads, 64)));
    let before = cpu();
    std::thread::sleep(Duration::from_millis(500));
    let idle = cpu() - before;
    say("processor time in 500 ms after the last loop", (idle, idle));
    Ok(())
}

struct Column {
    name: &'static str,
    library: String,
    settings: &'static [(&'static str, &'static str)],
}

/// Processes that keep processors busy; ended with the value.
struct Busy(Vec<Child>);

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs all columns in turn, several rounds, alone and beside busy processes.
fn table(threads: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let me = std::env::current_exe()?;
    let mut columns = vec![Column {
        name: "Tilia",
        library: "-".to_owned(),
        settings: &[],
    }];
    match compiled(folder.path(), "libomp", &["clang-22", "-O2", "-fopenmp"]) {
        Ok(library) => {
            columns.push(Column {
                name: "libomp",
                library: library.clone(),
                settings: &[],
            });
            columns.push(Column {
                name: "libomp, passive",
                library,
                settings: &[("OMP_WAIT_POLICY", "passive")],
            });
        }
        Err(e) => eprintln!("libomp is left out: {e}"),
    }
    match compiled(folder.path(), "libgomp", &["gcc", "-O2", "-fopenmp"]) {
        Ok(library) => columns.push(Column {
            name: "libgomp",
            library,
            settings: &[],
        }),
        Err(e) => eprintln!("libgomp is left out: {e}"),
    }
    for busy in [0, threads] {
        let _busy = Busy((0..busy).map(|_| Command::new(&me).arg("spin").spawn()).collect::<Result<_, _>>()?);
        let mut cells: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
        let mut cases: Vec<String> = Vec::new();
        for _ in 0..3 {
            for (c, column) in columns.iter().enumerate() {
                let mut command = Command::new(&me);
                command.args(["measure", &column.library, &threads.to_string()]);
                command.envs(column.settings.iter().copied());
                let output = command.output()?;
                for line in String::from_utf8(output.stdout)?.lines() {
                    let [case, median, mean] = line.split(';').collect::<Vec<_>>()[..] else {
                        return Err(format!("{}: {line}", column.name).into());
                    };
                    let row = cases.iter().position(|k| k == case).unwrap_or_else(|| {
                        cases.push(case.to_owned());
                        cases.len() - 1
                    });
                    let cell = cells.entry((row, c)).or_insert((f64::INFINITY, f64::INFINITY));
                    *cell = (cell.0.min(median.parse()?), cell.1.min(mean.parse()?));
                }
            }
        }
        let names: Vec<&str> = columns.iter().map(|c| c.name).collect();
        println!("\n{threads} threads, {busy} other busy processes: median / mean, microseconds, the least of three rounds\n");
        println!("| | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
        for (row, case) in cases.iter().enumerate() {
            let row: Vec<String> = (0..columns.len())
                .map(|c| {
                    cells
                        .get(&(row, c))
                        .map_or_else(|| "-".to_owned(), |(a, b)| format!("{a:.1} / {b:.1}"))
                })
                .collect();
            println!("| {case} | {} |", row.join(" | "));
        }
    }
    Ok(())
}

/// Compiles the C text into a library.
fn compiled(folder: &Path, name: &str, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let source = folder.join(format!("{name}.c"));
    let library = folder.join(format!("{name}.so"));
    std::fs::write(&source, OPENMP)?;
    let output = Command::new(words[0])
        .args(&words[1..])
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(library.display().to_string())
}
