//! The command `capture`.

use crate::{
    args::{Capture as Args, CaptureKind, Resources, Then},
    ask,
    exit::ExitCode,
    failure::Failure,
    form::Form,
    interrupt,
    options::{plain_options, work_options},
    page, print, progress, redact,
    target::Interrupts,
};
use heapquarry::{
    ConvertOptions, Place, Progress as _, RunOptions,
    capture::{Capture, CaptureOptions, Captured, MapsFound, Notice, Series, seconds},
    report::{Unit, printable},
};
use heapquarry_capture::{Address, Kind, Listed, MOST_BYTES, Options, list_with_workers};
use heapquarry_query::{Leaks, Question, Summary};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

/// Warnings of source maps that are printed.
const MOST_TROUBLES: usize = 5;

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.count > 1 && args.then == Some(Then::Summary) {
        return Err(Failure::Usage("--then summary has one capture; use leaks or report"));
    }
    if args.analyze && tables(args).is_none() {
        return Err(Failure::Usage("--analyze adds tables, and none are written; give --output"));
    }
    let interrupts = Interrupts::new();
    let stop = || interrupts.take();
    if args.list {
        let inspector = args.target.inspector(args.force, &stop)?;
        let shown = show_targets(&inspector.address, &stop);
        inspector.close();
        return shown;
    }
    redact::begin(&args.private)?;
    let capture = Capture::new(options(args))?;
    let outputs = Outputs::of(args, &capture)?;
    let inspector = args.target.inspector(args.force, &stop)?;
    let bar = progress::Bar::new(args.work.quiet);
    let captured = inspector.connected(&stop, |session| {
        let Resources { threads, unpack } = &args.work.reading.resources;
        // Not a new handle: the recording watches this one.
        let run = || plain_options(*threads, unpack, interrupt::handle());
        capture.run(session, &run, &mut |notice| match notice {
            Notice::Received { file, bytes, pieces } => {
                let file = file.map_or("".into(), Path::to_string_lossy);
                bar.received(&file, bytes, pieces);
            }
            notice => {
                bar.finish();
                tell(args, notice);
            }
        })
    });
    bar.finish();
    let captured = captured?;
    let code = process(args, &outputs, &captured)?;
    captured.cut.map_or(Ok(code), |why| Err(Failure::Cut(why)))
}

