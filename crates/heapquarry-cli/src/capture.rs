//! The command `capture`.

use crate::{
    args::{Capture, CaptureKind, Resources, Then},
    ask,
    exit::ExitCode,
    failure::Failure,
    form::Form,
    interrupt,
    options::{plain_options, work_options},
    page, print, progress, redact,
    target::{Interrupts, connected},
};
use heapquarry::{
    ConvertOptions, Head, Packed, Place, Source, process_file, process_text,
    report::{Unit, printable},
    temporary::Folder,
};
use heapquarry_capture::{
    Address, Error, Kind, MOST_BYTES, Options, Preflight, Recorded, Session, Target, Worker, list,
    preflight, sample,
};
use heapquarry_query::{Leaks, Question, Summary};
use std::{
    collections::HashSet,
    env,
    fs::File,
    io::{self, BufWriter, Seek, Write},
    iter,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

pub(crate) fn run(args: &Capture) -> Result<ExitCode, Failure> {
    if args.count > 1 && args.then == Some(Then::Summary) {
        return Err(Failure::Usage("--then summary has one capture; use leaks or report"));
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
    let mut outputs = Outputs::of(args)?;
    let inspector = args.target.inspector(args.force, &stop)?;
    let captured = connected(&inspector, &stop, |session| capture(args, &mut outputs, session))?;
    let code = process(args, &outputs, &captured.sources)?;
    match captured.cut {
        None => Ok(code),
        Some(why) => Err(Failure::Refused(format!("the capture is not whole: {why}"))),
    }
}

fn show_targets(address: &Address, stop: &dyn Fn() -> bool) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    let mut write = |parts: [&str; 4]| {
        let line = parts.map(|part| printable(part).into_owned()).join("  ");
        writeln!(out, "{}", line.trim_end())
    };
    // Workers stand below what has them. Browsers list those of pages, too, but do not always know what they are.
    let (of_pages, targets): (Vec<_>, Vec<_>) =
        list(address, stop)?.into_iter().partition(Target::is_of_page);
    let mut shown = HashSet::new();
    for target in targets {
        write([&target.id, &target.kind, &target.title, &target.url])?;
        if !target.may_have_workers() {
            continue;
        }
        // Another debugger may have it, or it is busy: then only the target itself is known.
        let workers = Session::open(&target, stop).and_then(|mut session| session.workers());
        match workers {
            Ok(workers) => {
                for worker in workers {
                    write([&worker.id, "worker", &worker.title, &worker.url])?;
                    shown.insert(worker.id);
                }
            }
            Err(Error::Interrupted) => return Err(Error::Interrupted.into()),
            Err(error) => print::message("warning", &format!("its workers are not known: {error}")),
        }
    }
    for worker in of_pages.iter().filter(|worker| !shown.contains(&worker.id)) {
        write([&worker.id, &worker.kind, &worker.title, &worker.url])?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the results go.
struct Outputs {
    tables: Option<PathBuf>,
    /// A file for each capture, and what is at its place.
    raw: Vec<(PathBuf, Place)>,
    page: Option<PathBuf>,
    /// What captures are called that have no file.
    names: Vec<PathBuf>,
}

impl Outputs {
    /// What must not be replaced is refused before anything happens to the target.
    fn of(args: &Capture) -> Result<Self, Failure> {
        let names =
            numbered(&PathBuf::from(format!("capture{}", kind(args.kind).extension())), args.count);
        let raw = args.raw.as_deref().map_or(Vec::new(), |raw| numbered(raw, args.count));
        let tables = match &args.output {
            None if args.raw.is_none() && args.then.is_none() => Some("capture.tables".into()),
            output => output.clone(),
        };
        let page = (args.then == Some(Then::Report)).then(|| {
            let name = raw.last().or(tables.as_ref()).or(names.last());
            crate::convert::default_output(name.map_or(Path::new(""), PathBuf::as_path))
                .with_extension("html")
        });
        let all: Vec<&PathBuf> = tables.iter().chain(&raw).chain(&page).collect();
        if let Some(at) = (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
            let why = format!("two outputs have this name ({})", all[at].display());
            return Err(Failure::Output(why));
        }
        if let Some(tables) = &tables {
            heapquarry::check_directory(tables, args.force)?;
        }
        let place = |path: &PathBuf| {
            heapquarry::require_local(path)?;
            Ok(Place::of::<&Path>(path, args.force, &[]).map_err(heapquarry::Error::from)?)
        };
        page.as_ref().map(&place).transpose()?;
        let raw = raw.into_iter().map(|path| place(&path).map(|place| (path, place)));
        let raw = raw.collect::<Result<Vec<_>, Failure>>()?;
        if args.kind == CaptureKind::Heap {
            let files = raw.iter().filter(|(_, place)| *place != Place::Stream);
            for beside in files.map(|(path, _)| process_file(path)) {
                place(&beside)?;
            }
        }
        Ok(Outputs { tables, raw, page, names })
    }

    /// A folder on the disk of the output, which has room for much data.
    fn folder(&self) -> PathBuf {
        let is_on_disk = |(_, place): &&(PathBuf, Place)| *place != Place::Stream;
        let raw = self.raw.iter().filter(is_on_disk).map(|(path, _)| path);
        let output = self.tables.iter().chain(raw).next();
        match output.and_then(|path| path.parent()) {
            Some(parent) if parent.as_os_str().is_empty() => ".".into(),
            Some(parent) => parent.into(),
            None => env::temp_dir(),
        }
    }
}

/// The name, with the number of each capture before its endings if there are several.
fn numbered(path: &Path, count: u32) -> Vec<PathBuf> {
    if count == 1 {
        return vec![path.into()];
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, endings) = match name.char_indices().skip(1).find(|(_, c)| *c == '.') {
        Some((at, _)) => name.split_at(at),
        None => (&*name, ""),
    };
    (1..=count).map(|number| path.with_file_name(format!("{stem}-{number}{endings}"))).collect()
}

struct Captured {
    sources: Vec<Source>,
    /// Why the last one, or those after it, are not there.
    cut: Option<String>,
}

impl Captured {
    fn add_cut(&mut self, why: String) {
        self.cut = Some(match self.cut.take() {
            Some(others) => format!("{others}; {why}"),
            None => why,
        });
    }
}

/// Why there is no capture, if that says nothing of others.
fn lost(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Capture(Error::Interrupted) => None,
        Failure::Capture(error) => Some(error.to_string()),
        Failure::Refused(why) => Some(why.clone()),
        _ => None,
    }
}

/// The isolates of a Node or a page, each with the name of what is captured of it: main thread, then workers.
fn isolates(
    session: &mut Session<'_>,
    extension: &str,
) -> Result<Vec<(PathBuf, Option<Worker>)>, Failure> {
    let workers = session.workers()?.into_iter().map(Some);
    let named = |worker: Option<Worker>| {
        let name = worker.as_ref().map_or("main", |worker| &worker.id);
        (PathBuf::from(format!("{name}{extension}")), worker)
    };
    Ok(iter::once(None).chain(workers).map(named).collect())
}

/// Captures as often as it is wanted, on one connection: objects keep their ids.
fn capture(
    args: &Capture,
    outputs: &mut Outputs,
    session: &mut Session<'_>,
) -> Result<Captured, Failure> {
    let kind = kind(args.kind);
    let mut captured = Captured { sources: Vec::new(), cut: None };
    let isolates = match args.all {
        true => isolates(session, kind.extension())?,
        false => Vec::new(),
    };
    if args.all {
        outputs.names = isolates.iter().map(|(name, _)| name.clone()).collect();
    }
    let rounds = outputs.names.len();
    for round in 0..rounds {
        if let Some((_, worker)) = isolates.get(round) {
            session.enter(worker.as_ref());
        }
        let start = Instant::now();
        let of_isolate = |why: String| match args.all {
            true => format!("{}: {why}", outputs.names[round].display()),
            false => why,
        };
        let (source, recorded) = match one(args, outputs, round, session) {
            // What came before is kept. A worker that has ended takes no other with it.
            Err(failure) if round > 0 && lost(&failure).is_some() => {
                lost(&failure).map(of_isolate).into_iter().for_each(|why| captured.add_cut(why));
                match args.all {
                    true => continue,
                    false => return Ok(captured),
                }
            }
            result => result?,
        };
        if !args.work.quiet {
            let bytes = Unit::Bytes.format(i64::try_from(recorded.bytes).unwrap_or(i64::MAX));
            let seconds = start.elapsed().as_secs_f64();
            // Without a file of its own it has a name, but no place.
            let file = outputs.raw.get(round).map_or(String::new(), |_| format!("{source}: "));
            print::message("captured", &format!("{file}{bytes} in {seconds:.1} s"));
        }
        captured.sources.push(source);
        recorded.cut.map(of_isolate).into_iter().for_each(|why| captured.add_cut(why));
        if captured.cut.is_some() && !args.all {
            return Ok(captured);
        }
        let is_last = round + 1 == rounds;
        if !is_last && let Some(every) = args.every {
            let rest = every.saturating_sub(start.elapsed());
            match session.wait(Some(rest)) {
                Ok(true) => {}
                Ok(false) => return Err(Error::Interrupted.into()),
                Err(error) => captured.cut = Some(error.to_string()),
            }
            if captured.cut.is_some() {
                return Ok(captured);
            }
        }
    }
    Ok(captured)
}

/// A time in the two digits that an estimate has: `0.4 s`, `12 s`.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds < 10.0 {
        true => format!("{seconds:.1} s"),
        false => format!("{seconds:.0} s"),
    }
}

