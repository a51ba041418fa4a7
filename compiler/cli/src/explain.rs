//! `tilia explain`: the remarks of a compilation, by place.

use crate::cli::ExplainArgs;
use crate::common::{compile_options, fail, print_diagnostics, read_input, threads, write_output};
use std::process::ExitCode;
use tilia_diag::{Diagnostic, SourceCache, merged, render_remark};
use tilia_driver::Unit;

pub(crate) fn main(args: &ExplainArgs) -> ExitCode {
    let mut sources = SourceCache::default();
    match run(args, &mut sources) {
        Ok(code) => code,
        Err(diagnostics) => fail(&diagnostics, &sources),
    }
}

fn run(args: &ExplainArgs, sources: &mut SourceCache) -> Result<ExitCode, Vec<Diagnostic>> {
    let (name, text) = read_input(&args.file).map_err(|d| vec![d])?;
    sources.insert(name.clone(), text.as_str());
    crate::common::add_strategy(&args.code, sources);
    let mut options = threads(None).and_then(|n| compile_options(&args.code, n)).map_err(|d| vec![d])?;
    options.explain = true;
    let unit = Unit::read(&name, &text, 1, &options);
    if !unit.parsed() {
        return Err(unit.diagnostics().to_vec());
    }
    print_diagnostics(unit.diagnostics(), sources);
    let optimised = unit.optimise(&options)?;
    if let Some(path) = &args.code.schedule_out {
        write_output(path, optimised.schedules().as_bytes()).map_err(|d| vec![d])?;
    }
    let mut remarks = optimised.remarks.clone();
    remarks.sort_by(|a, b| (a.loc.line_column(), a.stage).cmp(&(b.loc.line_column(), b.stage)));
    remarks.retain(|r| crate::common::selected(r, args.code.remarks.as_deref().unwrap_or("all")));
    for r in merged(&remarks) {
        println!("{}", render_remark(&r));
    }
    if remarks.is_empty() {
        println!("{name}: nothing to say: no loop nest with affine bounds and subscripts stores anything");
    }
    Ok(ExitCode::from(u8::from(unit.has_errors())))
}
