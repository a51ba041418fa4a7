//! Measuring candidates.

use super::explore::{Candidate, candidates};
use super::store::{Best, Key, Measured, Results};
use crate::auto::KnownArgs;
use crate::execute::{Execution, Repeat, acceptable, compare};
use crate::options::{BackendChoice, CompileOptions, ScopChoice, Strategy, Tile};
use crate::run::{Call, compile_and_execute};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tilia_diag::{Diagnostic, Loc, Remark};

/// How long to search, and where to keep what is found.
#[derive(Debug, Clone)]
pub struct TuneRequest {
    /// No measurement starts after so much time.
    pub time: Duration,
    /// Candidates that are measured at most, in all sessions together.
    pub most: usize,
    /// Forget what earlier sessions measured.
    pub again: bool,
    /// The folder of results.
    pub folder: PathBuf,
    /// File and function, for people.
    pub name: String,
}

/// What is told while it goes on.
#[derive(Debug, Clone, Copy)]
pub struct TuneReport<'a> {
    /// Measurements made, and those planned.
    pub done: (usize, usize),
    /// What was measured.
    pub what: &'a str,
    /// Its shortest time in milliseconds, or why there is none.
    pub result: Result<f64, &'a str>,
    /// The shortest so far.
    pub best: f64,
}

/// What was found for one back end.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The back end.
    pub backend: String,
    /// The model's choice: milliseconds.
    pub model_ms: f64,
    /// The fastest: milliseconds.
    pub best_ms: f64,
    /// What it is.
    pub what: String,
}

/// What a search gave.
#[derive(Debug)]
pub struct Search {
    /// By back end.
    pub tuned: Vec<Tuned>,
    /// Candidates that time didn't suffice for.
    pub left: usize,
    /// Where the results are.
    pub file: PathBuf,
    /// What was declined.
    pub remarks: Vec<Remark>,
}

/// Runs of one measurement take about so long, five at most.
const MEASURE: Duration = Duration::from_millis(300);

/// The fastest so many of a back end are measured again, in turn, before one is called the best.
const FINAL: usize = 3;

/// Rounds of that.
const ROUNDS: usize = 3;

/// A candidate must be faster than the model's choice by this part to be preferred: less is noise.
const GAIN: f64 = 0.98;

/// What to compile and run with.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    backend: BackendChoice,
    threads: usize,
    scops: BTreeMap<String, ScopChoice>,
}

fn name_of(backend: BackendChoice) -> &'static str {
    match backend {
        BackendChoice::Llvm => "llvm",
        BackendChoice::Cranelift | BackendChoice::Auto => "cranelift",
    }
}

impl Plan {
    /// What it is called, in progress and in the file of results.
    fn what(&self) -> String {
        let mut text = format!("{}, {} threads", name_of(self.backend), self.threads);
        if self.scops.is_empty() {
            text.push_str(": the model's choice");
        }
        for (scop, c) in &self.scops {
            text.push_str(&format!(": {scop} in the order {}, {}", c.order, c.choices.join(", ")));
        }
        text
    }
}

/// One search, with what is known so far.
struct Session<'a, 'b> {
    call: &'a Call<'a>,
    options: &'a CompileOptions,
    request: &'a TuneRequest,
    results: Results,
    begin: Instant,
    planned: usize,
    done: usize,
    progress: &'a mut (dyn FnMut(&TuneReport<'_>) + 'b),
    /// What the model's choice gave, which all others must give.
    reference: Option<Execution>,
    compile_ms: BTreeMap<String, f64>,
    plans: BTreeMap<String, Plan>,
}