/// Refuses what would end the process, or stop it for too long.
fn check(args: &Capture, found: &Preflight) -> Result<(), Failure> {
    let bytes = |bytes: u64| Unit::Bytes.format(i64::try_from(bytes).unwrap_or(i64::MAX));
    let (heap, needed, most) = (bytes(found.heap), bytes(found.needed), bytes(found.most));
    let needs = format!("about {needed} to {most} more memory");
    let why = match (found.lacking(), found.full) {
        (Some(room), _) => {
            let left = bytes(room.left);
            format!("a snapshot of its heap needs {needs}; {} has {left} left", room.of)
        }
        (None, Some(limit)) => {
            format!("its heap of {heap} is nearly full (limit {})", bytes(limit))
        }
        (None, None) if args.max_pause.is_some_and(|most| found.pause > most) => {
            let advice = "`heapquarry watch` tells what grows, and --kind heap-sampling who allocates, with less";
            let pause = seconds(found.pause);
            let why =
                format!("the process would stop for about {pause}: --max-pause is less; {advice}");
            return Err(Failure::Refused(why));
        }
        (None, None) => {
            if !args.work.quiet {
                let pause = seconds(found.pause);
                let text = format!(
                    "the heap has {heap}; the process stops for about {pause}, and needs {needs}"
                );
                print::message("note", &text);
            }
            return Ok(());
        }
    };
    match args.force {
        true => print::message("warning", &why),
        false => {
            let advice = "use --kind heap-sampling, which needs little, or --force";
            return Err(Failure::Refused(format!("the process may end: {why}; {advice}")));
        }
    }
    Ok(())
}

