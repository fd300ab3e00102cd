//! The command `convert`.

use crate::{
    args, exit::ExitCode, failure::Failure, options::reading_options, print, progress, redact,
};
use heapquarry::{Code, ConvertOptions, Converted, Names, RunOptions, report::printable};
use heapquarry_store::duckdb;
use std::{
    collections::HashMap,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

pub(crate) fn run(args: args::Convert) -> Result<ExitCode, Failure> {
    convert(args).map(|()| ExitCode::SUCCESS)
}

fn convert(args: args::Convert) -> Result<(), Failure> {
    let output = args.output.clone().unwrap_or_else(|| default_output(&args.inputs[0].path));
    let bar = progress::Bar::new(args.quiet);
    let options = convert_options(&args, &bar, reading_options)?;
    let start = Instant::now();
    warn_of_repeated(&args.inputs);
    let report = heapquarry::convert(&args.inputs, &output, &options);
    bar.finish();
    let report = report?;
    if !args.quiet {
        // The work is done; a closed standard error does not undo it.
        let _ = summarise(&mut io::stderr().lock(), &report, start);
    }
    if let Some(warning) = &report.warning {
        print::message("warning", &warning.to_string());
    }
    Ok(())
}

/// Says which inputs are given more than once: each is converted as often.
fn warn_of_repeated(inputs: &[heapquarry::Source]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for input in inputs.iter().map(ToString::to_string) {
        let times = seen.entry(input.clone()).or_default();
        *times += 1;
        if *times == 2 {
            print::message("warning", &format!("input is given more than once ({input})"));
        }
    }
}

/// The options of a conversion; `run` tells how its inputs are read.
pub(crate) fn convert_options(
    args: &args::Convert,
    bar: &progress::Bar,
    run: impl FnOnce(&args::Reading) -> heapquarry::Result<RunOptions>,
) -> heapquarry::Result<ConvertOptions> {
    let defaults = ConvertOptions::default();
    let window = args.read_window.map_or(defaults.read_window, Into::into);
    redact::begin(&args.private)?;
    let run = run(&args.reading)?.memory(args.memory).progress(Arc::new(bar.clone()));
    Ok(defaults
        .force(args.force)
        .mode(args.mode)
        .tables(args.tables.clone())
        .columns(args.columns.clone())
        .names(match args.names {
            args::Names::Text => Names::Text,
            args::Names::Id => Names::Id,
        })
        .analyze(args.analyze)
        .strict(args.strict)
        .compression(args.compression)
        .encodings(args.encodings)
        .layout(args.layout)
        .row_group_rows(args.row_group_rows as usize)
        .read_window(window)
        .run(run))
}

/// The first input's name with `.tables` for its extension, in the current directory.
pub(crate) fn default_output(input: &Path) -> PathBuf {
    if input == Path::new("-") {
        return "stdin.tables".into();
    }
    let mut name = PathBuf::from(input.file_name().unwrap_or(input.as_os_str()));
    if name.extension().is_some_and(|e| e == "gz" || e == "zst") {
        name.set_extension("");
    }
    name.set_extension("tables");
    name
}

/// Says what was written.
pub(crate) fn summarise(
    out: &mut impl Write,
    report: &Converted,
    start: Instant,
) -> io::Result<()> {
    for document in &report.documents {
        let counts = document.counts.iter().map(|(what, count)| format!("{count} {what}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let is_part = report.documents.iter().any(|d| d.index.is_none() && d.path == document.path);
        let path = document.path.to_string_lossy();
        let path = printable(&path);
        match document.index {
            Some(index) if is_part => write!(out, "{path}#{index}, {}", printable(&document.name))?,
            _ => write!(out, "{path}")?,
        }
        write!(out, ": {}", document.format)?;
        if !counts.is_empty() {
            write!(out, " of {counts}")?;
        }
        match (document.status, document.defects) {
            (_, 0) => writeln!(out)?,
            (status, n) => {
                let s = if n == 1 { "" } else { "s" };
                writeln!(out, "; {}: {n} defect{s}, see import_log", status.name())?;
            }
        }
    }
    let with_rows = || report.tables.iter().filter(|table| table.rows > 0);
    let width = with_rows().map(|t| t.file.len()).max().unwrap_or(0);
    for table in with_rows() {
        writeln!(out, "  {:width$} {:>12} rows {:>14} bytes", table.file, table.rows, table.bytes)?;
    }
    match report.tables.len() - with_rows().count() {
        0 => {}
        1 => writeln!(out, "  and a table without rows")?,
        more => writeln!(out, "  and {more} tables without rows")?,
    }
    let documents = report.documents.iter().filter(|d| d.index.is_some());
    let read: u64 = documents.map(|d| d.bytes).sum();
    let seconds = start.elapsed().as_secs_f64();
    let rate = read as f64 / 1e6 / seconds.max(1e-9);
    let path = report.path.to_string_lossy();
    let path = printable(&path);
    let written: u64 = report.tables.iter().map(|table| table.bytes).sum();
    writeln!(out, "{path}: {written} bytes; read {read} bytes in {seconds:.2} s, {rate:.0} MB/s")?;
    for document in &report.documents {
        let nothing = document.log.iter().find(|entry| entry.code == Code::NothingToRead);
        if let Some(entry) = nothing {
            let path = document.path.to_string_lossy();
            return writeln!(
                out,
                "nothing to read ({}): {}",
                printable(&path),
                printable(&entry.message)
            );
        }
    }
    match heapquarry::is_address(&report.path) {
        // `query` reads local tables.
        true => Ok(()),
        false => writeln!(out, "next: heapquarry {} {path}", next(report)),
    }
}

/// The verb that looks into what was converted, and needs nothing that is not installed.
fn next(report: &Converted) -> &'static str {
    match report.documents.iter().filter(|document| document.index.is_some()).count() {
        _ if duckdb::Engine::find().is_ok() => "query",
        1 => "summary",
        // Each has a summary of its own.
        _ => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_named_after_the_input() {
        for (input, output) in [
            ("a/b/app.heapsnapshot", "app.tables"),
            ("app.heapsnapshot.gz", "app.tables"),
            ("app.heaptimeline.zst", "app.tables"),
            ("app", "app.tables"),
            ("-", "stdin.tables"),
        ] {
            assert_eq!(default_output(Path::new(input)), Path::new(output));
        }
    }
}