/// Measures candidates for a call and stores what was found.
///
/// # Errors
/// Options that leave nothing to tune, a program that doesn't compile or run, results that can't be written.
pub(crate) fn tune(
    call: &Call<'_>,
    options: &CompileOptions,
    request: &TuneRequest,
    progress: &mut dyn FnMut(&TuneReport<'_>),
) -> Result<Search, Vec<Diagnostic>> {
    let error = |text: String| vec![Diagnostic::error(Loc::unknown(), text)];
    if options.strategy != Strategy::Auto || options.tile != Tile::Auto || options.schedule_in.is_some() || options.transform.is_some() {
        return Err(error(
            "tune looks for orders and tiles itself: it takes no --strategy, --tile, --schedule-in or script".to_owned(),
        ));
    }
    let function = call
        .program
        .function(call.entry)
        .ok_or_else(|| error(format!("there is no function @{}", call.entry)))?;
    let known = KnownArgs::of(call.entry, call.args);
    let key = Key::of(call.program, function, &known, options);
    let mut remarks = Vec::new();
    let results = match Results::load(&request.folder, &key) {
        Ok(Some(results)) if !request.again => results,
        Ok(_) => Results::new(&request.name, key),
        Err(why) => {
            let message = format!("a file of tuning results is overwritten: {why}");
            remarks.push(Remark::declined(super::store::STAGE, Loc::unknown(), message));
            Results::new(&request.name, key)
        }
    };
    let mut session = Session {
        call,
        options,
        request,
        results,
        begin: Instant::now(),
        planned: 0,
        done: 0,
        progress,
        reference: None,
        compile_ms: BTreeMap::new(),
        plans: BTreeMap::new(),
    };
    let backends = match options.backend {
        BackendChoice::Auto => vec![BackendChoice::Llvm, BackendChoice::Cranelift],
        one => vec![one],
    };
    let mut lists: Vec<(BackendChoice, Vec<Candidate>)> = Vec::new();
    for &backend in &backends {
        let options = CompileOptions {
            backend,
            known: known.clone(),
            ..options.clone()
        };
        let (found, said) = candidates(call.program, &options);
        remarks.extend(said);
        lists.push((backend, found));
    }
    let left = session.measure_all(&lists)?;
    let tuned = session.settle(&backends);
    let file = session.save()?;
    Ok(Search {
        tuned,
        left,
        file,
        remarks,
    })
}

impl Session<'_, '_> {
    fn spent(&self) -> bool {
        self.begin.elapsed() >= self.request.time
    }

    fn known(&self, what: &str) -> Option<&Measured> {
        self.results.measured.iter().find(|m| m.what == what)
    }

    fn base(&self, backend: BackendChoice) -> Plan {
        Plan {
            backend,
            threads: self.options.threads,
            scops: BTreeMap::new(),
        }
    }

    /// Measures the model's choices, then the candidates, the back ends in turn; then other numbers of threads, and the best choices for several scops together. Gives how many were left.
    fn measure_all(&mut self, lists: &[(BackendChoice, Vec<Candidate>)]) -> Result<usize, Vec<Diagnostic>> {
        let mut plans: Vec<Plan> = lists.iter().map(|(b, _)| self.base(*b)).collect();
        let longest = lists.iter().map(|(_, l)| l.len()).max().unwrap_or(0);
        for n in 0..longest {
            for (backend, list) in lists {
                plans.extend(list.get(n).map(|c| Plan {
                    scops: BTreeMap::from([(c.scop.clone(), c.choice.clone())]),
                    ..self.base(*backend)
                }));
            }
        }
        plans.truncate(self.request.most.max(lists.len()));
        self.planned = plans.len();
        let mut left = 0;
        for (n, plan) in plans.iter().enumerate() {
            // The model's choice is measured whatever it takes: all others are compared with it. Only the last back end must manage.
            if self.reference.is_some() && self.spent() {
                left += usize::from(self.known(&plan.what()).is_none());
                self.plans.insert(plan.what(), plan.clone());
            } else {
                self.measure(plan, self.reference.is_none() && n + 1 == lists.len())?;
            }
        }
        for (backend, _) in lists {
            let more = self.combined(*backend);
            self.planned += more.len();
            for plan in &more {
                if self.spent() {
                    left += usize::from(self.known(&plan.what()).is_none());
                } else {
                    self.measure(plan, false)?;
                }
            }
        }
        Ok(left)
    }

    /// The best choices of several scops together, and what is best so far with fewer threads.
    fn combined(&self, backend: BackendChoice) -> Vec<Plan> {
        let base = self.time(&self.base(backend).what()).unwrap_or(f64::INFINITY);
        let mut best: BTreeMap<&String, (f64, &ScopChoice)> = BTreeMap::new();
        for plan in self.plans.values().filter(|p| p.backend == backend && p.scops.len() == 1) {
            let Some(ms) = self.time(&plan.what()).filter(|ms| *ms < GAIN * base) else {
                continue;
            };
            for (scop, choice) in &plan.scops {
                let known = best.entry(scop).or_insert((ms, choice));
                if ms < known.0 {
                    *known = (ms, choice);
                }
            }
        }
        let together = Plan {
            scops: best
                .iter()
                .map(|(scop, (_, choice))| ((*scop).clone(), (*choice).clone()))
                .collect(),
            ..self.base(backend)
        };
        let mut plans = Vec::new();
        let mut threads = self.options.threads / 2;
        while threads >= 1 {
            plans.push(Plan {
                threads,
                ..together.clone()
            });
            threads /= 2;
        }
        if together.scops.len() > 1 {
            plans.push(together);
        }
        plans
    }

    fn time(&self, what: &str) -> Option<f64> {
        self.known(what)?.run_ms
    }

    /// The fastest time of all.
    fn best(&self) -> f64 {
        self.results.measured.iter().filter_map(|m| m.run_ms).fold(f64::INFINITY, f64::min)
    }

    /// Measures a plan unless an earlier session did. A plan that fails, or whose result differs, is noted as such; only `must` makes it an error.
    fn measure(&mut self, plan: &Plan, must: bool) -> Result<(), Vec<Diagnostic>> {
        let what = plan.what();
        self.plans.insert(what.clone(), plan.clone());
        // Until there is something to compare with, what earlier sessions measured is run again.
        if self.reference.is_some() && self.known(&what).is_some() {
            self.done += 1;
            return Ok(());
        }
        let best = self.best();
        let repeat = if best.is_finite() {
            let runs = (MEASURE.as_secs_f64() * 1e3 / best.max(1e-3)).clamp(1.0, 5.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 5")]
            Repeat::Times(runs as u32)
        } else {
            Repeat::Measure
        };
        let outcome = self.run(plan, repeat);
        self.done += 1;
        let result = match outcome {
            Ok(ms) => Ok(ms),
            Err(why) if must => return Err(why),
            Err(why) => Err(why.first().map_or_else(|| "no reason given".to_owned(), |d| d.message.clone())),
        };
        self.note(&what, result.as_ref().ok().copied());
        let report = TuneReport {
            done: (self.done, self.planned),
            what: &what,
            result: result.as_ref().map(|ms| *ms).map_err(String::as_str),
            best: self.best(),
        };
        (self.progress)(&report);
        // What was measured outlives a session that is cut off.
        self.save().map(drop)
    }

    fn note(&mut self, what: &str, run_ms: Option<f64>) {
        match self.results.measured.iter_mut().find(|m| m.what == what) {
            Some(known) => {
                known.run_ms = match (known.run_ms, run_ms) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (_, b) => b,
                }
            }
            None => self.results.measured.push(Measured {
                what: what.to_owned(),
                run_ms,
            }),
        }
    }

    /// Compiles and runs; gives the shortest time. The result must be the one of the first plan that ran.
    fn run(&mut self, plan: &Plan, repeat: Repeat) -> Result<f64, Vec<Diagnostic>> {
        let options = CompileOptions {
            backend: plan.backend,
            threads: plan.threads,
            choices: plan.scops.clone(),
            tuning: None,
            ..self.options.clone()
        };
        let call = Call { repeat, ..*self.call };
        let (report, _, _, execution) = compile_and_execute(&call, &options, &mut |_, _| Ok(()))?;
        let error = |text: String| vec![Diagnostic::error(Loc::unknown(), text)];
        if report.backend != name_of(plan.backend) {
            return Err(error(format!("the back end {} couldn't compile it", name_of(plan.backend))));
        }
        match &self.reference {
            None => self.reference = Some(execution),
            Some(reference) => {
                let same = compare(&execution.arrays, &reference.arrays);
                if !acceptable(&same, options.fp, &execution.arrays) {
                    return Err(error(
                        "the result differs from that of the model's choice: a bug of ours, please report it with the input and this line"
                            .to_owned(),
                    ));
                }
            }
        }
        self.compile_ms.insert(plan.what(), report.compile_ms.total);
        Ok(report.run_ms.min)
    }

    /// Measures the fastest few of each back end again in turn, and notes the best.
    fn settle(&mut self, backends: &[BackendChoice]) -> Vec<Tuned> {
        let mut tuned = Vec::new();
        for &backend in backends {
            let base = self.base(backend);
            let mut list: Vec<(f64, Plan)> = self
                .plans
                .values()
                .filter(|p| p.backend == backend)
                .filter_map(|p| Some((self.time(&p.what())?, p.clone())))
                .collect();
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            list.truncate(FINAL);
            if !list.iter().any(|(_, p)| *p == base) && self.time(&base.what()).is_some() {
                list.push((0.0, base.clone()));
            }
            if list.is_empty() {
                continue;
            }
            let mut times = vec![f64::INFINITY; list.len()];
            for round in 0..ROUNDS {
                if round > 0 && self.spent() {
                    break;
                }
                for (n, (_, plan)) in list.iter().enumerate() {
                    // It ran before; what fails now (no memory, say) isn't the best.
                    let Ok(ms) = self.run(plan, Repeat::Measure) else { continue };
                    times[n] = times[n].min(ms);
                    self.note(&plan.what(), Some(ms));
                }
            }
            let model = list.iter().position(|(_, p)| *p == base).map_or(f64::INFINITY, |n| times[n]);
            let fastest = (0..list.len()).min_by(|&a, &b| times[a].total_cmp(&times[b])).unwrap_or(0);
            let chosen = if times[fastest] < GAIN * model || !model.is_finite() {
                fastest
            } else {
                list.iter().position(|(_, p)| *p == base).unwrap_or(fastest)
            };
            if !times[chosen].is_finite() {
                continue;
            }
            let plan = &list[chosen].1;
            let what = plan.what();
            let best = Best {
                backend: name_of(backend).to_owned(),
                threads: plan.threads,
                run_ms: times[chosen],
                compile_ms: self.compile_ms.get(&what).copied().unwrap_or(0.0),
                scops: plan.scops.clone(),
            };
            self.results.best.retain(|b| b.backend != best.backend);
            self.results.best.push(best);
            tuned.push(Tuned {
                backend: name_of(backend).to_owned(),
                model_ms: model,
                best_ms: times[chosen],
                what,
            });
        }
        tuned
    }

    fn save(&self) -> Result<PathBuf, Vec<Diagnostic>> {
        self.results
            .save(&self.request.folder)
            .map_err(|why| vec![Diagnostic::error(Loc::unknown(), why).help("--tuning names another folder for the results")])
    }
}