/// Asks what one would cost, and records it.
fn one(
    args: &Capture,
    outputs: &Outputs,
    round: usize,
    session: &mut Session<'_>,
) -> Result<(Source, Recorded), Failure> {
    let kind = kind(args.kind);
    if kind.has_snapshot() {
        check(args, &preflight(session)?)?;
    }
    // Those of a timeline would be from long before its snapshot.
    let process = (kind == Kind::Heap).then(|| sample(session)).transpose()?;
    let (source, recorded) = record(args, outputs, round, session)?;
    let Some(process) = process else { return Ok((source, recorded)) };
    if let Some((raw, Place::New | Place::File)) = outputs.raw.get(round) {
        let fail = |error: io::Error| {
            Failure::Output(format!(
                "cannot look at what was captured ({}): {error}",
                raw.display()
            ))
        };
        let text = process_text(raw, &process).map_err(fail)?;
        heapquarry::write_file::<&Path, Failure>(&process_file(raw), args.force, &[], |out| {
            out.write_all(text.as_bytes()).map_err(fail)
        })?;
    }
    Ok((source.process(process), recorded))
}

/// Records one, into its file or an unnamed one.
fn record(
    args: &Capture,
    outputs: &Outputs,
    round: usize,
    session: &mut Session<'_>,
) -> Result<(Source, Recorded), Failure> {
    let told = || {
        let text = "the target finishes its snapshot; another interrupt may crash it";
        print::message("interrupted", text);
    };
    let options = Options {
        duration: args.duration,
        gc: args.gc,
        numeric: args.numeric,
        internals: args.internals,
        most: args.work.reading.resources.unpack.max_spool.unwrap_or(MOST_BYTES),
        on_wait: (!args.work.quiet).then_some(told),
        folder: Some(|| Ok(Box::new(Folder::new()?))),
        ..Options::default()
    };
    let mut recorded = None;
    let raw = outputs.raw.get(round);
    let name = raw.map_or(&outputs.names[round], |(path, _)| path);
    let redaction = redact::begun();
    let is_private = redaction.is_some();
    let mut write = |out: &mut dyn Write| {
        let mut out = Intake { out, head: Head::new(name).private(is_private), failure: None };
        let done = session.record(kind(args.kind), &options, &mut out);
        if let Some(failure) = out.failure {
            return Err(failure.into());
        }
        recorded = Some(done.map_err(|error| match error {
            Error::Limit { why } if why.contains(" bytes") => {
                let why = format!("{why}; use --max-spool SIZE to set another limit");
                Error::Limit { why }
            }
            error => error,
        })?);
        Ok(())
    };
    let source = match raw {
        Some((path, Place::New | Place::File))
            if redaction.is_none() && Packed::of(path) == Packed::Plain =>
        {
            heapquarry::write_file::<&Path, Failure>(path, args.force, &[], |out| write(out))?;
            Source::path(path)
        }
        raw => {
            // Packing is slower than the target, and so may be who reads a FIFO: it must not wait for them.
            let folder = outputs.folder();
            let fail = |error: io::Error| {
                let folder = folder.display();
                Failure::Output(format!("cannot write a temporary file in {folder}: {error}"))
            };
            let mut spool = BufWriter::new(tempfile::tempfile_in(&folder).map_err(fail)?);
            write(&mut spool)?;
            let mut spool: File = spool.into_inner().map_err(|error| fail(error.into_error()))?;
            match (raw, redaction) {
                (Some((path, place)), None) => {
                    spool.rewind().map_err(fail)?;
                    heapquarry::write_packed_file::<&Path, Failure>(
                        path,
                        args.force,
                        &[],
                        |out| io::copy(&mut spool, out).map(drop).map_err(fail),
                    )?;
                    match place {
                        // What is written into cannot be read again.
                        Place::Stream => Source::file(path, spool).map_err(fail)?,
                        Place::New | Place::File => Source::path(path),
                    }
                }
                // Before redaction, nothing gets a name on a disk.
                (raw, redaction) => {
                    let source = Source::file(name, spool).map_err(fail)?;
                    if let Some(((path, _), redaction)) = raw.zip(redaction) {
                        let Resources { threads, unpack } = &args.work.reading.resources;
                        // Not a new handle: the recording watches this one.
                        let run = plain_options(*threads, unpack, interrupt::handle());
                        redaction.write(&source, path, args.force, &run)?;
                    }
                    source
                }
            }
        }
    };
    // It was set, or there was an error.
    recorded.map(|recorded| (source, recorded)).ok_or(Failure::Refused("nothing came".into()))
}

