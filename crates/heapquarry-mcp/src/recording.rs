//! Captures of processes of this machine. They are files like others, so that a client goes on with them by their
//! names. Whoever starts the server has to allow it.

use crate::Failure;
use heapquarry::{
    Error, ErrorKind, Redaction, RunOptions,
    capture::{Capture, CaptureError, CaptureOptions, Notice, Series, discard},
};
use heapquarry_capture::{self as target, Address, Inspector, Kind, Options, inspector_of};
use std::{
    cell::Cell,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A process of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    /// A Node, which is told to open its inspector.
    Id(u32),
    /// What has its inspector there.
    Port(u16),
}

/// Time of a profile, and between snapshots, unless another one is asked for.
const TIME: Duration = Duration::from_secs(10);

/// What there can be of a process, each by the ending of its files.
const KINDS: [Kind; 4] = [Kind::Heap, Kind::Timeline, Kind::HeapSampling, Kind::Cpu];

/// Captures files one after the other, on one connection, so that objects keep their ids. Says why the last one is not
/// whole.
///
/// # Errors
/// If the name of one does not tell what it is to be, or nothing is captured.
pub(crate) fn record(
    process: Process,
    files: &[PathBuf],
    time: Option<Duration>,
    run: &RunOptions,
) -> Result<Option<String>, Failure> {
    let time = time.unwrap_or(TIME);
    let captures = files.iter().map(|file| prepared(file, time, run));
    let captures = captures.collect::<Result<Vec<_>, _>>()?;
    // A target can crash when it is left while it sends a snapshot. So it is told once to stop, and then heard out for
    // a while. A profile that nobody wants is not waited for.
    let (is_snapshot, has_stopped) = (Cell::new(false), Cell::new(false));
    let stop = || run.cancel.is_cancelled() && !(is_snapshot.get() && has_stopped.replace(true));
    let inspector = match process {
        Process::Id(pid) => inspector_of(pid, false, &stop).map_err(CaptureError::from),
        Process::Port(port) => Ok(Inspector::at(Address::local(port))),
    };
    // What is redacted is read as it is.
    let plain = || run.clone().redaction(None::<Redaction>);
    let mut done = 0;
    let captured = inspector.and_then(|inspector| {
        inspector.connected(&stop, |session| {
            let mut next = Instant::now();
            for (file, capture) in files.iter().zip(captures) {
                let pause = next.saturating_duration_since(Instant::now());
                if !pause.is_zero() && !session.wait(Some(pause))? {
                    return Err(target::Error::Interrupted.into());
                }
                next = Instant::now() + time;
                is_snapshot.set(matches!(kind(file), Some(Kind::Heap | Kind::Timeline)));
                let captured = capture.run(session, &plain, &mut |notice| tell(&notice, run));
                is_snapshot.set(false);
                let captured = match captured {
                    Err(CaptureError::Target(error)) if done > 0 && !run.cancel.is_cancelled() => {
                        return Ok(Some(error.to_string()));
                    }
                    captured => captured?,
                };
                done += 1;
                if captured.cut.is_some() {
                    return Ok(captured.cut);
                }
            }
            Ok(None)
        })
    });
    if run.cancel.is_cancelled() {
        remove(&files[..done])?;
        return Err(Failure::Cancelled);
    }
    captured.map_err(|error| match error {
        CaptureError::Target(target::Error::Interrupted) => Failure::Cancelled,
        CaptureError::Library(error) => unwritten(error, run),
        error => Failure::new(error.to_string()),
    })
}

/// Removes what was captured for a call that was cancelled: nobody is told what there is, and whoever asks again wants
/// new files.
///
/// # Errors
/// If a file cannot be removed; the others are.
pub(crate) fn remove(files: &[PathBuf]) -> Result<(), Failure> {
    let mut removed = Ok(());
    for (file, kind) in files.iter().filter_map(|file| Some((file, kind(file)?))) {
        removed = removed.and(discard(kind, file));
    }
    removed.map_err(|error| Failure::new(format!("cannot remove what was captured: {error}")))
}

/// Tells how much has come.
fn tell(notice: &Notice<'_>, run: &RunOptions) {
    if let Notice::Received { file: Some(file), bytes, pieces } = notice {
        // Where files are is private.
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        run.progress.received(&name, *bytes, *pieces);
    }
}

fn prepared(file: &Path, time: Duration, run: &RunOptions) -> Result<Capture, Failure> {
    let Some(kind) = kind(file) else {
        let endings = KINDS.map(Kind::extension).join(", ");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("{name}: what is captured into a file, its ending tells: {endings}");
        return Err(Failure::new(what));
    };
    let recording = Options { duration: Some(time), ..Options::default() };
    let series = Series::Times { count: 1, every: None, file: Some(file.into()) };
    let redaction = run.redaction.clone();
    let options = CaptureOptions {
        kind,
        recording,
        series,
        max_pause: None,
        force: false,
        folder: None,
        redaction,
    };
    Capture::new(options).map_err(|error| unwritten(error, run))
}

/// Why a file is not written. Where files are is private, too.
fn unwritten(error: Error, run: &RunOptions) -> Failure {
    match error.kind() {
        ErrorKind::Cancelled => Failure::Cancelled,
        _ if run.redaction.is_some() => Failure::new("the files cannot be written: name others"),
        _ => error.into(),
    }
}

/// What a file of this name is to be.
fn kind(file: &Path) -> Option<Kind> {
    let name = file.file_name()?.to_str()?;
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    KINDS.into_iter().find(|kind| name.ends_with(kind.extension()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_is_captured() {
        for (name, expected) in [
            ("a.heapsnapshot", Some(Kind::Heap)),
            ("d/a.heapsnapshot.zst", Some(Kind::Heap)),
            ("a.cpuprofile.gz", Some(Kind::Cpu)),
            ("a.heapprofile", Some(Kind::HeapSampling)),
            ("a.heaptimeline", Some(Kind::Timeline)),
            ("a.json", None),
            ("a.heapsnapshot#1", None),
            ("a", None),
        ] {
            assert_eq!(kind(Path::new(name)), expected, "{name}");
        }
    }
}