fn show_targets(address: &Address, stop: &dyn Fn() -> bool) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    let mut write = |parts: [&str; 4]| {
        let line = parts.map(|part| printable(part).into_owned()).join("  ");
        writeln!(out, "{}", line.trim_end())
    };
    for Listed { target, workers } in list_with_workers(address, stop)? {
        write([&target.id, &target.kind, &target.title, &target.url])?;
        match workers {
            Ok(workers) => workers
                .iter()
                .try_for_each(|worker| write([&worker.id, "worker", &worker.title, &worker.url]))?,
            Err(error) => print::message("warning", &format!("its workers are not known: {error}")),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is captured, as the arguments say.
fn options(args: &Args) -> CaptureOptions {
    let told = || {
        let text = "the target finishes its snapshot; another interrupt may crash it";
        print::message("interrupted", text);
    };
    let recording = Options {
        duration: args.duration,
        gc: args.gc,
        numeric: args.numeric,
        internals: args.internals,
        most: args.work.reading.resources.unpack.max_spool.unwrap_or(MOST_BYTES),
        on_wait: (!args.work.quiet).then_some(told),
        ..Options::default()
    };
    let series = match args.all {
        true => Series::Isolates,
        false => Series::Times { count: args.count, every: args.every, file: args.raw.clone() },
    };
    let folder = tables(args).and_then(|tables| tables.parent().map(Path::to_owned));
    CaptureOptions {
        kind: kind(args.kind),
        recording,
        series,
        max_pause: args.max_pause,
        force: args.force,
        folder,
        redaction: redact::begun(),
    }
}

/// Prints what happens.
fn tell(args: &Args, notice: Notice<'_>) {
    let bytes = |bytes: u64| Unit::Bytes.format(i64::try_from(bytes).unwrap_or(i64::MAX));
    match notice {
        Notice::Risk(refused) => print::message("warning", &refused.to_string()),
        _ if args.work.quiet => {}
        Notice::Cost(found) => {
            let (heap, pause) = (bytes(found.heap), seconds(found.pause));
            let (needed, most) = (bytes(found.needed), bytes(found.most));
            let needs = format!("about {needed} to {most} more memory");
            let text = format!(
                "the heap has {heap}; the process stops for about {pause}, and needs {needs}"
            );
            print::message("note", &text);
        }
        Notice::Captured { file, bytes: size, time } => {
            let file = file.map_or(String::new(), |file| format!("{}: ", file.display()));
            let text = format!("{file}{} in {:.1} s", bytes(size), time.as_secs_f64());
            print::message("captured", &text);
        }
        Notice::Maps(found) => maps(found, what_becomes_of_maps(args)),
        _ => {}
    }
}

/// What becomes of the source maps that are found, in words.
fn what_becomes_of_maps(args: &Args) -> &'static str {
    match (&args.raw, args.then, args.kind) {
        (Some(_), ..) => "stored beside it",
        (None, None, CaptureKind::Heap) if !args.analyze => {
            "not used: tables of a heap have names of sources only with --analyze"
        }
        _ => "used",
    }
}

/// Says what became of the source maps of scripts.
fn maps(found: &MapsFound, what: &str) {
    let scripts =
        |count: usize| if count == 1 { "1 script".into() } else { format!("{count} scripts") };
    if found.stored > 0 {
        let text = format!("the source maps of {} are {what}", scripts(found.stored));
        print::message("note", &text);
    }
    if found.elsewhere > 0 {
        let scripts = scripts(found.elsewhere);
        let text =
            format!("source maps of {scripts} are not on this machine; --source-map takes them");
        print::message("note", &text);
    }
    for trouble in found.troubles.iter().take(MOST_TROUBLES) {
        print::message("warning", trouble);
    }
    if let Some(more) = found.troubles.len().checked_sub(MOST_TROUBLES).filter(|&more| more > 0) {
        print::message("warning", &format!("{more} more source maps cannot be stored"));
    }
}

/// The directory of tables, if there is one.
fn tables(args: &Args) -> Option<PathBuf> {
    match &args.output {
        None if args.raw.is_none() && args.then.is_none() => Some("capture.tables".into()),
        output => output.clone(),
    }
}

/// Where results go, besides the captures themselves.
struct Outputs {
    tables: Option<PathBuf>,
    page: Option<PathBuf>,
}

impl Outputs {
    /// What must not be replaced is refused before anything happens to the target.
    fn of(args: &Args, capture: &Capture) -> Result<Self, Failure> {
        let tables = tables(args);
        let page = (args.then == Some(Then::Report)).then(|| {
            let name = capture.files().last().or(tables.as_deref());
            let name = name.map_or_else(|| capture.last_name(), Path::to_owned);
            crate::convert::default_output(&name).with_extension("html")
        });
        let files = capture.files();
        let all: Vec<&Path> =
            tables.as_deref().into_iter().chain(files).chain(page.as_deref()).collect();
        if let Some(at) = (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
            let why = format!("two outputs have this name ({})", all[at].display());
            return Err(Failure::Output(why));
        }
        if let Some(tables) = &tables {
            heapquarry::check_directory(tables, args.force)?;
        }
        if let Some(page) = &page {
            Place::of::<&Path>(page, args.force, &[]).map_err(heapquarry::Error::from)?;
        }
        Ok(Outputs { tables, page })
    }
}

/// Makes of it what was asked for.
fn process(args: &Args, outputs: &Outputs, captured: &Captured) -> Result<ExitCode, Failure> {
    let sources = &captured.sources;
    let with_maps = |mut run: RunOptions| {
        run.captured_maps = captured.maps.clone();
        run
    };
    if let Some(output) = &outputs.tables {
        let bar = progress::Bar::new(args.work.quiet);
        let run = with_maps(work_options(&args.work)?.progress(Arc::new(bar.clone())));
        let start = Instant::now();
        let options = ConvertOptions::default().force(args.force).analyze(args.analyze).run(run);
        let converted = heapquarry::convert(sources, output, &options);
        bar.finish();
        let converted = converted?;
        if !args.work.quiet {
            let _ = crate::convert::summarise(&mut io::stderr().lock(), &converted, start);
        }
    }
    match args.then {
        None => Ok(ExitCode::SUCCESS),
        Some(Then::Summary) => ask::answer(&args.work, Form::Text, |options| {
            let options = &with_maps(options.clone());
            Summary::default().ask(&heapquarry_query::Session::new([sources[0].clone()], options))
        }),
        Some(Then::Leaks) => ask::answer(&args.work, Form::Text, |options| {
            let options = &with_maps(options.clone());
            Leaks::default().ask(&heapquarry_query::Session::new(sources.iter().cloned(), options))
        }),
        Some(Then::Report) => {
            let page = page::Page {
                inputs: sources,
                output: outputs.page.as_deref(),
                title: None,
                marks: None,
                force: args.force,
            };
            page.draw(&args.work, with_maps)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn kind(kind: CaptureKind) -> Kind {
    match kind {
        CaptureKind::Heap => Kind::Heap,
        CaptureKind::HeapSampling => Kind::HeapSampling,
        CaptureKind::Cpu => Kind::Cpu,
        CaptureKind::Timeline => Kind::Timeline,
        CaptureKind::Trace => Kind::Trace,
    }
}
