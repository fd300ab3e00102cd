//! The command `convert --batch`.

use crate::{
    args::{self, ErrorForm, Resources},
    convert::convert_options,
    exit::ExitCode,
    failure::Failure,
    options::run_options,
    print, progress,
};
use heapquarry::report::printable;
use heapquarry_store::batch::{BatchInput, BatchOptions, Batched, Keep, batch};
use std::{
    io::{self, Write},
    time::Instant,
};

/// Failures that are told; the log has all.
const TOLD: usize = 20;

pub(crate) fn run(mut args: args::Convert, form: ErrorForm) -> Result<ExitCode, Failure> {
    if args.private.redact.is_some() && args.private.redact_key.is_none() {
        // Without one, each run has other tokens.
        return Err(Failure::Usage(
            "--redact needs --redact-key with --batch, which may take several runs",
        ));
    }
    let start = Instant::now();
    let (inputs, output) = (args.batch.batch.take(), args.output.take());
    let (given, output) = inputs.zip(output).expect("both are required");
    let keep = match args.batch.keep.as_str() {
        "summary" => Keep::Summary,
        "all" => Keep::Tables,
        tables => {
            args.tables = tables.split(',').map(str::to_owned).collect();
            Keep::Tables
        }
    };
    let bar = progress::Bar::new(args.quiet);
    // Without source maps: a later run with other ones would not write again what is done.
    let convert = convert_options(&args, &bar, |reading| {
        let Resources { threads, unpack } = &reading.resources;
        Ok(run_options(*threads, unpack))
    })?;
    let cancel = convert.run.cancel.clone();
    let mut options = BatchOptions::default().keep(keep).convert(convert);
    options.labels = std::mem::take(&mut args.batch.labels);
    options.jobs = args.batch.jobs;
    let inputs = BatchInput::all_until(&given, &cancel)?;
    if inputs.is_empty() {
        let given = given.to_string_lossy();
        print::message("warning", &format!("nothing to convert ({given}): there are no inputs"));
    }
    let report = batch(&inputs, output, &options);
    bar.finish();
    let report = report?;
    let code = if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::PARTIAL };
    let mut line = Vec::new();
    summarise(&mut line, &report, start)?;
    for failed in report.failed.into_iter().take(TOLD) {
        Failure::Library(failed.error).report(form);
    }
    if !args.quiet {
        // The work is done; a closed standard error does not undo it.
        let _ = io::stderr().write_all(&line);
    }
    Ok(code)
}

fn summarise(out: &mut impl Write, report: &Batched, start: Instant) -> io::Result<()> {
    let Batched { path, done, bytes, before, failed, .. } = report;
    let path = path.to_string_lossy();
    write!(
        out,
        "{}: {done} done, {} failed, {before} done before",
        printable(&path),
        failed.len()
    )?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = *bytes as f64 / 1e6 / seconds.max(1e-9);
    writeln!(out, "; {bytes} bytes in {seconds:.2} s, {rate:.0} MB/s")
}
