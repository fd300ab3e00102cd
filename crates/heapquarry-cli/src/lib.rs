//! The `heapquarry` command: flags, exit codes and the progress bar around the library. A library of its own, because
//! the Python package has the command too: its interface is [`command`], and may change with any version.
#![forbid(unsafe_code)]

mod args;
mod ask;
mod batch;
mod cache;
mod capture;
mod exit;
mod failure;
mod index;
mod mcp;
mod open;
mod page;
mod print;
mod progress;
mod query;
mod redact;
mod schema;
mod target;
mod watch;

use args::{Cli, ErrorForm, Extract, Private, Reading, Select, Unpack, Verb, Work};
use clap::{CommandFactory, Parser};
use exit::ExitCode;
use failure::Failure;
use heapquarry::{Cancel, Code, ConvertOptions, Converted, Names, RunOptions, report::printable};
use heapquarry_store::{cache::Cache, duckdb};
use std::{
    collections::HashMap,
    ffi::OsString,
    io::{self, Write},
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

const EXIT_FAILURE: u8 = 2;
const EXIT_PARTIAL: u8 = 3;
const EXIT_INTERRUPTED: u8 = 130;

/// Runs the command with these arguments, of which the first is its name. Returns the exit code, or ends the process:
/// after wrong usage, after `--help`, and after the second interrupt.
pub fn command(args: Vec<OsString>) -> u8 {
    write_errors_instead_of_signals();
    if let Some((first, verb)) = args::meant(&args) {
        let what = format!("no command and no file of this name ({first}): did you mean {verb}?");
        return Failure::Wrong(what).report(failure::form(&args)).number();
    }
    let args = args::with_verb(args);
    let form = failure::form(&args);
    let code = run(parse(args, form)).unwrap_or_else(|failure| match is_interrupted() {
        // Whatever failed then is a consequence.
        true => Failure::Library(heapquarry::ErrorKind::Cancelled.into()).report(form),
        false => failure.report(form),
    });
    redact::conclude(code).number()
}

/// Parses the command line, or ends the process. The message of an error quotes arguments, and these may be names of
/// files that a stranger chose.
fn parse(args: Vec<OsString>, form: ErrorForm) -> Cli {
    Cli::try_parse_from(&args).unwrap_or_else(|error| {
        let safe = args.iter().map(|arg| printable(&arg.to_string_lossy()).into_owned());
        // Where only characters that do not print were wrong, nothing is wrong with the printable arguments.
        let unprintable = || {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let message = text.split("\n\nFor more information").next().unwrap_or_default();
            Cli::command().error(error.kind(), printable(message))
        };
        let error = Cli::try_parse_from(safe).err().unwrap_or_else(unprintable);
        if form == ErrorForm::Json && error.use_stderr() {
            failure::usage(&error);
            std::process::exit(i32::from(EXIT_FAILURE));
        }
        error.exit()
    })
}

/// Has writing beyond the limit for the size of files (`ulimit -f`) fail instead of ending the process: SIGXFSZ is
/// blocked, in all threads that are started later too.
fn write_errors_instead_of_signals() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        let _ = signals.thread_block();
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    match cli.verb {
        Verb::Convert(args) if args.batch.batch.is_some() => {
            return batch::run(args, cli.error_format);
        }
        Verb::Convert(args) => convert(args)?,
        Verb::Query(args) => {
            drop(out);
            return query::run(args);
        }
        Verb::Views(args) => schema::views(&args, &mut out)?,
        Verb::Capture(args) => {
            drop(out);
            return capture::run(&args);
        }
        Verb::Watch(args) => {
            drop(out);
            return watch::run(&args);
        }
        Verb::Redact(args) => {
            drop(out);
            return redact::run(args);
        }
        Verb::Mcp(args) => {
            drop(out);
            return mcp::run(args);
        }
        Verb::Index(args) => index::run(&args, &mut out)?,
        Verb::Cache(args) => cache::run(&args.action, &mut out)?,
        Verb::Summary(args) => return ask::about(&args),
        Verb::Show(args) => return ask::about(&args),
        Verb::Why(args) => return ask::about(&args),
        Verb::Find(args) => return ask::about(&args),
        Verb::Diff(args) => return ask::diff(args),
        Verb::Leaks(args) => return ask::leaks(&args),
        Verb::Check(args) => return ask::check(args),
        Verb::Report(args) => page::report(&args)?,
        Verb::Open(args) => {
            drop(out);
            open::run(&args)?;
            return Ok(ExitCode::SUCCESS);
        }
        Verb::Info(args) => {
            let options = RunOptions::default().cancel(catch_interrupts());
            let options = with_unpacking(options, &args.unpack);
            let infos = args.inputs.iter().map(|input| heapquarry::info(input, &options));
            let infos = infos.collect::<Result<Vec<_>, _>>()?;
            if args.json {
                writeln!(out, "{}", heapquarry::Info::json(&infos))?;
            } else {
                infos.iter().try_for_each(|info| write!(out, "{info}"))?;
            }
        }
        Verb::Export(args) => {
            let to = match args.to {
                args::ExportFormat::Collapsed => heapquarry_query::ExportFormat::Collapsed,
                args::ExportFormat::Speedscope => heapquarry_query::ExportFormat::Speedscope,
                args::ExportFormat::Pprof => heapquarry_query::ExportFormat::Pprof,
                args::ExportFormat::Cpuprofile => heapquarry_query::ExportFormat::CpuProfile,
                args::ExportFormat::Chrome => heapquarry_query::ExportFormat::Chrome,
            };
            let options = run_options(None, &args.unpack, &args.private)?;
            let input = args.only.of(&args.input);
            let mut out = io::BufWriter::new(&mut out);
            match &args.later {
                None => heapquarry_query::export(&input, to, &mut out, &options)?,
                Some(later) => {
                    let later = args.only.of(later);
                    heapquarry_query::export_difference(&input, &later, to, &mut out, &options)?;
                }
            }
        }
        Verb::Extract(args) => {
            let Extract { input, output, unpack, private, force } = args;
            let options = run_options(None, &unpack, &private)?;
            let extracted = heapquarry::extract(&input, output, force, &options)?;
            for path in &extracted.paths {
                writeln!(out, "{}", printable(&path.to_string_lossy()))?;
            }
            extracted.losses.iter().for_each(|(name, loss)| print::loss(name, loss));
        }
        Verb::Schema(args) => schema::describe(&args, &mut out)?,
        Verb::Completions { shell } => {
            // It panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "heapquarry", &mut script);
            out.write_all(&script)?;
        }
        Verb::Man => clap_mangen::Man::new(Cli::command()).render(&mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Interrupts within this time are one: a terminal sends it to all that run, and what started us may pass it on, as the
/// npm package does.
const AT_ONCE: Duration = Duration::from_millis(200);

/// What the next interrupt cancels.
fn current() -> MutexGuard<'static, Option<Cancel>> {
    static CURRENT: Mutex<Option<Cancel>> = Mutex::new(None);
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an interrupt came since the last handle was made.
fn is_interrupted() -> bool {
    current().as_ref().is_some_and(Cancel::is_cancelled)
}

/// A handle that the next interrupt cancels; the one after it removes what is unfinished and ends the process at once.
fn catch_interrupts() -> Cancel {
    let cancel = Cancel::new();
    if current().replace(cancel.clone()).is_none() {
        let mut last: Option<Instant> = None;
        let _ = ctrlc::set_handler(move || {
            // Counted from the first one: whoever keeps the key down must get through.
            if last.is_some_and(|last| last.elapsed() < AT_ONCE) {
                return;
            }
            last = Some(Instant::now());
            let was_cancelled = current().as_ref().is_some_and(Cancel::cancel);
            if was_cancelled && !duckdb::owns_the_terminal() {
                // Otherwise a partial output would stay until the next run removes it.
                heapquarry::temporary::remove_all();
                std::process::exit(i32::from(EXIT_INTERRUPTED));
            }
        });
    }
    cancel
}

/// That many threads, until an interrupt.
fn run_options(
    threads: Option<NonZero<usize>>,
    unpack: &Unpack,
    private: &Private,
) -> heapquarry::Result<RunOptions> {
    let options = RunOptions::default().threads(threads.map_or(0, NonZero::get));
    let options = options.redaction(redact::of_inputs(private)?);
    Ok(with_unpacking(options.cancel(catch_interrupts()), unpack))
}

fn reading_options(reading: &Reading) -> heapquarry::Result<RunOptions> {
    run_options(reading.threads, &reading.unpack, &reading.private)
}

/// The options of a run, without its progress.
fn work_options(work: &Work) -> heapquarry::Result<RunOptions> {
    let options = reading_options(&work.reading)?.memory(work.memory);
    Ok(if work.no_cache { options } else { with_indices(options) })
}

/// With the indices that are kept. Without a folder there is nothing to look for.
fn with_indices(options: RunOptions) -> RunOptions {
    let cache = Cache::of_user().ok();
    options.index(cache.map(|cache| Arc::new(cache) as _))
}

fn with_unpacking(options: RunOptions, unpack: &Unpack) -> RunOptions {
    options.max_spool(unpack.max_spool)
}

fn convert(args: args::Convert) -> Result<(), Failure> {
    // Before the work instead of after it.
    let engine = args.duckdb.then(duckdb::Engine::find).transpose()?;
    let output = args.output.clone().unwrap_or_else(|| default_output(&args.inputs[0].path));
    let bar = progress::Bar::new(args.quiet);
    let options = convert_options(&args, &bar)?;
    let start = Instant::now();
    warn_of_repeated(&args.inputs);
    let report = heapquarry::convert(&args.inputs, &output, &options);
    bar.finish();
    let report = report?;
    if !args.quiet {
        // The work is done; a closed standard error does not undo it.
        let _ = summarise(&mut io::stderr().lock(), &report, start);
    }
    if let Some(engine) = engine {
        engine.write_database(&report.path)?;
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

/// The options of a conversion.
fn convert_options(
    args: &args::Convert,
    bar: &progress::Bar,
) -> heapquarry::Result<ConvertOptions> {
    let defaults = ConvertOptions::default();
    let window = args.read_window.map_or(defaults.read_window, Into::into);
    let run = reading_options(&args.reading)?.memory(args.memory).progress(Arc::new(bar.clone()));
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
fn default_output(input: &Path) -> PathBuf {
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

fn summarise(out: &mut impl Write, report: &Converted, start: Instant) -> io::Result<()> {
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