/// What comes, as long as it looks like something that can be read.
struct Intake<'a> {
    out: &'a mut dyn Write,
    head: Head,
    failure: Option<heapquarry::Error>,
}

impl Write for Intake<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.head.take(data).map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            io::Error::other(text)
        })?;
        self.out.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Makes of it what was asked for.
fn process(args: &Capture, outputs: &Outputs, sources: &[Source]) -> Result<ExitCode, Failure> {
    if let Some(output) = &outputs.tables {
        let bar = progress::Bar::new(args.work.quiet);
        let run = work_options(&args.work)?.progress(Arc::new(bar.clone()));
        let start = Instant::now();
        let options = ConvertOptions::default().force(args.force).run(run);
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
            Summary::default().ask(&heapquarry_query::Session::new([sources[0].clone()], options))
        }),
        Some(Then::Leaks) => ask::answer(&args.work, Form::Text, |options| {
            Leaks::default().ask(&heapquarry_query::Session::new(sources.iter().cloned(), options))
        }),
        Some(Then::Report) => {
            page::draw(sources, outputs.page.as_deref(), None, None, args.force, &args.work)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_captures_are_numbered() {
        for (name, count, expected) in [
            ("a/b.heapsnapshot.zst", 1, &["a/b.heapsnapshot.zst"][..]),
            (
                "a.d/b.heapsnapshot.zst",
                2,
                &["a.d/b-1.heapsnapshot.zst", "a.d/b-2.heapsnapshot.zst"],
            ),
            ("b", 2, &["b-1", "b-2"]),
            (".b.x", 2, &[".b-1.x", ".b-2.x"]),
        ] {
            let expected: Vec<_> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(numbered(Path::new(name), count), expected);
        }
    }
}
