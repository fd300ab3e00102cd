//! Captures: recordings of running processes, as inputs.
//!
//! Before a heap snapshot the process is asked what that will cost it. What comes goes into a file, or into an unnamed
//! one. The memory of the process and the source maps of its scripts are stored beside it.

mod error;
mod maps;
mod store;

pub use error::{CaptureError, Refused, seconds};
pub use maps::MapsFound;
pub use store::discard;

use crate::{
    Error, Redaction, RunOptions, Source,
    beside::{self, MAPS, PROCESS},
    require_local,
};
use heapquarry_capture::{self as target, Kind, Options, Preflight, Refusal, Session};
use heapquarry_names::StoredMap;
use heapquarry_process::Isolate;
use heapquarry_sink::Place;
use std::{
    env, iter,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// What is captured, how often, and where it goes.
#[derive(Clone, Debug)]
pub struct CaptureOptions {
    /// What is recorded.
    pub kind: Kind,
    /// How it is recorded.
    pub recording: Options,
    /// How often, or of what.
    pub series: Series,
    /// Refuses a snapshot that would stop the process for longer, by an estimate.
    pub max_pause: Option<Duration>,
    /// Replaces existing files, and takes a snapshot where the process may end.
    pub force: bool,
    /// A folder for temporary files, which can be as large as what is captured; without it, that of the files, or else
    /// the system's.
    pub folder: Option<PathBuf>,
    /// What redacts the files.
    pub redaction: Option<Redaction>,
}

/// How often something is captured, or of what.
#[derive(Clone, Debug)]
pub enum Series {
    /// Several times of one target.
    Times {
        /// How often.
        count: u32,
        /// Time from the beginning of one to that of the next.
        every: Option<Duration>,
        /// The file with the bytes of the engine, packed if its name ends in `.gz` or `.zst`; with the number of each
        /// capture in its name if there are several. Without it, captures are unnamed files.
        file: Option<PathBuf>,
    },
    /// Once of the main thread of a Node or a page, and of each of its workers; none has a file.
    Isolates,
}

/// What is told meanwhile.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// What a snapshot will cost the process.
    Cost(&'a Preflight),
    /// A snapshot is taken that would be refused without [`CaptureOptions::force`].
    Risk(&'a Refused),
    /// A part of one has come. How large it will be nobody knows.
    Received {
        /// Its file, if it has one.
        file: Option<&'a Path>,
        /// Bytes so far.
        bytes: u64,
        /// Pieces in which they came.
        pieces: u64,
    },
    /// One has been captured.
    Captured {
        /// Its file, if it has one.
        file: Option<&'a Path>,
        /// Its size.
        bytes: u64,
        /// How long it took.
        time: Duration,
    },
    /// The source maps of the scripts are stored beside the files, or kept if there are none.
    Maps(&'a MapsFound),
}

/// What was captured.
#[derive(Debug, Default)]
pub struct Captured {
    /// The captures, in order.
    pub sources: Vec<Source>,
    /// Why the last one is not whole, or others are not there.
    pub cut: Option<String>,
    /// The source maps of the scripts, if there are no files beside which they are stored.
    pub maps: Arc<[StoredMap]>,
}

impl Captured {
    fn add_cut(&mut self, why: String) {
        self.cut = Some(match self.cut.take() {
            Some(others) => format!("{others}; {why}"),
            None => why,
        });
    }
}

/// A capture that is prepared.
#[derive(Debug)]
pub struct Capture {
    options: CaptureOptions,
    /// A file for each, and what is at its place; empty if they have none.
    files: Vec<(PathBuf, Place)>,
    /// What those are called that have no file.
    names: Vec<PathBuf>,
}

impl Capture {
    /// Prepares it, before anything happens to a target.
    ///
    /// # Errors
    /// If a file exists and must not be replaced, or cannot be written.
    pub fn new(options: CaptureOptions) -> crate::Result<Self> {
        let (count, file) = match &options.series {
            Series::Times { count, file, .. } => (*count, file.as_deref()),
            Series::Isolates => (1, None),
        };
        let place = |path: &Path| {
            require_local(path)?;
            Place::of::<&Path>(path, options.force, &[]).map_err(Error::from)
        };
        let files = file.map_or(Vec::new(), |file| numbered(file, count)).into_iter();
        let files = files.map(|path| place(&path).map(|place| (path, place)));
        let files = files.collect::<crate::Result<Vec<_>>>()?;
        for (path, _) in files.iter().filter(|(_, place)| *place != Place::Stream) {
            if options.kind == Kind::Heap {
                place(&beside::file(path, PROCESS))?;
            }
            place(&beside::file(path, MAPS))?;
        }
        let name = PathBuf::from(format!("capture{}", options.kind.extension()));
        Ok(Capture { files, names: numbered(&name, count), options })
    }

    /// The files that are written, one for each capture; none if they have none.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// What the last one is called if it has no file.
    pub fn last_name(&self) -> PathBuf {
        self.names.last().cloned().unwrap_or_default()
    }

    /// Captures as often as it is wanted, on one connection: objects keep their ids. What came before a failure is
    /// kept. `run` has the resources of redaction; it is asked after a recording, which an interrupt may have ended.
    /// Source maps of the scripts are stored beside files, or are part of what is returned, unless it is redacted.
    ///
    /// # Errors
    /// If nothing is captured, if it is interrupted, or if a file cannot be written.
    pub fn run(
        mut self,
        session: &mut Session<'_>,
        run: &dyn Fn() -> RunOptions,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<Captured, CaptureError> {
        let mut captured = self.record_all(session, run, tell)?;
        let is_on_disk = |(_, place): &&(PathBuf, Place)| *place != Place::Stream;
        let files = self.files.iter().take(captured.sources.len());
        let files: Vec<_> = files.filter(is_on_disk).map(|(file, _)| file).collect();
        // Those that have no file are read at once; of several isolates each has scripts of its own.
        let is_times = matches!(self.options.series, Series::Times { .. });
        let is_read = self.files.is_empty() && is_times;
        if self.options.redaction.is_some()
            || captured.cut.is_some()
            || files.is_empty() && !is_read
        {
            return Ok(captured);
        }
        // After the last one: no snapshot has what the engine makes for a debugger.
        let (maps, mut found) = maps::find(session, run().is_confined);
        if !maps.is_empty() {
            for file in files {
                // What was captured is whole without them.
                if let Err(error) = store::write_maps(file, &maps, self.options.force) {
                    found.stored = 0;
                    found.troubles.insert(format!("source maps are not stored: {error}"));
                }
            }
        }
        tell(Notice::Maps(&found));
        if is_read {
            captured.maps = maps.into();
        }
        Ok(captured)
    }

    fn record_all(
        &mut self,
        session: &mut Session<'_>,
        run: &dyn Fn() -> RunOptions,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<Captured, CaptureError> {
        let mut captured = Captured::default();
        let (isolates, every) = match &self.options.series {
            Series::Times { every, .. } => (Vec::new(), *every),
            Series::Isolates => {
                let workers = session.isolates()?.into_iter().map(Some);
                (iter::once(None).chain(workers).collect(), None)
            }
        };
        let is_all = !isolates.is_empty();
        if is_all {
            let extension = self.options.kind.extension();
            let name = |worker: &Option<target::Worker>| {
                let id = worker.as_ref().map_or("main", |worker| &worker.id);
                PathBuf::from(format!("{id}{extension}"))
            };
            self.names = isolates.iter().map(name).collect();
        }
        let rounds = self.names.len();
        for round in 0..rounds {
            if let Some(worker) = isolates.get(round) {
                session.enter(worker.as_ref());
            }
            let start = Instant::now();
            let of_isolate = |why: String| match is_all {
                true => format!("{}: {why}", self.names[round].display()),
                false => why,
            };
            let (source, recorded) = match self.one(round, session, run, tell) {
                // A worker that has ended takes no other with it.
                Err(error) if round > 0 && error.is_of_one() => {
                    captured.add_cut(of_isolate(error.to_string()));
                    match is_all {
                        true => continue,
                        false => return Ok(captured),
                    }
                }
                result => result?,
            };
            let file = self.files.get(round).map(|(path, _)| path.as_path());
            tell(Notice::Captured { file, bytes: recorded.bytes, time: start.elapsed() });
            let source = match isolates.get(round) {
                Some(worker) => source.of_isolate(self.isolate(worker.as_ref(), session)),
                None => source,
            };
            captured.sources.push(source);
            recorded.cut.map(of_isolate).into_iter().for_each(|why| captured.add_cut(why));
            if captured.cut.is_some() && !is_all {
                return Ok(captured);
            }
            let is_last = round + 1 == rounds;
            if let Some(every) = every.filter(|_| !is_last) {
                match session.wait(Some(every.saturating_sub(start.elapsed()))) {
                    Ok(true) => {}
                    Ok(false) => return Err(target::Error::Interrupted.into()),
                    Err(error) => {
                        captured.add_cut(error.to_string());
                        return Ok(captured);
                    }
                }
            }
        }
        Ok(captured)
    }

    /// Which isolate was captured. What it calls itself can be as secret as what redaction hides.
    fn isolate(&self, worker: Option<&target::Worker>, session: &Session<'_>) -> Isolate {
        let told = worker.map_or_else(|| session.main().clone(), target::Worker::isolate);
        match self.options.redaction {
            Some(_) => Isolate { title: None, url: None, ..told },
            None => told,
        }
    }

    /// Asks what one would cost, and records it.
    fn one(
        &self,
        round: usize,
        session: &mut Session<'_>,
        run: &dyn Fn() -> RunOptions,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<(Source, target::Recorded), CaptureError> {
        let CaptureOptions { kind, max_pause, force, .. } = self.options;
        if kind.has_snapshot() {
            let found = target::preflight(session)?;
            match found.refusal(max_pause) {
                None => tell(Notice::Cost(&found)),
                Some(refusal) => {
                    // A limit that is set is meant, whatever else is forced.
                    let too_long = max_pause.filter(|most| force && found.pause > *most);
                    let refusal = too_long.map_or(refusal, Refusal::Pause);
                    let refused = Refused { refusal, found };
                    if !force || too_long.is_some() {
                        return Err(CaptureError::Refused(Box::new(refused)));
                    }
                    tell(Notice::Risk(&refused));
                }
            }
        }
        // Those of a timeline would be from long before its snapshot.
        let process = (kind == Kind::Heap).then(|| target::sample(session)).transpose()?;
        let (source, recorded) = self.record(round, session, run, tell)?;
        let Some(process) = process else { return Ok((source, recorded)) };
        if let Some((file, Place::New | Place::File)) = self.files.get(round) {
            store::write_process(file, &process, force)?;
        }
        Ok((source.process(process), recorded))
    }

    /// The folder for temporary files.
    fn folder(&self) -> PathBuf {
        let is_on_disk = |(_, place): &&(PathBuf, Place)| *place != Place::Stream;
        let parent = || self.files.iter().find(is_on_disk).and_then(|(path, _)| path.parent());
        match self.options.folder.as_deref().or_else(parent) {
            Some(folder) if folder.as_os_str().is_empty() => ".".into(),
            Some(folder) => folder.into(),
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
